"""Divisors in a fact must be positive: by a strict condition, a declared symbol, or in the scene that uses it."""

from __future__ import annotations

import pytest
import sympy as sp

from nqm.fields import where
from tests.verify.engine.simple import of
from verify.engine.model.scene import Box, Fact, Proved, Scene
from verify.engine.proof.facts import (
    conditions_at,
    conditions_of,
    fact_of,
    proof_of,
    shown_of,
    unbroken,
    valid_definitions,
)
from verify.report.wording import sentence

x, y, z = sp.symbols("x y z", real=True)
p = sp.Symbol("p", real=True)
LARGER = sp.Le(x, z)
POSITIVE, NONNEGATIVE = sp.Gt(p, 0), sp.Ge(p, 0)


def compute(shape, values):
    """x and x + y^2/p, with `room` for p."""
    beyond = values["y"] ** 2 / values["p"]
    return {
        **values,
        "z": values["x"] + beyond,
        "slack": beyond,
        "slack_room": values["y"] ** 2 / values["room"],
    }


ANY = Scene(
    name="anything",
    shapes=({"d": 1},),
    space=lambda shape: {**dict.fromkeys("xy", Box(-1, 1)), **dict.fromkeys(("p", "room"), Box(0.1, 1))},
    compute=compute,
    covers="any numbers",
)


def using(fact, low=0.1, name="p"):
    """A scene with the fact, whose p is drawn from `low` on, or has another name."""
    space = lambda shape: {**dict.fromkeys("xy", Box(-1, 1)), name: Box(low, 1)}  # noqa: E731

    def quantities(shape, values):
        return {"x": values["x"], "z": values["x"] + values["y"] ** 2}

    return Scene("of use", ANY.shapes, space, Proved(quantities, (fact,)))


@pytest.mark.parametrize(
    ("low", "name", "known"), [(0.1, "p", True), (0, "p", False), (-1, "p", False), (0.1, "q", False)]
)
def test_what_is_divided_by_is_positive_where_the_fact_is_used(low, name, known):
    fact = Fact(LARGER, ANY, "slack")
    assert shown_of(fact).signs == {POSITIVE}
    assert (fact_of(LARGER, using(fact, low, name), ()) is not None) == known
    assert fact_of(LARGER, using(fact, -1), (POSITIVE,)) is not None  # given by a condition


@pytest.mark.parametrize("turn", [1, -1])
def test_the_first_fact_counts_that_says_it_where_it_is_used(turn):
    """Of three facts with the same relation, one uses a sign that the scene lacks, and one uses a condition."""
    squares = ANY.variant(
        "squares",
        compute=lambda s, w: {**w, "z": w["x"] + w["y"] ** 2, "slack": w["y"] ** 2},
        covers="squares",
    )
    divided = Fact(LARGER, ANY, "slack")
    if_positive = Fact(LARGER, ANY, "slack_room", {"room": ("p", POSITIVE), "p": ("p", POSITIVE)})
    plain = Fact(LARGER, squares, "slack")
    compute = using(plain).compute.compute
    facts = (divided, if_positive, plain)[::turn]
    scene = using(plain, -1).variant("of use", compute=Proved(compute, facts))
    assert fact_of(LARGER, scene, ()).proof["digest"] == shown_of(plain).proof["digest"]
    assert (fact_of(LARGER, scene, (POSITIVE,)).needed == {POSITIVE}) is (facts[0] is if_positive)
    lacking = using(plain, -1).variant(
        "of use", compute=Proved(compute, facts[:2] if turn == 1 else facts[1:])
    )
    assert fact_of(LARGER, lacking, ()) is None


@pytest.mark.parametrize(("condition", "shown"), [(POSITIVE, True), (NONNEGATIVE, False)])
def test_only_a_strict_condition_lets_divide(condition, shown):
    fact = Fact(LARGER, ANY, "slack_room", {"room": ("p", condition), "p": ("p", condition)})
    found = shown_of(fact)
    assert (found is not None) == shown
    if found is not None:
        assert found.needed == {POSITIVE}
        assert found.signs == frozenset()
        assert fact_of(LARGER, using(fact), ()) is None
        assert fact_of(LARGER, using(fact), (POSITIVE,)) is not None
        assert fact_of(LARGER, using(fact), (NONNEGATIVE,)) is None


def test_an_equation_may_need_a_strict_condition():
    kept = sp.Eq(p * z, p * x + sp.Symbol("y", real=True) ** 2)
    assert shown_of(Fact(kept, ANY)).signs == {POSITIVE}
    assert shown_of(Fact(kept, ANY, assumed={"p": ("p", POSITIVE)})).needed == {POSITIVE}
    assert shown_of(Fact(kept, ANY, assumed={"p": ("p", NONNEGATIVE)})) is None


def test_strict_facts_need_a_positive_term():
    strict = sp.Lt(x, z)
    assert shown_of(Fact(strict, ANY, "slack")) is None  # y may be 0
    scene = ANY.variant("apart", space=lambda shape: {**ANY.space(shape), "y": Box(0.1, 1)})
    assert shown_of(Fact(strict, scene, "slack")).signs == {POSITIVE, sp.Gt(sp.Symbol("y", real=True), 0)}
    assert shown_of(Fact(sp.Gt(z, x), scene, "slack")) is not None


def test_equality_breaks_a_strict_definition():
    flat = Scene("flat", ANY.shapes, lambda shape: {"p": Box(0, 0)}, lambda shape, values: {})
    assert not unbroken(POSITIVE, flat)
    assert unbroken(NONNEGATIVE, flat)


def of_quotient(at_zero, low):
    """x y / y is x wherever it is defined; the scene of use gives `at_zero` for y = 0."""
    number, kept = sp.symbols("x kept", real=True)
    anywhere = lambda shape: dict.fromkeys("xy", Box(low, 1))  # noqa: E731

    def guarded(shape, values):
        zero = values["y"] == 0
        safe = where(zero, 1 + 0 * values["y"], values["y"])
        return {"x": values["x"], "kept": where(zero, at_zero(values), values["x"] * values["y"] / safe)}

    def divided(shape, values):  # which SymPy does not cancel at once
        x, y = values["x"], values["y"]
        return {"x": x, "kept": (x * y + y**2) / y - y}

    relation = sp.Eq(kept, number)
    scene = Scene("a quotient", ANY.shapes, anywhere, divided, covers="any numbers")
    fact = Fact(relation, scene)
    return relation, fact, Scene("of use", ANY.shapes, anywhere, Proved(guarded, (fact,)))


@pytest.mark.parametrize(
    ("at_zero", "true"), [(lambda values: values["x"], True), (lambda values: 1 + values["x"], False)]
)
@pytest.mark.parametrize("low", [-1, 0])
def test_a_fact_that_divides_is_asked_where_the_divisor_vanishes(at_zero, true, low):
    relation, fact, scene = of_quotient(at_zero, low)
    assert "defined" in shown_of(fact).proof["rests_on"]
    assert "where its formulas are defined" in sentence(shown_of(fact).reason)
    assert (fact_of(relation, scene, ()) is not None) == true


SQUARE = of(sp.Le, x, y)


def numbers(**more):
    space = lambda shape: {"x": Box(-1, 1), "r": Box(-1, 1)}  # noqa: E731
    compute = lambda shape, values: {**values, "y": values["x"] + values["r"] ** 2, "slack": values["r"] ** 2}  # noqa: E731
    return Scene("squares", ({"d": 1}, {"d": 2}), space, compute, covers="any numbers", **more)


def test_who_has_no_facts_shows_none():
    fact = Fact(SQUARE, numbers(), "slack")
    assert fact_of(SQUARE, None, ()) is None
    assert fact_of(SQUARE, numbers(), ()) is None
    assert proof_of(SQUARE, numbers(), ()) == []
    using = numbers().variant("of use", compute=Proved(numbers().compute, (fact,), (SQUARE, of(sp.Le, y, x))))
    assert sentence(proof_of(SQUARE, using, ())) == "at all sizes: between vectors of any dimension"
    assert proof_of(of(sp.Le, y, x), using, ()) == []
    assert valid_definitions(using) == {SQUARE}
    assert valid_definitions(numbers()) == frozenset()
    assert conditions_of(fact) == set()
    assert conditions_at(fact, {"d": 1}) == set()
    wrong = Fact(SQUARE, numbers(), "x")
    assert conditions_of(wrong) is None
    assert conditions_at(wrong, {"d": 1}) is None
