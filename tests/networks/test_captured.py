"""Rounds replayed by a graph equal the original rounds; rounds that a graph cannot replay run without one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from algorithms.algorithm import State
from algorithms.combining import by_size
from algorithms.draws import Draws, minibatches
from algorithms.simulate import play_round, states
from tests.networks.cases import MODEL, SIZES, K, made, world
from tests.networks.emulated import DEVICE, HOST, Device
from tests.networks.recorder import Recorder
from verify.networks.methods import METHODS
from verify.networks.training import captured
from verify.networks.training.captured import Captured, CudaGraphs, rounds_on
from verify.networks.training.federations import Federations
from verify.networks.training.fused import never
from verify.networks.training.masked import compact_round, masked_round
from verify.networks.training.resolved import Refused, Unread, host_values, resolved
from verify.networks.training.train import starts

RUNS, ROUNDS, SAMPLED = 2, 3, 2


@pytest.fixture(autouse=True)
def told_anew() -> None:
    captured._tell.cache_clear()


def draws(**changes: Any) -> Draws:
    return replace(minibatches(0, RUNS, SIZES, SAMPLED, 2, 2, memory_batch=2), cast=resolved, **changes)


def played(name: str, device: str, drawn: Draws, play: Any = play_round, tasks: int = K) -> list[State]:
    """States after every round."""
    here = world("class", device=device, fuse=never)
    start = starts(MODEL, 0, RUNS, device)
    return [state for *_, state in states(here, made(name, here), drawn, start, ROUNDS, tasks, play=play)]


def same_models(name: str, drawn: Draws, play: Any) -> None:
    """Check every returned state, after the run has ended, against a run of the CPU."""
    expected = played(name, HOST, drawn)
    with Device():
        for one, other in zip(played(name, DEVICE, drawn, play), expected, strict=True):
            assert (one["theta"].cpu() == other["theta"]).all()


RECORDED, NEVER = tuple(METHODS), ()
"""Methods whose rounds are recorded, and those whose rounds are not; a script for GPUs outside this repository reads both."""
LATER = ("fedtrack", "cflag", "cflag-adaptive", "cflag-worst-case", "cflag-sampled")
"""Methods whose state has more entries after the first round, so that recording begins one round later."""
OTHER_FIRST = ("pfeddil", "fedcil/paper", "fedcil/released")
"""Methods whose first round of each task differs from the others, so that recording begins one round later in each task."""


def replayed(name: str, tasks: int = K) -> int:
    """Number of rounds of a method that are replayed."""
    later = tasks if name in OTHER_FIRST else name in LATER
    return tasks * (ROUNDS - 1) - later


@pytest.mark.parametrize("name", RECORDED)
def test_rounds_by_a_graph_are_the_rounds_themselves(name: str, capsys) -> None:
    recorder = Recorder()
    same_models(name, draws(), Captured(recorder))
    assert recorder.recordings == K
    assert recorder.replays == replayed(name)
    assert not capsys.readouterr().err


def test_nothing_waits_for_a_replayed_round() -> None:
    here, recorder = world("class", device=DEVICE, fuse=never), Recorder()
    with Device() as device:
        path = states(
            here,
            made("fedavg", here),
            draws(),
            starts(MODEL, 0, RUNS, DEVICE),
            ROUNDS,
            play=Captured(recorder),
        )
        waits = [device.waits for _ in path]
    assert recorder.replays == ROUNDS - 1
    assert waits[1:] == [waits[1]] * ROUNDS  # the first round brings the samples


def steps_of(*lengths: int) -> Draws:
    """Rounds with this number of local steps."""
    whole = draws()
    return replace(whole, noise=lambda task, round_: whole.noise(task, round_)[..., : lengths[round_], :])


def test_rounds_of_another_shape_are_not_replayed() -> None:
    recorder = Recorder()
    same_models("fedavg", steps_of(1, 1, 2), Captured(recorder))
    assert (recorder.recordings, recorder.replays) == (K, K)


def resting(local_steps: int = 3) -> Draws:
    """Rounds with different inactive slots."""
    whole = minibatches(0, RUNS, SIZES, SAMPLED, local_steps, 2, memory_batch=2)

    def noise(task: int, round_: int) -> np.ndarray:
        found = whole.noise(task, round_).copy()
        found[0, round_ % SAMPLED, 1:], found[1, (round_ + 1) % SAMPLED, 2:] = -1, -1
        return found

    return replace(whole, cast=resolved, noise=noise)


@pytest.mark.parametrize("name", ["fedavg", "special-c", "flwf-2t", "mfcl/paper"])
def test_rounds_in_which_others_rest_have_the_same_form(name: str) -> None:
    recorder = Recorder()
    same_models(name, resting(), Captured(recorder))
    assert (recorder.recordings, recorder.replays) == (K, K * (ROUNDS - 1))


@pytest.mark.parametrize("name", ["er", "cflag", "fedmes"])
def test_rounds_of_federations_weighted_by_samples_are_recorded(name: str) -> None:
    def models(device: str, play: Any) -> list[State]:
        whole = world("class", device=device, fuse=never)
        rows = np.stack([np.asarray(whole.at(task).rows.cpu()) for task in range(K)])[:, None].repeat(RUNS, 1)
        here = Federations(
            whole.stream, MODEL, 2, device, rows=rows, tested=whole.tests, whole=whole, quick=whole
        )
        weighted = by_size(made(name, here), here.sizes)
        return [
            state["theta"].cpu()
            for *_, state in states(
                here, weighted, resting(), starts(MODEL, 0, RUNS, device), ROUNDS, K, play=play
            )
        ]

    recorder = Recorder()
    with Device():
        found = models(DEVICE, Captured(recorder))
    for one, other in zip(found, models(HOST, play_round), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)
    assert recorder.replays == replayed(name)


@pytest.mark.parametrize("name", METHODS)
def test_a_round_in_one_form_waits_at_most_twice(name: str) -> None:
    """The results equal those of a run without inactive slots, bit by bit. The first round brings the samples.

    The server's training after a round counts; the choice of memories after a task does not.
    """
    here, waits, models = world("class", device=DEVICE, fuse=never), [], []
    with Device() as device:
        algorithm, start = made(name, here), starts(MODEL, 0, RUNS, DEVICE)
        for _, rounds, state in states(here, algorithm, resting(), start, ROUNDS, K, play=masked_round):
            waits.append((rounds, device.waits))
            models.append(state["theta"])
        found = [each.cpu() for each in models]
    assert max(now - before for (_, before), (n, now) in pairwise(waits[1:]) if 0 < n < ROUNDS) <= 2
    for one, other in zip(found, played(name, HOST, resting()), strict=True):
        torch.testing.assert_close(one, other["theta"], rtol=0, atol=1e-6 if "fedcil" in name else 0)


def by_numbers_of_the_host(world: Any, algorithm: Any, state: State, task: int, *drawn: Any) -> State:
    """The results of a graph that uses the numbers of the round in which it was recorded."""
    return {"theta": state["theta"] + float(np.asarray(drawn[0]).sum())}


def by_draws_brought(world: Any, algorithm: Any, state: State, task: int, *drawn: Any) -> State:
    brought = torch.from_numpy(np.array(drawn[0]).sum(keepdims=True)).to(
        state["theta"].device, non_blocking=True
    )
    return {"theta": state["theta"] + brought.to(torch.float32)}


def by_numbers_brought(world: Any, algorithm: Any, state: State, task: int, *drawn: Any) -> State:
    """Numbers of the host that are the same in each round, changed in place on the device."""
    brought = torch.ones(MODEL.dim).to(state["theta"].device, non_blocking=True)
    return {"theta": state["theta"] + brought.mul_(2) * len(drawn[0])}


def by_what_it_says(world: Any, algorithm: Any, state: State, task: int, *drawn: Any) -> State:
    return {"theta": state["theta"] * (0.5 if state["theta"].sum() > 0 else 2)}


@pytest.mark.parametrize(
    ("play", "why"),
    [
        (by_numbers_of_the_host, "what is drawn is asked of the host"),
        (by_draws_brought, "what is drawn is asked of the host"),
        (by_what_it_says, "_local_scalar_dense.default needs the host"),
    ],
)
def test_what_a_graph_would_not_do_again_is_played_as_it_is(play: Any, why: str, capsys) -> None:
    recorder = Recorder()
    expected = played("fedavg", HOST, draws(), play, 1)
    with Device():
        found = played("fedavg", DEVICE, draws(), Captured(recorder, play), 1)
        assert all((a["theta"].cpu() == b["theta"]).all() for a, b in zip(found, expected, strict=True))
    (line,) = capsys.readouterr().err.splitlines()
    assert why in line
    assert recorder.replays == 0


def test_numbers_of_the_host_that_stay_are_constants_of_a_graph(capsys) -> None:
    recorder = Recorder()
    expected = played("fedavg", HOST, draws(), by_numbers_brought, 1)
    with Device():
        found = played("fedavg", DEVICE, draws(), Captured(recorder, by_numbers_brought), 1)
        assert all((a["theta"].cpu() == b["theta"]).all() for a, b in zip(found, expected, strict=True))
    assert recorder.replays == ROUNDS - 1
    assert not capsys.readouterr().err


def test_numbers_that_only_the_recorded_round_needs_are_refused(capsys) -> None:
    calls: list[int] = []

    def otherwise(world: Any, algorithm: Any, state: State, task: int, *drawn: Any) -> State:
        calls.append(len(calls))
        brought = torch.full((MODEL.dim,), float(len(calls))).to(state["theta"].device, non_blocking=True)
        return {"theta": state["theta"] + brought}

    with Device():
        played("fedavg", DEVICE, draws(), Captured(Recorder(), otherwise), 1)
    assert "the round before did not need" in capsys.readouterr().err


def test_where_nothing_can_be_recorded_rounds_are_played_as_they_are(capsys) -> None:
    class Broken(Recorder):
        def recorded(self, call: Callable[[], State]) -> Any:
            raise RuntimeError("operation not permitted when stream is capturing\nand more")

    same_models("fedavg", draws(), Captured(Broken()))
    assert capsys.readouterr().err.splitlines() == [
        "networks: rounds are not recorded, so slower (operation not permitted when stream is capturing)"
    ]


def test_the_host_knows_nothing_of_what_was_drawn() -> None:
    numbers = np.array([[3, -1], [0, 5]])
    there = torch.from_numpy(numbers)
    unread = Unread(numbers.shape, there)
    assert unread.shape == numbers.shape
    assert (unread[1].there == there[1]).all()
    for asked in (
        np.max,
        np.sort,
        np.asarray,
        host_values,
        lambda n: n + 1,
        lambda n: n < 0,
        lambda n: n.sum(),
    ):
        with pytest.raises(Refused):
            asked(unread)
    assert (host_values(resolved(there, numbers)) == numbers).all()


def test_on_cuda_rounds_are_warmed_and_recorded_on_a_stream_of_their_own(monkeypatch) -> None:
    done: list[str] = []

    class Stream:
        def __init__(self, name: str) -> None:
            self.name = self.device = name

        def wait_stream(self, other: Stream) -> None:
            done.append(f"{self.name} waits for {other.name}")

    class Within:
        def __init__(self, *given: Any, stream: Any = None) -> None:
            self.name = (stream or given[0]).name

        def __enter__(self) -> None:
            done.append(f"on {self.name}")

        def __exit__(self, *error: Any) -> None:
            done.append(f"off {self.name}")

    class Graph:
        def replay(self) -> None:
            done.append("replayed")

    for name, fake in {"Stream": Stream, "stream": Within, "graph": Within, "CUDAGraph": Graph}.items():
        monkeypatch.setattr(torch.cuda, name, fake)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: Stream(f"{device}'s own"))

    def call() -> State:
        done.append("called")
        return {"theta": 1}

    graphs = CudaGraphs("cuda:1")
    assert graphs.beside(call) == {"theta": 1}
    replay, found = graphs.recorded(call)
    replay()
    assert found == {"theta": 1}
    aside, own = "cuda:1", "cuda:1's own"
    warmed = [f"{aside} waits for {own}", f"on {aside}", "called", f"off {aside}", f"{own} waits for {aside}"]
    assert done == [*warmed, f"on {aside}", "called", f"off {aside}", "replayed"]
    assert isinstance(rounds_on("cuda:1"), Captured)
    assert rounds_on("cpu") is compact_round
    assert rounds_on(DEVICE) is masked_round
