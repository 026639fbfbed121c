// Puts the page on the phone, once all that it needs is there: the files come out of the browser's cache then, and
// nothing competes with the first page. Only where somebody records: a watcher has no use for the engine.

let asked = false;

export function keepOnPhone() {
  if (asked || !("serviceWorker" in navigator)) return;
  asked = true;
  navigator.serviceWorker
    .register("/sw.js")
    .then(() => navigator.serviceWorker.ready)
    .then((worker) => worker.active?.postMessage({ keep: location.pathname }))
    .catch((fault) => console.warn("no service worker:", fault));
}
