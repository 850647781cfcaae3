"""Systems that store or generate samples: which samples, the clients' gradients, and the source of all data."""

from __future__ import annotations

from math import erf, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from algorithms import cfl_mcmc, icarl, refed
from algorithms.algorithm import Moment, stochastic_gradient
from algorithms.cfl_coreset import cfl_coreset_icarl
from algorithms.memory import EMPTY, ring
from tests.networks.cases import MODEL, SIZES, C, K, M, S, close, models, world
from tests.networks.steps import slopes
from tests.networks.test_systems import RUNS, START

PIXELS = 4
CHAIN = cfl_mcmc.Chain(steps=3, rate=0.3, noise=0.2, width=0.6)


# ------------------------------------------------------------------------------------------------------- CFL-MCMC


def made_by(each: int = 2) -> Any:
    return cfl_mcmc.cfl_mcmc(0.1, each, M, K, MODEL, CHAIN)


def numbers(key: int, *shape: int) -> np.ndarray:
    """Different numbers for every key."""
    return np.random.default_rng([5, key]).normal(size=(RUNS, *shape))


def uniform(value: float) -> float:
    return (1 + erf(value / sqrt(2))) / 2


def test_the_chain_of_a_client_step_by_step() -> None:
    here, method = world("class"), made_by()
    state = {**method.init(START)}
    assert state["made"].shape == (RUNS, M, K * 2, PIXELS)
    assert state["labels"].shape == (RUNS, M, K * 2)
    assert state["labels"].dtype == torch.int64
    assert not state["made"].any()
    assert method.end_round(here, state, Moment(1, 1, numbers)) is state
    found = method.end_round(here, state, Moment(1, 0, numbers))
    assert not found["made"][:, :, :2].any()
    assert not state["made"].any()
    for run, client in np.ndindex(RUNS, M):
        rows = here.at(1).rows[client]
        images = here.samples.images[rows[rows >= 0]].flatten(1).double()
        labels = here.samples.labels[rows[rows >= 0]]
        first = 5 * client
        for i in range(2):
            place = min(int(uniform(numbers(first, 2)[run, i]) * len(rows[rows >= 0])), len(labels) - 1)
            near = images[labels == labels[place]]
            x = torch.tensor([uniform(value) for value in numbers(first + 1, 2, PIXELS)[run, i]]).double()
            for step in range(3):
                weights = (-((x - near) ** 2).sum(-1) / (2 * 0.6**2)).softmax(0)
                noise = torch.as_tensor(numbers(first + 2 + step, 2, PIXELS)[run, i])
                x = x - 0.3 * (x - weights @ near) + 0.2 * noise
            torch.testing.assert_close(found["made"][run, client, 2 + i].double(), x, rtol=1e-4, atol=1e-4)
            assert found["labels"][run, client, 2 + i] == labels[place]


def test_a_number_all_but_one_asks_for_the_last_sample() -> None:
    here, method = world("class"), made_by()
    state = method.init(START)
    high = Moment(1, 0, lambda key, *shape: np.full((RUNS, *shape), 40.0))
    found = method.end_round(here, state, high)
    for client in range(M):
        rows = here.at(1).rows[client]
        assert (found["labels"][:, client, 2:] == here.samples.labels[rows[rows >= 0][-1]]).all()


def test_later_steps_descend_the_mean_loss_of_all_that_a_client_has() -> None:
    """Generated samples of earlier tasks join the current data, each with the same weight."""
    here, method = world("class"), made_by(each=3)
    rng = torch.Generator().manual_seed(0)
    state = {**method.init(START)}
    state["made"] = torch.rand(state["made"].shape, generator=rng)
    state["labels"] = torch.randint(C, state["labels"].shape, generator=rng)
    clients, x = np.array([[0, 2], [1, 0]]), models(RUNS, 2, seed=4)
    u = np.array([[[1, 0, 3, 40], [0, 0, 9, 8]], [[0, 1, 7, 23], [0, 0, 5, 5]]])
    oracle = method.objective(here, state, 1, clients)
    close(oracle.grad(x), here.at(1, clients).grad(x))
    found = method.query(oracle, x, u)
    for run, slot in np.ndindex(RUNS, 2):
        client = clients[run, slot]
        size = SIZES[1, client]
        rows = here.at(1).rows[client][u[run, slot, :2] % size]
        old = u[run, slot, 2:] % 3
        images = state["made"][run, client, old].reshape(-1, *MODEL.image)

        labels = state["labels"][run, client, old]

        def loss(
            theta: Tensor,
            rows: Tensor = rows,
            images: Tensor = images,
            labels: Tensor = labels,
            size: int = size,
        ) -> Tensor:
            new = F.cross_entropy(MODEL.logits(theta, here.samples.images[rows]), here.samples.labels[rows])
            return (size * new + 3 * F.cross_entropy(MODEL.logits(theta, images), labels)) / (size + 3)

        close(found[run, slot], slopes(loss, x[run, slot])[0])
    first = method.objective(here, state, 0, clients)
    close(method.query(first, x, u), here.at(0, clients).stochastic_grad(x, u))


def test_numbers_of_the_chain() -> None:
    assert cfl_mcmc.Chain() == cfl_mcmc.Chain(steps=30, rate=0.2, noise=0.05, width=0.5)
    made_by(each=1)
    with pytest.raises(ValueError, match="`each` must be an integer >= 1, got 0"):
        made_by(each=0)


# --------------------------------------------------------------------------------------------------------- Re-Fed


def test_strengths_of_runs_in_re_fed() -> None:
    """Each run has its own step size and share, independently of other runs."""
    here, rates, shares = world(), torch.tensor([0.5, 2.0]), torch.tensor([0.2, 0.7])
    both = refed.refed(0.1, rates, shares, 3, M, 2)
    kept = both.end_task(here, both.init(START), 0, None)["kept"]
    for run in range(RUNS):
        alone = refed.refed(0.1, float(rates[run]), float(shares[run]), 3, M, 2)
        found = alone.end_task(here, alone.init(START[run : run + 1]), 0, None)["kept"]
        assert kept[run].tolist() == found[0].tolist()


def test_the_memory_of_re_fed_counts_by_its_samples() -> None:
    here, method = world(), refed.refed(0.1, 0.1, 0.5, 1, M, 4)
    state = {**method.init(START)}
    state["kept"][:, 0, :3] = [1, 0, 2]
    oracle = method.objective(here, state, 1, np.arange(M))
    assert oracle.memory_share[0].tolist() == pytest.approx([3 / (3 + SIZES[1, 0]), 0, 0])
    assert method.query is stochastic_gradient


def test_the_highest_scores_are_kept_and_empty_places_come_last() -> None:
    numbers_of = np.array([[[4, EMPTY, 6, 7], [EMPTY, EMPTY, 2, 3]]])
    scores = np.array([[[1.0, 9, 3, 3], [5, 5, 0, -1]]])
    assert refed.highest(numbers_of, scores, 3).tolist() == [[[6, 7, 4], [2, 3, EMPTY]]]
    assert refed.highest(numbers_of, scores, 0).shape == (1, 2, 0)
    more = np.concatenate([scores, scores + 100], axis=-1)
    assert refed.highest(numbers_of, more, 3).tolist() == [[[6, 7, 4], [2, 3, EMPTY]]]


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"lam": 1.0}, "lam"),
        ({"lam": 0.0}, "lam"),
        ({"steps": 0}, "steps"),
        ({"personal_lr": 0}, "personal_lr"),
    ],
)
def test_bad_numbers_of_re_fed(changes: dict[str, Any], name: str) -> None:
    numbers_of = {"local_lr": 0.1, "personal_lr": 0.1, "lam": 0.5, "steps": 1, **changes}
    with pytest.raises(ValueError, match=f"`{name}` must be"):
        refed.refed(**numbers_of, n_clients=M, capacity=2)


# ---------------------------------------------------------------------------------------------------------- iCaRL


def test_a_client_of_icarl_learns_new_classes_and_keeps_old_outputs() -> None:
    """A sigmoid for each class, on new data and exemplars alike, with the strength of each run."""
    here, lam = world("class"), torch.tensor([0.4, 1.5])
    method = icarl.icarl(0.1, lam, 0.3, M, 2, ring(K))
    state = {**method.init(START)}
    assert (state["teacher"] == START).all()
    state = {**method.begin_task({**state, "theta": models(RUNS, seed=9)}, 1)}
    teacher = state["theta"]
    assert (state["teacher"] == teacher).all()
    state |= {"theta": START, "kept": np.array([[[0, 1], [1, 0], [2, 1]]] * RUNS)}
    clients, x = np.array([[0, 1], [1, 0]]), models(RUNS, 2, seed=4)
    u = np.array([[[1, 0, 0, 1], [3, 0, 1, 1]], [[0, 1, 1, 0], [0, 0, 0, 0]]])
    found = method.query(method.objective(here, state, 1, clients), x, u)
    for run, slot in np.ndindex(RUNS, 2):
        client = clients[run, slot]
        new = here.at(1).rows[client][u[run, slot, :2] % SIZES[1, client]]
        old = here.at(0).rows[client][state["kept"][run, client][u[run, slot, 2:] % 2]]

        def loss(theta: Tensor, rows: Tensor, run: int = run) -> Tensor:
            images, labels = here.samples.images[rows], here.samples.labels[rows]
            said, taught = MODEL.logits(theta, images), MODEL.logits(teacher[run], images).sigmoid()
            by_label = F.binary_cross_entropy_with_logits(
                said[:, 2:], F.one_hot(labels, C)[:, 2:].float(), reduction="none"
            )
            by_teacher = F.binary_cross_entropy_with_logits(said[:, :2], taught[:, :2], reduction="none")
            return (by_label.sum(-1) + lam[run] * by_teacher.sum(-1)).mean()

        expected = [
            slopes(lambda theta, rows=rows: loss(theta, rows), x[run, slot])[0] for rows in (new, old)
        ]
        close(found[run, slot], 0.7 * expected[0] + 0.3 * expected[1])


@pytest.mark.parametrize(
    "make", [lambda: icarl.icarl(0.1, 1.0, 0.5, M, 2, ring(K)), lambda: cfl_coreset_icarl(0.1, M, 2, ring(K))]
)
def test_what_stands_best_for_its_class_is_kept(make: Any) -> None:
    ranked = np.array([[[2, 0, 1]] * M] * RUNS)
    asked = []
    here = SimpleNamespace(herding=lambda theta, task: asked.append((theta, task)) or ranked, n_samples=S)
    method = make()
    state = {**method.init(START)}
    kept = method.end_task(here, state, 1, None)["kept"]
    assert kept.tolist() == [[[EMPTY, S + 2]] * M] * RUNS
    assert asked == [(START, 1)]
    with pytest.raises(ValueError, match="`lam` must be"):
        icarl.icarl(0.1, -1.0, 0.5, M, 2, ring(K))
