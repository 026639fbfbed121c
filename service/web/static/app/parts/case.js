// The case of one hand, drawn: its story, what was found, who was paid and who should have been, who owes whom.
import { html } from "../html.js";
import { subtract } from "../amounts.js";
import { amount, list, money, page, t } from "../words.js";
import { sayEvent, sayExpected, sayFinding, sayHand } from "../describe.js";
import { standingHand } from "../log.js";
import { Disputes } from "./disputes.js";
import { Press, say } from "./press.js";
import { RuleLink } from "./rule-link.js";

const SIGNS = { sound: "✓", irregular: "⚠", disputed: "⚖", unsound: "✕" };

export function Case({ night, show, held, choose, record, book }) {
  const { names, hands, state } = night;
  if (hands.length === 0) return html`<section class="panel"><h1>${t("title.case")}</h1><p>${t("watch.no_hands")}</p></section>`;
  const { audit, settlement, log, tokens } = show;
  const hand = hands.find((each) => each.hand === show.hand);
  return html`<div class="case">
    <label class="field no-print"><span>${t("replay.hand")}</span>
      <select onChange=${(change) => choose(Number(change.target.value))}>
        ${!hand && html`<option value="" selected>–</option>`}
        ${hands.map((each) => html`<option key=${each.hand} value=${each.hand} selected=${each.hand === show.hand}>${t("hand.title", { n: each.hand })} – ${sayHand(each, names).head}</option>`)}
      </select>
    </label>
    ${!hand && html`<${Gone} number=${show.hand} log=${log} choose=${choose} />`}
    ${hand && !audit && html`<p class="loading">${t("page.loading")}</p>`}
    ${hand && audit && html`
      <h1>${t("case.of", { n: hand.hand })}</h1>
      <p class=${`verdict is-${audit.verdict}`} role="status"><b aria-hidden="true">${SIGNS[audit.verdict]}</b> ${t(`case.verdict.${audit.verdict}`)}</p>
      <${Story} ...${{ audit, log, names }} />
      <${Paid} ...${{ audit, hand, state, names }} />
      <${Findings} ...${{ audit, names }} />
      <${Owed} ...${{ audit, state, names }} />
      <${Disputes} key=${hand.hand} disputes=${settlement.disputes.filter((each) => each.hand === hand.hand)} ...${{ hand: hand.hand, owed: audit.owed, state, names, held, log, tokens, record, book }} />
      <nav class="ways no-print" aria-label=${t("menu.title")}>
        <a class="press second" href=${`/s/${page.session}/replay#hand=${hand.hand}`}>${t("case.replay")}</a>
        <${Press} meaning=${`share ${hand.hand}`} kind="second" onPress=${() => share(hand.hand, held)}>${t("case.share")}<//>
        <a class="press second" href=${`/s/${page.session}/settle`}>${t("menu.settle")}</a>
        <a class="press second" href=${`/s/${page.session}`}>${t("menu.watch")}</a>
      </nav>`}
  </div>`;
}

// The link holds the token to watch where this phone has one; else it opens for whoever is let in already.
async function share(hand, held) {
  const url = `${location.origin}/s/${page.session}/case#${held.view ? `view=${held.view}&` : ""}hand=${hand}`;
  if (navigator.share) return navigator.share({ url }).catch(() => {});
  const field = Object.assign(document.createElement("textarea"), { value: url });
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  return say(t("share.copied"));
}

function Gone({ number, log, choose }) {
  const now = standingHand(log, number);
  return html`<section class="panel"><h1>${t("case.of", { n: number })}</h1>
    <p>${t(now ? "case.anew" : "case.gone", { n: now })}</p>
    ${now && html`<${Press} meaning=${`go ${now}`} kind="main" onPress=${() => choose(now)}>${t("case.of", { n: now })}<//>`}
  </section>`;
}

function Story({ audit, log, names }) {
  return html`<section class="panel" aria-labelledby="story-head">
    <h2 id="story-head">${t("case.story")}</h2>
    <ol class="story">
      ${audit.story.filter((step) => step.type !== "owed").map((step, index) => html`<li key=${index} class=${`is-${step.type}${step.struck ? " struck" : ""}`}>
        ${step.seq === null ? html`<span class="seq" aria-hidden="true">→</span>` : html`<a class="seq" href=${`/s/${page.session}/replay#hand=${audit.hands[0].hand}&at=${step.seq}`} aria-label=${t("case.moment", { n: step.seq })}>${step.seq}</a>`}
        <div>
          <p>${step.struck ? html`<${Struck} step=${step} log=${log} names=${names} />` : step.text}</p>
          <p class="after">${step.pot !== null && html`<span>${t("figure.pot")} <b>${amount(step.pot)}</b></span> <span>${t("figure.level")} <b>${amount(step.level)}</b></span>`} <${RuleLink} rule=${step.rule} /></p>
        </div>
      </li>`)}
    </ol>
  </section>`;
}

// What was struck stays to be read, with why it was.
function Struck({ step, log, names }) {
  const event = log.find((each) => each.seq === step.seq);
  const by = log.find((each) => each.type === "void" && each.seqs.includes(step.seq));
  if (!event || !by) return html`<del>${step.text}</del>`;
  return html`<del>${sayEvent(event, names)}</del> <span>${t("case.struck", { reason: by.reason })}</span>`;
}

// What the table did beside what the rules give: who was paid, or who lost a life.
function Paid({ audit, hand, state, names }) {
  if (hand.result === "open" || hand.result === "misdeal") return null;
  const wrong = audit.findings.filter((one) => one.code === "award.wrong").at(-1);
  if (state.game === "lives") {
    const said = (players) => (players.length ? list(players.map((id) => names[id])) : t("case.nobody"));
    return html`<section class="panel" aria-labelledby="paid-head"><h2 id="paid-head">${t("case.lost")}</h2>
      <table class="balances"><tbody>
        <tr><th scope="row">${t("case.by_rules")}</th><td>${said(wrong?.expected || hand.losers)}</td></tr>
        <tr><th scope="row">${t("case.at_table")}</th><td>${said(hand.losers)}</td></tr>
      </tbody></table></section>`;
  }
  const due = wrong?.expected || hand.awards;
  const players = state.seats.filter((id) => id in due || id in hand.awards);
  return html`<section class="panel" aria-labelledby="paid-head"><h2 id="paid-head">${t("case.paid")}</h2>
    ${players.length === 0
      ? html`<p>${t("case.nobody_paid")}</p>`
      : html`<table class="balances">
      <thead><tr><th scope="col">${t("watch.player")}</th><th scope="col">${t("case.by_rules")}</th><th scope="col">${t("case.at_table")}</th></tr></thead>
      <tbody>${players.map((id) => {
        const [should, was] = [due[id] || "0", hand.awards[id] || "0"];
        const off = subtract(was, should);
        return html`<tr key=${id}><th scope="row">${names[id]}</th><td>${amount(should)}</td><td>${amount(was)}${off !== "0" && html` <small class=${off.startsWith("-") ? "minus" : "plus"}>(${amount(off, true)})</small>`}</td></tr>`;
      })}</tbody>
    </table>`}</section>`;
}

function Findings({ audit, names }) {
  const found = audit.findings.filter((one) => one.code !== "dispute.open");
  if (found.length === 0) return null;
  return html`<section class="panel" aria-labelledby="found-head"><h2 id="found-head">${t("case.found")}</h2>
    <ul class="found">${found.map((one, index) => {
      const [expected, actual] = [sayExpected(one.expected, names), sayExpected(one.actual, names)];
      return html`<li key=${index}>
        <p><b>${one.severity === "error" ? `✕ ${t("case.error")}` : `⚠ ${t("case.warning")}`}</b> ${one.players?.length > 0 && one.code !== "award.wrong" ? `${list(one.players.map((id) => names[id] || id))}: ` : ""}${sayFinding(one)}</p>
        ${expected && actual && html`<p>${t("case.instead", { expected, actual })}</p>`}
        <p class="after">${(one.seqs || []).map((seq) => html`<span key=${seq}>${t("case.event", { n: seq })}</span>`)} <${RuleLink} rule=${one.rule} /></p>
      </li>`;
    })}</ul></section>`;
}

function Owed({ audit, state, names }) {
  return html`<section class="panel" aria-labelledby="owed-head"><h2 id="owed-head">${t("case.owed")}</h2>
    ${audit.owed.length === 0
      ? html`<p>${t("case.owed_none")}</p>`
      : html`<ul class="owed">${audit.owed.map((debt) => html`<li key=${debt.from + debt.to}>${t("case.owes", { from: names[debt.from], to: names[debt.to], amount: amount(debt.amount) })} ${money(debt.amount, state.unit)}</li>`)}</ul>`}
  </section>`;
}
