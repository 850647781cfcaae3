"""Checks of the engine on known results about SPECIAL's drift."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from algorithms.special import special
from bounds.catalogue import statement
from bounds.relations import eq, le
from bounds.special.drift import Delta, th, th0
from bounds.special.symbols import gamma_G, lam
from tests.verify.inner_products import value
from verify.engine.judge import judge
from verify.engine.model.scene import Follows, Rounds
from verify.engine.proof.facts import shown_of
from verify.engine.topics import claim_of
from verify.scenes.special.drift import DRIFT
from verify.scenes.special.drift_facts import IN_LENGTHS, MOVED, ROUNDS, UNROLLED, weighted_rounds
from verify.scenes.special.rate import TASK
from verify.scenes.special.rate_round import ROUND
from verify.scenes.summands import before, definition


def judged(id):
    return judge(claim_of(id), "default", 0)


def test_the_printed_recursion_falls_in_a_small_world():
    record = judged("special.eq27")
    assert record["verdict"] == "refuted"
    assert record["witness"]["shape"]["t"] <= 3
    assert record["witness"]["shape"]["d"] <= 2


def test_the_drift_bound_is_proved_and_attained():
    record = judged("special.lem4.9")
    assert record["verdict"] == "proved"
    assert 0.999 <= record["tightness"] <= 1 + 1e-9


@pytest.mark.parametrize("id", ["special.lemC.6", "special.lemC.8", "special.eq25", "special.eq26"])
def test_identities_are_proved(id):
    assert judged(id)["verdict"] == "proved"


OF_ROUNDS = [
    fact for scene in (DRIFT, ROUND, TASK) for fact in scene.compute.facts if isinstance(fact, Rounds)
]
QUICK = [fact for fact in OF_ROUNDS if not fact.named]


def test_a_round_is_what_the_algorithm_makes_of_it() -> None:
    """The step back to the anchor after a round of 3 clients with 2 steps, from all stochastic gradients."""
    rng = np.random.default_rng(0)
    numbers = {"gamma_L": 0.3, "gamma_G": 0.7, "lam": 0.4, "E": 2, "n": 6}
    theta, anchor, sent = rng.normal(size=(1, 4)), rng.normal(size=(1, 4)), rng.normal(size=(1, 3, 2, 4))
    algorithm = special(*(np.array([numbers[name]]) for name in ("gamma_L", "gamma_G", "lam")))
    x = theta[:, None] - numbers["gamma_L"] * sent.sum(axis=2)
    after = algorithm.aggregate({"theta": theta, "anchor": anchor}, {"x": x}, np.arange(3))["theta"]
    known = {**numbers, "back": (anchor - theta)[0], "sent": sent.reshape(6, 4)}
    assert value(MOVED, known) == pytest.approx((anchor - after)[0])


def test_facts_of_every_round_are_unbroken_at_their_sizes_and_beyond() -> None:
    """Four rounds multiply the bound of one step by four, for any gradients that are short enough."""
    rng = np.random.default_rng(1)
    back, numbers = np.zeros(3), {"gamma_L": 1.0, "gamma_G": 1.0, "lam": 0.2, "E": 1, "n": 2}
    for t in range(1, 30):
        sent = rng.normal(size=(2, 3)) + 3
        sent /= np.linalg.norm(sent, axis=1, keepdims=True)
        back = value(MOVED, {**numbers, "back": back, "sent": sent})
        assert np.linalg.norm(back) <= (1 - 1.2**-t) / 0.2 <= 1 / 0.2


@pytest.mark.parametrize("fact", QUICK, ids=lambda fact: str(fact.relation)[:40])
def test_the_drift_is_proved_for_any_number_of_rounds_by_its_steps(fact: Rounds) -> None:
    shown = shown_of(fact)
    assert shown is not None
    assert shown.proof["sizes"] is None
    assert shown_of(replace(fact, steps=())) is None


@pytest.mark.parametrize(
    "fact",
    [pytest.param(fact, marks=[pytest.mark.slow] if k else []) for k, fact in enumerate(QUICK)],
    ids=lambda fact: str(fact.relation)[:40],
)
def test_a_shorter_drift_is_not_proved(fact: Rounds) -> None:
    less = sp.Le(fact.relation.lhs, sp.Rational(99, 100) * fact.relation.rhs)
    assert shown_of(replace(fact, relation=less)) is None


def test_a_larger_lambda_does_not_suppress_the_drift_in_few_rounds():
    """One client in the plane is enough: in fractions, and with admissible steps."""
    record = judged("special.lem4.9.suppress/small")
    assert (record["verdict"], record["method"]) == ("refuted", "exact")
    assert record["witness"]["shape"]["t"] <= 12
    assert all(condition["holds"] for condition in record["witness"]["conditions"])


EQ27, EQ37 = (statement(f"special.{id}/corrected").relation for id in ("eq27", "eq37"))
_each, _step = (
    gamma_G * Delta[ROUNDS],
    definition(eq(th, (before(th) + gamma_G * Delta[ROUNDS - 1] + lam * th0) / (1 + lam))),
)


@pytest.mark.parametrize("fact", [UNROLLED, IN_LENGTHS], ids=["eq27", "eq37"])
def test_weighted_sums_over_rounds_are_proved_for_any_number(fact: Follows) -> None:
    shown = shown_of(fact)
    assert shown is not None
    assert shown.proof["sizes"] is None


@pytest.mark.parametrize(
    ("relation", "each", "step"),
    [
        (statement("special.eq27").relation, _each, _step),
        (eq(EQ27.lhs, 2 * EQ27.rhs), _each, _step),
        (eq(EQ27.lhs, -EQ27.rhs), _each, _step),
        (EQ27, 2 * _each, _step),
        (EQ27, gamma_G * Delta[ROUNDS + 1], _step),
        (EQ27, _each, definition(eq(th, (before(th) + gamma_G * Delta[ROUNDS] + lam * th0) / (1 + lam)))),
        (EQ27, _each, definition(eq(th, (before(th) + gamma_G * Delta[ROUNDS - 1]) / (1 + lam)))),
    ],
    ids=[
        "as printed",
        "a factor",
        "a sign",
        "an addition",
        "a later one",
        "a shifted index",
        "weights below one",
    ],
)
def test_changed_sums_over_rounds_are_refused(relation, each, step) -> None:
    assert shown_of(weighted_rounds(relation, each, th, th0, step)) is None


def test_a_shorter_bound_in_lengths_is_refused() -> None:
    ((rounds, letters),) = IN_LENGTHS.of
    halved = le(rounds.relation.lhs, rounds.relation.rhs / 2)
    assert shown_of(replace(rounds, relation=halved)) is None
    assert shown_of(replace(rounds, steps=())) is None
    assert letters.keys() == {ROUNDS}
    assert IN_LENGTHS.relation == EQ37
