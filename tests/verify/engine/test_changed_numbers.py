"""A certificate with one number changed is refused by all three checkers, unless the change changes no value.

A number of a proof may be changed without harm only if its line is still an identity, for example if it is the factor
of a zero. This is decided independently of the checkers, at random values of all symbols, roots, extremes and
functions. Numbers of the claim and of assumptions are not changed, because this makes another statement, which
`store.answers` refuses.
"""

from __future__ import annotations

import copy
import hashlib
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from tests.verify.engine.test_sums import MANY, TRUE
from verify import facts as textbook
from verify.check_proof import NUMBER, Refused, check
from verify.engine.certificates import Rejected, recheck, store
from verify.engine.coq.export import PRELUDE, VECTORS, theorem
from verify.engine.proof.facts import shown_of
from verify.engine.records.answers import FOLDER, pool_in
from verify.engine.tactics.sums import form_shown
from verify.facts.descent import iterated
from verify.facts.rounds import bounded_rounds

Place = tuple[Any, ...]
STORED = {e["id"]: e["certificate"] for e in store.entries().values() if "certificate" in e}
"""Derivations, by id."""
_POOLS = [pool_in(FOLDER, path.name.split(".")[0]) for path in sorted(FOLDER.glob("*.certificates.xz"))]
_KEPT = {name: certificate for pool in _POOLS for name, certificate in pool.items()}
_SAYING = [name for name in sorted(_KEPT) if _KEPT[name]["lines"][-1].get("as", "0") != "0"]
KEPT = {name: _KEPT[name] for name in _SAYING[::50]}
"""Parts of stored proofs, mainly facts at sizes, by their digests; parts that only state the equality of identical
sides are left out.
"""
SUMS = {name: form_shown(MANY, claim) for name, claim in TRUE.items()}
"""Sums over any number of vectors."""
ALL: dict[str, Any] = {**STORED, **KEPT, **SUMS}
MEMBERS, DIMENSION = 3, 2
"""Random families of vectors."""


@cache
def inductions() -> dict[str, Any]:
    """Textbook lemmas proved by induction, and their consequences."""
    n, lost, last = sp.symbols("n", integer=True, positive=True), *sp.symbols("lost last", real=True)
    known = (
        textbook.below_three(n),
        textbook.falling_to_e(n),
        textbook.telescoping(lost, sp.S.One, last),
        *iterated("weak", sp.S.Zero),
        *bounded_rounds([1]),
    )
    shown = {f"{fact.name}: {fact.relation}": shown_of(fact.proof) for fact in known if fact.proof}
    return {f"{name}, {k}": c for name, of in shown.items() for k, c in enumerate(of.proof["certificates"])}


def lines_of(lines: list[Any], facts: list[Any], path: Place = ()) -> Iterator[tuple[Place, list[Any], Any]]:
    """Every line that compares a formula with a relation: its place, the facts before it, and the line."""
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
        if "induct" in line:
            yield from lines_of(line["base"], facts, (*path, k, "base"))
            yield from lines_of(line["step"], [*facts, line["show"]], (*path, k, "step"))
        facts.append(line.get("show") or line["given"])


def numbers(content: Any, path: Place = ()) -> Iterator[Place]:
    """Places of numbers in a formula: constants, exponents, and the numbers of facts."""
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
    """Values of formulas at random numbers; every part that is not a sum, product or quotient has its own random
    number.
    """

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
            if f"family {tree}" in self.symbols.values():
                return Fraction(MEMBERS)
            if self.symbols[tree] in ("count", "whole"):
                return self.known.get(tree, Fraction(2 + int(self.drawn(tree)) % 40))
            return self.known.get(tree, self.drawn(tree))
        head, *parts = tree
        if head == "slack":
            sign, left, right = self.facts[parts[0]]
            return self(["-", left, right] if sign in (">", ">=") else ["-", right, left])
        if head == "dot":
            return self.product(*parts)
        if head == "each":
            return sum((self.product(*parts[1:], member=i) for i in range(MEMBERS)), Fraction(0))
        if head in ("call", "at", "root"):
            return self.drawn(head, parts[0], *map(self, parts[1:]))
        values = [self(part) for part in parts]
        if head == "^" and values[1].denominator == 1 and abs(values[1]) < 1000:
            return values[0] ** int(values[1])
        if head == "/":
            return values[0] / values[1]
        if head in ("+", "*"):
            return sum(values, Fraction(0)) if head == "+" else prod(values, start=Fraction(1))
        if head == "-":
            return values[0] - values[1] if values[1:] else -values[0]
        return self.drawn(head, *values)

    def product(self, u: Any, v: Any, member: int = -1) -> Fraction:
        pairs = zip(self.vector(u, member), self.vector(v, member), strict=True)
        return sum((a * b for a, b in pairs), Fraction(0))

    def vector(self, tree: Any, member: int) -> list[Fraction]:
        """Coordinates of a vector, or of a member of a family."""
        if isinstance(tree, str):
            number = member if self.symbols[tree].startswith("family") else -1
            return [self.drawn(tree, number, k) for k in range(DIMENSION)]
        head, *parts = tree
        if head == "total":
            return [
                sum(of, Fraction(0))
                for of in zip(*(self.vector(parts[0], i) for i in range(MEMBERS)), strict=True)
            ]
        if head == "*":
            return [self(parts[0]) * x for x in self.vector(parts[1], member)]
        sign = 1 if head == "+" else -1
        return [a + sign * b for a, b in zip(*(self.vector(part, member) for part in parts), strict=True)]


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


def mutants(seed: int, certificates: Mapping[str, Any]) -> Iterator[tuple[str, Any, bool]]:
    """For every certificate and number: the certificate with this number changed, and whether the line is still an
    identity.
    """
    rng = random.Random(seed)
    for id, certificate in certificates.items():
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


def test_lines_are_identities_at_random_values() -> None:
    for certificate in (ALL | inductions()).values():
        for _, facts, line in lines_of(certificate["lines"], []):
            assert says_an_identity(certificate["symbols"], facts, line)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_a_changed_number_is_refused_by_both_checkers(seed: int) -> None:
    harmless = 0
    for id, mutant, identity in mutants(seed, ALL | inductions()):
        if identity:
            harmless += 1
            continue
        assert not accepted(check, mutant), id
        assert not accepted(recheck, mutant), id
    assert harmless < len(ALL) / 10


def test_facts_by_induction_are_among_them() -> None:
    assert sum("induct" in certificate["lines"][-1] for certificate in inductions().values()) >= 8


def test_a_changed_statement_is_another_one() -> None:
    for id in list(ALL)[::10]:
        mutant = copy.deepcopy(ALL[id])
        mutant["claim"] = ["<=", ["+", mutant["claim"][1], "1"], mutant["claim"][2]]
        assert not accepted(check, mutant), id
        assert not accepted(recheck, mutant), id


@pytest.mark.skipif(not shutil.which("coqtop"), reason="needs Debian's coq")
def test_a_changed_number_is_refused_by_the_proof_kernel(tmp_path: Path) -> None:
    some = {
        **dict(list(STORED.items())[::192]),
        **dict(list(KEPT.items())[::32]),
        **SUMS,
        **dict(list(inductions().items())[::4]),
    }
    wrong = [(id, mutant) for id, mutant, identity in mutants(7, some) if not identity]
    names, parts = [], [PRELUDE, VECTORS]
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
