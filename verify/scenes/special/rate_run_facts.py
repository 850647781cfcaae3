"""SPECIAL, whole tasks: facts about arbitrary gradients of all tasks along a run."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special import one_round as one
from bounds.special.drift import PULLED
from bounds.special.rate import away_max, away_max2, grad1, grad1_0, min_grad2_0, reach, strayed, weighed_T
from bounds.special.rate_needed import each_grad2
from bounds.special.symbols import G0, B, E, K, L, T, gamma_G, gamma_L, lam, min_grad2, t
from verify.engine.model.scene import Condition, Fact, Follows, Rounds
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows
from verify.scenes.special.drift_facts import bound_of_every_round, reached_in_time, strayed_in_time
from verify.scenes.special.terms import OF_SENT, OF_TURNS, WAY
from verify.scenes.summands import definition
from verify.scenes.trees import Tree, square

LOWER = ge(grad1, grad1_0 - K * L * one.away1)
UPPER = le(grad1, grad1_0 + K * L * one.away1)
last_grad2, first_grad2, last_each2, far2 = named(
    "last_grad2, first_grad2, last_each2, far2", nonnegative=True
)
"""Mean squares: gradient of all tasks after the last round and at the start, each task's gradient after it, and the movement."""
LONGEST = le(grad1, K * B), le(grad1_0, K * B)
AWAY2 = le(one.away2, (T * gamma_G * gamma_L * E * B) ** 2)
NEAR2 = le(one.away2, one.FROM_START)
NEAR_FINITE2 = le(one.away2, (gamma_G * gamma_L * E * B * PULLED.subs(t, T)) ** 2)
WEIGHED = eq(weighed_T, PULLED.subs(t, T))
SQUARE = eq(one.away2, one.away1**2)
LARGEST2 = le(away_max2, one.FROM_START)
RHO = eq(reach, gamma_L * E * L * B / lam)
LARGEST = (eq(away_max2, away_max**2), eq(strayed, (K - 1) * L * away_max), RHO)
BY_REACH = eq(gamma_L, reach * lam / (E * L * B))
FAR2 = le(far2, one.FROM_START)
REACHED = le(last_grad2, (G0 + (K - 1) * L * sp.sqrt(far2) + B) ** 2)
WITHIN_REACH = (le(sp.sqrt(far2), gamma_G * gamma_L * E * B / lam), le((K - 1) * L * sp.sqrt(far2), reach))
BOUNDED_TOGETHER = le(last_grad2, K**2 * B**2)
EACH = le(last_each2, B**2)
STARTED = le(first_grad2, 2 * G0**2 + 2 * B**2)
LEAST = le(min_grad2, last_grad2)
LEAST_0 = le(min_grad2_0, first_grad2)
LEAST_EACH = le(each_grad2, last_each2)


# ------------------------------------------------------------------------- any number of tasks, clients and paths

# n gradients of all clients, and of all tasks but the current one; `start` and `before` are the gradients of all tasks, and of the
# earlier ones, at the start of the task. A random vector is one of a larger dimension, as in `round_sums`.
_LETTERS_OF = {
    **dict.fromkeys(("n", "K"), "count"),
    **dict.fromkeys(("start", "before", "back"), "vector"),
    **dict.fromkeys(("grad", "noise", "turn"), "family n"),
}
_SENT = (Bounded(("grad", "noise"), OF_SENT, "n"),)
_TURNS = (Bounded(("turn",), OF_TURNS, "n"),)
_per_client: Tree = ["/", "K", "n"]
_turned: Tree = ["*", _per_client, ["total", "turn"]]
_product, _turned2 = sp.Symbol("product", real=True), sp.Symbol("turned2", nonnegative=True)


def _form(relation: Condition, means: Mapping[sp.Expr, Tree], *bounded: Bounded) -> Sums:
    """A fact about sums: a relation between forms in the quantities that occur in it."""
    spoken = {quantity: form for quantity, form in means.items() if relation.has(quantity) or quantity == WAY}
    return Sums(relation, spoken, _LETTERS_OF, bounded=bounded)


def _turning(relation: Condition, one_: sp.Symbol, other: sp.Symbol) -> Follows:
    """A norm of a sum is at most another norm plus K L times the distance: the triangle inequality."""
    means = {
        one_**2: square(["+", "start", _turned]),
        other**2: square("start"),
        _product: ["dot", "start", _turned],
        _turned2: square(_turned),
        one.away1**2: square("back"),
        WAY: square("back"),
    }
    steps = (
        _form(eq(one_**2, other**2 + 2 * _product + _turned2), means),
        _form(le(_product**2, other**2 * _turned2), means),
        _form(le(_turned2, K**2 * L**2 * one.away1**2), means, *_TURNS),
    )
    longest = K * L * one.away1
    through = (le(_product, other * longest), le(one_**2, (other + longest) ** 2))
    return Follows(relation, tuple((step, {}) for step in steps), through=through)


def _long(length: sp.Symbol) -> Follows:
    """The gradient of K tasks has at most the norm K B."""
    means = {length**2: square(["*", _per_client, ["total", "grad"]])}
    return follows(le(length, K * B), _form(le(length**2, K**2 * B**2), means, *_SENT))


_mean: Tree = ["*", ["/", "1", "n"], ["total", "grad"]]
_STARTED = _form(STARTED, {first_grad2: square(["+", _mean, "before"]), G0**2: square("before")}, *_SENT)
_BOUNDED = _form(BOUNDED_TOGETHER, {last_grad2: square(["*", _per_client, ["total", "grad"]])}, *_SENT)
_EACH = _form(EACH, {last_each2: square(_mean)}, *_SENT)


def _within() -> Follows:
    """The gradient of all tasks is the current one's plus those of the n = K - 1 others at the start plus their changes."""
    letters = {**_LETTERS_OF, "M": "count", "grad": "family M", "noise": "family M"}
    current: Tree = ["*", ["/", "1", "M"], ["total", "grad"]]
    vectors = {"current": current, "before": "before", "turned": ["total", "turn"]}
    squares = {name: sp.Symbol(f"{name}2", nonnegative=True) for name in vectors}
    pairs = {pair: sp.Symbol(" by ".join(pair), real=True) for pair in combinations(vectors, 2)}
    means = {
        K: ["+", "n", "1"],
        last_grad2: square(["+", ["+", current, "before"], ["total", "turn"]]),
        far2: square("back"),
        WAY: square("back"),
        **{squares[name]: square(vector) for name, vector in vectors.items()},
        **{symbol: ["dot", vectors[x], vectors[y]] for (x, y), symbol in pairs.items()},
        G0**2: square("before"),
    }

    def step(relation: Condition, *bounded: Bounded) -> tuple[Sums, Mapping[sp.Symbol, sp.Expr]]:
        spoken = {q: form for q, form in means.items() if relation.has(q) or q in (WAY, K)}
        return Sums(relation, spoken, letters, (ge(K, 2),), bounded), {}

    longest = {"current": B, "before": G0, "turned": (K - 1) * L * sp.sqrt(far2)}
    steps = (
        step(eq(last_grad2, sum(squares.values()) + 2 * sum(pairs.values()))),
        *(step(le(symbol**2, squares[x] * squares[y])) for (x, y), symbol in pairs.items()),
        step(le(squares["current"], B**2), Bounded(("grad", "noise"), OF_SENT, "M")),
        step(eq(squares["before"], G0**2)),
        step(le(squares["turned"], (K - 1) ** 2 * L**2 * far2), Bounded(("turn",), OF_TURNS, "n")),
    )
    through = tuple(le(symbol, longest[x] * longest[y]) for (x, y), symbol in pairs.items())
    return Follows(REACHED, steps, (ge(K, 2),), through)


# ------------------------------------------------------------------------------------------------------- letters


def _least(relation: Condition) -> Follows:
    """The minimum of several numbers is at most one of them."""
    least, one_ = relation.args
    return follows(relation, definition(eq(least, sp.Min(one_, sp.Symbol("others", nonnegative=True)))))


def facts() -> tuple[Fact | Sums | Rounds | Follows, ...]:
    """Facts about the run of a task."""
    return (
        _turning(LOWER, grad1_0, grad1),
        _turning(UPPER, grad1, grad1_0),
        _long(grad1),
        _long(grad1_0),
        definition(SQUARE),
        *map(_least, (LEAST, LEAST_0, LEAST_EACH)),
        _BOUNDED,
        _STARTED,
        _EACH,
        _within(),
        *map(definition, (*LARGEST, BY_REACH, WEIGHED)),
        *map(bound_of_every_round, (LARGEST2, NEAR2, FAR2)),
        reached_in_time(NEAR_FINITE2, T),
        strayed_in_time(AWAY2, T),
    )
