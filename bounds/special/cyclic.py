"""SPECIAL over tasks that come again and again in the same order: exact proximal steps. Not of the paper."""

from __future__ import annotations

from functools import partial

from bounds.relations import ge, le
from bounds.special.surrogate import REGRET, far0, low, regret, s
from bounds.special.symbols import SPECIAL, B, K, at

cycle = SPECIAL.count(
    "cycle", "tasks of a cycle, which come again and again in the same order, K steps in all", r"Q"
)
cycle_risk = SPECIAL.real(
    "cycle_risk",
    "mean over the models before each cycle of the mean loss of its tasks, above that at the point of comparison",
    r"\frac{Q}{K}\sum_c(F(\theta_{cQ})-F(z))",
)
lag_slope = SPECIAL.real(
    "lag_slope",
    "mean over the steps of what the tangent of a task's loss before its cycle says of how it falls until the task comes",
)

_cyclic = partial(
    at("Theorem 4.10, title", "1, 173"),
    conditions=(ge(low, 0),),
    assumes=("ass4.1",),
    changes="not of the paper: what is true of the same algorithm over tasks that come again and again in the same order",
)
EACH = _cyclic(
    "tasks.cyclic.each",
    "over convex tasks that come again and again the loss before training exceeds that of any fixed model by little",
    REGRET.compared,
)
LAG = _cyclic(
    "tasks.cyclic.lag",
    "a task of which a cycle has Q is trained (Q - 1)/2 steps after the cycle began, on average, each of length s B at most",
    le(cycle_risk - regret, s * B**2 * (cycle - 1) / 2),
)
CYCLIC = _cyclic(
    "tasks.cyclic",
    "for convex tasks that come again and again in one order the models before each cycle lose little more on all of them than any "
    "fixed model does, on average: Q times as much for the length of steps as where tasks are drawn with replacement",
    le(cycle_risk, far0**2 / (2 * s * K) + s * B**2 * cycle / 2),
    uses=("tasks.cyclic.each", "tasks.cyclic.lag"),
)
FREE = at("Assumption 4.1, over tasks in cycles", "112", assumes=("ass4.1",))(
    "tasks.cyclic.free",
    "a model that stands still loses on the tasks of a cycle no more than any fixed model does, but for B times their distance",
    le(cycle_risk, far0 * B),
    changes="not of the paper: what bounded gradients alone give",
)
STATEMENTS = (EACH, LAG, CYCLIC, FREE)
