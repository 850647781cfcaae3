"""Methods by name, with their hyperparameters, one line each.

Step sizes and strengths of the default methods were selected in the same way: from the candidates in
`verify.networks.selection`, on data, models and draws of another seed. ``docs/networks-results.md`` has the results. Variants
of a method use its hyperparameters. The weights of the past in CFL-Regularization of layers and in other core sets were not
selected.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from algorithms.algorithm import Algorithm
from algorithms.cfl_coreset import cfl_coreset, cfl_coreset_icarl, cfl_coreset_weighted
from algorithms.cfl_mcmc import cfl_mcmc
from algorithms.cfl_regularization import cfl_regularization, cfl_regularization_of_layers, constant
from algorithms.cflag import average_case, cflag, worst_case
from algorithms.ditto import ditto
from algorithms.ewc import ewc
from algorithms.fedagem import fedagem
from algorithms.fedavg import fedavg
from algorithms.fedcil import fedcil
from algorithms.fedmes import fedmes, with_inference
from algorithms.fedprox import fedprox, held_near
from algorithms.fedrep import fedrep
from algorithms.fedtrack import fedtrack
from algorithms.fedweit import PAPER, RELEASED, fedweit
from algorithms.icarl import icarl
from algorithms.lwf import flwf_2t, lwf
from algorithms.memory import Rule, class_balanced, first_in_first_out, in_pairs, ring, with_capacities
from algorithms.mfcl import RELEASED as RELEASED_MFCL
from algorithms.mfcl import mfcl
from algorithms.mimelite import mimelite
from algorithms.nccl import nccl
from algorithms.penalty import in_common, with_probed_hessian, with_squared_gradient
from algorithms.pfeddil import pfeddil
from algorithms.refed import refed
from algorithms.replay import replay
from algorithms.scaffold import scaffold
from algorithms.special import special, special_from_second_task
from algorithms.special_c import special_c, special_c_each_epoch
from algorithms.target import RELEASED as RELEASED_TARGET
from algorithms.target import target
from verify.engine.work.errors import UsageError
from verify.networks.training.generators import generator

FROM_WORLD: Mapping[str, Callable[[Any], Any]] = {
    "n_clients": lambda world: world.n_clients,
    "head": lambda world: world.model.head,
    "rule": lambda world: class_balanced(ring(world.n_tasks), world.labels),
    "n_tasks": lambda world: world.n_tasks,
    "units": lambda world: world.model.units,
    "network": lambda world: world.model,
    "generator": lambda world: generator(world.model.image),
    "conditional": lambda world: generator(world.model.image, n_classes=world.model.n_classes),
}
"""Arguments whose values come from the world, by name, unless a method fixes them."""


@dataclass(frozen=True)
class Method:
    """A recipe for an algorithm in a world.

    Attributes
    ----------
    make : (...) -> Algorithm
    numbers : mapping
        Hyperparameters that a user may change.
    fixed : mapping
        Further arguments of `make`.
    """

    make: Callable[..., Algorithm]
    numbers: Mapping[str, float]
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, world: Any, **changes: float) -> Algorithm:
        """The algorithm for a world, with some hyperparameters changed."""
        wanted = inspect.signature(self.make).parameters
        known = {name: of(world) for name, of in FROM_WORLD.items() if name in wanted}
        given = {**known, **self.fixed, **self.numbers, **changes}
        called = getattr(self.make, "__name__", "make")
        free = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        needed = {
            name
            for name, one in wanted.items()
            if one.default is inspect.Parameter.empty and one.kind not in free
        }
        if missing := sorted(needed - given.keys()):
            raise UsageError(
                f"`{called}` must get every argument without a default, got none for {missing[0]}: give a number, as in "
                f"method({called}, {missing[0]}=0.1)."
            )
        made = self.make(**given)
        if not isinstance(made, Algorithm):
            raise UsageError(f"`{called}` must return an Algorithm, got {type(made).__name__}.")
        return made


def method(make: Callable[..., Algorithm], **numbers: float) -> Method:
    """A method whose other arguments come from the world."""
    return Method(make, numbers)


def as_method(name: str, entry: Any) -> Method:
    """Convert an entry to a `Method`. The hyperparameters of a function are its arguments with a number as default.

    Raises
    ------
    UsageError
        If the entry is neither a `Method` nor a function.
    """
    if isinstance(entry, Method):
        return entry
    if not callable(entry):
        raise UsageError(
            f"`METHODS[{name!r}]` must be a function that gives an Algorithm, as in method(make, local_lr=0.1), got {entry!r}."
        )
    defaults = {key: given.default for key, given in inspect.signature(entry).parameters.items()}
    numbers = {
        key: value
        for key, value in defaults.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return Method(entry, numbers)


def of_layers(**fixed: Any) -> Method:
    """CFL-Regularization of the last layer, or of the layers given in `fixed`."""
    return Method(cfl_regularization_of_layers, {"local_lr": 0.3, "past": 0.5, "global_lr": 1}, fixed)


def fedmes_of(local_lr: float, correction_lr: float, n_clients: int, capacity: int, each: int) -> Algorithm:
    """FedMeS whose clients store `each` random samples of a task, and drop the oldest ones beyond `capacity`."""
    return fedmes(local_lr, correction_lr, n_clients, capacity, first_in_first_out(each))


def fedmes_with_neighbours(
    local_lr: float, correction_lr: float, n_clients: int, capacity: int, each: int, K: int, theta: float
) -> Algorithm:
    """FedMeS with its nearest-neighbour inference; training is the same."""
    return with_inference(fedmes_of(local_lr, correction_lr, n_clients, capacity, each), K, theta)


def fedmes_uneven(
    local_lr: float,
    correction_lr: float,
    n_clients: int,
    n_tasks: int,
    capacity: int,
    least: int,
    K: int,
    theta: float,
) -> Algorithm:
    """FedMeS whose clients can store different numbers of samples, from `least` to `capacity`, divided equally among tasks."""
    rule = with_capacities(ring(n_tasks), in_pairs(least, capacity, n_clients))
    return with_inference(fedmes(local_lr, correction_lr, n_clients, capacity, rule), K, theta)


def cfl_coreset_with_past(
    local_lr: float, past: float, n_clients: int, capacity: int, rule: Rule, global_lr: float
) -> Algorithm:
    """CFL-Core-Set with a constant weight of the past, from the second task on."""
    return cfl_coreset_weighted(local_lr, n_clients, capacity, rule, constant(past), global_lr)


def cfl_coreset_near(
    local_lr: float, mu: float, n_clients: int, capacity: int, rule: Rule, global_lr: float
) -> Algorithm:
    """CFL-Core-Set with FedProx."""
    return held_near(cfl_coreset(local_lr, n_clients, capacity, rule, global_lr), local_lr, mu)


def cfl_regularization_near(
    local_lr: float, past: float, mu: float, n_clients: int, head: Any, global_lr: float
) -> Algorithm:
    """CFL-Regularization of the last layer with FedProx."""
    top = cfl_regularization_of_layers(local_lr, past, n_clients, head, HESSIAN, global_lr)
    return held_near(top, local_lr, mu)


PLACES = 40
"""Number of samples that a client stores."""
ADAPTIVE = {"alpha": 0.071, "beta": 0.079, "capacity": PLACES}
"""Initial rates of C-FLAG, and its capacity."""
HESSIAN = with_probed_hessian(10)
"""Second-order approximation of a loss from products of its Hessian with 10 random vectors."""
FEDMES_RATES = {"local_lr": 0.15, "correction_lr": 0.79}
FEDMES = {**FEDMES_RATES, "capacity": PLACES, "each": PLACES // 4}
"""Hyperparameters of FedMeS in training, for both ways of prediction."""
NEIGHBOURS = {"K": 9, "theta": 0.5}
"""Hyperparameters of its nearest-neighbour inference."""
FEDWEIT = {"local_lr": 0.18, "sparsity": 1.8e-5, "drift": 3.1}
"""Step size and strengths of FedWeIT; the selection gave the same for both versions."""
TARGET = {"local_lr": 0.31, "kd": 0.7, "global_lr": 1}
"""Hyperparameters of TARGET's clients; the selection gave the same for both versions."""

BOTH = ("target", "mfcl", "fedcil", "fedweit")
"""Systems whose released code differs from the printed algorithm; both versions are methods."""

METHODS: dict[str, Method] = {
    "fedavg": method(fedavg, local_lr=0.13, global_lr=1),
    "fedprox": method(fedprox, local_lr=0.23, mu=0.02, global_lr=1),
    "scaffold": method(scaffold, local_lr=0.095, global_lr=1),
    "mimelite": method(mimelite, local_lr=0.19, momentum=0.11, global_lr=1),
    "fedtrack": method(fedtrack, local_lr=0.094),
    "special": method(special, local_lr=0.23, global_lr=1, lam=0.02),
    "special-second-task": method(special_from_second_task, local_lr=0.23, global_lr=1, lam=0.02),
    "special-c": method(special_c, local_lr=0.15, global_lr=1, lam=0.0047),
    "special-c-epoch": method(special_c_each_epoch, local_lr=0.15, global_lr=1, lam=0.2),
    "cflag": method(cflag, alpha=0.31, beta=0.079, capacity=PLACES),
    "cflag-adaptive": Method(cflag, ADAPTIVE, {"message": average_case(5)}),
    "cflag-worst-case": Method(cflag, ADAPTIVE, {"message": worst_case(5)}),
    "cflag-sampled": Method(cflag, {**ADAPTIVE, "sample": PLACES // 2}, {"message": worst_case(5)}),
    "nccl": method(nccl, alpha=0.15, smoothness=2.6, capacity=PLACES),
    "er": method(replay, local_lr=0.59, memory_share=0.66, capacity=PLACES, global_lr=1),
    "fedagem": method(fedagem, local_lr=0.18, capacity=PLACES, global_lr=1),
    "icarl": method(icarl, local_lr=0.7, lam=0.11, memory_share=0.5, capacity=PLACES, global_lr=1),
    "ewc": method(ewc, local_lr=0.31, lam=0.7, global_lr=1),
    "lwf": method(lwf, local_lr=0.23, lam=0.02, global_lr=1),
    "flwf-2t": method(flwf_2t, local_lr=0.38, alpha=0.56, beta=0.18, global_lr=1),
    "cfl-regularization": method(cfl_regularization, local_lr=0.094, global_lr=1),
    "cfl-regularization-top": of_layers(parts=HESSIAN),
    "cfl-regularization-full": of_layers(parts=HESSIAN, head=1),
    "cfl-regularization-fisher": of_layers(),
    "cfl-regularization-square": of_layers(parts=with_squared_gradient),
    "cfl-regularization-server": of_layers(parts=in_common(HESSIAN)),
    "cfl-regularization-fedprox": method(
        cfl_regularization_near, local_lr=0.3, past=0.5, mu=0.1, global_lr=1
    ),
    "cfl-core-set": method(cfl_coreset, local_lr=0.41, capacity=PLACES, global_lr=1),
    "cfl-core-set-weighted": method(
        cfl_coreset_with_past, local_lr=0.3, past=0.5, capacity=PLACES, global_lr=1
    ),
    "cfl-core-set-icarl": method(cfl_coreset_icarl, local_lr=0.3, capacity=PLACES, global_lr=1),
    "cfl-core-set-fedprox": method(cfl_coreset_near, local_lr=0.41, mu=0.1, capacity=PLACES, global_lr=1),
    "fedmes": Method(fedmes_of, FEDMES),
    "fedmes-inference": Method(fedmes_with_neighbours, {**FEDMES, **NEIGHBOURS}),
    "fedmes-uneven": method(fedmes_uneven, **FEDMES_RATES, capacity=PLACES, least=PLACES // 4, **NEIGHBOURS),
    "ditto": method(ditto, local_lr=0.18, personal_lr=0.041, lam=0.93, global_lr=1),
    "cfl-mcmc": method(cfl_mcmc, local_lr=0.41, each=50, global_lr=1),
    "pfeddil": method(pfeddil, local_lr=0.13, lam=0.57, migration=0.024, models=4, global_lr=1),
    "re-fed": method(refed, local_lr=0.38, personal_lr=0.41, lam=0.57, steps=5, capacity=PLACES, global_lr=1),
    "target/paper": method(target, **TARGET),
    "target/released": Method(target, TARGET, {"synthesis": RELEASED_TARGET}),
    "mfcl/paper": method(mfcl, local_lr=0.13, kd=0.0073, ft=0.07, global_lr=1),
    "mfcl/released": Method(
        mfcl, {"local_lr": 0.18, "kd": 0.0022, "ft": 0.93, "global_lr": 1}, {"synthesis": RELEASED_MFCL}
    ),
    "fedcil/paper": method(fedcil, consistency=1, local_lr=0.23, generator_lr=0.0014, global_lr=1),
    "fedcil/released": method(fedcil, consistency=0, local_lr=0.31, generator_lr=0.0079, global_lr=1),
    "fedweit/paper": Method(fedweit, FEDWEIT | {"mask_sparsity": 1e-4}, {"rules": PAPER}),
    "fedweit/released": Method(fedweit, FEDWEIT | {"mask_sparsity": 0}, {"rules": RELEASED}),
    "fedrep": method(fedrep, local_lr=0.41, head_steps=5, global_lr=1),
}
"""Name -> Method."""

BUILT_IN = dict(METHODS)
"""The methods of the toolkit, without the user's own ones."""

SYSTEMS = (
    "cfl-mcmc",
    "pfeddil",
    "re-fed",
    *(f"{name}/{version}" for name in BOTH for version in ("paper", "released")),
)
"""Systems whose clients or servers store more than a model and samples."""
VARIANTS = (
    *SYSTEMS,
    "special-second-task",
    "special-c-epoch",
    "cflag-worst-case",
    "cflag-sampled",
    "fedmes-uneven",
    *(name for name in METHODS if name.startswith(("cfl-core-set-", "cfl-regularization-"))),
)
"""Variants of methods, which are compared only on request."""
NAMED = (
    *("fedavg", "fedprox", "scaffold", "mimelite", "ditto", "cfl-regularization", "cfl-regularization-full"),
    *("cfl-core-set", "cfl-mcmc", "cflag", "ewc", "nccl", "er", "fedtrack", "lwf", "icarl", "target/paper"),
    *("special", "special-c", "fedcil/paper", "mfcl/paper", "re-fed", "pfeddil", "flwf-2t"),
    *("fedmes-inference", "fedrep", "fedagem", "fedweit/paper"),
)
"""The 28 systems that the four papers name and compare; Re-Fed stands for SR-FDIL, whose formulas are not public."""
ALONE = ("icarl", "re-fed", "cfl-core-set-icarl")
"""Methods whose memories depend on their models; their candidates are trained one after another."""
COMPARED = tuple(name for name in METHODS if name not in VARIANTS)


def parsed(text: str) -> tuple[str, dict[str, float]]:
    """Parse ``name`` or ``name:number=value,number=value`` to a method name and its changed hyperparameters.

    Raises
    ------
    UsageError
        If there is no such method, or it has no such hyperparameter.
    """
    name, _, rest = text.partition(":")
    if name not in METHODS:
        raise UsageError(f"`--algorithms` knows {', '.join(METHODS)}, got {name!r}.")
    changes = {}
    for part in filter(None, rest.split(",")):
        number, _, value = part.partition("=")
        known = METHODS[name].numbers
        if number not in known:
            raise UsageError(f"{name} has the numbers {', '.join(known)}, got {part!r}.")
        changes[number] = _number(number, value)
    return name, changes


def _number(name: str, text: str) -> float:
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        raise UsageError(f"`{name}` must be a number, got {text!r}.") from None
