"""Lin, Ju, Liang and Shroff (2023): errors after training on tasks with Gaussian inputs, from which Theorem 4.1 follows.

Each of T tasks has n samples in p dimensions, p >= n + 2. Training on a task projects on its random subspace, which keeps the part
1 - n/p = r of a squared length in expectation. The error is measured against any fixed vector v, such as the optimum of a task.
The constant of the noise comes from the inverse Wishart distribution and is cited.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le, lt
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("minnorm")
PAPER = Paper(
    key="minnorm",
    title="Theory on Forgetting and Generalization of Continual Learning",
    version="ICML 2023",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

_nonnegative = GLOSSARY.nonnegative
T, t = GLOSSARY.count("T", "tasks"), GLOSSARY.count("t", "number of a task")
i = sp.Symbol("i", integer=True)
r = GLOSSARY.positive("r", "part of a squared length that a task leaves, 1 - n/p")
noise = _nonnegative("noise", "expected squared effect of the noise of a task", r"\frac{n\sigma^2}{p-n-1}")
far2 = _nonnegative("far2", "squared error before the task", r"\|w_{t-1}-v\|^2")
goal2 = _nonnegative("goal2", "squared distance of the optimum of the task from v", r"\|w_t^\star-v\|^2")
after2 = _nonnegative("after2", "expected squared error after the task", r"\mathbb E\|w_t-v\|^2")
e, q = (sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in ("e", "q"))
GLOSSARY.series(e, "expected squared error after each task; the first entry is the start", "e")
GLOSSARY.series(q, "squared distance of the optimum of each task from v", "q")

TASK = eq(e[t], r * e[t - 1] + (1 - r) * q[t] + noise)
SHRUNK = r * far2 + (1 - r) * goal2
STEP = at("Theorem 4.1, proof", conditions=(le(r, 1),))(
    "thm4.1.step",
    "one task shrinks the old error by r and moves the rest to the optimum of the task",
    le(after2, SHRUNK + noise),
)
CLOSED = at("Theorem 4.1, proof", conditions=(TASK, lt(r, 1)))(
    "thm4.1",
    "the expected error against any vector after all tasks",
    eq(e[T], r**T * e[0] + (1 - r) * sp.Sum(r ** (T - i) * q[i], (i, 1, T)) + noise * (1 - r**T) / (1 - r)),
    uses=("thm4.1.step", "thm4.1.step/least"),
)
STATEMENTS = (
    STEP,
    STEP.variant(
        "least", ge(after2, SHRUNK + noise), changes="the same from below, so that both sides are equal"
    ),
    STEP.variant("noiseless", le(after2, SHRUNK), changes="without the noise, which is false"),
    CLOSED,
    CLOSED.variant(
        "equal",
        eq(e[T], r**T * e[0] + (1 - r) * sp.Sum(q[i], (i, 1, T)) + noise * (1 - r**T) / (1 - r)),
        changes="all tasks count alike, which is false: older tasks count less",
    ),
    at("Section 4", conditions=(TASK, lt(r, 1)))(
        "forgets",
        "the error against the optimum of a task, which the start has just solved, never falls in later tasks",
        ge(e[T], e[0]),
    ),
)
