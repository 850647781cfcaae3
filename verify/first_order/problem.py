"""A run with formal vectors: points, oracles of functions and operators, noise, and what is assumed of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from verify.first_order.classes import Answer, Class
from verify.first_order.forms import ZERO, Form, Number, Vector, basis, dot, form, scalar, sq


@dataclass
class Problem:
    """What a run asks its oracles, and everything that is known of the answers.

    Attributes
    ----------
    vectors, scalars : list of str
        Basis of all vectors, and all numbers that are no inner products.
    nonnegative : list of (str, Form)
        Forms that are at least 0 beside what the classes say, each with a name.
    zero : list of (str, Form)
        Forms that are 0.
    least : dict
        Scalar that is the least of several forms -> these forms.
    noisy : set of str
        Random vectors that are orthogonal, in expectation, to all that was there before.
    searches : list of (Vector, Vector, tuple of Vector)
        Exact line searches: the point that was found, the one before, and the directions.
    steps : tuple of numbers
        Steps along all directions of all line searches, if they are given: the searches of one instance. Without them the
        point that is found is only known to be a minimiser along the directions, which is enough for proofs.
    deviations : set of str
        Basis vectors that say how a client differs from the mean over all clients; see `clients`.
    elsewhere : list of str
        Assumptions that are also made of other points than those of the run. An instance need not meet them there, so
        it is no counterexample.
    """

    vectors: list[str] = field(default_factory=list)
    scalars: list[str] = field(default_factory=list)
    nonnegative: list[tuple[str, Form]] = field(default_factory=list)
    zero: list[tuple[str, Form]] = field(default_factory=list)
    least: dict[str, tuple[Form, ...]] = field(default_factory=dict)
    noisy: set[str] = field(default_factory=set)
    members: list[Member] = field(default_factory=list)
    searches: list[tuple[Vector, Vector, tuple[Vector, ...]]] = field(default_factory=list)
    steps: tuple[Number, ...] = ()
    deviations: set[str] = field(default_factory=set)
    elsewhere: list[str] = field(default_factory=list)

    def point(self, name: str = "x") -> Vector:
        """An arbitrary vector."""
        self.vectors.append(_fresh(name, [*self.scalars, *self.vectors]))
        return basis(self.vectors[-1])

    def client_point(self, name: str = "x") -> Vector:
        """An arbitrary vector of each client: its mean over the clients, and the client's deviation from it."""
        return self.point(name) + self.client_deviation(name)

    def client_deviation(self, name: str) -> Vector:
        """An arbitrary vector of each client whose mean over the clients is zero, such as a control variate."""
        deviation = self.point(f"{name}_dev")
        self.deviations |= set(deviation.parts)
        return deviation

    def clients(self, of: Class, name: str = "") -> Member:
        """The loss of each client, all of one class: the oracle of a client that stands for any number of clients.

        A vector of a client is its mean over the clients plus a deviation. A square averages to the square of the mean
        plus that of the deviation: the deviations of all clients are one vector, orthogonal to all means, in the product
        of the clients' spaces. The class says the same of every client, so its conditions are averaged. Nothing is lost:
        two clients at mean + deviation and mean - deviation, in orthogonal dimensions, attain what the averages allow.
        Source: Colla and Hendrickx (2024), arXiv:2403.11724, show that such a worst case does not depend on the number.
        """
        self.members.append(Clients(self, of, name or "fghpq"[len(self.members) % 5]))
        return self.members[-1]

    def average(self, v: Vector) -> Vector:
        """Mean over the clients of a vector of each client."""
        return Vector({name: part for name, part in v.parts.items() if name not in self.deviations})

    def averaged(self, value: Form) -> Form:
        """Mean over the clients of a number of each client: products of a mean and a deviation cancel."""
        mixed = [key for key in value.terms if len(key) == 2 and len(self.deviations & {*key}) == 1]
        mixed = [key for key in mixed if key[0] != key[1]]
        return Form({key: part for key, part in value.terms.items() if key not in mixed})

    def mean_dot(self, u: Vector, v: Vector) -> Form:
        """Mean over the clients of the inner product of two vectors of each client."""
        return self.averaged(dot(u, v))

    def mean_sq(self, v: Vector) -> Form:
        """Mean over the clients of the squared norm of a vector of each client."""
        return self.mean_dot(v, v)

    def sampled_sq(self, v: Vector, spread: Number) -> Form:
        """Expected squared norm of the mean over sampled clients of a vector of each client.

        Parameters
        ----------
        spread : number
            (N - S)/(S (N - 1)) for S of N clients without replacement, 1/S with replacement, 1 for one client.
        """
        mean = self.average(v)
        return sq(mean) + spread * sq(v - mean)

    def number(self, name: str = "s") -> Form:
        """An arbitrary number."""
        self.scalars.append(_fresh(name, [*self.scalars, *self.vectors]))
        return scalar(self.scalars[-1])

    def constant(self, name: str) -> Form:
        """An arbitrary number that is at least 0, such as a variance."""
        value = self.number(name)
        self.assume(value, name)
        return value

    def member(self, of: Class, name: str = "") -> Member:
        """An arbitrary function or operator of a class: its oracle."""
        self.members.append(Member(self, of, name or "fghpq"[len(self.members) % 5]))
        return self.members[-1]

    function = operator = member

    def minimiser(self, *members: Member) -> Vector:
        """A minimiser of the sum of functions, or a zero of the sum of operators. The first one is the origin."""
        place = ZERO if not any(isinstance(m.optimum, Vector) for m in self.members) else self.point("z")
        last, total = members[-1], ZERO
        for member in members[:-1]:
            total = total + self.average(member.gradient(place))
        last.answer(place, last.spread(-total))
        for member in members:
            member.optimum = place
        return place

    def noise(self, variance: Form | Number, name: str = "e") -> Vector:
        """Noise of mean zero, given all that came before, and of a variance of at most `variance`."""
        before = list(self.vectors)
        error = self.point(name)
        self.noisy |= set(error.parts)
        self.zero += [(f"noise {name} has mean zero", dot(error, basis(other))) for other in before]
        self.assume(form(variance) - sq(error), f"variance of {name}")
        return error

    def assume(self, slack: Form, name: str = "assumed") -> None:
        """An inequality that is given, written as ``small <= large`` or ``large >= small`` of forms."""
        self.nonnegative.append((name, slack))

    def assume_equal(self, one: Form | Number, other: Form | Number, name: str = "assumed") -> None:
        """An equation that is given."""
        self.zero.append((name, form(one) - other))

    def smallest(self, *forms: Form) -> Form:
        """The least of several forms, on the small side of a claim."""
        value = self.number("least")
        self.least[self.scalars[-1]] = forms
        return value

    def parts(self, value: Form) -> tuple[Form, ...]:
        """The forms of which a form is the least; the form alone if it is no least of several."""
        return next((self.least.pop(n) for n in list(self.least) if value == scalar(n)), (value,))

    @property
    def inequalities(self) -> list[tuple[str, Form]]:
        """All that is at least 0 and says anything: conditions of the classes, and what is assumed."""
        said = [
            (f"{member.name}: {name}", self.averaged(slack))
            for member in self.members
            for name, slack in member.of.conditions(member.answers)
        ]
        bounds = [
            (f"{name} is the least", part - scalar(name))
            for name, parts in self.least.items()
            for part in parts
        ]
        return [(name, slack) for name, slack in (*said, *self.nonnegative, *bounds) if slack.terms]

    @property
    def equations(self) -> list[tuple[str, Form]]:
        return [(name, slack) for name, slack in self.zero if slack.terms]

    @property
    def orthogonal(self) -> list[tuple[str, Form]]:
        """Deviations of clients are orthogonal to all other vectors. Proofs do without: no other form speaks of these products."""
        others = [name for name in self.vectors if name not in self.deviations]
        return [
            (f"{one} deviates from a mean", dot(basis(one), basis(other)))
            for one in sorted(self.deviations)
            for other in others
        ]

    @property
    def realisable(self) -> bool:
        """Whether every solution of the conditions is a run: classes interpolate, and no oracle was asked where noise had led."""
        first = next((k for k, name in enumerate(self.vectors) if name in self.noisy), len(self.vectors))
        last = set(self.vectors[first:]) <= self.noisy
        after = any(self.noisy & answer.x.parts.keys() for m in self.members for answer in m.answers)
        searched = sum(len(directions) for *_, directions in self.searches) == len(self.steps)
        bounded = any(slack.terms.get((name,), 0) < 0 for name in self.least for _, slack in self.nonnegative)
        return (
            last
            and not self.elsewhere
            and searched
            and not after
            and not bounded
            and all(member.of.interpolable for member in self.members)
        )


@dataclass
class Member:
    """The oracle of one function or operator."""

    problem: Problem
    of: Class
    name: str
    answers: list[Answer] = field(default_factory=list)
    optimum: Vector | None = None

    def __call__(self, x: Vector) -> Form:
        """Value of a function at a point."""
        return self._at(x).f or form(0)

    def gradient(self, x: Vector) -> Vector:
        """A (sub)gradient, or the value of an operator, at a point; a new one at every call unless the class is smooth."""
        seen = self._seen(x)
        if seen is not None and self.of.smooth:
            return seen.g
        return self.answer(x, self._new(f"d{self.name}_{len(self.answers)}")).g

    subgradient = value = gradient

    def prox(self, x: Vector, step: Number = Fraction(1)) -> Vector:
        """The proximal point (of an operator: the resolvent) y = x - step g, where g is a (sub)gradient at y."""
        g = self._new(f"d{self.name}_{len(self.answers)}")
        return self.answer(x - step * g, g).x

    resolvent = prox

    def project(self, x: Vector) -> Vector:
        """The nearest point of the set of which this is the indicator."""
        return self.prox(x, Fraction(1))

    def linear_minimiser(self, direction: Vector) -> Vector:
        """A point of the set at which the inner product with a direction is least."""
        y = self._new(f"y_{len(self.answers)}")
        return self.answer(y, -direction).x

    def line_search(self, x: Vector, *directions: Vector) -> Vector:
        """The minimiser along directions from a point: the gradient there is orthogonal to them, and to the step."""
        before = sum(len(along) for *_, along in self.problem.searches)
        if self.problem.steps:
            steps = self.problem.steps[before : before + len(directions)]
            y = x - sum((step * d for step, d in zip(steps, directions, strict=True)), ZERO)
        else:
            y = self.problem.point(f"y_{len(self.answers)}")
        self.problem.searches.append((y, x, directions))
        g = self.gradient(y)
        for direction in (*directions, y - x):
            self.problem.assume_equal(dot(g, direction), 0, "exact line search")
        return y

    def fixed_point(self) -> Vector:
        """A point that an operator leaves where it is: the origin."""
        self.optimum = ZERO
        self.answer(ZERO, ZERO)
        return ZERO

    def minimiser(self) -> Vector:
        return self.problem.minimiser(self)

    def spread(self, total: Vector) -> Vector:
        """A (sub)gradient of which the mean over the clients is given."""
        return total

    def _new(self, name: str) -> Vector:
        return self.problem.point(name)

    def answer(self, x: Vector, g: Vector) -> Answer:
        """Record that the oracle says g at x."""
        seen, f = self._seen(x), None
        if self.of.valued:
            f = seen.f if seen is not None else self.problem.number(f"{self.name}_{len(self.answers)}")
        said = Answer(str(len(self.answers)) if x != ZERO else "*", x, g, f)
        self.answers.append(said)
        return said

    def _at(self, x: Vector) -> Answer:
        self.gradient(x) if self._seen(x) is None else None
        found = self._seen(x)
        assert found is not None
        return found

    def _seen(self, x: Vector) -> Answer | None:
        return next((answer for answer in self.answers if answer.x == x), None)


class Clients(Member):
    """The oracle of each client's loss, see `Problem.clients`: it takes and gives vectors of each client; values are means."""

    def spread(self, total: Vector) -> Vector:
        return total + self.problem.client_deviation(f"d{self.name}_{len(self.answers)}")

    def _new(self, name: str) -> Vector:
        return self.problem.client_point(name)


def _fresh(name: str, taken: Sequence[str]) -> str:
    return (
        name
        if name not in taken
        else next(n for k in range(1, len(taken) + 2) if (n := f"{name}{k}") not in taken)
    )
