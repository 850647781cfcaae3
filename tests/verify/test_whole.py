"""Proofs in all their parts: what they consist of, files that a checker accepts by itself, and theorems for Coq."""

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
from verify.engine.certificates.coq import PRELUDE
from verify.engine.certificates.formulas import digest
from verify.engine.claim import BUDGETS
from verify.engine.sizes import KEPT, proof_at, uncut
from verify.engine.topics import claim_of, claims
from verify.engine.whole import Whole, whole_of

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
    assert [name.removeprefix(f"{DERIVED}: Eq(")[-8:] for name in facts] == [
        f", {k} of 4" for k in (1, 2, 3, 4)
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
    (proof,) = [f.proof for check in claim.checks if (f := check(claim, BUDGETS["quick"], 0)).proof]
    assert proof["count"] == 56 > len(proof["certificates"])
    assert proof["digest"] == digest(list(whole(ROWS).certificates.values()))


def test_nothing_is_cut_only_while_that_is_asked_for():
    long = [{"symbols": {}, "lines": [], "claim": "x" * KEPT.get()}]
    with uncut():
        assert proof_at((), [long])["certificates"] == long
    assert proof_at((), [long])["certificates"] == []


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


def test_what_is_too_long_for_coq_is_named(
    written: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(certify, "LONGEST", 100)
    monkeypatch.setattr(store, "keep", lambda *_, **__: None)
    assert (
        main(["certify", IDENTITY, "--coq", str(written / "short"), "--records", str(written / "none")]) == 0
    )
    said = capsys.readouterr().out
    assert "cfl_nqm_gradient_half_parts: not exported: " in said
    assert "bytes are more than 100)" in said


@pytest.mark.skipif(not shutil.which("coqc"), reason="needs Debian's coq")
def test_coq_accepts_all_parts(written: Path) -> None:
    files = sorted(written.glob("*_parts.v"))
    assert len(files) >= 4
    theorems = "".join(file.read_text().removeprefix(PRELUDE) for file in files)
    whole_file = written / "all.v"
    whole_file.write_text(PRELUDE + theorems)
    ran = subprocess.run(["coqc", "-q", whole_file], capture_output=True, text=True, check=False, cwd=written)
    assert ran.returncode == 0, ran.stderr
    assert theorems.count("Qed.") == sum(len(json.loads(file.read_text())) for file in written.glob("*.json"))
