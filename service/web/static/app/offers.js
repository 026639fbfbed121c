// What can be tapped now, from the state's `legal`: the likeliest first. Every entry is events, ready to record.
import { add, compare, isZero, multiple, read, subtract, times, write } from "./amounts.js";

const MOST_RAISES = 5;
const STILL_IN = new Set(["blind", "seen"]);

const entries = (state, type) => state.legal.filter((entry) => entry.type === type);

// The players who would be dealt in: all who are in.
export function dealtIn(state) {
  return state.seats.filter((player) => state.players[player].status === "in");
}

// A deal and everyone's ante: one tap. `lives` has no ante, and asks for the centre's face-up card.
export function dealEvents(state, dealer, { players = null, up = null } = {}) {
  const deal = { type: "deal", dealer };
  if (players) deal.players = players;
  if (up) return [{ ...deal, up }];
  return [deal, ...(players || dealtIn(state)).map((player) => ({ type: "ante", player }))];
}

export function dealers(state) {
  return entries(state, "deal").map((entry) => entry.dealer);
}

export function retains(state) {
  return entries(state, "retain");
}

export function anteEvents(state) {
  return entries(state, "ante").map(({ player }) => ({ type: "ante", player }));
}

// The bets of the player to act, blind and seen: {as, opens, pays, raises: [{by, amount}], entry}. `pays` keeps the level,
// or opens it as low as may be (null: neither); the raises go above that. `by` is how much higher the level gets, in seen
// units; a blind payment counts double.
export function bets(state) {
  return entries(state, "bet")
    .filter((entry) => !entry.all_in)
    .map((entry) => ({ as: entry.as, opens: entry.call === null, pays: entry.call ?? entry.min, raises: raises(entry), entry }));
}

function raises(entry) {
  if (entry.min === null || entry.min === undefined) return [];
  const found = [];
  const over = entry.call ?? entry.min;
  const rate = entry.as === "blind" ? 2 : 1;
  let pays = entry.call === null ? add(entry.min, entry.step) : entry.min; // the least opening has a button of its own
  while (found.length < MOST_RAISES && (entry.max === null || compare(pays, entry.max) <= 0)) {
    found.push({ by: times(subtract(pays, over), rate), amount: pays });
    pays = add(pays, entry.step);
  }
  return found;
}

export function allIns(state) {
  return entries(state, "bet").filter((entry) => entry.all_in);
}

export function betEvent(player, as, amount) {
  return { type: "bet", player, as, amount };
}

export function only(state, type) {
  return entries(state, type)[0] || null;
}

// Everyone still in but the last to bet folds, in turn. Null where that is one fold, or where nobody has bet.
export function foldTo(state, log) {
  if (state.phase !== "act" || !only(state, "fold")) return null;
  const last = log.filter((event) => event.hand === state.hand && event.type === "bet").at(-1);
  if (!last || last.player === state.to_act || !STILL_IN.has(state.players[last.player].status)) return null;
  if (state.seats.some((player) => state.players[player].status === "all_in")) return null;
  const start = state.seats.indexOf(state.to_act);
  const order = [...state.seats.slice(start), ...state.seats.slice(0, start)];
  const folding = order.filter((player) => player !== last.player && STILL_IN.has(state.players[player].status));
  if (folding.length < 2) return null;
  return { winner: last.player, events: folding.map((player) => ({ type: "fold", player })) };
}

// Cards that cannot be asked for again in this hand: turned, in the centre, or shown.
export function usedCards(state, log) {
  const used = [...state.board];
  if (state.up) used.push(state.up);
  for (const event of log) if (event.type === "reveal" && event.hand === state.hand) used.push(...event.cards);
  return used;
}

// Whose cards are asked for now: the one whose turn it is, or all who may show, in seat order.
export function showing(state) {
  const may = new Set(entries(state, "reveal").map((entry) => entry.player));
  return state.seats.filter((player) => may.has(player));
}

// All that a player does at some time in this game, to ask the engine of each why not now.
export function candidates(state, player) {
  const own = state.game === "lives" ? livesCandidates(player) : bettingCandidates(state, player);
  const deal = { type: "deal", dealer: player, ...(state.game === "lives" && { up: "As" }) };
  return [...own, deal, { type: "misdeal", reason: "?" }, { type: "leave", player }, { type: "close" }];
}

const livesCandidates = (player) => [
  { type: "swap", player, take: "down" },
  { type: "knock", player },
];

function bettingCandidates(state, player) {
  const offered = (as) => bets(state).find((kind) => kind.as === as && kind.entry.player === player)?.pays;
  const level = isZero(state.level) ? state.rules.ante : state.level;
  const half = multiple(write((read(level) + 1n) / 2n), state.unit.chip);
  const community = state.game === "community";
  return [
    { type: "bet", player, as: "seen", amount: offered("seen") || level },
    { type: "bet", player, as: "blind", amount: offered("blind") || half },
    { type: "look", player },
    ...(community ? [{ type: "check", player }] : []),
    { type: "see", player },
    { type: "fold", player },
    { type: "ante", player },
    ...(community ? [{ type: "muck", player }] : []),
    ...(state.phase === "reveal" ? [] : [{ type: "reveal", player, cards: ["2s", "3h", "5d"] }]), // which cards: asked there
  ];
}
