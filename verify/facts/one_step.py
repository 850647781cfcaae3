"""One step: its expected length, and the expected distance after it, by the definition of these quantities.

The proofs cover any number of equally likely values of the noise, and any number of clients.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Condition
from verify.engine.model.sums import Sums
from verify.quantities import (
    G2,
    M,
    N,
    distance2,
    distance2_before,
    grad2,
    grad2_before,
    inner,
    inner_before,
    move2,
    sigma2,
    zeta2,
)  # fmt: skip

_NOISE: Any = ["-", "e", ["*", ["/", "1", "n"], ["total", "e"]]]
"""The values of the noise: any n vectors minus their mean."""
_DOMAINS = {"n": "count", "e": "family n", "a": "vector", "g": "vector", "r": "vector"}
"""Noise e, the way a from the minimiser, the gradient g there, and what a variance is below its bound, |r|^2."""
_BEFORE = {
    distance2_before: ["dot", "a", "a"],
    inner_before: ["dot", "a", "g"],
    grad2_before: ["dot", "g", "g"],
}


def step_with_noise(relation: Condition, variance: sp.Expr) -> Sums | None:
    """The proof of a relation about one step whose noise has the given variance, a multiple of `sigma2` or 0.

    In an inequality the variance is at most this multiple. None for other variances.
    """
    each = variance.coeff(sigma2)
    if sp.expand(variance - each * sigma2) != 0:
        return None
    direction: Any = ["+", "g", _NOISE] if each != 0 else "g"
    of = _mean if each != 0 else _square
    bound = _mean(_NOISE) if isinstance(relation, sp.Eq) else ["+", _mean(_NOISE), _square("r")]
    letters = {
        **_BEFORE,
        move2: of(["*", "eta", direction]),
        distance2: of(["-", "a", ["*", "eta", direction]]),
        **({sigma2: ["*", tree(1 / each), bound]} if each != 0 else {}),
    }
    return _sums(relation, letters)


def proximal_step(relation: Condition, strength: sp.Expr) -> Sums:
    """The proof of an equation about a step from x to the point y with gradient strength (x - y), at y."""
    move: Any = ["*", ["/", "1", tree(strength)], "g"]
    letters = {
        move2: _square(move),
        distance2_before: _square(["+", "a", move]),
        distance2: _square("a"),
        inner: ["dot", "a", "g"],
        grad2: _square("g"),
    }
    return _sums(relation, letters)


def step_with_bounds(relation: Condition, length: sp.Expr, moved: sp.Symbol = move2) -> Sums:
    """The proof of a bound of a step that is `length` times a mean of n vectors, whose mean square is at most `G2`."""
    mean: Any = ["*", ["*", tree(length), ["/", "1", "n"]], ["total", "e"]]
    return _sums(relation, {moved: _square(mean), G2: ["+", _mean("e"), _square("r")]})


def step_with_sampling(relation: Condition, changes: sp.Symbol) -> Sums:
    """The proof of a bound of a step along the mean gradient of N of M clients, drawn without replacement.

    The gradients are v_i + e_i, where the e_i are those at the optimum, with mean 0 and mean square `zeta2`. The mean of
    |v_i|^2 is at most `changes`. A client is drawn with chance N/M, and a pair with chance N (N - 1)/(M (M - 1)).
    """
    noise = ["-", "e", ["*", ["/", "1", "M"], ["total", "e"]]]
    each, whole = (["each", "M", ["+", "v", noise], ["+", "v", noise]], _square(["total", "v"]))
    pair = ["/", ["*", "N", ["-", "N", "1"]], ["*", "M", ["-", "M", "1"]]]
    drawn = ["+", ["*", ["/", "N", "M"], each], ["*", pair, ["-", whole, each]]]
    mean = lambda v: ["/", ["each", "M", v, v], "M"]  # noqa: E731
    letters = {
        move2: ["*", ["^", "eta", "2"], ["/", drawn, ["^", "N", "2"]]],
        changes: ["+", mean("v"), _square("r")],
        zeta2: mean(noise),
    }
    symbols = {"M": "count", "e": "family M", "v": "family M", "r": "vector"}
    return Sums(relation, letters, symbols, (N <= M,))


def _square(v: Any) -> Any:
    return ["dot", v, v]


def _mean(v: Any) -> Any:
    return ["/", ["each", "n", v, v], "n"]


def _sums(relation: Condition, letters: dict[sp.Symbol, Any]) -> Sums:
    """The relation with the letters that occur in it, and the domains of their vectors."""
    used = {symbol: form for symbol, form in letters.items() if symbol in relation.free_symbols}
    said = repr(list(used.values()))
    return Sums(relation, used, {name: kind for name, kind in _DOMAINS.items() if f"'{name}'" in said})
