"""Points at which all known facts hold."""

from __future__ import annotations

from flint import Ordering, fmpq, fmpq_mpoly_ctx
from hypothesis import given
from hypothesis import strategies as st

from verify.engine.tactics.models import fact, points

CONTEXT = fmpq_mpoly_ctx.get(["x", "y", "z"], Ordering.degrevlex)
X, Y, Z = CONTEXT.gens()
NUMBERS = st.integers(-3, 3)


def found(*facts, zeros=(), nonnegative=(), positive=()):
    every = [fact(one, zero=False) for one in facts] + [fact(one, zero=True) for one in zeros]
    return points(every, (3, 3), nonnegative, positive)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), max_size=4), st.sets(st.integers(0, 2)))
def test_all_facts_hold_at_every_point(rows, positive):
    facts = [a * X * Y + b * Y + c * Z**2 + d for a, b, c, d in rows]
    facts = [one for one in facts if not one.is_constant()]
    for point in found(*facts, positive=positive):
        assert all(one(*point) >= 0 for one in facts)
        assert all(point[place] > 0 for place in positive)


def test_equations_are_met_exactly():
    some = found(1 - X, zeros=(X * Y - 1, Z - X - Y), positive={0, 1})
    assert some
    for x, y, z in some:
        assert x * y == 1
        assert z == x + y
        assert 0 < x <= 1


def test_facts_that_contradict_each_other_have_no_point():
    assert found(X - 2, 1 - X) == []
    assert found(-X - 1, nonnegative={0}) == []


def test_variables_without_use_are_zero():
    assert all(point[1:] == [fmpq(0)] * 2 for point in points([fact(X - 1, zero=False)], (1, 3), (), ()))
