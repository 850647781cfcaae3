"""SPECIAL, Lemma C.5: the distance of a client from the start of a round after a local step, for arbitrary gradients."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.relations import ge, le
from bounds.special.lemmas import D_before, D_now, gi2, het2, lip2, noise2
from bounds.special.symbols import L, L_sup, sigma_G2, sigma_L2
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.norms_of_sums import AnyNumber, follows
from verify.scenes.special import terms as of
from verify.scenes.summands import summed

INSERTED = (ge(sigma_L2, noise2), ge(sigma_G2, het2), le(lip2, L**2 * D_before))

_mean = lambda vector: ["/", ["each", "n", vector, vector], "n"]  # noqa: E731
_at_start = ["+", "other", "task"]
_own = ["-", "away", ["*", "gamma_L", "change"]]
_along = ["/", ["dot", ["total", "away"], _at_start], "n"]
_turned = ["/", ["dot", ["total", "change"], _at_start], "n"]
_square = ["^", "gamma_L", "2"]
ONE_STEP = Sums(
    statement("special.eq15").compared,
    {
        D_now: [
            "+",
            _mean(_own),
            ["*", _square, _mean("noise")],
            ["*", _square, ["dot", _at_start, _at_start]],
            ["*", "2", ["-", ["*", _square, _turned], ["*", "gamma_L", _along]]],
        ],
        D_before: _mean("away"),
        noise2: _mean("noise"),
        lip2: _mean("change"),
        het2: ["dot", "other", "other"],
        gi2: ["dot", "task", "task"],
    },
    {
        "n": "count",
        **dict.fromkeys(("away", "noise", "change"), "family n"),
        **dict.fromkeys(("other", "task"), "vector"),
    },
)
"""A local step from n equally likely models, with noise of either sign at each."""
_share, _turned2 = sp.Symbol("share", nonnegative=True), of.TURNED.lhs
OF_ASSUMPTIONS: tuple[AnyNumber, ...] = (
    Sums(
        INSERTED[0],
        {noise2: _mean("noise")},
        {"n": "count", "noise": "family n"},
        bounded=(Bounded(("noise",), of.OF_NOISE, "n"),),
    ),
    Sums(
        INSERTED[1],
        {het2: ["dot", "other", "other"]},
        {"other": "vector"},
        bounded=(Bounded(("other",), of.OF_CLIENTS),),
    ),
    summed(
        INSERTED[2],
        {lip2: _share * _turned2, D_before: _share * of.WAY},
        (_turned2, of.WAY),
        follows(
            le(_turned2, L**2 * of.WAY), given=of.OF_TURNS, through=(le(L_sup**2 * of.WAY, L**2 * of.WAY),)
        ),
    ),
)
"""Means over equally likely outcomes of what the assumptions bound in each."""
OF_CLIENTS: tuple[AnyNumber, ...] = (*OF_ASSUMPTIONS, ONE_STEP)
