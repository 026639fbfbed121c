// Checks a file with the engine's own audit, on MicroPython, away from the thread that draws. Signatures are checked by
// noble-ed25519, since a page over plain HTTP has no cryptography of the browser's. Nothing is sent anywhere.
// A question is {number, bytes, key, heads}; its answer {number, answer: JSON} or {number, fault: text}.
import { loadMicroPython } from "../vendor/micropython/micropython.mjs";
import { hashes, verify } from "./noble-ed25519.js";
import { sha512 } from "./noble-hashes/sha2.js";

const HEAP_BYTES = 96 * 1024 * 1024;
const HOME = "/bragbook";
const FILE = "/the-file";

hashes.sha512 = sha512;

function bytes(hex) {
  return Uint8Array.from({ length: hex.length / 2 }, (_, n) => parseInt(hex.slice(2 * n, 2 * n + 2), 16));
}

function check(key, signature, signed) {
  try {
    return verify(bytes(signature), bytes(signed), bytes(key), { zip215: false });
  } catch {
    return false; // not of a signature's form
  }
}

async function start() {
  const [python, bundle] = await Promise.all([
    loadMicroPython({ heapsize: HEAP_BYTES }),
    fetch(new URL("./verifier.json", import.meta.url)).then((answer) => {
      if (!answer.ok) throw new Error(`the engine's files: ${answer.status}`);
      return answer.json();
    }),
  ]);
  const made = new Set();
  const folder = (path) => {
    if (!path || made.has(path)) return;
    folder(path.slice(0, path.lastIndexOf("/")));
    python.FS.mkdir(path);
    made.add(path);
  };
  for (const [path, source] of Object.entries(bundle.files)) {
    const full = `${HOME}/${path}`;
    folder(full.slice(0, full.lastIndexOf("/")));
    python.FS.writeFile(full, source);
  }
  python.runPython(`import sys\nsys.path.insert(0, "${HOME}")\nimport verifier`);
  return python;
}

const ready = start();

self.onmessage = async ({ data }) => {
  try {
    const python = await ready;
    python.FS.writeFile(FILE, data.bytes);
    const question = JSON.stringify({ key: data.key, heads: data.heads });
    const answer = python.pyimport("verifier").verified(FILE, question, check);
    self.postMessage({ number: data.number, answer });
  } catch (fault) {
    self.postMessage({ number: data.number, fault: String(fault.message || fault) });
  }
};
