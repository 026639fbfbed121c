// The tokens that this phone holds. A link carries one behind `#`; here it is kept on the phone and taken out of the
// address, so that a copied address, a screenshot or the browser's history gives nothing away.

const PLACE = "bragbook.keys";
const KINDS = ["record", "view", "seat", "club"];
let inMemory = {};

function all() {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) || {};
  } catch {
    return inMemory;
  }
}

function keep(keys) {
  inMemory = keys;
  try {
    localStorage.setItem(PLACE, JSON.stringify(keys));
  } catch {
    // storage is off: the token lives as long as the page
  }
}

// Takes tokens out of the address. What else stands behind `#` (a moment of a replay) is returned.
export function takeFromAddress(session) {
  const given = new URLSearchParams(location.hash.slice(1));
  const found = {};
  for (const kind of KINDS) {
    if (given.has(kind)) {
      found[kind] = given.get(kind);
      given.delete(kind);
    }
  }
  if (Object.keys(found).length) {
    const { club, ...own } = found;
    if (club) remember("club", { club });
    if (session && Object.keys(own).length) {
      if (given.has("player")) own.player = given.get("player");
      remember(session, own);
    }
    given.delete("player");
    const rest = given.toString();
    history.replaceState(null, "", location.pathname + location.search + (rest ? `#${rest}` : ""));
  }
  return given;
}

export function remember(session, more) {
  const keys = all();
  keys[session] = { ...keys[session], ...more };
  keep(keys);
}

export function forget(session, kind) {
  const keys = all();
  if (keys[session]) delete keys[session][kind];
  keep(keys);
}

export function of(session) {
  return all()[session] || {};
}

export function clubToken() {
  return of("club").club || null;
}

// The nights that this phone knows, the latest first.
export function nights() {
  return Object.entries(all())
    .filter(([session]) => session !== "club")
    .map(([session, keys]) => ({ session, ...keys }))
    .sort((a, b) => (b.at || "").localeCompare(a.at || ""));
}

export function reading(session) {
  const keys = of(session);
  return keys.view || keys.seat || keys.record || null;
}
