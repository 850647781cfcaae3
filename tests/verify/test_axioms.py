"""Coq accepts all stored proofs of the page of landmarks, from the axioms of its real numbers alone."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from verify.commands.main import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "landmarks.md"
LANDMARKS = " ".join(re.findall(r"<!-- landmarks: (.+?) -->", PAGE.read_text())).split()
AXIOMS = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
}
"""Axioms of Coq's real numbers."""


@pytest.mark.skipif(not shutil.which("coqc"), reason="needs Debian's coq")
@pytest.mark.parametrize("paper", LANDMARKS)
def test_stored_proofs_rest_on_the_axioms_of_real_numbers_alone(
    paper: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["certify", f"{paper}.*", "--stored", "--coq", str(tmp_path), "--records", str(tmp_path / "none")]
    assert main(asked) == 0
    assert "not exported" not in capsys.readouterr().out
    theorems = 0
    for file in tmp_path.glob("*.v"):
        names = re.findall(r"(?m)^Theorem (\w+)", text := file.read_text())
        file.write_text(text + "".join(f"\nPrint Assumptions {name}." for name in names))
        ran = subprocess.run(
            ["coqc", "-q", file.name], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
        assert len(re.findall("^Axioms:|^Closed under", ran.stdout, re.MULTILINE)) == len(names)
        assert {*re.findall(r"(?m)^([\w.]+) :", ran.stdout)} <= AXIOMS
        theorems += len(names)
    assert theorems
