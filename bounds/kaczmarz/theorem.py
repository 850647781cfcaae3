"""Strohmer and Vershynin (2009): rows of a consistent system A x = b, drawn with probabilities |a_i|^2/|A|_F^2.

A step projects the error x - x* on the hyperplane of a row. For tasks with one sample each it is continual regression in random
order (Evron et al., 2022). The rate c is at most the least squared singular value of A over |A|_F^2. Theorem number from memory.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, gt, le, lt
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("kaczmarz")
PAPER = Paper(
    key="kaczmarz",
    title="A Randomized Kaczmarz Algorithm with Exponential Convergence",
    version="J. Fourier Anal. Appl. 2009",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

_nonnegative = GLOSSARY.nonnegative
t = GLOSSARY.count("t", "steps")
c = GLOSSARY.positive("c", "rate", r"\sigma_{\min}^2/\|A\|_F^2")
before2 = _nonnegative("before2", "squared error before a step", r"\|x_k-x^\star\|^2")
after2 = _nonnegative("after2", "expected squared error after the step", r"\mathbb E\|x_{k+1}-x^\star\|^2")
image2 = _nonnegative("image2", "squared length of the residual", r"\|A(x_k-x^\star)\|^2")
size2 = _nonnegative("size2", "sum of the squares of all entries", r"\|A\|_F^2")
distance2 = _nonnegative("distance2", "expected squared error after t steps", r"\mathbb E\|x_t-x^\star\|^2")
distance2_0 = _nonnegative("distance2_0", "squared error at the start", r"\|x_0-x^\star\|^2")

T = GLOSSARY.count("T", "steps of the run")
far, images = (sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in ("far", "images"))
GLOSSARY.series(far, "expected squared error after each step", r"\mathbb E\|x-x^\star\|^2")
GLOSSARY.series(
    images, "expected squared length of the residual after each step", r"\mathbb E\|A(x-x^\star)\|^2"
)

MEAN = eq(far[t], far[t - 1] - images[t - 1] / size2)
RATE = le(c * size2 * far[t - 1], images[t - 1])
"""c is at most the least squared singular value over the sum of squares."""
THEOREM = at("Theorem 2", conditions=(lt(c, 1),))(
    "thm2",
    "the expected squared error falls by 1 - c in every step",
    le(distance2, (1 - c) ** t * distance2_0),
    terms={"start": (1 - c) ** t * distance2_0},
    uses=("thm2.mean", "thm2.step"),
)
STILL = at("Without the theorem", changes="not of the paper")(
    "thm2.free", "a model that stands still keeps its error", le(distance2, distance2_0)
)
STATEMENTS = (
    STILL,
    at("Theorem 2, proof")(
        "thm2.mean",
        "the expected squared error falls by the squared residual over the sum of squares",
        eq(after2, before2 - image2 / size2),
    ),
    at("Theorem 2, proof", conditions=(le(c, 1),))(
        "thm2.step", "one step shrinks the expected squared error by 1 - c", le(after2, (1 - c) * before2)
    ),
    THEOREM,
    THEOREM.variant(
        "rows",
        le(far[T], (1 - c) ** T * far[0]),
        conditions=(lt(c, 1), gt(size2, 0), MEAN, RATE),
        terms={"start": (1 - c) ** T * far[0]},
        changes="for the rows of a system, by the mean over the rows in every step",
    ),
    THEOREM.variant(
        "ahead",
        le(distance2, (1 - c) ** (t + 1) * distance2_0),
        changes="one step ahead of the bound, which is false",
    ),
)
