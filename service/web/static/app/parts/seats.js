// The seats, in fixed order: who is blind, seen, folded, dealer, to act; what each has won or holds.
import { html } from "../html.js";
import { amount, has, t, tn } from "../words.js";

const SIGNS = { blind: "◐", seen: "◉", folded: "✕", all_in: "▲", in: "●", knocked: "■", out: "–", left: "⇠" };

function standing(state, player) {
  const { lives, stack, net } = player;
  if (state.game === "lives" && lives !== null) return html`<span class="hearts" aria-label=${tn("seat.lives", lives)}>${lives > 5 ? `♥×${lives}` : "♥".repeat(lives) || "0"}</span>`;
  if (stack !== null) return html`<span class="figure">${amount(stack)}</span>`;
  return html`<span class=${`figure ${net.startsWith("-") ? "minus" : net === "0" ? "" : "plus"}`}>${amount(net, true)}</span>`;
}

export function Seats({ state, names }) {
  const open = !["deal", "closed"].includes(state.phase);
  return html`<ol class=${`seats${state.seats.length > 6 ? " many" : ""}`} aria-label=${t("seats.title")}>
    ${state.seats
      .filter((id) => state.players[id].status !== "left")
      .map((id) => {
        const player = state.players[id];
        const acts = state.to_act === id;
        const status = open || player.status !== "in" ? player.status : null;
        return html`<li key=${id} class=${`seat is-${player.status}${acts ? " acts" : ""}`} aria-current=${acts ? "true" : undefined}>
          <span class="seat-name">${names[id] || id}${state.dealer === id && html`<abbr class="dealer" title=${t("seat.dealer")}>${t("seat.dealer_short")}</abbr>`}</span>
          <span class="seat-row">
            ${status && html`<span class="seat-status"><i aria-hidden="true">${SIGNS[status]}</i> ${t(`status.${status}`)}${player.hands > 1 ? " ×2" : ""}</span>`}
            ${standing(state, player)}
          </span>
        </li>`;
      })}
  </ol>`;
}

export function Headline({ state, names, hand }) {
  const who = state.to_act && (names[state.to_act] || state.to_act);
  const open = !["deal", "closed"].includes(state.phase);
  const key = `turn.${state.phase}${who ? "_who" : ""}`;
  const text = state.phase === "deal" && !state.hand ? t("turn.first_deal") : t(has(key) ? key : `turn.${state.phase}`, { player: who || "" });
  return html`<div class="headline">
    <h1 id="turn" aria-live="polite">${text}</h1>
    <dl class="figures">
      ${state.hand !== null && html`<div><dt>${t("figure.hand")}</dt><dd>${state.hand}</dd></div>`}
      ${state.game !== "lives" && open && html`<div><dt>${t("figure.pot")}</dt><dd class="pot">${amount(state.pot)}</dd></div>`}
      ${state.game !== "lives" && open && html`<div><dt>${t("figure.level")}</dt><dd>${amount(state.level)}</dd></div>`}
      ${state.game !== "three-card" && state.phase !== "deal" && html`<div><dt>${t("figure.round")}</dt><dd>${state.game === "lives" ? state.round + 1 : state.round}</dd></div>`}
      ${state.carried !== "0" && html`<div><dt>${t("figure.carried")}</dt><dd>${amount(state.carried)}</dd></div>`}
      ${state.game === "three-card" && state.rules.pots > 0 && html`<div><dt>${t("figure.pots")}</dt><dd>${state.pots_resolved}/${state.rules.pots}</dd></div>`}
    </dl>
  </div>`;
}
