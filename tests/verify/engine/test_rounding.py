"""Limits of floats: rounding is detected with longer floats, and violations within rounding do not count."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from verify.engine.model.instance import Instance
from verify.engine.model.question import ask
from verify.engine.model.scene import Box, Scene
from verify.engine.search.witness import before_running, confirm, mere_rounding

x, y, a, c = sp.symbols("x y a c", real=True)


def scene(compute, known=lambda shape, values: {}):
    return Scene(
        "rounding", ({"n": 1},), lambda shape: {"x": Box(1, 2), "y": Box(1e6, 1e7)}, compute, known=known
    )


def at(**numbers):
    return Instance({"n": 1}, {n: np.array(Fraction(v), dtype=object) for n, v in numbers.items()}, {})


CANCELLING = scene(lambda shape, values: {"a": (values["x"] + values["y"] ** 2) - values["y"] ** 2})


@pytest.mark.parametrize("number", [1.1, 1.3, 1.7])
def test_what_shrinks_with_the_rounding_is_rounding(number):
    at_hand = [at(x=number, y=1234567.1)]
    assert mere_rounding(ask("r.x", sp.Eq(a, x), (), CANCELLING), at_hand) == [True]
    broken = [sp.Le(a, x, evaluate=False), sp.Ge(a, x, evaluate=False)]
    assert not any(
        confirm(ask("r.x", relation, (), CANCELLING), at_hand[0]).relation.fails for relation in broken
    )


@pytest.mark.parametrize("share", [1e-4, 1e-8, 1e-10])
def test_a_violation_by_a_hair_is_none(share):
    hair = scene(
        lambda shape, values: {
            "a": values["x"] * (1 + Fraction(share).numerator / Fraction(share).denominator)
        }
    )
    assert mere_rounding(ask("r.x", sp.Le(a, x), (), hair), [at(x=1.5, y=1e6)]) == [False]


def test_strict_relations_and_scenes_without_longer_floats_are_left_to_fractions():
    assert mere_rounding(ask("r.x", sp.Lt(a, x), (), CANCELLING), [at(x=1.1, y=1234567.1)]) == [False]

    def refused(shape, values):
        if isinstance(values["x"], np.ndarray) and values["x"].dtype == np.longdouble:
            raise TypeError("no such numbers")
        return {"a": values["x"]}

    assert mere_rounding(ask("r.x", sp.Eq(a, x), (), scene(refused)), [at(x=1.1, y=1)]) == [False]


def test_conditions_on_what_is_known_are_judged_in_fractions_whatever_the_rest_is():
    from nqm.fields import sqrt

    rooted = scene(
        lambda shape, values: {"a": sqrt(values["x"])}, known=lambda shape, values: {"c": values["x"] / 3}
    )
    question = ask("r.x", sp.Ge(a, 0), (sp.Eq(3 * c, x), sp.Le(a, x)), rooted)
    found = confirm(question, at(x=2, y=1))
    assert found.method == "interval"
    assert [condition.holds for condition in found.conditions] == [True, True]
    assert list(before_running(question, at(x=2, y=1))) == [sp.Eq(3 * c, x)]


def test_conditions_on_everything_there_is_are_judged_before_a_run():
    question = ask("all", sp.Ge(x, 0), (sp.Le(x, y), sp.Le(x, 3)), None)
    both = {name: np.array(Fraction(number), dtype=object) for name, number in (("x", 2), ("y", 1))}
    found = before_running(question, Instance({}, both, {}))
    assert [(condition, said.holds) for condition, said in found.items()] == [(x <= y, False), (x <= 3, True)]
