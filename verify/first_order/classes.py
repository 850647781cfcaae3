"""Classes of functions and operators, given by their interpolation conditions on finitely many answers of an oracle.

An answer is a point x, a (sub)gradient or operator value g at x, and the function value f at x. Every condition is a form
that must be nonnegative. If a class is `interpolable`, the conditions are also sufficient: any answers that meet them come
from a member of the class, so every feasible point of the semidefinite program belongs to a real function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from verify.first_order.forms import NOTHING, Form, Number, Vector, dot, number, sq


class Answer(NamedTuple):
    """Answer of an oracle at the point `x`: the (sub)gradient `g` and the value `f` (None for an operator)."""

    name: str
    x: Vector
    g: Vector
    f: Form | None


Pair = Callable[[Answer, Answer], Form]
Single = Callable[[Answer], Form]


@dataclass(frozen=True)
class Class:
    """A class of functions or operators.

    Attributes
    ----------
    name : str
        Description of the class.
    source : str
        Reference for the conditions: they are necessary, and also sufficient if `interpolable`.
    pairs : tuple of callables
        Conditions on every ordered pair of answers.
    unordered : tuple of callables
        Symmetric conditions, one for every unordered pair.
    single : tuple of callables
        Conditions on every answer.
    valued : bool
        Whether members have values: functions do, operators do not.
    smooth : bool
        Whether the gradient or value is unique at each point.
    interpolable : bool
        Whether the conditions are sufficient. If not, claims can be proved but never refuted.
    curvature : tuple or None
        Least and largest curvature (None: unlimited), if the class consists of all functions with this curvature.
    """

    name: str
    source: str
    pairs: tuple[Pair, ...] = ()
    unordered: tuple[Pair, ...] = ()
    single: tuple[Single, ...] = ()
    valued: bool = True
    smooth: bool = False
    interpolable: bool = True
    curvature: tuple[Number, Number | None] | None = None

    def conditions(self, answers: Sequence[Answer]) -> Iterator[tuple[str, Form]]:
        """Yield all conditions on these answers, each with a name."""
        for i, a in enumerate(answers):
            for alone in self.single:
                yield a.name, alone(a)
            for b in answers[:i]:
                for rule in self.unordered:
                    yield f"{b.name}, {a.name}", rule(b, a)
            for b in answers:
                for rule in self.pairs if a is not b else ():
                    yield f"{a.name}, {b.name}", rule(a, b)

    def symmetric(self, answers: Sequence[Answer]) -> Iterator[tuple[str, Form]]:
        """Yield the conditions on unordered pairs, and each other condition on a pair plus its mirror image, with names."""
        for i, a in enumerate(answers):
            for b in answers[:i]:
                for rule in self.unordered:
                    yield f"{b.name}, {a.name}", rule(b, a)
                for rule in self.pairs:
                    yield f"{b.name} and {a.name}", rule(a, b) + rule(b, a)


TAYLOR = "Taylor, Hendrickx and Glineur (2017), Mathematical Programming 161"


def smooth(L: Number = 1, mu: Number | None = None) -> Class:
    """L-smooth functions, convex or not, with curvature between mu (by default -L) and L.

    Reference: Taylor, Hendrickx and Glineur (2017), SIAM Journal on Optimization 27, Theorem 3.10 and Remark 3.12.
    """
    L = number(L)
    mu = -L if mu is None else number(mu)
    _larger("L", L, "mu", mu)

    def pair(a: Answer, b: Answer) -> Form:
        x, g = a.x - b.x, a.g - b.g
        more = sq(g) / L + mu * sq(x) - (2 * mu / L) * dot(g, x)
        return _above_tangent(a, b) - more / (2 * (1 - mu / L))

    return Class(
        f"functions of curvature between {mu} and {L}",
        f"{TAYLOR}, Theorem 4",
        (pair,),
        smooth=True,
        curvature=(mu, L),
    )


def smooth_convex(L: Number = 1) -> Class:
    """Convex functions with an L-Lipschitz gradient."""
    return smooth(L, 0)


def smooth_strongly_convex(L: Number = 1, mu: Number = 0) -> Class:
    """mu-strongly convex functions with an L-Lipschitz gradient."""
    return smooth(L, mu)


def convex(mu: Number = 0) -> Class:
    """Closed proper convex functions: mu-strongly convex if mu > 0, weakly convex if mu < 0. Subgradients are unbounded."""
    mu = number(mu)

    def pair(a: Answer, b: Answer) -> Form:
        return _above_tangent(a, b) - mu * sq(a.x - b.x) / 2

    return Class("convex functions", f"{TAYLOR}, Theorem 1", (pair,), curvature=(mu, None))


def lipschitz_convex(G: Number = 1) -> Class:
    """Convex functions whose subgradients have norm at most G."""
    G = number(G)
    return Class(
        f"convex functions with subgradients of norm at most {G}",
        "Taylor, Hendrickx and Glineur (2017), SIAM Journal on Optimization 27, Theorem 3.5",
        (_above_tangent,),
        single=(lambda a: G * G - sq(a.g),),
        curvature=(Fraction(0), None),
    )


def indicator(diameter: Number | None = None) -> Class:
    """Indicator functions of closed convex sets, with at most the given diameter; x is a point of the set, g a normal vector."""
    bounded: tuple[Pair, ...] = ()
    if diameter is not None:
        size = number(diameter)
        bounded = (lambda a, b: size * size - sq(a.x - b.x),)
    return Class(
        "indicators of convex sets",
        "Taylor, Hendrickx and Glineur (2017), SIAM Journal on Optimization 27, Theorem 3.6",
        (lambda a, b: -dot(b.g, a.x - b.x),),
        unordered=bounded,
        valued=False,
    )


RYU = "Ryu, Taylor, Bergeling and Giselsson (2020), SIAM Journal on Optimization 30"


def monotone(mu: Number = 0) -> Class:
    """Maximally monotone operators, mu-strongly monotone if mu > 0 (Fact 1 of the reference `RYU`)."""
    mu = number(mu)
    return _operators("monotone operators", lambda x, g: dot(g, x) - mu * sq(x), smooth=False)


def cocoercive(beta: Number = 1) -> Class:
    """beta-cocoercive operators (Fact 2 of the reference `RYU`)."""
    beta = number(beta)
    return _operators("cocoercive operators", lambda x, g: dot(g, x) - beta * sq(g))


def lipschitz(L: Number = 1) -> Class:
    """L-Lipschitz operators, nonexpansive if L = 1, by Kirszbraun's theorem (Fact 3 of the reference `RYU`)."""
    L = number(L)
    return _operators("Lipschitz operators", lambda x, g: L * L * sq(x) - sq(g))


def nonexpansive() -> Class:
    """Nonexpansive operators: they never increase the distance of two points."""
    return lipschitz(1)


def monotone_lipschitz(L: Number = 1, mu: Number = 0) -> Class:
    """mu-strongly monotone and L-Lipschitz operators. The conditions are only necessary: claims can be proved, never refuted."""
    L, mu = number(L), number(mu)
    return Class(
        "strongly monotone Lipschitz operators",
        RYU,
        unordered=(
            lambda a, b: dot(a.g - b.g, a.x - b.x) - mu * sq(a.x - b.x),
            lambda a, b: L * L * sq(a.x - b.x) - sq(a.g - b.g),
        ),
        valued=False,
        smooth=True,
        interpolable=False,
    )


def _operators(name: str, rule: Callable[[Vector, Vector], Form], *, smooth: bool = True) -> Class:
    """The class of operators with one condition on the differences of points and of values of each pair."""

    def pair(a: Answer, b: Answer) -> Form:
        return rule(a.x - b.x, a.g - b.g)

    return Class(name, RYU, unordered=(pair,), valued=False, smooth=smooth)


def _above_tangent(a: Answer, b: Answer) -> Form:
    """The value at a minus the tangent at b, evaluated at a: f(a) - f(b) - <g(b), a - b>."""
    assert a.f is not None
    assert b.f is not None
    return a.f - b.f - dot(b.g, a.x - b.x)


def _larger(one: str, large: Number, other: str, small: Number) -> None:
    """Refuse constants in the wrong order."""
    try:
        right = bool(large > small)
    except TypeError:  # rational functions of parameters have no order; the claim's conditions give it
        return
    if not right:
        raise ValueError(
            f"`{one}` must exceed `{other}`, got {one} = {large} and {other} = {small}; increase `{one}`"
        )


def quadratic_growth(L: Number = 1) -> Class:
    """Convex functions with f(x) - f* <= L/2 |x - x*|^2 for every x and a minimiser x*.

    The minimiser must be one of the answers: the one with subgradient 0.
    """
    L = number(L)

    def pair(a: Answer, b: Answer) -> Form:
        return _above_tangent(a, b) - (sq(b.g) / (2 * L) if not a.g.parts else 0)

    source = "Goujaud, Taylor and Dieuleveut (2022), arXiv:2205.15033, Theorem 2.6"
    return Class("convex functions of quadratic upper growth", source, (pair,))


def restricted_secant(L: Number = 1, mu: Number = 0) -> Class:
    """Functions with <g, x - x*> >= mu |x - x*|^2 and |g| <= L |x - x*|, where x* is the answer with gradient 0."""
    L, mu = number(L), number(mu)

    def rules(a: Answer, b: Answer) -> Iterator[Form]:
        if not a.g.parts:
            x = b.x - a.x
            yield dot(b.g, x) - mu * sq(x)
            yield L * L * sq(x) - sq(b.g)

    def nth(k: int) -> Pair:
        return lambda a, b: next((f for i, f in enumerate(rules(a, b)) if i == k), NOTHING)

    return Class(
        "functions with a lower restricted secant inequality and an upper error bound",
        "Guille-Escuret, Girotti, Goujaud and Mitliagkas (2021), ICML",
        (nth(0), nth(1)),
        valued=False,
        smooth=True,
    )
