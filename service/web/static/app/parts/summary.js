// A hand that is over: who won and why, the pot, what it made of each.
import { html } from "../html.js";
import { add, subtract, total } from "../amounts.js";
import { amount, page, t } from "../words.js";
import { sayCategory, sayHand } from "../describe.js";
import { Cards } from "./cards.js";

export function HandSummary({ hand, state, names }) {
  const { head, why } = sayHand(hand, names);
  const nets = state.seats.filter((id) => id in hand.net);
  const shown = state.seats.filter((id) => id in hand.shown);
  return html`<section class="summary" aria-labelledby="summary-head">
    <p class="eyebrow">${t("hand.title", { n: hand.hand })}${state.game !== "lives" && html` · ${t("figure.pot")} ${amount(hand.pot)}`} <a class="case-link" href=${`/s/${page.session}/case#hand=${hand.hand}`}>${t("case.open")}</a></p>
    <h2 id="summary-head">${head}</h2>
    ${why && html`<p class="why">${why}</p>`}
    ${shown.length > 0 &&
    html`<ul class="shown">
      ${shown.map((id) => html`<li key=${id} class=${hand.winners.includes(id) ? "winner" : ""}>
        <b>${names[id]}</b> <${Cards} cards=${hand.shown[id].best} /> <span>${sayCategory(hand.shown[id].category)}</span>
      </li>`)}
    </ul>`}
    ${state.game !== "lives" && hand.result !== "misdeal" &&
    html`<ul class="nets" aria-label=${t("hand.nets")}>
      ${nets.map((id) => html`<li key=${id}><span>${names[id]}</span> <b class=${hand.net[id].startsWith("-") ? "minus" : "plus"}>${amount(hand.net[id], true)}</b> <small title=${t("hand.balance")}><span class="visually-hidden">${t("hand.balance")} </span>${amount(state.players[id].net, true)}</small></li>`)}
      ${hand.carried !== "0" && html`<li><span>${t("hand.waits")}</span> <b>${amount(hand.carried)}</b></li>`}
      <li class="sum"><span>${t("hand.sum")}</span> <b>${amount(checksum(hand))}</b></li>
    </ul>`}
  </section>`;
}

// What a hand took in, less what it hands on, is what its nets make: so this is zero, or the books are wrong.
function checksum(hand) {
  const tookIn = subtract(hand.pot, total(Object.values(hand.paid)));
  return subtract(add(total(Object.values(hand.net)), hand.carried), tookIn);
}
