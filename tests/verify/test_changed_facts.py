"""Facts about CFL, C-FLAG, FedMeS and SPECIAL at any size: each is proved, and with another factor none is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
import sympy as sp

from verify.engine.model.scene import Follows, Rounds
from verify.engine.model.sums import Sums
from verify.engine.proof.facts import shown_of
from verify.scenes.cfl import (
    approximation_facts,
    expansion_facts,
    herding_facts,
    kept_facts,
    left_out_facts,
    nqm_facts,
    overlap_facts,
    pair_sums,
    problem_facts,
    rate_facts,
    repair_facts,
    splitting_facts,
    technique_facts,
    uncorrelated_sums,
    weight_sums,
)
from verify.scenes.cflag import convex_facts
from verify.scenes.fedmes import coordinate_facts, step_facts
from verify.scenes.special import task_facts

QUICK = (
    *(convex_facts, expansion_facts, herding_facts, nqm_facts, problem_facts, coordinate_facts, rate_facts),
    *(step_facts, task_facts),
    *(overlap_facts, splitting_facts),
)
LONG = (
    *(
        approximation_facts,
        kept_facts,
        left_out_facts,
        pair_sums,
        repair_facts,
        technique_facts,
        uncorrelated_sums,
    ),
    weight_sums,
)


def facts_in(found: Any) -> Iterator[Any]:
    """All facts at any size in a value: a fact, or collections of facts."""
    if isinstance(found, Follows | Rounds | Sums):
        yield found
    elif isinstance(found, tuple):
        for part in found:
            yield from facts_in(part)


def cases(modules: tuple[ModuleType, ...], *marks: pytest.MarkDecorator) -> list[Any]:
    """The facts that modules offer to scenes, each once."""
    found = {
        id(fact): pytest.param(
            fact, marks=marks, id=f"{module.__name__.rpartition('.')[2]}-{fact.relation}"[:70]
        )
        for module in modules
        for name, value in vars(module).items()
        if name.isupper() and not name.startswith("_")
        for fact in facts_in(value)
    }
    return list(found.values())


def with_another_factor(relation: Any) -> Any:
    """A relation that says 1 % more; where its right side is 0, one with a small number there."""
    smaller = isinstance(relation, sp.Le | sp.Lt | sp.Eq)
    if relation.rhs == 0:
        return relation.func(relation.lhs, sp.Rational(-1 if smaller else 1, 1000), evaluate=False)
    factor = sp.Rational(99 if smaller else 101, 100)
    return relation.func(relation.lhs, factor * relation.rhs, evaluate=False)


@pytest.mark.parametrize("fact", [*cases(QUICK), *cases(LONG, pytest.mark.slow)])
def test_a_fact_has_a_proof_and_with_another_factor_none(fact: Any) -> None:
    shown = shown_of(fact)
    assert shown is not None
    assert shown.proof["sizes"] is None
    assert shown_of(replace(fact, relation=with_another_factor(fact.relation))) is None
