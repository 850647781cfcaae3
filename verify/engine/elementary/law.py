"""Textbook laws about the functions in a claim, as formulas of certificates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from verify.engine.certificates.formulas import Tree

LAW = "law "
"""Prefix of the justification of a law; a law is true for every value of the symbol of an induction."""
CONDITION = "condition for every "
"""Prefix of the justification of a condition that holds for every index of a sequence."""
CONVEX = "exp lies above its tangents"
TAYLOR = "Taylor polynomials of exp"
DERIVATIVE = "a function lies above its Taylor polynomial where its next derivative is nonnegative"
LEAST = "a function that falls up to a number and grows from there is least at this number"
CHORD = "a concave function lies above its chord"
MEAN_VALUE = "a function whose derivative is at most L in size changes by at most L |x - c|"
RATIONAL_BOUNDS = "2 (x - 1)/(x + 1) <= log x <= (x^2 - 1)/(2 x) for x >= 1"
POSITIVE = "exp is positive"
INSIDE = "a logarithm is taken of a positive number"
EXP_SUM = "exp(a + b) = exp(a) exp(b)"
EXP_LOG = "exp(a log x) = x^a"
LOG_PRODUCT = "log(a b) = log a + log b"
POWERS = "x^(a + b) = x^a x^b"
POWER_BELOW = "x^t <= exp(t (x - 1))"
POWER_ABOVE = "x^t >= exp(t (1 - 1/x))"
BERNOULLI = "y^t >= x^t + t x^(t - 1) (y - x)"
QUOTIENT = "y^t <= x^t exp(t (y - x)/x)"
CONCAVE_POWER = "y^p <= x^p + p x^(p - 1) (y - x) for 0 <= p <= 1"
CONVEX_POWER = "y^p >= x^p + p x^(p - 1) (y - x) for p >= 1"
NEGATIVE_POWER = "y^p >= x^p + p x^(p - 1) (y - x) for p <= 0"
MONOTONE_POWER = "x^p grows with x for p >= 0"
POWER_MEAN = "((x + y)/2)^p <= (x^p + y^p)/2 for p >= 1"
VALUE = "value of a constant"
NEXT = "a sum or product with one more term"
BEGINNING = "a sum or product with its first terms"
NONNEGATIVE = "a sum or product has the sign of its terms"
FIRST_TERM = "a sum or product has a value only if its first term has one"
INTEGRAL = "a sum of monotone terms lies between integrals"
PEAK = "a sum of terms that grow and then fall differs from an integral by at most the largest term"
MONOTONE = "a sum of monotone terms lies between multiples of its first and last term"
CAUCHY = "Cauchy-Schwarz: (sum x y)^2 <= (sum x^2) (sum y^2)"
MEAN_OF_POWERS = "power means: (sum w x)^p <= (sum w)^(p - 1) (sum w x^p) for p >= 1 and p <= 0, the contrary for 0 <= p <= 1"
POWER_OF_SUM = "sum x^p <= (sum x)^p for p >= 1, the contrary for 0 <= p <= 1"
HOELDER = "Hoelder: x y + z w <= (x^p + z^p)^(1/p) (y^q + w^q)^(1/q) for 1/p + 1/q = 1"
MINKOWSKI = "Minkowski: the norm (x^p + y^p)^(1/p), p >= 1, of a sum is at most the sum of the norms"
SUMMED_TANGENTS = "a sum of values of exp or log lies beyond the sum of tangents"
FACTORS = "a product of factors f >= 0 is at most the exponential of an integral that bounds the sum of f - 1"
WEIERSTRASS = "a product of factors f is at least 1 plus the sum of f - 1, if all f >= 1 or all 0 <= f <= 1"
MEANS = "a geometric mean is at most the arithmetic mean"
CHEBYSHEV = "Chebyshev: (sum x) (sum y) <= n (sum x y) for sequences in the same order, the contrary in opposite orders"
TERMS = "a sum of larger terms is larger"
PART = "a sum of nonnegative terms is at least each part of it"
LINEAR = "a sum is linear in its terms"
WHOLE_PART = "a floor or ceiling is a whole number next to its argument"
NESTED = "floor((floor(x) + m)/n) = floor((x + m)/n), and the same for ceilings"
FACTORIAL = "(n + 1)! = (n + 1) n!"
BINOMIAL = "a binomial as a quotient of factorials"
BINOMIAL_ROW = "a binomial is at most the sum of its row, 2^n"
BINOMIAL_THEOREM = "the binomial theorem, with i C(n, i) = n C(n - 1, i - 1)"
VANDERMONDE = "Vandermonde: sum C(r, i) C(s, m - i) = C(r + s, m)"
LOG_SERIES = "-log(1 - x) is at least the first terms of its series for 0 <= x < 1"
SERIES = "exp(x) is at least the first terms of its series for x >= 0"
PASCAL = "Pascal's rule, added up over a row"
BEYOND = "a whole number beyond a smaller one"
_CONCRETE = "Graham, Knuth, Patashnik, Concrete Mathematics, 1994"
_HARDY = "Hardy, Littlewood, Polya, Inequalities, 1934"
_RUDIN = "Rudin, Principles of Mathematical Analysis, 1976"
SOURCES: Mapping[str, str] = {
    CONVEX: f"{_RUDIN}, Theorem 8.6 and Exercise 4.23",
    TAYLOR: f"{_RUDIN}, Theorem 5.15",
    DERIVATIVE: f"{_RUDIN}, Theorem 5.15",
    LEAST: f"{_RUDIN}, Theorem 5.11",
    CHORD: f"{_RUDIN}, Exercises 4.23 and 5.14",
    MEAN_VALUE: f"{_RUDIN}, Theorem 5.10",
    RATIONAL_BOUNDS: "Mitrinovic, Analytic Inequalities, 1970, Section 3.6",
    POSITIVE: f"{_RUDIN}, Theorem 8.6",
    INSIDE: f"{_RUDIN}, (39) of Chapter 8",
    EXP_SUM: f"{_RUDIN}, (26) of Chapter 8",
    EXP_LOG: f"{_RUDIN}, (41) of Chapter 8",
    LOG_PRODUCT: f"{_RUDIN}, (40) of Chapter 8",
    POWERS: f"{_RUDIN}, Exercise 1.6",
    POWER_BELOW: f"{_RUDIN}, Theorem 8.6, from 1 + y <= exp(y)",
    POWER_ABOVE: f"{_RUDIN}, Theorem 8.6, from 1 + y <= exp(y)",
    BERNOULLI: "Hardy, Littlewood, Polya, Inequalities, 1934, Section 2.15, from Bernoulli's inequality",
    QUOTIENT: f"{_RUDIN}, Theorem 8.6, from 1 + u <= exp(u)",
    CONCAVE_POWER: "Hardy, Littlewood, Polya, Inequalities, 1934, Theorem 41",
    CONVEX_POWER: "Hardy, Littlewood, Polya, Inequalities, 1934, Theorem 41",
    NEGATIVE_POWER: "Hardy, Littlewood, Polya, Inequalities, 1934, Theorem 41",
    MONOTONE_POWER: f"{_RUDIN}, Exercise 1.6",
    POWER_MEAN: "Hardy, Littlewood, Polya, Inequalities, 1934, Theorem 16",
    VALUE: "Arb, Johansson 2017, interval arithmetic",
    NEXT: "definition",
    BEGINNING: "definition",
    NONNEGATIVE: f"{_RUDIN}, Theorem 1.18",
    FIRST_TERM: "definition",
    INTEGRAL: "Apostol, Mathematical Analysis, 1974, Theorem 8.23",
    PEAK: "Apostol, Mathematical Analysis, 1974, Theorem 8.23, before and after the largest term",
    MONOTONE: f"{_RUDIN}, Theorem 1.18",
    CAUCHY: f"{_HARDY}, Theorem 7",
    MEAN_OF_POWERS: f"{_HARDY}, Theorem 16",
    POWER_OF_SUM: f"{_HARDY}, Theorem 19",
    HOELDER: f"{_HARDY}, Theorem 13",
    MINKOWSKI: f"{_HARDY}, Theorem 24",
    SUMMED_TANGENTS: f"{_HARDY}, Theorem 86",
    FACTORS: f"{_HARDY}, Theorem 86, and Apostol, Mathematical Analysis, 1974, Theorem 8.23",
    WEIERSTRASS: f"{_HARDY}, Theorem 58",
    MEANS: f"{_HARDY}, Theorem 9",
    CHEBYSHEV: f"{_HARDY}, Theorem 43",
    TERMS: f"{_RUDIN}, Theorem 1.18",
    PART: f"{_RUDIN}, Theorem 1.18",
    LINEAR: f"{_CONCRETE}, Section 2.3",
    WHOLE_PART: f"{_CONCRETE}, Section 3.1",
    NESTED: f"{_CONCRETE}, (3.11)",
    FACTORIAL: "definition",
    BINOMIAL: "definition",
    BINOMIAL_ROW: f"{_CONCRETE}, Section 5.1",
    BINOMIAL_THEOREM: f"{_CONCRETE}, (5.6) and (5.12)",
    VANDERMONDE: f"{_CONCRETE}, (5.22)",
    LOG_SERIES: f"{_CONCRETE}, Table 352",
    SERIES: f"{_RUDIN}, (25) of Chapter 8",
    PASCAL: f"{_CONCRETE}, (5.8)",
    BEYOND: "definition",
}


@dataclass(frozen=True)
class Law:
    """A relation from a textbook that holds for all values of its symbols.

    Attributes
    ----------
    relation : Tree
    name : str
        A key of `SOURCES`.
    every : str
        The whole symbol for all values of which the relation holds; empty if it is about one value.
    right : str
        Prefix of the name in the justification in a certificate.
    """

    relation: Tree
    name: str
    every: str = ""
    right: str = LAW

    @property
    def by(self) -> str:
        """The justification with which a certificate assumes the relation."""
        return f"{self.right}{self.name}"


def cited_laws(names: Iterable[str]) -> list[str]:
    """Names of laws with their sources, for the reason of a verdict."""
    return [f"{name} ({SOURCES[name]})" for name in names]
