"""Counterexamples that random instances miss: larger sizes, other levels, needles, tiny violations."""

from dataclasses import replace

import pytest
import sympy as sp
import torch

from nqm.fields import like, log
from verify.engine.checks.attack import search
from verify.engine.model.claim import BUDGETS
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Scene
from verify.engine.search.reach import _coordinate_search, _told_by_gap, larger_shapes, searches_beyond_random

a, b, v = sp.symbols("a b v", real=True)
n = sp.Symbol("n", integer=True, positive=True)
FAR = replace(BUDGETS["default"], moves=200, largest=64)


def scene(space, compute, shapes=({"n": 1},), **more):
    return Scene("far", shapes, lambda s: space, compute, **more)


def asked(relation, where, *conditions):
    return Question("far", relation, conditions, where)


def test_sizes_go_one_beyond_and_are_doubled():
    listed = scene({}, None, ({"n": 3, "m": 1}, {"n": 1, "m": 2}), grows=("n",))
    assert list(larger_shapes(listed, "n", 30)) == [{"n": size, "m": 2} for size in (4, 6, 12, 24)]
    assert list(larger_shapes(listed, "m", 5)) == [{"n": 1, "m": size} for size in (3, 4)]
    assert list(larger_shapes(listed, "n", 4)) == [{"n": 4, "m": 2}]
    assert list(larger_shapes(listed, "n", 3)) == []


def test_what_fails_from_a_large_size_on_is_found():
    where = scene({"a": Box(1, 2)}, lambda s, values: {}, grows=("n",))
    found = list(searches_beyond_random(asked(sp.Le(n, 50), where), replace(FAR, moves=0), 0))
    assert [one.instance.shape["n"] for one in found] == [2, 2, 4, 8, 16, 32, 64][-len(found) :]
    assert found[-1].suspects
    assert not found[-2].suspects
    assert found[-1].trials == 16


def test_sizes_that_a_scene_does_not_know_end_the_search_there():
    def compute(s, values):
        if s["n"] > 4:
            raise ValueError("too large")
        return {}

    where = scene({"a": Box(1, 2)}, compute, grows=("n",))
    assert [
        one.instance.shape["n"]
        for one in searches_beyond_random(asked(sp.Le(n, 50), where), replace(FAR, moves=0), 0)
    ][-1] == 4


NEEDLE = scene(
    {"a": Box(-1, 1, (2,)), "b": Box(1e-3, 1e3, scale="log"), "s": Box(-1, 1, (6,), levels=(-1, 1))},
    lambda s, values: {
        "v": 200
        + values["s"].sum(axis=1)
        - 50 * abs(values["a"] - like(values["a"], [0.123, -0.7])).sum(axis=1)
        - abs(log(values["b"]) - 2)
    },
)


def best(results):
    return max((one for one in results if one.instance), key=lambda one: one.margin)


def test_moves_find_a_needle_that_random_instances_miss():
    relation = sp.Le(v, 206 - sp.Rational(1, 1000))
    at_random = best(search(asked(relation, NEEDLE), batch=64, ascents=0, seed=0))
    moved = best(searches_beyond_random(asked(relation, NEEDLE), FAR, 0))
    assert at_random.margin < -1e-2
    assert moved.margin > 0
    assert moved.suspects
    there = moved.instance.parameters
    assert there["a"].astype(float) == pytest.approx([0.123, -0.7], abs=1e-4)
    assert set(there["s"].tolist()) == {1}
    assert float(there["b"]) == pytest.approx(7.389, rel=1e-2)


def test_moves_stay_inside_and_meet_the_conditions():
    where = scene(
        {"a": Box(0, 1), "b": Box(1e-2, 1, scale="log")}, lambda s, values: {"v": values["a"] + values["b"]}
    )
    found = best(searches_beyond_random(asked(sp.Le(v, 3), where), FAR, 0))
    assert (float(found.instance.parameters["a"]), float(found.instance.parameters["b"])) == pytest.approx(
        (1, 1)
    )
    assert found.ratio == pytest.approx(2 / 3)
    assert found.suspects == ()
    half = best(searches_beyond_random(asked(sp.Le(v, 3), where, sp.Le(a, sp.Rational(1, 3))), FAR, 0))
    assert float(half.instance.parameters["a"]) == pytest.approx(1 / 3, abs=1e-6)
    assert half.instance.parameters["a"] <= 1 / 3 + 1e-9


def test_a_violation_by_a_hair_is_a_suspect():
    where = scene({"a": Box(0, 1)}, lambda s, values: {"v": 1 - (values["a"] - 0.3) ** 2})
    hair = best(searches_beyond_random(asked(sp.Le(v, 1 - sp.Rational(1, 10**11)), where), FAR, 0))
    assert 0 < hair.margin < 1e-9
    assert hair.suspects
    true = best(searches_beyond_random(asked(sp.Le(v, 1), where), FAR, 0))
    assert true.margin <= 0
    assert not true.suspects


def test_moves_begin_at_the_two_sizes_that_come_nearest():
    sizes = tuple({"n": size} for size in (4, 1, 5, 2))
    where = scene({"a": Box(1, 2)}, lambda s, values: {"v": values["a"] * s["n"]}, sizes)
    found = list(searches_beyond_random(asked(sp.Le(v, 100), where), FAR, 0))
    assert [one.instance.shape["n"] for one in found] == [5, 4]


def test_moves_end_where_the_relation_is_broken():
    """Below 1/8 a step is a quarter of the range: further steps would reach 1."""
    where = scene({"a": Box(0, 1)}, lambda s, values: {"v": values["a"]})
    starts = {"a": torch.tensor([0.0, 0.02, 0.05, 0.1], dtype=torch.float64)}
    found = _coordinate_search(asked(sp.Le(v, sp.Rational(1, 5)), where), {"n": 1}, starts, 50)
    assert found.suspects
    assert float(found.instance.parameters["a"]) == pytest.approx(0.35)


def test_moves_do_not_go_where_there_is_no_number():
    """Nothing is defined above 1/2, and the relation is broken between 2/5 and 1/2."""
    where = scene({"a": Box(0, 1)}, lambda s, values: {"v": log(1 / 2 - values["a"]) * 0 + values["a"]})
    starts = {"a": torch.tensor([0.0, 0.02, 0.05, 0.1], dtype=torch.float64)}
    found = _coordinate_search(asked(sp.Le(v, sp.Rational(2, 5)), where), {"n": 1}, starts, 50)
    assert 0.4 < float(found.instance.parameters["a"]) < 0.5


def test_gaps_are_told_in_units_of_the_median_of_those_that_count():
    """The inadmissible gap (64) and the gap 0 do not count: 8 is left."""
    where = scene({"a": Box(0, 64, levels=(0, 8, 64))}, lambda s, values: {"v": values["a"]})
    for seed in range(5):
        told = _told_by_gap(asked(sp.Le(v, 0), where, sp.Le(a, 16)), {"n": 1}, seed)
        assert told.relation == sp.Le(sp.exp(sp.Min(v / 8, 1)), 1, evaluate=False)


def test_equations_and_budgets_without_moves_are_not_moved():
    where = scene({"a": Box(0, 1)}, lambda s, values: {})
    assert list(searches_beyond_random(asked(sp.Eq(a, 2), where), FAR, 0)) == []
    assert list(searches_beyond_random(asked(sp.Le(a, 2), where), replace(FAR, moves=0), 0)) == []
    still = scene({"a": Box(1, 1)}, lambda s, values: {})
    (one,) = searches_beyond_random(asked(sp.Le(a, 2), still), FAR, 0)
    assert one.trials == 0


def test_sizes_at_which_nothing_is_defined_are_passed_over():
    where = scene({"a": Box(0, 1)}, lambda s, values: {}, ({"n": 1}, {"n": 2}))
    assert [
        one.instance.shape for one in searches_beyond_random(asked(sp.Le(a, 1 / (n - 1)), where), FAR, 0)
    ] == [{"n": 2}]


@pytest.mark.parametrize(
    ("relation", "broken"), [(sp.Le(v, 0), True), (sp.Lt(v, 1), True), (sp.Le(v, 1), False)]
)
def test_moves_have_a_direction_where_one_side_is_negative_and_the_other_is_not(relation, broken):
    pattern = [1, -1, -1, 1, 1, -1, 1, -1, -1, -1, 1, 1]
    where = scene(
        {"s": Box(-1, 1, (12,), levels=(-1, 1))},
        lambda s, values: {"v": (values["s"] * like(values["s"], pattern)).sum(axis=1) - 11},
    )
    found = list(searches_beyond_random(asked(relation, where), FAR, 0))
    assert any(one.suspects for one in found) == broken
    assert not any(
        one.suspects for one in searches_beyond_random(asked(relation, where), replace(FAR, moves=1), 0)
    )
