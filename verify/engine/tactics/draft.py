"""A proof under construction: lines that the second checker has already accepted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq, fmpq_mpoly

from verify.engine.certificates.definedness import DEFINED
from verify.engine.certificates.field import Undefined, laws
from verify.engine.certificates.formulas import Tree, parts
from verify.engine.certificates.recheck import ANY, NEGATIVE, OF_SLACK, POSITIVE, ZERO, Checked, Rejected
from verify.engine.tactics.equations import Equations
from verify.engine.tactics.products import combination, quotient
from verify.engine.tactics.signs import Signs

DEPTHS = (1, 2, 4)
"""Limit on substituted facts, in successive attempts."""
SHALLOW = (0, 1)
"""The same limit for auxiliary steps."""
DEGREES = (1, 2)
"""Limit on factors of the combined products, in successive attempts."""


class Draft:
    """The lines so far, their assumptions and results, and the remaining number of search steps.

    Attributes
    ----------
    lines : list
        Lines of the certificate.
    checked : Checked
        The state of the second checker after them.
    tried : set of str
        Families of certificates that were searched without success.
    assumable : list of Tree
        Relations that may be assumed because formulas of the claim and its conditions have values.
    """

    def __init__(
        self, symbols: dict[str, str], steps: int, room: int, assumable: Sequence[Tree] = ()
    ) -> None:
        self.symbols, self.steps, self.assumable = symbols, steps, list(assumable)
        self.checked = Checked(symbols, room)
        self.lines: list[dict[str, Any]] = []
        self.put: list[int] = []
        self.tried: set[str] = set()

    def add(self, line: dict[str, Any]) -> None:
        """Check a line and add it."""
        self.checked.line(line)
        self.lines.append(line)

    def add_without_put(self, line: dict[str, Any]) -> None:
        """Check and add a line that itself lists the equations it substitutes."""
        equal, self.checked.equal = self.checked.equal, {}
        self.checked.line(line)
        self.checked.equal = equal
        self.lines.append(line)

    # --------------------------------------------------------------------------------- assumptions

    def assume(self, relation: Tree, by: str) -> None:
        """Add an assumption. That its formulas have values is proved before, or assumed if that is allowed."""
        self.define(relation)
        self.add({"given": relation, "by": by})
        self._solve(len(self.checked.facts) - 1)

    def _solve(self, k: int) -> None:
        """Substitute an equation for a symbol in all other facts."""
        sign, left, right = self.checked.facts[k]
        # Each equation that is solved removes a variable from all later polynomials, which decides whether products of degree 2
        # can still be searched.
        if sign != "=":
            return
        if self._solvable(left, right):
            self.put_in(k)
        elif self._solvable(right, left):
            self.add({"show": ["=", right, left], "as": ["-", ["slack", k]]})
            self.put_in(len(self.checked.facts) - 1)

    def put_in(self, k: int) -> None:
        """Substitute the equation of a fact for its symbol in all other facts and in the lines that follow."""
        self.checked.put_in([k])
        self.put.append(k)

    def _solvable(self, name: Tree, value: Tree) -> bool:
        if not isinstance(name, str) or self.symbols.get(name) not in ("real", "positive", "nonnegative"):
            return False
        if name in self.checked.equal or name not in self.checked.names:
            return False
        # A symbol stays eliminated only if neither an earlier substitution nor a variable contains it.
        place = self.checked.names[name]
        quotients = [self.checked.value(value), *self.checked.equal.values()]
        if any(q.top.degrees()[place] or q.bottom.degrees()[place] for q in quotients):
            return False
        return not any(name in list(parts(formula)) for formula in self.checked.formulas if formula != name)

    def define(self, formula: Tree) -> None:
        """Prove that a formula has a value, or assume it if that is allowed.

        Raises
        ------
        Rejected
            If it can neither be proved nor assumed.
        """
        for part in parts(formula):
            match part:
                case ["/", _, below]:
                    self._nonzero(below)
                case ["root", _, inside]:
                    if self.checked.sign(inside) & NEGATIVE:
                        self.settle(["<=", "0", inside])
                case ["^", base, exponent]:
                    self._power(base, exponent)

    def _power(self, base: Tree, exponent: Tree) -> None:
        power = self.checked.value(exponent)
        if power.constant is None and self.checked.least(power) is None:
            if self.checked.sign(base) != POSITIVE:
                self.settle(["<", "0", base])
        elif power.constant is not None and power.constant < 0:
            self._nonzero(base)

    def _nonzero(self, below: Tree) -> None:
        # A product is not zero if no factor is zero. Factors may have signs that the expanded product does not show.
        if isinstance(below, list) and below[0] == "*":
            for factor in below[1:]:
                self._nonzero(factor)
            return
        if not self.checked.sign(below) & ZERO:
            self._reduced(below)
            if isinstance(below, list) and below[0] == "+" and self.checked.sign(below) == POSITIVE:
                self._known_positive(below)
            return
        if isinstance(below, list) and below[0] == "root":  # a root is not zero if its radicand is not
            self._nonzero(below[2])
            return
        goals = (["<", "0", below], ["<", below, "0"])
        if any(self.show(goal, depths=SHALLOW, degrees=()) for goal in goals):
            return
        if ["!=", below, "0"] not in self.assumable:
            if not any(map(self.show, goals)):
                raise Rejected(f"{below} may be zero")
            return
        self.add({"given": ["!=", below, "0"], "by": DEFINED})
        if self.checked.sign(below) & NEGATIVE:  # neither zero nor negative, so positive
            self.show(["<=", "0", below], depths=(0,), degrees=())
        else:
            self._known_positive(below)

    def _known_positive(self, below: Tree) -> None:
        """State that a formula is positive, unexpanded, if multiplication hides its sign."""
        value, signs = self.checked.value(below), Signs(self.checked, 0)
        if signs.positive_formula(value.top) is None and self.close(["<", "0", below], below):
            # The numerator, which is the divisor in other fractions, has the same sign
            shown, bottom = ["slack", len(self.checked.facts) - 1], signs.positive_formula(value.bottom)
            if bottom is not None and not value.bottom.is_constant():
                self.close(["<", "0", signs.formula(value.top)], ["*", shown, bottom])

    def _reduced(self, below: Tree) -> None:
        """Prove that a quotient is not zero through its reduced form, where nested fractions hide its sign."""
        fractions = any(isinstance(part, list) and part[0] == "/" for part in parts(below))
        said = any(below in fact for fact in filter(None, self.checked.facts) if not OF_SLACK[fact[0]] & ZERO)
        if fractions and not said and self.checked.by_parts(below) & ZERO:
            value, signs = self.checked.value(below), Signs(self.checked, 0)
            self.close(["!=", "0", below], over(signs.factored(value.top), signs.factored(value.bottom)))

    def settle(self, relation: Tree) -> None:
        """Prove a relation that a formula needs to have a value, or assume it if that is allowed.

        Raises
        ------
        Rejected
            If it can neither be proved nor assumed.
        """
        if self.show(relation, depths=SHALLOW, degrees=()):
            return
        if relation in self.assumable:
            self.add({"given": relation, "by": DEFINED})
        elif not self.show(relation):
            raise Rejected(f"it cannot be shown that {relation[2]} has the sign that a root or power needs")

    # --------------------------------------------------------------------------------------- goals

    def signs(self) -> Signs:
        """All known facts, as polynomials."""
        found = Signs(self.checked, self.steps)
        for k in reversed(range(len(self.checked.facts))):
            fact = self.checked.facts[k]
            if fact is None or k in self.put or (fact[0] == "!=" and fact in self.assumable):
                continue
            formula: Tree = ["^", ["slack", k], "2"] if fact[0] == "!=" else ["slack", k]
            found.learn(self.checked.value(formula), formula, zero=OF_SLACK[fact[0]] == ZERO)
        for formula in list(self.checked.formulas):
            for sign, law in laws(formula, self.symbols):
                found.learn(self.checked.value(law), law, zero=sign == "=")
        for name, value in self.checked.equal.items():
            if not self.checked.sign(name) & NEGATIVE:
                found.learn(value, name, zero=False)
        return found

    def show(self, goal: Tree, depths: Sequence[int] = DEPTHS, degrees: Sequence[int] = DEGREES) -> bool:
        """Search for a line that proves a relation; False if none was found."""
        slack = self.checked.slack(goal)
        # `kind` holds the possible signs of the goal's slack: the goal is proved if its slack has no other sign.
        kind = OF_SLACK[goal[0]]
        if slack.top.is_zero():
            return not kind & ~(ZERO | POSITIVE) and bool(kind & ZERO) and self.close(goal, "0")
        if slack.constant is not None:
            return kind != ZERO and (
                self.close(goal, str(slack.constant)) or self._absurd(goal, slack.constant)
            )
        if kind == NEGATIVE | POSITIVE:
            return self._unequal(goal, depths, degrees)
        # An equation needs combinations of equations; inequalities prove it only if they give both directions.
        signs = self.signs()
        if kind == ZERO:
            ordered = self._ordered()
            found = self._equation(goal, signs, slack.top, slack.bottom, degrees)
            return found or (ordered and self._squeezed(goal, depths, degrees))
        below, top = self.below(signs, slack.top, slack.bottom)
        signs.divide_by(slack.bottom)
        # A nonnegative combination proves >= only. A strict relation needs a positive term.
        strict = [max(SHALLOW), max(depths)] if kind == POSITIVE and degrees else []
        for attempt in self._attempts(signs, top, depths, degrees):
            if attempt is None:
                continue
            if self.close(goal, over(attempt, below)):
                return True
            if len(strict) > 1 and self._positively(goal, signs, top, below, strict.pop(0)):
                return True
        return bool(strict) and self._positively(goal, signs, top, below, strict[-1])

    def _positively(self, goal: Tree, signs: Signs, top: fmpq_mpoly, below: Tree, depth: int) -> bool:
        """Show a strict relation by a visibly positive formula."""
        formula = signs.positive_by_insertion(top, depth)
        return formula is not None and self.close(goal, over(formula, below))

    def _absurd(self, goal: Tree, number: fmpq) -> bool:
        """Prove a false relation from a contradiction: a positive number is at most zero."""
        signs = self.signs()
        # The goal is `number >= 0` for a negative number. It follows if number * p >= 0 is proved for some p > 0.
        for positive in self._positive(signs):
            value = self.checked.value(positive)
            if not value.bottom.is_constant():
                continue
            target = value.top * (number / value.bottom.leading_coefficient())
            for attempt in self._attempts(signs, target, SHALLOW, (1,)):
                if attempt is not None and self.close(goal, ["/", attempt, positive]):
                    return True
        self.tried.add("contradictions")
        return False

    def _positive(self, signs: Signs) -> list[Tree]:
        """Positive formulas: one, facts, variables and products of two of them."""
        strict = [k for k, fact in enumerate(self.checked.facts) if fact and OF_SLACK[fact[0]] == POSITIVE]
        single: list[Tree] = [["slack", k] for k in strict]
        single += [self.checked.formulas[place] for place in sorted(signs.positive)]
        return ["1", *single, *(["*", a, b] for k, a in enumerate(single[:6]) for b in single[: k + 1])]

    def _attempts(self, signs: Signs, top: fmpq_mpoly, depths: Sequence[int], degrees: Sequence[int]) -> Any:
        """Candidate formulas for a numerator, cheap ones first."""
        # From cheap to expensive: signs of terms, a small linear program, substituted facts, larger programs.
        yield signs.nonnegative_formula(top, 0)
        for degree in degrees[:1]:
            yield combination(signs, top, degree)
            self.tried.add(f"combinations of products of degree {degree}")
        for depth in depths:
            signs.steps = self.steps
            yield signs.nonnegative_formula(top, depth)
            self.tried.add(f"up to {depth} facts put in, signs, shifts, factors and squares")
        for degree in degrees:
            if degree != degrees[0]:
                yield combination(signs, top, degree)
                self.tried.add(f"combinations of products of degree {degree}")
            yield quotient(signs, top, degree)
            self.tried.add(f"combinations of products of degree {degree} over positive monomials")
        if degrees and signs.divisors:
            common = signs.over_common_divisors()
            yield combination(common, top, degrees[0])
            yield quotient(common, top, degrees[0])
            self.tried.add("combinations over common divisors")

    def below(self, signs: Signs, top: fmpq_mpoly, bottom: fmpq_mpoly) -> tuple[Tree, fmpq_mpoly]:
        """A positive formula as divisor, and the numerator over it."""
        if bottom.is_constant():
            return "1", top * (1 / bottom.leading_coefficient())
        # A quotient has the sign of its numerator over a positive denominator. A denominator of unknown sign is squared, which
        # doubles degrees and is the last resort.
        for way in (1, -1):
            below = signs.positive_formula(bottom * way)
            if below is not None:
                return below, top * way
        return ["^", signs.formula(bottom), "2"], top * bottom

    def _equation(
        self, goal: Tree, signs: Signs, top: fmpq_mpoly, bottom: fmpq_mpoly, degrees: Sequence[int]
    ) -> bool:
        self.tried.add("combinations of equations")
        # At a single point, a divisor of the proof could be zero.
        if signs.examples() and all(top(*point) != 0 for point in signs.examples()):
            return False
        signs.known = [known for known in signs.known if known.zero]
        signs.nonnegative = set()
        below = "1" if bottom.is_constant() else signs.factored(bottom)
        top = top * (1 / bottom.leading_coefficient()) if bottom.is_constant() else top
        found = Equations(signs).zero_formula(top, len(signs.known))
        if found is None and degrees:
            found = combination(signs, top, 1)
        return found is not None and self.close(goal, over(found, below))

    def _unequal(self, goal: Tree, depths: Sequence[int], degrees: Sequence[int]) -> bool:
        """Prove that two numbers differ: no factor of their difference is zero, or one number is smaller."""
        slack, signs = self.checked.slack(goal), self.signs()
        if self.close(goal, over(signs.factored(slack.top), signs.factored(slack.bottom))):
            return True
        for sign in ("<", ">"):
            if self.show([sign, *goal[1:]], depths, degrees):
                shown = ["slack", len(self.checked.facts) - 1]
                return self.close(goal, shown if sign == "<" else ["-", shown])
        self.tried.add("order of two numbers that differ")
        return False

    def _ordered(self) -> bool:
        """Whether any fact, or any maximum or minimum, gives an order."""
        extremes = [f for f in self.checked.formulas if isinstance(f, list) and f[0] in ("max", "min")]
        return bool(extremes) or any(fact and OF_SLACK[fact[0]] != ZERO for fact in self.checked.facts)

    def _squeezed(self, goal: Tree, depths: Sequence[int], degrees: Sequence[int]) -> bool:
        """Prove an equation by both inequalities: a number that is at least 0 and at most 0 is 0."""
        self.tried.add("both inequalities of an equation")
        for sign in (">=", "<="):
            if not self.show([sign, *goal[1:]], depths, degrees):
                return False
        return self.close(goal, ["slack", len(self.checked.facts) - 1])

    def close(self, goal: Tree, formula: Tree) -> bool:
        """Add a line if the second checker accepts it; False otherwise."""
        # The draft trusts none of its heuristics: a line counts only after the checker has recomputed it.
        line: dict[str, Any] = {"show": goal, "as": formula}
        if self.put:
            line["put"] = list(self.put)
        try:
            self.checked.line(line)
        except (Rejected, Undefined):
            return False
        self.lines.append(line)
        return True

    # --------------------------------------------------------------------------------------- cases

    def branch(self, every: str = "") -> Draft:
        """A draft with the same facts, for one case, or for statements about every value of the symbol `every`."""
        copy = Draft(self.symbols, self.steps, 0, self.assumable)
        copy.checked = self.checked.copy()
        if every:
            copy.checked.forget(every)
        copy.put = list(self.put)
        return copy

    def without_facts(self) -> Draft:
        """A draft for a relation that needs none of the facts, whose search is short; the facts keep their numbers."""
        copy = self.branch()
        copy.checked.facts, copy.checked.signs = [None] * len(self.checked.facts), {}
        return copy


def over(formula: Tree, below: Tree) -> Tree:
    """A quotient of formulas."""
    return formula if below == "1" else ["/", formula, below]


__all__ = ["ANY", "Draft", "over"]
