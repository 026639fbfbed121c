// The labelled light: reading, live, saving n, offline n waiting. Pressing it tries at once.
import { html } from "../html.js";
import { t, tn } from "../words.js";
import { Press } from "./press.js";

const SIGNS = { reading: "◌", live: "●", saving: "◐", offline: "○" };

export function Light({ book }) {
  const { kind, waiting } = book.light();
  const text = waiting ? tn(`light.${kind}_n`, waiting) : t(`light.${kind}`);
  return html`<${Press} meaning="try now" kind=${`light ${kind}`} onPress=${() => book.tryNow()} title=${t("light.try")}>
    <i aria-hidden="true">${SIGNS[kind]}</i> <span role="status">${text}</span>
  <//>`;
}
