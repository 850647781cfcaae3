"""The scene of Theorem 4.10 against plain loops, and the witnesses of whatever falls in it."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from verify.engine.claim import BUDGETS
from verify.engine.instance import Instance
from verify.engine.judge import judge
from verify.engine.replay import replay
from verify.special_rate import CLAIMS, ROUND, TASK

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


@pytest.fixture(scope="module")
def records():
    quick = [claim for claim in CLAIMS if claim.scene is ROUND]
    return [judge(claim, "quick", 0) for claim in quick]


def test_every_step_is_tried_on_something(records):
    assert len(records) > 40
    assert all(record["verdict"] != "not_applicable" for record in records)
    assert BUDGETS["quick"].batch > 0


def test_what_falls_replays_and_meets_every_condition(records):
    damaged = [record for record in records if record["witness"] and record["verdict"] == "refuted"]
    assert damaged
    for record in damaged:
        assert all(condition["holds"] for condition in record["witness"]["conditions"]), record["id"]
        text, same = replay(record)
        assert same, text
