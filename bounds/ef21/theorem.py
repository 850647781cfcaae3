"""EF21, Theorem 1: nonconvex losses, any number of clients, any contractive compressor, and the lemmas of its proof.

All clients have one smoothness constant L here, so that the paper's quadratic mean of these constants is L, too.
"""

from __future__ import annotations

from bounds.relations import eq, le, lt
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("ef21")
PAPER = Paper(
    key="ef21",
    title="EF21: A New, Simpler, Theoretically Better, and Practically Faster Error Feedback",
    version="NeurIPS 2021",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

_positive, _nonnegative = GLOSSARY.positive, GLOSSARY.nonnegative
t = GLOSSARY.count("t", "iterations")
L = _positive("L", "smoothness of every client's loss")
gamma = _positive("gamma", "step size", r"\gamma")
alpha = _positive("alpha", "what a compressor keeps: it errs by 1 - alpha at most", r"\alpha")
r = _positive("r", "root of 1 - alpha, so that theta = 1 - r and beta = r^2/(1 - r)", r"\sqrt{1-\alpha}")
s = _positive("s", "weight in Young's inequality")
error = _nonnegative("error", "mean squared error of the gradient estimates", "G^t")
error_next = _nonnegative("error_next", "expected error after the next iteration", r"\mathbb E G^{t+1}")
turn = _nonnegative(
    "turn",
    "mean squared change of the clients' gradients",
    r"\tfrac1n\sum_i\|\nabla f_i(x^{t+1})-\nabla f_i(x^t)\|^2",
)
moved = _nonnegative("moved", "squared length of the server's step", r"\|x^{t+1}-x^t\|^2")
grad2 = _nonnegative("grad2", "squared gradient of the mean loss", r"\|\nabla f(x^t)\|^2")
gap = _nonnegative("gap", "loss above its infimum", r"f(x^t)-f^{\inf}")
gap_next = _nonnegative("gap_next", "loss above its infimum after the step", r"f(x^{t+1})-f^{\inf}")
gap_0 = _nonnegative("gap_0", "loss above its infimum at the start", r"f(x^0)-f^{\inf}")
error_0 = _nonnegative("error_0", "mean squared error at the start", r"\mathbb E G^0")
grad2_mean = _nonnegative(
    "grad2_mean",
    "mean of the squared gradients of t iterations",
    r"\tfrac1t\sum_{k<t}\mathbb E\|\nabla f(x^k)\|^2",
)

COMPRESSOR = (lt(alpha, 1),)
ROOT = (eq(r**2, 1 - alpha), lt(r, 1))
STEP = (lt(r, 1), le(gamma * L, 1 - r))
KEPT = r * error + r**2 / (1 - r) * turn

RATE = at("Theorem 1", conditions=STEP)(
    "thm1",
    "the mean squared gradient falls like 1/t, for any heterogeneity",
    le(grad2_mean, 2 * gap_0 / (gamma * t) + error_0 / ((1 - r) * t)),
    terms={"descent": 2 * gap_0 / (gamma * t), "error": error_0 / ((1 - r) * t)},
    uses=("thm1.step",),
)
STILL = at("Without the theorem", changes="not of the paper")(
    "thm1.free",
    "a model that stands still has a squared gradient of at most 2 L times its loss",
    le(grad2_mean, 2 * L * gap_0),
)
STATEMENTS = (
    STILL,
    at("Lemma 1", conditions=COMPRESSOR)(
        "lem1",
        "the error of the gradient estimates contracts up to the change of the gradients, at every weight s",
        le(error_next, (1 - alpha) * (1 + s) * error + (1 - alpha) * (1 + 1 / s) * turn),
    ),
    at("Lemma 3", conditions=(lt(r, 1),))(
        "lem3", "the same at the best weight", le(error_next, KEPT), uses=("lem1",)
    ),
    at("Assumption 1")("ass1.turn", "gradients change no faster than the model", le(turn, L**2 * moved)),
    at("Lemma 2", conditions=(lt(r, 1),))(
        "lem2",
        "descent of a step along a wrong gradient",
        le(gap_next, gap - gamma / 2 * grad2 - (1 / (2 * gamma) - L / 2) * moved + gamma / 2 * error),
    ),
    at("Theorem 1", conditions=STEP)(
        "thm1.step",
        "the Lyapunov function falls by gamma/2 times the squared gradient",
        le(
            gap_next + gamma / (2 * (1 - r)) * error_next,
            gap + gamma / (2 * (1 - r)) * error - gamma / 2 * grad2,
        ),
        uses=("lem2", "lem3", "ass1.turn"),
    ),
    RATE,
    RATE.variant(
        "long",
        conditions=(lt(r, 1), le(gamma * L, 4 * (1 - r))),
        changes="steps four times as long, which is false",
    ),
)
