// The recorder: one phone at the table, one thumb.
import { html, render } from "../html.js";
import { page, t, tn } from "../words.js";
import { Api } from "../api.js";
import { Book, NOT_TAKEN } from "../book.js";
import { effective } from "../log.js";
import { sayAction, sayRefusal } from "../describe.js";
import * as keys from "../keys.js";
import { Actions } from "../parts/actions.js";
import { Cards } from "../parts/cards.js";
import { HandSummary } from "../parts/summary.js";
import { Headline, Seats } from "../parts/seats.js";
import { Light } from "../parts/light.js";
import { Press, say } from "../parts/press.js";
import { SHEETS } from "../parts/sheets.js";
import { Trouble } from "../parts/trouble.js";
import { stayAwake } from "../awake.js";
import { keepOnPhone } from "../offline.js";

const FRESH = { as: null, take: null, shower: null };

export function start(root) {
  const token = keys.of(page.session).record;
  if (!token) {
    render(html`<section class="panel"><h1>${t("record.no_key")}</h1><p>${t("record.no_key_help")}</p><p><a class="press main" href=${`/s/${page.session}`}>${t("record.watch_instead")}</a></p></section>`, root);
    return;
  }
  document.body.classList.add("recording");
  const ui = { ...FRESH, sheet: null, given: {} };
  const book = new Book({ session: page.session, api: new Api(token), undoReason: t("undo.reason"), onChange: () => draw() });
  globalThis.bragbook = { book };

  let drawn = null;
  const draw = () => {
    if (book.engine || book.engineFault) keepOnPhone();
    if (book.state && drawn !== book.state) {
      if (drawn && drawn.version !== book.state.version) Object.assign(ui, FRESH);
      drawn = book.state;
      stayAwake(!["deal", "closed"].includes(book.state.phase));
      lookAtHand(book, draw);
    }
    render(html`<${Recorder} book=${book} ui=${ui} desk=${desk()} />`, root);
  };
  const open = (sheet, given = {}) => {
    Object.assign(ui, { sheet, given });
    draw();
  };
  const record = async (events) => {
    const problem = await book.record(events);
    if (problem === NOT_TAKEN) {
      say(sayRefusal(problem)); // the panel stays, with what was chosen in it
      return problem;
    }
    ui.take = null;
    if (problem) open("refused", { problem, events });
    else if (ui.sheet) open(null);
    else draw();
    return problem;
  };
  const desk = () => ({
    book,
    ui,
    open,
    record,
    state: book.state,
    names: book.names,
    busy: book.busy,
    log: effective(book.log()),
    setUi: (more) => {
      Object.assign(ui, more);
      draw();
    },
  });
  book.open().then(draw);
  draw();
}

// The hand that has just ended, from the engine, or from the server until the engine is there.
async function lookAtHand(book, draw) {
  const { state } = book;
  if (!["deal", "closed"].includes(state.phase) || !state.hand) {
    book.hand = null;
    return;
  }
  let hand = null;
  try {
    hand = book.engine
      ? await book.engine.ask("hand", { hand: state.hand })
      : await book.api.get(`/sessions/${book.session}/hands/${state.hand}`);
  } catch {
    // no signal, and no engine yet: shown without it
  }
  if (book.state !== state) return; // the next hand may have begun
  book.hand = hand;
  draw();
}

function Recorder({ book, ui, desk }) {
  const { state, names } = book;
  if (!state) {
    return html`<section class="panel"><p class="loading">${book.up === false ? t("record.no_state") : t("page.loading")}</p>${book.trouble && html`<${Trouble} book=${book} desk=${desk} />`}</section>`;
  }
  const Open = SHEETS[ui.sheet];
  return html`<div class="recorder">
    <div class="strip">
      <${Light} book=${book} />
      ${book.put_aside.length > 0 && html`<${Press} meaning="open aside" kind="plain small" onPress=${() => desk.open("aside")}>${tn("aside.n", book.put_aside.length)}<//>`}
      ${!book.kept && html`<span class="warning">${t("record.not_kept")}</span>`}
      <${Press} meaning="open menu" kind="plain small" onPress=${() => desk.open("menu")}>☰ ${t("menu.title")}<//>
    </div>
    <${Headline} state=${state} names=${names} />
    ${!(book.hand && state.game !== "lives" && book.hand.result !== "misdeal") && html`<${Seats} state=${state} names=${names} />`}
    ${state.board.length > 0 && html`<div class="board"><span>${t("board.title")}</span> <${Cards} cards=${state.board} /></div>`}
    ${state.up && html`<div class="board"><span>${t("board.up")}</span> <${Cards} cards=${[state.up]} /></div>`}
    ${book.hand && html`<${HandSummary} hand=${book.hand} state=${state} names=${names} />`}
    ${book.trouble ? html`<${Trouble} book=${book} desk=${desk} />` : html`<${Actions} desk=${desk} />`}
    <p class="asides">
      <${Press} meaning="open why" kind="plain small" disabled=${!book.engine} onPress=${() => desk.open("why")}>${t("why.title")}<//>
      <${Press} meaning="open irregular" kind="plain small" onPress=${() => desk.open("irregular")}>${t("irregular.title")}<//>
    </p>
    <${Footer} book=${book} desk=${desk} />
    ${Open && html`<${Open} desk=${desk} given=${ui.given} onClose=${() => desk.open(null)} />`}
  </div>`;
}

function Footer({ book, desk }) {
  const last = book.undoable();
  const next = book.redoable.at(-1);
  const step = async (what, action, word) => {
    const text = sayAction(action, book.names);
    const problem = await book[what]();
    if (problem === NOT_TAKEN) say(sayRefusal(problem));
    else if (problem) desk.open("refused", { problem, events: [] });
    else say(t(word, { what: text }));
  };
  const blocked = book.busy || Boolean(book.trouble);
  return html`<nav class="footer" aria-label=${t("undo.title")}>
    <${Press} meaning=${`undo ${last?.changes.map((each) => each.root)}`} kind="undo" disabled=${blocked || !last} onPress=${() => step("undo", last, "undo.done")}>
      <b>↶ ${t("undo.undo")}</b> <small>${last ? sayAction(last, book.names) : t("undo.nothing")}</small>
    <//>
    <${Press} meaning=${`redo ${book.redoable.length}`} kind="redo" disabled=${blocked || !next} aria-label=${next ? t("undo.redo_what", { what: sayAction(next, book.names) }) : t("undo.redo")} onPress=${() => step("redo", next, "undo.redone")}><b>↷</b> <small>${t("undo.redo")}</small><//>
    <${Press} meaning="open timeline" kind="redo" onPress=${() => desk.open("timeline")}><b>☷</b> <small>${t("timeline.short")}</small><//>
  </nav>`;
}
