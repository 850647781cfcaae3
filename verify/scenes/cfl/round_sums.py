"""CFL, Appendix B.5: facts about one round of any number of clients, local steps and past rounds.

The vectors are those of the q = N K local steps of a round: the weighted true gradient at the start of the round (`first`, the
same in all steps of a client), its change on the way to the local model (`change`), the weighted information loss (`gone`) and the
noise. Random vectors are vectors of a larger space whose inner products are expectations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy as sp

from bounds.catalogue import relations
from bounds.cfl import convex as b
from bounds.cfl.nonconvex import (
    SIZE,
    apart2,
    apart2_before,
    apart2_start,
    apart2_there,
    bar_before,
    downhill,
    e_there,
    grad2_there,
    start2,
    strayed_after_i,
    turned2,
)
from bounds.cfl.symbols import R2, K, L, N, eta, eta_l, sigma2
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.cfl import client_sums as of
from verify.scenes.cfl.client_sums import DRIFTED, LARGEST, NOT_LOST, POSITIVE, QUIET, assumed, changed2
from verify.scenes.cfl.terms import (
    AHEAD,
    DRIFTLESS,
    SMOOTH,
    TURNED,
    UNCORRELATED,
    first_ahead,
    noise2,
    slope_ahead,
    stir2,
    stir_ahead,
)
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import definition
from verify.scenes.trees import Tree, square, times, vocabulary

STRAYED_ALL, PAST_ALL, PAST2 = (
    b.over_clients(b.strayed_i[b.i]),
    b.over_clients(b.P_i[b.i]),
    b.over_clients(b.P_i[b.i] ** 2),
)
WEIGHED_ALL = b.over_clients(b.cB_i[b.i] * b.strayed_i[b.i])
SIZED = eq(eta, SIZE)
MOVED = le(b.moved2, 2 * eta**2 / (N * K) ** 2 * (N * K * b.bar2 + N * K * sigma2))
PULLED = le(b.bar2, 2 * K * start2 + 4 * L**2 * STRAYED_ALL + 4 * K * R2 * PAST2)
MOVED_AWAY = le(
    b.moved2,
    2
    * eta**2
    / (N * K) ** 2
    * (N * K**2 * start2 + N * K * sigma2 + 2 * N * K * (L**2 * STRAYED_ALL + K * R2 * PAST2)),
)
"""Gradients at the start and noise are uncorrelated; the other parts of the update may depend on both."""
STRAYED = le(STRAYED_ALL, eta_l**2 * K**2 * (b.bar2 + N * sigma2))
STARTED = le(start2, N * (b.c_pB * b.g2_start + b.c_pG))
APART = le(apart2, 2 * apart2_start + 2 * L**2 * e_there)
APART_AT_START = le(apart2_start, (b.cB - 1) * b.g2_start + b.cG)
GROWN, GROWN_EACH = ge(b.c_pB, 1), of.GROWN_EACH.relation
LIGHTER = le(STRAYED_ALL, WEIGHED_ALL)
WEIGHED = le(
    WEIGHED_ALL,
    b.c_max * (eta_l * K) ** 2 * (K * start2 + N * sigma2 + 2 * L**2 * STRAYED_ALL + 2 * K * R2 * PAST2),
)
"""Bound of the local drifts by gradients at the start, noise and the remaining terms, each client weighted by c_pB."""
DOWNHILL = le(downhill, eta / (2 * N) * PAST_ALL * (b.g2_start + R2) + eta * L**2 / (4 * N * K) * STRAYED_ALL)
"""The descent along the gradient at the start compensates the change of the gradient at local models."""
WALKED, PAST = ge(STRAYED_ALL, 0), ge(PAST2, 0)

ROUND_VECTORS = {
    **dict.fromkeys(("q", "N"), "count"),
    **dict.fromkeys(("first", "change", "gone", "noise"), "family q"),
    **dict.fromkeys(("slope", "true", "start", "there"), "vector"),
    "eta": "positive",
}
_first, _change, _gone, _noise = (["total", name] for name in ("first", "change", "gone", "noise"))
_true: Tree = ["+", "first", "change"]
_pulled: Tree = ["-", ["+", _first, _change], _gone]


def each_step(vector: Tree) -> Tree:
    """Squares, summed over all local steps."""
    return ["each", "q", vector, vector]


ROUND_MEANS: Mapping[sp.Expr, Tree] = {
    K: ["/", "q", "N"],
    b.moved2: square(times(["/", "eta", "q"], ["+", _pulled, _noise])),
    downhill: ["*", ["/", ["-", "eta"], "q"], ["dot", "slope", _pulled]],
    bar_before: ["dot", "slope", _pulled],
    b.g2_start: square("slope"),
    start2: ["*", ["/", "N", "q"], each_step("first")],
    b.true2: each_step(_true),
    apart2_before: each_step(["-", "slope", _true]),
    b.bar2: each_step(["-", _true, "gone"]),
    changed2: each_step("change"),
    b.missed2: each_step("gone"),
    of.all_ahead: ["dot", "slope", _gone],
    first_ahead: ["dot", "slope", _first],
    slope_ahead: ["*", "q", square("slope")],
    stir_ahead: ["dot", _first, _noise],
    stir2: square(_noise),
    noise2: each_step("noise"),
    apart2: square(["-", "slope", "true"]),
    apart2_start: square(["-", "slope", "start"]),
    of.change: square(["-", "true", "start"]),
    grad2_there: square("there"),
    turned2: square(["-", "slope", "there"]),
    apart2_there: square(["-", "there", "true"]),
}
"""Quantity -> its formula; the last ones are about one local model."""
_sums = vocabulary(ROUND_MEANS, ROUND_VECTORS)
_OF_CLIENTS = {
    of.ways: STRAYED_ALL,
    of.weighed: WEIGHED_ALL,
    of.later_weighed: b.over_clients(b.cB_i[b.i] * strayed_after_i[b.i]),
    of.pasts: K * PAST_ALL,
    of.pasts2: K * PAST2,
    of.all_cB: N * b.c_pB,
    of.all_cG: N * b.c_pG,
    of.clients: N,
}
"""A client's way stands for the sum of its squared ways, and its past counts in each of its K steps."""
_MODELS = sp.Symbol("models", integer=True, positive=True)
_OF_MODELS = {
    **_OF_CLIENTS,
    of.starts: _MODELS * start2,
    of.grads: _MODELS * b.g2_start,
    of.aparts: _MODELS * apart2_start,
    of.models: _MODELS,
}
"""Sums over models are their number times the mean."""
Given = tuple[Condition, ...]
_SMOOTH, _LOSS, _NOISE = (SMOOTH, TURNED), (POSITIVE, NOT_LOST), (UNCORRELATED, QUIET)


def _follows(
    relation: Condition, facts: Iterable[Sums | Rounds | Follows], given: Given = (), through: Given = ()
) -> Follows:
    """A relation from facts about the same round."""

    def letters(fact: Sums | Rounds | Follows) -> Mapping[sp.Symbol, sp.Expr]:
        names = fact.relation.free_symbols if isinstance(fact, Rounds) else ()
        return {name: formula for name, formula in _OF_MODELS.items() if name in names}

    return Follows(relation, tuple((fact, letters(fact)) for fact in facts), given, through)


_line = relations("cfl")
RATE = eta / (N * K)
_THERE = {changed2: of.change, of.ways: e_there}
"""The change on the way to one local model."""
QUIET_ALL = _sums(le(noise2, N * K * sigma2), Bounded(("noise",), Sums(QUIET, {}, {}, given=(QUIET,)), "q"))
GROWN_FACT, _lighter = _follows(GROWN, (of.GROWN,)), _follows(LIGHTER, (of.LIGHTER,))
_DESCENT = (of.CHANGED, of.LOST, of.LOST_AHEAD, assumed(DRIFTLESS))
_WAY_DOWN = (*_SMOOTH, *_LOSS, DRIFTLESS)
_before = _follows(
    _line("eq29/before"),
    (
        _sums(
            le(
                downhill,
                RATE * (changed2 / 2 + of.all_ahead - first_ahead + slope_ahead) - eta * b.g2_start / 2,
            )
        ),
        *(*_DESCENT, GROWN_FACT, _lighter),
    ),
    _WAY_DOWN,
)
FACTS: tuple[Sums | Rounds | Follows, ...] = (
    definition(SIZED),
    _sums(_line("eq26.first/before")),
    _follows(
        _line("eq26/before"),
        (
            _sums(le(downhill, RATE * ((apart2_before - b.true2) / 2 + of.all_ahead) - eta * b.g2_start / 2)),
            of.LOST_AHEAD,
        ),
        _LOSS,
    ),
    _follows(
        _line("eq27/doubled"),
        (
            _sums(le(b.moved2, 2 * RATE**2 * (2 * N * K * (b.true2 + b.missed2) + stir2))),
            *(QUIET_ALL, assumed(UNCORRELATED)),
        ),
        _NOISE,
    ),
    _follows(_line("eq27.drop.rest"), (of.LOST,), _LOSS),
    _sums(_line("eq28.split")),
    follows(
        _line("eq28.last"),
        _sums(le(grad2_there, 2 * b.g2_start + 2 * turned2)),
        (of.CHANGED, {**_THERE, changed2: turned2}),
        of.GROWN_EACH,
        given=_SMOOTH,
    ),
    follows(APART, _sums(le(apart2, 2 * apart2_start + 2 * of.change)), (of.CHANGED, _THERE), given=_SMOOTH),
    _before,
    _follows(_line("eq29"), (_before, of.LATER), _WAY_DOWN),
    _follows(
        DOWNHILL,
        (_sums(le(downhill, RATE * (changed2 / 4 + of.all_ahead - first_ahead + slope_ahead))), *_DESCENT),
        _WAY_DOWN,
    ),
    _follows(
        _line("nc.downhill/repaired"),
        (
            _sums(
                le(downhill, RATE * (changed2 + b.missed2 - first_ahead + slope_ahead) - eta * b.g2_start / 2)
            ),
            *_DESCENT,
        ),
        _WAY_DOWN,
    ),
    _follows(
        PULLED,
        (_sums(le(b.bar2, 2 * K * start2 + 4 * changed2 + 4 * b.missed2)), of.CHANGED, of.LOST),
        (*_SMOOTH, *_LOSS),
    ),
    _follows(
        MOVED,
        (_sums(le(b.moved2, 2 * RATE**2 * (N * K * b.bar2 + stir2))), QUIET_ALL, assumed(UNCORRELATED)),
        _NOISE,
    ),
    _follows(
        MOVED_AWAY,
        (
            _sums(
                le(
                    b.moved2,
                    2
                    * RATE**2
                    * (N * K**2 * start2 + 2 * stir_ahead + stir2 + 2 * N * K * (changed2 + b.missed2)),
                )
            ),
            *(QUIET_ALL, assumed(UNCORRELATED), assumed(AHEAD), of.CHANGED, of.LOST),
        ),
        (*_SMOOTH, *_LOSS, *_NOISE, AHEAD),
        (le(stir2, N * K * sigma2), le(changed2 + b.missed2, L**2 * STRAYED_ALL + K * R2 * PAST2)),
    ),
    _follows(STRAYED, (of.WALKS,), _NOISE),
    _follows(
        WEIGHED,
        (of.WALKS_AWAY, of.CHANGED, of.LOST),
        (*_SMOOTH, *_LOSS, *_NOISE, AHEAD, LARGEST),
        (le(changed2 + b.missed2, L**2 * STRAYED_ALL + K * R2 * PAST2),),
    ),
    _lighter,
    Sums(WALKED, {STRAYED_ALL: each_step("change")}, {"q": "count", "change": "family q"}),
    Sums(PAST, {PAST2: ["each", "N", "past", "past"]}, {"N": "count", "past": "family N"}),
    *(of.GROWN_EACH, GROWN_FACT),
    _follows(STARTED, (of.STARTED,), DRIFTED),
    _follows(APART_AT_START, (of.APART_AT_START,), DRIFTED),
)
