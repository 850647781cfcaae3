"""T tasks in cycles: the forgetting after k = n T steps is at most (T^2 - T)/sqrt(k). The theorem number is from memory.

The error x_n after n cycles is projected T times in a cycle. The bound follows from the fall of |x_n|^2 in the next cycle.
"""

from __future__ import annotations

import sympy as sp

from bounds.evron.symbols import GLOSSARY, F, at, k, missing, t
from bounds.relations import eq, ge, le

_nonnegative = GLOSSARY.nonnegative
tasks = GLOSSARY.count("tasks", "number of tasks", "T")
n = GLOSSARY.count("n", "cycles, or steps of a cycle after its first")
j = GLOSSARY.count("j", "number of projections so far")
b = GLOSSARY.positive("b", "any weight")
total = _nonnegative("total", "sum of the losses of all tasks but the last, which is 0", r"\sum_m\ell_m")
origin = _nonnegative("origin", "squared error at the start of training", r"\|x_0\|^2")
start = _nonnegative("start", "squared error at the start of a cycle", r"\|x_n\|^2")
almost = _nonnegative("almost", "squared error before the last step of a cycle", r"\|v_{T-1}\|^2")
end = _nonnegative("end", "squared error at the end of a cycle", r"\|x_{n+1}\|^2")
turned = _nonnegative("turned", "squared way of the error in a cycle", r"\|x_n-x_{n+1}\|^2")
turned_next = _nonnegative(
    "turned_next", "the same after one more projection of both", r"\|Px_n-Px_{n+1}\|^2"
)
fall = _nonnegative("fall", "fall of the squared error in a cycle", r"\|x_n\|^2-\|x_{n+1}\|^2")
far = _nonnegative("far", "squared way of the error in a cycle so far", r"\|x_n-v_j\|^2")
far_next = _nonnegative("far_next", "the same after one more projection", r"\|x_n-v_{j+1}\|^2")
kept = _nonnegative("kept", "squared error so far in the cycle", r"\|v_j\|^2")
kept_next = _nonnegative("kept_next", "squared error after one more projection", r"\|v_{j+1}\|^2")
ways, errors, cycles, moves, losses, sums, turns = (
    sp.IndexedBase(sp.Symbol(name, nonnegative=True))
    for name in ("ways", "errors", "cycles", "moves", "losses", "sums", "turns")
)
GLOSSARY.series(
    ways, "squared way of the error from the start of a cycle to each of its steps, from 1 on", "a"
)
GLOSSARY.series(errors, "squared error after each step of a cycle, from 1 on", "v")
GLOSSARY.series(sums, "sum of the losses of the first tasks at the end of a cycle", r"\sum\ell")
GLOSSARY.series(turns, "squared way of a cycle after further projections of both of its ends", "b")
GLOSSARY.series(cycles, "squared error after each cycle", "s")
GLOSSARY.series(moves, "squared way of the error in each cycle", "q")
GLOSSARY.series(losses, "loss of each task at the end of a cycle", r"\ell")

ONE_MORE = le(ways[t + 1], (1 + 1 / t) * ways[t] + (1 + t) * (errors[t] - errors[t + 1]))
ONE = le(ways[1], start - errors[1])
SHORTER = le(turns[t], turns[t - 1])
SLOWER = le(moves[t], moves[t - 1])
SLOW = le(moves[t], tasks * (cycles[t] - cycles[t + 1]))
SLOW_AT_ONCE = le(moves[0], tasks * (cycles[0] - cycles[1]))
FALL = le(start - end, 2 * b * start + turned / (2 * b))
FAR = le((n + 1) * turned, tasks * origin)
LOSS = le(losses[t], t * (start - errors[t]))
KEPT = le(errors[t + 1], errors[t])
ADDED = (eq(sums[t], sums[t - 1] + losses[t]), eq(sums[0], 0))
LOSSES = le(total, tasks * (tasks - 1) / 2 * (start - almost))
ROOT = le(fall, 2 * tasks / sp.sqrt(k))
LAST = le(end, almost)
SIZES = (ge(tasks, 2), eq(k, n * tasks), eq(fall, start - end), le(start, 1), le(origin, 1))
BOUND = (tasks**2 - tasks) / sp.sqrt(k)
WHOLE = le(far, tasks * (start - kept))
CYCLE = at("Theorem 11, proof")(
    "cycle",
    "for a whole cycle: its squared way is at most T times the fall of the squared error",
    le(turned, tasks * (start - end)),
    conditions=(eq(turned, far), eq(end, kept), WHOLE),
    uses=("way.sum",),
)
THEOREM = at("Theorem 11", conditions=(*SIZES, eq(F, total / tasks), LOSSES, LAST, ROOT))(
    "thm11",
    "the forgetting of T tasks in cycles after k steps is at most (T^2 - T)/sqrt(k)",
    le(F, BOUND),
    terms={"cycles": BOUND},
    uses=("losses", "kept", "fall.root"),
)
UNTRAINED = at("Without the theorem", changes="not of the paper")(
    "thm11.free",
    "forgetting is at most the squared error at the start of training, since projections shrink the error",
    le(F, origin),
)
STATEMENTS = (
    UNTRAINED,
    at("Theorem 11, proof")(
        "way",
        "the squared way of the error in a cycle after one more projection",
        le(far_next, (1 + 1 / j) * far + (1 + j) * (kept - kept_next)),
    ),
    at("Theorem 11, proof")(
        "way.first", "the squared way of the first projection", le(far_next, kept - kept_next)
    ),
    at("Theorem 11, proof")("kept", "a projection lengthens no error", le(kept_next, kept)),
    at("Theorem 11, proof", conditions=(ONE_MORE, ONE))(
        "way.sum",
        "after n projections it is at most n times the fall of the squared error",
        le(ways[n], n * (start - errors[n])),
        uses=("way", "way.first"),
    ),
    CYCLE,
    CYCLE.variant(
        "less",
        le(turned, (tasks + 1) / 2 * (start - end)),
        conditions=(),
        changes="(T + 1)/2 instead of T, which is false",
    ),
    at("Theorem 11, proof")("contraction", "projections shrink distances", le(turned_next, turned)),
    at("Theorem 11, proof", conditions=(SHORTER,))(
        "contraction.sum", "so do n projections", le(turns[n], turns[0]), uses=("contraction",)
    ),
    at("Theorem 11, proof", conditions=(SLOWER, SLOW, SLOW_AT_ONCE))(
        "slow",
        "the squared way of the error in a cycle falls like T/n",
        le((n + 1) * moves[n], tasks * (cycles[0] - cycles[n + 1])),
        uses=("way.sum", "contraction.sum"),
    ),
    at("Theorem 11, proof")(
        "fall", "the fall of the squared error from the way of the error, at every weight b", FALL
    ),
    at("Theorem 11, proof", conditions=(*SIZES[1:], eq(b, tasks / (2 * sp.sqrt(k))), FALL, FAR))(
        "fall.root",
        "at the best weight: the fall of the squared error is at most 2 T/sqrt(k)",
        ROOT,
        uses=("fall", "slow"),
    ),
    at("Theorem 11, proof")(
        "nearest",
        "the distance from the null space of a task is at most the way of the error to its next solution",
        le(missing, far),
    ),
    at("Theorem 11, proof", conditions=(LOSS, KEPT, *ADDED))(
        "losses",
        "the losses of n tasks, each at most its number times the fall of the squared error",
        le(sums[n], n * (n + 1) / 2 * (start - errors[n])),
        uses=("loss", "nearest", "way.sum", "kept"),
    ),
    THEOREM,
    THEOREM.variant(
        "quarter",
        le(F, BOUND / 4),
        changes="a quarter of the bound, which these steps of the proof do not give",
    ),
)
