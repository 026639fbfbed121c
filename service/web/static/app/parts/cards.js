// Cards: shown, and picked in two taps each.
import { html, Component } from "../html.js";
import { cardName, cardSigns, rankSign, suitSign, t } from "../words.js";
import { Press } from "./press.js";

const RANKS = [..."AKQJT98765432"];
const SUITS = [..."shdc"];

export function Card({ card, dim = false }) {
  if (!card) return html`<span class="card-face back" aria-hidden="true"></span>`;
  return html`<span class=${`card-face suit-${card[1]}${dim ? " dim" : ""}`} role="img" aria-label=${cardName(card)}
    ><b>${rankSign(card[0])}</b><i>${suitSign(card[1])}</i></span
  >`;
}

export function Cards({ cards, dimmed = [] }) {
  return html`<span class="cards" title=${cards.map(cardSigns).join(" ")}
    >${cards.map((card) => html`<${Card} key=${card} card=${card} dim=${dimmed.includes(card)} />`)}</span
  >`;
}

// Asks for `count` cards; `used` are gone. done(cards) as soon as the last one is picked.
export class CardPicker extends Component {
  constructor() {
    super();
    this.state = { rank: null, picked: [] };
  }

  pick(suit) {
    const picked = [...this.state.picked, this.state.rank + suit];
    if (picked.length === this.props.count) {
      this.setState({ rank: null, picked: [] });
      this.props.done(picked);
    } else this.setState({ rank: null, picked });
  }

  back() {
    const { rank, picked } = this.state;
    this.setState(rank ? { rank: null } : { picked: picked.slice(0, -1) });
  }

  render({ count, used, title, id }, { rank, picked }) {
    const gone = new Set([...used, ...picked]);
    const free = (one, suit) => !gone.has(one + suit);
    return html`<div class="picker" role="group" aria-label=${title}>
      <div class="picked">
        <span class="picker-title">${title}</span>
        ${Array.from({ length: count }, (_, n) =>
          picked[n]
            ? html`<${Card} key=${n} card=${picked[n]} />`
            : html`<span key=${n} class=${`card-slot${n === picked.length ? " next" : ""}`}>${n === picked.length && rank ? rankSign(rank) : ""}</span>`,
        )}
        <${Press} meaning="card back" kind="plain small" disabled=${!rank && !picked.length} aria-label=${t("card.back")} onPress=${() => this.back()}>⌫<//>
      </div>
      <div class="ranks">
        ${RANKS.map(
          (one) => html`<${Press}
            key=${one}
            meaning=${`${id} rank ${one}`}
            kind=${`rank${rank === one ? " chosen" : ""}`}
            aria-label=${t(`rank.${one}`)}
            aria-pressed=${rank === one ? "true" : "false"}
            disabled=${!SUITS.some((suit) => free(one, suit))}
            onPress=${() => this.setState({ rank: one })}
            >${rankSign(one)}<//
          >`,
        )}
      </div>
      <div class="suits">
        ${SUITS.map(
          (suit) => html`<${Press}
            key=${suit}
            meaning=${`${id} ${rank} ${suit}`}
            kind=${`suit suit-${suit}`}
            aria-label=${t(`suit.${suit}`)}
            disabled=${!rank || !free(rank, suit)}
            onPress=${() => this.pick(suit)}
            ><i>${suitSign(suit)}</i><span>${t(`suit.${suit}`)}</span><//
          >`,
        )}
      </div>
    </div>`;
  }
}
