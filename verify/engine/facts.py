"""Proofs of facts: what is true of the quantities of a scene because of what they are.

Cauchy-Schwarz, Jensen, Young and the like are identities once the slack is written out as a sum of squares:
n (|x_1|^2 + .. + |x_n|^2) - |x_1 + .. + x_n|^2 is the sum of |x_i - x_j|^2 over the pairs. So a fact is checked as
an identity between arbitrary vectors, and its slack term by term for its sign: a certificate for each shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
import sympy as sp
import torch

from verify.engine.adversary import ROUNDING, TINY, compared, drawn
from verify.engine.arithmetic import side_by_side
from verify.engine.certificates.formulas import domains, relation_tree
from verify.engine.certificates.question import Certificate, Undecided
from verify.engine.certificates.sums import form_shown
from verify.engine.expressions import symbolic_values
from verify.engine.recursion import by_induction
from verify.engine.scene import Condition, Fact, Proved, Rounds, Scene, Shape, Sums, Values, allowed_shapes
from verify.engine.sizes import identity_at, proof_at, put, said, slack_at

TRIED = 64
"""Random instances of each shape at which a definition must hold."""


@dataclass(frozen=True)
class Shown:
    """Why a fact is true: in words, its certificates, and the conditions that they rest on."""

    reason: str
    proof: dict[str, Any]
    needed: frozenset[Condition]


def fact_of(relation: Condition, scene: Scene | None, conditions: Sequence[Condition]) -> Shown | None:
    """The proof that a relation is true of the quantities of a scene under these conditions; None if no fact says so."""
    if scene is None or not isinstance(scene.compute, Proved):
        return None
    for fact in scene.compute.facts:
        shown = shown_of(fact) if fact.relation == relation else None
        if shown is None:
            continue
        unmet = shown.needed - set(conditions)
        if not unmet:
            return shown
        if unmet <= kept(scene):
            because = ", ".join(sorted(map(str, unmet)))
            return replace(shown, reason=f"{shown.reason}; by definition {because}")
    return None


@cache
def kept(scene: Scene) -> frozenset[Condition]:
    """Definitions of a scene that no random instance of any shape breaks."""
    defines = scene.compute.defines if isinstance(scene.compute, Proved) else ()
    return frozenset(condition for condition in defines if unbroken(condition, scene))


def unbroken(relation: Condition, scene: Scene, given: tuple[Condition, ...] = ()) -> bool:
    """Whether a scene computes both sides of a relation, and no random instance that meets `given` breaks it."""
    for shape in allowed_shapes(scene, given):
        values, allowed = drawn(scene, given, tuple(shape.items()), TRIED, 0)[2:]
        try:
            margin, _, gap = compared(relation, values, TRIED)
        except (KeyError, ZeroDivisionError):
            return False
        broken = (torch.nan_to_num(margin.detach(), nan=-1.0) > ROUNDING) & (gap.detach() > TINY)
        if bool((allowed & broken).any()):
            return False
    return True


def proof_of(relation: Condition, scene: Scene | None, conditions: Sequence[Condition]) -> str:
    """Why a relation is a fact, in words; empty if it is none."""
    shown = fact_of(relation, scene, conditions)
    return shown.reason if shown else ""


def conditions_of(fact: Fact | Sums | Rounds) -> frozenset[Condition] | None:
    """Conditions under which a fact is proved; None if its identity fails or its slack may be negative."""
    shown = shown_of(fact)
    return shown.needed if shown else None


@cache
def shown_of(fact: Fact | Sums | Rounds) -> Shown | None:
    """The proof of a fact, for any number of vectors or rounds, or at all of its shapes; None if there is none at one."""
    if isinstance(fact, Sums):
        return _for_any_number(fact)
    if isinstance(fact, Rounds):
        return _for_every_round(fact)
    needed: set[Condition] = set()
    certificates = []
    for shape in fact.scene.shapes:
        found = _shown_at(fact, shape)
        if found is None:
            return None
        needed |= found[0]
        certificates.append(found[1])
    if not certificates:
        return None
    proof = proof_at(fact.scene.shapes, certificates)
    return Shown(f"{said(proof)}: {fact.scene.covers}", proof, frozenset(needed))


def _for_any_number(fact: Sums) -> Shown | None:
    letters = {symbol.name: formula for symbol, formula in fact.means.items()}
    relations = (fact.relation, *fact.given)
    symbols = {name: domain for name, domain in domains(relations).items() if name not in letters}
    claim, *given = (put(relation_tree(relation), letters) for relation in relations)
    by = [f"condition {condition}" for condition in fact.given]
    found = form_shown({**fact.symbols, **symbols}, claim, tuple(zip(given, by, strict=True)))
    if isinstance(found, Undecided):
        return None
    proof = proof_at((), [[found]])
    return Shown(f"{said(proof)}: for any number of vectors of any dimension", proof, frozenset(fact.given))


def _for_every_round(fact: Rounds) -> Shown | None:
    found = by_induction(fact)
    if found is None:
        return None
    proof = proof_at((), [[found]])
    needed = (*fact.given, *(condition for step in fact.steps for condition in step.given))
    return Shown(f"{said(proof)}: by induction over {fact.over}", proof, frozenset(needed))


@lru_cache(maxsize=64)
def _values(scene: Scene, shape: frozenset[tuple[str, int]]) -> Values:
    return symbolic_values(scene, dict(shape))


def conditions_at(fact: Fact, shape: Shape) -> set[Condition] | None:
    """Conditions that make the slack nonnegative at one shape; None if it is no slack, or may be negative."""
    found = _shown_at(fact, shape)
    return found[0] if found else None


def _shown_at(fact: Fact, shape: Shape) -> tuple[set[Condition], list[Certificate]] | None:
    relation, values = fact.relation, _values(fact.scene, frozenset(shape.items()))
    if isinstance(relation, sp.Eq):
        equal = identity_at(relation, values)
        return None if equal is None else (set(), equal)
    large, small = relation.args if isinstance(relation, sp.Ge) else relation.args[::-1]
    beyond = sp.Symbol(fact.slack) if fact.slack else sp.S.Zero
    above, below, slack = (
        side.ravel() for side in side_by_side((large, small, beyond), values, "symbolic", 1)
    )
    meant: dict[sp.Symbol, tuple[sp.Expr, str]] = {}
    stand_ins: dict[str, set[sp.Symbol]] = {}
    for name, (quantity, condition) in fact.assumed.items():
        pairs = dict(zip(values[name].ravel(), values[quantity].ravel(), strict=True))
        stand_ins[name] = set(pairs)
        meant |= {symbol: (formula, str(condition)) for symbol, formula in pairs.items()}
    slack = np.vectorize(sp.sympify, otypes=[object])(slack)
    used = set().union(*(term.free_symbols for term in slack))
    needed = {fact.assumed[name][1] for name, symbols in stand_ins.items() if symbols & used}
    found = [slack_at(b, a, s, meant) for a, b, s in zip(above, below, slack, strict=True)]
    certificates = [certificate for certificate in found if certificate is not None]
    return (needed, certificates) if len(certificates) == len(found) else None
