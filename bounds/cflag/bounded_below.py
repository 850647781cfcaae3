"""C-FLAG, Lemmas 4 and 18 made true: with a memory that is kept, and whose loss is bounded below, for every alpha < 2/L.

A round lowers the loss of the memory by its squared gradient, up to what it forgets; so the mean squared gradient of the memory
is bounded, and the mean forgetting is of the order of beta. Nothing is assumed of the past data, and no expectation is taken.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag.drift_lemmas import SMOOTH
from bounds.cflag.floors import forget_sum
from bounds.cflag.forgetting import GAMMA_15
from bounds.cflag.growth import TWELFTH, gap2
from bounds.cflag.growth_runs import forget_mean
from bounds.cflag.joint import SAMPLES
from bounds.cflag.so_far import passed
from bounds.cflag.symbols import CFLAG, E, L, T, alpha, at, beta, c, fd2
from bounds.relations import eq, le, lt
from bounds.statement import Scaling

_nonnegative, _real = CFLAG.nonnegative, CFLAG.real

fd_now = _real("fd_now", "loss of the memory before a round", r"f^\dagger(\mathbf x_t)")
fd_next = _real("fd_next", "the same one round later", r"f^\dagger(\mathbf x_{t+1})")
fd_first = _real("fd_first", "loss of the memory at the start", r"f^\dagger(\mathbf x_0)")
F_memory = _nonnegative(
    "F_memory", "loss of the memory at the start, less its infimum", r"f^\dagger(\mathbf x_0)-\inf f^\dagger"
)
fd2_next = _nonnegative("fd2_next", "squared memory gradient one round later")
fd2_total = _nonnegative("fd2_total", "sum of the squared memory gradients over the rounds that are over")
fd2_total_next = _nonnegative("fd2_total_next", "the same one round later")
forgets = _real("forgets", "forgetting term of a round, for the memories drawn", r"\Gamma(t)")
forgets_next = _real("forgets_next", "the same one round later")
gap2_next = _nonnegative("gap2_next", "squared difference between the gradients one round later")
gap2_sup = _nonnegative(
    "gap2_sup",
    "largest squared difference between the gradients of current data and memory in a run",
    r"\sup_t\|\nabla g(\mathbf x_t)-\nabla f^\dagger(\mathbf x_t)\|^2",
)

FALL = alpha * (1 - L * alpha / 2)
"""What a round takes from the loss of the memory, over its squared gradient."""
EACH = eq(forgets, GAMMA_15)
GENTLE = (lt(alpha, 2 / L), *TWELFTH)
CAUTIOUS = (le(4 * beta * E, FALL),)
_LINES = "154-158, 837-891"
_CHANGES = (
    "a memory that is kept, whose samples are L-smooth and whose loss is bounded below; gradients of current data and memory differ "
    "by a bounded vector; beta <= 1/(12LE) and 4 beta E <= alpha (1 - L alpha/2)"
)
_step = at("Lemma 4, for a memory whose loss is bounded below", _LINES, assumes=SMOOTH)
RIGHT = 4 * beta * E * (F_memory / (FALL * T) + gap2_sup)
_conditions = (*GENTLE, *CAUTIOUS, *SAMPLES)

STATEMENTS = (
    _step(
        "lem4.below.round",
        "a round forgets at most 2 beta E times the squared memory gradient and the gap",
        le(forgets, 2 * beta * E * (fd2 + gap2)),
        conditions=GENTLE,
    ),
    _step(
        "lem4.below.descent",
        "a round lowers the loss of the memory by its squared gradient, up to what it forgets",
        le(FALL * fd2, fd_now - fd_next + forgets),
        conditions=SAMPLES,
    ),
    _step(
        "lem4.below.sum",
        "the rounds together: the squared memory gradients by the fall of the loss of the memory and what is forgotten",
        le(FALL * fd2_total, fd_first - fd_now + forget_sum),
        conditions=SAMPLES,
        uses=("lem4.below.descent",),
    ),
    _step(
        "lem4.below.forgets",
        "the rounds together forget at most 2 beta E times the squared memory gradients and the gaps",
        le(forget_sum, 2 * beta * E * (fd2_total + passed * gap2_sup)),
        conditions=GENTLE,
        uses=("lem4.below.round",),
    ),
    lemma_4 := at("Lemma 4", _LINES)(
        "lem4/bounded-below",
        "the mean forgetting term of any number of rounds is at most of the order of beta",
        le(forget_mean, RIGHT),
        terms={"descent": 4 * beta * E * F_memory / (FALL * T), "gap": 4 * beta * E * gap2_sup},
        conditions=_conditions,
        assumes=SMOOTH,
        uses=("lem4.below.sum", "lem4.below.forgets"),
        changes=_CHANGES,
    ),
    at("Lemma 4", _LINES)(
        "lem4/bounded-below.order",
        "the bound for losses bounded below is of order 1/sqrt(T)",
        Scaling(
            {"descent": 4 * beta * E * F_memory / (FALL * T), "gap": 4 * beta * E * gap2_sup},
            {beta: c / sp.sqrt(T)},
            1 / sp.sqrt(T),
            (T,),
        ),
        uses=("lem4/bounded-below",),
        changes="beta = c/sqrt(T), for the loss of the memory at the start above its infimum and the largest gap, which are fixed",
    ),
    at("Lemma 18", "929-974")(
        "lem18/bounded-below",
        "with a constant rate on the current data the mean forgetting term is of order 1/T + 1",
        le(forget_mean, (F_memory / (FALL * T) + gap2_sup) / (15 * L)),
        terms={"descent": F_memory / (FALL * T) / (15 * L), "gap": gap2_sup / (15 * L)},
        conditions=(*_conditions, eq(beta, 1 / (60 * L * E))),
        assumes=SMOOTH,
        uses=("lem4/bounded-below",),
        changes=_CHANGES.replace("beta <= 1/(12LE) and 4 beta E <= ", "1/(15L) <= "),
    ),
)
