"""Gradient ascent of the adversary, and the agreement of proofs and searches."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch

from nqm.fields import sqrt, zeros_like
from tests.verify.engine.simple import QUICK, about, of, u, v, x, y
from verify.engine.checks import relation as checks
from verify.engine.checks.attack import search
from verify.engine.model.claim import BUDGETS
from verify.engine.model.instance import Instance
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Fact, Proved, Scene
from verify.engine.proof import basis as room
from verify.engine.proof.basis import Basis, basis_of, question_of
from verify.engine.proof.facts import Shown
from verify.engine.search import ascent
from verify.engine.search.adversary import Search, computable
from verify.engine.search.ascent import _Adam, _inward, _outward
from verify.engine.verdict import Verdict
from verify.facts.known import Known
from verify.report.wording import sentence

n = sp.Symbol("n", integer=True, positive=True)


def test_steps_are_those_of_adam():
    """Kingma and Ba (2015), Algorithm 1, with the step size 0.08, ascending."""
    slopes = np.random.default_rng(0).normal(size=(6, 2, 2))
    leaf = torch.zeros((2, 2), dtype=torch.float64, requires_grad=True)
    climber = _Adam([leaf])
    place, mean, square = np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2))
    for number, slope in enumerate(slopes, start=1):
        climber.climb([torch.as_tensor(slope)])
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        place = place + 0.08 * (mean / (1 - 0.9**number)) / (np.sqrt(square / (1 - 0.999**number)) + 1e-8)
        np.testing.assert_allclose(leaf.detach().numpy(), place, rtol=1e-12)


def test_slopes_that_are_missing_or_no_numbers_move_nothing():
    leaves = [torch.zeros(2, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    climber = _Adam(leaves)
    slope = torch.tensor([torch.nan, torch.inf], dtype=torch.float64)
    climber.climb([None, slope])
    assert all(torch.equal(leaf, torch.zeros(2, dtype=torch.float64)) for leaf in leaves)
    climber.climb([torch.ones(2, dtype=torch.float64), None])
    assert (leaves[0] > 0).all()
    assert (leaves[1] == 0).all()


@pytest.mark.parametrize("box", [Box(-3, 5), Box(0.2, 0.7), Box(1e-3, 1e2, scale="log")])
def test_a_point_in_a_box_and_its_free_coordinate_are_one_another(box):
    ends = (np.log(box.low), np.log(box.high)) if box.scale == "log" else (box.low, box.high)
    shares = torch.tensor([0.02, 0.3, 0.5, 0.98], dtype=torch.float64)
    inside = ends[0] + shares * (ends[1] - ends[0])
    inside = inside.exp() if box.scale == "log" else inside
    assert torch.allclose(_outward(box, _inward(box, inside)), inside)
    far = _outward(box, torch.tensor([-50.0, 50.0], dtype=torch.float64))
    assert far.tolist() == pytest.approx([box.low, box.high])
    assert _inward(
        box, torch.tensor([box.low, box.high], dtype=torch.float64)
    ).abs().tolist() == pytest.approx([np.log(0.98 / 0.02)] * 2)


def instance(value):
    return Instance({"n": 1}, {"u": np.array(value, dtype=object)}, {})


def test_instances_without_numbers_are_forgotten_but_counted():
    scene = Scene(
        "roots", ({"n": 1},), lambda s: {"u": Box(-1, 1)}, lambda s, values: {"v": sqrt(values["u"])}
    )
    question = Question("roots", of(sp.Le, u, 2), (), scene)
    good, bad = instance(Fraction(1)), instance(Fraction(-1))
    fine = Search(3, 0.5, 1.0, good, (good,))
    assert computable(question, fine) is fine
    assert computable(question, Search(5, 0.5, 1.0, bad, ())) == Search(5)
    assert computable(question, Search(5, 0.5, 1.0, good, (good, bad))) == Search(5)
    assert computable(question, Search(5, 0.5, None, None, (bad,))) == Search(5)
    nothing = Search(7, -0.5)
    assert computable(question, nothing) is nothing


def test_sizes_at_which_a_relation_is_not_defined_are_not_climbed():
    scene = Scene("from two on", ({"n": 1}, {"n": 2}), lambda s: {"u": Box(0, 1)}, lambda s, values: {})
    found = list(search(Question("n", of(sp.Le, u, 2 / (n - 1)), (), scene), batch=16, ascents=2, seed=0))
    assert [one.instance.shape["n"] for one in found] == [2, 2]


def test_what_no_parameter_moves_is_climbed_once():
    scene = Scene(
        "level", ({"n": 1},), lambda s: {"u": Box(0, 1)}, lambda s, values: {"v": zeros_like(values["u"]) + 1}
    )
    climbed = list(search(Question("level", of(sp.Le, v, 2), (), scene), batch=16, ascents=1, seed=0))[-1]
    assert climbed.trials == 16
    assert climbed.ratio == 0.5


def test_a_proof_at_some_sizes_says_nothing_of_a_counterexample_at_others():
    boxes = lambda shape: {"x": Box(-1, 1, (shape["n"],))}  # noqa: E731
    compute = lambda shape, values: {"u": values["x"].sum(axis=-1), "v": values["x"][..., 0]}  # noqa: E731
    once = Scene("a sum of one", ({"n": 1},), boxes, compute, covers="any number")
    equal = of(sp.Eq, u, v)
    sums = Scene("sums", ({"n": 1}, {"n": 2}), boxes, Proved(compute, (Fact(equal, once),)))
    found = checks.identity(about("sum", equal, scene=sums), QUICK, 0)
    assert found.verdict is Verdict.REFUTED
    assert found.witness.instance.shape == {"n": 2}
    assert checks.identity(about("one", equal, scene=once), QUICK, 0).verdict is Verdict.PROVED


def test_a_proof_and_a_counterexample_are_an_error_of_the_premises():
    peak = Scene(
        "a peak",
        ({"n": 1},),
        lambda s: dict.fromkeys("abc", Box(-1, 1)),
        lambda s, values: {"v": 100 / (1 + sum((100 * values[name] - 37) ** 2 for name in "abc") / 100)},
    )
    claim = about("both", of(sp.Le, v, 90), scene=peak, premises=(of(sp.Le, v, 0),))
    with pytest.raises(AssertionError, match=r"known\.both is proved and refuted"):
        checks.inequality(claim, BUDGETS["default"], 0)


def test_what_is_not_defined_at_some_numbers_is_not_counted_as_equal():
    scene = Scene(
        "halves",
        ({"n": 1},),
        lambda s: {"u": Box(0, 1, levels=(0, 1))},
        lambda s, values: {
            "v": 1 / values["u"] if not isinstance(values["u"], torch.Tensor) else values["u"]
        },
    )
    exact = checks._exact_trials(about("e", of(sp.Eq, u, v), scene=scene), BUDGETS["full"], 0)
    assert 0 < exact <= 60


def test_what_is_asked_is_relation_conditions_premises_and_facts():
    fact = Known("a fact", of(sp.Le, 0, x**2), "a book, 1901", about="numbers")
    claim = about("asked", of(sp.Le, x, y), of(sp.Le, x, 1), premises=(of(sp.Le, 1, y),), facts=(fact,))
    asked = question_of(claim)
    assert asked.relation == claim.relation
    assert [by for _, by in asked.given] == ["condition", "premise", "textbook a fact"]
    assert [relation for relation, _ in asked.given] == [*claim.conditions, *claim.premises, fact.relation]


def test_a_derivation_says_what_it_rests_on():
    claim = about("rests", of(sp.Le, x, y), of(sp.Le, x, 1), premises=(of(sp.Le, 1, y), of(sp.Le, y, 7)))
    found = basis_of(claim, QUICK)
    assert (found.outcome, found.premises, found.shapes) == ("proved", ("1 <= y",), 0)
    assert sentence(found.reason) == "derived from its premises, for all sizes"
    assert found.proof["rests_on"] == {
        "conditions": [["<=", "x", "1"]],
        "premises": [["<=", "1", "y"]],
        "textbook": [],
        "defined": [],
    }
    assert found.proof["sizes"] is None
    assert sentence(found.lacks) == ""
    alone = basis_of(about("alone", of(sp.Le, x, x + y)), QUICK)
    assert (sentence(alone.reason), alone.premises) == ("follows from its conditions, for all sizes", ())
    a, b = sp.symbols("a b", real=True)
    divided = basis_of(about("divided", of(sp.Eq, a / b * b, a)), QUICK)
    assert (
        "where it is defined: b != 0" in sentence(divided.reason)
        or sentence(divided.reason) == "follows from its conditions, for all sizes"
    )


def test_a_derivation_by_a_fact_of_a_textbook_names_it():
    fact = Known("a bound", of(sp.Le, sp.exp(x), y), "a book, 1901", (of(sp.Le, sp.exp(x), y),))
    claim = about("by", of(sp.Le, sp.exp(x), y + 1), of(sp.Le, sp.exp(x), y), facts=(fact,))
    found = basis_of(claim, QUICK)
    assert found.outcome == "proved"
    assert sentence(found.reason).startswith("follows from its conditions, for all sizes")
    unusable = about("by", of(sp.Le, sp.exp(x), y + 1), facts=(fact,))
    assert basis_of(unusable, QUICK).outcome != "proved"


def test_facts_at_no_size_in_common_prove_nothing(monkeypatch):
    one, two = of(sp.Le, x, 1), of(sp.Le, 1, y)
    sizes = {one: [{"n": 1}, {"n": 2}], two: [{"n": 3}, {"n": 4}]}
    shown = lambda relation, scene, conditions: (  # noqa: E731
        Shown("a fact", {"sizes": sizes[relation]}, frozenset()) if relation in sizes else None
    )
    monkeypatch.setattr(room, "fact_of", shown)
    claim = about("both", of(sp.Le, x, y), premises=(one, two))
    found = basis_of(claim, QUICK)
    assert found.outcome == "unknown"
    assert sentence(found.lacks) == "its facts are proved at no size in common"
    sizes[two] = [{"n": 2}, {"n": 4}]
    found = basis_of(claim, QUICK)
    assert (found.outcome, found.proof["sizes"]) == ("proved", [{"n": 2}])
    assert sentence(found.reason) == "derived from its premises, at the sizes of its facts, n = 2"
    assert found.facts == {str(one): "a fact", str(two): "a fact"}


def test_what_lacks_is_said():
    assert sentence(Basis("unknown").lacks) == "no kind of derivation applies"
    assert sentence(Basis("unknown", tried="a, b").lacks) == "nothing found among a, b"
    assert sentence(Basis("proved", tried="a").lacks) == ""
    assert sentence(Basis("countermodel", point={"x": 1, "y": 2}).lacks).endswith(
        "at x = 1, y = 2 they hold and the relation fails; premises on the scene's quantities may help"
    )


def test_ascent_begins_where_conditions_are_met_and_the_margin_is_largest(monkeypatch):
    begun = []
    monkeypatch.setattr(ascent, "_ascend", lambda question, shape, starts: begun.append(starts["u"]))
    scene = Scene("line", ({"d": 1},), lambda s: {"u": Box(-1, 1)}, lambda s, values: {"v": values["u"] ** 2})
    list(ascent.ascended(Question("line", of(sp.Le, v, 1), (of(sp.Le, u, 0),), scene), 256, 1, 0))
    (starts,) = begun
    assert len(starts) > 1
    assert starts.max() < -0.5


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_sizes_that_come_nearest_to_a_break_are_climbed_first(monkeypatch, number):
    monkeypatch.setattr(ascent, "_ascend", lambda question, shape, starts: shape["d"])
    scene = Scene(
        "line",
        ({"d": 1}, {"d": 3}, {"d": 2}),
        lambda s: {"u": Box(0.5, 1)},
        lambda s, values: {"v": values["u"] ** (2 * s["d"]) * s["d"] / 4},
    )
    climbed = list(ascent.ascended(Question("line", of(sp.Le, v, 1), (), scene), 64, number, 0))
    assert climbed == [3, 2, 1][:number]


@pytest.mark.parametrize("number", [1, 2])
def test_the_largest_size_is_climbed_besides(monkeypatch, number):
    monkeypatch.setattr(ascent, "_ascend", lambda question, shape, starts: shape["d"])
    scene = Scene(
        "line",
        ({"d": 1}, {"d": 3}, {"d": 2}),
        lambda s: {"u": Box(0.5, 1)},
        lambda s, values: {"v": values["u"] / s["d"]},
    )
    climbed = list(ascent.ascended(Question("line", of(sp.Le, v, 1), (), scene), 64, number, 0))
    assert climbed == [*[1, 2][:number], 3]
