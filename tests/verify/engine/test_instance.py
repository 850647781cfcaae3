"""Instances and both sides of a relation: certain truth, certain failure, and the gap."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from nqm import fields
from verify.engine.model.instance import Instance, Sides, fractions_near, oriented, sides
from verify.engine.work.errors import UsageError

u, v = sp.symbols("u v", real=True)
KINDS = {"<=": sp.Le, "<": sp.Lt, ">=": sp.Ge, ">": sp.Gt, "=": sp.Eq}


def at(left, right):
    wrap = lambda x: np.array([Fraction(n) for n in np.atleast_1d(x)], dtype=object)[None]  # noqa: E731
    return {"u": wrap(left), "v": wrap(right)}


@pytest.mark.parametrize(
    ("sign", "below", "equal", "above"),
    [
        ("<=", True, True, False),
        ("<", True, False, False),
        (">=", False, True, True),
        (">", False, False, True),
        ("=", False, True, False),
    ],
)
def test_fractions_decide_every_relation(sign, below, equal, above):
    relation = KINDS[sign](u, v, evaluate=False)
    for left, expected in ((1, below), (2, equal), (3, above)):
        found = sides(relation, at(left, 2), "exact")
        assert (found.holds, found.fails) == (expected, not expected)


def root_of(number):
    return fields.power(fields.to_interval(np.array([Fraction(number)], dtype=object)), Fraction(1, 2))


@pytest.mark.parametrize("sign", KINDS)
def test_intervals_that_overlap_decide_nothing(sign):
    wide = {"u": root_of(2), "v": root_of(2) * root_of(2) / root_of(2)}
    found = sides(KINDS[sign](u, v, evaluate=False), wide, "interval")
    assert (found.holds, found.fails) == (False, False)


@pytest.mark.parametrize(
    ("sign", "holds"), [("<=", True), ("<", True), (">=", False), (">", False), ("=", False)]
)
def test_intervals_apart_decide(sign, holds):
    values = {"u": root_of(2), "v": root_of(3)}
    found = sides(KINDS[sign](u, v, evaluate=False), values, "interval")
    assert (found.holds, found.fails) == (holds, not holds)


def test_every_entry_must_hold_and_one_that_fails_is_shown():
    found = sides(u <= v, at([1, 5, 2], [2, 4, 3]), "exact")
    assert (found.holds, found.fails, found.small, found.large) == (False, True, (5, 5), (4, 4))
    found = sides(u <= v, at([1, 3, 2], [2, 3.5, 30]), "exact")
    assert (found.holds, found.small, found.large) == (True, (3, 3), (3.5, 3.5))


def test_of_entries_that_fail_the_worst_is_shown():
    for left, right in (([1, 5, 9, 4], [2, 4, 3, 3]), ([9, 5], [3, 4])):
        found = sides(u <= v, at(left, right), "exact")
        assert (found.fails, found.small, found.large) == (True, (9, 9), (3, 3))


def test_of_equations_that_fail_the_worst_is_shown_on_either_side():
    for left, right in (([5, 1, 2], [4, 9, 2]), ([2, 1, 5], [2, 9, 4])):
        found = sides(sp.Eq(u, v), at(left, right), "exact")
        assert (found.fails, found.small, found.large) == (True, (1, 1), (9, 9))


def test_the_small_side_comes_first():
    assert oriented(u <= v) == (u, v) == oriented(u < v) == oriented(sp.Eq(u, v))
    assert oriented(sp.Ge(u, v, evaluate=False)) == (v, u) == oriented(sp.Gt(u, v, evaluate=False))


@pytest.mark.parametrize("sign", KINDS)
def test_sides_are_told_as_they_are_written(sign):
    found = sides(KINDS[sign](u, v, evaluate=False), at(1, 2), "exact")
    assert found.written == ((1, 1), (2, 2))


def test_slack_is_relative():
    assert Sides(u <= v, (1, 1), (3, 3), holds=True, fails=False).slack == 0.5
    assert Sides(u <= v, (0.5, 1), (3, 4), holds=True, fails=False).slack == 0.5
    assert Sides(u <= v, (3, 3), (1, 1), holds=False, fails=True).slack == -0.5
    assert Sides(u <= v, (-3, -3), (1, 1), holds=True, fails=False).slack == 1
    assert Sides(u <= v, (0, 0), (0, 0), holds=True, fails=False).slack == 0


@pytest.mark.parametrize(
    "wrong", ["one", "1/0", "1/00", "nan", "inf", "1e9999", "0x1", "", "1" * 401, "--1", True, None, [1, [2]]]
)
def test_what_is_no_number_is_refused(wrong):
    with pytest.raises(UsageError, match="instance"):
        Instance.from_record({"shape": {}, "parameters": {"a": wrong}, "steps": {}})


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("-3/4", Fraction(-3, 4)),
        ("2", 2),
        ("1.5e-3", Fraction(3, 2000)),
        ("7/10", Fraction(7, 10)),
        ("1" * 400, int("1" * 400)),
    ],
)
def test_numbers_are_read_exactly(text, number):
    assert (
        Instance.from_record({"shape": {}, "parameters": {"a": text}, "steps": {}}).parameters["a"] == number
    )


@pytest.mark.parametrize("wrong", [True, 1.5, "1", None])
def test_sizes_are_whole(wrong):
    with pytest.raises(UsageError, match="whole number"):
        Instance.from_record({"shape": {"n": wrong}, "parameters": {}, "steps": {}})


def test_simpler_numbers_are_near_and_in_order():
    x = Fraction(3141592653589793, 10**15)
    near = fractions_near(x)
    assert near[:5] == [0, 1, -1, 2, -2]
    assert near[-1] == x
    assert len(set(near)) == len(near)
    assert {Fraction(3), Fraction(22, 7), Fraction(31, 10), Fraction(157, 50), Fraction(1571, 500)} <= set(
        near
    )
    own = list(near[7:-1])
    assert own == sorted(own, key=lambda one: (one.denominator, abs(one.numerator)))
    assert all(abs(one - x) < 0.15 for one in own)
    small = fractions_near(Fraction(123456, 10**9))
    assert Fraction(1, 10000) in small
    assert Fraction(123, 10**6) in small
    large = fractions_near(Fraction(123456))
    assert {Fraction(100000), Fraction(120000), Fraction(123000), Fraction(123500)} <= set(large)
    assert fractions_near(Fraction(0))[0] == 0
