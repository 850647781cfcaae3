"""GEM, Section 3: what the constraints on inner products of gradients say of the losses of past tasks.

GEM calls an increase "unlikely" and assumes that losses are locally linear. The statements here are about steps of any
length. A step goes from the model theta to theta^+ = theta - eta g, and g_k is the gradient of the loss of task k at theta.
"""

from __future__ import annotations

from bounds.hypotheses import Hypothesis
from bounds.relations import ge, gt, le
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("gem")
PAPER = Paper(
    key="gem", title="Gradient Episodic Memory for Continual Learning", version="NIPS 2017", glossary=GLOSSARY
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

L = GLOSSARY.positive("L", "smoothness of the loss of a past task")
before = GLOSSARY.real("f_x", "loss of a past task before the step", r"\ell_k(\theta)")
after = GLOSSARY.real("f_y", "loss of a past task after the step", r"\ell_k(\theta^+)")
slope = GLOSSARY.real(
    "slope_x", "minus eta times the inner product of g and g_k", r"\langle\theta^+-\theta,g_k\rangle"
)
step2 = GLOSSARY.nonnegative("apart2", "squared length of the step", r"\|\theta^+-\theta\|^2")

AGREES = (le(slope, 0),)
SAFE = at("Section 3, Eq. (4)", conditions=AGREES)(
    "eq4", "a step whose direction agrees with g_k does not raise the loss of task k", le(after, before)
)
RAISED = at("Section 3, Eq. (4)", conditions=(gt(slope, 0),))(
    "eq4.violated", "a step whose direction disagrees with g_k raises the loss of task k", gt(after, before)
)
STATEMENTS = (
    SAFE,
    SAFE.variant(
        "short",
        conditions=(*AGREES, le(L * step2, -2 * slope)),
        changes="steps with eta L |g|^2 <= 2 <g, g_k>",
    ),
    SAFE.variant(
        "long",
        conditions=(*AGREES, le(L * step2, -3 * slope)),
        changes="steps with eta L |g|^2 <= 3 <g, g_k>, which is false: the factor 2 is the largest",
    ),
    at("Section 3, Eq. (4)")(
        "eq4.descent",
        "the loss of a past task after a step, from the inner product alone",
        le(after, before + slope + L / 2 * step2),
    ),
    RAISED,
    RAISED.variant("convex", hypotheses=(Hypothesis.CONVEX,), changes="for convex losses only"),
    RAISED.variant(
        "not-less",
        ge(after, before),
        conditions=(gt(slope, 0), le(L * step2, 2 * slope)),
        changes="steps with eta L |g|^2 <= -2 <g, g_k>, and an increase or no change",
    ),
)
