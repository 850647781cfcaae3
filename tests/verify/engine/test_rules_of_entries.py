"""What conditions for every index say of entries, and that entries by construction meet them."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.evaluate import evaluate
from bounds.relations import eq, ge, gt, le, lt
from verify.engine.model.scene import Condition
from verify.engine.search.entries import entries_by_rules, gap_name, in_order, rule_of

c = sp.Symbol("c", positive=True)
t = sp.Symbol("t", integer=True, positive=True)
real = sp.Symbol("m", real=True)
LABELS = (sp.Symbol("r", nonnegative=True), sp.Symbol("w", positive=True), real)
r, w, m = map(sp.IndexedBase, LABELS)
CONDITIONS = (
    le(r[t], r[t - 1] + c * w[t]),
    le(r[t] ** 2, r[t - 1] ** 2 + c * r[t]),
    ge(r[t] ** 2, r[t - 1] ** 2 - c * r[t]),
    eq(r[t] ** 2, r[t - 1] ** 2 + w[t - 1]),
    le(r[t] ** 2 + r[t], r[t - 1]),
    le(r[t - 1], r[t] - c * r[t] ** 2),
    lt(w[t], w[t - 1] / 2),
    ge(w[t] ** 2, w[t - 1] ** 2 + m[t] ** 2),
    le(w[t] * r[t], c),
    gt(m[t] + m[t - 1], r[t] / t),
    eq(m[t], m[t] * c + m[t - 1]),
    le(m[t] ** 2, m[t - 1] + r[t - 1]),
    le(sp.Abs(m[t] - m[t - 1]), c),
    ge(r[t - 1] - c, sp.Abs(m[t - 1] - 2 * m[t])),
    lt(sp.Abs(r[t] - r[t - 1]), c),
)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_bound_of_an_entry_does_not_contain_it(condition: Condition) -> None:
    rule = rule_of(condition, t)
    assert rule is None or not rule.bound.has(sp.IndexedBase(_label(rule.name))[rule.index])


@settings(max_examples=20)
@given(st.lists(st.sampled_from(CONDITIONS), min_size=1, max_size=2, unique=True), st.integers(0, 2**32 - 1))
def test_conditions_that_are_met_by_construction_hold(conditions: list[Condition], seed: int) -> None:
    numbers, shape = np.random.default_rng(seed), (64, 4)
    rules = in_order([rule for one in conditions if (rule := rule_of(one, t)) is not None])
    drawn = {label.name: numbers.uniform(0.01, 3, shape) for label in LABELS}
    gaps = {gap_name(rule.name): numbers.uniform(0, 1, shape).round() for rule in rules}
    values = {**drawn, **gaps, "c": numbers.uniform(0.1, 2, 64)}
    with np.errstate(all="ignore"):
        entries, met = entries_by_rules(LABELS, rules, {}, values)
        for (condition, step), lacking in met.items():
            left, right = (evaluate(side, {**values, **entries, "t": step}) for side in condition.args)
            apart = np.where(np.isclose(left, right, rtol=1e-9, atol=1e-9), 0.0, right - left)
            holds = {-1: apart >= 0, 0: apart == 0, 1: apart <= 0}[_way(condition)]
            assert holds[lacking == 0].all(), (condition, step)


def _way(condition: Condition) -> int:
    """0 for an equation, -1 if the left side is the smaller one, else 1."""
    return 0 if isinstance(condition, sp.Eq) else -1 if isinstance(condition, sp.Le | sp.Lt) else 1


def _label(name: str) -> sp.Symbol:
    return next(label for label in LABELS if label.name == name)


def test_an_absolute_value_may_reach_its_bound_on_both_sides() -> None:
    rule = rule_of(le(sp.Abs(m[t - 1] - 2 * m[t]), c), t)
    assert rule is not None
    assert rule.width is not None
    assert {sp.expand(rule.bound), sp.expand(rule.bound + rule.way * rule.width)} == {
        (m[t - 1] + c) / 2,
        (m[t - 1] - c) / 2,
    }
    assert rule_of(le(sp.Abs(m[t] ** 2 - m[t]), c), t) is None
