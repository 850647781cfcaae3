"""Search for an equation: equations substituted one after the other until nothing is left.

A remainder that is not zero proves nothing here, whatever its sign, so no signs are searched but those of divisors.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flint import fmpq_mpoly

from verify.engine.certificates.formulas import Tree
from verify.engine.tactics.signs import LONG, LONG_STEP, Signs


@dataclass
class Equations:
    """The signs of a field whose known polynomials are all zero, and the polynomials that do not follow from them."""

    signs: Signs
    failed: dict[str, int] = field(default_factory=dict)

    def zero_formula(self, polynomial: fmpq_mpoly, depth: int) -> Tree | None:
        """A visibly zero formula of a polynomial, with up to `depth` known polynomials substituted."""
        if polynomial.is_zero():
            return "0"
        signs, name = self.signs, str(polynomial)
        if len(polynomial) > LONG or signs.steps <= 0 or self.failed.get(name, 0) >= depth:
            return None
        signs.steps -= 1 + len(polynomial) // LONG_STEP
        for known, quotient, rest, scale in signs.divisions(polynomial):
            left = self.zero_formula(rest, depth - 1)
            if left is not None:
                taken: Tree = ["*", signs.formula(quotient), known.formula]
                whole = taken if left == "0" else ["+", taken, left]
                return whole if scale is None else ["/", whole, scale]
        self.failed[name] = depth
        return None
