"""T tasks in cycles, the bound with the dimension: the forgetting after k = n T steps is at most (T^2 - T)(d - r)/(2 k).

M = P_T ... P_1 is the product of a cycle's projections, and r the largest rank of a task's matrix. The squared norm of an operator is
the sum of squared lengths of its columns, the images of an orthonormal basis, or of its rows, the images of another basis under the
transpose. Columns fall by what a cycle moves, and one more cycle from the right lengthens no row. The first basis begins with
w*/|w*|, and the second with the null space of the task of largest rank. The theorem's number and its bound T^2 (d - r)/(2 k) are from
memory; the abstract has T^2 d/k.
"""

from __future__ import annotations

import sympy as sp

from bounds.evron.cyclic import n, tasks, total
from bounds.evron.symbols import GLOSSARY, F, at, k, loss, t
from bounds.relations import eq, ge, le

_nonnegative = GLOSSARY.nonnegative
d = GLOSSARY.count("d", "dimension")
free = GLOSSARY.count("free", "dimension of the smallest null space of a task", r"(d-r_{\max})")
m = GLOSSARY.count("m", "number of the task whose loss is measured")
j = GLOSSARY.count("later_tasks", "tasks whose losses are summed", "j")
length = _nonnegative("length", "squared length of w*", r"\|w^\star\|^2")
gap = _nonnegative(
    "gap", "squared norm of the part of n cycles outside the null space of a task", r"\|(I-P_m)M^n\|_F^2"
)
gap_next = _nonnegative("gap_next", "the same with one more cycle", r"\|(I-P_m)M^{n+1}\|_F^2")
by_rows = _nonnegative("by_rows", "the first of them from its rows", r"\|(M^n)^\top(I-P_m)\|_F^2")
by_rows_next = _nonnegative(
    "by_rows_next", "the second of them from its rows", r"\|(M^{n+1})^\top(I-P_m)\|_F^2"
)
size = _nonnegative("size", "squared norm of a cycle", r"\|M\|_F^2")
begun = _nonnegative(
    "begun", "squared norm of a cycle up to the task of largest rank", r"\|P_m\cdots P_1\|_F^2"
)
begun_rows = _nonnegative("begun_rows", "the same from its rows", r"\|P_1\cdots P_m\|_F^2")
alone = _nonnegative("alone", "squared norm of the projection of that task", r"\|P_m\|_F^2")


def _series(name: str, meaning: str, latex: str) -> sp.IndexedBase:
    """A sequence of numbers that are at least 0."""
    base = sp.IndexedBase(sp.Symbol(name, nonnegative=True))
    GLOSSARY.series(base, meaning, latex)
    return base


def _summed(base: sp.IndexedBase, latex: str) -> tuple[sp.IndexedBase, tuple[sp.Eq, sp.Eq]]:
    """The sums of the first entries of a sequence, with their definition."""
    sums = _series(
        f"{base.label.name}_sums", f"sum of the first entries of {base.label.name}", rf"\sum {latex}"
    )
    return sums, (eq(sums[t], sums[t - 1] + base[t]), eq(sums[0], 0))


lengths = _series("lengths", "squared length of a vector after each of several projections", "s")
before = _series("before", "squared length of each vector of a family", "a")
after = _series("after", "squared length of each vector of the family after projections", "b")
old = _series("old", "squared length of each row without one more column", "u")
entries = _series("entries", "squared entries of the column", "e")
columns = _series("columns", "squared length of each column", "c")
distances = _series("distances", "squared distance of each column from the null space of the task", "g")
sizes = _series("sizes", "squared length of each column", "h")
nexts = _series("nexts", "squared length of each column after one more cycle", "h'")
gaps = _series("gaps", "squared norm as gap, after each number of cycles", r"\|(I-P_m)M^t\|_F^2")
norms = _series("norms", "squared norm of each number of cycles", r"\|M^t\|_F^2")
lost = _series("lost", "loss of each task after n cycles", r"\ell")
row_sums = _series("row_sums", "sum of the squared lengths of all rows, with the first columns only", "R")
before_sums, BEFORE = _summed(before, "a")
after_sums, AFTER = _summed(after, "b")
old_sums, OLD = _summed(old, "u")
new_sums = _series("new_sums", "sum of the squared lengths of the first rows with this column", r"\sum v")
entry_sums, ENTRIES = _summed(entries, "e")
column_sums, COLUMNS = _summed(columns, "c")
distance_sums, DISTANCES = _summed(distances, "g")
size_sums, SIZES = _summed(sizes, "h")
next_sums, NEXTS = _summed(nexts, "h'")
lost_sums, LOST = _summed(lost, r"\ell")

PROJECTED = le(lengths[t], lengths[t - 1])
SHORTER = le(after[t], before[t])
UNIT = le(before[t], 1)
ROWS = eq(row_sums[t], row_sums[t - 1] + columns[t])
MOVED = le(distances[t], m * (sizes[t] - nexts[t]))
SAME, SAME_NEXT, FEWER = eq(by_rows, gap), eq(by_rows_next, gap_next), le(by_rows_next, by_rows)
FALLING, FALL = le(gaps[t], gaps[t - 1]), le(gaps[t], m * (norms[t] - norms[t + 1]))
LATER, TURNED, FIRST, RANK = (le(size, begun), eq(begun, begun_rows), le(begun_rows, alone), le(alone, free))
FIRST_LOSS = le(loss, length * distances[1])
START = le(length, 1)
EACH = le(n * lost[t], t * free)
ALL = le(n * total, tasks * (tasks - 1) / 2 * free)
BOUND = (tasks**2 - tasks) * free / (2 * k)
_step = at("Theorem 11, proof")
THEOREM = at("Theorem 11", conditions=(ge(tasks, 2), eq(k, n * tasks), eq(F, total / tasks), START, ALL))(
    "thm11.dimension",
    "the forgetting of T tasks in cycles after k steps is at most (T^2 - T)(d - r)/(2 k)",
    le(F, BOUND),
    terms={"dimension": BOUND},
    uses=("dim.losses",),
)
STATEMENTS = (
    _step(
        "kept.sum",
        "several projections lengthen no vector",
        le(lengths[n], lengths[0]),
        conditions=(PROJECTED,),
        uses=("kept",),
    ),
    _step(
        "dim.shorter",
        "projections from one side enlarge no squared norm",
        le(after_sums[d], before_sums[d]),
        conditions=(SHORTER, *BEFORE, *AFTER),
        uses=("kept.sum",),
    ),
    _step(
        "dim.swap.column",
        "one more column adds its squared length to the sum over rows",
        eq(new_sums[d], old_sums[d] + entry_sums[d]),
        conditions=(
            eq(new_sums[t], new_sums[t - 1] + old[t] + entries[t]),
            eq(new_sums[0], 0),
            *OLD,
            *ENTRIES,
        ),
    ),
    _step(
        "dim.swap",
        "rows and columns have the same sum of squared lengths",
        eq(row_sums[d], column_sums[d]),
        conditions=(ROWS, eq(row_sums[0], 0), *COLUMNS),
        uses=("dim.swap.column",),
    ),
    _step(
        "dim.cycle",
        "the part outside a null space is at most m times the fall of the squared norm in one more cycle",
        le(distance_sums[d], m * (size_sums[d] - next_sums[d])),
        conditions=(MOVED, *DISTANCES, *SIZES, *NEXTS),
        uses=("nearest", "way.sum", "kept.sum"),
    ),
    _step(
        "dim.later",
        "this part is not larger after one more cycle",
        le(gap_next, gap),
        conditions=(SAME, SAME_NEXT, FEWER),
        uses=("dim.swap", "dim.shorter"),
    ),
    _step(
        "dim.sum",
        "so n times this part is at most m times the squared norm of one cycle",
        le(n * gaps[n], m * (norms[1] - norms[n + 1])),
        conditions=(FALLING, FALL),
        uses=("dim.later", "dim.cycle"),
    ),
    _step(
        "dim.null",
        "a projection of unit vectors has a squared norm of at most their number",
        le(before_sums[d], d),
        conditions=(UNIT, *BEFORE),
        uses=("kept",),
    ),
    _step(
        "dim.rank",
        "the squared norm of a cycle is at most d - r",
        le(size, free),
        conditions=(LATER, TURNED, FIRST, RANK),
        uses=("dim.shorter", "dim.swap", "dim.null"),
    ),
    _step(
        "dim.loss",
        "the loss of a task is at most this part",
        le(loss, distance_sums[d]),
        conditions=(FIRST_LOSS, START, *DISTANCES),
        uses=("loss",),
    ),
    _step(
        "dim.losses",
        "the losses of the first tasks, each at most its number times (d - r)/n",
        le(n * lost_sums[j], j * (j + 1) / 2 * free),
        conditions=(START, EACH, *LOST),
        uses=("dim.loss", "dim.sum", "dim.rank"),
    ),
    THEOREM,
    THEOREM.variant(
        "abstract",
        le(F, tasks**2 * d / k),
        conditions=(*THEOREM.conditions, le(free, d)),
        terms={"dimension": tasks**2 * d / k},
        changes="the bound of the abstract, with d instead of d - r",
    ),
    THEOREM.variant(
        "half",
        le(F, BOUND / 2),
        terms={},
        changes="half the bound, which these steps of the proof do not give",
    ),
)
