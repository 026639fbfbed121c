// The engine in the page: the Python package `events`, on MicroPython, away from the thread that draws.
// A question is {number, question: JSON}; its answer {number, answer: JSON} or {number, fault: text}.
import { loadMicroPython } from "../vendor/micropython/micropython.mjs";

const HEAP_BYTES = 24 * 1024 * 1024;
const HOME = "/bragbook";

async function start() {
  const [python, bundle] = await Promise.all([
    loadMicroPython({ heapsize: HEAP_BYTES }),
    fetch(new URL("../engine.json", import.meta.url)).then((answer) => {
      if (!answer.ok) throw new Error(`the engine's files: ${answer.status}`);
      return answer.json();
    }),
  ]);
  const made = new Set();
  const folder = (path) => {
    if (made.has(path)) return;
    const above = path.slice(0, path.lastIndexOf("/"));
    if (above) folder(above);
    python.FS.mkdir(path);
    made.add(path);
  };
  for (const [path, source] of Object.entries(bundle.files)) {
    const full = `${HOME}/${path}`;
    folder(full.slice(0, full.lastIndexOf("/")));
    python.FS.writeFile(full, source);
  }
  python.runPython(`import sys\nsys.path.insert(0, "${HOME}")\nimport bridge`);
  return python.pyimport("bridge").answer;
}

const ready = start();
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
