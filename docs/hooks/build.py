"""Hooks of MkDocs: pages that are made from checked stored answers, and formulas as MathML, so that no script is loaded.

`extra.papers` of mkdocs.yml (or the variable DOCS_PAPERS) says which papers have their page or table made; others get a note.
"""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

from verify.report import site
from verify.report.mathml import mathml

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

PAPERS = ("special", "cfl", "cflag", "fedmes")
LEFT_OUT = "This build leaves this paper out."
INCLUDED = re.compile(r"<!-- README: (.+?) -->")
SITE = re.compile(r"<!-- site: (.+?) -->")
"""Text with links to generated pages, which would lead nowhere in a view of the files."""
LANDMARKS = re.compile(r"<!-- landmarks: (.+?) -->")
MATH = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.S)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    from verify.report.stored import stored_entries

    folder = Path(config.docs_dir)
    drawn = site.pictures(sorted(file.name for file in (folder / "pictures").glob("*.webp")))
    chosen = [paper for paper in PAPERS if paper in _chosen(config)]
    found = {paper: stored_entries(paper) for paper in chosen}
    made = {f"papers/{paper}.md": _paper(paper, found, drawn) for paper in PAPERS}
    made["gallery.md"] = site.gallery_page(drawn)
    made["vacuity.md"] = site.vacuity_page([entry for paper in chosen for entry in found[paper][0]])
    experiments = json.loads((folder / "experiments.json").read_text())
    made["sentences.md"] = site.sentences_page(experiments)
    made["streams.md"] = site.streams_page(json.loads((folder / "streams.json").read_text()))
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def _chosen(config: MkDocsConfig) -> list[str]:
    return config.extra["papers"].split()


def _paper(paper: str, found: dict[str, tuple[list, dict]], drawn: list[site.Picture]) -> str:
    if paper not in found:
        return f"# {paper}\n\n{LEFT_OUT}\n"
    entries, doubts = found[paper]
    return site.paper_page(entries, drawn, doubts)


def on_page_markdown(markdown: str, config: MkDocsConfig, **_: object) -> str:
    """A page in which ``<!-- README: Install -->`` is replaced by this section of the README,
    ``<!-- landmarks: PAPER ... -->`` by the verdicts of these papers, and ``<!-- site: TEXT -->`` by its text.
    """
    markdown = SITE.sub(r" \1", markdown)
    readme = (Path(config.docs_dir).parent / "README.md").read_text()
    parts = {part.split("\n", 1)[0]: part for part in re.split(r"(?m)^## ", readme)[1:]}
    in_coq = json.loads((Path(config.docs_dir) / "coq.json").read_text())
    tables = lambda papers: "\n".join(_landmarks(paper, config, in_coq) for paper in papers)  # noqa: E731
    markdown = LANDMARKS.sub(lambda found: tables(found.group(1).split()), markdown)
    return INCLUDED.sub(lambda found: f"## {parts[found.group(1)]}".replace("](docs/", "]("), markdown)


def _landmarks(paper: str, config: MkDocsConfig, in_coq: dict[str, dict]) -> str:
    """The table of a paper's verdicts. An answer whose evidence is not valid stops the build, as the page would lack it."""
    from verify.report.stored import stored_entries

    if paper not in _chosen(config):
        return f"### {paper}\n\n{LEFT_OUT}\n"
    found, doubts = stored_entries(paper)
    if doubts:
        raise PluginError(f"stored answers of {paper} are not valid: {doubts}")
    return site.landmark_table(found, in_coq)


def on_page_content(html: str, **_: object) -> str:
    """Formulas of a page as MathML."""
    return MATH.sub(_formula, html)


def _formula(found: re.Match[str]) -> str:
    rendered = mathml((unescape(found.group(2)),))
    if found.group(1) == "span":
        return str(rendered)
    return f'<div class="formula">{rendered}</div>'
