// Panels of the play: another amount, another deal, why not, and what the table did anyway.
import { html, Component } from "../html.js";
import { page, t } from "../words.js";
import { sayEvent, sayRefusal } from "../describe.js";
import { betEvent, bets, candidates, dealEvents, dealers, dealtIn } from "../offers.js";
import { CardPicker } from "./cards.js";
import { FreeText } from "./free-text.js";
import { Pad } from "./pad.js";
import { Press } from "./press.js";
import { RuleLink } from "./rule-link.js";
import { Sheet } from "./sheet.js";

export function PadSheet({ desk, given, onClose }) {
  const { state, names } = desk;
  const kind = bets(state).find((each) => each.as === given.as) || bets(state)[0];
  if (!kind) return null;
  const { call, min, max } = kind.entry;
  return html`<${Sheet} title=${t("pad.title", { player: names[state.to_act], as: t(`status.${kind.as}`) })} onClose=${onClose}>
    <${Pad}
      title=${t("pad.pays")}
      chip=${state.unit.chip}
      min=${call ?? min}
      max=${max}
      done=${(value) => desk.record([betEvent(state.to_act, kind.as, value)])}
      doneLabel=${(value) => t(`do.bet_${kind.as}`, { amount: value })}
    />
  <//>`;
}

export class DealSheet extends Component {
  constructor(props) {
    super();
    this.state = { dealer: dealers(props.desk.state)[0], out: [] };
  }

  render({ desk, onClose }, { dealer, out }) {
    const { state, names } = desk;
    const all = dealtIn(state);
    const players = all.filter((id) => !out.includes(id));
    const flip = (id) => this.setState({ out: out.includes(id) ? out.filter((one) => one !== id) : [...out, id] });
    return html`<${Sheet} title=${t("do.deal_else")} onClose=${onClose}>
      <p class="hint">${t("deal.who_plays")}</p>
      <div class="choices">
        ${all.map((id) => html`<${Press} key=${id} meaning=${`in ${id}`} kind=${`choice${out.includes(id) ? "" : " chosen"}`} aria-pressed=${out.includes(id) ? "false" : "true"} onPress=${() => flip(id)}>${out.includes(id) ? "✕" : "✓"} ${names[id]}<//>`)}
      </div>
      <${Press} meaning=${`deal ${players}`} kind="main" disabled=${players.length < 2} onPress=${() => desk.record(dealEvents(state, dealer, { players: out.length ? players : null }))}>${t("do.deal", { player: names[dealer] })}<//>
      <${Press} meaning="deal only" kind="second" disabled=${players.length < 2} onPress=${() => desk.record(dealEvents(state, dealer, { players: out.length ? players : null }).slice(0, 1))}>${t("do.deal_only")}<//>
    <//>`;
  }
}

// Every action, and of each that cannot be done now why not, by the engine's own word. Of whom, can be chosen.
export class WhySheet extends Component {
  constructor() {
    super();
    this.state = { found: null };
  }

  componentDidMount() {
    const { state } = this.props.desk;
    const at = (id) => state.players[id].status !== "left";
    return this.ask(state.to_act || [...dealers(state), ...state.seats].find(at));
  }

  async ask(player) {
    const { state, book } = this.props.desk;
    const events = candidates(state, player);
    const answers = await book.engine.ask("why", { events });
    this.setState({ found: events.map((event, index) => ({ event, problem: answers[index] })), player });
  }

  render({ desk, onClose }, { found, player }) {
    const { state, names } = desk;
    if (!found) return html`<${Sheet} title=${t("why.title")} onClose=${onClose}><p class="loading">${t("page.loading")}</p><//>`;
    const seats = state.seats.filter((id) => state.players[id].status !== "left");
    const awaited = [...new Set(state.legal.map((entry) => t(`act.${entry.type}${entry.as ? `_${entry.as}` : ""}`)))];
    return html`<${Sheet} title=${t("why.of", { player: names[player] })} onClose=${onClose}>
      <div class="choices" role="group" aria-label=${t("irregular.who")}>
        ${seats.map((id) => html`<${Press} key=${id} meaning=${`why ${id}`} kind=${`choice${id === player ? " chosen" : ""}`} aria-pressed=${id === player ? "true" : "false"} onPress=${() => this.ask(id)}>${names[id]}<//>`)}
      </div>
      ${awaited.length > 0 && html`<p class="hint">${t("why.now", { what: awaited.join(" · ") })}</p>`}
      <ul class="why-list">
        ${found.map(({ event, problem }) => html`<li key=${event.type + (event.as || "")} class=${problem ? "no" : "yes"}>
          <b>${problem ? "✕" : "✓"} ${t(`act.${event.type}${event.as ? `_${event.as}` : ""}`)}</b>
          ${problem ? html`<span>${sayRefusal(problem)}${problem.rule && html` <${RuleLink} rule=${problem.rule} />`}</span>` : html`<span>${t("why.may")}</span>`}
        </li>`)}
      </ul>
    <//>`;
  }
}

// Says why not, and offers to record it as what the table did, where the log can bear it.
export class RefusedSheet extends Component {
  render({ desk, given, onClose }) {
    const { problem, events } = given;
    const may = events.length === 1 && page.recordable.includes(problem.code);
    return html`<${Sheet} title=${t("refused.title")} onClose=${onClose}>
      ${events.length > 0 && html`<p><b>${sayEvent(events[problem.event || 0], desk.names)}</b></p>`}
      <p>${sayRefusal(problem)}</p>
      <p class="hint"><span lang="en">${problem.detail}</span> <${RuleLink} rule=${problem.rule} /></p>
      ${may && html`<${Anyway} desk=${desk} event=${events[0]} />`}
    <//>`;
  }
}

// The reason, and the button that records an event although the rules forbid it.
class Anyway extends Component {
  constructor() {
    super();
    this.state = { reason: "" };
  }

  render({ desk, event }, { reason }) {
    const words = reason.trim() || t("irregular.default");
    return html`<${FreeText} label=${t("irregular.reason")} text=${reason} placeholder=${t("irregular.default")} change=${(text) => this.setState({ reason: text })} names=${desk.names} seats=${desk.state.seats} />
      <${Press} meaning=${`anyway ${JSON.stringify(event)}`} kind="main warn" onPress=${() => desk.record([{ ...event, irregular: words }])}>${t("irregular.record")}<//>`;
  }
}

const WHAT = {
  lives: ["swap", "knock", "reveal", "deal"],
  other: ["bet_seen", "bet_blind", "look", "check", "fold", "see", "reveal", "deal", "ante"],
};

// Anybody, anything: what the table did, whoever's turn it was.
export class IrregularSheet extends Component {
  constructor() {
    super();
    this.state = { player: null, what: null, event: null };
  }

  choose(what) {
    const { player } = this.state;
    const [type, as] = what.split("_");
    const amounts = ["bet", "see", "ante"].includes(type);
    if (type === "deal") return this.setState({ what, event: this.props.desk.state.game === "lives" ? null : { type, dealer: player } });
    return this.setState({ what, amounts, event: amounts || type === "reveal" ? null : type === "swap" ? { type, player, take: "down" } : { type, player, ...(as && { as }) } });
  }

  render({ desk, onClose }, { player, what, event }) {
    const { state, names } = desk;
    const kinds = state.game === "lives" ? WHAT.lives : WHAT.other;
    const seats = state.seats.filter((id) => state.players[id].status !== "left");
    const [type, as] = (what || "").split("_");
    return html`<${Sheet} title=${t("irregular.title")} onClose=${onClose}>
      <p class="hint">${t("irregular.help")}</p>
      ${!["deal", "closed"].includes(state.phase) && html`<${Press} meaning="open misdeal" kind="second" onPress=${() => desk.open("misdeal")}>${t("misdeal.record")}…<//>`}
      <div class="choices" role="group" aria-label=${t("irregular.who")}>
        ${seats.map((id) => html`<${Press} key=${id} meaning=${`who ${id}`} kind=${`choice${id === player ? " chosen" : ""}`} aria-pressed=${id === player ? "true" : "false"} onPress=${() => this.setState({ player: id, what: null, event: null })}>${names[id]}<//>`)}
      </div>
      ${player &&
      html`<div class="choices" role="group" aria-label=${t("irregular.what")}>
        ${kinds.map((one) => html`<${Press} key=${one} meaning=${`what ${one}`} kind=${`choice${one === what ? " chosen" : ""}`} aria-pressed=${one === what ? "true" : "false"} onPress=${() => this.choose(one)}>${t(`act.${one}`)}<//>`)}
      </div>`}
      ${what && !event && ["bet", "see", "ante"].includes(type) && html`<${Pad} key=${what} title=${t("pad.pays")} chip=${state.unit.chip} done=${(amount) => this.setState({ event: { type, player, ...(as && { as }), amount } })} doneLabel=${(value) => `${t(`act.${what}`)} ${value}`} />`}
      ${what && !event && type === "reveal" && html`<${CardPicker} id="irregular" count=${3} used=${[]} title=${t("card.shows", { player: names[player] })} done=${(cards) => this.setState({ event: { type, player, cards } })} />`}
      ${what && !event && type === "deal" && html`<${CardPicker} id="irregular" count=${1} used=${[]} title=${t("card.face_up")} done=${([up]) => this.setState({ event: { type, dealer: player, up } })} />`}
      ${event && html`<p><b>${sayEvent(event, names)}</b></p><${Anyway} desk=${desk} event=${event} />`}
    <//>`;
  }
}
