"""Worst-case runs of the methods of `algorithms` on clients with arbitrary losses of a class.

A method of `algorithms` is recorded once with symbolic step sizes (`recording`). The recorded linear combinations of
gradients are then replayed with the formal vectors of a `Problem`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from operator import add
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from algorithms.algorithm import Algorithm
from verify.engine.model.scene import Box, Scene
from verify.first_order.classes import Class
from verify.first_order.client_losses import ANY, Losses
from verify.first_order.forms import ZERO, Form, Vector, dot, form, mean, number, sq
from verify.first_order.points import NONNEGATIVE, value_at
from verify.first_order.problem import Member, Problem
from verify.first_order.recording import (
    PLACES,
    START,
    Linear,
    NotAffine,
    Quadratic,
    Recording,
    in_means,
    recorded,
)
from verify.first_order.scene import Method, worst_case

COMPARED = (2, 3)
"""For `ANY`, the method is recorded with these numbers of clients, and the recorded means must agree."""
EASY = ("distance2_0", "distance2_before", "distance2", "move2", "drift2")
"""Quantities measured by default: they need no gradients other than those of the method."""


@dataclass(frozen=True)
class _Run:
    """A method with its hyperparameters, the losses, and the names of the measured quantities."""

    make: Callable[..., Algorithm]
    losses: Losses
    hyper: Mapping[str, Any]
    ranges: Mapping[str, Box]
    measured: tuple[str, ...]
    entries: Mapping[str, Callable[..., Any]]

    def recording(self, M: int | str, N: int, E: int, t: int) -> Recording:
        """The recorded run for M clients, N sampled clients, E local steps and t rounds."""
        if M == ANY:
            return in_means((n, self._recorded(n, n, E, t)) for n in COMPARED)
        return self._recorded(int(M), N, E, t)

    def _recorded(self, M: int, N: int, E: int, t: int) -> Recording:
        known = inspect.signature(self.make).parameters
        given = {name: self._symbol(name, value) for name, value in self.hyper.items()}
        given |= {"n_clients": M} if "n_clients" in known else {}
        of_each_run = {n: np.array([x]) if isinstance(x, sp.Basic) else x for n, x in given.items()}

        def record(values: Mapping[str, Any]) -> Recording:
            noisy = self.losses.noisy
            return recorded(lambda: self.make(**values), M, N, E, t, noisy=noisy, entries=self.entries)

        try:
            return record(given)
        except NotAffine as error:  # perhaps it takes hyperparameters as arrays, one number for each run
            with suppress(NotAffine):
                return record(of_each_run)
            raise error

    def _symbol(self, name: str, value: Any) -> Any:
        """A hyperparameter as a symbol if it has a range or a formula, else as an exact number."""
        if isinstance(value, sp.Basic):
            return sp.Symbol(_formula(name), positive=value.is_positive or None, real=True)
        if isinstance(value, tuple):
            value = value[0]
        if isinstance(value, str):
            return sp.Symbol(value, positive=self.ranges[value].low >= 0 or None)
        return sp.Rational(str(number(value))) if isinstance(value, float | Fraction) else value

    def replay(
        self, problem: Problem, recording: Recording, numbers: Mapping[str, Any], n: int | str
    ) -> _Played:
        """Replay the recorded run in a problem, with formal vectors and with numbers or rational functions as parameters."""
        of = self.losses.of(**{name: numbers[name] for name in self.losses.constants})
        formulas = {_formula(k): v for k, v in self.hyper.items() if isinstance(v, sp.Basic)}
        numbers = {**numbers, **{name: value_at(v, numbers) for name, v in formulas.items()}}
        members = _members(problem, of, n)
        best = None
        if self.losses.heterogeneity == "none":
            best = [member.fixed_point() for member in members].pop()
        elif self.losses.convex:
            best = problem.minimiser(*members)
        start = problem.point(START)
        found = _Played(problem, recording, members, best, numbers, {START: start})
        if self.losses.noisy:
            found.variance = problem.constant("variance")
        for client, name, point in recording.questions:
            found.ask(client, name, point)
        if self.losses.heterogeneity == "gradients":
            found.spread = problem.constant("spread")
            places = [found.vector(x) for models in recording.models[:-1] for x in models]
            for place in (*places, *([best] if best is not None else [])):
                problem.assume(found.spread - found.deviation2(place), "heterogeneity of the gradients")
        return found


def _formula(name: str) -> str:
    """The name of the symbol of a hyperparameter that is a formula."""
    return f"formula of {name}"


def _members(problem: Problem, of: Class, n: int | str) -> list[Member]:
    """One function for each client, or one function that stands for every client if their number is `ANY`."""
    if n == ANY:
        return [problem.clients(of)]
    return [problem.function(of, f"f{k}") for k in range(int(n))]


@dataclass
class _Played:
    """A run with formal vectors. Its quantities have the names of `verify.quantities`."""

    problem: Problem
    recording: Recording
    members: list[Member]
    best: Vector | None
    numbers: Mapping[str, Any]
    vectors: dict[str, Vector]
    variance: Form | None = None
    spread: Form | None = None

    def ask(self, client: int, name: str, point: Linear) -> None:
        """Add the gradient of a client at a point. For `ANY` number of clients it is split into mean and deviation.

        A point that contains its own gradient is a proximal point.

        Raises
        ------
        ValueError
            If a proximal point is asked of losses that are not convex, which may have several.
        """
        member, own = self.members[client], (name, f"{name}_dev")
        if name in point:
            if self.best is None:
                raise ValueError(
                    "`of` must be a class of convex functions if the method has proximal steps, whose solutions are unique then; use smooth_convex"
                )
            rest = self.vector({n: c for n, c in point.items() if n not in own})
            member.prox(rest, -_value(point[name], self.numbers))
            g = member.answers[-1].g
        else:
            g = member.gradient(self.vector(point))
        average = self.problem.average(g)
        self.vectors |= {name: average, f"{name}_dev": g - average}

    def vector(self, point: Linear) -> Vector:
        """A recorded linear combination with formal vectors; noise is added to the problem at its first occurrence."""
        total = ZERO
        for name, coefficient in point.items():
            if name not in self.vectors:
                assert self.variance is not None
                self.vectors[name] = self.problem.noise(self.variance)
            total = total + _value(coefficient, self.numbers) * self.vectors[name]
        return total

    @property
    def models(self) -> list[list[Vector]]:
        """The models of the server after each round, one for each outcome of sampling."""
        return [[self.vector(x) for x in models] for models in self.recording.models]

    def expected(self, values: Sequence[Form]) -> Form:
        """Expectation over the outcomes of sampling."""
        chances = (Fraction(int(c.p), int(c.q)) for c in self.recording.chances)
        return reduce(add, (c * form(value) for c, value in zip(chances, values, strict=True)))

    def gradients(self, x: Vector) -> list[Vector]:
        """The gradients of all clients at a point, or the first subgradients that the method asked for there."""
        found = []
        for member in self.members:
            member(x)  # asks for a gradient, unless there is one
            found.append(next(answer.g for answer in member.answers if answer.x == x))
        return found

    def gradient(self, x: Vector) -> Vector:
        """Gradient of the mean loss."""
        return self.problem.average(mean(self.gradients(x)))

    def loss(self, x: Vector) -> Form:
        """The mean loss."""
        return mean(member(x) for member in self.members)  # type: ignore[no-any-return]

    def deviation2(self, x: Vector) -> Form:
        """Mean squared distance of the clients' gradients from their mean."""
        average = self.gradient(x)
        return mean(self.problem.mean_sq(g - average) for g in self.gradients(x))  # type: ignore[no-any-return]

    @property
    def drift2(self) -> Form:
        """Squared distance of the local models from the server's model, averaged over sampled clients and local steps."""
        each = (
            mean(self.problem.mean_sq(self.vector(x)) for x in slots)
            for slots in self.recording.displacements
        )
        return self.expected(list(each))

    def quantity(self, name: str) -> Form:
        """A quantity of the run by its name.

        Raises
        ------
        ValueError
            If the run has no quantity of this name, or it needs an optimum and the losses are not convex.
        """
        if name == "move2":
            pairs = zip(self.models[-1], self.models[-2], strict=True)
            return self.expected([sq(after - before) for after, before in pairs])
        if name == "drift2":
            return self.drift2
        if name == "grad2_min":
            models = self.models[:-1]
            return self.problem.smallest(*(self.expected([sq(self.gradient(x)) for x in k]) for k in models))
        entry = next((n for n in self.recording.entries if name in {f"{n}{end}" for end in PLACES}), None)
        if entry is not None:
            values = self.recording.entries[entry][PLACES[name.removeprefix(entry)]]
            return self.expected(list(map(self._form, values)))
        of, _, when = name.partition("_")
        at = {
            "distance2": lambda x: sq(x - self._optimum(name)),
            "gap": lambda x: self.loss(x) - self.loss(self._optimum(name)),
            "loss": self.loss,
            "grad2": lambda x: sq(self.gradient(x)),
            "inner": lambda x: dot(self.gradient(x), x - self._optimum(name)),
        }.get(of)
        places = {"": [-1], "0": [0], "before": [-2], "mean": range(len(self.models) - 1)}.get(when)
        if at is None or places is None:
            raise ValueError(
                f"`measured` must name quantities of a run, got {name!r}; use for instance distance2, gap, loss or grad2"
            )
        models = self.models
        return mean(self.expected([at(x) for x in models[k]]) for k in places)  # type: ignore[no-any-return]

    def _form(self, value: Quadratic) -> Form:
        """A recorded sum of inner products with formal vectors."""
        parts = (
            _value(c, self.numbers) * dot(self.vector({one: sp.S.One}), self.vector({other: sp.S.One}))
            for (one, other), c in value.items()
        )
        return sum(parts, form(0))

    def _optimum(self, name: str) -> Vector:
        if self.best is None:
            raise ValueError(
                f"`measured` has {name!r}, which needs an optimum, but the losses are not convex; use loss or grad2"
            )
        return self.best

    @property
    def constants(self) -> dict[str, Form]:
        """The constants `zeta2` and `sigma2` that the run has."""
        found = {"sigma2": self.variance} if self.variance is not None else {}
        if self.spread is not None:
            return {**found, "zeta2": self.spread}
        return {**found, "zeta2": self.deviation2(self.best)} if self.best is not None else found


def _value(coefficient: sp.Expr, numbers: Mapping[str, Any]) -> Any:
    if coefficient.is_Rational:
        return Fraction(int(coefficient.p), int(coefficient.q))
    return value_at(coefficient, numbers)


def worst_run(make: Callable[..., Algorithm], of: Losses, **described: Any) -> Scene:
    """Scene of the runs of a method on all losses of a class; `traced_run` and `verify.run` document the parameters."""
    method, ranges = traced_run(make, of, **described)
    return worst_case(method, **ranges)


def ranges_of(hyper: Mapping[str, Any]) -> dict[str, Box]:
    """The ranges of the hyperparameters that are names, or pairs of a name and a range."""
    named = (value for value in hyper.values() if isinstance(value, str | tuple))
    return dict((value, NONNEGATIVE) if isinstance(value, str) else value for value in named)


def rounds_repeat(
    make: Callable[..., Algorithm], of: Losses, hyper: Mapping[str, Any], M: int, E: int, t: int
) -> bool:
    """Whether each of t rounds of all clients is a first round from the model before (`Recording.repeats`)."""
    run = _Run(make, of, hyper, ranges_of(hyper), (), {})
    return run.recording(M, M, E, t).repeats(run.recording(M, M, E, 1))


def traced_run(
    make: Callable[..., Algorithm],
    of: Losses,
    *,
    rounds: Sequence[int],
    sampled: Sequence[int],
    local_steps: Sequence[int],
    measured: Collection[str],
    hyper: Mapping[str, Any],
    entries: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
) -> tuple[Method, dict[str, Any]]:
    """The runs of a method on all losses of a class as a function of formal vectors, with the ranges of its arguments.

    Raises
    ------
    ValueError
        If sizes are inconsistent, a quantity is unknown, or the method is not affine in its gradients.
    """
    ranges = ranges_of(hyper)
    clash = ranges.keys() & of.constants.keys()
    if clash:
        raise ValueError(
            f"hyperparameters must not have the names of constants of the losses, got {sorted(clash)}; rename them"
        )
    if isinstance(of.clients, str) and sampled:
        raise ValueError(
            f'`sampled` must be empty if `clients` is "any", got {tuple(sampled)}; remove it, or give numbers of clients'
        )
    if not isinstance(of.clients, str) and sampled and max(sampled) > min(of.clients):
        raise ValueError(
            f"`sampled` must be at most the smallest number of clients, got {max(sampled)} of {min(of.clients)}; reduce it"
        )
    if of.clients == ANY and entries:
        raise ValueError('`entries` need numbers of clients, got clients="any"; use for instance (1, 2)')
    easy = tuple(measured) or (EASY if of.convex else EASY[3:])
    own = tuple(f"{name}{end}" for name in entries for end in PLACES)
    run = _Run(make, of, hyper, ranges, (*easy, *own), entries)
    recording = cache(run.recording)

    def method(problem: Problem, **numbers: Any) -> dict[str, Form]:
        M = numbers.get("M", ANY)
        N = numbers.get("N", M)
        played = run.replay(problem, recording(M, N, numbers["E"], numbers["t"]), numbers, M)
        return {**{name: played.quantity(name) for name in run.measured}, **played.constants}

    sizes: dict[str, tuple[int, ...]] = {"E": tuple(local_steps), "t": tuple(rounds)}
    if not isinstance(of.clients, str):
        sizes = {"M": tuple(of.clients), **({"N": tuple(sampled)} if sampled else {}), **sizes}
    given = {**sizes, **of.constants, **ranges}
    method.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in ("problem", *given)]
    )
    method.__name__ = getattr(make, "__name__", "a method")
    return method, given
