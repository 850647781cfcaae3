"""One run of a method that a lemma defines: its points, gradients and quantities in the worst-case engine."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from operator import add, mul
from typing import Any

import sympy as sp

from verify.first_order import Class, Problem, convex, dot, smooth, smooth_strongly_convex, sq
from verify.first_order.forms import ZERO
from verify.first_order.forms import form as constant
from verify.latex.heads import Expect, Extreme, Grad, Inner, Loss, Norm
from verify.latex.noise import Noise, require_linear
from verify.latex.vectors import Unjudged

LOWEST = sp.Symbol("least_value", real=True)
"""The least value of the loss."""


@dataclass(frozen=True)
class Told:
    """What a lemma says beside its relations: symbols of vectors and of the minimiser, constants of the loss's classes.

    Attributes
    ----------
    vectors : set of str
        Names of vectors and of families of vectors.
    latex : mapping of str to str
        LaTeX of each name.
    minimiser : str
        LaTeX of the symbol that is said to be a minimiser; empty if none is.
    classes : mapping of str to symbol or None
        "smooth", "strong" and "convex" with their constants.
    noises : tuple of Noise
        Stochastic gradients.
    """

    vectors: frozenset[str]
    latex: Mapping[str, str]
    minimiser: str
    classes: Mapping[str, Any]
    noises: tuple[Noise, ...] = ()


class Run:
    """One run: values of vectors, forms and numbers at given sizes and parameters."""

    def __init__(
        self, problem: Problem, told: Told, definitions: Sequence[Any], numbers: Mapping[Any, Any]
    ) -> None:
        self.problem, self.told, self.definitions, self.numbers = problem, told, definitions, numbers
        self.points: dict[Any, Any] = {}
        self.starts: set[str] = set()
        self.data: dict[Any, Any] = {}
        self.begun: set[Any] = set()
        self.classes = {
            name: None if symbol is None else self.number(symbol) for name, symbol in told.classes.items()
        }
        self.loss = problem.function(_class_of(self.classes))

    @cached_property
    def best(self) -> Any:
        if not {"convex", "strong"} & set(self.classes):
            raise Unjudged(
                "a minimiser is read of convex losses only; write f^* for the least value of another loss"
            )
        return self.loss.minimiser()

    @cached_property
    def least(self) -> Any:
        """The least value: at the minimiser of a convex loss, else a number below all that gradients at one point allow."""
        convex_loss = {"convex", "strong"} & set(self.classes)
        return self.loss(self.best) if convex_loss else self.problem.number("least_value")

    def quantities(self, named: Mapping[Any, sp.Symbol], certain: Collection[Any] = ()) -> dict[str, Any]:
        """Every quantity of the claim by its name; those that stand outside of expectations must not be random.

        The least value of a smooth loss without convexity is at most f(x) - |grad f(x)|^2/(2 L) at every point of the
        run, and any answers that allow such a number belong to a loss with this least value: Abbaszadehpeivasti,
        de Klerk and Zamani (2022), Optimization Letters 16, Theorem 2.1.
        """
        found = {symbol.name: self.form(value) for value, symbol in named.items()}
        if LOWEST in named and not {"convex", "strong"} & set(self.classes):
            for answer in self.loss.answers:
                slack = answer.f - self.least - sq(answer.g) / (2 * self.number(self.told.classes["smooth"]))
                self.problem.assume(slack, f"least value at {answer.name}")
        random = self.random_letters()
        for value in certain:
            if any(random & set(key) for key in found[named[value].name].terms):
                raise Unjudged(f"{value} is random; write its expectation")
        return found

    def require_one_start(self) -> None:
        """A run from its first step needs one point to start from; the other sequences must say where they start."""
        early = [str(at) for at in self.points if isinstance(at, sp.Indexed) and at.indices[0] < 0]
        if early:
            raise Unjudged(f"a run from the first step on needs {early[0]}; say what it is")
        names = sorted(self.starts)
        if len(names) > 1:
            raise Unjudged(
                f"where do {' and '.join(names)} start? Write for instance `Let ${names[1]}_0 = {names[0]}_0$`"
            )

    def number(self, value: Any) -> Any:
        """A rational function of the parameters, at numbers of any kind."""
        if value in self.numbers:
            return self.numbers[value]
        if value.is_Rational:
            return Fraction(int(value.p), int(value.q))
        if isinstance(value, sp.Add | sp.Mul):
            return reduce(add if value.is_Add else mul, map(self.number, value.args))
        if isinstance(value, sp.Pow) and value.exp.is_Integer:
            power = self.number(value.base) ** abs(int(value.exp))
            return power if value.exp > 0 else 1 / power
        raise Unjudged(f"{value} is no rational function of the parameters")

    def vector(self, value: Any) -> Any:
        """The vector of an expression, from the points that it is made of."""
        if value == 0:
            return ZERO
        if isinstance(value, sp.Add):
            return reduce(add, map(self.vector, value.args))
        if isinstance(value, sp.Mul):
            inner = [part for part in value.args if self.holds_vector(part)]
            if len(inner) == 1:
                return self.number(value / inner[0]) * self.vector(inner[0])
        if isinstance(value, sp.Sum):
            return reduce(add, (self.vector(one) for one in self.terms(value)), ZERO)
        if isinstance(value, Grad) and len(value.args) > 2:
            return self.stochastic_gradient(value)
        if isinstance(value, Grad):
            return self.loss.gradient(self.vector(value.args[1]))
        if isinstance(value, sp.Indexed | sp.Symbol):
            return self.point(value)
        raise Unjudged(f"{value} is no combination of points and gradients")

    def holds_vector(self, value: Any) -> bool:
        names = {symbol.name for symbol in value.atoms(sp.Symbol)}
        return bool(value.atoms(Grad)) or bool(names & self.told.vectors)

    def point(self, value: Any) -> Any:
        """The point that a symbol stands for: the minimiser, one that is defined, or any."""
        at = self.place(value)
        if at not in self.points:
            self.require_earlier(at)
            rule = next(filter(None, (_instance(one, at) for one in self.definitions)), None)
            if rule is not None:
                self.points[at] = self.vector(rule)
            elif (noise := self.noise(at)) is not None:
                self.points[at] = self.drawn(noise)
            elif self.told.minimiser and self.told.latex.get(str(at)) == self.told.minimiser:
                self.points[at] = self.best
            elif isinstance(at, sp.Indexed) and at.indices[0] > 0:
                name = at.base.label.name
                raise Unjudged(
                    f"how does {name}_{{t+1}} follow from {name}_t? Write for instance `Let $x_{{t+1}} = x_t - \\eta\\nabla f(x_t)$`"
                )
            else:
                self.starts |= {at.base.label.name} if isinstance(at, sp.Indexed) else set()
                self.points[at] = self.problem.point(re.sub(r"\W+", "_", str(at)).strip("_"))
        return self.points[at]

    def require_earlier(self, at: Any) -> None:
        """What defines a vector must not ask for this vector."""
        if at in self.begun:
            raise Unjudged(f"{at} is defined by itself; say how it follows from earlier vectors")
        self.begun.add(at)

    def noise(self, at: Any) -> Noise | None:
        return next(filter(None, (noise.at(at) for noise in self.told.noises)), None)

    def drawn(self, noise: Noise) -> Any:
        """A random vector: its mean and an error that is orthogonal, in expectation, to all that came before."""
        mean = self.vector(noise.mean)
        variance = noise.variance
        error = self.problem.noise(
            self.problem.constant("spread") if variance is None else self.form(variance)
        )
        for square, bound in noise.squares:
            if bound != variance:
                rest = square.subs(noise.random, 0)
                if sp.expand(square - rest - noise.random) != 0:
                    raise Unjudged(
                        f"a bound on the square of {square} is not read; give one of the vector or its deviation"
                    )
                self.problem.assume(self.form(bound) - sq(mean + error + self.vector(rest)), "second moment")
                self.problem.elsewhere.append("second moment")
        return mean + error

    def stochastic_gradient(self, value: Any) -> Any:
        """A gradient with data; data may be used at one point only."""
        if len(value.args) != 3:
            raise Unjudged(f"{value} has several kinds of data; one is read")
        loss, point, data = value.args
        at = Grad(loss, self.place(point), self.place(data))
        noise = self.noise(at)
        if noise is None:
            raise Unjudged(
                f"what is the mean of {value}? Write for instance $\\mathbb{{E}}[\\nabla f(x; \\xi)] = \\nabla f(x)$"
            )
        if self.data.setdefault(at.args[2], at.args[1]) != at.args[1]:
            raise Unjudged(f"{data} is used at two points; gradients with the same data are not judged")
        if at not in self.points:
            self.require_earlier(at)
            self.points[at] = self.drawn(noise)
        return self.points[at]

    def place(self, value: Any) -> Any:
        """A letter at the numbers of this run, such as x[t + 1] at t = 0."""
        return (
            value.func(value.base, *map(self.index, value.indices))
            if isinstance(value, sp.Indexed)
            else value
        )

    def random_letters(self) -> set[str]:
        """Vectors and numbers of the run that depend on a random draw."""
        found: set[str] = set()
        drawn = set(self.problem.noisy)
        while drawn - found:
            found |= drawn
            for answer in self.loss.answers:
                if found & answer.x.parts.keys():
                    drawn |= {
                        *answer.g.parts,
                        *(name for key in constant(answer.f or 0).terms for name in key),
                    }
            drawn |= {
                name
                for name, forms in self.problem.least.items()
                if any(found & set(key) for one in forms for key in one.terms)
            }
        return found

    def index(self, value: Any) -> Any:
        found = sp.sympify(value).xreplace(
            {one: sp.Integer(n) for one, n in self.numbers.items() if one.is_integer}
        )
        if not found.is_Integer:
            raise Unjudged(f"the index {value} is no whole number when the others are")
        return found

    def terms(self, value: Any) -> list[Any]:
        """Summands of a sum over one index."""
        (index, low, high), *more = value.limits
        if more:
            raise Unjudged("a sum over two indices")
        return [value.function.subs(index, k) for k in range(int(self.index(low)), int(self.index(high)) + 1)]

    def form(self, value: Any) -> Any:
        """The number that an expression stands for, linear in inner products and values; in expectation, if it is random."""
        if isinstance(value, Expect):
            require_linear(value)
            return self.form(value.args[0])
        if not value.has(Norm, Inner, Loss, sp.Sum, LOWEST):
            return constant(self.number(value))
        if isinstance(value, sp.Add):
            return reduce(add, map(self.form, value.args))
        if isinstance(value, sp.Mul):
            inner = [part for part in value.args if part.atoms(Norm, Inner, Loss, sp.Sum)]
            if len(inner) == 1:
                return self.number(value / inner[0]) * self.form(inner[0])
        if (
            isinstance(value, sp.Pow)
            and isinstance(value.base, Norm)
            and value.exp == 2
            and len(value.base.args) == 1
        ):
            return sq(self.vector(value.base.args[0]))
        if isinstance(value, Inner):
            return dot(self.vector(value.args[0]), self.vector(value.args[1]))
        if isinstance(value, Loss):
            return self.loss(self.vector(value.args[1]))
        if isinstance(value, sp.Sum):
            return reduce(add, map(self.form, self.terms(value)))
        if isinstance(value, Extreme) and str(value.args[0]) == "min" and len(value.args[2]) == 3:
            return self.problem.smallest(
                *map(self.form, self.terms(sp.Sum(value.args[1], tuple(value.args[2]))))
            )
        if value == LOWEST:
            return self.least
        raise Unjudged(f"{value} is not linear in squared norms, inner products and values of the loss")


def _instance(definition: Any, at: Any) -> Any:
    """The right-hand side of a definition where its left-hand side is the given point; None if it is not for any step."""
    left = definition.lhs
    if left == at:
        return definition.rhs
    if not (isinstance(left, sp.Indexed) and isinstance(at, sp.Indexed) and left.base == at.base):
        return None
    free = (
        sorted(left.free_symbols & set(left.indices[0].free_symbols), key=str)
        if len(left.indices) == 1
        else []
    )
    if len(free) != 1:
        return None
    step = at.indices[0] - (left.indices[0] - free[0])
    return definition.rhs.subs(free[0], step) if step.is_Integer and step >= 0 else None


def _class_of(classes: Mapping[str, Any]) -> Class:
    """The class of losses that a lemma states, at its constants."""
    if "smooth" in classes and "strong" in classes:
        return smooth_strongly_convex(classes["smooth"], classes["strong"])
    if "smooth" in classes:
        return smooth(classes["smooth"], 0 if "convex" in classes else None)
    if "convex" in classes or "strong" in classes:
        return convex(classes.get("strong") or 0)
    raise Unjudged(
        "it does not say of what class the loss is; write for instance `Let $f$ be $L$-smooth and convex`"
    )
