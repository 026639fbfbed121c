// Asks the engine in its worker. Answers are what the bridge gives; a refusal is a Refusal, thrown.

export class Refusal extends Error {
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

export class Engine {
  constructor() {
    this.waiting = new Map();
    this.next = 1;
    this.worker = new Worker(new URL("./engine-worker.js", import.meta.url), { type: "module" });
    this.ready = new Promise((resolve, reject) => {
      this.worker.onerror = (fault) => reject(new Error(fault.message || "the engine did not start"));
      this.worker.onmessage = ({ data }) => {
        if (data.ready) resolve();
        else if (data.broken) reject(new Error(data.broken));
        else this.#settle(data);
      };
    });
  }

  #settle({ number, answer, fault }) {
    const { resolve, reject } = this.waiting.get(number);
    this.waiting.delete(number);
    if (fault) {
      reject(new Error(fault));
      return;
    }
    const { ok, refused } = JSON.parse(answer);
    if (refused) reject(new Refusal(refused));
    else resolve(ok);
  }

  ask(what, fields = {}) {
    return this.askText(JSON.stringify({ do: what, ...fields }));
  }

  // A question that is JSON already, number for number as it was written.
  askText(question) {
    const number = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.worker.postMessage({ number, question });
    });
  }

  stop() {
    this.worker.terminate();
  }
}
