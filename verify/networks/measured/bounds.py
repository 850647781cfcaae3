"""Bounds evaluated at constants measured on training runs, compared with the measured quantities of the runs.

Nothing here is a verdict. The constants are those seen, not suprema, so no bound is guaranteed; and an expectation on a
left side is replaced by the value of each single run. One thing is certain nevertheless: an upper limit of a step size
that falls as the constants grow, and is exceeded at those seen, is exceeded at the suprema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from sympy.core.relational import Relational
from torch import Tensor

from bounds.catalogue import statement
from bounds.evaluate import evaluate
from bounds.relations import COMPARE
from bounds.statement import Statement
from nqm.fields import amax, amin, norm, sq
from nqm.known import Constant
from verify.networks.measured.rounds import Run, by_name, cflag_round, largest, mean_gradients, task_losses

SAMPLED = "sampled: the constants are those seen, not suprema, so nothing is guaranteed"

Values = Mapping[str, Any]
"""Values by names of a glossary: numbers, (run,) arrays or (visit, run) arrays; a list for an indexed quantity."""

Known = Mapping[str, Constant]


def compare(said: Statement, values: Values) -> dict[str, Any]:
    """Both sides of a statement and its conditions, as plain data.

    Returns
    -------
    dict
        `measured` and `bound`, the sides; `ratio` of bound to measurement; `conditions`, each with `met` and with
        `factor`, by which its smaller side exceeds the larger one: above 1 it is violated; and `label`.
    """
    measured, bound = np.broadcast_arrays(
        *(np.asarray(evaluate(side, values), dtype=float) for side in (said.lhs, said.rhs))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = bound / measured
    return {
        "id": said.id,
        "says": said.says,
        "source": str(said.source),
        "measured": measured,
        "bound": bound,
        "ratio": ratio,
        "conditions": [condition(each, values) for each in said.conditions],
        "label": SAMPLED,
    }


def condition(relation: Relational, values: Values) -> dict[str, Any]:
    """Whether a condition is met, and the ratio of the side that must be smaller to the other one.

    If the side that must be larger is not positive, the ratio is 0 if the condition holds, else infinite.
    """
    left, right = (np.asarray(evaluate(side, values), dtype=float) for side in relation.args)
    small, large = (left, right) if relation.rel_op in ("<", "<=", "==") else (right, left)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(large > 0, small / large, np.where(small <= large, 0.0, np.inf))
    return {"text": str(relation), "met": np.asarray(COMPARE[type(relation)](left, right)), "factor": factor}


# ------------------------------------------------------------------------------------------------- SPECIAL


def special_comparisons(
    world: Any, run: Run, known: Known, parameters: Mapping[str, float]
) -> list[dict[str, Any]]:
    """Lemma 4.9 and Theorems 4.7 and 4.10 in the last task.

    The least loss of all tasks is bounded by 0, which no cross entropy falls below. If gradients are not aligned, no
    eps would be admitted; the correction of Theorem 4.7 is then that of eps = 1, the largest there can be.
    """
    path, tasks = run.models[-1], range(world.n_tasks)
    origin, rounds = path[0], len(path) - 1
    each = mean_gradients(world, path, tasks)
    losses = task_losses(world, path, tasks)
    total2, earlier = sq(each.sum(0)), losses[:-1].sum(0)
    align = known["align"].value
    given = {
        **parameters,
        **{name: known[name].value for name in ("B", "L", "sigma_L2", "sigma_G2", "sigma_T2")},
        "K": world.n_tasks,
        "M": world.n_clients,
        "T": rounds,
        "t": rounds,
        "G0": _array(norm(each[:-1, 0].sum(0))),
        "f0": _array(losses[:, 0].sum(0)),
        "fstar": 0.0,
        "align": align,
        "eps": np.where(align > 0, align, 1.0),
        "F_0": 0.0,
        "F_t": _array(earlier[-1] - earlier[0]),
        "drift2": _array(amax(sq((path - origin).double()), 0)),
        "min_grad2": _array(amin(total2[1:], 0)),
    }
    return _compared(given, "special.lem4.9", "special.thm4.7", "special.thm4.10")


# ----------------------------------------------------------------------------------------------------- CFL


def cfl_comparisons(
    world: Any, run: Run, known: Known, parameters: Mapping[str, float], approximation: str
) -> list[dict[str, Any]]:
    """The step size of Theorem 4.1, and the loss after a round by Eq. (32), in the visited rounds of the last task.

    Parameters
    ----------
    parameters : mapping
        N, K (local steps), eta_l and eta_g. All tasks weigh the same.
    approximation : str
        Whose information loss is meant: the R of this name among the constants.
    """
    tasks, t = range(world.n_tasks), world.n_tasks
    last = [visit for visit in run.visits if visit.task == t - 1]
    losses = task_losses(world, run.models[-1], tasks).mean(0)
    theta = torch.stack([visit.theta for visit in last])
    present = 1 / t
    c_pG = known["G2"].value + known["D2"].value * present
    none = 0 * c_pG
    clients = int(parameters["N"])
    given = {
        **parameters,
        **{name: known[name].value for name in ("L", "sigma2", "G2", "D2")},
        "R2": known[f"R_{approximation}"].value ** 2,
        "A2": 0.0,
        "B2": 0.0,
        "eta": parameters["K"] * parameters["eta_l"] * parameters["eta_g"],
        "c_pB": 1 + none,
        "c_max": 1 + none,
        "c_pG": c_pG,
        "P_i": [1 - present] * clients,
        "loss_now": _array(torch.stack([losses[visit.played] for visit in last])),
        "loss_next": _array(torch.stack([losses[visit.played + 1] for visit in last])),
        "g2_start": _array(sq(mean_gradients(world, theta, tasks).mean(0))),
    }
    return _compared(given, "cfl.thm4.1.step", "cfl.eq32/convergent")


# -------------------------------------------------------------------------------------------------- C-FLAG


def cflag_comparisons(
    world: Any, run: Run, known: Known, parameters: Mapping[str, float]
) -> list[dict[str, Any]]:
    """Theorem 2 and Lemma 3 over the last task, Lemma 1 and Eq. (157) on the forgetting term in each of its rounds.

    Theorem 2 for the memories drawn, and all with sums from k = 0. L is that of the clients' losses; Eq. (157) asks
    for that of single samples, which is larger. m and r are those of all rounds of the task.

    Parameters
    ----------
    parameters : mapping
        E, alpha and beta.

    Raises
    ------
    ValueError
        If `run` did not visit every round of the last task.
    """
    last = [visit for visit in run.visits if visit.task == world.n_tasks - 1]
    rounds = run.models.shape[1] - 1
    if len(last) != rounds:
        raise ValueError(f"`run` must have visited all {rounds} rounds of the last task, got {len(last)}.")
    each = by_name([cflag_round(world, visit, run.models[-1, visit.played + 1]) for visit in last])
    given = {
        **parameters,
        **each,
        "L": known["L"].value,
        "m": largest(each["b2"] / each["gf2"]),
        "r": largest((each["fd2"] / each["gg2"]) ** 0.5),
        "T": rounds,
        "s2s": each["s2"],
        "dss": each["ds"],
        "least_gf2": amin(each["gf2"], 0),
        "gh2_least": amin(each["gh2"], 0),
        "F_path": each["f_now"][0] - each["f_next"][-1],
        "Dht": each["h_now"][0] - each["h_next"][-1],
    }
    return _compared(given, "cflag.thm2/path", "cflag.lem3", "cflag.lem1/all-steps", "cflag.eq157/small")


def _compared(values: Values, *ids: str) -> list[dict[str, Any]]:
    return [compare(statement(id), values) for id in ids]


def _array(values: Tensor) -> np.ndarray:
    return values.detach().cpu().numpy()
