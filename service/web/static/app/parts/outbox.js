// The recorder's outbox on a page beside the play: its light, what waits, and what the person must decide.
import { html } from "../html.js";
import { page, t, tn } from "../words.js";
import { sayGroup } from "../describe.js";
import { Light } from "./light.js";
import { Trouble } from "./trouble.js";

export function Outbox({ book }) {
  if (!book) return null;
  return html`<div class="outbox no-print">
    <div class="strip">
      <${Light} book=${book} />
      ${book.put_aside.length > 0 && html`<a class="press plain small" href=${`/s/${page.session}/record`}>${tn("aside.n", book.put_aside.length)}</a>`}
      ${!book.kept && html`<span class="warning">${t("record.not_kept")}</span>`}
    </div>
    ${book.trouble && html`<${Trouble} book=${book} />`}
    ${!book.trouble && book.pending.length > 0 && html`<ol class="log">${book.pending.map((group) => html`<li key=${group.events[0].id}>${sayGroup(group.events, book.names)} <small>${t("timeline.waiting")}</small></li>`)}</ol>`}
  </div>`;
}

// Whether an event waits of which `holds`.
export function waits(book, holds) {
  return Boolean(book?.pending.some((group) => group.events.some(holds)));
}
