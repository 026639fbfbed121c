// People over nights: the leaderboard of each game, and each person's nights, joined and taken apart without touching
// any night. For whoever holds the club's token.
import { html, render, Component } from "../html.js";
import { Api } from "../api.js";
import { compare } from "../amounts.js";
import { amount, date, t, tn } from "../words.js";
import { sayFault } from "../describe.js";
import * as keys from "../keys.js";
import { Chart } from "../parts/chart.js";
import { Press, say } from "../parts/press.js";

const GAMES = ["three-card", "community", "lives"];

export function start(root) {
  render(html`<${People} />`, root);
}

class People extends Component {
  constructor() {
    super();
    this.state = { game: "", lines: null, people: [], chosen: null, nights: null, fault: null };
  }

  get api() {
    return new Api(keys.clubToken());
  }

  componentDidMount() {
    this.load();
  }

  async load() {
    if (!keys.clubToken()) return this.setState({ fault: { status: 401 } });
    try {
      const [board, known] = await Promise.all([this.api.get("/leaderboard"), this.api.get("/people")]);
      return this.setState({ lines: board.leaderboard, people: known.people, fault: null });
    } catch (fault) {
      return this.setState({ fault });
    }
  }

  async choose(id) {
    if (id === this.state.chosen) return this.setState({ chosen: null });
    this.setState({ chosen: id, nights: null });
    try {
      const { nights } = await this.api.get(`/people/${id}/nights`);
      if (this.state.chosen === id) this.setState({ nights });
    } catch (fault) {
      this.setState({ fault });
    }
    return null;
  }

  async join(id, other) {
    try {
      await this.api.ask("PATCH", `/people/${id}`, { same_as: other });
      if (other) say(t("people.joined", { name: nameOf(this.state.people, other) }));
      this.setState({ chosen: null });
      await this.load();
    } catch (fault) {
      this.setState({ fault });
    }
  }

  render(_, { game, lines, people, chosen, nights, fault }) {
    if (fault?.status === 401 || fault?.status === 403) return html`<${ClubToken} wrong=${Boolean(keys.clubToken())} done=${() => this.load()} />`;
    if (!lines) return html`<section class="panel"><h1>${t("title.people")}</h1><p class="loading">${fault ? sayFault(fault) : t("page.loading")}</p></section>`;
    const played = playedBy(lines);
    return html`<h1>${t("title.people")}</h1>
      ${fault && html`<p class="fault" role="alert">${sayFault(fault)}</p>`}
      <section class="panel" aria-labelledby="board-head"><h2 id="board-head">${t("people.board")}</h2>
        <label class="field"><span>${t("start.game")}</span><select onChange=${(change) => this.setState({ game: change.target.value })}>
          <option value="" selected=${!game}>${t("people.all_games")}</option>
          ${GAMES.map((one) => html`<option key=${one} value=${one} selected=${one === game}>${t(`game.${one}`)}</option>`)}
        </select></label>
        <${Boards} lines=${game ? lines.filter((line) => line.game === game) : lines} played=${played} people=${people} />
      </section>
      <section class="panel" aria-labelledby="people-head"><h2 id="people-head">${t("start.known")}</h2>
        ${people.length === 0 && html`<p>${t("people.none")}</p>`}
        <ul class="people">${people.map((one) => html`<li key=${one.id}>
          <${Press} meaning=${`nights ${one.id}`} kind="item" aria-expanded=${chosen === one.id ? "true" : "false"} onPress=${() => this.choose(one.id)}><b>${nameOf(people, one.id)}</b> <small>${one.same_as ? `= ${nameOf(people, one.same_as)}` : howMany(played.get(one.id))}</small><//>
          ${one.same_as && html`<${Press} meaning=${`apart ${one.id}`} kind="plain small" aria-label=${`${nameOf(people, one.id)}: ${t("people.apart")}`} onPress=${() => this.join(one.id, null)}>${t("people.apart")}<//>`}
          ${chosen === one.id && html`<${Nights} person=${one} people=${people} played=${played} nights=${nights} join=${(other) => this.join(one.id, other)} />`}
        </li>`)}</ul>
      </section>`;
  }
}

const nameOf = (people, id) => people.find((one) => one.id === id)?.name || t("people.erased");

// Person -> over all games, how many nights they played, and the last.
function playedBy(lines) {
  const played = new Map();
  for (const { person, nights, last_night: last } of lines) {
    if (!person) continue;
    const before = played.get(person) || { nights: 0, last: "" };
    played.set(person, { nights: before.nights + nights, last: before.last > last ? before.last : last });
  }
  return played;
}

// What tells two of one name apart.
const howMany = (played) => (played ? tn("people.how_many", played.nights, { date: date(played.last) }) : t("people.no_nights"));

const doubled = (people, name) => people.filter((one) => one.name === name && !one.same_as).length > 1;

// A table for each game and what was played for, the highest balance first.
function Boards({ lines, played, people }) {
  if (lines.length === 0) return html`<p>${t("people.none")}</p>`;
  const groups = new Map();
  for (const line of lines) {
    const key = `${line.game} ${line.unit || ""}`;
    groups.set(key, [...(groups.get(key) || []), line]);
  }
  const order = ([, [a]], [, [b]]) => GAMES.indexOf(a.game) - GAMES.indexOf(b.game);
  return [...groups].sort(order).map(([key, all]) => html`<${Board} key=${key} ...${{ lines: all, played, people }} />`);
}

function Board({ lines, played, people }) {
  const [{ game, unit }] = lines;
  const ranked = [...lines].sort((a, b) => compare(b.net, a.net) || b.won - a.won);
  const title = unit ? `${t(`game.${game}`)} ${t("people.in", { unit })}` : t(`game.${game}`);
  const who = (line) => {
    if (!line.person) return line.name && doubled(people, line.name) ? t("people.which", { name: line.name }) : "";
    return doubled(people, line.name) ? howMany(played.get(line.person)) : "";
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${title}><table class="balances board-table">
    <caption>${title}</caption>
    <thead><tr><th scope="col">${t("watch.player")}</th><th scope="col">${t("people.nights")}</th><th scope="col">${t("people.won")}</th><th scope="col">${t("people.net")}</th></tr></thead>
    <tbody>${ranked.map((line, n) => html`<tr key=${line.person || n}><th scope="row">${line.name || t("people.erased")}${who(line) && html` <small>${who(line)}</small>`}</th><td>${line.nights}</td><td>${line.won}</td><td class=${sign(line.net)}>${amount(line.net, true)}</td></tr>`)}</tbody>
  </table></div>`;
}

const sign = (net) => (net.startsWith("-") ? "minus" : net === "0" ? "" : "plus");

const countedIn = (night) => (night.in_money ? night.unit.currency : night.unit.name);

// Someone's nights, and whom they turned out to be. Their balance over the nights, for each unit by itself.
function Nights({ person, people, played, nights, join }) {
  if (!nights) return html`<p class="loading">${t("page.loading")}</p>`;
  const units = [...new Set(nights.map(countedIn))];
  return html`<div class="person">
    <ol class="hands">${nights.map((night) => html`<li key=${night.session}><a href=${`/s/${night.session}`}><b>${date(night.night)}</b> <span>${t(`game.${night.game}`)}</span> <b class=${`net ${sign(night.net)}`}>${amount(night.net, true)} ${countedIn(night)}</b></a></li>`)}</ol>
    ${units.map((unit) => {
      const over = nights.filter((night) => countedIn(night) === unit).reverse();
      const rows = over.map((night) => ({ hand: night.session, said: date(night.night), net: { [person.id]: night.net } }));
      return over.length > 1 && html`<${Chart} key=${unit} id=${`chart-${unit}`} hands=${rows} seats=${[person.id]} names=${{ [person.id]: `${person.name || ""} ${t("people.in", { unit })}` }} by=${t("people.nights")} title=${t("people.over_nights")} />`;
    })}
    ${!person.same_as && html`<${JoinForm} ...${{ person, people, played, join }} />`}
  </div>`;
}

class JoinForm extends Component {
  render({ person, people, played, join }, { other }) {
    const others = people.filter((one) => one.id !== person.id && !one.same_as);
    if (others.length === 0) return null;
    const label = (one) => (doubled(people, one.name) ? `${one.name} (${howMany(played.get(one.id))})` : nameOf(people, one.id));
    return html`<label class="field"><span>${t("people.same_as")}</span><select onChange=${(change) => this.setState({ other: change.target.value })}>
        <option value="">–</option>${others.map((one) => html`<option key=${one.id} value=${one.id}>${label(one)}</option>`)}
      </select></label>
      ${other && html`<${Press} meaning=${`join ${other}`} kind="second" onPress=${() => join(other)}>${t("people.join_with", { name: nameOf(people, other) })}<//>`}
      <p class="hint">${t("people.same_as_line")}</p>`;
  }
}

class ClubToken extends Component {
  constructor() {
    super();
    this.state = { token: "" };
  }

  render({ wrong, done }, { token }) {
    const keep = (event) => {
      event.preventDefault();
      keys.remember("club", { club: token.trim() });
      done();
    };
    return html`<form class="panel" onSubmit=${keep}><h1>${t("title.people")}</h1><p>${t("people.club_needed")}</p>
      ${wrong && html`<p class="fault" role="alert">${t("refusal.auth.wrong")}</p>`}
      <label class="field"><span>${t("people.token")}</span><input autocomplete="off" autocapitalize="off" value=${token} onInput=${(event) => this.setState({ token: event.target.value })} /></label>
      <button type="submit" class="press main" disabled=${!token.trim()}>${t("people.open")}</button></form>`;
  }
}
