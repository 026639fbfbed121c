// Gives a link away: by the phone's own sheet for sharing, else as a copy to paste.
import { page, t } from "../words.js";
import { say } from "./press.js";

// The address of a page of this night. It holds the token to watch where this phone has one; else it opens for whoever is
// let in already. `moment`: what stands behind `#` besides.
export function linkTo(view, held, moment = "") {
  const behind = [held.view && `view=${held.view}`, moment].filter(Boolean).join("&");
  return `${location.origin}/s/${page.session}${view}${behind ? `#${behind}` : ""}`;
}

export async function share(url) {
  if (navigator.share) return navigator.share({ url }).catch(() => {}); // put away again: nothing to say
  const field = Object.assign(document.createElement("textarea"), { value: url });
  document.body.append(field);
  field.select();
  document.execCommand("copy"); // the clipboard's own interface is there over HTTPS only
  field.remove();
  return say(t("share.copied"));
}
