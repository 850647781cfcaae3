"""Acc and Forget of C-FLAG and the metrics of SPECIAL, for arbitrary accuracies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.engine.model.scene import Box, Proved, Scene, Shape, Values
from verify.scenes.cflag.metric_facts import METRICS
from verify.scenes.metrics import acc, cflag_forget, learnt, special_bwt


def metrics(shape: Shape, values: Mapping[str, Any]) -> Values:
    """Metrics of accuracies a (batch, S, S), a[i, j] on task j after task i."""
    a, tasks = values["a"], shape["S_tasks"]
    return {
        "Acc": acc(a),
        "Forget": cflag_forget(a),
        "ACC_special": sum(a[:, tasks - 1, i] for i in range(tasks)) / tasks,
        "BWT_special": special_bwt(a),
        "unlearnt": (1 - learnt(a)).sum(axis=-1),
    }


ACCURACIES = Scene(
    name="accuracies of one model on all tasks after each task",
    shapes=tuple({"S_tasks": S} for S in (2, 3, 4, 5)),
    space=lambda shape: {"a": Box(0, 1, (shape["S_tasks"], shape["S_tasks"]))},
    compute=Proved(metrics, METRICS),
    covers="equal as polynomials for 2 to 5 tasks; both sides add up the same entries of a",
)
