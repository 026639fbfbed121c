// The service's API, as this phone may use it. Tokens go in a header only.

export class Problem extends Error {
  constructor(status, problem, wait) {
    super(problem.detail || problem.title || String(status));
    this.status = status;
    this.problem = problem;
    this.wait_s = wait;
  }
}

// There is no answer: no signal, a server that is away, an answer that was cut off.
export class NoAnswer extends Error {}

const PATIENCE_MS = 12000;

export class Api {
  constructor(token) {
    this.token = token;
  }

  async ask(method, path, body, headers = {}) {
    const all = { Accept: "application/json", ...headers };
    if (this.token) all.Authorization = `Bearer ${this.token}`;
    if (body !== undefined) all["Content-Type"] = "application/json";
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), PATIENCE_MS);
    let answer;
    let read;
    try {
      answer = await fetch(`/api/v1${path}`, {
        method,
        headers: all,
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "omit",
        cache: "no-store",
        signal: stop.signal,
      });
      const text = await answer.text();
      read = text ? JSON.parse(text) : null;
    } catch (fault) {
      throw new NoAnswer(String(fault));
    } finally {
      clearTimeout(timer);
    }
    if (answer.status >= 400) {
      const wait = Number(answer.headers.get("Retry-After")) || null;
      throw new Problem(answer.status, read || {}, wait);
    }
    return read;
  }

  get(path) {
    return this.ask("GET", path);
  }

  post(path, body, headers) {
    return this.ask("POST", path, body, headers);
  }

  put(path, body) {
    return this.ask("PUT", path, body);
  }

  delete(path) {
    return this.ask("DELETE", path);
  }
}

// All events of a session after `seq`, in order, however many.
export async function eventsAfter(api, session, seq) {
  const events = [];
  let after = seq;
  for (;;) {
    const part = await api.get(`/sessions/${session}/events?after=${after}&limit=500`);
    events.push(...part.events);
    if (part.events.length < 500) return events;
    after = part.events.at(-1).seq;
  }
}

// crypto.randomUUID is only there over HTTPS; a table's own network is plain HTTP.
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
