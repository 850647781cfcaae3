"""A counterexample with a quantity equal to zero is reported only if no other is found, with a note."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from verify.engine.checks.attack import attack
from verify.engine.model.claim import BUDGETS
from verify.engine.model.instance import Instance, fractions_near
from verify.engine.model.question import ask
from verify.engine.model.scene import Box, Scene
from verify.engine.search.degenerate import unusual, zeros
from verify.engine.search.witness import counterexample

a, b, c = sp.symbols("a b c", nonnegative=True)
QUICK = BUDGETS["quick"]


def test_zeros_are_told_by_name_and_instance() -> None:
    values = {
        "a": torch.tensor([0.0, 1.0]),
        "b": torch.tensor([[0.0, 2.0], [0.0, 1e-15]]),
        "c": torch.zeros(2),
    }
    found = zeros(sp.Le(a, b), values, 2)
    assert {name: mask.tolist() for name, mask in found.items()} == {"a": [True, False], "b": [False, True]}
    assert unusual(sp.Le(a, b), values, 2).tolist() == [1, 1]
    assert unusual(sp.Le(b, 1), values, 2).tolist() == [0, 1]
    assert unusual(sp.Le(b, 1), {"b": torch.zeros(2, 0)}, 2).tolist() == [1, 1]
    assert unusual(sp.Le(b, 1), {"b": torch.tensor([1e7, 1e-7, 3.0])}, 3).tolist() == [1, 1, 0]


def test_a_quantity_that_is_counted_through_has_its_index_before_the_batch() -> None:
    counted = sp.IndexedBase("c")
    relation = sp.Le(counted[0] + counted[1], 1)
    for batch in (2, 3):
        values = {"c": torch.zeros(2, batch)}
        values["c"][1, 0] = 2
        assert zeros(relation, values, batch)["c"].tolist() == [False, *[True] * (batch - 1)]


def test_a_number_of_a_counterexample_is_not_made_zero() -> None:
    """1 + a <= 1/2 + b fails at a = b = 0, which convinces less than a = b = 1."""
    found = attack(ask("n.x", sp.Le(1 + a, sp.Rational(1, 2) + b), (), None), QUICK, 0).witness
    assert found is not None
    assert found.zero == ()
    assert all(value.item() != 0 for value in found.instance.parameters.values())


def test_an_unavoidable_zero_is_named() -> None:
    """a^2 > 0 fails only at 0."""
    found = attack(ask("n.x", sp.Gt(a**2, 0), (), None), QUICK, 0).witness
    assert found is not None
    assert found.zero == ("a",)
    assert found.record()["zero"] == ["a"]


def test_larger_sizes_are_tried_for_a_counterexample_without_zeros() -> None:
    """With n = 1 the second quantity is zero, with n = 2 it need not be."""
    scene = Scene(
        name="one or two",
        shapes=({"n": 1}, {"n": 2}),
        space=lambda shape: {"x": Box(1, 2)},
        compute=lambda shape, values: {"a": values["x"], "b": (shape["n"] - 1) * values["x"]},
    )
    found = attack(ask("n.x", sp.Le(a + b, b), (), scene), QUICK, 0).witness
    assert found is not None
    assert found.instance.shape == {"n": 2}
    assert found.zero == ()


@given(st.fractions(min_value=-100, max_value=100, max_denominator=5000))
def test_simpler_numbers_come_first(x: Fraction) -> None:
    near = fractions_near(x)
    later = [one for one in near[7:] if one != x]
    assert x in near
    assert [one.denominator for one in later] == sorted(one.denominator for one in later)


def test_how_the_ratio_grew_is_told() -> None:
    """a (1 - a) <= 1/4 is attained at 1/2: the ratio grows towards 1."""
    scene = Scene(
        name="a parabola",
        shapes=({"n": 1}, {"n": 2}),
        space=lambda shape: {"x": Box(0, 1)},
        compute=lambda shape, values: {"a": values["x"] * (1 - values["x"])},
    )
    found = attack(ask("n.x", sp.Le(4 * a, 1), (), scene), BUDGETS["default"], 0)
    steps = found.details["search"]
    grown = [step["ratio"] for step in steps]
    assert grown == sorted(set(grown))
    assert grown[-1] == found.search.ratio
    assert 0.99 < grown[-1] <= 1
    assert all(step["trials"] <= found.search.trials and step["at"]["n"] in (1, 2) for step in steps)


def test_a_number_that_nothing_draws_is_nudged_off_zero() -> None:
    """Random numbers are -1, 0 and 1, of which only 0 breaks the relation; 1/4 also does, and 1/2 does not."""
    scene = Scene(
        name="of whole numbers",
        shapes=({"n": 1},),
        space=lambda shape: {"x": Box(0, 4), "y": Box(0, 4)},
        compute=lambda shape, values: {"a": values["x"] ** 2, "b": 1 + 0 * values["x"]},
    )
    question = ask("n.x", sp.Ge(a, b / 8), (), scene)
    zero = Instance({"n": 1}, {"x": np.array(Fraction(0)), "y": np.array(Fraction(0))}, {})
    found = counterexample(question, zero)
    assert found is not None
    assert found.zero == ()
    assert found.instance.parameters["x"] == Fraction(1, 4)
    assert found.instance.parameters["y"] == 0
