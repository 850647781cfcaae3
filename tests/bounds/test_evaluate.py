"""Values of formulas, compared with a second evaluator in plain Python without SymPy."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from bounds.evaluate import Undefined, Unsupported, evaluate
from nqm.fields import Irrational, lower, to_interval, upper
from verify.engine.model.arithmetic import ARITHMETIC

X, Y = sp.symbols("x y", real=True)
M, N = sp.symbols("m n", integer=True, positive=True)
U = sp.IndexedBase("u")
FREE = {"x": X, "y": Y, "m": M, "n": N}
VALUES: Mapping[str, Any] = {
    "x": Fraction(3, 2),
    "y": Fraction(-2, 5),
    "m": 2,
    "n": 3,
    "u": [Fraction(k * k - 5, k + 1) for k in range(8)],
}
Scope = Mapping[int, int]


class Formula(NamedTuple):
    """The same formula twice: as a SymPy expression, and as a function from the values of indices to its value."""

    symbolic: sp.Expr
    plain: Callable[[Scope], Any]


def _leaf(depth: int, indices: tuple[sp.Symbol, ...]) -> st.SearchStrategy[Formula]:
    numbers = st.fractions(-3, 3, max_denominator=4).map(
        lambda q: Formula(sp.Rational(q.numerator, q.denominator), lambda scope: q)
    )
    names = st.sampled_from(sorted(FREE)).map(lambda n: Formula(FREE[n], lambda scope: VALUES[n]))
    leaves = [numbers, names]
    if indices:
        places = st.sampled_from(range(len(indices)))
        leaves.append(places.map(lambda k: Formula(indices[k], lambda scope: scope[k])))
        leaves.append(
            st.tuples(places, st.integers(-1, 2)).map(
                lambda kd: Formula(U[indices[kd[0]] + kd[1]], lambda scope: _entry(scope[kd[0]] + kd[1]))
            )
        )
    return st.one_of(leaves)


def _entry(index: int) -> Fraction:
    if not 0 <= index < len(VALUES["u"]):
        raise LookupError(index)
    return VALUES["u"][index]


def _pairs(function: Any, plain: Callable[[Any, Any], Any]) -> Callable[[tuple[Formula, Formula]], Formula]:
    def joined(pair: tuple[Formula, Formula]) -> Formula:
        one, other = pair
        try:
            symbolic = function(one.symbolic, other.symbolic)
        except (
            TypeError,
            ValueError,
        ):  # SymPy takes no extremes of infinities, undefined values or sums of constants
            reject()
        return Formula(symbolic, lambda scope: plain(one.plain(scope), other.plain(scope)))

    return joined


def _power(parts: tuple[Formula, int]) -> Formula:
    base, exponent = parts
    return Formula(base.symbolic**exponent, lambda scope: Fraction(base.plain(scope)) ** exponent)


def _of_size(parts: tuple[Formula, str]) -> Formula:
    base, name = parts
    return Formula(base.symbolic ** FREE[name], lambda scope: base.plain(scope) ** VALUES[name])


@st.composite
def formulas(draw: Any, depth: int = 3, indices: tuple[sp.Symbol, ...] = ()) -> Formula:
    """Formulas with free symbols x, y, m, n, entries of u, and sums whose indices may share their names."""
    if depth == 0:
        return draw(_leaf(depth, indices))
    inside = formulas(depth - 1, indices)
    two = st.tuples(inside, inside)
    options = [
        _leaf(depth, indices),
        two.map(_pairs(operator.add, operator.add)),
        two.map(_pairs(operator.mul, operator.mul)),
        two.map(_pairs(operator.truediv, lambda a, b: Fraction(a) / b)),
        two.map(_pairs(sp.Max, max)),
        two.map(_pairs(sp.Min, min)),
        inside.map(lambda f: Formula(sp.Abs(f.symbolic), lambda scope: abs(f.plain(scope)))),
        st.tuples(inside, st.integers(-2, 3)).map(_power),
        st.tuples(inside, st.sampled_from("mn")).map(_of_size),
        _series(depth, indices),
    ]
    return draw(st.one_of(options))


@st.composite
def _series(draw: Any, depth: int, indices: tuple[sp.Symbol, ...]) -> Formula:
    """A sum or product over one or two indices; the second index is the outer one, and may be the end of the first."""
    kind, join, empty = draw(st.sampled_from([(sp.Sum, operator.add, 0), (sp.Product, operator.mul, 1)]))
    taken = {symbol.name for symbol in indices}
    fresh = [name for name in ("i", "k", "x", "m") if name not in taken]
    assume(fresh)
    outer = sp.Symbol(draw(st.sampled_from(fresh)), integer=True)
    low, high = draw(st.integers(-1, 1)), draw(st.sampled_from(["m", "n", 0, 2]))
    end = FREE[high] if isinstance(high, str) else sp.Integer(high)
    last = VALUES[high] if isinstance(high, str) else high
    rest = [name for name in fresh if name != outer.name]
    k = len(indices)
    if not rest or not draw(st.booleans()):
        body = draw(formulas(depth - 1, (*indices, outer)))

        def single(scope: Scope) -> Any:
            total: Any = empty
            for step in range(low, last + 1):
                total = join(total, body.plain({**scope, k: step}))
            return total

        return Formula(kind(body.symbolic, (outer, low, end)), single)
    inner = sp.Symbol(draw(st.sampled_from(rest)), integer=True)
    body = draw(formulas(depth - 1, (*indices, outer, inner)))

    def double(scope: Scope) -> Any:
        total: Any = empty
        for step in range(low, last + 1):
            for under in range(0, step + 1):
                total = join(total, body.plain({**scope, k: step, k + 1: under}))
        return total

    return Formula(kind(body.symbolic, (inner, 0, outer), (outer, low, end)), double)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(formulas())
def test_formulas_have_the_values_that_plain_python_gives(formula: Formula) -> None:
    try:
        expected = Fraction(formula.plain({}))
    except (ZeroDivisionError, LookupError):  # SymPy may have cancelled an undefined part
        return
    assume(abs(expected) < 10**12 and not formula.symbolic.has(sp.zoo, sp.nan, sp.oo))
    exact = {n: v if isinstance(v, int | list) else np.array([v]) for n, v in VALUES.items()}
    found = evaluate(formula.symbolic, exact, ARITHMETIC["exact"])
    assert Fraction(np.reshape(found, -1)[0]) == expected
    interval = {
        n: v
        if isinstance(v, int)
        else [ARITHMETIC["interval"].number(sp.Rational(str(x))) for x in v]
        if isinstance(v, list)
        else ARITHMETIC["interval"].number(sp.Rational(str(v)))
        for n, v in VALUES.items()
    }
    try:
        enclosed = evaluate(formula.symbolic, interval, ARITHMETIC["interval"])
    except ZeroDivisionError:  # an enclosure of the denominator holds zero
        return
    box = np.reshape(np.asarray(enclosed, dtype=object), -1)[:1]
    if not isinstance(box[0], int | Fraction):
        assert lower(box)[0] <= expected <= upper(box)[0]


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(formulas(depth=2))
def test_an_index_outside_its_sequence_is_an_error_wherever_python_has_none(formula: Formula) -> None:
    try:
        formula.plain({})
    except LookupError:
        if formula.symbolic.has(sp.Indexed):  # SymPy may have cancelled it
            try:
                evaluate(formula.symbolic, VALUES, ARITHMETIC["exact"])
            except (Undefined, ZeroDivisionError):
                return
            assert not _always_read(formula.symbolic), formula.symbolic
    except ZeroDivisionError:
        return


def _always_read(expression: sp.Expr) -> bool:
    """Whether nothing in a formula can have been cancelled: it is a sum of entries."""
    return isinstance(expression, sp.Sum) and isinstance(expression.function, sp.Indexed)


i, k = sp.symbols("i k", integer=True)


def test_a_sum_over_two_indices_runs_over_both() -> None:
    assert evaluate(sp.Sum(i * k, (i, 1, 2), (k, 1, 2)), {}) == 9
    assert evaluate(sp.Sum(1, (i, 1, k), (k, 1, M)), {"m": 3}) == 6


def test_an_index_is_no_free_symbol_of_its_name() -> None:
    of_that_name = sp.Symbol("i", integer=True, positive=True)
    assert evaluate(sp.Sum(of_that_name, (i, 1, 3)), {"i": 5}) == 15
    assert evaluate(sp.Sum(i, (i, 1, 3)), {"i": 5}) == 6
    assert evaluate(sp.Sum(sp.Sum(i, (i, 1, i)), (i, 1, 2)), {}) == 4


def test_a_letter_in_a_sum_of_letters_is_not_caught_by_its_index() -> None:
    letter = sp.Symbol("i", real=True)
    found = evaluate(sp.Sum(X + i, (i, 0, M)), {"m": M, "x": letter}, ARITHMETIC["symbolic"])
    assert found.subs(M, 1).doit() == 2 * letter + 1


@pytest.mark.parametrize(
    "formula", [U[-1], U[M], U[M - 4], U[M / 2], sp.Sum(U[i - 1], (i, 0, M - 1)), U[X]], ids=str
)
def test_an_index_must_be_a_place_of_its_sequence(formula: sp.Expr) -> None:
    with pytest.raises(Undefined, match="must"):
        evaluate(formula, {"u": [1.0, 2.0, 3.0], "m": 3, "x": 0.5})


@pytest.mark.parametrize("limits", [(i, 0, M / 2), (i, 0, sp.pi), (i, X, 2), (i, 0, sp.sqrt(M))], ids=str)
def test_limits_must_be_whole_numbers(limits: tuple[Any, ...]) -> None:
    with pytest.raises(Undefined, match="must"):
        evaluate(sp.Sum(X, limits), {"m": 3, "x": 0.5})


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        (sp.floor(X), 3),
        (sp.ceiling(X), 4),
        (sp.floor(-X) + sp.ceiling(X), 0),
        (sp.factorial(M), 120),
        (sp.binomial(M, 2), 10),
        (sp.binomial(M, M + 1, evaluate=False), 0),
        (sp.binomial(X, 2), Fraction(35, 8)),
    ],
    ids=str,
)
def test_roundings_factorials_and_binomials_are_exact(formula: sp.Expr, found: Fraction) -> None:
    values = {"x": Fraction(7, 2), "m": 5}
    assert evaluate(formula, values, ARITHMETIC["exact"]) == found
    assert float(evaluate(formula, {"x": 3.5, "m": 5})) == float(found)


@pytest.mark.parametrize(
    "formula", [sp.factorial(M - 9), sp.factorial(M * 10**6), sp.binomial(M - 9, 2)], ids=str
)
def test_factorials_below_zero_and_far_away_have_no_value(formula: sp.Expr) -> None:
    with pytest.raises(ZeroDivisionError, match="is computed from 0 to"):
        evaluate(formula, {"m": 5})


def test_a_factorial_is_one_of_a_whole_number() -> None:
    with pytest.raises(Undefined, match=r"must be a whole number, got 3\.5"):
        evaluate(sp.factorial(X), {"x": 3.5})


def test_a_function_that_is_not_supported_is_named() -> None:
    with pytest.raises(Unsupported, match="cannot evaluate sin"):
        evaluate(sp.sin(M), {"m": 3})


def test_whole_numbers_beyond_floats_are_infinite_among_floats_and_exact_among_fractions() -> None:
    m, x = sp.Symbol("m", integer=True, positive=True), sp.Symbol("x", real=True)
    huge = {"m": 400, "x": np.array([1.0, -1.0])}
    assert evaluate(10**m, {"m": 400}) == np.inf
    assert evaluate((-10) ** m, {"m": 401}) == -np.inf
    assert (evaluate(x * 10**m, huge) == [np.inf, -np.inf]).all()
    assert (evaluate(x / 10**m, huge) == 0).all()
    assert evaluate(m ** (m**m), {"m": 400}) == np.inf  # never multiplied out
    assert ARITHMETIC["exact"].number(sp.Integer(10) ** 400) == evaluate(10**m, huge, ARITHMETIC["exact"])


def test_exponents_may_have_thousands_of_digits() -> None:
    p, m = sp.Symbol("p", positive=True), sp.Symbol("m", integer=True, positive=True)
    assert evaluate(p ** (11**m), {"p": np.array([0.5, 1.0, 2.0]), "m": 5000}).tolist() == [0.0, 1.0, np.inf]


def test_powers_whose_exponents_are_beyond_floats_have_their_limit() -> None:
    x, n = sp.Symbol("x", real=True), sp.Symbol("n", integer=True, positive=True)
    even, odd = x ** sp.factorial(n), x ** (sp.factorial(n) + 1)
    at = {"x": np.array([2.0, 0.5, 1.0, 0.0, -0.5, -1.0, -2.0]), "n": 300}
    assert evaluate(even, at).tolist() == [np.inf, 0, 1, 0, 0, 1, np.inf]
    assert evaluate(odd, at).tolist() == [np.inf, 0, 1, 0, 0, -1, -np.inf]
    assert evaluate(even, {"x": 0.5, "n": 300}) == 0


@pytest.mark.parametrize("exponent", [sp.sqrt(17), sp.pi, 1 - sp.sqrt(2)], ids=str)
def test_an_exponent_may_be_an_irrational_number(exponent):
    p = sp.Symbol("p", positive=True)
    wanted = float(exponent)
    assert evaluate(p**exponent, {"p": 3.0}) == pytest.approx(3.0**wanted)
    with pytest.raises(Irrational):
        evaluate(p**exponent, {"p": np.array([Fraction(3)], dtype=object)}, ARITHMETIC["exact"])
    enclosure = evaluate(p**exponent, {"p": to_interval(np.array([3.0]))}, ARITHMETIC["interval"])[0]
    with mpmath.workdps(120):
        assert enclosure.a <= mpmath.mpf(sp.N(3**exponent, 110)) <= enclosure.b
