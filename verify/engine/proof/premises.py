"""Suppliers of a claim's premises: statements of its paper about the same quantities, or its own scene."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeAlias

import sympy as sp

from verify.engine.certificates.formulas import size
from verify.engine.certificates.memory import offered_first
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.model.abstract import proof_scenes
from verify.engine.model.claim import Claim
from verify.engine.model.expressions import symbolic_values
from verify.engine.model.scene import Condition, Scene, allowed_shapes
from verify.engine.proof.facts import declared, fact_of, unbroken
from verify.engine.proof.lemmas import given_by_lemmas
from verify.engine.proof.sizes import at_sizes, identity_at, proof_at
from verify.engine.search.sampling import has_entries
from verify.engine.tactics.prove import prove

Attempt: TypeAlias = Callable[[Question], Certificate | Undecided]
STEPS = 200
"""Limit on polynomials of a search for an implied condition."""
ROOM = 300_000
"""Limit on bytes of certificates, over all sizes, for an equation that is tried as an identity."""


def search_briefly(question: Question) -> Certificate | Undecided:
    """A certificate from a short search."""
    return prove(question, STEPS)


def suppliers_of_premises(
    claim: Claim, among: Iterable[Claim], attempt: Attempt = search_briefly
) -> dict[str, dict[str, Any]]:
    """For each premise of a claim: its suppliers among claims of the same paper with the same symbols, under conditions that
    are met.

    Parameters
    ----------
    attempt : callable
        Gives a certificate that a condition of another claim follows from this one's, if it can.

    Returns
    -------
    dict
        ``same``: ids that state it for the same quantities (in scenes that compute alike) or for free numbers; ``other``:
        ids that state it for other quantities; ``own``: if there are only others and no fact of the scene says it, why it
        is an identity of the claim's own scene, and ``own_sizes``, at which sizes; ``implied``, if there are any: by id,
        certificates of conditions that follow from the claim's. Statements judged in another scene count only if no
        instance of the claim's own scene breaks them. Lemmas that give a condition are added
        (`verify.engine.proof.lemmas`).
    """
    if not claim.premises and not claim.lemmas:
        return {}
    paper, own = claim.statement.source.paper.key, set(claim.conditions)
    found: dict[str, dict[str, Any]] = {str(p): {"same": [], "other": [], "own": []} for p in claim.premises}
    under_others: list[Claim] = []
    claims = {other.statement.id: other for other in among}
    for other in claims.values():
        said_by = other.statement
        if said_by.id == claim.statement.id or said_by.source.paper.key != paper:
            continue
        if said_by.relation in claim.premises and _so_in(claim, other):
            if set(other.conditions) <= own:
                found[str(said_by.relation)][_alike(claim, other)].append(said_by.id)
            else:
                under_others.append(other)
    for other in under_others:
        says = found[str(other.statement.relation)]
        implied = _implied(other, claim, attempt) if not says["same"] else None
        if implied is not None:
            says[_alike(claim, other)].append(other.statement.id)
            says.setdefault("implied", {})[other.statement.id] = implied
    for premise in claim.premises:
        says = found[str(premise)]
        if (
            (claim.scene and says["other"] and not says["same"] and isinstance(premise, sp.Eq))
            # a fact of the scene is used before an identity
            and fact_of(premise, claim.scene, claim.conditions) is None
        ):
            says |= _identity(premise, claim.scene, claim.conditions)
    return {**found, **given_by_lemmas(claim, claims)}


def _so_in(claim: Claim, other: Claim) -> bool:
    """Whether another claim also holds in a claim's scene, where parameters may have other ranges and quantities other
    signs.
    """
    relation, scene = other.statement.relation, claim.scene
    if scene is None or scene is other.scene:
        return True
    of_scenes = (relation,) if other.scene is not None else ()  # it is true for all numbers
    return not any(_is_broken(each, scene, claim.conditions) for each in (*of_scenes, *declared(relation)))


@cache
def _is_broken(relation: Condition, scene: Scene, conditions: tuple[Condition, ...]) -> bool:
    return not unbroken(relation, scene, conditions)


def _alike(claim: Claim, other: Claim) -> str:
    """Whether another claim is about the same quantities: its scene computes alike and covers the ranges of the claim's
    scene.
    """
    same = other.scene is None or (
        claim.scene and _same_quantities(other.scene, claim.scene) and _covers(other.scene, claim.scene)
    )
    return "same" if same else "other"


def _same_quantities(one: Scene, other: Scene) -> bool:
    """Whether two scenes compute the same quantities from the same parameters; their sizes and ranges may differ."""
    return one.compute is other.compute and one.known is other.known


@cache
def _covers(scene: Scene, other: Scene) -> bool:
    """Whether the ranges of a scene contain those of another scene, at all sizes of the other.

    Its `space` is evaluated at these sizes even if the scene does not list them; the sizes of proofs are compared
    separately.
    """
    if scene.space is other.space:
        return True
    for shape in other.shapes:
        try:
            boxes = scene.space(shape)
        except (ArithmeticError, LookupError, TypeError, ValueError):  # no sizes of that scene
            return False
        asked = other.space(shape)
        if boxes.keys() != asked.keys() or not all(boxes[name].covers(box) for name, box in asked.items()):
            return False
    return True


def _implied(other: Claim, claim: Claim, attempt: Attempt) -> list[Certificate] | None:
    """Certificates that the further conditions of another claim follow from this one's; None if one is not found."""
    found: list[Certificate] = []
    for condition in other.conditions:
        if condition in claim.conditions:
            continue
        related = (c for c in claim.conditions if c.free_symbols & condition.free_symbols)
        given = tuple((c, "condition") for c in related)
        answer = attempt(Question(condition, given))
        if isinstance(answer, Undecided):
            return None
        found.append(answer)
    return found


def _identity(premise: Condition, scene: Scene, conditions: tuple[Condition, ...]) -> dict[str, Any]:
    """The reason and the sizes for which an equation is an identity between the quantities of a scene; nothing if it fails
    at one of them.
    """
    proof = identity_of(premise, scene, conditions)
    return (
        {"own": at_sizes(proof, "identity", scene=scene.name), "own_sizes": proof["sizes"]} if proof else {}
    )


@cache
def identity_of(premise: Condition, scene: Scene, conditions: tuple[Condition, ...]) -> dict[str, Any] | None:
    """The proof, at all sizes of a scene, that an equation is an identity between its quantities; None if it fails at one
    size.

    It is first tested at random instances of every size, and given up if its certificates grow beyond `ROOM`.
    """
    if not has_entries(scene, allowed_shapes(scene, conditions)) or not unbroken(premise, scene, conditions):
        return None

    def in_some_scene() -> dict[str, Any] | None:
        proofs = (_identity_in(where, premise, conditions) for where, _ in proof_scenes(scene, premise))
        return next((proof for proof in proofs if proof is not None), None)

    return offered_first(in_some_scene)


def _identity_in(
    scene: Scene, premise: Condition, conditions: tuple[Condition, ...]
) -> dict[str, Any] | None:
    shapes, shown, room = allowed_shapes(scene, conditions), list[list[Certificate]](), ROOM
    for shape in shapes:
        try:
            found = identity_at(premise, symbolic_values(scene, shape))
        except (KeyError, TypeError, ValueError):  # not computed here, or not in symbols
            return None
        room -= sum(map(size, found or ()))
        if found is None or room < 0:
            return None
        shown.append(found)
    return proof_at(shapes, shown) if shown else None
