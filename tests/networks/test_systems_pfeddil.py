"""pFedDIL: the model that a client trains, its gradients, and the models that the server stores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from algorithms import pfeddil
from tests.networks.cases import MODEL, C, M, close, models, world
from tests.networks.steps import slopes
from tests.networks.test_systems import RUNS, START

D, GATE = 3, MODEL.n_features + 1
PER_RUN = torch.tensor([0.1, 0.3])
"""Step sizes of the runs."""


def method(**changes: Any) -> Any:
    numbers = {"local_lr": 0.1, "lam": 0.5, "migration": 0.4, "models": D, **changes}
    return pfeddil.pfeddil(**numbers, n_clients=M, network=MODEL)


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def gate_on(gate: Tensor, theta: Tensor, images: Tensor) -> Tensor:
    return MODEL.features(theta, images) @ gate[:-1] + gate[-1]


def test_state_before_the_first_task() -> None:
    state = method().init(START)
    assert state["models"].shape == (RUNS, M, D * MODEL.dim)
    assert (state["models"].unflatten(-1, (D, -1)) == START[:, None, None]).all()
    assert {name: tuple(state[name].shape) for name in ("gates", "rho", "used", "chosen")} == {
        "gates": (RUNS, M, D * GATE),
        **dict.fromkeys(("rho", "used", "chosen"), (RUNS, M, D)),
    }
    assert not any(state[name].any() for name in ("gates", "rho", "used", "chosen"))
    assert (state["first"] == START).all()
    assert (state["met"] == -torch.ones(RUNS, M, 1)).all()


def test_gates_are_asked_about_all_samples_of_a_client() -> None:
    here, mixture = world("class"), pfeddil.Mixture(MODEL, D)
    every, gates = models(1, 2, D, seed=3), drawn(1, 2, D, GATE)
    found = here.at(1, np.array([0, 1])).on_all(mixture.correlations, (every.flatten(-2), gates.flatten(-2)))
    for client in (0, 1):
        rows = here.at(1).rows[client]
        images = here.samples.images[rows[rows >= 0]]
        for i in range(D):
            close(
                found[0, client, i],
                gate_on(gates[0, client, i], every[0, client, i], images).sigmoid().mean(),
            )


@pytest.mark.parametrize("chosen", [0, 2])
def test_a_step_descends_labels_and_what_gates_should_say(
    chosen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current gate should accept the task and reject scrambled samples; gates of other used models should reject
    both.
    """
    here = world("class")
    theta, gate = models(1)[0], drawn(GATE)
    every, gates = models(D, seed=3), drawn(D, GATE, seed=1)
    used, at_work = torch.tensor([1.0, 0, 1]), F.one_hot(torch.tensor(chosen), D).float()
    rows = here.at(1, np.array([0])).rows[0, [1, 0]]
    images, labels = here.samples.images[rows], here.samples.labels[rows]
    monkeypatch.setattr(pfeddil, "STRIDE", 3)  # four pixels stay where they are with the usual one
    other = images.flatten(1)[:, [0, 3, 2, 1]].reshape(images.shape)

    def loss(theta: Tensor, gate: Tensor, gates: Tensor) -> Tensor:
        def wrong(value: Tensor, what: float) -> Tensor:
            return F.binary_cross_entropy_with_logits(value, torch.full_like(value, what))

        total = F.cross_entropy(MODEL.logits(theta, images), labels)
        total = total + wrong(gate_on(gate, theta, images), 1.0) + wrong(gate_on(gate, theta, other), 0.0)
        (beside,) = {0, 2} - {chosen}
        return total + wrong(gate_on(gates[beside], every[beside], images), 0.0)

    of_theta, of_gate, of_gates = slopes(loss, theta, gate, gates)
    parts = [part[None, None] for part in (gate, gates.flatten(), every.flatten(), used, at_work)]
    found = method().query(here.at(1, np.array([0])), theta[None, None], np.array([[[1, 0]]]))(*parts)
    close(found[0, 0], torch.cat([of_theta, of_gate, of_gates.flatten()]))


def test_pixels_are_scrambled_by_a_stride() -> None:
    images = torch.arange(2 * 15.0).reshape(2, 1, 3, 5)
    expected = [37 * place % 15 for place in range(15)]
    found = pfeddil.scrambled(images)
    assert found.shape == images.shape
    assert found[0].flatten().tolist() == expected
    assert found[1].flatten().tolist() == [15 + place for place in expected]


def test_a_step_is_pulled_to_the_models_in_use_by_how_well_they_fit() -> None:
    made = method(local_lr=PER_RUN, migration=2 * PER_RUN)
    local = {
        "x": models(RUNS, 2, seed=1),
        "learnt": drawn(RUNS, 2, GATE, seed=2),
        "models": models(RUNS, 2, D, seed=3).flatten(-2),
        "gates": drawn(RUNS, 2, D * GATE, seed=4),
        "rho": drawn(RUNS, 2, D, seed=5).abs(),
        "used": torch.tensor([1.0, 0, 1]).expand(RUNS, 2, D),
        "chosen": torch.tensor([1.0, 0, 0]).expand(RUNS, 2, D),
    }
    g = drawn(RUNS, 2, MODEL.dim + GATE + D * GATE, seed=6)
    given: list[Tensor] = []

    def slope(*parts: Tensor) -> Tensor:
        given.extend(parts)
        return g

    found = made.local_step({}, local, slope)
    names = ("learnt", "gates", "models", "used", "chosen")
    assert all(part is local[name] for name, part in zip(names, given, strict=True))
    of_x, of_gate, of_gates = g.split([MODEL.dim, GATE, D * GATE], -1)
    for run, slot in np.ndindex(RUNS, 2):
        x, rate = local["x"][run, slot], PER_RUN[run]
        own = local["models"][run, slot].reshape(D, -1)
        down = of_x[run, slot] + sum(2 * 2 * rate * local["rho"][run, slot, i] * (x - own[i]) for i in (0, 2))
        close(found["x"][run, slot], x - rate * down)
        close(found["learnt"][run, slot], local["learnt"][run, slot] - rate * of_gate[run, slot])
        close(found["gates"][run, slot], local["gates"][run, slot] - rate * of_gates[run, slot])


class Told:
    """Prescribed outputs of gates, in the place of an oracle."""

    def __init__(self, rho: list[list[float]]) -> None:
        self.rho = torch.tensor(rho)[:, None]

    def on_all(self, make: Any, parts: Any) -> Tensor:
        return self.rho


def met_before(state: Any, used: list[list[int]], met: list[int]) -> dict[str, Any]:
    """A state in which client 1 of each run has used some models, and its last task."""
    state = dict(state)
    state["models"] = models(RUNS, M, D, seed=7).flatten(-2)
    state["gates"] = drawn(RUNS, M, D * GATE, seed=8)
    state["used"] = state["used"].clone()
    state["used"][:, 1] = torch.tensor(used).float()
    state["met"] = torch.full((RUNS, M, 1), -1.0)
    state["met"][:, 1, 0] = torch.tensor(met).float()
    return state


@pytest.mark.parametrize(
    ("used", "rho", "chosen", "fresh"),
    [
        ([1, 0, 0], [0.49, 0.9, 0.9], 1, True),  # outputs of unused models are ignored
        ([1, 0, 0], [0.5, 0.9, 0.9], 0, False),
        ([1, 1, 0], [0.2, 0.6, 0.9], 1, False),
        ([1, 1, 0], [0.2, 0.3, 0.9], 2, True),
        ([1, 1, 1], [0.2, 0.3, 0.1], 1, False),  # there is no place for another one
    ],
)
def test_a_client_goes_on_or_begins_anew(used: list[int], rho: list[float], chosen: int, fresh: bool) -> None:  # noqa: FBT001
    made = method()
    state = met_before(
        made.begin_task({**made.init(START), "theta": START + 1}, 1), [used] * RUNS, [0] * RUNS
    )
    assert not state["begun"]
    clients = np.array([[1]] * RUNS)
    local = made.begin_round(state, clients, Told([rho] * RUNS))
    close(local["rho"], (torch.tensor(rho) * torch.tensor(used)).expand(RUNS, 1, D))
    assert local["chosen"].tolist() == [[F.one_hot(torch.tensor(chosen), D).tolist()]] * RUNS
    own = state["models"].unflatten(-1, (D, -1))[:, 1, chosen]
    assert (local["x"][:, 0] == (START if fresh else own)).all()
    assert (local["learnt"][:, 0] == state["gates"].unflatten(-1, (D, -1))[:, 1, chosen]).all()
    later = made.begin_round({**state, "begun": True}, clients, Told([rho] * RUNS))
    assert (later["x"][:, 0] == START + 1).all()


def test_thresholds_of_runs() -> None:
    made = method(lam=torch.tensor([0.4, 0.6]))
    state = met_before(made.begin_task(made.init(START), 1), [[1, 0, 0]] * RUNS, [0] * RUNS)
    local = made.begin_round(state, np.array([[1]] * RUNS), Told([[0.5, 0, 0]] * RUNS))
    assert local["chosen"][:, 0].tolist() == [[1, 0, 0], [0, 1, 0]]


def test_a_client_chooses_once_in_a_task() -> None:
    """Also if the client meets the task again in one run, and for the first time in another."""
    made = method()
    state = met_before(made.begin_task(made.init(START), 1), [[1, 1, 0]] * RUNS, [1, 0])
    state["chosen"] = state["chosen"] + torch.tensor([1.0, 0, 0])
    state["rho"] = state["rho"] + 0.25
    local = made.begin_round(state, np.array([[1]] * RUNS), Told([[0.1, 0.9, 0]] * RUNS))
    assert local["chosen"][:, 0].tolist() == [[1, 0, 0], [0, 1, 0]]
    close(local["rho"][:, 0], torch.tensor([[0.25, 0.25, 0.25], [0.1, 0.9, 0]]))
    state["met"][:, 1] = 1
    again = made.begin_round({**state, "begun": True}, np.array([[1]] * RUNS), Told([[0.1, 0.9, 0]] * RUNS))
    assert again["chosen"][:, 0].tolist() == [[1, 0, 0]] * RUNS
    assert (again["learnt"][:, 0] == state["gates"].unflatten(-1, (D, -1))[:, 1, 0]).all()
    assert (again["x"] == START[:, None]).all()


def test_what_a_client_learnt_takes_the_place_of_what_it_had() -> None:
    made = method(global_lr=0.5)
    state = met_before(made.begin_task(made.init(START), 1), [[1, 0, 0]] * RUNS, [0] * RUNS)
    clients = np.array([[1, 2]] * RUNS)
    local = {
        "x": models(RUNS, 2, seed=1),
        "learnt": drawn(RUNS, 2, GATE, seed=2),
        "models": state["models"][:, 1:],
        "gates": drawn(RUNS, 2, D * GATE, seed=4),
        "rho": drawn(RUNS, 2, D, seed=5),
        "used": state["used"][:, 1:],
        "chosen": torch.tensor([[0.0, 1, 0], [0, 0, 1]]).expand(RUNS, 2, D),
    }
    found = made.aggregate(state, local, clients)
    for slot, place in ((0, 1), (1, 2)):
        for i in range(D):
            model, gate = (found[name].unflatten(-1, (D, -1))[:, 1 + slot, i] for name in ("models", "gates"))
            before = [local[name].unflatten(-1, (D, -1))[:, slot, i] for name in ("models", "gates")]
            expected = (local["x"][:, slot], local["learnt"][:, slot]) if i == place else before
            assert (model == expected[0]).all()
            assert (gate == expected[1]).all()
    assert found["used"].tolist() == [[[0, 0, 0], [1, 1, 0], [0, 0, 1]]] * RUNS
    assert (found["chosen"][:, 1:] == local["chosen"]).all()
    assert (found["rho"][:, 1:] == local["rho"]).all()
    assert found["met"][..., 0].tolist() == [[-1, 1, 1]] * RUNS
    assert state["met"][..., 0].tolist() == [[-1, 0, -1]] * RUNS
    assert found["begun"]
    close(found["theta"], (START + local["x"].mean(1)) / 2)
    for name in ("models", "gates"):
        assert (found[name][:, 0] == state[name][:, 0]).all()


def test_a_mixture_has_a_number_for_every_model() -> None:
    made = method()
    mixture, state = made.network(MODEL), met_before(made.init(START), [[1, 0, 1]] * RUNS, [0] * RUNS)
    served = made.served(state)
    assert served.shape == (RUNS, M, mixture.dim)
    assert mixture.dim == D * (MODEL.dim + GATE + 1)
    assert (served[:, 1, -D:] == torch.tensor([1.0, 0, 1])).all()
    assert (served[:, 0, -D:] == torch.tensor([1.0, 0, 0])).all()
    assert (served[:, 1, : MODEL.dim] == state["models"][:, 1, : MODEL.dim]).all()
    assert (served[:, 0, : MODEL.dim] == START).all()
    assert (served[:, :, MODEL.dim : D * MODEL.dim] == state["models"][..., MODEL.dim :]).all()
    assert (served[:, :, D * MODEL.dim : -D] == state["gates"]).all()
    scores = drawn(2, C)
    assert mixture.scores(served[0, 0], scores) is scores


def test_a_mixture_of_models_that_know_nothing_of_an_image_is_their_mean() -> None:
    """Gates that reject as strongly as possible still have a little weight, equal for all."""
    mixture, both = pfeddil.Mixture(MODEL, 2), models(2)
    gates = torch.zeros(2, GATE)
    gates[:, -1] = -200
    images = torch.rand(3, *MODEL.image, generator=torch.Generator().manual_seed(0))
    found = mixture.logits(torch.cat([both.flatten(), gates.flatten(), torch.ones(2)]), images).exp()
    close(found, torch.stack([MODEL.logits(x, images).softmax(-1) for x in both]).mean(0))
