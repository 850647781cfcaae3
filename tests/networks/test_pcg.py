"""Random numbers of many streams at once, on the host and the emulated device, equal NumPy's bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import PCG64, SeedSequence, default_rng

from tests.networks.emulated import DEVICE, HOST, same
from verify.networks.training import federations
from verify.networks.training import minibatches as of_all_runs
from verify.networks.training.federations import own_minibatches
from verify.networks.training.minibatches import permutations
from verify.networks.training.pcg import MULTIPLIER, Streams, Wide, plus, times, wide

RUNS = np.arange(4) + 2
WORDS = st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1])
NUMBERS = st.tuples(WORDS, WORDS).map(lambda words: words[0] << 64 | words[1])


def number(value: Wide) -> int:
    high, low = (int(word) % 2**64 for word in value)
    return high << 64 | low


@given(NUMBERS, NUMBERS)
def test_arithmetic_of_128_bits(a: int, b: int) -> None:
    assert number(wide(a)) == a
    assert number(times(wide(a), wide(b))) == a * b % 2**128
    assert number(plus(wide(a), wide(b))) == (a + b) % 2**128


@given(st.integers(0, 2**140), st.lists(st.integers(0, 2**32 - 1), max_size=3))
def test_words_of_streams(seed: int, key: list[int]) -> None:
    found = Streams.of(seed, RUNS, *key)
    words = found.at(torch.arange(4)[:, None], torch.arange(40), 40).numpy().view(np.uint64)
    for run, own in zip(RUNS.tolist(), words, strict=True):
        made = PCG64(SeedSequence(seed, spawn_key=(run, *key)))
        np.testing.assert_array_equal(own, made.random_raw(40))


def test_a_place_is_found_without_those_before_it() -> None:
    words = Streams.of(0, RUNS).at(torch.arange(4), torch.full((4,), 50_000), 50_001)
    raw = PCG64(SeedSequence(0, spawn_key=(2,))).random_raw(50_001)
    assert int(words[0]) % 2**64 == int(raw[-1])
    state = PCG64(SeedSequence(0, spawn_key=(2,))).state["state"]["state"]
    assert number(Streams.of(0, RUNS).state.rows_at(0)) == state
    assert MULTIPLIER % 2**64 == 0x4385DF649FCCF645


@given(st.integers(0, 10**6), st.integers(1, 40))
def test_permutations(seed: int, n: int) -> None:
    found, out = permutations(Streams.of(seed, 6, RUNS), n)
    assert not out.any()
    for run, own in zip(RUNS.tolist(), found, strict=True):
        rng = default_rng(SeedSequence(seed, spawn_key=(6, run)))
        np.testing.assert_array_equal(own, rng.permutation(n))


def sizes_and_steps(seed: int, runs: int, clients: int) -> tuple[np.ndarray, np.ndarray]:
    rng = default_rng(seed)
    return rng.integers(1, 40, (2, runs, clients)), rng.integers(1, 8, (2, runs, clients))


@pytest.mark.parametrize(("runs", "clients", "sampled", "batch"), [(3, 5, 3, 4), (2, 4, 4, 3), (1, 1, 1, 1)])
@pytest.mark.parametrize(("seed", "at_once"), [(0, 2**22), (1, 2**22), (2, 1)])
def test_draws_of_a_round(
    runs: int, clients: int, sampled: int, batch: int, seed: int, at_once: int, monkeypatch
) -> None:
    """An odd number of half-words remains between slots with an odd batch; runs may be drawn one by one."""
    monkeypatch.setattr(of_all_runs, "AT_ONCE", at_once)
    sizes, steps = sizes_and_steps(seed, runs, clients)

    def drawn(device: str):
        made = own_minibatches(seed, 2, sizes, sampled, steps, batch, device)
        found = made.noise(1, 3)
        assert device == HOST or found.there.device.type == DEVICE
        on_device, there = torch.as_tensor(found) if device == HOST else found.there, np.asarray(found)
        n_steps = int((there[..., 0] >= 0).any(axis=(0, 1)).sum())
        assert (there[..., n_steps:, :] == -1).all()
        if device == DEVICE:  # all rounds have the same form
            assert found.shape[-2] == steps.max()
        return made.participants(1, 3), there[..., :n_steps, :], on_device[..., :n_steps, :]

    assert same(drawn) <= 1  # the host waits only for its own copy


def test_who_ran_out_of_numbers_is_drawn_alone(monkeypatch) -> None:
    sizes, steps = sizes_and_steps(0, 3, 5)
    expected = own_minibatches(0, 0, sizes, 3, steps, 4).participants(0, 0)

    def spoilt(streams: Streams, n: int):
        order, out = permutations(streams, n)
        order[1], out[1] = -1, True
        return order, out

    monkeypatch.setattr(federations, "permutations", spoilt)
    np.testing.assert_array_equal(
        own_minibatches(0, 0, sizes, 3, steps, 4, DEVICE).participants(0, 0), expected
    )


def test_a_pointer_that_runs_out_says_so(monkeypatch) -> None:
    streams = Streams.of(0, RUNS)
    monkeypatch.setattr(Streams, "at", lambda self, stream, place, most: torch.full((4, most), -1))
    assert permutations(streams, 3)[1].tolist() == [True] * 4  # all bits are set, which is above 2
