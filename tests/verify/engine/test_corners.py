"""Corners of the search for proofs: facts with denominators, limits of length and number, weights in fractions."""

from fractions import Fraction

import pytest
import sympy as sp
from flint import fmpq

from tests.verify.certified import DOMAINS
from verify.engine.certificates.field import Field, Undefined
from verify.engine.certificates.formulas import Untranslatable, relation_tree, size, tree
from verify.engine.certificates.recheck import NEGATIVE, ZERO, Checked
from verify.engine.tactics import products, signs
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.numbers import _root
from verify.engine.tactics.products import Column, combination
from verify.engine.tactics.signs import Signs

x, y = sp.symbols("x y", real=True)
p = sp.Symbol("p", positive=True)
t = sp.Symbol("t", integer=True, nonnegative=True)


def learned(*facts):
    """A search with these facts; it learns the last one from its slack."""
    checked = Checked(DOMAINS)
    for name in DOMAINS:
        checked.value(name)
    for fact in facts:
        checked.learn(fact)
    found = Signs(checked, 200)
    k = len(facts) - 1
    found.learn(checked.value(["slack", k]), ["slack", k], zero=facts[-1][0] == "=")
    return found


BELOW = {
    "nothing": (["<=", "y", "x"], ["-", "x", "y"]),
    "a number": (["<=", "0", ["/", "x", "3"]], ["*", "1/3", "x"]),
    "what is positive": (["<=", "0", ["/", "x", "p"]], "x"),
    "a sum": (["<=", "0", ["/", "x", ["+", "z", "1"]]], "x"),
    "what is negative": (["<", "p", "1"], ["<=", "0", ["/", "x", ["-", "p", "1"]]], ["-", "x"]),
    "what has any sign": (["<=", "0", ["/", "x", "y"]], ["*", "x", "y"]),
}


@pytest.mark.parametrize("sign", ["<=", "="])
@pytest.mark.parametrize("name", BELOW)
def test_facts_are_multiplied_by_what_they_are_divided_by(name, sign):
    *facts, expected = BELOW[name]
    found = learned(*facts[:-1], [sign, *facts[-1][1:]])
    (known,) = found.known
    checked = found.checked
    assert known.zero == (sign == "=")
    assert known.polynomial == checked.value(expected).top
    assert (checked.value(known.formula) - checked.value(expected)).top.is_zero()
    assert not checked.sign(known.formula) & NEGATIVE
    if sign == "=":
        assert checked.sign(known.formula) == ZERO


def test_a_fact_is_known_once_and_numbers_are_none():
    found = learned(["<=", "y", "x"])
    again = found.checked.value(["-", "x", "y"])
    found.learn(again, ["-", "x", "y"], zero=False)
    found.learn(found.checked.value("3"), "3", zero=False)
    assert len(found.known) == 1


def polynomial(search, formula):
    return search.checked.value(formula).top


@pytest.fixture
def search():
    checked = Checked(DOMAINS)
    for name in DOMAINS:
        checked.value(name)
    return Signs(checked, 500)


@pytest.mark.parametrize(
    ("way", "formula", "length"),
    [
        (lambda s, q: s.by_factors(q, 1), ["^", ["-", "x", "y"], "2"], 3),
        (lambda s, q: s.by_square(q, 1), ["+", ["^", "x", "2"], "x", "1"], 3),
        (lambda s, q: s.positive_formula(q), ["*", ["+", ["^", "x", "2"], "1"], ["-", "p", ["-", "q"]]], 4),
    ],
)
def test_only_short_polynomials_are_taken_apart(search, monkeypatch, way, formula, length):
    found = polynomial(search, formula)
    assert len(found) == length
    monkeypatch.setattr(signs, "FEW", length)
    assert way(search, found) is not None
    if way(search, found) != search.by_terms(found):
        monkeypatch.setattr(signs, "FEW", length - 1)
        assert way(search, found) is None


def test_very_long_polynomials_are_not_looked_at(search, monkeypatch):
    found = polynomial(search, ["+", "z", "p", "1"])
    monkeypatch.setattr(signs, "LONG", 3)
    assert search.nonnegative_formula(found, 0) is not None
    monkeypatch.setattr(signs, "LONG", 2)
    assert search.nonnegative_formula(found, 0) is None
    monkeypatch.setattr(products, "TERMS", 3)
    assert combination(search, found, 1) is not None
    monkeypatch.setattr(products, "TERMS", 2)
    assert combination(search, found, 1) is None


def test_what_was_not_found_is_not_sought_again_as_far(search):
    found = polynomial(search, ["-", "x", "1"])
    assert search.nonnegative_formula(found, 1) is None
    before = search.steps
    assert search.nonnegative_formula(found, 1) is None
    assert search.nonnegative_formula(found, 0) is None
    assert search.steps == before - 2
    assert search.nonnegative_formula(found, 2) is None
    assert search.failed[str(found)] == 2


def test_a_program_weighs_no_more_columns_than_it_may(search, monkeypatch):
    target = dict(polynomial(search, ["+", ["^", "x", "2"], "z", "p"]).terms())
    many = products._columns(search, target, 1)
    assert len(many) > 2
    monkeypatch.setattr(products, "COLUMNS", 2)
    assert products._columns(search, target, 1) == many[:2]


def column(*terms, zero=False):
    return Column({powers: fmpq(c) for powers, c in terms}, str(terms), zero, floats=())


ONE, X, XX = (0,), (1,), (2,)


def test_weights_are_fractions_that_come_to_the_target():
    a, b = column((X, 2), (ONE, 1)), column((ONE, 3))
    exact = lambda columns, **target: products._exact(  # noqa: E731
        columns, {{"x": X, "one": ONE, "xx": XX}[name]: fmpq(c) for name, c in target.items()}
    )
    assert exact([a, b], x=1, one=1) == [(fmpq(1, 2), a), (fmpq(1, 6), b)]
    assert exact([a, b], x=2, one=1) == [(fmpq(1), a)]  # a zero weight is left out
    assert exact([a, b], x=2, one=0) is None  # a negative one is not allowed
    assert exact([a, column((ONE, 3), zero=True)], x=2, one=0) == [
        (fmpq(1), a),
        (fmpq(-1, 3), column((ONE, 3), zero=True)),
    ]
    assert exact([a, b], xx=1) is None  # not a combination at all
    assert exact([], x=1) is None


def test_terms_of_a_combination_carry_their_weights():
    assert products._times(fmpq(1), Column({}, "f", zero=False, floats=())) == "f"
    assert products._times(fmpq(2), Column({}, "f", zero=False, floats=())) == ["*", "2", "f"]
    assert products._times(fmpq(2, 3), Column({}, ["*", "f", "g"], zero=False, floats=())) == [
        "*",
        "2/3",
        "f",
        "g",
    ]
    assert products._times(fmpq(2), Column({}, ["+", "f", "g"], zero=False, floats=())) == [
        "*",
        "2",
        ["+", "f", "g"],
    ]


def test_a_draft_divides_by_the_square_of_what_has_any_sign():
    draft = Draft(dict(DOMAINS), 400, 40)
    draft.assume(["!=", "y", "0"], "condition")
    assert draft.show(["<=", "0", ["/", ["*", "z", "y"], "y"]])
    assert draft.show(
        ["<=", ["/", "x", "y"], ["/", ["+", ["*", "x", "y"], ["^", "y", "2"]], ["^", "y", "2"]]]
    )
    assert not draft.show(["<=", "0", ["/", "z", "y"]])


def test_a_contradiction_between_quotients_shows_what_is_false():
    draft = Draft(dict(DOMAINS), 400, 40)
    draft.assume(["<", ["/", "1", "p"], "x"], "condition")
    draft.assume(["<", "x", ["/", "1", "p"]], "condition")
    assert draft.show(["<", "1", "0"])


def test_variables_that_are_no_symbols_have_so_much_room():
    field = Field({"x": "real"}, room=2)
    for name in ("x", ["abs", "x"], ["abs", ["+", "x", "1"]], ["abs", ["+", "x", "2"]]):
        field.value(name)
    with pytest.raises(Undefined, match="more than 4 variables"):
        field.value(["abs", ["+", "x", "3"]])
    assert field.value(["abs", "x"]).constant is None  # a part that has a name keeps it


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        (x**-2, ["/", "1", ["^", "x", "2"]]),
        (p ** sp.Rational(-1, 3), ["/", "1", ["root", "3", "p"]]),
        (p ** sp.Float("0.5"), ["root", "2", "p"]),
        (sp.Float("0.3") * x, ["*", "3/10", "x"]),
        (2 * x / 3, ["/", ["*", "2", "x"], "3"]),
        (sp.Rational(2, 3) / x, ["/", "2", ["*", "3", "x"]]),
        (-x, ["*", "-1", "x"]),
        (x * y / p, ["/", ["*", "x", "y"], "p"]),
        (sp.Sum(t * x, (t, 1, 3)), ["+", "x", ["*", "2", "x"], ["*", "3", "x"]]),
        (sp.Sum(t * x, (t, 2, 1)), "0"),
        (sp.Sum(x**t, (t, 0, y)), ["call", "Sum(x**t, (t, 0, y))", "x", "y"]),
        (sp.IndexedBase("s")[t + 1], ["at", "s", ["+", "1", "t"]]),
    ],
    ids=str,
)
def test_formulas_are_said_as_they_are_printed(expression, said):
    assert tree(expression) == said


def test_entries_have_one_index():
    with pytest.raises(Untranslatable, match="no formula of real numbers"):
        tree(sp.IndexedBase("s")[1, 2])


@pytest.mark.parametrize(
    ("value", "degree", "root"),
    [("9/4", "2", "3/2"), (0, "2", 0), (2, "2", None), ("1/2", "2", None), (-1, "2", None), ("-1/2", "2", None), (8, "3", None)],
)  # fmt: skip
def test_roots_are_those_of_squares(value, degree, root):
    if root is None:
        with pytest.raises(Untranslatable, match=f"root {degree} of {value}"):
            _root(Fraction(value), degree)
    else:
        assert _root(Fraction(value), degree) == Fraction(root)


def test_relations_keep_their_sides():
    for kind, sign in ((sp.Le, "<="), (sp.Lt, "<"), (sp.Ge, ">="), (sp.Gt, ">"), (sp.Eq, "="), (sp.Ne, "!=")):
        assert relation_tree(kind(x, y, evaluate=False)) == [sign, "x", "y"]
    with pytest.raises(ValueError, match="`relation` must compare two formulas"):
        relation_tree(sp.true)
    several = sp.Sum(x, (t, 0, 1), (y, 0, x))
    assert tree(several) == ["call", str(several), "x"]
    with pytest.raises(ValueError, match="no formula of real numbers"):
        tree(sp.I)
    assert size({"a": [1, 2]}) == len('{"a":[1,2]}')
