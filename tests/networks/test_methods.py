"""Every method by name: it runs on networks, resumes after a stop, and its hyperparameters can be changed."""

from __future__ import annotations

import inspect

import pytest

import algorithms
from algorithms.draws import minibatches
from tests.networks.cases import MODEL, SIZES, made, models, world
from verify.engine.work.errors import UsageError
from verify.networks.methods import METHODS, NAMED, SYSTEMS, parsed
from verify.networks.training.checkpoint import Checkpoint
from verify.networks.training.train import train

START = models(2)
DRAWS = minibatches(0, 2, SIZES, 2, 2, 2, memory_batch=2)


class Stopped(Exception):
    pass


@pytest.mark.parametrize("name", METHODS)
def test_a_method_runs_and_goes_on_after_a_stop(name: str, tmp_path) -> None:
    here = world("class")
    method = made(name, here)
    file = Checkpoint(tmp_path / "run.npz", name)

    def stop(line: str) -> None:
        raise Stopped

    whole = train(here, method, DRAWS, START, 1)
    with pytest.raises(Stopped):
        train(here, method, DRAWS, START, 1, checkpoint=file, progress=stop)
    resumed = train(here, method, DRAWS, START, 1, checkpoint=file)
    assert (resumed.models == whole.models).all()
    assert whole.models.isfinite().all()
    assert whole.models.shape[-1] == method.network(MODEL).dim
    assert (whole.models[..., : MODEL.dim] != START[:, None]).any()


def test_every_module_of_methods_is_here() -> None:
    """Placebos learn nothing; CFL keeps the data of all tasks, and its other variants keep parts of them."""
    made = {method.make.__module__.rpartition(".")[2] for method in METHODS.values()}
    composed = {"fedmes"}  # of a rule and an inference
    assert set(algorithms.METHODS) - made - composed == {"cfl", "placebo"}


def test_the_systems_of_the_papers_are_28_methods() -> None:
    assert len(set(NAMED)) == len(NAMED) == 28
    assert set(NAMED) <= METHODS.keys()
    assert {name.partition("/")[0] for name in SYSTEMS} <= {name.partition("/")[0] for name in NAMED}


@pytest.mark.parametrize("name", METHODS)
def test_numbers_are_arguments(name: str) -> None:
    method = METHODS[name]
    assert set(method.numbers) <= set(inspect.signature(method.make).parameters)


def test_numbers_change() -> None:
    assert parsed("special:lam=0.5,local_lr=1e-2") == ("special", {"lam": 0.5, "local_lr": 0.01})
    assert parsed("er:capacity=3") == ("er", {"capacity": 3})
    here = world()
    state = METHODS["er"](here, capacity=3).init(START)
    assert state["kept"].shape[-1] == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fedavgg", "`--algorithms` knows fedavg, .*, got 'fedavgg'"),
        ("fedavg:lam=1", "fedavg has the numbers local_lr, global_lr, got 'lam=1'"),
        ("fedavg:local_lr=fast", "`local_lr` must be a number, got 'fast'"),
    ],
)
def test_what_is_unknown_is_named(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parsed(text)
