// Events, hands and refusals in words.
import { amount, cardSigns, has, list, rankSign, t, tn } from "./words.js";

export const nameIn = (names) => (player) => names[player] || player;

const cards = (event) => event.cards.map(cardSigns).join(" ");

const WORDS = {
  deal: (e, n) => t("say.deal", { player: n(e.dealer) }),
  ante: (e, n) => (e.amount ? t("say.ante_amount", { player: n(e.player), amount: amount(e.amount) }) : t("say.ante", { player: n(e.player) })),
  look: (e, n) => t(e.which ? `say.look_${e.which}` : "say.look", { player: n(e.player) }),
  bet: (e, n) => t(e.all_in ? "say.all_in" : `say.bet_${e.as}`, { player: n(e.player), amount: amount(e.amount) }),
  see: (e, n) => (e.amount ? t("say.see_amount", { player: n(e.player), amount: amount(e.amount) }) : t("say.see", { player: n(e.player) })),
  flip: (e) => t("say.flip", { card: cardSigns(e.card) }),
  swap: (e, n) => t(`say.swap_${e.take}`, { player: n(e.player), card: e.give ? cardSigns(e.give) : e.leave ? cardSigns(e.leave) : "" }),
  reveal: (e, n) => t("say.reveal", { player: n(e.player), cards: cards(e) }),
  pay: (e, n) => t("say.pay", { from: n(e.from), to: n(e.to), amount: amount(e.amount) }),
  buy: (e, n) => t("say.buy", { player: n(e.player), amount: amount(e.chips) }),
  cash: (e, n) => t("say.cash", { player: n(e.player), amount: amount(e.chips) }),
  note: (e) => t("say.note", { text: e.text }),
  misdeal: (e) => t("say.misdeal", { reason: e.reason }),
  void: (e) => tn("say.void", e.seqs.length, { reason: e.reason }),
  dispute: (e, n) => t("say.dispute", { player: n(e.player), hand: e.of_hand, claim: e.claim }),
  rule: (e) => t("say.rule", { decision: t(`decision.${e.decision}`), reason: e.reason }),
};

export function sayEvent(event, names) {
  const n = nameIn(names);
  const words = WORDS[event.type];
  const said = words ? words(event, n) : t(`say.${event.type}`, { player: event.player ? n(event.player) : "" });
  return event.irregular ? `${said} (${t("say.irregular")}: ${event.irregular})` : said;
}

// What one tap recorded, in few words.
export function sayGroup(group, names) {
  if (group.length === 0) return "";
  const n = nameIn(names);
  const types = new Set(group.map((event) => event.type));
  if (group[0].type === "deal" && types.has("ante")) return t("say.deal_antes", { player: n(group[0].dealer) });
  if (types.size === 1 && group.length > 1) {
    if (types.has("ante")) return t("say.antes");
    if (types.has("fold")) return t("say.folds", { players: list(group.map((event) => n(event.player))) });
  }
  const said = sayEvent(group[0], names);
  return group.length > 1 ? t("say.and_more", { first: said, n: group.length - 1 }) : said;
}

// An action of undo.js: what was tapped, or what was put right or struck.
export function sayAction({ changes }, names) {
  if (changes.every((each) => !each.before)) return sayGroup(changes.map((each) => each.after), names);
  const [{ before, after }] = changes;
  return after ? t("say.corrected", { what: sayEvent(after, names) }) : t("say.struck", { what: sayEvent(before, names) });
}

export function sayRefusal(problem) {
  const why = `not_now.${problem.actual}`;
  const key = problem.code === "event.not_now" && has(why) ? why : `refusal.${problem.code}`;
  return has(key) ? t(key) : problem.detail || problem.title || problem.code;
}

// What a request came to that failed, whether it was refused or had no answer.
export function sayFault(fault) {
  return fault.problem ? sayRefusal(fault.problem) : t("start.no_answer");
}

// Where the page of the rules has what is cited: `rules.md §4.8` → `/rules#4.8`; null for anything else.
export function ruleLink(cited) {
  const match = /^(rules|contract)\.md(?: §(\d+(?:\.\d+)?))?$/.exec(cited || "");
  return match && `/${match[1]}${match[2] ? `#${match[2]}` : ""}`;
}

// Who recorded something, by the public id of their link.
export function sayBy(by, tokens, names) {
  if (!by) return "";
  const id = by.slice(by.indexOf("-") + 1).slice(-6);
  if (!by.startsWith("seat-")) return t("by.record", { id });
  const { player } = tokens.find((token) => token.id === by) || {};
  return player ? t("by.seat_of", { player: names[player] || player }) : t("by.seat", { id });
}

const AMOUNT = /^-?\d+(\.\d+)?$/;
const CARD = /^[2-9TJQKA][shdc]$/;

// What the rules expected, or what was there instead: amounts, players, cards; "" for what has no words.
export function sayExpected(value, names) {
  if (typeof value === "number") return amount(String(value));
  if (typeof value === "string") return AMOUNT.test(value) ? amount(value) : names[value] || (CARD.test(value) ? cardSigns(value) : "");
  if (Array.isArray(value)) {
    const said = value.map((one) => sayExpected(one, names));
    return said.length && said.every(Boolean) ? list(said) : "";
  }
  if (!value || typeof value !== "object") return "";
  if ("call" in value) return sayBet(value);
  const players = Object.keys(value).filter((id) => id in names);
  if (!players.length || players.length < Object.keys(value).length) return "";
  return list(players.map((id) => `${names[id]} ${sayExpected(value[id], names)}`));
}

function sayBet({ call, min, max }) {
  const raise = min && (max && max !== min ? t("expected.between", { min: amount(min), max: amount(max) }) : t("expected.from", { min: amount(min) }));
  const parts = [call && t("expected.call", { amount: amount(call) }), raise].filter(Boolean);
  return parts.join("; ");
}

export function sayFinding(finding) {
  const own = `finding.${finding.code}`;
  return has(own) ? t(own) : sayRefusal({ code: finding.code, detail: finding.message });
}

export function sayCategory(category) {
  return t(`category.${category}`);
}

// Who won and why: a headline, and the reason under it.
export function sayHand(hand, names) {
  const n = nameIn(names);
  const winners = list(hand.winners.map(n));
  const awarded = (player) => amount(hand.awards[player] || "0");
  const paid = Object.keys(hand.awards);
  if (["won", "split", "carried"].includes(hand.result) && paid.some((player) => !hand.winners.includes(player))) {
    // the table paid somebody else than the rules would have
    const given = list(paid.map((player) => t("hand.given", { player: n(player), amount: awarded(player) })));
    return { head: given, why: winners ? t("hand.rules_other", { players: winners }) : t("hand.carried_why") };
  }
  switch (hand.result) {
    case "won":
      return { head: t("hand.won", { player: winners, amount: awarded(hand.winners[0]) }), why: sayWhy(hand, n) };
    case "split":
      return { head: t("hand.split", { players: winners, amount: amount(hand.pot) }), why: sayWhy(hand, n) };
    case "carried":
      return { head: t("hand.carried", { amount: amount(hand.pot) }), why: t("hand.carried_why") };
    case "life":
      return {
        head: hand.losers.length ? tn("hand.life", hand.losers.length, { players: list(hand.losers.map(n)) }) : t("hand.life_none"),
        why: hand.by === "knock" ? t("hand.by_knock") : "",
      };
    case "misdeal":
      return { head: t("hand.misdeal"), why: t("hand.misdeal_why") };
    default:
      return { head: t("hand.open"), why: "" };
  }
}

function sayWhy(hand, n) {
  if (hand.by === "last_in") return t("hand.last_in");
  const shown = Object.entries(hand.shown);
  const best = shown.find(([player]) => hand.winners.includes(player));
  const rest = shown.filter(([player]) => !hand.winners.includes(player));
  if (!best) return t("hand.others_mucked");
  const category = sayCategory(best[1].category);
  if (rest.length === 0) return t("hand.with", { category });
  const other = rest[0][1].category;
  if (other !== best[1].category) return t("hand.beats", { category, other: sayCategory(other) });
  return hand.by === "see" ? t("hand.see_same", { category }) : t("hand.better", { category });
}

export { rankSign };
