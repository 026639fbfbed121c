// A line of free text that goes into the log, with a word of warning where it would keep a player's name.
import { html } from "../html.js";
import { t } from "../words.js";
import { namesIn, withoutName } from "../names-kept.js";
import { Press } from "./press.js";

const LONGEST = 200;

// change(text). Without `seats` nothing is offered in a name's stead.
export function FreeText({ label, text, change, names, seats, placeholder = "" }) {
  return html`<label class="field"><span>${label}</span><input value=${text} maxlength=${LONGEST} placeholder=${placeholder} autocomplete="off" onInput=${(event) => change(event.target.value)} /></label>
    <${NamesKept} text=${text} names=${names} seats=${seats} change=${change} />`;
}

export function NamesKept({ text, names, seats, change }) {
  const kept = namesIn(text, seats, names);
  return html`<div class="names-kept" role="status">
    ${kept.map(({ player, seat, found }) => {
      const instead = t("names.seat", { n: seat });
      return html`<p key=${player} class="warning">⚠ ${t("names.kept", { name: found })}</p>
        ${change && html`<${Press} key=${`${player} instead`} meaning=${`instead ${player}`} kind="choice small" onPress=${() => change(withoutName(text, found, instead))}>${t("names.instead", { seat: instead })}<//>`}`;
    })}
  </div>`;
}
