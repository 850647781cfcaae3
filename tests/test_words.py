"""Plain English: no page, docstring, comment or message contains the project's former private terms."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("bounds", "nqm", "algorithms", "verify", "figures", "tests", "examples")
FILES = sorted(
    file
    for package in PACKAGES
    for kind in ("*.py", "*.j2", "*.js")
    for file in (ROOT / package).rglob(kind)
    if file != Path(__file__)
)
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / ".github").rglob("*.md")]
OTHERS = [ROOT / name for name in ("Makefile", "pyproject.toml", "mkdocs.yml", "CITATION.cff", "action.yml")]
TEXTS = [*PAGES, *OTHERS, *FILES]
WORDS = {
    r"drawers?": "package, folder",
    r"(?<!Re)rooms?": "package (of code), margin or slack (in a condition), space (in memory)",
    r"readings": "variants",
    r"(another|other|this|that|every|printed|closest) reading": "variant",
    r"(textbook facts?|facts? of textbooks)": "textbook lemmas",
    r"(free lunch|what is free)": "trivial bound",
    r"void": "vacuous",
    r"not_applicable": "inconclusive, assumption, not judged",
    r"(told apart|tells? (them )?apart)": "distinguished",
    r"anew": "again, from scratch",
    r"of a processor": "of CPU time",
    r"(the middle ones|a network in the middle)": "the median",
    r"by being there": "discovered automatically",
    r"(kept answers?|answers? (is|are) kept)": "stored answers",
    r"(nobody asks|who asks|whoever)": "callers",
    r"nothing is said": "no claim is made",
    r"(as large as it gets|at most so)": "the maximum, at most N",
    r"reckon\w*": "compute",
}
"""Pattern -> what to write instead."""
HELD_BY_ANSWERS = {
    "free lunch",
    "rounds with memories that are drawn anew",
    "the last of some rounds with memories that are drawn anew",
    "exact proximal steps over tasks that are drawn anew",
    " over tasks that are drawn anew",
    "counted in every sequence of samples that is as long as said, for every size and step that it has room for",
    "memory of a client with room for all samples",
    "the sample whose gradient client i computes anew at its local step k, from 0 on",
}
"""Names of checks, scenes and parameters that are part of stored evidence, so changing them would require new searches.
"""
BEFORE, AFTER = r"(?<![\w`./{])", r"(?![\w`/}(=])(?! :)"
TEXT = re.compile(f"(?i){BEFORE}({'|'.join(WORDS)}){AFTER}")
IN_SOURCE = re.compile(
    rf"(?i)({BEFORE}|(?<=\\[nt]))(" + "|".join(WORDS).replace(" ", r"[\s\"']+") + f"){AFTER}"
)
"""The same in source code, where a line break may be an escape, and quotation marks stand between words of two strings."""


def prose(file: Path) -> Iterator[tuple[int, str]]:
    """Text lines of a file that has a term: all lines of a page; comments, docstrings and messages of code."""
    source = file.read_text()
    if not IN_SOURCE.search(source):
        return
    if file.suffix != ".py":
        yield from enumerate(source.splitlines(), 1)
        return
    if any("#" in line and TEXT.search(line) for line in source.splitlines()):  # tokens take the longest
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if " " in text and text not in HELD_BY_ANSWERS:
            yield from enumerate(text.split("\n"), node.lineno)


@pytest.mark.core
@pytest.mark.parametrize(
    "folder", sorted({file.parent for file in TEXTS}), ids=lambda folder: str(folder.relative_to(ROOT))
)
def test_texts_use_the_words_of_the_field(folder):
    found = [
        f"{file.relative_to(ROOT)}:{line}: {match[0]!r} in {text.strip()[:80]}"
        for file in TEXTS
        if file.parent == folder
        for line, text in prose(file)
        for match in TEXT.finditer(text)
    ]
    assert found == []
