"""Whole numbers: gaps between them, and inductions over exponents; nearly true relations are not proved."""

import pytest
import sympy as sp

from verify.check_proof import check
from verify.engine.certificates.question import Question, Undecided
from verify.engine.certificates.recheck import Rejected, recheck
from verify.engine.tactics.counting import _gaps, _linear, by_gaps
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.prove import prove

x, y = sp.symbols("x y", real=True)
a, p = sp.symbols("a p", nonnegative=True)
q = sp.Symbol("q", positive=True)
k, m, n = sp.symbols("k m n", integer=True, positive=True)
w = sp.Symbol("w", integer=True, nonnegative=True)

TRUE = [
    ((m - 1) * (m - 2) >= 0,),
    ((3 * m - 4) * (3 * m - 5) >= 0,),
    ((m - n) * (m - n - 1) >= 0,),
    (q * (w - 1) * (w - 2) >= 0,),
    (10 * m**2 - 30 * m + 21 >= 0,),  # roots are irrational, between 1 and 2
    ((m - 2) * (m - 3) * (m - 5) * (m - 6) >= 0,),
    ((10 * m**2 - 30 * m + 21) * (10 * (m - 3) ** 2 - 30 * (m - 3) + 21) >= 0,),  # also between 4 and 5
    (2**m >= m + 1,),
    (2**w >= w + 1,),
    (m <= 2 ** (m - 1),),
    (q**m >= 1, q >= 1),
    (p ** (m + k) <= p**m, p <= 1),
    ((1 - a) ** m * p <= p, a <= 1),
    ((1 - a) ** m * p <= (1 - a) * p, a <= 1),
]
FALSE = [
    ((m - 1) * (m - 3) >= 0,),
    ((m - 1) * (m - 2) > 0,),
    ((m - 1) * (m - 2) >= 1,),
    ((3 * m - 4) * (3 * m - 7) >= 0,),
    ((m / 2 - 1) * (m / 2 - 2) >= 0,),
    ((x - 1) * (x - 2) >= 0,),
    ((m - x) * (m - x - 1) >= 0,),
    ((m - n) * (m - n - 2) >= 0,),
    ((2 * m - n - 1) * (2 * m - n + 1) >= 0,),
    (10 * m**2 - 30 * m + 19 >= 0,),
    (2**m >= m + 2,),
    (2**m >= 2 * m + 1,),
    (2**w > w + 1,),
    (2**m >= m**2,),
    (q**m >= 1,),
    (q**m >= 1, q >= sp.Rational(9, 10)),
    (q**m <= 1, m <= 1),
    (p ** (m + k) <= p**m,),
    (p ** (m + k) <= p**m, p <= 2),
    (p ** (m + k) < p**m, p <= 1),
    (p**m <= p ** (m + k), p <= 1),
    ((1 - a) ** m * p <= p,),
    ((1 - a) ** m * p <= p, a <= 3),
    ((1 - a) ** m * p <= p / 2, a <= 1),
    ((1 - a) ** m * x <= x, a <= 1),
    ((1 - x) ** m * p <= p, x <= 1),
]
BY = {"split": TRUE[:7], "induct": TRUE[7:]}


def searched(relation, *conditions):
    return prove(Question(relation, tuple((condition, "condition") for condition in conditions)), 300)


@pytest.mark.parametrize(("reason", "asked"), [(r, each) for r, some in BY.items() for each in some], ids=str)
def test_what_is_true_of_whole_numbers_is_shown(reason, asked):
    found = searched(*asked)
    assert not isinstance(found, Undecided), found.tried
    assert reason in found["lines"][-1]
    check(found)
    line = {**found["lines"][-1], "show": [">", *found["claim"][1:]], "split": "x"}
    with pytest.raises(Rejected):
        recheck({**found, "lines": [*found["lines"][:-1], line]})


@pytest.mark.parametrize("asked", FALSE, ids=str)
def test_near_misses_are_not_shown(asked):
    assert isinstance(searched(*asked), Undecided)


def test_what_is_known_of_one_exponent_is_not_used_for_all():
    assert isinstance(searched(2**m >= 5 * m, 2**m >= 4 * m), Undecided)


DRAFT = Draft({"m": "count", "n": "count"}, 1500, 60)


@pytest.mark.parametrize(
    ("factor", "ends"),
    [
        (["-", "m", "n"], [0]),
        (["-", ["-", "m", "n"], "1"], [1]),
        (["-", ["*", "3", ["-", "m", "n"]], "2"], [0]),
        (["-", ["*", "3", ["-", "m", "n"]], "5"], [1]),
        (["+", ["*", "2", ["-", "m", "n"]], "3"], [-2]),
        (["-", ["/", "m", "2"], "n"], []),
        (["-", ["/", "m", "3"], ["/", "n", "3"]], []),
    ],
)
def test_only_sums_of_whole_numbers_have_a_last_whole_value(factor, ends):
    assert _linear(DRAFT, DRAFT.checked.slack(["<=", "0", factor]).top)[1] == ends


def test_gaps_are_looked_at_from_the_least_on():
    first, second = (["-", name, "3"] for name in ("m", "n"))
    claim = ["<=", "0", ["*", first, second, ["-", "m", "1"], ["-", "n", "1"]]]
    assert [gap[1:] for gap in _gaps(DRAFT, claim)] == [["m", "1"], ["n", "1"], ["m", "3"], ["n", "3"]]


def test_gaps_are_those_of_one_number_or_of_a_sum():
    claim = ["<=", "0", ["*", ["-", ["*", "m", "n"], "6"], ["-", ["-", "m", "n"], "2"]]]
    assert _gaps(DRAFT, claim) == [["-", ["+", "m", ["*", "-1", "n"]], "2"]]


def test_gaps_that_are_far_away_are_not_looked_at():
    claim = ["<=", "0", ["*", ["-", ["^", "m", "2"], "2"], ["-", ["^", "n", "2"], str(3 * 10**60)]]]
    assert {gap[1] for gap in _gaps(DRAFT, claim)} == {"m"}


def test_gaps_are_next_to_the_roots_of_what_lacks_powers():
    for power, number, root in (("2", "30", "5"), ("3", "30", "3"), ("4", "700", "5")):
        claim = ["<=", "0", ["-", ["^", "m", power], number]]
        assert ["-", "m", root] in _gaps(DRAFT, claim)


@pytest.mark.parametrize(("letters", "gaps"), [(26, [["-", "m", "1"], ["-", "m", "2"]]), (27, [])])
def test_factors_of_long_polynomials_are_not_looked_for(letters, gaps):
    """(m - 1) (m - 2) times a sum has three terms for each letter of the sum."""
    names = [f"p{k}" for k in range(letters)]
    draft = Draft({"m": "count", **dict.fromkeys(names, "nonnegative")}, 1500, 60)
    claim = ["<=", "0", ["*", ["-", "m", "1"], ["-", "m", "2"], ["+", *names]]]
    assert _gaps(draft, claim) == gaps


def test_gaps_are_no_matter_of_equations():
    slack = ["*", ["-", "m", "1"], ["-", "m", "2"]]
    for head, tried in (("<=", True), ("=", False)):
        draft = Draft({"m": "count"}, 1500, 60)
        draft.define(["<=", "0", slack])
        assert by_gaps(draft, [head, "1", slack]) is False
        assert ("gaps between whole numbers" in draft.tried) == tried
