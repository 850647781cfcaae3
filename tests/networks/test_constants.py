"""Constants observed on runs, compared with explicit Hessians and loops, and with bounds that hold on every path."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.algorithm import over_slots
from algorithms.cfl_regularization import cfl_regularization
from algorithms.cflag import cflag
from algorithms.draws import minibatches
from algorithms.memory import ring
from algorithms.penalty import second_order
from algorithms.simulate import trajectory
from algorithms.special import special
from tests.networks.cases import MODEL, SIZES, C, K, M, S, close, models, sample_grad, sample_loss, world
from verify.networks.measured.bounds import SAMPLED, cfl_comparisons, cflag_comparisons, special_comparisons
from verify.networks.measured.constants import (
    alignment,
    apart,
    curvature_size,
    drifts,
    footnote_6,
    information_losses,
    noise_variance,
    ritz_values,
    secant,
    spread,
    square_ratio,
)
from verify.networks.measured.rounds import (
    Run,
    by_name,
    cfl_constants,
    cflag_constants,
    cflag_round,
    in_task,
    keep,
    largest,
    numbers,
    run,
    special_constants,
)
from verify.networks.training.models import linear, softmax_smoothness
from verify.networks.training.world import NetworkWorld

RUNS, ROUNDS, E = 2, 3, 3
EVERY_ROUND = {(task, played) for task in range(K) for played in range(ROUNDS)}
seeds = st.integers(0, 2**32 - 1)


def vectors(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape))


# ------------------------------------------------------------------------------------------------- smoothness


@given(seeds, st.integers(1, 7))
def test_ritz_values_lie_in_the_spectrum_and_end_as_all_of_it(seed: int, steps: int) -> None:
    matrix = vectors(2, 7, 7, seed=seed)
    matrix = matrix + matrix.mT
    exact = torch.linalg.eigvalsh(matrix)
    found = ritz_values(lambda v: (matrix @ v[..., None])[..., 0], vectors(2, 7, seed=seed + 1), steps)
    room = 1e-9 * exact.abs().amax()
    assert (found >= exact[:, :1] - room).all()
    assert (found <= exact[:, -1:] + room).all()
    if steps == 7:
        torch.testing.assert_close(found, exact, atol=float(room), rtol=0)


def test_a_krylov_space_that_ends_early_is_filled_up_with_zeros() -> None:
    matrix = torch.diag(torch.tensor([3.0, -2.0, 0.0, 0.0, 0.0]).double())
    found = ritz_values(lambda v: v @ matrix, torch.tensor([1.0, 1.0, 0.0, 0.0, 0.0]).double(), 5)
    torch.testing.assert_close(found, torch.tensor([-2.0, 0.0, 0.0, 0.0, 3.0]).double())


def hessian(here: NetworkWorld, x: torch.Tensor, task: int, client: int) -> torch.Tensor:
    """Hessian of a client's mean loss at one model (d,), by differentiating twice."""

    def mean(point: torch.Tensor) -> torch.Tensor:
        return torch.stack(
            [sample_loss(here, point, task, client, j) for j in range(SIZES[task, client])]
        ).mean()

    return torch.autograd.functional.hessian(mean, x)


@pytest.mark.parametrize("kind", ["domain", "task"])
def test_products_and_curvatures_are_those_of_the_explicit_hessian(kind: Any) -> None:
    here, x = world(kind), models(1, M).double()
    exact = torch.stack([hessian(here, x[0, m], 1, m) for m in range(M)])[None]
    direction = vectors(1, M, MODEL.dim)
    oracle = here.at(1)
    found = oracle.hessian_product(x, direction)
    torch.testing.assert_close(found, (exact @ direction[..., None])[..., 0])
    largest_size = torch.linalg.eigvalsh(exact).abs().amax(-1)
    torch.testing.assert_close(curvature_size(oracle, x, MODEL.dim), largest_size)
    in_float32 = curvature_size(oracle, x.float(), 12)
    assert (in_float32 <= largest_size * (1 + 1e-5)).all()
    torch.testing.assert_close(in_float32, largest_size, atol=0, rtol=0.02)


def softmax_regression() -> tuple[NetworkWorld, torch.Tensor]:
    """A world whose losses have known smoothness constants, (K, M)."""
    here = replace(world(), model=linear((1, 2, 2), C))
    images = here.stream.images
    known = [[softmax_smoothness(images[i, m, : SIZES[i, m]]) for m in range(M)] for i in range(K)]
    return here, torch.from_numpy(np.array(known))


@settings(max_examples=15)
@given(seeds, st.floats(0.01, 10))
def test_softmax_regression_is_no_less_smooth_than_its_known_constant(seed: int, size: float) -> None:
    here, known = softmax_regression()
    x, y = (size * vectors(2, M, here.model.dim, seed=seed + i) for i in range(2))
    for task in range(K):
        oracle = here.at(task)
        curvature = curvature_size(oracle, x, 8)
        assert (curvature <= known[task] * (1 + 1e-9)).all()
        assert (secant(x, y, oracle.grad(x), oracle.grad(y)) <= known[task] * (1 + 1e-9)).all()


def test_a_secant_of_nothing_is_zero() -> None:
    x, g = vectors(2, 3), vectors(2, 3, seed=1)
    assert (secant(x, x, g, 2 * g) == 0).all()
    torch.testing.assert_close(secant(x, x + 1, g, g + 2), torch.full((2,), 2.0).double())


# ------------------------------------------------------------------------------------- gradients and their spread


def test_noise_variance_is_the_mean_over_all_minibatches() -> None:
    here, x = world(), models(2, M)
    oracle, task, batch = here.at(0), 0, here.batch
    found = noise_variance(oracle, x, SIZES[task], batch)
    for r in range(2):
        for m in range(M):
            grads = torch.stack([sample_grad(here, x[r, m], task, m, j) for j in range(SIZES[task, m])])
            subsets = combinations(range(len(grads)), batch)
            apart2 = [((grads[list(chosen)].mean(0) - grads.mean(0)) ** 2).sum() for chosen in subsets]
            close(found[r, m], torch.stack(apart2).double().mean())


def test_a_minibatch_of_all_samples_has_no_noise() -> None:
    assert (noise_variance(world().at(1), models(2, M), SIZES[1], 5) == 0).all()


def test_spreads_and_alignment_against_loops() -> None:
    g = vectors(3, 2, 4, 5)  # task, run, client, d
    for r in range(2):
        mean = g[0, r].mean(0)
        assert float(spread(g[0])[r]) == pytest.approx(max(float(((x - mean) ** 2).sum()) for x in g[0, r]))
        tasks = g[:, r, 0]
        pairs = [float(((a - b) ** 2).sum()) for a in tasks for b in tasks]
        assert float(apart(g[:, :, 0])[r]) == pytest.approx(max(pairs))
        earlier = g[0, r, 0]
        cosines = [
            float(x @ earlier / (x.norm() * earlier.norm())) for x in g[1:, r].reshape(-1, g.shape[-1])
        ]
        assert float(alignment(g[1:], g[0, :, 0])[r]) == pytest.approx(min(cosines))


def test_a_gradient_that_is_zero_is_aligned() -> None:
    g = vectors(1, 2, 1, 3)
    assert (alignment(0 * g, g[0, :, 0]) == 1).all()


def test_drifts_against_loops() -> None:
    g = vectors(3, 2, 4, 5)  # time, run, client, d
    G2, D2 = drifts(g)
    for r in range(2):
        whole = g[:, r].reshape(-1, 5).mean(0)
        own = [g[:, r, i].mean(0) for i in range(4)]
        assert float(G2[r]) == pytest.approx(np.mean([float(((o - whole) ** 2).sum()) for o in own]))
        rest = [float(((g[t, r, i] - own[i]) ** 2).sum()) for t in range(3) for i in range(4)]
        assert float(D2[r]) == pytest.approx(np.mean(rest))


def test_information_losses_and_the_estimate_of_footnote_6() -> None:
    true, near = vectors(2, 3, 4, 5), vectors(2, 3, 4, 5, seed=1)  # past time, run, client, d
    losses = information_losses(true, near)
    for r in range(3):
        each = [float((true[t, r, i] - near[t, r, i]).norm()) for t in range(2) for i in range(4)]
        assert float(losses.amax((0, -1))[r]) == pytest.approx(max(each))
        # Three times and four clients; no information about the current time is lost.
        assert float(footnote_6(losses)[r]) == pytest.approx(sum(each) / (3 * 4))


def test_square_ratio() -> None:
    assert float(square_ratio(torch.tensor([3.0, 4.0]), torch.tensor([0.0, 2.0]))) == 25 / 4


# ------------------------------------------------------------------------------------------------------ runs


def draws(n_sampled: int = 2):
    return minibatches(0, RUNS, SIZES, n_sampled, E, 2)


def played(method: Any, here: NetworkWorld | None = None, n_sampled: int = 2) -> Run:
    here = here or world()
    start = models(RUNS) if here.model is MODEL else 0.1 * vectors(RUNS, here.model.dim).float()
    return run(here, method, draws(n_sampled), start, ROUNDS, EVERY_ROUND)


def test_models_are_those_of_the_simulator_and_visits_begin_at_them() -> None:
    method = special(0.5, 1, 0.2)
    found = played(method)
    path = trajectory(world(), method, draws(), models(RUNS), ROUNDS, K)
    assert (found.models == path).all()
    assert [(visit.task, visit.played) for visit in found.visits] == sorted(EVERY_ROUND)
    for visit in found.visits:
        assert (visit.theta == path[visit.task, visit.played]).all()
        assert (visit.origin == path[visit.task, 0]).all()
        assert visit.points.shape == (E, RUNS, 2, MODEL.dim)
        assert (visit.points[0] == visit.theta[:, None]).all()
        after = visit.local["x"].mean(-2)  # the server's average, combined with the anchor
        close(path[visit.task, visit.played + 1], (after + 0.2 * visit.origin) / 1.2)


def special_measured(found: Run) -> dict[str, np.ndarray]:
    return by_name([special_constants(world(), visit) for visit in found.visits])


def test_constants_of_special_are_those_of_explicit_loops() -> None:
    found = played(special(0.5, 1, 0.2))
    constants, here = special_measured(found), world()
    place, r = len(found.visits) - 1, 1
    visit = found.visits[place]
    seen = [
        torch.stack(
            [
                sample_grad(here, visit.points[e, r, i], visit.task, m, j % SIZES[visit.task, m])
                for j in visit.drawn[r, i, e]
            ]
        ).mean(0)
        for e in range(E)
        for i, m in enumerate(visit.clients[r])
    ]
    assert constants["B"][place, r] == pytest.approx(max(float(g.norm()) for g in seen), rel=1e-4)
    full = [
        [
            torch.stack([sample_grad(here, visit.theta[r], task, m, j) for j in range(SIZES[task, m])]).mean(
                0
            )
            for m in range(M)
        ]
        for task in range(K)
    ]
    mean = [torch.stack(of_task).mean(0) for of_task in full]
    spread2 = max(float((g - mean[-1]).norm()) ** 2 for g in full[-1])
    assert constants["sigma_G2"][place, r] == pytest.approx(spread2, rel=1e-4)
    assert constants["sigma_T2"][place, r] == pytest.approx(float((mean[0] - mean[1]).norm()) ** 2, rel=1e-4)
    assert (constants["L"] >= np.maximum(constants["L_hessian"], constants["L_secant"])).all()
    assert np.isnan(constants["align"][:ROUNDS]).all()
    assert (np.abs(constants["align"][ROUNDS:]) <= 1).all()


def test_the_constants_of_a_task_are_met_by_what_was_seen() -> None:
    found = played(special(0.5, 1, 0.2))
    constants = special_measured(found)
    last = in_task(found, constants, K - 1)
    for name, constant in last.items():
        assert constant.known == "sampled"
        assert constant.where == "models of rounds 1, 2, 3 of task 2"
        seen = constants[name][ROUNDS:]
        assert ((seen >= constant.value) if name == "align" else (seen <= constant.value)).all()


@pytest.mark.parametrize("step", [0.05, 0.5, 5.0])
def test_where_every_gradient_was_seen_lemma_4_9_holds_on_every_path(step: float) -> None:
    found = played(special(step, 1.5, 0.3))
    last = in_task(found, special_measured(found), K - 1)
    given = {"N": 2, "E": E, "gamma_L": step, "gamma_G": 1.5, "lam": 0.3}
    drift, transfer, rate = special_comparisons(world(), found, last, given)
    assert (drift["ratio"] >= 1).all()
    assert drift["label"] == transfer["label"] == rate["label"] == SAMPLED
    limit = next(each for each in rate["conditions"] if each["text"] == "gamma_L <= 1/(8*E*L)")
    np.testing.assert_allclose(limit["factor"], 8 * E * last["L"].value * step)
    np.testing.assert_array_equal(limit["met"], limit["factor"] <= 1)
    earlier = [world().at(0).loss(over_slots(found.models[-1, t], M)).double().mean(-1) for t in (0, -1)]
    np.testing.assert_allclose(transfer["measured"], earlier[1] - earlier[0])


def test_what_cfl_keeps_adds_up_to_the_state_of_its_algorithm() -> None:
    method = cfl_regularization(0.3, M)
    found = played(method)
    kept = keep(world(), draws(), found.models, {"fisher": second_order}, 1)
    ((stiffness, pull), _) = kept.quadratics["fisher"]
    close(found.visits[-1].state["stiffness"], stiffness)
    close(found.visits[-1].state["pull"], pull)


def test_information_is_lost_away_from_the_end_of_the_task_only() -> None:
    found = played(cfl_regularization(0.3, M))
    kept = keep(world(), draws(), found.models, {"fisher": second_order}, S)
    constants = by_name([cfl_constants(world(), visit, kept) for visit in found.visits])
    assert (constants["R_fisher"][: ROUNDS + 1] < 1e-5).all()
    assert (constants["R_fisher"][ROUNDS + 1 :] > 1e-4).all()
    assert (constants["R_coreset"] < 1e-5).all()  # of all samples
    compared = cfl_comparisons(
        world(),
        found,
        in_task(found, constants, K - 1),
        {"N": 2, "K": E, "eta_l": 0.3, "eta_g": 1.0},
        "fisher",
    )
    assert [each["id"] for each in compared] == ["cfl.thm4.1.step", "cfl.eq32/convergent"]
    assert compared[1]["measured"].shape == (ROUNDS, RUNS)


def test_a_memory_of_everything_has_no_bias() -> None:
    found = played(cflag(0.1, 0.1, M, K * S, ring(K)), n_sampled=M)
    later = [visit for visit in found.visits if visit.task]
    constants = by_name([cflag_constants(world(), visit) for visit in later])
    assert (constants["m"] < 1e-9).all()
    assert (constants["m_i"] < 1e-9).all()
    assert (constants["m_i"] >= 0).all()


def test_lemma_1_of_cflag_holds_at_known_smoothness() -> None:
    """Descent on past data holds on every path, with the bias of the memory."""
    here, known = softmax_regression()
    L = float(known.max())
    alpha = 0.2 / L
    found = played(cflag(alpha, alpha, M, 2, ring(1)), here, n_sampled=M)
    later = [visit for visit in found.visits if visit.task]
    constants = in_task(
        replace(found, visits=later), by_name([cflag_constants(here, visit) for visit in later]), K - 1
    )
    assert (constants["L"].value <= L * (1 + 1e-5)).all()
    fixed = {**constants, "L": replace(constants["L"], value=np.full(RUNS, L))}
    theorem, _, lemma, forgetting = cflag_comparisons(
        here, found, fixed, {"E": E, "alpha": alpha, "beta": alpha}
    )
    assert all(np.all(each["met"]) for each in lemma["conditions"])
    assert (lemma["measured"] <= lemma["bound"]).all()
    assert lemma["bound"].shape == (ROUNDS, RUNS)
    assert not np.all(theorem["conditions"][0]["met"])
    rounds = by_name([cflag_round(here, visit, found.models[-1, visit.played + 1]) for visit in later])
    gamma = L / 2 * alpha**2 * rounds["s2"] - alpha * (1 - L * alpha) * rounds["ds"]
    np.testing.assert_allclose(forgetting["measured"], gamma)


def test_numbers_of_all_samples_of_some_tasks() -> None:
    found = numbers(world(), range(K))
    assert found.shape == (M, K * S)
    for m in range(M):
        real = [task * S + j for task in range(K) for j in range(SIZES[task, m])]
        assert sorted(found[m][found[m] >= 0]) == real


def test_the_largest_value_is_met_by_all() -> None:
    values = np.array([[1 / 3, -2.0], [0.1, -1 / 7]])
    assert (largest(values) >= values).all()
    np.testing.assert_allclose(largest(values), [1 / 3, -1 / 7], rtol=1e-14)
