// People over nights, and the leaderboard: for whoever holds the club's token.
import { html, render } from "../html.js";
import { Api } from "../api.js";
import { amount, t } from "../words.js";
import * as keys from "../keys.js";

export async function start(root) {
  const show = { rows: null, fault: null };
  const draw = () => render(html`<${People} show=${show} />`, root);
  draw();
  try {
    const answer = await new Api(keys.clubToken()).get("/leaderboard");
    show.rows = answer.leaderboard || answer.people || answer.rows || (Array.isArray(answer) ? answer : []);
  } catch (fault) {
    show.fault = fault;
  }
  draw();
}

function People({ show }) {
  const { rows, fault } = show;
  return html`<section class="panel"><h1>${t("title.people")}</h1>
    ${fault && html`<p>${fault.status ? t("people.club_needed") : t("start.no_answer")}</p>`}
    ${!rows && !fault && html`<p class="loading">${t("page.loading")}</p>`}
    ${rows && rows.length === 0 && html`<p>${t("people.none")}</p>`}
    ${rows && rows.length > 0 && html`<table class="balances">
      <thead><tr><th scope="col">${t("watch.player")}</th><th scope="col">${t("start.game")}</th><th scope="col">${t("people.nights")}</th><th scope="col">${t("people.net")}</th></tr></thead>
      <tbody>${rows.map((row, n) => html`<tr key=${n}><th scope="row">${row.name || row.person}</th><td>${row.game ? t(`game.${row.game}`) : ""}</td><td>${row.nights ?? row.sessions ?? ""}</td><td>${row.net !== undefined ? amount(String(row.net), true) : ""}</td></tr>`)}</tbody>
    </table>`}
  </section>`;
}
