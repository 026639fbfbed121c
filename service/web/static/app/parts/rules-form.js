// What the table agrees: house rules, each explained in a line, and what is counted in.
import { html } from "../html.js";
import { compare, isWhole, read, typed } from "../amounts.js";
import { amount, has, page, t } from "../words.js";
import { Press } from "./press.js";

// The rules that people ask about; the others stand behind one more tap.
const FIRST = { "three-card": ["ante", "pots"], community: ["ante", "bank", "wild"], lives: ["lives", "stake"] };
// The ones that another Brag has otherwise: to be asked before playing.
const LOUD = { community: ["ace_king_queen", "top_prial"] };
const CURRENCIES = ["GBP", "EUR", "USD", "CHF"];
// What the service finds wrong between two rules, in the page's words.
const BETWEEN = { max_open: "rule.max_open_low", side_pots: "rule.side_pots_bank" };

export const chipOf = (game, unit) => (unit.chip && typed(unit.chip)) || page.catalog[game].chip;

// What the form holds, as the API takes it; undefined where it is as by default.
export function asSent(rule, value) {
  if (rule.kind === "flag" || rule.kind === "choice") return value;
  if (value === "" || value === null) return rule.optional ? null : undefined;
  if (rule.kind === "number") return Number.parseInt(value, 10);
  return typed(String(value)) ?? String(value);
}

export function unitAsSent(unit) {
  const own = {};
  if (unit.chip) own.chip = typed(unit.chip) ?? unit.chip;
  if (unit.worth) {
    own.worth = typed(unit.worth) ?? unit.worth;
    own.currency = unit.currency || CURRENCIES[0];
  }
  return own;
}

// What is wrong with the form before it is sent: rule, or `unit.chip`, `unit.worth` -> in words.
export function formFaults(game, rules, unit) {
  const faults = {};
  const put = (name, fault) => fault && (faults[name] = fault);
  put("unit.chip", unit.chip && amountFault(unit.chip, true));
  put("unit.worth", unit.worth && amountFault(unit.worth, true));
  for (const rule of page.catalog[game].rules) if (rule.name in rules) put(rule.name, ruleFault(rule, rules[rule.name], chipOf(game, unit)));
  return faults;
}

function ruleFault(rule, value, chip) {
  if (rule.kind === "flag" || rule.kind === "choice" || value === "" || value === null) return null;
  if (rule.kind === "amount") return amountFault(String(value), rule.least > 0, chip);
  const { least, most } = rule;
  return /^\d{1,9}$/.test(String(value).trim()) && value >= least && value <= most ? null : t("rule.from_to", { least, most });
}

function amountFault(text, positive, chip) {
  const value = typed(text);
  if (value === null) return t("pad.not_amount");
  if (compare(value, "0") < (positive ? 1 : 0)) return t(positive ? "pad.positive" : "pad.not_amount");
  return chip && read(chip) > 0n && !isWhole(value, chip) ? t("pad.whole", { chip: amount(chip) }) : null;
}

// What the service refused, rule -> in words: it also knows what does not go together.
export function refusedFaults(errors) {
  return Object.fromEntries(Object.keys(errors).map((name) => [name, t(BETWEEN[name] || "rule.not_so")]));
}

export const fieldName = (name) => (has(`rule.${name}`) ? t(`rule.${name}`) : name === "unit.chip" ? t("start.chip") : name === "unit.worth" ? t("start.worth") : name);

export function RulesForm({ game, rules, errors, asked, all, change, more }) {
  const loud = LOUD[game] || [];
  // what must be asked for first, then what is asked most, then the rest; the landlord's limit stands last
  const rank = (rule) => (loud.includes(rule.name) ? 0 : FIRST[game].includes(rule.name) ? 1 : rule.name === "stake_limit" ? 3 : 2);
  const every = [...page.catalog[game].rules].sort((a, b) => rank(a) - rank(b));
  const shown = (rule) => all || rank(rule) !== 2 || rule.name in rules || rule.name in errors || asked.includes(rule.name);
  const value = (rule) => (rule.name in rules ? rules[rule.name] : rule.default);
  return html`<fieldset class="rules"><legend>${t("start.rules")}</legend>
    ${every.filter(shown).map((rule) => html`<div key=${`${game} ${rule.name}`} class=${`rule${loud.includes(rule.name) ? " loud" : ""}`}>
      <${RuleField} rule=${rule} value=${value(rule)} fault=${errors[rule.name]} change=${(next) => change(rule.name, next)} />
      <p class="hint" id=${`help-${rule.name}`}>${loud.includes(rule.name) ? html`<b>${t("start.unusual")}</b> ${t(`rule.${rule.name}_warn`)}` : t(`rule.${rule.name}_line`)}</p>
    </div>`)}
    <${Press} meaning="all rules" kind="plain" aria-expanded=${all ? "true" : "false"} onPress=${more}>${t(all ? "start.fewer_rules" : "start.all_rules")}<//>
  </fieldset>`;
}

function RuleField({ rule, value, fault, change }) {
  const label = t(`rule.${rule.name}`);
  const id = `rule-${rule.name}`;
  const about = { id, "aria-describedby": `${fault ? `fault-${rule.name} ` : ""}help-${rule.name}`, "aria-invalid": fault ? "true" : undefined };
  const wrong = fault && html`<p class="fault" id=${`fault-${rule.name}`}>${fault}</p>`;
  if (rule.kind === "flag") return html`<label class="check"><input type="checkbox" ...${about} checked=${value} onChange=${(event) => change(event.target.checked)} /> <span>${label}</span></label>${wrong}`;
  if (rule.kind === "choice") return html`<label class="field"><span>${label}</span><select ...${about} onChange=${(event) => change(event.target.value)}>${rule.values.map((one) => html`<option key=${one} value=${one} selected=${one === value}>${t(`rule.${rule.name}.${one}`)}</option>`)}</select></label>${wrong}`;
  // as by default it is written the language's way; what was typed stands as it was typed
  const text = typeof value === "string" && value === rule.default ? amount(value) : (value ?? "");
  return html`<label class="field"><span>${label}</span><input ...${about} inputmode=${rule.kind === "number" ? "numeric" : "decimal"} autocomplete="off" value=${text} placeholder=${rule.optional ? t("rule.none") : rule.name === "min_bet" ? t("rule.as_ante") : ""} onInput=${(event) => change(event.target.value)} /></label>${wrong}`;
}

export function UnitForm({ game, unit, errors, change }) {
  const put = (name) => (event) => change({ ...unit, [name]: event.target.value });
  const fault = (name) => errors[`unit.${name}`];
  const field = (name, label, example) => html`<label class="field"><span>${label}</span><input inputmode="decimal" autocomplete="off" value=${unit[name] || ""} placeholder=${amount(example)} aria-invalid=${fault(name) ? "true" : undefined} aria-describedby=${fault(name) ? `fault-${name}` : undefined} onInput=${put(name)} /></label>
    ${fault(name) && html`<p class="fault" id=${`fault-${name}`}>${fault(name)}</p>`}`;
  const wrong = Boolean(fault("chip") || fault("worth"));
  return html`<details class="unit" open=${wrong || Boolean(unit.worth || unit.chip)}><summary>${t("start.money")}</summary>
    <p class="hint">${t("start.money_line")}</p>
    <div class="pair">
      <div>${field("worth", t("start.worth"), "0.10")}</div>
      <label class="field"><span>${t("start.currency")}</span><select onChange=${put("currency")}>${CURRENCIES.map((code) => html`<option key=${code} value=${code} selected=${(unit.currency || CURRENCIES[0]) === code}>${code}</option>`)}</select></label>
    </div>
    ${field("chip", t("start.chip"), page.catalog[game].chip)}
    <p class="hint">${t("start.chip_line")}</p>
  </details>`;
}
