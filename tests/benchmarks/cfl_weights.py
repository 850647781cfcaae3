"""Time of the closed form of Theorem 4.9 against dense LU on Eq. (7), over the round t.

Run with ``python -m tests.benchmarks.cfl_weights``. Medians over interleaved repeats, so that a busy machine
slows all of them alike; the exponent is the slope of log time in log t over the three largest sizes.
"""

from __future__ import annotations

import os

# before NumPy is imported, which fixes the number of threads
THREADS = os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import platform  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Mapping  # noqa: E402

import numpy as np  # noqa: E402
import scipy  # noqa: E402
import scipy.linalg  # noqa: E402

from bounds.cfl.weights import nonnegative_weights, optimal_weights  # noqa: E402

ALPHA, D2, R2 = 0.8, 2.0, 0.5
REPEATS = 9
DENSE_SIZES = (100, 200, 400, 800, 1600, 3200)
LINEAR_SIZES = (*DENSE_SIZES, 10_000, 100_000, 1_000_000, 3_000_000, 10_000_000)
Solver = Callable[[int], np.ndarray]


def lu_weights(t: int) -> np.ndarray:
    """Weights from the dense system (7), as the paper solves it; its time includes filling the matrix."""
    steps, past = np.arange(t), np.append(np.ones(t - 1), 0.0)
    matrix = np.ones((t + 1, t + 1))
    matrix[:t, :t] = D2 * ALPHA ** np.abs(steps[:, None] - steps) + R2 * np.outer(past, past)
    matrix[t, t] = 0.0
    return scipy.linalg.lu_solve(scipy.linalg.lu_factor(matrix), np.append(np.zeros(t), 1.0))[:t]


SOLVERS: Mapping[str, tuple[Solver, tuple[int, ...]]] = {
    "dense LU": (lu_weights, DENSE_SIZES),
    "closed form": (lambda t: optimal_weights(t, ALPHA, D2, R2), LINEAR_SIZES),
    "closed form, p >= 0": (lambda t: nonnegative_weights(t, ALPHA, D2, R2), LINEAR_SIZES),
}


def seconds(solve: Solver, t: int) -> float:
    start = time.perf_counter()
    solve(t)
    return time.perf_counter() - start


def measure() -> dict[str, dict[int, float]]:
    """Median seconds by solver and t; each repeat visits every solver and size once."""
    cases = [(name, t) for name, (_, sizes) in SOLVERS.items() for t in sizes]
    times: dict[tuple[str, int], list[float]] = {case: [] for case in cases}
    for _ in range(REPEATS):
        for name, t in cases:
            times[name, t].append(seconds(SOLVERS[name][0], t))
    return {
        name: {t: float(np.median(times[name, t])) for t in sizes} for name, (_, sizes) in SOLVERS.items()
    }


def exponent(medians: Mapping[int, float]) -> float:
    largest = sorted(medians)[-3:]
    return float(np.polyfit(np.log(largest), np.log([medians[t] for t in largest]), 1)[0])


def main() -> None:
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}")
    print(f"BLAS threads {THREADS} of {os.cpu_count()} cores, {REPEATS} interleaved repeats, medians")
    print(f"alpha = {ALPHA}, D2 = {D2}, R2 = {R2}")
    difference = max(np.abs(lu_weights(t) - optimal_weights(t, ALPHA, D2, R2)).max() for t in DENSE_SIZES)
    print(f"largest difference of the weights: {difference:.1e}\n")
    for name, medians in measure().items():
        for t, median in medians.items():
            print(f"{name:<20} t = {t:>10,}  {1e3 * median:>10.3f} ms")
        print(f"{name:<20} time ~ t^{exponent(medians):.2f} over the three largest t\n")


if __name__ == "__main__":
    main()
