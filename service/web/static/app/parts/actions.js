// The buttons of the moment: the likeliest is the biggest, folding beside it, the raises under it.
import { html } from "../html.js";
import { amount, page, t } from "../words.js";
import { allIns, anteEvents, betEvent, bets, dealEvents, dealers, dealtIn, foldTo, only, retains, showing, usedCards } from "../offers.js";
import { Card, CardPicker } from "./cards.js";
import { Press } from "./press.js";
import { TableDid } from "./table-sheets.js";

const priced = (label, price) => html`<span class="label">${label}</span>${price && html` <span class="price">${price}</span>`}`;

// desk: {state, names, log, record, open, ui, setUi}
export function Actions({ desk }) {
  const draw = PHASES[desk.state.phase];
  return html`<section class="actions" aria-label=${t("actions.title")}>${draw ? draw(desk) : null}<${TableDid} desk=${desk} /></section>`;
}

// A button that records `events`; what it means is all of what it records, and at which point of the log.
function Does({ desk, events, kind, children, label }) {
  const meaning = `${desk.state.version} ${JSON.stringify(events)}`;
  return html`<${Press} meaning=${meaning} kind=${kind} disabled=${desk.busy} aria-label=${label} onPress=${() => desk.record(events)}>${children}<//>`;
}

function deal(desk) {
  const { state, names } = desk;
  const may = dealers(state);
  const kept = retains(state).map(
    (entry) => html`<${Does} key=${`${entry.player}${entry.which || ""}`} desk=${desk} kind="second" events=${[{ ...entry }]}>${t(entry.which ? `do.retain_${entry.which}` : "do.retain", { player: names[entry.player] })}<//>`,
  );
  if (!may.length) return html`${kept}<p class="hint">${t(state.rules.bank === "chips" ? "deal.buy_first" : "deal.too_few")}</p>`;
  if (state.game === "lives") return dealLives(desk, may);
  const ante = t("do.deal_antes", { n: dealtIn(state).length, amount: amount(state.rules.ante) });
  if (may.length === 1) {
    return html`${kept}<${Does} desk=${desk} kind="main" events=${dealEvents(state, may[0])}>${priced(t("do.deal", { player: names[may[0]] }), ante)}<//>
      <${Press} meaning="open deal" kind="plain small" onPress=${() => desk.open("deal")}>${t("do.deal_else")}<//>`;
  }
  return html`<p class="hint">${t("deal.cut")}</p>
    <div class="choices">${may.map((id) => html`<${Does} key=${id} desk=${desk} kind="choice" events=${dealEvents(state, id)}>${t("do.deal", { player: names[id] })}<//>`)}</div>
    <p class="hint">${ante}</p>`;
}

function dealLives(desk, may) {
  const { state, names, ui, setUi } = desk;
  const dealer = may.length === 1 ? may[0] : ui.dealer && may.includes(ui.dealer) ? ui.dealer : null;
  if (!dealer) {
    return html`<p class="hint">${t("deal.cut")}</p>
      <div class="choices">${may.map((id) => html`<${Press} key=${id} meaning=${`dealer ${id}`} kind="choice" onPress=${() => setUi({ dealer: id })}>${t("do.deal", { player: names[id] })}<//>`)}</div>`;
  }
  return html`<p class="hint">${t("do.deal", { player: names[dealer] })}</p>
    <${CardPicker} id=${`${state.version} up`} count=${1} used=${[]} title=${t("card.face_up")} done=${([up]) => desk.record(dealEvents(state, dealer, { up }))} />`;
}

function ante(desk) {
  const { state, names } = desk;
  const all = anteEvents(state);
  return html`<${Does} desk=${desk} kind="main" events=${all}>${priced(t("do.antes"), amount(state.rules.ante))}<//>
    ${all.length > 1 && html`<div class="choices">${all.map((event) => html`<${Does} key=${event.player} desk=${desk} kind="choice" events=${[event]}>${names[event.player]}<//>`)}</div>`}`;
}

function act(desk) {
  return desk.state.game === "lives" ? swap(desk) : bet(desk);
}

// The bet that most would make: what keeps the level, or opens it; blind while one has not looked.
function likeliest(player, [kind]) {
  return kind?.pays ? { ...kind, events: [betEvent(player, kind.as, kind.pays)] } : null;
}

function bet(desk) {
  const { state, ui, setUi } = desk;
  const player = state.to_act;
  const kinds = bets(state);
  const check = only(state, "check");
  const fold = only(state, "fold");
  const see = only(state, "see");
  const look = only(state, "look");
  const first = likeliest(player, kinds);
  const seenToo = kinds.length > 1 ? likeliest(player, kinds.slice(1)) : null;
  const raising = kinds.find((kind) => kind.as === ui.as) || kinds[0];
  const all = foldTo(state, desk.log);
  const betLabel = (one) => t(`do.${one.opens ? "open" : "call"}_${kinds.length > 1 || one.as === "blind" ? one.as : "plain"}`);
  if (only(state, "keep")) return keepOrThrow(desk);
  return html`
    <div class="row lead">
      ${check
        ? html`<${Does} desk=${desk} kind="main" events=${[check]}>${t("do.check")}<//>`
        : first && html`<${Does} desk=${desk} kind="main" events=${first.events}>${priced(betLabel(first), amount(first.pays))}<//>`}
      ${fold && html`<${Does} desk=${desk} kind="fold" events=${[fold]}>${t("do.fold")}<//>`}
    </div>
    <div class="row">
      ${check && first && html`<${Does} desk=${desk} kind="second" events=${first.events}>${priced(betLabel(first), amount(first.pays))}<//>`}
      ${seenToo && html`<${Does} desk=${desk} kind="second" events=${seenToo.events}>${priced(betLabel(seenToo), amount(seenToo.pays))}<//>`}
      ${see && html`<${Does} desk=${desk} kind="second see" events=${[see]}>${priced(t("do.see"), amount(see.amount))}<//>`}
      ${allIns(state).map((entry) => html`<${Does} key=${entry.as} desk=${desk} kind="second" events=${[entry]}>${priced(t(kinds.length > 1 || allIns(state).length > 1 ? `do.all_in_${entry.as}` : "do.all_in"), amount(entry.amount))}<//>`)}
    </div>
    ${raising && raising.raises.length > 0 && raises(desk, player, raising)}
    <div class="row small">
      ${kinds.length > 1 &&
      html`<${Press} meaning=${`as ${raising.as}`} kind="third" aria-label=${t("raise.as", { as: t(`status.${raising.as}`) })} onPress=${() => setUi({ as: raising.as === "blind" ? "seen" : "blind" })}>+ ${t(`status.${raising.as}`)} ⇄<//>`}
      ${look && (look.which ? state.legal.filter((entry) => entry.type === "look") : [look]).map((entry) => html`<${Does} key=${entry.which} desk=${desk} kind="third" events=${[{ ...entry }]}>${t(entry.which ? `do.look_${entry.which}` : "do.look")}<//>`)}
      ${all && html`<${Does} desk=${desk} kind="third" events=${all.events}>${t("do.fold_to", { player: desk.names[all.winner] })}<//>`}
    </div>`;
}

function raises(desk, player, raising) {
  const opens = raising.opens ? "open_" : "";
  return html`<div class="raises" role="group" aria-label=${t(`raise.${opens}title`)}>
    ${raising.raises.map(
      (one) => html`<${Does} key=${one.by} desk=${desk} kind="raise" label=${t(`raise.${opens}one`, { by: amount(one.by), amount: amount(one.amount) })} events=${[betEvent(player, raising.as, one.amount)]}
        ><b>+${amount(one.by)}</b><small>${amount(one.amount)}</small><//
      >`,
    )}
    <${Press} meaning="open pad" kind="raise more" aria-label=${t("raise.more")} onPress=${() => desk.open("pad", { as: raising.as })}>…<//>
  </div>`;
}

function keepOrThrow(desk) {
  const player = desk.state.to_act;
  return html`<div class="row lead">
    <${Does} desk=${desk} kind="main" events=${[{ type: "keep", player }]}>${t("do.keep")}<//>
    <${Does} desk=${desk} kind="fold" events=${[{ type: "throw", player }]}>${t("do.throw")}<//>
  </div>`;
}

function swap(desk) {
  const { state, ui, setUi } = desk;
  const player = state.to_act;
  const knock = only(state, "knock");
  if (ui.take) {
    const field = ui.take === "up" ? "give" : "leave";
    return html`<${CardPicker}
        id=${`${state.version} ${field}`}
        count=${1}
        used=${state.up ? [state.up] : []}
        title=${t(`card.${field}`, { player: desk.names[player] })}
        done=${([card]) => desk.record([{ type: "swap", player, take: ui.take, [field]: card }])}
      />
      <${Press} meaning="no swap" kind="plain" onPress=${() => setUi({ take: null })}>${t("card.other")}<//>`;
  }
  return html`<div class="row lead">
      <${Does} desk=${desk} kind="main" events=${[{ type: "swap", player, take: "down" }]}>${t("do.swap_down")}<//>
      ${knock && html`<${Does} desk=${desk} kind="fold knock" events=${[{ type: "knock", player }]}>${t("do.knock")}<//>`}
    </div>
    <div class="row">
      <${Press} meaning=${`${state.version} up`} kind="second" onPress=${() => setUi({ take: "up" })}>${t("do.swap_up")} <${Card} card=${state.up} /><//>
      <${Press} meaning=${`${state.version} all`} kind="second" onPress=${() => setUi({ take: "all" })}>${t("do.swap_all")}<//>
    </div>`;
}

function flip(desk) {
  const { state } = desk;
  return html`<${CardPicker}
    id=${`${state.version} flip`}
    count=${1}
    used=${usedCards(state, desk.log)}
    title=${t("card.turned", { n: state.board.length + 1 })}
    done=${([card]) => desk.record([{ type: "flip", card }])}
  />`;
}

function discard(desk) {
  const all = desk.state.legal.filter((entry) => entry.type === "discard");
  return html`<${Does} desk=${desk} kind="main" events=${all}>${t("do.discards")}<//>
    ${all.length > 1 && html`<div class="choices">${all.map((entry) => html`<${Does} key=${entry.player} desk=${desk} kind="choice" events=${[entry]}>${t("do.discard", { player: desk.names[entry.player] })}<//>`)}</div>`}`;
}

function choose(desk) {
  if (only(desk.state, "keep")) return keepOrThrow(desk);
  const looks = desk.state.legal.filter((entry) => entry.type === "look");
  return html`<div class="row lead">${looks.map((entry) => html`<${Does} key=${entry.which} desk=${desk} kind="second" events=${[{ ...entry }]}>${t(`do.look_${entry.which}`)}<//>`)}</div>`;
}

function reveal(desk) {
  const { state, names, ui, setUi } = desk;
  const may = showing(state);
  const player = may.includes(ui.shower) ? ui.shower : may[0];
  const muck = state.legal.find((entry) => entry.type === "muck" && entry.player === player);
  if (!player) return null;
  return html`${may.length > 1 &&
    html`<div class="tabs" role="group" aria-label=${t("reveal.whose")}>
      ${may.map((id) => html`<${Press} key=${id} meaning=${`show ${id}`} kind=${`tab${id === player ? " chosen" : ""}`} aria-pressed=${id === player ? "true" : "false"} onPress=${() => setUi({ shower: id })}>${names[id]}<//>`)}
    </div>`}
    <${CardPicker}
      key=${player}
      id=${`${state.version} ${player}`}
      count=${3}
      used=${usedCards(state, desk.log)}
      title=${t("card.shows", { player: names[player] })}
      done=${(cards) => desk.record([{ type: "reveal", player, cards }])}
    />
    ${muck && html`<${Does} desk=${desk} kind="plain" events=${[muck]}>${t("do.muck", { player: names[player] })}<//>`}`;
}

function closed() {
  return html`<p class="hint">${t("turn.closed_hint")}</p>
    <a class="press main" href=${`/s/${page.session}/settle`}>${t("menu.settle")}</a>`;
}

const PHASES = { deal, ante, act, flip, discard, choose, reveal, closed };
