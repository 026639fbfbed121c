// What stays on the phone through a reload: what was tapped and not yet saved (outbox), what was put aside, and
// the last known state of each night.
import { openDB } from "../vendor/idb.mjs";

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

export const outbox = {
  all: async (session) => (await attempt((db) => db.getAllFromIndex("outbox", "session", session))) || [],
  add: (group) => attempt((db) => db.add("outbox", group)),
  put: (group) => attempt((db) => db.put("outbox", group)),
  // a group taken out has been stored by the server, or stands in `aside`, in the same transaction
  remove: (n) => attempt(async (db) => (await db.delete("outbox", n), true)),
  setAside: (group, why) =>
    attempt(async (db) => {
      const both = db.transaction(["outbox", "aside"], "readwrite");
      const { n, ...rest } = group;
      both.objectStore("aside").add({ ...rest, why, put_aside_at: new Date().toISOString() });
      if (n !== undefined) both.objectStore("outbox").delete(n);
      await both.done;
      return true;
    }),
};

export const aside = {
  all: async (session) => (await attempt((db) => db.getAllFromIndex("aside", "session", session))) || [],
  remove: (n) => attempt((db) => db.delete("aside", n)),
};

export const nights = {
  get: (session) => attempt((db) => db.get("nights", session)),
  put: (night) => attempt((db) => db.put("nights", night)),
};
