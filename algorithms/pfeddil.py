"""pFedDIL: clients own several models, each with a gate that distinguishes its tasks from others, and predict with their mixture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.func import vmap
from torch.nn import functional as F

from algorithms.algorithm import Algorithm, Local, State, download
from algorithms.clients import for_every_client, of_clients, with_clients
from algorithms.combining import averaged
from algorithms.fedavg import fedavg
from algorithms.generative import cross_entropy, slope
from algorithms.hyperparameters import against, count, share, strength
from nqm.fields import Array, IntArray

STRIDE = 37
"""Pixels between which neighbours come to lie where an image is scrambled; images have no multiple of so many pixels."""


def pfeddil(
    local_lr: Array,
    lam: Array,
    migration: Array,
    models: int,
    n_clients: int,
    network: Any,
    global_lr: Array = 1,
) -> Algorithm:
    """pFedDIL with FedAvg of the models that clients train on the current task.

    When a client meets a task, rho_i is the mean of model i's gate on its data. If all are below `lam`, and it has fewer than
    `models`, it begins a new model; else it goes on with the one whose rho is largest. Its steps descend the loss of that
    model w and its gate, plus ``migration * sum_i rho_i |w - w_i|^2`` over the models w_i that it had. Predictions are the
    mean of its models' outputs with the gates' values on the image as weights.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement.
    lam : number or array, strictly between 0 and 1
        Threshold; the source has 0.8 for digits, 0.5 else.
    migration : number or array, >= 0
        The source has 1.
    models : int
        Most models of a client, at least 1.
    n_clients : int
        Number M of clients.
    network
        The model.

    Notes
    -----
    State entries of each client, D being the number of models: ``"models"`` (..., run, M, D*d), ``"gates"`` (..., run, M,
    D*(q + 1)), ``"rho"``, ``"used"`` and ``"chosen"`` (..., run, M, D), the last two of 0 and 1, and ``"met"`` (..., run, M, 1), the
    task that it met last. A gate is linear in its model's features. Source: Li et al. (2024), Personalized federated
    domain-incremental learning based on adaptive knowledge matching. Two points are interpretations. The negative examples of a gate are scrambled images of its tasks and all images of tasks that go to other models. In later rounds of a task clients continue from the server's average.
    """
    share("lam", lam)
    strength("migration", migration)
    D = count("models", models, at_least=1)
    mixture = Mixture(network, D)
    plain = fedavg(local_lr, global_lr)

    def init(theta0: Array) -> State:
        none = theta0.new_zeros(*theta0.shape[:-1], n_clients, D)
        gates = none.new_zeros(*none.shape[:-1], D * (network.n_features + 1))
        parts = {"models": for_every_client(torch.cat([theta0] * D, -1), n_clients), "gates": gates}
        every = {"rho": none, "used": none, "chosen": none, "met": none[..., :1] - 1}
        return {"theta": theta0, "first": theta0, **parts, **every}

    def begin_task(state: State, task: int) -> State:
        return {**state, "task": task, "begun": False}

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        names = ("models", "gates", "rho", "used", "chosen")
        kept = {name: of_clients(state[name], clients) for name in names}
        local: dict[str, Any] = {**download(state, clients, oracle), **kept}
        rho = oracle.on_all(mixture.correlations, (local["models"], local["gates"])) * local["used"]
        free = F.one_hot(local["used"].sum(-1).long().clamp(max=D - 1), D).to(rho)
        best = F.one_hot(rho.argmax(-1), D).to(rho)
        begins = (rho.amax(-1) < against(lam, 1)) & (local["used"].sum(-1) < D)
        chosen = torch.where(begins[..., None], free, best)
        new = of_clients(state["met"], clients) < state["task"]
        local |= {
            "rho": torch.where(new, rho, local["rho"]),
            "chosen": torch.where(new, chosen, local["chosen"]),
        }
        if not state["begun"]:
            own = _chosen_part(local["models"], local["chosen"])
            local["x"] = torch.where(begins[..., None], state["first"][..., None, :], own)
        return {**local, "learnt": _chosen_part(local["gates"], local["chosen"])}

    def query(oracle: Any, x: Array, u: IntArray) -> Any:
        return lambda *parts: oracle.on_minibatch(mixture.slopes, (x, *parts), u)

    def local_step(state: State, local: Local, slopes: Any) -> Local:
        names = ("learnt", "gates", "models", "used", "chosen")
        sizes = [network.dim, network.n_features + 1, D * (network.n_features + 1)]
        g, of_gate, of_gates = torch.split(slopes(*(local[name] for name in names)), sizes, -1)
        x, rho = local["x"], local["rho"] * local["used"]
        olds = local["models"].reshape(*local["models"].shape[:-1], D, -1)
        pull = rho.sum(-1, keepdim=True) * x - (rho[..., None] * olds).sum(-2)
        rate = against(local_lr, 2)
        return {
            **local,
            "x": x - rate * (g + 2 * against(migration, 2) * pull),
            "learnt": local["learnt"] - rate * of_gate,
            "gates": local["gates"] - rate * of_gates,
        }

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        chosen = local["chosen"]
        own = {
            "models": _with_part_replaced(local["models"], chosen, local["x"]),
            "gates": _with_part_replaced(local["gates"], chosen, local["learnt"]),
            "rho": local["rho"],
            "used": torch.maximum(local["used"], chosen),
            "chosen": chosen,
            "met": 0 * chosen[..., :1] + state["task"],
        }
        kept = {name: with_clients(state[name], clients, value) for name, value in own.items()}
        theta = averaged(state, local, global_lr)
        return {**state, **kept, "theta": theta, "begun": True}

    def served(state: State) -> Array:
        """Parameters of the mixture; the server's model for clients that have no model yet."""
        used, n = state["used"], network.dim
        has = used.sum(-1, keepdim=True) > 0
        first = torch.where(has, state["models"][..., :n], state["theta"][..., None, :])
        every = torch.cat([torch.where(has[..., :1], used[..., :1], 1.0), used[..., 1:]], -1)
        return torch.cat([first, state["models"][..., n:], state["gates"], every], -1)

    return replace(
        plain,
        name="pFedDIL",
        init=init,
        begin_task=begin_task,
        begin_round=begin_round,
        query=query,
        local_step=local_step,
        aggregate=aggregate,
        served=served,
        network=lambda world_model: mixture,
    )


@dataclass(frozen=True)
class Mixture:
    """D models with their gates as one network: all models, then all gates, then which are used, in one vector."""

    network: Any
    models: int

    @property
    def dim(self) -> int:
        """Numbers of the vector."""
        return int(self.models * (self.network.dim + self.network.n_features + 2))

    def features(self, theta: Tensor, images: Tensor) -> Array:
        """Logarithms of the mixture's probabilities, (b, C)."""
        D, q = self.models, self.network.n_features
        models, gates, used = torch.split(theta, [D * self.network.dim, D * (q + 1), D])
        each = zip(models.reshape(D, -1), gates.reshape(D, -1), used, strict=True)
        weights, outputs = zip(
            *(self._weights_and_classes(model, gate, one, images) for model, gate, one in each), strict=True
        )
        total = torch.stack([w[:, None] * p for w, p in zip(weights, outputs, strict=True)]).sum(0)
        return (total / torch.stack(weights).sum(0)[:, None]).log()

    def scores(self, theta: Tensor, features: Tensor) -> Array:
        """The features themselves."""
        return features

    def logits(self, theta: Tensor, images: Tensor) -> Array:
        """The same."""
        return self.features(theta, images)

    def _weights_and_classes(
        self, model: Tensor, gate: Tensor, used: Tensor, images: Tensor
    ) -> tuple[Tensor, Tensor]:
        features = self.network.features(model, images)
        weight = used * (gated(gate, features).sigmoid() + 1e-6)
        return weight, self.network.scores(model, features).softmax(-1)

    def correlations(self, model: Any, samples: Any) -> Callable[..., Tensor]:
        """Kernel of the weighted sum of the gates' values, (F, D): at all models (F, D*d) and gates (F, D*(q + 1))."""

        def values(models: Tensor, gates: Tensor, rows: Tensor, weights: Tensor) -> Array:
            images, D = samples.images[rows], self.models
            each = zip(models.reshape(D, -1), gates.reshape(D, -1), strict=True)
            return torch.stack(
                [weights @ gated(gate, model.features(one, images)).sigmoid() for one, gate in each]
            )

        return vmap(values)

    def slopes(self, model: Any, samples: Any) -> Callable[..., Tensor]:
        """Kernel of the gradients of the model at work, of its gate, and of all other gates, (F, d + q + 1 + D*(q + 1)).

        At models (F, d), gates (F, q + 1), all gates and models that the client had, and which are used and chosen (F, D).
        """

        def loss(
            theta: Tensor,
            gate: Tensor,
            gates: Tensor,
            models: Tensor,
            used: Tensor,
            chosen: Tensor,
            rows: Tensor,
            weights: Tensor,
        ) -> Array:
            images, labels = samples.images[rows], samples.labels[rows]
            features = model.features(theta, images)
            every = torch.ones_like(theta[: model.n_classes], dtype=torch.bool)
            of_labels = cross_entropy(model.scores(theta, features), labels, every)
            other = gated(gate, model.features(theta, scrambled(images)))
            total = weights @ (of_labels + F.softplus(-gated(gate, features)) + F.softplus(other))
            for i in range(self.models):
                still = model.features(models.reshape(self.models, -1)[i], images)
                wrong = F.softplus(gated(gates.reshape(self.models, -1)[i], still))
                total = total + used[i] * (1 - chosen[i]) * (weights @ wrong)
            return total

        return slope(loss, points=3)


def gated(gate: Tensor, features: Tensor) -> Array:
    """Of gates (q + 1,) on features (b, q): above 0 where an image is of the model's tasks."""
    return features @ gate[:-1] + gate[-1]


def scrambled(images: Tensor) -> Array:
    """Images (b, *image) with their pixels in another order."""
    flat = images.flatten(1)
    order = torch.arange(flat.shape[-1], device=images.device) * STRIDE % flat.shape[-1]
    return flat[:, order].reshape(images.shape)


def _chosen_part(entry: Tensor, chosen: Tensor) -> Array:
    """(..., D*any) and (..., D) of 0 and 1 -> (..., any): the part that is chosen."""
    parts = entry.reshape(*entry.shape[:-1], chosen.shape[-1], -1)
    return (chosen[..., None] * parts).sum(-2)


def _with_part_replaced(entry: Tensor, chosen: Tensor, value: Tensor) -> Array:
    """(..., D*any) with the part that is chosen replaced by (..., any)."""
    parts = entry.reshape(*entry.shape[:-1], chosen.shape[-1], -1)
    return torch.where(chosen[..., None] > 0, value[..., None, :], parts).flatten(-2)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Empty: the method needs a network and is tested on networks."""
    return ()
