"""Memories of a stream, metrics of forgetting, linear tasks."""

from __future__ import annotations

import sympy as sp

from bounds.relations import ge
from nqm.fields import amax, dot, sq, stack
from tests.benchmarks.theorems.cases import Collection
from verify import Box, Branching, Scene

FORGETTING = Collection("forgetting")
notes = FORGETTING.notes
n = notes.count("n")
GEM = "Lopez-Paz, Ranzato, Gradient episodic memory for continual learning (2017), "

# A stream of n items, of which a memory keeps one
kept, mean, last = notes.real("kept mean last")
spread, kept_spread, sum_to_mean, sum_to_other, other_mean2 = notes.nonnegative(
    "spread kept_spread sum_to_mean sum_to_other other_mean2"
)


def remembered(shape, v):
    x, count = v["x"], shape["n"]
    expected, square = x[:, 0], x[:, 0] ** 2
    for seen in range(2, count + 1):
        expected = expected * (seen - 1) / seen + x[:, seen - 1] / seen
        square = square * (seen - 1) / seen + x[:, seen - 1] ** 2 / seen
    mean = x.sum(axis=1) / count
    around = lambda y: sq(x - y[:, None])  # noqa: E731
    return {
        "kept": expected, "kept_spread": square - expected**2, "mean": mean, "last": x[:, -1],
        "spread": around(mean) / count, "sum_to_mean": around(mean), "sum_to_other": around(v["y"]),
        "other_mean2": (mean - v["y"]) ** 2,
    }  # fmt: skip


on_stream = FORGETTING.on(
    Scene(
        "a stream",
        tuple({"n": n} for n in (2, 3, 4)),
        lambda s: {"x": Box(-2, 2, (s["n"],)), "y": Box(-2, 2)},
        Branching(remembered, "any streams of up to four numbers"),
    )
)
VITTER = "Vitter, Random sampling with a reservoir (1985); Chaudhry et al., On tiny episodic memories (2019)"
on_stream("reservoir", VITTER, sp.Eq(kept, mean), wrong=(sp.Eq(kept, last), sp.Eq(kept, (mean + last) / 2)))
on_stream(
    "reservoir-spread",
    VITTER,
    sp.Eq(kept_spread, spread),
    wrong=(sp.Eq(kept_spread, spread / n), sp.Eq(kept_spread, n / (n - 1) * spread)),
)
on_stream(
    "prototype",
    "Rebuffi, Kolesnikov, Sperl, Lampert, iCaRL (2017), class means; Steiner's identity",
    sp.Eq(sum_to_other, sum_to_mean + n * other_mean2),
    wrong=(sp.Eq(sum_to_other, sum_to_mean + other_mean2), sum_to_other <= sum_to_mean),
)

# Accuracies a[i, j] on task j after task i, of n tasks
acc, learned, bwt, forgetting = notes.real("acc learned bwt forgetting")
a = notes.nonnegative("a")


def accuracies(shape, v):
    a, count = v["a"], shape["n"]
    last = a[:, -1]
    diagonal = stack([a[:, i, i] for i in range(count)], 1)
    return {
        "acc": last.sum(axis=1) / count,
        "learned": diagonal.sum(axis=1) / count,
        "bwt": (last - diagonal)[:, :-1].sum(axis=1) / (count - 1),
        "forgetting": (amax(a[:, :-1], 1) - last)[:, :-1].sum(axis=1) / (count - 1),
    }


on_metrics = FORGETTING.on(
    Scene(
        "accuracies",
        tuple({"n": n} for n in (2, 3)),
        lambda s: {"a": Box(0, 1, (s["n"], s["n"]))},
        Branching(accuracies, "any accuracies of up to three tasks"),
    )
)
RWALK = "Chaudhry, Dokania, Ajanthan, Torr, Riemannian walk for incremental learning (2018), (4)"
on_metrics(
    "accuracy",
    GEM + "(2) and (3)",
    sp.Eq(acc, learned + (n - 1) / n * bwt),
    wrong=(sp.Eq(acc, learned + bwt), sp.Eq(acc, learned + bwt / n), acc <= learned),
)
on_metrics(
    "forgetting",
    RWALK,
    forgetting >= -bwt,
    tight=False,
    wrong=(sp.Eq(forgetting, -bwt), forgetting <= -bwt, forgetting >= bwt, forgetting >= 0),
)
on_metrics(
    "forgetting-most",
    RWALK,
    forgetting <= 1,
    a <= 1,
    wrong=(forgetting <= learned, forgetting <= 1 - acc / 2),
)

# Linear regression on two tasks with one input each: errors are projected
start2, once2, twice2, seen2, again2 = notes.nonnegative("start2 once2 twice2 seen2 again2")
cosine2 = notes.nonnegative("cosine2")


def regressed(shape, v):
    e, u, w = v["e"], v["u"], v["w"]
    along = lambda e, u: (dot(e, u) / sq(u))[:, None] * u  # noqa: E731
    once = e - along(e, u)
    twice = once - along(once, w)
    return {
        "start2": sq(e), "once2": sq(once), "twice2": sq(twice), "seen2": sq(along(e, u)),
        "again2": sq(along(twice, u)), "cosine2": dot(u, w) ** 2 / (sq(u) * sq(w)),
    }  # fmt: skip


on_regressed = FORGETTING.on(
    Scene(
        "linear tasks",
        ({"d": 2},),
        lambda s: {x: Box(-2, 2, (2,)) for x in "euw"},
        Branching(regressed, "any two linear tasks in two dimensions"),
    )
)
EVRON = "Evron, Moroshko, Ward, Srebro, Soudry, How catastrophic can catastrophic forgetting be in linear regression? (2022), "
on_regressed(
    "projected",
    EVRON + "(4)",
    sp.Eq(once2, start2 - seen2),
    wrong=(sp.Eq(once2, start2), sp.Eq(once2, start2 + seen2)),
)
on_regressed("nearer", EVRON + "Section 3", twice2 <= once2, wrong=(once2 <= twice2, twice2 <= seen2))
on_regressed(
    "two-tasks",
    EVRON + "Theorem 7, two tasks of rank one",
    sp.Eq(again2, cosine2 * (1 - cosine2) * once2),
    wrong=(sp.Eq(again2, cosine2 * once2), sp.Eq(again2, cosine2 * (1 - cosine2) * start2)),
)
on_regressed(
    "forgetting-quarter",
    EVRON + "Section 5, two tasks",
    again2 <= start2 / 4,
    through=(sp.Eq(again2, cosine2 * (1 - cosine2) * once2), once2 <= start2, ge(once2, 0)),
    wrong=(again2 <= start2 / 6, again2 <= once2 / 5, again2 <= cosine2**2 * start2, start2 <= 4 * again2),
)
