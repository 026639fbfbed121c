// An amount for each player, with the sum shown as it grows: a ruling, an award, a count of chips.
import { html, Component } from "../html.js";
import { isZero, subtract, total } from "../amounts.js";
import { amount, t } from "../words.js";
import { Pad } from "./pad.js";
import { Press } from "./press.js";

export const sumOf = (values) => total(Object.values(values));

// values: player -> amount; change(values). goal: what they are to make; the last can then take the rest in one tap.
export class Each extends Component {
  constructor(props) {
    super();
    this.state = { open: props.seats.find((id) => !(id in props.values)) ?? null };
  }

  put(player, value) {
    const values = { ...this.props.values, [player]: value };
    const after = this.props.seats.slice(this.props.seats.indexOf(player) + 1);
    this.props.change(values);
    this.setState({ open: after.find((id) => !(id in values)) ?? null });
  }

  render({ seats, names, values, goal, chip, signed, hint, label }, { open }) {
    const shown = (id) => (id in values ? amount(values[id], signed) : "–");
    const others = Object.fromEntries(Object.entries(values).filter(([id]) => id !== open));
    const rest = subtract(goal, sumOf(others));
    const fits = !isZero(rest) && (signed || !rest.startsWith("-"));
    return html`<ul class="each" aria-label=${label}>
      ${seats.map((id) => html`<li key=${id}>
        <${Press} meaning=${`each ${id}`} kind=${`item${open === id ? " chosen" : ""}`} aria-expanded=${open === id ? "true" : "false"} onPress=${() => this.setState({ open: open === id ? null : id })}><b>${names[id]}</b> ${hint && html`<small>${hint(id)}</small>`} <span class="price">${shown(id)}</span><//>
        ${open === id &&
        html`${fits && html`<${Press} meaning=${`rest ${id} ${rest}`} kind="choice small" onPress=${() => this.put(id, rest)}>${t("each.rest", { amount: amount(rest, signed) })}<//>`}
          <${Pad} key=${id} title=${names[id]} chip=${chip} signed=${signed} zero=${true} done=${(value) => this.put(id, value)} doneLabel=${(value) => t("each.done", { player: names[id], amount: value })} />`}
      </li>`)}
    </ul>`;
  }
}
