"""Mutants of a tight statement are all caught."""

from __future__ import annotations

from bounds.catalogue import statement
from verify.engine.search.mutants import examine, mutants


def test_a_tight_statement_is_hard_to_fool():
    report = examine("cfl.prop4.3", "quick", 0)
    assert report["verdict"] == "proved"
    assert len(report["mutants"]) >= 5
    assert {mutant["verdict"] for mutant in report["mutants"]} == {"refuted"}
    assert len(report["implied"]) + len(report["mutants"]) == len(list(mutants(statement("cfl.prop4.3"))))
