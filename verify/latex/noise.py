"""Stochastic gradients of a lemma: random vectors with a mean and with bounds on their squares.

``\\mathbb{E}[g_t] = \\nabla f(x_t)`` says that g_t has this mean, given all that came before; ``\\mathbb{E}\\|g_t - \\nabla
f(x_t)\\|^2 \\le \\sigma^2`` bounds its variance, ``\\mathbb{E}\\|g_t\\|^2 \\le G^2`` its second moment. The vector may also be a
gradient with data, ``\\nabla f(x_t; \\xi_t)``, whose data are new in every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from verify.latex.heads import Expect, Extreme, Grad, Inner, Loss, Norm
from verify.latex.vectors import Unjudged, each_side


@dataclass(frozen=True)
class Noise:
    """A random vector, its mean, and vectors with bounds on their expected squares."""

    random: Any
    mean: Any
    squares: tuple[tuple[Any, Any], ...] = ()

    def at(self, vector: Any) -> Noise | None:
        """The same of another step or another point; None if the vector is of another kind."""
        rules = _same(self.random, vector)
        if rules is None:
            return None
        squares = tuple((square.subs(rules), bound.subs(rules)) for square, bound in self.squares)
        return Noise(vector, self.mean.subs(rules), squares)

    @property
    def variance(self) -> Any:
        """The bound on the expected squared distance from the mean; None if there is none."""
        deviation = self.random - self.mean
        return next((bound for v, bound in self.squares if sp.expand(v**2 - deviation**2) == 0), None)


def _same(pattern: Any, vector: Any) -> dict[Any, Any] | None:
    """What makes a pattern such as g[t] or Grad(f, x, xi) the given vector; None if nothing does."""
    if pattern == vector:
        return {}
    if isinstance(pattern, sp.Indexed) and isinstance(vector, sp.Indexed) and pattern.base == vector.base:
        letters = [one for one in pattern.free_symbols if one.is_integer and not one.is_positive]
        if len(letters) == len(pattern.indices) == len(vector.indices) == 1:
            return {letters[0]: vector.indices[0] - (pattern.indices[0] - letters[0])}
        return None
    if isinstance(pattern, Grad) and isinstance(vector, Grad) and len(pattern.args) == len(vector.args) == 3:
        rules: dict[Any, Any] = {}
        for one, other in zip(pattern.args, vector.args, strict=True):
            found = {one: other} if one.is_Symbol and one != pattern.args[0] else _same(one, other)
            if found is None:
                return _same_data(pattern, vector)
            rules |= found
        return rules
    return None


def _same_data(pattern: Any, vector: Any) -> dict[Any, Any] | None:
    """As `_same`, where the data of one of both have no index."""
    data = [
        one.base.label if isinstance(one, sp.Indexed) else one for one in (pattern.args[2], vector.args[2])
    ]
    points = (
        _same(pattern.args[1], vector.args[1])
        if not pattern.args[1].is_Symbol
        else {pattern.args[1]: vector.args[1]}
    )
    return points if data[0] == data[1] and pattern.args[0] == vector.args[0] else None


def without_tags(part: Any) -> Any:
    """A part whose expectations do not say over what they are taken, and under which condition."""
    return each_side(part, lambda side: side.replace(Expect, lambda value, *tags: Expect(value)))


def noises_of(parts: Sequence[Any]) -> tuple[tuple[Noise, ...], list[Any]]:
    """Random vectors that conditions of a lemma define, and the parts that are left.

    Raises
    ------
    Unjudged
        If a condition bounds the square of a vector whose mean is not given.
    """
    found: list[Noise] = []
    kept = [parts[0]]
    for part in parts[1:]:
        mean = _mean(part)
        found += [mean] if mean is not None else []
        kept += [part] if mean is None else []
    rest = [kept[0]]
    for part in kept[1:]:
        square = _square(part)
        if square is None:
            rest.append(part)
            continue
        place = next((k for k, one in enumerate(found) if square[0].has(one.random)), None)
        if place is None:
            raise Unjudged(
                f"what is the mean in {part}? Write for instance $\\mathbb{{E}}[g_t] = \\nabla f(x_t)$"
            )
        found[place] = replace(found[place], squares=(*found[place].squares, square))
    return tuple(found), rest


def _mean(part: Any) -> Noise | None:
    if isinstance(part, sp.Eq):
        for side, other in (part.args, part.args[::-1]):
            random = side.args[0] if isinstance(side, Expect) else None
            named = isinstance(random, sp.Symbol | sp.Indexed) or (
                isinstance(random, Grad) and len(random.args) == 3
            )
            if named and not other.has(Expect):
                return Noise(random, other)
    return None


def _square(part: Any) -> tuple[Any, Any] | None:
    """A vector and the bound on its expected square."""
    if not isinstance(part, sp.Le | sp.Ge):
        return None
    small = part.lts.args[0] if isinstance(part.lts, Expect) else None
    if not (
        isinstance(small, sp.Pow)
        and small.exp == 2
        and isinstance(small.base, Norm)
        and len(small.base.args) == 1
    ):
        return None
    return (small.base.args[0], part.gts) if not part.gts.has(Expect) else None


def require_linear(expectation: Any) -> None:
    """An expectation is one of squared norms, inner products and values, not of roots or of the least of several."""
    body = expectation.args[0]
    squared = body.replace(
        lambda one: isinstance(one, sp.Pow) and isinstance(one.base, Norm) and one.exp == 2,
        lambda _: sp.Dummy(),
    )
    if squared.has(Norm) or body.has(Extreme):
        raise Unjudged(
            f"{expectation} is no expectation of squared norms, inner products and values; write \\min outside of \\mathbb{{E}}"
        )


def is_certain(part: Any) -> bool:
    """Whether a quantity stands outside of every expectation."""
    return bool(part.replace(Expect, lambda *_: sp.S.Zero).has(Norm, Inner, Loss))
