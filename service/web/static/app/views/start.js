// A new night in under a minute, and the nights that this phone knows.
import { html, render, Component } from "../html.js";
import { Api } from "../api.js";
import { typed } from "../amounts.js";
import { date, has, list, page, t } from "../words.js";
import * as keys from "../keys.js";
import { NamesKept } from "../parts/free-text.js";
import { Press } from "../parts/press.js";
import { qrOf } from "../parts/links.js";

const LAST = "bragbook.last_table";
const PEOPLE = "bragbook.people";
const GAMES = ["three-card", "community", "lives"];
// The rules that people ask about; the others stand behind one more tap.
const FIRST = { "three-card": ["ante", "pots"], community: ["ante", "bank", "wild"], lives: ["lives", "stake"] };
const LOUD = { community: ["ace_king_queen", "top_prial"] };

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

class Start extends Component {
  constructor() {
    super();
    const last = read(LAST, null);
    this.state = { game: "three-card", players: ["", "", "", ""], rules: {}, unit: {}, title: "", all: false, fault: null, errors: {}, busy: false, last };
  }

  set(more) {
    this.setState({ ...more, fault: null });
  }

  rule(name, value) {
    this.set({ rules: { ...this.state.rules, [name]: value } });
  }

  sameTable() {
    const { game, players, rules, unit } = this.state.last;
    this.set({ game, players, rules, unit });
  }

  async begin() {
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
    const own = unitOf(unit);
    if (Object.keys(own).length) body.unit = own;
    this.setState({ busy: true, fault: null, errors: {} });
    try {
      const answer = await new Api(keys.clubToken()).post("/sessions", body);
      keys.remember(answer.id, { ...answer.tokens, title: title.trim(), game, players: names, at: new Date().toISOString() });
      write(LAST, { game, players: names, rules, unit });
      write(PEOPLE, [...new Set([...names, ...read(PEOPLE, [])])].slice(0, 60));
      location.href = `/s/${answer.id}/record`;
    } catch (fault) {
      const errors = fault.problem?.errors || {};
      this.setState({ busy: false, errors, fault: fault.status === 401 || fault.status === 403 ? t("start.club_needed") : fault.status ? fault.message : t("start.no_answer") });
    }
  }

  render(_, state) {
    const { game, last, fault, errors, busy } = state;
    const count = state.players.filter((name) => name.trim()).length;
    const { fewest, most: seats } = page.catalog[game];
    const most = mostAgreed(game, state.rules);
    const few = count < fewest || count > most;
    const asked = count > most ? ["max_players"] : Object.keys(errors);
    return html`<div class="start">
      <${Nights} />
      <form class="panel" onSubmit=${(event) => (event.preventDefault(), few || this.begin())}>
        <h1>${t("start.new")}</h1>
        ${last && html`<${Press} meaning="same table" kind="second" onPress=${() => this.sameTable()}><span class="label">${t("start.same")}</span> <small>${list(last.players)}</small><//>`}
        <fieldset class="games"><legend>${t("start.game")}</legend>
          ${GAMES.map((one) => html`<label key=${one} class=${`game${one === game ? " chosen" : ""}`}><input type="radio" name="game" value=${one} checked=${one === game} onChange=${() => this.set({ game: one, rules: {} })} /><b>${t(`game.${one}`)}</b> <span>${t(`game.${one}_line`)}</span></label>`)}
        </fieldset>
        <${Players} players=${state.players} change=${(players) => this.set({ players })} most=${seats} />
        <${Rules} game=${game} rules=${state.rules} errors=${errors} asked=${asked} all=${state.all} change=${(name, value) => this.rule(name, value)} more=${() => this.setState({ all: !state.all })} />
        <${UnitFields} game=${game} unit=${state.unit} change=${(unit) => this.set({ unit })} />
        <label class="field"><span>${t("start.title")}</span><input maxlength="80" value=${state.title} placeholder=${t("start.title_example")} onInput=${(event) => this.set({ title: event.target.value })} /></label>
        <${NamesKept} text=${state.title} names=${Object.fromEntries(state.players.map((name, n) => [`p${n + 1}`, name]))} seats=${state.players.map((_, n) => `p${n + 1}`)} />
        ${fault && html`<p class="fault" role="alert">${Object.entries(errors).map(([name, said]) => `${has(`rule.${name}`) ? t(`rule.${name}`) : name}: ${[said].flat().join(", ")}`).join("; ") || fault}</p>`}
        ${few && html`<p class="hint" id="how-many">${t("start.how_many", { fewest, most })}</p>`}
        <button type="submit" class="press main" disabled=${busy || few}>${t("start.begin", { n: count })}</button>
      </form>
      <${OnPhones} />
    </div>`;
  }
}

// How many may sit down: what the game can seat, or fewer where the table agrees so.
function mostAgreed(game, rules) {
  const { most, rules: all } = page.catalog[game];
  const rule = all.find(({ name }) => name === "max_players");
  return rule ? Math.min(most, Number(rules.max_players || rule.default)) : most;
}

// What the form holds, as the API takes it; undefined where it is as by default.
function asSent(rule, value) {
  if (rule.kind === "flag" || rule.kind === "choice") return value;
  if (value === "" || value === null) return rule.optional ? null : undefined;
  if (rule.kind === "number") return Number.parseInt(value, 10);
  return typed(String(value)) ?? String(value);
}

function unitOf(unit) {
  const own = {};
  if (unit.chip) own.chip = typed(unit.chip) ?? unit.chip;
  if (unit.worth) {
    own.worth = typed(unit.worth) ?? unit.worth;
    own.currency = unit.currency || "GBP";
  }
  return own;
}

function Nights() {
  const nights = keys.nights();
  if (nights.length === 0) return null;
  return html`<section class="panel" aria-labelledby="nights-head"><h2 id="nights-head">${t("start.nights")}</h2>
    <ul class="nights">${nights.slice(0, 8).map((night) => html`<li key=${night.session}>
      <a href=${`/s/${night.session}${night.record ? "/record" : ""}`}><b>${night.title || (night.game ? t(`game.${night.game}`) : t("start.a_night"))}</b>
      <span>${night.at ? date(night.at) : ""}${night.players ? ` · ${list(night.players)}` : ""}</span> <small>${t(night.record ? "start.you_record" : "start.you_watch")}</small></a>
    </li>`)}</ul></section>`;
}

class Players extends Component {
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

  render({ players, change, most }) {
    const known = read(PEOPLE, []).filter((name) => !players.includes(name));
    return html`<fieldset class="players"><legend>${t("start.players")}</legend>
      <p class="hint">${t("start.seat_order")}</p>
      <ol>
        ${players.map((name, n) => html`<li key=${n}>
          <input aria-label=${t("start.seat", { n: n + 1 })} maxlength="80" autocomplete="off" value=${name} placeholder=${t("start.name")} onInput=${(event) => this.put(n, event.target.value)} />
          <${Press} meaning=${`up ${n}`} kind="plain" disabled=${n === 0} aria-label=${t("start.up", { player: name || n + 1 })} onPress=${() => this.move(n, -1)}>↑<//>
          <${Press} meaning=${`down ${n}`} kind="plain" disabled=${n === players.length - 1} aria-label=${t("start.down", { player: name || n + 1 })} onPress=${() => this.move(n, 1)}>↓<//>
          <${Press} meaning=${`out ${n}`} kind="plain" disabled=${players.length <= 2} aria-label=${t("start.remove", { player: name || n + 1 })} onPress=${() => change(players.filter((_, at) => at !== n))}>✕<//>
        </li>`)}
      </ol>
      ${known.length > 0 && html`<div class="choices" role="group" aria-label=${t("start.known")}>${known.slice(0, 12).map((name) => html`<${Press} key=${name} meaning=${`add ${name}`} kind="choice small" onPress=${() => this.add(name)}>+ ${name}<//>`)}</div>`}
      <${Press} meaning="add a seat" kind="plain" disabled=${players.length >= most} onPress=${() => this.add()}>+ ${t("start.add")}<//>
    </fieldset>`;
  }
}

function Rules({ game, rules, errors, asked, all, change, more }) {
  const loud = LOUD[game] || [];
  // what must be asked for first, then what is asked most, then the rest; the landlord's limit stands last
  const rank = (rule) => (loud.includes(rule.name) ? 0 : FIRST[game].includes(rule.name) ? 1 : rule.name === "stake_limit" ? 3 : 2);
  const every = [...page.catalog[game].rules].sort((a, b) => rank(a) - rank(b));
  const shown = (rule) => all || loud.includes(rule.name) || FIRST[game].includes(rule.name) || rule.name === "stake_limit" || rule.name in rules || asked.includes(rule.name);
  const value = (rule) => (rule.name in rules ? rules[rule.name] : rule.default);
  return html`<fieldset class="rules"><legend>${t("start.rules")}</legend>
    ${every.filter(shown).map((rule) => html`<div key=${`${game} ${rule.name}`} class=${`rule${loud.includes(rule.name) ? " loud" : ""}`}>
      <${RuleField} rule=${rule} value=${value(rule)} change=${(next) => change(rule.name, next)} />
      <p class="hint" id=${`help-${rule.name}`}>${loud.includes(rule.name) ? html`<b>${t("start.unusual")}</b> ${t(`rule.${rule.name}_warn`)}` : t(`rule.${rule.name}_line`)}</p>
      ${errors[rule.name] && html`<p class="fault">${[errors[rule.name]].flat().join(", ")}</p>`}
    </div>`)}
    <${Press} meaning="all rules" kind="plain" aria-expanded=${all ? "true" : "false"} onPress=${more}>${t(all ? "start.fewer_rules" : "start.all_rules")}<//>
  </fieldset>`;
}

function RuleField({ rule, value, change }) {
  const label = t(`rule.${rule.name}`);
  const id = `rule-${rule.name}`;
  const help = `help-${rule.name}`;
  if (rule.kind === "flag") return html`<label class="check"><input id=${id} type="checkbox" checked=${value} aria-describedby=${help} onChange=${(event) => change(event.target.checked)} /> <span>${label}</span></label>`;
  if (rule.kind === "choice") return html`<label class="field"><span>${label}</span><select id=${id} aria-describedby=${help} onChange=${(event) => change(event.target.value)}>${rule.values.map((one) => html`<option key=${one} value=${one} selected=${one === value}>${t(`rule.${rule.name}.${one}`)}</option>`)}</select></label>`;
  return html`<label class="field"><span>${label}</span><input id=${id} inputmode="decimal" autocomplete="off" aria-describedby=${help} value=${value ?? ""} placeholder=${rule.optional ? t("rule.none") : rule.name === "min_bet" ? t("rule.as_ante") : ""} onInput=${(event) => change(event.target.value)} /></label>`;
}

function UnitFields({ game, unit, change }) {
  const put = (name) => (event) => change({ ...unit, [name]: event.target.value });
  return html`<details class="unit"><summary>${t("start.money")}</summary>
    <p class="hint">${t("start.money_line")}</p>
    <div class="pair">
      <label class="field"><span>${t("start.worth")}</span><input inputmode="decimal" autocomplete="off" value=${unit.worth || ""} placeholder="0.10" onInput=${put("worth")} /></label>
      <label class="field"><span>${t("start.currency")}</span><select onChange=${put("currency")}>${["GBP", "EUR", "USD", "CHF"].map((code) => html`<option key=${code} value=${code} selected=${(unit.currency || "GBP") === code}>${code}</option>`)}</select></label>
    </div>
    <label class="field"><span>${t("start.chip")}</span><input inputmode="decimal" autocomplete="off" value=${unit.chip || ""} placeholder=${page.catalog[game].chip} onInput=${put("chip")} /></label>
    <p class="hint">${t("start.chip_line")}</p>
  </details>`;
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
      ${!globalThis.isSecureContext && html`<p class="hint">${t("record.plain_http")}</p>`}
    </section>`;
  }
}
