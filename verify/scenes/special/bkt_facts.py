"""SPECIAL, Eq. (28) to (35): facts about sums over any numbers of rounds, clients and local steps.

A random vector is represented as a vector of a larger space, with one coordinate for each coordinate in each outcome; an expected
inner product is then an inner product. In each of t rounds, N of the M clients are sampled, each with probability N/M, and send a
stochastic gradient in each of E local steps. Noise has conditional mean zero. Every summand has its own positive weight.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.relations import eq, ge, le
from bounds.special import bkt_sums as b
from bounds.special.bkt_limits import ENDLESS, GAINED, ROOT, SQUARED, gentle, weighed
from bounds.special.bkt_sums import Sums as Reading
from bounds.special.drift import PULLED
from bounds.special.symbols import G0, B, E, M, N, align, drift2, gamma_G, gamma_L, lam, noise_sup, t
from nqm.fields import sqrt
from verify.engine.model.scene import Condition, Follows, Named, Rounds, Shape, Values
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows
from verify.scenes.special.drift_facts import bound_of_every_round
from verify.scenes.special.terms import OF_SENT
from verify.scenes.summands import before, changing, definition, later, summed
from verify.scenes.trees import Tree, square, times

PAIRS = eq(b.tt2, 2 * M * b.t2 - 2 * b.tsum2)
TOGETHER = le(b.tsum2, M * b.t2)
ORDER = eq(b.V, b.X)
CROSSED = le(b.X, b.Y**2)
BOUNDED = le(b.V, B**2 * M * E * b.W2)
_gain, _lengths = sp.Symbol("along_each", real=True), sp.Symbol("lengths_each", nonnegative=True)
_noise2 = sp.Symbol("noise2", nonnegative=True)
DEFINED = (le(align * _lengths, _gain), le(_noise2, noise_sup))
"""The definitions of `align` and `noise_sup`: no cosine is smaller, and no mean square of the noise larger."""
GEOMETRIC = eq(b.W2 * (lam**2 + 2 * lam), 1 - b.tail)
MOVED = eq(b.move, -b.first_factor * b.CORRECTED.first)
STRAYED = eq(drift2, gamma_G**2 * gamma_L**2 * b.T1_c)
"""Sampling and noise do not change the mean displacement: the conditional mean of the sampled clients is the mean of all clients."""
ALONG = le(b.move**2, G0**2 * drift2)
SUMMED = eq(weighed, PULLED)
SPREAD = le(M * b.T1_c, weighed * E * (B * b.CORRECTED.Y + weighed * M * E * noise_sup))
"""Jensen's inequality with the weights of Eq. (26); a squared gradient is at most B times its norm."""
PUSHED = le(M * b.T1_g, weighed * E * B * b.CORRECTED.Y)
"""The same inequality for the gradients without noise."""
PARTED = le(b.T1_c, 2 * b.T1_g + 2 * b.T1_n)
DIFFUSED = le(N * b.T1_n, b.W2 * E * noise_sup)
"""The noise is uncorrelated between rounds, clients and steps."""


def defined(T: sp.Symbol, part: sp.Symbol) -> Condition:
    """The definition of T2, T21 or T22."""
    return eq(T, b.second_factor * part)


def unbiased(q: Reading) -> Condition:
    """Assumption 4.3 in the sums: gradient and noise are uncorrelated."""
    return eq(q.g2, q.X + q.n2)


def aligned(q: Reading) -> Condition:
    """Alignment in the sums."""
    return ge(q.first, align * G0 * q.Y)


def noisy(q: Reading) -> Condition:
    """Variance of the noise in the sums."""
    return le(q.n2, b.W2 * M * E * noise_sup)


def _root(shape: Shape, values: Named) -> Values:
    return {"root": sqrt(shape["M"] * shape["E"] / (values["lam"] ** 2 + 2 * values["lam"]))}


def letters(shape: Shape, values: Named) -> Values:
    """The quantities in the limits on the step sizes, and the gain; `values` also contains E_Y_c and G0."""
    pull = values["lam"] ** 2 + 2 * values["lam"]
    steps2 = values["gamma_G"] ** 2 * values["gamma_L"] ** 2
    each = (shape["K"] - 1) * shape["E"] ** 2 * shape["t"]
    return {
        "gained": values["gamma_G"]
        * values["gamma_L"]
        * values["eps"]
        * values["G0"]
        * values["E_Y_c"]
        / shape["M"],
        **_root(shape, values),
        "endless": each * values["L"] * steps2 * values["sigma_L2"] / (2 * pull),
        "weighed": (1 - (1 + values["lam"]) ** (-shape["t"])) / values["lam"],
    }


# ------------------------------------------------------------------------------------------------- single summands

_weight = sp.Symbol("weight", positive=True)
_length, _apart2 = named("length, apart2", nonnegative=True)
_along_one = sp.Symbol("along_one", real=True)
_AHEAD = Sums(
    le(align * G0 * _length, _along_one),
    {_along_one: str(_gain), _lengths: ["*", "G0", str(_length)]},
    {str(_gain): "real"},
    DEFINED[:1],
)
LOUD = Sums(le(_apart2, noise_sup), {_apart2: str(_noise2)}, {}, DEFINED[1:])
_SHORT_ONE = Sums(
    le(_length**2, B**2),
    {_length**2: square("sent")},
    {"sent": "vector"},
    bounded=(Bounded(("sent",), OF_SENT),),
)
_LIGHT = Sums(
    le((1 + lam) * _weight, 1),
    {_weight: ["/", "1", ["*", ["+", "1", "lam"], ["+", "1", "more"]]]},
    {"more": "nonnegative"},
)
"""Fact: no round has a larger weight."""
_within = (le(later(_length), B),)
grad2, lengths = named("grad2, lengths", nonnegative=True)
SHORT = summed(
    le(grad2, B * lengths), {grad2: _length**2, lengths: _length}, (_length,), _SHORT_ONE, through=_within
)
"""Fact about the gradients of a round: a square is at most B times a norm."""


def _sums(q: Reading) -> tuple[Sums | Rounds, ...]:
    """Facts about the sums with both kinds of weights."""
    return (
        *(definition(defined(*pair)) for pair in ((q.T2, q.g2), (q.T21, q.X), (q.T22, q.n2))),
        definition(unbiased(q)),
        summed(
            aligned(q),
            {q.first: _weight * _along_one, q.Y: _weight * _length},
            (_weight, _length, _along_one),
            _AHEAD,
        ),
        summed(noisy(q), {q.n2: _weight**2 * _apart2, b.W2: _weight**2 / (M * E)}, (_weight, _apart2), LOUD),
        summed(
            gentle(q),
            {q.X: _weight**2 * _length**2, q.Y: _weight * _length},
            (_weight, _length),
            _SHORT_ONE,
            _LIGHT,
            through=_within,
        ),
    )


# ------------------------------------------------------------------------------------------------ clients and steps

_own2, _part2 = named("own2, part2", nonnegative=True)
_all = sp.Symbol("clients_before", integer=True, nonnegative=True)
_first2 = sp.Symbol("first2", nonnegative=True)
_each_pair = ["each", "n", ["-", "sent", "new"], ["-", "sent", "new"]]
_PAIRS = Rounds(
    PAIRS,
    _all,
    {M: _all + 1},
    {M: M + 1},
    {**changing(b.tt2), b.t2: (before(b.t2), _first2), b.tsum2: (before(b.tsum2), _first2)},
    (
        Sums(
            eq(
                b.tt2 - before(b.tt2) - 2 * M * b.t2 + 2 * (M - 1) * before(b.t2),
                2 * before(b.tsum2) - 2 * b.tsum2,
            ),
            {
                b.tt2: ["+", str(before(b.tt2)), ["*", "2", _each_pair]],
                b.t2: ["+", ["each", "n", "sent", "sent"], square("new")],
                before(b.t2): ["each", "n", "sent", "sent"],
                b.tsum2: square(["+", ["total", "sent"], "new"]),
                before(b.tsum2): square(["total", "sent"]),
                M: ["+", "n", "1"],
            },
            {"n": "count", "sent": "family n", "new": "vector"},
        ),
    ),
)
"""Fact by induction over clients."""
_OF_CLIENTS = {b.t2: ["each", "M", "sent", "sent"], b.tsum2: square(["total", "sent"])}
_CLIENTS = {"M": "count", "sent": "family M"}
_mean = times(["/", "1", "N"], ["total", "sent"])
_CHANCES: Tree = [
    "+",
    ["/", ["each", "M", "sent", "sent"], ["*", "N", "M"]],
    [
        "*",
        ["/", ["-", "N", "1"], ["*", "N", ["*", "M", ["-", "M", "1"]]]],
        ["-", square(["total", "sent"]), ["each", "M", "sent", "sent"]],
    ],
]
_OUTCOMES = {b.T1_c: ["+", "u", "v"], b.T1_g: "u", b.T1_n: "v"}
PARTS = Sums(
    PARTED,
    {symbol: ["/", ["each", "n", vector, vector], "n"] for symbol, vector in _OUTCOMES.items()},
    {"n": "count", "u": "family n", "v": "family n"},
)
"""Means over n equally likely outcomes."""
_WAYS = {"back": "vector", "far": "vector"}
_CAUCHY = Sums(
    le(_own2, E * t * _part2),
    {_own2: square(["total", "sent"]), _part2: ["each", "q", "sent", "sent"], t: ["/", "q", "E"]},
    {"q": "count", "E": "count", "sent": "family q"},
)
_AT_ONCE = Sums(
    statement("special.eq29/corrected").compared,
    {
        b.T1_c: square(_mean),
        b.CORRECTED.g2: ["*", ["/", "M", "N"], ["each", "n", "sent", "sent"]],
        t: ["/", "n", ["*", "N", "E"]],
    },
    {**dict.fromkeys(("n", "N", "M", "E"), "count"), "sent": "family n"},
)
"""Fact about the n = N E t weighted stochastic gradients of all sampled clients."""
_OF_PAIRS = Sums(
    statement("special.eq29/one-round").compared,
    {
        b.T1_s: _CHANCES,
        b.t2: ["each", "M", "sent", "sent"],
        b.tt2: ["-", ["*", "2", "M", ["each", "M", "sent", "sent"]], ["*", "2", square(["total", "sent"])]],
    },
    {"N": "count", "M": "count", "sent": "family M"},
    (ge(M, 2), eq(t, 1)),
)
"""In one round, two clients are sampled together with probability N (N - 1)/(M (M - 1)); pairs are counted as in `PAIRS`."""

FACTS: tuple[Sums | Rounds | Follows, ...] = (
    *_sums(b.PRINTED),
    *_sums(b.CORRECTED),
    *map(definition, (ENDLESS, GAINED, statement("special.eq32.1/corrected").compared)),
    definition(ROOT),
    follows(SQUARED, definition(ROOT)),
    summed(
        BOUNDED, {b.V: _weight**2 * _length**2, b.W2: _weight**2 / (M * E)}, (_weight, _length), _SHORT_ONE
    ),
    summed(CROSSED, {b.X: (_weight * _length) ** 2, b.Y: _weight * _length}, (_weight, _length)),
    summed(ORDER, {b.X: (_weight * _length) ** 2, b.V: _weight**2 * _length**2}, (_weight, _length)),
    summed(
        DIFFUSED,
        {b.T1_n: _weight**2 * _apart2 / N**2, b.W2: _weight**2 / (N * E)},
        (_weight, _apart2),
        LOUD,
        through=(le(N * (b.T1_n - before(b.T1_n)), (b.W2 - before(b.W2)) * E * noise_sup),),
    ),
    summed(
        statement("special.eq30.T1").relation, {b.t2: _own2, b.PRINTED.g2: _part2}, (_own2, _part2), _CAUCHY
    ),
    _PAIRS,
    Sums(TOGETHER, _OF_CLIENTS, _CLIENTS),
    _OF_PAIRS,
    _AT_ONCE,
    PARTS,
    Sums(ALONG, {b.move: ["dot", "back", "far"], G0**2: square("back"), drift2: square("far")}, _WAYS),
    bound_of_every_round(statement("special.lem4.9").compared),
)
