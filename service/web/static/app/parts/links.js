// The links of a night: to watch, to one's own seat, to record. Each is made anew and revoked apart.
import { html, Component } from "../html.js";
import * as keys from "../keys.js";
import { sayFault } from "../describe.js";
import { t } from "../words.js";
import { Press, say } from "./press.js";

export async function qrOf(text) {
  const answer = await fetch("/qr", { method: "POST", body: text, headers: { "Content-Type": "text/plain" }, credentials: "omit" });
  if (!answer.ok) return null;
  const svg = await answer.text();
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

function address(session, kind, token, player) {
  const path = kind === "record" ? `/s/${session}/record` : kind === "seat" ? `/s/${session}/settle` : `/s/${session}`;
  return `${location.origin}${path}#${kind}=${token}${player ? `&player=${player}` : ""}`;
}

export class Links extends Component {
  constructor() {
    super();
    this.state = { shown: null, tokens: [], fault: null };
  }

  componentDidMount() {
    this.list();
    const { view } = keys.of(this.props.session);
    if (view) this.show("view", view);
  }

  async list() {
    try {
      const answer = await this.props.api.get(`/sessions/${this.props.session}/tokens`);
      this.setState({ tokens: answer.tokens || answer });
    } catch {
      this.setState({ tokens: [] });
    }
  }

  async show(kind, token, player) {
    const link = address(this.props.session, kind, token, player);
    this.setState({ shown: { kind, link, player, qr: null }, fault: null });
    const qr = await qrOf(link).catch(() => null);
    if (this.state.shown.link === link) this.setState({ shown: { kind, link, player, qr } }); // else another was asked for
  }

  async make(kind, player) {
    try {
      const { token } = await this.props.api.post(`/sessions/${this.props.session}/tokens`, player ? { kind, player } : { kind });
      if (kind === "view") keys.remember(this.props.session, { view: token });
      await this.show(kind, token, player);
      await this.list();
    } catch (fault) {
      this.setState({ fault: sayFault(fault) });
    }
  }

  async revoke(id) {
    try {
      await this.props.api.delete(`/sessions/${this.props.session}/tokens/${id}`);
      await this.list();
    } catch (fault) {
      this.setState({ fault: sayFault(fault) });
    }
  }

  async give(link) {
    if (navigator.share) await navigator.share({ url: link }).catch(() => {});
    else {
      const field = document.getElementById("share-link");
      field.select();
      document.execCommand("copy");
      say(t("share.copied"));
    }
  }

  render({ state, names }, { shown, tokens, fault }) {
    const seats = state.seats.filter((id) => state.players[id].status !== "left");
    return html`<div class="links">
      ${shown &&
      html`<figure class="qr">
        <div class="qr-place">${shown.qr && html`<img src=${shown.qr} alt=${t(`share.qr_${shown.kind}`)} width="220" height="220" />`}</div>
        <figcaption>${t(`share.for_${shown.kind}`, { player: names[shown.player] || "" })}</figcaption>
        <input id="share-link" readonly value=${shown.link} aria-label=${t("share.link")} />
        <${Press} meaning=${`give ${shown.kind}`} kind="second" onPress=${() => this.give(shown.link)}>${t("share.give")}<//>
      </figure>`}
      ${fault && html`<p class="fault" role="alert">${fault}</p>`}
      <${Press} meaning="make view" kind="second" onPress=${() => this.make("view")}>${t("share.new_view")}<//>
      <details><summary>${t("share.seats")}</summary>
        <div class="choices">${seats.map((id) => html`<${Press} key=${id} meaning=${`seat ${id}`} kind="choice" onPress=${() => this.make("seat", id)}>${names[id]}<//>`)}</div>
      </details>
      <details><summary>${t("share.hand_over")}</summary>
        <p class="hint">${t("share.hand_over_help")}</p>
        <${Press} meaning="make record" kind="second warn" onPress=${() => this.make("record")}>${t("share.new_record")}<//>
      </details>
      ${tokens.length > 0 &&
      html`<details><summary>${t("share.all", { n: tokens.length })}</summary>
        <ul class="tokens">${tokens.map((token) => html`<li key=${token.id}><span>${t(`share.kind_${token.kind}`)} ${token.player ? names[token.player] || token.player : ""} <small>${token.id.slice(-6)}</small></span> <${Press} meaning=${`revoke ${token.id}`} kind="plain small" onPress=${() => this.revoke(token.id)}>${t("share.revoke")}<//></li>`)}</ul>
      </details>`}
    </div>`;
  }
}
