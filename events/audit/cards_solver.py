"""A small complete solver for yes-or-no questions: is there a choice of true and false that keeps every condition?

Conditions are *clauses* (at least one of these literals) and *limits* (at most k of these). The search learns a new
clause from each dead end (conflict-driven clause learning), so that it never runs into one for the same reason twice;
when it answers that there is no choice, there is none.

A variable is an integer from 0; its literals are ``2 * variable`` (it is true) and ``2 * variable + 1`` (it is not),
so that ``literal ^ 1`` is the opposite.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TRUE = 1
_FALSE = -1
_OPEN = 0
_RESTART_CONFLICTS = 64
_ACTIVITY_GROWTH = 1.0 / 0.95
_ACTIVITY_MAX = 1e100


MOST_CONFLICTS = 20_000
"""So many dead ends a search runs into before it gives up: minutes, and a log can be made to need for ever."""


class Undecided(Exception):
    """The search was given up before it had an answer."""


class Solver:
    """Conditions over true-or-false variables, and the search for values that keep them all."""

    __slots__ = (
        "activity", "bump", "clauses_of", "conflicts", "counts", "heap", "level_starts", "levels", "limits",
        "limits_of", "phase", "places", "processed", "reasons", "sound", "trail", "truth",
    )  # fmt: skip

    def __init__(self) -> None:
        self.truth: list[int] = []  # by literal
        self.reasons: list[list[int] | int | None] = []  # by variable: a clause, a limit's number, or none
        self.levels: list[int] = []  # by variable: how many choices had been made
        self.places: list[int] = []  # by variable: its place in the trail
        self.phase: list[int] = []  # by variable: the literal to try first
        self.activity: list[float] = []
        self.bump = 1.0
        self.heap: list[tuple[float, int]] = []  # less the activity, less the variable; old entries stay in it
        self.clauses_of: list[list[list[int]]] = []  # by literal: the clauses that watch it
        self.limits: list[tuple[int, list[int]]] = []
        self.limits_of: list[list[int]] = []  # by literal: the limits it counts in
        self.counts: list[int] = []  # by limit: how many of its literals are true
        self.trail: list[int] = []
        self.level_starts: list[int] = []
        self.processed = 0
        self.sound = True  # false once the conditions contradict each other without any choice
        self.conflicts = 0

    def new_variable(self, first: bool) -> int:
        """A new variable, for which the search tries the value ``first`` before the other.

        Of variables that no dead end has brought up yet the search chooses the one made last.
        """
        variable = len(self.reasons)
        self.truth.extend((_OPEN, _OPEN))
        self.clauses_of.extend(([], []))
        self.limits_of.extend(([], []))
        self.reasons.append(None)
        self.levels.append(0)
        self.places.append(0)
        self.phase.append(2 * variable if first else 2 * variable + 1)
        self.activity.append(0.0)
        heappush(self.heap, (0.0, -variable))
        return variable

    def add_clause(self, literals: Sequence[int]) -> None:
        """At least one of ``literals`` holds. All conditions are added before :meth:`solve`."""
        if not self.sound:
            return
        kept = []
        for literal in literals:
            value = self.truth[literal]
            if value == _TRUE:
                return
            if value == _OPEN and literal not in kept:
                if literal ^ 1 in kept:
                    return
                kept.append(literal)
        if not kept:
            self.sound = False
        elif len(kept) == 1:
            self._assign(kept[0], None)
        else:
            self.clauses_of[kept[0]].append(kept)
            self.clauses_of[kept[1]].append(kept)

    def add_at_most(self, most: int, literals: Sequence[int]) -> None:
        """At most ``most`` of ``literals``, which are of different variables, hold."""
        if len(literals) <= most:
            return
        number = len(self.limits)
        self.limits.append((most, list(literals)))
        # What holds already is counted here, or when it is looked at, but not both.
        looked_at = self.trail[: self.processed]
        self.counts.append(len([literal for literal in literals if literal in looked_at]))
        for literal in literals:
            self.limits_of[literal].append(number)

    def solve(self) -> bool:
        """Whether there is a choice of values; then :meth:`value` tells it. Raises Undecided."""
        if not self.sound or self._propagate() is not None:
            self.sound = False
            return False
        until_restart = _RESTART_CONFLICTS
        while True:
            conflict = self._propagate()
            if conflict is not None:
                self.conflicts += 1
                if self.conflicts > MOST_CONFLICTS:
                    raise Undecided
                until_restart -= 1
                if not self.level_starts:
                    self.sound = False
                    return False
                self._learn(conflict)
                continue
            if until_restart <= 0:
                until_restart = _RESTART_CONFLICTS + self.conflicts // 4
                self._back_to(0)
                continue
            choice = self._choose()
            if choice < 0:
                return True
            self.level_starts.append(len(self.trail))
            self._assign(choice, None)

    def value(self, literal: int) -> bool:
        """Whether ``literal`` holds in the choice that was found."""
        return self.truth[literal] == _TRUE

    def _assign(self, literal: int, reason: list[int] | int | None) -> None:
        variable = literal >> 1
        self.truth[literal] = _TRUE
        self.truth[literal ^ 1] = _FALSE
        self.reasons[variable] = reason
        self.levels[variable] = len(self.level_starts)
        self.places[variable] = len(self.trail)
        self.trail.append(literal)

    def _choose(self) -> int:
        """The literal to try next, or -1 where every variable has its value."""
        while self.heap:
            variable = -heappop(self.heap)[1]
            if self.truth[2 * variable] == _OPEN:
                return self.phase[variable]
        for variable in range(len(self.reasons)):
            if self.truth[2 * variable] == _OPEN:
                return self.phase[variable]
        return -1

    def _propagate(self) -> list[int] | None:
        """Draws all conclusions. Returns a clause whose literals are all false, where there is one."""
        while self.processed < len(self.trail):
            literal = self.trail[self.processed]
            self.processed += 1
            conflict = self._count(literal) or self._visit(literal ^ 1)
            if conflict is not None:
                return conflict
        return None

    def _count(self, literal: int) -> list[int] | None:
        """Counts a literal that holds in its limits, and rules out the rest of those that are full."""
        numbers = self.limits_of[literal]
        counts = self.counts
        for number in numbers:
            counts[number] += 1
        truth = self.truth
        for number in numbers:
            most, literals = self.limits[number]
            if counts[number] > most:
                return [one ^ 1 for one in literals if truth[one] == _TRUE]
            if counts[number] == most:
                for one in literals:
                    if truth[one] == _OPEN:
                        self._assign(one ^ 1, number)
        return None

    def _visit(self, false: int) -> list[int] | None:
        """Looks at the clauses that watch a literal which is false now."""
        truth = self.truth
        watching = self.clauses_of[false]
        kept: list[list[int]] = []
        self.clauses_of[false] = kept
        for index in range(len(watching)):
            clause = watching[index]
            if clause[0] == false:
                clause[0] = clause[1]
                clause[1] = false
            first = clause[0]
            if truth[first] == _TRUE:
                kept.append(clause)
                continue
            for place in range(2, len(clause)):
                other = clause[place]
                if truth[other] != _FALSE:
                    clause[1] = other
                    clause[place] = false
                    self.clauses_of[other].append(clause)
                    break
            else:
                kept.append(clause)
                if truth[first] == _FALSE:
                    kept.extend(watching[index + 1 :])
                    return clause
                self._assign(first, clause)
        return None

    def _reason(self, literal: int) -> list[int]:
        """The literals, all false, because of which ``literal`` had to hold."""
        reason = self.reasons[literal >> 1]
        if reason is None:
            return []
        if isinstance(reason, int):
            most, literals = self.limits[reason]
            place = self.places[literal >> 1]
            truth = self.truth
            places = self.places
            full = [one ^ 1 for one in literals if truth[one] == _TRUE and places[one >> 1] < place]
            return full[:most]
        return [one for one in reason if one != literal]

    def _learn(self, conflict: list[int]) -> None:
        """Learns from a dead end why it is one, and goes back to where that could have been known."""
        level = len(self.level_starts)
        seen: set[int] = set()
        learned: list[int] = []
        open_here = 0
        place = len(self.trail) - 1
        literals = conflict
        while True:
            for one in literals:
                variable = one >> 1
                if variable in seen or self.levels[variable] == 0:
                    continue
                seen.add(variable)
                self._bump(variable)
                if self.levels[variable] == level:
                    open_here += 1
                else:
                    learned.append(one)
            while self.trail[place] >> 1 not in seen:
                place -= 1
            pivot = self.trail[place]
            place -= 1
            open_here -= 1
            if open_here == 0:
                break
            literals = self._reason(pivot)
        self.bump *= _ACTIVITY_GROWTH
        learned.sort(key=lambda one: -self.levels[one >> 1])
        back = self.levels[learned[0] >> 1] if learned else 0
        clause = [pivot ^ 1]
        clause.extend(learned)
        self._back_to(back)
        if len(clause) == 1:
            self._assign(clause[0], None)
            return
        self.clauses_of[clause[0]].append(clause)
        self.clauses_of[clause[1]].append(clause)
        self._assign(clause[0], clause)

    def _bump(self, variable: int) -> None:
        self.activity[variable] += self.bump
        if self.activity[variable] > _ACTIVITY_MAX:
            self.activity = [one / _ACTIVITY_MAX for one in self.activity]
            self.bump /= _ACTIVITY_MAX
        heappush(self.heap, (-self.activity[variable], -variable))

    def _back_to(self, level: int) -> None:
        """Takes back every choice after the first ``level``, and what followed from it."""
        if len(self.level_starts) <= level:
            return
        start = self.level_starts[level]
        for place in range(start, len(self.trail)):
            literal = self.trail[place]
            if place < self.processed:
                for number in self.limits_of[literal]:
                    self.counts[number] -= 1
            self.truth[literal] = _OPEN
            self.truth[literal ^ 1] = _OPEN
            self.phase[literal >> 1] = literal
            heappush(self.heap, (-self.activity[literal >> 1], -(literal >> 1)))
        del self.trail[start:]
        del self.level_starts[level:]
        self.processed = start
