"""Shared data are immutable; objects with functions or mappings are compared by identity."""

import dataclasses
import pkgutil
from importlib import import_module
from inspect import getmembers, isclass

import pytest
import sympy as sp

import verify.engine
from verify.engine.certificates.question import Induction
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import Box, Fact, Proved, Rounds, Scene, Textbook
from verify.engine.model.sums import Sums

GROWING = {"Equations", "Functions", "Pieces", "Signs", "Whole", "_Writer"}
"""Classes of objects that are filled step by step."""
KINDS = {
    kind
    for module in pkgutil.walk_packages(verify.engine.__path__, "verify.engine.")
    for _, kind in getmembers(import_module(module.name), isclass)
    if dataclasses.is_dataclass(kind) and kind.__module__.startswith("verify.engine.")
}


@pytest.mark.parametrize("kind", sorted(KINDS, key=str), ids=lambda kind: kind.__name__)
def test_data_are_frozen(kind):
    assert kind.__dataclass_params__.frozen == (kind.__name__ not in GROWING)
    assert kind.__dataclass_params__.repr


def test_there_are_data():
    assert len(KINDS) > 40


x, t = sp.Symbol("x", real=True), sp.Symbol("t", integer=True, nonnegative=True)
RELATION = sp.Le(x, 1, evaluate=False)
SCENE = Scene("s", ({"n": 1},), lambda s: {"x": Box(0, 1)}, covers="all")
MADE = {
    Scene: lambda: Scene("s", ({"n": 1},), SCENE.space),
    Fact: lambda: Fact(RELATION, SCENE),
    Sums: lambda: Sums(RELATION, {x: ["dot", "u", "u"]}, {"u": "vector"}),
    Rounds: lambda: Rounds(RELATION, t, {}, {}),
    Textbook: lambda: Textbook("t", RELATION, "a book", proof=Rounds(RELATION, t, {}, {})),
    Proved: lambda: Proved(lambda shape, values: {}, ()),
    Induction: lambda: Induction("t", {x: x}, {}),
}


@pytest.mark.parametrize("make", MADE.values(), ids=lambda make: type(make()).__name__)
def test_what_holds_mappings_is_known_by_itself(make):
    one, other = make(), make()
    assert one == one
    assert one != other
    assert len({one, other, one}) == 2


def test_data_without_mappings_are_compared_by_what_they_say():
    assert Box(0, 1) == Box(0, 1, ()) != Box(0, 2)


def test_a_larger_budget_searches_further():
    quick, default, full = BUDGETS.values()
    for part in ("batch", "ascents", "exact_trials", "proof_steps", "moves", "largest"):
        assert getattr(quick, part) < getattr(default, part) < getattr(full, part)
    assert (quick.ascents, quick.moves, quick.largest) == (0, 0, 0)
    assert all(budget.name == name for name, budget in BUDGETS.items())
