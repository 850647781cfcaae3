"""A-GEM, Eq. (10) and (11): the projected gradient, and the loss of past tasks after a step along it.

The gradient g is projected where its inner product with the mean gradient g_ref of the memory is negative.
"""

from __future__ import annotations

from bounds.relations import eq, le
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("agem")
PAPER = Paper(
    key="agem", title="Efficient Lifelong Learning with A-GEM", version="ICLR 2019", glossary=GLOSSARY
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

_real, _nonnegative = GLOSSARY.real, GLOSSARY.nonnegative
L = GLOSSARY.positive("L", "smoothness of the loss of the memory")
eta = GLOSSARY.positive("eta", "step size", r"\eta")
with_ref = _real(
    "with_ref", "inner product of the projected gradient and g_ref", r"\langle\tilde g,g_\mathrm{ref}\rangle"
)
with_own = _real("with_own", "inner product of the projected gradient and g", r"\langle\tilde g,g\rangle")
kept2 = _nonnegative("kept2", "squared length of the projected gradient", r"\|\tilde g\|^2")
own2 = _nonnegative("own2", "squared length of the gradient", r"\|g\|^2")
near2 = _nonnegative("near2", "squared distance of the projected gradient from g", r"\|g-\tilde g\|^2")
other2 = _nonnegative("other2", "squared distance of another admissible direction from g", r"\|g-z\|^2")
before = _real("before", "loss of the memory before the step", r"\ell(\theta)")
after = _real("after", "loss of the memory after the step", r"\ell(\theta-\eta\tilde g)")

LOSS = at("Section 4, below Eq. (11)")(
    "eq11.safe",
    "a step along the projected gradient does not raise the loss of the memory",
    le(after, before),
)
DESCENDS = at("Eq. (11)")(
    "eq11.descends",
    "the projected gradient is a direction of descent for the current task",
    eq(with_own, kept2),
)
STATEMENTS = (
    at("Eq. (11)")("eq11", "the projected gradient is orthogonal to g_ref", eq(with_ref, 0)),
    at("Eq. (10)")(
        "eq10",
        "no direction z with <z, g_ref> >= 0 is closer to g than the projected gradient",
        le(near2, other2),
        uses=("eq11",),
    ),
    DESCENDS,
    DESCENDS.variant(
        "same",
        eq(with_own, own2),
        changes="the current task descends as fast as without the projection, which is false",
    ),
    LOSS,
    LOSS.variant(
        "bounded",
        le(after, before + L / 2 * eta**2 * kept2),
        changes="the loss rises by at most L/2 times the squared length of the step",
    ),
    LOSS.variant(
        "third",
        le(after, before + L / 3 * eta**2 * kept2),
        changes="L/3 instead of L/2, which is false: no smaller factor is enough",
    ),
)
