// Balances over the hands: a chart, and beside it the same as a table.
import { html } from "../html.js";
import { add } from "../amounts.js";
import { amount, t } from "../words.js";

const WIDE = 320;
const HIGH = 160;
const DASHES = ["none", "7 3", "2 3", "10 3 2 3", "1 5", "12 4"];

// hands: each with its `net`, and `said`, where its number is not what it is called by. by: what the rows are.
export function Chart({ hands, seats, names, by = t("figure.hand"), title = t("chart.title"), id = "chart-head" }) {
  const lines = seats.map((id) => {
    const values = ["0"];
    for (const hand of hands) values.push(add(values.at(-1), hand.net[id] || "0"));
    return { id, values };
  });
  const all = lines.flatMap((line) => line.values.map(Number));
  const low = Math.min(0, ...all);
  const high = Math.max(0, ...all);
  const x = (n) => 8 + (n * (WIDE - 16)) / hands.length;
  const y = (value) => HIGH - 8 - ((Number(value) - low) * (HIGH - 16)) / (high - low || 1);
  return html`<section class="panel" aria-labelledby=${id}>
    <h2 id=${id}>${title}</h2>
    <svg class="chart" viewBox=${`0 0 ${WIDE} ${HIGH}`} role="img" aria-label=${t("chart.alt")}>
      <line class="zero" x1="8" x2=${WIDE - 8} y1=${y(0)} y2=${y(0)} />
      ${lines.map((line, n) => html`<polyline key=${line.id} class=${`line line-${n % 8}`} stroke-dasharray=${DASHES[n % DASHES.length]} points=${line.values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ")} />`)}
    </svg>
    <ul class="legend">${lines.map((line, n) => html`<li key=${line.id}><svg viewBox="0 0 30 8" aria-hidden="true"><line class=${`line line-${n % 8}`} stroke-dasharray=${DASHES[n % DASHES.length]} x1="0" x2="30" y1="4" y2="4" /></svg> ${names[line.id]}</li>`)}</ul>
    <details><summary>${t("chart.table")}</summary>
      <div class="scroll" tabindex="0" role="region" aria-label=${t("chart.table")}><table class="balances">
        <thead><tr><th scope="col">${by}</th>${lines.map((line) => html`<th key=${line.id} scope="col">${names[line.id]}</th>`)}</tr></thead>
        <tbody>${hands.map((hand, n) => html`<tr key=${hand.hand}><th scope="row">${hand.said || hand.hand}</th>${lines.map((line) => html`<td key=${line.id}>${amount(line.values[n + 1], true)}</td>`)}</tr>`)}</tbody>
      </table></div>
    </details>
  </section>`;
}
