// People over nights: the leaderboard of each game, and each person's nights, joined and taken apart without touching
// any night. For whoever holds the club's token.
import { html, render, Component } from "../html.js";
import { Api } from "../api.js";
import { amount, date, list, t } from "../words.js";
import * as keys from "../keys.js";
import { Chart } from "../parts/chart.js";
import { Press } from "../parts/press.js";

const GAMES = ["three-card", "community", "lives"];

export function start(root) {
  render(html`<${People} />`, root);
}

class People extends Component {
  constructor() {
    super();
    this.state = { game: "", lines: null, people: [], chosen: null, nights: [], fault: null };
  }

  get api() {
    return new Api(keys.clubToken());
  }

  componentDidMount() {
    this.load("");
  }

  async load(game) {
    if (!keys.clubToken()) return this.setState({ fault: { status: 401 } });
    try {
      const [board, known] = await Promise.all([this.api.get(`/leaderboard${game ? `?game=${game}` : ""}`), this.api.get("/people")]);
      return this.setState({ game, lines: board.leaderboard, people: known.people, fault: null });
    } catch (fault) {
      return this.setState({ fault });
    }
  }

  async choose(id) {
    const { nights } = await this.api.get(`/people/${id}/nights`);
    this.setState({ chosen: id, nights });
  }

  async join(id, other) {
    try {
      await this.api.ask("PATCH", `/people/${id}`, { same_as: other });
      await this.load(this.state.game);
    } catch (fault) {
      this.setState({ fault });
    }
  }

  render(_, { game, lines, people, chosen, nights, fault }) {
    if (fault?.status === 401 || fault?.status === 403) return html`<${ClubToken} done=${() => this.load("")} />`;
    if (!lines) return html`<section class="panel"><h1>${t("title.people")}</h1><p class="loading">${fault ? t("start.no_answer") : t("page.loading")}</p></section>`;
    return html`<h1>${t("title.people")}</h1>
      ${fault && html`<p class="fault" role="alert">${fault.message}</p>`}
      <section class="panel" aria-labelledby="board-head"><h2 id="board-head">${t("people.board")}</h2>
        <label class="field"><span>${t("start.game")}</span><select onChange=${(change) => this.load(change.target.value)}>
          <option value="" selected=${!game}>${t("people.all_games")}</option>
          ${GAMES.map((one) => html`<option key=${one} value=${one} selected=${one === game}>${t(`game.${one}`)}</option>`)}
        </select></label>
        <${Board} lines=${lines} />
      </section>
      <section class="panel" aria-labelledby="people-head"><h2 id="people-head">${t("start.known")}</h2>
        ${people.length === 0 && html`<p>${t("people.none")}</p>`}
        <ul class="tokens">${people.map((one) => html`<li key=${one.id}>
          <${Press} meaning=${`nights ${one.id}`} kind="plain" aria-expanded=${chosen === one.id ? "true" : "false"} onPress=${() => this.choose(one.id)}>${nameOf(people, one.id)}<//>
          ${one.same_as && html`<span>= ${nameOf(people, one.same_as)} <${Press} meaning=${`apart ${one.id}`} kind="plain small" onPress=${() => this.join(one.id, null)}>${t("people.apart")}<//></span>`}
        </li>`)}</ul>
      </section>
      ${chosen && html`<${Nights} person=${people.find((one) => one.id === chosen)} people=${people} nights=${nights} join=${(other) => this.join(chosen, other)} />`}`;
  }
}

const nameOf = (people, id) => people.find((one) => one.id === id)?.name || t("people.erased");

function Board({ lines }) {
  if (lines.length === 0) return html`<p>${t("people.none")}</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t("people.board")}><table class="balances">
    <thead><tr><th scope="col">${t("watch.player")}</th><th scope="col">${t("start.game")}</th><th scope="col">${t("people.nights")}</th><th scope="col">${t("people.won")}</th><th scope="col">${t("people.net")}</th></tr></thead>
    <tbody>${lines.map((line) => html`<tr key=${`${line.person}${line.game}${line.unit}`}><th scope="row">${line.name || t("people.erased")}</th><td>${t(`game.${line.game}`)}</td><td>${line.nights}</td><td>${line.won}</td><td>${amount(line.net, true)} <small>${line.unit || ""}</small></td></tr>`)}</tbody>
  </table></div>`;
}

function Nights({ person, people, nights, join }) {
  const others = people.filter((one) => one.id !== person.id && !one.same_as);
  const over = [...nights].reverse().map((night, n) => ({ hand: n + 1, net: { [person.id]: night.net } }));
  const games = [...new Set(nights.map((night) => t(`game.${night.game}`)))];
  return html`<section class="panel" aria-labelledby="person-head"><h2 id="person-head">${person.name || t("people.erased")}</h2>
      ${nights.length > 0 && html`<p class="hint">${list(games)}</p>`}
      <ol class="hands">${nights.map((night) => html`<li key=${night.session}><a href=${`/s/${night.session}`}><b>${date(`${night.night}T12:00:00Z`)}</b> <span>${t(`game.${night.game}`)}</span> <b class=${night.net.startsWith("-") ? "minus" : "plus"}>${amount(night.net, true)} ${night.unit.name}</b></a></li>`)}</ol>
      ${others.length > 0 && !person.same_as && html`<label class="field"><span>${t("people.same_as")}</span><select onChange=${(change) => change.target.value && join(change.target.value)}>
        <option value="">–</option>${others.map((one) => html`<option key=${one.id} value=${one.id}>${nameOf(people, one.id)}</option>`)}
      </select></label><p class="hint">${t("people.same_as_line")}</p>`}
    </section>
    ${over.length > 1 && html`<${Chart} hands=${over} seats=${[person.id]} names=${{ [person.id]: person.name || "" }} by=${t("people.nights")} />`}`;
}

class ClubToken extends Component {
  constructor() {
    super();
    this.state = { token: "" };
  }

  render({ done }, { token }) {
    const keep = (event) => {
      event.preventDefault();
      keys.remember("club", { club: token.trim() });
      done();
    };
    return html`<form class="panel" onSubmit=${keep}><h1>${t("title.people")}</h1><p>${t("people.club_needed")}</p>
      <label class="field"><span>${t("people.token")}</span><input autocomplete="off" value=${token} onInput=${(event) => this.setState({ token: event.target.value })} /></label>
      <button type="submit" class="press main" disabled=${!token.trim()}>${t("people.open")}</button></form>`;
  }
}
