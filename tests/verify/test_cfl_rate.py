"""The scenes of CFL's convergence, compared with independent code."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from bounds.cfl.rates import c_A, c_B, noise_mean
from bounds.cfl.symbols import T
from bounds.cfl.techniques import log_T
from bounds.relations import le
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import quantities
from verify.engine.search.sampling import sample
from verify.engine.topics import claim_of
from verify.engine.verdict import Verdict
from verify.scenes.cfl import rate as runs
from verify.scenes.cfl import round as rounds

SHAPE = rounds.sizes(N=2, K=2, t=2)
NOISY = rounds.sizes(K=2, t=2, noisy=1)


def drawn(scene, shape, seed: int = 0) -> dict[str, torch.Tensor]:
    space = scene.space(shape)
    found = sample(space, np.random.default_rng(seed), 3)
    return {name: torch.as_tensor(value, dtype=torch.float64) for name, value in found.items()}


def played(shape, seed: int = 0) -> tuple[dict, dict]:
    parameters = drawn(rounds.ROUND, shape, seed)
    sizes = {
        "eta_g": torch.tensor([0.5, 1.0, 2.0]).double(),
        "eta_l": torch.tensor([0.01, 0.05, 0.02]).double(),
    }
    return parameters, quantities(rounds.ROUND, shape, parameters, sizes)


def by_hand(shape, values: dict, b: int) -> dict[str, float]:
    """One round of instance `b` in one dimension, computed outcome by outcome with plain loops."""
    N, K, t = shape["N"], shape["K"], shape["t"]
    number = lambda name: float(values[name][b])  # noqa: E731
    h, w, lr, server = (
        float(values[n][b, 0]) if n in ("h", "model") else number(n) for n in ("h", "model", "eta_l", "eta_g")
    )
    sigma = number("sigma") if shape["noisy"] else 0.0
    past = [[float(values["share"][b, i, n]) / (t - 1) for n in range(t - 1)] for i in range(N)]
    p = [[*row, 1 - sum(row)] for row in past]
    sums = dict.fromkeys(
        (
            "after2",
            "moved2",
            "along",
            "gap_round",
            "true2",
            "bar2",
            "strayed",
            "slope_before",
            "e_last",
            "lost",
        ),
        0.0,
    )
    each = list(itertools.product((1, -1), repeat=1 + t + (K if shape["noisy"] else 0)))
    outcomes = list(itertools.product(each, repeat=N))
    for outcome in outcomes:
        move = 0.0
        for i, signs in enumerate(outcome):
            s, r, noise = signs[0], signs[1 : 1 + t], [*signs[1 + t :], *([0] * K)]
            drift = [s * float(values["client"][b, i, 0]) + x * float(values["time"][b, i, 0]) for x in r]
            loss = [float(values["lost"][b, i, 0]) + x * float(values["tied"][b, i, 0]) for x in r[:-1]]
            local = w
            for k in range(K):
                true = sum(q * (h * local - e) for q, e in zip(p[i], drift, strict=True))
                bar = true - sum(q * e for q, e in zip(p[i], loss, strict=False))
                sums["true2"] += true**2
                sums["bar2"] += bar**2
                sums["strayed"] += (local - w) ** 2
                sums["slope_before"] += true * (0 - w)
                local -= lr * (bar + sigma * noise[k])
            sums["gap_round"] += sum(q * (h * w**2 / 2 - e * w) for q, e in zip(p[i], drift, strict=True)) / N
            sums["lost"] = max(sums["lost"], *(abs(e) for e in loss))
            sums["e_last"] += (local - w) ** 2 / N
            move += server * (local - w) / N
        sums["after2"] += (w + move) ** 2
        sums["moved2"] += move**2
        sums["along"] += w * move
    return {name: total if name == "lost" else total / len(outcomes) for name, total in sums.items()}


@pytest.mark.parametrize("shape", [rounds.sizes(K=2, t=2), rounds.sizes(N=2, t=2), NOISY, rounds.sizes(t=3)])
def test_round_is_that_of_plain_loops(shape) -> None:
    _, values = played(shape)
    for b in range(3):
        expected = by_hand(shape, values, b)
        assert float(values["R2"][b]) == pytest.approx(expected.pop("lost") ** 2)
        assert float(values["e_now"][b, :, -1].mean()) == pytest.approx(expected.pop("e_last"))
        for name, number in expected.items():
            assert float(values[name][b]) == pytest.approx(number, abs=1e-12), name


def test_constants_of_a_round() -> None:
    _, values = played(SHAPE)
    p = torch.stack([values["share"][:, :, 0], 1 - values["share"][:, :, 0]], -1)
    square = (p**2).sum(-1)
    assert torch.allclose(values["cG"][..., 0], values["G2"][:, None] + values["D2"][:, None] * square)
    assert torch.allclose(values["c_pB"], torch.ones(3).double())
    assert torch.allclose(values["D2"], values["time"][..., 0].pow(2).amax(1))


def test_growing_drifts_have_the_constants_they_claim() -> None:
    shape = rounds.sizes(t=2, grow=1)
    parameters = drawn(rounds.ROUND, shape)
    world, _ = rounds.build(shape, parameters)
    x = parameters["model"][:, None, None, None]
    mean = parameters["h"] * parameters["model"]
    deviations = [world.grad(x, tau)[:, :, 0, 0] - mean[:, None] for tau in range(2)]
    assert all(torch.allclose(part.mean(1), 0 * mean) for part in deviations)
    total = sum(part.pow(2).sum(-1).mean(1) for part in deviations) / 2
    share = parameters["a"] ** 2 + parameters["b"] ** 2
    assert torch.allclose(total, share * mean.pow(2).sum(-1))
    found = rounds.scene_constants(shape, parameters)
    hessian = world.hessian[..., 0, 0]
    assert torch.allclose(hessian.amax((1, 2, 3)), found["curved_sup"])
    assert torch.allclose(hessian.amin((1, 2, 3)), found["curved_inf"])


def test_drifts_that_are_constant_and_grow_stay_within_their_constants() -> None:
    """For any model, client drift and time drift together, and every outcome of their signs."""
    shape = rounds.sizes(t=2, d=2, grow=2)
    parameters = drawn(rounds.ROUND, shape)
    world, _ = rounds.build(shape, parameters)
    found = rounds.scene_constants(shape, parameters)
    for far in (0.0, 0.3, 5.0):
        x = far * parameters["model"]
        mean = parameters["h"] * x
        local = world.grad(x[:, None, None, None], 0)[:, :, 0, 0]
        assert torch.allclose(local.mean(1), mean)
        spread = (local - mean[:, None]).pow(2).sum(-1).mean(1)
        allowed = found["G2"] + found["D2"] + (found["A2"] + found["B2"]) * mean.pow(2).sum(-1)
        assert (spread <= allowed * (1 + 1e-12)).all()
        assert far or (spread > 0.05 * allowed).any()


def test_runs_start_like_a_round() -> None:
    """The moments of a run after one round with new clients equal the means over all outcomes of that round."""
    shape, one = runs.run_sizes(K=2), rounds.sizes(K=2, noisy=1)
    parameters = drawn(runs.RUN, shape)
    sizes = {
        "eta_g": torch.tensor([0.5, 1.0, 2.0]).double(),
        "eta_l": torch.tensor([0.01, 0.05, 0.02]).double(),
    }
    run = quantities(runs.RUN, shape, parameters, sizes)
    same = {
        "h": parameters["h"], "model": parameters["start"], "client": parameters["client"][:, None],
        "time": parameters["time"][:, None], "sigma": parameters["sigma"], "room": parameters["room"],
    }  # fmt: skip
    once = quantities(rounds.ROUND, one, same, sizes)
    assert torch.allclose(run["after2"][:, 0], once["after2"])
    assert torch.allclose(run["gap"][:, 0], once["gap"])
    assert torch.allclose(run["c_pG"][:, 0], once["c_pG"])


def test_weights_are_the_best() -> None:
    D2, R2 = torch.tensor([2.0]).double(), torch.tensor([0.5]).double()
    for t, row in enumerate(runs.best_weights(D2, R2, 4)[0], start=1):
        p = row[:t]
        assert float(p.sum()) == pytest.approx(1)
        slope = 2 * D2 * p + torch.cat([2 * R2 * p[:-1].sum() * torch.ones(t - 1), torch.zeros(1)])
        assert torch.allclose(slope, slope[0].expand(t))


def test_the_first_round_is_not_absorbed_by_c_B_alone() -> None:
    """With D = 1 and R = 10 it adds 1/(101 T), a hundred times c_B/T."""
    claim = claim_of("cfl.B44.sc.sum.order/absorbed")
    assert claim is not None
    printed = replace(claim.statement, relation=le(noise_mean, c_A + c_B * (2 + log_T) / T))
    assert claim.checks[0](replace(claim, statement=printed), BUDGETS["quick"], 0).verdict is Verdict.REFUTED
