"""How a hand ended, and why: the hands compared, the pot, each player's net."""

from __future__ import annotations

from events.story.words import Words, ranks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from events.games.hand import Hand
    from events.ranking import Ranking
    from events.session import Session


def ending(words: Words, session: Session, hand: Hand) -> list[dict[str, Any]]:
    """The steps that close the story of a hand; for an open one, what is in the pot."""
    text = session.table.text
    if hand.result == "open":
        return [_step(words.say("open", pot=words.amount(text(hand.pot))), "rules.md §1")]
    if hand.result == "misdeal":
        return []
    said = _comparison(words, session, hand) + _pot(words, session, hand)
    steps = [_step(sentence, hand.rule(session.game)) for sentence in said]
    if session.game != "lives":
        names = [name for name in session.seats if name in hand.paid or name in hand.awards]
        nets = [(name, hand.awards.get(name, 0) - hand.paid.get(name, 0)) for name in names]
        spoken = [f"{words.name(name)} {words.signed(text(net))}" for name, net in nets]
        steps.append(_step(words.say("net", nets=", ".join(spoken)), "rules.md §1"))
    return steps


def _step(text: str, rule: str) -> dict[str, Any]:
    return {
        "seq": None,
        "type": "result",
        "text": text[:1].upper() + text[1:],
        "pot": None,
        "level": None,
        "rule": rule,
    }


def _pot(words: Words, session: Session, hand: Hand) -> list[str]:
    """Where the pot, or the life, went by the rules."""
    text = session.table.text
    pot = words.amount(text(hand.pot))
    if hand.by == "knock":
        return [_life(words, session, hand)]
    if hand.by == "last_in":
        last = [name for name in hand.order if not hand.holdings[name].out][0]
        carried = hand.result == "carried"
        return [words.say("last_in.blind" if carried else "last_in.seen", player=words.name(last), pot=pot)]
    if hand.side_pots:
        said = []
        for chips, reached, winners in hand.side_pots:
            key = "side_pot" if len(reached) > 1 else "back"
            said.append(
                words.say(
                    key, pot=words.amount(text(chips)), players=words.players(reached), winners=words.players(winners)
                )
            )
        return said
    if hand.result == "split":
        shares = [
            f"{words.amount(text(hand.due[name]))} → {words.name(name)}" for name in session.seats if name in hand.due
        ]
        return [words.say("split", pot=pot, awards=words.listed(shares))]
    return [words.say("showdown", pot=pot, winners=words.players(hand.winners))]


def _life(words: Words, session: Session, hand: Hand) -> str:
    losers = hand.due_losers
    if not losers:
        return words.say("worst.nobody")
    strength, three = hand.best[losers[0]]
    key = "worst" if len(losers) == 1 else "worst.several"
    return words.say(key, losers=words.players(losers), hand=words.hand(strength, three, session.table.ranking))


def _comparison(words: Words, session: Session, hand: Hand) -> list[str]:
    """The hands shown, each beside the best of those that it lost to."""
    if hand.by == "last_in":
        return []
    if hand.payer is not None:
        winner = hand.winners[0]
        loser = (hand.rival if winner == hand.payer else hand.payer) or ""
        return [_against(words, session, hand, winner, loser)]
    shown = [name for name in hand.order if name in hand.shown]
    ordered = sorted(shown, key=lambda name: -hand.best[name][0])
    return [_against(words, session, hand, ordered[at], ordered[at + 1]) for at in range(len(ordered) - 1)]


def _against(words: Words, session: Session, hand: Hand, winner: str, loser: str) -> str:
    """One hand against a worse one, in words, with the reason."""
    ranking = session.table.ranking
    if loser not in hand.shown or winner not in hand.shown:
        return words.say("mucked", winner=words.name(winner), loser=words.name(loser))
    strong, better = hand.best[winner]
    weak, worse = hand.best[loser]
    spoken = words.hand(strong, better, ranking)
    if strong == weak:
        key = "equal.payer" if hand.payer is not None else "equal"
        return words.say(key, winner=words.name(winner), loser=words.name(loser), better=spoken)
    return words.say(
        "beats",
        winner=words.name(winner),
        loser=words.name(loser),
        better=spoken,
        worse=words.hand(weak, worse, ranking),
        why=_why(words, ranking, (strong, better), (weak, worse)),
    )


def _why(words: Words, ranking: Ranking, strong: tuple[int, tuple[int, ...]], weak: tuple[int, tuple[int, ...]]) -> str:
    better, worse = ranking.category(strong[0]), ranking.category(weak[0])
    if better != worse:
        return words.say("why.category", better=words.phrases[better], worse=words.phrases[worse])
    if ranks_of(strong[1]) == ranks_of(weak[1]):
        return words.say("why.suit")
    return words.say("why.ranks" if better in ("flush", "pair", "high_card") else "why.order")
