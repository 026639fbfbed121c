// The engine in the page: the Python package `events`, on MicroPython, away from the thread that draws.
// A question is {number, question: JSON}; its answer {number, answer: JSON} or {number, fault: text}.
import { startPython } from "./python.js";

const HEAP_BYTES = 24 * 1024 * 1024;

const ready = startPython(new URL("../engine.json", import.meta.url), "bridge", HEAP_BYTES).then(
  (python) => python.pyimport("bridge").answer,
);
ready.then(
  () => self.postMessage({ ready: true }),
  (fault) => self.postMessage({ broken: String(fault) }),
);

self.onmessage = async ({ data }) => {
  try {
    const answer = await ready;
    self.postMessage({ number: data.number, answer: answer(data.question) });
  } catch (fault) {
    self.postMessage({ number: data.number, fault: String(fault.message || fault) });
  }
};
