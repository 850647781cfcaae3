"""What replaces Theorem 4.10: the scenes against plain loops, and neighbours of the statements that are false."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
import sympy as sp
import torch

from bounds.catalogue import statement
from bounds.evaluate import evaluate
from bounds.special import surrogate as of
from bounds.special.symbols import B, K, lam, t
from verify.engine.arithmetic import ARITHMETIC
from verify.engine.checks.attack import attack
from verify.engine.claim import BUDGETS
from verify.engine.sampling import sample
from verify.engine.scene import quantities, settle
from verify.engine.topics import claim_of
from verify.scenes.special.surrogate import MISSED, TASKS, WELLS, WITHIN

RATE = claim_of("special.thm4.10/surrogate")


def batch(scene, conditions, shape, size=4, seed=3):
    """Quantities of a random batch, one dictionary of numbers for each instance."""
    rng = np.random.default_rng(seed)
    drawn = {name: torch.as_tensor(value) for name, value in sample(scene.space(shape), rng, size).items()}
    steps = settle(scene, conditions, shape, drawn, ARITHMETIC["torch"])
    values = quantities(scene, shape, drawn, steps)
    tensors = {
        name: x for name, x in values.items() if isinstance(x, torch.Tensor) and x.shape[:1] == (size,)
    }
    return [{name: x[i].numpy() for name, x in tensors.items()} for i in range(size)]


def slope_at(v, curved, task, m, x):
    """Gradient of a client's loss."""
    if not curved:
        return v["slope"][task, m]
    h, w, gap = v["height"][task, m], v["width"][task, m], x - v["centre"][task, m]
    if curved == 1:
        return h * gap / np.sqrt(w**2 + gap @ gap)
    return h * w**3 * gap / (w**2 + gap @ gap) ** 2


def huber(v, task, x):
    """Pseudo-Huber loss of the one client."""
    h, w, gap = v["height"][task, 0], v["width"][task, 0], x - v["centre"][task, 0]
    return h * (np.sqrt(w**2 + gap @ gap) - w)


@pytest.mark.parametrize(
    "shape",
    [s for s in WELLS.shapes if s["t"] <= 2 and s["M"] == 2],
    ids=lambda s: "".join(f"{name}{value}" for name, value in s.items()),
)
def test_a_task_agrees_with_plain_loops(shape):
    M, N, E, rounds, d = (shape[name] for name in ("M", "N", "E", "t", "d"))
    signs = list(product((-1, 1) if shape["noisy"] else (0,), repeat=N * E * d))
    for v in batch(WELLS, claim_of("special.thm4.10/surrogate.smooth").conditions, shape):
        mean = lambda x, v=v: sum(slope_at(v, shape["curved"], 0, m, x) for m in range(M)) / M  # noqa: E731
        start = v["gamma_G"] * v["gamma_L"] * E / v["lam"] * mean(np.zeros(d))
        models = [start]
        for _ in range(rounds):
            fresh = []
            for theta, clients, u in product(models, combinations(range(M), N), signs):
                u, moved = np.array(u).reshape(N, E, d) / np.sqrt(d), 0
                for slot, m in enumerate(clients):
                    x = theta
                    for e in range(E):
                        noise = v["sigma"][m] * u[slot, e] if shape["noisy"] else 0
                        x = x - v["gamma_L"] * (slope_at(v, shape["curved"], 0, m, x) + noise)
                    moved = moved + (x - theta) / N
                fresh.append((theta + v["gamma_G"] * moved + v["lam"] * start) / (1 + v["lam"]))
            models = fresh
        assert v["miss0"] == pytest.approx(np.linalg.norm(start))
        assert v["miss"] == pytest.approx(np.sqrt(np.mean([x @ x for x in models])), rel=1e-8, abs=1e-12)


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
    "half the noise": ("thm4.10/surrogate", {lam**2 + 2 * lam: 4 * (lam**2 + 2 * lam)}),
    "one round too fast": ("thm4.10/surrogate", {(1 + lam) ** (-t): (1 + lam) ** (-t - 1)}),
    "no drift": ("thm4.10/surrogate.smooth", {of.WORK: 0}),
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
    question = replace(RATE.question, conditions=conditions, scene=replace(WELLS, name="any losses"))
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
