// Checks a file with the engine's own audit, on MicroPython, away from the thread that draws. Signatures are checked by
// noble-ed25519, since a page over plain HTTP has no cryptography of the browser's. Nothing is sent anywhere.
// A question is {number, bytes, key, heads}; its answer {number, answer: JSON} or {number, fault: text}.
import { startPython } from "../app/python.js";
import { hashes, verify } from "./noble-ed25519.js";
import { sha512 } from "./noble-hashes/sha2.js";

const HEAP_BYTES = 96 * 1024 * 1024;
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

const ready = startPython(new URL("./verifier.json", import.meta.url), "verifier", HEAP_BYTES);

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
