// The large view, for the bar's television: nothing to press, everything to be read from across the room.
import { html, render } from "../html.js";
import { page } from "../words.js";
import { Night } from "../night.js";
import { stayAwake } from "../awake.js";
import { Cards } from "../parts/cards.js";
import { HandSummary } from "../parts/summary.js";
import { Headline, Seats } from "../parts/seats.js";
import { Light } from "../parts/light.js";
import { NoKey } from "../parts/nokey.js";

export function start(root) {
  document.body.classList.add("large");
  stayAwake(true);
  const night = new Night({ session: page.session, onChange: () => draw() });
  const draw = () => render(html`<${Large} night=${night} />`, root);
  draw();
  if (night.hasKey) night.open();
}

function Large({ night }) {
  const { state, names } = night;
  if (!state || night.fault) return html`<${NoKey} night=${night} />`;
  return html`<div class="tv">
    <div class="strip"><span class="title">${state.title}</span> <${Light} book=${night} /></div>
    <${Headline} state=${state} names=${names} />
    ${(state.board.length > 0 || state.up) && html`<div class="board"><${Cards} cards=${state.up ? [state.up] : state.board} /></div>`}
    <${Seats} state=${state} names=${names} />
    ${night.hand && html`<${HandSummary} hand=${night.hand} state=${state} names=${names} />`}
  </div>`;
}
