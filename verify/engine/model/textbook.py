"""Textbook lemmas: known relations that a proof may use by name.

An algebraic fact has a proof that is checked here. A fact from calculus has a citation. In both cases it counts for a claim
only if its conditions follow from the claim's and no random instance breaks it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from verify.engine.certificates.question import Question, Undecided
from verify.engine.model.scalars import scalar_scene
from verify.engine.model.scene import Condition, Follows, Rounds, Scene, Textbook
from verify.engine.proof.facts import declared, shown_of, unbroken
from verify.engine.search.sampling import sample
from verify.engine.tactics.prove import implied, prove
from verify.engine.verdict import Reason, because

STEPS = 1500
"""Limit on polynomials of a search with textbook lemmas."""


def near(facts: Sequence[Textbook], relation: Condition, scene: Scene) -> tuple[Textbook, ...]:
    """Facts about the quantities of a relation, and about quantities linked to two of them by facts, and so on; constants do
    not count.
    """
    constants = _constants(scene)
    variables = [{s for s in fact.relation.free_symbols if s.name not in constants} for fact in facts]
    known = {s for s in relation.free_symbols if s.name not in constants}
    joined = known.union(*(found for found in variables if len(found & known) > 1))
    while joined != known:
        known, joined = joined, joined.union(*(found for found in variables if len(found & joined) > 1))
    return tuple(fact for fact, found in zip(facts, variables, strict=True) if found <= known)


def usable(
    facts: Sequence[Textbook], scene: Scene | None, conditions: tuple[Condition, ...]
) -> tuple[Textbook, ...]:
    """Facts that a proof of a claim may use (those without a `hindrance`)."""
    return tuple(fact for fact in facts if not hindrance(fact, facts, scene, conditions))


def declaration_of(relation: Condition, scene: Scene | None) -> Reason:
    """The condition of the scene's problem class that states a relation, in words; empty if there is none or instances break
    it.
    """
    problem = scene.problem if scene is not None else None
    for fact in problem.lemmas if problem else ():
        said = fact.about == "class" and fact.relation == relation and not fact.given
        if problem and said and not hindrance(fact, problem.lemmas, scene, ()):
            return because("declared", problem=problem.name, fact=fact.cited)
    return []


def unproved(facts: Sequence[Textbook], scene: Scene | None) -> tuple[str, ...]:
    """Names of the facts that have no certificate and are no conditions that define a class of functions or problems."""
    of_class = scene.problem.lemmas if scene is not None and scene.problem else ()
    return tuple(fact.name for fact in facts if fact not in of_class and _only_cited(fact))


def _only_cited(fact: Textbook) -> bool:
    """Whether a lemma, or one that its proof uses, has no certificate and is no condition that defines a class."""
    return any(lemma.about != "class" for lemma in parts_of_lemma(fact)[1])


@cache
def parts_of_lemma(fact: Textbook) -> tuple[dict[str, Mapping[str, Any]], tuple[Textbook, ...]]:
    """The proofs of a lemma and of the lemmas that it rests on, by name; and those of them that have no proof."""
    own: Mapping[str, Any] | None
    if fact.proof is not None:
        shown = shown_of(fact.proof)
        own, below = (shown.proof if shown else None), _lemmas_in(fact.proof)
    else:
        own, below = _derived(fact), fact.follows_from
    if own is None:
        return {}, (fact,)
    proofs: dict[str, Mapping[str, Any]] = {fact.name: own}
    lacking: tuple[Textbook, ...] = ()
    for other in below:
        more, without = parts_of_lemma(other)
        proofs |= {
            (name if name not in proofs else f"{name}, below {fact.name}"): p for name, p in more.items()
        }
        lacking += without
    return proofs, tuple(dict.fromkeys(lacking))


def _lemmas_in(proof: Any) -> tuple[Textbook, ...]:
    """The textbook lemmas that a proof by induction or algebra uses."""
    if isinstance(proof, Textbook):
        return (proof,)
    inside: list[Any] = [*proof.steps] if isinstance(proof, Rounds) else []
    inside = [source for source, _ in proof.of] if isinstance(proof, Follows) else inside
    return tuple(lemma for step in inside for lemma in _lemmas_in(step))


def _derived(fact: Textbook) -> Mapping[str, Any] | None:
    """The certificate that a lemma follows from the lemmas that it names, as in a record; None if none is found."""
    known = fact.follows_from
    held = (*fact.given, *(other.relation for other in known if not other.given))
    if not known or not all(implied(one, held) for other in known for one in other.given):
        return None
    given = (
        *((other.relation, f"textbook {other.name}") for other in known),
        *((one, "condition") for one in fact.given),
    )
    found = prove(Question(fact.relation, given))
    return None if isinstance(found, Undecided) else {"certificate": found}


def hindrance(
    fact: Textbook, facts: Sequence[Textbook], scene: Scene | None, conditions: tuple[Condition, ...]
) -> Reason:
    """The reason why a claim cannot use a fact; empty if it can.

    A fact about quantities must be declared by their scene, and a fact without a proof by the class of its problems. The
    conditions of a fact must follow from the claim's, its proof must be valid, and no random instance may break it.
    """
    if not (fact.of_numbers or _declares(fact, scene)):
        return because("undeclared")
    plain = tuple(other.relation for other in facts if not other.given)
    unmet = [condition for condition in fact.given if not implied(condition, (*conditions, *plain))]
    if unmet:
        return because("unmet", condition=str(unmet[0]))
    if fact.proof is not None and not _is_proved(fact):
        return because("unaccepted")
    return [] if _is_unbroken(fact, scene) else because("broken-or-not-computed")


def _declares(fact: Textbook, scene: Scene | None) -> bool:
    """Whether a scene declares a fact about its quantities."""
    if scene is None:
        return False
    lemmas = scene.problem.lemmas if scene.problem else ()
    if any(_says_the_same(fact, lemma) for lemma in lemmas):
        return True
    among = any(_says_the_same(fact, other) for other in scene.textbook)
    return among and (fact.proof is not None or scene.problem is not None)


def _says_the_same(fact: Textbook, other: Textbook) -> bool:
    """Whether two facts are the same relation under the same conditions; a claim may create a fact of its scene again."""
    return (fact.relation, set(fact.given)) == (other.relation, set(other.given))


@cache
def _constants(scene: Scene) -> frozenset[str]:
    """Names of sizes, step sizes, and results of `known`."""
    shape = scene.shapes[0]
    drawn = sample(scene.space(shape), np.random.default_rng(0), 1)
    return frozenset((*shape, *scene.steps, *scene.known(shape, {**shape, **drawn})))


def _is_proved(fact: Textbook) -> bool:
    """Whether a fact's proof is valid and rests only on its own conditions."""
    shown = shown_of(fact.proof) if fact.proof else None
    return shown is not None and not shown.signs and shown.needed <= set(fact.given)


@cache
def _is_unbroken(fact: Textbook, scene: Scene | None) -> bool:
    where = scene or scalar_scene((fact.relation, *fact.given), fact.given)
    return all(unbroken(asked, where, fact.given) for asked in (fact.relation, *declared(fact.relation)))


def sources(facts: Sequence[Textbook]) -> list[str]:
    """Names and sources of facts, for the reason of a verdict."""
    return list(dict.fromkeys(fact.cited for fact in facts))
