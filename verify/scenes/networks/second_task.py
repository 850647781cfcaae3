"""SPECIAL against SPECIAL-C: sentences about the runs of both, most of them while the second task is learnt.

Source: SPECIAL, Section 2.2, Figure 2, and Section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from verify.engine.checks.means import Above, Part, every
from verify.networks.experiments import Ran
from verify.scenes.metrics import acc, special_bwt


def while_second(ran: Ran) -> np.ndarray:
    """Accuracies on task 1 and task 2 before task 2 and after each of its rounds, (run, T + 1, 2)."""
    return np.concatenate([ran.by_round[:, 0, -1:, :2], ran.by_round[:, 1, :, :2]], axis=1)


def gained(ran: Ran, task: int, since: int) -> np.ndarray:
    """Change of the accuracy on task 1 or 2 (`task` = 0 or 1) from the end of a round of task 2 to the end of the task."""
    path = while_second(ran)[..., task]
    return path[:, -1] - path[:, since]


def mean_accuracy(ran: Ran, task: int, rounds: slice) -> np.ndarray:
    """Mean accuracy on task 1 or 2 (`task` = 0 or 1) over some rounds of task 2, numbered from 1."""
    return while_second(ran)[:, rounds, task].mean(axis=-1)


END = slice(-1, None)
Pair = Callable[[Ran, Ran], Part]
"""(runs of SPECIAL, of SPECIAL-C) -> a sentence about their expectations."""


def less(score: Callable[[Ran], np.ndarray], name: str) -> Pair:
    """SPECIAL-C is below SPECIAL in a score."""
    return lambda ours, client: Above(score(ours) - score(client), name=name)


def more(score: Callable[[Ran], np.ndarray], name: str) -> Pair:
    """SPECIAL-C is above SPECIAL in a score."""
    return lambda ours, client: Above(score(client) - score(ours), name=name)


ACC, BWT = less(lambda ran: acc(ran.accuracy), "ACC"), less(lambda ran: special_bwt(ran.accuracy), "BWT")
PAIRS: Mapping[str, Pair] = {
    "acc": ACC,
    "bwt": more(lambda ran: special_bwt(ran.accuracy), "BWT"),
    "trails": lambda ours, client: every(ACC(ours, client), BWT(ours, client)),
    "protects": more(lambda ran: mean_accuracy(ran, 0, slice(1, 6)), "task 1 early"),
    "slower": less(lambda ran: mean_accuracy(ran, 1, slice(1, 11)), "task 2 early"),
    "new": less(lambda ran: mean_accuracy(ran, 1, END), "task 2 at the end"),
    "forgetting": less(lambda ran: gained(ran, 0, 0), "change of task 1"),
    "union": less(lambda ran: mean_accuracy(ran, 0, END) + mean_accuracy(ran, 1, END), "both at the end"),
    "transfer": lambda ours, client: Above(gained(ours, 0, 10), name="change of task 1 from round 10"),
    "transfer/backward": lambda ours, client: Above(gained(ours, 0, 0), name="change of task 1"),
}
"""Sentences by the part of their ids."""
