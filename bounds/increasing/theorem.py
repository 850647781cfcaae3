"""Levinstein et al. (2025): tasks in random order, each trained with a penalty towards the last model.

Tasks (X_m, y_m) have a joint solution w*, and |X_m|^2 <= b. After the model w_{t-1} a random task is solved with the penalty
lambda_t |w - w_{t-1}|^2. The loss of a model is the mean of |X_m (w - w*)|^2 over the tasks.

The abstract claims O(1/k) for the last model with growing strengths; its constants were not at hand, so `last` has a letter for
them. The bounds on the mean over all models are our own consequence of one step, which is tight.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("increasing")
PAPER = Paper(
    key="increasing",
    title="Optimal Rates in Continual Linear Regression via Increasing Regularization",
    version="arXiv 2506.06501",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

_nonnegative = GLOSSARY.nonnegative
T, t = GLOSSARY.count("T", "tasks trained"), GLOSSARY.count("t", "number of a task")
b = GLOSSARY.positive("b", "largest squared norm of a task's matrix", "R^2")
lam = GLOSSARY.positive("lam", "strength of the penalty", r"\lambda_t")
top = GLOSSARY.positive("top", "largest strength", r"\lambda")
share = GLOSSARY.positive(
    "share", "share of the loss by which a step at the largest strength lowers the squared error", r"\rho"
)
const = GLOSSARY.positive("const", "a constant of the source", "c")
loss = _nonnegative("loss", "loss of the model before the task", r"\|X(w_{t-1}-w^\star)\|^2")
before2 = _nonnegative("before2", "squared error before the task", r"\|w_{t-1}-w^\star\|^2")
after2 = _nonnegative("after2", "squared error after the task", r"\|w_t-w^\star\|^2")
mean_loss = _nonnegative("mean_loss", "mean over the models before each task of the expected loss", r"\bar L")
last_loss = _nonnegative("last_loss", "expected loss of the last model", r"\mathbb E L(w_T)")
total = _nonnegative("total", "sum of the expected losses before each task", r"\sum_t\mathbb E L(w_{t-1})")
start = _nonnegative("start", "squared error at the start", r"\|w_0-w^\star\|^2")
far, losses, sums = (sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in ("far", "losses", "sums"))
strengths = sp.IndexedBase(sp.Symbol("strengths", positive=True))
GLOSSARY.series(far, "expected squared error before each task", r"\mathbb E\|w-w^\star\|^2")
GLOSSARY.series(losses, "expected loss before each task", r"\mathbb E L")
GLOSSARY.series(sums, "sum of the losses so far", r"\sum\mathbb E L")
GLOSSARY.series(strengths, "strength of each penalty", r"\lambda")


def weight(strength: sp.Expr) -> sp.Expr:
    """The share of the loss by which a step lowers the squared error."""
    return (2 * strength + b) / (strength + b) ** 2


STRENGTHS = (le(strengths[t], top),)
ADDED = (eq(sums[t + 1], sums[t] + losses[t]), eq(sums[1], 0))
SHARE = (eq(share * (top + b) ** 2, 2 * top + b),)
EVERY = le(far[t + 1], far[t] - share * losses[t])
SUM = le(share * total, start)
BOUND = (top + b) ** 2 / (2 * top + b) * start / T
MEAN = at("Our consequence of a step", conditions=(*STRENGTHS, *SHARE, eq(mean_loss, total / T), SUM))(
    "mean",
    "strengths of at most lambda, growing or not: the mean loss of all models falls like 1/T",
    le(mean_loss, BOUND),
    terms={"start": BOUND},
    uses=("sum",),
)
STILL = at("Without the theorem", changes="not of the paper")(
    "mean.free",
    "a model that stands still has a loss of at most R^2 times its squared error",
    le(mean_loss, b * start),
)
STATEMENTS = (
    STILL,
    at("One step")(
        "step",
        "a task lowers the squared error by a share of its loss before, at every strength",
        le(after2, before2 - weight(lam) * loss),
    ),
    at("One step")(
        "step.tight",
        "one task whose matrix has the norm R in every direction attains this",
        eq((lam / (lam + b)) ** 2, 1 - weight(lam) * b),
    ),
    at("One step", conditions=(le(lam, top),))(
        "weight", "weaker penalties have a larger share", ge(weight(lam), weight(top))
    ),
    at("All steps", conditions=(*STRENGTHS, *SHARE, EVERY, *ADDED))(
        "sum",
        "the squared error falls by a share of the losses of all models",
        le(far[T + 1], far[1] - share * sums[T + 1]),
        uses=("step", "weight"),
    ),
    MEAN,
    MEAN.variant(
        "equal",
        le(mean_loss, 4 * b * start / (3 * T)),
        conditions=(*MEAN.conditions, eq(top, b)),
        terms={"start": 4 * b * start / (3 * T)},
        changes="strengths of at most R^2",
    ),
    MEAN.variant(
        "half", le(mean_loss, BOUND / 2), terms={}, changes="half the bound, which the steps do not imply"
    ),
    at("Abstract")(
        "last",
        "with growing strengths the expected loss of the last model falls like 1/k",
        le(last_loss, const * b * start / T),
    ),
)
