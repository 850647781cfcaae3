"""Stored answers and runs, on small examples: what is reused, checked, judged again, and reported."""

from types import SimpleNamespace

import pytest
import sympy as sp

from tests.verify.engine.simple import LINE, about, of, v, x, y
from verify.check_proof import Refused
from verify.engine import judge as judges
from verify.engine import run as runs
from verify.engine import topics
from verify.engine.certificates import prove
from verify.engine.proof.basis import question_of
from verify.engine.proof.prover import ABSURD
from verify.engine.records import answers as kept_answers
from verify.engine.records import standing as room
from verify.engine.records.answers import SEARCH, Key, answer_to, answers, is_current, is_kept, is_older, keep
from verify.engine.records.files import fingerprint, parts_of, path_of, read_json
from verify.engine.records.index import Entry
from verify.engine.records.pool import digest, pool_of, read_pool, write_pool
from verify.engine.records.revalidation import Unsupported, stored_certificate
from verify.engine.records.standing import doubt, doubt_of_revalidated, standing
from verify.engine.run import AT_ONCE, CHECKED, SEARCHED, run, saved_or_judged
from verify.engine.work.backends import HERE
from verify.engine.work.errors import UsageError

CLAIM = about("young", of(sp.Le, x * y, (x**2 + y**2) / 2))
OTHER = about("sum", of(sp.Le, x, x + y))
TRUE, FALSE = (
    about(n, of(sp.Le, v, end), scene=LINE) for n, end in (("true", 1), ("false", sp.Rational(1, 2)))
)


GOOD, BAD = {"lhs": [0, 0]}, {"lhs": [1, 1]}
"""Two different witnesses; a replay accepts the first one only."""


def finding(**said):
    return {"check": "inequality", "verdict": "proved", "witness": None, "proof": None, **said}


@pytest.fixture
def certificate():
    found = prove(question_of(CLAIM))
    return {"symbols": dict(found["symbols"]), "lines": list(found["lines"]), "claim": found["claim"]}


def test_a_certificate_is_checked_again_and_must_be_of_the_claim(certificate):
    evidence = [finding(proof={"certificate": certificate})]
    assert doubt(CLAIM, evidence, 0) == ""
    assert doubt(OTHER, evidence, 0) == "the certificate proves another relation"
    hurt = {**certificate, "lines": [{**certificate["lines"][-1], "as": "1"}]}
    assert doubt(CLAIM, [finding(proof={"certificate": hurt})], 0) != ""
    assert doubt(CLAIM, [finding(), finding(proof={"certificates": [certificate]})], 0) == ""
    assert doubt(CLAIM, [finding(), finding(proof={"certificates": [certificate, hurt]})], 0) != ""


def test_a_contradiction_is_of_the_absurd():
    against = about("none", of(sp.Le, x, y), of(sp.Lt, x, y), of(sp.Lt, y, x))
    asked = question_of(against)
    found = prove(room.replace(asked, relation=ABSURD))
    evidence = [finding(verdict="vacuous", proof={"certificate": found})]
    assert doubt(against, evidence, 0) == ""
    assert (
        doubt(against, [finding(proof={"certificate": found})], 0)
        == "the certificate proves another relation"
    )


def test_a_witness_is_evaluated_again(monkeypatch):
    seen = []

    def replayed(witness):
        seen.append(witness)
        return "first\nsecond\nlast line", witness == GOOD

    monkeypatch.setattr(room, "replay", replayed)
    refuted = lambda *witnesses: [finding(verdict="refuted", witness=w) for w in witnesses]  # noqa: E731
    assert doubt(FALSE, refuted(GOOD, None), 0) == ""
    assert doubt(FALSE, refuted(GOOD, BAD, GOOD), 0) == "last line"
    assert seen == [GOOD, GOOD, BAD]


def test_after_revalidation_certificates_and_counterexamples_are_checked(monkeypatch, certificate):
    monkeypatch.setattr(room, "replay", lambda witness: ("otherwise", False))
    tightest = [finding(proof={"certificate": certificate}, witness=GOOD)]
    assert doubt(CLAIM, tightest, 0) == "otherwise"
    assert doubt_of_revalidated(CLAIM, tightest, 0) == ""
    assert doubt_of_revalidated(OTHER, tightest, 0) == "the certificate proves another relation"
    for unproved in (
        {"verdict": "refuted", "proof": {"certificate": certificate}},
        {"verdict": "unrefuted"},
        {"proof": {"trials": 3}},
    ):
        assert doubt_of_revalidated(CLAIM, [finding(witness=GOOD, **unproved)], 0) == "otherwise"
    assert doubt_of_revalidated(FALSE, [finding()], 0) == "a random instance breaks it"


@pytest.mark.parametrize("error", [Refused("no"), UsageError("no"), KeyError("no"), TypeError("no")])
def test_what_cannot_be_checked_does_not_stand(monkeypatch, error):
    def fails(witness):
        raise error

    monkeypatch.setattr(room, "replay", fails)
    assert doubt(FALSE, [finding(witness=GOOD)], 0) == str(error)


@pytest.mark.parametrize(
    ("said", "tried"),
    [
        ({"verdict": "unrefuted"}, True),
        ({"verdict": "proved"}, True),
        ({"verdict": "refuted"}, False),
        ({"verdict": None}, False),
        ({"check": "order"}, False),
    ],
)
def test_what_is_called_true_of_instances_is_tried_at_random(said, tried):
    assert doubt(TRUE, [finding(**said)], 0) == ""
    assert doubt(FALSE, [finding(**said)], 0) == ("a random instance breaks it" if tried else "")
    free = about("free", of(sp.Le, x, y))
    assert doubt(free, [finding(**said)], 0) == ""  # without a scene nothing is drawn


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(room, "is_known", lambda key, raw: True)  # evidence is tested elsewhere
    answers.cache_clear()
    yield tmp_path
    answers.cache_clear()


def key(id, topic="special_toy", budget="quick", seed=0, **digests):
    return Key(
        id,
        topic,
        **{"asked": f"asked {id}", "computed": f"computed {id}", **digests},
        budget=budget,
        seed=seed,
    )


def entry(id, *suppliers):
    return Entry(id, "special_toy", "", [], f"asked {id}", f"computed {id}", suppliers)


def record(id, **said):
    one = key(id)
    return {
        "id": id,
        **one.digests,
        "searched": one.searched,
        "evidence": [finding(**said)],
        "cites": {},
        "whole": None,
    }


def test_answers_are_kept_by_topic_in_order_of_their_names(folder):
    assert keep("special_toy", ["known.b", "known.a"], [record("known.b"), record("known.a")], folder) == 2
    assert list(answers(folder, "special_toy")) == ["known.a", "known.b"]
    assert keep("special_toy", ["known.b", "known.c"], [record("known.c", verdict="unrefuted")], folder) == 2
    found = answers(folder, "special_toy")
    assert list(found) == ["known.b", "known.c"]
    assert found["known.c"] == {
        "asked": "asked known.c",
        "computed": "computed known.c",
        "cited": "",
        "searched": {"version": SEARCH, "budget": "quick", "seed": 0},
        "evidence": [finding(verdict="unrefuted")],
        "cites": {},
        "whole": None,
    }
    assert (folder / "special_toy.json").read_text().count("\n") == 4
    assert answers(folder, "special_none") == {}


def test_an_answer_comes_with_its_certificates_or_not_at_all(folder, certificate):
    name, proof = digest(certificate), {"certificate": certificate}
    whole = {"certificates": {"known.young": name}, "rests_on": [], "lacks": []}
    said = {**record("known.young", proof=proof), "whole": whole}
    keep("special_toy", ["known.young"], [said], folder)
    found = standing(CLAIM, key("known.young"), (), folder)
    assert found["evidence"] == [finding(proof=proof)]
    assert found["whole"] == whole
    write_pool(folder / "special_toy.certificates.xz", {})
    kept_answers.pool_in.cache_clear()
    assert answer_to(key("known.young"), folder) is None


def test_all_that_a_proof_consists_of_is_checked_again(certificate):
    hurt = {**certificate, "lines": [{**certificate["lines"][-1], "as": "1"}]}
    pool = {digest(each): each for each in (certificate, hurt)}
    whole = lambda *some: {"whole": {"certificates": {str(k): digest(c) for k, c in enumerate(some)}}}  # noqa: E731
    assert room._refusal({"whole": None}, {}) == ""
    assert room._refusal(whole(certificate), pool) == ""
    assert room._refusal(whole(certificate, hurt), pool) != ""


def test_of_stored_certificates_of_one_relation_each_that_answers_the_question_is_accepted():
    one, other, alone = (
        prove(question_of(about("positive", of(sp.Gt, x, 0), *given)))
        for given in ([of(sp.Gt, x, y**2)], [of(sp.Ge, x, 1)], [of(sp.Gt, x, v**2)])
    )
    pool = pool_of([one, other])
    assert stored_certificate(pool, digest(one), one) == digest(one)
    assert stored_certificate(pool, digest(one), other) == digest(other)
    with pytest.raises(Unsupported, match="not those of the formulas"):
        stored_certificate(pool, digest(one), alone)


def test_an_answer_is_of_one_question_and_its_quantities_of_one_code(folder):
    keep("special_toy", ["known.a"], [record("known.a")], folder)
    assert is_current(key("known.a"), folder)
    for changed in ("asked", "computed", "cited"):
        assert not is_current(key("known.a", **{changed: "other"}), folder)
        assert answer_to(key("known.a", **{changed: "other"}), folder) is not None
    others = [{"topic": "cfl_toy"}, {"budget": "full"}, {"seed": 1}]
    assert [answer_to(key("known.a", **other), folder) for other in others] == [None] * 3


def test_an_older_search_makes_nothing_stale(folder, monkeypatch):
    keep("special_toy", ["known.a"], [record("known.a")], folder)
    assert not is_older(key("known.a"), folder)
    monkeypatch.setattr(kept_answers, "SEARCH", SEARCH + 1)
    assert is_older(key("known.a"), folder)
    assert is_current(key("known.a"), folder)


def test_answers_of_networks_are_not_kept():
    assert is_kept("special_toy")
    assert not is_kept("networks_special")


def test_an_answer_stands_for_its_own_code_alone(folder, capsys):
    keep("special_toy", ["known.true", "known.false"], [record("known.true"), record("known.false")], folder)
    assert standing(TRUE, key("known.true"), (), folder) == answers(folder, "special_toy")["known.true"]
    assert standing(TRUE, key("known.true", "special_toy", "quick", 1), (), folder) is None
    assert standing(TRUE, key("known.true", "special_toy", "full", 0), (), folder) is None
    assert standing(TRUE, key("known.true", "special_none", "quick", 0), (), folder) is None
    assert standing(TRUE, key("known.true", "networks_special", "quick", 0), (), folder) is None
    assert capsys.readouterr().err == ""
    assert standing(FALSE, key("known.false"), (), folder) is None
    said = capsys.readouterr().err
    assert (
        said
        == "verify: known.false is judged again, its stored answer is not valid: a random instance breaks it\n"
    )


@pytest.fixture
def judged(monkeypatch):
    """List of the judged ids; the fake judge returns a record at once."""
    seen = []

    def toy(id, budget, seed, theorem, answers):
        seen.append(id)
        record = {
            "id": id,
            "kind": "inequality",
            "verdict": "unrefuted",
            "budget": budget,
            "seed": seed,
            "uses": [],
            "statement": {},
            "evidence": [],
            "cites": {},
            "reason": [{"code": "unjudged", "why": "a toy"}],
            "seconds": 0.25,
            "tightness": float("nan"),
            "judged": CHECKED if answers else SEARCHED,
        }
        return record, {}

    monkeypatch.setattr(runs, "new_record", toy)
    return seen


def test_a_run_goes_on_from_what_is_saved(judged, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("verify.engine.work.progress.EVERY", 0)
    first = run(["known.b", "known.a"], tmp_path, "quick", 0, answers=None)
    assert [one["id"] for one in first] == ["known.b", "known.a"]
    assert judged == ["known.b", "known.a"]
    said = [line.partition(", about")[0] for line in capsys.readouterr().err.splitlines()]
    assert said == ["[1/2] known.b: unrefuted (0.2 s)", "[2/2] known.a: unrefuted (0.2 s)"]
    run(["known.a", "known.c", "known.b"], tmp_path, "quick", 0, answers=None)
    assert judged[2:] == ["known.c"]
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "verify: 2 of 3 statements were judged before by this code"
    run(["known.a"], tmp_path, "quick", 1, answers=None)
    assert judged[3:] == ["known.a"]
    saved = read_json(path_of(tmp_path, "known.a"))
    assert saved["tightness"] is None
    assert saved["versions"] == fingerprint()


def test_a_search_that_is_asked_for_does_not_go_on_from_what_was_only_checked(judged, tmp_path, capsys):
    for answers_in, times in ((tmp_path, 1), (tmp_path, 1), (None, 2), (None, 2), (tmp_path, 2)):
        run(["known.a"], tmp_path / "records", "quick", 0, answers=answers_in)
        assert len(judged) == times
    assert "known.a: unrefuted (checked again)" in capsys.readouterr().err


def test_a_few_answers_are_checked_without_further_processes(folder, monkeypatch):
    many = [f"special.{k}" for k in range(AT_ONCE + 1)]
    keep("special_toy", many, [record(id) for id in many], folder)
    monkeypatch.setattr(topics, "index", lambda: {id: entry(id) for id in many})
    few = lambda ids, *asked: runs._for(ids, HERE, *asked).few  # noqa: E731
    assert few(many[:-1], "quick", 0, folder) == AT_ONCE
    for ids, *asked in (
        (many, "quick", 0, folder),
        (many[:-1], "full", 0, folder),
        (many[:-1], "quick", 0, None),
        (["special.other"], "quick", 0, folder),
    ):
        assert few(ids, *asked) == HERE.few


def test_claims_of_a_users_file_are_always_judged_anew(judged, tmp_path):
    own = SimpleNamespace(file="young.py")
    for _ in range(2):
        run(["known.a"], tmp_path, "quick", 0, theorem=own)
    assert judged == ["known.a", "known.a"]
    saved_or_judged("known.a", tmp_path, "quick", 0, None, None)
    assert len(judged) == 3  # it was only checked again
    saved_or_judged("known.a", tmp_path, "quick", 0, None, None)
    assert len(judged) == 3


def test_certificates_of_a_proof_lie_beside_its_record(judged, tmp_path, monkeypatch, certificate):
    plain, pool = runs.new_record, {digest(certificate): certificate}
    monkeypatch.setattr(
        runs, "new_record", lambda *asked: (plain(*asked)[0], pool if asked[0] == "known.a" else {})
    )
    for id in ("known.a", "known.b"):
        saved_or_judged(id, tmp_path, "quick", 0, None, None)
    assert read_pool(parts_of(tmp_path, "known.a")) == pool
    assert not parts_of(tmp_path, "known.b").exists()


def test_a_folder_that_cannot_be_written_is_named(judged, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot write"):
        saved_or_judged("known.a", tmp_path / "file", "quick", 0, None, None)


def test_records_of_other_code_are_not_mixed_in(judged, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "with_seal", lambda record: {**record, "versions": {"python": "2"}})
    with pytest.raises(UsageError, match=r"known\.a was judged by other code"):
        run(["known.a"], tmp_path, "quick", 0, answers=None)


@pytest.fixture
def toys(monkeypatch, folder):
    """Catalogue of two claims, one of which may supply premises, and the list of claims requested while one was judged."""
    claims, read = {"special.toy": TRUE, "special.other": FALSE}, []

    def judge(claim, budget, seed, others):
        read.extend(other.statement.id for other in others)
        return {"id": claim.statement.id, "by": (budget, seed), "evidence": [], "proof": None}

    monkeypatch.setattr(topics, "claim_of", claims.get)
    monkeypatch.setattr(
        topics,
        "index",
        lambda: {"special.toy": entry("known.true", "special.other"), "special.other": entry("known.false")},
    )
    monkeypatch.setattr(judges, "judge", judge)
    return read


def test_what_was_kept_is_told_as_checked_again(toys, folder):
    said = {"method": "symbolic", "tightness": 1.0, "reason": [{"code": "unjudged", "why": "seen"}]}
    keep("special_toy", ["known.true"], [record("known.true", **said)], folder)
    found, parts = runs.new_record("special.toy", "quick", 0, None, folder)
    assert parts == {}
    assert (found["id"], found["verdict"], found["judged"]) == ("known.true", "proved", CHECKED)
    assert (found["budget"], found["seed"]) == ("quick", 0)
    assert toys == []


@pytest.mark.parametrize("answers_in", [True, False])
def test_what_was_not_kept_is_judged_with_the_suppliers_of_its_premises(toys, folder, answers_in):
    keep("special_toy", ["known.true"], [record("known.true")], folder)
    asked = ("full", 0, None, folder) if answers_in else ("quick", 0, None, None)
    found, parts = runs.new_record("special.toy", *asked)
    one = key("known.true", budget=asked[0])
    digests = {**one.digests, "searched": one.searched}
    said = {"evidence": [], "proof": None, "whole": None}
    assert found == {"id": "known.true", "by": asked[:2], **digests, **said, "judged": SEARCHED}
    assert parts == {}
    assert toys == ["known.false"]
