"""SPECIAL towards the minimiser of its surrogate: a round as inner products of random vectors, of any number of clients and steps.

A random vector is represented as a vector of a larger space, with one coordinate for each coordinate in each outcome; an expected
inner product is then an inner product. The vectors are: `back`, from the minimiser to the model; `bend`, the difference of the
gradient at the model to that at the minimiser (the mean of the clients' `turn`); `own`, each client's gradient minus the mean; and
`noise`, the sum of its noise over the local steps, with conditional mean zero. A client is sampled with probability N/M, and two
clients with probability N (N - 1)/(M (M - 1)).
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special import surrogate_proof as proof
from bounds.special import surrogate_strong as strong
from bounds.special.symbols import B, E, L, gamma_L
from bounds.special.theorems import PARTIAL
from bounds.special.theorems import step as g
from bounds.symbols import renamed
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Condition, Rounds
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.special.terms import OF_CLIENTS, OF_NOISE, OF_SENT, OF_TURNS, WAY
from verify.scenes.trees import Tree, square, times

_rate, _left = tree(g), ["/", "1", ["+", "1", "lam"]]

# ------------------------------------------------------------------------------------------------ the gradient step

_LETTERS = {
    **dict.fromkeys(("E", "M", "N"), "count"),
    **dict.fromkeys(("gamma_G", "gamma_L", "lam", "L"), "positive"),
    **{"back": "vector", "bend": "vector", "own": "family M", "noise": "family M", "more": "nonnegative"},
}
_pull: Tree = ["-", "back", times(["*", _rate, "E"], "bend")]
_wind: Tree = [
    "+",
    ["/", ["each", "M", "noise", "noise"], ["*", "N", "M"]],
    ["*", "more", "M", ["^", "E", "2"], ["each", "M", "own", "own"]],
]
MEANS: Mapping[sp.Symbol, Tree] = {
    proof.miss2: square("back"),
    proof.bent2: square("bend"),
    proof.bent_along: ["dot", "bend", "back"],
    proof.pulled2: square(_pull),
    proof.wind2: _wind,
    proof.blown2: ["+", square(_pull), ["*", ["^", _rate, "2"], _wind]],
}
"""Quantity -> its formula; `more` = (M - N)/(N (M - 1) M^2) is the effect of sampling, for vectors with mean zero."""
_outcomes = {
    proof.miss_next2: times(_left, ["-", "u", times(_rate, "v")]),
    proof.blown2: "u",
    proof.worked2: "v",
}
IN_OUTCOMES: Mapping[sp.Symbol, Tree] = {
    **{symbol: ["/", ["each", "n", vector, vector], "n"] for symbol, vector in _outcomes.items()},
    proof.crossed: ["/", ["each", "n", "u", "v"], "n"],
}
"""Quantity -> its formula for n equally likely outcomes, where u is P - g Q and v is W."""
YOUNG = le(-2 * proof.bent_along, L * proof.miss2 + proof.bent2 / L)
BENT = le(proof.bent2, L**2 * proof.miss2)
"""The gradient of a smooth loss changes by at most L times the distance."""


def _means_in(means: Mapping[sp.Symbol, Tree], relation: Condition) -> dict[sp.Symbol, Tree]:
    return {symbol: means[symbol] for symbol in means if symbol in relation.free_symbols}


def _of_step(relation: Condition) -> Sums:
    return Sums(relation, _means_in(MEANS, relation), _LETTERS)


def _of_outcomes(relation: Condition) -> Sums:
    letters = {
        "n": "count",
        "u": "family n",
        "v": "family n",
        **dict.fromkeys(("gamma_G", "gamma_L", "lam"), "positive"),
    }
    return Sums(relation, _means_in(IN_OUTCOMES, relation), letters)


_bent = Sums(
    BENT,
    {
        proof.miss2: square("back"),
        WAY: square("back"),
        proof.bent2: square(times(["/", "1", "M"], ["total", "turn"])),
    },
    {"M": "count", "back": "vector", "turn": "family M"},
    bounded=(Bounded(("turn",), OF_TURNS, "M"),),
)
VARIANCE = Sums(
    proof.VARIANCE.compared,
    {
        E: ["/", "q", "M"],
        proof.wind2: [
            "+",
            ["/", ["each", "q", "single", "single"], ["*", "N", "M"]],
            [
                "*",
                ["/", ["-", "M", "N"], ["*", "N", ["-", "M", "1"], "M"]],
                ["*", ["^", ["/", "q", "M"], "2"], ["each", "M", "own", "own"]],
            ],
        ],
    },
    {**dict.fromkeys(("q", "M", "N"), "count"), "single": "family q", "own": "family M"},
    PARTIAL,
    (Bounded(("single",), OF_NOISE, "q"), Bounded(("own",), OF_CLIENTS, "M")),
)
"""Fact about the q = M E uncorrelated noise vectors of all clients in all steps."""

# -------------------------------------------------------------------------------------------------- the local drift

_e = sp.Symbol("e", integer=True, positive=True)
_turned = sp.Symbol("turn2_each", nonnegative=True)
_most = L * gamma_L * B
_STEPS = {"e": "count", "gamma_L": "positive"}
WALKED = Sums(
    le(WAY, (gamma_L * _e * B) ** 2),
    {WAY: square(times("gamma_L", ["total", "sent"]))},
    {**_STEPS, "sent": "family e"},
    bounded=(Bounded(("sent",), OF_SENT, "e"),),
)
"""The distance of a client after e local steps with bounded gradients."""
CHANGED = Sums(
    le(_turned, (_e * _most) ** 2),
    {_turned: square("turn"), WAY: square("way")},
    {**_STEPS, "turn": "vector", "way": "vector"},
    bounded=(Bounded(("way",), WALKED), Bounded(("turn",), OF_TURNS)),
)
"""The change of its gradient after these steps."""


def _drift() -> Rounds:
    """The mean work of E local steps over the sampled clients, by induction over steps; the first step has no drift."""
    work2, before = proof.worked2, sp.Symbol("worked2_before", nonnegative=True)
    push2, along = sp.Symbol("push2", nonnegative=True), sp.Symbol("along", real=True)
    push = times(["/", "1", "N"], ["total", "turn"])
    means = {
        work2: square(["+", "back", push]),
        before: square("back"),
        along: ["dot", "back", push],
        push2: square(push),
    }
    letters = {"N": "count", "back": "vector", "turn": "family N"}
    counted = sp.Symbol("steps_before", integer=True, nonnegative=True)
    longest = Sums(
        le(push2, ((E - 1) * _most) ** 2),
        {push2: square(push), E: ["+", "e", "1"]},
        {"N": "count", "e": "count", "turn": "family N"},
        bounded=(Bounded(("turn",), CHANGED, "N"),),
    )
    steps: tuple[Sums | Rounds, ...] = (
        *(
            Sums(said, _means_in(means, said), letters)
            for said in (eq(work2, before + 2 * along + push2), le(along**2, before * push2))
        ),
        longest,
        Rounds(ge(E, 1), counted, {E: counted + 1}, {E: E + 1}),
    )
    later = sp.Symbol("along later", real=True)
    return Rounds(
        proof.DRIFT.compared,
        counted,
        {E: counted + 1},
        {E: E + 1},
        {
            quantity: (renamed(quantity, f"{quantity}_before"), sp.S.Zero)
            for quantity in (work2, along, push2)
        },
        steps,
        through=(le(later, E**2 * (E - 1) / 2 * _most**2),),
    )


WITHOUT_DRIFT: tuple[Sums, ...] = (*map(_of_step, (proof.PULLED.compared, proof.UNBIASED.compared)), VARIANCE)
"""Facts about the gradient step with noise and sampling."""
FACTS: tuple[Sums | Rounds, ...] = (
    *WITHOUT_DRIFT,
    *map(_of_outcomes, (proof.SPLIT.compared, proof.CAUCHY.compared)),
    _drift(),
    _bent,
    _of_step(YOUNG),
)
"""Facts about a round with any number of clients and local steps."""
ONE_STEP: tuple[Sums, ...] = (
    *WITHOUT_DRIFT,
    Sums(
        strong.SPLIT.compared,
        {proof.miss_next2: square(times(_left, "u")), proof.blown2: square("u")},
        {"lam": "positive", "u": "vector"},
    ),
)
"""Facts about rounds with one local step."""
