// A file of a night, checked here in the visitor's own browser: what is proven of it, and what is not.
import { html, render } from "../html.js";
import { has, language, t, tn } from "../words.js";
import { sayFinding } from "../describe.js";
import { RuleLink } from "../parts/rule-link.js";

class Verifier {
  constructor() {
    this.waiting = new Map();
    this.next = 1;
    this.worker = new Worker(new URL("../../verify/worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.waiting.get(data.number);
      this.waiting.delete(data.number);
      if (data.fault) reject(new Error(data.fault));
      else resolve(JSON.parse(data.answer));
    };
    this.worker.onerror = (fault) => {
      for (const { reject } of this.waiting.values()) reject(new Error(fault.message || "the engine did not start"));
      this.waiting.clear();
    };
  }

  ask(bytes, key, heads) {
    const number = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.worker.postMessage({ number, bytes, key, heads });
    });
  }
}

export function start(root) {
  const show = { file: null, key: "", heads: [], report: null, fault: null, busy: false };
  const verifier = new Verifier();
  let asked = 0;

  async function check() {
    if (!show.file) return;
    const mine = ++asked;
    Object.assign(show, { busy: true, fault: null });
    draw();
    try {
      const report = await verifier.ask(show.file.bytes, show.key.trim() || null, show.heads.map((head) => head.text));
      if (mine === asked) show.report = report;
    } catch (fault) {
      if (mine === asked) show.fault = fault;
    }
    if (mine !== asked) return; // another file was given meanwhile
    show.busy = false;
    draw();
    document.getElementById("said").textContent = verdict(show);
  }

  async function takeFile(file) {
    if (!file) return;
    Object.assign(show, { file: { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }, report: null });
    await check();
  }

  async function takeHeads(files) {
    show.heads = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
    await check();
  }

  // Kept as it is typed, so that it counts for a file given before the field is left; checked with once it is left.
  function typeKey(text) {
    show.key = text;
  }

  const draw = () => render(html`<${Page} ...${{ show, takeFile, takeHeads, typeKey, check }} />`, root);
  draw();
}

function Page({ show, takeFile, takeHeads, typeKey, check }) {
  const drop = (event) => {
    event.preventDefault();
    takeFile(event.dataTransfer.files[0]);
  };
  return html`<section class="panel verify" onDragOver=${(event) => event.preventDefault()} onDrop=${drop}>
    <h1>${t("title.verify")}</h1>
    <p>${t("verify.what")}</p>
    <p><label for="file">${t("verify.file")}</label>
      <input id="file" type="file" accept=".json,.ndjson,application/json" onChange=${(event) => takeFile(event.target.files[0])} /></p>
    <p class="hint">${t("verify.drop")}</p>
    <p><label for="key">${t("verify.key")}</label>
      <input id="key" type="text" autocomplete="off" spellcheck="false" autocapitalize="off" aria-describedby="key-hint" value=${show.key} onInput=${(event) => typeKey(event.target.value)} onChange=${check} /></p>
    <p class="hint" id="key-hint">${t("verify.key_hint")}</p>
    <p><label for="heads">${t("verify.heads")}</label>
      <input id="heads" type="file" multiple onChange=${(event) => takeHeads([...event.target.files])} /></p>
    ${show.busy && html`<p class="loading">${t("verify.busy")}</p>`}
    ${show.fault && html`<p class="trouble">${t("verify.broken")} ${inEnglish(show.fault.message)}</p>`}
    ${!show.busy && show.report && html`<${Report} show=${show} />`}
  </section>`;
}

function verdict({ report, fault }) {
  if (fault) return t("verify.broken");
  if (!report) return "";
  if (report.missing) return t("verify.missing", { n: report.event });
  if (report.unreadable) return report.event ? t("verify.damaged", { n: report.event }) : t("verify.unreadable");
  if (report.no_key) return t("verify.no_key");
  if (report.faults.length > 0) return t("verify.not_as_it_was");
  return t(`verify.verdict.${report.verdict}`);
}

// What only a programmer wants to know stands in the log's own English, where the page is English.
const inEnglish = (detail) => (detail && language === "en" ? html`<p class="hint">${detail}</p>` : null);

function Report({ show }) {
  const { report, file } = show;
  const good = !report.unreadable && !report.no_key && report.faults.length === 0;
  return html`<div class=${good ? "verdict good" : "verdict bad"}>
    <h2>${verdict(show)}</h2>
    <p>${file.name}</p>
    ${inEnglish(report.unreadable)} ${inEnglish(report.no_key)}
    ${report.faults && html`<${List} title=${t("verify.faults")} of="faults" items=${report.faults} />
      <${List} title=${t("verify.proven")} of="proven" items=${report.proven} />
      <${List} title=${t("verify.not_proven")} of="not_proven" items=${report.not_proven} />
      <${Findings} audit=${report.audit} />`}
  </div>`;
}

function List({ title, of, items }) {
  if (items.length === 0) return null;
  return html`<h3>${title}</h3><ul class=${of}>${items.map((item, n) => html`<li key=${n} data-code=${item.code}>${said(item)}</li>`)}</ul>`;
}

// In the page's language where it has the words, else as the engine says it.
function said({ code, says, values }) {
  const key = `verify.says.${code}`;
  const gaps = Object.fromEntries(Object.entries(values || {}).map(([name, value]) => [name, String(value)]));
  if (has(`${key}.one`)) return tn(key, values.size ?? values.n, gaps);
  return has(key) ? t(key, gaps) : html`<span lang="en">${says}</span>`;
}

const place = ({ hand, seqs = [] }) => {
  const where = [hand && t("hand.title", { n: hand }), ...seqs.map((n) => t("case.event", { n }))].filter(Boolean);
  return where.length ? `${where.join(", ")}: ` : "";
};

function Findings({ audit }) {
  if (!audit || audit.findings.length === 0) return null;
  return html`<h3>${t("verify.findings")}</h3>
    <ul>${audit.findings.map((finding, n) => html`<li key=${n}>${place(finding)}${sayFinding(finding)} <${RuleLink} rule=${finding.rule} /></li>`)}</ul>`;
}
