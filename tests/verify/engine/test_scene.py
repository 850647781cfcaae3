"""Scenes: ranges that are refused, sizes beyond those listed, step sizes inside their limits."""

import json
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch

from verify.engine.model.arithmetic import ARITHMETIC
from verify.engine.model.scene import Box, Fact, Scene, met_by, quantities
from verify.engine.model.shapes import grown
from verify.engine.proof.sizes import sizes_of
from verify.engine.search.step_sizes import limits_of, settle

g, h, a, b = sp.symbols("g h a b", positive=True)
M, N, t = sp.symbols("M N t", integer=True, positive=True)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"low": 1, "high": 0}, "at most `high`"),
        ({"low": 0, "high": 1, "scale": "log"}, "positive on a log scale, got 0"),
        ({"low": 0, "high": 1, "shape": 3}, "`shape` must be a tuple"),
        ({"low": "0", "high": 1}, "must be numbers"),
        ({"low": 0, "high": None}, "must be numbers"),
    ],
)
def test_wrong_ranges_are_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        Box(**wrong)


def test_a_range_of_one_number_and_a_small_positive_log_range_are_right():
    assert Box(1, 1).low == 1
    assert Box(1e-9, 1, scale="log").low == 1e-9


def test_the_ends_of_a_range_are_the_decimals_that_are_written():
    box = Box(0.05, 0.1)
    assert box.ends == (Fraction(1, 20), Fraction(1, 10))
    for number in (Fraction(1, 20), 0.05, np.float64(0.05), Fraction(1, 10), 0.1, Fraction(1, 13)):
        assert number in box
    for number in (Fraction(1, 20) - Fraction(1, 10**20), Fraction(0.1), np.nextafter(0.1, 1), 0, 1):
        assert number not in box  # the float 0.1 is slightly larger than 1/10
    assert Fraction(1, 3) in Box(Fraction(1, 3), 1)
    levels = Box(0, 1, levels=(0, 0.2, 1))
    assert Fraction(1, 5) in levels
    assert 1 in levels
    assert Fraction(1, 4) not in levels


@pytest.mark.parametrize("size", [2, np.int64(2), sp.Integer(2), True + 1])
def test_sizes_are_whole_numbers_of_one_type(size):
    scene = Scene("sizes", ({"n": size, "m": N},), dict)
    assert [type(scene.shapes[0][name]) for name in "nm"] == [int, sp.Symbol]
    assert json.loads(json.dumps(sizes_of(scene.shapes))) == [{"n": 2}]


def test_sizes_grow_one_after_the_other_beyond_the_largest():
    assert grown([{"n": 1}, {"n": 2}]) == [{"n": 3}, {"n": 4}]
    assert grown([{"n": 1}, {"n": 2}], steps=1) == [{"n": 3}]
    assert grown([{"n": 1, "d": 1}, {"n": 2, "d": 1}]) == [{"n": 3, "d": 1}, {"n": 4, "d": 1}]
    assert grown([{"s": 0}, {"s": 1}]) == []
    assert grown([]) == []


def test_what_is_true_of_all_listed_sizes_stays_true():
    equal = grown([{"m": 1, "n": 1}, {"m": 2, "n": 2}])
    assert equal == [{"m": 3, "n": 3}, {"m": 4, "n": 4}]
    for one, two, alone in ("abc", "bca"):
        beside = grown([{one: 1, two: 1, alone: 1}, {one: 2, two: 2, alone: 3}])
        assert {one: 2, two: 2, alone: 4} in beside
        assert all(shape[one] == shape[two] for shape in beside)
    ordered = grown([{"n": 1, "m": 1}, {"n": 1, "m": 2}, {"n": 2, "m": 3}])
    assert {"n": 2, "m": 4} in ordered
    assert {"n": 3, "m": 3} in ordered
    assert all(shape["n"] <= shape["m"] for shape in ordered)
    below = grown([{"n": 1, "m": 2}, {"n": 2, "m": 3}])
    assert all(shape["n"] < shape["m"] for shape in below)
    assert {"n": 2, "m": 4} in below
    assert {"n": 3, "m": 3} not in below


def test_whole_numbers_decide_only_what_speaks_of_them_alone():
    assert met_by(sp.Le(N, M), {"N": 2, "M": 2})
    assert not met_by(sp.Lt(N, M), {"N": 2, "M": 2})
    assert met_by(sp.Le(N, a), {"N": 2, "M": 2})
    assert met_by(sp.Le(N, t), {"N": 2})


def limits(*conditions, known=("a", "b")):
    return limits_of("g", conditions, frozenset(known))


def test_limits_are_those_that_a_condition_puts_on_a_step():
    assert limits(sp.Le(g * a, b)) == [(b / a, False)]
    assert limits(sp.Lt(2 * g, b)) == [(b / 2, False)]
    assert limits(sp.Ge(b, g * a)) == [(b / a, False)]
    assert limits(sp.Gt(b, g)) == [(b, False)]
    assert limits(sp.Eq(g * a, b)) == [(b / a, True)]
    assert limits(sp.Le(g * a + 2 * g, b)) == [(b / (a + 2), False)]
    assert limits(sp.Ge(g, b)) == []
    assert limits(sp.Le(g, h)) == []
    assert limits(sp.Le(g, a * g + b)) == []
    assert limits(sp.Le(g**2, b)) == []
    assert limits(sp.Le(a, b)) == []
    assert limits(sp.Le(g, a), sp.Le(g, b)) == [(a, False), (b, False)]


def scene(steps=("g",), **more):
    return Scene(
        "steps",
        ({"n": 1},),
        lambda s: {"a": Box(1, 2), "b": Box(1, 2), **{step: Box(0.1, 1) for step in steps}},
        lambda s, v: {"twice": 2 * v["g"]},
        known=lambda s, v: {"L": v["a"] + v["b"]},
        steps=steps,
        free_step=lambda name, shape, v: 7 * v["a"],
        **more,
    )


VALUES = {
    name: torch.tensor([x], dtype=torch.float64) for name, x in (("a", 2), ("b", 5), ("g", 0.5), ("h", 0.25))
}


def settled(*conditions, steps=("g",)):
    sizes = settle(scene(steps), conditions, {"n": 1}, VALUES, ARITHMETIC["torch"])
    return {name: float(np.asarray(size).reshape(-1)[0]) for name, size in sizes.items()}


def test_a_step_is_a_fraction_of_its_least_limit():
    assert settled(sp.Le(g, b), sp.Le(g, a)) == {"g": 1}
    assert settled(sp.Le(g, sp.Symbol("L", positive=True))) == {"g": 3.5}
    assert settled() == {"g": 7}
    assert settled(sp.Eq(g, b), sp.Le(g, a)) == settled(sp.Eq(g, b), sp.Eq(g, a)) == {"g": 5}
    assert settled(sp.Le(g, a), sp.Le(h, g), steps=("g", "h")) == {"g": 1, "h": 0.25}
    assert settled(sp.Le(g, a), sp.Le(h, g), steps=("h", "g")) == {"h": 3.5, "g": 1}


def test_quantities_are_sizes_parameters_steps_and_what_follows():
    found = quantities(scene(), {"n": 1}, {"a": 2, "b": 5, "g": 0.5}, {"g": 3})
    assert found == {"n": 1, "a": 2, "b": 5, "g": 3, "L": 7, "twice": 6}


def test_a_variant_has_a_name_of_its_own_and_what_it_does_not_change():
    plain = scene()
    other = plain.variant("another", grows=("n",))
    assert (other.name, other.grows) == ("another", ("n",))
    assert (other.compute, other.space, other.shapes) == (plain.compute, plain.space, plain.shapes)


def test_facts_say_what_they_need():
    plain = scene(covers="every number")
    assert Fact(sp.Le(a, b), plain).slack == Fact(sp.Le(a, b), plain).slack
    with pytest.raises(ValueError, match="which sizes it covers"):
        Fact(sp.Le(a, b), scene())
    with pytest.raises(ValueError, match="must name the condition"):
        Fact(sp.Le(a, b), plain, assumed={"a": ("b", "positive")})
