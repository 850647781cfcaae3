"""The fuzzer of recursions: a few of them, its own simulation, and counterexamples that it refuses."""

import random
from fractions import Fraction

import pytest
import sympy as sp

from tests.fuzz.recursions import (
    Case,
    T,
    a,
    b,
    c,
    holds,
    inside,
    judged,
    made,
    runs,
    t,
    value,
    wrong_counterexample,
)

x = sp.IndexedBase(sp.Symbol("x", positive=True))


@pytest.mark.parametrize("place", range(5))
def test_a_few_claims_are_judged_rightly(place: int) -> None:
    assert judged(place, 2)["wrong"] == ""


def test_runs_meet_all_conditions() -> None:
    rng, met = random.Random(0), 0
    for _ in range(10):
        case = made(rng)
        for point, entries in runs(case, rng):
            met += 1
            later = range(1, len(entries)) if case.every is not None else ()
            assert all(holds(case.every, {**point, t: Fraction(k)}, entries) for k in later)
            assert all(inside(case.base.label, entry) for entry in entries[1:])
    assert met > 100


def test_entries_and_sums_are_evaluated() -> None:
    i = sp.Symbol("i", integer=True)
    entries = [Fraction(k) for k in (1, 2, 4)]
    assert value(sp.Sum(x[i] * a, (i, 1, T)), {a: Fraction(3), T: Fraction(2)}, entries) == 18
    with pytest.raises(IndexError):
        value(x[t - 1], {t: Fraction(0)}, entries)


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ({"0": "1", "1": "0"}, "an entry is outside its domain"),
        ({"0": "1", "1": "2"}, "the condition is broken at t = 1"),
        ({"0": "3", "1": "2"}, "the relation holds"),
        ({"0": "1/2", "1": "1/4"}, ""),
    ],
)
def test_a_wrong_counterexample_is_noticed(listed: dict[str, str], said: str) -> None:
    case = Case(x, sp.Le(x[t], x[t - 1], evaluate=False), (), sp.Ge(x[T], a, evaluate=False))
    witness = {
        "shape": {"T": 1},
        "parameters": {s.name: "1" for s in (a, b, c)},
        "steps": {},
        "sequences": {"x": listed},
    }
    assert wrong_counterexample(case, witness) == said
