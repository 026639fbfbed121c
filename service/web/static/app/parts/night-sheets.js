// Panels of the night: who comes and goes, chips bought, links, notes, a misdeal, and the end.
import { html, Component } from "../html.js";
import { page, t, time } from "../words.js";
import { sayFault, sayGroup } from "../describe.js";
import { aside } from "../store.js";
import { add, isZero } from "../amounts.js";
import { FreeText } from "./free-text.js";
import { Pad } from "./pad.js";
import { Press, say } from "./press.js";
import { Sheet } from "./sheet.js";
import { Links } from "./links.js";

const at_table = (state) => state.seats.filter((id) => state.players[id].status !== "left");

// A phone can lose what it keeps: what is not yet saved can be taken away as a file.
const asFile = (what) => `data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify(what, null, 1))}`;

export function MenuSheet({ desk, onClose }) {
  const { state, book } = desk;
  const between = state.phase === "deal";
  const go = (sheet) => html`<li key=${sheet}><${Press} meaning=${`open ${sheet}`} kind="item" onPress=${() => desk.open(sheet)}>${t(`menu.${sheet}`)}<//></li>`;
  const items = ["share", "note"];
  if (between) items.push("join", "leave");
  if (between && state.rules.bank === "chips") items.push("buy", "count");
  if (!between && state.phase !== "closed") items.push("misdeal");
  if (state.phase !== "closed") items.push("close");
  if (book.put_aside.length) items.push("aside");
  return html`<${Sheet} title=${t("menu.title")} onClose=${onClose}>
    <ul class="menu">
      ${items.map(go)}
      <li><a class="press item" href=${`/s/${page.session}`}>${t("menu.watch")}</a></li>
      <li><a class="press item" href=${`/s/${page.session}/replay`}>${t("menu.replay")}</a></li>
      <li><a class="press item" href=${`/s/${page.session}/settle`}>${t("menu.settle")}</a></li>
      <li><a class="press item" href="/">${t("menu.start")}</a></li>
      ${book.pending.length > 0 && html`<li><a class="press item" download="bragbook-waiting.json" href=${asFile(book.pending.flatMap((group) => group.events))}>${t("menu.save_waiting")}</a></li>`}
    </ul>
    <p class="hint">${book.engine ? t("engine.here") : book.engineFault ? t("engine.fault") : t("engine.loading")}</p>
    ${!page.secure && location.hostname !== "localhost" && location.hostname !== "127.0.0.1" && html`<p class="hint">${t("record.plain_http")}</p>`}
  <//>`;
}

export function ShareSheet({ desk, onClose }) {
  return html`<${Sheet} title=${t("menu.share")} onClose=${onClose}><${Links} api=${desk.book.api} session=${page.session} state=${desk.state} names=${desk.names} /><//>`;
}

class Text extends Component {
  constructor() {
    super();
    this.state = { text: "" };
  }

  // desk: of a text that goes into the log, where a name would stay
  render({ label, action, done, optional, desk }, { text }) {
    const change = (next) => this.setState({ text: next });
    return html`${desk
        ? html`<${FreeText} label=${label} text=${text} change=${change} names=${desk.names} seats=${desk.state.seats} />`
        : html`<label class="field"><span>${label}</span><input value=${text} maxlength="80" onInput=${(event) => change(event.target.value)} /></label>`}
      <${Press} meaning=${`text ${action}`} kind="main" disabled=${!optional && !text.trim()} onPress=${() => done(text.trim())}>${action}<//>`;
  }
}

export function NoteSheet({ desk, onClose }) {
  return html`<${Sheet} title=${t("menu.note")} onClose=${onClose}><${Text} desk=${desk} label=${t("note.text")} action=${t("note.record")} done=${(text) => desk.record([{ type: "note", text }])} /><//>`;
}

export function MisdealSheet({ desk, onClose }) {
  return html`<${Sheet} title=${t("menu.misdeal")} onClose=${onClose}>
    <p class="hint">${t("misdeal.help")}</p>
    <${Text} desk=${desk} optional label=${t("irregular.reason")} action=${t("misdeal.record")} done=${(text) => desk.record([{ type: "misdeal", reason: text || t("misdeal.default") }])} />
  <//>`;
}

function nextId(state) {
  let n = state.seats.length + 1;
  while (state.seats.includes(`p${n}`)) n += 1;
  return `p${n}`;
}

export function JoinSheet({ desk, onClose }) {
  const { state, names, book } = desk;
  const gone = state.seats.filter((id) => state.players[id].status === "left");
  const join = async (name) => {
    const player = nextId(state);
    try {
      await book.api.put(`/sessions/${page.session}/players/${player}`, { name });
    } catch (fault) {
      say(t("join.no_name", { reason: sayFault(fault) }));
      return;
    }
    book.names[player] = name;
    if (book.engine) await book.engine.ask("name", { names: book.names });
    await desk.record([{ type: "join", player }]);
  };
  return html`<${Sheet} title=${t("menu.join")} onClose=${onClose}>
    <${Text} label=${t("start.name")} action=${t("join.record")} done=${join} />
    ${gone.length > 0 && html`<p class="hint">${t("join.back")}</p><div class="choices">${gone.map((player) => html`<${Press} key=${player} meaning=${`back ${player}`} kind="choice" onPress=${() => desk.record([{ type: "join", player }])}>${names[player]}<//>`)}</div>`}
  <//>`;
}

export function LeaveSheet({ desk, onClose }) {
  return html`<${Sheet} title=${t("menu.leave")} onClose=${onClose}>
    <p class="hint">${t("leave.help")}</p>
    <div class="choices">${at_table(desk.state).map((player) => html`<${Press} key=${player} meaning=${`leave ${player}`} kind="choice" onPress=${() => desk.record([{ type: "leave", player }])}>${desk.names[player]}<//>`)}</div>
  <//>`;
}

export class BuySheet extends Component {
  constructor() {
    super();
    this.state = { player: null, type: "buy", chips: null };
  }

  render({ desk, onClose }, { player, type, chips }) {
    const { state, names } = desk;
    const everyone = at_table(state).filter((id) => isZero(state.players[id].stack || "0"));
    const chosen = player === "all" ? everyone : player ? [player] : [];
    const record = () => desk.record(chosen.map((id) => ({ type, player: id, chips })));
    return html`<${Sheet} title=${t("menu.buy")} onClose=${onClose}>
      <div class="choices" role="group" aria-label=${t("irregular.who")}>
        ${everyone.length > 1 && html`<${Press} meaning="who all" kind=${`choice${player === "all" ? " chosen" : ""}`} onPress=${() => this.setState({ player: "all", type: "buy" })}>${t("buy.everyone")}<//>`}
        ${at_table(state).map((id) => html`<${Press} key=${id} meaning=${`who ${id}`} kind=${`choice${id === player ? " chosen" : ""}`} onPress=${() => this.setState({ player: id })}>${names[id]}<//>`)}
      </div>
      <div class="choices">${["buy", "cash"].map((one) => html`<${Press} key=${one} meaning=${one} kind=${`choice${one === type ? " chosen" : ""}`} aria-pressed=${one === type ? "true" : "false"} onPress=${() => this.setState({ type: one })}>${t(`act.${one}`)}<//>`)}</div>
      ${chosen.length > 0 && !chips && html`<${Pad} title=${t("buy.chips")} chip=${state.unit.chip} done=${(value) => this.setState({ chips: value })} doneLabel=${(value) => `${t(`act.${type}`)} ${value}`} />`}
      ${chosen.length > 0 && chips && html`<${Press} meaning=${`${type} ${chosen} ${chips}`} kind="main" onPress=${record}>${t(`act.${type}`)} ${chips} · ${chosen.map((id) => names[id]).join(", ")}<//>`}
    <//>`;
  }
}

export function CloseSheet({ desk, onClose }) {
  const { state } = desk;
  const waits = !isZero(add(state.pot, state.carried)) && state.game !== "lives";
  const end = (carry) => desk.record([{ type: "close", ...(carry && { carry }) }]);
  return html`<${Sheet} title=${t("menu.close")} onClose=${onClose}>
    <p>${t(waits ? "close.pot" : "close.help")}</p>
    ${waits
      ? ["refund", "split"].map((carry) => html`<${Press} key=${carry} meaning=${`close ${carry}`} kind="second" onPress=${() => end(carry)}>${t(`close.${carry}`)}<//>`)
      : html`<${Press} meaning="close" kind="main" onPress=${() => end(null)}>${t("close.record")}<//>`}
  <//>`;
}

// What was put aside is kept until it is thrown away by hand, and can be saved as a file.
export function AsideSheet({ desk, onClose }) {
  const { book } = desk;
  const away = async (n) => {
    await aside.remove(n);
    book.put_aside = await aside.all(page.session);
    desk.open(book.put_aside.length ? "aside" : null);
  };
  return html`<${Sheet} title=${t("menu.aside")} onClose=${onClose}>
    <p class="hint">${t("aside.help")}</p>
    <ol class="log">
      ${book.put_aside.map((group) => html`<li key=${group.n}>${time(group.put_aside_at)} · ${sayGroup(group.events, book.names)} <small>${group.why}</small> <${Press} meaning=${`away ${group.n}`} kind="plain small" onPress=${() => away(group.n)}>${t("aside.away")}<//></li>`)}
    </ol>
    <p><a class="press second" download="bragbook-aside.json" href=${asFile(book.put_aside)}>${t("aside.save")}</a></p>
  <//>`;
}
