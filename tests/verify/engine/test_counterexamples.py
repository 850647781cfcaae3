"""Counterexamples as theorems for Coq: the numbers in them, and the proof that they violate the relation."""

import re
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from verify.engine.coq.counterexamples import counterexample
from verify.engine.coq.vectors import NotExported
from verify.engine.model.instance import Instance
from verify.engine.model.question import Question, ask
from verify.engine.model.scene import Box, Scene
from verify.engine.tactics.numbers import certified

a, b = sp.symbols("a b", positive=True)
u = sp.Symbol("u", real=True)


def numbers(**values):
    return {name: np.array(Fraction(value), dtype=object) for name, value in values.items()}


def refuted(relation, conditions, shape=None, **values):
    question = ask("a.b/c", relation, tuple(conditions), None)
    return counterexample(question, Instance(shape or {}, numbers(**values), {}))


def test_a_counterexample_is_a_theorem_that_there_are_such_numbers():
    text = refuted(sp.Le(a + u, b, evaluate=False), [sp.Le(b, a, evaluate=False)], a="5/2", b=2, u="-1/4")
    lines = text.splitlines()
    assert lines[0] == "(* a.b/c in the scene numbers, at a = 5/2, b = 2, u = -1/4 *)"
    assert lines[1] == "Theorem refuted_a_b_c : exists x_a x_b x_u : R, "
    shown_ = "\n".join(lines[2 : lines.index("Proof.")])
    for part in (
        "(x_a = (5 / 2))",
        "(x_b = 2)",
        "(x_u = (-1 / 4))",
        "(0 < x_a)",
        "(0 < x_b)",
        "(x_b <= x_a)",
    ):
        assert part in shown_
    assert "0 < x_u" not in shown_
    assert "(~ ((x_u + x_a) <= x_b))" in shown_
    assert [line for line in lines if line.startswith("  exists")] == ["  exists (5 / 2), 2, (-1 / 4)."]
    assert [line for line in lines if line.startswith("  assert")] == [
        "  assert (met0 : 0 < (5 / 2)) by (apply (lt_of _ _ (5 / 2)); [numbers | lra]).",
        "  assert (met1 : 0 < 2) by (apply (lt_of _ _ 2); [numbers | lra]).",
        "  assert (met2 : 2 <= (5 / 2)) by (apply (le_of _ _ (1 / 2)); [numbers | lra]).",
        "  assert (met3 : 2 < ((-1 / 4) + (5 / 2))) by (apply (lt_of _ _ (1 / 4)); [numbers | lra]).",
    ]


@pytest.mark.parametrize(
    ("relation", "values", "by"),
    [
        (sp.Le(u, 1, evaluate=False), {"u": 3}, "lt_of _ _ 2"),
        (sp.Ge(u, 1, evaluate=False), {"u": -1}, "lt_of _ _ 2"),
        (sp.Lt(u, 1, evaluate=False), {"u": 3}, "le_of _ _ 2"),
        (sp.Gt(u, 1, evaluate=False), {"u": 1}, "le_of _ _ 0"),
        (sp.Eq(u, 1, evaluate=False), {"u": 3}, r"apart_of _ _ \(-2\)\); \[numbers \| apart\]"),
    ],
    ids=str,
)
def test_the_opposite_of_a_relation_is_shown_by_the_difference_of_its_sides(relation, values, by):
    assert re.search(by, refuted(relation, [], **values))


def test_roots_and_extremes_of_numbers_are_replaced_by_what_they_are():
    text = refuted(sp.Le(sp.sqrt(a) + sp.Max(u, 1), 2, evaluate=False), [], a="9/4", u=4)
    assert "replace (sqrt (9 / 4)) with (3 / 2) by (symmetry; apply root_is; numbers); " in text
    assert "with 4 by (symmetry; extreme); " in text


@pytest.mark.parametrize(
    ("relation", "values", "why"),
    [
        (sp.Le(u, 1, evaluate=False), {"u": 1}, "the relation is not broken there"),
        (sp.Le(sp.sqrt(a), 1, evaluate=False), {"a": 2}, "root 2 of 2"),
        (sp.Le(sp.exp(a), 1, evaluate=False), {"a": 1}, "."),
    ],
    ids=str,
)
def test_nothing_is_exported_that_numbers_do_not_show(relation, values, why):
    with pytest.raises(NotExported, match=why):
        refuted(relation, [], **values)


def test_numbers_of_which_a_function_is_taken_have_no_certificate():
    assert certified(sp.Le(sp.exp(u), 10, evaluate=False), numbers(u=1)) == [None]


def test_the_entry_that_is_broken_is_the_one_that_is_shown():
    v = sp.Symbol("v", real=True)
    scene = Scene("entries", ({"d": 2},), lambda s: {"v": Box(-1, 1, (2,))}, lambda s, values: {})
    question = Question("entries", sp.Le(v, 0, evaluate=False), (sp.Le(v, 1, evaluate=False),), scene)
    instance = Instance({"d": 2}, {"v": np.array([Fraction(-1), Fraction(1, 2)], dtype=object)}, {})
    text = counterexample(question, instance)
    assert "~ (x_v_1 <= 0)" in text
    assert "(x_v <= 1)" in text
    assert "(x_v_1 <= 1)" in text
