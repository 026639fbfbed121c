// One hand as a story: what each did and what it cost, who won and why, what the table did and what the rules give.
import { html, render } from "../html.js";
import { Api, eventsAfter } from "../api.js";
import { language, page, t } from "../words.js";
import { Night } from "../night.js";
import { sender } from "../send.js";
import { say } from "../parts/press.js";
import { NoKey } from "../parts/nokey.js";
import { Case } from "../parts/case.js";
import { Outbox } from "../parts/outbox.js";
import * as keys from "../keys.js";

// Events outside a hand that change what its case says.
const TELLS = new Set(["note", "dispute", "rule", "settle", "retain", "void", "close", "join"]);

export function start(root, moment) {
  const night = new Night({ session: page.session, onChange: () => draw() });
  const held = keys.of(page.session);
  const show = { hand: Number(moment.get("hand")) || null, audit: null, settlement: null, tokens: [], log: [], fault: null };
  const { book, record: send } = sender(page.session, held, () => changed());
  let stored = 0;

  night.more = async () => {
    const [settlement, { hands }] = await Promise.all([night.api.get(night.path("/settlement")), night.api.get(night.path("/hands"))]);
    const news = await eventsAfter(night.api, page.session, show.log.length);
    Object.assign(show, { settlement });
    night.hands = hands;
    show.hand ||= hands.at(-1)?.hand || null;
    if (!show.audit || news.some((event) => event.hand === show.hand || TELLS.has(event.type))) await audit();
    show.log.push(...news); // only now: an audit that got no answer is asked for again
  };
  const audit = async () => {
    const asked = show.hand;
    if (!asked || !night.hands.some((hand) => hand.hand === asked)) return;
    const found = await night.api.get(night.path(`/hands/${asked}/audit?language=${language}`));
    if (asked === show.hand) show.audit = found;
  };
  const choose = async (hand) => {
    Object.assign(show, { hand, audit: null });
    history.replaceState(null, "", `#hand=${hand}`);
    draw();
    try {
      await audit();
    } catch (fault) {
      say(fault.status ? fault.message : t("send.no_answer"));
    }
    draw();
  };
  const changed = () => {
    if (night.hasKey && book.events.length > stored) night.refresh();
    stored = book.events.length;
    draw();
  };
  const record = async (event) => {
    const fault = await send(event);
    if (!fault) await night.refresh();
    return fault;
  };
  const draw = () => render(html`<${Outbox} book=${book} />${night.state && !night.fault ? html`<${Case} ...${{ night, show, held, choose, record, book }} />` : html`<${NoKey} night=${night} />`}`, root);
  draw();
  if (!night.hasKey) return;
  night.open().then(() => {
    if (show.hand) history.replaceState(null, "", `#hand=${show.hand}`);
  });
  if (held.record) {
    // whose link is whose seat: only the recorder may know
    new Api(held.record).get(night.path("/tokens")).catch(() => ({ tokens: [] })).then(({ tokens }) => {
      show.tokens = tokens;
      draw();
    });
  }
}
