// What the person must decide: another phone was first, the server refused, or this phone may no longer record.
import { html } from "../html.js";
import { t, tn } from "../words.js";
import { sayEvent, sayGroup, sayRefusal } from "../describe.js";
import { Press } from "./press.js";

export function Trouble({ book, desk }) {
  const Shown = { conflict: Conflict, refused: Refused, revoked: Revoked }[book.trouble.kind];
  return html`<section class="trouble" role="alertdialog" aria-labelledby="trouble-head"><${Shown} book=${book} desk=${desk} /></section>`;
}

function Conflict({ book }) {
  const { news, mine } = book.trouble;
  const fits = mine.filter((each) => !each.problem);
  return html`<h2 id="trouble-head">${t("conflict.title")}</h2>
    <h3>${t("conflict.theirs")}</h3>
    <ol class="log">${news.map((event) => html`<li key=${event.seq}>${sayEvent(event, book.names)}</li>`)}</ol>
    <h3>${t("conflict.mine")}</h3>
    <ol class="log">
      ${mine.map(({ group, problem }, index) => html`<li key=${index} class=${problem ? "refused" : ""}>${problem ? "✕ " : "✓ "}${sayGroup(group.clean || group.events, book.names)}${problem && html` <small>${sayRefusal(problem)}</small>`}</li>`)}
    </ol>
    <div class="row">
      ${fits.length > 0 && html`<${Press} meaning=${`keep ${fits.length}`} kind="main" onPress=${() => book.decide(true)}>${tn("conflict.keep", fits.length)}<//>`}
      <${Press} meaning="drop mine" kind="second" onPress=${() => book.decide(false)}>${t("conflict.drop")}<//>
    </div>
    <p class="hint">${t("conflict.kept")}</p>`;
}

function Refused({ book }) {
  const { problem, group } = book.trouble;
  return html`<h2 id="trouble-head">${t("refused.title")}</h2>
    <p><b>${sayGroup(group.clean || group.events, book.names)}</b></p>
    <p>${sayRefusal(problem)}</p>
    <${Press} meaning="put aside" kind="main" onPress=${() => book.putAside()}>${tn("refused.aside", book.pending.length)}<//>`;
}

function Revoked({ book }) {
  return html`<h2 id="trouble-head">${t("revoked.title")}</h2>
    <p>${t("revoked.text")}</p>
    ${book.pending.length > 0 && html`<p>${tn("revoked.waiting", book.pending.length)}</p>`}
    <p><a class="press main" href=${`/s/${book.session}`}>${t("record.watch_instead")}</a></p>`;
}
