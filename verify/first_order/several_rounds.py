"""Several rounds of a method that is defined by one round, to refute claims that hold after one round.

The first round is played from arbitrary points. A later round gets, for each point x that the first one returned as
``x_before``, the vector that the round before returned as ``x``; and the same oracles, minimisers and constants.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from verify.first_order.forms import Form, Vector
from verify.first_order.one_round import BEFORE, ROUND, Stateful, forms_in, takes_round
from verify.first_order.problem import Member, Problem
from verify.first_order.scene import Method


class NotDetermined(ValueError):
    """Raised for a round whose points are not all given by the round before."""


class _Oracle:
    """An oracle of a round; its minimiser or fixed point is the one of the first round."""

    def __init__(self, member: Member, of: _Round) -> None:
        self.member, self._of = member, of

    def __getattr__(self, name: str) -> Any:
        return getattr(self.member, name)

    def __call__(self, x: Vector) -> Form:
        return self.member(x)

    def minimiser(self) -> Vector:
        """A minimiser of this function alone."""
        return self._of.found("minimiser", self.member.minimiser)

    def fixed_point(self) -> Vector:
        """A fixed point of this operator."""
        return self._of.found("minimiser", self.member.fixed_point)


class _Round:
    """The problem as one round sees it. What the first round introduces, the later ones get again.

    Attributes
    ----------
    known : mapping
        What was introduced, by its kind: points, oracles, minimisers and numbers, in the order of the calls. Later rounds have
        the moved points in place of the points.
    """

    def __init__(self, problem: Problem, known: Mapping[str, list[Any]] | None = None) -> None:
        self._problem = problem
        self._given = None if known is None else {kind: iter(values) for kind, values in known.items()}
        self.known: dict[str, list[Any]] = {"point": [], "oracle": [], "minimiser": [], "number": []}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._problem, name)

    def found(self, kind: str, introduce: Any, *arguments: Any) -> Any:
        """What the first round introduces, or what a later round gets in the same call."""
        if self._given is None:
            value = introduce(*arguments)
        else:
            value = next(self._given[kind], None)
            if value is None:
                raise NotDetermined(f"a later round introduces one {kind} more")
        self.known[kind].append(value)
        return value

    def point(self, name: str = "x") -> Vector:
        """An arbitrary vector of the state."""
        return self.found("point", self._problem.point, name)

    def client_point(self, name: str = "x") -> Vector:
        """An arbitrary vector of each client."""
        return self.found("point", self._problem.client_point, name)

    def client_deviation(self, name: str) -> Vector:
        """An arbitrary vector of each client with mean 0."""
        return self.found("point", self._problem.client_deviation, name)

    def constant(self, name: str) -> Form:
        """A number that is at least 0 and the same in all rounds."""
        return self.found("number", self._problem.constant, name)

    def number(self, name: str = "s") -> Form:
        """A number that is the same in all rounds."""
        return self.found("number", self._problem.number, name)

    def member(self, of: Any, name: str = "") -> _Oracle:
        """The oracle of a function or operator that is the same in all rounds."""
        return _Oracle(self.found("oracle", self._problem.member, of, name), self)

    function = operator = member

    def clients(self, of: Any, name: str = "") -> _Oracle:
        """The oracle of the losses of the clients, which are the same in all rounds."""
        return _Oracle(self.found("oracle", self._problem.clients, of, name), self)

    def minimiser(self, *oracles: _Oracle) -> Vector:
        """A minimiser of the sum of functions."""
        return self.found("minimiser", self._problem.minimiser, *(one.member for one in oracles))


def several_rounds(one_round: Stateful) -> Method:
    """The first `t` rounds as a method. The quantities before them are those at the start, with the suffix "_0"."""

    def method(problem: Problem, t: int, **numbers: Any) -> dict[str, Form]:
        known, found = None, list[Mapping[str, Any]]()
        for k in range(t):
            current: Any = _Round(problem, known)
            given = {ROUND: Fraction(k)} if takes_round(one_round) else {}
            found.append(one_round(current, **numbers, **given))
            if k == 0:
                first = current.known
            if k + 1 < t:
                known = {**first, "point": _moved(first["point"], found)}
        start = {n: value for n, value in forms_in(found[0]).items() if n.endswith(BEFORE)}
        return {**forms_in(found[-1]), **{f"{n.removesuffix(BEFORE)}_0": value for n, value in start.items()}}

    own = inspect.signature(one_round)
    kept = [p for name, p in own.parameters.items() if name != ROUND]
    size = inspect.Parameter(ROUND, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    method.__signature__ = own.replace(parameters=[kept[0], size, *kept[1:]])  # type: ignore[attr-defined]
    method.__name__ = one_round.__name__
    return method


def _moved(points: list[Vector], found: list[Mapping[str, Any]]) -> list[Vector]:
    """The points of the next round, by the names under which the first round returned its points.

    Raises
    ------
    NotDetermined
        If a point was not returned before and after the round.
    """
    before = {name: value for name, value in found[0].items() if name.endswith(BEFORE)}
    names = []
    for point in points:
        of = [n.removesuffix(BEFORE) for n, v in before.items() if isinstance(v, Vector) and v == point]
        of = [name for name in of if isinstance(found[-1].get(name), Vector)]
        if not of:
            raise NotDetermined("a point of the round is not returned before and after it")
        names.append(of[0])
    for one, other in pairwise(sorted(names)):
        if one == other:
            raise NotDetermined("two points of the round are returned under one name")
    return [found[-1][name] for name in names]
