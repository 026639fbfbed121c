// What is written into the log stays there for ever; a player's name can be erased only where it stands beside it. So
// free text is looked through for the names of the table before it is sent.

// Every letter without its accents, one for one, so that places in the text stay the same.
function plain(text) {
  return [...text.normalize("NFC")].map((letter) => [...letter.normalize("NFD")][0]).join("");
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const WITHIN = "[\\p{L}\\p{N}]";
const whole = (words, flags) => new RegExp(`(?<!${WITHIN})${escaped(plain(words))}(?!${WITHIN})`, `u${flags}`);

// How a name may be written: in full in any case, or one of its capitalised words.
function forms(name) {
  const words = name.split(/\s+/).filter((word) => [...word].length > 2 && word[0] !== word[0].toLowerCase());
  return [whole(name, "gi"), ...(name.includes(" ") ? words.map((word) => whole(word, "g")) : [])];
}

// The players whose names stand in `text`: [{player, seat, found}], in seat order. names: player -> name.
export function namesIn(text, seats, names) {
  const searched = plain(text);
  const found = [];
  seats.forEach((player, index) => {
    const name = (names[player] || "").trim().normalize("NFC");
    // a player without a name is called by the id, which says nothing
    if ([...name].length < 2 || name === player) return;
    const form = forms(name).find((one) => searched.search(one) >= 0);
    if (form) found.push({ player, seat: index + 1, found: name });
  });
  return found;
}

// `text` with every way of writing the player's name replaced.
export function withoutName(text, name, instead) {
  let left = text.normalize("NFC");
  for (const form of forms(name)) {
    let done = "";
    let at = 0;
    for (const match of plain(left).matchAll(form)) {
      done += left.slice(at, match.index) + instead;
      at = match.index + match[0].length;
    }
    left = done + left.slice(at);
  }
  return left;
}
