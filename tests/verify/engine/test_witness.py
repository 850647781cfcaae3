"""Counterexamples: certain, simple, with slack where possible, and never for true statements."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from nqm.fields import norm
from tests.verify import known as k
from verify.engine.checks.attack import attack_at_random
from verify.engine.model.claim import BUDGETS
from verify.engine.model.instance import Instance
from verify.engine.model.question import Question, ask
from verify.engine.model.scene import Box, Scene
from verify.engine.search.witness import LOST, confirm, counterexample, tightest

x, y = sp.symbols("x y", positive=True)
u, v = sp.symbols("u v", real=True)
ODD = Fraction(3141592653589793, 10**15)


def at(**numbers):
    parameters = {name: np.array(n, dtype=object) for name, n in numbers.items()}
    return Instance({}, parameters, {})


def numbers(relation, *conditions):
    return ask("numbers", relation, conditions, None)


def values_of(witness):
    return {name: value.item() for name, value in witness.instance.parameters.items()}


def test_a_counterexample_is_exact_simple_and_has_room():
    question = numbers(x * y <= 1, x <= 4, y <= 4)
    witness = counterexample(question, at(x=ODD, y=ODD / 2))
    assert witness.method == "exact"
    assert witness.relation.fails
    assert all(condition.holds and condition.slack > 0.01 for condition in witness.conditions)
    assert all(value.denominator <= 2 for value in values_of(witness).values())


@pytest.mark.parametrize(
    ("relation", "end"), [(x > sp.Rational(1, 20), "1/20"), (x < sp.Rational(1, 10), "1/10")]
)
def test_a_range_that_ends_at_a_decimal_ends_there_exactly(relation, end):
    """Between 0.05 and 0.1 only the end breaks the relation."""
    scene = Scene("ends", ({},), lambda shape: {"x": Box(0.05, 0.1)})
    question = ask("ends", relation, (), scene)
    broken = attack_at_random(question, BUDGETS["quick"], 0).witness
    assert broken.record()["parameters"] == {"x": end}
    assert broken.relation.fails


def test_at_least_a_tenth_of_the_margin_is_kept():
    question = numbers(x <= 1)
    start = at(x=Fraction(3))
    witness = counterexample(question, start)
    assert witness.relation.fails
    assert values_of(witness)["x"] == 2  # 1 is simpler, but breaks nothing


def test_no_quantity_becomes_zero_that_was_none():
    question = numbers(u**2 <= v - 1)
    witness = counterexample(question, at(u=ODD, v=ODD / 4))
    assert witness.zero == ()
    assert 0 not in values_of(witness).values()
    assert counterexample(question, at(u=ODD, v=Fraction(0))).zero == ()  # moved away from zero
    forced = counterexample(numbers(u**2 > 0), at(u=Fraction(0)))
    assert forced.zero == ("u",)
    assert forced.unusual == 1
    assert witness.unusual == 0


def test_what_is_true_has_no_counterexample():
    for instance in (at(x=ODD, y=ODD), at(x=ODD, y=ODD * 2), at(x=Fraction(1, 1000), y=Fraction(7))):
        assert counterexample(numbers(2 * x * y <= x**2 + y**2), instance) is None
    assert counterexample(numbers(x <= 2, x <= 1), at(x=Fraction(3))) is None


def test_a_nudge_that_breaks_nothing_is_passed_over():
    """u^2 >= 1/200 is broken at 0 and by numbers below 0.07; 1/2, 1/4 and 1/8 do not break it."""
    found = counterexample(numbers(u**2 >= sp.Rational(1, 200)), at(u=Fraction(0)))
    assert found.broken
    assert 0 < abs(values_of(found)["u"]) < Fraction(1, 14)


def test_a_violation_by_a_hair_is_found_by_fractions_alone():
    hair = Fraction(1, 10**14)
    witness = counterexample(numbers(x <= y), at(x=1 + hair, y=Fraction(1)))
    assert witness.relation.fails
    assert values_of(witness)["x"] - values_of(witness)["y"] == hair
    assert counterexample(numbers(x <= y, x <= y), at(x=1 + hair, y=Fraction(1))) is None


def test_roots_are_confirmed_in_intervals():
    witness = confirm(numbers(sp.sqrt(x) <= y), at(x=Fraction(2), y=Fraction(7, 5)))
    assert witness.method == "interval"
    assert witness.relation.fails
    low, high = witness.relation.small
    assert low <= 2**0.5 <= high
    assert confirm(numbers(sp.sqrt(x) <= y), at(x=Fraction(4), y=Fraction(2))).method == "exact"


def test_a_witness_tells_everything_in_plain_json():
    record = confirm(numbers(x <= y, x <= 1), at(x=Fraction(3), y=Fraction(2))).record()
    assert record["lhs"] == [3, 3]
    assert record["rhs"] == [2, 2]
    assert record["conditions"] == [{"text": "x <= 1", "slack": -0.5, "holds": False}]
    assert record["parameters"] == {"x": "3", "y": "2"}
    assert record["statement"] == "numbers"


def test_room_inflates_constants_and_settles_steps_below_their_limits():
    question = ask("steps", k.OVERSTEPS.relation, k.OVERSTEPS.conditions, k.DESCENT)
    start = Instance(
        {"d": 1},
        {
            n: np.array(Fraction(x), dtype=object)
            for n, x in (("h", 1), ("start", 1), ("gamma", 1), ("room", 0))
        },
        {"gamma": np.array(Fraction(3), dtype=object)},
    )
    witness = counterexample(question, start)
    assert witness.relation.fails
    assert witness.conditions[0].slack > 1e-3
    assert witness.instance.parameters["room"] == Fraction(1, 100)
    assert witness.instance.parameters["gamma"] == 1
    assert 2 < witness.instance.sizes["gamma"] < 3


def test_the_tightest_instance_is_simple_and_loses_little():
    question = numbers(2 * x * y <= x**2 + y**2)
    witness = tightest(question, at(x=ODD, y=ODD + Fraction(1, 100)))
    assert witness.relation.holds
    small, large = witness.relation.small[0], witness.relation.large[0]
    assert small / large > 1 - 2 * LOST
    assert all(value.denominator <= 10 for value in values_of(witness).values())
    loose = tightest(numbers(sp.Le(x, x + y, evaluate=False)), at(x=Fraction(7, 2), y=Fraction(61, 100)))
    ratio = loose.relation.small[0] / loose.relation.large[0]
    assert 3.5 / 4.11 - 2 * LOST < ratio < 1


@pytest.mark.parametrize("share", ["31/1000", "1234567/1000000000", "1/31622"])
def test_the_tightest_instance_loses_little_of_a_small_share(share):
    scene = Scene(
        "shares", ({"n": 1},), lambda s: {"u": Box(0, 1)}, lambda s, values: {"v": 1 + 0 * values["u"]}
    )
    instance = Instance({"n": 1}, {"u": np.array(Fraction(share), dtype=object)}, {})
    witness = tightest(Question("shares", sp.Le(u, v), (), scene), instance)
    assert witness.relation.small[0] > Fraction(share) * (1 - 3 * Fraction(LOST))


def test_the_tightest_instance_meets_its_conditions_or_is_none():
    assert tightest(numbers(x <= y, x + y <= 1), at(x=Fraction(2), y=Fraction(3))) is None


def test_the_tightest_instance_stays_in_its_ranges_and_levels():
    scene = Scene(
        "ranges",
        ({"n": 1},),
        lambda s: {"u": Box(0.3, 0.7), "s": Box(-1, 1, levels=(-0.35, 1)), "w": Box(-2, 2, (2,))},
        lambda s, values: {"v": norm(values["w"]) + values["u"] + values["s"]},
    )
    instance = Instance(
        {"n": 1},
        {
            "u": np.array(Fraction(71, 100), dtype=object),
            "s": np.array(Fraction(-0.35), dtype=object),
            "w": np.array([ODD / 2, -ODD / 3], dtype=object),
        },
        {},
    )
    witness = tightest(Question("ranges", sp.Le(u, v + 9), (), scene), instance)
    found = witness.instance.parameters
    assert Fraction(3, 10) <= found["u"].item() <= Fraction(7, 10)
    assert found["s"].item() == Fraction(-0.35)
    assert found["w"].shape == (2,)


def test_levels_stay_levels_in_a_counterexample():
    scene = Scene(
        "levels",
        ({"n": 1},),
        lambda s: {"u": Box(-3, 3, levels=(-3, 3)), "v": Box(-1, 1)},
        lambda s, values: {},
    )
    instance = Instance({"n": 1}, {"u": np.array(Fraction(3)), "v": np.array(ODD / 10)}, {})
    witness = counterexample(Question("levels", sp.Le(u, v), (), scene), instance)
    assert values_of(witness)["u"] == 3
    assert -1 <= values_of(witness)["v"] <= 1


def test_without_room_steps_are_just_below_their_limits():
    question = ask("steps", k.DESCENDS.relation, k.DESCENDS.conditions, k.DESCENT)
    start = Instance(
        {"d": 1},
        {
            n: np.array(Fraction(x), dtype=object)
            for n, x in (("h", 1), ("start", 1), ("gamma", 1), ("room", 0))
        },
        {"gamma": np.array(Fraction(2), dtype=object)},
    )
    relation = tightest(question, start).relation
    assert 0.99 < relation.small[0] / relation.large[0] <= 1


def test_the_same_numbers_are_evaluated_once():
    question = numbers(x * y <= 1, x <= 4)
    found = confirm(question, at(x=Fraction(2), y=Fraction(3)))
    assert confirm(question, Instance.from_record(found.instance.record())) is found
    assert confirm(question, at(x=Fraction(2), y=Fraction(4))) is not found
    assert confirm(numbers(x * y <= 1), at(x=Fraction(2), y=Fraction(3))) is not found


def test_gaps_give_slack_to_a_condition_that_irrational_numbers_meet_with_equality():
    b = sp.Symbol("b", positive=True)
    t, last = sp.symbols("t T", integer=True, positive=True)
    entries = sp.IndexedBase(sp.Symbol("V", nonnegative=True))
    question = ask(
        "fading steps",
        sp.Le(entries[last], entries[0] + b * sp.sqrt(last + 1) / 2),
        (sp.Le(entries[t], entries[t - 1] + b / sp.sqrt(t)),),
        None,
    )
    broken = attack_at_random(question, BUDGETS["default"], 0).witness
    assert broken is not None
    assert broken.broken
    assert broken.method == "interval"
