"""Which step of a proof fails at the counterexample of a theorem."""

from dataclasses import replace

import pytest

from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le
from bounds.statement import Paper, Statement
from bounds.symbols import Glossary
from tests.report.cases import made
from verify.report import graph
from verify.report.broken import fails_at, holds, lacks
from verify.report.entries import Entry
from verify.report.theorems import fault

NOTES = Glossary("n")
a, b, hidden = (NOTES.real(name, name) for name in ("a", "b", "hidden"))
returning = NOTES.nonnegative("returning", "clients that return")
PAPER = Paper("n", "Notes", "draft", NOTES)


def entry(id: str, relation, verdict: str, *conditions, **more) -> Entry:
    own = PAPER.statement(
        id.partition(".")[2].partition("/")[0], id, relation, id, conditions=conditions, **more
    )
    return Entry(made(id, verdict).record, own)


def variant(of: Entry, relation, verdict: str, *conditions, hypotheses=()) -> Entry:
    assert isinstance(of.statement, Statement)
    found = replace(
        of.statement,
        id=f"{of.id}/v",
        changes="v",
        relation=relation,
        conditions=conditions,
        hypotheses=hypotheses,
    )
    return Entry(made(f"{of.id}/v", verdict).record, found)


def test_a_relation_holds_only_where_all_its_symbols_have_values():
    assert holds(le(a, b), {"a": 1, "b": 2}) is True
    assert holds(le(a, b), {"a": 2, "b": 1}) is False
    assert holds(le(a, b), {"a": 2}) is None
    assert holds(eq(a, b), {"a": 1, "b": 1 + 1e-13}) is True
    assert holds(le(a, b), {"a": float("inf"), "b": 1}) is None


def test_a_step_fails_where_its_conditions_hold_and_its_formula_does_not():
    step = entry("n.eq1", le(a, b), "refuted", ge(b, 1))
    assert fails_at(step, (), {"a": 3, "b": 2}) is True
    assert fails_at(step, (), {"a": 3, "b": 0}) is False
    assert fails_at(step, (), {"a": 1, "b": 2}) is False
    assert fails_at(step, (), {"b": 2}) is None


def test_a_condition_that_sets_a_number_gives_its_symbol_this_value():
    step = entry("n.eq1", le(a, hidden), "refuted", eq(hidden, 1))
    assert fails_at(step, (), {"a": 2}) is True


@pytest.mark.parametrize(("clients", "fails"), [(0, False), (2, None)])
def test_a_step_that_is_proved_for_new_clients_does_not_break_where_clients_are_new(clients, fails):
    step = entry("n.eq1", eq(a, b), "refuted")
    new = variant(step, eq(a, b), "proved", eq(returning, 0), hypotheses=(Hypothesis.NEW_CLIENTS,))
    assert fails_at(step, [new], {"returning": clients}) is fails
    assert lacks(new, step, {"returning": clients}) is (clients > 0)


def test_a_variant_with_another_hypothesis_decides_nothing():
    step = entry("n.eq1", eq(a, b), "refuted")
    flat = variant(step, eq(a, b), "proved", eq(returning, 0), hypotheses=(Hypothesis.QUADRATIC,))
    assert fails_at(step, [flat], {"returning": 0}) is None


@pytest.mark.parametrize(("more", "fails"), [(0, False), (1, True), (None, None)])
def test_a_true_equation_decides_where_it_says_the_same_or_the_contrary(more, fails):
    step = entry("n.eq1", eq(a, b), "refuted")
    true = variant(step, eq(a, b + hidden), "proved")
    assert fails_at(step, [true], {} if more is None else {"hidden": more}) is fails


def test_the_step_that_the_counterexample_breaks_comes_before_a_nearer_one(monkeypatch):
    found = [
        made("n.thm1", "refuted", uses=("n.eq1", "n.eq2")),
        entry("n.eq1", eq(a, b), "refuted"),
        entry("n.eq2", le(a, 1), "gap"),
    ]
    known = {one.id: one for one in found}
    for values, step, shown in (
        ({}, "n.eq1", True),
        ({"a": 2.0}, "n.eq2", True),
        ({"a": 0.0}, "n.eq1", False),
        ({"a": 1.0, "b": 1.0}, None, None),
    ):
        monkeypatch.setattr(graph, "counterexample_values", lambda _, values=values: values)
        monkeypatch.setattr("verify.report.theorems.counterexample_values", lambda _, values=values: values)
        broken = fault(known["n.thm1"], graph.proof_graph(found), known)
        assert (broken and broken.step) == step
        assert (broken and broken.shown) == shown
