"""The newest gradients of components that were computed again, stored without copying the gradients of all components."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from nqm.fields import Array, IntArray, concatenate, put, take, where

TOGETHER = 4
"""Arrays of one length that are joined, so that many visits make few arrays and each gradient is copied a few times."""


@dataclass(frozen=True)
class Newest:
    """Gradients of components; later ones replace earlier ones.

    Parameters
    ----------
    found : tuple of (..., rows, d) arrays
        In the order of the visits; one array may hold several visits. Replaced gradients are dropped when arrays are joined.
    row : (run, n or fewer, J) array of int
        Index of each component's newest gradient among all rows of `found`; -1 if there is none yet.
    visits : int
    """

    found: tuple[Array, ...]
    row: IntArray
    visits: int = 0

    @classmethod
    def none_yet(cls, slots: tuple[int, ...], n_components: int) -> Newest:
        """The empty record for a number of components of each of the `slots` (run, n)."""
        return cls((), np.full((*slots, n_components), -1))

    def at(self, index: IntArray, first: Callable[[IntArray], Array]) -> Array:
        """The newest gradient of the component `index` (run, n) of each slot, (..., run, n, d); undefined where the index is
        negative.

        Parameters
        ----------
        index : (run, n) array of int
        first : index (run, n) -> (..., run, n, d) array
            Supplies the gradients of components that have none yet; called with -1 for all other slots.
        """
        row = np.take_along_axis(self.row, np.maximum(index, 0)[..., None], axis=-1)[..., 0]
        there, idle = (row >= 0) & (index >= 0), index < 0
        if not there.any():
            return first(index)
        row, there = np.where(idle, row[there][0], row), there | idle
        parts, places = [], []
        for part, low, high in self._parts():
            own = np.flatnonzero(there & (low <= row) & (row < high))
            if own.size:
                parts.append(take(part, row.ravel()[own] - low, -2))
                places.append(own)
        if not there.all():
            own, others = np.flatnonzero(~there), first(np.where(there, -1, index))
            parts.append(take(_in_a_row(others), own, -2))
            places.append(own)
        whole = put(parts, places, -2)
        return whole.reshape(*whole.shape[:-2], *index.shape, whole.shape[-1])

    def then(self, index: IntArray, gradients: Array) -> Newest:
        """The record with `gradients` (..., run, n, d) added for the component `index` (run, n) of each slot; none where the
        index is negative.
        """
        run, slot = np.nonzero(index >= 0)
        row, fresh = self.row.copy(), _in_a_row(gradients)
        row[run, slot, index[run, slot]] = sum(part.shape[-2] for part in self.found) + np.arange(run.size)
        if run.size < index.size:
            fresh = take(fresh, np.ravel_multi_index((run, slot), index.shape), -2)
        now = replace(self, found=(*self.found, fresh), row=row, visits=self.visits + 1)
        joined = now.visits
        while joined % TOGETHER == 0:
            now = now.joined()
            joined //= TOGETHER
        return now

    def first_slots(self, n_slots: int) -> Newest:
        """The record of the first slots alone."""
        return replace(self, row=self.row[:, :n_slots])

    def joined(self) -> Newest:
        """The record with its last arrays joined into one, without replaced gradients."""
        parts, kept, row, end = [], self.found[:-TOGETHER], self.row.copy(), 0
        for place, (part, low, high) in enumerate(self._parts()):
            if place < len(kept):
                end = high
                continue
            newest = (low <= self.row) & (self.row < high)
            own = self.row[newest] - low
            row[newest] = end + np.arange(own.size)
            parts.append(take(part, own, -2))
            end += own.size
        return replace(self, found=(*kept, concatenate(parts, axis=-2)), row=row)

    def _parts(self) -> Iterator[tuple[Array, int, int]]:
        """Each array with the number of its first row and of the one after its last."""
        ends = np.cumsum([0, *(part.shape[-2] for part in self.found)])
        for part, (low, high) in zip(self.found, pairwise(ends.tolist()), strict=True):
            yield part, low, high


@dataclass(frozen=True)
class Visits:
    """All gradients that were computed again, in the order of the visits: as `Newest`, without a decision of the host.

    For indices in a tensor, whose values the host does not read. No gradient is dropped.
    """

    index: tuple[Array, ...] = ()
    found: tuple[Array, ...] = ()

    def at(self, index: Array, first: Callable[[Array], Array]) -> Array:
        """As `Newest.at`; `first` is called with all of `index`."""
        newest = first(index)
        for before, gradient in zip(self.index, self.found, strict=True):
            newest = where((before == index)[..., None], gradient, newest)
        return newest

    def then(self, index: Array, gradients: Array) -> Visits:
        """As `Newest.then`."""
        return Visits((*self.index, index), (*self.found, gradients))

    def first_slots(self, n_slots: int) -> Visits:
        """As `Newest.first_slots`."""
        return Visits(
            tuple(index[:, :n_slots] for index in self.index),
            tuple(gradients[..., :n_slots, :] for gradients in self.found),
        )


def _in_a_row(gradients: Array) -> Array:
    """(..., run, n, d) -> (..., run n, d)."""
    return gradients.reshape(*gradients.shape[:-3], -1, gradients.shape[-1])
