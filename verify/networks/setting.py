"""Settings of experiments, and methods with the step sizes, optimiser and weights of a setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf, isfinite
from typing import Any

import torch

from algorithms.algorithm import Algorithm
from algorithms.combining import by_size
from algorithms.optimisers import OPTIMISERS
from algorithms.schedule import scheduled
from verify.networks.data.deals import Deal
from verify.networks.data.images import Kind
from verify.networks.data.splits import Part
from verify.networks.methods import METHODS, Method

Numbers = float | tuple[float, ...] | torch.Tensor
"""One value of a hyperparameter, several values that are trained together, or a tensor with an axis for the runs."""

WEIGHTS = ("equal", "size")
PRECISIONS = ("float32", "tf32", "bf16")


@dataclass(frozen=True)
class Setting:
    """The data, the federation, the network and the length of an experiment.

    Attributes
    ----------
    deal : (setting, pool, run) -> Rows
        Assigns images to clients, from `verify.networks.data.deals`.
    data, folder : str
        A stream of `verify.networks.data.catalogue`, and the folder of its files.
    kind : {"domain", "class", "task"}
    tasks : int
        Tasks K of the stream; 0: all of them.
    periods : int
        Number of periods of a task. The clients have other images in each period, and each counts as a task of the run.
    images, tests : int
        Largest numbers of training images of a task (over all clients) and of test images.
    clients, sampled, rounds : int
        Clients M, clients per round N, rounds per task T.
    epochs : float
        Number of local epochs in a round, rounded to the nearest number of steps.
    batch : int
        Size of a minibatch.
    alpha : float
        Dirichlet parameter of the clients' classes, and of a client's subsets if it has several.
    subsets, overlap : int, float
        For clients whose images change: the number of their subsets, and the share of images that consecutive subsets share.
    local_lr : float or None
        All step sizes of the clients, see `rates`. None: each method has its own.
    optimiser : str
        Optimiser of the clients, from `algorithms.optimisers.OPTIMISERS`.
    step : float or None
        Every step size of the clients, instead of selected ones. None: the selected ones, which are for plain descent.
    factor : float or None
        If given, methods select their hyperparameters in the setting itself, among as many candidates as on the digits, with
        all step sizes multiplied by this factor. None: as selected on the digits.
    weights : {"equal", "size"}
        Weights of the clients in the server's means.
    decay, fading : float
        The server's step size in task i (from 1) is multiplied by ``i**-decay``. The clients' step size in round t of a task
        (from 0) is multiplied by ``fading**t``.
    seeds, first, seed : int
        Number of runs, number of the first one, and seed of the data.
    part : {"test", "validation"}
        Images for evaluation: the test images, or validation images, with which hyperparameters are selected. Neither are
        used for training.
    device : str
        Device of PyTorch.
    precision : {"float32", "tf32", "bf16"}
        Precision of products. tf32 needs an accelerator with tf32. With bf16 the whole network computes in bf16, but its
        parameters stay float32.
    compiled : bool
        Whether steps are compiled. Compiling changes results by rounding errors, takes seconds, and halves the time of a step.
    """

    deal: Deal
    data: str = "digits"
    folder: str = ""
    kind: Kind = "domain"
    tasks: int = 4
    periods: int = 1
    images: int = 1150
    tests: int = 1000
    clients: int = 8
    sampled: int = 4
    rounds: int = 20
    epochs: float = 5
    batch: int = 32
    alpha: float = 0.1
    subsets: int = 1
    overlap: float = 0
    local_lr: float | None = 0.1
    optimiser: str = "sgd"
    step: float | None = None
    factor: float | None = None
    weights: str = "equal"
    decay: float = 0
    fading: float = 1
    model: str = "mlp"
    seeds: int = 16
    first: int = 0
    seed: int = 0
    part: Part = "test"
    device: str = "cpu"
    precision: str = "float32"
    compiled: bool = False

    def __post_init__(self) -> None:
        if self.sampled > self.clients:
            raise ValueError(
                f"`sampled` must be at most `clients`, got {self.sampled} of {self.clients}; lower `sampled` or raise `clients`."
            )

        for name, known in (("optimiser", OPTIMISERS), ("weights", WEIGHTS), ("precision", PRECISIONS)):
            if getattr(self, name) not in known:
                raise ValueError(f"`{name}` must be one of {', '.join(known)}, got {getattr(self, name)!r}.")

        for name in ("epochs", "fading", "step", "factor"):
            if (value := getattr(self, name)) is not None and not 0 < value < inf:
                raise ValueError(f"`{name}` must be above 0 and finite, got {getattr(self, name)}.")

        if not isfinite(self.decay):
            raise ValueError(f"`decay` must be finite, got {self.decay}.")

    def plain(self) -> dict[str, Any]:
        """Plain JSON."""
        return {**asdict(self), "deal": self.deal.__name__}


SHARED = ("seeds", "seed", "data", "folder", "model", "optimiser", "step", "factor", "device", "precision")
"""Entries that all settings of a sentence have in common."""


def beside(setting: Setting, other: Setting) -> Setting:
    """`other` with the seeds, the stream, the network and the machine of `setting`."""
    return replace(other, **{name: getattr(setting, name) for name in SHARED})


def rates(method: Method) -> tuple[str, ...]:
    """Names of the clients' step sizes among a method's hyperparameters: alpha and beta if there is no ``local_lr``."""
    named = (
        ("local_lr", "correction_lr", "personal_lr") if "local_lr" in method.numbers else ("alpha", "beta")
    )
    return tuple(name for name in named if name in method.numbers)


def require_server_step(setting: Setting, method: str) -> None:
    """Raise ValueError if the setting has a decay, and the method has no step size of the server."""
    if setting.decay and "global_lr" not in METHODS[method].numbers:
        raise ValueError(
            f"`decay` must be 0 for {method}, which has no step size of the server, got {setting.decay}."
        )


def algorithm_of(setting: Setting, method: str, numbers: Mapping[str, Numbers], here: Any) -> Algorithm:
    """The method with the step sizes of the setting, and further hyperparameters changed.

    Parameters
    ----------
    numbers : name -> float, tuple of floats, or tensor
        Hyperparameters. The values of tuples are swept together, along the first axis.
    here : Federations
        The world.

    Raises
    ------
    ValueError
        If the method has no such hyperparameter, or the setting has a decay and the method has no server step size.
    """
    made, own, given = _numbers(setting, method, numbers, here)
    own_step = next(name for name in ("local_lr", "beta", "alpha") if name in own)
    optimised = OPTIMISERS[setting.optimiser]

    def of_round(task: int, played: int) -> Algorithm:
        steps = _steps(setting, own, given, task, played)
        return optimised(made(here, **{**given, **steps}), steps[own_step])

    changes = bool(setting.decay) or setting.fading != 1
    algorithm = scheduled(of_round) if changes else of_round(0, 0)
    return by_size(algorithm, here.sizes) if setting.weights == "size" else algorithm


def plan(setting: Setting, method: str, numbers: Mapping[str, Numbers], n_tasks: int) -> dict[str, Any]:
    """The hyperparameters of a method in training, and its step sizes in each round (K, T), as plain JSON."""
    _, own, given = _numbers(setting, method, numbers, None)
    rounds = [
        [_steps(setting, own, given, task, played) for played in range(setting.rounds)]
        for task in range(n_tasks)
    ]
    return {
        "numbers": given,
        "steps": {name: [[steps[name] for steps in row] for row in rounds] for name in rounds[0][0]},
    }


def _steps(
    setting: Setting, own: Sequence[str], given: Mapping[str, Any], task: int, played: int
) -> dict[str, Any]:
    """Step sizes of the clients and of the server in a round."""
    faded = {name: given[name] * setting.fading**played for name in own}
    server = {name: given[name] * (task + 1.0) ** -setting.decay for name in given if name == "global_lr"}
    return {**faded, **server}


def _numbers(
    setting: Setting, method: str, numbers: Mapping[str, Numbers], here: Any
) -> tuple[Method, Sequence[str], dict[str, Any]]:
    """The method, the names of its clients' step sizes, and all its hyperparameters in the setting."""
    made = METHODS[method]
    if unknown := sorted(numbers.keys() - made.numbers.keys()):
        raise ValueError(
            f"`numbers` of {method} must be among {', '.join(made.numbers)}, got {unknown[0]!r}."
        )
    require_server_step(setting, method)
    changed: dict[str, Any] = {
        name: torch.tensor(value, device=here.device)[:, None] if isinstance(value, tuple) else value
        for name, value in numbers.items()
    }
    if setting.step is not None:
        if swept := [name for name in rates(made) if isinstance(numbers.get(name), tuple)]:
            raise ValueError(
                f"`step` must be None where {swept[0]} of {method} is swept, got {setting.step}."
            )
        changed |= dict.fromkeys(rates(made), setting.step)
    own = {name: made.numbers[name] if setting.local_lr is None else setting.local_lr for name in rates(made)}
    return made, tuple(own), {**made.numbers, **own, **changed}
