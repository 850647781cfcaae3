"""C-FLAG: what bounds the forgetting term in one round (Eq. 86 to 90 and 149 to 161), line by line."""

from __future__ import annotations

import sympy as sp

from bounds.cflag.drift_lemmas import SMOOTH
from bounds.cflag.drift_sums import ebar, rho
from bounds.cflag.forgetting import GAMMA_15, RATE, forget_t
from bounds.cflag.symbols import (
    CFLAG,
    E,
    L,
    alpha,
    at,
    beta,
    ds,
    e2,
    gg,
    gg2,
    gh2,
    h_next,
    h_now,
    line,
    omega2,
    r,
    rho2,
    s2,
)
from bounds.relations import eq, ge, gt, le, lt

_positive, _nonnegative, _real = CFLAG.positive, CFLAG.nonnegative, CFLAG.real

parts2 = _nonnegative(
    "parts2",
    "squared sum of true gradients and delays",
    r"\|\sum_{i,k}p_i(\mathbf e^i_{t,k}+\nabla g_i(\mathbf x^i_{t,k}))\|^2",
)
fd_parts = _real("fd_parts", "that sum along the memory gradient")
rho2_steps = _nonnegative("rho2_steps", "squared sum of the true gradients, clients first")
rho_e = _real("rho_e", "delays along the true gradients")
fd_rho = _real(
    "fd_rho",
    "true gradients at the local models along the memory gradient",
    r"\langle\nabla f^\dagger,\sum_k\bar\rho_{t,k}\rangle",
)
fd_rho_late = _real("fd_rho_late", "the same from step 1 on")
fd_e = _real("fd_e", "delays along the memory gradient", r"\langle\nabla f^\dagger,\sum_k\bar e_{t,k}\rangle")
fd_n = _nonnegative("fd_n", "norm of the memory gradient", r"\|\nabla f^\dagger(\mathbf x_t)\|")
gs = _real(
    "gs",
    "delayed gradients along the gradient of the current data",
    r"\langle\nabla g(\mathbf x_t),\mathbf s_t\rangle",
)
gap2 = _nonnegative(
    "gap2",
    "squared difference between the gradients of current data and memory",
    r"\|\nabla g(\mathbf x_t)-\nabla f^\dagger(\mathbf x_t)\|^2",
)
Q_t = _nonnegative("Q_t", "factor of Eq. (160)")
Z_t = _positive("Z_t", "factor of the descent in Eq. (70)")

_agree = 1 - L * alpha
T1 = _nonnegative("T1", "part of the forgetting term of the true gradients")
T1_sum = _nonnegative("T1_sum", "the same with a second sum over clients, as printed", "T1")
T2 = _real("T2", "part of the forgetting term of memory and true gradients")
T3 = _real("T3", "part of the forgetting term of memory and delays")
T4 = _nonnegative("T4", "part of the forgetting term of the delays")
PARTS = {T1: L * beta**2 * rho2, T2: -beta * _agree * fd_rho, T3: -beta * _agree * fd_e, T4: L * beta**2 * e2}
"""The four parts; T1 without the second sum over clients."""
_first, _second, _third, _fourth = PARTS.values()
FACTOR = 36 * beta**4 * L**3 * E**4 + 2 * beta**2 * L * E**2 + r * beta * E * _agree * (6 * beta * L * E + 1)
"""Factor of the squared gradient of the current data, Eq. (158)."""
Q = 72 * beta**4 * L**3 * E**4 + 4 * beta**2 * L * E**2 + 2 * r * beta * E * _agree * (6 * beta * L * E + 1)
Z = beta * E * (1 - 80 * beta**3 * L**3 * E**3 - 10 * beta * L * E)
AGREE = (le(alpha, 1 / L),)
"""1 - L alpha >= 0, which the proof uses and Lemma 4 does not say."""
QUARTER = (le(beta, 1 / (4 * L * E)),)
"""What Lemmas 13 and 15 need."""
TWELFTH = (le(beta, 1 / (12 * L * E)),)
"""What Corollary 14 and Lemma 16 need."""
SMALL = (*AGREE, *QUARTER, *TWELFTH)
MEMORY = (*SMOOTH, "ass2", "ass3")
_small = "alpha <= 1/L and beta <= 1/(12LE), which the proof uses"
_GENTLE = (lt(alpha, 1 / L), *TWELFTH, le(beta, 9 * (1 - L * alpha) / (10 * L * E)))
_half_way = sp.Rational(264, 529)
"""A little less than 1/2."""


EXPANSION = (
    line("86", "666")(
        "the delayed gradients are true gradients and delays",
        eq(GAMMA_15, L / 2 * beta**2 * parts2 - beta * _agree * fd_parts),
    ),
    line("87", "671")("the squared sum by both squares", le(L / 2 * beta**2 * parts2, _first + _fourth)),
    line("88", "672")("sums exchanged", eq(_first + _fourth, L * beta**2 * rho2_steps + _fourth)),
    eq89 := line("89", "677")(
        "the inner product is split, its first part from k = 1",
        eq(-beta * _agree * fd_parts, -beta * _agree * fd_rho_late + _third),
    ),
    eq89.variant(
        "all-steps",
        eq(-beta * _agree * fd_parts, _second + _third),
        says="the inner product is split",
        changes="both parts from k = 0",
    ),
    eq90 := line("90", "682")(
        "the forgetting term is the sum of four", eq(GAMMA_15, _first + _second + _third + _fourth)
    ),
    eq90.variant(
        "at-most",
        le(GAMMA_15, _first + _second + _third + _fourth),
        says="the forgetting term is at most the sum of four",
        uses=("eq87", "eq89/all-steps"),
        changes="<= instead of =, since Eq. (87) is an inequality",
    ),
)

_bound1 = (32 * beta**4 * L**3 * E**4 + 2 * beta**2 * L * E**2) * gg2
_bound4 = 4 * beta**4 * L**3 * E**4 * gg2
_bound2 = (4 * beta**2 * _agree * r * L * E**2 + beta * _agree * r * E) * gg2
_bound3 = 2 * r * beta**2 * _agree * L * E**2 * gg2
_chain2 = beta * _agree * r * gg * (4 * beta * L * E**2 * gg + E * gg)
_chain3 = beta * _agree * r * gg * (2 * beta * L * E**2 * gg)
_squares = {gg2: gg**2}
APART = le(GAMMA_15, Q / Z * (h_now - h_next) + Q * omega2)

ROUND = (
    eq149 := line("149", "844")(
        "the forgetting term is T1 + T2 + T3 + T4, with a sum over clients in T1",
        eq(GAMMA_15, T1_sum + T2 + T3 + T4),
        uses=("eq90",),
    ),
    eq149.variant(
        "at-most",
        le(GAMMA_15, T1 + T2 + T3 + T4),
        says="the forgetting term is at most T1 + T2 + T3 + T4",
        uses=("eq90/at-most",),
        changes="<= instead of =, and T1 without the second sum over clients",
    ),
    eq150 := line("150", "848")(
        "T1, with a sum over clients",
        le(T1_sum, _bound1),
        assumes=SMOOTH,
        conditions=RATE,
        uses=("lem15.II",),
    ),
    eq150.variant(
        "small",
        le(T1, _bound1),
        says="T1",
        conditions=QUARTER,
        uses=("lem15.II/small-steps",),
        changes="beta <= 1/(4LE); T1 without the second sum",
    ),
    eq151 := line("151", "849")("T4", le(T4, _bound4), conditions=RATE, assumes=SMOOTH, uses=("lem16",)),
    eq151.variant("small", conditions=TWELFTH, uses=("lem16/small-steps",), changes="beta <= 1/(12LE)"),
    eq152 := line("152", "853")("T2 by norms", le(T2, beta * _agree * fd_n * rho), conditions=RATE),
    eq152.variant("small", conditions=AGREE, changes="alpha <= 1/L"),
    eq153 := line("153", "854")(
        "T2 by Lemmas 10 and 15",
        le(beta * _agree * fd_n * rho, _chain2),
        conditions=RATE,
        assumes=MEMORY,
        uses=("lem10", "lem15.I"),
    ),
    eq153.variant(
        "small",
        conditions=(*AGREE, *QUARTER),
        uses=("lem10", "lem15.I/small-steps"),
        changes="alpha <= 1/L and beta <= 1/(4LE)",
    ),
    line("154", "855")("T2, multiplied out", eq(_chain2, _bound2.subs(_squares))),
    line("154.total/small", "853-855")(
        "T2 by the gradient of the current data",
        le(T2, _bound2.subs(_squares)),
        conditions=(*AGREE, *QUARTER),
        assumes=MEMORY,
        uses=("eq152/small", "eq153/small", "eq154"),
        changes="alpha <= 1/L and beta <= 1/(4LE)",
    ),
    eq155 := line("155", "859")("T3 by norms", le(T3, beta * _agree * fd_n * ebar), conditions=RATE),
    eq155.variant("small", conditions=AGREE, changes="alpha <= 1/L"),
    eq156 := line("156", "860")(
        "T3 by Lemmas 10 and 16",
        le(beta * _agree * fd_n * ebar, _chain3),
        conditions=RATE,
        assumes=MEMORY,
        uses=("lem10", "lem16"),
    ),
    eq156.variant(
        "small",
        conditions=(*AGREE, *TWELFTH),
        uses=("lem10", "lem16/small-steps"),
        changes="alpha <= 1/L and beta <= 1/(12LE)",
    ),
    line("156.total/small", "859-860")(
        "T3 by the gradient of the current data",
        le(T3, _bound3.subs(_squares)),
        conditions=(*AGREE, *TWELFTH),
        assumes=MEMORY,
        uses=("eq155/small", "eq156/small"),
        changes="alpha <= 1/L and beta <= 1/(12LE)",
    ),
    eq157 := line("157", "866")(
        "the forgetting term by the gradient of the current data",
        le(GAMMA_15, _bound1 + _bound2 + _bound3 + _bound4),
        conditions=RATE,
        assumes=MEMORY,
        uses=("eq149", "eq150", "eq151", "eq152", "eq153", "eq155", "eq156"),
    ),
    eq157.variant(
        "small",
        conditions=SMALL,
        uses=("eq149/at-most", "eq150/small", "eq151/small", "eq154.total/small", "eq156.total/small"),
        changes=_small,
    ),
    line("158", "867")("terms together", eq(_bound1 + _bound2 + _bound3 + _bound4, FACTOR * gg2)),
    eq159 := line("159", "868")(
        "with Lemma 11",
        le(GAMMA_15, FACTOR * (2 * gh2 + 2 * omega2)),
        conditions=RATE,
        assumes=MEMORY,
        uses=("eq157", "lem11"),
    ),
    eq159.variant("small", conditions=SMALL, uses=("eq157/small", "lem11"), changes=_small),
    line("160", "869")("the factor 2 multiplied in", eq(FACTOR * (2 * gh2 + 2 * omega2), Q * (gh2 + omega2))),
    eq161 := line("161", "870")(
        "with the descent of Lemma 3", APART, conditions=RATE, assumes=MEMORY, uses=("eq159", "eq70")
    ),
    eq161.variant("small", conditions=(*RATE, *SMALL), uses=("eq159/small", "eq70"), changes=_small),
    eq161.variant(
        "descent",
        le(forget_t, Q_t / Z_t * (h_now - h_next) + Q_t * omega2),
        conditions=(le(forget_t, Q_t * (gh2 + omega2)), le(Z_t * gh2, h_now - h_next)),
        assumes=(),
        uses=(),
        changes="that descent is a condition, which Algorithm 1 need not meet, and Z_t > 0",
    ),
    eq161_positive := line("161.positive", "870")(
        "Z_t is positive, at the step sizes that Corollary 14 needs",
        gt(Z, 0),
        conditions=(le(beta, 1 / (12 * L * E)),),
    ),
    eq161_positive.variant(
        "lem3",
        says="Z_t is positive, at the step sizes of Lemma 3's proof",
        conditions=(le(beta, 1 / (4 * L * E)),),
        changes="beta <= 1/(4LE), as in Eq. (71)",
    ),
    at("Lemma 4", "154-158, 837-891")(
        "lem4.along",
        "the delayed gradients go along the memory gradient, but for its difference from the current one",
        ge(ds, _half_way * E * gg2 - E * gap2 / 2),
        conditions=TWELFTH,
        assumes=SMOOTH,
        changes="a step of the bound by the gap between memory and current data",
    ),
    at("Lemma 4", "154-158, 837-891")(
        "lem4.length",
        "and their square is outweighed by that, with steps on the current data that are small against 1 - L alpha",
        le(L * beta * s2, 2 * _half_way * _agree * E * gg2),
        conditions=_GENTLE,
        assumes=SMOOTH,
        changes="a step of the bound by the gap between memory and current data",
    ),
    at("Lemma 4", "154-158, 837-891")(
        "lem4/heterogeneity",
        "the forgetting term by the difference of the gradients of memory and current data alone",
        le(GAMMA_15, beta * E * _agree * gap2 / 2),
        terms={"gap": beta * E * _agree * gap2 / 2},
        conditions=_GENTLE,
        assumes=SMOOTH,
        uses=("lem4.along", "lem4.length"),
        changes="a bound without Lemma 3, Assumptions 2 and 3 and omega^2, for every alpha < 1/L, with beta <= 1/(12LE) and beta <= 0.9 (1 - L alpha)/(LE)",
    ),
)

STATEMENTS = (*EXPANSION, *ROUND)
