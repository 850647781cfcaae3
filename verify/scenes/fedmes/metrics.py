"""Average accuracies and forgetting rates of arbitrary accuracies, as printed and as described in words."""

from __future__ import annotations

from nqm.fields import amax, like, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes import metrics
from verify.scenes.fedmes import metric_facts


def after_task(shape: Shape, values: Named) -> Values:
    """Quantities of one client after task t = 2, ..., T, (batch, T - 1), from its accuracies a (batch, T, T)."""
    a, later = values["a"], range(1, shape["T"])
    kept = stack([a[:, t, :t].sum(axis=-1) for t in later], -1)
    return {
        "task": like(a, [t + 1 for t in later]) + 0 * kept,
        "A_kt": metrics.fedmes_average(a)[:, 1:],
        "A_early": stack([a[:, t, :t].mean(axis=-1) for t in later], -1),
        "kept": kept,
        "missed": 1 - metrics.learnt(a)[:, 1:],
        "F_tk": metrics.fedmes_forgetting(a),
        "F_chaudhry": metrics.chaudhry_forgetting(a),
        "F_learnt": metrics.learnt_forgetting(a),
        "never": stack([(1 - amax(a[:, :t, :t], axis=-2)).sum(axis=-1) for t in later], -1),
    }


def at_the_end(shape: Shape, values: Named) -> Values:
    """Quantities of every client after the last task, (batch, n), from their accuracies a (batch, n, T, T)."""
    a = values["a"]
    average = metrics.fedmes_average(a)
    return {
        "Acc_Client": metrics.fedmes_acc_client(a),
        "A_end": metrics.acc(a),
        "before": average[..., :-1].sum(axis=-1),
        "before_lacks": (1 - average[..., :-1]).sum(axis=-1),
        "end_lacks": (1 - metrics.final(a)).mean(axis=-1),
        "Forget": metrics.cflag_forget(a),
        "F_end": metrics.fedmes_forgetting(a)[..., -1],
        "risen": (amax(a[..., :-1, :-1], axis=-2) - metrics.learnt(a)[..., :-1]).mean(axis=-1),
    }


def of_all(shape: Shape, values: Named) -> Values:
    """Averages over clients and tasks, (batch,) or, for every t, (batch, T)."""
    a = values["a"]
    return {
        "mean_client": metrics.fedmes_acc_client(a).mean(axis=-1),
        "mean_task": metrics.fedmes_acc_task(a).mean(axis=-1),
        "Acc_ALL": metrics.fedmes_acc_all(a),
        "Acc_ALL_mean": metrics.fedmes_acc_all_mean(a),
        "Acc_ALL_end": metrics.fedmes_acc_all_final(a),
        "all_end": metrics.acc(a).mean(axis=-1),
    }


SIZES = tuple({"T": T, "n": n} for T, n in ((2, 1), (2, 2), (3, 1), (4, 2)))


def _of_clients(shape: Shape) -> dict[str, Box]:
    return {"a": Box(0, 1, (shape["n"], shape["T"], shape["T"]))}


AFTER_TASK = Scene(
    name="accuracies of a client on all tasks after each task",
    shapes=tuple({"T": T} for T in (2, 3, 4)),
    space=lambda shape: {"a": Box(0, 1, (shape["T"], shape["T"]))},
    compute=Proved(after_task, metric_facts.AFTER_TASK),
    covers="equal for 2 to 4 tasks and every t; what is taken off a largest value does not depend on its index",
)
AT_THE_END = Scene(
    name="accuracies of every client at the end",
    shapes=SIZES,
    space=_of_clients,
    compute=Proved(at_the_end, metric_facts.AT_THE_END),
    covers="equal for 2 to 4 tasks; what is taken off a largest value does not depend on its index",
)
OF_ALL = Scene(
    name="accuracies averaged over clients and tasks",
    shapes=SIZES,
    space=_of_clients,
    compute=Proved(of_all, metric_facts.OF_ALL),
    covers="equal as polynomials for 2 to 4 tasks of 1 or 2 clients; both sides add up the same averages",
)
