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
from bounds.cflag.symbols import L, alpha, fd2
from bounds.relations import eq, ge, gt
from nqm.fields import Array
from verify.engine.model.scene import Box, Condition, Fact, Named, Scene, Shape, Values
from verify.engine.model.sums import Sums

Tree = Any


def of_clients(shape: Shape, values: Named) -> Values:
    """Terms of clients of which the first `r` keep beta and raise alpha, the others keep alpha and take their best beta."""
    cases = {"av": 1, "w": shape["N"]}
    found = [_of_case(case, factor, shape, values) for case, factor in cases.items()]
    return {name: value for parts in found for name, value in parts.items()} | {"fd2": values["fd2"]}


def _of_case(case: str, factor: int, shape: Shape, values: Named) -> Values:
    """Quantities of the case with this factor on p_i, and the slacks of Lemma 6 and of the best rates."""
    p, Lam = values["p_each"], values["Lam_any"]
    alpha, L, fd2 = (values[name] for name in ("alpha", "L", "fd2"))
    agree = 1 - L * alpha
    interfering, transferring = range(shape["r"]), range(shape["r"], shape["N"])
    squares = [
        values["a2_interfering" if i in interfering else "a2_transferring"][:, i] for i in range(shape["N"])
    ]

    def term(i: int, on_memory: Array, on_current: Array) -> Array:
        square = L * on_current**2 / 2 * factor * p[:, i] * squares[i]
        return p[:, i] * (square - on_current * (1 - L * on_memory) * Lam[:, i])

    cost = lambda i: L * factor * p[:, i] * squares[i]  # noqa: E731
    over = lambda part, clients: sum(map(part, clients), 0 * alpha)  # noqa: E731
    common = lambda i: term(i, alpha, alpha)  # noqa: E731
    raised = lambda i: term(i, alpha * (1 - Lam[:, i] / fd2), alpha)  # noqa: E731
    best = lambda i: term(i, alpha, agree * Lam[:, i] / cost(i))  # noqa: E731
    least = lambda i: -p[:, i] * (agree * Lam[:, i]) ** 2 / (2 * cost(i))  # noqa: E731
    gained = lambda i: L * p[:, i] * (alpha * Lam[:, i] / fd2) ** 2 * values["room_fd2"]  # noqa: E731
    short = lambda i: p[:, i] * (cost(i) * alpha - agree * Lam[:, i]) ** 2 / (2 * cost(i))  # noqa: E731
    found = {
        "ad": over(raised, interfering) + over(best, transferring),
        "ad_I": over(raised, interfering),
        "ad_T": over(best, transferring),
        "sum": over(common, range(shape["N"])),
        "sum_I": over(common, interfering),
        "sum_T": over(common, transferring),
        "best_T": over(least, transferring),
        "slack eq197": over(gained, interfering),
        "slack eq198": over(short, transferring),
    }
    return {f"{name}_{case}": value for name, value in found.items()}


_CLIENTS = Scene(
    name="terms of any clients, some of which interfere",
    shapes=tuple({"N": N, "r": r} for N in (1, 2, 3) for r in range(N + 1)),
    space=lambda shape: {
        **{name: Box(0.1, 1, (shape["N"],)) for name in ("p_each", "a2_transferring")},
        **{name: Box(-2, 2, (shape["N"],)) for name in ("Lam_any", "a2_interfering")},
        **{name: Box(0.1, 1) for name in ("alpha", "L", "fd2", "room_fd2")},
    },
    compute=of_clients,
    covers="an identity between terms of up to 3 clients of which any first ones interfere, the same for every further client; "
    "a client with Lambda_i > 0 has a sum that is not zero",
)


def in_two_parts(shape: Shape, values: Named) -> Values:
    """Sums of arbitrary terms over the first `r` clients, over the others and over all."""
    first, last = (
        values["each"][:, part].sum(axis=1) for part in (slice(shape["r"]), slice(shape["r"], None))
    )
    sums = {"ad": values["each"].sum(axis=1), "ad_I": first, "ad_T": last}
    return {f"{name}_{case}": value for case in ("av", "w") for name, value in sums.items()}


_TERMS = Scene(
    name="any terms of clients, some of which interfere",
    shapes=_CLIENTS.shapes,
    space=lambda shape: {"each": Box(-2, 2, (shape["N"],))},
    compute=in_two_parts,
    covers="an identity between terms of up to 3 clients, the same for every further one",
)


def _facts(case: str, suffix: str) -> tuple[Fact, ...]:
    relation = lambda number: statement(f"cflag.eq{number}.{case}").compared  # noqa: E731
    divided = {"room_fd2": ("fd2", gt(fd2, 0))}
    return (
        Fact(relation(196), _TERMS),
        Fact(relation(197), _CLIENTS, f"slack eq197_{suffix}", divided),
        Fact(relation(198), _CLIENTS, f"slack eq198_{suffix}"),
        Fact(relation(199), _CLIENTS),
    )


OF_CLIENTS = (*_facts("average", "av"), *_facts("worst", "w"))
"""Lemma 7, Eq. (196) to (199), in both cases."""


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


_interfering, _transferring = (statement(f"cflag.lem7/{case}") for case in ("interfering", "transferring"))
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
