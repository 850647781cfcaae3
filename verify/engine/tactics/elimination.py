"""Elimination: variables are replaced one after the other by bounds that facts give, until signs show what is left.

This is how a recursion is unrolled by hand: the last entry is replaced by its bound, then the entry before it, then the
constants that other conditions bound. A variable that was eliminated does not come back, so a search goes deep without
trying every order.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq_mpoly

from verify.engine.certificates.formulas import Tree
from verify.engine.tactics.draft import Draft, over
from verify.engine.tactics.factors import factors_of
from verify.engine.tactics.signs import FEW, Known, Signs

STEPS = 300
"""Limit on polynomials of one search."""
ORDERS = 2
"""Limit on variables of which one is chosen to be eliminated next."""
FACTS = 12
"""Limit on facts: with more of them, the deeper search costs too much."""


def by_elimination(draft: Draft, claim: Tree) -> bool:
    """Prove an inequality by eliminating variables with facts that are linear in them."""
    if claim[0] not in ("<=", ">="):
        return False
    slack, signs = draft.checked.slack(claim), draft.signs()
    if not 1 < len(signs.known) <= FACTS:
        return False
    signs.steps = STEPS
    below, top = draft.below(signs, slack.top, slack.bottom)
    found = _Elimination(signs).nonnegative(top, frozenset())
    draft.tried.add("elimination of variables")
    return found is not None and draft.close(claim, over(found, below))


@dataclass(frozen=True)
class _Elimination:
    """A search with the facts of a draft."""

    signs: Signs

    def nonnegative(self, polynomial: fmpq_mpoly, gone: frozenset[int]) -> Tree | None:
        """A visibly nonnegative formula of a polynomial, without facts about eliminated variables."""
        self.signs.steps -= 1
        if self.signs.steps <= 0 or len(polynomial) > FEW:
            return None
        for way in (self.signs.by_terms, self.signs.by_shift):
            if (found := way(polynomial)) is not None:
                return found
        return self._by_factors(polynomial, gone) or self._by_bounds(polynomial, gone)

    def _by_factors(self, polynomial: fmpq_mpoly, gone: frozenset[int]) -> Tree | None:
        """The product of factors whose signs are visible, and of one factor that needs further eliminations."""
        lead, factors = factors_of(polynomial)
        if len(factors) < 2:
            return None
        visible, open_ = list[Tree](), list[fmpq_mpoly]()
        for factor, power in factors:
            sign, formula = self._visible(factor)
            if formula is None:
                open_ += [factor] * (power % 2)
                formula = self.signs.formula(factor) if power > 1 else None
                power -= power % 2
            else:
                lead *= sign**power
            if formula is not None:
                visible.append(formula if power == 1 else ["^", formula, str(power)])
        if len(open_) != 1 or not visible:
            return None
        rest = self.nonnegative(open_[0] * (1 if lead > 0 else -1), gone)
        return None if rest is None else ["*", str(abs(lead)), *visible, rest]

    def _visible(self, factor: fmpq_mpoly) -> tuple[int, Tree | None]:
        """The sign of a factor, and a formula of the factor with this sign that is visibly nonnegative."""
        for sign in (1, -1):
            if (found := self.signs.by_terms(factor * sign)) is not None:
                return sign, found
        return 1, None

    def _by_bounds(self, polynomial: fmpq_mpoly, gone: frozenset[int]) -> Tree | None:
        """A bound in place of the variable about which the fewest facts speak."""
        for place, facts in self._choices(polynomial, gone):
            for known in facts:
                division = self.signs.division(polynomial, known, place)
                if division is None:
                    continue
                quotient, rest, scale = division
                by = self.signs.formula(quotient) if known.zero else self._at_once(quotient)
                left = None if by is None else self.nonnegative(rest, gone | {place})
                if by is not None and left is not None:
                    whole: Tree = ["+", ["*", by, known.formula], left]
                    return whole if scale is None else ["/", whole, scale]
        return None

    def _at_once(self, polynomial: fmpq_mpoly) -> Tree | None:
        """A visibly nonnegative formula that needs at most one fact."""
        return self.signs.nonnegative_formula(polynomial, 1)

    def _choices(self, polynomial: fmpq_mpoly, gone: frozenset[int]) -> list[tuple[int, list[Known]]]:
        """Variables of a polynomial with the facts that bound them and do not speak of eliminated variables."""
        found = []
        for place, degree in enumerate(polynomial.degrees()):
            if degree == 1:
                degrees = ((known, known.polynomial.degrees()) for known in self.signs.known)
                facts = [known for known, of in degrees if of[place] == 1 and not any(of[k] for k in gone)]
                found += [(place, facts)] if facts else []
        return sorted(found, key=lambda entry: len(entry[1]))[:ORDERS]
