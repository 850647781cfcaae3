"""Mirzadeh, Farajtabar, Pascanu and Ghasemzadeh (2020): forgetting of a first task after a second one.

The source expands the loss of the first task at its optimum w_1 to second order and bounds it by the largest eigenvalue of the
Hessian there. With a bound L of the curvature everywhere the inequality is exact. The number of the equation is from memory.
"""

from __future__ import annotations

from bounds.relations import le
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("mirzadeh")
PAPER = Paper(
    key="mirzadeh",
    title="Understanding the Role of Training Regimes in Continual Learning",
    version="NeurIPS 2020",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

L = GLOSSARY.positive("L", "bound of the curvature of the loss of the first task")
curvature = GLOSSARY.positive("curvature", "curvature at the optimum of the first task", r"\lambda_{\max}")
forgotten = GLOSSARY.nonnegative(
    "forgotten", "loss of the first task above that at its optimum", "L_1(w_2)-L_1(w_1)"
)
moved2 = GLOSSARY.nonnegative("moved2", "squared distance of both models", r"\|w_2-w_1\|^2")

FORGETTING = at("Eq. (5)")(
    "eq5",
    "forgetting is at most half the largest curvature times the squared distance of both models",
    le(forgotten, L / 2 * moved2),
)
STATEMENTS = (
    FORGETTING,
    FORGETTING.variant(
        "third",
        le(forgotten, L / 3 * moved2),
        changes="L/3 instead of L/2, which is false: the bound is tight",
    ),
    FORGETTING.variant(
        "local",
        le(forgotten, curvature / 2 * moved2),
        changes="with the curvature at the optimum alone, which is false beyond quadratic losses",
    ),
)
