// The log as the page reads it: what is struck, and what stands.

// What others add beside the play; an undo of the recorder passes over it.
export const BESIDE = new Set(["open", "void", "note", "sign", "dispute", "rule"]);
// What stays as it is where the play before it is corrected.
export const STANDS = new Set([...BESIDE, "pay"]);
const STAMPED = ["session", "seq", "v", "hand", "recorded_at", "by", "prev", "hash", "id", "waiting", "replaces"];

export function struck(log) {
  const found = new Set();
  for (const event of log) if (event.type === "void") for (const seq of event.seqs) found.add(seq);
  return found;
}

export function effective(log) {
  const gone = struck(log);
  return log.filter((event) => event.type !== "void" && !gone.has(event.seq));
}

// An event as a client sends it.
export function bare(event) {
  const copy = { ...event };
  for (const field of STAMPED) delete copy[field];
  return copy;
}

// The same events, `by` places later in the log: what they say about each other follows. `base`: the last number
// that the phone had seen stored.
export function moved(events, base, by) {
  const shift = (seq) => (seq > base ? seq + by : seq);
  return events.map((event) => {
    const copy = { ...event };
    if (copy.seqs) copy.seqs = copy.seqs.map(shift);
    if (copy.replaces) copy.replaces = shift(copy.replaces);
    if (copy.dispute) copy.dispute = shift(copy.dispute);
    return copy;
  });
}

// Under which number a hand stands now: one that was recorded anew has another. Null where it is gone.
export function standingHand(log, number) {
  const gone = struck(log);
  let deal = log.find((event) => event.type === "deal" && event.hand === number);
  while (deal && gone.has(deal.seq)) {
    const { seq } = deal;
    deal = log.find((event) => event.type === "deal" && event.replaces === seq);
  }
  return deal ? deal.hand : null;
}
