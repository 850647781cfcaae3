"""SPECIAL over tasks drawn with replacement, one after the other, from a pool: exact proximal steps. Not of the paper."""

from __future__ import annotations

from functools import partial

from bounds.relations import eq, ge, le
from bounds.special.surrogate import REGRET, far0, low, regret
from bounds.special.symbols import SPECIAL, B, at

regret_mean = SPECIAL.real(
    "regret_mean",
    "mean of the regret over all orders in which tasks may be drawn",
    r"\mathbb E\,\mathrm{regret}",
)
risk = SPECIAL.real(
    "risk",
    "mean over the models before each task, and over all orders, of the loss of a task drawn with replacement, above that at the point of "
    "comparison",
    r"\frac1K\sum_k\mathbb E(F(\theta_{k-1})-F(z))",
)

_drawn = partial(
    at("Theorem 4.10, title", "1, 173"),
    conditions=(ge(low, 0),),
    assumes=("ass4.1",),
    changes="not of the paper: what is true of the same algorithm over tasks drawn with replacement from one pool",
)
EACH = _drawn(
    "tasks.random-order.each",
    "in every order of convex tasks, some drawn again, the loss before training exceeds that of any fixed model by little",
    REGRET.compared,
)
MEAN = _drawn(
    "tasks.random-order.mean",
    "the task that comes next has not met the model, so that its loss is in the mean that of the pool",
    eq(regret_mean, risk),
    conditions=(),
    assumes=(),
)
RANDOM = _drawn(
    "tasks.random-order",
    "for convex tasks drawn with replacement the models before them lose little more on the whole pool than any fixed model does, on average",
    le(risk, REGRET.rhs),
    uses=("tasks.random-order.each", "tasks.random-order.mean"),
)
FREE = at("Assumption 4.1, over tasks drawn with replacement", "112", assumes=("ass4.1",))(
    "tasks.random-order.free",
    "a model that stands still loses on the pool no more than any fixed model does, but for B times their distance",
    le(risk, far0 * B),
    changes="not of the paper: what bounded gradients alone give",
)
MEANS = {regret: regret_mean}
STATEMENTS = (EACH, MEAN, RANDOM, FREE)
