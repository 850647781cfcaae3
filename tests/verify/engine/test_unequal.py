"""Claims and conditions that two numbers differ: proved by both checkers, refuted where they are equal."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from bounds.relations import eq, gt, le, lt, ne
from nqm.fields import to_interval
from verify.check_proof import check
from verify.engine.certificates.question import Question, Undecided
from verify.engine.certificates.recheck import recheck
from verify.engine.model.instance import sides
from verify.engine.search.adversary import ROUNDING, margins
from verify.engine.search.points import breaking_point
from verify.engine.tactics.prove import prove

a, b = sp.symbols("a b", positive=True)
x, y = sp.symbols("x y", real=True)
n, k = sp.symbols("n k", integer=True, positive=True)
TRUE = {
    "positive": (ne(a + 1 / a, 1),),
    "squares": (ne(a**2, b**2), ne(a, b)),
    "no root": (ne(n**2, 2),),
    "order": (ne(x, y), le(x + 1, y)),
    "sum of squares": (ne(x**2 + y**2 + 1, 0),),
    "parity": (ne(2 * n, 2 * k + 1),),
    "division": (eq((x**2 - y**2) / (x - y), x + y), ne(x, y)),
    "strict": (gt(x**2, 0), ne(x, 0)),
    "strictly convex": (lt((x + y) ** 2, 2 * (x**2 + y**2)), ne(x, y)),
}
FALSE = {
    "positive": (ne(a + 1 / a, 2),),
    "squares": (ne(x**2, y**2), ne(x, y)),
    "root": (ne(n**2, 4),),
    "order": (ne(x, y), le(x, y)),
    "sum of squares": (ne(x**2 + y**2, 0),),
    "parity": (ne(2 * n, 2 * k),),
    "strict": (gt(x**3, 0), ne(x, 0)),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_differs_is_proved_to_both_checkers(name: str) -> None:
    relation, *given = TRUE[name]
    found = prove(Question(relation, tuple((one, "condition") for one in given)), 80)
    assert not isinstance(found, Undecided), found
    check(dict(found))
    recheck(found)


@pytest.mark.parametrize("name", FALSE)
def test_what_may_be_equal_is_not_proved_and_is_refuted_at_a_point(name: str) -> None:
    relation, *given = FALSE[name]
    assert isinstance(prove(Question(relation, tuple((one, "condition") for one in given)), 40), Undecided)
    assert breaking_point(relation, given) is not None


def _of(one: object, other: object) -> dict[str, object]:
    return {"x": np.array([one], dtype=object), "y": np.array([other], dtype=object)}


def test_equal_fractions_break_it_and_others_do_not() -> None:
    same, apart = _of(Fraction(1, 3), Fraction(2, 6)), _of(Fraction(1, 3), Fraction(1, 4))
    assert sides(ne(x, y), same, "exact").fails
    assert not sides(ne(x, y), same, "exact").holds
    assert sides(ne(x, y), apart, "exact").holds
    assert not sides(ne(x, y), apart, "exact").fails


def test_equal_intervals_need_not_hold_equal_numbers() -> None:
    third = to_interval(np.array([Fraction(1, 3)], dtype=object))[0]
    found = sides(ne(x, y), _of(third, third), "interval")
    assert not found.fails
    assert not found.holds
    assert sides(
        ne(x, y), _of(to_interval(np.array([1]))[0], to_interval(np.array([1]))[0]), "interval"
    ).fails


def test_only_equality_is_beyond_rounding() -> None:
    values = {"x": np.array([1.0, 1.0, 0.0]), "y": np.array([1.0, 1.0 + 1e-12, 0.0])}
    margin, ratio = margins(ne(x, y), values, 3)
    assert (margin > ROUNDING).tolist() == [True, False, True]
    assert np.isnan(ratio).all()
