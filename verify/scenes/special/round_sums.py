"""SPECIAL, Eq. (39) to (60): the quantities of a round as inner products of random vectors, for any number of clients.

A random vector is represented as a vector of a larger space, with one coordinate for each coordinate in each outcome; an expected
inner product is then an inner product. The vectors are, for each client, its gradient at the start of the round (`first`) and the
sum of its changes in the local steps (`change`); the gradient of the earlier tasks at the start of the round (`past`) and at the
start of the task (`before`); the difference to the start of the task (`back`); and a coordinate (`axis`). Noise has conditional
mean zero. A client is sampled with probability N/M, and two clients with probability N (N - 1)/(M (M - 1)).
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import le
from bounds.special import one_round as one
from bounds.special.round_drift import own2
from bounds.special.symbols import E, K, M
from bounds.special.theorems import step as g
from verify.engine.model.scene import Condition
from verify.engine.model.sums import Sums
from verify.scenes.trees import Tree, square

LETTERS = {
    **dict.fromkeys(("K", "M", "N", "E"), "count"),
    **dict.fromkeys(("gamma_G", "gamma_L", "lam"), "positive"),
    **dict.fromkeys(("first", "change"), "family M"),
    **dict.fromkeys(("past", "before", "back", "axis"), "vector"),
}


def _times(*factors: Tree) -> Tree:
    return ["*", ["*", *factors[:-1]], factors[-1]]


def _clients(vectors: Tree) -> Tree:
    return ["each", "M", vectors, vectors]


_rate = ["*", "gamma_G", "gamma_L"]
_per_client = ["/", "1", "M"]
_left = ["/", "1", ["+", "1", "lam"]]
_task = _times(_per_client, ["total", "first"])
_own = ["-", "first", _task]
_all = ["+", _task, "past"]
_turned = ["total", "change"]
_work = ["+", _turned, _times("M", "E", _task)]
_pushed = ["/", ["-", _rate], "M"]
_pulled = _times("lam", "back")
_A = ["+", _times(_pushed, _turned), _pulled]
_move = _times(_left, ["+", _times(_pushed, _work), _pulled])
_part = ["/", "K", ["*", _rate, "E"]]
_spread = ["-", _times("K", _task), _all]
_t = ["+", ["+", _times("K", "change"), _times("K", "E", _own)], _times("E", _all)]
_sum = ["+", _times("K", _turned), _times("M", "E", _all)]
_Lam = _times(["/", ["*", "lam", "K"], _rate], "back")
_everyone = square(["-", _times(_per_client, _sum), _Lam])
_apart = ["-", ["*", "M", _clients(_t)], square(_sum)]
MORE = ["/", ["-", "M", "N"], ["*", "N", ["-", "M", "1"], ["^", "M", "2"]]]
"""The coefficient of the differences of clients' vectors in the error of sampling."""
_sampled = ["+", _everyone, ["*", MORE, _apart]]
_differing = square(_times(_rate, "E", _spread))
MEANS: dict[sp.Symbol, Tree] = {
    one.gK2: square(_task),
    one.gP2: square("past"),
    one.gA2: square(_all),
    one.T4: ["dot", "past", _task],
    one.inner_AK: ["dot", _all, _task],
    one.change2: square(["-", "past", "before"]),
    one.change_G0: ["dot", ["-", "past", "before"], "before"],
    one.away2: square("back"),
    one.along: ["dot", _all, _move],
    one.T5: ["dot", _all, ["+", _move, _times(_rate, "E", _left, _task)]],
    one.A2: square(_A),
    one.inner_A: ["dot", _all, _A],
    one.mean_D2: square(_times(_pushed, _turned)),
    one.inner_D: ["dot", _times(_pushed, _turned), _pulled],
    one.T51: ["*", _part, square(_A)],
    one.T52: ["/", square(["-", _times(_part, _A), _all]), _part],
    **dict.fromkeys((one.T7, one.T8), _everyone),
    **dict.fromkeys((one.T62, one.T62_S), _sampled),
    **dict.fromkeys((one.T63, one.T63_P), _differing),
    one.spread2: square(_spread),
    one.tm2: _clients(_t),
    one.t_Lam: _clients(["-", _t, _Lam]),
    one.t_pairs: ["*", "2", _apart],
    one.anchor2: square(_Lam),
    one.tm2_D: _clients(_times("K", "change")),
    one.tm2_G: _clients(_times("K", "E", _own)),
    one.tm2_T: ["*", "M", square(_times("E", _spread))],
    one.tm2_K: ["*", "M", square(_times("K", "E", _task))],
    own2: _clients(_own),
    **{
        symbol: ["dot", "axis", vector]
        for symbol, vector in {
            **dict.fromkeys((one.move_j, one.move_full_j), _move),
            **dict.fromkeys((one.work_j, one.E_work_j), _work),
            **dict.fromkeys((one.D_j, one.E_D_j), _turned),
            one.away_j: "back",
            one.gK_j: _task,
            one.gA_j: _all,
            one.A_j: _A,
            one.Lam_j: _Lam,
            one.tbar_j: _times(_per_client, _sum),
        }.items()
    },
}
"""Quantity -> its formula."""


def of_any_clients(relation: Condition) -> Sums:
    """A relation between these quantities, for any number of clients, tasks and local steps."""
    means = {symbol: MEANS[symbol] for symbol in MEANS if symbol in relation.free_symbols}
    spoken = set[str]().union(*map(_symbols_in, means.values()))
    return Sums(relation, means, {name: domain for name, domain in LETTERS.items() if name in spoken})


def _symbols_in(tree: Tree) -> set[str]:
    return {tree} if isinstance(tree, str) else set[str]().union(*map(_symbols_in, tree))


CHANGES = (
    Sums(
        le(one.mean_D2, g**2 / M * E * one.D2),
        {
            M: ["/", "n", "E"],
            one.mean_D2: square(["*", ["/", _rate, ["/", "n", "E"]], ["total", "change"]]),
            one.D2: ["each", "n", "change", "change"],
        },
        {"n": "count", "change": "family n", "E": "count"},
    ),
    Sums(
        le(one.tm2_D, E * K**2 * one.D2),
        {one.tm2_D: square(_times("K", ["total", "change"])), one.D2: ["each", "E", "change", "change"]},
        {"K": "count", "E": "count", "change": "family E"},
    ),
)
"""Changes of single clients in single steps (n = clients times steps), or of all clients together in E steps."""
