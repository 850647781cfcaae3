"""Semidefinite programs in floats, with linear equations and inequalities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Rows = Sequence[tuple[np.ndarray, np.ndarray]]


def minimised(cost: np.ndarray, zero: Rows, positive: Rows, matrices: Rows) -> np.ndarray | None:
    """Solve a semidefinite program in floats.

    Minimise ``cost c`` subject to ``rows c = ends`` (`zero`), ``rows c >= floor`` (`positive`) and ``goal - sum c_k squares_k``
    positive semidefinite (`matrices`). Returns None if the solver fails.
    """
    import clarabel
    from scipy import sparse

    n = len(cost)
    blocks, ends, cones = [], [], []
    for squares, goal in matrices:
        size = len(goal)
        if not size:
            continue
        upper = [(i, j) for j in range(size) for i in range(j + 1)]
        rows, columns = np.array(upper).T
        twice = np.where(rows == columns, 1.0, np.sqrt(2.0))
        blocks.append((squares[:, rows, columns] * twice).T)
        ends.append(goal[rows, columns] * twice)
        cones.append(clarabel.PSDTriangleConeT(size))
    lines = _independent(*(np.concatenate([np.asarray(part[k]) for part in zero]) for k in (0, 1)))
    signs = [np.concatenate([np.asarray(part[k]) for part in positive]) for k in (0, 1)]
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    found = clarabel.DefaultSolver(
        sparse.csc_matrix((n, n)),
        cost,
        sparse.csc_matrix(np.vstack([lines[0], -signs[0], *blocks])),
        np.concatenate([lines[1], -signs[1], *ends]),
        [clarabel.ZeroConeT(len(lines[1])), clarabel.NonnegativeConeT(len(signs[1])), *cones],
        settings,
    ).solve()
    x = np.array(found.x)
    good = str(found.status) in ("Solved", "AlmostSolved") and bool(np.all(np.isfinite(x)))
    return x if good else None


def _independent(rows: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The equations without linearly dependent ones, with which interior point solvers fail."""
    left, sizes, right = np.linalg.svd(rows, full_matrices=False)
    kept = sizes > 1e-8 * max(sizes.max(initial=0), 1e-300)
    return right[kept], (left[:, kept].T @ ends) / sizes[kept]
