"""No test is skipped after `.ci/run`: it installs every program that a test needs, and the extra `test` all packages."""

import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # comes with pytest

ROOT = Path(__file__).resolve().parents[1]
TESTS = [file.read_text() for file in (ROOT / "tests").rglob("*.py")]
DEBIAN = {"chromium": "chromium", "pdflatex": "texlive-latex-recommended", "coqc": "coq", "coqtop": "coq"}
"""Packages of the programs."""


def waited_for(function: str) -> set[str]:
    """Requirements that tests check with a function, such as a skip."""
    return {name for text in TESTS for name in re.findall(rf'{function}\("([\w.]+)"', text)}


def test_programs_that_tests_wait_for_are_installed():
    run = (ROOT / ".ci" / "run").read_text()
    (installed,) = re.findall(r"apt-get install -y --no-install-recommends ([^;]+);", run)
    wanted = waited_for("which") - {"uv"}
    assert wanted == DEBIAN.keys()
    assert {DEBIAN[program] for program in wanted} == set(installed.split())


def test_no_test_waits_for_a_package():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (of_tests,) = (line for line in extras["test"] if line.startswith("fcl-theory["))
    assert set(re.findall(r"\w+", of_tests.partition("[")[2])) == {
        "all",
        "dask",
        "docs",
        "fast",
        "notebooks",
        "pep",
        "slurm",
        "tensorboard",
    }
    assert "-e '.[test,dev]'" in (ROOT / "Makefile").read_text()
    assert not (waited_for("importorskip") | waited_for("find_spec")) - sys.stdlib_module_names
