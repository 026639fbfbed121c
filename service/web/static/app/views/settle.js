// The end of the night: balances, who pays whom, ticks for what has been paid, and each one's signature.
import { html, render } from "../html.js";
import { Api } from "../api.js";
import { isZero, subtract } from "../amounts.js";
import { amount, list, moment, money, nightName, nightOf, page, t } from "../words.js";
import { sayBy, sayFault, sayHand, sayRefusal } from "../describe.js";
import { Night } from "../night.js";
import { sender } from "../send.js";
import * as keys from "../keys.js";
import { Balances } from "./watch.js";
import { Chart } from "../parts/chart.js";
import { AllDisputes } from "../parts/disputes.js";
import { NoKey } from "../parts/nokey.js";
import { Outbox, waits } from "../parts/outbox.js";
import { Press, say } from "../parts/press.js";
import { linkTo, share } from "../parts/share.js";

const FORMATS = ["pdf", "csv", "hands.csv", "json", "ndjson", "bundle", "txt", "hledger", "beancount"];

export function start(root) {
  const held = keys.of(page.session);
  const night = new Night({ session: page.session, onChange: () => draw() });
  const desk = { through: null, busy: false, settlement: null, tokens: [], began: null };
  const { book, record } = sender(page.session, held, () => changed());
  desk.book = book;
  night.more = async () => {
    const first = desk.began ? null : night.api.get(night.path("/events?after=0&limit=1"));
    const [settlement, hands, opening] = await Promise.all([night.api.get(night.path("/settlement")), night.api.get(night.path("/hands")), first]);
    desk.settlement = settlement;
    desk.began ||= opening.events[0].at || opening.events[0].recorded_at;
    night.hands = (hands.hands || hands).filter((hand) => hand.result !== "open");
  };
  const send = async (event) => {
    desk.busy = true;
    draw();
    const fault = await record(event);
    if (fault) say(fault);
    desk.busy = false;
    await night.refresh();
  };
  let stored = 0;
  const changed = () => {
    if (night.hasKey && book.events.length > stored) night.refresh();
    stored = book.events.length;
    draw();
  };
  const draw = () => render(html`<${Outbox} book=${book} /><${Settle} night=${night} desk=${desk} held=${held} send=${send} choose=${(id) => ((desk.through = id), draw())} />`, root);
  draw();
  if (!night.hasKey) return;
  night.open();
  if (held.record) {
    // whose link is whose seat: only the recorder may know
    new Api(held.record).get(night.path("/tokens")).catch(() => ({ tokens: [] })).then(({ tokens }) => {
      desk.tokens = tokens;
      draw();
    });
  }
}

function Settle({ night, desk, held, send, choose }) {
  const { state, names } = night;
  const { settlement } = desk;
  if (!state || !settlement || night.fault) return html`<${NoKey} night=${night} />`;
  const open = !isZero(settlement.in_play);
  return html`<div class="settle">
    <h1>${t("settle.what")}</h1>
    <p class="subtitle">${state.title && html`<b>${state.title}</b> · `}${nightName(nightOf(desk.began))} · ${t(`game.${state.game}`)}</p>
    <p class="print-only">${t("settle.printed", { date: moment(new Date().toISOString()), n: settlement.version })}</p>
    ${settlement.winners?.length > 0 && html`<p class="winner-line">${t("settle.winners", { players: list(settlement.winners.map((id) => names[id])) })}</p>`}
    <${Balances} state=${state} names=${names} />
    ${night.hands.length > 0 && state.game !== "lives" && html`<${Chart} hands=${night.hands} seats=${state.seats} names=${names} />`}
    ${open ? html`<p class="panel">${t("settle.open", { amount: amount(settlement.in_play) })}</p>` : html`<${Payments} ...${{ settlement, state, names, held, send, desk, choose }} />`}
    <${AllDisputes} ...${{ settlement, state, names, tokens: desk.tokens }} />
    <${Signatures} ...${{ settlement, state, names, held, send, desk }} />
    <${Hands} hands=${night.hands} names=${names} />
    <${Downloads} night=${night} state=${state} held=${held} />
  </div>`;
}

// All through one person: each who owes pays them, and they pay each who is owed.
function throughOne(balances, hub, seats) {
  const payments = [];
  for (const id of seats) {
    if (id === hub || isZero(balances[id])) continue;
    const owes = balances[id].startsWith("-");
    payments.push(owes ? { from: id, to: hub, amount: balances[id].slice(1) } : { from: hub, to: id, amount: balances[id] });
  }
  return payments;
}

function outstandingBalances(settlement, seats) {
  const left = Object.fromEntries(seats.map((id) => [id, "0"]));
  for (const { from, to, amount: paid } of settlement.outstanding) {
    left[from] = subtract(left[from], paid);
    left[to] = subtract(left[to], `-${paid}`);
  }
  return left;
}

function Payments({ settlement, state, names, held, send, desk, choose }) {
  const open = desk.through ? throughOne(outstandingBalances(settlement, state.seats), desk.through, state.seats) : settlement.outstanding;
  const may = Boolean(held.record);
  const inMoney = (payment) => (state.unit.worth ? html` <small>${money(payment.amount, state.unit)}</small>` : "");
  const waiting = (payment) => waits(desk.book, (event) => event.type === "pay" && event.from === payment.from && event.to === payment.to);
  const undone = (payment) => waits(desk.book, (event) => event.type === "void" && event.seqs.includes(payment.seq));
  const line = (payment) => html`<span class="who"><b>${names[payment.from]}</b> <span aria-hidden="true">→</span> <span class="visually-hidden">${t("settle.pays")}</span> <b>${names[payment.to]}</b></span> <span class="price">${amount(payment.amount)}${inMoney(payment)}</span>`;
  return html`<section class="panel" aria-labelledby="pay-head">
    <h2 id="pay-head">${t("settle.payments")}</h2>
    ${open.length === 0 && html`<p>${t(settlement.paid.length ? "settle.all_paid" : "settle.nothing")}</p>`}
    <ul class="payments">
      ${open.map((payment) => html`<li key=${`${payment.from}${payment.to}`}>${line(payment)} ${may && html`<span class="print-only">☐</span>`}
        ${may && html`<${Press} meaning=${`pay ${JSON.stringify(payment)}`} kind="tick" disabled=${desk.busy || waiting(payment)} aria-label=${t("settle.tick", { from: names[payment.from], to: names[payment.to], amount: amount(payment.amount) })} onPress=${() => send({ type: "pay", ...payment })}>☐ ${t("settle.paid")}<//>`}</li>`)}
      ${settlement.paid.map((payment) => html`<li key=${payment.seq} class="done">${line(payment)} ${may && html`<span class="print-only">☑ ${t("settle.paid")}</span>`}
        ${may ? html`<${Press} meaning=${`unpay ${payment.seq}`} kind="tick done" disabled=${desk.busy || undone(payment)} aria-label=${t("settle.untick", { from: names[payment.from], to: names[payment.to], amount: amount(payment.amount) })} onPress=${() => send({ type: "void", seqs: [payment.seq], reason: t("settle.not_paid") })}>☑ ${t("settle.paid")}<//>` : html`<span>☑ ${t("settle.paid")}</span>`}</li>`)}
    </ul>
    ${settlement.outstanding.length > 1 && html`<label class="field no-print"><span>${t("settle.through")}</span>
      <select onChange=${(change) => choose(change.target.value || null)}>
        <option value="">${t("settle.fewest")}</option>
        ${state.seats.map((id) => html`<option key=${id} value=${id}>${names[id]}</option>`)}
      </select></label>`}
  </section>`;
}

// Whose word the settlement has. One given before the balances changed is shown, and no longer counts.
function Signatures({ settlement, state, names, held, send, desk }) {
  const own = held.record ? state.seats : held.seat && held.player ? [held.player] : [];
  return html`<section class="panel" aria-labelledby="sign-head">
    <h2 id="sign-head">${t("settle.sign")}</h2>
    <ul class="signatures">
      ${state.seats.map((id) => {
        const latest = settlement.signatures.filter((one) => one.player === id).at(-1);
        const stands = Boolean(latest?.covers);
        const word = stands ? t("settle.signed") : latest ? t("settle.signed_before", { n: latest.seq }) : t("settle.unsigned");
        return html`<li key=${id} class=${latest && !stands ? "lapsed" : ""}>
          <span aria-hidden="true">${stands ? "✓" : latest ? "⚠" : "○"}</span> <span class="who"><b>${names[id]}</b> ${word}${latest && html` <small>${latest.by?.startsWith("seat-") ? t("settle.own_link") : sayBy(latest.by, desk.tokens, names)}</small>`}</span>
          ${!stands && own.includes(id) && html`<${Press} meaning=${`sign ${id}`} kind="tick" disabled=${desk.busy || waits(desk.book, (event) => event.type === "sign" && event.player === id)} onPress=${() => send({ type: "sign", player: id })}>${t(held.record ? "settle.sign_for" : "settle.sign_own", { player: names[id] })}<//>`}
        </li>`;
      })}
    </ul>
  </section>`;
}

// Every hand leads to its case.
function Hands({ hands, names }) {
  if (hands.length === 0) return null;
  return html`<details class="panel"><summary>${t("settle.hands", { n: hands.length })}</summary>
    <ol class="hands">${hands.map((hand) => html`<li key=${hand.hand}><a href=${`/s/${page.session}/case#hand=${hand.hand}`}><b>${t("hand.title", { n: hand.hand })}</b> <span>${sayHand(hand, names).head}</span></a></li>`)}</ol>
  </details>`;
}

// Files come with the token in a header, so they are fetched and then handed over as a file.
function Downloads({ night, state, held }) {
  const save = async (format) => {
    const answer = await fetch(`/api/v1${night.path(`/export?format=${format}`)}`, { headers: { Authorization: `Bearer ${night.api.token}` }, credentials: "omit" }).catch(() => null);
    if (!answer?.ok) {
      const problem = await answer?.json().catch(() => null);
      say(t("settle.no_file", { reason: problem ? sayRefusal(problem) : sayFault({}) }));
      return;
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = `bragbook-${(state.title || page.session).replace(/[^\p{L}\p{N}]+/gu, "-")}.${{ bundle: "bundle.json", hledger: "journal" }[format] || format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const file = (meaning, name, line, onPress) => html`<li key=${meaning}><${Press} meaning=${meaning} kind="item" onPress=${onPress}><b>${name}</b> <small>${line}</small><//></li>`;
  return html`<section class="panel no-print" aria-labelledby="files-head">
    <h2 id="files-head">${t("settle.files")}</h2>
    <ul class="files">
      ${file("print", t("settle.print"), t("settle.print_line"), () => print())}
      ${FORMATS.map((format) => file(`save ${format}`, format, t(`settle.file.${format}`), () => save(format)))}
    </ul>
    <div class="row">
      <${Press} meaning="share" kind="second" onPress=${() => share(linkTo("/settle", held))}>${t("settle.share")}<//>
      <a class="press second" href=${`/s/${page.session}`}>${t("menu.watch")}</a>
    </div>
  </section>`;
}
