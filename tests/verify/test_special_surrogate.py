"""Corrected versions of Theorem 4.10: the scenes compared with plain loops, and similar false statements."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
import sympy as sp
import torch

from bounds.catalogue import statement
from bounds.evaluate import evaluate
from bounds.special import surrogate as of
from bounds.special.surrogate_rounds import CONVEX_STEPS as STEPS
from bounds.special.surrogate_rounds import SMOOTH_PATH
from bounds.special.surrogate_strong import PACE
from bounds.special.symbols import B, K, lam, t
from tests.verify.judging import settled
from tests.verify.plain import slope_of_waves
from verify.engine.checks.attack import attack
from verify.engine.model.claim import BUDGETS
from verify.engine.proof.basis import basis_of
from verify.engine.proof.facts import shown_of
from verify.engine.topics import claim_of
from verify.report.wording import sentence
from verify.scenes.special.surrogate import QUADRATICS, WELLS, WITHIN
from verify.scenes.special.surrogate_sums import FACTS, ONE_STEP
from verify.scenes.special.surrogate_tasks import MISSED, TASKS

RATE = claim_of("special.thm4.10/surrogate")


def batch(scene, conditions, shape, size=4, seed=3):
    """Quantities of a random batch, one dictionary of numbers for each instance."""
    values = settled(scene, conditions, shape, size, seed)
    tensors = {
        name: x for name, x in values.items() if isinstance(x, torch.Tensor) and x.shape[:1] == (size,)
    }
    return [{name: x[i].numpy() for name, x in tensors.items()} for i in range(size)]


def slope_at(v, curved, task, m, x):
    """Gradient of a client's loss."""
    if not curved:
        return v["slope"][task, m]
    if curved == 3:
        return slope_of_waves(v, task, m, x)
    h, w, gap = v["height"][task, m], v["width"][task, m], x - v["centre"][task, m]
    if curved == 1:
        return h * gap / np.sqrt(w**2 + gap @ gap)
    return h * w**3 * gap / (w**2 + gap @ gap) ** 2


def huber(v, task, x):
    """Pseudo-Huber loss of the single client."""
    h, w, gap = v["height"][task, 0], v["width"][task, 0], x - v["centre"][task, 0]
    return h * (np.sqrt(w**2 + gap @ gap) - w)


@pytest.mark.parametrize(
    "shape",
    [s for s in WELLS.shapes if s["t"] <= 2 and s["M"] == 2],
    ids=lambda s: "".join(f"{name}{value}" for name, value in s.items()),
)
def test_a_task_agrees_with_plain_loops(shape):
    M, N, n_steps, rounds, d = (shape[name] for name in ("M", "N", "E", "t", "d"))
    signs = list(product((-1, 1) if shape["noisy"] else (0,), repeat=N * n_steps * d))
    for v in batch(WELLS, claim_of("special.thm4.10/surrogate.smooth").conditions, shape):
        mean = lambda x, v=v: sum(slope_at(v, shape["curved"], 0, m, x) for m in range(M)) / M  # noqa: E731
        start = v["gamma_G"] * v["gamma_L"] * n_steps / v["lam"] * mean(np.zeros(d))
        models, away = [start], []
        for _ in range(rounds + 1):
            away.append(np.sqrt(np.mean([x @ x for x in models])))
            fresh = []
            for theta, clients, u in product(models, combinations(range(M), N), signs):
                u, moved = np.array(u).reshape(N, n_steps, d) / np.sqrt(d), 0
                for slot, m in enumerate(clients):
                    x = theta
                    for e in range(n_steps):
                        noise = v["sigma"][m] * u[slot, e] if shape["noisy"] else 0
                        x = x - v["gamma_L"] * (slope_at(v, shape["curved"], 0, m, x) + noise)
                    moved = moved + (x - theta) / N
                fresh.append((theta + v["gamma_G"] * moved + v["lam"] * start) / (1 + v["lam"]))
            models = fresh
        away.append(np.sqrt(np.mean([x @ x for x in models])))
        found = [v["miss0"], v["miss"], v["miss_next"]]
        np.testing.assert_allclose(found, [away[0], *away[rounds:]], rtol=1e-8, atol=1e-12)
        assert v["carried"] + v["drifted"] >= away[rounds] * (1 - 1e-9) or shape["curved"] == 2


@pytest.mark.parametrize("scene", [TASKS, MISSED], ids=lambda scene: scene.name)
def test_proximal_steps_are_stationary_and_add_up(scene):
    shape = next(s for s in scene.shapes if s["K"] == 3 and s["curved"])
    for v in batch(scene, (), shape):
        after, before, s = v["last"], None, float(v["s"])
        total = 0.0
        for task in (2, 1, 0):
            exact = after + (v["off"][task] if scene is MISSED else 0)
            before = exact + s * slope_at(v, 1, task, 0, exact)
            total += (huber(v, task, before) - huber(v, task, v["compare"])) / 3
            after = before
        assert v["far0"] == pytest.approx(np.linalg.norm(before - v["compare"]))
        assert v["regret"] == pytest.approx(total, rel=1e-9, abs=1e-12)


FALSE = {
    "half the noise": ("thm4.10/surrogate", {lam + 2: 4 * (lam + 2)}),
    "a longer step": ("thm4.10/surrogate.strong", {lam + 1: lam + 2}),
    "one round too fast": ("thm4.10/surrogate", {(1 + lam) ** (-t): (1 + lam) ** (-t - 1)}),
    "no drift": ("thm4.10/surrogate.smooth", {B: 0}),
    "half a step": ("tasks.stride", {B: B / 2}),
    "less forgetting": ("tasks.forgetting", {B**2: B**2 / 2}),
    "less regret": ("tasks.regret", {B**2 / 2: B**2 / 4}),
    "a shorter start": ("tasks.regret", {2 * of.s * K: 4 * of.s * K}),
}


@pytest.mark.parametrize("name", FALSE)
def test_what_says_more_is_false(name):
    id, changed = FALSE[name]
    claim = claim_of(f"special.{id}")
    relation = claim.statement.relation
    right = relation.rhs.subs(changed)
    assert right != relation.rhs
    question = replace(claim.question, relation=sp.Le(relation.lhs, right))
    assert attack(question, BUDGETS["quick"], 0).witness is not None


def test_convexity_is_needed():
    conditions = tuple(c for c in RATE.conditions if c.lhs != of.low)
    question = replace(RATE.question, conditions=conditions, scene=WELLS.variant("any losses"))
    assert attack(question, BUDGETS["default"], 0).witness is not None


def test_the_rate_is_met_and_says_something():
    shape = next(s for s in WITHIN.shapes if s["t"] == 3)
    bound = statement("special.thm4.10/surrogate").rhs
    falls = []
    for v in batch(WITHIN, RATE.conditions, shape, 32):
        height = float(evaluate(bound, {**shape, **v}))
        assert v["miss"] <= height * (1 + 1e-9)
        falls.append(height < v["miss0"])
    assert any(falls)


SMALL = {
    "": [step.compared.lhs for step in (STEPS.invariant, STEPS.carried_most, STEPS.drifted_most)],
    ".smooth": [of.miss],
    ".strong": [of.miss],
}
"""By rate: the smaller sides of the steps that its proof needs."""


@pytest.mark.parametrize("variant", SMALL)
def test_rates_follow_from_the_steps(variant):
    """A proof has no unneeded line, and names each step."""
    claim = claim_of(f"special.thm4.10/surrogate{variant}")
    found = basis_of(claim, BUDGETS["default"])
    assert found.outcome == "proved"
    steps = {str(premise) for premise in claim.premises if premise.lhs in SMALL[variant]}
    assert len(steps) == len(SMALL[variant])
    assert steps <= set(found.premises)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "left_out"), [(variant, small) for variant in SMALL for small in SMALL[variant]], ids=str
)
def test_rates_do_not_follow_without_one(variant, left_out):
    claim = claim_of(f"special.thm4.10/surrogate{variant}")
    premises = tuple(p for p in claim.premises if p.lhs != left_out)
    assert len(premises) == len(claim.premises) - 1
    assert basis_of(replace(claim, premises=premises), BUDGETS["quick"]).outcome != "proved"


@pytest.mark.parametrize("variant", ["smooth", "strong"])
def test_letters_mean_the_same_in_closed_form(variant):
    claim = claim_of(f"special.thm4.10/surrogate.{variant}")
    shape = next(s for s in claim.scene.shapes if s["t"] > 1 and s["curved"] != 1)
    said = SMOOTH_PATH.defined if variant == "smooth" else PACE.defined
    for v in batch(claim.scene, claim.conditions, shape):
        for meaning in said:
            left, right = (float(evaluate(side, {**shape, **v})) for side in meaning.args)
            assert left == pytest.approx(right, rel=1e-6, abs=1e-9), meaning


def test_every_meaning_is_a_fact_of_its_scene():
    elsewhere = {*FACTS, *ONE_STEP}  # in `test_special_surrogate_sums`
    for scene in (WELLS, QUADRATICS):
        for fact in (fact for fact in scene.compute.facts if fact not in elsewhere):
            shown = shown_of(fact)
            assert shown is not None, fact.relation
            assert shown.proof["uncertified"] == 0, fact.relation


def test_a_fact_of_a_textbook_needs_its_conditions():
    claim = claim_of("special.thm4.10/surrogate.cocoercive")
    assert "Nesterov" in sentence(basis_of(claim, BUDGETS["quick"]).reason)
    concave = replace(claim.statement, conditions=tuple(c for c in claim.conditions if c.lhs != of.low))
    assert basis_of(replace(claim, statement=concave), BUDGETS["quick"]).outcome != "proved"
