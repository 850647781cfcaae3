"""Examples and templates of the user's own theorems run unchanged."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from verify.commands.main import main
from verify.commands.new import KINDS
from verify.engine.judge import judge
from verify.engine.links import with_final_verdicts
from verify.engine.theorem import theorems_in
from verify.engine.verdict import HARMLESS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("[!t]*.py")), ids=lambda file: file.stem)
def test_examples_are_short_and_right(file, capsys, tmp_path):
    """Each example contains a true and a false claim."""
    code = [line for line in file.read_text().splitlines() if line.strip()]
    assert len(code) <= 25
    assert (
        main(
            ["check", str(file), "--jobs", "1", "--out", str(tmp_path), "--json", str(tmp_path / "all.json")]
        )
        == 0
    )
    records = json.loads((tmp_path / "all.json").read_text())
    verdicts = {record["verdict"] for record in records}
    assert verdicts & HARMLESS
    assert verdicts & {"refuted", "vacuous", "inconsistent"}


def test_both_theorems_of_the_vacuous_example_are_vacuous_by_a_certificate():
    claims = {claim.statement.id: claim for claim in theorems_in(EXAMPLES / "vacuous_theorem.py").claims}
    records = with_final_verdicts([judge(claim, "quick", 0, claims.values()) for claim in claims.values()])
    verdicts = {record["id"]: (record["verdict"], record["method"]) for record in records}
    assert verdicts["vacuous.free"] == ("proved", "symbolic")
    assert verdicts["vacuous.no-step"] == verdicts["vacuous.dear"] == ("vacuous", "symbolic")
    assert all("certificate" in record["proof"] for record in records)


def test_the_property_based_example_runs():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_my_bound.py"]
    assert subprocess.run(command, cwd=EXAMPLES, capture_output=True).returncode == 0


@pytest.mark.parametrize("kind", KINDS)
def test_templates_run_as_they_are(kind, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine.py", "--kind", kind]) == 0
    assert main(["check", "mine.py", "--jobs", "1", "--budget", "quick", "--json", "all.json"]) == 0
    records = json.loads(Path("all.json").read_text())
    assert "not judged" not in {record["verdict"] for record in records}
    assert main(["new", "mine.py"]) == 2
    assert "mine.py is there already" in capsys.readouterr().err


def test_both_sides_are_drawn_along_the_worst_direction(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    theorems_in.cache_clear()  # another test has a file of this name
    Path("mine.py").write_text(
        "from verify import Notes\nnotes = Notes('n')\nx = notes.positive('x')\n"
        "notes.claim('bad', x**2 <= x)\nCLAIMS = notes.claims\n"
    )
    assert main(["check", "mine.py", "--jobs", "1", "--budget", "quick", "--plot", "drawn"]) == 0
    assert "drawn/along.png" in "".join(capsys.readouterr())
    assert Path("drawn/along.png").stat().st_size > 1000
    (line,) = json.loads(Path("drawn/curves/along.json").read_text())["claims"]
    gaps = [small - large for small, large in zip(line["small"], line["large"], strict=True)]
    assert gaps[-1] > gaps[40] > gaps[0]
    assert all(line["admissible"])
