"""The newest gradient of every component of each slot, without copies of all where a few are computed anew."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nqm.fields import Array, IntArray, concatenate, put, take

TOGETHER = 4
"""Arrays of one length that are joined, so that many visits make few arrays and each gradient is copied a few times."""


@dataclass(frozen=True)
class Newest:
    """Gradients of components, of which later ones take the place of earlier ones.

    Parameters
    ----------
    start : (..., run, n, J, d) array
        The first ones.
    later : tuple of (..., rows, d) arrays
        Those of one component of each slot, in the order in which they came, some visits in one array.
    row : (run, n or fewer, J) array of int
        Where the newest of each component is among all rows of `later`; -1 where it is the first one.
    visits : int
    """

    start: Array
    later: tuple[Array, ...]
    row: IntArray
    visits: int = 0

    @classmethod
    def of(cls, start: Array) -> Newest:
        """The first ones (..., run, n, J, d) alone."""
        return cls(start, (), np.full(start.shape[-4:-1], -1))

    def at(self, index: IntArray) -> Array:
        """The newest of the component `index` (run, n) of each slot, (..., run, n, d)."""
        row = np.take_along_axis(self.row, index[..., None], axis=-1).ravel()
        run, slot = np.indices(index.shape).reshape(2, -1)
        first = np.ravel_multi_index((run, slot, index.ravel()), self.start.shape[-4:-1])
        in_a_row = self.start.reshape(*self.start.shape[:-4], -1, self.start.shape[-1])
        ends = np.cumsum([0, *(part.shape[-2] for part in self.later)])
        parts, places = [], []
        for place, part in enumerate((in_a_row, *self.later)):
            low, high = (-1, 0) if place == 0 else (ends[place - 1], ends[place])
            (own,) = np.nonzero((low <= row) & (row < high))
            if own.size:
                parts.append(take(part, first[own] if place == 0 else row[own] - low, -2))
                places.append(own)
        found = put(parts, places, -2)
        return found.reshape(*found.shape[:-2], *index.shape, found.shape[-1])

    def then(self, index: IntArray, gradients: Array) -> Newest:
        """With `gradients` (..., run, n, d) for the component `index` (run, n) of each slot; none where it is below 0."""
        row, (run, slot) = self.row.copy(), np.nonzero(index >= 0)
        before = sum(part.shape[-2] for part in self.later)
        row[run, slot, index[run, slot]] = before + np.ravel_multi_index((run, slot), index.shape)
        fresh = gradients.reshape(*gradients.shape[:-3], -1, gradients.shape[-1])
        later, visits = (*self.later, fresh), self.visits + 1
        joined = visits
        while joined % TOGETHER == 0:
            later = (*later[:-TOGETHER], concatenate(later[-TOGETHER:], axis=-2))
            joined //= TOGETHER
        return replace(self, later=later, row=row, visits=visits)

    def first_slots(self, n_slots: int) -> Newest:
        """Those of the first slots alone."""
        return replace(self, row=self.row[:, :n_slots])
