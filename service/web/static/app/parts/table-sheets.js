// What the table did with the hand just over, and what lies before each: a settlement otherwise, a count of chips.
import { html, Component } from "../html.js";
import { compare, isZero, subtract, total } from "../amounts.js";
import { amount, t } from "../words.js";
import { Each, sumOf } from "./each.js";
import { FreeText } from "./free-text.js";
import { Press } from "./press.js";
import { Sheet } from "./sheet.js";

const dealtIn = (hand, state) => state.seats.filter((id) => id in hand.paid);
const taken = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => !isZero(value)));

// Under the result of a hand: the table paid like this, or not, or has said so already.
export function TableDid({ desk }) {
  const { state, book, log, busy } = desk;
  const { hand } = book;
  if (!hand || hand.result === "misdeal" || hand.result === "open") return null;
  const said = log.filter((event) => event.type === "settle" && event.seq > hand.last).at(-1);
  const lives = state.game === "lives" ? "_lives" : "";
  return html`<div class="table-did">
    ${said
      ? html`<span class="said-so">${said.irregular ? `⚠ ${t("table.did_other")}` : `✓ ${t("table.confirmed")}`}</span>`
      : html`<${Press} meaning=${`${state.version} settle ${hand.hand}`} kind="small" disabled=${busy} onPress=${() => desk.record([{ type: "settle" }])}>✓ ${t(`table.same${lives}`)}<//>`}
    <${Press} meaning=${`open settle ${hand.hand}`} kind="small" onPress=${() => desk.open("settle")}>${t(`table.other${lives}`)}<//>
  </div>`;
}

export class SettleSheet extends Component {
  constructor(props) {
    super();
    this.state = { values: {}, shares: false, losers: props.desk.book.hand?.losers || [], reason: "" };
  }

  event() {
    const { state } = this.props.desk;
    const { values, losers, reason } = this.state;
    const did = state.game === "lives" ? { losers: state.seats.filter((id) => losers.includes(id)) } : { awards: taken(values) };
    return { type: "settle", ...did, irregular: reason.trim() };
  }

  render({ desk, onClose }, { values, reason }) {
    const { state, names, book, busy } = desk;
    const { hand } = book;
    if (!hand) return null;
    const lives = state.game === "lives";
    const left = lives ? "0" : subtract(hand.pot, sumOf(values));
    return html`<${Sheet} title=${t("table.other_title", { n: hand.hand })} onClose=${onClose}>
      <p class="hint">${t("table.other_help")}</p>
      ${lives ? this.losers(hand) : this.awards(hand, left)}
      <${FreeText} label=${t("irregular.reason")} text=${reason} change=${(text) => this.setState({ reason: text })} names=${names} seats=${state.seats} />
      <${Press} meaning=${`settle ${JSON.stringify(this.event())}`} kind="main warn" disabled=${busy || !isZero(left) || !reason.trim()} onPress=${() => desk.record([this.event()])}>${t("table.record")}<//>
    <//>`;
  }

  losers(hand) {
    const { state, names } = this.props.desk;
    const { losers } = this.state;
    const flip = (id) => this.setState({ losers: losers.includes(id) ? losers.filter((one) => one !== id) : [...losers, id] });
    return html`<p>${t("table.who_lost")}</p><div class="choices" role="group" aria-label=${t("table.who_lost")}>
      ${dealtIn(hand, state).map((id) => html`<${Press} key=${id} meaning=${`loses ${id}`} kind=${`choice${losers.includes(id) ? " chosen" : ""}`} aria-pressed=${losers.includes(id) ? "true" : "false"} onPress=${() => flip(id)}>${losers.includes(id) ? "♥−1 " : ""}${names[id]}<//>`)}
    </div>`;
  }

  awards(hand, left) {
    const { state, names } = this.props.desk;
    const { values, shares } = this.state;
    const all = (id) => !shares && id in values;
    return html`<p>${t("table.who_paid", { amount: amount(hand.pot) })}</p>
      <div class="choices" role="group" aria-label=${t("table.who_paid", { amount: amount(hand.pot) })}>
        ${dealtIn(hand, state).map((id) => html`<${Press} key=${id} meaning=${`all to ${id}`} kind=${`choice${all(id) ? " chosen" : ""}`} aria-pressed=${all(id) ? "true" : "false"} onPress=${() => this.setState({ shares: false, values: { [id]: hand.pot } })}>${t("table.all_to", { player: names[id] })}<//>`)}
        <${Press} meaning="shares" kind=${`choice${shares ? " chosen" : ""}`} aria-pressed=${shares ? "true" : "false"} onPress=${() => this.setState({ shares: true, values: {} })}>${t("table.shares")}<//>
      </div>
      ${shares && html`<${Each} seats=${dealtIn(hand, state)} names=${names} values=${values} goal=${hand.pot} chip=${state.unit.chip} label=${t("table.shares")} change=${(next) => this.setState({ values: next })} />
        <p class=${isZero(left) ? "sum" : "sum fault"} role="status">${sayLeft(left)}</p>`}`;
  }
}

function sayLeft(left) {
  if (isZero(left)) return t("each.exact");
  return left.startsWith("-") ? t("each.over", { amount: amount(left.slice(1)) }) : t("each.left", { amount: amount(left) });
}

// One number a player; what the log holds stands beside it, and the sum against it grows as they are told.
export class CountSheet extends Component {
  constructor() {
    super();
    this.state = { values: {}, reason: "" };
  }

  render({ desk, onClose }, { values, reason }) {
    const { state, names, busy } = desk;
    const held = (id) => state.players[id].stack || "0";
    const seats = state.seats.filter((id) => state.players[id].status !== "left" || !isZero(held(id)));
    const log = total(seats.map(held));
    const gap = subtract(sumOf(values), log);
    const all = seats.every((id) => id in values);
    const even = isZero(gap);
    const event = { type: "count", chips: taken(values), ...(!even && { irregular: reason.trim() }) };
    return html`<${Sheet} title=${t("menu.count")} onClose=${onClose}>
      <p class="hint">${t("count.help")}</p>
      <${Each} seats=${seats} names=${names} values=${values} goal=${log} chip=${state.unit.chip} hint=${(id) => t("count.log_has", { amount: amount(held(id)) })} label=${t("menu.count")} change=${(next) => this.setState({ values: next })} />
      <p class=${all && !even ? "sum fault" : "sum"} role="status">${t("count.sum", { counted: amount(sumOf(values)), held: amount(log) })}${all && html` <b>${sayGap(gap)}</b>`}</p>
      ${all && !even && html`<${FreeText} label=${t("count.reason")} text=${reason} change=${(text) => this.setState({ reason: text })} names=${names} seats=${state.seats} />`}
      <${Press} meaning=${`count ${JSON.stringify(event)}`} kind=${all && !even ? "main warn" : "main"} disabled=${busy || !all || (!even && !reason.trim())} onPress=${() => desk.record([event])}>${t(all && !even ? "count.record_gap" : "count.record")}<//>
    <//>`;
  }
}

function sayGap(gap) {
  if (isZero(gap)) return `✓ ${t("count.even")}`;
  return compare(gap, "0") < 0 ? `✕ ${t("count.missing", { amount: amount(gap.slice(1)) })}` : `✕ ${t("count.over", { amount: amount(gap) })}`;
}
