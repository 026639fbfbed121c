// The labelled light: live, saving n, offline n waiting. Pressing it tries at once.
import { html } from "../html.js";
import { t, tn } from "../words.js";
import { Press } from "./press.js";

const SIGNS = { live: "●", saving: "◐", offline: "○" };

export function Light({ book }) {
  const { kind, waiting } = book.light();
  const text = kind === "live" ? t("light.live") : kind === "offline" && !waiting ? t("light.offline") : tn(`light.${kind}_n`, waiting);
  return html`<${Press} meaning="try now" kind=${`light ${kind}`} onPress=${() => book.tryNow()} title=${t("light.try")}>
    <i aria-hidden="true">${SIGNS[kind]}</i> <span role="status">${text}</span>
  <//>`;
}
