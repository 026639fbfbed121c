// Live events of a session: one stream for all tabs of this browser, whoever holds the lease; the others hear of it
// over a BroadcastChannel. (The Web Locks that would do this are not there on plain HTTP, and a browser freezes a hidden
// tab with its lock held; a lease runs out.) Where streams fail, the holder asks every two seconds instead.

const BEAT_MS = 2000;
const LEASE_MS = 6000;
const QUIET_MS = 30000;

export class Live {
  // told(events): stored events, in order, some perhaps known already. status(up): whether the server answers.
  constructor({ session, api, after, told, status }) {
    Object.assign(this, { session, api, after, told, status });
    this.tab = Math.random().toString(36).slice(2);
    this.place = `bragbook.stream.${session}`;
    this.stream = null;
    this.beatHeard = Date.now();
    this.channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(this.place) : null;
    if (this.channel) this.channel.onmessage = ({ data }) => this.#hear(data);
    this.timer = setInterval(() => this.#beat(), BEAT_MS);
    addEventListener("pagehide", () => this.stop());
    addEventListener("pageshow", (event) => event.persisted && location.reload());
    document.addEventListener("visibilitychange", () => document.hidden || this.#beat(true));
    addEventListener("online", () => this.#beat(true));
    this.#beat();
  }

  stop() {
    clearInterval(this.timer);
    this.stream?.abort();
    if (this.#lease()?.tab === this.tab) this.#write(null);
    this.channel?.close();
    this.channel = null;
  }

  #lease() {
    try {
      return JSON.parse(localStorage.getItem(this.place));
    } catch {
      return null;
    }
  }

  #write(lease) {
    try {
      if (lease) localStorage.setItem(this.place, JSON.stringify(lease));
      else localStorage.removeItem(this.place);
    } catch {
      // no storage: every tab holds a stream of its own
    }
  }

  #beat(woken = false) {
    const lease = this.#lease();
    const now = Date.now();
    const mine = lease?.tab === this.tab;
    if (!lease || mine || lease.until < now || lease.until > now + LEASE_MS) {
      this.#write({ tab: this.tab, until: now + LEASE_MS });
      if (!this.stream) this.#listen();
      else if (woken || now - this.heard > QUIET_MS) this.stream.abort(); // a dead connection: begin again
      this.channel?.postMessage({ beat: this.after, up: this.up });
    } else {
      this.stream?.abort();
      if (woken) this.#catchUp();
    }
  }

  #hear(data) {
    if (data.events) this.#tell(data.events, false);
    if (data.up !== undefined) this.status(data.up);
    if (data.beat > this.after) this.#catchUp();
  }

  #up(up) {
    this.up = up;
    this.status(up);
    this.channel?.postMessage({ up });
  }

  #tell(events, aloud = true) {
    const news = events.filter((event) => event.seq > this.after);
    if (!news.length) return;
    this.after = news.at(-1).seq;
    if (aloud) this.channel?.postMessage({ events: news });
    this.told(news);
  }

  async #catchUp() {
    try {
      const { events } = await this.api.get(`/sessions/${this.session}/events?after=${this.after}&limit=500`);
      this.#up(true);
      this.#tell(events);
    } catch (fault) {
      if (!fault.status) this.#up(false);
    }
  }

  async #listen() {
    const stop = new AbortController();
    this.stream = stop;
    this.heard = Date.now();
    try {
      const answer = await fetch(`/api/v1/sessions/${this.session}/stream`, {
        headers: { Authorization: `Bearer ${this.api.token}`, Accept: "text/event-stream", "Last-Event-ID": String(this.after) },
        credentials: "omit",
        cache: "no-store",
        signal: stop.signal,
      });
      if (answer.status === 401 || answer.status === 403) {
        this.status(true, answer.status);
        clearInterval(this.timer);
        return;
      }
      if (!answer.ok) throw new Error(String(answer.status));
      this.#up(true);
      await this.#read(answer.body.getReader());
    } catch {
      if (!stop.signal.aborted) await this.#catchUp();
    }
    if (this.stream === stop) this.stream = null; // the next beat begins again
  }

  async #read(reader) {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      this.heard = Date.now();
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop();
      const events = [];
      for (const block of blocks) {
        const data = block.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart());
        if (data.length) events.push(JSON.parse(data.join("\n")));
      }
      this.#tell(events.filter((event) => event && event.seq));
    }
  }
}
