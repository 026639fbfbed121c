// What undo takes back, read off the log: an action as the person did it, whatever it recorded in one request.
//
// An action is what it changed: {changes: [{root, before, after}]}, in the order of the play. `root` is the first number
// of an event, through all that stands for it since; `before` and `after` what stood there, null for nothing. A request
// that turns the last action round takes it back, so the log alone says how far back one is; nothing leaves the log.
import { BESIDE, STANDS, bare } from "./log.js";

const sorted = (_, value) => (value && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value);
const text = (event) => event && JSON.stringify({ ...event, at: null }, sorted);
const same = (one, other) => text(one) === text(other);

// The log as it was tapped. One request may be a file of many taps, of which each has its own time.
function taps(log) {
  const groups = [];
  let last = null;
  for (const event of log) {
    const group = groups.at(-1);
    const together = last && event.waiting === last.waiting && event.recorded_at === last.recorded_at && event.by === last.by;
    const anew = event.replaces !== undefined && (group?.[0].type === "void" || group?.[0].replaces !== undefined);
    if (together && event.type !== "void" && (anew || event.at === last.at)) group.push(event);
    else groups.push([event]);
    last = event;
  }
  return groups;
}

function read(log) {
  const roots = new Map(); // seq -> root
  const latest = new Map(); // root -> the last seq of it
  const stands = new Map(); // root -> the event, while it is not struck
  const done = [];
  for (const tap of taps(log)) {
    const before = new Map();
    const touch = (root) => before.has(root) || before.set(root, stands.get(root) || null);
    const strike = (root) => (touch(root), stands.delete(root));
    for (const event of tap) {
      if (event.type === "void") event.seqs.filter((seq) => roots.has(seq)).forEach((seq) => strike(roots.get(seq)));
      if (BESIDE.has(event.type)) continue;
      const first = roots.get(event.replaces);
      const root = first === undefined || stands.has(first) ? event.seq : first;
      touch(root);
      roots.set(event.seq, root);
      latest.set(root, event.seq);
      stands.set(root, bare(event));
    }
    const all = [...before].map(([root, was]) => ({ root, before: was, after: stands.get(root) || null }));
    const changes = all.filter((each) => !same(each.before, each.after)).sort((one, other) => one.root - other.root);
    if (changes.length && done.length && turnsRound(done.at(-1).changes, changes)) done.pop();
    else if (changes.length) done.push({ changes });
  }
  return { latest, stands, done };
}

function turnsRound(changes, others) {
  return changes.length === others.length && changes.every((each, index) => {
    const other = others[index];
    return each.root === other.root && same(each.before, other.after) && same(each.after, other.before);
  });
}

// The last action that has not been taken back, or null.
export function lastAction(log) {
  return read(log).done.at(-1) || null;
}

// One request that brings back what stood `before` or `after` an action: the play from there on is struck, and recorded anew.
export function bringBack(log, { changes }, side, reason) {
  const { latest, stands } = read(log);
  const wanted = new Map(changes.map((each) => [each.root, each[side]]));
  const from = changes[0].root;
  const later = [...stands.keys()].filter((root) => root > from && !wanted.has(root) && !STANDS.has(stands.get(root).type));
  const roots = [...wanted.keys(), ...later].sort((one, other) => one - other);
  const seqs = roots.filter((root) => stands.has(root)).map((root) => latest.get(root));
  const anew = roots.map((root) => ({ ...(wanted.has(root) ? wanted.get(root) : stands.get(root)), replaces: latest.get(root) })).filter((event) => event.type);
  return seqs.length ? [{ type: "void", seqs, reason }, ...anew] : anew;
}
