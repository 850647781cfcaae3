"""FedCIL: gradients of a client's three parts and of the server, compared with automatic differentiation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from algorithms import fedcil
from algorithms.algorithm import Moment
from algorithms.generative import entry_at_random, gaussians
from tests.networks.cases import MODEL, C, close, models, world
from tests.networks.steps import normals, plain_steps, slopes
from tests.networks.test_systems import DRAWS, RUNS, START
from verify.networks.training.generators import generator

MAKES = generator(MODEL.image, 3, C)
CRITIC = MODEL.n_features + 1
LATENT = MAKES.n_latent
REAL, MADE = 1.0, 0.0


def method(**changes: Any) -> Any:
    numbers = {"local_lr": 0.1, "generator_lr": 0.03, "consistency": 0.7, **changes}
    return fedcil.fedcil(**numbers, network=MODEL, conditional=MAKES)


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return 0.5 * torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def judged(theta: Tensor, critic: Tensor, images: Tensor, labels: Tensor, as_what: float) -> Tensor:
    """Mean loss of a critic that should call images real (1) or generated (0), and of a classifier."""
    features = MODEL.features(theta, images)
    look = features @ critic[:-1] + critic[-1]
    wrong = F.binary_cross_entropy_with_logits(look, torch.full_like(look, as_what))
    return wrong + F.cross_entropy(MODEL.scores(theta, features), labels)


@pytest.mark.parametrize(
    ("task", "new", "together"), [(0, 1.0, 0.0), (0, 1.0, 0.7), (1, 0.4, 0.0), (1, 0.4, 0.7)]
)
def test_the_parts_of_a_client_descend_their_losses(task: int, new: float, together: float) -> None:
    here = world("class")
    oracle = method().objective(here, {}, task, np.array([0]))
    drawn = torch.tensor([7, 10])
    theta, critic = models(1)[0], numbers(CRITIC)
    own, server, last = numbers(3, MAKES.dim, seed=1)
    rows = oracle.current.rows[0, [1, 0]]
    images, labels = here.samples.images[rows], here.samples.labels[rows]
    seen, past = torch.arange(2 * task + 2), torch.arange(2)
    asked, also, old = (
        entry_at_random(seen, drawn, 1),
        entry_at_random(seen, drawn, 2),
        entry_at_random(past, drawn, 0),
    )
    assert asked.tolist() != also.tolist()

    def by(part: Tensor, key: int, classes: Tensor) -> Tensor:
        return MAKES.images(part, gaussians(drawn, LATENT, key), classes)

    def said(point: Tensor, some: Tensor) -> Tensor:
        return MODEL.logits(point, some).log_softmax(-1)

    def of_classifier(point: Tensor, judge: Tensor) -> Tensor:
        total = new * judged(point, judge, images, labels, REAL)
        total = total + judged(point, judge, by(own, 1, asked), asked, MADE)
        total = total + (1 - new) * judged(point, judge, by(last, 0, old), old, REAL)
        like_x, like_also = by(server, 2, labels), by(server, 4, also)
        pairs = ((images, like_x), (by(own, 3, also), like_also))
        apart = [
            F.kl_div(said(point, a), said(point, b), log_target=True, reduction="batchmean") for a, b in pairs
        ]
        return total + together * (sum(apart) + F.cross_entropy(MODEL.logits(point, like_also), also))

    expected = [
        *slopes(of_classifier, theta, critic),
        *slopes(lambda part: judged(theta, critic, by(part, 1, asked), asked, REAL), own),
    ]
    found = method().query(oracle, None, np.array([[[1, 0, *drawn.tolist()]]]))(
        [part[None, None] for part in (theta, critic, own, server, last)], new, together
    )
    close(found[0, 0], torch.cat(expected))
    close(oracle.grad(theta[None, None]), oracle.current.grad(theta[None, None]))


def started(**changes: Any) -> tuple[Any, dict[str, Any]]:
    """A method in the second task whose previous and current generators differ."""
    made = method(**changes)
    state = dict(made.init(START))
    assert not state["critic"].any()
    assert state["critic"].shape == (RUNS, CRITIC)
    assert state["generator"].shape == (RUNS, MAKES.dim)
    assert (state["generator"][0] != state["generator"][1]).any()
    state = dict(made.begin_task({**state, "generator": state["generator"] + 1}, 1))
    assert (state["last"] == state["generator"]).all()
    assert state["task"] == 1
    assert not state["begun"]
    return made, {**state, "last": state["last"] - 2, "critic": state["critic"] + 0.5}


def test_a_client_steps_down_with_its_classifier_and_by_adam_with_critic_and_generator() -> None:
    made, state = started()
    clients = np.array([[0, 1], [2, 1]])
    local = made.begin_round(state, clients, None)
    for name, entry in {
        "x": "theta",
        "critic": "critic",
        "generator": "generator",
        "server": "generator",
    }.items():
        assert (local[name] == state[entry][:, None]).all()
    assert (local["last"] == state["last"][:, None]).all()
    sizes = MODEL.dim, CRITIC, MAKES.dim
    steps = numbers(2, RUNS, 2, sum(sizes), seed=3)
    points = {name: local[name].clone().requires_grad_() for name in ("critic", "generator")}
    adam = torch.optim.Adam(points.values(), lr=0.03, betas=(0.5, 0.999))
    x = local["x"]
    for g in steps:
        of_x, points["critic"].grad, points["generator"].grad = g.split(sizes, -1)
        adam.step()
        x = x - 0.1 * of_x
        given: list[Any] = []

        def slope(parts: Any, *weights: float, g: Tensor = g, given: list[Any] = given) -> Tensor:
            given += [*parts, weights]
            return g

        before, local = local, made.local_step(state, local, slope)
        names = ("x", "critic", "generator", "server", "last")
        assert all(part is before[name] for name, part in zip(names, given, strict=False))
        assert given[-1] == (0.5, 0.0)
    for name, point in {"x": x, **points}.items():
        close(local[name], point.detach())


@pytest.mark.parametrize(
    ("task", "later", "weights"), [(0, 0, (1.0, 0.0)), (0, 1, (1.0, 0.7)), (3, 1, (0.5, 0.7))]
)
def test_replay_from_the_second_task_and_consistency_from_the_second_round(
    task: int, later: int, weights: tuple[float, float]
) -> None:
    made, state = started()
    given: list[Any] = []

    def slope(parts: Any, *found: float) -> Tensor:
        given.append(found)
        return torch.zeros(RUNS, 1, MODEL.dim + CRITIC + MAKES.dim)

    local = made.begin_round(state, np.zeros((RUNS, 1), int), None)
    made.local_step({**state, "task": task, "begun": bool(later)}, local, slope)
    assert given == [weights]


def test_step_sizes_of_a_sweep_stand_before_runs() -> None:
    rates = torch.tensor([0.01, 0.02, 0.03])[:, None]
    made, state = started(generator_lr=rates, local_lr=rates)
    local = made.begin_round(state, np.zeros((RUNS, 2), int), None)
    g = torch.ones(RUNS, 2, MODEL.dim + CRITIC + MAKES.dim)
    moved = made.local_step(state, local, lambda *_: g)
    for name in ("x", "critic", "generator"):
        close(moved[name] - local[name], -rates[:, :, None, None].expand(3, RUNS, 2, local[name].shape[-1]))


def test_the_server_averages_all_parts_by_the_weights_of_clients() -> None:
    made, state = started(global_lr=0.5)
    local = {
        "x": models(RUNS, 2, seed=4),
        "critic": numbers(RUNS, 2, CRITIC, seed=5),
        "generator": numbers(RUNS, 2, MAKES.dim, seed=6),
        "share": torch.tensor([0.5, 1.5])[:, None],
    }
    found = made.aggregate(state, local, np.array([[0, 1]] * RUNS))
    mean = {name: 0.25 * part[:, 0] + 0.75 * part[:, 1] for name, part in local.items() if name != "share"}
    close(found["theta"], 0.5 * state["theta"] + 0.5 * mean["x"])
    close(found["critic"], mean["critic"])
    close(found["generator"], mean["generator"])
    assert found["sent"] is local["generator"]
    assert found["begun"]


@pytest.mark.parametrize("task", [0, 1])
def test_the_server_descends_its_losses(task: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """For seven requested images each of two clients makes three, of the task's classes in turn."""
    here, (_, state) = world("class"), started()
    asked_of_adam = plain_steps(monkeypatch, fedcil)
    monkeypatch.setattr(fedcil, "NEW", 0.3)
    state |= {"sent": numbers(RUNS, 2, MAKES.dim, seed=7)}
    players, how = fedcil.Players(MODEL, MAKES), fedcil.Consolidation(2, 7, 0.1)
    found = fedcil.consolidated(here, state, Moment(task, 0, DRAWS.normals(task, 0)), players, how)
    assert asked_of_adam == [(0.1, 0.5)]
    current = torch.tensor([2, 3] * 3 if task else [0, 1] * 3)
    every = torch.tensor([0, 1, 2, 3, 0, 1] if task else [0, 1] * 3)
    before = torch.tensor([0, 1] * 3)
    for run in range(RUNS):
        theta, critic, own = (state[name][run] for name in ("theta", "critic", "generator"))
        for step in range(2):
            of_clients, of_own, of_last = normals(task, step, 18, LATENT)[run].split(6)
            sent = torch.cat(
                [
                    MAKES.images(state["sent"][run, i], of_clients[3 * i :][:3], current[3 * i :][:3])
                    for i in (0, 1)
                ]
            )
            old, made = (
                MAKES.images(g, z, y)
                for g, z, y in ((state["last"][run], of_last, before), (own, of_own, every))
            )

            def of_players(
                point: Tensor, judge: Tensor, sent: Tensor = sent, old: Tensor = old, made: Tensor = made
            ) -> Tensor:
                kept = (0.3 if task else 1) * judged(point, judge, sent, current, REAL)
                if task:
                    kept = kept + 0.7 * judged(point, judge, old, before, REAL)
                return kept + judged(point, judge, made, every, MADE)

            def of_maker(
                part: Tensor, theta: Tensor = theta, critic: Tensor = critic, z: Tensor = of_own
            ) -> Tensor:
                return judged(theta, critic, MAKES.images(part, z, every), every, REAL)

            of_theta, of_critic = slopes(of_players, theta, critic)
            (down,) = slopes(of_maker, own)
            theta, critic, own = theta - 0.1 * of_theta, critic - 0.1 * of_critic, own - 0.1 * down
        for name, expected in {"theta": theta, "critic": critic, "generator": own}.items():
            close(found[name][run], expected)


def test_what_was_sent_is_gone_after_a_round() -> None:
    made, state = started()
    state |= {"sent": numbers(RUNS, 1, MAKES.dim)}
    found = made.end_round(world("class"), state, Moment(1, 1, DRAWS.normals(1, 0)))
    assert found.keys() == state.keys() - {"sent"}
    assert (found["theta"] != state["theta"]).any()
    assert (found["last"] == state["last"]).all()


def test_numbers_of_the_server() -> None:
    assert fedcil.Consolidation() == fedcil.Consolidation(steps=10, batch=64, lr=0.002)
    assert fedcil.NEW == 0.5


def test_images_are_asked_of_all_classes_so_far_and_of_the_past() -> None:
    classes = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], dtype=bool)
    here = SimpleNamespace(
        stream=SimpleNamespace(classes=classes),
        n_tasks=3,
        indices=torch.as_tensor,
        at=lambda task, clients: (task, clients),
    )
    for task, seen, past in ((0, [0, 1], [0, 1]), (1, [0, 1, 2], [0, 1]), (2, [0, 1, 2, 3], [0, 1, 2])):
        arena = method().objective(here, {}, task, "clients")
        assert (arena.seen.tolist(), arena.past.tolist()) == (seen, past)
        assert arena.current == (task, "clients")
        assert arena.world is here
