"""Mutants: what follows from the original is none, what says more stays one."""

from __future__ import annotations

import dataclasses

import pytest
import sympy as sp

from bounds.catalogue import statement
from verify.engine.checks.relation import inequality
from verify.engine.claim import Claim
from verify.engine.mutants import _implied, examine, mutants

x, y, m = sp.symbols("x y m", nonnegative=True)
ORIGINAL = dataclasses.replace(
    statement("cfl.prop4.3"),
    id="test.original",
    relation=sp.Le(x, y + 1),
    conditions=(sp.Le(m, 1), sp.Gt(x + y, 0)),
)
CLAIM = Claim(ORIGINAL, (inequality,))


def changed(**to) -> Claim:
    return dataclasses.replace(CLAIM, statement=dataclasses.replace(ORIGINAL, **to))


@pytest.mark.parametrize(
    ("to", "follows"),
    [
        ({"relation": sp.Le(x, y + 2)}, True),
        ({"relation": sp.Le(x, y + 2 - m)}, True),
        ({"relation": sp.Le(x, y + sp.Rational(1, 2))}, False),
        ({"relation": sp.Le(m * x, y + 1)}, True),
        ({"relation": sp.Le(2 * x, y + 1)}, False),
        # At x = y = 0, the only place that the second condition excludes, the relation is true
        ({"conditions": (sp.Le(m, 1),)}, True),
    ],
)
def test_what_follows_is_no_mutant(to, follows):
    assert _implied(CLAIM, changed(**to)) is follows


def test_a_condition_that_is_needed_stays_one():
    needed = dataclasses.replace(ORIGINAL, relation=sp.Le(m * x, x), conditions=(sp.Le(m, 1),))
    without = dataclasses.replace(needed, conditions=())
    assert not _implied(Claim(needed, (inequality,)), Claim(without, (inequality,)))


def test_a_condition_without_which_nothing_is_defined_is_no_mutant():
    divided = dataclasses.replace(ORIGINAL, relation=sp.Le(x / (x + y), 1), conditions=(sp.Gt(x + y, 0),))
    without = dataclasses.replace(divided, conditions=())
    assert _implied(Claim(divided, (inequality,)), Claim(without, (inequality,)))


def test_premises_count_as_known():
    with_fact = dataclasses.replace(CLAIM, premises=(sp.Le(x, y),))
    sharper = dataclasses.replace(with_fact, statement=changed(relation=sp.Le(x, y)).statement)
    assert _implied(with_fact, sharper)
    assert not _implied(CLAIM, changed(relation=sp.Le(x, y)))


def test_a_tight_statement_is_hard_to_fool():
    report = examine("cfl.prop4.3", "quick", 0)
    assert report["verdict"] == "proved"
    assert len(report["mutants"]) >= 5
    assert {mutant["verdict"] for mutant in report["mutants"]} == {"refuted"}
    assert len(report["implied"]) + len(report["mutants"]) == len(list(mutants(statement("cfl.prop4.3"))))
