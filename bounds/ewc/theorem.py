"""EWC for quadratic losses: one penalty at the last optimum, as in Huszar (2018), and one penalty for each past task.

The loss of task t is h_t/2 (theta - c_t)^2 in every coordinate, as EWC's Fisher information is diagonal. The strength of the
penalties is 1. The joint optimum minimises the sum of the losses of all tasks.
"""

from __future__ import annotations

import sympy as sp

from bounds.hypotheses import Hypothesis
from bounds.relations import eq, le
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("ewc")
PAPER = Paper(
    key="ewc",
    title="Overcoming catastrophic forgetting in neural networks, and Note on the quadratic penalties in elastic weight "
    "consolidation",
    version="PNAS 2017 and 2018",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

T, t = GLOSSARY.count("T", "tasks after the first"), GLOSSARY.count("t", "number of a task")
i = sp.Symbol("i", integer=True)
gamma = GLOSSARY.positive("gamma", "factor of the sum of curvatures before each task", r"\gamma")
h, H = (sp.IndexedBase(sp.Symbol(name, positive=True)) for name in ("h", "H"))
c, theta = (sp.IndexedBase(sp.Symbol(name, real=True)) for name in ("c", "theta"))
GLOSSARY.series(h, "curvature of the loss of each later task (Fisher information)", "h")
GLOSSARY.series(
    H, "curvature of the penalty: of the first task (number 0), with those of later tasks added", "H"
)
GLOSSARY.series(c, "optimum of each later task", "c")
GLOSSARY.series(theta, "model after each task; after the first one, its optimum", r"\theta")
h1, h2, h3 = (GLOSSARY.positive(f"h{k}", f"curvature of task {k}", f"h_{k}") for k in (1, 2, 3))
c1, c2, c3 = (GLOSSARY.real(f"c{k}", f"optimum of task {k}", f"c_{k}") for k in (1, 2, 3))
theta2, theta3 = (GLOSSARY.real(f"theta{k}", f"model after task {k}", rf"\theta_{k}") for k in (2, 3))
x = GLOSSARY.real("x", "any model", r"\theta")
joint3 = GLOSSARY.real("joint3", "joint optimum of three tasks", r"\theta^\star")

QUADRATIC = (Hypothesis.QUADRATIC,)
PENALTY = eq(H[t], H[t - 1] + h[t])
TRAINED = eq(theta[t], (h[t] * c[t] + H[t - 1] * theta[t - 1]) / (H[t - 1] + h[t]))
"""The gradient of the loss of task t and of one penalty at the last model vanishes."""
FADING = (
    eq(H[t], gamma * H[t - 1] + h[t]),
    eq(theta[t], (h[t] * c[t] + gamma * H[t - 1] * theta[t - 1]) / (gamma * H[t - 1] + h[t])),
)
"""The same, where the old penalty is multiplied by gamma before each task."""
JOINT = eq((h1 + h2 + h3) * joint3, h1 * c1 + h2 * c2 + h3 * c3)
SECOND = eq((h1 + h2) * theta2, h1 * c1 + h2 * c2)
"""After two tasks both ways of writing penalties agree."""
SEPARATE = eq(h1 * (theta3 - c1) + h2 * (theta3 - theta2) + h3 * (theta3 - c3), 0)
"""The gradient of the loss of task 3 and of one penalty for each past task, at its own model, vanishes."""

EACH = at("EWC, after Eq. (3)", conditions=(SECOND, SEPARATE, JOINT), hypotheses=QUADRATIC)(
    "separate", "one penalty for each past task keeps the joint optimum of three tasks", eq(theta3, joint3)
)
ONE = at("Note of 2018", conditions=(PENALTY, TRAINED), hypotheses=QUADRATIC)(
    "single",
    "one penalty at the last optimum, with the sum of all curvatures, keeps the joint optimum of all tasks",
    eq(H[T] * theta[T], H[0] * theta[0] + sp.Sum(h[i] * c[i], (i, 1, T))),
)
STATEMENTS = (
    at("EWC, after Eq. (3)")(
        "sum",
        "the sum of two quadratic penalties is a quadratic penalty",
        eq(
            h1 * (x - c1) ** 2 + h2 * (x - c2) ** 2,
            (h1 + h2) * (x - (h1 * c1 + h2 * c2) / (h1 + h2)) ** 2 + h1 * h2 / (h1 + h2) * (c1 - c2) ** 2,
        ),
    ),
    EACH,
    EACH.variant(
        "error",
        eq(theta3 - joint3, h1 * h2 / ((h1 + h2) * (h1 + h2 + h3)) * (c1 - c2)),
        changes="the distance from the joint optimum: the first task is counted twice",
    ),
    ONE,
    ONE.variant(
        "online",
        eq((H[0] + sp.Sum(h[i], (i, 1, T))) * theta[T], ONE.rhs),
        conditions=(*FADING, le(gamma, 1)),
        changes="the penalty is multiplied by gamma <= 1 before each task, as in online EWC",
    ),
    ONE.variant(
        "fading",
        eq(H[T] * theta[T], gamma**T * H[0] * theta[0] + sp.Sum(gamma ** (T - i) * h[i] * c[i], (i, 1, T))),
        conditions=FADING,
        changes="online EWC minimises the losses with weights that fade by gamma with every later task",
    ),
)
