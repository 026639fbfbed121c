// What a page of a night shows without a link that opens it.
import { html } from "../html.js";
import { sayFault } from "../describe.js";
import { t } from "../words.js";

export function NoKey({ night }) {
  const status = night.fault?.status;
  const key = !night.hasKey || status === 401 ? "watch.no_key" : status === 403 ? "watch.revoked" : status === 404 ? "watch.none" : null;
  if (key) return html`<section class="panel"><h1>${t(key)}</h1><p>${t("watch.no_key_help")}</p></section>`;
  if (night.fault) return html`<section class="panel"><h1>${t("watch.fault")}</h1><p>${sayFault(night.fault)}</p></section>`;
  return html`<p class="loading">${night.up === false ? t("record.no_state") : t("page.loading")}</p>`;
}
