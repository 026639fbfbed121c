// A night as somebody watches it: the server's state, the last hand, and what is new, live.
import { Api, NoAnswer } from "./api.js";
import { Live } from "./live.js";
import * as keys from "./keys.js";

const TOGETHER_MS = 60;

export class Night {
  constructor({ session, onChange }) {
    this.session = session;
    this.onChange = onChange;
    this.api = new Api(keys.reading(session));
    this.state = null;
    this.names = {};
    this.hand = null;
    this.hands = [];
    this.up = null;
    this.fault = null;
    this.looked = Promise.resolve(); // the last look at the server, or the one under way
    this.next = null; // one more after it, where somebody has asked
  }

  get hasKey() {
    return Boolean(this.api.token);
  }

  path(rest = "") {
    return `/sessions/${this.session}${rest}`;
  }

  async open() {
    await this.refresh();
    this.live = new Live({
      session: this.session,
      api: this.api,
      after: this.state?.version || 0,
      told: () => this.#soon(),
      status: (up, refused) => this.#status(up, refused),
    });
  }

  // several events may come in one breath: one look at the state
  #soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), TOGETHER_MS);
  }

  #status(up, refused) {
    const back = up && this.up === false;
    this.up = up;
    if (refused) this.fault = { status: refused };
    if (back) this.refresh();
    else this.onChange();
  }

  // One look at a time, so that no older answer comes over a newer one.
  refresh() {
    this.next ||= this.looked.catch(() => {}).then(() => {
      this.next = null;
      this.looked = this.#look();
      return this.looked;
    });
    return this.next;
  }

  async #look() {
    try {
      const state = await this.api.get(this.path());
      this.up = true;
      this.fault = null;
      const over = ["deal", "closed"].includes(state.phase) && state.hand;
      const hand = over ? await this.api.get(this.path(`/hands/${state.hand}`)) : null;
      await this.more?.();
      // what is shown of a look is shown together: a page is drawn for other reasons meanwhile
      const names = Object.fromEntries(state.seats.map((id) => [id, state.players[id].name]));
      Object.assign(this, { state, hand, names });
    } catch (fault) {
      if (fault instanceof NoAnswer) this.up = false;
      else this.fault = fault;
    }
    this.onChange();
  }

  light() {
    if (this.up === false) return { kind: "offline", waiting: 0 };
    return { kind: this.up || this.fault ? "live" : "reading", waiting: 0 };
  }

  tryNow() {
    this.refresh();
  }
}
