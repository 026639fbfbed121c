// Starts the view that the page is for.
import { page } from "./words.js";
import { takeFromAddress } from "./keys.js";

const moment = takeFromAddress(page.session);
const root = document.getElementById("app");
const view = await import(`./views/${page.view}.js`);
root.replaceChildren(); // what stood there until now
view.start(root, moment);
// A link to this same page, opened in this same tab, only changes what stands behind `#`: a key, or another moment.
addEventListener("hashchange", () => location.hash.includes("=") && location.reload());
