"""The adversary: margins and ratios of known numbers, admissible instances, and its report."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch

from nqm.fields import exp, log
from tests.verify import known as k
from verify.engine.checks.attack import search
from verify.engine.model.instance import Instance
from verify.engine.model.question import Question, ask
from verify.engine.model.scene import Box, Scene
from verify.engine.search.adversary import (
    ROUNDING,
    Search,
    admissible,
    compared,
    in_domains,
    instance_at,
    judge_batch,
    margins,
    random_batch,
    share_meeting,
)

u, v = sp.symbols("u v", real=True)
p, q = sp.symbols("p q", positive=True)
z = sp.Symbol("z", nonnegative=True)
M, N = sp.symbols("M N", integer=True, positive=True)
SHAPE = {"n": 1}


def column(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def le(left, right):
    return sp.Le(left, right, evaluate=False)


SIDES = {"u": column(1, 3, 2, 0, -1), "v": column(3, 1, 2, 0, -3)}


@pytest.mark.parametrize(
    ("relation", "margin"),
    [
        (le(u, v), [-0.5, 0.5, 0, -1, 0.5]),
        (sp.Ge(u, v, evaluate=False), [0.5, -0.5, 0, -1, -0.5]),
        (sp.Lt(u, v, evaluate=False), [-0.5, 0.5, 2 * ROUNDING, 2 * ROUNDING, 0.5]),
        (sp.Gt(u, v, evaluate=False), [0.5, -0.5, 2 * ROUNDING, 2 * ROUNDING, -0.5]),
        (sp.Eq(u, v, evaluate=False), [0.5, 0.5, 0, -1, 0.5]),
    ],
)
def test_margins_are_relative_and_positive_where_broken(relation, margin):
    assert margins(relation, SIDES, 5)[0].tolist() == pytest.approx(margin)


def test_ratios_are_told_where_both_sides_are_positive():
    ratio = margins(le(u, v), SIDES, 5)[1]
    assert ratio[:3].tolist() == pytest.approx([1 / 3, 3, 1])
    assert torch.isnan(ratio[3:]).all()
    tiny = {"u": column(1e-13, 0), "v": column(1e-13, 2)}
    ratio = margins(le(u, v), tiny, 2)[1]
    assert torch.isnan(ratio[0])
    assert ratio[1] == 0


def test_the_worst_of_the_trailing_axes_counts():
    values = {"u": torch.tensor([[1.0, 5, 2]]), "v": torch.tensor([[2.0, 4, 8]])}
    margin, ratio, gap = compared(le(u, v), values, 1)
    assert (float(margin), float(ratio), float(gap)) == pytest.approx((1 / 9, 5 / 4, 1))
    assert float(compared(sp.Eq(u, v, evaluate=False), values, 1)[2]) == 6


def test_what_is_no_number_is_never_the_worst():
    values = {"u": torch.tensor([[torch.nan, 1.0]]), "v": torch.tensor([[1.0, 2.0]])}
    assert float(margins(le(u, v), values, 1)[0]) == pytest.approx(-1 / 3)


def test_admissible_instances_are_finite_in_their_domain_and_meet_everything():
    values = {"p": column(1, 0, -1, torch.inf, 1), "u": column(2, 2, 2, 2, 0.5)}
    assert admissible((le(p, u),), values, 5, 0.0).tolist() == [True, False, False, False, False]
    assert admissible((), {"u": column(1, torch.nan)}, 2, 0.0).tolist() == [True, False]


def test_room_is_asked_of_sums_over_an_index_but_where_both_sides_are_zero():
    each, i = sp.IndexedBase("each"), sp.Symbol("i", integer=True)
    squares = sp.Sum(each[i] ** 2, (i, 0, N - 1))
    values = {"N": 2, "each": torch.stack([column(0, 1, 1), column(0, 1e-2, 2)])}
    for least, met in ((0, [True, True, True]), (1, [False, False, True])):
        assert admissible((sp.Ge(squares, least, evaluate=False),), values, 3, 1e-2).tolist() == met


def test_room_is_asked_of_inequalities_and_rounding_allowed_to_equations():
    near = {"u": column(1, 1, 1, 1), "v": column(1, 1 + 1e-14, 1.004, 1.02)}
    assert admissible((le(u, v),), near, 4, 0.0).tolist() == [True, True, True, True]
    assert admissible((le(u, v),), near, 4, 1e-2).tolist() == [False, False, False, True]
    assert admissible((sp.Eq(u, v),), near, 4, 1e-2).tolist() == [True, True, False, False]
    above = {"u": column(1 + 1e-14, 1 + 1e-11), "v": column(1, 1)}
    assert admissible((le(u, v),), above, 2, 0.0).tolist() == [True, False]
    assert admissible((sp.Lt(u, v),), {"u": column(1, 1), "v": column(1, 2)}, 2, 0.0).tolist() == [
        False,
        True,
    ]


def test_whole_numbers_and_zeros_need_no_room():
    batch = {"a": column(1, 1)}
    assert admissible((le(N, M),), {**batch, "N": 3, "M": 3}, 2, 1e-2).tolist() == [True, True]
    assert admissible((le(N, M),), {**batch, "N": 4, "M": 3}, 2, 1e-2).tolist() == [False, False]
    assert admissible((sp.Lt(N, M),), {**batch, "N": 3, "M": 3}, 2, 1e-2).tolist() == [False, False]
    zeros = {"u": column(0, 1, 0), "v": column(0, 1, -1)}
    assert admissible((le(u, v),), zeros, 3, 1e-2).tolist() == [True, False, False]


def test_numbers_beside_tensors_are_the_same_in_all_instances():
    """Two conditions at three instances, one of which compares with a plain number."""
    plain = np.array([1.0, 1.0, 1.0])
    for values in ({"u": column(0, 1, 2), "v": plain}, {"u": plain - [1, 0, -1], "v": plain}):
        assert admissible((le(u, v),), values, 3, 0.0).tolist() == [True, True, False]


def test_domains_are_kept_up_to_rounding():
    values = {"p": column(1, 0, 1), "z": column(0, 1, -1e-3), "u": column(-5, 1, 1)}
    assert in_domains((le(p, u), le(z, u)), values, 3).tolist() == [True, False, False]
    assert in_domains((le(z, u),), {"z": column(-1e-10, -1e-8)}, 2).tolist() == [True, False]
    assert in_domains((le(u, v),), {"u": column(-1, -1), "v": 3}, 2).tolist() == [True, True]


def test_shares_of_a_random_batch():
    scene = Scene("line", (SHAPE,), lambda s: {"u": Box(0, 1)}, lambda s, values: {"v": values["u"] - 2})
    assert share_meeting((le(v, u),), (), scene, SHAPE, 0) == (128, 128)
    assert share_meeting((le(u, v),), (), scene, SHAPE, 0) == (0, 128)
    met, tried = share_meeting((le(u, sp.Rational(1, 2)),), (le(u, sp.Rational(3, 4)),), scene, SHAPE, 0)
    assert 0 < met < tried < 128


def test_the_same_seed_draws_the_same_and_another_does_not():
    scene = Scene("again", ({"n": 1}, {"n": 2}), lambda s: {"u": Box(0, 1)}, lambda s, values: {})
    first, other = (random_batch(scene, (), (("n", 1),), 16, seed)[0]["u"] for seed in (3, 4))
    random_batch.cache_clear()
    assert np.array_equal(first, random_batch(scene, (), (("n", 1),), 16, 3)[0]["u"])
    assert not np.array_equal(first, other)
    assert not np.array_equal(first, random_batch(scene, (), (("n", 2),), 16, 3)[0]["u"])


def found(relation, *conditions, scene, ascents=0, seed=0):
    return list(search(Question("found", relation, conditions, scene), batch=64, ascents=ascents, seed=seed))


def test_a_search_counts_who_is_admissible_and_finds_the_worst():
    scene = Scene(
        "steps",
        ({"n": 1}, {"n": 2}),
        lambda s: {"u": Box(-1, 1, levels=(-1, 1))},
        lambda s, values: {"v": values["u"] * s["n"]},
    )
    one, two = found(le(v, 1), scene=scene)
    assert (one.trials, two.trials) == (64, 64)
    assert (one.margin, two.margin) == pytest.approx((0, 1 / 3))
    assert (one.ratio, two.ratio) == pytest.approx((1, 2))
    assert one.suspects == ()
    assert two.suspects
    assert all(instance.parameters["u"] == 1 for instance in two.suspects)
    assert two.instance.parameters["u"] == 1
    assert two.instance.shape == {"n": 2}
    half = found(le(v, 1), le(u, 0), scene=scene)
    assert 0 < half[0].trials < 64
    assert all(not one.suspects for one in half)


def test_sizes_at_which_a_relation_is_not_defined_are_passed_over():
    scene = Scene("from two on", ({"n": 1}, {"n": 2}), lambda s: {"u": Box(0, 1)}, lambda s, values: {})
    n = sp.Symbol("n", integer=True, positive=True)
    assert [one.instance.shape for one in found(le(u, 1 / (n - 1)), scene=scene)] == [{"n": 2}]


PEAK = Scene(
    "a peak",
    (SHAPE,),
    lambda s: {"a": Box(-1, 1, (3,)), "b": Box(1e-2, 1e2, scale="log")},
    lambda s, values: {
        "v": exp(-100 * ((values["a"] - 0.37) ** 2).sum(axis=1)) / (1 + log(values["b"] / 7) ** 2)
    },
)


def test_ascent_comes_near_a_peak_that_random_instances_miss():
    at_random, climbed = found(le(v, 1), scene=PEAK, ascents=1)
    assert at_random.ratio < 0.5
    assert 0.9 < climbed.ratio <= 1
    assert climbed.instance.parameters["a"].astype(float) == pytest.approx([0.37] * 3, abs=0.1)
    assert float(climbed.instance.parameters["b"]) == pytest.approx(7, rel=0.5)


def test_ascent_stops_where_it_breaks_the_relation():
    broken = found(le(v, sp.Rational(1, 2)), scene=PEAK, ascents=1)[-1]
    assert broken.margin > ROUNDING
    assert len(broken.suspects) == 1
    assert len(found(sp.Eq(v, 2), scene=PEAK, ascents=1)) == 1  # ascent does not apply to equations


def test_ascent_leaves_levels_and_stays_inside():
    scene = Scene(
        "edge",
        (SHAPE,),
        lambda s: {"a": Box(0, 1), "s": Box(-1, 1, levels=(-1, 1))},
        lambda s, values: {"v": values["a"] * (2 + values["s"])},
    )
    climbed = found(le(v, 4), scene=scene, ascents=1)[-1]
    assert climbed.instance.parameters["s"] == 1
    assert 0.97 < climbed.instance.parameters["a"] <= 1
    still = replace(scene, space=lambda s: {"a": Box(1, 1), "s": Box(-1, 1, levels=(-1, 1))})
    assert found(le(v, 4), scene=still, ascents=1)[-1] == Search()


def test_two_searches_are_joined_by_the_worse():
    at = [Instance({"n": n}, {}, {}) for n in range(3)]
    bad, tight = Search(3, 0.5, 2.0, at[0], (at[0],)), Search(4, -0.5, 3.0, at[1], (at[1],))
    for joined in (bad.joined(tight), tight.joined(bad)):
        assert (joined.trials, joined.margin, joined.ratio) == (7, 0.5, 3.0)
        assert joined.instance is at[1]
        assert joined.suspects == (at[0],)
    untold = Search(1, 0.9, None, at[2])
    assert bad.joined(untold).instance is at[0]
    assert untold.joined(Search()).instance is at[2]
    assert Search().joined(bad) == bad


def test_suspects_with_nothing_zero_and_with_room_come_first():
    scene = Scene("plane", (SHAPE,), lambda s: {"a": Box(0, 1), "b": Box(0, 1)}, lambda s, values: {})
    a, b = sp.symbols("a b", real=True)
    (result,) = found(le(a, b / 2), le(a, b), scene=scene)
    first = result.suspects[0].parameters
    assert 0 < first["b"] / 2 < first["a"] < first["b"]
    assert first["b"] - first["a"] > Fraction(1, 1000)
    assert len(result.suspects) <= 12


def test_an_instance_is_taken_out_of_a_batch_as_it_is_written():
    sizes = {"s": column(0.1, 0.2)}
    taken = instance_at(SHAPE, {"a": torch.tensor([[1, 2], [3, 0.3]], dtype=torch.float64)}, sizes, 1)
    assert taken.parameters["a"].tolist() == [3, Fraction(3, 10)]
    assert taken.sizes["s"] == Fraction(1, 5)
    shared = instance_at(SHAPE, {"a": torch.tensor([[1.0, 2.0]])}, {"s": column(0.5)}, 1)
    assert shared.parameters["a"].tolist() == [1, 2]
    assert shared.sizes["s"] == Fraction(1, 2)


def test_a_batch_is_judged_with_steps_inside_their_limits():
    question = ask("steps", k.DESCENDS.relation, k.DESCENDS.conditions, k.DESCENT)
    parameters = {"h": column(1, 2), "start": column(1, 1), "gamma": column(1, 0.5), "room": column(0, 0)}
    margin, ratio, allowed, sizes = judge_batch(question, {"d": 1}, parameters)
    assert sizes["gamma"].tolist() == [2, 0.5]
    assert ratio.tolist() == pytest.approx([1, 0])
    assert margin.tolist() == pytest.approx([0, -1])
    assert allowed.tolist() == [True, True]
