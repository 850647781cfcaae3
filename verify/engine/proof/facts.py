"""Proofs of facts: relations between quantities of a scene that hold by the definition of the quantities.

Cauchy-Schwarz, Jensen, Young and others become identities when the slack is written as a sum of squares:
n (|x_1|^2 + .. + |x_n|^2) - |x_1 + .. + x_n|^2 is the sum of |x_i - x_j|^2 over the pairs. A certificate for each shape shows
the identity between arbitrary vectors, and the sign of each term of the slack.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import or_
from typing import Any, TypeAlias

import numpy as np
import sympy as sp

from verify.engine.certificates.formulas import domains, parts, relation_tree
from verify.engine.certificates.memory import offered_first
from verify.engine.certificates.question import Certificate, Undecided
from verify.engine.certificates.weaken import declares, weakened
from verify.engine.model.abstract import proof_scenes
from verify.engine.model.arithmetic import side_by_side
from verify.engine.model.expressions import computed
from verify.engine.model.extent import common, speaks_of
from verify.engine.model.instance import Instance
from verify.engine.model.meanings import formulas_of_symbols, justification
from verify.engine.model.question import ask
from verify.engine.model.scene import (
    Box,
    Condition,
    Fact,
    Follows,
    Proved,
    Rounds,
    Scene,
    Shape,
    Textbook,
    allowed_shapes,
)
from verify.engine.model.sums import Bounded, Sums
from verify.engine.proof.grounds import Ground, Grounds, Unfounded, grounds, of_terms
from verify.engine.proof.recursion import by_algebra, by_induction, substituted
from verify.engine.proof.sizes import at_sizes, formula_at, identity_at, proof_at, slack_at
from verify.engine.search.adversary import ROUNDING, TINY, compared, instance_at, meeting, random_batch
from verify.engine.search.sampling import has_entries
from verify.engine.search.witness import Witness, counterexample
from verify.engine.tactics.sums import added_up, form_shown
from verify.engine.verdict import Reason, because

AnyFact: TypeAlias = Fact | Sums | Rounds | Follows
TRIED = 64
"""Random instances of each shape at which a definition must hold."""


@dataclass(frozen=True)
class Shown:
    """The proof of a fact: its reason, its certificates, and what they rest on.

    Attributes
    ----------
    reason : list of dict
    proof : dict
        In the form of a record.
    needed : frozenset of Relational
        Conditions.
    signs : frozenset of Relational
        Quantities that are assumed to be positive or nonnegative and do not occur in the relation.
    """

    reason: Reason
    proof: dict[str, Any]
    needed: frozenset[Condition]
    signs: frozenset[Condition] = frozenset()


def fact_of(relation: Condition, scene: Scene | None, conditions: Sequence[Condition]) -> Shown | None:
    """The proof of a relation by a fact of its scene under these conditions; None if there is no such fact.

    Raises
    ------
    Unfounded
        If there is such a fact, but an instance of the scene breaks the relation.
    """
    if scene is None or not isinstance(scene.compute, Proved):
        return None
    shown = _said_by_facts(relation, scene, scene.compute.facts, conditions)
    return shown if shown and _computes(scene, relation, tuple(conditions), shown) else None


def _said_by_facts(
    relation: Condition, scene: Scene, facts: Iterable[AnyFact], conditions: Sequence[Condition]
) -> Shown | None:
    """The proof by the first fact with this relation whose assumptions hold in the scene; None if there is none."""
    for fact in facts:
        shown = shown_of(fact) if fact.relation == relation else None
        if shown is None or not all(_has(sign, scene, conditions) for sign in shown.signs):
            continue
        if "defined" in shown.proof["rests_on"] and not _at_zeros(relation, scene, conditions):
            continue
        unmet = shown.needed - set(conditions)
        if not unmet or unmet <= valid_definitions(scene):
            more = because("by-definition", conditions=sorted(map(str, unmet))) if unmet else []
            return replace(shown, reason=shown.reason + more)
    return None


def _computes(scene: Scene, relation: Condition, conditions: tuple[Condition, ...], shown: Shown) -> bool:
    """Whether a scene computes the quantities in the sense of a fact.

    A fact is proved for arbitrary vectors, or in a scene of its own. If an instance breaks it, this scene computes something
    else under the same names. At sizes that the proof does not cover, the relation may be false. If the proof covers no size
    of this scene, the fact counts if no instance breaks it.
    """
    where, sizes = with_terms(scene), shown.proof["sizes"]
    shapes = allowed_shapes(scene, conditions)
    if not has_entries(scene, shapes):
        return False
    if not any(speaks_of(sizes, shape) for shape in shapes):
        return not _broken(relation, where, conditions)
    for asked in (relation, *declared(relation)):
        for shape, instance in _broken(asked, where, conditions):
            if not speaks_of(sizes, shape):
                continue
            if instance is None:
                return False
            found = counterexample(ask(scene.name, asked, conditions, where), instance)
            if found is not None:
                raise Unfounded(
                    f"what the scene {scene.name!r} computes must meet its fact {relation}, but "
                    f"{asked} does not hold: {_sides(found)}"
                )
    return True


def declared(relation: Condition) -> tuple[Condition, ...]:
    """Nonnegativity of quantities, as declared by the domains of the symbols of a relation."""
    named = sorted((s for s in relation.free_symbols if s.is_nonnegative and s.is_Symbol), key=str)
    return tuple(sp.Ge(symbol, 0, evaluate=False) for symbol in named)


def _sides(found: Witness) -> str:
    """A text with both sides of a relation at an instance that breaks it, and the instance."""
    (left, _), (right, _) = found.relation.small, found.relation.large
    beyond = "!=" if isinstance(found.relation.relation, sp.Eq) else ">"
    named = {name: value for part in found.instance.record().values() for name, value in part.items()}
    where = ", ".join(f"{name} = {value}" for name, value in named.items())
    return f"{left:.6g} {beyond} {right:.6g} at {where}".replace("'", "")


@cache
def _has(sign: Condition, scene: Scene, conditions: tuple[Condition, ...]) -> bool:
    """Whether a scene computes a quantity whose sign a fact uses, and all random instances have this sign."""
    return unbroken(sign, with_terms(scene), conditions)


@cache
def _at_zeros(relation: Condition, scene: Scene, conditions: tuple[Condition, ...]) -> bool:
    """Whether a relation is unbroken, or a side undefined, in random instances where one parameter or another is zero.

    A fact with a division does not cover instances at which the divisor is 0, but a scene may have values there.
    """
    spaces = [scene.space(shape) for shape in scene.shapes]
    named = {name for space in spaces for name, box in space.items() if 0 in box}
    return all(unbroken(relation, _without(name, scene), conditions) for name in sorted(named))


@cache
def _without(name: str, scene: Scene) -> Scene:
    """The instances of a scene in which a parameter is zero, at sizes where it may be."""

    def space(shape: Shape) -> Mapping[str, Box]:
        boxes = dict(scene.space(shape))
        if 0 in boxes.get(name, ()):
            boxes[name] = replace(boxes[name], low=0.0, high=0.0, levels=())
        return boxes

    return scene.variant(f"{scene.name}, {name} = 0", space=space)


@cache
def valid_definitions(scene: Scene) -> frozenset[Condition]:
    """Definitions of a scene that hold at all random instances of every shape."""
    defines = scene.compute.defines if isinstance(scene.compute, Proved) else ()
    return frozenset(condition for condition in defines if unbroken(condition, with_terms(scene)))


@cache
def with_terms(scene: Scene) -> Scene:
    """A scene that also computes the quantities of its definitions."""
    compute = scene.compute
    if not isinstance(compute, Proved) or compute.terms is None:
        return scene
    terms = compute.terms
    return scene.variant(
        f"{scene.name}, with terms",
        compute=lambda shape, values: compute(shape, values) | terms(shape, values),
    )


def unbroken(relation: Condition, scene: Scene, given: tuple[Condition, ...] = ()) -> bool:
    """Whether a scene computes both sides of a relation, and no random instance that meets `given` breaks it.

    An instance that meets a strict condition only by rounding does not count.
    """
    return not any(True for _ in _breaking(relation, scene, given))


@cache
def _broken(
    relation: Condition, scene: Scene, given: tuple[Condition, ...]
) -> tuple[tuple[Shape, Instance | None], ...]:
    """The instances that break a relation; cached, because a proof uses its facts more than once."""
    return tuple(_breaking(relation, scene, given))


def _breaking(
    relation: Condition, scene: Scene, given: tuple[Condition, ...]
) -> Iterator[tuple[Shape, Instance | None]]:
    """Shapes at which a relation is undefined, and shapes at which random instances under `given` break it, with the worst
    one.
    """
    open_ends = tuple(one for one in given if isinstance(one, sp.Lt | sp.Gt))
    strict = isinstance(relation, sp.Lt | sp.Gt)
    for shape in allowed_shapes(scene, given):
        parameters, sizes, values, allowed = random_batch(scene, given, tuple(shape.items()), TRIED, 0)
        allowed = allowed & meeting(open_ends, values, TRIED, ROUNDING)
        try:
            margin, _, gap = compared(relation, values, TRIED)
        except (KeyError, ZeroDivisionError):
            yield shape, None
            continue
        beyond = gap >= 0 if strict else gap > TINY
        broken = allowed & (margin > ROUNDING) & beyond
        if broken.any():
            worst = int(np.where(broken, gap, -np.inf).argmax())
            yield shape, instance_at(shape, parameters, sizes, worst)


def proof_of(relation: Condition, scene: Scene | None, conditions: Sequence[Condition]) -> Reason:
    """The reason why a relation is a fact; empty if it is not a fact."""
    return shown.reason if (shown := fact_of(relation, scene, conditions)) else []


def conditions_of(fact: AnyFact) -> frozenset[Condition] | None:
    """Conditions under which a fact is proved; None if its identity fails or its slack may be negative."""
    return shown.needed if (shown := shown_of(fact)) else None


@cache
def shown_of(fact: AnyFact) -> Shown | None:
    """The proof of a fact, for any number of vectors or rounds, or at all its shapes; None if it fails at one shape.

    Raises
    ------
    Unfounded
        If a sign that it takes from a condition does not follow from the condition.
    """
    if isinstance(fact, Sums):
        return _for_any_number(fact)
    if isinstance(fact, Rounds):
        return _for_every_round(fact)
    if isinstance(fact, Follows):
        return _from_others(fact)
    return offered_first(lambda: _in_some_scene(fact))


def _in_some_scene(fact: Fact) -> Shown | None:
    """The proof of a fact in the first variant of its scene in which it succeeds."""
    scenes = proof_scenes(fact.scene, fact.relation, *(q for q, *_ in fact.assumed.values()))
    attempts = (_at_every_shape(replace(fact, scene=scene), covers) for scene, covers in scenes)
    return next((shown for shown in attempts if shown is not None), None)


def _at_every_shape(fact: Fact, covers: str) -> Shown | None:
    """The proof of a fact at all shapes of its scene; None if it fails at one shape."""
    if not fact.scene.shapes or not has_entries(fact.scene, fact.scene.shapes):
        return None
    whole, certificates, signs = Ground(), list[list[Certificate]](), set[Condition]()
    for shape in fact.scene.shapes:
        found = _shown_at(fact, shape)
        if found is None:
            return None
        whole |= found[0]
        weakest = [weakened(certificate, fact.relation) for certificate in found[1]]
        signs |= {sign for _, of in weakest for sign in of}
        certificates.append([certificate for certificate, _ in weakest])
    signs |= {sign for sign in whole.signs if not declares(fact.relation, sign)}
    proof = proof_at(fact.scene.shapes, certificates)
    return Shown(at_sizes(proof, covers=covers), proof, whole.conditions, frozenset(signs))


def _for_any_number(fact: Sums) -> Shown | None:
    named = {quantity: sp.Symbol(str(quantity), real=True) for quantity in fact.means}
    letters = {str(quantity): formula for quantity, formula in fact.means.items()}
    relations = [relation.xreplace(named) for relation in (fact.relation, *fact.given)]
    claim, *given = (formula_at(relation_tree(relation), letters) for relation in relations)
    limits = [_limit(each) for each in fact.bounded]
    known = [limit for limit in limits if limit is not None]
    if len(known) < len(limits):
        return None
    each = [relation.xreplace(named) for relation, _, _ in known]
    symbols = domains((*relations, *each))
    besides = {*letters, *(str(relation.lhs) for relation in each)}
    found = form_shown(
        {**fact.symbols, **{name: domain for name, domain in symbols.items() if name not in besides}},
        claim,
        [(relation, f"condition {condition}") for relation, condition in zip(given, fact.given, strict=True)],
        [
            (formula_at(added_up(vectors, relation_tree(relation)), letters), by)
            for vectors, relation, (_, by, _) in zip(fact.bounded, each, known, strict=True)
        ],
    )
    if isinstance(found, Undecided):
        return None
    return _together("fact-of-vectors", found, [shown for _, _, shown in known], fact.given)


def _limit(vectors: Bounded) -> tuple[Condition, str, Shown] | None:
    """The bound of one square, its justification, and what it rests on; None if it does not follow."""
    if isinstance(vectors.right, Sums):
        shown = shown_of(vectors.right)
        return None if shown is None else (vectors.right.relation, f"fact {vectors.right.relation}", shown)
    each, signs = of_terms(*vectors.right)
    rests_on = Shown([], proof_at(({},), []), frozenset(vectors.right), signs)
    return None if each is None else (each, justification(vectors.right), rests_on)


def _together(
    code: str, found: Certificate, besides: Sequence[Shown], given: Iterable[Condition], **fields: str
) -> Shown:
    """The proof of a fact by its own certificate, preceded by the certificates it rests on; the code of its reason."""
    before = [list(other.proof["certificates"]) for other in besides]
    sizes = common(other.proof["sizes"] for other in besides)
    proof = proof_at([{}] if sizes is None else sizes, [*before, [found]])
    needed = frozenset(given).union(*(other.needed for other in besides))
    signs = frozenset[Condition]().union(*(other.signs for other in besides))
    return Shown(at_sizes(proof, code, **fields), proof, needed, signs)


def _for_every_round(fact: Rounds) -> Shown | None:
    found = by_induction(fact)
    besides = [shown_of(step) for step in fact.steps if not isinstance(step, Textbook)]
    known = [shown for shown in besides if shown is not None]
    if found is None or len(known) < len(besides):
        return None
    cited = (step for step in fact.steps if isinstance(step, Textbook))
    given = (*fact.given, *(condition for step in cited for condition in step.given))
    return _together("fact-by-induction", found, known, given, over=str(fact.over))


def _from_others(fact: Follows) -> Shown | None:
    found, known = by_algebra(fact), list[Shown]()
    if found is None:
        return None
    for source, letters in fact.of:
        if (shown := shown_of(source)) is None:
            return None
        # The substituted expressions meet the source's own conditions; those of its steps stay
        stay = shown.needed if isinstance(source, Sums) else shown.needed - {*source.given}
        known.append(replace(shown, needed=frozenset(substituted(one, letters) for one in stay)))
    return _together("fact-by-algebra", found, known, fact.given)


def conditions_at(fact: Fact, shape: Shape) -> frozenset[Condition] | None:
    """Conditions that make the slack nonnegative at one shape; None if it is not the slack, or may be negative."""
    found = _shown_at(fact, shape)
    return found[0].conditions if found else None


def _shown_at(fact: Fact, shape: Shape) -> tuple[Ground, list[Certificate]] | None:
    relation, values = fact.relation, computed(fact.scene, frozenset(shape.items()))
    besides, stand_ins = grounds(fact, shape), formulas_of_symbols(fact, values)
    if isinstance(relation, sp.Eq):
        equal = identity_at(relation, values, stand_ins)
        return None if equal is None else _resting(fact, equal, stand_ins, besides)
    large, small = relation.args if isinstance(relation, sp.Ge | sp.Gt) else relation.args[::-1]
    kind = sp.Lt if isinstance(relation, sp.Lt | sp.Gt) else sp.Le
    beyond = sp.Symbol(fact.slack) if fact.slack else sp.S.Zero
    above, below, slack = (
        side.ravel() for side in side_by_side((large, small, beyond), values, "symbolic", 1)
    )
    slack = np.vectorize(sp.sympify, otypes=[object])(slack)
    found = [slack_at(b, a, s, stand_ins, kind) for a, b, s in zip(above, below, slack, strict=True)]
    certificates = [certificate for certificate in found if certificate is not None]
    return _resting(fact, certificates, stand_ins, besides) if len(certificates) == len(found) else None


def _resting(
    fact: Fact, certificates: list[Certificate], stand_ins: Collection[sp.Symbol], besides: Grounds
) -> tuple[Ground, list[Certificate]] | None:
    """What certificates rest on; None if one divides by an expression that no condition makes positive."""
    lines = [line for certificate in certificates for line in certificate["lines"] if "given" in line]
    names = {symbol.name for symbol in stand_ins}
    if any(line["by"] == "defined" and names & set(map(str, parts(line["given"]))) for line in lines):
        return None
    given_by = {line["by"] for line in lines}
    used = [ground for right, ground in besides.items() if justification(right) in given_by]
    return reduce(or_, used, Ground()), certificates
