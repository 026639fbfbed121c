// The screen stays on while a hand is open, where the phone allows (HTTPS or this machine only).
let lock = null;
let wanted = false;

export async function stayAwake(on) {
  wanted = on;
  if (!("wakeLock" in navigator)) return;
  try {
    if (on && !lock && !document.hidden) {
      lock = await navigator.wakeLock.request("screen");
      lock.addEventListener("release", () => (lock = null));
    } else if (!on && lock) await lock.release();
  } catch {
    lock = null; // a low battery may refuse; nothing depends on it
  }
}

document.addEventListener("visibilitychange", () => stayAwake(wanted));
