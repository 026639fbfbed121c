// The screen stays on while a hand is open, where the phone allows (HTTPS or this machine only).
let lock = null;
let wanted = false;
let turns = Promise.resolve();

// One request at a time: a second lock, asked for while the first is on its way, would never be let go of.
export function stayAwake(on) {
  wanted = on;
  if ("wakeLock" in navigator) turns = turns.then(agree);
}

async function agree() {
  try {
    if (wanted && !lock && !document.hidden) {
      lock = await navigator.wakeLock.request("screen");
      lock.addEventListener("release", () => (lock = null)); // the phone lets go of it when the page is hidden
    } else if (!wanted && lock) await lock.release();
  } catch {
    lock = null; // a low battery may refuse; nothing depends on it
  }
}

document.addEventListener("visibilitychange", () => stayAwake(wanted));
