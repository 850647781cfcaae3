"""Length of a paper's statements as a Markdown page with LaTeX and as Python: `python -m tests.benchmarks.latex.pages`."""

from __future__ import annotations

from pathlib import Path

import bounds
from bounds.catalogue import statement, statements
from bounds.statement import Statement
from tests.verify.latex.catalogue import reading_of
from verify.latex.printing import latex_of, require_read_back

PAPERS = ("special", "cfl", "cflag", "fedmes")


def page(key: str) -> str:
    """A paper's glossary and statements as Markdown, with all information of the Python code."""
    glossary = _of(key)[0].glossary
    letters = [f"| {name} | ${one.latex}$ | {one.domain} | {one.meaning} |" for name, one in glossary.items()]
    found = [_entry(one) for one in _of(key)]
    return "\n".join(
        [
            f"# {_of(key)[0].source.paper.title}",
            "",
            "| name | letter | kind | meaning |",
            *letters,
            "",
            *found,
        ]
    )


def _of(key: str) -> list[Statement]:
    return [one for one in map(statement, statements()) if one.source.paper.key == key]


def _entry(one: Statement) -> str:
    reading = reading_of(one)
    require_read_back(reading)
    said = {
        "assumes": ", ".join(one.assumes),
        "uses": ", ".join(one.uses),
        "changes": one.changes,
        "hypotheses": ", ".join(map(str, one.hypotheses)),
        "terms": ", ".join(one.terms),
    }
    lines = [f"{name}: {text}" for name, text in said.items() if text]
    head = f"**{one.id.partition('.')[2]}** ({one.source.place}, {one.source.lines}) {one.says}"
    return "\n".join([head, f"$${latex_of(reading)}$$", *lines, ""])


def table() -> str:
    rows = []
    for key in PAPERS:
        code = sum(len(path.read_text()) for path in (Path(bounds.__file__).parent / key).glob("*.py"))
        text = len(page(key))
        rows.append(f"{key:<10}{code:>10,}{text:>10,}{text / code:>8.2f}")
    return "\n".join([f"{'paper':<10}{'Python':>10}{'page':>10}{'ratio':>8}", *rows])


if __name__ == "__main__":
    print(table())
