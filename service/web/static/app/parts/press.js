// A button that does what it said when the finger came down, or nothing.
import { html } from "../html.js";
import { t } from "../words.js";

let pressed = null;

export function say(text) {
  const place = document.getElementById("said");
  place.textContent = "";
  setTimeout(() => (place.textContent = text), 30);
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (place.textContent = ""), 5000);
}

// meaning: what a press does, in full; a live update between finger-down and finger-up may change it.
export function Press({ meaning, onPress, kind = "", disabled = false, children, ...rest }) {
  const act = () => {
    const began = pressed;
    pressed = null;
    if (began !== null && began !== meaning) say(t("press.changed"));
    else onPress();
  };
  return html`<button
    type="button"
    class=${`press ${kind}`}
    disabled=${disabled}
    data-meaning=${meaning}
    onPointerDown=${() => (pressed = meaning)}
    onKeyDown=${() => (pressed = null)}
    onClick=${act}
    ...${rest}
  >${children}</button>`;
}
