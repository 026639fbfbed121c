// Who sits down: names in seat order, moved without dragging, with the people who are remembered offered.
import { html, Component } from "../html.js";
import { t } from "../words.js";
import { Press } from "./press.js";

const MOST_OFFERED = 12;
const seatField = (n) => document.getElementById(`seat-${n + 1}`);

export class SeatsForm extends Component {
  put(n, name) {
    const players = [...this.props.players];
    players[n] = name;
    this.props.change(players);
  }

  move(n, by) {
    const players = [...this.props.players];
    [players[n], players[n + by]] = [players[n + by], players[n]];
    this.props.change(players);
  }

  add(name = "") {
    const { players, change } = this.props;
    const free = players.findIndex((one) => !one.trim());
    if (name && free >= 0) this.put(free, name);
    else change([...players, name]);
  }

  componentDidUpdate(before) {
    if (this.toLast && this.props.players.length > before.players.length) seatField(this.props.players.length - 1).focus();
    this.toLast = false;
  }

  // The keyboard's Enter goes on to the next seat; a night is begun by its button only.
  next(event, n) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const { players, most } = this.props;
    if (n + 1 < players.length) seatField(n + 1).focus();
    else if (players[n].trim() && players.length < most) {
      this.toLast = true;
      this.add();
    }
  }

  render({ players, change, most, people }) {
    const known = people.filter((name) => !players.includes(name));
    const names = players.map((name) => name.trim()).filter(Boolean);
    const twice = names.find((name, n) => names.indexOf(name) < n);
    const full = players.length >= most && players.every((name) => name.trim());
    return html`<fieldset class="players"><legend>${t("start.players")}</legend>
      <p class="hint">${t("start.seat_order")}</p>
      <ol>
        ${players.map((name, n) => html`<li key=${n}>
          <input id=${`seat-${n + 1}`} aria-label=${t("start.seat", { n: n + 1 })} maxlength="80" autocomplete="off" autocapitalize="words" enterkeyhint="next" value=${name} placeholder=${t("start.name")} onInput=${(event) => this.put(n, event.target.value)} onKeyDown=${(event) => this.next(event, n)} />
          <${Press} meaning=${`up ${n}`} kind="plain" disabled=${n === 0} aria-label=${t("start.up", { player: name || n + 1 })} onPress=${() => this.move(n, -1)}>↑<//>
          <${Press} meaning=${`down ${n}`} kind="plain" disabled=${n === players.length - 1} aria-label=${t("start.down", { player: name || n + 1 })} onPress=${() => this.move(n, 1)}>↓<//>
          <${Press} meaning=${`out ${n}`} kind="plain" disabled=${players.length <= 2} aria-label=${t("start.remove", { player: name || n + 1 })} onPress=${() => change(players.filter((_, at) => at !== n))}>✕<//>
        </li>`)}
      </ol>
      <div role="status">${twice && html`<p class="warning">⚠ ${t("start.same_name", { name: twice })}</p>`}</div>
      ${known.length > 0 && !full && html`<div class="choices" role="group" aria-label=${t("start.known")}>${known.slice(0, MOST_OFFERED).map((name) => html`<${Press} key=${name} meaning=${`add ${name}`} kind="choice small" onPress=${() => this.add(name)}>+ ${name}<//>`)}</div>`}
      <${Press} meaning="add a seat" kind="plain" disabled=${players.length >= most} onPress=${() => this.add()}>+ ${t("start.add")}<//>
    </fieldset>`;
  }
}
