"""Search for the sign of a polynomial: a formula of the same value whose parts are visibly nonnegative.

The search need not be trusted: its result is a formula, whose value and sign the checkers verify.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

from flint import fmpq, fmpq_mpoly

from verify.engine.certificates.field import Quotient
from verify.engine.certificates.formulas import Tree, parts
from verify.engine.certificates.recheck import NEGATIVE, POSITIVE, ZERO, Checked
from verify.engine.tactics import models
from verify.engine.tactics.factors import factors_of

SHIFTS = 48
"""Limit on combinations of lower bounds that are substituted at once."""
LONG = 400
"""Limit on terms of a polynomial."""
LONG_STEP = 20
"""Terms of a polynomial that count as one more step."""
FEW = 80
"""Limit on terms of a polynomial that is factored, or written as a square and a rest."""


@dataclass(frozen=True)
class Known:
    """A polynomial with a formula of the same value that is visibly nonnegative (`zero`: visibly zero)."""

    polynomial: fmpq_mpoly
    formula: Tree
    zero: bool = False


@dataclass
class Signs:
    """The known signs of the variables of a field, and the remaining number of steps."""

    checked: Checked
    steps: int
    known: list[Known] = field(default_factory=list)
    failed: dict[str, int] = field(default_factory=dict)
    divisors: dict[str, Known] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.points: tuple[int, list[list[fmpq]]] = (0, [])
        self.bounds: dict[tuple[int, int, int], list[Known]] = {}
        self.slopes: dict[tuple[str, int, int, int], tuple[int, Tree | None]] = {}
        self.nonnegative: set[int] = set()
        self.positive: set[int] = set()
        for place, formula in enumerate(self.checked.formulas):
            heads = (part[0] for part in parts(formula) if isinstance(part, list))
            if "slack" not in heads:  # otherwise another search named it, for its own facts
                self._note(place, formula)

    def _note(self, place: int, formula: Tree) -> None:
        sign = self.checked.sign(formula)
        if not sign & NEGATIVE:
            self.nonnegative.add(place)
        if sign == POSITIVE:
            self.positive.add(place)

    # ------------------------------------------------------------------------------------------ formulas

    def formula(self, polynomial: fmpq_mpoly) -> Tree:
        """A polynomial as a sum of monomials."""
        terms = [self.monomial(powers, factor) for powers, factor in polynomial.terms()]
        return "0" if not terms else terms[0] if len(terms) == 1 else ["+", *terms]

    def factored(self, polynomial: fmpq_mpoly) -> Tree:
        """A polynomial as a product of its factors, each a sum of monomials."""
        if polynomial.is_constant() or len(polynomial) > FEW:
            return self.formula(polynomial)
        lead, factors = factors_of(polynomial)
        inside = [(self.formula(factor), power) for factor, power in factors]
        formulas = [part if power == 1 else ["^", part, str(power)] for part, power in inside]
        return formulas[0] if len(formulas) == 1 and lead == 1 else ["*", str(lead), *formulas]

    def monomial(self, powers: Sequence[int], factor: fmpq = fmpq(1)) -> Tree:  # noqa: B008
        """One term of a polynomial."""
        factors: list[Tree] = [] if factor == 1 else [str(factor)]
        for place, power in enumerate(powers):
            if power:
                base = self.checked.formulas[place]
                factors.append(base if power == 1 else ["^", base, str(power)])
        return "1" if not factors else factors[0] if len(factors) == 1 else ["*", *factors]

    # -------------------------------------------------------------------------------------------- search

    def nonnegative_formula(self, polynomial: fmpq_mpoly, depth: int) -> Tree | None:
        """A visibly nonnegative formula of a polynomial, with up to `depth` facts substituted one after the other."""
        if self.steps <= 0 or len(polynomial) > LONG:
            return None
        self.steps -= 1 + len(polynomial) // LONG_STEP
        name = str(polynomial)
        if self.failed.get(name, -1) >= depth or self.negative_somewhere(polynomial):
            return None
        found = self._proof_by_ways(polynomial, depth)
        if found is None:
            self.failed[name] = depth
        return found

    def negative_somewhere(self, polynomial: fmpq_mpoly) -> bool:
        """Whether a polynomial is negative at a point where all known facts hold; then it does not follow from them."""
        return any(polynomial(*point) < 0 for point in self.examples())

    def examples(self) -> list[list[fmpq]]:
        """Some points at which all known facts hold."""
        count, found = self.points
        if count != len(self.known):
            facts = [models.fact(known.polynomial, zero=known.zero) for known in self.known]
            sizes = len(self.checked.formulas), self.checked.context.nvars()
            found = models.points(facts, sizes, self.nonnegative, self.positive)
            self.points = len(self.known), found
        return found

    def _proof_by_ways(self, polynomial: fmpq_mpoly, depth: int) -> Tree | None:
        for way in (self.by_terms, self.by_shift):
            if (found := way(polynomial)) is not None:
                return found
        for deeper in (self.by_factors, self.by_square, self.by_insertion):
            if (found := deeper(polynomial, depth)) is not None:
                return found
        return None

    def by_terms(self, polynomial: fmpq_mpoly) -> Tree | None:
        """No term can be negative."""
        for powers, factor in polynomial.terms():
            if factor < 0 or any(p % 2 and k not in self.nonnegative for k, p in enumerate(powers)):
                return None
        return self.formula(polynomial)

    def by_shift(self, polynomial: fmpq_mpoly) -> Tree | None:
        """No term is negative after some variables are written as a lower bound plus a rest."""
        here = [place for place, degree in enumerate(polynomial.degrees()) if degree]
        options = [[None, *self._lower(place)] for place in here]
        for choice in islice(product(*options), 1, SHIFTS):
            self.steps -= 1 + len(polynomial) // LONG_STEP
            if self.steps <= 0:
                return None
            chosen = {place: known for place, known in zip(here, choice, strict=True) if known is not None}
            if (found := self._shifted(polynomial, chosen)) is not None:
                return found
        return None

    def _lower(self, place: int) -> list[Known]:
        """Facts that give a lower bound of a variable without negative terms."""
        key = (place, len(self.known), len(self.nonnegative))
        if key in self.bounds:
            return self.bounds[key]
        found = []
        for known in self.known:
            if known.zero or known.polynomial.degrees()[place] != 1:
                continue
            slope, rest = self._split(known.polynomial, place)
            if slope.is_constant() and slope.leading_coefficient() > 0 and self.by_terms(-rest) is not None:
                found.append(known)
        self.bounds[key] = found[:4]
        return found[:4]

    def _split(self, polynomial: fmpq_mpoly, place: int) -> tuple[fmpq_mpoly, fmpq_mpoly]:
        """The slope and the rest of a polynomial that is linear in a variable."""
        slope = polynomial.derivative(place)
        return slope, polynomial - slope * self.checked.context.gen(place)

    def _shifted(self, polynomial: fmpq_mpoly, chosen: dict[int, Known]) -> Tree | None:
        context = self.checked.context
        beyond: dict[int, fmpq_mpoly] = {}
        images = list(context.gens())
        for place, known in chosen.items():
            key = ("beyond", str(known.polynomial))
            fresh = self.checked.variable(key, known.formula).top
            self.checked.formulas[self.checked.names[key]] = known.formula
            self.nonnegative.add(self.checked.names[key])
            if self.checked.sign(known.formula) == POSITIVE:
                self.positive.add(self.checked.names[key])
            slope, rest = self._split(known.polynomial, place)
            beyond[place] = (fresh - rest) * (1 / slope.leading_coefficient())
        for place, image in beyond.items():
            images[place] = image
        shifted = polynomial
        for _ in chosen:  # a lower bound may contain other shifted variables
            shifted = shifted.compose(*images, ctx=context)
            if not any(shifted.degrees()[place] for place in chosen):
                return self.by_terms(shifted)
        return None

    def by_factors(self, polynomial: fmpq_mpoly, depth: int) -> Tree | None:
        """Every factor has a sign, or an even power."""
        if len(polynomial) > FEW:
            return None
        lead, factors = factors_of(polynomial)
        if len(factors) < 2 and not any(power > 1 for _, power in factors):
            return None
        formulas: list[Tree] = []
        for factor, power in factors:
            inside: Tree | None = self.formula(factor)
            if power % 2:
                inside = self.nonnegative_formula(factor, depth)
                if inside is None:
                    inside, lead = self.nonnegative_formula(-factor, depth), -lead
            if inside is None:
                return None
            formulas.append(inside if power == 1 else ["^", inside, str(power)])
        return ["*", str(lead), *formulas] if lead > 0 else None

    def by_square(self, polynomial: fmpq_mpoly, depth: int) -> Tree | None:
        """a v^2 + b v + c with a > 0 and 4 a c - b^2 >= 0."""
        if len(polynomial) > FEW:
            return None
        for place, degree in enumerate(polynomial.degrees()):
            if degree != 2:
                continue
            v = self.checked.context.gen(place)
            a = polynomial.derivative(place).derivative(place) * fmpq(1, 2)
            b = (polynomial - a * v * v).derivative(place)
            c = polynomial - a * v * v - b * v
            if b.is_zero():
                continue
            above = (
                self.nonnegative_formula(4 * a * c - b * b, 0)
                if depth <= 0
                else self._below(4 * a * c - b * b, depth)
            )
            if above is None:
                continue
            bottom = self.positive_formula(a)
            if bottom is not None:
                square = ["^", ["+", ["*", "2", bottom, self.checked.formulas[place]], self.formula(b)], "2"]
                return ["/", ["+", square, above], ["*", "4", bottom]]
        return None

    def _below(self, polynomial: fmpq_mpoly, depth: int) -> Tree | None:
        return self.nonnegative_formula(polynomial, min(depth - 1, 1))

    def by_insertion(self, polynomial: fmpq_mpoly, depth: int) -> Tree | None:
        """A fact substituted for a variable: a^n p = q g + r, where the fact is g >= 0, and q >= 0 and r >= 0."""
        if depth <= 0:
            return None
        for known, quotient, rest, scale in self.divisions(polynomial):
            if known.zero:
                taken: Tree | None = ["*", self.formula(quotient), known.formula]
            else:
                below = self.nonnegative_formula(quotient, min(depth - 1, 1))
                taken = None if below is None else ["*", below, known.formula]
            if taken is None:
                continue
            left = self.nonnegative_formula(rest, depth - 1)
            if left is not None:
                whole = ["+", taken, left] if left != "0" else taken
                return whole if scale is None else ["/", whole, scale]
        return None

    def positive_by_insertion(self, polynomial: fmpq_mpoly, depth: int) -> Tree | None:
        """A visibly positive formula: a fact is substituted, and the remainder, or the substituted product, is
        positive.
        """
        if depth <= 0:
            return None
        for known, quotient, rest, scale in self.divisions(polynomial):
            self.steps -= 1 + len(polynomial) // LONG_STEP
            if self.steps <= 0:
                return None
            by = self.formula(quotient) if known.zero else self.nonnegative_formula(quotient, 1)
            if by is None:
                continue
            left = self.positive_formula(rest) or self.positive_by_insertion(rest, depth - 1)
            if left is None and self.checked.sign(known.formula) == POSITIVE:
                by, left = self.positive_formula(quotient), self.nonnegative_formula(rest, depth - 1)
            if by is not None and left is not None:
                whole = ["+", ["*", by, known.formula], left]
                return whole if scale is None else ["/", whole, scale]
        return None

    def divisions(
        self, polynomial: fmpq_mpoly
    ) -> Iterator[tuple[Known, fmpq_mpoly, fmpq_mpoly, Tree | None]]:
        """Divisions of a polynomial, multiplied by powers of slopes, by facts that are linear in one of its variables."""
        degrees = polynomial.degrees()
        for known in self.known:
            for place, degree in enumerate(known.polynomial.degrees()):
                if degree == 1 and degrees[place]:
                    found = self.division(polynomial, known, place)
                    if found is not None:
                        yield known, *found

    def division(
        self, polynomial: fmpq_mpoly, known: Known, place: int
    ) -> tuple[fmpq_mpoly, fmpq_mpoly, Tree | None] | None:
        """Quotient, rest without a variable, and divisor, for a fact that is linear in the variable with a slope of known sign."""
        slope, rest = self._split(known.polynomial, place)
        if slope.is_constant():
            return self._divided(polynomial, place, slope, rest, None)
        sign, scale = self._divisor(slope)
        if scale is None:
            return None
        quotient, left, powered = self._divided(polynomial, place, slope * sign, rest * sign, scale)
        return quotient * sign, left, powered

    def _divisor(self, slope: fmpq_mpoly) -> tuple[int, Tree | None]:
        """The sign of a polynomial, and a visibly positive formula of its absolute value; None if no sign is known."""
        key = (str(slope), len(self.known), len(self.nonnegative), len(self.positive))
        if key not in self.slopes:
            found = ((sign, self.positive_formula(slope * sign)) for sign in (1, -1))
            self.slopes[key] = next((one for one in found if one[1] is not None), (0, None))
        return self.slopes[key]

    def _divided(
        self, polynomial: fmpq_mpoly, place: int, slope: fmpq_mpoly, rest: fmpq_mpoly, scale: Tree | None
    ) -> tuple[fmpq_mpoly, fmpq_mpoly, Tree | None]:
        v, degree = self.checked.context.gen(place), polynomial.degrees()[place]
        quotient, left = self.checked.context.constant(0), polynomial
        for power in range(degree, 0, -1):
            if scale is not None:
                quotient, left = quotient * slope, left * slope
            top = left
            for k in range(power):
                top = top.derivative(place) * fmpq(1, k + 1)
            step = top * v ** (power - 1)
            step = step * (1 / slope.leading_coefficient()) if scale is None else step / slope
            quotient, left = quotient + step, left - step * (slope * v + rest)
        powered = None if scale is None else (scale if degree == 1 else ["^", scale, str(degree)])
        return quotient, left, powered

    def positive_formula(self, polynomial: fmpq_mpoly) -> Tree | None:
        """A visibly positive formula of a polynomial."""
        for way in (self.by_terms, self.by_shift):
            found = way(polynomial)
            if found is not None and self.checked.sign(found) == POSITIVE:
                return found
        if len(polynomial) > FEW:
            return None
        lead, factors = factors_of(polynomial)
        if len(factors) > 1 or any(power > 1 for _, power in factors):
            formulas: list[Tree] = []
            for factor, power in factors:
                inside = self.positive_formula(factor)
                if inside is None:
                    inside, lead = self.positive_formula(-factor), lead * (-1) ** power
                if inside is None:
                    return None
                formulas.append(inside if power == 1 else ["^", inside, str(power)])
            return ["*", str(lead), *formulas] if lead > 0 else None
        if self.checked.sign(self.formula(polynomial)) == POSITIVE:  # by a fact
            return self.formula(polynomial)
        return None

    def learn(self, value: Quotient, formula: Tree, *, zero: bool) -> None:
        """Add a formula that is visibly nonnegative, or zero, as a known polynomial."""
        top, bottom = value.top, value.bottom
        if top.is_constant():
            return
        if bottom.is_constant():
            self._keep(top * (1 / bottom.leading_coefficient()), formula, zero)
            return
        self.divide_by(bottom)
        below = self.positive_formula(bottom)
        if below is None and (below := self.positive_formula(-bottom)) is not None:
            self._keep(-top, ["*", below, formula] if zero else ["*", formula, below], zero)
            return
        if below is None:
            top, below = top * bottom, ["^", self.formula(bottom), "2"]
        self._keep(top, ["*", below, formula], zero)

    def divide_by(self, bottom: fmpq_mpoly) -> None:
        """Record the positive factors of a divisor that are sums: facts without them do not combine with facts that had
        them.
        """
        if bottom.is_constant() or len(bottom) > FEW:
            return
        for factor, _ in factors_of(bottom)[1]:
            positive = self.positive_formula(factor) if len(factor) > 1 else None
            if positive is not None:
                self.divisors[str(factor)] = Known(factor, positive)

    def over_common_divisors(self) -> Signs:
        """The same search, with all known facts also multiplied by each divisor that is a sum."""
        found = [*self.known]
        for divisor in self.divisors.values():
            found += [
                Known(
                    divisor.polynomial * known.polynomial, ["*", divisor.formula, known.formula], known.zero
                )
                for known in found
                if len(known.polynomial) <= FEW
            ]
        return replace(self, known=found)

    def _keep(self, polynomial: fmpq_mpoly, formula: Tree, zero: bool) -> None:  # noqa: FBT001
        if all(known.polynomial != polynomial for known in self.known):
            self.known.append(Known(polynomial, formula, zero))


__all__ = ["NEGATIVE", "POSITIVE", "ZERO", "Known", "Signs"]
