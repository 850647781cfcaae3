"""The proof of a claim: a certificate from its conditions and premises, or certificates at the sizes of its scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal, TypeAlias

import sympy as sp

from verify.check_proof import text
from verify.engine.certificates.memory import offered_first
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.elementary.law import LAW, cited_laws
from verify.engine.model.abstract import EVERY_DIMENSION, abstract, proof_scenes
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.expressions import symbolic_values
from verify.engine.model.extent import common, is_empty
from verify.engine.model.scene import Branching, Condition, Scene, Shape, Textbook, allowed_shapes
from verify.engine.model.textbook import STEPS, hindrance, near, sources, unproved, usable
from verify.engine.proof.averages import averaged, averaging
from verify.engine.proof.facts import fact_of
from verify.engine.proof.lemmas import lemmas_of
from verify.engine.proof.prover import follows, follows_of_numbers
from verify.engine.proof.sizes import at_sizes, identity_at, proof_at
from verify.engine.proof.succession import Otherwise, succeeding
from verify.engine.proof.ways import RANGE, shares, shown_on_all, told_apart, ways
from verify.engine.search.points import Point
from verify.engine.search.sampling import has_entries
from verify.engine.tactics.prove import prove
from verify.engine.verdict import Reason, because


@dataclass(frozen=True)
class Basis:
    """The outcome of the attempts at a proof.

    Attributes
    ----------
    outcome : str
        "proved", "contradiction", "countermodel" or "unknown".
    reason : list of dict
        Clauses (`verify.engine.verdict.Reason`), as in `hindrance` and in the values of `facts`.
    proof : dict or None
        In the form of `verify.engine.verdict.Finding`.
    premises : tuple of str
        Premises that the proof uses, and conclusions of lemmas that give its conditions.
    facts : mapping
        Used premises that are proved facts of the scene -> the reason.
    cited : tuple of str
        Textbook lemmas that the proof uses.
    unproved : tuple of str
        Used lemmas without a certificate (`verify.engine.model.textbook.unproved`).
    shapes : int
        Number of shapes at which an identity was shown.
    point : mapping or None
        A point at which the conditions hold and the relation fails.
    tried : str
        Searches without success.
    hindrance : list of dict
        Why no search was possible, or why its answer cannot be used.
    """

    outcome: Literal["proved", "contradiction", "countermodel", "unknown"]
    reason: Reason = field(default_factory=list)
    proof: dict[str, Any] | None = None
    premises: tuple[str, ...] = ()
    facts: Mapping[str, Reason] = field(default_factory=dict)
    cited: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()
    shapes: int = 0
    point: Point | None = None
    tried: str = ""
    hindrance: Reason = field(default_factory=list)

    @property
    def lacks(self) -> Reason:
        """The reason why there is no proof; empty if there is one, or if nothing was tried."""
        if self.point is not None:
            return because("not-enough", point={name: str(value) for name, value in self.point.items()})
        if self.outcome != "unknown":
            return []
        if self.hindrance:
            return self.hindrance
        return because("nothing-found", tried=self.tried)


BY_LAWS = 400
"""Limit on polynomials of a search with textbook laws of functions."""
_Found: TypeAlias = tuple[list[list[Certificate]], int] | None


def question_of(claim: Claim) -> Question:
    """The question whether a claim's relation follows from its conditions and premises."""
    conditions = tuple((condition, "condition") for condition in claim.conditions)
    premises = tuple((premise, "premise") for premise in claim.premises)
    textbook = tuple((fact.relation, f"textbook {fact.name}") for fact in textbook_of(claim))
    given = tuple(
        (averaged(relation, claim.means), by) for relation, by in (*conditions, *premises, *textbook)
    )
    return Question(claim.statement.relation, given, claim.induction, claim.through)


def textbook_of(claim: Claim) -> tuple[Textbook, ...]:
    """Textbook lemmas that a proof of the claim may use."""
    return usable(_available_facts(claim), claim.scene, claim.conditions)


def unused(claim: Claim) -> dict[str, Reason]:
    """Facts that a claim names and its proof cannot use, with the reasons."""
    named = _available_facts(claim)
    found = {fact.name: hindrance(fact, named, claim.scene, claim.conditions) for fact in claim.facts}
    return {name: why for name, why in found.items() if why}


def _available_facts(claim: Claim) -> tuple[Textbook, ...]:
    """Facts of the problem class of a claim, facts that it names, and facts of its scene about its quantities."""
    scene = claim.scene
    if scene is None:
        return tuple(claim.facts)
    related = near(scene.textbook, claim.statement.compared, scene) if scene.textbook else ()
    lemmas = scene.problem.lemmas if scene.problem else ()
    return tuple(dict.fromkeys((*lemmas, *claim.facts, *related)))


def basis_of(claim: Claim, budget: Budget) -> Basis:
    """The best available proof: as a fact or an identity of the scene, otherwise from conditions and premises."""
    fact = fact_of(claim.statement.relation, claim.scene, claim.conditions)
    if fact is not None:
        return Basis("proved", fact.reason, fact.proof)
    found = _identity(claim)
    return found if found is not None else _derivation(claim, budget)


def _identity(claim: Claim) -> Basis | None:
    """A proof of an equation between quantities of a scene for arbitrary parameters; in a branching scene a proof of any
    relation.
    """
    scene = claim.scene
    if scene is not None and isinstance(scene.compute, Branching):
        return offered_first(lambda: _on_all_ways_in_some(claim, scene))
    if scene is None or not scene.covers or not isinstance(claim.relation, sp.Eq):
        return None
    return offered_first(lambda: _identity_in_some(scene, claim))


def _identity_in_some(scene: Scene, claim: Claim) -> Basis | None:
    """The proof of an equation in the first variant of a scene in which it succeeds at all shapes."""
    for where, covers in proof_scenes(scene, claim.relation):
        shapes, found = _shapes(where, claim), list[list[Certificate]]()
        for shape in shapes:
            certificates = identity_at(claim.relation, symbolic_values(where, shape))
            if certificates is None:
                break
            found.append(certificates)
        if shapes and len(found) == len(shapes):
            proof = proof_at(shapes, found)
            return Basis("proved", at_sizes(proof, covers=covers), proof, shapes=len(shapes))
    return None


def _shapes(scene: Scene, claim: Claim) -> Sequence[Shape]:
    """Shapes at which a claim is to be proved; none if the claim is empty at every shape."""
    shapes = allowed_shapes(scene, claim.conditions)
    return shapes if has_entries(scene, shapes) else ()


def _on_all_ways_in_some(claim: Claim, scene: Scene) -> Basis | None:
    """A proof on every branch, between abstract vectors if the quantities are formulas in inner products."""
    assert isinstance(scene.compute, Branching)
    names = {symbol.name for said in (claim.relation, *claim.conditions) for symbol in said.free_symbols}
    variant = abstract(scene, frozenset(names))
    found = _on_all_ways(claim, variant, EVERY_DIMENSION) if variant else None
    return found or _on_all_ways(claim, scene, scene.compute.covers)


def _on_all_ways(claim: Claim, scene: Scene, covers: str) -> Basis | None:
    """A proof of a relation on every branch of the computation of a scene, directly or through intermediate relations."""
    shapes, cited = _shapes(scene, claim), textbook_of(claim)
    found = _on_ways(claim, scene, claim.relation, shapes, cited)
    found = found or _step_by_step(claim, scene, shapes, cited)
    if not shapes or found is None:
        return None
    certificates, taken = found
    proof = proof_at(shapes, certificates)
    named = [fact for fact in cited if f"textbook {fact.name}" in proof["rests_on"]]
    within = [right.removeprefix(RANGE) for right in proof["rests_on"] if right.startswith(RANGE)]
    reason = at_sizes(
        proof, covers=covers, by=sources(named), ways=taken if taken > len(shapes) else 0, shares=within
    )
    names = tuple(fact.name for fact in named)
    return Basis(
        "proved", reason, proof, cited=names, unproved=unproved(named, claim.scene), shapes=len(shapes)
    )


def _on_ways(
    claim: Claim, scene: Scene, relation: Condition, shapes: Sequence[Shape], cited: Sequence[Textbook]
) -> _Found:
    """Certificates of a relation at each shape, and the number of branches; None if one is missing."""
    found, taken = list[list[Certificate]](), 0
    for shape in shapes:
        together = ways(scene, shape) or []
        apart = told_apart(relation, together) or together
        attempts = [apart, together] if len(apart) > len(together) else [together]
        ranges = shares(scene, shape)
        for several, known in product(attempts, ((), ranges) if ranges else ((),)):
            certificates = shown_on_all(relation, claim.conditions, several, cited, known)
            if certificates is not None:
                break
        else:
            return None
        found.append(certificates)
        taken += len(several)
    return found, taken


def _step_by_step(claim: Claim, scene: Scene, shapes: Sequence[Shape], cited: Sequence[Textbook]) -> _Found:
    """The same through the intermediate relations of the claim, which are proved at each shape."""
    before = [_on_ways(claim, scene, relation, shapes, cited) for relation in claim.through]
    if not before or None in before:
        return None
    given = [(condition, "condition") for condition in claim.conditions]
    hints = _of_their_values(claim.through, (claim.relation, *claim.conditions))
    last = prove(Question(claim.relation, (*given, *((relation, "shown") for relation in hints))))
    if isinstance(last, Undecided):
        return None
    shown = [entry for entry in before if entry is not None]
    certificates = [[c for found, _ in shown for c in found[k]] for k in range(len(shapes))]
    return [*certificates[:-1], [*certificates[-1], last]], max(taken for _, taken in shown)


def _of_their_values(hints: Sequence[Condition], said: Sequence[Condition]) -> list[Condition]:
    """Hints with symbols that are only known to be real, except symbols of the claim: other domains would assume too
    much.
    """
    spoken = set[sp.Basic]().union(*(relation.free_symbols for relation in said))
    alone = set[sp.Basic]().union(*(hint.free_symbols for hint in hints)) - spoken
    plain = {letter: sp.Symbol(str(letter), real=True) for letter in alone}
    return [
        hint.func(*(side.xreplace(plain) for side in hint.args), evaluate=False) if alone else hint
        for hint in hints
    ]


def _derivation(claim: Claim, budget: Budget) -> Basis:
    textbook, question = textbook_of(claim), question_of(claim)
    try:
        rounds = _rounds(claim, question)
    except Otherwise as error:
        return Basis("unknown", hindrance=because("no-induction", why=str(error)))
    if rounds is not None and not rounds["instances"]:
        return Basis("unknown", hindrance=because("no-instance-of-induction"))
    cases = _cases(claim)
    if cases is not None and not cases["instances"]:
        return Basis("unknown", hindrance=because("no-means"))
    steps = max(budget.proof_steps, STEPS if textbook else 0)
    if _of_numbers(claim):
        question, answer = follows_of_numbers(question, steps, BY_LAWS)
    else:
        answer = follows(question, steps)
    if answer.certificate is None:
        return Basis(answer.outcome, point=answer.point, tried=answer.tried)
    rests_on = _rests_on(answer.certificate)
    proof: dict[str, Any] = {"certificate": answer.certificate, "rests_on": rests_on}
    proof |= {"induction": rounds} if rounds else {}
    proof |= {"means": cases} if cases else {}
    used = [
        premise
        for premise in claim.premises
        if question.now(averaged(premise, claim.means)) in rests_on["premises"]
    ]
    found = {str(premise): fact_of(premise, claim.scene, claim.conditions) for premise in used}
    facts = {premise: fact.reason for premise, fact in found.items() if fact is not None}
    proof["sizes"] = common(fact.proof["sizes"] for fact in found.values() if fact is not None)
    if is_empty(proof["sizes"]):
        return Basis("unknown", hindrance=because("no-common-size"))
    named = [fact for fact in textbook if fact.name in rests_on["textbook"]]
    laws = _laws(answer.certificate)
    letters = {line["induct"] for line in answer.certificate["lines"] if "induct" in line} if laws else set()
    reason = because(
        "derived" if used else "follows",
        sizes=proof["sizes"],
        by=[*sources(named), *cited_laws(laws)],
        over=[*sorted(letters), *([rounds["over"]] if rounds else [])],
        means=cases is not None,
        defined=rests_on["defined"],
    )
    cited = tuple(fact.name for fact in named)
    lacking = unproved(named, claim.scene)
    premises = (*map(str, used), *lemmas_of(claim))
    return Basis(answer.outcome, reason, proof, premises, facts, cited, lacking)


def _rounds(claim: Claim, question: Question) -> dict[str, Any] | None:
    """The entry of a record about an induction: its counter, the names of quantities, and the number of instances that
    confirm them.
    """
    induction, scene = question.induction, claim.scene
    if induction is None:
        return None
    # A sequence that occurs only in conditions may be taken at any round.
    said = (
        claim.relation,
        *(averaged(premise, claim.means) for premise in claim.premises),
        *induction.through,
    )
    return {
        "over": induction.over,
        "later": {now.name: later.name for now, later in induction.later.items()},
        "first": {symbol.name: str(value) for symbol, value in induction.first.items()},
        "instances": succeeding(induction, said, scene, claim.conditions) if scene else 0,
    }


def _cases(claim: Claim) -> dict[str, Any] | None:
    """The entry of a record about means: which quantity is the mean of which, and the number of instances that confirm
    it.
    """
    if not claim.means:
        return None
    textbook = (fact.relation for fact in textbook_of(claim))
    given = (*claim.conditions, *claim.premises, *textbook)
    scene = claim.scene
    return {
        "of": {case.name: mean.name for case, mean in claim.means.items()},
        "instances": averaging(claim.means, given, scene, claim.conditions) if scene else 0,
    }


def _of_numbers(claim: Claim) -> bool:
    """Whether a claim is about numbers alone, so that textbook laws about numbers apply."""
    return claim.scene is None and claim.induction is None and not claim.means


def _laws(certificate: Certificate) -> list[str]:
    """Names of the textbook laws that a certificate assumes."""
    by = {line["by"] for line in certificate["lines"] if "given" in line}
    return sorted(right.removeprefix(LAW) for right in by if right.startswith(LAW))


def _rests_on(certificate: Certificate) -> dict[str, list[Any]]:
    """Assumptions of a certificate, by their justification."""
    given = [line for line in certificate["lines"] if "given" in line]
    return {
        "conditions": [line["given"] for line in given if line["by"] == "condition"],
        "premises": [line["given"] for line in given if line["by"] == "premise"],
        "textbook": sorted(
            {line["by"][len("textbook ") :] for line in given if line["by"].startswith("textbook ")}
        )
        + _laws(certificate),
        "defined": [text(line["given"]) for line in given if line["by"] == "defined"],
    }
