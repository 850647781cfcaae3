"""C-FLAG, Appendix 1.2: what the drift bounds give for the error (Corollary 14) and for sums over a round (Lemmas 15, 16)."""

from __future__ import annotations

from bounds.cflag.drift_lemmas import (
    QUARTER,
    SAMPLES_ALONE,
    STEPS,
    TWELFTH,
    drift_before,
    e,
    smooth,
    smooth_line,
)
from bounds.cflag.symbols import CFLAG, E, L, beta, gg, gg2, line, rho2
from bounds.relations import eq, le

_nonnegative = CFLAG.nonnegative
rho = _nonnegative("rho", "sum of the clients' mean gradients", r"\|\sum_k\bar\rho_{t,k}\|")
rho_norms = _nonnegative("rho_norms", "sum of the norms of the mean gradients", r"\sum_k\|\bar\rho_{t,k}\|")
mean_turns = _nonnegative(
    "mean_turns",
    "sum of the changes of the mean gradient",
    r"\sum_k\|\sum_ip_i(\nabla g_i(\mathbf x_{t,k}^i)-\nabla g_i(\mathbf x_t))\|",
)
turns = _nonnegative(
    "turns",
    "mean over the clients of the summed changes of their gradients",
    r"\sum_k\sum_ip_i\|\nabla g_i(\mathbf x_{t,k}^i)-\nabla g_i(\mathbf x_t)\|",
)
drifts = _nonnegative(
    "drifts",
    "mean over the clients of their summed drifts",
    r"\sum_k\sum_ip_i\|\mathbf x_{t,k}^i-\mathbf x_t\|",
)
rho_norms2 = _nonnegative("rho_norms2", "sum of the squared mean gradients", r"\sum_k\|\bar\rho_{t,k}\|^2")
parted2 = _nonnegative("parted2", "the same, each gradient as that at the server's model and its change")
mean_turns2 = _nonnegative("mean_turns2", "sum of the squared changes of the mean gradient")
turns2 = _nonnegative("turns2", "mean over the clients of the summed squared changes of their gradients")
drifts2 = _nonnegative("drifts2", "mean over the clients of their summed squared drifts")
ebar = _nonnegative("ebar", "sum of the clients' mean errors", r"\|\sum_k\bar{\mathbf e}_{t,k}\|")
errors = _nonnegative(
    "errors", "mean over the clients of their summed errors", r"\sum_k\sum_ip_i\|\mathbf e_{t,k}^i\|"
)

_SMALL = "with the condition of Lemma 13, which its proof uses"
_COR14 = 2 * beta * L * E * gg
_EQ129 = beta * L * E * gg + 12 * beta**2 * L**2 * E**2 * gg
_LEM15 = 4 * L * beta * E**2 * gg + E * gg
_LEM15_II = 32 * beta**2 * L**2 * E**4 * gg2 + 2 * E**2 * gg2
_LEM16 = 2 * beta * L * E**2 * gg

ERROR = (
    smooth("Eq. (129), step (a)", "783-786")(
        "eq129.drift",
        "the second bound of Lemma 13 for all earlier steps",
        le(drift_before, 4 * beta * E * gg),
        conditions=(TWELFTH, *STEPS),
        uses=("lem13",),
    ),
    eq129 := smooth_line("129", "783")(
        "Lemma 13 put into Lemma 12, with the brackets as printed",
        le(e, (beta * L * E * gg + 12 * beta**2 * L**2 * E**2) * gg),
        conditions=(TWELFTH, *STEPS),
        uses=("lem12", "lem13"),
    ),
    eq129.variant(
        "brackets",
        le(e, _EQ129),
        says="Lemma 13 put into Lemma 12",
        uses=("lem12", "lem13", "eq129.drift"),
        changes="the gradient stands once in each term; the drift bound is Lemma 13, not Lemma 3",
    ),
    eq130 := line("130", "784")(
        "with the step size, from the line before as printed",
        le(e, _COR14),
        conditions=(le(e, (beta * L * E * gg + 12 * beta**2 * L**2 * E**2) * gg), TWELFTH),
        uses=("eq129",),
    ),
    eq130.variant(
        "brackets",
        says="with the step size",
        conditions=(le(e, _EQ129), TWELFTH),
        uses=("eq129/brackets",),
        changes="from the line before with its brackets put right",
    ),
    cor14 := smooth("Corollary 14, Eq. (127), (130)", "773-786")(
        "cor14",
        "with steps up to 1/(12LE) the gradient error is at most 2 E times the change of a gradient over the first step",
        le(e, _COR14),
        terms={"drift": _COR14},
        conditions=(TWELFTH, *STEPS),
        uses=("lem12", "lem13", "eq129", "eq130"),
    ),
    cor14.variant("ass1", assumes=("ass1",), uses=("lem12/ass1", "lem13/ass1"), changes=SAMPLES_ALONE),
)

GRADIENTS = (
    smooth_line("133", "798")("triangle inequality", le(rho, rho_norms)),
    smooth_line("134", "802")(
        "each gradient as that at the server's model and its change", le(rho, mean_turns + E * gg)
    ),
    smooth_line("135.b", "803")("triangle inequality over the clients", le(mean_turns, turns)),
    smooth_line("135", "803")(
        "the changes client by client", le(rho, turns + E * gg), uses=("eq134", "eq135.b")
    ),
    smooth_line("136.c", "804")("smoothness of the clients", le(turns, L * drifts)),
    smooth_line("136", "804")(
        "the changes by the drifts", le(rho, L * drifts + E * gg), uses=("eq135", "eq136.c")
    ),
    eq137_d := smooth_line("137.d", "805")(
        "the drifts by Lemma 13", le(drifts, E * (4 * beta * E * gg)), uses=("lem13",)
    ),
    eq137_d.variant("small-steps", conditions=(QUARTER,), uses=("lem13.E",), changes=_SMALL),
    lem15_I := smooth("Lemma 15 (I), Eq. (131), (138)", "788-806")(
        "lem15.I",
        "the summed mean gradients are not much longer than E gradients",
        le(rho, _LEM15),
        uses=("eq133", "eq134", "eq135", "eq136", "eq137.d"),
    ),
    lem15_I.variant(
        "small-steps", conditions=(QUARTER,), uses=("eq136", "eq137.d/small-steps"), changes=_SMALL
    ),
    lem15_I.variant(
        "ass1",
        conditions=(QUARTER,),
        assumes=("ass1",),
        uses=("lem13/ass1",),
        changes=f"{_SMALL}; {SAMPLES_ALONE}",
    ),
    smooth("Eq. (139), step (a)", "812")("eq139", "Jensen's inequality", le(rho2, E * rho_norms2)),
    line("140", "813")("adding and subtracting the gradient at the server's model", eq(rho_norms2, parted2)),
    smooth_line("141.young", "814")("the square of a sum of two", le(parted2, 2 * mean_turns2 + 2 * E * gg2)),
    smooth_line("141", "814")(
        "the squared changes of the mean gradient",
        le(rho2, 2 * E * mean_turns2 + 2 * E**2 * gg2),
        uses=("eq139", "eq140", "eq141.young"),
    ),
    smooth_line("142.b", "815")("Jensen's inequality over the clients", le(mean_turns2, turns2)),
    smooth_line("142", "815")(
        "the squared changes client by client",
        le(rho2, 2 * E * turns2 + 2 * E**2 * gg2),
        uses=("eq141", "eq142.b"),
    ),
    smooth_line("143.c", "816")("smoothness of the clients", le(turns2, L**2 * drifts2)),
    smooth_line("143", "816")(
        "the changes by the squared drifts",
        le(rho2, 2 * E * L**2 * drifts2 + 2 * E**2 * gg2),
        uses=("eq142", "eq143.c"),
    ),
    eq144_d := smooth_line("144.d", "817")(
        "the squared drifts by Lemma 13", le(drifts2, E * (16 * beta**2 * E**2 * gg2)), uses=("lem13",)
    ),
    eq144_d.variant("small-steps", conditions=(QUARTER,), uses=("lem13.E",), changes=_SMALL),
    lem15_II := smooth("Lemma 15 (II), Eq. (132), (145)", "788-820")(
        "lem15.II",
        "the same, squared",
        le(rho2, _LEM15_II),
        uses=("eq139", "eq141", "eq142", "eq143", "eq144.d"),
    ),
    lem15_II.variant(
        "small-steps", conditions=(QUARTER,), uses=("eq143", "eq144.d/small-steps"), changes=_SMALL
    ),
)

ERRORS = (
    smooth_line("147", "833")("triangle inequality over steps and clients", le(ebar, errors)),
    eq147_cor14 := smooth_line("147.cor14", "833")(
        "the errors by Corollary 14", le(errors, E * (2 * beta * L * E * gg)), uses=("cor14",)
    ),
    eq147_cor14.variant(
        "small-steps",
        conditions=(TWELFTH,),
        changes="with the condition of Corollary 14, which the proof uses",
    ),
    lem16 := smooth("Lemma 16, Eq. (146), (147)", "826-833")(
        "lem16",
        "the summed mean errors are at most 2 E^2 times the change of a gradient over the first step",
        le(ebar, _LEM16),
        uses=("eq147", "eq147.cor14"),
    ),
    lem16.variant(
        "small-steps",
        conditions=(TWELFTH,),
        uses=("eq147", "eq147.cor14/small-steps"),
        changes="with the condition of Corollary 14, which its proof uses",
    ),
    lem16.variant(
        "ass1",
        conditions=(TWELFTH,),
        assumes=("ass1",),
        uses=("cor14/ass1",),
        changes=f"with the condition of Corollary 14; {SAMPLES_ALONE}",
    ),
)

STATEMENTS = (*ERROR, *GRADIENTS, *ERRORS)
