// Starts the view that the page is for.
import { page } from "./words.js";
import { takeFromAddress } from "./keys.js";

const moment = takeFromAddress(page.session);
const root = document.getElementById("app");
const view = await import(`./views/${page.view}.js`);
root.replaceChildren(); // what stood there until now
view.start(root, moment);

if ("serviceWorker" in navigator) {
  navigator.serviceWorker
    .register("/sw.js")
    .then(() => navigator.serviceWorker.ready)
    .then((worker) => worker.active?.postMessage({ keep: location.pathname }))
    .catch((fault) => console.warn("no service worker:", fault));
}
