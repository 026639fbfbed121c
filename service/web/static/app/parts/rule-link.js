// A rule, cited: leads to its place on the page of the rules.
import { html } from "../html.js";
import { ruleLink } from "../describe.js";
import { t } from "../words.js";

export function RuleLink({ rule }) {
  const address = ruleLink(rule);
  if (!address) return null;
  const [document, place] = rule.split(" ");
  const words = t(document === "rules.md" ? "case.rule" : "case.contract", { place: place || "" });
  return html`<a class="rule-link" href=${address} target="_blank" rel="noopener">${words}</a>`;
}
