// The disputes of a hand: open one, argue it, rule on it with or without money, open it anew.
import { html, Component } from "../html.js";
import { isZero } from "../amounts.js";
import { amount, list, page, t } from "../words.js";
import { sayBy } from "../describe.js";
import { effective } from "../log.js";
import { Each, sumOf } from "./each.js";
import { FreeText } from "./free-text.js";
import { waits } from "./outbox.js";
import { Press } from "./press.js";
import { Sheet } from "./sheet.js";

const SIGNS = { upheld: "✓", rejected: "✕", compromise: "⚖" };
const DECISIONS = ["upheld", "rejected", "compromise"];

// What a ruling says and moves, and who recorded it.
export function Ruling({ ruling, state, names, tokens }) {
  const moved = state.seats.filter((id) => id in ruling.adjust).map((id) => `${names[id]} ${amount(ruling.adjust[id], true)}`);
  return html`<p class="ruling"><b><span aria-hidden="true">${SIGNS[ruling.decision]}</span> ${t(`decision.${ruling.decision}`)}</b>: ${ruling.reason}</p>
    <p>${moved.length ? t("dispute.moved", { amounts: list(moved) }) : t("dispute.moved_nothing")} <small>${sayBy(ruling.by, tokens, names)}</small></p>`;
}

export class Disputes extends Component {
  render({ disputes, hand, owed, state, names, held, log, tokens, record, book }, { sheet, dispute, player }) {
    const own = held.record ? null : held.seat && held.player;
    const may = Boolean(held.record || own);
    const open = (kind, more = {}) => this.setState({ sheet: kind, dispute: null, player: own, ...more });
    const close = () => this.setState({ sheet: null });
    const Open = { open: OpenSheet, argue: ArgueSheet, rule: RuleSheet }[sheet];
    return html`<section class="panel" aria-labelledby="disputes-head"><h2 id="disputes-head">${t("dispute.title")}</h2>
      ${disputes.length === 0 && html`<p>${t("dispute.none")}</p>`}
      <ol class="disputes">${disputes.map((each) => html`<li key=${each.seq}>
        <p><b>${each.open ? "○" : "●"} ${t(each.open ? "dispute.is_open" : "dispute.is_ruled")}</b> ${t("dispute.says", { player: names[each.player], claim: each.claim })}</p>
        <ul class="arguments">${argued(log, each.seq).map((note) => html`<li key=${note.seq}>“${note.text}” <small>${sayBy(note.by, tokens, names)}</small></li>`)}</ul>
        ${each.ruling && html`<${Ruling} ruling=${each.ruling} ...${{ state, names, tokens }} />`}
        ${may && html`<div class="row no-print">
          <${Press} meaning=${`argue ${each.seq}`} kind="second" onPress=${() => open("argue", { dispute: each })}>${t("dispute.argue")}<//>
          ${each.open && held.record && !waits(book, (event) => event.type === "rule" && event.dispute === each.seq) && html`<${Press} meaning=${`rule ${each.seq}`} kind="second see" onPress=${() => open("rule", { dispute: each })}>${t("dispute.rule")}<//>`}
          ${!each.open && html`<${Press} meaning=${`anew ${each.seq}`} kind="second" onPress=${() => open("open", { player: own || each.player })}>${t("dispute.anew")}<//>`}
        </div>`}
      </li>`)}</ol>
      ${may && !disputes.some((each) => each.open) && disputes.length === 0 && html`<${Press} meaning=${`dispute ${hand}`} kind="second" onPress=${() => open("open")}>${t("dispute.open")}<//>`}
      ${may && disputes.length > 0 && html`<${Press} meaning=${`dispute ${hand}`} kind="plain no-print" onPress=${() => open("open")}>${t("dispute.another")}<//>`}
      ${Open && html`<${Open} ...${{ hand, dispute, player, own, owed, state, names, record }} onClose=${close} />`}
    </section>`;
  }
}

// Notes tied to a dispute, and to the one that it was recorded anew from.
function argued(log, seq) {
  const stands = effective(log);
  const same = new Set([seq]);
  for (let event = log[seq - 1]; event?.replaces; event = log[event.replaces - 1]) same.add(event.replaces);
  return stands.filter((event) => event.type === "note" && same.has(event.dispute));
}

// A sheet that records one event, and stays with what was typed when that fails.
class Asking extends Component {
  constructor(props) {
    super();
    this.state = { text: "", busy: false, fault: null, player: props.player, decision: null, money: "none", values: {} };
  }

  async act(event) {
    this.setState({ busy: true, fault: null });
    const fault = await this.props.record(event);
    if (!fault) return this.props.onClose();
    return this.setState({ busy: false, fault });
  }

  line(label) {
    const { state, names } = this.props;
    return html`<${FreeText} label=${label} text=${this.state.text} change=${(text) => this.setState({ text })} names=${names} seats=${state.seats} />`;
  }

  send(label, event, ready = true) {
    const { busy, fault, text } = this.state;
    return html`${fault && html`<p class="fault" role="alert">${fault}</p>`}
      <${Press} meaning=${`record ${JSON.stringify(event)}`} kind="main" disabled=${busy || !ready || !text.trim()} onPress=${() => this.act(event)}>${label}<//>`;
  }
}

class OpenSheet extends Asking {
  render({ hand, own, state, names, onClose }, { text, player }) {
    return html`<${Sheet} title=${t("dispute.of", { n: hand })} onClose=${onClose}>
      ${!own && html`<p>${t("dispute.who")}</p><div class="choices" role="group" aria-label=${t("dispute.who")}>
        ${state.seats.map((id) => html`<${Press} key=${id} meaning=${`who ${id}`} kind=${`choice${id === player ? " chosen" : ""}`} aria-pressed=${id === player ? "true" : "false"} onPress=${() => this.setState({ player: id })}>${names[id]}<//>`)}
      </div>`}
      ${this.line(t("dispute.claim"))}
      ${this.send(t("dispute.record"), { type: "dispute", of_hand: hand, player, claim: text.trim() }, Boolean(player))}
    <//>`;
  }
}

class ArgueSheet extends Asking {
  render({ dispute, names, onClose }, { text }) {
    return html`<${Sheet} title=${t("dispute.argue")} onClose=${onClose}>
      <p>${t("dispute.says", { player: names[dispute.player], claim: dispute.claim })}</p>
      ${this.line(t("dispute.argument"))}
      ${this.send(t("dispute.add"), { type: "note", text: text.trim(), dispute: dispute.seq })}
    <//>`;
  }
}

// What would pay what the audit finds owed, as amounts of a ruling.
function asOwed(owed) {
  const values = {};
  for (const { from, to, amount: sum } of owed) {
    values[from] = sumOf([values[from] || "0", `-${sum}`]);
    values[to] = sumOf([values[to] || "0", sum]);
  }
  return values;
}

const moving = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => !isZero(value)));

class RuleSheet extends Asking {
  choose(money) {
    this.setState({ money, values: money === "owed" ? asOwed(this.props.owed) : {} });
  }

  render({ dispute, owed, state, names, onClose }, { text, decision, money, values }) {
    const adjust = moving(values);
    const sum = sumOf(values);
    const ready = Boolean(decision) && (money === "none" || (isZero(sum) && Object.keys(adjust).length > 0));
    const event = { type: "rule", dispute: dispute.seq, decision, ...(money !== "none" && { adjust }), reason: text.trim() };
    const ways = ["none", ...(owed.length ? ["owed"] : []), "other"];
    const choice = (kind, one, chosen, label, onPress) => html`<${Press} key=${one} meaning=${`${kind} ${one}`} kind=${`choice${chosen ? " chosen" : ""}`} aria-pressed=${chosen ? "true" : "false"} onPress=${onPress}>${label}<//>`;
    return html`<${Sheet} title=${t("dispute.rule")} onClose=${onClose}>
      <p>${t("dispute.says", { player: names[dispute.player], claim: dispute.claim })}</p>
      <div class="choices" role="group" aria-label=${t("dispute.how")}>
        ${DECISIONS.map((one) => choice("decision", one, decision === one, html`<span aria-hidden="true">${SIGNS[one]}</span> ${t(`decision.${one}`)}`, () => this.setState({ decision: one })))}
      </div>
      <p>${t("dispute.money")}</p>
      <div class="choices" role="group" aria-label=${t("dispute.money")}>
        ${ways.map((one) => choice("money", one, money === one, t(`dispute.money_${one}`), () => this.choose(one)))}
      </div>
      ${money === "owed" && html`<p>${list(state.seats.filter((id) => id in values).map((id) => `${names[id]} ${amount(values[id], true)}`))}</p>`}
      ${money === "other" && html`<p class="hint">${t("dispute.amounts")}</p>
        <${Each} seats=${state.seats} names=${names} values=${values} goal="0" chip=${state.unit.chip} signed=${true} label=${t("dispute.money")} change=${(next) => this.setState({ values: next })} />
        <p class=${isZero(sum) ? "sum" : "sum fault"} role="status">${isZero(sum) ? t("each.zero") : t("each.not_zero", { amount: amount(sum, true) })}</p>`}
      ${this.line(t("irregular.reason"))}
      ${this.send(t("dispute.record_rule"), event, ready)}
    <//>`;
  }
}

// Every dispute of the night, for the settlement.
export function AllDisputes({ settlement, state, names, tokens }) {
  if (settlement.disputes.length === 0) return null;
  return html`<section class="panel" aria-labelledby="disputes-head"><h2 id="disputes-head">${t("dispute.title")}</h2>
    <ol class="disputes">${settlement.disputes.map((each) => html`<li key=${each.seq}>
      <p><b>${each.open ? `○ ${t("dispute.is_open")}` : `● ${t("dispute.is_ruled")}`}</b> <a class="case-link" href=${`/s/${page.session}/case#hand=${each.hand}`}>${t("hand.title", { n: each.hand })}</a> ${t("dispute.says", { player: names[each.player], claim: each.claim })}</p>
      ${each.ruling && html`<${Ruling} ruling=${each.ruling} ...${{ state, names, tokens }} />`}
    </li>`)}</ol>
  </section>`;
}
