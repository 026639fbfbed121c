// The browser's back button, and the phone's gesture for it, close what lies over the page. While anything does, the
// history has one entry more; it is taken away again with whatever else closes the sheet.
const open = [];
let entry = false;
let leaving = false;

function agree() {
  if (leaving) return; // once the browser is back
  if (open.length && !entry) {
    entry = true;
    history.pushState({ ...history.state, sheet: true }, "");
  } else if (!open.length && entry) leave();
}

function leave() {
  entry = false;
  leaving = true;
  history.back();
}

addEventListener("popstate", () => {
  if (leaving) {
    leaving = false;
    agree();
  } else if (history.state?.sheet) leave(); // forward, to a sheet that is closed
  else if (entry) {
    entry = false;
    open.at(-1)?.props.onClose();
  }
});

// left over from before a reload, or by a link that was followed out of a sheet
if (history.state?.sheet) leave();

// One sheet may close as the next one opens: what is there a moment later counts.
export function opened(sheet) {
  open.push(sheet);
  setTimeout(agree);
}

export function closed(sheet) {
  open.splice(open.indexOf(sheet), 1);
  setTimeout(agree);
}
