"""Results of training as numbers with confidence intervals over the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from verify.networks.training.footprint import in_words
from verify.networks.training.train import Trained
from verify.scenes.metrics import acc, learnt_forgetting, special_bwt

LEVEL = 0.95
"""Confidence level of the intervals for expectations over runs, for normally distributed results."""

HEADINGS = {"acc": "ACC", "bwt": "BWT", "forgetting": "forgetting", "rounds_to_best": "rounds to best"}


def metrics(trained: Trained) -> dict[str, np.ndarray]:
    """Metrics of each run, (run,): those of `verify.scenes.metrics`, and rounds to the best performance.

    ``forgetting`` is the measure of Chaudhry et al. (2018): the mean over earlier tasks j of the best accuracy on task j
    after some task l, j <= l < K, minus the accuracy at the end. Accuracies on a task before it was learnt do not count.

    Transfer and forgetting are undefined if the numbers of tasks and test sets differ (as with periods of one task) or are 1.
    Rounds to best are undefined if accuracies were not measured after every round.
    """
    n_tasks, n_rounds, n_tests = trained.by_round.shape[-3:]
    if n_tasks != n_tests:
        return {"acc": trained.accuracy[..., -1, :].mean(axis=-1)}
    found = {"acc": acc(trained.accuracy)}
    if n_tasks > 1:
        found["bwt"] = special_bwt(trained.accuracy)
        found["forgetting"] = learnt_forgetting(trained.accuracy)[..., -1]
    if n_rounds > 1:
        found["rounds_to_best"] = rounds_to_best(trained.by_round)
    return found


def rounds_to_best(by_round: np.ndarray) -> np.ndarray:
    """Rounds until the accuracy on the current task first reaches its maximum, summed over tasks: (...,).

    Source: SPECIAL, Table 3; the paper does not state on which tasks the performance is measured.

    Parameters
    ----------
    by_round : (..., K, T, K) array
        As in `Trained`.
    """
    learnt = np.einsum("...iti->...it", by_round)
    return (learnt.argmax(axis=-1) + 1).sum(axis=-1)


def interval(values: np.ndarray) -> dict[str, float | None]:
    """Mean over runs with the limits of Student's confidence interval, None for a single run."""
    from scipy.stats import t

    n, mean = len(values), float(np.mean(values))
    if n == 1:
        return {"mean": mean, "low": None, "high": None}
    half = float(t.ppf((1 + LEVEL) / 2, n - 1) * np.std(values, ddof=1) / np.sqrt(n))
    return {"mean": mean, "low": mean - half, "high": mean + half}


def summary(trained: Trained, memory: int) -> dict[str, Any]:
    """One method's results as JSON."""
    each = metrics(trained)
    diverged = ~trained.models.isfinite().all(-1).all(-1)
    return {
        "metrics": {name: interval(values) for name, values in each.items()},
        "runs": {name: values.tolist() for name, values in each.items()},
        "accuracy": trained.accuracy.tolist(),
        "curves": trained.by_round.tolist(),
        "rounds": trained.rounds,
        **_participants(trained.participated),
        "diverged": int(diverged.sum()),
        "seconds": trained.seconds,
        "memory": memory,
    }


def _participants(participated: np.ndarray | None) -> dict[str, Any]:
    """Number of participating clients of each run, and of all clients; nothing if all are tested."""
    if participated is None:
        return {}
    return {"participated": participated.sum(axis=-1).tolist(), "clients": participated.shape[-1]}


def table(results: Mapping[str, Mapping[str, Any]]) -> str:
    """One line for each method, metrics as mean ± half the interval."""
    names = [name for name in HEADINGS if any(name in row["metrics"] for row in results.values())]
    rows = [["method", *(HEADINGS[name] for name in names), "time", "memory"]]
    for label, row in results.items():
        cells = [_cell(row["metrics"].get(name), name) for name in names]
        rows.append([label, *cells, f"{row['seconds']:.1f} s", in_words(row["memory"])])
    lines = _aligned(rows)
    diverged = [f"{label} in {row['diverged']} runs" for label, row in results.items() if row["diverged"]]
    lines += [
        f"personal: means over the clients that took part, {np.mean(row['participated']):.1f} of {row['clients']} on average"
        for row in [next((row for row in results.values() if "participated" in row), None)]
        if row is not None
    ]
    if diverged:
        lines.append(f"diverged: {', '.join(diverged)}; their models are not finite and predict nothing")
    return "\n".join(lines)


def _cell(found: Mapping[str, float | None] | None, name: str) -> str:
    if found is None or found["mean"] is None:
        return "-"
    digits = 1 if name == "rounds_to_best" else 4
    spread = "" if found["high"] is None else f" ± {found['high'] - found['mean']:.{digits}f}"
    return f"{found['mean']:.{digits}f}{spread}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    first, *rest = (
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    )
    return [first, "-" * len(first), *rest]
