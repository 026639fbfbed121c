// The night's events, newest hand first: what is struck stays, struck through; any of them can be corrected.
import { html, Component } from "../html.js";
import { amount, page, t, time, tn } from "../words.js";
import { sayEvent, sayRefusal } from "../describe.js";
import { STANDS, bare, effective, struck } from "../log.js";
import { CardPicker } from "./cards.js";
import { Pad } from "./pad.js";
import { Press } from "./press.js";
import { Sheet } from "./sheet.js";

const FIXED = new Set(["open", "void"]);

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
// changes: seq -> what is other about it; null: it did not happen.
function request(log, seq, changes, keepUntil, reason) {
  const from = effective(log).filter((event) => event.seq >= seq && (event.seq === seq || !STANDS.has(event.type)));
  const anew = [];
  for (const event of from) {
    if (keepUntil !== null && event.seq >= keepUntil) break;
    if (changes[event.seq] !== null) anew.push({ ...bare(event), ...changes[event.seq], replaces: event.seq });
  }
  return [{ type: "void", seqs: from.map((event) => event.seq), reason }, ...anew];
}

export class CorrectSheet extends Component {
  constructor() {
    super();
    this.state = { mode: null, changes: {}, keepUntil: null, outcome: null };
  }

  event() {
    return this.props.desk.book.log().find((event) => event.seq === this.props.given.seq);
  }

  begin(change) {
    return this.look({ [this.props.given.seq]: change });
  }

  // the dry run, in the engine: what would follow
  async look(changes, keepUntil = null) {
    const { book } = this.props.desk;
    const events = request(book.log(), this.props.given.seq, changes, keepUntil, t("correct.reason"));
    const found = { changes, keepUntil, events };
    try {
      const answer = await book.engine.ask("try", { events });
      this.setState({ ...found, outcome: { effects: answer.effects } });
    } catch (fault) {
      if (!fault.problem) throw fault;
      this.setState({ ...found, outcome: { problem: fault.problem, at: events[fault.problem.event ?? 0] } });
    }
  }

  render({ desk, onClose }, { mode, changes, outcome, events }) {
    const event = this.event();
    const { state, names, book } = desk;
    const field = "amount" in event ? "amount" : event.type === "see" || event.type === "ante" ? "amount" : null;
    const cards = event.cards ? "cards" : event.card ? "card" : null;
    return html`<${Sheet} title=${t("correct.title")} onClose=${onClose}>
      <p><b>${event.seq}. ${sayEvent(event, names)}</b></p>
      ${!book.engine && html`<p class="hint">${t("engine.loading")}</p>`}
      <div class="choices">
        <${Press} meaning="strike" kind="choice" disabled=${!book.engine} onPress=${() => (this.setState({ mode: "strike" }), this.begin(null))}>${t("correct.strike")}<//>
        ${field && html`<${Press} meaning="amount" kind="choice" disabled=${!book.engine} onPress=${() => this.setState({ mode: "amount", outcome: null })}>${t("correct.amount")}<//>`}
        ${cards && html`<${Press} meaning="cards" kind="choice" disabled=${!book.engine} onPress=${() => this.setState({ mode: "cards", outcome: null })}>${t("correct.cards")}<//>`}
        ${event.player && html`<${Press} meaning="fold" kind="choice" disabled=${!book.engine} onPress=${() => this.setState({ mode: "player", outcome: null })}>${t("correct.player")}<//>`}
      </div>
      ${mode === "amount" && !outcome && html`<${Pad} title=${t("pad.pays")} chip=${state.unit.chip} done=${(value) => this.begin({ amount: value })} doneLabel=${(value) => t("correct.try", { amount: value })} />`}
      ${mode === "cards" && !outcome && html`<${CardPicker} id="correct" count=${cards === "cards" ? event.cards.length : 1} used=${[]} title=${sayEvent(event, names)} done=${(picked) => this.begin(cards === "cards" ? { cards: picked } : { card: picked[0] })} />`}
      ${mode === "player" && !outcome && html`<div class="choices">${state.seats.filter((id) => id !== event.player).map((id) => html`<${Press} key=${id} meaning=${`instead ${id}`} kind="choice" onPress=${() => this.begin({ player: id })}>${names[id]}<//>`)}</div>`}
      ${outcome?.effects && html`<${Effects} effects=${outcome.effects} names=${names} />
        <p class="hint">${tn("correct.anew", events.length - 1)}</p>
        <${Press} meaning=${`correct ${event.seq}`} kind="main" onPress=${() => desk.record(events)}>${t("correct.record")}<//>`}
      ${outcome?.problem && html`<p class="fault" role="alert">${t("correct.breaks")} <b>${sayEvent(outcome.at, names)}</b>: ${sayRefusal(outcome.problem)}</p>
        <${WaysOn} outcome=${outcome} change=${(more) => this.look({ ...changes, [outcome.at.replaces]: more })} cut=${() => this.look(changes, outcome.at.replaces)} />`}
    <//>`;
  }
}

// A later event no longer fits: it was at the new price, or the table let it stand, or it and the rest are struck.
function WaysOn({ outcome, change, cut }) {
  const { at, problem } = outcome;
  if (!at.replaces) return null;
  return html`<div class="row">
    ${problem.code === "see.amount" && html`<${Press} meaning=${`price ${at.replaces}`} kind="second" onPress=${() => change({ amount: undefined })}>${t("correct.price")}<//>`}
    ${page.recordable.includes(problem.code) && html`<${Press} meaning=${`stood ${at.replaces}`} kind="second" onPress=${() => change({ irregular: t("irregular.default") })}>${t("correct.stood")}<//>`}
    <${Press} meaning=${`cut ${at.replaces}`} kind="second warn" onPress=${cut}>${t("correct.cut")}<//>
  </div>`;
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
