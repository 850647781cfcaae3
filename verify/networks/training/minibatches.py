"""Participants and minibatches of many runs at once, equal on any device to those that NumPy's generators draw run by run.

What a generator draws for one slot after another (`verify.networks.training.federations.own_minibatches`) has its place
among all that it draws, which follows from the sizes alone.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from nqm.fields import IntArray
from verify.networks.training.pcg import LOW, Streams, upper

AT_ONCE = 2**22
"""Number of draws computed at once; each takes about 150 bytes of temporary memory."""


def permutations(streams: Streams, n: int) -> tuple[IntArray, np.ndarray]:
    """First result of `Generator.permutation(n)` for each stream on the host, (stream, n), and which streams ran out of words, (stream,).

    A number up to k is made of the last bits of half a word, which are drawn again while they are above k; 8 halves for
    each number and 64 more are looked at, which have been enough where the second says False.
    """
    n_streams, n_words = len(streams.state.low), 4 * n + 32
    words = streams.at(torch.arange(n_streams)[:, None], torch.arange(n_words)[None], n_words).numpy()
    halves = np.stack([words & LOW, words >> 32 & LOW], axis=-1).reshape(n_streams, -1)
    order, run = np.tile(np.arange(n), (n_streams, 1)), np.arange(n_streams)
    looked, out = np.zeros(n_streams, dtype=int), np.zeros(n_streams, dtype=bool)
    for last in range(n - 1, 0, -1):
        drawn, open_ = np.zeros(n_streams, dtype=int), run
        while open_.size:
            out[open_[looked[open_] == halves.shape[-1]]] = True
            open_ = open_[~out[open_]]
            drawn[open_] = halves[open_, looked[open_]] & ((1 << last.bit_length()) - 1)
            looked[open_] += 1
            open_ = open_[drawn[open_] > last]
        drawn = np.minimum(drawn, last)
        order[run, last], order[run, drawn] = order[run, drawn], order[run, last]
    return order, out


def minibatches(streams: Streams, sizes: IntArray, steps: IntArray, slots: IntArray, batch: int) -> Tensor:
    """Indices of the samples of a round, (run, n, E, 2 batch), on the device of the streams; -1 in steps that rest.

    Of each slot, in turn, ``random((epochs, size))`` whose order says which samples come first in each epoch, and
    ``integers(2**31, size=(steps, batch))``, which take half a word each.

    Parameters
    ----------
    streams : Streams
        One for each run.
    sizes, steps : (run, n) array of int, >= 1
        Samples of each slot's client, and its steps.
    slots : (run, n) array of int
        Where its indices belong, below n.
    batch : int
    """
    runs = max(AT_ONCE // (2 * batch * int(steps.sum(axis=-1).max())), 1)
    parts = (slice(first, first + runs) for first in range(0, len(sizes), runs))
    n_steps = int(steps.max())
    return torch.cat(
        [
            _of_some(streams.rows_at(part), sizes[part], steps[part], slots[part], batch, n_steps)
            for part in parts
        ]
    )


def _of_some(
    streams: Streams, sizes: IntArray, steps: IntArray, slots: IntArray, batch: int, n_steps: int
) -> Tensor:
    """As `minibatches`, of some of the runs, with space for E = `n_steps`."""
    device, wanted = streams.state.low.device, steps * batch
    in_epochs = -(-wanted // sizes) * sizes
    so_far = (
        np.cumsum(wanted, axis=-1) - wanted
    )  # halves of words, of which the last may be left for the next slot
    first_pair, end_pair = -(-so_far // 2), -(-(so_far + wanted) // 2)
    used = in_epochs + end_pair - first_pair
    place = np.cumsum(used, axis=-1) - used
    owner = np.arange(sizes.size).reshape(sizes.shape)
    into = (owner - owner % sizes.shape[-1] + slots) * n_steps
    known = np.stack([place, sizes, so_far, first_pair, place + in_epochs - first_pair, into])
    known_there = torch.as_tensor(known.reshape(len(known), -1)).to(device, non_blocking=True)
    most, n = int(used.sum(axis=-1).max()) + 1, sizes.shape[-1]

    slot, turn, starts = _in_a_row(in_epochs, device)
    begins, size, *_ = known_there[:, slot]
    keys = upper(streams.at(slot // n, begins + turn, most), 11)
    by_key = keys.argsort()
    epoch = (starts[slot] + turn // size * size)[by_key]
    visited = (turn % size)[by_key[epoch.argsort(stable=True)]]

    slot, turn, _ = _in_a_row(wanted, device)
    begins, _, before, first, rest, row = known_there[:, slot]
    half = before + turn
    pair = half // 2
    words = streams.at(slot // n, torch.where(pair >= first, rest + pair, begins - 1), most)
    of_memory = torch.where(half % 2 == 0, words & LOW, upper(words, 32)) >> 1
    table = torch.full((sizes.size * n_steps, 2, batch), -1, device=device)
    at = ((row + turn // batch) * 2) * batch + turn % batch
    table.view(-1).index_copy_(0, at, visited[starts[slot] + turn]).index_copy_(0, at + batch, of_memory)
    return table.view(*sizes.shape, -1, 2 * batch)


def _in_a_row(counts: IntArray, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Of what slots have `counts` of each, one slot after the other: the slot and the number in it; where each slot starts."""
    flat = counts.ravel()
    ends = np.cumsum(flat)
    each, starts = (torch.as_tensor(known).to(device, non_blocking=True) for known in (flat, ends - flat))
    slot = torch.arange(flat.size, device=device).repeat_interleave(each, output_size=int(ends[-1]))
    return slot, torch.arange(int(ends[-1]), device=device) - starts[slot], starts
