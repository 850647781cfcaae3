"""The documentation is correct: its files are judged, its commands run, and its links exist."""

import doctest
import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from verify.commands.main import main
from verify.engine.theorem import theorems_in

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)```", re.S)
WITH_COMMANDS = [page for page in PAGES if "```console" in page.read_text()]
SITE = re.compile(r"<!-- site: (.+?) -->")
GENERATED = {
    "gallery.md",
    "sentences.md",
    "streams.md",
    "vacuity.md",
    *(f"papers/{paper}.md" for paper in ("special", "cfl", "cflag", "fedmes")),
}
"""Pages that are generated when the site is built (`docs/hooks/build.py`)."""
WITH_EXAMPLES = (
    "bounds.cfl.weights",
    "verify.first_order.scene",
    "verify.notes",
    "verify.running",
    "algorithms.fedavg",
)
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


@by_page
def test_links_lead_somewhere(page):
    """Links to generated pages stand in comments that only the built site shows."""
    text = page.read_text()
    linked = lambda words: set(re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", words))  # noqa: E731
    assert not [target for target in linked(SITE.sub("", text)) if not (page.parent / target).exists()]
    assert linked("".join(SITE.findall(text))) <= GENERATED


@by_page
def test_python_examples(page):
    assert doctest.testfile(str(page), module_relative=False).failed == 0


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_of_docstrings(module):
    assert doctest.testmod(import_module(module)).failed == 0


@pytest.mark.core
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_snippets_run_and_print_what_the_page_shows(page, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    theorems_in.cache_clear()
    for kind, title, text in FENCE.findall(page.read_text()):
        if title:
            Path(title).write_text(text)
        if kind != "console":
            continue
        command, *shown = text.strip().splitlines()
        words = shlex.split(command.removeprefix("$ python -m verify "))
        assert main([*words, "--jobs", "1"] if words[0] == "check" else words) == 0
        printed = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        for line in shown:
            assert any(" ".join(line.split()) in found for found in printed), (line, printed)


def test_the_readme_is_one_page_with_one_picture():
    text = (ROOT / "README.md").read_text()
    assert len(text.split()) <= 500
    (picture,) = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert (ROOT / picture).stat().st_size < 100_000
    for command in ("make verify", "make test"):
        assert f"    {command} " in text
        assert re.search(rf"^{command.partition(' ')[2]}: ", (ROOT / "Makefile").read_text(), re.M)


def test_pages_of_the_site_are_in_its_navigation():
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[2]))
    written = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert listed == written | GENERATED


def test_the_whole_site_has_every_landmark():
    chosen = re.search(r"DOCS_PAPERS, \"(.+?)\"", (ROOT / "mkdocs.yml").read_text())[1].split()
    landmarks = re.findall(r"<!-- landmarks: (.+?) -->", (ROOT / "docs" / "landmarks.md").read_text())
    assert landmarks
    assert set(" ".join(landmarks).split()) <= set(chosen)
