"""Complete proofs: their parts, files that the checker accepts by themselves, and theorems for Coq."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bounds.papers import paper_of
from verify import check_proof
from verify.commands import certify
from verify.commands.main import main
from verify.engine.certificates import store
from verify.engine.coq import export as coq
from verify.engine.coq.export import PRELUDE, file_of, theorem
from verify.engine.coq.vectors import NotExported
from verify.engine.model.claim import BUDGETS
from verify.engine.proof import whole as whole_module
from verify.engine.proof.sizes import KEPT, proof_at, short
from verify.engine.proof.whole import Whole, whole_of
from verify.engine.records import answers
from verify.engine.records.pool import digest, form, pool_of
from verify.engine.topics import claim_of, claims, index

DERIVED, ROUNDED, ROWS, IDENTITY = (
    "cfl.eq22/corrected",
    "cfl.alg4.enough/rounded-down",
    "fedmes.tab1.possible/mixed",
    "cfl.nqm.gradient/half",
)


def whole(id: str) -> Whole:
    claim = claim_of(id)
    assert claim is not None
    among = (other for paper in (paper_of(id),) for other in claims(paper).values())
    found = whole_of(claim, among, BUDGETS["quick"])
    assert found is not None
    return found


def test_a_derivation_comes_with_the_facts_of_its_scene_and_the_statements_that_it_rests_on():
    found = whole(DERIVED)
    assert found.rests_on == ("cfl.step.half/each",)
    assert found.lacks == ()
    first, *facts = found.certificates
    assert first == DERIVED
    assert len(facts) > 1
    assert [name.rpartition(", ")[2] for name in facts] == [
        f"{k} of {len(facts)}" for k in range(1, len(facts) + 1)
    ]
    for certificate in found.certificates.values():
        check_proof.check(certificate)


def test_a_fact_of_a_textbook_that_is_only_cited_has_no_certificate():
    found = whole(ROUNDED)
    assert list(found.certificates) == [ROUNDED]
    assert [name.split(" (")[0] for name in found.lacks] == ["division with remainder"]


def test_a_proof_is_whole_where_a_record_cuts_it():
    assert len(whole(ROWS).certificates) == 56
    claim = claim_of(ROWS)
    assert claim is not None
    (proof,) = [short(f.proof) for check in claim.checks if (f := check(claim, BUDGETS["quick"], 0)).proof]
    assert proof["count"] == 56 > len(proof["certificates"])
    assert proof["digest"] == digest(list(whole(ROWS).certificates.values()))


def test_what_is_long_is_cut_and_still_counted():
    long, brief = ({"symbols": {}, "lines": [], "claim": "x" * length} for length in (KEPT, 1))
    proof = proof_at((), [[long, brief]])
    assert proof["certificates"] == [long, brief]
    assert short(proof) == {**proof, "certificates": [brief]}
    assert short({"certificate": long}) == {"certificate": long}


def test_what_is_not_proved_has_no_parts():
    claim = claim_of("cfl.alg4")
    assert claim is not None
    assert whole_of(claim, (), BUDGETS["quick"]) is None


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    asked = ["certify", DERIVED, IDENTITY, ROUNDED, "--out", str(folder), "--coq", str(folder)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "keep", lambda *_, **__: None)
        assert main([*asked, "--records", str(folder / "none")]) == 0
    return folder


def test_files_are_checked_by_the_one_file_alone(written: Path) -> None:
    files = sorted(written.glob("*.json"))
    assert {file.stem for file in files} >= {
        id.replace("/", "__") for id in (DERIVED, IDENTITY, ROUNDED, "cfl.step.half/each")
    }
    found = subprocess.run(
        [sys.executable, "-I", check_proof.__file__, *map(str, files)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout
    parts = sum(len(json.loads(file.read_text())) for file in files)
    assert len(re.findall(r": proved$", found.stdout, re.MULTILINE)) == parts


def test_what_is_not_written_for_coq_is_named(
    written: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(name: str, certificate: object) -> str:
        raise NotExported("cases of whole numbers")

    monkeypatch.setattr(coq, "theorem", refuse)
    monkeypatch.setattr(store, "keep", lambda *_, **__: None)
    assert (
        main(["certify", IDENTITY, "--coq", str(written / "short"), "--records", str(written / "none")]) == 0
    )
    said = capsys.readouterr().out
    assert "cfl_nqm_parts: not exported: " in said
    assert "(cases of whole numbers)" in said


@pytest.mark.skipif(not shutil.which("coqc"), reason="needs Debian's coq")
def test_coq_accepts_all_parts(written: Path) -> None:
    files = sorted(written.glob("*_parts.v"))
    topics = {index()[id].topic for id in (DERIVED, IDENTITY, ROUNDED)}
    assert {file.stem.removesuffix("_parts") for file in files} >= topics
    theorems = "".join(file.read_text().removeprefix(PRELUDE) for file in files)
    whole_file = written / "all.v"
    whole_file.write_text(PRELUDE + theorems)
    ran = subprocess.run(["coqc", "-q", whole_file], capture_output=True, text=True, check=False, cwd=written)
    assert ran.returncode == 0, ran.stderr
    parts = [c for file in written.glob("*.json") for c in json.loads(file.read_text()).values()]
    assert len({form(c) for c in parts}) <= theorems.count("Qed.") + theorems.count("(* as t_") <= len(parts)
    said = re.findall(r"(?ms)^Theorem \w+(.*?^Qed\.)", theorems)
    assert len(set(said)) == len(said), "a theorem stands twice"


def test_what_is_kept_is_written_without_computing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    topic, parts, key = index()[IDENTITY].topic, whole(IDENTITY), index()[IDENTITY].key("default", 0)
    kept = {
        "id": IDENTITY,
        **key.digests,
        "searched": key.searched,
        "evidence": [],
        "cites": {},
        "whole": parts.named(),
    }
    answers.keep(topic, [IDENTITY], [kept], tmp_path, pool_of(parts.certificates.values()))
    assert answers.answers(tmp_path, topic)[IDENTITY]["computed"] == key.computed
    monkeypatch.setattr(certify, "FOLDER", tmp_path)
    monkeypatch.setattr(store, "keep", None)
    asked = ["certify", IDENTITY, "--out", str(tmp_path / "out")]
    with monkeypatch.context() as patch:
        patch.setattr(whole_module, "whole_of", None)
        assert main(asked) == 0
    assert f"{IDENTITY}: {len(parts.certificates)} certificates, 0.7 kB, kept" in capsys.readouterr().out
    (file,) = (tmp_path / "out").iterdir()
    assert json.loads(file.read_text()) == parts.certificates
    monkeypatch.setattr(store, "keep", lambda *_, **__: None)
    monkeypatch.setattr(certify, "searched", lambda id, question: {"id": id, "undecided": "a toy"})
    assert main([*asked, "--search"]) == 0
    assert "0.7 kB, computed again" in capsys.readouterr().out


def test_certificates_of_one_form_differ_in_names_alone() -> None:
    def made(a: str, b: str, domain: str = "real", by: str = "a") -> dict[str, object]:
        given = {"given": ["<=", a, b], "by": by}
        claim = ["<=", "0", ["-", b, a]]
        lines = [given, {"show": claim, "as": ["slack", 0]}]
        return {"symbols": {b: domain, a: "real"}, "lines": lines, "claim": claim}

    assert form(made("x", "y")) == form(made("u", "x", by="b"))
    assert form(made("x", "y")) != form(made("x", "x"))
    assert form(made("x", "y")) != form(made("x", "y", domain="positive"))
    assert digest(made("x", "y")) != digest(made("u", "x"))


@pytest.mark.skipif(not shutil.which("coqc"), reason="needs Debian's coq")
def test_coq_expands_what_is_divided_by_inside_a_denominator(tmp_path: Path) -> None:
    square = ["^", ["+", "1", ["*", "-1", "x"]], "2"]
    below = ["+", "a", ["/", "b", ["+", "1", square]]]
    claim = [
        "=",
        ["/", "a", below],
        ["/", ["*", "a", ["+", "1", square]], ["+", ["*", "a", ["+", "1", square]], "b"]],
    ]
    lines = [{"given": ["!=", below, "0"], "by": "defined"}, {"show": claim, "as": "0"}]
    certificate = {"symbols": {"a": "real", "b": "real", "x": "real"}, "lines": lines, "claim": claim}
    whole_file = tmp_path / "inside.v"
    whole_file.write_text(file_of([theorem("inside", certificate)]))
    ran = subprocess.run(
        ["coqc", "-q", whole_file], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
