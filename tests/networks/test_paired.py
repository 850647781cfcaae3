"""Paired comparisons of methods on a stream."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import ttest_rel

from verify.networks.paired import ERROR, SHOWN, condensed, difference, main, near_the_best, rows

RNG = np.random.default_rng(0)
SEEDS = RNG.normal(0, 0.2, 16)
"""What all methods of a seed have in common."""


def stream(**means: float) -> dict:
    """Accuracies around the means, which differ less between methods than between seeds."""
    each = {name: (mean + SEEDS + RNG.normal(0, 0.01, 16)).tolist() for name, mean in means.items()}
    return {
        "settings": {**dict.fromkeys(SHOWN, 1), "kind": "class"},
        "methods": {name: {"acc": acc, "forgetting": [0.25] * 16} for name, acc in each.items()},
    }


def test_an_interval_is_that_of_paired_differences() -> None:
    ours, theirs = RNG.random((2, 9))
    expected = ttest_rel(ours, theirs).confidence_interval(0.9)
    mean, low, high = difference(ours, theirs, 0.1)
    assert mean == pytest.approx(np.mean(ours - theirs))
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_methods_are_ordered_and_compared_seed_by_seed() -> None:
    found = rows(stream(fedavg=0.5, er=0.7, special=0.699))
    assert {row.method for row in found[:2]} == {"er", "special"}
    best, second, last = found
    assert (best.from_best, last.from_baseline, last.method) == (None, None, "fedavg")
    assert last.from_best is not None
    assert last.from_best[2] < -0.15
    assert near_the_best(found) == [second.method]
    assert last.forgetting == 0.25


def test_intervals_share_the_error() -> None:
    """Two methods are one pair, three are three pairs."""
    two, three = stream(fedavg=0.5, er=0.7), stream(fedavg=0.5, er=0.7, ewc=0.6)
    for found, count in ((two, 1), (three, 3)):
        runs = {name: each["acc"] for name, each in found["methods"].items()}
        assert rows(found)[-1].from_best == pytest.approx(
            difference(runs["fedavg"], runs["er"], ERROR / count)
        )


def test_results_are_condensed_into_one_file(tmp_path) -> None:
    whole = stream(**{"fedavg:local_lr=0.5": 0.5, "er": 0.7})
    result = {
        "settings": {**whole["settings"], "versions": {}},
        "methods": {name: {"runs": each, "curves": []} for name, each in whole["methods"].items()},
    }
    file, out = tmp_path / "class.json", tmp_path / "streams.json"
    file.write_text(json.dumps(result))
    assert main([str(file), "--out", str(out)]) == 0
    assert json.loads(out.read_text()) == [condensed(result)]
    assert [row.method for row in rows(condensed(result))] == ["er", "fedavg:local_lr=0.5"]
