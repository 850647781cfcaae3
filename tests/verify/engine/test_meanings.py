"""That a condition gives a quantity the sign which a fact takes from it is asked where the fact's scene can answer."""

from __future__ import annotations

import pytest
import sympy as sp

from verify.engine import meanings
from verify.engine.certificates import Undecided
from verify.engine.facts import shown_of
from verify.engine.meanings import grounds
from verify.engine.scene import Box, Fact, Scene

x, y, z, unknown = sp.symbols("x y z unknown", real=True)
BELOW, SMALL, STRICTLY = sp.Le(x, y), sp.Le(y, 1), sp.Lt(x, y)
OF_BOTH = sp.Le(unknown, y)


def compute(shape, values):
    """z = x + 3 room, where room stands for what is said to be nonnegative."""
    x, y = values["x"], values["y"]
    return {
        **values,
        "share": x / (1 + values["w"] ** 2),
        "difference": y - x,
        "twice": 2 * (y - x),
        "too_much": y - 2 * x,
        "to_one": 1 - x,
        "z": x + 3 * (y - x),
        "slack": 3 * values["room"],
    }


NUMBERS = Scene(
    name="two numbers and what is between them",
    shapes=({},),
    space=lambda shape: {**dict.fromkeys("xyw", Box(-1, 1)), **dict.fromkeys(("room", "more"), Box(0.1, 1))},
    compute=compute,
    covers="any numbers",
)


def fact(quantity, condition, **more):
    return Fact(sp.Le(x, z), NUMBERS, "slack", {"room": (quantity, condition), **more})


def test_a_condition_says_what_the_quantity_is():
    found = fact("difference", BELOW)
    assert grounds(found, {}) == {BELOW: frozenset()}
    assert shown_of(found).needed == {BELOW}


@pytest.mark.parametrize("quantity", ["difference", "twice"])
def test_multiples_follow(quantity):
    assert grounds(fact(quantity, BELOW), {}) == {BELOW: frozenset()}
    assert grounds(fact(quantity, STRICTLY), {}) == {STRICTLY: frozenset()}


@pytest.mark.parametrize("quantity", ["too_much", "to_one", "x", "share"])
def test_a_quantity_whose_sign_does_not_follow_is_refused(quantity):
    found = fact(quantity, BELOW)
    assert grounds(found, {}) is None
    assert shown_of(found) is None


def test_one_sign_that_does_not_follow_spoils_the_fact():
    assert grounds(fact("difference", STRICTLY), {}) is not None
    assert grounds(fact("difference", STRICTLY, more=("x", SMALL)), {}) is None


def test_a_sign_may_need_another_condition_which_the_fact_then_rests_on():
    scene = NUMBERS.variant(
        "the same, up to 1",
        compute=lambda shape, values: {
            **compute(shape, values),
            "z": 0 * values["x"] + 1,
            "left": 1 - values["y"],
        },
    )
    found = Fact(sp.Le(x, z), scene, "room", {"room": ("to_one", BELOW), "more": ("left", SMALL)})
    assert grounds(found, {}) == {BELOW: {SMALL}, SMALL: frozenset()}
    assert shown_of(found).needed == {BELOW, SMALL}


def test_where_the_scene_lacks_a_quantity_the_author_is_believed():
    found = fact("difference", OF_BOTH)
    assert grounds(found, {}) == {}
    assert shown_of(found).needed == {OF_BOTH}


@pytest.mark.parametrize(
    ("condition", "is_shown"), [(sp.Eq(x, y), True), (BELOW, False), (STRICTLY, False)], ids=str
)
def test_an_equation_makes_a_quantity_zero_so_that_its_factor_may_have_any_sign(condition, is_shown) -> None:
    scene = NUMBERS.variant(
        "the same, with a factor of any sign",
        compute=lambda shape, values: {
            **compute(shape, values),
            "z": values["x"] + values["w"] * (values["y"] - values["x"]),
            "slack": values["w"] * values["either"],
        },
        space=lambda shape: {**NUMBERS.space(shape), "either": Box(-1, 1)},
    )
    found = Fact(sp.Le(x, z), scene, "slack", {"either": ("difference", condition)})
    assert grounds(found, {}) == {condition: frozenset()}
    assert (shown_of(found) is not None) == is_shown


@pytest.mark.parametrize(("quantity", "follows"), [("twice", True), ("to_one", False)])
def test_what_an_equation_does_not_make_zero_is_refused(quantity, follows) -> None:
    found = Fact(sp.Le(x, z), NUMBERS, "", {"w": (quantity, sp.Eq(x, y))})
    assert (grounds(found, {}) is not None) == follows


@pytest.mark.parametrize(
    ("quantity", "condition", "at_once"),
    [
        ("difference", BELOW, True),
        ("difference", sp.Ge(y, x), True),
        ("difference", STRICTLY, True),
        ("to_one", sp.Le(x, 1), True),
        ("twice", BELOW, False),
        ("to_one", SMALL, False),
        ("difference", sp.Eq(x, y), False),
        ("difference", sp.Ne(x, y), False),
        ("difference", sp.Ge(x, y), False),
    ],
    ids=str,
)
def test_what_a_condition_says_word_for_word_needs_no_search(monkeypatch, quantity, condition, at_once):
    monkeypatch.setattr(meanings, "proved", lambda *asked: Undecided("nothing"))
    scene = NUMBERS.variant("the same, not asked yet")
    found = Fact(sp.Le(x, z), scene, "slack", {"room": (quantity, condition)})
    assert (grounds(found, {}) is not None) == at_once
