"""The output of a run: whole verdicts in the width of a terminal, whole lines in a pipe, optional colours."""

import io
import re

import pytest

from tests.report.cases import judged, made
from verify.engine.records.answers import FOLDER, answers
from verify.engine.work.messages import wrapped
from verify.report.entries import Entry
from verify.report.graph import proof_graph
from verify.report.terminal import _reason, painter, summary
from verify.report.theorems import conclusions, theorems
from verify.report.values import meanings_of
from verify.report.wording import sentence


@pytest.mark.parametrize("width", [60, 80, 118])
def test_a_terminal_shows_whole_verdicts_and_reasons_in_its_width(width):
    printed = summary(judged(), width=width)
    lines, words = printed.splitlines(), " ".join(printed.split())
    assert max(map(len, lines)) <= width
    for entry in judged():
        assert " ".join(sentence(entry.record["reason"]).partition(" with ")[0].split()) in words
        assert re.search(
            rf"{re.escape(entry.printed_verdict)}\s+{re.escape(entry.id)}\s+{entry.record['method']}\b",
            printed,
        )
    assert "first broken step: special.eq27 (refuted, Eq. (27))" in words


def test_a_pipe_gets_each_statement_as_one_whole_line():
    lines = summary(judged()).splitlines()
    for entry in judged():
        start = re.compile(
            rf"{re.escape(entry.printed_verdict)}\s+{re.escape(entry.id)}\s+{entry.record['method']}\b"
        )
        (line,) = filter(start.match, lines)
        assert sentence(entry.record["reason"]).partition(" with ")[0] in line


def test_a_counterexample_is_shown_with_all_its_numbers():
    (line,) = (
        line for line in summary(judged()).splitlines() if "special.eq27 " in line and "0.5 != 0.25" in line
    )
    assert line.endswith(
        "0.5 != 0.25 with M = 1, N = 1, t = 2, d = 1, start = (1), sent = ((0), (1), (0)), lam = 1, gamma_G = 1, gamma_L = 1"
    )


def test_a_long_counterexample_is_shown_with_the_symbols_of_its_formula():
    entry = made("n.eq1", "refuted")
    witness = {
        "shape": {"t": 2},
        "parameters": {"start": [["0.123456", "0.234567", "0.345678"]] * 12},
        "steps": {"eta": "1/2"},
        "letters": {"gap": 2.0, "other": 3.0},
    }
    reason = [{"code": "counterexample", "left": 2.0, "sign": ">", "right": 1.0, "sizes": "t=2"}]
    stated = {**entry.record["statement"], "relation": "gap <= eta*t", "conditions": ["eta <= 1"]}
    record = {**entry.record, "witness": witness, "reason": reason, "statement": stated}
    assert _reason(Entry(record)) == "counterexample: 2 > 1 with t = 2, gap = 2, eta = 1/2"


def test_no_color_turns_colours_off(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    assert painter(Terminal())("proved", "x") != "x"
    monkeypatch.setenv("NO_COLOR", "1")
    assert painter(Terminal())("proved", "x") == "x"


def test_a_headline_is_what_the_source_prints_and_true_instead_are_conclusions():
    free = made("n.thm1.kept.free", "proved", uses=("n.eq1",))
    free = Entry({**free.record, "changes": "not of the paper: what needs no theorem"})
    part, whole = made("n.thm1.sc", "refuted", uses=("n.eq1",)), made("n.thm1.sc/repaired", "proved")
    step = made("n.thm1.sc/repaired.limit", "proved")
    found = [free, part, made("n.eq1", "proved"), whole, step]
    (theorem,) = theorems(found)
    assert [entry.id for entry in theorem.parts] == ["n.thm1.sc"]
    named = {entry.id: entry for entry in found}
    assert [entry.id for entry in conclusions(theorem, proof_graph(found), named)] == ["n.thm1.sc/repaired"]


def test_colours_are_for_terminals_only():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    assert "\x1b[" not in summary(judged(), painter(io.StringIO()))
    coloured = summary(judged(), painter(Terminal()), 118)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == summary(judged(), width=118)


@pytest.mark.parametrize(
    ("id", "topic", "name", "formula"),
    [
        ("special.eq27", "special_drift", "th", "(th - th0 before the round + gamma_G Delta)/(1 + lam)"),
        ("cfl.thm4.1.sc", "cfl_theorems", "floor_after", "mu/2 (rho^2 H + (1 - rho)^2 s)"),
    ],
)
def test_recursions_and_lower_bounds_come_with_their_formulas(id, topic, name, formula):
    (witness, *_) = (f["witness"] for f in answers(FOLDER, topic)[id]["evidence"] if f["witness"])
    meanings = meanings_of(witness)
    assert formula in meanings[name]
    assert {*witness["parameters"]} - {*meanings} <= {"lam", "gamma_G", "gamma_L"}


def test_a_line_does_not_end_between_a_symbol_and_its_value():
    assert wrapped("with M = 1, gamma = 22", 20) == ["with M = 1,", "gamma = 22"]
