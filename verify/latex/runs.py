"""Run the method of a lemma in the worst-case engine: compute its points, gradients and quantities.

The engine works with linear combinations of unknown vectors ("vectors") and with linear combinations of their inner products
and of values of the loss ("forms"). `Run` translates the SymPy expressions of a lemma to these.
"""

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
    """Information of a lemma that is not in its relations: its vectors, its minimiser, and the classes of its loss.

    Attributes
    ----------
    vectors : set of str
        SymPy names of vectors and of families of vectors.
    latex : mapping of str to str
        SymPy name -> LaTeX.
    minimiser : str
        LaTeX of the minimiser of the loss; empty if the lemma names none.
    classes : mapping of str to symbol or None
        "smooth", "strong" and "convex" with their constants; None if the constant is missing.
    noises : tuple of Noise
        Stochastic gradients.
    """

    vectors: frozenset[str]
    latex: Mapping[str, str]
    minimiser: str
    classes: Mapping[str, Any]
    noises: tuple[Noise, ...] = ()


class Run:
    """One run at given sizes and parameters.

    Parameters
    ----------
    problem : Problem
        The problem of the worst-case engine, to which points, losses and assumptions are added.
    told : Told
        Vectors, minimiser, classes and noise of the lemma.
    definitions : sequence of Eq
        Equations of the method.
    numbers : mapping of symbol to number
        Values of sizes and parameters.
    """

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
        """The minimiser of the loss, which must be convex or strongly convex."""
        if not {"convex", "strong"} & set(self.classes):
            raise Unjudged(
                "a minimiser needs a convex loss, as another loss may have none; write f^* for the least value"
            )
        return self.loss.minimiser()

    @cached_property
    def least(self) -> Any:
        """The least value: the value at the minimiser of a convex loss, else an unknown number that `quantities` bounds."""
        convex_loss = {"convex", "strong"} & set(self.classes)
        return self.loss(self.best) if convex_loss else self.problem.number("least_value")

    def quantities(self, named: Mapping[Any, sp.Symbol], certain: Collection[Any] = ()) -> dict[str, Any]:
        """Compute every quantity of the claim.

        Parameters
        ----------
        named : mapping of expression to symbol
            The quantities and their symbols.
        certain : collection of expressions
            Quantities outside of every expectation. They must not be random.

        Returns
        -------
        dict of str to form
            Name of the symbol -> value.

        Notes
        -----
        The least value f* of an L-smooth loss satisfies f* <= f(x) - |grad f(x)|^2/(2 L) at every point x of the run.
        Conversely, for any values and gradients that smooth interpolation allows and any f* with these inequalities,
        a smooth loss with this least value exists: Abbaszadehpeivasti, de Klerk and Zamani (2022), Optimization
        Letters 16, Theorem 2.1. The inequalities are therefore all that is known about f*.
        """
        found = {symbol.name: self.form(value) for value, symbol in named.items()}
        if LOWEST in named and not {"convex", "strong"} & set(self.classes):
            for answer in self.loss.answers:
                slack = answer.f - self.least - sq(answer.g) / (2 * self.number(self.told.classes["smooth"]))
                self.problem.assume(slack, f"least value at {answer.name}")
        random = self.random_letters()
        for value in certain:
            if any(random & set(key) for key in found[named[value].name].terms):
                raise Unjudged(
                    f"{value} is random but stands outside of an expectation; write its expectation"
                )
        return found

    def require_one_start(self) -> None:
        """Refuse a whole run with several undefined starting points; every sequence but one needs an equation for its start."""
        early = [str(at) for at in self.points if isinstance(at, sp.Indexed) and at.indices[0] < 0]
        if early:
            raise Unjudged(
                f"the first step of the run needs {early[0]}, which is not defined; add an equation for it"
            )
        names = sorted(self.starts)
        if len(names) > 1:
            raise Unjudged(
                f"the starting points of {' and '.join(names)} are not related; write for instance `Let ${names[1]}_0 = {names[0]}_0$`"
            )

    def number(self, value: Any) -> Any:
        """Value of a rational function of the parameters, by arithmetic that works for fractions, floats and polynomials."""
        if value in self.numbers:
            return self.numbers[value]
        if value.is_Rational:
            return Fraction(int(value.p), int(value.q))
        if isinstance(value, sp.Add | sp.Mul):
            return reduce(add if value.is_Add else mul, map(self.number, value.args))
        if isinstance(value, sp.Pow) and value.exp.is_Integer:
            power = self.number(value.base) ** abs(int(value.exp))
            return power if value.exp > 0 else 1 / power
        raise Unjudged(f"{value} must be a rational function of the parameters")

    def vector(self, value: Any) -> Any:
        """Value of an expression that is a linear combination of points and gradients."""
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
        raise Unjudged(f"{value} must be a linear combination of points and gradients")

    def holds_vector(self, value: Any) -> bool:
        """Whether an expression contains a gradient or the name of a vector."""
        names = {symbol.name for symbol in value.atoms(sp.Symbol)}
        return bool(value.atoms(Grad)) or bool(names & self.told.vectors)

    def point(self, value: Any) -> Any:
        """The point of a symbol: its definition, a random vector, the minimiser, or else an arbitrary starting point."""
        at = self.place(value)
        if at not in self.points:
            self.require_earlier(at)
            rule = next(filter(None, (_instance(one, at) for one in self.definitions)), None)
            if rule is not None:
                self.points[at] = self.vector(rule)
            elif (noise := self.noise(at)) is not None:
                self.points[at] = self.random_vector(noise)
            elif self.told.minimiser and self.told.latex.get(str(at)) == self.told.minimiser:
                self.points[at] = self.best
            elif isinstance(at, sp.Indexed) and at.indices[0] > 0:
                name = at.base.label.name
                raise Unjudged(
                    f"the step from {name}_t to {name}_{{t+1}} is not defined; write for instance `Let $x_{{t+1}} = x_t - \\eta\\nabla f(x_t)$`"
                )
            else:
                self.starts |= {at.base.label.name} if isinstance(at, sp.Indexed) else set()
                self.points[at] = self.problem.point(re.sub(r"\W+", "_", str(at)).strip("_"))
        return self.points[at]

    def require_earlier(self, at: Any) -> None:
        """Refuse circular definitions: a vector whose definition is being evaluated must not occur in it again."""
        if at in self.begun:
            raise Unjudged(f"the definition of {at} contains {at} itself; define it by earlier vectors")
        self.begun.add(at)

    def noise(self, at: Any) -> Noise | None:
        """The conditions on a random vector; None if the vector is not random."""
        return next(filter(None, (noise.at(at) for noise in self.told.noises)), None)

    def random_vector(self, noise: Noise) -> Any:
        """A random vector as its mean plus an error.

        The error has conditional mean 0, so in expectation it is orthogonal to all earlier vectors. Its expected square is
        at most the given variance; without one it is an unknown constant, which a bound on the second moment restricts.
        """
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
                        f"a bound on the expected square of {square} is not supported; bound the square of {noise.random} or of {noise.random} minus a vector"
                    )
                self.problem.assume(self.form(bound) - sq(mean + error + self.vector(rest)), "second moment")
                self.problem.elsewhere.append("second moment")
        return mean + error

    def stochastic_gradient(self, value: Any) -> Any:
        """A gradient with data, grad f(x; xi). The same data must not occur at two points.

        The errors of two gradients with the same data are dependent, and the engine knows no relation between them.
        """
        if len(value.args) != 3:
            raise Unjudged(f"{value} has several data arguments; only one is supported")
        loss, point, data = value.args
        at = Grad(loss, self.place(point), self.place(data))
        noise = self.noise(at)
        if noise is None:
            raise Unjudged(
                f"the mean of {value} is not given; write for instance $\\mathbb{{E}}[\\nabla f(x; \\xi)] = \\nabla f(x)$"
            )
        if self.data.setdefault(at.args[2], at.args[1]) != at.args[1]:
            raise Unjudged(
                f"{data} is used at two points, but gradients with the same data are dependent; use new data for each"
            )
        if at not in self.points:
            self.require_earlier(at)
            self.points[at] = self.random_vector(noise)
        return self.points[at]

    def place(self, value: Any) -> Any:
        """A symbol with its indices evaluated: x[t + 1] becomes x[1] at t = 0."""
        return (
            value.func(value.base, *map(self.index, value.indices))
            if isinstance(value, sp.Indexed)
            else value
        )

    def random_letters(self) -> set[str]:
        """Names of the engine's vectors and numbers that depend on a random draw.

        These are the errors themselves, the gradients and values at random points, and minima of random numbers. The loop
        adds names until nothing changes.
        """
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
        """Value of an index at the sizes of this run."""
        found = sp.sympify(value).xreplace(
            {one: sp.Integer(n) for one, n in self.numbers.items() if one.is_integer}
        )
        if not found.is_Integer:
            raise Unjudged(f"the index {value} must be a whole number for all sizes, but is {found}")
        return found

    def terms(self, value: Any) -> list[Any]:
        """The terms of a sum over one index."""
        (index, low, high), *more = value.limits
        if more:
            raise Unjudged(f"{value} runs over two indices; write one sum inside the other")
        return [value.function.subs(index, k) for k in range(int(self.index(low)), int(self.index(high)) + 1)]

    def form(self, value: Any) -> Any:
        """Value of an expression that is linear in inner products and values of the loss; its expectation if it is random."""
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
        raise Unjudged(f"{value} must be linear in squared norms, inner products and values of the loss")


def _instance(definition: Any, at: Any) -> Any:
    """The right-hand side of a definition at the step where its left-hand side is the given point; None if no step fits."""
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
    """The engine's class of losses with the constants of the lemma."""
    if "smooth" in classes and "strong" in classes:
        return smooth_strongly_convex(classes["smooth"], classes["strong"])
    if "smooth" in classes:
        return smooth(classes["smooth"], 0 if "convex" in classes else None)
    if "convex" in classes or "strong" in classes:
        return convex(classes.get("strong") or 0)
    raise Unjudged("the class of the loss is missing; write for instance `Let $f$ be $L$-smooth and convex`")
