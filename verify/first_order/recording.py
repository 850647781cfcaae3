"""Record a run of a method of `algorithms`: the gradients that it evaluates, and the models that it reaches.

The method runs on SymPy symbols for the entries of vectors: the start x0, an answer of a client's oracle, or a noise vector. If
the method is linear in these vectors, every model is a linear combination of them, with coefficients that are rational
functions of the hyperparameters. The combination must be the same in one and in two dimensions, and for both coordinates.

A proximal point y = x - g/strength, where g is the gradient at y, is recorded as the question for the gradient g at the point y:
the point contains the name of its own answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from algorithms.algorithm import Algorithm, State
from algorithms.draws import Draws, enumerate_draws
from algorithms.simulate import local_path, state_before_local_work, states
from nqm.fields import IntArray

RUNS = 100
"""Largest number of outcomes of sampling in an expectation."""
START = "x0"
PLACES = {"": -1, "_0": 0, "_before": -2}
"""Suffix of the name of a quantity -> index of its state in a run."""

Linear = Mapping[str, sp.Expr]
"""A vector as coefficients: of the start ``x0``, of answers ``g0.1`` (client 0, its gradient 1) and of noise ``e...``."""

Quadratic = Mapping[tuple[str, str], sp.Expr]
"""A sum of inner products as coefficients of pairs of vectors."""


class NotAffine(ValueError):
    """Raised for a method whose steps are not affine in the answers of its oracles."""


@dataclass(frozen=True)
class Recording:
    """A recorded run.

    Attributes
    ----------
    questions : tuple of (int, str, Linear)
        The evaluated gradients in order: client, name of the gradient, and point.
    models : tuple of tuple of Linear
        The server's models after 0, 1, ... rounds, for each outcome of sampling.
    displacements : tuple of tuple of Linear
        For each outcome: the local model of each sampled client minus the server's model, at the start of each local step
        of the last round.
    chances : tuple of Rational
        Probabilities of the outcomes.
    entries : mapping of str to tuple of tuple of Quadratic
        Quantities of the method's state by name: after 0, 1, ... rounds, for each outcome of sampling.
    """

    questions: tuple[tuple[int, str, Linear], ...]
    models: tuple[tuple[Linear, ...], ...]
    displacements: tuple[tuple[Linear, ...], ...]
    chances: tuple[sp.Rational, ...]
    entries: Mapping[str, tuple[tuple[Quadratic, ...], ...]] = field(default_factory=dict)

    def repeats(self, first: Recording) -> bool:
        """Whether each round is the recorded first one from the model before, so that the model is the whole state.

        False for runs with several outcomes, and if a gradient of an earlier round is used again.
        """
        if len(self.chances) > 1 or len(self.questions) != (len(self.models) - 1) * len(first.questions):
            return False
        for k, ((before,), (after,)) in enumerate(pairwise(self.models)):
            asked = self.questions[k * len(first.questions) : (k + 1) * len(first.questions)]
            named: dict[str, Linear] = {START: before}
            for (client, name, point), (own_client, own, own_point) in zip(
                first.questions, asked, strict=True
            ):
                named[name] = {own: sp.S.One}
                if client != own_client or not _same(point, named, own_point):
                    return False
            if not _same(first.models[1][0], named, after):
                return False
        return True


def _same(one: Linear, named: Mapping[str, Linear], other: Linear) -> bool:
    """Whether a linear combination of vectors, with others in their place, is a linear combination."""
    if not one.keys() <= named.keys():
        return False
    left = dict[str, sp.Expr]()
    for name, c in one.items():
        for part, x in named[name].items():
            left[part] = left.get(part, sp.S.Zero) + c * x
    return all(sp.simplify(left.get(n, 0) - other.get(n, 0)) == 0 for n in left.keys() | other.keys())


@dataclass
class _World:
    """The oracles of all clients in some dimension, which record every evaluated gradient."""

    n_clients: int
    dim: int
    entries: dict[sp.Symbol, tuple[str, int]] = field(default_factory=dict)
    questions: list[tuple[int, str, Linear]] = field(default_factory=list)

    def at(self, task: int, clients: IntArray | None = None) -> _Oracle:
        """The oracles of some clients (default: all); the interface of the worlds of `nqm`."""
        return _Oracle(self, np.arange(self.n_clients) if clients is None else clients)

    def vector(self, name: str) -> np.ndarray:
        """The symbols of the entries of the vector with this name."""
        vector = [sp.Symbol(_entry(name, j)) for j in range(self.dim)]
        self.entries.update({entry: (name, j) for j, entry in enumerate(vector)})
        return np.array(vector, dtype=object)

    def linear(self, values: Sequence[Any] | np.ndarray) -> Linear:
        """Coefficients of a linear combination of vectors, given by its entries.

        Raises
        ------
        NotAffine
            If the values are no linear combination of vectors.
        """
        found = list[Linear]()
        for j, value in enumerate(values):
            terms = self._terms(value, "each step of the method must be affine in gradients")
            if any(len(factors) != 1 for factors, _ in terms):
                raise NotAffine(
                    f"each step of the method must be affine in gradients, got {value}; use a method without products or maxima of them"
                )
            found.append({name: c for ((name, at),), c in terms if at == j})
            if len(found[-1]) < len(terms) or found[-1] != found[0]:
                raise _coordinates(value)
        return found[0]

    def quadratic(self, value: Any) -> Quadratic:
        """Coefficients of a sum of inner products of vectors.

        Raises
        ------
        NotAffine
            If the value is no sum of inner products.
        """
        what = "each of `entries` must be a sum of inner products of vectors of the state and gradients"
        found: list[Quadratic] = [{} for _ in range(self.dim)]
        for factors, c in self._terms(value, what):
            if len(factors) != 2:
                raise NotAffine(f"{what}, got {value}; use sq and dot")
            (one, at), (other, beside) = factors
            if at != beside:
                raise _coordinates(value)
            found[at][one, other] = c  # type: ignore[index]
        if any(each != found[0] for each in found):
            raise _coordinates(value)
        return found[0]

    def _terms(self, value: Any, what: str) -> list[tuple[tuple[tuple[str, int], ...], sp.Expr]]:
        """The terms of a polynomial in entries of vectors: the factors, as names with coordinates, and the coefficient."""
        value = sp.sympify(value)
        # A polynomial in few letters is made faster than one in all entries that were recorded so far.
        free = value.free_symbols
        entries = [entry for entry in self.entries if entry in free] or list(self.entries)[:1]
        places = [self.entries[entry] for entry in entries]
        try:
            found = sp.Poly(value, *entries).terms()
        except sp.PolynomialError as error:
            raise NotAffine(
                f"{what}, got {value}; use a method without quotients or maxima of them"
            ) from error
        return [
            (tuple(place for place, power in zip(places, powers, strict=True) for _ in range(power)), c)
            for powers, c in found
            if c != 0
        ]

    def answer(self, client: int, point: np.ndarray) -> np.ndarray:
        """The gradient of a client at a point; the same vector for the same point."""
        where = self.linear(point)
        own = {name: x for who, name, x in self.questions if who == client}
        name = next((name for name, x in own.items() if x == where), f"g{client}.{len(own)}")
        if name not in own:
            self.questions.append((client, name, where))
        return self.vector(name)

    def proximal(self, client: int, point: np.ndarray, strength: Any) -> np.ndarray:
        """The proximal point of a client from a point, and its gradient there as a question."""
        own = {name: x for who, name, x in self.questions if who == client}
        for name, x in own.items():
            solved: np.ndarray = point - self.vector(name) / strength
            if self.linear(solved) == x:
                return solved
        name = f"g{client}.{len(own)}"
        solved = point - self.vector(name) / strength
        self.questions.append((client, name, self.linear(solved)))
        return solved


def _entry(name: str, j: int) -> str:
    """The name of an entry of a vector."""
    return f"{name}[{j}]"


def _coordinates(value: Any) -> NotAffine:
    return NotAffine(
        f"the method must treat all coordinates alike and must not mix them, got {value}; use a method without sizes of entries"
    )


@dataclass(frozen=True)
class _Oracle:
    """The oracles of the clients of one round."""

    world: _World
    clients: IntArray

    def grad(self, x: np.ndarray) -> np.ndarray:
        return self._of_each(x, self.world.answer)

    def stochastic_grad(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return self.grad(x) + u

    def prox(self, x: np.ndarray, strength: Any) -> np.ndarray:
        """The minimisers of each client's loss plus strength/2 times the squared distance to x."""
        return self._of_each(x, lambda client, point: self.world.proximal(client, point, strength))

    def _of_each(self, x: np.ndarray, answer: Callable[[int, np.ndarray], np.ndarray]) -> np.ndarray:
        found = np.empty(x.shape, dtype=object)
        who = np.broadcast_to(self.clients, x.shape[:-1])
        for place in np.ndindex(x.shape[:-1]):
            found[place] = answer(int(who[place]), x[place])
        return found


def recorded(
    method: Callable[[], Algorithm],
    clients: int,
    sampled: int,
    local_steps: int,
    rounds: int,
    *,
    noisy: bool,
    entries: Mapping[str, Callable[[State, Any], Any]] = MappingProxyType({}),
) -> Recording:
    """Record a run from any start.

    Parameters
    ----------
    method : callable
        Returns the algorithm, with symbols as hyperparameters.
    clients, sampled, local_steps, rounds : int
        Sizes M, N, E and t.
    noisy : bool
        Whether every gradient has a noise vector.
    entries : mapping
        Functions of the state and of the oracles of all clients, by the names of their quantities.

    Raises
    ------
    NotAffine
        If the method is not affine in the gradients, or uses anything other than gradients.
    ValueError
        If there are more than 100 outcomes of sampling.
    """
    in_one, in_two = (
        _in_dimension(dim, method, clients, sampled, local_steps, rounds, entries, noisy=noisy)
        for dim in (1, 2)
    )
    if in_one != in_two:
        raise _coordinates("coefficients that depend on the dimension")
    return in_one


def _in_dimension(
    dim: int,
    method: Callable[[], Algorithm],
    clients: int,
    sampled: int,
    local_steps: int,
    rounds: int,
    entries: Mapping[str, Callable[[State, Any], Any]],
    *,
    noisy: bool,
) -> Recording:
    """The recording in some dimension. In one dimension the entry of largest size, for instance, is the whole vector."""
    world = _World(clients, dim)
    draws = enumerate_draws(clients, sampled, local_steps, dim, rounds=rounds, limit=RUNS)
    draws = replace(draws, cast=lambda _, values: values)
    if noisy:
        draws = replace(draws, noise=lambda task, played: _noise(world, draws, played))
    start = np.tile(world.vector(START), (draws.n_runs, 1))
    try:
        made = method()
        path = [state for _, _, state in states(world, made, draws, start, rounds)]
        displacements = _displacements(world, made, draws, path[-2], rounds - 1)
        found = {
            name: tuple(tuple(map(world.quadratic, entry(state, world.at(0)))) for state in path)
            for name, entry in entries.items()
        }
    except (AttributeError, IndexError, TypeError) as error:
        raise NotAffine(
            f"a method must use gradients only and be affine in them; its run failed with: {error}"
        ) from error
    models = tuple(tuple(map(world.linear, state["theta"])) for state in path)
    chances = [sp.Rational(str(c)) for c in draws.weights] if draws.weights is not None else [sp.S.One]
    return Recording(tuple(world.questions), models, displacements, tuple(chances), found)


def _displacements(
    world: _World, method: Algorithm, draws: Draws, before: State, played: int
) -> tuple[tuple[Linear, ...], ...]:
    """Local model minus server model at the start of each local step of a round, for each outcome and sampled client."""
    state = state_before_local_work(world, method, before, 0)
    local = local_path(world, method, state, 0, draws.participants(0, played), draws.noise(0, played))
    reached = [step["x"] - before["theta"][..., None, :] for step in local][:-1]
    still = np.zeros((draws.n_runs, draws.n_sampled, world.dim), dtype=int)
    return tuple(
        tuple(world.linear(x) for each in (still, *reached) for x in each[run]) for run in range(draws.n_runs)
    )


def _noise(world: _World, draws: Draws, played: int) -> np.ndarray:
    """Noise of a round, shape (runs, N, E, d): one vector for each client, step and history of sampling.

    The history is part of the name, because noise in different outcomes of sampling is independent.
    """
    found = np.empty((draws.n_runs, draws.n_sampled, draws.local_steps, world.dim), dtype=object)
    taking_part = [draws.participants(0, r) for r in range(played + 1)]
    for run, slot, step in np.ndindex(found.shape[:-1]):
        history = ".".join("-".join(map(str, clients[run])) for clients in taking_part)
        found[run, slot, step] = world.vector(f"e{history}.{taking_part[-1][run, slot]}.{step}")
    return found


# ------------------------------------------------------------------------------------------- any number of clients


def in_means(recordings: Iterable[tuple[int, Recording]]) -> Recording:
    """Convert recordings with all clients to one recording of a representative client, for any number of clients.

    In a recording for M clients, the k-th point of each client must have the form ``sum_j own_j g_j + other_j (sum of the
    others' g_j)``. It is rewritten as ``mean_j (mean of g_j) + deviation_j (g_j - mean of g_j)``; these two vectors are named
    ``g.j`` and ``g.j_dev``. The coefficients must be the same for every M.

    Parameters
    ----------
    recordings : iterable of (int, Recording)
        Numbers of clients, and the recordings with them.

    Raises
    ------
    NotAffine
        If the method treats clients differently, or depends on their number in another way.
    """
    found = [_in_means(recording, n) for n, recording in recordings]
    if any(each != found[0] for each in found):
        raise NotAffine(
            "a claim for any number of clients needs a method that depends on the clients' means only; give numbers of clients"
        )
    return found[0]


def _in_means(recording: Recording, n: int) -> Recording:
    """The recording of a representative client from one with n clients."""
    own = [(name, point) for client, name, point in recording.questions if client == 0]
    questions = [(0, f"g{name.removeprefix('g0')}", _one_client(point, 0, n)) for name, point in own]
    for client, name, point in recording.questions:
        number = int(name.split(".")[1])
        if number >= len(own) or _one_client(point, client, n) != questions[number][2]:
            raise NotAffine(
                "a claim for any number of clients needs a method that treats all clients alike; give numbers of clients"
            )
    models = tuple((_one_client(run[0], None, n),) for run in recording.models)
    slots = [_one_client(x, k % n, n) for k, x in enumerate(recording.displacements[0])]
    if any(slot != slots[k - k % n] for k, slot in enumerate(slots)):
        raise NotAffine(
            "a claim for any number of clients needs a method that treats all clients alike; give numbers of clients"
        )
    return Recording(tuple(questions), models, (tuple(slots[::n]),), (sp.S.One,))


def _one_client(point: Linear, client: int | None, n: int) -> Linear:
    """A point of a client (None: of the server) in terms of means over n clients and deviations of the client."""
    found: dict[str, sp.Expr] = {START: point[START]} if START in point else {}
    for number in dict.fromkeys(name.split(".")[1] for name in point if name != START):
        each = [point.get(f"g{k}.{number}", sp.S.Zero) for k in range(n)]
        own = each[client] if client is not None else each[0]
        others = [c for k, c in enumerate(each) if k != client]
        if any(sp.cancel(c - others[0]) != 0 for c in others):
            raise NotAffine(
                "a claim for any number of clients needs a method that treats all clients alike; give numbers of clients"
            )
        parts = {"": sum(each), "_dev": own - (others[0] if others else own)}
        found |= {f"g.{number}{end}": c for end, part in parts.items() if (c := sp.cancel(part)) != 0}
    return found
