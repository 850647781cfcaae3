"""Random claims about sequences, judged by the engine and by an independent simulation in fractions.

    python -m tests.fuzz.recursions --number 300 --seed 0 --json results/fuzz-recursions.json

A claim has a recursion for every t >= 1, or weights with a given sum, and one relation about later entries or sums. The
simulation runs the recursion with random gaps in fractions and uses none of the engine's code. A verdict is wrong if a
proved claim fails in a run, or if the engine's counterexample is outside a domain, breaks a condition or does not break
the relation. An error inside the engine counts, too. The command ends with status 1 if anything is wrong.
"""

from __future__ import annotations

import random
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from tests.fuzz.command import run
from verify import Notes
from verify.engine.judge import judge

RUNS = 300
"""Runs of the simulation for one claim."""
LONGEST = 5
"""The last index of a run."""
TRIED = 40
"""Gaps tried for one entry before a run is given up."""
t, T = sp.symbols("t T", integer=True, positive=True)
i = sp.Symbol("i", integer=True)
a, b = sp.symbols("a b", positive=True)
c = sp.Symbol("c", real=True)
DOMAINS = {"real": {"real": True}, "nonnegative": {"nonnegative": True}, "positive": {"positive": True}}


@dataclass(frozen=True)
class Case:
    """A random claim: the sequence, the condition for every t or on the sum, further conditions, and the relation."""

    base: sp.IndexedBase
    every: sp.Basic | None
    once: tuple[sp.Basic, ...]
    relation: sp.Basic


def made(rng: random.Random) -> Case:
    """A random claim: true, almost true, or neither."""
    domain = rng.choice(list(DOMAINS))
    x = sp.IndexedBase(sp.Symbol("x", **DOMAINS[domain]))
    few = sp.Rational(rng.choice([1, 1, 2, 3]), rng.choice([1, 2, 3]))
    if rng.random() < 0.25:
        return _of_weights(x, few, rng)
    previous = x[t - 1]
    steps = (
        *((1 - a) * previous + b, previous + b, previous - b, a * previous, previous / 2 + c, few * previous),
        *(previous - a * previous**2, previous + c, previous / (1 + a * previous**2), sp.Max(previous, b)),
    )
    kind = rng.choice([sp.Le, sp.Le, sp.Le, sp.Ge, sp.Eq])
    every = kind(x[t], rng.choice(steps), evaluate=False)
    once = tuple(sp.Le(a, rng.choice([1, few]), evaluate=False) for _ in range(rng.choice([0, 1])))
    start = rng.choice(
        [x[0], x[0], b / a, few, x[0] + T * b, (1 - a) ** T * x[0] + b / a, x[0] / 2**T + 2 * c]
    )
    less = rng.choice([1, 1, 1, sp.Rational(9, 10), sp.Rational(11, 10)])
    compared = rng.choice([sp.Le, sp.Le, sp.Ge])
    relations = (
        compared(x[T], less * start, evaluate=False),
        compared(sp.Sum(x[i], (i, 1, T)), less * T * x[0], evaluate=False),
        compared(x[T] ** 2, less * x[0] ** 2, evaluate=False),
        sp.Gt(b * x[T], 0, evaluate=False),
        sp.Ge(x[T], 0, evaluate=False),
    )
    return Case(x, every, once, rng.choice(relations))


def _of_weights(x: sp.IndexedBase, few: sp.Rational, rng: random.Random) -> Case:
    """A claim about numbers with a known sum."""
    total = sp.Sum(x[i], (i, 1, T))
    value = rng.choice([sp.Integer(1), a, few, c])
    squares = sp.Sum(x[i] ** 2, (i, 1, T))
    less = rng.choice([1, 1, sp.Rational(9, 10)])
    if rng.random() < 0.4:
        known = sp.Le(rng.choice([squares, total, x[1]]), rng.choice([a, few]), evaluate=False)
        relation = rng.choice([total**2 / T, total / T, squares, x[T]])
        bound = rng.choice([known.rhs, less * known.rhs, sp.sqrt(known.rhs**2), few])
        return Case(x, None, (known,), sp.Le(relation, bound, evaluate=False))
    relation = rng.choice(
        [
            sp.Le(value**2, less * T * squares, evaluate=False),
            sp.Le(squares, less * value**2, evaluate=False),
            sp.Le(x[1], value, evaluate=False),
            sp.Ge(b * x[T], 0, evaluate=False),
        ]
    )
    return Case(x, None, (sp.Eq(total, value, evaluate=False),), relation)


# ------------------------------------------------------------------------------------------------- simulation


def value(formula: sp.Basic, point: Mapping[sp.Symbol, Fraction], entries: Sequence[Fraction]) -> Fraction:
    """Value of a formula in fractions; `entries` are those of the sequence, from index 0.

    Raises
    ------
    ZeroDivisionError, IndexError
        If it is not defined.
    """
    args = formula.args
    if isinstance(formula, sp.Indexed):
        place = value(formula.indices[0], point, entries)
        if place < 0 or place.denominator != 1:
            raise IndexError(place)
        return entries[int(place)]
    if isinstance(formula, sp.Symbol):
        return point[formula]
    if isinstance(formula, sp.Rational):
        return Fraction(int(formula.p), int(formula.q))
    if isinstance(formula, sp.Sum):
        index, low, high = formula.limits[0]
        ends = range(int(value(low, point, entries)), int(value(high, point, entries)) + 1)
        return sum(
            (value(formula.function, {**point, index: Fraction(k)}, entries) for k in ends), Fraction(0)
        )
    inside = [value(part, point, entries) for part in args]
    if isinstance(formula, sp.Add):
        return sum(inside, Fraction(0))
    if isinstance(formula, sp.Mul):
        found = Fraction(1)
        for part in inside:
            found *= part
        return found
    if isinstance(formula, sp.Pow) and inside[1].denominator == 1:
        return inside[0] ** int(inside[1])
    if isinstance(formula, sp.Max):
        return max(inside)
    raise NotImplementedError(str(formula))


def holds(relation: sp.Basic, point: Mapping[sp.Symbol, Fraction], entries: Sequence[Fraction]) -> bool:
    """Whether a relation holds."""
    left, right = (value(side, point, entries) for side in relation.args)
    return {
        sp.Le: left <= right,
        sp.Ge: left >= right,
        sp.Lt: left < right,
        sp.Gt: left > right,
        sp.Eq: left == right,
    }[relation.func]


def inside(label: sp.Symbol, number: Fraction) -> bool:
    """Whether a number is in the domain of a symbol."""
    return number > 0 if label.is_positive else number >= 0 if label.is_nonnegative else True


def runs(case: Case, rng: random.Random) -> Iterator[tuple[dict[sp.Symbol, Fraction], list[Fraction]]]:
    """Points and entries that meet all conditions."""
    label = case.base.label
    for _ in range(RUNS):
        point = {s: _drawn(s, rng) for s in (a, b, c)} | {T: Fraction(rng.randint(1, LONGEST))}
        entries = [_drawn(label, rng) for _ in range(LONGEST + 1)]
        with_total = case.every is None and isinstance(case.once[0], sp.Eq)
        try:
            if with_total and not _scaled(case, point, entries):
                continue
            if case.every is not None and not _grown(case, point, entries, rng):
                continue
            if all(holds(one, point, entries) for one in case.once):
                yield point, entries
        except ZeroDivisionError:
            continue


def _grown(
    case: Case, point: Mapping[sp.Symbol, Fraction], entries: list[Fraction], rng: random.Random
) -> bool:
    """Whether entries were found, one after the other, that meet the condition for every t."""
    assert case.every is not None
    kind, bound = case.every.func, case.every.rhs
    for step in range(1, len(entries)):
        limit = value(bound, {**point, t: Fraction(step)}, entries)
        for _ in range(TRIED):
            gap = Fraction(0) if kind is sp.Eq else rng.choice([Fraction(0), _drawn(b, rng)])
            entries[step] = limit + (gap if kind is sp.Ge else -gap)
            if inside(case.base.label, entries[step]):
                break
        else:
            return False
    return True


def _scaled(case: Case, point: Mapping[sp.Symbol, Fraction], entries: list[Fraction]) -> bool:
    """Whether the entries were multiplied so that their sum has its value."""
    (whole,) = case.once
    now, then = (value(side, point, entries) for side in whole.args)
    if now == 0:
        return False
    entries[:] = [entry * then / now for entry in entries]
    return all(inside(case.base.label, entry) for entry in entries)


def _drawn(symbol: sp.Symbol, rng: random.Random) -> Fraction:
    size = Fraction(rng.randint(0, 12), rng.choice([1, 1, 2, 3, 5]))
    size *= Fraction(10) ** rng.choice([0, 0, 0, 0, -3, 2])
    if symbol.is_positive:
        return size or Fraction(1)
    return size if symbol.is_nonnegative or rng.random() < 0.5 else -size


# --------------------------------------------------------------------------------------------------- verdicts


def wrong_counterexample(case: Case, witness: Mapping[str, Any]) -> str:
    """The fault of the counterexample of a record; empty if there is none."""
    named = {**witness["shape"], **witness["parameters"], **witness["steps"]}
    point = {s: Fraction(str(named.get(s.name, 1))) for s in (a, b, c, T)}
    listed = {int(k): Fraction(entry) for k, entry in witness.get("sequences", {}).get("x", {}).items()}
    entries = [listed.get(k, Fraction(1)) for k in range(max(listed, default=0) + 1)]
    if not all(inside(case.base.label, entry) for entry in listed.values()):
        return "an entry is outside its domain"
    if case.every is not None:
        for step in range(1, len(entries)):
            if not holds(case.every, {**point, t: Fraction(step)}, entries):
                return f"the condition is broken at t = {step}"
    if not all(holds(one, point, entries) for one in case.once):
        return "a condition is broken"
    return "the relation holds" if holds(case.relation, point, entries) else ""


def judged(place: int, seed: int) -> dict[str, Any]:
    """A random claim with its verdict and the fault of the verdict; empty if there is none."""
    rng = random.Random(f"{seed} {place}")
    case = made(rng)
    conditions = (*((case.every,) if case.every is not None else ()), *case.once)
    label = case.base.label
    domain = "positive" if label.is_positive else "nonnegative" if label.is_nonnegative else "real"
    said = {
        "place": place,
        "x": domain,
        "relation": str(case.relation),
        "conditions": list(map(str, conditions)),
    }
    try:
        claim = Notes(f"recursion{place}").claim("claim", case.relation, *conditions)
        record = judge(claim, "quick", seed)
    except Exception as error:
        refused = type(error).__name__ in ("UsageError", "TypeError")
        return {
            **said,
            "verdict": "refused" if refused else "error",
            "wrong": "" if refused else traceback.format_exc(),
        }
    met, broken = 0, dict[str, Any]()
    for point, entries in runs(case, rng):
        met += 1
        if not broken and not holds(case.relation, point, entries):
            broken = {str(s): str(number) for s, number in point.items()} | {"x": list(map(str, entries))}
    verdict, wrong = record["verdict"], ""
    if verdict in ("proved", "proved (cited)") and broken:
        wrong = "false, but proved"
    elif verdict == "vacuous" and met:
        wrong = "its conditions can be met, but vacuous"
    elif verdict == "refuted" and record["witness"]["method"] == "exact":
        wrong = wrong_counterexample(case, record["witness"])
    return {**said, "verdict": verdict, "runs": met, "fails at": broken, "wrong": wrong}


def main(arguments: list[str] | None = None) -> int:
    """Judge random claims; 1 if anything is wrong."""
    return run(judged, 1000, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
