// The recorder's book of one night: what the server has stored, what was tapped since, and the state that makes.
//
// A tap is checked by the engine in the page, kept on the phone, shown, and sent: in order, each once, under ids of the
// phone's own, so that sending again after a lost answer changes nothing. `If-Match` says what the phone had seen;
// where another phone has recorded meanwhile, nothing is merged: the person is shown both and decides. All tabs of one
// phone are one recorder: they share what is stored and what waits (store.js), and each looks before it records.
import { Engine, Refusal } from "./engine.js";
import { NoAnswer, Problem, eventsAfter, uuid } from "./api.js";
import { aside, onOtherTab, outbox, shared } from "./store.js";
import { moved } from "./log.js";
import { bringBack, lastAction } from "./undo.js";
import { Live } from "./live.js";

const WAITS_MS = [500, 1000, 2000, 4000, 8000, 15000];
const OTHER_TAB_MS = 2000; // what another tab has taken, it sends itself, unless it is closed or asleep
const UNASKED = new Set(["note", "dispute"]); // may stand after another phone's events without a question

// What `record` gives where it took nothing: it is at work on a tap, or the person must decide something first.
export const NOT_TAKEN = { code: "not_taken" };

export class Book {
  // rules: whether the engine is started. A page that does without it records what is no move of the play.
  constructor({ session, api, onChange, undoReason = "", rules = true }) {
    Object.assign(this, { session, api, onChange, undoReason, rules });
    this.events = []; // stored by the server, seq 1 first
    this.pending = []; // groups that wait: {n, session, after: how many events come before it, events, clean}
    this.redoable = []; // actions taken back, the latest last
    this.names = {};
    this.state = null;
    this.engine = null; // until it has started, the server's answers serve
    this.engineFault = null;
    this.up = null; // until the server has answered, or has not
    this.sending = false;
    this.taking = false;
    this.trouble = null;
    this.kept = true; // whether the phone's storage takes what is tapped
    this.failures = 0;
    this.put_aside = [];
    this.hand = null; // the last hand, once it is over
    this.turns = Promise.resolve();
  }

  // One piece of work at a time on the log, the outbox and the engine, in the order asked for. No network inside: a tap
  // never waits for signal.
  #alone(work) {
    const done = this.turns.then(work);
    this.turns = done.catch(() => {});
    return done;
  }

  // ---- opening

  async open() {
    await this.#alone(() => this.#sync());
    this.onChange();
    onOtherTab(this.session, () => this.#otherTab());
    if (this.rules) this.#startEngine();
    await this.#refresh(); // with no signal: tried again by itself
    this.live = new Live({
      session: this.session,
      api: this.api,
      after: this.events.length,
      told: (events) => this.#heard(events),
      status: (up, refused) => this.#status(up, refused),
    });
    this.#send();
  }

  async #startEngine() {
    try {
      const engine = new Engine();
      await engine.ready;
      await this.#alone(async () => {
        this.engine = engine;
        await this.#reload();
      });
    } catch (fault) {
      console.warn("the engine:", fault);
      this.engineFault = String(fault.message || fault);
    }
    this.onChange();
  }

  // What the tabs of this phone have stored and what waits, as of now.
  async #sync() {
    const found = await shared.look(this.session);
    if (!found) return; // no storage: this tab is alone
    const { night, pending } = found;
    const known = (group) => this.pending.find((mine) => mine.n === group.n && mine.after === group.after) || group;
    this.pending = [...pending.map(known), ...this.pending.filter((group) => group.n === undefined)];
    if (night) {
      // what others recorded before something that waits is the person's to decide: not taken from another tab
      const events = night.events.slice(0, pending[0]?.after);
      if (events.length > this.events.length) this.events = events;
      Object.assign(this, { names: { ...this.names, ...night.names }, redoable: (night.redoable || []).filter((each) => each.changes) });
      if (!this.engine && !(this.state?.version > night.state?.version)) this.state = night.state;
    }
    if (this.live) this.live.after = Math.max(this.live.after, this.events.length);
    if (this.trouble?.kind !== "revoked") this.trouble = null;
    this.put_aside = await aside.all(this.session);
    await this.#reload();
  }

  async #otherTab() {
    await this.#alone(async () => {
      if (await shared.changed(this.session)) await this.#sync();
    });
    if (this.pending.length) {
      clearTimeout(this.again);
      this.again = setTimeout(() => this.#send(), OTHER_TAB_MS);
    }
    this.onChange();
  }

  // The engine's session anew: what is stored, then what waits. The page shows what that makes, and nothing in between.
  async #reload() {
    if (!this.engine || !this.events.length) return;
    let { state } = await this.engine.ask("load", { events: this.events, names: this.names });
    for (const group of this.pending) {
      try {
        const answer = await this.engine.ask("record", { events: group.events });
        group.clean = answer.events;
        state = answer.state;
      } catch (fault) {
        if (!(fault instanceof Refusal)) throw fault;
        this.trouble = { kind: "refused", problem: fault.problem, group };
        break;
      }
    }
    this.state = state;
  }

  async #refresh() {
    if (this.sending || this.refreshing) {
      this.missed = true; // looked at once the answer is here
      return;
    }
    this.refreshing = true;
    try {
      const known = this.events.length;
      const state = await this.api.get(`/sessions/${this.session}`);
      const anew = state.version < known; // the server was put back: believe it
      const news = await eventsAfter(this.api, this.session, anew ? 0 : known);
      await this.#alone(() => this.#adopt(state, news, anew));
      this.up = true;
    } catch (fault) {
      this.#failed(fault);
    } finally {
      this.refreshing = false;
    }
    this.onChange();
    this.#next();
  }

  async #adopt(state, news, anew) {
    this.#name(state);
    if (anew) this.events = [];
    if (await shared.changed(this.session)) await this.#sync();
    const others = await this.#claim(news.filter((event) => event.seq > this.events.length));
    if (this.pending.length && others.length) return; // the sender brings it before the person
    this.events.push(...others);
    if (this.engine) await this.#reload();
    else if (!this.pending.length && state.version >= this.events.length) this.state = state;
    await this.#keep();
  }

  // What was put off while the phone was asking or sending.
  #next() {
    if (this.pending.length) this.#send();
    else if (this.missed) {
      this.missed = false;
      this.#refresh();
    }
  }

  // What of `news` this phone sent itself, its answer lost, is saved. Gives the rest.
  async #claim(news) {
    const mine = [];
    let at = 0;
    for (const group of this.pending) {
      const from = at;
      if (!group.events.every((event, index) => event.id === news[from + index]?.id)) break;
      mine.push(group);
      at += group.events.length;
    }
    if (mine.length) {
      this.events.push(...news.slice(0, at));
      this.pending = this.pending.slice(mine.length);
      this.missed ||= !this.engine; // the state that they made is the server's to say
      await this.#keep(mine);
    }
    return news.slice(at);
  }

  #name(state) {
    for (const player of state.seats) this.names[player] = state.players[player].name;
  }

  // Keeps what is stored; `saved`: the groups that wait no more.
  #keep(saved = []) {
    return outbox.saved(this.#night(), saved);
  }

  #night() {
    const { session, events, names, state, redoable } = this;
    return { session, events, names, state, redoable };
  }

  // ---- recording

  // Records `raws` as one request, all or none. Gives null once they are on the phone, or the problem that speaks
  // against them; NOT_TAKEN where they may well be asked for again. `redoable`: what they make of what could be done again.
  async record(raws, redoable = () => []) {
    if (this.busy || this.trouble || !this.events.length) return NOT_TAKEN;
    this.taking = true;
    try {
      if (!(await this.#alone(() => this.#take(raws, redoable)))) return NOT_TAKEN;
    } catch (fault) {
      if (fault instanceof Refusal) return fault.problem;
      throw fault;
    } finally {
      this.taking = false;
      this.onChange();
    }
    this.#send();
    return null;
  }

  // At work on a tap; until the engine is there, one waits for the server's answer to the last.
  get busy() {
    return this.taking || (this.rules && !this.engine && !this.trouble && (this.sending || this.pending.length > 0));
  }

  // All that a tap makes different on the page comes at once, when it is on the phone.
  async #take(raws, redoable) {
    if (await shared.changed(this.session)) {
      const before = this.#tip();
      await this.#sync();
      if (this.rules && (this.trouble || this.#tip() !== before)) return false; // another tab has made different what was tapped on
    }
    const at = new Date().toISOString();
    const events = raws.map((raw) => ({ at, id: uuid(), ...raw }));
    const after = this.pending.reduce((sum, group) => sum + group.events.length, this.events.length);
    const group = { session: this.session, after, events };
    const answer = this.engine && (await this.engine.ask("record", { events }));
    const n = await outbox.add(group);
    this.kept = n !== false;
    if (this.kept) group.n = n;
    if (answer) {
      group.clean = answer.events;
      this.state = answer.state;
    }
    this.pending.push(group);
    this.redoable = redoable(this.redoable);
    return true;
  }

  // The last event, stored or waiting: where it is the same, so are all before it.
  #tip() {
    const { seq, id } = this.log().at(-1);
    return `${seq} ${id}`;
  }

  // All events, the waiting ones with the numbers that they will get.
  log() {
    let seq = this.events.length;
    const waiting = this.pending.flatMap((group, place) =>
      group.events.map((raw, index) => ({ ...(group.clean?.[index] || raw), seq: ++seq, waiting: place + 1 })),
    );
    return [...this.events, ...waiting];
  }

  // The action that undo takes back, or null.
  undoable() {
    const key = [this.events.at(-1)?.hash, ...this.pending.map((group) => group.events[0].id)].join();
    if (this.found?.key !== key) this.found = { key, action: lastAction(this.log()) };
    return this.found.action;
  }

  async undo() {
    const action = this.undoable();
    if (!action) return null;
    return this.#turn(action, "before", (redoable) => [...redoable, action]);
  }

  async redo() {
    const action = this.redoable.at(-1);
    if (!action) return null;
    return this.#turn(action, "after", (redoable) => redoable.slice(0, -1));
  }

  async #turn(action, side, next) {
    const problem = await this.record(bringBack(this.log(), action, side, this.undoReason), next);
    if (!problem) await this.#alone(() => this.#keep());
    return problem;
  }

  // ---- sending

  async #send() {
    if (this.sending || this.refreshing || this.trouble || !this.pending.length) return;
    this.sending = true;
    clearTimeout(this.again);
    try {
      while (this.pending.length && !this.trouble) {
        this.onChange();
        await this.#sendFirst();
        this.failures = 0;
        this.up = true;
      }
    } catch (fault) {
      this.#failed(fault);
    } finally {
      this.sending = false;
      this.onChange();
      if (this.missed && !this.pending.length) this.#next();
    }
  }

  async #sendFirst() {
    const group = this.pending[0];
    let answer;
    try {
      answer = await this.api.post(`/sessions/${this.session}/events`, group.events, {
        "If-Match": `"${this.events.length}"`,
      });
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      if (fault.status === 412) return this.#meanwhile();
      if (fault.status === 401 || fault.status === 403) throw fault;
      if (fault.status >= 500 || fault.status === 429 || fault.status === 408) throw fault;
      this.trouble = { kind: "refused", problem: fault.problem, status: fault.status, group };
      return undefined;
    }
    if (!(await this.#alone(() => this.#saved(group, answer)))) await this.#meanwhile();
    return undefined;
  }

  // Whether the answer follows on what the phone has.
  async #saved(group, answer) {
    if (!this.pending.includes(group)) return true; // another tab has seen to it
    if (answer.events[0].seq !== this.events.length + 1) return false;
    this.events.push(...answer.events);
    this.#name(answer.state);
    this.pending.shift();
    if (!this.engine && !this.pending.length) this.state = answer.state;
    if (this.live) this.live.after = Math.max(this.live.after, this.events.length);
    await this.#keep([group]);
    return true;
  }

  #failed(fault) {
    if (!(fault instanceof NoAnswer) && !(fault instanceof Problem)) throw fault;
    if (fault.status === 401 || fault.status === 403) {
      this.trouble = { kind: "revoked", status: fault.status };
      return;
    }
    if (fault instanceof NoAnswer || fault.status >= 500) this.up = false;
    const wait = (fault.wait_s || 0) * 1000 || WAITS_MS[Math.min(this.failures++, WAITS_MS.length - 1)];
    clearTimeout(this.again);
    this.again = setTimeout(() => (this.pending.length ? this.#send() : this.#refresh()), wait);
  }

  tryNow() {
    clearTimeout(this.again);
    if (this.pending.length) this.#send();
    else this.#refresh();
  }

  // ---- what others record

  #status(up, refused) {
    if (refused) this.trouble = { kind: "revoked", status: refused };
    else if (up && this.up === false) this.tryNow();
    if (!up) this.up = false;
    this.onChange();
  }

  #heard(events) {
    this.up = true;
    if (events.at(-1).seq <= this.events.length) return this.onChange();
    if (this.pending.length) return this.#send(); // the server says whether they can be reconciled
    this.redoable = [];
    return this.#refresh();
  }

  // Another phone was first: what it recorded, beside what waits here.
  async #meanwhile() {
    const known = this.events.length;
    const found = await eventsAfter(this.api, this.session, known);
    const all = found.length ? null : await eventsAfter(this.api, this.session, 0);
    await this.#alone(async () => {
      if (all && all.length < known) {
        this.events = all; // the server was put back: believe it
        await this.#reload();
      }
      if (await shared.changed(this.session)) await this.#sync();
      const news = await this.#claim(found.filter((event) => event.seq > this.events.length));
      if (!news.length || !this.pending.length) return;
      const mine = await this.#fits(news);
      this.trouble = { kind: "conflict", news, mine };
      const unasked = ({ group, problem }) => !problem && group.events.every((event) => UNASKED.has(event.type));
      if (mine.every(unasked)) await this.#decided(true);
    });
  }

  // Each waiting group after `news`, in order: null where it fits, else the problem. Without the engine: unknown.
  async #fits(news) {
    const shifted = [];
    for (const group of this.pending) shifted.push({ group, events: moved(group.events, this.events.length, news.length) });
    if (!this.engine) return shifted.map((each) => ({ ...each, problem: undefined }));
    await this.engine.ask("load", { events: [...this.events, ...news], names: this.names });
    const found = [];
    for (const each of shifted) {
      const before = found.find((one) => one.problem);
      const problem = before ? before.problem : await this.#tryOne(each.events);
      found.push({ ...each, problem });
    }
    return found;
  }

  async #tryOne(events) {
    try {
      await this.engine.ask("record", { events });
      return null;
    } catch (fault) {
      if (fault instanceof Refusal) return fault.problem;
      throw fault;
    }
  }

  // The person's word on a conflict: keep what fits after the other phone's, or put all of one's own aside.
  decide(keepMine) {
    return this.#alone(() => this.#decided(keepMine));
  }

  async #decided(keepMine) {
    if (this.trouble?.kind !== "conflict") return; // decided in another tab
    const { news, mine } = this.trouble;
    this.events.push(...news);
    this.redoable = [];
    const stay = [];
    const out = [];
    for (const { group, events, problem } of mine) {
      if (keepMine && !problem) stay.push({ ...group, events, after: group.after + news.length });
      else out.push([group, problem ? problem.code : "left out"]);
    }
    this.pending = stay;
    await outbox.decided(this.#night(), stay, out);
    await this.#afterTrouble();
  }

  // Puts aside what was refused, and all that was tapped after it.
  putAside() {
    return this.#alone(() => this.#allAside());
  }

  async #allAside() {
    if (this.trouble?.kind !== "refused") return;
    const why = this.trouble.problem.code || "refused";
    const out = this.pending.map((group) => [group, why]);
    this.pending = [];
    await outbox.decided(this.#night(), [], out);
    await this.#afterTrouble();
  }

  // Takes back what was refused, where nothing else waits: whoever asked for it still has it before them.
  takeBack() {
    return this.#alone(async () => {
      const refused = this.pending;
      this.pending = [];
      await this.#keep(refused);
      await this.#afterTrouble();
    });
  }

  async #afterTrouble() {
    this.trouble = null;
    this.put_aside = await aside.all(this.session);
    if (this.live) this.live.after = Math.max(this.live.after, this.events.length);
    await this.#reload();
    await this.#keep();
    this.onChange();
    setTimeout(() => (this.pending.length ? this.#send() : this.#refresh()), 0);
  }

  // live, saving or offline, and how many wait
  light() {
    const waiting = this.pending.reduce((sum, group) => sum + group.events.length, 0);
    if (this.up === false) return { kind: "offline", waiting };
    if (waiting) return { kind: "saving", waiting };
    return { kind: this.up || this.trouble ? "live" : "reading", waiting };
  }
}
