// The signed heads that this phone was given of a night: kept, and held against the log. Whoever keeps the log cannot
// change what came before a head that somebody holds; and whoever watches holds some without doing anything.

const SOON_MS = 3000;
const EVERY_MS = 60000;
const MOST = 40;

export class Heads {
  constructor(night, onChange) {
    this.night = night;
    this.onChange = onChange;
    this.place = `bragbook.heads.${night.session}`;
    this.kept = this.#read();
    this.gone = null; // a head that does not lie on the log any more
    this.timer = setTimeout(() => this.#look(), SOON_MS);
  }

  #read() {
    try {
      return JSON.parse(localStorage.getItem(this.place)) || [];
    } catch {
      return [];
    }
  }

  #write() {
    try {
      localStorage.setItem(this.place, JSON.stringify(this.kept));
    } catch {
      // storage is off, or full: they last as long as the page
    }
  }

  async #look() {
    try {
      await this.#check();
      if (!this.gone) await this.#take();
    } catch {
      // no answer: again later
    }
    this.timer = setTimeout(() => this.#look(), EVERY_MS);
  }

  // The first that was kept, and the last few: each event is still what it was.
  async #check() {
    const some = [...new Set([this.kept[0], ...this.kept.slice(-3)])].filter(Boolean);
    for (const head of some) {
      const answer = await this.night.api.get(this.night.path(`/events?after=${head.version - 1}&limit=1`));
      if (answer.events[0]?.hash !== head.hash) {
        this.gone = head;
        this.onChange();
        return;
      }
    }
  }

  async #take() {
    if (this.kept.at(-1)?.version === this.night.state?.version) return;
    const { version, head } = await this.night.api.get(this.night.path("/head"));
    const hash = /^head ([0-9a-f]{64})$/m.exec(head)?.[1];
    if (!hash || this.kept.at(-1)?.version >= version) return;
    this.kept.push({ version, hash, head });
    if (this.kept.length > MOST) this.kept.splice(1, 1); // the first stays
    this.#write();
  }

  // The kept notes as files that /verify and `bragbook audit --head` take.
  address() {
    return URL.createObjectURL(new Blob([this.gone.head], { type: "text/plain" }));
  }
}
