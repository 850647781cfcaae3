"""Textbook lemmas: true in worlds, proved if they are algebra, false if strengthened; classical lemmas are proved."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from nqm.fields import sq
from verify import Box, Notes, Scene, facts, judge, points, run, worlds
from verify.engine.certificates import Question, Undecided, prove
from verify.engine.model.scalars import scalar_scene
from verify.engine.model.scene import Rounds, Textbook
from verify.engine.model.textbook import parts_of_lemma, unproved, usable
from verify.engine.proof.facts import shown_of, unbroken
from verify.engine.verdict import SHOWN
from verify.facts.descent import carried
from verify.facts.known import Known
from verify.facts.rounds import OF_SAMPLING, bounded_rounds, local_rounds
from verify.quantities import (
    E,
    L,
    apart2,
    distance2,
    distance2_0,
    distance2_before,
    eta,
    f_x,
    f_y,
    gap,
    gap_0,
    gap_before,
    grad2_min,
    loss,
    loss_0,
    mu,
    sigma2,
    slope_x,
    slope_y,
    t,
    turn2,
)  # fmt: skip
from verify.report.wording import sentence

notes = Notes("classics")
SMOOTH, CONVEX, STRONG = map(points, (worlds.smooth(), worlds.convex(), worlds.strongly_convex()))


def descent(family: Any) -> Scene:
    return run("fedavg", family, rounds=(1, 2, 3), local_lr="eta")


GD_SMOOTH, GD_CONVEX, GD_STRONG = map(descent, (worlds.smooth(), worlds.convex(), worlds.strongly_convex()))
SGD = descent(worlds.strongly_convex(noisy=(0, 1)))
SGD_CONVEX = descent(worlds.convex(noisy=(0, 1)))
SAMPLED, SHIFTED = (
    run("fedavg", family, rounds=(1, 2), sampled=(1, 2), local_lr="eta")
    for family in (worlds.convex(clients=(2, 3), dim=(1,)), worlds.shifted(clients=(2, 3), noisy=(0, 1)))
)
SERVED = run("fedavg", worlds.quadratics(clients=(1, 2)), rounds=(1,), local_lr="eta", global_lr="eta_g")
BOUNDED, BOUNDED_STEPS = (
    run("fedavg", worlds.bounded_gradients(clients=(1, 2)), rounds=(1,), local_steps=steps, local_lr="eta")
    for steps in ((1,), (2, 3))
)
HETEROGENEOUS = worlds.quadratics(clients=(2, 3), dim=(1,))
SAMPLED_STRONG = run("fedavg", HETEROGENEOUS, rounds=(1, 2), sampled=(1, 2), local_lr="eta")
LOCAL, LOCAL_NOISY = (
    run("fedavg", worlds.shifted(noisy=noisy), rounds=(1,), local_steps=(1, 2), local_lr="eta")
    for noisy in ((0,), (0, 1))
)
CONTROLLED = run("scaffold", HETEROGENEOUS, local_lr="eta", global_lr=1)
CONTROLLED_LOCAL = run("scaffold", worlds.shifted(), local_steps=(1, 2), local_lr="eta", global_lr=1)
PROXIMAL = run("fedprox_exact", worlds.shifted(), rounds=(1,), mu=("rho", Box(0.1, 10, scale="log")))
FEDERATED = (
    SAMPLED,
    SAMPLED_STRONG,
    SHIFTED,
    SERVED,
    BOUNDED,
    BOUNDED_STEPS,
    LOCAL,
    LOCAL_NOISY,
    CONTROLLED,
    CONTROLLED_LOCAL,
    PROXIMAL,
)
DESCENTS = (SMOOTH, CONVEX, STRONG, GD_SMOOTH, GD_CONVEX, GD_STRONG, SGD, SGD_CONVEX)
SCENES = (*FEDERATED, *DESCENTS)
IN_WORLDS = [(fact, scene) for scene in SCENES for fact in scene.textbook]
label = lambda case: f"{case[0].name} in {case[1].name}"  # noqa: E731

x, q, b, rho = notes.positive("x q b rho")
z, x_0, x_t = notes.nonnegative("z x_0 x_t")
n, k, T = notes.count("n k T")
ab = notes.real("ab")
a2, b2, mean2, squares, spread, error2, noise2, a1, b1, both1, sum2, gap2, total2 = notes.nonnegative(
    "a2 b2 mean2 squares spread error2 noise2 a1 b1 both1 sum2 gap2 total2"
)
index, later_index = sp.Symbol("index", integer=True), sp.Symbol("later_index", integer=True, positive=True)
NUMBERS = (
    facts.bernoulli(x, T),
    facts.bernoulli(ab, T),
    facts.discounted(x, T),
    facts.shrinking(z, T),
    facts.root_sum(T, later_index),
    facts.below_three(n),
    facts.counting(T, index),
    facts.falling_to_e(n),
    facts.beyond(x, q),
    facts.exponential(x, sp.exp(x), q, sp.exp(q)),
    facts.geometric_sum(q, T, index),
    facts.geometric_recursion(x_t, x_0, q, b, T),
)
LOST = facts.telescoping(ab, sp.Integer(7), sp.Symbol("last", real=True))
ALGEBRA = (
    facts.young(ab, a2, b2, x),
    facts.squared_sum(sum2, a2, b2, ab),
    facts.squared_difference(gap2, a2, b2, ab),
    facts.total(total2, mean2, n),
    facts.cauchy_schwarz(ab, a2, b2),
    facts.jensen(mean2, squares),
    facts.variance(squares, mean2, spread),
    facts.unbiased_noise(squares, mean2, noise2),
    facts.sampling_without_replacement(error2, spread, n, k),
    facts.sampling_with_replacement(error2, spread, k),
)


@pytest.mark.parametrize("case", IN_WORLDS, ids=label)
def test_facts_are_true_in_worlds(case: tuple[Textbook, Scene]) -> None:
    fact, scene = case
    assert fact.source
    assert unbroken(fact.relation, scene, fact.given)


def more(relation: Any) -> Any:
    """The same with its larger side halved, or the right side of an equation halved."""
    large_first = isinstance(relation, sp.Ge | sp.Gt)
    left, right = relation.args[::-1] if large_first else relation.args
    return relation.func(*((right / 2, left) if large_first else (left, right / 2)), evaluate=False)


def test_most_facts_are_tight_in_worlds() -> None:
    """A halved fact fails in its worlds; the exceptions are facts that are never attained there."""
    sided = [
        case for case in IN_WORLDS if 0 not in case[0].relation.args and case[0].name != "least of several"
    ]
    broken = [not unbroken(more(fact.relation), scene, fact.given) for fact, scene in sided]
    assert sum(broken) >= 0.85 * len(broken)


@pytest.mark.parametrize("fact", NUMBERS, ids=lambda fact: fact.name)
def test_facts_about_numbers_are_true(fact: Textbook) -> None:
    assert unbroken(fact.relation, scalar_scene((fact.relation, *fact.given)), fact.given)


@pytest.mark.parametrize("fact", ALGEBRA, ids=lambda fact: fact.name)
def test_algebra_is_proved_and_nothing_more_is(fact: Textbook) -> None:
    assert fact.proof is not None
    assert shown_of(fact.proof) is not None
    assert shown_of(replace(fact.proof, relation=more(fact.relation))) is None


DERIVED = {
    fact.relation: fact
    for scene in (
        *DESCENTS,
        SAMPLED_STRONG,
        PROXIMAL,
    )  # for other rounds of several clients the algebra is the same, with another variance
    for carried in scene.textbook
    for fact in (carried, *(carried.proof.steps if isinstance(carried.proof, Rounds) else ()))
    if isinstance(fact, Textbook) and fact.follows_from and not isinstance(fact.proof, Rounds)
}


LONG = {"contraction of a round with sampled clients"}
"""Searches that take long; the ordinary run has only those that a user's lemma needs."""


@pytest.mark.parametrize(
    "fact",
    [pytest.param(fact, marks=[pytest.mark.slow] if fact.name in LONG else []) for fact in DERIVED.values()],
    ids=lambda fact: fact.name,
)
def test_what_follows_from_other_facts_has_a_certificate(fact: Textbook) -> None:
    given = [(other.relation, other.name) for other in fact.follows_from]
    question = Question(fact.relation, (*given, *((condition, "condition") for condition in fact.given)))
    assert not isinstance(prove(question), Undecided)


OF_METHODS = {
    "plain steps": (*facts.steps("none"), *facts.iterated("none"), *facts.iterated("weak")),
    "sharp steps": (*facts.steps("strong", sp.S.Zero), *facts.iterated("weak", sp.S.Zero)),
    "contractions": facts.iterated("strong", sp.S.Zero),
    "local steps": (*local_rounds(sigma2), *local_rounds(sp.S.Zero), *bounded_rounds((1, 2))),
}


@pytest.mark.parametrize("lemmas", OF_METHODS.values(), ids=OF_METHODS)
def test_lemmas_about_steps_are_proved_down_to_conditions_of_the_class(lemmas: tuple[Textbook, ...]) -> None:
    for fact in lemmas:
        proofs, lacking = parts_of_lemma(fact)
        assert proofs
        assert all(lemma.about == "class" for lemma in lacking)


def test_a_lemma_by_induction_is_as_good_as_the_lemmas_of_its_steps() -> None:
    (values,) = (f for f in facts.iterated("strong", sp.S.Zero) if f.name == "contraction of the values")
    assert unproved((values,), GD_STRONG) == ()
    step = Known("a cited step", gap <= (1 - eta * mu) ** 2 * gap_before, "a book")
    cited = carried("contraction of the values", values.relation, "a book", step, (1 - eta * mu) ** 2, 2 * t)
    assert unproved((cited,), GD_STRONG) == ("contraction of the values",)
    noisy = next(f for f in facts.iterated("strong") if f.name == "geometric recursion")
    assert unproved((noisy,), SGD) == ()


SHORT = (eta <= 1 / L,)
CLASSICS = {
    "descent lemma": (f_y <= f_x + slope_x + L / 2 * apart2, (), SMOOTH),
    "cocoercivity": (-slope_x - slope_y >= turn2 / L, (), CONVEX),
    "strong convexity": (f_y >= f_x + slope_x + mu / 2 * apart2, (), STRONG),
    "gradient descent on strongly convex losses": (
        distance2 <= (1 - eta * mu) ** (2 * t) * distance2_0,
        SHORT,
        GD_STRONG,
    ),
    "gradient descent on convex losses": (gap <= distance2_0 / (2 * eta * t), SHORT, GD_CONVEX),
    "stationary points": (grad2_min <= 2 * (loss_0 - loss) / (eta * t), SHORT, GD_SMOOTH),
    "values of gradient descent": (gap <= (1 - eta * mu) ** (2 * t) * gap_0, SHORT, GD_STRONG),
    "the best constant": (gap <= distance2_0 / (eta * (4 * t + 2)), SHORT, GD_CONVEX),
    "sampled clients": (
        distance2 <= (1 - eta * mu) ** t * distance2_0 + 2 * eta / mu * OF_SAMPLING,
        (eta <= 1 / (2 * L),),
        SAMPLED_STRONG,
    ),
    "controlled clients": (distance2 <= (1 - eta * mu) ** (2 * t) * distance2_0, SHORT, CONTROLLED),
    "local steps": (distance2 <= (1 - eta * mu) ** (2 * E) * distance2_before, SHORT, LOCAL),
    "a proximal step": (distance2 <= distance2_before / (1 + mu / rho) ** 2, (), PROXIMAL),
    "a noisy step": (distance2 <= (1 - eta * mu) * distance2_before + eta**2 * sigma2, SHORT, SGD),
    "noisy steps": (distance2 <= (1 - eta * mu) ** t * distance2_0 + eta * sigma2 / mu, SHORT, SGD),
    "Young": (z * x <= q * z**2 / 2 + x**2 / (2 * q), (), None),
    "perturbed recursion": (x_t <= b / q, (x_t <= (1 - q) * x_0 + b, x_0 <= b / q, q <= 1), None),
}


@pytest.mark.parametrize("name", CLASSICS)
def test_classical_lemmas_are_proved_as_a_user_brings_them(name: str) -> None:
    relation, conditions, scene = CLASSICS[name]
    record = judge(notes.claim(name.replace(" ", "-"), relation, *conditions, scene=scene), "default", 0)
    assert record["verdict"] in SHOWN, record["reason"]
    if scene is not None:
        assert record["proof"]["rests_on"]["textbook"]
        assert "20" in sentence(record["reason"])  # the year of a source


@pytest.mark.parametrize("length", [Fraction(1, 10), Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize("steps", range(1, 6))
def test_interpolation_between_the_models_of_a_run_gives_the_best_constant(
    steps: int, length: Fraction
) -> None:
    """Weights i/(2N + 1 - i) for the conditions between neighbours, and their differences for those with the optimum.

    L = 1. The remainder is a quadratic form in the vectors, written as letters, and a sum of squares.
    """
    way, *slopes = vectors = sp.symbols(f"way g:{steps + 1}")
    values = sp.symbols(f"f:{steps + 1}")
    weights = [sp.Rational(i, 2 * steps + 1 - i) for i in range(steps + 1)] + [sp.S.One]
    left, here = way**2 / (4 * steps * sp.Rational(length) + 2) - values[-1], way
    for i, (slope, value) in enumerate(zip(slopes, values, strict=True)):
        left -= (weights[i + 1] - weights[i]) * (slope * here - value - slope**2 / 2)
        if i < steps:
            after, step = slopes[i + 1], sp.Rational(length) * slope
            left -= weights[i + 1] * (value - values[i + 1] - after * step - (slope - after) ** 2 / 2)
            here -= step
    left = sp.expand(left)
    assert not left.free_symbols & set(values)
    assert min(map(float, sp.Matrix(weights[1:]) - sp.Matrix(weights[:-1]))) >= 0
    assert sp.hessian(left, vectors).is_positive_semidefinite


def test_interpolation_between_both_ends_of_a_step_gives_the_contraction_of_the_values() -> None:
    """Weights q, q (1 - q) and 1 - q with q = 1 - eta mu; two squares with nonnegative weights remain.

    The interpolation conditions are multiplied by 2 (L - mu), so this is a proof for mu < L.
    """
    before, after, x, g, h, q = sp.symbols("before after x g h q")  # vectors are written as letters
    here, there = x, x - eta * g
    slope = (1 - q) / eta

    def above(value: Any, turn: Any, apart: Any) -> Any:
        return 2 * (L - slope) * value - turn**2 - slope * L * apart**2 + 2 * slope * turn * apart

    said = (
        q * above(before - after - h * (here - there), g - h, here - there)
        + q * (1 - q) * above(g * here - before, g, here)
        + (1 - q) * above(h * there - after, h, there)
    )
    squares = (L * eta * (slope * (1 + q) * x - g - h) ** 2 + (1 + q - L * eta) * (h - q * g) ** 2) / (1 + q)
    assert sp.simplify(2 * (L - slope) * (q**2 * before - after) - said - squares) == 0


FALSE = {
    "longer local steps": (distance2 <= (1 - eta * mu) ** (2 * E + 1) * distance2_before, SHORT, LOCAL),
    "a stronger pull": (distance2 <= distance2_before / (1 + mu / rho) ** 3, (), PROXIMAL),
    "interpolation without convexity": (f_y >= f_x + slope_x + turn2 / (2 * L), (), SMOOTH),
    "too fast": (distance2 <= (1 - eta * mu) ** (2 * t + 1) * distance2_0, SHORT, GD_STRONG),
    "too long": (gap <= distance2_0 / (2 * eta * t), (eta <= 3 / L,), GD_CONVEX),
    "half the noise": (distance2 <= (1 - eta * mu) * distance2_before + eta**2 * sigma2 / 2, SHORT, SGD),
}


@pytest.mark.parametrize("name", FALSE)
def test_false_variants_are_refuted(name: str) -> None:
    relation, conditions, scene = FALSE[name]
    claim = notes.claim(name.replace(" ", "-"), relation, *conditions, scene=scene)
    assert judge(claim, "default", 0)["verdict"] == "refuted"


def test_vectors_of_a_user() -> None:
    fact = facts.jensen(mean2, squares)
    assert fact.proof is not None
    vectors = Scene(
        "vectors of a user",
        tuple({"n": n, "d": 2} for n in (1, 2, 3)),
        lambda shape: {"v": Box(-1, 1, (shape["n"], shape["d"]))},
        lambda shape, values: {
            "mean2": sq(values["v"].sum(axis=1) / shape["n"]),
            "squares": sq(values["v"]).sum(axis=1) / shape["n"],
        },
        textbook=(fact,),
    )
    record = judge(notes.claim("jensen", mean2 <= 2 * squares, scene=vectors), "default", 0)
    assert record["verdict"] == "proved"
    assert record["proof"]["rests_on"]["textbook"] == ["Jensen's inequality"]


def test_a_fact_that_an_instance_breaks_is_not_used() -> None:
    wrong = Known("not so", f_y >= f_x + slope_x, "nowhere")
    assert not usable((wrong,), SMOOTH.of_class("convex losses", wrong), ())
    assert usable((wrong,), CONVEX.of_class("convex losses", wrong), ())


def test_a_fact_about_numbers_is_tried_where_its_conditions_are_met() -> None:
    x = sp.Symbol("x", positive=True)
    far = (x >= 1500,)
    assert not usable((Known("not so", x <= 2000, "nowhere", far, about="numbers"),), None, far)
    assert usable((Known("so", x**2 >= 2000, "by hand", far, about="numbers"),), None, far)


def test_a_fact_is_used_under_its_conditions_only() -> None:
    potential = next(fact for fact in GD_CONVEX.textbook if fact.name == "potential of gradient descent")
    assert usable((potential,), GD_CONVEX, (eta <= 1 / (2 * L),))
    assert not usable((potential,), GD_CONVEX, (eta <= 2 / L,))


def test_what_is_left_after_enough_rounds() -> None:
    """(1 - x)^t (1 + z) <= 1 after ln(1 + z)/x rounds; not after half as many."""
    x, z = sp.symbols("x z", positive=True)
    n = sp.Symbol("n", integer=True, positive=True)
    rises, falls = facts.forgetting(x, n, z)
    enough = (x <= 1, n * x >= sp.log(1 + z))
    assert usable((rises, falls), None, enough) == (rises, falls)
    assert usable((rises, falls), None, (x <= 1,)) == (rises,)
    half = (x <= 1, 2 * n * x >= sp.log(1 + z))
    where = scalar_scene((falls.relation, *half))
    assert not unbroken(falls.relation, where, half)
    assert unbroken(falls.relation, where, enough)


def test_a_fact_of_ones_own_without_a_proof_is_a_premise():
    with pytest.raises(ValueError, match="`proof` of the fact 'mine' must be given"):
        Textbook("mine", sp.Symbol("t") <= 5000, "nobody")


@pytest.mark.parametrize(
    "make", [lambda x, y: facts.logarithm(x / y), facts.tangent], ids=["below", "tangent"]
)
def test_facts_about_logarithms_hold_and_are_no_looser(make):
    numbers = sp.symbols("one other", positive=True)
    relation = make(*numbers).relation
    beyond = sp.lambdify(numbers, relation.gts - relation.lts)
    points = np.exp(np.random.default_rng(0).uniform(-3, 3, (2, 1000)))
    assert beyond(*points).min() >= -1e-12
    assert abs(beyond(points[0], points[0])).max() < 1e-12
    assert {
        s.name for fact in [make(*sp.symbols("u v", real=True))] for c in fact.given for s in c.free_symbols
    } == {"u", "v"}
