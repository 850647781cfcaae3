"""Paired differences between methods of one stream.

All methods have the same seeds, so runs are compared one by one. The command

    python -m verify.networks.paired FILE... --out docs/streams.json

reads results of `python -m verify.networks --json`. It stores the part that
the page "Which method on which stream" shows.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

SHOWN = ("data", "kind", "tasks", "model", "clients", "sampled", "rounds", "epochs", "batch", "seeds")
"""Settings that the page prints."""
BASELINE = "fedavg"
ERROR = 0.05
"""Probability that any interval of a stream misses its expectation, for normal differences."""


@dataclass(frozen=True)
class Row:
    """A method on a stream; differences in ACC are (mean, low, high), None from a method to itself.

    Attributes
    ----------
    acc, forgetting : float
        Means over the runs.
    from_best, from_baseline : tuple of float, or None
        This method's ACC minus that of the method with the highest mean, and minus that of `BASELINE`.
    """

    method: str
    acc: float
    forgetting: float
    from_best: tuple[float, float, float] | None
    from_baseline: tuple[float, float, float] | None


def condensed(result: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are shown, and the metrics of each run of each method, rounded to five digits."""
    return {
        "settings": {name: result["settings"][name] for name in SHOWN},
        "methods": {
            label: {
                name: [round(value, 5) for value in found["runs"][name]] for name in ("acc", "forgetting")
            }
            for label, found in result["methods"].items()
        },
    }


def difference(ours: Sequence[float], theirs: Sequence[float], error: float) -> tuple[float, float, float]:
    """Mean of the paired differences, and Student's interval that misses their expectation with probability `error`."""
    from scipy.stats import t

    gaps = np.subtract(ours, theirs)
    mean = float(gaps.mean())
    half = float(t.ppf(1 - error / 2, len(gaps) - 1) * gaps.std(ddof=1) / np.sqrt(len(gaps)))
    return mean, mean - half, mean + half


def rows(stream: Mapping[str, Any]) -> list[Row]:
    """The methods of a stream, the highest mean ACC first.

    Which method is best depends on the runs, so the error is shared by all pairs of methods (Bonferroni).
    """
    runs = {label: found["acc"] for label, found in stream["methods"].items()}
    ordered = sorted(runs, key=lambda label: -np.mean(runs[label]))
    (baseline,) = (label for label in runs if label.partition(":")[0] == BASELINE)
    error = ERROR / max(comb(len(ordered), 2), 1)

    def against(label: str, other: str) -> tuple[float, float, float] | None:
        return None if label == other else difference(runs[label], runs[other], error)

    return [
        Row(
            label,
            float(np.mean(runs[label])),
            float(np.mean(stream["methods"][label]["forgetting"])),
            against(label, ordered[0]),
            against(label, baseline),
        )
        for label in ordered
    ]


def near_the_best(found: Sequence[Row]) -> list[str]:
    """Methods that the seeds do not distinguish from the best one."""
    return [row.method for row in found if row.from_best is not None and row.from_best[2] >= 0]


def main(argv: Sequence[str] | None = None) -> int:
    """Condense some results, in the order in which they are given, into one file."""
    from verify.engine.records.files import read_json, write_json

    parser = argparse.ArgumentParser(
        prog="python -m verify.networks.paired",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, help="results of `python -m verify.networks --json`")
    parser.add_argument("--out", type=Path, default=Path("docs/streams.json"))
    options = parser.parse_args(argv)
    write_json(options.out, [condensed(read_json(file)) for file in options.files])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
