"""A run with formal vectors: points, oracles of functions and operators, noise, and assumptions about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from verify.first_order.classes import Answer, Class
from verify.first_order.forms import ZERO, Form, Number, Vector, basis, dot, form, scalar, sq


@dataclass
class Problem:
    """The record of a run: all vectors and numbers, the answers of the oracles, and the assumptions.

    Attributes
    ----------
    vectors, scalars : list of str
        Names of the basis vectors, and of all numbers that are no inner products.
    nonnegative : list of (str, Form)
        Assumed inequalities: forms that are nonnegative, in addition to the conditions of the classes, with names.
    zero : list of (str, Form)
        Assumed equations: forms that are 0, with names.
    least : dict
        Scalar that is the minimum of several forms -> these forms.
    noisy : set of str
        Random vectors with conditional mean 0; in expectation they are orthogonal to all earlier vectors.
    members : list of Member
        The functions and operators of the run.
    searches : list of (Vector, Vector, tuple of Vector)
        Exact line searches: the resulting point, the point before, and the directions.
    steps : tuple of numbers
        Steps along all directions of all line searches, if they are given (for a counterexample). Without them, the
        resulting point is an unknown vector with the optimality conditions of the search, which suffices for proofs.
    deviations : set of str
        Basis vectors for the deviation of a client from the mean over all clients; see `clients`.
    shortened : list of (str, Vector)
        A basis vector v, and the vector s v for an unknown s between 0 and 1; see `products`.
    balls : list of (Member, number)
        Balls to which vectors are clipped, and their radii.
    elsewhere : list of str
        Names of assumptions that are also made at points outside the run. An instance need not meet them there, so it is
        no counterexample.
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
    shortened: list[tuple[str, Vector]] = field(default_factory=list)
    balls: list[tuple[Member, Number]] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def point(self, name: str = "x") -> Vector:
        """An arbitrary vector."""
        self.vectors.append(_fresh(name, [*self.scalars, *self.vectors]))
        return basis(self.vectors[-1])

    def client_point(self, name: str = "x") -> Vector:
        """An arbitrary vector of each client, as its mean over the clients plus the client's deviation."""
        return self.point(name) + self.client_deviation(name)

    def client_deviation(self, name: str) -> Vector:
        """An arbitrary vector of each client with mean 0 over the clients, such as a control variate."""
        deviation = self.point(f"{name}_dev")
        self.deviations |= set(deviation.parts)
        return deviation

    def clients(self, of: Class, name: str = "") -> Member:
        """The losses of any number of clients, all of one class, as one oracle for a representative client.

        A vector of a client is its mean over the clients plus a deviation. The average of a squared norm is the square of
        the mean plus the average square of the deviation. The deviations of all clients together form one vector of the
        product space, which is orthogonal to all means. Every client meets the same conditions of the class, so the
        averages of the conditions are used. They are exact: two clients at mean + deviation and mean - deviation, in
        orthogonal dimensions, attain every value that the averages allow. Colla and Hendrickx (2024), arXiv:2403.11724,
        show that such a worst case does not depend on the number of clients.
        """
        self.members.append(Clients(self, of, name or "fghpq"[len(self.members) % 5]))
        return self.members[-1]

    def average(self, v: Vector) -> Vector:
        """Mean over the clients of a vector of each client."""
        return Vector({name: part for name, part in v.parts.items() if name not in self.deviations})

    def averaged(self, value: Form) -> Form:
        """Mean over the clients of a number of each client. Inner products of a mean and a deviation average to 0."""
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
        """Add an arbitrary function or operator of a class; returns its oracle."""
        self.members.append(Member(self, of, name or "fghpq"[len(self.members) % 5]))
        return self.members[-1]

    function = operator = member

    def minimiser(self, *members: Member) -> Vector:
        """A minimiser of the sum of functions, or a zero of the sum of operators.

        The first minimiser of a problem is the origin, which loses no generality. The gradients at it sum to 0.
        """
        place = ZERO if not any(isinstance(m.optimum, Vector) for m in self.members) else self.point("z")
        last, total = members[-1], ZERO
        for member in members[:-1]:
            total = total + self.average(member.gradient(place))
        last.answer(place, last.spread(-total))
        for member in members:
            member.optimum = place
        return place

    def noise(self, variance: Form | Number, name: str = "e") -> Vector:
        """A random vector with mean 0, given all earlier vectors, and a variance of at most `variance`."""
        before = list(self.vectors)
        error = self.point(name)
        self.noisy |= set(error.parts)
        self.zero += [(f"noise {name} has mean zero", dot(error, basis(other))) for other in before]
        self.assume(form(variance) - sq(error), f"variance of {name}")
        return error

    def assume(self, slack: Form, name: str = "assumed") -> None:
        """Assume an inequality, written as ``small <= large`` or ``large >= small`` with forms (both return the slack)."""
        self.nonnegative.append((name, slack))

    def assume_equal(self, one: Form | Number, other: Form | Number, name: str = "assumed") -> None:
        """Assume an equation between forms."""
        self.zero.append((name, form(one) - other))

    def smallest(self, *forms: Form) -> Form:
        """The minimum of several forms, for the smaller side of a claim. It is a scalar that is at most each form."""
        value = self.number("least")
        self.least[self.scalars[-1]] = forms
        return value

    def parts(self, value: Form) -> tuple[Form, ...]:
        """The forms of a minimum, which is removed from the problem; the form itself if it is no minimum."""
        return next((self.least.pop(n) for n in list(self.least) if value == scalar(n)), (value,))

    @property
    def inequalities(self) -> list[tuple[str, Form]]:
        """All forms that are nonnegative: conditions of the classes, assumptions, and bounds of minima, with names."""
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
        every = (*said, *self.products, *self.nonnegative, *bounds)
        return [(name, slack) for name, slack in every if slack.terms]

    @property
    def products(self) -> list[tuple[str, Form]]:
        """Conditions times s and times 1 - s, for each shortened vector s v, where v is a factor of all their terms.

        A condition on two answers is added to its mirror image first, since the values of the function cancel in the sum.
        """
        found = []
        for name, vector in self.shortened:
            for member in self.members if not self.deviations else ():
                for both, slack in member.of.symmetric(member.answers):
                    if slack.terms and all(len(key) == 2 and name in key for key in slack.terms):
                        less = _replaced(slack, name, vector)
                        found += [(f"{member.name}: {both} shortened", less)]
                        found += [(f"{member.name}: {both} cut off", slack - less)]
        return found

    @property
    def equations(self) -> list[tuple[str, Form]]:
        """All assumed equations that are not trivially true."""
        return [(name, slack) for name, slack in self.zero if slack.terms]

    @property
    def orthogonal(self) -> list[tuple[str, Form]]:
        """Equations: deviations of clients are orthogonal to all other vectors.

        Proofs do not need them, because these products occur in no other form. Counterexamples must meet them.
        """
        others = [name for name in self.vectors if name not in self.deviations]
        return [
            (f"{one} deviates from a mean", dot(basis(one), basis(other)))
            for one in sorted(self.deviations)
            for other in others
        ]

    @property
    def realisable(self) -> bool:
        """Whether every solution of the conditions belongs to a real run, so that it can be a counterexample.

        This needs interpolable classes, noise after all other vectors, no oracle evaluated at a point that depends on noise,
        given steps for every line search, no assumption at points outside the run, and no minimum bounded from below.
        """
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
        """A (sub)gradient, or the value of an operator, at a point.

        Smooth functions return the same vector for the same point. Other classes return a new subgradient at every call.
        """
        seen = self._first_answer(x)
        if seen is not None and self.of.smooth:
            return seen.g
        return self.answer(x, self._new(f"d{self.name}_{len(self.answers)}")).g

    subgradient = value = gradient

    def prox(self, x: Vector, step: Number = Fraction(1)) -> Vector:
        """The proximal point y = x - step g, where g is a (sub)gradient at y; for an operator, the resolvent."""
        g = self._new(f"d{self.name}_{len(self.answers)}")
        return self.answer(x - step * g, g).x

    resolvent = prox

    def project(self, x: Vector) -> Vector:
        """The projection of a point to the set whose indicator this function is."""
        return self.prox(x, Fraction(1))

    def linear_minimiser(self, direction: Vector) -> Vector:
        """A point of the set that minimises the inner product with a direction."""
        y = self._new(f"y_{len(self.answers)}")
        return self.answer(y, -direction).x

    def line_search(self, x: Vector, *directions: Vector) -> Vector:
        """The minimiser along directions from a point.

        The gradient at the minimiser is orthogonal to the directions and to the step.
        """
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
        """A fixed point of an operator, placed at the origin."""
        self.optimum = ZERO
        self.answer(ZERO, ZERO)
        return ZERO

    def minimiser(self) -> Vector:
        """A minimiser of this function alone."""
        return self.problem.minimiser(self)

    def spread(self, total: Vector) -> Vector:
        """A (sub)gradient with the given mean over the clients; for a single function, the mean itself."""
        return total

    def _new(self, name: str) -> Vector:
        return self.problem.point(name)

    def answer(self, x: Vector, g: Vector) -> Answer:
        """Record the answer g of the oracle at the point x, with the value of the function if it has one."""
        seen, f = self._first_answer(x), None
        if self.of.valued:
            f = seen.f if seen is not None else self.problem.number(f"{self.name}_{len(self.answers)}")
        said = Answer(str(len(self.answers)) if x != ZERO else "*", x, g, f)
        self.answers.append(said)
        return said

    def _at(self, x: Vector) -> Answer:
        """The answer at a point; evaluates the oracle if necessary."""
        self.gradient(x) if self._first_answer(x) is None else None
        found = self._first_answer(x)
        assert found is not None
        return found

    def _first_answer(self, x: Vector) -> Answer | None:
        """The first answer at a point; None if there is none."""
        return next((answer for answer in self.answers if answer.x == x), None)


class Clients(Member):
    """The oracle of the losses of all clients; see `Problem.clients`.

    Points and gradients are vectors of each client, and values are means over the clients.
    """

    def spread(self, total: Vector) -> Vector:
        return total + self.problem.client_deviation(f"d{self.name}_{len(self.answers)}")

    def _new(self, name: str) -> Vector:
        return self.problem.client_point(name)


def _replaced(value: Form, name: str, vector: Vector) -> Form:
    """A form in which every term is an inner product with a basis vector, with another vector in its place, once in each term."""
    others = ((key[1] if key[0] == name else key[0], part) for key, part in value.terms.items())
    return sum((part * dot(vector, basis(other)) for other, part in others), form(0))


def _fresh(name: str, taken: Sequence[str]) -> str:
    """The name, with a number appended if it is taken."""
    return (
        name
        if name not in taken
        else next(n for k in range(1, len(taken) + 2) if (n := f"{name}{k}") not in taken)
    )
