"""C-FLAG, Appendix 1.2: what the drift bounds give for the error (Corollary 14) and for sums over a round (Lemmas 15, 16).

And the drift, the error and the sums with the constants that they need: the same for every step size.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag.drift import says
from bounds.cflag.drift_lemmas import (
    QUARTER,
    SAMPLES_ALONE,
    STEPS,
    TWELFTH,
    drift,
    drift_before,
    drift_max,
    drift_next,
    e,
    path,
    smooth,
    stale,
)
from bounds.cflag.symbols import CFLAG, E, L, S, beta, gg, gg2, k, rho2

_define = CFLAG.define
rho = _define("rho", "sum of the clients' mean gradients", "nonnegative", r"\|\sum_k\bar\rho_{t,k}\|")
rho_norms = _define(
    "rho_norms", "sum of the norms of the mean gradients", "nonnegative", r"\sum_k\|\bar\rho_{t,k}\|"
)
mean_turns = _define(
    "mean_turns",
    "sum of the changes of the mean gradient",
    "nonnegative",
    r"\sum_k\|\sum_ip_i(\nabla g_i(\mathbf x_{t,k}^i)-\nabla g_i(\mathbf x_t))\|",
)
turns = _define(
    "turns",
    "mean over the clients of the summed changes of their gradients",
    "nonnegative",
    r"\sum_k\sum_ip_i\|\nabla g_i(\mathbf x_{t,k}^i)-\nabla g_i(\mathbf x_t)\|",
)
drifts = _define(
    "drifts",
    "mean over the clients of their summed drifts",
    "nonnegative",
    r"\sum_k\sum_ip_i\|\mathbf x_{t,k}^i-\mathbf x_t\|",
)
rho_norms2 = _define(
    "rho_norms2", "sum of the squared mean gradients", "nonnegative", r"\sum_k\|\bar\rho_{t,k}\|^2"
)
parted2 = _define(
    "parted2", "the same, each gradient as that at the server's model and its change", "nonnegative"
)
mean_turns2 = _define("mean_turns2", "sum of the squared changes of the mean gradient", "nonnegative")
turns2 = _define(
    "turns2", "mean over the clients of the summed squared changes of their gradients", "nonnegative"
)
drifts2 = _define("drifts2", "mean over the clients of their summed squared drifts", "nonnegative")
ebar = _define("ebar", "sum of the clients' mean errors", "nonnegative", r"\|\sum_k\bar{\mathbf e}_{t,k}\|")
errors = _define(
    "errors",
    "mean over the clients of their summed errors",
    "nonnegative",
    r"\sum_k\sum_ip_i\|\mathbf e_{t,k}^i\|",
)
growth = _define("growth", "growth of the drift over k steps", "positive", r"(1+\beta_tL)^k")

_SMALL = "with the condition of Lemma 13, which its proof uses"
_COR14 = 2 * beta * L * E * gg
_EQ129 = beta * L * E * gg + 12 * beta**2 * L**2 * E**2 * gg
_LEM15 = 4 * L * beta * E**2 * gg + E * gg
_LEM15_II = 32 * beta**2 * L**2 * E**4 * gg2 + 2 * E**2 * gg2
_LEM16 = 2 * beta * L * E**2 * gg
_OLD = 1 - 1 / S
"""Share of the samples that were not drawn last."""

ERROR = (
    smooth(
        "eq129.drift",
        "the second bound of Lemma 13 for all earlier steps",
        drift_before,
        4 * beta * E * gg,
        "Eq. (129), step (a)",
        "783-786",
        conditions=(TWELFTH, *STEPS),
        uses=("cflag.lem13",),
    ),
    smooth(
        "eq129",
        "Lemma 13 put into Lemma 12, with the brackets as printed",
        e,
        (beta * L * E * gg + 12 * beta**2 * L**2 * E**2) * gg,
        "Eq. (129)",
        "783",
        conditions=(TWELFTH, *STEPS),
        uses=("cflag.lem12", "cflag.lem13"),
    ),
    smooth(
        "eq129/brackets",
        "Lemma 13 put into Lemma 12",
        e,
        _EQ129,
        "Eq. (128), (129)",
        "782-786",
        conditions=(TWELFTH, *STEPS),
        uses=("cflag.lem12", "cflag.lem13", "cflag.eq129.drift"),
        changes="the gradient stands once in each term; the drift bound is Lemma 13, not Lemma 3",
    ),
    says(
        "eq130",
        "with the step size, from the line before as printed",
        sp.Le(e, _COR14),
        "Eq. (130)",
        "784",
        conditions=(sp.Le(e, (beta * L * E * gg + 12 * beta**2 * L**2 * E**2) * gg), TWELFTH),
        uses=("cflag.eq129",),
    ),
    says(
        "eq130/brackets",
        "with the step size",
        sp.Le(e, _COR14),
        "Eq. (130)",
        "784",
        conditions=(sp.Le(e, _EQ129), TWELFTH),
        uses=("cflag.eq129/brackets",),
        changes="from the line before with its brackets put right",
    ),
    smooth(
        "cor14",
        "with steps up to 1/(12LE) the gradient error is at most 2 E times the change of a gradient over the first step",
        e,
        _COR14,
        "Corollary 14, Eq. (127), (130)",
        "773-786",
        conditions=(TWELFTH, *STEPS),
        uses=("cflag.lem12", "cflag.lem13", "cflag.eq129", "cflag.eq130"),
    ),
    smooth(
        "cor14/ass1",
        "with steps up to 1/(12LE) the gradient error is at most 2 E times the change of a gradient over the first step",
        e,
        _COR14,
        "Corollary 14, Eq. (127)",
        "773-786",
        conditions=(TWELFTH, *STEPS),
        assumes=("cflag.ass1",),
        uses=("cflag.lem12/ass1", "cflag.lem13/ass1"),
        changes=SAMPLES_ALONE,
    ),
)

GRADIENTS = (
    smooth("eq133", "triangle inequality", rho, rho_norms, "Eq. (133)", "798"),
    smooth(
        "eq134",
        "each gradient as that at the server's model and its change",
        rho,
        mean_turns + E * gg,
        "Eq. (134)",
        "802",
    ),
    smooth(
        "eq135.b", "triangle inequality over the clients", mean_turns, turns, "Eq. (135), step (b)", "803"
    ),
    smooth(
        "eq135",
        "the changes client by client",
        rho,
        turns + E * gg,
        "Eq. (135)",
        "803",
        uses=("cflag.eq134", "cflag.eq135.b"),
    ),
    smooth("eq136.c", "smoothness of the clients", turns, L * drifts, "Eq. (136), step (c)", "804"),
    smooth(
        "eq136",
        "the changes by the drifts",
        rho,
        L * drifts + E * gg,
        "Eq. (136)",
        "804",
        uses=("cflag.eq135", "cflag.eq136.c"),
    ),
    smooth(
        "eq137.d",
        "the drifts by Lemma 13",
        drifts,
        E * (4 * beta * E * gg),
        "Eq. (137), step (d)",
        "805",
        uses=("cflag.lem13",),
    ),
    smooth(
        "eq137.d/small-steps",
        "the drifts by Lemma 13",
        drifts,
        E * (4 * beta * E * gg),
        "Eq. (137), step (d)",
        "805",
        conditions=(QUARTER,),
        uses=("cflag.lem13.E",),
        changes=_SMALL,
    ),
    smooth(
        "lem15.I",
        "the summed mean gradients are not much longer than E gradients",
        rho,
        _LEM15,
        "Lemma 15 (I), Eq. (131), (138)",
        "788-806",
        uses=("cflag.eq133", "cflag.eq134", "cflag.eq135", "cflag.eq136", "cflag.eq137.d"),
    ),
    smooth(
        "lem15.I/small-steps",
        "the summed mean gradients are not much longer than E gradients",
        rho,
        _LEM15,
        "Lemma 15 (I), Eq. (131), (138)",
        "788-806",
        conditions=(QUARTER,),
        uses=("cflag.eq136", "cflag.eq137.d/small-steps"),
        changes=_SMALL,
    ),
    smooth(
        "lem15.I/ass1",
        "the summed mean gradients are not much longer than E gradients",
        rho,
        _LEM15,
        "Lemma 15 (I), Eq. (131)",
        "788-806",
        conditions=(QUARTER,),
        assumes=("cflag.ass1",),
        uses=("cflag.lem13/ass1",),
        changes=f"{_SMALL}; {SAMPLES_ALONE}",
    ),
    smooth("eq139", "Jensen's inequality", rho2, E * rho_norms2, "Eq. (139), step (a)", "812"),
    says(
        "eq140",
        "adding and subtracting the gradient at the server's model",
        sp.Eq(rho_norms2, parted2),
        "Eq. (140)",
        "813",
    ),
    smooth(
        "eq141.young",
        "the square of a sum of two",
        parted2,
        2 * mean_turns2 + 2 * E * gg2,
        "Eq. (141)",
        "814",
    ),
    smooth(
        "eq141",
        "the squared changes of the mean gradient",
        rho2,
        2 * E * mean_turns2 + 2 * E**2 * gg2,
        "Eq. (141)",
        "814",
        uses=("cflag.eq139", "cflag.eq140", "cflag.eq141.young"),
    ),
    smooth(
        "eq142.b", "Jensen's inequality over the clients", mean_turns2, turns2, "Eq. (142), step (b)", "815"
    ),
    smooth(
        "eq142",
        "the squared changes client by client",
        rho2,
        2 * E * turns2 + 2 * E**2 * gg2,
        "Eq. (142)",
        "815",
        uses=("cflag.eq141", "cflag.eq142.b"),
    ),
    smooth("eq143.c", "smoothness of the clients", turns2, L**2 * drifts2, "Eq. (143), step (c)", "816"),
    smooth(
        "eq143",
        "the changes by the squared drifts",
        rho2,
        2 * E * L**2 * drifts2 + 2 * E**2 * gg2,
        "Eq. (143)",
        "816",
        uses=("cflag.eq142", "cflag.eq143.c"),
    ),
    smooth(
        "eq144.d",
        "the squared drifts by Lemma 13",
        drifts2,
        E * (16 * beta**2 * E**2 * gg2),
        "Eq. (144), step (d)",
        "817",
        uses=("cflag.lem13",),
    ),
    smooth(
        "eq144.d/small-steps",
        "the squared drifts by Lemma 13",
        drifts2,
        E * (16 * beta**2 * E**2 * gg2),
        "Eq. (144), step (d)",
        "817",
        conditions=(QUARTER,),
        uses=("cflag.lem13.E",),
        changes=_SMALL,
    ),
    smooth(
        "lem15.II",
        "the same, squared",
        rho2,
        _LEM15_II,
        "Lemma 15 (II), Eq. (132), (145)",
        "788-820",
        uses=("cflag.eq139", "cflag.eq141", "cflag.eq142", "cflag.eq143", "cflag.eq144.d"),
    ),
    smooth(
        "lem15.II/small-steps",
        "the same, squared",
        rho2,
        _LEM15_II,
        "Lemma 15 (II), Eq. (132), (145)",
        "788-820",
        conditions=(QUARTER,),
        uses=("cflag.eq143", "cflag.eq144.d/small-steps"),
        changes=_SMALL,
    ),
)

ERRORS = (
    smooth("eq147", "triangle inequality over steps and clients", ebar, errors, "Eq. (147)", "833"),
    smooth(
        "eq147.cor14",
        "the errors by Corollary 14",
        errors,
        E * (2 * beta * L * E * gg),
        "Eq. (147)",
        "833",
        uses=("cflag.cor14",),
    ),
    smooth(
        "eq147.cor14/small-steps",
        "the errors by Corollary 14",
        errors,
        E * (2 * beta * L * E * gg),
        "Eq. (147)",
        "833",
        conditions=(TWELFTH,),
        uses=("cflag.cor14",),
        changes="with the condition of Corollary 14, which the proof uses",
    ),
    smooth(
        "lem16",
        "the summed mean errors are at most 2 E^2 times the change of a gradient over the first step",
        ebar,
        _LEM16,
        "Lemma 16, Eq. (146), (147)",
        "826-833",
        uses=("cflag.eq147", "cflag.eq147.cor14"),
    ),
    smooth(
        "lem16/small-steps",
        "the summed mean errors are at most 2 E^2 times the change of a gradient over the first step",
        ebar,
        _LEM16,
        "Lemma 16, Eq. (146), (147)",
        "826-833",
        conditions=(TWELFTH,),
        uses=("cflag.eq147", "cflag.eq147.cor14/small-steps"),
        changes="with the condition of Corollary 14, which its proof uses",
    ),
    smooth(
        "lem16/ass1",
        "the summed mean errors are at most 2 E^2 times the change of a gradient over the first step",
        ebar,
        _LEM16,
        "Lemma 16, Eq. (146)",
        "826-833",
        conditions=(TWELFTH,),
        assumes=("cflag.ass1",),
        uses=("cflag.cor14/ass1",),
        changes=f"with the condition of Corollary 14; {SAMPLES_ALONE}",
    ),
)

SHARP = (
    smooth(
        "eq97/sharp",
        "the sample drawn last is not behind",
        stale,
        _OLD * path,
        "Eq. (95)-(97)",
        "700-702",
        changes="without the sample that was drawn at this step",
    ),
    smooth(
        "eq101/sharp",
        "each direction is the global gradient and the mean change of the samples' gradients",
        path,
        beta * k * (gg + L * drift_before),
        "Eq. (99)-(108)",
        "707-722",
        conditions=STEPS,
        changes="the delayed gradient is compared with that at the server's model, without a detour over the error",
    ),
    smooth(
        "lem12/sharp",
        "the gradient error by the gradient and the largest earlier drift",
        e,
        _OLD * beta * L * k * (gg + L * drift_before),
        "Lemma 12, Eq. (91)",
        "683-725",
        conditions=STEPS,
        uses=("cflag.eq94", "cflag.eq97/sharp", "cflag.eq101/sharp"),
        changes="k for E, 1 for 3, and a factor 1 - 1/|C|",
    ),
    smooth(
        "eq117/sharp",
        "the drift after a step by those before it",
        drift_next,
        drift + beta * gg + beta * L * drift_max,
        "Eq. (111)-(117)",
        "736-745",
        changes="the delayed gradient is compared with that at the server's model, without a detour over the error",
    ),
    says(
        "eq126/sharp",
        "induction: a factor 1 + beta L a step",
        sp.Le(drift_next, ((1 + beta * L) * growth - 1) / L * gg),
        "Eq. (121)-(126)",
        "759-767",
        conditions=(
            sp.Le(drift_next, drift + beta * gg + beta * L * drift_max),
            sp.Le(drift, (growth - 1) / L * gg),
            sp.Le(drift_max, (growth - 1) / L * gg),
        ),
        uses=("cflag.eq117/sharp",),
        changes="growth (1 + beta L)^k in place of 4 beta L k",
    ),
    smooth(
        "lem13/sharp",
        "the drift grows no faster than by a factor 1 + beta L a step; one concave quadratic attains it",
        drift,
        (growth - 1) / L * gg,
        "Lemma 13, Eq. (110)",
        "727-771",
        uses=("cflag.eq117/sharp", "cflag.eq126/sharp"),
        changes="growth (1 + beta L)^k in place of 4 beta L k, and no condition on the step size",
    ),
    smooth(
        "eq101.path/sharp",
        "so does the path",
        path,
        (growth - 1) / L * gg,
        "Lemma 13, Eq. (110)",
        "727-771",
        uses=("cflag.lem13/sharp",),
        changes="growth (1 + beta L)^k in place of 4 beta L k, and no condition on the step size",
    ),
    smooth(
        "cor14/sharp",
        "the gradient error grows no faster than the gradient itself may",
        e,
        _OLD * (growth - 1) * gg,
        "Corollary 14, Eq. (127)",
        "773-786",
        uses=("cflag.eq94", "cflag.eq97/sharp", "cflag.eq101.path/sharp"),
        changes="growth (1 + beta L)^k, a factor 1 - 1/|C|, and no condition on the step size",
    ),
    smooth(
        "lem15.I/sharp",
        "the summed mean gradients grow by a factor 1 + beta L a step; one concave quadratic attains it",
        rho,
        ((1 + beta * L) ** E - 1) / (beta * L) * gg,
        "Lemma 15 (I), Eq. (131)",
        "788-806",
        uses=("cflag.lem13/sharp",),
        changes="growth (1 + beta L)^k in place of 4 beta L k, and no condition on the step size",
    ),
    smooth(
        "lem16/sharp",
        "the summed mean errors",
        ebar,
        _OLD * (((1 + beta * L) ** E - 1) / (beta * L) - E) * gg,
        "Lemma 16, Eq. (146)",
        "826-833",
        uses=("cflag.cor14/sharp",),
        changes="growth (1 + beta L)^k, a factor 1 - 1/|C|, and no condition on the step size",
    ),
)

STATEMENTS = (*ERROR, *GRADIENTS, *ERRORS, *SHARP)
