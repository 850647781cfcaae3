"""Edits of stored answers and of records, and whether any edit is accepted although it changes the shown result.

    python -m tests.fuzz.records --number 500 --seed 0

An answer is edited (verdicts, kinds, methods, reasons, sizes, numbers of an instance, both sides, premises,
certificates swapped, removed, doubled or taken from another statement) and checked. An edit is accepted if the check
confirms the answer with another verdict, evidence, reason, lhs/rhs, proof or counterexample than before. A record is
edited in the same way, sealed again, and replayed. The numbers of a search (instances tried, growth of the largest
ratio) are not evidence, so they are not edited.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr
from copy import deepcopy
from io import StringIO
from typing import Any

from bounds.papers import paper_of
from verify.engine.judge import record_of
from verify.engine.records.answers import FOLDER, Answer, Key, answer_to, pool_in
from verify.engine.records.files import with_seal
from verify.engine.records.pool import Pool, apart
from verify.engine.records.replay import replay
from verify.engine.records.revalidation import revalidated
from verify.engine.records.standing import doubt
from verify.engine.topics import claim_of, claims, index
from verify.engine.verdict import Verdict, because
from verify.engine.work.errors import UsageError

IDS = (
    *("special.eq26", "special.eq27", "special.eq38", "special.eq37/corrected", "special.lemC.2"),
    *("special.b1", "special.lem4.9", "special.cor4.12", "special.lemC.5/step", "special.eq15.last"),
    *("special.lemC.6", "special.l4", "special.corD.1", "special.lemC.5/fades", "fedmes.eq43"),
    *("cflag.eq55/all-steps", "cflag.lem1/all-steps", "fedmes.eq38", "fedmes.ass1/everywhere", "special.l2"),
)
"""Answers with proofs at sizes, for all sizes, by premises, by induction; counterexamples, gaps, orders; an unrefuted
claim.
"""
BROKEN = ("refuted", "gap")
"""Verdicts that rest on a counterexample."""
VERDICTS = [verdict.value for verdict in Verdict]
SHOWN = ("check", "verdict", "method", "reason", "tightness", "witness", "proof")
"""The shown entries of a finding."""

Edit = Callable[[random.Random, Answer, Pool, Sequence[Answer]], Any]


def verdict(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    rng.choice(answer["evidence"])["verdict"] = rng.choice(VERDICTS)


def proved_without_evidence(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    finding = answer["evidence"][0]
    finding.update(
        verdict="proved",
        method="symbolic",
        witness=None,
        reason=because("follows", sizes=None, by=[], over=[], means=False, defined=[]),
    )
    if rng.random() < 0.5:
        finding.pop("proof", None)
        answer["whole"] = None


def vacuous_without_reason(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    finding = rng.choice(answer["evidence"])
    finding.update(verdict="vacuous", reason=because("contradiction"))


def kind(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    kinds = ("identity", "bound", "inequality", "entailment", "agreement", "order", "table", "unjudged")
    rng.choice(answer["evidence"])["check"] = rng.choice(kinds)


def method(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    rng.choice(answer["evidence"])["method"] = rng.choice(("symbolic", "exact", "interval", "sampled"))


def reason(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    finding = rng.choice(answer["evidence"])
    more = because("unjudged", why="for all sizes")
    finding["reason"] = rng.choice((more, finding["reason"] + more, []))


def ratio(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    finding = answer["evidence"][0]
    finding["tightness"] = rng.choice((0.5, 1.0, 2.0, None))


def sizes(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    proof = next((f["proof"] for f in answer["evidence"] if f.get("proof")), None)
    if proof is not None and proof.get("sizes"):
        proof["sizes"] = rng.choice((None, proof["sizes"][:-1], [*proof["sizes"], {"N": 9}]))


def sizes_of_certificates(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    """Fewer certificates at fewer sizes, or fewer certificates for all sizes."""
    proof = next((f["proof"] for f in answer["evidence"] if f.get("proof")), None)
    if proof is not None and proof.get("certificates"):
        proof.update(certificates=proof["certificates"][:1], count=1, sizes=(proof["sizes"] or [None])[:1])
        if answer["whole"]:
            first = dict([next(iter(answer["whole"]["certificates"].items()))])
            answer["whole"] = {**answer["whole"], "certificates": first}


def instance(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    witness = next((f["witness"] for f in answer["evidence"] if f["witness"]), None)
    if witness is None:
        return
    part = witness[rng.choice(("parameters", "steps", "shape"))]
    if part:
        name = rng.choice(sorted(part))
        part[name] = _other_number(rng, part[name])


def sides(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    witness = next((f["witness"] for f in answer["evidence"] if f["witness"]), None)
    if witness is not None:
        side = rng.choice(("lhs", "rhs"))
        witness[side] = [number + 1 for number in witness[side]]


def condition(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    witness = next((f["witness"] for f in answer["evidence"] if f["witness"]), None)
    if witness is not None and witness["conditions"]:
        rng.choice(witness["conditions"]).update(slack=0.5)


def evidence_of_another(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    other = deepcopy(rng.choice(others))
    for name in rng.choice(
        (("evidence",), ("whole",), ("evidence", "whole"), ("evidence", "whole", "cites"))
    ):
        answer[name] = other[name]


def certificate_of_another(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    other = rng.choice(
        [o for o in others if any("certificate" in (f.get("proof") or {}) for f in o["evidence"])]
    )
    proof = next(f["proof"] for f in other["evidence"] if "certificate" in (f.get("proof") or {}))
    for finding in answer["evidence"]:
        if finding.get("proof"):
            finding["proof"] = deepcopy(
                rng.choice((proof, {**finding["proof"], "certificate": proof["certificate"]}))
            )


def line(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    """A certificate with another claim, or another justification of an assumption."""
    proof = next((f["proof"] for f in answer["evidence"] if f.get("proof")), None)
    if proof is None:
        return
    held = [proof["certificate"]] if "certificate" in proof else proof["certificates"]
    if held:
        one = rng.choice(held)
        one["lines"] = rng.choice(([], one["lines"][:-1], [{"given": one["claim"], "by": "condition"}]))


def removed(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    finding = rng.choice(answer["evidence"])
    part = rng.choice(("witness", "proof", "finding"))
    if part == "finding":
        answer["evidence"].remove(finding)
    else:
        finding.update({part: None})


def doubled(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    answer["evidence"].append(deepcopy(rng.choice(answer["evidence"])))


def suppliers(rng: random.Random, answer: Any, pool: Pool, others: Sequence[Answer]) -> None:
    """Another supplier of a premise: a statement, or an identity."""
    for says in answer["cites"].values():
        says[rng.choice(("same", "other"))] = [rng.choice(IDS)]
        says["own"] = rng.choice((says["own"], because("unjudged", why="an identity")))


EDITS: tuple[Edit, ...] = (
    *(verdict, proved_without_evidence, vacuous_without_reason, kind, method, reason, ratio, sizes),
    *(sizes_of_certificates, instance, sides, condition, evidence_of_another, certificate_of_another, line),
    *(removed, doubled, suppliers),
)


def _other_number(rng: random.Random, held: Any) -> Any:
    if isinstance(held, list):
        return [_other_number(rng, part) for part in held]
    if isinstance(held, int):
        return held + rng.choice((-1, 1))
    return rng.choice(("0", "1", "1/3", "-2", f"{held}1"))


def shown(answer: Answer) -> Any:
    """The parts of an answer that a reader sees: its findings, the suppliers of its premises, and the parts of its
    proof.

    For an instance these are both sides and the slack of each condition: other numbers with the same results are
    equally good evidence.
    """
    findings = [{name: _seen(finding, name) for name in SHOWN} for finding in answer["evidence"]]
    cites = {p: [says["same"], says["other"], says["own"]] for p, says in answer["cites"].items()}
    return findings, cites, answer["whole"]


def _seen(finding: Mapping[str, Any], name: str) -> Any:
    held = finding.get(name)
    if name != "witness" or not held:
        return held
    return {
        part: held[part] for part in ("statement", "relation", "method", "lhs", "rhs", "conditions", "zero")
    }


def stands(answer: Answer, pool: Pool, key: Key) -> Answer | None:
    """The answer according to its evidence; None if it is refused."""
    claim = claim_of(key.id)
    assert claim is not None
    inside = apart(answer)[1]
    try:
        if doubt(claim, answer["evidence"], key.seed):
            return None
        return revalidated(claim, answer, {**pool, **inside}, key, claims(paper_of(key.id)).values())
    except (UsageError, LookupError, TypeError, ValueError):
        return None


def believed(edited: Answer, true: Answer, pool: Pool, key: Key) -> bool:
    """Whether an edited answer is confirmed and shows another result than the true one.

    A counterexample that is searched again because the edit removed it may be another one; the search evaluates it.
    """
    found = stands(edited, pool, key)
    if found is None or shown(found) == shown(true):
        return False
    again = [
        one["check"] for one in edited["evidence"] if one["verdict"] in BROKEN and not one.get("witness")
    ]
    return _without_instances(found, again) != _without_instances(true, again)


def _without_instances(answer: Answer, checks: Sequence[str]) -> Any:
    """What a reader sees, without the instances of some checks and what is said of them."""
    findings, *rest = shown(answer)
    own = ("witness", "reason", "tightness")
    return [{**one, **dict.fromkeys(own)} if one["check"] in checks else one for one in findings], rest


def replayed(rng: random.Random, answer: Answer, edited: Answer, key: Key) -> bool | None:
    """Whether a replay accepts a record of an edited answer under a new seal; None if it cannot be made or replayed."""
    claim = claim_of(key.id)
    assert claim is not None
    try:
        before = record_of(claim, answer["evidence"], answer["cites"], 0.0, "default", 0)
        record = record_of(claim, edited["evidence"], edited["cites"], 0.0, "default", 0)
        names = ("kind", "verdict", "method", "reason", "tightness", "witness", "proof")
        if all(_seen(record, name) == _seen(before, name) for name in names) or not record["witness"]:
            return None
        return replay(with_seal(json.loads(json.dumps(record, default=str))))[1]
    except (UsageError, LookupError, TypeError, ValueError):
        return None


def fuzzed(number: int, seed: int) -> dict[str, Any]:
    """The results of this number of edits, by kind."""
    rng = random.Random(seed)
    keys = [index()[id].key("default", 0) for id in IDS if id in index()]
    stored = {key: deepcopy(answer_to(key)) for key in keys}
    pools = {key: pool_in(FOLDER, key.topic) for key in keys}
    now = {key: stands(answer, pools[key], key) for key, answer in stored.items() if answer is not None}
    true = {key: answer for key, answer in now.items() if answer is not None}
    kinds, wrong, unchanged, records = Counter[str](), list[str](), 0, 0
    for k in range(number):
        key = rng.choice(sorted(true, key=lambda key: key.id))
        edit = EDITS[k % len(EDITS)]
        edited = deepcopy(dict(true[key]))
        edit(rng, edited, pools[key], [true[other] for other in true if other != key])
        kinds[edit.__name__] += 1
        if edited == true[key]:
            unchanged += 1
            continue
        with redirect_stderr(StringIO()):
            if believed(edited, true[key], pools[key], key):
                wrong.append(f"{key.id}: {edit.__name__} is believed")
            again = replayed(rng, true[key], edited, key)
            records += again is not None
            if again:
                wrong.append(f"{key.id}: a replay believes {edit.__name__}")
    refused = [key.id for key, answer in true.items() if _refused(answer, key)]
    return {
        "edits": number,
        "seed": seed,
        "answers": len(true),
        "kinds": dict(kinds),
        "without effect": unchanged,
        "records replayed": records,
        "believed": wrong,
        "true records refused": refused,
    }


def _refused(answer: Answer, key: Key) -> bool:
    """Whether a replay refuses the record of an unedited answer."""
    claim = claim_of(key.id)
    assert claim is not None
    record = record_of(claim, answer["evidence"], answer["cites"], 0.0, "default", 0)
    return bool(record["witness"]) and not replay(with_seal(json.loads(json.dumps(record, default=str))))[1]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--number", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    found = fuzzed(options.number, options.seed)
    print(json.dumps(found, indent=1))
    return 1 if found["believed"] or found["true records refused"] else 0


if __name__ == "__main__":
    sys.exit(main())
