"""C-FLAG: the losses of its Section 2, and the server rules in print, which are not the same (Eq. 1-3, 7, 23-25)."""

from __future__ import annotations

from bounds.cflag.symbols import CFLAG, L, at, line
from bounds.relations import eq, le

_positive, _nonnegative, _real = CFLAG.positive, CFLAG.nonnegative, CFLAG.real

# Losses
p_total = _positive("p_total", "sum of the weights of the clients", r"\sum_ip_i")
phi_all = _real("phi_all", "global loss of clients with one loss", r"\phi(\mathbf x)")
phi_one = _real("phi_one", "that loss", r"\phi_i(\mathbf x)")
h_turn2 = _nonnegative(
    "h_turn2",
    "squared difference of the gradients of the loss of all data at two points",
    r"\|\nabla h(\mathbf x)-\nabla h(\mathbf y)\|^2",
)
xy2 = _nonnegative("xy2", "squared distance of these points", r"\|\mathbf x-\mathbf y\|^2")
h_mean = _real("h_mean", "weighted sum of the losses of all data of the clients", r"\sum_ip_ih_i")
h_split = _real(
    "h_split",
    "losses of past and current data, by their global sizes",
    r"\frac{|\mathcal P|f+|\mathcal C|g}{|\mathcal P|+|\mathcal C|}",
)

# One round, in each coordinate
x_rules = _real("x_rules", "model after a round, by each rule in print", r"\mathbf x_{t+1}")
x_shared = _real("x_shared", "model after a round by Eq. (24)", r"\mathbf x_{t+1}^{(24)}")
x_seven = _real("x_seven", "model after a round by Eq. (7) with displacements", r"\mathbf x_{t+1}")
x_displaced = _real(
    "x_displaced", "model after a round of Algorithm 1 with displacements", r"\mathbf x_{t+1}"
)
x_eq23 = _real("x_eq23", "model after a round by Eq. (23)", r"\mathbf x_{t+1}^{(23)}")
x_eq24 = _real("x_eq24", "model after a round by Eq. (24)", r"\mathbf x_{t+1}^{(24)}")
x_eq25 = _real("x_eq25", "model after a round by Eq. (25)", r"\mathbf x_{t+1}^{(25)}")
LOSSES = (
    line("1", "40")(
        "the global loss is a mean: clients with one loss have it as their global loss",
        eq(phi_all, p_total * phi_one),
    ),
    at("Eq. (2); Assumption 1", "44, 99-101")(
        "eq2",
        "with Assumption 1 for the loss of all data of every client, their global loss is L-smooth too",
        le(h_turn2, L**2 * xy2),
    ),
    eq3 := at("Eq. (2); Eq. (3)", "44-50")(
        "eq3",
        "the loss of all data is that of the past and of the current data, by their global sizes",
        eq(h_mean, h_split),
    ),
    eq3.variant("by-size", changes="p_i is the share of client i in all data"),
    eq3.variant("equal-shares", changes="the past data are the same share of all data at every client"),
)

_sent = "clients send alpha grad f-dagger + x_t - x_{t,E}, not x_{t,E} with either sign"
RULES = (
    eq7 := at(
        "Eq. (7) and the text above it; Algorithm 1, line 12; Algorithm 3, line 2; Eq. (23), (24)",
        "72-76, 91, 434-435, 998",
    )(
        "eq7",
        "the server rules in print are one: Eq. (7), and Algorithm 1 with the message of Algorithm 3 or with that of the text, "
        "are Eq. (24)",
        eq(x_rules, x_shared),
    ),
    eq7.variant(
        "displacement",
        eq(x_seven, x_eq24),
        says="the server rule of the text is that of the appendix",
        changes="x_{t,E} - x_t in place of beta x_{t,E}, and added",
    ),
    at("Algorithm 1, line 12; Algorithm 3, line 2", "91, 998")(
        "alg1/displacement",
        "a round of Algorithm 1 is that of Eq. (24)",
        eq(x_displaced, x_eq24),
        changes=_sent,
    ),
    at("Algorithm 1, line 12; Eq. (23)", "91, 434")(
        "eq23/displacement",
        "a round of Algorithm 1 is that of Eq. (23)",
        eq(x_displaced, x_eq23),
        changes=_sent,
    ),
    line("24", "435")(
        "in Eq. (23), the mean local model is the model less beta times the delayed gradients",
        eq(x_eq24, x_eq23),
        uses=("eq22",),
    ),
    line("25", "436")("the memory gradient of all clients is the weighted sum of theirs", eq(x_eq25, x_eq24)),
)

STATEMENTS = (*LOSSES, *RULES)
