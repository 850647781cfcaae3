"""Checks beside those of relations: assumptions, settings, orders, sharpness, free lunches."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from bounds.statement import Scaling
from tests.verify import known as k
from tests.verify.engine.simple import LINE, QUICK, about, n, of, u, v, x, y
from verify.engine.checks.applicability import applicability
from verify.engine.checks.assumption import assumption
from verify.engine.checks.attack import attack, recalling
from verify.engine.checks.order import order, outgrown
from verify.engine.checks.sharpest import best_ratios
from verify.engine.checks.sharpness import sharpness
from verify.engine.checks.unjudged import unjudged
from verify.engine.checks.vacuity import free_lunch, needed, no_placebo, nothing_free
from verify.engine.model.claim import Claim
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, Scene
from verify.engine.search.witness import confirm
from verify.engine.verdict import Verdict
from verify.report.wording import sentence


def test_an_assumption_is_counted_and_shown_on_both_sides():
    finding = assumption(about("assumed", v <= sp.Rational(1, 4), scene=LINE, check=assumption), QUICK, 0)
    assert finding.verdict is Verdict.ASSUMPTION
    assert 0 < finding.details["met"] < finding.details["tried"] == finding.trials == 256
    assert confirmed(finding.details["meets"])
    assert not confirmed(finding.details["does not meet"])
    always = assumption(about("always", v <= 2, scene=LINE), QUICK, 0)
    assert "none was found that does not" in sentence(always.reason)
    never = assumption(about("never", v >= 2, scene=LINE), QUICK, 0)
    assert never.details["met"] == 0
    assert "meets" not in never.details


def confirmed(record):
    return record["lhs"][0] <= record["rhs"][0]


def test_settings_meet_conditions_or_say_what_would():
    a, b, c = sp.symbols("a b c", positive=True)
    statement = k.known("settings", x <= y, of(sp.Le, a, b), of(sp.Le, a * c, 1), of(sp.Eq, 2 * b, c))
    check = applicability({"one": {"a": 1, "b": 2}, "two": {"a": 0.25, "b": 1}})
    finding = check(Claim(statement, (check,)), QUICK, 0)
    assert finding.verdict is Verdict.GAP
    assert sentence(finding.reason) == "not met in one: a*c <= 1 (4 against 1)"
    rows = finding.details["settings"]
    assert rows["one"]["met"] == ["a <= b (1 against 2)", "Eq(2*b, c) (4 against 4)"]
    assert rows["one"]["implied"] == ["c = 4"]
    assert rows["two"]["failing"] == []
    fine = applicability({"two": {"a": 0.25, "b": 1}})(Claim(statement, (check,)), QUICK, 0)
    assert (fine.verdict, fine.trials) == (Verdict.SUPPORTED, 1)
    assert sentence(fine.reason) == "met in all 1 settings, as far as reported; implied: c = 2"
    open_ = applicability({"three": {"a": 0.5}})(
        Claim(k.known("o", x <= y, of(sp.Le, a * c, 1), of(sp.Le, a, b * c)), ()), QUICK, 0
    )
    assert open_.verdict is Verdict.INCONCLUSIVE
    assert open_.details["settings"]["three"]["open"] == ["needs c <= 2", "a <= b*c (unreported: b, c)"]
    plain = applicability({"four": {"a": 1, "b": 1}})(
        Claim(k.known("p", x <= y, of(sp.Le, a, b)), ()), QUICK, 0
    )
    assert (plain.verdict, sentence(plain.reason)) == (Verdict.SUPPORTED, "met in all 1 settings")


def test_orders_are_read_off_alone_and_together():
    m = sp.Symbol("m", integer=True, positive=True)

    def judged(terms, steps, claimed, *variables):
        return order(Claim(k.known("order", Scaling(terms, steps, claimed, variables)), (order,)), QUICK, 0)

    assert judged({"a": x / n, "b": x**2}, {x: 1 / sp.sqrt(n)}, 1 / n, n).verdict is Verdict.PROVED
    above = judged({"a": x, "b": x**2}, {x: 1 / sp.sqrt(n)}, 1 / n, n)
    assert above.verdict is Verdict.GAP
    assert sentence(above.reason) == "claimed n^(-1), but a ~ n^(-1/2), too large in n"
    assert judged({"a": -sp.log(n) / n}, {}, 1 / n, n).verdict is Verdict.GAP
    logs = judged({"a": sp.log(n) / n}, {}, 1 / n, n)
    assert logs.verdict is Verdict.GAP
    joint = judged({"a": 1 / (1 / n + 1 / m)}, {}, sp.Integer(1), n, m)
    assert joint.verdict is Verdict.GAP
    assert "n = s^" in sentence(joint.reason)
    ridge = judged({"a": n**3 * m / (n**4 + m**2)}, {}, sp.Integer(1), n, m)
    assert "too large in n = s^1, m = s^2" in sentence(ridge.reason)
    valley = judged({"a": n**3 * m / (n**4 + m**2)}, {}, n, n, m)
    assert valley.verdict is not Verdict.GAP
    fine = judged({"a": 1 / (n + m)}, {}, 1 / n, n, m)
    assert fine.verdict is Verdict.PROVED
    assert "explicit constants" in sentence(fine.reason)
    assert fine.proof is not None
    assert len(fine.proof["certificates"]) == 1
    with pytest.raises(TypeError, match="needs a Scaling"):
        order(about("no", x <= y), QUICK, 0)


def test_a_floor_that_outgrows_a_claimed_order_is_a_gap():
    scaling = k.known("order", Scaling({"a": x}, {x: 1 / n}, 1 / n, (n,)))
    floor = k.known("floor", of(sp.Ge, y, 3 + 1 / n))
    finding = outgrown(floor, 2, n)(Claim(scaling, ()), QUICK, 0)
    assert finding.verdict is Verdict.GAP
    assert "at least 9 in the limit" in sentence(finding.reason)
    assert finding.details == {"outgrown by": "known.floor"}
    fading = k.known("fading", of(sp.Ge, y, 1 / sp.sqrt(n)))
    assert outgrown(fading, 2, n)(Claim(scaling, ()), QUICK, 0).verdict is None
    slower = k.known("slower", of(sp.Ge, y, n ** -sp.Rational(1, 3)))
    assert outgrown(slower, 2, n)(Claim(scaling, ()), QUICK, 0).verdict is Verdict.GAP
    assert outgrown(slower, 3, n)(Claim(scaling, ()), QUICK, 0).verdict is None
    with pytest.raises(TypeError, match="needs a Scaling"):
        outgrown(floor, 2, n)(about("no", x <= y), QUICK, 0)


def test_sharpness_finds_the_best_points_of_every_world():
    scene = Scene(
        "points",
        ({"d": 1},),
        lambda s: {"c": Box(0, 2, levels=(0, 1, 2)), "u": Box(-1, 1)},
        lambda s, w: {"v": w["c"] * (1 - (w["u"] - 0.3) ** 2), "L": w["c"]},
    )
    claim = about("sharp", sp.Le(v, sp.Symbol("L", real=True)), scene=scene)
    ratios = best_ratios(claim, {"d": 1}, ("u",), np.random.default_rng(0), 32)
    assert ratios.shape == (32,)
    assert set(np.round(ratios, 3)) == {0, 1}
    finding = sharpness(scene, {"line": {"d": 1}}, ("u",))(claim, QUICK, 0)
    assert (finding.verdict, finding.trials) == (None, 16)
    assert finding.details["median lhs/rhs"]["line"] == pytest.approx(1)
    flat = replace(scene, compute=lambda s, w: {"v": 0 * w["u"], "L": 0 * w["u"]})
    assert "(constant 0)" in sentence(sharpness(flat, {"line": {"d": 1}}, ("u",))(claim, QUICK, 0).reason)


def test_free_lunch_at_points_says_how_many():
    dear = k.known("dear", of(sp.Le, k.a2, sp.exp(x)))
    free = k.known("free", of(sp.Le, k.a2, 1 + x), changes="free")
    finding = free_lunch(free)(Claim(dear, ()), QUICK, 0)
    assert finding.verdict is None  # points are no proof
    assert finding.trials > 0
    assert "which is no proof" in sentence(finding.reason)
    better = free_lunch(dear)(Claim(free, ()), QUICK, 0)
    assert better.verdict is None
    assert "point" in better.details
    nowhere = k.known("nowhere", of(sp.Le, k.a2, sp.exp(x)), of(sp.Ge, sp.exp(x), sp.exp(10000)))
    assert "no point tried met the conditions" in sentence(
        free_lunch(free)(Claim(nowhere, ()), QUICK, 0).reason
    )


def test_free_lunch_of_a_bound_from_below():
    free = k.known("nothing", of(sp.Ge, k.a2, 0), changes="free")
    little = k.known("little", of(sp.Ge, k.a2, -1 - x**2))
    assert compared(free, little) == {"with": "known.nothing", "premises": [], "facts": {}}
    assert compared(free, k.known("much", of(sp.Ge, k.a2, 1 - x**2))) is None


def compared(free, statement, *premises):
    """The certificates on which a comparison rests, if there are any."""
    finding = free_lunch(free)(Claim(statement, (), premises=premises), QUICK, 0)
    assert finding.verdict is None  # its supports are judged with all records
    assert ("comparison" in finding.details) == (finding.proof is not None)
    return finding.details.get("comparison")


def test_free_lunch_knows_what_the_claim_knows_of_its_numbers():
    dear = k.known("dear more", of(sp.Le, k.a2, 1 + x + y))
    free = k.known("free less", of(sp.Le, k.a2, 1 + 2 * x), changes="free")
    assert compared(free, dear) is None
    premise = of(sp.Ge, y, x)
    assert compared(free, dear, premise)["premises"] == [str(premise)]


@pytest.mark.parametrize(
    ("premise", "better"), [(y >= 1, False), (y >= 1 + n, True), (k.b2 >= 1, True)], ids=str
)
def test_at_points_a_premise_counts_if_it_speaks_of_nothing_else(premise, better):
    """y^2 >= y holds from 1 on; exponentials are compared at points alone."""
    dear = k.known("dear square", of(sp.Le, k.a2, sp.exp(x) + y**2))
    free = k.known("free", of(sp.Le, k.a2, 1 + x + y), changes="free")
    finding = free_lunch(free)(Claim(dear, (), premises=(premise,)), QUICK, 0)
    assert (finding.verdict, "point" in finding.details, finding.trials > 0) == (None, better, not better)


def test_what_is_not_judged_says_why():
    finding = unjudged("because")(about("no", x <= y), QUICK, 0)
    assert (finding.verdict, sentence(finding.reason)) == (Verdict.NOT_JUDGED, "because")


@pytest.mark.parametrize(
    ("check", "name", "said"),
    [
        (nothing_free, "free lunch", "no bound is known without the theorem: because"),
        (no_placebo, "placebo", "promises no learning: because"),
    ],
)
def test_what_is_not_compared_says_why_and_judges_nothing(check, name, said):
    finding = check("because")(about("no", x <= y), QUICK, 0)
    assert (finding.check, finding.verdict, finding.method, sentence(finding.reason)) == (
        name,
        None,
        "symbolic",
        said,
    )


def test_a_baseline_is_taken_from_both_sides():
    claim = about("base", v <= 5 + u, scene=LINE, baseline=sp.Integer(4))
    assert claim.relation == of(sp.Le, v - 4, u + 1)
    instance = Instance({"d": 1}, {"u": np.array(Fraction(1), dtype=object)}, {})
    assert confirm(claim.question, instance).relation.small == (-3, -3)


WIDE = Scene("wide", ({"d": 1},), lambda s: {"u": Box(0, 3), "v": Box(0, 3)}, lambda s, values: {})


def test_a_condition_is_needed_where_the_relation_fails_without_it():
    asked = about("needed", u * v <= 1, u <= 1, v <= 1, u + v >= 1, v <= 100, scene=WIDE)
    finding = needed(asked, QUICK, 0)
    assert finding.verdict is None
    assert list(finding.details["fails at"]) == ["u <= 1", "v <= 1"]
    assert "needed: u <= 1, v <= 1; holds as well where these are broken: u + v >= 1 (" in sentence(
        finding.reason
    )
    assert sentence(finding.reason).endswith("nowhere broken in its worlds: v <= 100")
    point = finding.details["fails at"]["u <= 1"]["parameters"]
    assert float(Fraction(point["u"])) > 1 >= float(Fraction(point["v"]))


def test_a_stored_instance_ends_the_search_where_it_breaks_the_relation():
    asked = about("needed", u * v <= 1, u <= 1, v <= 1, scene=WIDE)
    first = needed(asked, QUICK, 0)
    points = [Instance.from_record(record) for record in first.details["fails at"].values()]
    with recalling(points):
        again = needed(asked, QUICK, 0)
        assert attack(asked.question, QUICK, 0).witness is None
    assert (sentence(again.reason), again.details) == (sentence(first.reason), first.details)
    with recalling([Instance({"d": 9}, {}, {}), *points]):  # of another scene
        assert needed(asked, QUICK, 0).details == first.details


def test_an_equation_is_not_broken_by_rounding():
    rounded = Scene(
        "rounded",
        ({"d": 1},),
        lambda s: {"u": Box(0, 3)},
        lambda s, values: {"v": (values["u"] / 3 * 3) + 0.1 - 0.1},
    )
    finding = needed(about("rounded", u <= 3, of(sp.Eq, u, v), scene=rounded), QUICK, 0)
    assert sentence(finding.reason) == "nowhere broken in its worlds: Eq(u, v)"
    apart = needed(about("apart", u * v <= 1, of(sp.Eq, u, 1 - v), scene=WIDE), QUICK, 0)
    assert sentence(apart.reason) == "needed: Eq(u, 1 - v)"


a, b = sp.symbols("a b", real=True)
BOUNDED = Scene(
    "bounded",
    ({"d": 1},),
    lambda s: {"u": Box(0.1, 3), "v": Box(0.1, 3), "room": Box(0, 0)},
    lambda s, values: {"longest": values["u"], "double": 2 * values["u"]},
    lambda s, values: {
        "a": values["u"] * (1 + values["room"]),
        "b": values["v"] * (1 + values["room"]),
        "twice": 2 * values["u"] * (1 + values["room"]),
    },
    room="room",
)
longest, double, twice = sp.symbols("longest double twice", real=True)


def test_a_constant_that_worlds_compute_themselves_is_given_too_small():
    finding = needed(about("bounded", double <= 2 * a, longest <= a, v <= b, scene=BOUNDED), QUICK, 0)
    assert list(finding.details["fails at"]) == ["longest <= a"]
    point = finding.details["fails at"]["longest <= a"]["parameters"]
    assert 0 < Fraction(point["share_of_constant"]) < 1
    assert "holds as well where these are broken: v <= b (" in sentence(finding.reason)


def test_a_constant_that_is_below_something_is_given_too_large():
    finding = needed(about("below", double >= 2 * a, a <= longest, scene=BOUNDED), QUICK, 0)
    assert sentence(finding.reason) == "needed: a <= longest"


def test_no_constant_is_changed_of_which_something_else_has_been_made():
    finding = needed(about("made", double <= twice, longest <= a, twice * u >= 0, scene=BOUNDED), QUICK, 0)
    assert "nowhere broken in its worlds: longest <= a" in sentence(finding.reason)
