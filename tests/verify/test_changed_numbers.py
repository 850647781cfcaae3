"""A certificate with one number changed is refused by all three checkers, unless the change changes no value.

A number of a proof (not of its claim, nor of what is given: these make another statement, which `store.answers` refuses)
may be changed without harm only where its line still says an identity: the factor of something that is zero, say. This
is decided apart from the checkers, at random values of all symbols, roots, extremes and functions.
"""

from __future__ import annotations

import copy
import hashlib
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import pytest

from verify.check_proof import NUMBER, Refused, check
from verify.engine.certificates import Rejected, recheck, store
from verify.engine.certificates.coq import PRELUDE, theorem

Place = tuple[Any, ...]
STORED = {e["id"]: e["certificate"] for e in store.entries().values() if "certificate" in e}


def lines_of(lines: list[Any], facts: list[Any], path: Place = ()) -> Iterator[tuple[Place, list[Any], Any]]:
    """Every line that compares a formula with a relation: where it stands, the facts before it, and the line."""
    facts = list(facts)
    for k, line in enumerate(lines):
        if "as" in line:
            yield (*path, k), list(facts), line
        for j, part in enumerate(line.get("parts", ())):
            by = line["split"]
            cases = [[sign, by, "0"] for sign in ("<=", ">")]
            if by[0] in ("max", "min", "abs"):
                cases = [["=", by, x] for x in ([by[1], ["-", by[1]]] if by[0] == "abs" else by[1:])]
            yield from lines_of(part, [*facts, cases[j]], (*path, k, "parts", j))
        facts.append(line.get("show") or line["given"])


def numbers(content: Any, path: Place = ()) -> Iterator[Place]:
    """Where numbers stand in a formula: constants, exponents, and the numbers of facts."""
    if isinstance(content, list):
        for k, part in enumerate(content):
            yield from numbers(part, (*path, k))
    elif isinstance(content, int) or NUMBER.fullmatch(content):
        yield path


def inside(content: Any, path: Place) -> Any:
    for step in path:
        content = content[step]
    return content


def changed(certificate: Any, line: Place, number: Place, rng: random.Random) -> Any:
    new = copy.deepcopy(certificate)
    place = inside(inside(new["lines"], line)["as"], number[:-1]) if number else inside(new["lines"], line)
    key = number[-1] if number else "as"
    old = place[key]
    if isinstance(old, int):
        place[key] = old + rng.choice([k for k in (-1, 1) if old + k >= 0])
    else:
        place[key] = str(Fraction(old) + Fraction(rng.choice((-7, 7, 14, 1)), 7))
    return new


class Values:
    """Formulas at random numbers: whatever is neither sum, product nor quotient has a number of its own."""

    def __init__(self, symbols: dict[str, str], facts: list[Any], seed: int) -> None:
        self.symbols, self.facts, self.seed = symbols, facts, seed
        self.known: dict[str, Fraction] = {}

    def drawn(self, *name: Any) -> Fraction:
        rng = random.Random(hashlib.sha256(repr((self.seed, *name)).encode()).digest())
        return Fraction(rng.randint(2, 10**6), rng.randint(2, 10**3))

    def __call__(self, tree: Any) -> Fraction:
        if isinstance(tree, str):
            if NUMBER.fullmatch(tree):
                return Fraction(tree)
            if self.symbols[tree] in ("count", "whole"):
                return self.known.get(tree, Fraction(2 + int(self.drawn(tree)) % 40))
            return self.known.get(tree, self.drawn(tree))
        head, *parts = tree
        if head == "slack":
            sign, left, right = self.facts[parts[0]]
            return self(["-", left, right] if sign in (">", ">=") else ["-", right, left])
        if head in ("call", "at", "root"):
            return self.drawn(head, parts[0], *map(self, parts[1:]))
        values = [self(part) for part in parts]
        if head == "^" and values[1].denominator == 1 and abs(values[1]) < 1000:
            return values[0] ** int(values[1])
        if head == "/":
            return values[0] / values[1]
        if head in ("+", "*", "-"):
            first, rest = values[0], values[1:]
            if head == "-":
                return first - rest[0] if rest else -first
            return first + sum(rest) if head == "+" else first * prod(rest)
        return self.drawn(head, *values)


def says_an_identity(symbols: dict[str, str], facts: list[Any], line: Any) -> bool:
    try:
        for seed in (1, 2):
            values = Values(symbols, facts, seed)
            for k in line.get("put", ()):
                _, name, value = facts[k]
                values.known[name] = values(value)
            sign, left, right = line["show"]
            large, small = (left, right) if sign in (">", ">=") else (right, left)
            if values(large) - values(small) != values(line["as"]):
                return False
    except (ZeroDivisionError, IndexError):
        return False
    return True


def accepted(checker: Callable[[Any], object], certificate: Any) -> bool:
    try:
        checker(certificate)
    except (Refused, Rejected):
        return False
    return True


def mutants(seed: int) -> Iterator[tuple[str, Any, bool]]:
    """Of every stored certificate one number changed; and whether the line is an identity still."""
    rng = random.Random(seed)
    for id, certificate in STORED.items():
        places = [
            (path, number)
            for path, _, line in lines_of(certificate["lines"], [])
            for number in numbers(line["as"])
        ]
        if not places:
            continue
        path, number = rng.choice(places)
        mutant = changed(certificate, path, number, rng)
        found = {where: (facts, line) for where, facts, line in lines_of(mutant["lines"], [])}
        yield id, mutant, says_an_identity(mutant["symbols"], *found[path])


def test_stored_lines_are_identities_at_random_values() -> None:
    for certificate in STORED.values():
        for _, facts, line in lines_of(certificate["lines"], []):
            assert says_an_identity(certificate["symbols"], facts, line)


@pytest.mark.parametrize("seed", range(3))
def test_a_changed_number_is_refused_by_both_checkers(seed: int) -> None:
    harmless = 0
    for id, mutant, identity in mutants(seed):
        if identity:
            harmless += 1
            continue
        assert not accepted(check, mutant), id
        assert not accepted(recheck, mutant), id
    assert harmless < len(STORED) / 10


def test_a_changed_statement_is_another_one() -> None:
    for id in list(STORED)[::10]:
        mutant = copy.deepcopy(STORED[id])
        mutant["claim"] = ["<=", ["+", mutant["claim"][1], "1"], mutant["claim"][2]]
        assert not accepted(check, mutant), id
        assert not accepted(recheck, mutant), id


@pytest.mark.skipif(not shutil.which("coqtop"), reason="needs Debian's coq")
def test_a_changed_number_is_refused_by_the_proof_kernel(tmp_path: Path) -> None:
    wrong = [(id, mutant) for id, mutant, identity in mutants(7) if not identity][::12]
    names, parts = [], [PRELUDE]
    for k, (_, mutant) in enumerate([*wrong, ("right", next(iter(STORED.values())))]):
        try:
            text = theorem(f"mutant {k}", mutant)
        except (ArithmeticError, LookupError, ValueError):  # not even exported
            continue
        names.append(f"t_mutant_{k}")
        parts += [text, "Abort All.", f"Check {names[-1]}."]
    ran = subprocess.run(
        ["coqtop", "-q"], input="\n".join(parts), capture_output=True, text=True, check=False
    )
    whole = [name for name in names if f"\n{name}\n" in ran.stdout or f"{name} :" in ran.stdout]
    assert whole == [f"t_mutant_{len(wrong)}"]
    assert len(names) > len(wrong) / 2
