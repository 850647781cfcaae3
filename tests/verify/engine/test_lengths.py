"""Squares of lengths: the excess of a slack from |x|^2 = x^2 is shown by multiples of this law, and nothing else."""

import pytest
import sympy as sp

from tests.verify.engine.test_draft import draft
from verify.check_proof import check
from verify.engine.certificates.recheck import recheck
from verify.engine.proof.extremes import squares_of_lengths
from verify.engine.proof.sizes import slack_at

x, y = sp.symbols("x y", real=True)
a = sp.Symbol("a", positive=True)
X, Y = sp.Abs(x), sp.Abs(y)
TRUE = {
    "one length": (x**2, X * (X + a), a * X),
    "a multiple of a square": (x**4, X**3 * (X + a), a * X**3),
    "over a sum": (x**4 / (1 + y**2), X**3 * (X + a) / (1 + y**2), a * X**3 / (1 + y**2)),
}


@pytest.mark.parametrize("case", TRUE.values(), ids=TRUE)
def test_a_slack_with_squares_of_lengths_is_certified(case):
    small, large, slack = case
    certificate = slack_at(small, large, slack, {})
    assert certificate is not None
    check(dict(certificate))
    recheck(certificate)
    assert slack_at(small, large, 2 * slack, {}) is None
    assert slack_at(small, large, slack + X, {}) is None


LENGTH = ["abs", "x"]


@pytest.mark.parametrize(
    ("small", "large"),
    [
        (["^", "x", "2"], ["^", LENGTH, "2"]),
        (["^", "x", "4"], ["^", LENGTH, "4"]),
        (["*", ["^", "x", "4"], LENGTH], ["^", LENGTH, "5"]),
        (["^", "x", "6"], ["*", ["^", "x", "2"], ["^", LENGTH, "4"]]),
        (["*", "p", ["^", "x", "2"]], ["*", "p", ["^", LENGTH, "2"]]),
        (["/", ["^", "x", "2"], "p"], ["/", ["^", LENGTH, "2"], "p"]),
        (["+", ["^", "x", "2"], ["^", "y", "4"]], ["+", ["^", LENGTH, "2"], ["^", ["abs", "y"], "4"]]),
        (["^", ["-", "x", "y"], "2"], ["^", ["abs", ["-", "x", "y"]], "2"]),
    ],
    ids=str,
)
def test_powers_of_lengths_are_taken_down_two_at_a_time(small, large):
    made, claim = draft(), ["<=", small, large]
    made.define(claim)
    laws = squares_of_lengths(made.checked, claim, "0")
    assert laws
    assert made.close(claim, ["+", "0", *laws])


@pytest.mark.parametrize(
    ("small", "large"),
    [
        ("x", LENGTH),
        (["^", "x", "2"], ["^", LENGTH, "3"]),
        (["^", "x", "3"], ["^", LENGTH, "3"]),
        (["^", "x", "2"], ["+", ["^", LENGTH, "2"], "z"]),
        (["/", "1", ["^", "p", "2"]], ["^", ["abs", ["/", "1", "p"]], "2"]),  # no polynomial inside
    ],
    ids=str,
)
def test_what_is_left_over_is_no_law_of_lengths(small, large):
    made, claim = draft(), ["<=", small, large]
    made.define(claim)
    assert squares_of_lengths(made.checked, claim, "0") == []
