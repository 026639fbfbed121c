"""Opening a session: its first event, its names, its tokens and its line in the list, in one statement."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import uuid_utils

from events.log import GENESIS
from events.opening import LONGEST_NAME, is_name
from events.refusals import Refused, invalid
from events.session import Session
from service.sessions.stamping import Stamp
from service.store.database import Database, Statement
from service.store.log import insertion
from service.store.names import naming
from service.store.people import People, remembering
from service.store.projections import made_anew, project
from service.store.tokens import Token, keeping, make

Event = dict[str, Any]


def new_id() -> UUID:
    """A new id: a UUIDv7, which grows with time, so that a night's rows lie beside each other."""
    return UUID(int=uuid_utils.uuid7().int)


def write_name(name: Any) -> str:
    """A person's name as it is kept: composed (NFC), so that one name is written in one way. Raises Refused."""
    written = unicodedata.normalize("NFC", name) if isinstance(name, str) else name
    if not is_name(written):
        raise Refused(invalid({"name": [f"is a text of 1 to {LONGEST_NAME} characters"]}))
    return str(written)


class Opener:
    """Opens sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._people = People(database)

    def open(
        self, opening: Event, names: Mapping[str, str], by: str, club: UUID, people: Mapping[str, UUID]
    ) -> tuple[UUID, Session, dict[str, Token]]:
        """Open a session from a clean `open` event. people: player -> person, where it was said who they are.

        Raises Unavailable.
        """
        session_id = new_id()
        stamp = Stamp(session_id, 0, GENESIS, "", by)
        stamped, row = stamp.seal(opening)
        session = Session(stamped)
        tokens, beside = self.beside(session_id, club, names, people)
        self._database.run(
            [
                insertion(session_id, [row]),
                *made_anew(session_id, club, 1, stamp.recorded_at, project(session)),
                *beside,
            ]
        )
        return session_id, session, tokens

    def beside(
        self, session_id: UUID, club: UUID, names: Mapping[str, str], people: Mapping[str, UUID]
    ) -> tuple[dict[str, Token], list[Statement]]:
        """What stands beside a new session's events: its first tokens, and the statements for them and the names."""
        written = {player: write_name(name) for player, name in names.items()}
        seated, remembered = self.seat(club, written, people)
        tokens = {kind: make(kind, session_id) for kind in ("record", "view")}
        statements = [
            *remembering(club, remembered),
            *naming(session_id, written, seated, None),
            *(keeping(token, session_id, club) for token in tokens.values()),
        ]
        return tokens, statements

    def seat(
        self, club: UUID, names: Mapping[str, str], people: Mapping[str, UUID], taken: Sequence[UUID] = ()
    ) -> tuple[dict[str, UUID], dict[UUID, str]]:
        """Who of the club's people sits where, going by their names; and people to be remembered: id -> name.

        A name that the club does not know is somebody new. Where as many sit here under a name as the club has people
        of it, they are those; where the club has more, nobody knows which, and it is left open. people, taken: who was
        said to sit where, and who sits here already.
        """
        seated = {player: person for player, person in people.items() if player in names}
        others = [player for player in names if player not in seated]
        if not others:
            return seated, {}
        gone = {*seated.values(), *taken}
        known = self._people.named(club, [names[player] for player in others])
        remembered: dict[UUID, str] = {}
        for name in dict.fromkeys(names[player] for player in others):
            players = [player for player in others if names[player] == name]
            there = [person for person in known.get(name, []) if person not in gone]
            if len(there) > len(players):
                continue
            for player in players[len(there) :]:
                person = new_id()
                remembered[person] = names[player]
                there.append(person)
            seated.update(zip(players, there, strict=True))
        return seated, remembered
