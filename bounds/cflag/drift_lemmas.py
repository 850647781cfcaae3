"""C-FLAG, Appendix 1.2: the error of delayed gradients (Lemma 12) and the drift of the clients (Lemma 13), step by step.

Norms are taken at every local step k = 0, ..., E - 1 of every client; an empty sum or maximum (k = 0) is 0.
"""

from __future__ import annotations

from functools import partial

from bounds.cflag.drift import lag, lag_path
from bounds.cflag.symbols import CFLAG, E, L, at, beta, d, gg, k, line
from bounds.relations import eq, ge, le

_nonnegative, _real = CFLAG.nonnegative, CFLAG.real
SMOOTH = ("ass1", "ass1.samples")
"""Assumption 1 and the sentence before Lemma 8, which adds the samples."""
QUARTER = le(beta, 1 / (4 * L * E))
TWELFTH = le(beta, 1 / (12 * L * E))
STEPS = (ge(k, 0), le(k, E - 1))

# Norms, at every local step
drift = _nonnegative("drift", "distance from the server's model", r"\|\mathbf x_{t,k}^i-\mathbf x_t\|")
drift_next = _nonnegative("drift_next", "and after the step", r"\|\mathbf x_{t,k+1}^i-\mathbf x_t\|")
drift_max = _nonnegative(
    "drift_max", "largest distance so far", r"\max_{b\leq k}\|\mathbf x_{t,b}^i-\mathbf x_t\|"
)
drift_before = _nonnegative(
    "drift_before", "largest distance before this step", r"\max_{b\leq k-1}\|\mathbf x_{t,b}^i-\mathbf x_t\|"
)
drift_sum = _nonnegative("drift_sum", "sum of the distances before this step")
max_sum = _nonnegative("max_sum", "sum over the earlier steps of the largest distance so far")
first = _nonnegative("first", "distance after the first step", r"\|\mathbf x_{t,1}^i-\mathbf x_t\|")
first_gap = _nonnegative("first_gap", "error of the first delayed gradient")
e = _nonnegative("e", "gradient error", r"\|\mathbf e_{t,k}^i\|")
e_sum = _nonnegative("e_sum", "sum of the errors before this step", r"\sum_{l<k}\|\mathbf e_{t,l}^i\|")
e_earlier = _nonnegative("e_earlier", "gradient error at an earlier step", r"\|\mathbf e_{t,l}^i\|")
turned = _nonnegative("turned", "mean change of the samples' gradients since they were drawn")
turn = _nonnegative(
    "turn", "change of the client's gradient", r"\|\nabla g_i(\mathbf x_{t,k}^i)-\nabla g_i(\mathbf x_t)\|"
)
stale = _nonnegative("stale", "mean distance from the models behind the gradients in use")
stale_other = _nonnegative("stale_other", "the same at an earlier step, but to the current model")
away = _nonnegative("away", "mean distance of those models from the server's")
stale_steps = _nonnegative("stale_steps", "mean length of the path from those models")
path = _nonnegative(
    "path", "length of the path so far", r"\sum_{l<k}\|\mathbf x_{t,l}^i-\mathbf x_{t,l+1}^i\|"
)
force = _nonnegative("force", "sum of the lengths of the directions so far")
split = _nonnegative("split", "the same with each delayed gradient as gradient and error")
g_line = _real("g_line", "gradient of the current data in one dimension", r"\nabla g(\mathbf x_t)")


smooth = partial(at, assumes=SMOOTH)
smooth_line = partial(line, assumes=SMOOTH)
"""What holds where clients and samples are smooth."""

SAMPLES_ALONE = "Assumption 1 alone: the samples of a client need not be smooth"
LEM12 = beta * L * E * gg + 3 * beta * L**2 * E * drift_before
_EQ106 = L * beta * (k * gg + L * drift_sum + 2 * L * max_sum)
_EQ117 = (1 + beta * L) * drift + 2 * beta * gg + beta * L * drift_before
_EQ124 = 4 * beta * k * gg + 2 * beta * gg + beta * L * (4 * beta * k + 4 * beta * k) * gg
_EQ125 = (4 * beta * k + 2 * beta + 2 * beta * (4 * beta * L * E)) * gg


ERROR = (
    smooth_line("94", "694")(
        "the error is at most L times the mean distance from the models behind the gradients in use",
        le(e, L * stale),
        uses=("eq31", "eq94.a", "eq94.smooth"),
    ),
    smooth_line("94.a", "694")("triangle inequality", le(e, turned)),
    eq94_smooth := smooth("Eq. (94), step (a)", "694")(
        "eq94.smooth", "smoothness of the samples", le(turned, L * stale)
    ),
    eq94_smooth.variant(
        "ass1", says="smoothness of g_i, as the text says", assumes=("ass1",), changes=SAMPLES_ALONE
    ),
    line("95", "700")(
        "what separates two local models is the sum of the steps between them (x_{k,j} is printed for x_{t,k})",
        eq(lag, lag_path),
    ),
    smooth_line("96", "701")("triangle inequality", le(stale, stale_steps), uses=("eq95",)),
    eq97 := smooth_line("97", "702")("all earlier steps", le(stale_steps, path)),
    smooth_line("98", "703")(
        "the error is at most L times the length of the path", le(e, L * path), uses=("eq94", "eq96", "eq97")
    ),
    line("99", "707")("each step is beta times its direction", eq(path, beta * force), uses=("eq4",)),
    line("100", "708")("with the errors apart", eq(force, split), uses=("eq31",)),
    smooth_line("101.e", "709")(
        "triangle inequality and smoothness", le(split, k * gg + L * drift_sum + e_sum)
    ),
    eq101 := smooth_line("101", "709")(
        "the error by earlier drifts and errors",
        le(e, L * beta * (k * gg + L * drift_sum + e_sum)),
        uses=("eq98", "eq99", "eq100", "eq101.e"),
    ),
    smooth_line("102", "713")(
        "Eq. (94) at an earlier step, with the distances to the current model x_{k,j}, as printed",
        le(e_earlier, L * stale_other),
        uses=("eq94",),
    ),
    eq103 := smooth_line("103", "714")(
        "by the distances of the models behind the gradients, counted twice as printed, from the server's model",
        le(e, L * (away + away)),
        uses=("eq102",),
    ),
    eq103.variant(
        "own",
        le(e, L * (away + drift)),
        says="by the distances of the models behind the gradients and of the local model from the server's",
        uses=("eq94",),
        changes="the second distance is that of the local model x_{t,l}, not again that of the models behind",
    ),
    smooth("Eq. (104), step (b)", "715")(
        "eq104.away", "the models behind are earlier ones", le(away, drift_max)
    ),
    smooth("Eq. (104), step (b)", "715")(
        "eq105.largest", "the local model is one of them", le(drift, drift_max)
    ),
    smooth("Eq. (104), (105)", "715-716")(
        "eq105",
        "the error is at most 2L times the largest drift so far",
        le(e, 2 * L * drift_max),
        uses=("eq103", "eq104.away", "eq105.largest"),
    ),
    smooth_line("106.sum", "720")(
        "Eq. (105) summed over the earlier steps", le(e_sum, 2 * L * max_sum), uses=("eq105",)
    ),
    smooth_line("106", "720")(
        "the error by earlier drifts", le(e, _EQ106), uses=("eq101", "eq105", "eq106.sum")
    ),
    eq107 := line("107", "721")(
        "with the gradient itself in place of its norm and with nested braces, as printed, where that has a meaning: in "
        "one dimension",
        le(_EQ106, L * beta * (k * g_line + (L + 2 * L**2) * max_sum)),
        conditions=(eq(d, 1),),
        uses=("eq106",),
    ),
    eq107.variant(
        "norm",
        le(_EQ106, L * beta * (k * gg + (L + 2 * L**2) * max_sum)),
        says="with nested braces, as printed",
        conditions=(),
        changes="the norm of the gradient",
    ),
    smooth("Eq. (107), (108)", "721-722")(
        "eq108",
        "the error by the largest earlier drifts",
        le(e, L * beta * (k * gg + 3 * L * max_sum)),
        uses=("eq106", "eq107", "eq107.sum"),
    ),
    smooth_line("107.sum", "721")("each drift is at most the largest so far", le(drift_sum, max_sum)),
    smooth_line("109.sum", "723")(
        "there are k earlier steps", le(max_sum, k * drift_before), conditions=STEPS
    ),
    lem12 := smooth("Lemma 12, Eq. (91), (109)", "683-725")(
        "lem12",
        "the gradient error by the gradient and the largest earlier drift",
        le(e, LEM12),
        conditions=STEPS,
        uses=("eq98", "eq101", "eq105", "eq106", "eq108", "eq109.sum"),
    ),
    lem12.variant(
        "ass1", conditions=(), assumes=("ass1",), uses=("eq94.smooth/ass1",), changes=SAMPLES_ALONE
    ),
)

DRIFT = (
    smooth("Eq. (111)-(113)", "736-738")(
        "eq113",
        "triangle inequality for a step",
        le(drift_next, drift + beta * turn + beta * gg + beta * e),
        uses=("eq32",),
    ),
    smooth_line("114.smooth", "742")("smoothness of g_i", le(turn, L * drift)),
    smooth("Eq. (114), (115)", "742-743")(
        "eq115",
        "the drift after a step by that before it and the error",
        le(drift_next, (1 + beta * L) * drift + beta * gg + beta * e),
        uses=("eq113", "eq114.smooth"),
    ),
    smooth_line("116", "744")(
        "with the error of Lemma 12",
        le(
            drift_next,
            (1 + beta * L) * drift + beta * gg + beta**2 * L * E * gg + 3 * beta**2 * L**2 * E * drift_before,
        ),
        conditions=STEPS,
        uses=("eq115", "lem12"),
    ),
    eq117 := smooth_line("117", "745")(
        "with small steps", le(drift_next, _EQ117), conditions=(QUARTER, *STEPS), uses=("eq116",)
    ),
    smooth("Eq. (118), (119)", "751-752")(
        "eq119", "the first step", le(first, beta * gg + beta * first_gap), uses=("eq4",)
    ),
    line("120", "753")(
        "the first step goes along the global gradient", eq(first, beta * gg), uses=("eq119", "eq5.start")
    ),
    line("120.four", "753")(
        "which is within the bound at k = 1", le(first, 4 * beta * gg), conditions=(eq(first, beta * gg),)
    ),
    at("Eq. (122), (123)", "763-764")(
        "eq123", "Eq. (117) rearranged", eq(_EQ117, drift + 2 * beta * gg + beta * L * (drift + drift_before))
    ),
    at("Eq. (121), (124)", "759, 765")(
        "eq124",
        "induction: with the bound at all steps up to this one",
        le(drift_next, _EQ124),
        conditions=(
            le(drift_next, _EQ117),
            le(drift, 4 * beta * k * gg),
            le(drift_before, 4 * beta * k * gg),
        ),
        uses=("eq117",),
    ),
    line("125", "766")(
        "with k <= E", le(drift_next, _EQ125), conditions=(le(drift_next, _EQ124), le(k, E)), uses=("eq124",)
    ),
    eq126 := line("126", "767")(
        "the bound at the next step",
        le(drift_next, 4 * beta * (k + 1) * gg),
        conditions=(le(drift_next, _EQ125), QUARTER),
        uses=("eq125",),
    ),
    lem13 := smooth("Lemma 13, Eq. (110), first bound", "727-771")(
        "lem13",
        "with steps up to 1/(4LE) the drift after k local steps is at most 4 k times the first step",
        le(drift, 4 * beta * k * gg),
        terms={"drift": 4 * beta * k * gg},
        conditions=(QUARTER, *STEPS),
        uses=("lem12", "eq117", "eq120", "eq124", "eq125", "eq126"),
    ),
    smooth("Lemma 13, Eq. (110), second bound", "727-771")(
        "lem13.E",
        "and at most 4 E times",
        le(drift, 4 * beta * E * gg),
        conditions=(QUARTER, *STEPS),
        uses=("lem13",),
    ),
    lem13.variant("ass1", assumes=("ass1",), uses=("lem12/ass1",), changes=SAMPLES_ALONE),
)

STATEMENTS = (*ERROR, *DRIFT)
