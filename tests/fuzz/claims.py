"""Random claims over free numbers, judged by the engine and by an independent evaluation at many points.

    python -m tests.fuzz.claims --number 5000 --seed 0 --json results/fuzz-claims.json

The evaluation uses mpmath with 60 and 200 digits and none of the engine's code. A verdict is wrong if a proved claim fails at a
point, if the engine's counterexample does not break its claim, or if a claim is called vacuous although a point meets
its conditions. An error inside the engine counts, too. The command ends with status 1 if anything is wrong.
"""

from __future__ import annotations

import random
import sys
import traceback
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp

from tests.fuzz.command import run
from verify import Notes, facts
from verify.engine.judge import judge
from verify.engine.links import with_final_verdicts

DIGITS = (60, 200)
"""Precisions at which both sides are evaluated; a difference that is not the same at both is a rounding error."""
MORE_DIGITS = (1000, 4000)
"""Precisions that decide whether a relation fails: sums of numbers of very different sizes need them."""
POINTS = 400
"""Points at which one claim is evaluated."""
ROUNDING = mpmath.mpf(10) ** -40
"""Relative distance from a whole number up to which a number is not rounded down or up."""
LARGEST = 64
"""Bits of the largest exponent that is evaluated."""
TAKES_ANY_RELATION = (
    "descent",
    "first_order",
    "cocoercive",
    "coercive",
    "monotone",
    "no_steeper",
    "mean_value",
)


@dataclass(frozen=True)
class Case:
    """A random claim: its symbols, its relation and conditions, and the lemmas that its proof may use."""

    notes: Notes
    relation: sp.Basic
    conditions: tuple[sp.Basic, ...]
    premises: tuple[sp.Basic, ...]
    lemmas: tuple[Any, ...]


class Undefined(ArithmeticError):
    """A formula without a value at a point."""


def value(formula: sp.Basic, point: dict[sp.Basic, Fraction]) -> Any:
    """Value of a formula at a point, in mpmath's numbers.

    Raises
    ------
    Undefined
        At a division by zero, or a root or logarithm outside its domain.
    """
    args = formula.args
    if formula in point:
        return mpmath.mpf(point[formula].numerator) / point[formula].denominator
    if isinstance(formula, sp.Rational):
        return mpmath.mpf(int(formula.p)) / int(formula.q)
    if isinstance(formula, sp.NumberSymbol):
        return mpmath.mpf(str(formula.n(mpmath.mp.dps)))
    if isinstance(formula, sp.Add):
        return mpmath.fsum(value(part, point) for part in args)
    if isinstance(formula, sp.Mul):
        return mpmath.fprod(value(part, point) for part in args)
    if isinstance(formula, sp.Pow):
        return _power(value(args[0], point), value(args[1], point))
    if isinstance(formula, sp.exp):
        return mpmath.exp(_exponent(value(args[0], point)))
    if isinstance(formula, sp.log):
        inside = value(args[0], point)
        if inside <= 0:
            raise Undefined
        return mpmath.log(inside)
    if isinstance(formula, sp.Abs):
        return abs(value(args[0], point))
    if isinstance(formula, sp.Max | sp.Min):
        return (max if isinstance(formula, sp.Max) else min)(value(part, point) for part in args)
    if isinstance(formula, sp.Sum | sp.Product):
        index, low, high = formula.limits[0]
        steps = range(int(value(low, point)), int(value(high, point)) + 1)
        parts = [value(formula.function, {**point, index: Fraction(k)}) for k in steps]
        return (mpmath.fsum if isinstance(formula, sp.Sum) else mpmath.fprod)(parts)
    if isinstance(formula, sp.floor | sp.ceiling):
        return _rounded(value(args[0], point), mpmath.floor if isinstance(formula, sp.floor) else mpmath.ceil)
    if isinstance(formula, sp.factorial):
        return mpmath.factorial(_exponent(value(args[0], point)))
    if isinstance(formula, sp.binomial):
        return mpmath.binomial(*(value(part, point) for part in args))
    raise NotImplementedError(str(formula))


def _power(base: Any, exponent: Any) -> Any:
    if mpmath.isint(_exponent(exponent)):
        if base == 0 and exponent < 0:
            raise Undefined
        return base ** int(exponent)
    if base < 0 or (base == 0 and exponent < 0):
        raise Undefined
    return base**exponent


def _rounded(number: Any, rounding: Any) -> Any:
    """A number rounded down or up; undefined if it is a whole number up to rounding errors."""
    nearest = mpmath.nint(number)
    if nearest != number and abs(number - nearest) < ROUNDING * (1 + abs(number)):
        raise Undefined
    return rounding(number)


def _exponent(number: Any) -> Any:
    if number and mpmath.mag(number) > LARGEST:
        raise Undefined
    return number


def _difference(relation: sp.Basic, point: dict[sp.Basic, Fraction], precisions: tuple[int, int]) -> Any:
    """The left side minus the right side; zero if it is only a rounding error."""
    found = []
    for digits in precisions:
        with mpmath.workdps(digits):
            left, right = (value(side, point) for side in relation.args)
            found.append(left - right)
    return found[1] if 2 * abs(found[0] - found[1]) < abs(found[1]) else mpmath.mpf(0)


def compared(
    relation: sp.Basic, point: dict[sp.Basic, Fraction], precisions: tuple[int, int] = DIGITS
) -> bool | None:
    """Whether a relation holds at a point; None for a strict inequality whose sides differ only by rounding."""
    difference = _difference(relation, point, precisions)
    if isinstance(relation, sp.Eq):
        return bool(difference == 0)
    if difference == 0:
        return None if isinstance(relation, sp.Lt | sp.Gt) else True
    return bool((difference < 0) == isinstance(relation, sp.Le | sp.Lt))


def state(case: Case, point: dict[sp.Basic, Fraction]) -> str:
    """The state of a claim at a point: "undefined", "outside" its conditions, "holds", "fails" or "unclear"."""
    found = _state_of(case, point, DIGITS)
    return _state_of(case, point, MORE_DIGITS) if found == "fails" else found


def _state_of(case: Case, point: dict[sp.Basic, Fraction], precisions: tuple[int, int]) -> str:
    try:
        met = [compared(condition, point, precisions) for condition in case.conditions]
        if None in met:
            return "unclear"
        if not all(met):
            return "outside"
        found = compared(case.relation, point, precisions)
    except Undefined:
        return "undefined"
    return {True: "holds", False: "fails", None: "unclear"}[found]


def points(case: Case, rng: random.Random) -> list[dict[sp.Basic, Fraction]]:
    """Simple fractions, numbers far away and near zero, in each symbol's domain."""
    symbols = sorted(_symbols(case), key=str)
    return [{symbol: _number(symbol, rng) for symbol in symbols} for _ in range(POINTS)]


def _symbols(case: Case) -> set[sp.Symbol]:
    used = (case.relation, *case.conditions)
    return set().union(*(relation.free_symbols for relation in used))


def _number(symbol: sp.Symbol, rng: random.Random) -> Fraction:
    if symbol.is_integer:
        return Fraction(rng.choice([1, 1, 2, 2, 3, 4, 5, 7, 12]))
    simple = Fraction(rng.randint(0, 24), rng.choice([1, 1, 2, 3, 5]))
    size = simple if rng.random() < 0.7 else Fraction(10) ** rng.randint(-9, 9)
    if symbol.is_positive:
        return size or Fraction(1)
    return size if symbol.is_nonnegative or rng.random() < 0.5 else -size


def _le(left: Any, right: Any) -> sp.Basic:
    return sp.Le(sp.sympify(left), sp.sympify(right), evaluate=False)


def made(name: str, rng: random.Random) -> Case:
    """A random claim: true, almost true, or neither."""
    notes = Notes(name)
    x, y = notes.real("x y")
    p, q = notes.positive("p q")
    w = notes.nonnegative("w")
    n, m = notes.count("n m")
    letters = (x, y, p, q, w)

    def number() -> sp.Rational:
        return sp.Rational(rng.randint(-12, 12), rng.choice([1, 1, 2, 3]))

    def formula(depth: int) -> sp.Expr:
        if depth == 0:
            return rng.choice([*letters, *letters, n, m, number()])
        a, b = formula(depth - 1), formula(rng.randint(0, depth - 1))
        index = sp.Symbol("i", integer=True)
        return rng.choice(
            [
                *(lambda: a + b, lambda: a - b, lambda: a * b, lambda: a**2, lambda: a**2 + b**2),
                *(lambda: a / b, lambda: a / (b**2 + 1), lambda: sp.sqrt(a), lambda: sp.sqrt(a**2 + 1)),
                *(lambda: sp.Abs(a), lambda: sp.Max(a, b), lambda: sp.Min(a, b), lambda: (a + 11) ** (m * n)),
                *(
                    lambda: a**n,
                    lambda: p**a,
                    lambda: sp.log(a),
                    lambda: sp.log(p),
                    lambda: sp.exp(rng.choice(letters) / 8),
                ),
                lambda: sp.Sum(a * index, (index, 1, n)),
                *(
                    lambda: sp.floor(a),
                    lambda: sp.ceiling(a),
                    lambda: sp.factorial(rng.choice([n, m, n + m])),
                ),
                *(lambda: sp.binomial(n + m, m), lambda: sp.Product(1 + w / index, (index, 1, n))),
            ]
        )()

    def defined(depth: int) -> sp.Expr:
        while True:
            try:
                found = formula(depth)
            except ValueError:  # SymPy refuses the maximum of complex numbers
                continue
            if (
                found.is_real is not False
                and not found.has(sp.zoo, sp.nan, sp.oo, sp.I)
                and found.free_symbols
            ):
                return found

    a, b = defined(rng.randint(1, 2)), defined(1)
    kinds = (
        lambda: _le(0, a**2 + rng.choice([0, 0, 1, -1])),
        lambda: _le(2 * a * b, a**2 + rng.choice([1, 1, sp.Rational(99, 100)]) * b**2),
        lambda: _le(rng.choice([-11, -100, -(10**6)]), rng.choice(letters)),
        lambda: sp.Lt(0, (x + rng.choice([11, number()])) ** 2, evaluate=False),
        lambda: _le(a, b),
        lambda: _le(sp.Min(a, b), sp.Max(a, b) + rng.choice([0, 1, sp.Rational(-1, 100)])),
        lambda: sp.Eq((a + b) ** 2, a**2 + rng.choice([2, 2, 1]) * a * b + b**2, evaluate=False),
        lambda: _le(a, a + rng.choice([w, p, x**2, y])),
    )
    relation = rng.choice(kinds)()
    conditions = tuple(
        rng.choice(
            [lambda: _le(x, number()), lambda: _le(number(), y), lambda: _le(p, q), lambda: _le(0, b)]
        )()
        for _ in range(rng.choice([0, 0, 1, 1, 2]))
    )
    premises = (_le(0, rng.choice([sp.sqrt(x + 11), 1 / (x + 11) ** 2, a**2])),) if rng.random() < 0.3 else ()
    lemmas = []
    if rng.random() < 0.3:
        lemmas.append(
            rng.choice(
                [
                    lambda: getattr(facts, rng.choice(TAKES_ANY_RELATION))(relation),
                    lambda: (
                        facts.least(relation.lts, relation.gts)
                        if isinstance(relation, sp.Le)
                        else facts.logarithm(p)
                    ),
                    lambda: facts.logarithm(1 / (x + 11) ** 2),
                    lambda: facts.beyond(sp.sqrt(x + 11), y),
                    lambda: facts.tangent(p, q),
                    lambda: facts.bernoulli(x, n),
                ]
            )()
        )
    return Case(notes, relation, conditions, premises, tuple(lemmas))


def judged(place: int, seed: int) -> dict[str, Any]:
    """A random claim with its verdict and the fault of the verdict; empty if there is none."""
    rng = random.Random(f"{seed} {place}")
    case = made(f"fuzz{place}", rng)
    said = {
        "place": place,
        "relation": str(case.relation),
        "conditions": list(map(str, case.conditions)),
        "premises": list(map(str, case.premises)),
        "lemmas": [lemma.name for lemma in case.lemmas],
    }
    notes = case.notes
    try:
        for k, premise in enumerate(case.premises):
            notes.claim(f"premise{k}", premise)
        claim = notes.claim(
            "claim", case.relation, *case.conditions, premises=case.premises, facts=case.lemmas
        )
    except Exception as error:
        return {
            **said,
            "verdict": "refused" if type(error).__name__ == "UsageError" else "error",
            "wrong": "" if type(error).__name__ == "UsageError" else traceback.format_exc(),
        }
    try:
        records = with_final_verdicts([judge(c, "quick", seed, notes.claims) for c in notes.claims])
        record = next(r for r in records if r["id"] == claim.statement.id)
    except Exception as error:
        refused = type(error).__name__ == "UsageError"
        return {
            **said,
            "verdict": "refused" if refused else "error",
            "wrong": "" if refused else traceback.format_exc(),
        }
    verdict = record["verdict"]
    if verdict == "refuted":  # its counterexample is the only point that matters
        there = state(case, _witness(record, case))
        wrong = "" if there in ("fails", "unclear") else f"refuted, but {there} at the counterexample"
        return {**said, "verdict": verdict, "wrong": wrong}
    found = Counter[str]()
    broken: dict[str, str] = {}
    for point in points(case, rng):
        where = state(case, point)
        found[where] += 1
        if where == "fails" and not broken:
            broken = {str(symbol): str(number) for symbol, number in point.items()}
    wrong = ""
    if verdict in ("proved", "proved (cited)") and broken:
        wrong = "false, but proved"
    elif verdict == "vacuous" and (found["holds"] or found["fails"]):
        wrong = "its conditions can be met, but vacuous"
    return {**said, "verdict": verdict, "points": dict(found), "fails at": broken, "wrong": wrong}


def _witness(record: dict[str, Any], case: Case) -> dict[sp.Basic, Fraction]:
    """The point of a counterexample; symbols that it does not contain do not matter."""
    named = {**record["witness"]["shape"], **record["witness"]["parameters"]}
    return {symbol: Fraction(str(named.get(symbol.name, 1))) for symbol in _symbols(case)}


def main(arguments: list[str] | None = None) -> int:
    """Judge random claims; 1 if anything is wrong."""
    return run(judged, 5000, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
