"""Complete proofs: certificates of the statement, of the facts of its scene, and of the textbook lemmas it uses.

A record contains the short certificates and the digests of all; the certificates are stored in a file beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from verify.engine.certificates.question import Certificate
from verify.engine.checks.kinds import kind_of
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.scene import Condition
from verify.engine.model.textbook import parts_of_lemma
from verify.engine.proof.averages import averaged
from verify.engine.proof.basis import basis_of, question_of, textbook_of
from verify.engine.proof.facts import fact_of
from verify.engine.proof.lemmas import lemmas_of
from verify.engine.proof.premises import identity_of, suppliers_of_premises
from verify.engine.records.pool import Pool, digest
from verify.engine.verdict import HARMLESS

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass
class Whole:
    """A proof with all its parts.

    Attributes
    ----------
    certificates : dict of str to certificate
        By the relation that they prove.
    rests_on : tuple of str
        Ids of the statements that supply its premises.
    lacks : tuple of str
        Parts without a certificate: unproved premises, and textbook lemmas that are only cited.
    """

    certificates: dict[str, Certificate] = field(default_factory=dict)
    rests_on: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()

    def add(self, name: str, proof: Mapping[str, Any]) -> None:
        """Add the certificates of a proof as a record has it."""
        self.certificates |= certificates_of(name, proof)

    def named(self) -> dict[str, Any]:
        """The form of records and stored answers: digests in place of certificates."""
        names = {name: digest(certificate) for name, certificate in self.certificates.items()}
        return {"certificates": names, "rests_on": list(self.rests_on), "lacks": list(self.lacks)}

    @classmethod
    def from_names(cls, named: Mapping[str, Any], pool: Pool) -> Self:
        """The proof to which a stored answer refers, with the certificates stored beside it."""
        found = {name: pool[digest] for name, digest in named["certificates"].items()}
        return cls(found, tuple(named["rests_on"]), tuple(named["lacks"]))


def certificates_of(name: str, proof: Mapping[str, Any]) -> dict[str, Certificate]:
    """The certificates of a proof as a record has it, by their names in a complete proof."""
    if "certificate" in proof:
        return {name: proof["certificate"]}
    found = proof["certificates"]
    if len(found) == 1:
        return {name: found[0]}
    return {f"{name}, {k} of {len(found)}": certificate for k, certificate in enumerate(found, 1)}


def whole_of(claim: Claim, among: Iterable[Claim], budget: Budget) -> Whole | None:
    """The complete proof of a claim; None if there is none.

    Parameters
    ----------
    among : claims that may supply its premises
    """
    proof = proof_of(claim, budget)
    return parts_of(claim, proof, suppliers_of_premises(claim, among)) if proof else None


def proof_of(claim: Claim, budget: Budget) -> Mapping[str, Any] | None:
    """The proof that the checks of a claim find, without their searches for counterexamples."""
    if any(kind_of(check).broken for check in claim.checks):
        basis = basis_of(claim, budget)
        return basis.proof if basis.outcome == "proved" else None
    recomputed = (check for check in claim.checks if kind_of(check).proves)
    return next((proof for check in recomputed if (proof := check(claim, budget, 0).proof)), None)


def found_by(claim: Claim, record: Mapping[str, Any]) -> Whole | None:
    """The proof in the record that the checks of a claim produced; None if there is none."""
    proofs = (f["proof"] for f in record["evidence"] if f.get("proof") and f["verdict"] in HARMLESS)
    proof = next(proofs, None)
    return parts_of(claim, proof, record["cites"]) if proof else None


def parts_of(claim: Claim, proof: Mapping[str, Any], says: Mapping[str, Mapping[str, Any]]) -> Whole:
    """A proof with the proofs of everything it rests on.

    Parameters
    ----------
    says : mapping
        Suppliers of each premise, from `verify.engine.proof.premises.cited`.
    """
    found, id = Whole(), claim.statement.id
    found.add(id, proof)
    if "certificate" not in proof:
        return found
    rests_on = proof["rests_on"]
    for fact in textbook_of(claim):
        if fact.name in rests_on["textbook"]:
            proofs, lacking = parts_of_lemma(fact)
            for name, one in proofs.items():
                found.add(f"{id}: {name}", one)
            found.lacks += tuple(lemma.cited for lemma in lacking)
    asked = question_of(claim)
    used = [p for p in claim.premises if asked.now(averaged(p, claim.means)) in rests_on["premises"]]
    _supply(found, claim, used, says)
    for conclusion in lemmas_of(claim):
        _rest_on_lemma(found, id, says[conclusion])
    return found


def _supply(
    found: Whole, claim: Claim, used: Iterable[Condition], says: Mapping[str, Mapping[str, Any]]
) -> None:
    """Add the proofs of the premises of a derivation: facts and identities of its scene, or statements that supply them."""
    id, scene, conditions = claim.statement.id, claim.scene, claim.conditions
    for premise in used:
        fact, who = fact_of(premise, scene, conditions), says[str(premise)]
        if fact is not None:
            found.add(f"{id}: {premise}", fact.proof)
        elif who["own"] and scene is not None and (proof := identity_of(premise, scene, conditions)):
            found.add(f"{id}: {premise}", proof)
        elif who["same"] or who["other"]:
            other = (who["same"] or who["other"])[0]
            found.rests_on += (other,)
            for k, certificate in enumerate(who.get("implied", {}).get(other, ()), 1):
                found.certificates[f"{id}: condition {k} of {other}"] = certificate
        else:
            found.lacks += (str(premise),)


def _rest_on_lemma(found: Whole, id: str, who: Mapping[str, Any]) -> None:
    """Add a lemma that gives a condition, with the certificates that its conditions are met and what it implies."""
    for lemma in who["same"]:
        found.rests_on += (lemma,)
        for name, certificates in (("condition", who["implied"][lemma]), ("consequence", who["gives"])):
            for certificate in certificates:
                number = 1 + sum(key.startswith(f"{id}: {name} ") for key in found.certificates)
                found.certificates[f"{id}: {name} {number}, of {lemma}"] = certificate
