// The night for whoever is at the table: pot, level, turn, balances, the hands so far. Live.
import { html, render } from "../html.js";
import { amount, money, page, t } from "../words.js";
import { sayHand } from "../describe.js";
import { Heads } from "../heads.js";
import { Night } from "../night.js";
import * as keys from "../keys.js";
import { Cards } from "../parts/cards.js";
import { HandSummary } from "../parts/summary.js";
import { Headline, Seats } from "../parts/seats.js";
import { Light } from "../parts/light.js";
import { NoKey } from "../parts/nokey.js";

// So that the list of nights on this phone can say which one it was.
async function remember(night) {
  const { session, state, names } = night;
  if (!state || keys.of(session).at) return;
  const { events } = await night.api.get(night.path("/events?after=0&limit=1"));
  const opened = events[0].at || events[0].recorded_at;
  keys.remember(session, { title: state.title || "", game: state.game, players: state.seats.map((id) => names[id]), at: opened });
}

export function start(root) {
  const night = new Night({ session: page.session, onChange: () => draw() });
  night.more = async () => {
    const answer = await night.api.get(night.path("/hands"));
    night.hands = answer.hands || answer;
  };
  const draw = () => render(html`<${Watch} night=${night} heads=${heads} />`, root);
  const heads = night.hasKey ? new Heads(night, () => draw()) : null;
  draw();
  if (night.hasKey) night.open().then(() => remember(night)).catch(() => {}); // no signal: the next time
}

function Watch({ night, heads }) {
  const { state, names, hands } = night;
  if (!state || night.fault) return html`<${NoKey} night=${night} />`;
  return html`<div class="watch">
    ${state.title && html`<p class="subtitle"><b>${state.title}</b></p>`}
    <div class="strip">
      <${Light} book=${night} />
      ${keys.of(page.session).record && html`<a class="press plain small" href=${`/s/${page.session}/record`}>${t("watch.record")}</a>`}
    </div>
    ${heads?.gone && html`<div class="trouble heads-gone" role="alert"><p>${t("heads.gone", { n: heads.gone.version })}</p>
      <p><a href=${heads.address()} download="bragbook-head.txt">${t("heads.save")}</a> · <a href="/verify">${t("title.verify")}</a></p></div>`}
    <${Headline} state=${state} names=${names} />
    <${Seats} state=${state} names=${names} />
    ${state.board.length > 0 && html`<div class="board"><span>${t("board.title")}</span> <${Cards} cards=${state.board} /></div>`}
    ${state.up && html`<div class="board"><span>${t("board.up")}</span> <${Cards} cards=${[state.up]} /></div>`}
    ${night.hand && html`<${HandSummary} hand=${night.hand} state=${state} names=${names} />`}
    <${Balances} state=${state} names=${names} />
    <section class="panel" aria-labelledby="hands-head">
      <h2 id="hands-head">${t("watch.hands")}</h2>
      ${hands.length === 0 && html`<p class="hint">${t("watch.no_hands")}</p>`}
      <ol class="hands" reversed>
        ${[...hands].reverse().map((hand) => html`<li key=${hand.hand}><a href=${`/s/${page.session}/replay#hand=${hand.hand}`}><b>${t("hand.title", { n: hand.hand })}</b> <span>${sayHand(hand, names).head}</span></a> <a class="press plain small" href=${`/s/${page.session}/case#hand=${hand.hand}`} aria-label=${t("case.of", { n: hand.hand })}>${t("case.open")}</a></li>`)}
      </ol>
    </section>
    <nav class="ways" aria-label=${t("menu.title")}>
      <a class="press second" href=${`/s/${page.session}/replay`}>${t("menu.replay")}</a>
      <a class="press second" href=${`/s/${page.session}/settle`}>${t("menu.settle")}</a>
      <a class="press second" href=${`/s/${page.session}/tv`}>${t("menu.tv")}</a>
    </nav>
  </div>`;
}

export function Balances({ state, names }) {
  return html`<section class="panel" aria-labelledby="balances-head">
    <h2 id="balances-head">${t(state.game === "lives" ? "watch.lives" : "watch.balances")}</h2>
    <table class="balances">
      <thead><tr><th scope="col">${t("watch.player")}</th><th scope="col">${state.game === "lives" ? t("watch.lives") : state.unit.name}</th>${state.unit.worth && html`<th scope="col">${t("watch.money")}</th>`}</tr></thead>
      <tbody>
        ${state.seats.map((id) => {
          const { net, lives, stack, status } = state.players[id];
          const figure = state.game === "lives" ? String(lives) : amount(net, true);
          return html`<tr key=${id}><th scope="row">${names[id]}${status === "left" && html` <small>${t("status.left")}</small>`}</th>
            <td class=${net.startsWith("-") ? "minus" : net === "0" ? "" : "plus"}>${figure}${stack !== null && html` <small>${t("watch.stack", { amount: amount(stack) })}</small>`}</td>
            ${state.unit.worth && html`<td class=${net.startsWith("-") ? "minus" : net === "0" ? "" : "plus"}>${money(net, state.unit, true)}</td>`}</tr>`;
        })}
      </tbody>
    </table>
  </section>`;
}
