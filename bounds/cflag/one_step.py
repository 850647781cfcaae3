"""C-FLAG: the best constants of the descent of one round, with the gradient after the round. Not of the paper."""

from __future__ import annotations

from bounds.cflag.symbols import CFLAG, L, at, beta, f_next, f_now, gf2, s2
from bounds.relations import le

gf2_next = CFLAG.nonnegative(
    "gf2_next", "squared gradient of the past data after the round", r"\|\nabla f(\mathbf x_{t+1})\|^2"
)
part = CFLAG.positive("part", "share of the gradient after the round that is given up", r"\theta")

STEP = at("Lemma 1, for alpha = 1/L and a memory without bias")(
    "lem1.one-step",
    "a round also pays for the gradient after it, by a quarter of its square where the current data add nothing; the descent lemma "
    "gives the case part = 1. Summed over T rounds the least squared gradient is at most 4L/((3 - part) T) times the fall, in place of "
    "2L/T",
    le(
        f_next,
        f_now - gf2 / (2 * L) - (1 - part) * gf2_next / (4 * L) + (1 + part) / (4 * part) * L * beta**2 * s2,
    ),
    conditions=(le(part, 1),),
    changes="not of the paper: the gradient after the round counts, too",
)
STATEMENTS = (STEP,)
