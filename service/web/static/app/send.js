// Recording at once, from a page that keeps no outbox.
import { Api, NoAnswer, uuid } from "./api.js";
import { t } from "./words.js";
import { sayRefusal } from "./describe.js";

// A function that records events and gives null, or why not, in words. What got no answer may have been stored all the
// same: sent again, it goes under the ids that it had, and is stored once.
export function sender(session, token) {
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
