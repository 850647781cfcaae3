"""Facts about clients with individual rates (C-FLAG, Table 1 and Lemma 7): sums over any number of clients.

A client's term depends only on its weight, its Lambda_i and its squared sum. These may be arbitrary numbers, except that the sum
of a client with Lambda_i > 0 is nonzero.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag.adaptive_lemmas import best_T_w, round_w, sum_I_w
from bounds.cflag.repairs import against_I_w, along_T_w
from bounds.cflag.symbols import L, alpha
from bounds.relations import eq, ge
from verify.engine.model.scene import Condition
from verify.engine.model.sums import Sums

Tree = Any


# ------------------------------------------------------------------------------- the forgetting term of the round

_agree: Tree = ["-", "1", ["*", "L", "alpha"]]
_everyone: Tree = ["dot", *(["total", "moves"],) * 2]
_apart: Tree = ["*", "L", "N", ["each", "N", "moves", "moves"]]
_half_along: Tree = ["/", ["*", _agree, "along"], "2"]
_fd: Tree = ["-", "along", ["*", "alpha", "against"]]
"""The inner product of the memory gradient and the movement of the model by all clients."""
_raised: Tree = ["*", "alpha", ["+", "1", ["/", "against", "fd2"]]]
"""The mean of the clients' rates on the memory: an interfering client's is alpha (1 - Lambda_i / |fd|^2)."""
_LETTERS = {
    **{"N": "count", "moves": "family N", "along": "nonnegative", "against": "real"},
    **dict.fromkeys(("L", "alpha", "fd2"), "positive"),
}
_MEANS: Mapping[sp.Symbol, Tree] = {
    round_w: ["-", ["/", ["*", "L", _everyone], "2"], ["*", ["-", "1", ["*", "L", _raised]], _fd]],
    sum_I_w: ["+", ["-", ["/", _apart, "2"], _half_along], ["*", "alpha", _agree, "against"]],
    best_T_w: ["-", _half_along],
    along_T_w: "along",
    against_I_w: "against",
}
"""A round at worst-case rates in which each client moves the model by a vector.

For a transferring client this vector is p_i beta_i a_i with beta_i = (1 - L alpha) Lambda_i / (L N p_i |a_i|^2). Hence L N times
its square equals 1 - L alpha times its inner product with the memory gradient. The vectors of other clients are arbitrary.
"""


LEAST_ALONG = eq(best_T_w, -(1 - L * alpha) * along_T_w / 2)
"""The smallest terms of transferring clients are half of their gain along the memory gradient."""
ALONG = ge(along_T_w, 0)


def _round(
    relation: Condition, conditions: tuple[Condition, ...] = (), means: Mapping[sp.Symbol, Tree] = _MEANS
) -> Sums:
    spoken = {symbol: means[symbol] for symbol in means if symbol in relation.free_symbols}
    return Sums(relation, spoken, _LETTERS, conditions)


_interfering, _transferring = (
    statement(f"cflag.lem7.worst/{case}") for case in ("interfering", "transferring")
)
IN_ROUND = (
    _round(_interfering.compared, _interfering.conditions),
    _round(LEAST_ALONG),
    _round(ALONG),
    _round(
        _transferring.compared,
        _transferring.conditions,
        {round_w: ["-", ["/", ["*", "L", _everyone], "2"], _apart], best_T_w: ["/", ["-", _apart], "2"]},
    ),
)
"""Corrected facts for Lemma 7, for any number of clients, some of which interfere or all of which transfer."""
