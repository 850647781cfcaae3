"""The newest gradient of every component of each slot, without copies of all where a few are computed anew."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nqm.fields import Array, IntArray, put, take


@dataclass(frozen=True)
class Newest:
    """Gradients of components, of which later ones take the place of earlier ones.

    Parameters
    ----------
    start : (..., run, n, J, d) array
        The first ones.
    later : tuple of (..., run, n or fewer, d) arrays
        Those of one component of each slot, in the order in which they came; of the first slots, where the last ones rest.
    when : (run, n or fewer, J) array of int
        Which is the newest of each component: 0 the first one, k the k-th of the later ones.
    """

    start: Array
    later: tuple[Array, ...]
    when: IntArray

    @classmethod
    def of(cls, start: Array) -> Newest:
        """The first ones (..., run, n, J, d) alone."""
        return cls(start, (), np.zeros(start.shape[-4:-1], dtype=int))

    def at(self, index: IntArray) -> Array:
        """The newest of the component `index` (run, n) of each slot, (..., run, n, d)."""
        when = np.take_along_axis(self.when, index[..., None], axis=-1)[..., 0]
        parts, places = [], []
        for k in np.unique(when):
            run, slot = np.nonzero(when == k)
            given, where = (
                (self.later[k - 1], (run, slot)) if k else (self.start, (run, slot, index[run, slot]))
            )
            axes = given.shape[-1 - len(where) : -1]
            in_a_row = given.reshape(*given.shape[: -1 - len(where)], -1, given.shape[-1])
            parts.append(take(in_a_row, np.ravel_multi_index(where, axes), -2))
            places.append(np.ravel_multi_index((run, slot), index.shape))
        found = put(parts, places, -2)
        return found.reshape(*found.shape[:-2], *index.shape, found.shape[-1])

    def then(self, index: IntArray, gradients: Array) -> Newest:
        """With `gradients` (..., run, n, d) for the component `index` (run, n) of each slot; none where it is below 0."""
        when, (run, slot) = self.when.copy(), np.nonzero(index >= 0)
        when[run, slot, index[run, slot]] = len(self.later) + 1
        return replace(self, later=(*self.later, gradients), when=when)

    def first_slots(self, n_slots: int) -> Newest:
        """Those of the first slots alone."""
        return replace(self, when=self.when[:, :n_slots])
