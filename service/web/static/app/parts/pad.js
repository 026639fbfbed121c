// A number pad of our own: a phone's keyboard may lack the comma, the point or the minus.
import { html, Component } from "../html.js";
import { compare, isWhole, typed } from "../amounts.js";
import { amount, decimalPoint, t } from "../words.js";
import { Press } from "./press.js";

export class Pad extends Component {
  constructor() {
    super();
    this.state = { text: "" };
  }

  // What is wrong with the amount as it stands, or null.
  fault(value) {
    const { chip, min, max, signed, zero } = this.props;
    if (value === null) return t("pad.not_amount");
    if (!signed && compare(value, "0") < (zero ? 0 : 1)) return t("pad.positive");
    if (chip && !isWhole(value, chip)) return t("pad.whole", { chip: amount(chip) });
    if (min && compare(value, min) < 0) return t("pad.least", { amount: amount(min) });
    if (max && compare(value, max) > 0) return t("pad.most", { amount: amount(max) });
    return null;
  }

  put(sign) {
    const { text } = this.state;
    if (sign === "back") this.setState({ text: text.slice(0, -1) });
    else if (sign === "±") this.setState({ text: text.startsWith("-") ? text.slice(1) : `-${text}` });
    else if (sign === "." && /[.,]/.test(text)) return;
    else this.setState({ text: text + (sign === "." ? decimalPoint : sign) });
  }

  render({ title, done, doneLabel, signed }, { text }) {
    const value = typed(text);
    const fault = text ? this.fault(value) : " ";
    const keys = [..."789456123", ".", "0", "back"];
    return html`<div class="pad">
      <label class="pad-screen"
        ><span>${title}</span
        ><input
          inputmode="none"
          autocomplete="off"
          value=${text}
          aria-describedby="pad-fault"
          onInput=${(event) => this.setState({ text: event.target.value })}
      /></label>
      <p id="pad-fault" class="fault" role="status">${fault}</p>
      <div class="pad-keys">
        ${keys.map(
          (sign) => html`<${Press}
            key=${sign}
            meaning=${`key ${sign}`}
            kind="key"
            aria-label=${sign === "back" ? t("card.back") : sign === "." ? t("pad.point") : sign}
            onPress=${() => this.put(sign)}
            >${sign === "back" ? "⌫" : sign === "." ? decimalPoint : sign}<//
          >`,
        )}
        ${signed && html`<${Press} meaning="key ±" kind="key" aria-label=${t("pad.sign")} onPress=${() => this.put("±")}>±<//>`}
      </div>
      <${Press} meaning=${`pad ${title} ${value}`} kind="main" disabled=${Boolean(fault)} onPress=${() => done(value)}>${doneLabel(value === null ? "" : amount(value))}<//>
    </div>`;
  }
}
