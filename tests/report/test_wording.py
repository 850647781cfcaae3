"""Sentences for the codes of reasons."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from inspect import signature
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.engine.records.answers import FOLDER
from verify.engine.records.files import read_json
from verify.engine.verdict import because, ratio_seen
from verify.report.digits import instance_text
from verify.report.wording import SENTENCES, clause_text, sentence

CODE = Path(__file__).parents[2] / "verify"
ANSWERS = sorted(path for path in FOLDER.glob("*.json") if path.stem not in {"statements", "revalidated"})


def clauses(content: Any) -> Iterator[Mapping[str, Any]]:
    """Every clause in a stored answer."""
    if isinstance(content, Mapping):
        if "code" in content:
            yield content
        for inner in content.values():
            yield from clauses(inner)
    elif isinstance(content, list):
        for inner in content:
            yield from clauses(inner)


def test_every_code_has_a_sentence_and_every_sentence_is_used() -> None:
    sources = [p.read_text("utf-8") for p in CODE.rglob("*.py") if p.name != "wording.py"]
    used = {code for text in sources for code in re.findall(r'because\(\s*"([^"]+)"', text)}
    assert used <= SENTENCES.keys()
    named = {name for text in sources for name in re.findall(r'"([a-z0-9-]+)"', text)}
    assert SENTENCES.keys() <= named


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.stem)
def test_every_stored_reason_has_words(path: Path) -> None:
    for clause in clauses(read_json(path)):
        text = clause_text(clause)
        assert text
        assert not text.startswith(f"{clause['code']}, ")


def test_clauses_are_joined_in_their_order() -> None:
    reason = because("contradiction") + ratio_seen(0.5) + ratio_seen(None)
    assert sentence(reason) == "the conditions contradict each other; largest lhs/rhs seen 0.5"
    assert sentence([]) == ""


@pytest.mark.parametrize(
    ("left", "sign", "right", "words"),
    [
        (2.0, ">", 1.0, "2 > 1"),
        (1e30, ">", 1e30 - 1e20, "1e+30 > 9.999999999e+29"),
        (1e30, ">", 1e30, "1e+30 >= 1e+30 (the first 17 digits agree)"),
        (0.0, ">", 0.0, "0 >= 0"),
        (1e30, "!=", 1e30, "1e+30 != 1e+30 (the first 17 digits agree)"),
        (0.5, "=", 0.5, "0.5 = 0.5"),
        (None, ">", 1.0, "infinite > 1"),
    ],
)
def test_sides_of_a_counterexample_look_different_where_they_are(left, sign, right, words) -> None:
    assert instance_text(left, sign, right, "n = 1") == f"counterexample: {words} with n = 1"


@settings(max_examples=30)
@given(st.dictionaries(st.text(), st.none() | st.integers() | st.text()).filter(lambda d: "code" not in d))
def test_clauses_of_another_version_show_their_fields(fields: dict[str, Any]) -> None:
    text = clause_text({"code": "of another version", **fields})
    assert text.startswith("of another version")
    assert all(name in text for name in fields)
    assert clause_text({"code": "counterexample"}) == "counterexample"


def calls() -> Iterator[tuple[str, frozenset[str]]]:
    """The codes that the source writes, with the names of their fields."""
    for path in sorted(CODE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "because"
            if called and isinstance(node.args[0], ast.Constant) and all(word.arg for word in node.keywords):
                yield node.args[0].value, frozenset(word.arg for word in node.keywords if word.arg)


def test_a_sentence_takes_the_fields_with_which_its_code_is_written() -> None:
    """`clause_text` has words for records of other versions, too, so a wrong name would pass unnoticed."""
    for code, fields in calls():
        words = SENTENCES[code]
        if isinstance(words, str):
            assert {name for _, name, *_ in Formatter().parse(words) if name} == fields, code
        else:
            signature(words).bind(**dict.fromkeys(fields))
