"""Restrictions of verdicts: assumptions, besides conditions, of the scenes and statements on which they rest.

A search covers only the instances of its scene. A derivation is restricted by the proofs of its premises: with facts about
all smooth losses it is general, even if the search used only quadratic losses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from bounds.hypotheses import Hypothesis
from verify.engine.model.claim import Claim
from verify.engine.model.extent import narrower
from verify.engine.model.extent import verdict_with_sizes as with_sizes
from verify.engine.model.scene import Fact, Proved, Scene
from verify.engine.verdict import SHOWN

if TYPE_CHECKING:
    from verify.engine.proof.facts import AnyFact

Record = Mapping[str, Any]


def restrictions(claim: Claim, finding: Record, cites: Mapping[str, Record]) -> dict[str, list[str]]:
    """Restrictions of a finding by the claim's own scene: for a search, and for a proof.

    Parameters
    ----------
    cites : mapping
        Suppliers of its premises (`verify.engine.proof.premises.cited`). Supplied premises are restricted by their statements.
    """
    if not isinstance(claim.scene, Scene):  # no scene, or a wrong value in its place
        return {"search": [], "proof": []}
    derived = finding.get("details", {}).get("derived_from")
    if derived is None:
        own: tuple[str, ...] = _of_proof(claim, claim.scene, finding)
    else:
        own = tuple(one for p in derived for one in _of_premise(p, claim.scene, finding, cites.get(p, {})))
    return {
        "search": [one.value for one in claim.scene.restricts],
        "proof": list(dict.fromkeys(map(str, own))),
    }


def _of_proof(claim: Claim, scene: Scene, finding: Record) -> tuple[str, ...]:
    """Restrictions of a proof without premises: by a certificate from conditions, by a fact of the scene, or in the
    scene. Ends of ranges of parameters that no condition implies count, too.
    """
    proof = finding.get("proof") or {}
    if "certificate" in proof:
        return ()
    said = _of_fact(str(claim.statement.relation), scene) if "certificates" in proof else None
    return (*(scene.restricts if said is None else said), *proof.get("ranges", ()))


def _of_premise(premise: str, scene: Scene, finding: Record, says: Record) -> tuple[Hypothesis, ...]:
    if premise in finding["details"].get("facts", {}):
        return _of_fact(premise, scene) or ()
    supplied = (says.get("same") or says.get("other")) and not says.get("own")
    return () if supplied else scene.restricts


def _of_fact(relation: str, scene: Scene) -> tuple[Hypothesis, ...] | None:
    """Restrictions of the fact with this relation; sums and rounds hold for all vectors. None if there is no such fact."""
    found = _facts(scene.compute).get(relation) if isinstance(scene.compute, Proved) else None
    if found is None:
        return None
    return found.scene.restricts if isinstance(found, Fact) else ()


@cache
def _facts(quantities: Proved) -> Mapping[str, AnyFact]:
    """Facts about quantities by the texts of their relations; the first one counts."""
    return {str(fact.relation): fact for fact in reversed(quantities.facts)}


def narrowed(
    records: Sequence[Record], sources: Mapping[str, Mapping[str, Sequence[Any]]]
) -> dict[str, list[str]]:
    """By the id of every record: the restrictions of its verdict, its own and those of the statements it rests on.

    Parameters
    ----------
    sources : mapping
        By id and premise: ids of the statements that supply it; an entry that is not an id is an identity of the record's
        own scene.
    """
    found = {record["id"]: _of_record(record) for record in records}
    proved = {record["id"] for record in records if record["verdict"] in SHOWN}
    before: dict[str, frozenset[str]] = {}
    while found != before:
        before = dict(found)
        for id in proved & sources.keys():
            for suppliers in sources[id].values():
                ids = [by for by in suppliers if isinstance(by, str)]
                if ids and len(ids) == len(suppliers):
                    found[id] |= min((before[by] for by in ids if by in proved), key=len, default=frozenset())
    order = [one.value for one in Hypothesis]
    return {
        id: [*(one for one in order if one in every), *sorted(every - {*order})]
        for id, every in found.items()
    }


def _of_record(record: Record) -> frozenset[str]:
    own = record.get("restrictions", {"search": (), "proof": ()})
    by_proof = record["verdict"] in SHOWN
    by_search = record["verdict"] in ("unrefuted", "supported", "vacuous")
    found = own["proof"] if by_proof else own["search"] if by_search else ()
    return frozenset((*found, *record["statement"].get("hypotheses", ())))


def unsaid(record: Record) -> tuple[str, ...]:
    """Restrictions of a verdict that its statement does not mention."""
    said = record["statement"].get("hypotheses", ())
    return tuple(one for one in record.get("restricts", ()) if one not in said)


def verdict_with_restrictions(record: Record) -> str:
    """The printed verdict of a record, with restrictions that its statement does not mention: ``proved (quadratic
    losses)``.
    """
    verdict, limits = with_sizes(record), ", ".join(unsaid(record))
    return narrower(verdict, limits) if limits else verdict
