"""C-FLAG, Lemma 3: convergence on memory and current data together, line by line.

The lemma speaks of Algorithm 1, its proof of the rules (67) and (68), which take memory and current data for one data set.
Assumption 1 bounds the smoothness of f_i, g_i and h_i, and l.456 that of the current samples; the proof needs it for the
loss of M and C, whose samples include past ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import sympy as sp

from bounds.cflag.so_far import passed
from bounds.cflag.symbols import CFLAG, Dht, E, L, T, alpha, at, beta, fd2, gg2, gh2, h_next, h_now, line
from bounds.relations import eq, ge, gt, le, lt
from bounds.statement import Scaling

_nonnegative, _real = CFLAG.nonnegative, CFLAG.real

gh2_least = _nonnegative(
    "gh2_least",
    "least squared gradient of memory and current data over the rounds",
    r"\min_t\|\nabla\tilde h(\mathbf x_t)\|^2",
)
h2_now = _nonnegative(
    "h2_now",
    "squared loss of memory and current data, which is printed without gradient",
    r"\|\tilde h(\mathbf x_t)\|^2",
)
local_eq4 = _real("local_eq4", "local model after the first step by Eq. (4)", r"\mathrm{local}_{(4)}")
local_eq67 = _real("local_eq67", "local model after the first step by Eq. (67)", r"\mathrm{local}_{(67)}")
server_eq24 = _real("server_eq24", "model after a round by Eq. (4) and (24)")
server_eq68 = _real("server_eq68", "model after a round by Eq. (67) and (68)")
h_first = _real("h_first", "loss of memory and current data at the start", r"\tilde h(\mathbf x_0)")
h_last = _real("h_last", "loss of memory and current data at the end", r"\tilde h(\mathbf x_T)")
joint_sup = _nonnegative(
    "joint_sup", "change of the gradient of any past or current sample per distance", r"L(\nabla h_{i,j})"
)
js = _real("js", "delayed gradients of a round along the gradient of memory and current data")
js2 = _nonnegative("js2", "squared sum of the delayed gradients of a round, of memory and current data")
gh2_next = _nonnegative("gh2_next", "squared gradient of memory and current data one round later")
gh2_sum = _nonnegative(
    "gh2_sum",
    "sum of the squared gradients over the rounds so far",
    r"\sum_{\tau<t}\|\nabla\tilde h(\mathbf x_\tau)\|^2",
)
gh2_sum_next = _nonnegative(
    "gh2_sum_next", "the same one round later", r"\sum_{\tau\leq t}\|\nabla\tilde h(\mathbf x_\tau)\|^2"
)
gh2_least_next = _nonnegative(
    "gh2_least_next",
    "the least of them one round later",
    r"\min_{\tau\leq t}\|\nabla\tilde h(\mathbf x_\tau)\|^2",
)
kept_share = _nonnegative(
    "kept_share", "samples in the memory over current samples, the same for all clients", "q"
)
h_above = _nonnegative(
    "h_above",
    "loss of memory and current data at the start, less its infimum",
    r"\tilde h(\mathbf x_0)-\inf\tilde h",
)
t = sp.Symbol("t", integer=True)

SAMPLES = (le(joint_sup, L),)
"""That samples are smooth, past ones included, which the proof uses and Lemma 3 does not say."""
RATES = (eq(alpha, 1 / (30 * L * E)), eq(beta, 1 / (30 * L * E)))
QUARTER = (le(beta, 1 / (4 * L * E)),)
_falls70 = -beta * E + 10 * beta**2 * L * E**2 + 80 * beta**4 * L**3 * E**4
_falls69 = -beta + _falls70
_falls71 = -beta * E * (1 - 15 * beta * L * E)
_turned = 1 / (beta * E * (1 - 15 * beta * L * E))
_gradient = "the squared norm is that of the gradient"
_smooth = "every past sample is L-smooth too"
_lemma = le(gh2_least, 60 * L / T * Dht)
_lines = "146-150, 605-627"


_line = partial(line, of="Lemma 3, ")

_smoothly = at(
    "Lemma 3, for Eq. (67) and (68) with smooth samples", _lines, conditions=(*RATES, *QUARTER, *SAMPLES)
)

STATEMENTS = (
    lem3 := at("Lemma 3, Eq. (11), (66)", _lines)(
        "lem3",
        "the least squared gradient of memory and current data falls like 1/T, by Algorithm 1 with the rule of Eq. (24)",
        _lemma,
        conditions=RATES,
        uses=("eq67", "eq68", "eq69", "eq70", "eq71", "eq72"),
    ),
    lem3.variant(
        "eq67",
        says="the least squared gradient of memory and current data falls like 1/T",
        uses=("eq69", "eq70", "eq71", "eq72"),
        changes="by the rules of Eq. (67) and (68)",
    ),
    lem3.variant(
        "eq67-smooth",
        says="the least squared gradient of memory and current data falls like 1/T",
        conditions=(*RATES, *QUARTER, *SAMPLES),
        uses=("lem3.sum", "lem3.least"),
        changes=f"by the rules of Eq. (67) and (68); {_smooth}",
    ),
    _smoothly(
        "lem3.along",
        "the delayed gradients of a round go along the gradient of memory and current data",
        ge(L * beta * js, sp.Rational(103, 3150) * gh2),
    ),
    _smoothly(
        "lem3.length",
        "the delayed gradients of a round are not much longer than its local steps times that gradient",
        le(L**2 * beta**2 * js2, sp.Rational(16, 11025) * gh2),
    ),
    _smoothly(
        "lem3.round",
        "a round lowers the loss of memory and current data by its squared gradient over 60L",
        le(gh2, 60 * L * (h_now - h_next)),
        uses=("lem3.along", "lem3.length"),
    ),
    _smoothly(
        "lem3.sum",
        "the squared gradients of any number of rounds add up to at most the fall of the loss times 60L",
        le(gh2_sum, 60 * L * (h_first - h_now)),
        uses=("lem3.round",),
    ),
    _smoothly("lem3.least", "the least of them is at most their mean", le(passed * gh2_least, gh2_sum)),
    rate := at("Text below Lemma 3", "152")(
        "lem3.rate",
        "the bound is of order 1/T, whatever the loss of memory and current data falls by over the run",
        Scaling({"descent": 60 * L / T * Dht}, {}, 1 / T, (T, Dht)),
        uses=("lem3",),
    ),
    rate.variant(
        "bounded-below",
        Scaling({"descent": 60 * L / T * h_above}, {}, 1 / T, (T,)),
        says="the bound is of order 1/T",
        changes="that loss is bounded below, so that it falls by no more than it is above its infimum at the start",
    ),
    current := at("Text below Lemma 3", "152")(
        "lem3.current",
        "since C is part of M and C, convergence on M and C is convergence on the current data",
        le(gg2, 0),
        conditions=(le(gh2, 0),),
    ),
    current.variant(
        "memory",
        le(gg2, 2 * (1 + kept_share) ** 2 * gh2 + 2 * kept_share**2 * fd2),
        says="the gradient of the current data is small where those of memory and current data and of the memory are",
        conditions=(),
        changes="the memory gradient counts, too; all clients have the same share of samples in memory",
    ),
    _line("67", "611")("Eq. (4) reduces to the local rule of Eq. (67)", eq(local_eq4, local_eq67)),
    _line("68", "612")("Eq. (24) reduces to the server rule of Eq. (68)", eq(server_eq24, server_eq68)),
    eq69 := _line("69", "616")(
        "descent in one round, as printed", le(h_next - h_now, _falls69 * h2_now), conditions=QUARTER
    ),
    eq69.variant(
        "gradient", le(h_next - h_now, _falls69 * gh2), says="descent in one round", changes=_gradient
    ),
    eq69.variant(
        "quarter",
        le(h_next - h_now, _falls69 * gh2),
        says="descent in one round",
        conditions=(*QUARTER, *SAMPLES),
        changes=f"{_gradient}; {_smooth}",
    ),
    eq70 := _line("70", "617")(
        "the term -beta is left out, as printed", lt(_falls69 * h2_now, _falls70 * h2_now)
    ),
    eq70.variant(
        "nonstationary",
        lt(_falls69 * gh2, _falls70 * gh2),
        says="the term -beta is left out",
        conditions=(gt(gh2, 0),),
        changes=f"{_gradient}, which is not zero",
    ),
    _line("71", "618")(
        "the term of fourth order by that of second", le(_falls70 * gh2, _falls71 * gh2), conditions=QUARTER
    ),
    eq72 := _line("72", "622")(
        "rearranged, under the condition of the step before",
        le(gh2, _turned * (h_now - h_next)),
        conditions=(*QUARTER, le(h_next - h_now, _falls71 * gh2)),
        uses=("eq71",),
    ),
    eq72.variant(
        "small",
        says="rearranged",
        conditions=(lt(15 * beta * L * E, 1), le(h_next - h_now, _falls71 * gh2)),
        changes="beta < 1/(15LE), so that the factor is positive",
    ),
    _line("73", "623")("the factor at beta = 1/(30LE)", eq(_turned.subs(beta, 1 / (30 * L * E)), 60 * L)),
    _line("74", "627; 607")(
        "the telescoped sum, printed with a further sum over the rounds, is the bound of the lemma",
        eq(60 * L / T * sp.Sum(h_first - h_last, (t, 0, T - 1)), 60 * L / T * (h_first - h_last)),
    ),
)

EXPERIMENTS: Mapping[str, Mapping[str, float]] = {
    "E = 2 (local epochs)": {"alpha": 1e-4, "beta": 1e-4, "L": 5, "E": 2, "T": 20},
    "Split-CIFAR10, Split-CIFAR100 (E = 32 steps)": {"alpha": 1e-4, "beta": 1e-4, "L": 5, "E": 32, "T": 20},
    "Split-TinyImageNet (E = 126 steps)": {"alpha": 1e-4, "beta": 1e-4, "L": 5, "E": 126, "T": 20},
}
"""Section 8 and Table 5: the learning rate (of Adam) for both rates, L of the adaptive rates, 20 rounds a task, 2 local
epochs. Steps: 10,000 samples a task over 5 clients, so 2,000 each in equal shares, in batches of 128 and of 32.
"""
