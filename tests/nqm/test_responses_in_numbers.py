"""The noisy quadratic model, compared with a simulation for each cause, in fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from nqm import noisy_quadratic as model
from nqm.fields import to_exact

ROUNDS, STEPS = 3, 2
H, LR, PULL = Fraction(3, 2), Fraction(1, 5), Fraction(1, 3)
"""Curvature, step size, and coefficient of a penalty towards the model of the round's start."""


def played(
    memory: model.Memory,
    *,
    start: Any = 0,
    client: Any = 0,
    level: Any = 0,
    time: Any = (0,) * ROUNDS,
    noise: Any = None,
    lost: Any = None,
) -> tuple[list[Fraction], Fraction]:
    """Models after every round, and the remembered ones, given every cause; linear in all causes."""
    x, s, path = Fraction(start), Fraction(0), [Fraction(start)]
    one: Any = Fraction(1)
    for t in range(1, ROUNDS + 1):
        present, taken, lossy = (
            Fraction(share(t, one)) for share in (memory.present, memory.taken, memory.lossy)
        )
        drift = (1 - present) * s + present * time[t - 1]
        s = (1 - taken) * s + taken * time[t - 1]
        local = x
        for k in range(STEPS):
            shaken = (noise[t - 1][k] if noise else 0) + lossy * (lost[t - 1][k] if lost else 0)
            force = client + drift + lossy * level + shaken
            local -= LR * (H * local + PULL * (local - x) + force)
        x = local
        path.append(x)
    return path, s


def at(place: int) -> list[list[int]]:
    return [[int(t * STEPS + k == place) for k in range(STEPS)] for t in range(ROUNDS)]


MEMORIES = {
    "forgetful": model.FORGETFUL,
    "equal": model.ALL_EQUAL,
    "constant": model.remembering(lambda t, one: one if t == 1 else one * Fraction(2, 5)),
    "losing": model.losing_everywhere(model.ALL_EQUAL),
    "balanced": model.remembering(model.balanced(Fraction(1, 2), Fraction(3))),
}


@pytest.mark.parametrize("name", MEMORIES)
def test_responses_are_those_of_single_causes(name: str) -> None:
    memory = MEMORIES[name]
    local = model.local_round(to_exact([H]), LR, STEPS, PULL)
    path = list(model.responses(local, memory, ROUNDS))
    steps = list(model.changes(local, memory, ROUNDS))
    drifts = [played(memory, time=tuple(int(t == j) for t in range(ROUNDS))) for j in range(ROUNDS)]
    noises = [played(memory, noise=at(place))[0] for place in range(ROUNDS * STEPS)]
    losses = [played(memory, lost=at(place))[0] for place in range(ROUNDS * STEPS)]
    singles = {
        "start": played(memory, start=1)[0],
        "client": played(memory, client=1)[0],
        "loss": played(memory, level=1)[0],
    }
    assert len(path) == ROUNDS + 1
    assert len(steps) == ROUNDS
    for t, found in enumerate(path):
        for cause, expected in singles.items():
            assert getattr(found, cause)[0] == expected[t]
        assert found.time[0] == sum(models[t] ** 2 for models, _ in drifts)
        assert found.noise[0] == sum(models[t] ** 2 for models in noises)
        assert found.loss_noise[0] == sum(models[t] ** 2 for models in losses)
    assert path[-1].remembered[0] == sum(s**2 for _, s in drifts)
    assert path[-1].shared[0] == sum(models[-1] * s for models, s in drifts)
    for t, found in enumerate(steps):
        for cause, expected in singles.items():
            assert getattr(found, cause)[0] == expected[t + 1] - expected[t]
        assert found.time[0] == sum((models[t + 1] - models[t]) ** 2 for models, _ in drifts)
    assert model.after(local, memory, ROUNDS) == path[-1]


def test_moments_are_sums_over_causes() -> None:
    numbers = {
        name: np.array([Fraction(2 * place + 3)]) for place, name in enumerate(model.Response.__annotations__)
    }
    response = model.Response(**numbers)
    causes = model.Causes(
        start=Fraction(1, 2), client=Fraction(1, 3), time=Fraction(1, 5), noise=Fraction(1, 7),
        level=Fraction(1, 11), level_noise=Fraction(1, 13), n_clients=4,
    )  # fmt: skip
    r = {name: value[0] for name, value in numbers.items()}
    mean = r["start"] / 2 + r["loss"] / 11
    common = r["noise"] / 7 + r["loss_noise"] / 13
    variance = (r["client"] ** 2 / 3 + r["time"] / 5 + common) / 4
    assert model.mean(response, causes)[0] == mean
    assert model.variance(response, causes)[0] == variance
    assert model.of_new_clients(response, causes)[0] == (r["time"] * Fraction(8, 15) + common) / 4
    h = np.array([Fraction(5)])
    assert model.squared_loss(h, response, causes) == 25 * (mean**2 + variance)
    alone = model.Causes(start=0, client=1, time=0, noise=0)
    assert (alone.level, alone.level_noise, alone.n_clients) == (0, 0, 1)


def test_shares_of_the_current_round() -> None:
    one = np.ones(2)
    assert model.new(7, one) is one
    assert model.equal(4, one).tolist() == [0.25, 0.25]
    share = model.balanced(3.0, 2.0)
    assert share(1, one).tolist() == [1, 1]
    assert share(3, one) == pytest.approx((2 * 3 + 2) / (3 * 2 + 2 * 3))
    assert model.FORGETFUL.lossy(3, one).tolist() == [0, 0]
    assert model.remembering(share).taken is model.equal


def test_a_round_of_local_steps() -> None:
    plain = model.local_round(np.array([0.5, 2.0]), 0.1, 3)
    for j, h in enumerate((0.5, 2.0)):
        q = 1 - 0.1 * h
        assert plain.decay[j] == pytest.approx(q**3)
        assert plain.reach[j] == pytest.approx(0.1 * (1 + q + q**2))
        assert plain.stir[j] == pytest.approx(0.01 * (1 + q**2 + q**4))
