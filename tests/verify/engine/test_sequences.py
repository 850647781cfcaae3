"""Sequences of free numbers: conditions for every index are met in every instance, and conclusions hold for each."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from verify import Notes
from verify.engine.judge import judge
from verify.engine.model.sequences import EXCESS, for_every, letter_of, sequences_in
from verify.engine.model.validation import validate
from verify.engine.search.adversary import random_batch
from verify.engine.work.errors import UsageError

notes = Notes("sequences")
a, b = notes.positive("a b")
t, T, n = notes.count("t T n")
i = sp.Symbol("i", integer=True)
x = sp.IndexedBase("x")
r = sp.IndexedBase(sp.Symbol("r", nonnegative=True))
p = sp.IndexedBase(sp.Symbol("p", positive=True))
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
    _, _, values, allowed = random_batch(question.scene, question.conditions, tuple(shape.items()), 64, 0)
    assert allowed.all()
    assert (values[EXCESS.name] <= 1e-9).all()
    entries = values["r"]
    bound = (1 - values["a"]) * entries[:-1] + values["b"]
    assert (entries[1:] <= bound + 1e-9).all()
    assert (np.isclose(entries[1:], bound)).any()


def test_a_claim_without_entries_may_count_rounds() -> None:
    claim = Notes("own").claim("claim", T * b <= r[0], r[t] <= r[t - 1] - b)
    question = claim.question
    _, _, values, allowed = random_batch(question.scene, question.conditions, (("T", 5), ("t", 1)), 64, 0)
    assert len(values["r"]) > 5
    assert (5 * values["b"][allowed] <= values["r"][0][allowed] + 1e-9).all()


def test_an_equation_of_an_entry_below_a_root_is_met() -> None:
    claim = Notes("own").claim("claim", r[T] <= a, sp.Eq(a, sp.sqrt(r[0] / (b * T))), r[t] <= r[t - 1])
    question = claim.question
    _, _, values, allowed = random_batch(question.scene, question.conditions, (("T", 2), ("t", 1)), 64, 0)
    assert allowed.any()
    assert np.allclose(values["r"][0], values["a"] ** 2 * values["b"] * 2)


def test_an_instance_that_breaks_a_condition_at_one_index_does_not_count() -> None:
    claim = Notes("own").claim("claim", x[T] <= 1, x[t] ** 2 <= a, a <= 1)
    question = claim.question
    shape = question.scene.shapes[3]
    _, _, values, allowed = random_batch(question.scene, question.conditions, tuple(shape.items()), 256, 0)
    assert (values["x"][1:, allowed] ** 2 <= 1 + 1e-6).all()


@pytest.mark.parametrize(
    "condition",
    [p[t] <= p[t - 1] - a, sp.Eq(p[t], p[t - 1] - p[t - 1] ** 2, evaluate=False), p[t] >= p[t - 1] - a],
    ids=str,
)
def test_entries_stay_positive(condition: sp.Basic) -> None:
    claim = Notes("own").claim("claim", sp.Gt(a * p[T], 0, evaluate=False), condition)
    question = claim.question
    _, _, values, allowed = random_batch(
        question.scene, question.conditions, tuple(question.scene.shapes[1].items()), 256, 0
    )
    assert allowed.any()
    assert (values["p"][:, allowed] > 0).all()
    assert judge(claim, "quick", 0)["verdict"] != "refuted"


@pytest.mark.parametrize("value", [-b, sp.Integer(0)], ids=str)
def test_no_weights_are_negative_to_reach_their_sum(value: sp.Expr) -> None:
    whole = sp.Eq(sp.Sum(r[i], (i, 1, n)), value, evaluate=False)
    assert _verdict(sp.Ge(r[1], 0, evaluate=False), whole) != "refuted"
    question = Notes("own").claim("claim", r[1] <= 1, whole).question
    *_, values, allowed = random_batch(
        question.scene, question.conditions, tuple(question.scene.shapes[0].items()), 64, 0
    )
    assert (values["r"] >= 0).all()
    assert not allowed.any() or value == 0


def test_weights_are_scaled_to_their_sum() -> None:
    question = Notes("own").claim("claim", r[1] <= a, sp.Eq(sp.Sum(r[i], (i, 1, n)), a)).question
    *_, allowed = random_batch(
        question.scene, question.conditions, tuple(question.scene.shapes[0].items()), 64, 0
    )
    assert allowed.sum() > 16  # the sums of the others differ by rounding


def test_a_strict_condition_is_not_met_by_an_equation() -> None:
    for below in (x[T] < x[0], sp.Le(x[T], x[0] - b)):
        assert _verdict(below, x[t] < x[t - 1]) == ("refuted" if b in below.free_symbols else "proved")
    assert _verdict(r[T] < r[0], r[t] < r[t - 1]) == "proved"
    assert _verdict(x[T] < a, x[t] < a) == "proved"
    assert _verdict(sp.Ne(x[T], a), sp.Ne(x[t], a)) != "refuted"
    assert _verdict(sp.Ne(x[T], a), sp.Ne(x[t], b)) == "refuted"


def test_a_condition_has_one_symbol_in_its_indices() -> None:
    """It would be meant for every T of the claim, and for one t."""
    with pytest.raises(UsageError, match=r"got T and t in .*; write a number in place of one of the entries"):
        _verdict(T * x[T] <= sp.Sum(x[i], (i, 1, T)), x[T] <= x[t])
    assert _verdict(T * a <= sp.Sum(x[i], (i, 1, T)), a <= x[t]) == "proved"


def test_a_claim_that_counts_rounds_concerns_their_entries() -> None:
    """No round of T takes more than r[0] leaves, although the claim names no entry of the last round."""
    falls = r[t] <= r[t - 1] - a**2
    assert _verdict(T * a**2 <= r[0], falls) != "refuted"
    assert _verdict(T * a**2 <= r[0] / 2, falls) == "refuted"
    assert _verdict(T * a**2 <= 2 * r[0] - r[n], falls) != "refuted"


def test_entries_defined_by_roots_refute() -> None:
    """In intervals an entry and its definition overlap; the definition holds by construction."""
    momentum = sp.Eq(r[t], (1 + sp.sqrt(1 + 4 * r[t - 1] ** 2)) / 2), sp.Eq(r[0], 1)
    assert _verdict(r[T] >= 1 + 2 * T / sp.S(3), *momentum) == "refuted"
    assert _verdict(r[T] ** 2 <= r[0] ** 2 + T / 2, r[t] <= sp.sqrt(r[t - 1] ** 2 + 1)) == "refuted"
    assert _verdict(r[T] ** 2 <= r[0] ** 2 + T / 2, r[t] ** 2 <= r[t - 1] ** 2 + 1) == "refuted"


def test_a_recursion_is_unrolled_for_every_round() -> None:
    assert _verdict(r[T] <= (1 - a) ** T * r[0] + b / a, *LINEAR) == "proved"
    assert _verdict(r[T] <= (1 - a) ** T * r[0] + b / (2 * a), *LINEAR) == "refuted"


def test_sums_over_a_sequence() -> None:
    ones = sp.Sum(x[i], (i, 1, n)) ** 2
    assert _verdict(ones <= n * sp.Sum(x[i] ** 2, (i, 1, n))) == "proved"
    assert _verdict(ones <= (n - sp.Rational(1, 10)) * sp.Sum(x[i] ** 2, (i, 1, n))) == "refuted"


@pytest.mark.parametrize(
    ("relation", "condition", "verdict"),
    [
        (sp.Sum(x[i], (i, 1, n)) <= sp.sqrt(a * n), sp.Sum(x[i] ** 2, (i, 1, n)) <= a, "proved"),
        (sp.Sum(x[i], (i, 1, n)) <= sp.sqrt(a * n) / 2, sp.Sum(x[i] ** 2, (i, 1, n)) <= a, "refuted"),
        (sp.Sum(r[i] ** 2, (i, 1, n)) >= 1 / n, sp.Eq(sp.Sum(r[i], (i, 1, n)), 1), "proved"),
        (sp.Sum(r[i] ** 2, (i, 1, n)) >= 2 / n, sp.Eq(sp.Sum(r[i], (i, 1, n)), 1), "refuted"),
    ],
    ids=str,
)
def test_sums_are_compared_with_sums_of_squares(
    relation: sp.Basic, condition: sp.Basic, verdict: str
) -> None:
    assert _verdict(relation, condition) == verdict


D = sp.IndexedBase(sp.Symbol("D", nonnegative=True))
FALLS = r[t] + D[t - 1] <= r[t - 1]


@pytest.mark.parametrize("relation", [sp.Sum(D[i], (i, 0, T - 1)) <= r[0], D[T] <= r[0]], ids=str)
def test_a_condition_speaks_of_entries_that_only_another_sequence_has_in_the_claim(
    relation: sp.Basic,
) -> None:
    """The claim names D up to an index at which the condition bounds D by an entry of r beyond all that it names."""
    assert _verdict(relation, FALLS) != "refuted"
    assert _verdict(relation.func(relation.lhs, relation.rhs / 2), FALLS) == "refuted"


def test_sums_with_one_index_may_have_different_ends() -> None:
    weighted = sp.Sum(i**2 * (r[i - 1] - r[i]), (i, 1, T))
    assert _verdict(weighted <= sp.Sum(2 * i * r[i], (i, 0, T - 1))) == "refuted"
    assert _verdict(sp.Sum(r[i], (i, 0, T - 1)) <= sp.Sum(r[i], (i, 0, T + 1))) == "proved"


def test_a_counterexample_lists_all_entries_that_its_conditions_speak_of() -> None:
    claim = Notes("own").claim("claim", D[T] <= r[0] / 2, FALLS)
    witness = judge(claim, "quick", 0)["witness"]
    entries = {
        name: {int(k): sp.Rational(x) for k, x in row.items()} for name, row in witness["sequences"].items()
    }
    last = max(entries["r"])
    assert last > witness["shape"]["T"]
    assert all(entries["r"][k] + entries["D"][k - 1] <= entries["r"][k - 1] for k in range(1, last + 1))


def test_entries_with_hundreds_of_digits_are_left_out_of_a_record() -> None:
    claim = Notes("own").claim("claim", x[7] <= x[0], sp.Eq(x[t], x[t - 1] ** 3, evaluate=False))
    record = judge(claim, "quick", 0)
    assert record["verdict"] == "refuted"
    assert "1" in record["witness"]["sequences"]["x"]
    assert all(len(entry) < 1000 for entry in record["witness"]["sequences"]["x"].values())
