"""Formulas as plain JSON, and certificates of relations between numbers."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verify.engine.simple import of
from verify.check_proof import check
from verify.engine.certificates.formulas import (
    Untranslatable,
    domains,
    factors,
    parts,
    relation_tree,
    size,
    tree,
)
from verify.engine.certificates.recheck import recheck
from verify.engine.records.pool import digest
from verify.engine.tactics.numbers import Numbers, certified, in_place, spelled

x, y = sp.symbols("x y", real=True)
p = sp.Symbol("p", positive=True)
n = sp.Symbol("n", integer=True, positive=True)
t = sp.Symbol("t", integer=True, nonnegative=True)
i = sp.Symbol("i", integer=True)
D = sp.IndexedBase("D", real=True)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (sp.Rational(-3, 4), "-3/4"),
        (sp.Integer(7), "7"),
        (sp.Float("0.1"), "1/10"),
        (x + y, ["+", "x", "y"]),
        (3 * x, ["*", "3", "x"]),
        (x / 2, ["/", "x", "2"]),
        (sp.Rational(3, 2) * x, ["/", ["*", "3", "x"], "2"]),
        (x / p, ["/", "x", "p"]),
        (1 / p, ["/", "1", "p"]),
        (p**-2, ["/", "1", ["^", "p", "2"]]),
        (x * y / p**2, ["/", ["*", "x", "y"], ["^", "p", "2"]]),
        (x**3, ["^", "x", "3"]),
        (sp.sqrt(p), ["root", "2", "p"]),
        (p ** sp.Rational(3, 2), ["^", ["root", "2", "p"], "3"]),
        (p ** sp.Rational(1, 3), ["root", "3", "p"]),
        (1 / sp.sqrt(p), ["/", "1", ["root", "2", "p"]]),
        (x * sp.sqrt(p), ["*", "x", ["root", "2", "p"]]),
        (x * sp.sqrt(p) / 3, ["/", ["*", "x", ["root", "2", "p"]], "3"]),
        (x / sp.sqrt(p), ["/", "x", ["root", "2", "p"]]),
        (x**n, ["^", "x", "n"]),
        (sp.Max(x, y), ["max", "x", "y"]),
        (sp.Min(x, y), ["min", "x", "y"]),
        (sp.Abs(x), ["abs", "x"]),
        (D[n], ["at", "D", "n"]),
        (sp.exp(x), ["call", "exp", "x"]),
        (sp.pi, ["call", "Pi"]),
        (sp.Sum(D[i], (i, 1, 3)), ["+", ["at", "D", "1"], ["at", "D", "2"], ["at", "D", "3"]]),
        (sp.Sum(D[i], (i, 2, 2)), ["+", ["at", "D", "2"]]),
        (sp.Sum(x**i, (i, 2, 1)), "0"),
    ],
    ids=str,
)
def test_formulas_are_spelled_as_they_are(expression, expected):
    assert tree(expression) == expected


def test_sums_over_several_indices_and_products_are_spelled_out():
    """The last index is the outermost; an index hides a letter of the same name."""
    assert tree(sp.Sum(i * x, (i, 1, t), (t, 1, 2))) == ["+", ["+", "x"], ["+", "x", ["*", "2", "x"]]]
    hidden = sp.Symbol("x", integer=True)
    assert tree(sp.Sum(hidden * y, (hidden, 1, 2))) == ["+", "y", ["*", "2", "y"]]
    assert tree(sp.Product(x + i, (i, 1, 2))) == ["*", ["+", "1", "x"], ["+", "2", "x"]]
    assert tree(sp.Product(x, (i, 1, 0))) == "1"
    assert tree(sp.Product(x + i, (i, 2, 2))) == ["+", "2", "x"]


def test_unknown_sums_are_functions_of_what_occurs_in_them():
    assert tree(sp.Sum(D[i] * x, (i, 0, n)))[2:] == ["n", "x"]
    assert tree(sp.Sum(x * i, (i, 3, 1)))[0] == "call"
    assert tree(sp.Sum(x, (i, 0, 1), (t, 0, n)))[2:] == ["n", "x"]


@pytest.mark.parametrize("wrong", [sp.I, sp.zoo, sp.Derivative(sp.Function("f")(x), x)])
def test_what_is_no_formula_of_real_numbers_is_refused(wrong):
    with pytest.raises(Untranslatable):
        tree(wrong)


@pytest.mark.parametrize(
    ("kind", "sign"), [(sp.Le, "<="), (sp.Lt, "<"), (sp.Ge, ">="), (sp.Gt, ">"), (sp.Eq, "="), (sp.Ne, "!=")]
)
def test_relations_keep_their_sign_and_their_sides(kind, sign):
    assert relation_tree(kind(x, y, evaluate=False)) == [sign, "x", "y"]


def test_decided_relations_are_refused():
    with pytest.raises(Untranslatable):
        relation_tree(sp.true)


def test_domains_are_those_declared_and_names_mean_one_thing():
    assert domains([x <= p, t <= n, D[n] <= 0]) == {
        "x": "real",
        "p": "positive",
        "t": "whole",
        "n": "count",
        "D": "sequence real",
    }
    with pytest.raises(Untranslatable, match="two symbols are called 'x'"):
        domains([x <= y, sp.Symbol("x", positive=True) <= y])


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("x", ["x"]),
        (["*", "x", ["*", "2", "y"]], ["x", "2", "y"]),
        (["^", ["*", "x", "y"], "12"], ["x", "y"]),
        (["^", "x", "n"], [["^", "x", "n"]]),
        (["^", "x", "-2"], [["^", "x", "-2"]]),
        (["*", ["+", "x", "y"], ["^", "y", "3"]], [["+", "x", "y"], "y"]),
    ],
    ids=str,
)
def test_factors_are_those_of_products_and_powers(formula, found):
    assert factors(formula) == found


def test_parts_digests_and_sizes():
    assert list(parts(["+", "x", ["*", "2", "y"]])) == [
        "x",
        "2",
        "y",
        ["*", "2", "y"],
        ["+", "x", ["*", "2", "y"]],
    ]
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1}) != digest({"a": 1, "b": 3})
    assert len(digest([])) == 20
    assert size(["+", "x"]) == 9


def at(**numbers):
    return {
        name: np.array([[Fraction(v) for v in np.atleast_1d(value)]], dtype=object)
        for name, value in numbers.items()
    }


TRUE = [
    of(sp.Le, x, y),
    of(sp.Lt, x, y),
    of(sp.Ge, y, x),
    of(sp.Gt, y, x),
    of(sp.Ne, x, y),
    of(sp.Eq, 2 * x + 7, y),
    of(sp.Le, sp.Abs(x), 2),
    of(sp.Eq, sp.Abs(x), 2),
    of(sp.Eq, sp.Abs(y), 3),
    of(sp.Eq, sp.Max(x, y, 1), 3),
    of(sp.Eq, sp.Min(x, y, 1), -2),
    of(sp.Eq, sp.Max(x, y), sp.Min(y, y + 2)),
    of(sp.Le, sp.Max(sp.Abs(x), sp.Abs(y)) ** 2, 9),
    of(sp.Eq, y / (x + 3), 3),
    of(sp.Eq, x**3, -8),
    of(sp.Le, sp.Min(3, sp.Max(x, y, evaluate=False), evaluate=False), 3),
    of(sp.Ge, sp.Max(-2, sp.Min(x, y, evaluate=False), evaluate=False), -2),
    of(sp.Le, sp.Max(1, x + 4, y, y + 1, evaluate=False), 5),
]


def extreme(inside):
    several = st.lists(inside, min_size=2, max_size=3)
    largest, smallest = (
        several.map(lambda of, kind=kind: kind(*of, evaluate=False)) for kind in (sp.Max, sp.Min)
    )
    return largest | smallest | inside.map(lambda of: sp.Abs(of, evaluate=False))


LEAVES = st.sampled_from([x, y, x + 4, y - 1, sp.S.Zero, sp.S.One, -sp.S(3)])


def test_a_minimum_is_at_most_a_maximum_among_its_choices():
    largest = sp.Max(x, x + 4, evaluate=False)
    (certificate,) = certified(sp.Min(y, largest, evaluate=False) <= 2, at(x=-2, y=3))
    check(dict(certificate))
    recheck(certificate)


@settings(max_examples=15, deadline=None)
@given(extreme(LEAVES | extreme(LEAVES | extreme(LEAVES))), st.sampled_from([sp.Le, sp.Ge, sp.Eq]))
def test_whatever_extremes_of_numbers_are_has_a_certificate(formula, kind):
    value = formula.xreplace({x: sp.Integer(-2), y: sp.Integer(3)}).doit()
    (certificate,) = certified(of(kind, formula, value), at(x=-2, y=3))
    check(dict(certificate))
    recheck(certificate)


@pytest.mark.parametrize("relation", TRUE, ids=str)
def test_true_relations_of_numbers_have_certificates(relation):
    (certificate,) = certified(relation, at(x=-2, y=3))
    check(dict(certificate))
    recheck(certificate)


@pytest.mark.parametrize("relation", TRUE, ids=str)
def test_where_the_numbers_break_a_relation_there_is_none(relation):
    values = at(x=5, y=3)
    found = certified(relation, values)
    (formula,) = (numbers := Numbers(values)).relations(relation)
    assert (found != [None]) == numbers.holds(formula)
    wrong = {sp.Le: sp.Gt, sp.Lt: sp.Ge, sp.Ge: sp.Lt, sp.Gt: sp.Le, sp.Eq: sp.Ne, sp.Ne: sp.Eq}[
        type(relation)
    ]
    assert certified(of(wrong, *relation.args), at(x=-2, y=3)) == [None]


def test_entries_have_certificates_of_their_own():
    assert len(certified(of(sp.Le, x, y), at(x=[1, 2, 1], y=[2, 3, 2]))) == 2  # two different entries
    found = certified(of(sp.Le, x, y), at(x=[1, 4], y=[2, 3]))
    assert [one is None for one in found] == [False, True]


def test_counts_in_exponents_and_ends_of_sums_are_numbers():
    relation = of(sp.Le, sp.Sum(x**i, (i, 0, n)), 7 + t)
    assert spelled(relation) == {n}
    (certificate,) = certified(relation, {**at(x=2, t=0), "n": 2})
    assert certificate is not None
    assert certified(relation, {**at(x=2, t=0), "n": 3}) == [None]
    series = {"D": np.array([[Fraction(1)], [Fraction(5)]], dtype=object)}
    assert certified(of(sp.Le, D[1], 5), series) != [None]
    assert certified(of(sp.Le, D[1], 4), series) == [None]


def test_roots_that_are_no_fractions_have_none():
    values = Numbers(at(p=4))
    assert values.holds(next(values.relations(of(sp.Eq, sp.sqrt(p), 2))))
    irrational = Numbers(at(p=2))
    with pytest.raises(Untranslatable, match="root 2 of 2"):
        irrational.holds(next(irrational.relations(of(sp.Le, sp.sqrt(p), 2))))


def test_the_same_number_has_one_name_and_another_another():
    numbers = Numbers(at(x=[1, 2, 1]))
    assert list(numbers.relations(of(sp.Le, x, 5))) == [["<=", "x", "5"], ["<=", "x 1", "5"]]
    assert numbers.known == {"x": 1, "x 1": 2}
    assert in_place(["<=", "x 1", ["+", "x", "z"]], numbers.known) == ["<=", "2", ["+", "1", "z"]]
