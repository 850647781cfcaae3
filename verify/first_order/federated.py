"""Worst-case runs of the methods of `algorithms` on clients with arbitrary losses of a class.

A method of `algorithms` is recorded once with symbolic step sizes (`recording`). The recorded linear combinations of
gradients are then replayed with the formal vectors of a `Problem`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, reduce
from operator import add
from typing import Any, Literal

import sympy as sp

from algorithms.algorithm import Algorithm
from verify.engine.model.scene import Box, Scene
from verify.first_order.classes import Class
from verify.first_order.forms import ZERO, Form, Vector, dot, form, mean, number, sq
from verify.first_order.points import NONNEGATIVE, value_at
from verify.first_order.problem import Member, Problem
from verify.first_order.recording import START, Linear, Recording, in_means, recorded
from verify.first_order.scene import Method, worst_case

ANY = "any"
"""Used instead of numbers of clients for a claim about every number of clients."""
COMPARED = (2, 3)
"""For `ANY`, the method is recorded with these numbers of clients, and the recorded means must agree."""
EASY = ("distance2_0", "distance2_before", "distance2", "move2", "drift2")
"""Quantities measured by default: they need no gradients other than those of the method."""


@dataclass(frozen=True)
class Losses:
    """The losses of clients: arbitrary members of a class.

    Attributes
    ----------
    of : callable
        Returns the class for given constants, such as `smooth_strongly_convex` for L and mu.
    clients : sequence of int, or "any"
        Numbers of clients.
    heterogeneity : "optimum" or "gradients"
        Meaning of `zeta2`. "optimum": the mean squared gradient of the clients at the optimum. "gradients": a bound on the
        mean squared distance of the clients' gradients from their mean, at the models of the server and the optimum.
    noisy : bool
        Whether gradients have noise with a variance of at most `sigma2`.
    constants : mapping
        Numbers or ranges for the constants of the class.
    """

    of: Callable[..., Class]
    clients: Sequence[int] | Literal["any"]
    heterogeneity: Literal["optimum", "gradients"]
    noisy: bool
    constants: Mapping[str, Any] = field(default_factory=dict)

    @property
    def convex(self) -> bool:
        """Whether all losses are convex, so that a stationary point of the mean loss is a minimiser."""
        curvature = self.widest.curvature
        return curvature is not None and bool(curvature[0] >= 0)

    @property
    def widest(self) -> Class:
        """The class with the largest L and the smallest mu of the ranges."""
        ends = {n: x.ends if isinstance(x, Box) else (number(x),) * 2 for n, x in self.constants.items()}
        return self.of(**{name: low if name == "mu" else high for name, (low, high) in ends.items()})


def losses(
    of: Callable[..., Class],
    clients: Sequence[int] | Literal["any"] = (1, 2),
    heterogeneity: Literal["optimum", "gradients"] = "optimum",
    *,
    noisy: bool = False,
    **constants: Any,
) -> Losses:
    """Losses of clients that are arbitrary members of a class, for `verify.run`.

    Parameters
    ----------
    of : callable
        `smooth`, `smooth_convex` or `smooth_strongly_convex`.
    clients : sequence of int, or "any"
        Numbers M of clients at which a claim is judged. "any": the claim is about every number of clients, and all clients
        take part in every round.
    heterogeneity : {"optimum", "gradients"}
        Meaning of `zeta2`. "optimum": the mean squared gradient at the optimum. "gradients": a bound on the mean squared
        distance of the clients' gradients from their mean, at the optimum and at the models of the server.
    noisy : bool
        Whether gradients have independent noise with mean 0 and a variance of at most `sigma2` for each client and step.
    **constants
        L (default 1) and mu: numbers, or a `Box` for a parameter.

    Raises
    ------
    ValueError
        If the functions of the class are not smooth, a constant is unknown, or the numbers of clients are wrong.
    """
    known = inspect.signature(of).parameters
    constants = {**({"L": 1} if "L" in known else {}), **constants}
    if constants.keys() - known.keys():
        raise ValueError(
            f"constants of {of.__name__} must be among {', '.join(known)}, got {', '.join(sorted(constants.keys() - known.keys()))}; remove or rename it"
        )
    if clients != ANY and not (clients and all(isinstance(m, int) and m > 0 for m in clients)):
        raise ValueError(
            f'`clients` must be whole numbers > 0 or "any", got {clients!r}; write for instance (1, 2)'
        )
    if heterogeneity not in ("optimum", "gradients"):
        raise ValueError(
            f'`heterogeneity` must be "optimum" or "gradients", got {heterogeneity!r}; choose one of them'
        )
    found = Losses(of, clients, heterogeneity, noisy, constants)
    if not found.widest.smooth:
        raise ValueError(f"`of` must be a class of smooth functions, got {of.__name__}; use smooth_convex")
    if clients == ANY and noisy:
        raise ValueError(
            '`clients` must be numbers if gradients are noisy, got "any"; use for instance (1, 2)'
        )
    return found


@dataclass(frozen=True)
class _Run:
    """A method with its hyperparameters, the losses, and the names of the measured quantities."""

    make: Callable[..., Algorithm]
    losses: Losses
    hyper: Mapping[str, Any]
    ranges: Mapping[str, Box]
    measured: tuple[str, ...]

    def recording(self, M: int | str, N: int, E: int, t: int) -> Recording:
        """The recorded run for M clients, N sampled clients, E local steps and t rounds."""
        if M == ANY:
            return in_means((n, self._recorded(n, n, E, t)) for n in COMPARED)
        return self._recorded(int(M), N, E, t)

    def _recorded(self, M: int, N: int, E: int, t: int) -> Recording:
        known = inspect.signature(self.make).parameters
        given = {name: self._symbol(value) for name, value in self.hyper.items()}
        given |= {"n_clients": M} if "n_clients" in known else {}
        return recorded(lambda: self.make(**given), M, N, E, t, noisy=self.losses.noisy)

    def _symbol(self, value: Any) -> Any:
        """A hyperparameter as a symbol if it has a range, else as an exact number."""
        if isinstance(value, tuple):
            value = value[0]
        if isinstance(value, str):
            return sp.Symbol(value, positive=self.ranges[value].low >= 0 or None)
        return sp.Rational(str(number(value))) if isinstance(value, float | Fraction) else value

    def played(
        self, problem: Problem, recording: Recording, numbers: Mapping[str, Any], n: int | str
    ) -> _Played:
        """Replay the recorded run in a problem, with formal vectors and with numbers or rational functions as parameters."""
        of = self.losses.of(**{name: numbers[name] for name in self.losses.constants})
        members = _members(problem, of, n)
        best = problem.minimiser(*members) if self.losses.convex else None
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
        """The gradients of all clients at a point."""
        return [member.gradient(x) for member in self.members]

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


def traced_run(
    make: Callable[..., Algorithm],
    of: Losses,
    *,
    rounds: Sequence[int],
    sampled: Sequence[int],
    local_steps: Sequence[int],
    measured: Collection[str],
    hyper: Mapping[str, Any],
) -> tuple[Method, dict[str, Any]]:
    """The runs of a method on all losses of a class as a function of formal vectors, with the ranges of its arguments.

    Raises
    ------
    ValueError
        If sizes are inconsistent, a quantity is unknown, or the method is not affine in its gradients.
    """
    ranges = {}
    for value in hyper.values():
        if isinstance(value, str | tuple):
            name, box = (value, NONNEGATIVE) if isinstance(value, str) else value
            ranges[name] = box
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
    run = _Run(make, of, hyper, ranges, tuple(measured) or (EASY if of.convex else EASY[3:]))
    recording = cache(run.recording)

    def method(problem: Problem, **numbers: Any) -> dict[str, Form]:
        M = numbers.get("M", ANY)
        N = numbers.get("N", M)
        played = run.played(problem, recording(M, N, numbers["E"], numbers["t"]), numbers, M)
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
