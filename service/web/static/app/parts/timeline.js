// The night's events, newest hand first: what is struck stays, struck through; any of them can be corrected.
import { html, Component } from "../html.js";
import { amount, t, time, tn } from "../words.js";
import { sayEvent, sayRefusal } from "../describe.js";
import { bare, effective, struck } from "../log.js";
import { CardPicker } from "./cards.js";
import { Pad } from "./pad.js";
import { Press } from "./press.js";
import { Sheet } from "./sheet.js";

const FIXED = new Set(["open", "void"]);
const STANDS = new Set(["open", "void", "note", "sign", "dispute", "rule", "pay"]);

export function TimelineSheet({ desk, onClose }) {
  const log = desk.book.log();
  const gone = struck(log);
  const hands = new Map();
  for (const event of log) {
    const key = event.hand || 0;
    if (!hands.has(key)) hands.set(key, []);
    hands.get(key).push(event);
  }
  const order = [...hands.keys()].sort((a, b) => b - a);
  return html`<${Sheet} title=${t("timeline.title")} onClose=${onClose}>
    ${order.map((hand, index) => html`<details key=${hand} open=${index === 0}>
      <summary>${hand ? t("hand.title", { n: hand }) : t("timeline.between")}</summary>
      <ol class="log">
        ${hands.get(hand).map((event) => html`<li key=${event.seq} class=${gone.has(event.seq) ? "struck" : ""}>
          <span class="seq">${event.seq}</span>
          <span>${gone.has(event.seq) ? html`<del>${sayEvent(event, desk.names)}</del> <small>${t("timeline.struck")}</small>` : sayEvent(event, desk.names)} ${event.at && html`<small>${time(event.at)}</small>`} ${event.waiting && html`<small>${t("timeline.waiting")}</small>`}</span>
          ${!gone.has(event.seq) && !FIXED.has(event.type) && html`<${Press} meaning=${`correct ${event.seq}`} kind="plain small" aria-label=${t("correct.this", { what: sayEvent(event, desk.names) })} onPress=${() => desk.open("correct", { seq: event.seq })}>${t("correct.short")}<//>`}
        </li>`)}
      </ol>
    </details>`)}
  <//>`;
}

// One request: all of the play from the mistake on is struck, and recorded anew with the mistake put right.
function request(log, seq, replacement, keepUntil, reason) {
  const from = effective(log).filter((event) => event.seq >= seq && (event.seq === seq || !STANDS.has(event.type)));
  const anew = [];
  for (const event of from) {
    if (event.seq === seq && replacement === null) continue;
    if (keepUntil !== null && event.seq >= keepUntil) break;
    anew.push({ ...(event.seq === seq ? { ...bare(event), ...replacement } : bare(event)), replaces: event.seq });
  }
  return [{ type: "void", seqs: from.map((event) => event.seq), reason }, ...anew];
}

export class CorrectSheet extends Component {
  constructor() {
    super();
    this.state = { mode: null, replacement: undefined, keepUntil: null, outcome: null };
  }

  event() {
    return this.props.desk.book.log().find((event) => event.seq === this.props.given.seq);
  }

  events(replacement, keepUntil) {
    return request(this.props.desk.book.log(), this.props.given.seq, replacement, keepUntil, t("correct.reason"));
  }

  // the dry run, in the engine: what would follow
  async look(replacement, keepUntil = null) {
    const events = this.events(replacement, keepUntil);
    const { engine } = this.props.desk.book;
    try {
      const answer = await engine.ask("try", { events });
      this.setState({ replacement, keepUntil, events, outcome: { effects: answer.effects } });
    } catch (fault) {
      if (!fault.problem) throw fault;
      const at = events[fault.problem.event ?? 0];
      this.setState({ replacement, keepUntil, events, outcome: { problem: fault.problem, at } });
    }
  }

  render({ desk, onClose }, { mode, replacement, outcome, events }) {
    const event = this.event();
    const { state, names, book } = desk;
    const field = "amount" in event ? "amount" : event.type === "see" || event.type === "ante" ? "amount" : null;
    const cards = event.cards ? "cards" : event.card ? "card" : null;
    return html`<${Sheet} title=${t("correct.title")} onClose=${onClose}>
      <p><b>${event.seq}. ${sayEvent(event, names)}</b></p>
      ${!book.engine && html`<p class="hint">${t("engine.loading")}</p>`}
      <div class="choices">
        <${Press} meaning="strike" kind="choice" disabled=${!book.engine} onPress=${() => (this.setState({ mode: "strike" }), this.look(null))}>${t("correct.strike")}<//>
        ${field && html`<${Press} meaning="amount" kind="choice" disabled=${!book.engine} onPress=${() => this.setState({ mode: "amount", outcome: null })}>${t("correct.amount")}<//>`}
        ${cards && html`<${Press} meaning="cards" kind="choice" disabled=${!book.engine} onPress=${() => this.setState({ mode: "cards", outcome: null })}>${t("correct.cards")}<//>`}
        ${event.player && html`<${Press} meaning="fold" kind="choice" disabled=${!book.engine} onPress=${() => this.setState({ mode: "player", outcome: null })}>${t("correct.player")}<//>`}
      </div>
      ${mode === "amount" && !outcome && html`<${Pad} title=${t("pad.pays")} chip=${state.unit.chip} done=${(value) => this.look({ amount: value })} doneLabel=${(value) => t("correct.try", { amount: value })} />`}
      ${mode === "cards" && !outcome && html`<${CardPicker} id="correct" count=${cards === "cards" ? event.cards.length : 1} used=${[]} title=${sayEvent(event, names)} done=${(picked) => this.look(cards === "cards" ? { cards: picked } : { card: picked[0] })} />`}
      ${mode === "player" && !outcome && html`<div class="choices">${state.seats.filter((id) => id !== event.player).map((id) => html`<${Press} key=${id} meaning=${`instead ${id}`} kind="choice" onPress=${() => this.look({ player: id })}>${names[id]}<//>`)}</div>`}
      ${outcome?.effects && html`<${Effects} effects=${outcome.effects} names=${names} />
        <p class="hint">${tn("correct.anew", events.length - 1)}</p>
        <${Press} meaning=${`correct ${event.seq}`} kind="main" onPress=${() => desk.record(events)}>${t("correct.record")}<//>`}
      ${outcome?.problem && html`<p class="fault" role="alert">${t("correct.breaks")} <b>${sayEvent(outcome.at, names)}</b>: ${sayRefusal(outcome.problem)}</p>
        ${outcome.at.replaces && html`<${Press} meaning=${`cut ${outcome.at.replaces}`} kind="second warn" onPress=${() => this.look(replacement, outcome.at.replaces)}>${t("correct.cut")}<//>`}`}
    <//>`;
  }
}

// What a correction would change: hands that are over, lives, balances.
export function Effects({ effects, names }) {
  const balances = Object.entries(effects.balances || {});
  const lives = Object.entries(effects.lives || {});
  const hands = effects.hands || [];
  if (!balances.length && !lives.length && !hands.length) return html`<p>${t("effects.none")}</p>`;
  const change = (kind, [player, { before, after }]) => html`<li key=${kind + player}><b>${names[player]}</b> ${kind === "lives" ? `${before} ♥ → ${after} ♥` : `${amount(String(before), true)} → ${amount(String(after), true)}`}</li>`;
  return html`<h3>${t("effects.title")}</h3>
    <ul class="log">
      ${hands.map((hand) => html`<li key=${hand.hand}>${t("effects.hand", { n: hand.hand })}</li>`)}
      ${lives.map((entry) => change("lives", entry))}
      ${balances.map((entry) => change("balance", entry))}
    </ul>`;
}
