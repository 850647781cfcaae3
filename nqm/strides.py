"""Many rounds from few products: the covariances of a large state lie in a small Krylov space.

One linear map updates the second moments of the state z in every round. With u = z - c for a fixed point c, and w for the
kept part around its mean and the number 1, let J be the second moments of (u, w). Then::

    J_uu' = sum_k B_k J B_k^T + noise,    J_uw' = Bbar J_w,    J_ww' = J_ww

is linear: J' = T J. Arnoldi's method finds an orthonormal basis V of J, TJ, T^2 J, ... with ``T V = V H + h v_next e^T``. So
J = V y stays in its span, with y' = H y, while h times the last entry of y is below what rounding adds to one product of large
matrices. The covariance is J_uu - E[u] E[u]^T.

A new basis serves at least as many rounds as it takes products to compute. Once it spans the past up to rounding, it serves
all remaining rounds too. Where J is far larger than the smallest variance, the difference would lose digits; then rounds are
computed one by one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dger

from nqm.congruences import Congruence, on_first, upper_sandwich
from nqm.fields import Array, kind

Floats = NDArray[np.float64]

LEAST = 24
"""From this number of coordinates on, a product of matrices takes longer than one more vector of a basis."""
MOST = 40
"""Limit on vectors of a basis. If they do not serve all remaining rounds, the last round that they serve begins another basis."""
CHUNK = 128
"""Number of rounds between two checks that a basis is still accurate."""
BLOCK = 10
"""Rounds that are unpacked at once: few enough to stay in the cache."""
NEGLIGIBLE = 16 * float(np.finfo(float).eps)
"""Limit on the neglected share of the state in a round: the rounding of a sum of several hundred products."""
BEGIN, GO_ON = 4e3, 1e4
"""Limits on J divided by the least variance, where a stride begins and in its rounds: at most four digits are lost."""


def serve(matrix: Array, means: Array) -> bool:
    """Whether these maps are suitable: single worlds, floats, many coordinates, and means that stay finite."""
    if kind(matrix) != "float" or matrix.ndim != 3 or matrix.shape[-2] < LEAST:
        return False
    return isinstance(means, np.ndarray) and means.dtype == np.float64 and bool(np.isfinite(means[-1]).all())


def path_in_strides(
    maps: Sequence[Congruence],
    noise: Floats,
    choice: Callable[[int], Floats],
    moved: Floats,
    cross: Floats,
    cov: Floats,
) -> Floats:
    """Covariances of the moving part after 0, 1, ..., T rounds, (T + 1, p, p).

    Parameters
    ----------
    maps : sequence of Congruence
        The maps B_k, whose sum takes J to J_uu' without noise. The first is Bbar.
    noise : (p, p) array
        Covariance added by the noise of a round.
    choice : rounds played -> (p, p) array
        Covariance added by the choice of clients in the next round, at the mean state.
    moved, cross : (T + 1, p) and (T + 1, p, q) arrays
        E[u], and covariances with the kept part, after every round.
    cov : (p + q, p + q) array
        Covariance of the whole state at the start.
    """
    p, q = cross.shape[1:]
    functions = on_first(maps, p + q + 1, upper_sandwich)

    def image(joint: Floats) -> Floats:
        """The upper triangle."""
        return reduce(add, (function(joint) for function in functions))

    def following(joint: Floats) -> Floats:
        """The upper triangle."""
        after = joint.copy()
        np.add(image(joint), joint[-1, -1] * noise, out=after[:p, :p])
        after[:p, p:] = maps[0].left[0] @ joint[:, p:]
        return after

    def spread(played: int) -> Floats:
        """Covariance of (u, w); its entries for the constant 1 are 0."""
        joint = np.zeros((p + q + 1, p + q + 1))
        joint[:p, :p], joint[:p, p:-1], joint[p:-1, :p] = path[played], cross[played], cross[played].T
        joint[p:-1, p:-1] = cov[p:, p:]
        return joint

    path = np.empty((len(cross), p, p))
    path[0] = cov[:p, :p]
    played = 0
    while played + 1 < len(path):
        upper = np.triu(image(spread(played)))
        path[played + 1] = upper + np.triu(upper, 1).T + noise + choice(played)
        played += 1
        mean = np.concatenate([moved[played], np.zeros(q), [1]])
        joint = spread(played) + np.outer(mean, mean)
        played += _stride(following, joint, path[played], moved[played + 1 :], path[played + 1 :])
    return path


def _stride(
    following: Callable[[Floats], Floats], joint: Floats, cov: Floats, moved: Floats, after: Floats
) -> int:
    """Fill in the covariances of u after the next rounds, and return the number of these rounds.

    Parameters
    ----------
    following : T, of which the upper triangle is used
    joint, cov : (p + q + 1, p + q + 1) and (p, p) arrays
        J and the covariance of u now.
    moved, after : (n, p) and (n, p, p) arrays
        E[u] after each of the next rounds, and the covariances to be filled in.
    """
    p = len(cov)
    size = np.linalg.norm(joint[:p, :p])
    if not (len(after) and 0 < size <= BEGIN * cov.diagonal().min()):
        return 0
    rows, columns = np.triu_indices(len(joint))
    upper = rows * len(joint) + columns
    entry = np.empty(joint.shape, dtype=np.intp)
    entry[rows, columns] = entry[columns, rows] = np.arange(len(rows))
    kept = joint.diagonal()[p:]
    # scale w so that it weighs as much as u in any units
    scales = np.concatenate([np.ones(p), np.sqrt(size / (len(kept) * np.where(kept > 0, kept, size)))])
    weight = scales[rows] * scales[columns] * np.where(rows == columns, 1, 2**0.5)

    def image(vector: Floats) -> Floats:
        after: Floats = following((vector / weight).take(entry)).take(upper) * weight
        return after

    basis, path = _krylov(image, joint.take(upper) * weight, len(after))
    basis /= weight
    for first in range(1, len(path), BLOCK):
        block = path[first : first + BLOCK] @ basis
        found, mean = after[first - 1 :][: len(block)], moved[first - 1 :][: len(block)]
        np.take(block, entry[:p, :p], axis=1, out=found, mode="clip")
        for second, first_moment in zip(
            found, mean, strict=True
        ):  # in place, as C order is the transpose of Fortran's
            dger(-1, first_moment, first_moment, a=second.T, overwrite_a=1)
    rounds = len(path) - 1
    least = after[:rounds].diagonal(axis1=1, axis2=2).min(axis=1)
    lost = np.flatnonzero(~(np.linalg.norm(path[1:], axis=1) <= GO_ON * least))
    return int(lost[0]) if len(lost) else rounds


def _krylov(image: Callable[[Floats], Floats], start: Floats, rounds: int) -> tuple[Floats, Floats]:
    """A basis (k, n) of rows, and coordinates (t + 1, k) of the start and of the states after 1, ..., t <= rounds rounds."""
    most = min(MOST, rounds)
    basis, action = np.zeros((most + 1, len(start))), np.zeros((most + 1, most))
    size = math.sqrt(start @ start)
    basis[0], ask = start / size, 12
    for j in range(most):
        new = image(basis[j])
        before = math.sqrt(new @ new)
        for _ in range(2):  # twice is enough for orthogonality up to rounding
            along = basis[: j + 1] @ new
            new -= along @ basis[: j + 1]
            action[: j + 1, j] += along
        left, known = math.sqrt(new @ new), action[: j + 2, : j + 1]
        if not left > NEGLIGIBLE * before:
            break
        action[j + 1, j] = left
        np.divide(new, left, out=basis[j + 1])
        if j + 1 == ask:
            neglected = _neglected_share(known, rounds)
            if not neglected > NEGLIGIBLE:  # or nothing finite
                break
            vectors = ask * math.log(neglected / NEGLIGIBLE) / max(-math.log(neglected), 1)
            ask += max(1, round(vectors / 2))  # half of what the pace so far predicts, which grows
    return basis[: j + 2], _coordinates(known, size, rounds)


def _neglected_share(action: Floats, rounds: int) -> float:
    """Neglected share of the state in the last round, where it is largest in most cases."""
    power, last, left = action[:-1].copy(), np.zeros(action.shape[1]), rounds - 1
    last[0] = 1
    while left:  # the power of a matrix, times a vector, by repeated squaring
        last = power @ last if left % 2 else last
        left //= 2
        power = power @ power if left else power
    return float(abs(action[-1] @ last) / np.linalg.norm(last))


def _coordinates(action: Floats, size: float, rounds: int) -> Floats:
    """Coordinates of the start (size e_1) and of later rounds, as long as the neglected part (the last entry) is
    negligible.
    """
    path = np.zeros((rounds + 1, len(action)))
    path[0, 0] = size
    for first in range(0, rounds, CHUNK):
        chunk = path[first : first + CHUNK + 1]
        for now, after in itertools.pairwise(chunk):
            np.matmul(action, now[:-1], out=after)
        ends = np.flatnonzero(~(abs(chunk[:-1, -1]) <= NEGLIGIBLE * np.linalg.norm(chunk[:-1], axis=1)))
        if len(ends):
            return path[: first + ends[0] + 1]
    return path
