"""Training: the same results with and without a stop, learning of FedAvg on real data, and clear errors."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
import torch

from algorithms.draws import minibatches
from algorithms.fedavg import fedavg
from algorithms.fedmes import fedmes
from algorithms.memory import first_in_first_out
from algorithms.simulate import states
from algorithms.special_c import special_c
from tests.networks.cases import MODEL, SIZES, K, M, made, models, world
from verify.networks.data.catalogue import stream as named_stream
from verify.networks.training import footprint
from verify.networks.training.checkpoint import Checkpoint
from verify.networks.training.footprint import TooLarge
from verify.networks.training.kernels import as_written
from verify.networks.training.measures import EVERY_ROUND
from verify.networks.training.models import mlp
from verify.networks.training.train import Patience, starts, train
from verify.networks.training.world import NetworkWorld

RUNS, ROUNDS = 3, 2
METHODS = {
    "FedAvg": fedavg(0.5),
    "SPECIAL-C": special_c(0.5, 1, 0.1),
    "FedMeS": fedmes(0.1, 0.1, M, 3, first_in_first_out(2)),
}


def draws(n_runs: int = RUNS):
    return minibatches(0, n_runs, SIZES, 2, 3, 2, memory_batch=2)


class Stopped(Exception):
    pass


@pytest.mark.parametrize("name", METHODS)
def test_a_stopped_run_goes_on_with_the_same_numbers(name: str, tmp_path) -> None:
    start, method = models(RUNS), METHODS[name]
    file = Checkpoint(tmp_path / "run.npz", "key")

    def stop(line: str) -> None:
        raise Stopped

    whole = train(world(), method, draws(), start, ROUNDS, measure=EVERY_ROUND)
    with pytest.raises(Stopped):
        train(world(), method, draws(), start, ROUNDS, measure=EVERY_ROUND, checkpoint=file, progress=stop)
    resumed = train(world(), method, draws(), start, ROUNDS, measure=EVERY_ROUND, checkpoint=file)
    assert (resumed.models == whole.models).all()
    assert (resumed.by_round == whole.by_round).all()
    again = train(world(), method, draws(), start, ROUNDS, measure=EVERY_ROUND, checkpoint=file)
    assert (again.models == whole.models).all()
    assert again.accuracy.shape == (RUNS, K, K)
    assert again.by_round.shape == (RUNS, K, ROUNDS, K)


def test_it_is_the_simulators_run() -> None:
    *_, (_, _, state) = states(world(), METHODS["FedAvg"], draws(), models(RUNS), ROUNDS, K)
    found = train(world(), METHODS["FedAvg"], draws(), models(RUNS), ROUNDS).models
    assert (found[..., 0, :] == state["theta"]).all()


def test_more_runs_change_nothing_of_the_earlier_ones() -> None:
    few, many = (
        train(world(), METHODS["FedAvg"], draws(n), starts(MODEL, 0, n), 1).models for n in (2, RUNS)
    )
    torch.testing.assert_close(few, many[:2], atol=1e-6, rtol=1e-5)


def test_a_checkpoint_of_another_run_is_not_read(tmp_path) -> None:
    path = tmp_path / "run.npz"
    Checkpoint(path, "one").save(
        {"theta": torch.zeros(2), "kept": np.arange(3), "task": 1}, seconds=np.array(2.0)
    )
    assert Checkpoint(path, "other").load("cpu") is None
    found = Checkpoint(path, "one").load("cpu")
    assert found is not None
    state, results = found
    assert state["task"] == 1
    assert (state["kept"] == np.arange(3)).all()
    assert results["seconds"] == 2.0
    with pytest.raises(TypeError, match="`odd` of the state is a str"):
        Checkpoint(path, "one").save({"odd": "text"})


def written(content) -> bytes:
    file = BytesIO()
    content(file)
    return file.getvalue()


def test_a_checkpoint_that_somebody_has_changed_is_not_read(tmp_path) -> None:
    """For any change of its bytes, loading returns the saved state or None, and raises no exception."""
    file = Checkpoint(tmp_path / "run.npz", "key")
    file.save(
        {"theta": torch.arange(6.0).reshape(2, 3), "task": 1, "none": np.zeros((0, 2))}, seconds=np.array(2.0)
    )
    good = file.path.read_bytes()
    with np.load(file.path) as entries:
        saved = dict(entries)
    rng = np.random.default_rng(0)
    for _ in range(300):
        bad = bytearray(good)
        place = rng.integers(len(bad))
        bad[place] ^= 1 << rng.integers(8)
        file.path.write_bytes(bytes(bad))
        found = file.load("cpu")
        if found is not None:  # a bit without meaning, such as one of the time of writing
            assert (found[0]["theta"].flatten().tolist(), found[0]["task"]) == ([0, 1, 2, 3, 4, 5], 1)
            assert (found[0].keys(), found[1]) == ({"theta", "task", "none"}, {"seconds": 2.0})
    others = (
        good[:100],
        b"",
        written(lambda f: np.save(f, np.arange(3))),
        written(lambda f: np.savez(f)),
        written(lambda f: np.savez(f, **(saved | {"number.task": np.array(2)}))),
        written(lambda f: np.savez(f, **(saved | {"number.more": np.array(2)}))),
        written(lambda f: np.savez(f, **(saved | {"tensor.theta": saved["tensor.theta"].reshape(3, 2)}))),
        written(lambda f: np.savez(f, **(saved | {"tensor.theta": saved["tensor.theta"].view(np.int32)}))),
    )
    for bad in others:
        file.path.write_bytes(bad)
        assert file.load("cpu") is None
    file.path.write_bytes(good)
    assert file.load("cpu") is not None


def test_a_run_too_large_for_the_memory_is_refused_before_it_starts(monkeypatch) -> None:
    monkeypatch.setattr(footprint, "available", lambda device: 10 * 2**20)
    with pytest.raises(
        TooLarge, match=r"needs about 64 MiB .*state.*, but 10 MiB are free on cpu: take fewer"
    ):
        train(world(), METHODS["FedAvg"], draws(), models(RUNS), ROUNDS)


def test_personal_models_count_in_the_estimate() -> None:
    start = models(RUNS)
    plain, personal = (
        footprint.estimate(world(), METHODS[name], draws(), start)["state"] for name in ("FedAvg", "FedMeS")
    )
    of_models = 2 * start.nbytes
    assert plain == of_models
    assert personal > (1 + M) * of_models


def test_fedavg_learns_the_digits() -> None:
    data = named_stream("digits", n_clients=8, n_tasks=1)
    model = mlp(data.image, data.n_classes)
    here = NetworkWorld(data, model, compile=as_written)
    found = train(here, fedavg(0.3), minibatches(0, 2, data.sizes, 4, 30, 32), starts(model, 0, 2), 20)
    assert found.accuracy.shape == (2, 1, 1)
    assert found.accuracy.min() > 0.93


def test_patience_ends_a_task_when_no_accuracy_is_better() -> None:
    patience = Patience(None, 2)
    assert [
        patience.rounds_left(accuracies)
        for accuracies in ([], [0.5], [0.5, 0.4], [0.5, 0.6], [0.5, 0.5, 0.4])
    ] == [*(2, 2, 1, 2, 0)]


@pytest.mark.parametrize("name", ["ewc", "er", "mfcl/paper"])
def test_a_task_that_ends_early_is_one_of_fewer_rounds(name: str, tmp_path) -> None:
    """Without patience every task ends after one round, and the work at the end of a task is done there."""
    here = world("class")
    method, start = made(name, here), starts(MODEL, 0, RUNS)
    short = train(here, method, draws(), start, 1, measure=EVERY_ROUND)
    none = Patience(here, 0)
    early = train(here, method, draws(), start, 5, measure=EVERY_ROUND, patience=none)
    assert early.rounds == [1] * K
    assert torch.equal(early.models, short.models)
    np.testing.assert_array_equal(early.by_round, short.by_round)


def test_a_task_goes_on_while_accuracies_rise_and_is_resumed(tmp_path) -> None:
    here, start, file = world("class"), models(RUNS), Checkpoint(tmp_path / "run.npz", "key")

    def run(rounds: int, progress=lambda line: None, **kwargs):
        return train(
            here, fedavg(0.5), draws(), start, rounds, measure=EVERY_ROUND, progress=progress, **kwargs
        )

    def stop(line: str) -> None:
        raise Stopped

    patience = Patience(here, 2)
    whole = run(12, patience=patience)
    accuracy = whole.by_round[:, 0, : whole.rounds[0], 0].mean(axis=0)  # validated on the test images here
    best = [int(np.argmax(accuracy[: played + 1])) for played in range(len(accuracy) - 1)]
    waited = [played - at for played, at in enumerate(best)]
    assert waited[-1] == 2 or whole.rounds[0] == 12
    assert max(waited[:-1], default=0) < 2
    with pytest.raises(Stopped):
        run(12, stop, patience=patience, checkpoint=file)
    resumed = run(12, patience=patience, checkpoint=file)
    assert resumed.rounds == whole.rounds
    assert torch.equal(resumed.models, whole.models)
    np.testing.assert_array_equal(resumed.by_round, whole.by_round)
