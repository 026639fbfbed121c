"""The small solver, against one that is known to be right."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Minicard

from events.audit.cards_solver import Solver


def theirs(literal: int) -> int:
    """A literal in the other solver's numbers."""
    return -(literal // 2 + 1) if literal % 2 else literal // 2 + 1


@given(st.randoms(use_true_random=False), st.integers(3, 24), st.floats(1, 5), st.floats(0, 0.4))
@settings(max_examples=150, deadline=None)
def test_both_solvers_answer_alike(chance: random.Random, variables: int, clauses: float, limits: float) -> None:
    ours, reference = Solver(), Minicard()
    for _variable in range(variables):
        ours.new_variable(chance.random() < 0.5)
    conditions: list[tuple[int, list[int]]] = []
    for _clause in range(int(variables * clauses)):
        limited = chance.random() < limits
        chosen = chance.sample(range(variables), min(variables, chance.randint(2, 8) if limited else 3))
        literals = [2 * variable + chance.randint(0, 1) for variable in chosen]
        most = chance.randint(0, 4) if limited else len(literals) - 1
        conditions.append((most, literals))
        if limited:
            ours.add_at_most(most, literals)
            reference.add_atmost([theirs(one) for one in literals], most)
        else:
            ours.add_clause([one ^ 1 for one in literals])
            reference.add_clause([theirs(one ^ 1) for one in literals])
    answer = ours.solve()
    assert answer == reference.solve()
    if answer:
        for most, literals in conditions:
            assert len([one for one in literals if ours.value(one)]) <= most


def test_a_contradiction_is_seen_at_once() -> None:
    solver = Solver()
    variable = solver.new_variable(True)
    solver.add_clause([2 * variable])
    solver.add_clause([2 * variable + 1])
    assert not solver.solve()
    assert solver.conflicts == 0


def test_five_cards_do_not_fit_into_four_places() -> None:
    solver = Solver()
    lies = [[2 * solver.new_variable(True) for _place in range(4)] for _card in range(5)]
    for row in lies:
        solver.add_clause(row)
    for place in range(4):
        solver.add_at_most(1, [row[place] for row in lies])
    assert not solver.solve()
