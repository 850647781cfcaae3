"""Links between the records of a run: derivations rest on premises, theorems on the steps of their proof."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from verify.engine.model.extent import Sizes, extended, is_empty
from verify.engine.proof.restrictions import narrowed
from verify.engine.verdict import HARMLESS, SHOWN, Reason, Verdict, because, overall, ratio_seen

Record = dict[str, Any]
DAMAGING = ("refuted", "inconsistent", "gap", "vacuous")


def with_final_verdicts(records: Sequence[Record]) -> list[Record]:
    """The records with their final verdicts, and theorems linked to the steps of their proofs. The given records are not
    changed.

    Linked records have more entries than the saved ones, so they have no seal. They share unchanged parts with the given
    records; changed parts are copies.
    """
    found = [{**record, "evidence": [{**finding} for finding in record["evidence"]]} for record in records]
    for record in found:
        record.pop("digest", None)
    sizes = settle(found)
    link_proofs(found)
    restricted = narrowed(found, _standing_on(found))
    for record in found:
        record["sizes"] = sizes.get(record["id"])
        record["restricts"] = restricted[record["id"]]
    return found


def settle(records: Sequence[Record]) -> dict[str, Any]:
    """Settle every finding whose verdict depends on other records of a run, and return the sizes of all proofs by id.

    A derivation is proved if every premise is proved: by a statement of this run (`suppliers_of_derived`), or as a fact of its scene. It
    is proved by citation if one of the proofs it rests on is. An order that a proved lower bound outgrows is refuted. A
    statement that is provably never better than a proved trivial bound is vacuous.
    """
    by_id = {record["id"]: record for record in records}
    derived, sources = _derivations(records), suppliers_of_derived(records)
    facts = {id: _facts(by_id[id], derived[id]) for id in derived}
    verdicts, sizes, apart = _proofs(records, derived, facts, sources)
    proved = {id for id, verdict in verdicts.items() if verdict == Verdict.PROVED}
    for record in records:
        id, turned = record["id"], False
        for finding in record["evidence"]:
            if id in derived and finding is derived[id]:
                reason = _rests_on(sources[id], verdicts, facts[id]) + ratio_seen(finding["tightness"])
                reason += because("apart") if id in apart else []
                finding.update(verdict=verdicts[id], reason=reason)
            elif (floor := finding.get("details", {}).get("outgrown by")) in proved:
                finding.update(
                    verdict=Verdict.REFUTED.value,
                    reason=finding["reason"] + because("bound-proved", bound=floor),
                )
            elif _is_never_better(record, finding, proved, by_id):
                bound = finding["details"]["comparison"]["with"]
                reason = finding["reason"] + because("bound-proved", bound=bound)
                finding.update(verdict=Verdict.VACUOUS.value, reason=reason)
            else:
                continue
            turned = True
        if turned:
            best = overall(record["evidence"])
            shown = {name: best[name] for name in _SHOWN if name in best}
            record.update(shown, kind=best["check"])
    return sizes


_SHOWN = ("verdict", "reason", "method", "tightness", "witness", "proof")
"""Entries of a record that are copied from its shown finding."""


def _proofs(
    records: Sequence[Record],
    derived: Mapping[str, Record],
    facts: Mapping[str, Mapping[str, Reason]],
    sources: Mapping[str, Mapping[str, set[str]]],
) -> tuple[dict[str, str], dict[str, Any], set[str]]:
    """Verdicts by id after derivations are settled, sizes of proofs, and derivations whose parts have no size in common."""
    by_citation = {id for id, finding in derived.items() if finding["details"].get("cited")}
    standing = _standing_on(records)
    apart = set[str]()
    while True:
        left = derived.keys() - apart
        proved = _with_derived(_of(records, {Verdict.PROVED.value}), left - by_citation, facts, sources)
        shown = _with_derived(_of(records, SHOWN), left, facts, sources)
        verdicts = {
            record["id"]: Verdict.PROVED.value
            if record["id"] in proved
            else Verdict.CITED.value
            if record["id"] in shown
            else record["verdict"]
            for record in records
        }
        sizes = extended([{**record, "verdict": verdicts[record["id"]]} for record in records], standing)
        fresh = {id for id in left if is_empty(sizes.get(id))}
        if not fresh:
            return verdicts, sizes, apart
        apart |= fresh


def _of(records: Sequence[Record], verdicts: Collection[str]) -> set[str]:
    """Ids of the records that have one of these verdicts."""
    return {record["id"] for record in records if record["verdict"] in verdicts}


def _with_derived(
    proved: set[str],
    derived: Collection[str],
    facts: Mapping[str, Mapping[str, Reason]],
    sources: Mapping[str, Mapping[str, set[str]]],
) -> set[str]:
    """Proved statements, and derived ones whose premises are all facts of their scene or proved, repeated until nothing
    changes.
    """
    found = set(proved)
    while fresh := {
        id
        for id in derived
        if id not in found and all(p in facts[id] or found & ids for p, ids in sources[id].items())
    }:
        found |= fresh
    return found


def _is_never_better(
    record: Record, finding: Record, proved: set[str], by_id: Mapping[str, Mapping[str, Any]]
) -> bool:
    """Whether a statement is provably never better than a trivial bound, and everything this proof rests on is proved."""
    compared = finding.get("details", {}).get("comparison")
    if compared is None or compared["with"] not in proved:
        return False
    cites = record.get("cites", {})
    return all(
        cites.get(premise, {}).get("own") or proved & _suppliers(record, premise, by_id)
        for premise in compared["premises"]
        if premise not in compared["facts"]
    )


def missing_statements(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Ids of statements that are not among these records but on which their verdicts depend."""
    by_id = {record["id"]: record for record in records}
    found: dict[str, None] = {}
    for id, derivation in _derivations(records).items():
        facts = _facts(by_id[id], derivation)
        for premise in derivation["details"]["derived_from"]:
            says = by_id[id].get("cites", {}).get(premise, {}) if premise not in facts else {}
            found |= dict.fromkeys((*says.get("same", ()), *says.get("other", ())))
    for record in records:
        floors = (finding.get("details", {}).get("outgrown by") for finding in record["evidence"])
        found |= dict.fromkeys(floor for floor in floors if floor)
        for finding in record["evidence"]:
            compared = finding.get("details", {}).get("comparison", {"premises": ()})
            found |= dict.fromkeys([compared["with"]] if "with" in compared else ())
            for premise in compared["premises"]:
                says = by_id[record["id"]].get("cites", {}).get(premise, {})
                found |= dict.fromkeys((*says.get("same", ()), *says.get("other", ())))
    return [id for id in found if id not in by_id]


def suppliers_of_derived(records: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, set[str]]]:
    """By the id of each derived statement: the premises of its derivation, and the statements that supply each.

    A statement about other quantities supplies a premise only if it follows from conditions alone.
    """
    by_id = {record["id"]: record for record in records}
    return {
        id: {
            premise: _suppliers(by_id[id], premise, by_id)
            for premise in derivation["details"]["derived_from"]
        }
        for id, derivation in _derivations(records).items()
    }


def _suppliers(record: Mapping[str, Any], premise: str, by_id: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Ids of a run that supply a premise: about the same quantities, or about others if it follows from conditions alone."""
    ids = record.get("cites", {}).get(premise, {})
    free = [other for other in ids.get("other", ()) if other in by_id and _of_any_numbers(by_id[other])]
    named = (other for other in (*ids.get("same", ()), *free) if other in by_id)
    stated = ids.get("states", premise)  # in the letters of a lemma
    return {other for other in named if _says(by_id[other], stated, record, ids.get("implied", ()))}


def _says(
    other: Mapping[str, Any], premise: str, record: Mapping[str, Any], implied: Collection[str]
) -> bool:
    """Whether the statement of a record supplies a premise under conditions that are met where the premise is used."""
    said, met = other["statement"], record["statement"]["conditions"]
    return said["relation"] == premise and (other["id"] in implied or set(said["conditions"]) <= set(met))


def _standing_on(records: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, list[str | Sizes | None]]]:
    """By the id of each derived statement: ids that supply the premises not proved by facts of its scene, and sizes of
    identities.
    """
    by_id = {record["id"]: record for record in records}
    found: dict[str, dict[str, list[str | Sizes | None]]] = {}
    for id, premises in suppliers_of_derived(records).items():
        derivation = _derivation(by_id[id])
        facts = derivation["details"].get("facts", {}) if derivation else {}
        own = {p: [c["own_sizes"]] for p, c in by_id[id].get("cites", {}).items() if c["own"]}
        found[id] = {p: [*sorted(ids), *own.get(p, [])] for p, ids in premises.items() if p not in facts}
    return found


def _of_any_numbers(record: Mapping[str, Any]) -> bool:
    """Whether a record is a proof from its conditions alone, at all sizes, without induction, means or lemmas of its
    scene.
    """
    proof = record.get("proof") or {}
    if not proof.keys().isdisjoint(("induction", "means")):
        return False
    if "certificate" not in proof or proof["sizes"] is not None:
        return False
    return not proof["rests_on"]["premises"] and not proof["rests_on"].get("textbook")


def _derivations(records: Sequence[Mapping[str, Any]]) -> dict[str, Record]:
    return {record["id"]: found for record in records if (found := _derivation(record)) is not None}


def _derivation(record: Mapping[str, Any]) -> Record | None:
    """The finding that derived a record's relation from premises, if one did and its verdict is the one shown."""
    if record["verdict"] not in HARMLESS:
        return None
    return next((f for f in record["evidence"] if "derived_from" in f.get("details", {})), None)


def _facts(record: Mapping[str, Any], derivation: Record) -> Mapping[str, Reason]:
    """Premises of a derivation that are proved facts or identities of its scene, with the reasons."""
    own = {premise: says["own"] for premise, says in record.get("cites", {}).items() if says["own"]}
    used = derivation["details"]["derived_from"]
    return {**{p: own[p] for p in used if p in own}, **derivation["details"].get("facts", {})}


def _rests_on(
    sources: Mapping[str, set[str]], verdicts: Mapping[str, str], proofs: Mapping[str, Reason]
) -> Reason:
    """The statements and facts that a derivation rests on, with their verdicts, and why the facts are true."""
    rank = {"proved": 0, "proved (cited)": 1, "unrefuted": 2}
    cited = sorted(
        {
            min(ids, key=lambda id: (rank.get(verdicts[id], 9), id))
            for premise, ids in sources.items()
            if ids and premise not in proofs
        }
    )
    return because(
        "derived-from",
        statements={id: verdicts[id] for id in cited},
        proved=dict(proofs),
        unproved=[premise for premise, ids in sources.items() if not ids and premise not in proofs],
    )


def link_proofs(records: Sequence[Record]) -> None:
    """Add to each record the first step of its proof that fails, and whether the conclusion survives it."""
    verdicts = {record["id"]: record["verdict"] for record in records}
    for record in records:
        failing = first_failing(record["uses"], verdicts)
        if failing is not None:
            record["proof"] = {
                **(record.get("proof") or {}),
                "first_failing_step": failing,
                "its_verdict": verdicts[failing],
                "conclusion_survives": record["verdict"] in HARMLESS,
            }


def first_failing(uses: Sequence[str], verdicts: Mapping[str, str]) -> str | None:
    """First of `uses` whose verdict is damaging, among those judged."""
    return next((id for id in uses if verdicts.get(id) in DAMAGING), None)
