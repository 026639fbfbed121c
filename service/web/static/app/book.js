// The recorder's book of one night: what the server has stored, what was tapped since, and the state that makes.
//
// A tap is checked by the engine in the page, kept on the phone, shown, and sent: in order, each once, under ids of the
// phone's own, so that sending again after a lost answer changes nothing. `If-Match` says what the phone had seen;
// where another phone has recorded meanwhile, nothing is merged: the person is shown both and decides.
import { Engine, Refusal } from "./engine.js";
import { NoAnswer, Problem, eventsAfter, uuid } from "./api.js";
import { aside, nights, outbox } from "./store.js";
import { bare, lastGroup, moved } from "./log.js";
import { Live } from "./live.js";

const WAITS_MS = [500, 1000, 2000, 4000, 8000, 15000];

export class Book {
  constructor({ session, api, onChange, undoReason }) {
    Object.assign(this, { session, api, onChange, undoReason });
    this.events = []; // stored by the server, seq 1 first
    this.pending = []; // groups that wait: {n, session, events, clean}
    this.redoable = [];
    this.names = {};
    this.state = null;
    this.engine = null; // until it has started, the server's answers serve
    this.engineFault = null;
    this.up = null;
    this.sending = false;
    this.busy = false;
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
    const night = await nights.get(this.session);
    this.pending = await outbox.all(this.session);
    this.put_aside = await aside.all(this.session);
    if (night) {
      Object.assign(this, { events: night.events, names: night.names, state: night.state, redoable: night.redoable || [] });
      this.onChange();
    }
    this.#startEngine();
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

  // The engine's session anew: what is stored, then what waits.
  async #reload() {
    if (!this.engine || !this.events.length) return;
    const { state } = await this.engine.ask("load", { events: this.events, names: this.names });
    this.state = state;
    await this.#replayPending();
  }

  async #refresh() {
    if (this.sending || this.refreshing) {
      this.missed = true; // looked at once the answer is here
      return;
    }
    this.refreshing = true;
    try {
      const state = await this.api.get(`/sessions/${this.session}`);
      const news = await eventsAfter(this.api, this.session, state.version < this.events.length ? 0 : this.events.length);
      await this.#alone(() => this.#adopt(state, news));
      this.up = true;
    } catch (fault) {
      this.#failed(fault);
    } finally {
      this.refreshing = false;
    }
    this.onChange();
    this.#next();
  }

  async #adopt(state, news) {
    this.#name(state);
    if (state.version < this.events.length) this.events = []; // the server was put back: believe it
    const fresh = news.filter((event) => event.seq > this.events.length);
    if (this.pending.length && fresh.length && !(await this.#ours(fresh))) return; // the sender brings it before the person
    this.events.push(...fresh);
    if (this.engine) await this.#reload();
    else if (!this.pending.length) this.state = state;
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

  // Whether `news` are only what this phone sent itself, its answer lost; then they are saved.
  async #ours(news) {
    const mine = this.pending.flatMap((group) => group.events.map((event) => event.id));
    if (!news.every((event, index) => event.id === mine[index])) return false;
    let left = news.length;
    while (left > 0 && this.pending[0].events.length <= left) {
      left -= this.pending[0].events.length;
      await outbox.remove(this.pending.shift().n);
    }
    return true;
  }

  async #replayPending() {
    if (!this.engine || !this.state) return;
    for (const group of this.pending) {
      try {
        const { events, state } = await this.engine.ask("record", { events: group.events });
        group.clean = events;
        this.state = state;
      } catch (fault) {
        if (!(fault instanceof Refusal)) throw fault;
        this.trouble = { kind: "refused", problem: fault.problem, group };
        return;
      }
    }
  }

  #name(state) {
    for (const player of state.seats) this.names[player] = state.players[player].name;
  }

  #keep() {
    const { session, events, names, state, redoable } = this;
    return nights.put({ session, events, names, state, redoable });
  }

  // ---- recording

  // Records `raws` as one request, all or none. Gives null, or the problem that speaks against it.
  async record(raws, { redo = false } = {}) {
    if (this.busy || this.trouble) return null;
    this.busy = true;
    try {
      await this.#alone(() => this.#take(raws, redo));
    } catch (fault) {
      if (fault instanceof Refusal) return fault.problem;
      throw fault;
    } finally {
      this.busy = !this.engine && this.pending.length > 0;
      this.onChange();
    }
    this.#send();
    return null;
  }

  async #take(raws, redo) {
    const at = new Date().toISOString();
    const events = raws.map((raw) => ({ at, ...raw, id: uuid() }));
    const group = { session: this.session, events };
    if (this.engine) {
      const answer = await this.engine.ask("record", { events });
      group.clean = answer.events;
      this.state = answer.state;
    }
    const n = await outbox.add({ ...group, clean: undefined });
    this.kept = n !== false;
    if (this.kept) group.n = n;
    this.pending.push(group);
    if (!redo && this.redoable.length) this.redoable = [];
  }

  // All events, the waiting ones with the numbers that they will get.
  log() {
    let seq = this.events.length;
    const waiting = this.pending.flatMap((group) =>
      group.events.map((raw, index) => ({ ...(group.clean?.[index] || raw), seq: ++seq, waiting: true })),
    );
    return [...this.events, ...waiting];
  }

  undoable() {
    return lastGroup(this.log());
  }

  async undo() {
    const group = this.undoable();
    if (!group.length) return null;
    const seqs = group.map((event) => event.seq);
    const problem = await this.record([{ type: "void", seqs, reason: this.undoReason }], { redo: true });
    if (!problem) {
      this.redoable.push(group.map((event) => ({ ...bare(event), replaces: event.seq })));
      this.#keep();
      this.onChange();
    }
    return problem;
  }

  async redo() {
    const group = this.redoable.pop();
    if (!group) return null;
    const problem = await this.record(group, { redo: true });
    if (problem) this.redoable.push(group);
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
      this.busy = !this.engine && this.pending.length > 0 && !this.trouble;
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
    if (answer.events[0].seq !== this.events.length + 1) return this.#meanwhile();
    return this.#alone(() => this.#saved(group, answer));
  }

  async #saved(group, answer) {
    this.events.push(...answer.events);
    this.#name(answer.state);
    this.pending.shift();
    if (!this.engine && !this.pending.length) this.state = answer.state;
    if (this.live) this.live.after = Math.max(this.live.after, this.events.length);
    await this.#keep();
    // only now: the server's number for it is on the phone
    if (group.n !== undefined) await outbox.remove(group.n);
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
    const news = await eventsAfter(this.api, this.session, this.events.length);
    await this.#alone(async () => {
      if (await this.#ours(news)) {
        this.events.push(...news);
        await this.#keep();
      } else this.trouble = { kind: "conflict", news, mine: await this.#fits(news) };
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
    const { news, mine } = this.trouble;
    this.events.push(...news);
    this.redoable = [];
    const stay = [];
    for (const { group, events, problem } of mine) {
      if (keepMine && !problem) {
        const next = { ...group, events };
        await outbox.put({ ...next, clean: undefined });
        stay.push(next);
      } else await outbox.setAside(group, problem ? problem.code : "left out");
    }
    this.pending = stay;
    await this.#afterTrouble();
  }

  // Puts aside what was refused, and all that was tapped after it.
  putAside() {
    return this.#alone(() => this.#allAside());
  }

  async #allAside() {
    for (const group of this.pending) await outbox.setAside(group, this.trouble.problem?.code || "refused");
    this.pending = [];
    await this.#afterTrouble();
  }

  async #afterTrouble() {
    this.trouble = null;
    this.busy = false;
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
    return { kind: waiting ? "saving" : "live", waiting };
  }
}
