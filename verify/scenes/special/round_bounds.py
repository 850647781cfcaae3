"""SPECIAL, Eq. (40) to (60): bounds of a round by the assumptions and sampling, for any number of tasks, clients and local steps.

Symbols are those of `round_sums`; `noise` is the sum of a client's noise over the local steps. For the n = K - 1 other tasks, `apart`
is the current task's gradient minus theirs, and `turn` the change of theirs since the start of the task. A stochastic gradient is
the gradient plus noise with conditional mean zero, so both are uncorrelated. `more` = (M - N)/(N (M - 1) M^2) is the additional
coefficient of each pair of clients from sampling N of M; it is 0 if all clients are sampled.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.catalogue import statement
from bounds.relations import eq, ge, le
from bounds.special import one_round as one
from bounds.special.one_round import t_pairs
from bounds.special.symbols import G0, B, E, K, L, M, N, sigma_L2, sigma_T2
from bounds.special.theorems import step as g
from verify.engine.certificates.formulas import tree, with_part
from verify.engine.model.scene import Condition
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.special.round_sums import LETTERS, MEANS, MORE, of_any_clients
from verify.scenes.special.terms import OF_NOISE, OF_SENT, OF_TASKS, OF_TURNS, WAY
from verify.scenes.trees import Tree, square

_TASKS = (ge(K, 2),)

# --------------------------------------------------------------------------------------------------- other tasks

OTHERS: Mapping[sp.Symbol, Tree] = {
    K: ["+", "n", "1"],
    one.change2: square(["total", "turn"]),
    one.away2: square("back"),
    WAY: square("back"),
    one.spread2: square(["total", "apart"]),
    one.tm2_T: ["*", "M", square(["*", "E", ["total", "apart"]])],
}


def _ofOTHERS(relation: Condition, family: str, right: tuple[Condition, Condition]) -> Sums:
    letters = {"n": "count", "M": "count", "E": "count", "back": "vector", family: "family n"}
    return Sums(relation, OTHERS, letters, _TASKS, (Bounded((family,), right, "n"),))


# ----------------------------------------------------------------------------------------------- single gradients

_PARTS = ("grad", "noise")
_each_work = sp.Symbol("work2_each", nonnegative=True)
_WORK = Sums(
    le(_each_work, E**2 * B**2),
    {_each_work: square(["total", "grad"])},
    {"E": "count", **dict.fromkeys(_PARTS, "family E")},
    bounded=(Bounded(_PARTS, OF_SENT, "E"),),
)
"""Fact about one client's work, the sum of its gradients in E local steps."""
_loud = {one.noise_mean: ["/", ["each", "n", "noise", "noise"], "n"]}
_SINGLE = {"n": "count", **dict.fromkeys(_PARTS, "family n")}
_pairs = of_any_clients(le(t_pairs, 2 * M**2 * K**2 * E**2 * B**2))
_start = {
    one.change2: square(["-", "past", "before"]),
    one.change_G0: MEANS[one.change_G0],
    one.gP2: square("past"),
    G0**2: square("before"),
}
_PAST = {"past": "vector", "before": "vector"}

# ------------------------------------------------------------------------------------------- sampled clients, and all

_turned, _task = ["total", "change"], ["*", ["/", "1", "M"], ["total", "first"]]
_step, _left = ["-", tree(g)], ["/", "1", ["+", "1", "lam"]]
_noisy = ["+", ["+", "change", ["*", "E", "first"]], "noise"]
_all_noisy = ["+", ["+", _turned, ["*", ["*", "E", "M"], _task]], ["total", "noise"]]
_back = ["*", "lam", "back"]


def _everyone(scale: Tree, total: Tree, more: Tree) -> Tree:
    """The squared norm of a combination of all clients' vectors, whose sum is `total`, and another vector."""
    return square(["+", ["*", ["/", scale, "M"], total], more])


def _of_sampled_clients(scale: Tree, vectors: Tree, total: Tree, more: Tree) -> Tree:
    """The expected squared norm of the combination for the sampled clients."""
    apart = ["-", ["*", "M", ["each", "M", vectors, vectors]], square(total)]
    return ["+", _everyone(scale, total, more), ["*", "more", ["*", ["^", scale, "2"], apart]]]


_scaled = ["*", _step, "K"]
NOISY: Mapping[sp.Symbol, Tree] = {
    one.T6: _of_sampled_clients(["*", _step, _left], _noisy, _all_noisy, ["*", _left, _back]),
    one.T6_full: _everyone(["*", _step, _left], _all_noisy, ["*", _left, _back]),
    one.moved2: _of_sampled_clients(_scaled, _noisy, _all_noisy, ["*", "K", _back]),
    one.T61: _of_sampled_clients(_scaled, "noise", ["total", "noise"], ["*", "0", "back"]),
    **{symbol: with_part(MEANS[symbol], MORE, "more") for symbol in (one.T62, one.T63, one.T7)},
}


def _of_sampled(relation: Condition) -> Sums:
    means = {symbol: NOISY[symbol] for symbol in NOISY if symbol in relation.free_symbols}
    return Sums(relation, means, {**LETTERS, "noise": "family M", "more": "nonnegative"}, (le(N, M),))


SAMPLED: Mapping[str, Sums] = {
    "T7": _of_sampled(le(one.T7, one.T62)),
    "T6_full": _of_sampled(statement("special.sec4.4.B4").relation),
    "moved2": _of_sampled(le(one.moved2, 3 * (one.T61 + g**2 * one.T62 + one.T63))),
    "expanded": _of_sampled(statement("special.eq46.expanded").relation),
    "T61": Sums(
        eq(one.T61, K**2 * g**2 * E / N * one.noise_mean),
        {
            one.T61: ["*", ["/", ["^", _scaled, "2"], ["*", "N", "M"]], ["each", "n", "noise", "noise"]],
            one.noise_mean: ["/", ["each", "n", "noise", "noise"], ["*", "M", "E"]],
        },
        {**LETTERS, "n": "count", "noise": "family n"},
    ),
}
"""Facts about sampled clients. A client is sampled with probability N/M; `T61` is for the n = M E uncorrelated noise vectors."""

BOUNDS: Mapping[str, Sums] = {
    "gP2": Sums(eq(one.gP2, one.change2 + 2 * one.change_G0 + G0**2), _start, _PAST),
    "change_G0": Sums(le(one.change_G0, (one.change2 + G0**2) / 2), _start, _PAST),
    "tm2_T": _ofOTHERS(le(one.tm2_T, M * E**2 * (K - 1) ** 2 * sigma_T2), "apart", OF_TASKS),
    "change2": _ofOTHERS(le(one.change2, (K - 1) ** 2 * L**2 * one.away2), "turn", OF_TURNS),
    "noise_mean": Sums(
        le(one.noise_mean, sigma_L2), _loud, _SINGLE, bounded=(Bounded(("noise",), OF_NOISE, "n"),)
    ),
    "noise_B": Sums(le(one.noise_mean, B**2), _loud, _SINGLE, bounded=(Bounded(_PARTS, OF_SENT, "n"),)),
    "gK2": Sums(
        le(one.gK2, B**2),
        {one.gK2: square(["*", ["/", "1", "n"], ["total", "grad"]])},
        _SINGLE,
        bounded=(Bounded(_PARTS, OF_SENT, "n"),),
    ),
    "pairs_B": Sums(
        _pairs.relation,
        _pairs.means,
        _pairs.symbols,
        bounded=(Bounded((["+", "change", ["*", "E", "first"]],), _WORK, "M"),),
    ),
    "spread2": _ofOTHERS(le(one.spread2, (K - 1) ** 2 * sigma_T2), "apart", OF_TASKS),
}
