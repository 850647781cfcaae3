"""Letters of Evron et al. (2022).

Tasks (X_m, y_m) have a common solution w* with |w*| <= 1, and |X_m| <= 1. Each step takes the solution of its task that is
nearest to the last model, so the error w_k - w* is projected on the null space of X_m. Training starts at 0.
"""

from __future__ import annotations

from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("evron")
PAPER = Paper(
    key="evron",
    title="How catastrophic can catastrophic forgetting be in linear regression?",
    version="COLT 2022",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

k = GLOSSARY.count("k", "steps, each of which solves one task")
t = GLOSSARY.count("t", "number of a step, or of a cycle")
F = GLOSSARY.nonnegative("F", "forgetting: mean loss over the tasks of all steps so far", "F(k)")
loss = GLOSSARY.nonnegative("loss", "loss of an earlier task at the present model", r"\|X_m(w_k-w^\star)\|^2")
now = GLOSSARY.nonnegative("now", "squared error after a step", "r_t")
later = GLOSSARY.nonnegative("later", "squared error one step later", "r_{t+1}")
missing = GLOSSARY.nonnegative(
    "missing", "squared distance of the error from the null space of that task", r"\|(I-P_m)(w_k-w^\star)\|^2"
)
