"""Weights of past rounds that are not negative: which rounds are kept, and why no others are better.

With rounds 1 to m and the current one kept, k = t - m, the slope of J towards a round m + s that is left out is
D^2 (1 - alpha^s) (alpha^(k-s) y - x), where y is the current weight and x the weighted past. It is least at s = 1, where it
is, up to a positive factor, what the weight of round m + 1 lacks of being nonnegative in the next larger problem.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.symbols import alpha
from bounds.cfl.weight_sums import q, tilt
from bounds.relations import ge, lt
from nqm.fields import Array, stack
from verify.engine.model.scene import Box, Fact, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.decay_sums import KEPT_EXPANSION, SEMIDEFINITE
from verify.scenes.cfl.weighting import ROUNDS, gradual_space, named
from verify.scenes.cfl.weights import keeping_oldest, matrix_of, pair_sum, sums

EXPANSION = KEPT_EXPANSION.relation
"""The objective at any weights, around the kept ones."""
SLOPE = ge(tilt, 0)
REFUSED = ge(sp.Symbol("refused", real=True), 0)
"""What "as large as their signs allow" says: one more round would get a negative weight, or there is none."""


def not_negative(shape: Shape, values: Named) -> Values:
    """The weights >= 0 that keep the oldest rounds, and any others >= 0."""
    weight = values["alpha"]
    form = matrix_of(weight, values["D2"], values["R2"], shape["t"])
    best, refused = keeping_oldest(form)
    other = values["raw"] / values["raw"].sum(axis=1)[:, None]
    weights = best + values["mix"][:, None] * (other - best)
    found, change = sums(best, weight), weights - best
    return {
        "q": weights,
        **named("q", sums(weights, weight)),
        "kept": values["G2"] + values["R2"] * (1 - found["now"]) ** 2 + values["D2"] * found["decay"],
        "tilt": (change[:, :, None] * form * best[:, None, :]).sum(axis=2).sum(axis=1),
        "zQz": pair_sum(change, form),
        "refused": refused,
    }


def geometric(x: Array, terms: int) -> Array:
    """1 + x + .. + x^(terms - 1)."""
    return sum((x**n for n in range(terms)), 0 * x)


def oldest(m: int, k: int, values: Named) -> tuple[list[Array], Array, Array]:
    """Weights of the rounds 1 to m and of the current one, k rounds later, up to a common factor; their sum.

    Polynomials in alpha, 1 - alpha, D2 and R2, `fresh` standing for 1 - alpha.
    """
    a, fresh, D2, R2 = (values[name] for name in ("alpha", "fresh", "D2", "R2"))
    if m == 1:
        past = [D2 * fresh * geometric(a, k)]
        now = R2 + past[0]
        return past, now, R2 + 2 * past[0]
    first = D2 * fresh * geometric(a, 2 * k) + R2 * a**k
    now = R2 * (2 + (m - 2) * fresh) + D2 * (1 + a) * fresh * geometric(a, k)
    past = [first, *[fresh * first] * (m - 2), first - a**k * now]
    return past, now, first * (2 + (m - 2) * fresh) + now * fresh * geometric(a, k)


def slopes(shape: Shape, values: Named) -> Values:
    """The slope towards any weights >= 0, as a sum of terms none of which is negative."""
    t, m, k = shape["t"], shape["m"], shape["t"] - shape["m"]
    a, none = values["alpha"], 0 * values["alpha"]
    defined = {**values, "fresh": 1 - a}
    past, now, total = oldest(m, k, defined)
    best = stack([*past, *[none] * (k - 1), now], -1) / total[:, None]
    others = [values["any"][:, n] if n < m else values["share"][:, n] for n in range(t - 1)]
    weights = stack([*others, 1 - sum(others)], -1)
    rows = (matrix_of(a, values["D2"], values["R2"], t) * best[:, None, :]).sum(axis=2)
    lacks, more = none, none
    if k > 1:
        larger, _, larger_total = oldest(m + 1, k - 1, defined)
        turned = 1 if m == 1 else 1 + a
        lacks, more = -larger[-1] / larger_total, turned * oldest(m + 1, k - 1, values)[2]
    _, positive_now, positive_total = oldest(m, k, values)
    fresh = values["fresh"]
    steps = [
        values["share"][:, m + s - 1]
        * fresh
        * geometric(a, s)
        * (values["lack"] * more + a ** (k - s) * fresh * geometric(a, s - 1) * positive_now)
        for s in range(1, k)
    ]
    return {
        "tilt": ((weights - best) * rows).sum(axis=-1),
        "left_fresh": 1 - a,
        **dict.fromkeys(("q", "left_share"), weights),
        "refused": lacks,
        "slack": values["D2"] * sum(steps, none) / positive_total,
    }


_SLOPES = Fact(
    SLOPE,
    Scene(
        name="slopes from the weights that keep the oldest rounds",
        shapes=tuple({"t": t, "m": m} for t, m in ((2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (5, 2), (5, 3))),
        space=lambda shape: {
            "alpha": Box(0, 1),
            "D2": Box(0.1, 1),
            "R2": Box(0, 1),
            "fresh": Box(0.1, 1),
            "share": Box(0.1, 1, (shape["t"],)),
            "any": Box(-1, 1, (shape["t"],)),
            "lack": Box(0, 1),
        },
        compute=slopes,
        covers="an identity for up to 5 rounds; a further round is left out or kept like those beside it",
    ),
    "slack",
    {"fresh": ("left_fresh", lt(alpha, 1)), "share": ("left_share", ge(q, 0)), "lack": ("refused", REFUSED)},
)
NOT_NEGATIVE = Scene(
    name="weights that are not negative",
    shapes=ROUNDS,
    space=lambda shape: {
        **{name: gradual_space(shape)[name] for name in ("alpha", "D2", "R2", "G2")},
        "raw": Box(0, 1, (shape["t"],)),
        "mix": Box(0, 1),
    },
    compute=Proved(not_negative, (KEPT_EXPANSION, SEMIDEFINITE, _SLOPES), (REFUSED,)),
)
