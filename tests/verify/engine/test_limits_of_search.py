"""Searches at their limits: spaces, powers, constants, undefined points, exhausted steps."""

import re
import sys
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp
import torch

from bounds.statement import Scaling
from tests.verify import known as k
from tests.verify.engine.simple import LINE, QUICK, n, of, u
from tests.verify.engine.test_edges import at
from tests.verify.engine.test_signs import polynomial, same, signs_with
from verify.engine.certificates import Question as Asked
from verify.engine.certificates import Undecided, prove
from verify.engine.checks.order import order
from verify.engine.model.claim import Claim
from verify.engine.model.expressions import Least
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Scene
from verify.engine.proof.averages import TRIED, averaging
from verify.engine.proof.sizes import _differ, _divides, slack_at
from verify.engine.search.adversary import ROUNDING, random_batch
from verify.engine.search.degenerate import zeros
from verify.engine.search.points import proposed
from verify.engine.search.reach import STARTS, _best, _coordinate_search
from verify.engine.search.witness import counterexample
from verify.engine.verdict import Verdict
from verify.engine.work.errors import UsageError
from verify.report.wording import sentence

x, y = sp.symbols("x y", real=True)
a, b, c = sp.symbols("a b c", positive=True)
A = sp.Symbol("A", real=True)
M = sp.Symbol("M", integer=True, positive=True)


@pytest.mark.parametrize(("power", "base"), [(-3, 2), (-2, Fraction(3, 2)), (-1, 2), (1, 5), (3, 2)])
def test_whole_powers_that_a_solver_proposes_are_powers(power, base):
    assert next(proposed((of(sp.Eq, c**power, sp.Rational(base) ** power),), None, 200_000), None) == {
        "c": base
    }


@pytest.mark.parametrize(
    ("factor", "room"),
    [
        ("0.99", 0),
        ("1.005", "1/1000"),
        ("1.0005", "1/100000"),
        ("1.000005", 0),
        ("1.02", "1/100"),
        ("1.000000000001", 0),
    ],
)
def test_a_counterexample_has_as_much_room_as_it_can(factor, room):
    """L is h (1 + slack), so L >= factor h fails up to the slack that makes it true."""
    scene = Scene(
        "room",
        ({"d": 1},),
        lambda s: {"h": Box(1, 2), "room": Box(0, 0)},
        lambda s, v: {"u": v["h"]},
        room="room",
        known=lambda s, v: {"A": v["h"] * (1 + v["room"])},
    )
    question = Question("room", of(sp.Ge, A, sp.Rational(factor) * u), (), scene)
    found = counterexample(question, at(h="123457/100000", room=0))
    if factor == "0.99":
        assert found is None
        return
    assert found.instance.parameters["room"].item() == Fraction(room)
    if room:
        assert found.instance.parameters["h"].item() == 1


@pytest.mark.parametrize("factor", [1, c, a * c / b])
def test_what_is_fixed_does_not_hide_joint_growth(factor):
    scaling = Scaling({"a": factor / (1 / n + 1 / M)}, {}, sp.Integer(1), (n, M))
    finding = order(Claim(k.known("order", scaling), (order,)), QUICK, 0)
    assert finding.verdict is Verdict.GAP
    assert sentence(finding.reason).endswith("too large in n = s^1, M = s^1")


@pytest.mark.parametrize(("power", "verdict"), [(8, Verdict.GAP), (10, Verdict.UNREFUTED)])
def test_joint_growth_along_a_large_power(power, verdict):
    """n^5 M/(n^8 + M^2) grows along M = n^4; with n^10 it stays below 1/2."""
    scaling = Scaling({"a": n**5 * M / (n**power + M**2)}, {}, sp.Integer(1), (n, M))
    finding = order(Claim(k.known("order", scaling), (order,)), QUICK, 0)
    assert finding.verdict in ((verdict,) if verdict is Verdict.GAP else (verdict, Verdict.PROVED))
    assert (verdict is Verdict.GAP) == sentence(finding.reason).endswith("too large in n = s^1, M = s^4")


def test_the_least_of_slacks_needs_one_largest_or_none():
    assert slack_at(a, a + b, Least(b, a + b), {}) is not None
    assert slack_at(a, a + b, Least(2 * b, a + 2 * b), {}) is None
    assert slack_at(sp.Max(a, b) + sp.Max(a, c), 2 * a + b + c, Least(a, b), {}) is None
    three = slack_at(sp.Max(a, b, c), a + b + c, Least(a + b, b + c, a + c), {})
    assert three is not None
    assert len(three["lines"][-1]["parts"]) == 3


def test_sides_do_not_differ_where_they_are_not_defined():
    assert not _differ(of(sp.Eq, sp.log(x - 2), 5))
    assert not _differ(of(sp.Eq, x, x + sp.Rational(1, 10**15)))
    assert _differ(of(sp.Eq, x, x + sp.Rational(1, 100)))
    assert _differ(of(sp.Eq, sp.log(x - 1), 5))  # defined at some of the points
    assert _differ(of(sp.Eq, sp.Max(x, 1), x))  # some are below 1
    assert _differ(of(sp.Eq, sp.Min(x, 1), x))  # and some above


def test_what_stands_below_a_line_divides():
    assert _divides(["+", "x", ["/", "1", ["*", "2", "a"]]], "a")
    assert _divides(["/", "a", "a"], "a")
    assert not _divides(["/", "a", ["*", "2", "b"]], "a")
    assert not _divides(["*", "a", "b"], "a")
    assert not _divides(["/", "1", "ab"], "a")


CASE, MEAN = sp.symbols("case mean", real=True)


@pytest.mark.parametrize(
    ("off", "size", "same_"),
    [
        (1e-12, 1e-6, True),
        (1e-3, 1.0, False),
        (1e-12, 1.0, True),
        (ROUNDING, 0.0, True),
        (1.001 * ROUNDING, 0.0, False),
    ],
)
def test_means_are_compared_up_to_rounding(off, size, same_):
    scene = Scene(
        "cases",
        ({"n": 2},),
        lambda s: {"w": Box(-1, 1, (2,))},
        lambda s, v: {"case": size * v["w"], "mean": size * v["w"].mean(axis=1) + off},
    )
    found = averaging({CASE: MEAN}, (sp.Le(CASE, 1),), scene, ())
    assert (found > 0) is same_


def test_a_single_number_has_no_cases():
    scene = Scene(
        "cases",
        ({"n": 2},),
        lambda s: {"w": Box(-1, 1)},
        lambda s, v: {"case": v["w"], "mean": torch.zeros(len(v["w"]), dtype=torch.float64)},
    )
    assert averaging({CASE: MEAN}, (sp.Le(CASE, 1),), scene, ()) == 0


@pytest.mark.parametrize(("cases", "mean"), [((2, 2), ()), ((2,), (1,)), ((2, 3), (3,))])
def test_a_mean_has_the_shape_of_its_cases_without_their_axis(cases, mean):
    """Every other shape is refused, even one with the same number of entries."""
    scene = Scene(
        "cases",
        ({"n": 2},),
        lambda s: {"w": Box(-1, 1, cases)},
        lambda s, v: {"case": v["w"], "mean": torch.zeros((len(v["w"]), *mean), dtype=torch.float64)},
    )
    rule = rf"`{MEAN}`, the mean of `{CASE}`.*{re.escape(str((TRIED, *cases[:-1])))}, got {re.escape(str((TRIED, *mean)))}"
    with pytest.raises(UsageError, match=rule):
        averaging({CASE: MEAN}, (sp.Le(CASE, 1),), scene, ())


@pytest.mark.parametrize("power", ["2", "3", "4"])
def test_powers_of_what_a_fact_makes_positive_are_positive(power):
    formula = ["^", ["-", "x", "y"], power]
    signs = signs_with(["<", "y", "x"])
    same(signs, formula, signs.positive_formula(polynomial(signs, formula)))
    weak = signs_with(["<=", "y", "x"])
    assert weak.positive_formula(polynomial(weak, formula)) is None


def test_the_instance_that_is_told_is_the_one_that_comes_nearest():
    starts = {"u": torch.linspace(-0.5, 0.5, STARTS, dtype=torch.float64)}
    for moves in (1, 2, 3):
        found = _coordinate_search(Question("far", of(sp.Le, u, 2), (), LINE), {"d": 1}, starts, moves)
        at_best = float(found.instance.parameters["u"])
        assert at_best == min(1, 0.5 + 0.5 * moves)
        assert found.margin == pytest.approx((at_best - 2) / (at_best + 2))
        assert found.ratio == pytest.approx(at_best / 2)
        assert found.trials == 3 * STARTS * moves


def test_entries_are_those_of_an_instance():
    batch = torch.tensor([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]])
    assert zeros(sp.Le(x, 1), {"x": batch}, 2)["x"].tolist() == [False, True]
    assert zeros(sp.Le(x, 1), {"x": batch}, 3)["x"].tolist() == [False] * 3  # the same for all
    assert zeros(sp.Le(x, 1), {"x": 0.0}, 2)["x"].tolist() == [True, True]


ONE_MORE = [["+", "1", ["^", "x", "2"]], ["+", "1", ["^", "y", "2"]]]


@pytest.mark.parametrize(
    ("lead", "positive"), [("3", True), ("1/2", True), ("-1/2", False), ("-1", False), ("-2", False)]
)
def test_a_multiple_of_what_is_positive_has_the_sign_of_its_factor(lead, positive):
    signs = signs_with()
    formula = ["*", lead, *ONE_MORE]
    found = signs.positive_formula(polynomial(signs, formula))
    assert (found is not None) is positive
    if positive:
        same(signs, formula, found)


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({"a": a / (n + M)}, "in n, M, with explicit constants from explicit sizes on; all else fixed"),
        (
            {"a": sp.log(n) / n**2},
            "in n, M, alone and along 9 directions of joint growth, by limits; all else fixed",
        ),
        (
            {"a": 1 / (x * n)},
            "in n, M, with explicit constants from explicit sizes on, where x > 0; all else fixed",
        ),
    ],
)
def test_an_order_that_is_kept_tells_how_it_is_known(terms, reason):
    finding = order(Claim(k.known("order", Scaling(terms, {}, 1 / n, (n, M))), (order,)), QUICK, 0)
    assert sentence(finding.reason) == f"every term has at most the claimed order {reason}"


def test_one_variable_grows_along_its_own():
    scaling = Scaling({"a": sp.log(n) / n**2}, {}, 1 / n, (n,))
    reason = sentence(order(Claim(k.known("order", scaling), (order,)), QUICK, 0).reason)
    assert reason.endswith("in n, alone and along its own, by limits; all else fixed")


def test_moves_start_from_the_instances_that_come_nearest():
    question = Question("far", of(sp.Le, u, 2), (), LINE)
    margin, shape, starts = _best(question, {"d": 1}, 3)
    best = sorted(random_batch(LINE, (), (("d", 1),), 64, 3)[0]["u"].tolist(), reverse=True)[:STARTS]
    assert starts["u"].tolist() == best
    assert margin == pytest.approx((best[0] - 2) / (best[0] + 2))
    assert shape == {"d": 1}
    below = _best(replace(question, conditions=(of(sp.Le, u, 0),)), {"d": 1}, 3)[2]
    assert (below["u"] <= 0).all()


@pytest.mark.parametrize(("steps", "alone"), [(1500, 50), (50, 50), (49, 49), (20, 20)])
def test_whether_premises_are_needed_is_asked_for_a_few_steps_only(steps, alone, monkeypatch):
    """A proof that names premises is also searched without them, in at most 50 polynomials and never in more than the
    full search.
    """
    home = sys.modules[prove.__module__]
    looked, proved = [], home.proved

    def watched(symbols, claim, assumptions, steps, through):
        looked.append(([by for _, by in assumptions], steps))
        return proved(symbols, claim, assumptions, steps, through)

    monkeypatch.setattr(home, "proved", watched)
    given_ = ((of(sp.Le, x, y), "premise"), (of(sp.Le, A, 0), "condition"))
    found = prove(Asked(of(sp.Le, x, y), given_), steps)
    assert looked == [(["premise", "condition"], steps), (["condition"], alone)]
    assert not isinstance(found, Undecided)
    assert [line["by"] for line in found["lines"] if "given" in line] == ["premise"]
    looked.clear()
    found = prove(Asked(of(sp.Le, x, x + b), given_[1:]), steps)
    assert not isinstance(found, Undecided)
    assert looked == [(["condition"], steps)]  # names none
