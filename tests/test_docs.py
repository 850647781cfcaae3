"""Pages say what is true: their files are judged, their commands run, their links lead somewhere."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from verify.commands.main import main
from verify.engine.theorem import theorems_in

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)```", re.S)
WITH_COMMANDS = [page for page in PAGES if "```console" in page.read_text()]
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


@by_page
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text())
    assert not [target for target in targets if not (page.parent / target).exists()]


@by_page
def test_python_examples(page):
    assert doctest.testfile(str(page), module_relative=False).failed == 0


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_snippets_run_and_print_what_the_page_shows(page, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    theorems_in.cache_clear()
    for kind, title, text in FENCE.findall(page.read_text()):
        if kind == "python" and title:
            Path(title).write_text(text)
        if kind != "console":
            continue
        command, *shown = text.strip().splitlines()
        words = shlex.split(command.removeprefix("$ python -m verify "))
        assert main([*words, "--jobs", "1"] if words[0] == "check" else words) == 0
        printed = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        for line in shown:
            assert any(" ".join(line.split()) in found for found in printed), (line, printed)
