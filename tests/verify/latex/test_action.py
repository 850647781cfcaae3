"""A paper's repository: the commands of the action and the pre-commit hook, run on the example layout."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

HERE = Path(__file__).resolve().parents[3]
QUESTION = r"\begin{lemma}\label{open} Then \[ Q \le 1. \] \end{lemma}"
FALSE = r"\begin{lemma}\label{false} For all $\eta > 0$ \[ \eta \le 1. \] \end{lemma}"


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """The example repository, with a command `fcl-theory` on its path."""
    shutil.copytree(HERE / "examples" / "paper", tmp_path / "paper")
    command = tmp_path / "bin" / "fcl-theory"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m verify "$@"\n')
    command.chmod(0o755)
    return tmp_path / "paper"


def run(command: list[str], paper: Path, **more: str) -> subprocess.CompletedProcess[str]:
    path = f"{paper.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(HERE), **more}
    return subprocess.run(command, cwd=paper, env=env, capture_output=True, text=True, timeout=300)


def judged(paper: Path) -> tuple[int, str]:
    """Exit status of the action's last step, and the summary that it writes."""
    action: Any = yaml.safe_load((HERE / "action.yml").read_text())
    workflow: Any = yaml.safe_load((paper / ".github" / "workflows" / "lemmas.yml").read_text())
    files = workflow["jobs"]["judge"]["steps"][1]["with"]["files"]
    summary = paper.parent / "summary.md"
    done = run(
        ["bash", "-e", "-c", action["runs"]["steps"][-1]["run"]],
        paper,
        FILES=files,
        GITHUB_STEP_SUMMARY=str(summary),
    )
    return done.returncode, summary.read_text()


def test_the_action_judges_the_lemmas_of_a_paper(paper: Path) -> None:
    status, summary = judged(paper)
    assert status == 0, summary
    assert re.search(r"proved\s+young\.young", summary)


@pytest.mark.parametrize(("lemma", "told"), [(QUESTION, "what is Q"), (FALSE, "refuted")])
def test_the_action_fails_on_a_question_or_a_false_lemma_and_still_judges_the_others(
    paper: Path, lemma: str, told: str
) -> None:
    (paper / "lemmas" / "new.tex").write_text(lemma)
    status, summary = judged(paper)
    assert status == 1
    assert told in summary
    assert "young.young" in summary


def test_the_hook_judges_the_files_that_it_is_given(paper: Path) -> None:
    (hook,) = yaml.safe_load((HERE / ".pre-commit-hooks.yaml").read_text())
    config: Any = yaml.safe_load((paper / ".pre-commit-config.yaml").read_text())
    assert config["repos"][0]["hooks"][0]["id"] == hook["id"]
    assert re.search(hook["files"], "lemmas/young.tex")
    assert not re.search(hook["files"], "paper.tex")
    assert run([*shlex.split(hook["entry"]), "lemmas/young.tex"], paper).returncode == 0
    (paper / "lemmas" / "new.tex").write_text(FALSE)
    assert run([*shlex.split(hook["entry"]), "lemmas/young.tex", "lemmas/new.tex"], paper).returncode == 1
