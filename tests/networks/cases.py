"""A small federation of networks, and its losses computed sample by sample."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from algorithms import fedcil, mfcl, target
from algorithms.algorithm import Algorithm
from verify.networks.data.images import Kind, Stream
from verify.networks.methods import METHODS, Method
from verify.networks.training.kernels import as_written
from verify.networks.training.models import mlp
from verify.networks.training.world import NetworkWorld

K, M, S, C, TESTED = 2, 3, 5, 4, 6
SIZES = np.array([[5, 3, 4], [2, 5, 1]])
CLASSES = np.array([[True, True, False, False], [False, False, True, True]])


def stream(kind: Kind = "domain", seed: int = 0) -> Stream:
    """Random images of 2 x 2 pixels; every task has its own half of the classes, except in domain-incremental streams."""
    rng = np.random.default_rng(seed)
    classes = np.ones_like(CLASSES) if kind == "domain" else CLASSES
    own = [np.flatnonzero(row) for row in classes]
    return Stream(
        images=rng.random((K, M, S, 1, 2, 2)).astype(np.float32),
        labels=np.stack([rng.choice(row, (M, S)) for row in own]),
        sizes=SIZES,
        test_images=rng.random((K, TESTED, 1, 2, 2)).astype(np.float32),
        test_labels=np.stack([rng.choice(row, TESTED) for row in own]),
        classes=classes,
        n_classes=C,
        name="random",
        kind=kind,
        test_clients=np.stack([[rng.permutation(TESTED)[:2] for _ in range(M)] for _ in range(K)]),
    )


MODEL = mlp((1, 2, 2), C, (3,))


def compile_here(*kernels: str) -> None:
    """Compile fused kernels that are not on disk, in this process: a process for each, as in runs, takes longer in all."""
    from verify.networks.training import ahead

    for kernel in kernels:
        ahead._call(kernel)


def world(kind: Kind = "domain", **changes: Any) -> NetworkWorld:
    return NetworkWorld(stream(kind), MODEL, **{"batch": 2, "compile": as_written, **changes})


def models(*shape: int, seed: int = 0) -> torch.Tensor:
    """Random models (*shape, d)."""
    rng = np.random.default_rng(seed)
    return torch.from_numpy(rng.normal(0, 1, (*shape, MODEL.dim)).astype(np.float32))


def sample_loss(world: NetworkWorld, x: torch.Tensor, task: int, client: int, j: int) -> torch.Tensor:
    """Cross entropy of one model (d,) on one sample."""
    data = world.stream
    logits = MODEL.logits(x, torch.from_numpy(data.images[task, client, j][None]))
    if data.kind == "task":
        logits = logits.masked_fill(~torch.from_numpy(data.classes[task]), -torch.inf)
    return F.cross_entropy(logits, torch.tensor(data.labels[task, client, j][None]))


def sample_grad(world: NetworkWorld, x: torch.Tensor, task: int, client: int, j: int) -> torch.Tensor:
    point = x.clone().requires_grad_()
    return torch.autograd.grad(sample_loss(world, point, task, client, j), point)[0]


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)


FEWER: dict[str, dict[str, Any]] = {
    "target/paper": {"synthesis": target.Synthesis(2, 4, 2, 0, 1)},
    "target/released": {"synthesis": target.Synthesis(2, 4, 2, 2, 1)},
    "mfcl/paper": {"synthesis": replace(mfcl.PAPER, n_made=6, steps=2, batch=4)},
    "mfcl/released": {"synthesis": replace(mfcl.RELEASED, n_made=6, steps=2, batch=4)},
    "fedcil/paper": {"consolidation": fedcil.Consolidation(2, 4)},
    "fedcil/released": {"consolidation": fedcil.Consolidation(2, 4)},
    "re-fed": {"steps": 2, "capacity": 4},
}
"""Settings of the server's training, and of the samples that clients rank and store, at a size suited to tests."""


def fewer(name: str) -> Method:
    """The method of `METHODS` at this size."""
    whole, changes = METHODS[name], FEWER[name]
    numbers = {number: changes.get(number, value) for number, value in whole.numbers.items()}
    return replace(whole, numbers=numbers, fixed={**whole.fixed, **changes})


def made(name: str, here: Any, **changes: Any) -> Algorithm:
    """A method by its name."""
    return METHODS[name](here, **{**FEWER.get(name, {}), **changes})
