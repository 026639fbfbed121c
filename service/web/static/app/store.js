// What stays on the phone through a reload: what was tapped and not yet saved (outbox), what was put aside, and
// the last known state of each night. All tabs of this phone share it, so every change is one transaction, leaves a
// new stamp, and is told to the other tabs.
import { openDB } from "../vendor/idb.mjs";

const STORES = ["outbox", "aside", "nights"];
const seen = {}; // session -> the stamp of what this tab last wrote or read
const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("bragbook.phone") : null;
let opened = null;

function database() {
  opened ||= openDB("bragbook", 1, {
    upgrade(db) {
      for (const name of ["outbox", "aside"]) {
        db.createObjectStore(name, { keyPath: "n", autoIncrement: true }).createIndex("session", "session");
      }
      db.createObjectStore("nights", { keyPath: "session" });
    },
  });
  return opened;
}

// What cannot be kept (storage off, or full) is said by `false`; the page goes on from memory and says so.
async function attempt(work) {
  try {
    return await work(await database());
  } catch (fault) {
    console.warn("the phone's storage:", fault);
    return false;
  }
}

const stampOf = (session) => `${session} stamp`;

// One change of a night; `work` is given the three stores, and may not wait for anything but them.
function change(session, work) {
  return attempt(async (db) => {
    const all = db.transaction(STORES, "readwrite");
    const stores = Object.fromEntries(STORES.map((name) => [name, all.objectStore(name)]));
    const done = await work(stores);
    const stamp = Math.random();
    stores.nights.put({ session: stampOf(session), stamp });
    await all.done;
    seen[session] = stamp;
    channel?.postMessage({ session });
    return done ?? true;
  });
}

// heard(): another tab of this phone has changed this night.
export function onOtherTab(session, heard) {
  channel?.addEventListener("message", ({ data }) => data.session === session && heard());
}

export const shared = {
  // Whether another tab has changed this night since this one last looked.
  changed: (session) => attempt(async (db) => (await db.get("nights", stampOf(session)))?.stamp !== seen[session]),
  // {night, pending} as of one moment
  look: (session) =>
    attempt(async (db) => {
      const both = db.transaction(["outbox", "nights"]);
      const nights = both.objectStore("nights");
      const asked = [nights.get(session), both.objectStore("outbox").index("session").getAll(session), nights.get(stampOf(session))];
      const [night, pending, stamp] = await Promise.all(asked);
      seen[session] = stamp?.stamp;
      return { night, pending };
    }),
};

export const outbox = {
  add: (group) => change(group.session, ({ outbox: waiting }) => waiting.add(group)),
  // The server has these groups, and `night` holds what it made of them.
  saved: (night, groups) =>
    change(night.session, ({ outbox: waiting, nights }) => {
      nights.put(night);
      for (const { n } of groups) if (n !== undefined) waiting.delete(n);
    }),
  // What stays waits as it is now; of `out`, [group, why] each, nothing is sent, and all of it kept aside.
  decided: (night, stay, out) =>
    change(night.session, ({ outbox: waiting, aside: besides, nights }) => {
      nights.put(night);
      for (const group of stay) waiting.put({ ...group, clean: undefined });
      for (const [{ n, ...rest }, why] of out) {
        besides.add({ ...rest, why, put_aside_at: new Date().toISOString() });
        if (n !== undefined) waiting.delete(n);
      }
    }),
};

export const aside = {
  all: async (session) => (await attempt((db) => db.getAllFromIndex("aside", "session", session))) || [],
  remove: (n) => attempt((db) => db.delete("aside", n)),
};
