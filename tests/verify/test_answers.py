"""Stored answers: used only for unchanged code, checked in every run, and judged again if they fail."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from verify.engine.certificates.store import proves
from verify.engine.checks import attack
from verify.engine.checks.kinds import kind_of
from verify.engine.judge import judge
from verify.engine.model.claim import BUDGETS
from verify.engine.records import answers as kept
from verify.engine.records import index as indices
from verify.engine.records import revalidation
from verify.engine.records import standing as room
from verify.engine.records.answers import FOLDER, answer_to, answers, keep
from verify.engine.records.files import parts_of, path_of, read_json
from verify.engine.records.pool import pool_of, read_pool, write_pool
from verify.engine.records.revalidation import (
    Unsupported,
    concluded,
    is_known,
    remember,
    revalidated,
    ship_notes,
)
from verify.engine.records.standing import doubt, standing
from verify.engine.run import CHECKED, SEARCHED, run, suppliers_of
from verify.engine.topics import claim_of, claims, index, topics

IDS = ("special.eq26", "special.eq27", "special.eq38", "special.eq37/corrected", "special.lemC.2")
"""Ids of answers: proved at sizes, refuted, a gap, unrefuted, a fact."""
PAPER = tuple(claims("special").values())


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder of stored answers, and the records from which they were made."""
    folder = tmp_path_factory.mktemp("answers")
    records = {record["id"]: record for record in run(IDS, folder / "records", "quick", 0, answers=None)}
    saved = {id: read_json(path_of(folder / "records", id)) for id in IDS}
    for topic in {index()[id].topic for id in IDS}:
        own = [id for id in IDS if index()[id].topic == topic]
        parts = {name: c for id in own for name, c in read_pool(parts_of(folder / "records", id)).items()}
        keep(topic, IDS, [saved[id] for id in own], folder, parts)
    return folder, records


def said(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in ("seconds", "judged", "digest")}


def test_a_record_is_the_same_whether_judged_anew_or_checked_again(found, tmp_path):
    folder, records = found
    again = {record["id"]: record for record in run(IDS, tmp_path, "quick", 0, answers=folder)}
    for id in IDS:
        assert (records[id]["judged"], again[id]["judged"]) == (SEARCHED, CHECKED)
        assert json.dumps(said(again[id]), sort_keys=True) == json.dumps(said(records[id]), sort_keys=True)


def test_a_search_does_not_go_on_from_what_was_only_checked_again(found, tmp_path):
    folder, _ = found
    for answers_in, how in ((folder, CHECKED), (None, SEARCHED), (folder, SEARCHED)):
        (record,) = run(IDS[:1], tmp_path, "quick", 0, answers=answers_in)
        assert record["judged"] == how


@pytest.mark.parametrize(("budget", "seed"), [("default", 0), ("quick", 1)])
def test_an_answer_is_of_one_budget_and_seed(found, budget, seed):
    claim = claim_of("special.eq27")
    entry = index()["special.eq27"]
    assert standing(claim, entry.key("quick", 0), PAPER, found[0]) is not None
    assert standing(claim, entry.key(budget, seed), PAPER, found[0]) is None


def test_other_words_for_a_number_are_no_reason_for_doubt(found):
    claim, evidence = claim_of("special.eq27"), deepcopy(found[1]["special.eq27"]["evidence"])
    evidence[0]["witness"]["told"] = {"start": "words of an earlier version"}
    assert doubt(claim, evidence, 0) == ""


def test_a_counterexample_with_another_number_does_not_stand(found, capsys):
    folder, records = found
    claim, evidence = claim_of("special.eq27"), deepcopy(records["special.eq27"]["evidence"])
    assert doubt(claim, evidence, 0) == ""
    witness = evidence[0]["witness"]
    witness["lhs"] = [value + 1 for value in witness["lhs"]]
    assert "OTHERWISE" in doubt(claim, evidence, 0)
    file = folder / "special_drift.json"
    whole = file.read_text()
    content = json.loads(whole)
    content["special.eq27"]["evidence"] = evidence
    file.write_text(json.dumps(content))
    answers.cache_clear()
    try:
        assert standing(claim, index()["special.eq27"].key("quick", 0), PAPER, folder) is None
    finally:
        file.write_text(whole)
        answers.cache_clear()
    assert "special.eq27 is judged again" in capsys.readouterr().err


def test_a_certificate_with_another_line_does_not_stand(found):
    claim, evidence = claim_of("special.eq26"), deepcopy(found[1]["special.eq26"]["evidence"])
    certificate = next(c for c in evidence[0]["proof"]["certificates"])
    certificate["lines"][-1]["show"][2] = "12345"
    assert doubt(claim, evidence, 0)


def test_a_derivation_must_be_of_its_claim():
    claim, other = claim_of("cfl.alg6.drift"), claim_of("cfl.lemB.2.reduces")
    evidence = judge(claim, "quick", 0)["evidence"]
    assert "certificate" in evidence[0]["proof"]
    assert doubt(claim, evidence, 0) == ""
    assert doubt(other, evidence, 0) == "the certificate proves another relation"
    contradictory = [{**evidence[0], "verdict": "vacuous"}]
    assert doubt(claim, contradictory, 0) == "the certificate proves another relation"


def test_an_answer_whose_certificates_are_lost_or_changed_does_not_stand(found, tmp_path, capsys):
    folder, _ = found
    id = "special.eq37/corrected"
    topic = index()[id].topic
    for file in folder.glob(f"{topic}.*"):
        shutil.copy(file, tmp_path)
    path = tmp_path / f"{topic}.certificates.xz"
    pool = read_pool(path)
    names = list(answers(tmp_path, topic)[id]["whole"]["certificates"].values())
    assert set(names) <= pool.keys()
    assert standing(claim_of(id), index()[id].key("quick", 0), PAPER, tmp_path) is not None
    changed = deepcopy(pool[names[-1]])
    changed["lines"][-1]["as"] = "12345"
    for one in ({}, {names[-1]: changed}):
        write_pool(path, {**{name: pool[name] for name in pool if name != names[-1]}, **one})
        kept.pool_in.cache_clear()
        assert standing(claim_of(id), index()[id].key("quick", 0), PAPER, tmp_path) is None
    (new,) = pool_of([changed])  # stored under its own digest, but no proof
    content = (tmp_path / f"{topic}.json").read_text()
    (tmp_path / f"{topic}.json").write_text(content.replace(names[-1], new))
    write_pool(path, {**pool, new: changed})
    kept.pool_in.cache_clear()
    answers.cache_clear()
    assert standing(claim_of(id), index()[id].key("quick", 0), PAPER, tmp_path) is None
    assert f"{id} is judged again" in capsys.readouterr().err


def test_certificates_are_written_to_the_same_bytes(found, tmp_path):
    (file,) = found[0].glob("special_drift.certificates.xz")
    pool = read_pool(file)
    assert pool
    write_pool(tmp_path / "again.xz", dict(reversed(list(pool.items()))))
    assert (tmp_path / "again.xz").read_bytes() == file.read_bytes()


def test_what_holds_is_tried_again(found, monkeypatch):
    claim = claim_of("special.eq37/corrected")
    evidence = found[1]["special.eq37/corrected"]["evidence"]
    assert doubt(claim, evidence, 0) == ""
    monkeypatch.setattr(room, "attack_at_random", lambda *_: type("Attack", (), {"witness": object()}))
    assert doubt(claim, evidence, 0) == "a random instance breaks it"


def test_keeping_forgets_what_is_no_statement_any_more(found, tmp_path):
    folder, _ = found
    (tmp_path / "special_drift.json").write_text((folder / "special_drift.json").read_text())
    assert keep("special_drift", ["special.eq27"], [], tmp_path) == 1
    assert list(answers(tmp_path, "special_drift")) == ["special.eq27"]


def test_the_answers_beside_the_claims_are_no_more_than_ten_megabytes():
    from verify.engine.certificates.store import FOLDER as CERTIFICATES

    files = [*kept.FOLDER.glob("*.*"), *CERTIFICATES.glob("*.json")]
    assert sum(file.stat().st_size for file in files) < 10_000_000


def test_what_trains_networks_is_judged_by_its_runs():
    topics = {entry.topic for entry in index().values()}
    assert {topic for topic in topics if not kept.is_kept(topic)} == {
        t for t in topics if t.startswith("networks_")
    }


@pytest.fixture
def unnoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No note of a revalidation lies beside the answers or in the user's cache; the second folder of a cache."""
    monkeypatch.setattr(revalidation, "NOTES", tmp_path / "revalidated.json")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    revalidation._shipped_notes.cache_clear()
    yield tmp_path / "other"
    revalidation._shipped_notes.cache_clear()


def test_a_note_is_of_one_answer_one_question_and_one_code(unnoted, monkeypatch):
    key = index()["special.eq27"].key("default", 0)
    raw = answers(FOLDER, key.topic)[key.id]
    assert not is_known(key, raw)
    ship_notes([key], [key.id])
    assert not is_known(key, raw)
    remember(key, raw)
    assert is_known(key, raw)
    ship_notes([key], [key.id])
    monkeypatch.setenv("XDG_CACHE_HOME", str(unnoted))
    assert is_known(key, raw)
    assert not is_known(key, {**raw, "cites": {"x": {}}})
    assert not is_known(replace(key, computed="of other code"), raw)
    monkeypatch.setattr(revalidation, "RULES", revalidation.RULES[1:])
    assert not is_known(key, raw)
    ship_notes([], [])
    assert read_json(revalidation.NOTES) == {}


@pytest.mark.parametrize("place", [*revalidation.RULES, *indices.CODE])
def test_all_code_on_which_notes_and_the_index_depend_exists(place):
    root = Path(__file__).resolve().parents[2]
    assert any(root.glob(place if place.endswith(".py") else f"{place}/*.py"))


def test_an_answer_without_a_note_is_revalidated_once(unnoted, monkeypatch):
    id, times = "special.eq27", []
    key = index()[id].key("default", 0)
    plain = room.revalidated
    monkeypatch.setattr(room, "revalidated", lambda *asked: times.append(id) or plain(*asked))
    for _ in range(2):
        assert standing(claim_of(id), key, suppliers_of(id)) is not None
    assert times == [id]


def test_an_answer_that_is_confirmed_for_changed_code_is_known_once_it_is_stored(unnoted):
    id = "special.eq27"
    key = replace(index()[id].key("default", 0), computed="of other code")
    assert standing(claim_of(id), key, suppliers_of(id)) is not None
    raw = answers(FOLDER, key.topic)[id]
    assert not is_known(key, raw)
    assert is_known(key, {**raw, **key.digests})


@pytest.mark.slow
@pytest.mark.parametrize("topic", [topic for topic in topics() if kept.is_kept(topic)])
def test_every_answer_is_what_its_evidence_gives(topic):
    for id, entry in index().items():
        if entry.topic == topic:
            key = entry.key("default", 0)
            answer = answer_to(key)
            assert answer is not None
            pool = kept.pool_in(FOLDER, topic)
            assert revalidated(claim_of(id), answer, pool, key, suppliers_of(id)) == answer


def test_a_derivation_is_no_evidence_of_an_order() -> None:
    claim = claim_of("special.cor4.12")
    assert claim is not None
    proof = {"certificate": {"symbols": {}, "lines": [], "claim": ["<=", "0", "1"]}}
    finding = {"check": "order", "verdict": "proved", "witness": None, "proof": proof}
    assert "the statement is an order" in doubt(claim, [finding], 0)


def test_a_search_does_not_outlast_a_certificate_that_proves_its_claim() -> None:
    claim = claim_of("cfl.thmB.5.sc/repaired")
    finding = answers(kept.FOLDER, "cfl_runs")[claim.statement.id]["evidence"][0]
    searched = {name: entry for name, entry in finding.items() if name != "proof"}
    assert searched["verdict"] == "unrefuted"
    with pytest.raises(Unsupported, match="a stored certificate proves it"):
        concluded(claim, claim.checks[0], searched, BUDGETS["default"], 0)


def test_another_certificate_of_the_same_formula_is_as_good() -> None:
    assumed = {"given": ["<=", "1", "x"], "by": "condition x >= 1"}
    squared = {
        "show": ["<=", "1", ["^", "x", "2"]],
        "as": ["+", ["*", "2", ["slack", 0]], ["^", ["slack", 0], "2"]],
    }
    claim = ["<=", "1", ["^", "x", "2"]]
    one = {"symbols": {"x": "real"}, "lines": [assumed, squared], "claim": claim}
    wider = {**one, "symbols": {"x": "real", "y": "positive"}}
    positive = {**one, "symbols": {"x": "positive"}}
    weaker = {**one, "lines": [{**assumed, "by": "condition of another"}, squared]}
    other = {**one, "claim": ["<=", "1", "x"]}
    assert [proves(one, two) for two in (one, wider, positive, weaker, other)] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert proves(wider, one)


def test_an_algorithm_that_learns_nothing_is_not_searched_for_again(monkeypatch) -> None:
    id = "cflag.lem7.worst/interfering-little"
    key = index()[id].key("default", 0)
    answer, pool = answer_to(key), kept.pool_in(FOLDER, key.topic)
    budgets = []
    plain = attack._beyond_random
    monkeypatch.setattr(
        attack, "_beyond_random", lambda question, *rest: budgets.append(rest[0]) or plain(question, *rest)
    )
    assert revalidated(claim_of(id), answer, pool, key, suppliers_of(id)) == answer
    assert budgets
    assert all((budget.ascents, budget.moves) == (0, 0) for budget in budgets)


@pytest.mark.parametrize("trials", [-1, "many", 2.5])
def test_a_number_of_trials_that_is_none_is_noticed(trials) -> None:
    claim = claim_of("cflag.lem7.worst/interfering-little")
    place = [kind_of(one).name for one in claim.checks].index("placebo")
    finding = answers(FOLDER, "cflag_repairs")[claim.statement.id]["evidence"][place]
    with pytest.raises(Unsupported, match="trials"):
        concluded(claim, claim.checks[place], {**finding, "trials": trials}, BUDGETS["quick"], 0)
