// The words of the page's language, and how it writes numbers, amounts and times.
import { product } from "./amounts.js";

const data = JSON.parse(document.getElementById("page-data").textContent);

export const page = data;
export const language = data.language;
// English here is written as the game's pubs write it.
const locale = { en: "en-GB", es: "es-ES", fr: "fr-FR", it: "it-IT" }[language] || "en-GB";

export function has(key) {
  return key in data.words;
}

export function t(key, gaps = {}) {
  let text = data.words[key];
  if (text === undefined) return key;
  for (const [name, value] of Object.entries(gaps)) text = text.replaceAll(`{${name}}`, value);
  return text;
}

const plural = new Intl.PluralRules(locale);

// `key.one` or `key.other`, by how many; {n} is the number.
export function tn(key, n, gaps = {}) {
  const form = plural.select(n) === "one" ? "one" : "other";
  return t(`${key}.${form}`, { n: String(n), ...gaps });
}

const parts = new Intl.NumberFormat(locale).formatToParts(12345.6);
const point = parts.find((part) => part.type === "decimal").value;
const group = (parts.find((part) => part.type === "group") || { value: " " }).value;

// "-1234.5" as this language writes it. With `signed`, a win has its plus.
export function amount(text, signed = false) {
  if (text === null || text === undefined) return "–";
  const minus = text.startsWith("-");
  const [whole, fraction] = (minus ? text.slice(1) : text).split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, group) : whole;
  const bare = fraction ? `${grouped}${point}${fraction}` : grouped;
  if (minus) return `\u2212${bare}`;
  return signed && text !== "0" ? `+${bare}` : bare;
}

export const decimalPoint = point;

export function list(items) {
  return new Intl.ListFormat(locale, { type: "conjunction" }).format(items);
}

export function time(iso) {
  return new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(new Date(iso));
}

// The night that a moment belongs to, as the lists and the papers label it: "2026-06-27". Dealt before six in the morning
// (UTC), it is still last night's game.
const NIGHT_ENDS_AT_HOUR = 6;

export function nightOf(iso) {
  return new Date(Date.parse(iso) - NIGHT_ENDS_AT_HOUR * 3600e3).toISOString().slice(0, 10);
}

// A label of a night as this language writes a date. It stands for no moment, so no zone of time moves it.
const short = { weekday: "short", day: "numeric", month: "short", year: "numeric" };

export function date(label, style = short) {
  return new Intl.DateTimeFormat(locale, { ...style, timeZone: "UTC" }).format(new Date(`${label}T00:00:00Z`));
}

// "the night of Saturday 27 June 2026"
export function nightName(label) {
  return t("night.of", { date: date(label, { dateStyle: "full" }) });
}

// A moment with its day, as this phone's clock has it.
export function moment(iso) {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(new Date(iso));
}

// Points in money, exactly, where the session says what a point is worth. With `signed`, a win has its plus.
export function money(text, unit, signed = false) {
  if (!unit || !unit.currency || !unit.worth) return "";
  const writes = { style: "currency", currency: unit.currency, maximumFractionDigits: 12, signDisplay: signed ? "exceptZero" : "auto" };
  return new Intl.NumberFormat(locale, writes).format(product(text, unit.worth)).replace("-", "\u2212");
}

const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };

export function rankSign(rank) {
  return rank === "T" ? "10" : rank;
}

export function suitSign(suit) {
  return SUITS[suit];
}

export function cardSigns(card) {
  return rankSign(card[0]) + SUITS[card[1]];
}

// For whoever hears the page: "queen of spades".
export function cardName(card) {
  return t("card.of", { rank: t(`rank.${card[0]}`), suit: t(`suit.${card[1]}`) });
}
