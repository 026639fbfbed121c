"""A night that is played here and recorded there, by two phones, with what goes wrong on the way."""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any, Final
from uuid import UUID

from tests.engine.nights import Night, Variant
from tests.simulation.services import FAULTS, Answer, Services

Event = dict[str, Any]
ROOT: Final = "/api/v1/sessions"
LONGEST_WAIT_S: Final = 0.008
"""About as long as an answer takes: what happens after a shorter while happens before it, under it, or after it."""


class Evening:
    """One session from its opening to its close.

    What is played and what goes wrong follow from the seed, each from numbers of its own, so that the night is the same
    however often something has to be asked again. `acknowledged`: each event as its answer said that it is stored.
    `head`: a signed head that came with an answer, or "".
    """

    def __init__(self, services: Services, variant: Variant, seed: int, fault_in: float) -> None:
        """`fault_in`: how likely it is that a service, or their Postgres, is struck on this night."""
        self.services = services
        self.chance = Random(f"{seed}: what goes wrong")
        played = Random(f"{seed}: what is played")
        self.night = Night(variant, played.randrange, honest=self.chance.random() < 0.5)
        self.moves = self.chance.randint(10, 90)
        struck = self.chance.random() < fault_in
        self.struck_at = self.chance.randint(2, 25) if struck else None
        self.fault = self.chance.choice(sorted(FAULTS))
        made = services.ask(self.one_of_two(), None, "POST", ROOT, copy.deepcopy(variant.body))
        assert made.status == 201, made
        self.session = UUID(made.json["id"])
        self.path = f"{ROOT}/{self.session}"
        self.first: str = made.json["tokens"]["record"]
        self.tokens = [self.first]
        self.token_ids: dict[str, str] = {}
        self.acknowledged: list[Event] = []
        self.head = ""

    def one_of_two(self) -> int:
        return self.chance.randrange(2)

    def ask(self, token: str, method: str, path: str = "", body: Any = None, **headers: str) -> Answer:
        """Either of the services is asked; `path` is below the session's."""
        return self.services.ask(self.one_of_two(), token, method, self.path + path, body, **headers)

    def read(self, path: str = "", **headers: str) -> Answer:
        """What must be there."""
        answer = self.ask(self.first, "GET", path, **headers)
        assert answer.status == 200, answer
        return answer

    def play(self) -> None:
        """To the end; all that was played is then recorded."""
        self.night.buy_in()
        self.send()
        for _ in range(self.moves):
            self.night.step()
            self.send()
            if self.chance.random() < 0.1:
                self.chance.choice(self.besides)()
            if self.night.session.closed:
                break
        self.night.end()
        self.send()

    # --- recording ---

    @property
    def version(self) -> int:
        """As far as it is recorded."""
        return len(self.acknowledged) + 1

    def send(self) -> None:
        """Record what was played since, each event under an id of its own."""
        session = self.night.session
        while self.version < session.version:
            played = session.events[self.version]
            self.send_one({name: value for name, value in played.items() if name != "hand"})

    def send_one(self, event: Event) -> None:
        raw = {**event, "id": self.new_id()}
        token = self.chance.choice(self.tokens)
        if self.chance.random() < 0.05 and self.version > 1:
            self.is_stale(token, raw)
        given = {"If-Match": f'"{self.version}"'} if self.chance.random() < 0.3 else {}
        self.may_be_lost(token, raw, given)
        answer = self.record(token, raw, **given)
        assert answer.status in (200, 201), (raw, answer)
        self.is_acknowledged(answer)
        while self.chance.random() < 0.07:  # the tap came twice
            self.services.counts["sent again"] += 1
            again = self.record(token, raw, **given)
            assert again.status == 200, again
            assert (again.json["events"], again.json["version"]) == (answer.json["events"], self.version)

    def record(self, token: str, raw: Event, **headers: str) -> Answer:
        return self.ask(token, "POST", "/events", raw, **headers)

    def is_acknowledged(self, answer: Answer) -> None:
        told = answer.json
        [stored] = told["events"]
        assert stored["seq"] == self.version + 1
        assert told["version"] >= stored["seq"]
        self.acknowledged.append(stored)
        self.services.counts["events"] += 1
        if told["version"] == stored["seq"] and self.chance.random() < 0.1:
            self.head = told["head"] or self.head

    def is_stale(self, token: str, raw: Event) -> None:
        """It is sent by somebody who has not heard of the last event."""
        self.services.counts["stale"] += 1
        stale = self.record(token, raw, **{"If-Match": f'"{self.version - 1}"'})
        assert (stale.status, stale.json["code"]) == (412, "version.conflict"), stale

    def may_be_lost(self, token: str, raw: Event, given: dict[str, str]) -> None:
        """Nobody hears the answer; on some nights because a service, or Postgres, is struck while it is on its way."""
        struck = self.version == self.struck_at
        if not struck and self.chance.random() >= 0.04:
            return
        at = self.one_of_two()
        wait_s = self.chance.random() * LONGEST_WAIT_S
        then = (lambda: self.services.strike(self.fault, at)) if struck else None
        asked = (token, "POST", f"{self.path}/events", raw)
        self.services.lose(at, *asked, wait_s=wait_s, then=then, **given)

    def new_id(self) -> str:
        return str(UUID(int=self.chance.getrandbits(128), version=4))

    # --- besides ---

    @property
    def besides(self) -> list[Callable[[], None]]:
        return [self.another_phone, self.a_phone_is_lost, self.is_named, self.is_forgotten, self.both_at_once]

    def another_phone(self) -> None:
        """It records too."""
        made = self.ask(self.first, "POST", "/tokens", {"kind": "record"})
        assert made.status == 201, made
        self.tokens.append(made.json["token"])
        self.token_ids[made.json["token"]] = made.json["id"]

    def a_phone_is_lost(self) -> None:
        """Its token is revoked, and records no more."""
        if len(self.tokens) == 1:
            return
        lost = self.tokens.pop()
        revoked = self.ask(self.first, "DELETE", f"/tokens/{self.token_ids[lost]}")
        assert revoked.status == 204 or (revoked.tries > 1 and revoked.status == 404), revoked
        refused = self.record(lost, {"type": "note", "text": "found it"})
        assert (refused.status, refused.json["code"]) == (401, "auth.missing"), refused
        self.services.counts["tokens revoked"] += 1

    def is_named(self) -> None:
        player = self.chance.choice(self.night.session.seats)
        named = self.ask(self.first, "PUT", f"/players/{player}", {"name": f"{player}. Ní Bhriain"})
        assert named.status in (200, 204), named

    def is_forgotten(self) -> None:
        """Somebody asks that their name be erased."""
        player = self.chance.choice(self.night.session.seats)
        gone = self.ask(self.first, "DELETE", f"/players/{player}/name")
        assert gone.status in (200, 204), gone
        self.services.counts["names erased"] += 1

    def both_at_once(self) -> None:
        """Two phones record at one moment, each sure of the version: one is taken, the other told, and asks again."""
        notes = [{"type": "note", "text": text, "id": self.new_id()} for text in ("crisps", "last orders")]
        tokens = [self.chance.choice(self.tokens) for _ in notes]
        given = {"If-Match": f'"{self.version}"'}

        def record(at: int) -> Answer:
            return self.services.ask(at, tokens[at], "POST", f"{self.path}/events", notes[at], **given)

        with ThreadPoolExecutor(2) as phones:
            answers = list(phones.map(record, range(2)))
        taken = [answer.status in (200, 201) for answer in answers]
        assert sorted(taken) == [False, True], answers
        first, other = taken.index(True), taken.index(False)
        assert answers[other].json["code"] == "version.conflict"
        self.services.counts["both at once"] += 1
        self.is_acknowledged(answers[first])
        again = self.record(tokens[other], notes[other])
        assert again.status == 201, again
        self.is_acknowledged(again)
        for note in (notes[first], notes[other]):
            self.night.record({"type": "note", "text": note["text"]})
