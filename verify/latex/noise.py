"""Stochastic gradients of a lemma: random vectors with a mean and with bounds on their squares.

Three forms of conditions are read. ``\\mathbb{E}[g_t] = \\nabla f(x_t)`` gives the conditional mean of g_t, given all
earlier random vectors. ``\\mathbb{E}\\|g_t - \\nabla f(x_t)\\|^2 \\le \\sigma^2`` bounds its variance, and
``\\mathbb{E}\\|g_t\\|^2 \\le G^2`` its second moment. The vector may also be a gradient with data, ``\\nabla f(x_t; \\xi_t)``;
its data are a fresh sample in every step.
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
    """A random vector with its conditional mean.

    `squares` holds pairs (vector, bound): the expected squared norm of the vector is at most the bound.
    """

    random: Any
    mean: Any
    squares: tuple[tuple[Any, Any], ...] = ()

    def at(self, vector: Any) -> Noise | None:
        """The same noise for the vector of another step or another point; None if the vector is a different one."""
        rules = _same(self.random, vector)
        if rules is None:
            return None
        squares = tuple((square.subs(rules), bound.subs(rules)) for square, bound in self.squares)
        return Noise(vector, self.mean.subs(rules), squares)

    @property
    def variance(self) -> Any:
        """The bound on the expected squared distance from the mean; None if no condition gives one."""
        deviation = self.random - self.mean
        return next((bound for v, bound in self.squares if sp.expand(v**2 - deviation**2) == 0), None)


def _same(pattern: Any, vector: Any) -> dict[Any, Any] | None:
    """The substitution that turns a pattern such as g[t] or Grad(f, x, xi) into the given vector; None if there is none."""
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
    """Like `_same` for two gradients of which one writes its data without an index: xi instead of xi_t."""
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
    """The relation with subscripts and conditions removed from its expectations; every expectation is the full one."""
    return each_side(part, lambda side: side.replace(Expect, lambda value, *tags: Expect(value)))


def noises_of(parts: Sequence[Any]) -> tuple[tuple[Noise, ...], list[Any]]:
    """Separate the conditions that define random vectors from the rest.

    Parameters
    ----------
    parts : sequence of Relational
        The claim, then its conditions.

    Returns
    -------
    (tuple of Noise, list of Relational)
        The random vectors, and the claim with the remaining conditions.

    Raises
    ------
    Unjudged
        If a condition bounds the square of a random vector whose mean is not given.
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
                f"the mean of the random vector in {part} is not given; write for instance $\\mathbb{{E}}[g_t] = \\nabla f(x_t)$"
            )
        found[place] = replace(found[place], squares=(*found[place].squares, square))
    return tuple(found), rest


def _mean(part: Any) -> Noise | None:
    """The random vector of a condition ``E[g] = mean`` without bounds on its squares; None for any other condition."""
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
    """The vector v and the bound B of a condition ``E|v|^2 <= B``; None for any other condition."""
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
    """Refuse an expectation of norms without a square, or of a minimum or maximum.

    The engine computes expectations of squared norms, inner products and values of the loss only. Of these, sums and
    multiples are exact, while E|v| and E[min(..)] would need Jensen's inequality.
    """
    body = expectation.args[0]
    squared = body.replace(
        lambda one: isinstance(one, sp.Pow) and isinstance(one.base, Norm) and one.exp == 2,
        lambda _: sp.Dummy(),
    )
    if squared.has(Norm) or body.has(Extreme):
        raise Unjudged(
            f"{expectation} must contain only squared norms, inner products and values of the loss; write \\min outside of \\mathbb{{E}}"
        )


def is_certain(part: Any) -> bool:
    """Whether an expression has a norm, inner product or value of the loss outside of every expectation."""
    return bool(part.replace(Expect, lambda *_: sp.S.Zero).has(Norm, Inner, Loss))
