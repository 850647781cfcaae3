"""C-FLAG, Appendix 1.2: the error of delayed gradients (Lemma 12) and the drift of the clients (Lemma 13), step by step.

Norms are taken at every local step k = 0, ..., E - 1 of every client; an empty sum or maximum (k = 0) is 0.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag.drift import lag, lag_path, says
from bounds.cflag.symbols import CFLAG, E, L, beta, d, gg, k
from bounds.statement import Statement

_define = CFLAG.define
SMOOTH = ("cflag.ass1", "cflag.ass1.samples")
"""Assumption 1 and the sentence before Lemma 8, which adds the samples."""
QUARTER = sp.Le(beta, 1 / (4 * L * E))
TWELFTH = sp.Le(beta, 1 / (12 * L * E))
STEPS = (sp.Ge(k, 0), sp.Le(k, E - 1))

# Norms, at every local step
drift = _define(
    "drift", "distance from the server's model", "nonnegative", r"\|\mathbf x_{t,k}^i-\mathbf x_t\|"
)
drift_next = _define(
    "drift_next", "and after the step", "nonnegative", r"\|\mathbf x_{t,k+1}^i-\mathbf x_t\|"
)
drift_max = _define(
    "drift_max", "largest distance so far", "nonnegative", r"\max_{b\leq k}\|\mathbf x_{t,b}^i-\mathbf x_t\|"
)
drift_before = _define(
    "drift_before",
    "largest distance before this step",
    "nonnegative",
    r"\max_{b\leq k-1}\|\mathbf x_{t,b}^i-\mathbf x_t\|",
)
drift_sum = _define("drift_sum", "sum of the distances before this step", "nonnegative")
max_sum = _define("max_sum", "sum over the earlier steps of the largest distance so far", "nonnegative")
first = _define("first", "distance after the first step", "nonnegative", r"\|\mathbf x_{t,1}^i-\mathbf x_t\|")
first_gap = _define("first_gap", "error of the first delayed gradient", "nonnegative")
e = _define("e", "gradient error", "nonnegative", r"\|\mathbf e_{t,k}^i\|")
e_sum = _define(
    "e_sum", "sum of the errors before this step", "nonnegative", r"\sum_{l<k}\|\mathbf e_{t,l}^i\|"
)
e_earlier = _define("e_earlier", "gradient error at an earlier step", "nonnegative", r"\|\mathbf e_{t,l}^i\|")
turned = _define("turned", "mean change of the samples' gradients since they were drawn", "nonnegative")
turn = _define(
    "turn",
    "change of the client's gradient",
    "nonnegative",
    r"\|\nabla g_i(\mathbf x_{t,k}^i)-\nabla g_i(\mathbf x_t)\|",
)
stale = _define("stale", "mean distance from the models behind the gradients in use", "nonnegative")
stale_other = _define("stale_other", "the same at an earlier step, but to the current model", "nonnegative")
away = _define("away", "mean distance of those models from the server's", "nonnegative")
stale_steps = _define("stale_steps", "mean length of the path from those models", "nonnegative")
path = _define(
    "path", "length of the path so far", "nonnegative", r"\sum_{l<k}\|\mathbf x_{t,l}^i-\mathbf x_{t,l+1}^i\|"
)
force = _define("force", "sum of the lengths of the directions so far", "nonnegative")
split = _define("split", "the same with each delayed gradient as gradient and error", "nonnegative")
g_line = _define("g_line", "gradient of the current data in one dimension", "real", r"\nabla g(\mathbf x_t)")


def smooth(
    id: str, words: str, bounded: sp.Expr, by: sp.Expr, place: str, lines: str, **more: object
) -> Statement:
    """`bounded` is at most `by` where clients and samples are smooth."""
    return says(id, words, sp.Le(bounded, by), place, lines, **{"assumes": SMOOTH, **more})


SAMPLES_ALONE = "Assumption 1 alone: the samples of a client need not be smooth"
LEM12 = beta * L * E * gg + 3 * beta * L**2 * E * drift_before
_EQ106 = L * beta * (k * gg + L * drift_sum + 2 * L * max_sum)
_EQ117 = (1 + beta * L) * drift + 2 * beta * gg + beta * L * drift_before
_EQ124 = 4 * beta * k * gg + 2 * beta * gg + beta * L * (4 * beta * k + 4 * beta * k) * gg
_EQ125 = (4 * beta * k + 2 * beta + 2 * beta * (4 * beta * L * E)) * gg


ERROR = (
    smooth(
        "eq94",
        "the error is at most L times the mean distance from the models behind the gradients in use",
        e,
        L * stale,
        "Eq. (94)",
        "694",
        uses=("cflag.eq31", "cflag.eq94.a", "cflag.eq94.smooth"),
    ),
    smooth("eq94.a", "triangle inequality", e, turned, "Eq. (94), step (a)", "694"),
    smooth("eq94.smooth", "smoothness of the samples", turned, L * stale, "Eq. (94), step (a)", "694"),
    smooth(
        "eq94.smooth/ass1",
        "smoothness of g_i, as the text says",
        turned,
        L * stale,
        "Eq. (94), step (a)",
        "694-696",
        assumes=("cflag.ass1",),
        changes=SAMPLES_ALONE,
    ),
    says(
        "eq95",
        "what separates two local models is the sum of the steps between them (x_{k,j} is printed for x_{t,k})",
        sp.Eq(lag, lag_path),
        "Eq. (95)",
        "700",
    ),
    smooth("eq96", "triangle inequality", stale, stale_steps, "Eq. (96)", "701", uses=("cflag.eq95",)),
    smooth("eq97", "all earlier steps", stale_steps, path, "Eq. (97)", "702"),
    smooth(
        "eq98",
        "the error is at most L times the length of the path",
        e,
        L * path,
        "Eq. (98)",
        "703",
        uses=("cflag.eq94", "cflag.eq96", "cflag.eq97"),
    ),
    says(
        "eq99",
        "each step is beta times its direction",
        sp.Eq(path, beta * force),
        "Eq. (99)",
        "707",
        uses=("cflag.eq4",),
    ),
    says("eq100", "with the errors apart", sp.Eq(force, split), "Eq. (100)", "708", uses=("cflag.eq31",)),
    smooth(
        "eq101.e",
        "triangle inequality and smoothness",
        split,
        k * gg + L * drift_sum + e_sum,
        "Eq. (101), step (e)",
        "709",
    ),
    smooth(
        "eq101",
        "the error by earlier drifts and errors",
        e,
        L * beta * (k * gg + L * drift_sum + e_sum),
        "Eq. (101)",
        "709",
        uses=("cflag.eq98", "cflag.eq99", "cflag.eq100", "cflag.eq101.e"),
    ),
    smooth(
        "eq102",
        "Eq. (94) at an earlier step, with the distances to the current model x_{k,j}, as printed",
        e_earlier,
        L * stale_other,
        "Eq. (102)",
        "713",
        uses=("cflag.eq94",),
    ),
    smooth(
        "eq103",
        "by the distances of the models behind the gradients, counted twice as printed, from the server's model",
        e,
        L * (away + away),
        "Eq. (103)",
        "714",
        uses=("cflag.eq102",),
    ),
    smooth(
        "eq103/own",
        "by the distances of the models behind the gradients and of the local model from the server's",
        e,
        L * (away + drift),
        "Eq. (103)",
        "714",
        uses=("cflag.eq94",),
        changes="the second distance is that of the local model x_{t,l}, not again that of the models behind",
    ),
    smooth("eq104.away", "the models behind are earlier ones", away, drift_max, "Eq. (104), step (b)", "715"),
    smooth("eq105.largest", "the local model is one of them", drift, drift_max, "Eq. (104), step (b)", "715"),
    smooth(
        "eq105",
        "the error is at most 2L times the largest drift so far",
        e,
        2 * L * drift_max,
        "Eq. (104), (105)",
        "715-716",
        uses=("cflag.eq103", "cflag.eq104.away", "cflag.eq105.largest"),
    ),
    smooth(
        "eq106.sum",
        "Eq. (105) summed over the earlier steps",
        e_sum,
        2 * L * max_sum,
        "Eq. (106)",
        "720",
        uses=("cflag.eq105",),
    ),
    smooth(
        "eq106",
        "the error by earlier drifts",
        e,
        _EQ106,
        "Eq. (106)",
        "720",
        uses=("cflag.eq101", "cflag.eq105", "cflag.eq106.sum"),
    ),
    says(
        "eq107",
        "with the gradient itself in place of its norm and with nested braces, as printed, where that has a meaning: in "
        "one dimension",
        sp.Le(_EQ106, L * beta * (k * g_line + (L + 2 * L**2) * max_sum)),
        "Eq. (107)",
        "721",
        conditions=(sp.Eq(d, 1),),
        uses=("cflag.eq106",),
    ),
    says(
        "eq107/norm",
        "with nested braces, as printed",
        sp.Le(_EQ106, L * beta * (k * gg + (L + 2 * L**2) * max_sum)),
        "Eq. (107)",
        "721",
        uses=("cflag.eq106",),
        changes="the norm of the gradient",
    ),
    smooth(
        "eq108",
        "the error by the largest earlier drifts",
        e,
        L * beta * (k * gg + 3 * L * max_sum),
        "Eq. (107), (108)",
        "721-722",
        uses=("cflag.eq106", "cflag.eq107", "cflag.eq107.sum"),
    ),
    smooth("eq107.sum", "each drift is at most the largest so far", drift_sum, max_sum, "Eq. (107)", "721"),
    smooth(
        "eq109.sum",
        "there are k earlier steps",
        max_sum,
        k * drift_before,
        "Eq. (109)",
        "723",
        conditions=STEPS,
    ),
    smooth(
        "lem12",
        "the gradient error by the gradient and the largest earlier drift",
        e,
        LEM12,
        "Lemma 12, Eq. (91), (109)",
        "683-725",
        conditions=STEPS,
        uses=("cflag.eq98", "cflag.eq101", "cflag.eq105", "cflag.eq106", "cflag.eq108", "cflag.eq109.sum"),
    ),
    smooth(
        "lem12/ass1",
        "the gradient error by the gradient and the largest earlier drift",
        e,
        LEM12,
        "Lemma 12, Eq. (91)",
        "683-725",
        assumes=("cflag.ass1",),
        uses=("cflag.eq94.smooth/ass1",),
        changes=SAMPLES_ALONE,
    ),
)

DRIFT = (
    smooth(
        "eq113",
        "triangle inequality for a step",
        drift_next,
        drift + beta * turn + beta * gg + beta * e,
        "Eq. (111)-(113)",
        "736-738",
        uses=("cflag.eq32",),
    ),
    smooth("eq114.smooth", "smoothness of g_i", turn, L * drift, "Eq. (114)", "742"),
    smooth(
        "eq115",
        "the drift after a step by that before it and the error",
        drift_next,
        (1 + beta * L) * drift + beta * gg + beta * e,
        "Eq. (114), (115)",
        "742-743",
        uses=("cflag.eq113", "cflag.eq114.smooth"),
    ),
    smooth(
        "eq116",
        "with the error of Lemma 12",
        drift_next,
        (1 + beta * L) * drift + beta * gg + beta**2 * L * E * gg + 3 * beta**2 * L**2 * E * drift_before,
        "Eq. (116)",
        "744",
        conditions=STEPS,
        uses=("cflag.eq115", "cflag.lem12"),
    ),
    smooth(
        "eq117",
        "with small steps",
        drift_next,
        _EQ117,
        "Eq. (117)",
        "745",
        conditions=(QUARTER, *STEPS),
        uses=("cflag.eq116",),
    ),
    smooth(
        "eq119",
        "the first step",
        first,
        beta * gg + beta * first_gap,
        "Eq. (118), (119)",
        "751-752",
        uses=("cflag.eq4",),
    ),
    says(
        "eq120",
        "the first step goes along the global gradient",
        sp.Eq(first, beta * gg),
        "Eq. (120)",
        "753",
        uses=("cflag.eq119", "cflag.eq5.start"),
    ),
    says(
        "eq120.four",
        "which is within the bound at k = 1",
        sp.Le(first, 4 * beta * gg),
        "Eq. (120)",
        "753",
        conditions=(sp.Eq(first, beta * gg),),
    ),
    says(
        "eq123",
        "Eq. (117) rearranged",
        sp.Eq(_EQ117, drift + 2 * beta * gg + beta * L * (drift + drift_before), evaluate=False),
        "Eq. (122), (123)",
        "763-764",
    ),
    says(
        "eq124",
        "induction: with the bound at all steps up to this one",
        sp.Le(drift_next, _EQ124),
        "Eq. (121), (124)",
        "759, 765",
        conditions=(
            sp.Le(drift_next, _EQ117),
            sp.Le(drift, 4 * beta * k * gg),
            sp.Le(drift_before, 4 * beta * k * gg),
        ),
        uses=("cflag.eq117",),
    ),
    says(
        "eq125",
        "with k <= E",
        sp.Le(drift_next, _EQ125),
        "Eq. (125)",
        "766",
        conditions=(sp.Le(drift_next, _EQ124), sp.Le(k, E)),
        uses=("cflag.eq124",),
    ),
    says(
        "eq126",
        "the bound at the next step",
        sp.Le(drift_next, 4 * beta * (k + 1) * gg),
        "Eq. (126)",
        "767",
        conditions=(sp.Le(drift_next, _EQ125), QUARTER),
        uses=("cflag.eq125",),
    ),
    smooth(
        "lem13",
        "with steps up to 1/(4LE) the drift after k local steps is at most 4 k times the first step",
        drift,
        4 * beta * k * gg,
        "Lemma 13, Eq. (110), first bound",
        "727-771",
        conditions=(QUARTER, *STEPS),
        uses=("cflag.lem12", "cflag.eq117", "cflag.eq120", "cflag.eq124", "cflag.eq125", "cflag.eq126"),
    ),
    smooth(
        "lem13.E",
        "and at most 4 E times",
        drift,
        4 * beta * E * gg,
        "Lemma 13, Eq. (110), second bound",
        "727-771",
        conditions=(QUARTER, *STEPS),
        uses=("cflag.lem13",),
    ),
    smooth(
        "lem13/ass1",
        "with steps up to 1/(4LE) the drift after k local steps is at most 4 k times the first step",
        drift,
        4 * beta * k * gg,
        "Lemma 13, Eq. (110)",
        "727-771",
        conditions=(QUARTER, *STEPS),
        assumes=("cflag.ass1",),
        uses=("cflag.lem12/ass1",),
        changes=SAMPLES_ALONE,
    ),
)

STATEMENTS = (*ERROR, *DRIFT)
