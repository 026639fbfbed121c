"""Random nights of every game and variant, with real cards: what holds after every event, beside a second reading.

`make test` plays a few of each, always the same; `make soak` plays many, others every time.
"""

from __future__ import annotations

import os
import random

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from events.refusals import Refused
from events.session import Session
from events.vocabulary import BY_NAME, without_stamps
from tests.engine import invariants
from tests.engine.case_runner import dump
from tests.engine.nights import VARIANTS, Night, Variant
from tests.engine.tables import refused_to

SOAKED = int(os.environ.get("BRAGBOOK_SOAK_NIGHTS", "40"))


def played(variant: Variant, seed: int, honest: bool, things: int, often: int) -> Night:
    """A night of so many things, checked after each; what `legal` offers, and the whole log, now and then."""
    night = Night(variant, random.Random(seed).randrange, honest)
    night.buy_in()
    dumps = {}
    for number in range(things):
        night.step()
        invariants.holds(night)
        invariants.money_holds(night)
        if number % often == 0:
            invariants.legal_holds(night)
        if number % 7 == 0:
            dumps[night.session.version] = dump(night.session)
        if night.session.closed and number > things // 2:
            break
    invariants.replays(night)
    invariants.audits(night)
    invariants.in_turn_with(night, dumps)
    night.end()
    invariants.holds(night)
    invariants.money_holds(night)
    invariants.replays(night)
    invariants.audits(night)
    return night


@pytest.mark.parametrize("honest", [True, False], ids=["honest", "dishonest"])
@pytest.mark.parametrize("variant", VARIANTS, ids=repr)
def test_a_night(variant: Variant, honest: bool) -> None:
    played(variant, 1 if honest else 2, honest, 60, 6)


@pytest.mark.soak
@pytest.mark.parametrize("honest", [True, False], ids=["honest", "dishonest"])
@pytest.mark.parametrize("variant", VARIANTS, ids=repr)
def test_many_nights(variant: Variant, honest: bool) -> None:
    first = random.SystemRandom().randrange(10**6)
    for seed in range(first, first + SOAKED):
        try:
            played(variant, seed, honest, 120, 3)
        except Exception as error:
            error.add_note(f"{variant}, seed {seed}, {'honest' if honest else 'dishonest'}")
            raise


EVERY_END = {
    *((game, "misdeal", None) for game in ("lives", "community", "three-card")),
    ("lives", "life", "knock"),
    *(("community", "won", by) for by in ("last_in", "see", "showdown")),
    ("community", "split", "showdown"),
    *(("three-card", "won", by) for by in ("last_in", "see")),
    ("three-card", "carried", "last_in"),
}


def test_the_nights_bring_everything_that_can_happen() -> None:
    """A generator that never gets to something tests nothing of it."""
    kinds: set[str] = set()
    ends: set[tuple[str, str, str | None]] = set()
    for seed, variant in enumerate(VARIANTS * 6):
        night = Night(variant, random.Random(seed).randrange, honest=seed % 2 == 0)
        night.buy_in()
        for _ in range(60):
            night.step()
        night.end()
        kinds |= {event["type"] for event in night.session.events}
        ends |= {(variant.body["game"], hand["result"], hand["by"]) for hand in night.session.hands()}
        if seed >= len(VARIANTS) and kinds == {*BY_NAME, "open"} and ends == EVERY_END:
            return
    assert (kinds, ends) == ({*BY_NAME, "open"}, EVERY_END)


class Undisputed(Night):
    """A night whose events name no other event and no hand, so that it can be played again without some of them."""

    def dispute(self) -> None:
        return None

    rule = strike = dispute


def again(night: Night, left_out: list[int]) -> tuple[Session, int | None]:
    """A session of the same opening in which the events happen anew but for some; and the first that no longer may."""
    session = Session(night.session.opening)
    for seq in range(2, night.session.version + 1):
        if seq not in left_out:
            try:
                session.record(without_stamps(night.session.events[seq - 1]))
            except Refused:
                return session, seq
    return session, None


def void_of(seqs: list[int]) -> dict[str, object]:
    return {"type": "void", "seqs": seqs, "reason": "a wrong tap"}


@pytest.mark.parametrize("variant", VARIANTS, ids=repr)
def test_striking_is_as_though_it_had_not_been(variant: Variant) -> None:
    """A void is taken where the rest can be played without what it strikes, and leaves what that would leave."""
    choose = random.Random(3)
    night = Undisputed(variant, choose.randrange, honest=False)
    night.buy_in()
    for _ in range(50):
        night.step()
    version = night.session.version
    for _ in range(25):
        seqs = sorted({1 + choose.randrange(1, version) for _ in range(1 + choose.randrange(3))})
        later, broken = again(night, seqs)
        struck = night.session.fork()
        refusal = refused_to(lambda struck=struck, seqs=seqs: struck.record(void_of(seqs)))
        if broken is not None:
            assert refusal is not None
            assert (refusal.code, refusal.expected) == ("void.breaks", broken)
            continue
        assert refusal is None
        one, other = struck.state({}), later.state({})
        for field in ("players", "phase", "pot", "carried", "level", "to_act", "legal", "winners", "seats", "board"):
            assert one[field] == other[field]
        assert struck.settlement()["balances"] == later.settlement()["balances"]


class NightMachine(RuleBasedStateMachine):
    """The same nights, chosen and shrunk by hypothesis."""

    night: Night

    @initialize(
        variant=st.sampled_from(VARIANTS),
        honest=st.booleans(),
        seed=st.integers(0, 2**16),
        bought=st.booleans(),
    )
    def sit_down(self, variant: Variant, honest: bool, seed: int, bought: bool) -> None:
        self.night = Night(variant, random.Random(seed).randrange, honest)
        if bought:
            self.night.buy_in()

    @rule(seed=st.integers(0, 2**16), moves=st.integers(1, 6))
    def moves(self, seed: int, moves: int) -> None:
        self.night.pick = random.Random(seed).randrange
        for _ in range(moves):
            self.night.play()

    @rule(seed=st.integers(0, 2**16))
    def something_besides(self, seed: int) -> None:
        self.night.pick = random.Random(seed).randrange
        self.night.besides()

    @precondition(lambda self: not self.night.honest)
    @rule(seed=st.integers(0, 2**16))
    def a_breach_let_stand(self, seed: int) -> None:
        self.night.pick = random.Random(seed).randrange
        self.night.lie()

    @rule(carry=st.sampled_from(["refund", "split"]))
    def goes_home(self, carry: str) -> None:
        if not self.night.session.closed and self.night.session.version > 30:
            self.night.record({"type": "close", "carry": carry})

    @invariant()
    def sums_hold(self) -> None:
        invariants.holds(self.night)
        invariants.money_holds(self.night)

    @invariant()
    def what_is_offered_is_accepted(self) -> None:
        invariants.legal_holds(self.night)

    def teardown(self) -> None:
        if hasattr(self, "night"):
            invariants.replays(self.night)
            invariants.audits(self.night)


UNHURRIED = settings(deadline=None, suppress_health_check=list(HealthCheck))
NightMachine.TestCase.settings = settings(
    UNHURRIED, max_examples=12, stateful_step_count=12, derandomize=True, phases=(Phase.generate, Phase.shrink)
)
TestNightMachine = NightMachine.TestCase


class LongNightMachine(NightMachine):
    pass


LongNightMachine.TestCase.settings = settings(UNHURRIED, max_examples=150, stateful_step_count=40)
TestLongNightMachine = pytest.mark.soak(LongNightMachine.TestCase)
