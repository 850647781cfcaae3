"""SPECIAL against SPECIAL-C: sentences about the runs of both, most of them while the second task is learnt.

Source: SPECIAL, Section 2.2, Figure 2, and Section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from verify.networks.experiments import Ran
from verify.scenes.metrics import acc, special_bwt


def while_second(ran: Ran) -> np.ndarray:
    """Accuracies on task 1 and task 2 before task 2 and after each of its rounds, (run, T + 1, 2)."""
    return np.concatenate([ran.by_round[:, 0, -1:, :2], ran.by_round[:, 1, :, :2]], axis=1)


def gained(ran: Ran, task: int, since: int) -> np.ndarray:
    """Change of the accuracy on task 1 or 2 (0 or 1) from after a round of task 2 to its end."""
    path = while_second(ran)[..., task]
    return path[:, -1] - path[:, since]


def reached(ran: Ran, task: int, rounds: slice) -> np.ndarray:
    """Mean accuracy on task 1 or 2 (0 or 1) over some rounds of task 2, which count from 1."""
    return while_second(ran)[:, rounds, task].mean(axis=-1)


END = slice(-1, None)
Pair = Callable[[Ran, Ran], np.ndarray]
"""(runs of SPECIAL, of SPECIAL-C) -> in which seeds something is true, (run,)."""
PAIRS: Mapping[str, Pair] = {
    "acc": lambda ours, client: acc(client.accuracy) < acc(ours.accuracy),
    "bwt": lambda ours, client: special_bwt(client.accuracy) > special_bwt(ours.accuracy),
    "trails": lambda ours, client: (
        (acc(client.accuracy) < acc(ours.accuracy))
        & (special_bwt(client.accuracy) < special_bwt(ours.accuracy))
    ),
    "protects": lambda ours, client: reached(client, 0, slice(1, 6)) > reached(ours, 0, slice(1, 6)),
    "slower": lambda ours, client: reached(client, 1, slice(1, 11)) < reached(ours, 1, slice(1, 11)),
    "new": lambda ours, client: reached(ours, 1, END) > reached(client, 1, END),
    "forgetting": lambda ours, client: gained(ours, 0, 0) >= gained(client, 0, 0),
    "union": lambda ours, client: (
        sum(reached(ours, task, END) - reached(client, task, END) for task in (0, 1)) > 0
    ),
    "transfer": lambda ours, client: gained(ours, 0, 10) > 0,
    "transfer/backward": lambda ours, client: gained(ours, 0, 0) > 0,
}
"""By the words of their ids."""
