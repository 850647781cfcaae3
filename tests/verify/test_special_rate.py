"""The scenes of Theorem 4.10, compared with plain loops."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
import sympy as sp
import torch

from algorithms.simulate import states
from bounds.special.symbols import K, L
from tests.verify.judging import settled
from tests.verify.plain import slope_of_waves
from verify.engine.judge import judge
from verify.engine.links import with_final_verdicts
from verify.engine.model.instance import Instance
from verify.engine.proof.facts import shown_of
from verify.engine.search.adversary import admissible, compared
from verify.engine.topics import claim_of, claims
from verify.report.wording import sentence
from verify.scenes.federated import all_draws, build, origin
from verify.scenes.placebos import random_walk
from verify.scenes.special.one_round import method
from verify.scenes.special.rate import PLACEBOS, TASK
from verify.scenes.special.rate_round import ROUND
from verify.scenes.special.rate_run_facts import BOUNDED_TOGETHER, LOWER, facts

SHAPE = next(dict(s) for s in ROUND.shapes if s["noisy"] and not s["curved"] and s["N"] == 2)


def instance(shape, seed):
    rng = np.random.default_rng(seed)
    rational = lambda x: Fraction(round(float(x) * 8), 8) or Fraction(1, 8)  # noqa: E731
    parameters = {
        name: np.array(
            [rational(rng.uniform(0.1, 1)) for _ in range(int(np.prod(box.shape)))] or [0], dtype=object
        ).reshape(box.shape)
        if box.low < box.high
        else np.array(Fraction(0), dtype=object)
        for name, box in ROUND.space(shape).items()
    }
    steps = {name: np.array(Fraction(1, 4), dtype=object) for name in ROUND.steps}
    return Instance(shape, parameters, steps)


@pytest.mark.parametrize("before", [0, 1])
def test_a_round_agrees_with_plain_loops(before):
    shape = {**SHAPE, "K": 2, "M": 2, "N": 1, "E": 1, "d": 1, "before": before}
    case = instance(shape, before)
    found = case.values(ROUND, "exact")
    slope = case.parameters["slope"][:, :, 0]
    sigma, lam = case.parameters["sigma"], case.parameters["lam"].item()
    local, server = case.sizes["gamma_L"].item(), case.sizes["gamma_G"].item()
    total = sum(slope[task].sum() / 2 for task in range(2))

    def after(theta, client, sign):
        return (theta - server * local * (slope[0, client] + sign * sigma[client])) / (1 + lam)

    paths = [Fraction(0)]
    for _ in range(before):
        paths = [after(theta, m, s) for theta in paths for m in range(2) for s in (-1, 1)]
    moves = [[after(theta, m, s) - theta for m in range(2) for s in (-1, 1)] for theta in paths]
    squared = sorted(sum(x * x for x in row) / 4 for row in moves)
    losses = sorted(total * (theta + sum(row) / 4) for theta, row in zip(paths, moves, strict=True))
    assert sorted(set(found["T6"].ravel())) == sorted(set(squared))
    assert sorted(set(found["f_next"].ravel())) == sorted(set(losses))


def test_the_smallest_gradient_of_a_task_agrees_with_plain_loops():
    shape = next(dict(s) for s in TASK.shapes if s["curved"] and s["noisy"] and s["T"] > 1)
    rng = np.random.default_rng(5)
    parameters = {
        name: np.asarray(rng.uniform(0.3, 1, box.shape)) if box.low < box.high else np.zeros(box.shape)
        for name, box in TASK.space(shape).items()
    }
    exact = {name: np.vectorize(Fraction, otypes=[object])(np.asarray(v)) for name, v in parameters.items()}
    steps = {name: np.array(Fraction(1, 4), dtype=object) for name in TASK.steps}
    found = Instance(shape, exact, steps).values(TASK, "torch")
    height, width, centre = (parameters[name] for name in ("height", "width", "centre"))
    sigma, lam, K, M, N, E = parameters["sigma"], float(parameters["lam"]), *(shape[n] for n in "KMNE")

    def grad(task, client, x):
        gap = x - centre[task, client]
        return height[task, client] * gap / np.sqrt(width[task, client] ** 2 + gap @ gap)

    def everywhere(x):
        return sum(grad(task, m, x) for task in range(K) for m in range(M)) / M

    runs = [np.zeros(shape["d"])]
    rounds = []
    for _ in range(shape["T"]):
        fresh = []
        for theta in runs:
            for clients in combinations(range(M), N):
                for signs in product((-1, 1), repeat=N * E * shape["d"]):
                    u = np.array(signs).reshape(N, E, shape["d"]) / np.sqrt(shape["d"])
                    moved = np.zeros(shape["d"])
                    for slot, m in enumerate(clients):
                        x = theta.copy()
                        for e in range(E):
                            x = x - 0.25 * (grad(0, m, x) + sigma[m] * u[slot, e])
                        moved += (x - theta) / N
                    fresh.append((theta + 0.25 * moved) / (1 + lam))
        runs = fresh
        rounds.append(np.mean([everywhere(x) @ everywhere(x) for x in runs]))
    assert float(found["min_grad2"]) == pytest.approx(min(rounds), rel=1e-9)


# ------------------------------------------------------------- every split of the round, by plain loops


class Plain:
    """One instance, one path and one coordinate system: losses and local work without arrays of worlds."""

    def __init__(self, shape, v):
        self.shape, self.v = shape, v

    def grad(self, task, m, x):
        if not self.shape["curved"]:
            return self.v["slope"][task, m]
        if self.shape["curved"] == 3:
            return slope_of_waves(self.v, task, m, x)
        gap = x - self.v["centre"][task, m]
        h, w = self.v["height"][task, m], self.v["width"][task, m]
        if self.shape["curved"] == 2:
            return h * w**3 * gap / (w**2 + gap @ gap) ** 2
        return h * gap / np.sqrt(w**2 + gap @ gap)

    def task(self, task, x):
        return sum(self.grad(task, m, x) for m in range(self.shape["M"])) / self.shape["M"]

    def local(self, m, x, signs):
        """Points, gradients and noises of one client's local steps."""
        points, grads, noises = [x], [], []
        for sign in signs:
            grads.append(self.grad(0, m, points[-1]))
            noises.append(self.v["sigma"][m] * sign if self.shape["noisy"] else 0 * x)
            points.append(points[-1] - self.v["gamma_L"] * (grads[-1] + noises[-1]))
        return points, grads, noises

    def after(self, x, anchor, chosen, signs):
        """Server model after a round, by lines 7 to 18 of Algorithm 1."""
        change = sum(self.local(m, x, signs[m])[0][-1] - x for m in chosen) / len(chosen)
        return (x + self.v["gamma_G"] * change + self.v["lam"] * anchor) / (1 + self.v["lam"])


def splits(shape, v, x, anchor):
    """T5 to T8 and their parts, from their definitions, for one model at the start of the round."""
    plain, K, M, N, E = Plain(shape, v), *(shape[n] for n in "KMNE")
    g, lam = v["gamma_G"] * v["gamma_L"], v["lam"]
    tasks = [plain.task(i, x) for i in range(K)]
    gK, gA = tasks[0], sum(tasks)
    sets = list(combinations(range(M), N))
    outcomes = list(product((-1, 1) if shape["noisy"] else (0,), repeat=M * E))
    found, moves, lost = (
        dict.fromkeys(
            ["T51", "T52", "T6", "T61", "T62", "T63", "T7", "T8", "tm2", "t_Lam", "t_pairs", "far2", "D2"],
            0.0,
        ),
        [],
        [],
    )
    Lam = lam * K / g * (anchor - x)
    for outcome in outcomes:
        signs = np.array(outcome, dtype=float).reshape(M, E, 1)
        work = [plain.local(m, x, signs[m]) for m in range(M)]
        t = [sum(work[m][1][e] - gK + tasks[i] for i in range(K) for e in range(E)) for m in range(M)]
        D = [[work[m][1][e] - work[m][1][0] for e in range(E)] for m in range(M)]
        A = -g / M * sum(sum(row) for row in D) + lam * (anchor - x)
        c = K / (g * E)
        each = {
            "T51": c * A @ A,
            "T52": np.sum((np.sqrt(c) * A - gA / np.sqrt(c)) ** 2),
            "T7": np.sum((-sum(N / M * row for row in t) / N + Lam) ** 2),
            "T8": np.sum((-sum(t) / M + Lam) ** 2),
            "tm2": sum(row @ row for row in t),
            "t_Lam": sum((row - Lam) @ (row - Lam) for row in t),
            "t_pairs": sum((t[m] - t[n]) @ (t[m] - t[n]) for m in range(M) for n in range(M)),
            "far2": sum((work[m][0][e] - x) @ (work[m][0][e] - x) for m in range(M) for e in range(E)),
            "D2": sum(D[m][e] @ D[m][e] for m in range(M) for e in range(E)),
        }
        for chosen in sets:
            noise = sum(work[m][2][e] for m in chosen for e in range(E) for _ in range(K))
            apart = sum(gK - tasks[i] for i in range(K) for _ in chosen for _ in range(E))
            of_set = {
                "T61": np.sum((-g / N * noise) ** 2),
                "T62": np.sum((-sum(t[m] for m in chosen) / N + Lam) ** 2),
                "T63": np.sum((-g / N * apart) ** 2),
                "T6": np.sum((plain.after(x, anchor, chosen, signs) - x) ** 2),
            }
            moves.append(plain.after(x, anchor, chosen, signs) - x)
            lost.append(of_set)
        for name, value in each.items():
            found[name] += value / len(outcomes)
    for name in ("T6", "T61", "T62", "T63"):
        found[name] = np.mean([row[name] for row in lost])
    found["T4"] = sum(tasks[1:]) @ gK
    found["T5"] = gA @ (np.mean(moves, axis=0) + g * E / (1 + lam) * gK)
    return found


CONDITIONS = claim_of("special.eq39").conditions


@pytest.mark.parametrize(
    "shape",
    [s for s in ROUND.shapes if s["before"] < 2 and not (s["noisy"] and s["curved"])],
    ids=lambda s: "-".join(f"{name}{value}" for name, value in s.items()),
)
def test_every_split_of_the_round_agrees_with_its_definition(shape):
    values = settled(ROUND, CONDITIONS, shape, 3, 7)
    for index in range(3):
        v = {
            name: x[index].numpy() if x.ndim > 1 else float(x[index])
            for name, x in values.items()
            if isinstance(x, torch.Tensor) and x.shape[:1] == (3,)
        }
        plain, anchor = Plain(shape, v), np.zeros(shape["d"])
        draws = all_draws(shape, 1) if shape["before"] else None
        for path in range(draws.n_runs if draws else 1):
            x = anchor
            if draws:
                chosen = draws.participants(0, 0)[path]
                signs = {
                    m: np.asarray(draws.noise(0, 0)[path, slot], dtype=float) for slot, m in enumerate(chosen)
                }
                x = plain.after(anchor, anchor, chosen, signs)
            for name, value in splits(shape, v, x, anchor).items():
                assert v[name][path] == pytest.approx(value, rel=1e-7, abs=1e-12), (name, index, path)


def test_free_bounds_hold_for_every_placebo():
    """The trivial bound needs neither the theorem nor learning; this shows that the theorem is vacuous."""
    free = claim_of("special.thm4.10/free.drift")
    for scene in PLACEBOS:
        for shape in scene.shapes:
            values = settled(scene, free.conditions, shape, 24, 7)
            margin, _, _ = compared(free.relation, values, 24)
            assert (margin[admissible(free.conditions, values, 24, 0.0)] <= 1e-9).all(), scene.name


def test_a_random_walk_goes_nowhere_in_the_mean():
    shape = {"K": 2, "M": 1, "N": 1, "E": 1, "d": 1, "curved": 0, "noisy": 1}
    steps = {"gamma_L": 0.5, "gamma_G": 1.0, "lam": 0.25}
    values = {name: torch.tensor([x], dtype=torch.float64) for name, x in steps.items()}
    values["slope"] = torch.full((1, 2, 1, 1), 0.75, dtype=torch.float64)
    values["sigma"] = torch.ones(1, 1, dtype=torch.float64)
    draws, start = all_draws(shape, 1), origin(shape, values)
    *_, (_, _, end) = states(build(shape, values), random_walk(method(values)), draws, start, 1)
    assert sorted(end["theta"].ravel().tolist()) == pytest.approx([-0.5, 0.5])  # 0.5 * 1.25 / 1.25


def test_an_order_falls_by_a_floor_that_is_proved_and_only_then() -> None:
    records = [
        judge(claim_of(f"special.{id}"), "quick", 0, claims("special").values())
        for id in ("cor4.12", "cor4.12/floor", "lem4.9/path")
    ]
    assert with_final_verdicts(records)[0]["verdict"] == "refuted"
    assert "special.cor4.12/floor is proved" in sentence(with_final_verdicts(records)[0]["reason"])
    assert (
        with_final_verdicts(records[:2])[0]["verdict"] == "gap"
    )  # without Lemma 4.9 on every path there is no proof of the floor, only a search


def test_lengths_along_a_run_are_facts_and_more_is_none() -> None:
    for fact, tighter in ((LOWER, {L: L * sp.Rational(9, 10)}), (BOUNDED_TOGETHER, {K**2: K**2 - K + 1})):
        (known,) = (f for f in facts() if f.relation == fact)
        assert shown_of(known) is not None
        changed = known.relation.func(known.relation.lhs, known.relation.rhs.subs(tighter))
        assert changed != known.relation
        assert shown_of(replace(known, relation=changed)) is None
