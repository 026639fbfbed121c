// Any hand again, move by move: what was done, the pot, what each could have done. A link leads to a moment.
import { html, render } from "../html.js";
import { amount, cardSigns, has, list, page, t } from "../words.js";
import { eventsAfter } from "../api.js";
import { sayEvent, sayFault, sayHand } from "../describe.js";
import { effective } from "../log.js";
import { Night } from "../night.js";
import { Cards } from "../parts/cards.js";
import { HandSummary } from "../parts/summary.js";
import { Headline, Seats } from "../parts/seats.js";
import { NoKey } from "../parts/nokey.js";
import { Press, say } from "../parts/press.js";
import { linkTo, share } from "../parts/share.js";
import * as keys from "../keys.js";

const STEP_MS = 1400;

export function start(root, moment) {
  const night = new Night({ session: page.session, onChange: () => draw() });
  const show = { hand: Number(moment.get("hand")) || null, seq: Number(moment.get("at")) || null, state: null, playing: null };
  const states = new Map();
  let log = [];

  night.more = async () => {
    const answer = await night.api.get(night.path("/hands"));
    night.hands = answer.hands || answer;
    log = effective(await eventsAfter(night.api, page.session, 0));
  };
  const steps = () => log.filter((event) => event.hand === show.hand);

  const ask = async (seq) => {
    try {
      return await night.api.get(night.path(`?at=${seq}`));
    } catch (fault) {
      states.delete(seq); // asked for again the next time
      throw fault;
    }
  };
  const stateAt = (seq) => {
    if (!states.has(seq)) states.set(seq, ask(seq));
    return states.get(seq);
  };
  const go = async (seq) => {
    show.seq = seq;
    history.replaceState(null, "", `#hand=${show.hand}&at=${seq}`);
    draw();
    try {
      const state = await stateAt(seq);
      if (show.seq === seq) {
        show.state = state;
        draw();
      }
    } catch (fault) {
      say(sayFault(fault));
      return;
    }
    const next = steps().find((event) => event.seq > seq);
    if (next) stateAt(next.seq).catch(() => {}); // ahead of time: not missed yet
  };
  const choose = (hand) => {
    show.hand = hand;
    const first = steps()[0];
    if (first) go(first.seq);
    else draw();
  };
  const move = (by) => {
    const all = steps();
    const at = all.findIndex((event) => event.seq === show.seq);
    const to = Math.min(all.length - 1, Math.max(0, at + by));
    if (all[to]) go(all[to].seq);
    return to < all.length - 1;
  };
  const play = () => {
    clearInterval(show.playing);
    show.playing = show.playing ? null : setInterval(() => {
      if (!move(1)) play();
    }, STEP_MS);
    draw();
  };
  const draw = () => render(html`<${Replay} night=${night} show=${show} steps=${steps()} doing=${{ choose, move, go, play }} />`, root);

  draw();
  if (!night.hasKey) return;
  night.refresh().then(() => {
    if (!night.state || night.hands.length === 0) return;
    const asked = show.seq && log.find((event) => event.seq >= show.seq && event.hand);
    if (asked) {
      show.hand = asked.hand;
      go(asked.seq);
    } else choose(show.hand || night.hands.at(-1).hand);
  });
  addEventListener("keydown", (event) => {
    if (event.target.matches("input, select, button")) return;
    if (event.key === "ArrowRight") move(1);
    if (event.key === "ArrowLeft") move(-1);
  });
}

function Replay({ night, show, steps, doing }) {
  const { names, hands } = night;
  if (!night.state || night.fault) return html`<${NoKey} night=${night} />`;
  if (hands.length === 0) return html`<section class="panel"><h1>${t("title.replay")}</h1><p>${t("watch.no_hands")}</p></section>`;
  const at = steps.findIndex((event) => event.seq === show.seq);
  const event = steps[at];
  const hand = hands.find((each) => each.hand === show.hand);
  const last = at === steps.length - 1;
  return html`<div class="replay">
    <label class="field"><span>${t("replay.hand")}</span>
      <select value=${show.hand} onChange=${(change) => doing.choose(Number(change.target.value))}>
        ${hands.map((each) => html`<option key=${each.hand} value=${each.hand} selected=${each.hand === show.hand}>${t("hand.title", { n: each.hand })} – ${sayHand(each, names).head}</option>`)}
      </select>
    </label>
    <p class="moment" role="status"><span class="eyebrow">${t("replay.step", { n: at + 1, of: steps.length })}</span><b>${event ? sayEvent(event, names) : ""}</b></p>
    <input type="range" class="scrub" min="0" max=${Math.max(0, steps.length - 1)} value=${Math.max(0, at)} aria-label=${t("replay.scrub")} aria-valuetext=${event ? sayEvent(event, names) : ""} onInput=${(change) => doing.go(steps[Number(change.target.value)].seq)} />
    <div class="row">
      <${Press} meaning="back" kind="second" disabled=${at <= 0} onPress=${() => doing.move(-1)}>‹ ${t("replay.back")}<//>
      <${Press} meaning="play" kind="second" onPress=${doing.play}>${show.playing ? `❚❚ ${t("replay.pause")}` : `▶ ${t("replay.play")}`}<//>
      <${Press} meaning="next" kind="main" disabled=${last} onPress=${() => doing.move(1)}>${t("replay.next")} ›<//>
    </div>
    ${show.state && html`<${Moment} state=${show.state} names=${names} />`}
    ${last && hand && html`<${HandSummary} hand=${hand} state=${night.state} names=${names} />`}
    <nav class="ways" aria-label=${t("menu.title")}>
      <${Press} meaning=${`share ${show.seq}`} kind="second" onPress=${() => share(linkTo("/replay", keys.of(page.session), `hand=${show.hand}&at=${show.seq}`))}>${t("replay.share")}<//>
      <a class="press second" href=${`/s/${page.session}/case#hand=${show.hand}`}>${t("title.case")}</a>
      <a class="press second" href=${`/s/${page.session}`}>${t("menu.watch")}</a>
    </nav>
  </div>`;
}

// What one could do, with its price.
function sayOption(entry, state) {
  if (entry.type === "swap") return `${t(`do.swap_${entry.take}`)}${entry.take === "up" && state.up ? ` ${cardSigns(state.up)}` : ""}`;
  const key = entry.which ? `act.${entry.type}_${entry.which}` : `act.${entry.type}${entry.as ? `_${entry.as}` : ""}`;
  const said = t(has(key) ? key : `act.${entry.type}`);
  const raise = entry.min ? `${amount(entry.min)}${entry.max && entry.max !== entry.min ? `–${amount(entry.max)}` : entry.max ? "" : "+"}` : null;
  const price = entry.type === "bet" ? [entry.call && amount(entry.call), raise].filter(Boolean).join(", ") : entry.type === "ante" ? amount(entry.amount || state.rules.ante) : entry.amount ? amount(entry.amount) : "";
  return `${said} ${price}`.trim();
}

// Each thing that could be done once, with who could, where it was not the one to act.
function optionsOf(state, names) {
  const found = new Map();
  for (const entry of state.legal) {
    if (["deal", "retain"].includes(entry.type)) continue;
    const said = sayOption(entry, state);
    if (!found.has(said)) found.set(said, new Set());
    if (entry.player && entry.player !== state.to_act) found.get(said).add(names[entry.player]);
  }
  return [...found].map(([said, who]) => (who.size ? `${said}: ${list([...who])}` : said));
}

// What the table looked like then, and what could have been done.
function Moment({ state, names }) {
  const options = optionsOf(state, names);
  return html`<${Headline} state=${state} names=${names} />
    <${Seats} state=${state} names=${names} />
    ${state.board.length > 0 && html`<div class="board"><span>${t("board.title")}</span> <${Cards} cards=${state.board} /></div>`}
    ${state.up && html`<div class="board"><span>${t("board.up")}</span> <${Cards} cards=${[state.up]} /></div>`}
    ${options.length > 0 && html`<section class="panel"><h2>${t("replay.could")}</h2><ul class="could">${options.map((said) => html`<li key=${said}>${said}</li>`)}</ul></section>`}`;
}
