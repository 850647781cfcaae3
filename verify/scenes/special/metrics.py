"""Accuracies after each task, and SPECIAL's metrics of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.engine.model.scene import Box, Proved, Scene, Shape, Values
from verify.scenes.metrics import acc, changes, final, learnt, special_bwt, special_worst_drop
from verify.scenes.special.metric_facts import METRICS


def metrics(shape: Shape, values: Mapping[str, Any]) -> Values:
    """ACC, BWT, the worst drop and their parts, of accuracies A (batch, K, K), A[i, j] on task j after task i."""
    A = values["A"]
    worst = special_worst_drop(A)
    return {
        "ACC": acc(A),
        "BWT": special_bwt(A),
        "learnt": learnt(A).sum(axis=-1),
        "learnt_early": learnt(A)[:, :-1].mean(axis=-1),
        "unlearnt_early": (1 - learnt(A))[:, :-1].mean(axis=-1),
        "kept_early": final(A)[:, :-1].mean(axis=-1),
        "lost_early": (1 - final(A))[:, :-1].mean(axis=-1),
        "missed": (1 - final(A)).sum(axis=-1),
        "worst_drop": worst,
        "above_worst": (changes(A) - worst[:, None]).sum(axis=-1),
    }


ACCURACIES = Scene(
    name="accuracies on all tasks after each task",
    shapes=tuple({"K": K} for K in (2, 3, 4, 5)),
    space=lambda shape: {"A": Box(0, 1, (shape["K"], shape["K"]))},
    compute=Proved(metrics, METRICS),
    covers="equal as polynomials for 2 to 5 tasks; both sides add up the same entries of A",
)
