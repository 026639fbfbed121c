// Recording from a page beside the play: the case of a hand, the settlement.
import { Api, NoAnswer, uuid } from "./api.js";
import { Book } from "./book.js";
import { t } from "./words.js";
import { sayRefusal } from "./describe.js";

// {book, record}: `record` gives null, or why not, in words, and what was asked can then be asked again. The recorder's
// phone records through its own outbox, whose light the page shows; somebody's own seat at once.
export function sender(session, held, onChange) {
  if (held.record) return fromOutbox(session, held.record, onChange);
  return { book: null, record: directly(session, held.seat) };
}

function fromOutbox(session, token, onChange) {
  const watching = new Set();
  const changed = () => {
    for (const look of [...watching]) look();
    onChange();
  };
  const book = new Book({ session, api: new Api(token), onChange: changed, rules: false });
  const opened = book.open();
  globalThis.bragbook = { book };
  // until it is stored, or speaks against it, or is known to have to wait
  const settled = (id) =>
    new Promise((resolve) => {
      const look = () => {
        const waits = book.pending.some((group) => group.events[0].id === id);
        if (waits && !book.trouble && book.up !== false) return;
        watching.delete(look);
        resolve();
      };
      watching.add(look);
      look();
    });
  const record = async (...raws) => {
    await opened;
    const asked = raws.map((raw) => ({ ...raw, id: uuid() }));
    const problem = await book.record(asked);
    if (problem) return sayRefusal(problem);
    await settled(asked[0].id);
    const { trouble, pending } = book;
    if (trouble?.kind !== "refused" || pending.length > 1 || pending[0]?.events[0].id !== asked[0].id) return null;
    await book.takeBack();
    return sayRefusal(trouble.problem);
  };
  return { book, record };
}

// What got no answer may have been stored all the same: sent again, it goes under the ids that it had, and is stored once.
function directly(session, token) {
  let unanswered = null;
  return async (...raws) => {
    const asked = JSON.stringify(raws);
    if (unanswered?.asked !== asked) {
      unanswered = { asked, events: raws.map((raw) => ({ id: uuid(), at: new Date().toISOString(), ...raw })) };
    }
    try {
      await new Api(token).post(`/sessions/${session}/events`, unanswered.events);
    } catch (fault) {
      if (fault instanceof NoAnswer || fault.status >= 500) return t("send.no_answer");
      unanswered = null;
      return fault.problem ? sayRefusal(fault.problem) : fault.message;
    }
    unanswered = null;
    return null;
  };
}
