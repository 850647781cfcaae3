"""The draws of NumPy's default generator for many streams at once on any device, each computed from its position only.

PCG64 is a linear congruential generator of 128 bits, so that any state can be computed without those before it.
Here its words are int64 tensors, whose sums and products modulo 2**64 are those of unsigned words. Sources: O'Neill (2014), PCG: a family of simple fast space-efficient
statistically good algorithms; Brown (1994), Random number generation with arbitrary strides; `numpy.random.SeedSequence`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from nqm.fields import IntArray

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
"""Multiplier of the linear congruential generator in NumPy's PCG64."""
POOL = 4
"""Number of words of 32 bits into which a seed is mixed."""
LOW = 0xFFFFFFFF
"""The lower half of a word."""
LEAST = -(2**63)


class Wide(NamedTuple):
    """Numbers of 128 bits, as tensors of their upper and lower 64."""

    high: Tensor
    low: Tensor

    def rows_at(self, index: Any) -> Wide:
        """The numbers at an index."""
        return Wide(self.high[index], self.low[index])

    def to(self, device: str) -> Wide:
        """The same numbers on `device`; the copy is asynchronous."""
        return Wide(*(word.to(device, non_blocking=True) for word in self))


def times(a: Wide, b: Wide) -> Wide:
    """Product modulo 2**128."""
    return Wide(_upper_product(a.low, b.low) + a.high * b.low + a.low * b.high, a.low * b.low)


def plus(a: Wide, b: Wide) -> Wide:
    """Sum modulo 2**128."""
    low = a.low + b.low
    carried = (low ^ LEAST) < (a.low ^ LEAST)  # as unsigned numbers
    return Wide(a.high + b.high + carried, low)


def _upper_product(a: Tensor, b: Tensor) -> Tensor:
    """Upper 64 bits of the product of unsigned words."""
    (a1, a0), (b1, b0) = ((upper(word, 32), word & LOW) for word in (a, b))
    first = a1 * b0 + upper(a0 * b0, 32)
    second = a0 * b1 + (first & LOW)
    return a1 * b1 + upper(first, 32) + upper(second, 32)


def upper(word: Tensor, dropped: int) -> Tensor:
    """Unsigned words shifted right by `dropped` bits, at least 1."""
    return (word >> dropped) & ((1 << (64 - dropped)) - 1)


def wide(number: int, device: str = "cpu") -> Wide:
    """A number below 2**128 as `Wide`."""
    halves = np.array([number >> 64, number & (2**64 - 1)], dtype=np.uint64).view(np.int64)
    return Wide(*torch.as_tensor(halves)).to(device)


@cache
def _jumps(doublings: int, device: str) -> tuple[Wide, Wide]:
    """A and C for all numbers n below 2**doublings of steps: a state s becomes A*s + C*increment."""
    factors, sums = wide(1, device).rows_at(None), wide(0, device).rows_at(None)
    factor, total = MULTIPLIER, 1
    for _ in range(doublings):
        by, added = wide(factor, device), wide(total, device)
        later = times(factors, by), plus(times(factors, added), sums)
        factors, sums = (
            Wide(*(torch.cat(both) for both in zip(now, then, strict=True)))
            for now, then in zip((factors, sums), later, strict=True)
        )
        factor, total = factor * factor % 2**128, (factor + 1) * total % 2**128
    return factors, sums


@dataclass(frozen=True)
class Streams:
    """Generators ``default_rng(SeedSequence(seed, spawn_key=key))``, all of one shape, before they have drawn.

    Attributes
    ----------
    state, increment : Wide
        Of each stream, (stream,).
    """

    state: Wide
    increment: Wide

    @classmethod
    def of(cls, seed: int, *key: int | IntArray) -> Streams:
        """Streams of a seed, on the host; an entry of the key may be an array (stream,), whole numbers below 2**32."""
        words = torch.as_tensor(generated(mixed(seed, key), 8).view(np.int64))
        start, sequence = (Wide(words[..., place], words[..., place + 1]) for place in (0, 2))
        increment = Wide((sequence.high << 1) | upper(sequence.low, 63), (sequence.low << 1) | 1)
        state = plus(times(plus(increment, start), wide(MULTIPLIER)), increment)
        return cls(state, increment)

    def rows_at(self, index: Any) -> Streams:
        """Some of the streams."""
        return Streams(self.state.rows_at(index), self.increment.rows_at(index))

    def to(self, device: str) -> Streams:
        """The same streams on `device`; the copy is asynchronous."""
        return Streams(self.state.to(device), self.increment.to(device))

    def at(self, stream: Tensor, place: Tensor, most: int) -> Tensor:
        """Words of 64 bits at places of streams (any,), below `most` each, as signed numbers."""
        factor, total = (each.rows_at(place + 1) for each in _jumps(most.bit_length(), str(stream.device)))
        state, increment = self.state.rows_at(stream), self.increment.rows_at(stream)
        high, low = plus(times(factor, state), times(total, increment))
        word, turn = high ^ low, upper(high, 58)
        kept = ~((torch.full_like(word, -1) << (63 - turn)) << 1)
        return ((word >> turn) & kept) | (word << ((64 - turn) & 63))


def mixed(seed: int, key: tuple[int | IntArray, ...]) -> list[np.ndarray]:
    """The pool of a `SeedSequence`, 4 words of 32 bits of the streams each."""
    entropy = [seed >> shift & LOW for shift in range(0, max(seed.bit_length(), 1), 32)]
    entropy += [0] * (POOL - len(entropy))
    words = [np.atleast_1d(np.asarray(word, dtype=np.uint32)) for word in (*entropy, *key)]
    hashed = _hashing(0x43B0D7E5, 0x931E8875)
    pool = [hashed(word) for word in words[:POOL]]
    for source in range(POOL):
        for target in range(POOL):
            if source != target:
                pool[target] = _mix(pool[target], hashed(pool[source]))
    for word in words[POOL:]:
        pool = [_mix(old, hashed(word)) for old in pool]
    return list(np.broadcast_arrays(*pool))


def generated(pool: list[np.ndarray], n_words: int) -> np.ndarray:
    """Words of 64 bits (stream, n_words / 2) that a `SeedSequence` generates from its pool."""
    hashed = _hashing(0x8B51F9DD, 0x58F38DED)
    words = np.stack([hashed(pool[place % POOL]) for place in range(n_words)], axis=-1).astype(np.uint64)
    return words[..., 0::2] | (words[..., 1::2] << np.uint64(32))


def _hashing(start: int, factor: int) -> Any:
    constant = start

    def hashed(word: np.ndarray) -> np.ndarray:
        nonlocal constant
        word, constant = word ^ np.uint32(constant), constant * factor & LOW
        word = word * np.uint32(constant)
        return np.asarray(word ^ (word >> np.uint32(16)))

    return hashed


def _mix(a: Any, b: Any) -> np.ndarray:
    word = a * np.uint32(0xCA01F9DD) - b * np.uint32(0x4973F715)
    return np.asarray(word ^ (word >> np.uint32(16)))
