"""Sequences of free numbers: conditions for every index are met in every instance, and conclusions hold for each."""

from __future__ import annotations

import numpy as np
import sympy as sp

from verify import Notes
from verify.engine.adversary import drawn
from verify.engine.judge import judge
from verify.engine.sequences import EXCESS, for_every, letter_of, sequences_in
from verify.engine.validation import validate

notes = Notes("sequences")
a, b = notes.positive("a b")
t, T, n = notes.count("t T n")
i = sp.Symbol("i", integer=True)
x = sp.IndexedBase("x")
r = sp.IndexedBase(sp.Symbol("r", nonnegative=True))
LINEAR = (r[t] <= (1 - a) * r[t - 1] + b, a <= 1)


def _verdict(relation: sp.Basic, *conditions: sp.Basic) -> str:
    claim = Notes("own").claim("claim", relation, *conditions)
    validate(claim)
    return str(judge(claim, "quick", 0)["verdict"])


def test_a_condition_on_an_entry_is_one_for_every_index() -> None:
    assert letter_of(LINEAR[0]) == t
    assert letter_of(sp.Le(sp.Sum(x[i], (i, 1, n)), 1)) is None
    assert letter_of(r[0] <= 1) is None
    assert for_every(LINEAR) == [(LINEAR[0], t)]
    assert sequences_in(LINEAR) == [r.label]


def test_every_instance_meets_a_recursion_at_every_index() -> None:
    claim = Notes("own").claim("claim", r[T] <= b, *LINEAR)
    question = claim.question
    shape = question.scene.shapes[-1]
    _, _, values, allowed = drawn(question.scene, question.conditions, tuple(shape.items()), 64, 0)
    assert allowed.all()
    assert (values[EXCESS.name] <= 1e-9).all()
    entries = values["r"]
    bound = (1 - values["a"]) * entries[:-1] + values["b"]
    assert (entries[1:] <= bound + 1e-9).all()
    assert (np.isclose(entries[1:], bound)).any()


def test_an_instance_that_breaks_a_condition_at_one_index_does_not_count() -> None:
    claim = Notes("own").claim("claim", x[T] <= 1, x[t] ** 2 <= a, a <= 1)
    question = claim.question
    shape = question.scene.shapes[3]
    _, _, values, allowed = drawn(question.scene, question.conditions, tuple(shape.items()), 256, 0)
    assert (values["x"][1:, allowed] ** 2 <= 1 + 1e-6).all()


def test_a_recursion_is_unrolled_for_every_round() -> None:
    assert _verdict(r[T] <= (1 - a) ** T * r[0] + b / a, *LINEAR) == "proved"
    assert _verdict(r[T] <= (1 - a) ** T * r[0] + b / (2 * a), *LINEAR) == "refuted"


def test_sums_over_a_sequence() -> None:
    ones = sp.Sum(x[i], (i, 1, n)) ** 2
    assert _verdict(ones <= n * sp.Sum(x[i] ** 2, (i, 1, n))) == "proved"
    assert _verdict(ones <= (n - sp.Rational(1, 10)) * sp.Sum(x[i] ** 2, (i, 1, n))) == "refuted"
