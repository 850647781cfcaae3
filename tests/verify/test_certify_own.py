"""`certify` on the user's own files: certificates that both checkers and Coq accept, and none for false claims."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from verify import check_proof
from verify.commands.main import main

OWN = """
from verify import Notes, worst_case
from verify.first_order import smooth_convex, sq
from verify.quantities import distance2_0, gap, t


def descent(problem, t):
    f, start = problem.function(smooth_convex(L=1)), problem.point("x0")
    x, best = start, f.minimiser()
    for k in range(t):
        x = x - f.gradient(x)
    return {"gap": f(x) - f(best), "distance2_0": sq(start - best)}


notes = Notes("mine")
x, y = notes.positive("x y")
scene = worst_case(descent, t=(1, 2))
notes.claim("rate", gap <= distance2_0 / (4 * t + 2), scene=scene)
notes.claim("rate/better", gap <= distance2_0 / (4 * t + 3), scene=scene)
notes.claim("mean", x * y <= (x**2 + y**2) / 2)
notes.claim("mean/better", x * y <= (x**2 + y**2) / 3)
CLAIMS = notes.claims
"""
TRUE, FALSE = {"mine.rate", "mine.mean"}, {"mine.rate/better", "mine.mean/better"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("own")
    file = place / "mine.py"
    file.write_text(OWN)
    assert main(["certify", str(file), "--out", str(place / "out"), "--coq", str(place / "coq")]) == 0
    return place


def test_each_true_claim_and_no_false_one_has_a_certificate(folder: Path) -> None:
    assert {file.stem for file in (folder / "out").iterdir()} == TRUE
    rate = json.loads((folder / "out" / "mine.rate.json").read_text())
    assert len(rate) == 2, "one for each size"


def test_the_one_file_accepts_the_certificates(folder: Path) -> None:
    files = sorted(map(str, (folder / "out").iterdir()))
    ran = subprocess.run(
        [sys.executable, "-I", check_proof.__file__, *files], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout


def test_a_certificate_of_a_rate_does_not_prove_a_better_one(folder: Path) -> None:
    for certificate in json.loads((folder / "out" / "mine.rate.json").read_text()).values():
        better = json.loads(json.dumps(certificate))
        large = better["claim"][2]
        better["claim"][2] = better["lines"][-1]["show"][2] = ["*", "99/100", large]
        with pytest.raises(check_proof.Refused):
            check_proof.check(better)


@pytest.mark.skipif(not shutil.which("coqc"), reason="needs Debian's coq")
def test_coq_accepts_proofs_and_counterexamples(folder: Path) -> None:
    texts = {file.name: file.read_text() for file in (folder / "coq").iterdir()}
    assert {*texts} == {"mine_parts.v", "mine_witnesses.v"}
    assert texts["mine_parts.v"].count("Theorem t_mine_") == 3
    assert all(
        f"refuted_{id.replace('.', '_').replace('/', '_')}" in texts["mine_witnesses.v"] for id in FALSE
    )
    for name in texts:
        ran = subprocess.run(
            ["coqc", "-q", name], cwd=folder / "coq", capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, (name, ran.stderr)


def test_a_claim_that_cannot_be_stated_makes_the_exit_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(
        'from verify import Notes\nfrom verify.quantities import gap\nnotes = Notes("wrong")\n'
        'x, y = notes.positive("x y")\nnotes.claim("mean", x * y <= x**2 + y**2)\nnotes.claim("run", gap <= x)\nCLAIMS = notes.claims\n'
    )
    assert main(["certify", str(file), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr()
    assert "wrong.mean: 1 certificates" in said.out
    assert "wrong.py:6" in said.err
