"""Simplification of instances to counterexamples: boxes, small denominators, slack, one number at a time."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch

from nqm.fields import norm
from verify.engine.model.instance import Instance
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Scene
from verify.engine.search import witness as room_of
from verify.engine.search.adversary import _suspects, in_domains, worst
from verify.engine.search.simpler import breaks, simplified
from verify.engine.search.witness import _in_boxes, _nearby, _rounded, _with_room, confirm, counterexample

u, v, c, h, L = sp.symbols("u v c h L", real=True)
SCENE = Scene(
    "boxes",
    ({"n": 1},),
    lambda s: {
        "u": Box(0.25, 2),
        "w": Box(-1, 1, (2,)),
        "s": Box(-1, 1, levels=(-1, 0.3, 1)),
        "h": Box(0.01, 1),
        "r": Box(0, 0),
    },
    lambda s, values: {"v": values["u"] * values["h"]},
    known=lambda s, values: {"L": values["u"] * (1 + values["r"])},
    steps=("h",),
    room="r",
)


def made(sizes=None, **numbers):
    given = {"u": 1, "w": (0, 0), "s": 1, "h": 1, "r": 0, **numbers}
    parameters = {
        name: np.array(
            [Fraction(x) for x in value] if isinstance(value, tuple) else Fraction(value), dtype=object
        )
        for name, value in given.items()
    }
    return Instance(
        {"n": 1}, parameters, {n: np.array(Fraction(x), dtype=object) for n, x in (sizes or {}).items()}
    )


def asked(relation, *conditions, scene=SCENE):
    return Question("boxes", relation, conditions, scene)


def le(a, b):
    return sp.Le(a, b, evaluate=False)


def test_numbers_are_brought_into_their_ranges_but_not_room_and_steps():
    found = _in_boxes(SCENE, made(u=5, w=("-3/2", "1/2"), h=7, r=9)).parameters
    assert (found["u"], found["h"], found["r"]) == (2, 7, 9)
    assert found["w"].tolist() == [-1, Fraction(1, 2)]
    assert _in_boxes(SCENE, made(u=0)).parameters["u"] == Fraction(1, 4)


@pytest.mark.parametrize(
    ("x", "largest", "near"),
    [("0.333", 10, "1/3"), ("0.251", 4, "1/4"), ("0.26", 1, "0.26"), ("1.99", 1, 2), ("7/3", 10, "7/3")],
)
def test_near_numbers_stay_in_the_range(x, largest, near):
    """The nearest whole number to 0.26 is 0, which is outside the range; so 0.26 stays."""
    assert _nearby(Fraction(x), largest, Box(0.25, 7 / 3 + 1e-9)) == Fraction(near)


def test_levels_are_not_rounded():
    x = Fraction(3, 10)
    assert _nearby(x, 10, Box(-1, 1, levels=(-1, 0.3, 1))) == x
    assert x in Box(-1, 1, levels=(-1, 0.3, 1))
    assert Fraction(0) not in Box(-1, 1, levels=(-1, 0.3, 1))
    assert Fraction(1) in Box(0, 1)
    assert Fraction(101, 100) not in Box(0, 1)
    assert Fraction(-1, 100) not in Box(0, 1)


def test_all_numbers_are_rounded_but_room():
    start = made(u="1.2501", w=("0.3334", "-0.51"), r="0.0101", sizes={"h": "0.0001"})
    found = _rounded(asked(le(u, 1)), start, 4)
    assert found.parameters["u"] == Fraction(5, 4)
    assert found.parameters["w"].tolist() == [Fraction(1, 3), Fraction(-1, 2)]
    assert found.parameters["r"] == Fraction("0.0101")
    assert found.sizes["h"] == Fraction("0.0001")  # a step is not made 0
    assert _rounded(asked(le(u, 1)), made(sizes={"h": "0.251"}), 4).sizes["h"] == Fraction(1, 4)


@pytest.mark.parametrize("share", [Fraction(1, 100), Fraction(1, 1000)])
def test_room_inflates_constants_and_shortens_steps(share):
    question = asked(le(v, 1), le(h, 1 / L))
    found = _with_room(question, made(u=2, h=1, sizes={"h": 1}), float(share))
    assert found.parameters["r"] == share
    assert found.parameters["h"] == 1
    step = (1 - share) / (2 * (1 + share))
    assert float(found.sizes["h"]) == pytest.approx(float(step), rel=1e-12)
    assert found.sizes["h"] < Fraction(1, 2) / (1 + share)
    bare = _with_room(question, made(u=2, h=1, sizes={"h": 1}), 0.0)
    assert bare.parameters["r"] == 0
    assert Fraction(1, 2) * (1 - Fraction(2, 10**12)) < bare.sizes["h"] < Fraction(1, 2)


def test_only_what_is_admissible_and_broken_enough_breaks():
    question = asked(le(u, 1), le(u, sp.Rational(3, 2)))
    tried = [made(u=x, sizes={"h": 1}) for x in ("1/2", "5/4", "3/2", 2)]
    assert breaks(question, tried, 0.0) == [False, True, True, False]
    assert breaks(question, tried, 1e-2) == [False, True, False, False]
    assert breaks(question, tried, 0.0, least=0.15) == [False, False, True, False]
    p = sp.Symbol("u", positive=True)
    negative = Scene("n", ({"n": 1},), lambda s: {"u": Box(-2, 2)}, lambda s, values: {})
    only = [Instance({"n": 1}, {"u": np.array(Fraction(x), dtype=object)}, {}) for x in (-2, 2)]
    assert breaks(asked(sp.Ge(p, 3, evaluate=False), scene=negative), only, 0.0) == [False, True]


def test_quantities_that_are_kept_do_not_become_zero():
    free = Scene("f", ({"n": 1},), lambda s: {"u": Box(-1, 1), "v": Box(-1, 1)}, lambda s, values: {})
    question = asked(le(1, u + v), scene=free)
    tried = [
        Instance(
            {"n": 1}, {"u": np.array(Fraction(a), dtype=object), "v": np.array(Fraction(b), dtype=object)}, {}
        )
        for a, b in ((0, "1/2"), ("1/4", "1/2"), ("1/4", 0))
    ]
    assert breaks(question, tried, 0.0) == [True, True, True]
    assert breaks(question, tried, 0.0, kept=("u",)) == [False, True, True]
    assert breaks(question, tried, 0.0, kept=("u", "v")) == [False, True, False]


def test_every_number_is_made_as_simple_as_the_violation_allows():
    free = Scene(
        "f",
        ({"n": 1},),
        lambda s: {"u": Box(-5, 5), "v": Box(-1, 1, (2,)), "c": Box(0, 9, levels=(0.5, 7.5))},
        lambda s, values: {},
    )
    start = Instance(
        {"n": 1},
        {
            "u": np.array(Fraction("3.14159"), dtype=object),
            "v": np.array([Fraction("0.123456"), Fraction("-0.7654")], dtype=object),
            "c": np.array(Fraction(7.5), dtype=object),
        },
        {},
    )
    found = simplified(asked(le(u + v, 1), scene=free), start, 0.0).parameters
    assert (found["u"], found["v"].tolist(), found["c"]) == (1, [1, 0], Fraction(1, 2))
    assert start.parameters["u"] == Fraction("3.14159")


def test_numbers_that_belong_together_become_small_together():
    """With one of them alone at 1, a b <= (a^2 + b^2)/3 is true."""
    a, b = sp.symbols("a b", real=True)
    free = Scene("pairs", ({"n": 1},), lambda s: dict.fromkeys("ab", Box(-10, 10)))
    ten = {name: np.array(Fraction(10), dtype=object) for name in "ab"}
    found = simplified(asked(le(a * b, (a**2 + b**2) / 3), scene=free), Instance({"n": 1}, ten, {}), 0.0)
    assert [found.parameters[name].item() for name in "ab"] == [1, 1]


def test_a_simpler_number_keeps_a_tenth_of_the_violation():
    """u <= 1.99 is also broken at 2, but by less than a tenth of the violation at 12/5."""
    free = Scene("f", ({"n": 1},), lambda s: {"u": Box(-5, 5)}, lambda s, values: {})
    start = Instance({"n": 1}, {"u": np.array(Fraction("2.4"), dtype=object)}, {})
    for bound, simplest in (("1.99", Fraction(5, 2)), ("1.9", 2)):
        found = simplified(asked(le(u, sp.Rational(bound)), scene=free), start, 0.0)
        assert found.parameters["u"] == simplest


@pytest.mark.parametrize(
    ("start", "simple"), [(("1/3", "-1/5"), (1, -1)), ((0, "-1/5"), (0, -1)), ((0, 0), (0, 0))]
)
def test_what_is_not_zero_is_made_no_zero_and_what_is_may_stay(start, simple):
    """Zeros break 1 <= u + v more than these numbers do."""
    free = Scene("f", ({"n": 1},), lambda s: {"u": Box(-1, 1), "v": Box(-1, 1)}, lambda s, values: {})
    parameters = {name: np.array(Fraction(x), dtype=object) for name, x in zip("uv", start, strict=True)}
    found = simplified(asked(le(1, u + v), scene=free), Instance({"n": 1}, parameters, {}), 0.0).parameters
    assert (found["u"], found["v"]) == simple


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-1, 0)])
def test_a_zero_is_nudged_to_whichever_side_its_range_has(low, high):
    free = Scene("f", ({"n": 1},), lambda s: {"u": Box(low, high), "v": Box(-1, 1)}, lambda s, values: {})
    start = Instance({"n": 1}, {"u": np.array(Fraction(0)), "v": np.array(Fraction(-1))}, {})
    found = counterexample(asked(le(1, u + v), scene=free), start)
    assert found.instance.parameters["u"].item() == Fraction(low + high, 2)
    assert found.zero == ()


def test_shares_of_limits_stay_as_they_were_drawn_where_their_steps_are_simplified():
    """The parameter of a step size is the share of the limit from which the step was computed."""
    start = made({"h": "0.7071"}, h="0.8317", u="1.2345")
    found = simplified(asked(le(sp.Symbol("u", real=True), sp.Rational(1, 2))), start, 0.0)
    assert found.parameters["h"] == Fraction("0.8317")
    assert found.parameters["u"] != Fraction("1.2345")
    assert found.sizes["h"] != Fraction("0.7071")


def test_constants_with_roots_are_certified():
    rooted = SCENE.variant(
        "rooted", compute=lambda s, values: {}, known=lambda s, values: {"c": norm(values["w"])}
    )
    question = asked(le(u, 1), le(c, 3), scene=rooted)
    witness = confirm(question, made(u=2, w=(1, 2), sizes={"h": 1}))
    assert (witness.method, witness.relation.fails, witness.conditions[0].holds) == ("interval", True, True)
    witness = confirm(question, made(u=2, w=("9/5", "12/5"), sizes={"h": 1}))
    assert (witness.method, witness.relation.fails, witness.conditions[0].slack) == ("exact", True, 0)


def test_the_witness_of_a_question_says_what_is_zero():
    witness = confirm(asked(le(v, u), scene=SCENE), made(u=2, sizes={"h": 0}))
    assert witness.zero == ("v",)
    assert witness.unusual == 1
    assert tuple(sorted(room_of.ROOMS, reverse=True)) == room_of.ROOMS
    assert room_of.ROOMS[-1] == 0


def column(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def test_suspects_are_ranked_by_gap_and_margin_where_there_is_room_and_nothing_is_zero():
    yes, margin, gap = torch.ones(6, dtype=torch.bool), column(1, 2, 3, 4, 5, 6), column(6, 5, 4, 3, 2, 1)
    assert _suspects(yes, yes, yes, margin, gap) == [0, 1, 5, 4]
    none = ~yes
    assert _suspects(none, yes, yes, margin, gap) == []
    roomy = torch.tensor([0, 0, 1, 1, 1, 0], dtype=torch.bool)
    whole = torch.tensor([0, 0, 0, 1, 0, 0], dtype=torch.bool)
    assert _suspects(yes, roomy, whole, margin, gap) == [3, 2, 4, 0, 1, 5]


def test_the_worst_of_a_batch_is_the_tightest_where_a_ratio_can_be_told():
    nan, yes = torch.nan, torch.ones(3, dtype=torch.bool)
    given = {"u": column(1, 2, 3)}
    found = worst({"n": 1}, given, {}, column(0.5, -0.5, 0.1), column(nan, 0.9, 0.4), yes)
    assert (found.trials, found.margin, found.ratio, found.instance.parameters["u"]) == (3, 0.5, 0.9, 2)
    untold = worst({"n": 1}, given, {}, column(0.5, -0.5, 0.7), column(nan, nan, nan), yes)
    assert (untold.ratio, untold.margin, untold.instance.parameters["u"]) == (None, 0.7, 3)
    some = torch.tensor([True, False, False])
    only = worst({"n": 1}, given, {}, column(-0.5, 0.5, 0.7), column(0.0, 0.9, 2.0), some)
    assert (only.trials, only.margin, only.ratio, only.instance.parameters["u"]) == (1, -0.5, 0.0, 1)
    assert worst({"n": 1}, given, {}, column(1, 1, 1), column(1, 1, 1), ~yes).trials == 0


def test_domains_speak_of_all_entries():
    p, z = sp.Symbol("p", positive=True), sp.Symbol("z", nonnegative=True)
    values = {"p": torch.tensor([[1.0, 2], [1, 0], [1, -1]]), "z": torch.tensor([[0.0, 1], [0, 0], [-1, 1]])}
    assert in_domains((le(p, 1),), values, 3).tolist() == [True, False, False]
    assert in_domains((le(z, 1),), values, 3).tolist() == [True, True, False]
