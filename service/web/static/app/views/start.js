// A new night in under a minute, and the nights that this phone knows.
import { html, render, Component } from "../html.js";
import { Api } from "../api.js";
import { date, list, nightOf, page, t } from "../words.js";
import { sayFault } from "../describe.js";
import * as keys from "../keys.js";
import { NamesKept } from "../parts/free-text.js";
import { Press } from "../parts/press.js";
import { RulesForm, UnitForm, asSent, fieldName, formFaults, refusedFaults, unitAsSent } from "../parts/rules-form.js";
import { SeatsForm } from "../parts/seats-form.js";
import { qrOf } from "../parts/links.js";

const LAST = "bragbook.last_table";
const PEOPLE = "bragbook.people";
const MOST_REMEMBERED = 60;
const MOST_FAULTS = 2;
const GAMES = ["three-card", "community", "lives"];

function read(place, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(place)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function write(place, value) {
  try {
    localStorage.setItem(place, JSON.stringify(value));
  } catch {
    // storage is off: nothing is remembered
  }
}

export function start(root) {
  render(html`<${Start} />`, root);
}

// Who may be asked to sit down: whom this phone knows, then whom the club does.
async function clubPeople() {
  if (!keys.clubToken()) return [];
  const { people } = await new Api(keys.clubToken()).get("/people");
  return people.filter((one) => one.name && !one.same_as).map((one) => one.name);
}

class Start extends Component {
  constructor() {
    super();
    const last = read(LAST, null);
    this.state = { game: "three-card", players: ["", "", "", ""], rules: {}, unit: {}, title: "", all: false, fault: null, errors: {}, busy: false, last, people: read(PEOPLE, []) };
  }

  componentDidUpdate() {
    if (!this.toFault || !Object.keys(this.state.errors).length) return;
    this.toFault = false;
    document.querySelector("[aria-invalid=true]")?.focus();
  }

  componentDidMount() {
    clubPeople()
      .then((names) => this.setState(({ people }) => ({ people: [...new Set([...people, ...names])] })))
      .catch(() => {}); // no signal: the names that this phone knows will do
  }

  set(more) {
    this.setState({ ...more, fault: null });
  }

  rule(name, value) {
    const { [name]: _, ...errors } = this.state.errors;
    this.set({ rules: { ...this.state.rules, [name]: value }, errors });
  }

  sameTable() {
    const { game, players, rules, unit } = this.state.last;
    this.set({ game, players, rules, unit, errors: {} });
  }

  asked() {
    const { game, players, rules, unit, title } = this.state;
    const names = players.map((name) => name.trim()).filter(Boolean);
    const differing = {};
    for (const rule of page.catalog[game].rules) {
      if (!(rule.name in rules)) continue;
      const value = asSent(rule, rules[rule.name]);
      if (value !== undefined && value !== rule.default) differing[rule.name] = value;
    }
    const body = { game, players: names.map((name, n) => ({ id: `p${n + 1}`, name })), rules: differing };
    if (title.trim()) body.title = title.trim();
    const own = unitAsSent(unit);
    if (Object.keys(own).length) body.unit = own;
    return body;
  }

  async begin() {
    const { game, rules, unit } = this.state;
    this.toFault = true; // where something is wrong, that is where to go on
    const errors = formFaults(game, rules, unit);
    if (Object.keys(errors).length) return this.setState({ errors, fault: t("start.mend") });
    const body = this.asked();
    const names = body.players.map((one) => one.name);
    this.setState({ busy: true, fault: null, errors });
    try {
      const answer = await new Api(keys.clubToken()).post("/sessions", body);
      keys.remember(answer.id, { ...answer.tokens, title: body.title || "", game, players: names, at: new Date().toISOString() });
      write(LAST, { game, players: names, rules, unit });
      write(PEOPLE, [...new Set([...names, ...read(PEOPLE, [])])].slice(0, MOST_REMEMBERED));
      location.href = `/s/${answer.id}/record`;
    } catch (fault) {
      const refused = refusedFaults(fault.problem?.errors || {});
      const closed = fault.status === 401 || fault.status === 403;
      const said = closed ? t("start.club_needed") : Object.keys(refused).length ? t("start.mend") : sayFault(fault);
      this.setState({ busy: false, errors: refused, fault: said, closed });
    }
    return null;
  }

  render(_, state) {
    const { game, last, errors, busy, people } = state;
    const count = state.players.filter((name) => name.trim()).length;
    const { fewest, most: seats } = page.catalog[game];
    const most = mostAgreed(game, state.rules);
    const few = count < fewest || count > most;
    const asked = count > most ? ["max_players"] : [];
    return html`<div class="start">
      <${Nights} />
      <form class="panel" novalidate onSubmit=${(event) => (event.preventDefault(), few || busy || this.begin())}>
        <h1>${t("start.new")}</h1>
        ${last && html`<${Press} meaning="same table" kind="second same" onPress=${() => this.sameTable()}><span class="label">${t("start.same")}</span> <small>${list(last.players)}</small><//>`}
        <fieldset class="games"><legend>${t("start.game")}</legend>
          ${GAMES.map((one) => html`<label key=${one} class=${`game${one === game ? " chosen" : ""}`}><input type="radio" name="game" value=${one} checked=${one === game} onChange=${() => this.set({ game: one, rules: {}, errors: {} })} /><b>${t(`game.${one}`)}</b> <span>${t(`game.${one}_line`)}</span></label>`)}
        </fieldset>
        <${SeatsForm} players=${state.players} change=${(players) => this.set({ players })} most=${seats} people=${people} />
        <${RulesForm} game=${game} rules=${state.rules} errors=${errors} asked=${asked} all=${state.all} change=${(name, value) => this.rule(name, value)} more=${() => this.setState({ all: !state.all })} />
        <${UnitForm} game=${game} unit=${state.unit} errors=${errors} change=${(unit) => this.set({ unit })} />
        <label class="field"><span>${t("start.title")}</span><input maxlength="80" autocomplete="off" value=${state.title} placeholder=${t("start.title_example")} onInput=${(event) => this.set({ title: event.target.value })} /></label>
        <${NamesKept} text=${state.title} names=${Object.fromEntries(state.players.map((name, n) => [`p${n + 1}`, name]))} seats=${state.players.map((_, n) => `p${n + 1}`)} />
        <${Begin} ...${{ state, count, few, fewest, most }} />
      </form>
      <${OnPhones} />
    </div>`;
  }
}

// Always in reach at the foot of the screen, with what still keeps it from being pressed.
function Begin({ state, count, few, fewest, most }) {
  const { fault, errors, busy, closed } = state;
  const all = Object.entries(errors).map(([name, said]) => `${fieldName(name)}: ${said}`);
  const where = all.length > MOST_FAULTS ? [...all.slice(0, MOST_FAULTS), "…"] : all; // each stands at its field too
  return html`<div class="begin">
    ${fault && html`<div class="fault" role="alert"><p>${fault}</p>${where.map((line) => html`<p key=${line}>${line}</p>`)}</div>`}
    ${closed && html`<label class="field"><span>${t("people.token")}</span><input id="club-token" autocomplete="off" autocapitalize="off" onInput=${(event) => keys.remember("club", { club: event.target.value.trim() })} /></label>`}
    ${few && html`<p class="hint" id="how-many">${t("start.how_many", { fewest, most })}</p>`}
    <button type="submit" class="press main" disabled=${busy || few} aria-describedby=${few ? "how-many" : undefined}>${t("start.begin", { n: count })}</button>
  </div>`;
}

// How many may sit down: what the game can seat, or fewer where the table agrees so.
function mostAgreed(game, rules) {
  const { most, rules: all } = page.catalog[game];
  const rule = all.find(({ name }) => name === "max_players");
  return rule ? Math.min(most, Number(rules.max_players || rule.default)) : most;
}

function Nights() {
  const nights = keys.nights();
  if (nights.length === 0) return null;
  const about = (night) => [night.at && date(nightOf(night.at)), night.players && list(night.players)].filter(Boolean).join(" · ");
  return html`<section class="panel" aria-labelledby="nights-head"><h2 id="nights-head">${t("start.nights")}</h2>
    <ul class="nights">${nights.slice(0, 8).map((night) => html`<li key=${night.session}>
      <a href=${`/s/${night.session}${night.record ? "/record" : ""}`}><b>${night.title || (night.game ? t(`game.${night.game}`) : t("start.a_night"))}</b>
      <span>${about(night)}</span> <small>${t(night.record ? "start.you_record" : "start.you_watch")}</small></a>
    </li>`)}</ul></section>`;
}

// The page's own address, for the phones on the same network.
class OnPhones extends Component {
  async componentDidMount() {
    if (page.address) this.setState({ qr: await qrOf(page.address).catch(() => null) });
  }

  render(_, { qr }) {
    const here = !page.address;
    return html`<section class="panel phones" aria-labelledby="phones-head"><h2 id="phones-head">${t("start.phones")}</h2>
      <p class="hint">${t(here ? "start.phones_here" : "start.phones_there", { address: page.address })}</p>
      ${qr && html`<img class="qr-image" src=${qr} alt=${t("start.phones_qr")} width="180" height="180" />`}
      ${!globalThis.isSecureContext && html`<p class="hint">${t("start.on_plain_http")}</p>`}
    </section>`;
  }
}
