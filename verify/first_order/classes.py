"""Classes of functions and operators, by what they say of finitely many answers of an oracle.

An answer is a point x, a (sub)gradient or operator value g there, and the function value f. Every condition is a form
that is nonnegative. Where a class is marked `interpolable` the conditions are sufficient too: any answers that meet
them belong to a member of the class, so a point of the semidefinite program is a counterexample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from verify.first_order.forms import NOTHING, Form, Number, Vector, dot, number, sq


class Answer(NamedTuple):
    """What an oracle said at a point; `f` is None of an operator."""

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
        In words.
    source : str
        Where the conditions are shown to be necessary (and sufficient, if `interpolable`).
    pairs : tuple of callables
        Conditions on every ordered pair of answers.
    unordered : tuple of callables
        Conditions on every pair that do not depend on its order.
    single : tuple of callables
        Conditions on every answer.
    valued : bool
        Whether members have values: functions do, operators do not.
    smooth : bool
        Whether there is one gradient at each point.
    curvature : tuple or None
        Least and largest curvature (None: unlimited), if the class is all functions of such a curvature.
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
        """All conditions on these answers that say anything, each with a name."""
        for i, a in enumerate(answers):
            for alone in self.single:
                yield a.name, alone(a)
            for b in answers[:i]:
                for rule in self.unordered:
                    yield f"{b.name}, {a.name}", rule(b, a)
            for b in answers:
                for rule in self.pairs if a is not b else ():
                    yield f"{a.name}, {b.name}", rule(a, b)


TAYLOR = "Taylor, Hendrickx and Glineur (2017), Mathematical Programming 161"


def smooth(L: Number = 1, mu: Number | None = None) -> Class:
    """L-smooth functions, convex or not: curvature between mu (by default -L) and L. Theorem 3.10 and Remark 3.12 there."""
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
    """Closed proper convex functions, mu-strongly convex if mu > 0 (weakly convex if mu < 0); subgradients are any."""
    mu = number(mu)

    def pair(a: Answer, b: Answer) -> Form:
        return _above_tangent(a, b) - mu * sq(a.x - b.x) / 2

    return Class("convex functions", f"{TAYLOR}, Theorem 1", (pair,), curvature=(mu, None))


def lipschitz_convex(M: Number = 1) -> Class:
    """Convex functions whose subgradients have norm at most M."""
    M = number(M)
    return Class(
        f"convex functions with subgradients of norm at most {M}",
        "Taylor, Hendrickx and Glineur (2017), SIAM Journal on Optimization 27, Theorem 3.5",
        (_above_tangent,),
        single=(lambda a: M * M - sq(a.g),),
        curvature=(Fraction(0), None),
    )


def indicator(diameter: Number | None = None) -> Class:
    """Indicators of closed convex sets, of a diameter if one is given; g is a normal vector, x a point of the set."""
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
    """Maximally monotone operators, mu-strongly monotone if mu > 0. Fact 1 there."""
    mu = number(mu)
    return _operators("monotone operators", lambda x, g: dot(g, x) - mu * sq(x), smooth=False)


def cocoercive(beta: Number = 1) -> Class:
    """beta-cocoercive operators. Fact 2 there."""
    beta = number(beta)
    return _operators("cocoercive operators", lambda x, g: dot(g, x) - beta * sq(g))


def lipschitz(L: Number = 1) -> Class:
    """L-Lipschitz operators (nonexpansive if L = 1): Kirszbraun's theorem. Fact 3 there."""
    L = number(L)
    return _operators("Lipschitz operators", lambda x, g: L * L * sq(x) - sq(g))


def nonexpansive() -> Class:
    """Operators that move no two points apart."""
    return lipschitz(1)


def monotone_lipschitz(L: Number = 1, mu: Number = 0) -> Class:
    """Operators that are mu-strongly monotone and L-Lipschitz: necessary conditions only, so claims are proved, never refuted."""
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
    def pair(a: Answer, b: Answer) -> Form:
        return rule(a.x - b.x, a.g - b.g)

    return Class(name, RYU, unordered=(pair,), valued=False, smooth=smooth)


def _above_tangent(a: Answer, b: Answer) -> Form:
    """By how much the value at one point exceeds the tangent from another."""
    assert a.f is not None
    assert b.f is not None
    return a.f - b.f - dot(b.g, a.x - b.x)


def _larger(one: str, large: Number, other: str, small: Number) -> None:
    try:
        right = bool(large > small)
    except TypeError:  # rational functions of parameters, whose conditions the claim prints
        return
    if not right:
        raise ValueError(f"`{one}` must exceed `{other}`, got {one} = {large} and {other} = {small}")


def quadratic_growth(L: Number = 1) -> Class:
    """Convex functions that exceed their least value by at most L/2 times the squared distance from a minimiser.

    The minimiser is the answer whose subgradient is 0.
    """
    L = number(L)

    def pair(a: Answer, b: Answer) -> Form:
        return _above_tangent(a, b) - (sq(b.g) / (2 * L) if not a.g.parts else 0)

    source = "Goujaud, Taylor and Dieuleveut (2022), arXiv:2205.15033, Theorem 2.6"
    return Class("convex functions of quadratic upper growth", source, (pair,))


def restricted_secant(L: Number = 1, mu: Number = 0) -> Class:
    """Functions with <g, x - x*> >= mu |x - x*|^2 and |g| <= L |x - x*|, where x* is the answer whose gradient is 0."""
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
