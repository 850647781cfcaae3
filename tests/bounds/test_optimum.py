"""Smallest bounds: compared with enumeration, with random admissible points, and at edges of conditions."""

import math

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.admissible import ConditionNotMet, values_of
from bounds.catalogue import statements
from bounds.optimum import optimum
from bounds.poles import NoLeastValue
from bounds.relations import eq, ge, le, lt
from bounds.special.theorems import RATE
from bounds.statement import Scaling, Statement
from bounds.symbols import domain_of

x, y = sp.symbols("x y", positive=True)
z = sp.Symbol("z", real=True)
x_0 = sp.Symbol("x_0", nonnegative=True)
n = sp.Symbol("n", integer=True, positive=True)
RUN = {
    "K": 4,
    "E": 5,
    "M": 8,
    "N": 4,
    "T": 20,
    "gamma_G": 0.2,
    "gamma_L": 0.01,
    "lam": 0.5,
    "f0": 3.0,
    "fstar": 0.0,
}
NOISE = {"L": 2.0, "B": 1.0, "G0": 0.3, "sigma_L2": 0.1, "sigma_G2": 0.2, "sigma_T2": 0.3}


@pytest.mark.parametrize("name", ["E", "N", "K", "M"])
def test_whole_numbers_are_those_of_enumeration(name):
    values = {**RUN, **NOISE}
    allowed = [k for k in range(1, 200) if RATE.met(**{**values, name: k})]
    by_hand = min((RATE.at(**{**values, name: k}), k) for k in allowed)
    assert RATE.best(name, **values) == (by_hand[1], by_hand[0])


@pytest.mark.parametrize(("name", "edge"), [("gamma_L", 1 / 80), ("gamma_G", 1 / 3)])
def test_a_step_size_at_the_edge_of_its_condition(name, edge):
    found = RATE.optimum(name, **RUN, **NOISE)
    assert found.at[name] == pytest.approx(edge, rel=1e-15)
    assert any(limit.startswith(f"{name} <= 1/") for limit in found.limits)


def test_a_narrow_stretch_between_two_conditions_is_found():
    found = optimum(x, (ge(x, sp.Rational(1, 3)), le(x, sp.Rational(1, 3) + sp.Float(1e-12))), [x], {})
    assert found.at["x"] == pytest.approx(1 / 3, rel=1e-12)


def test_an_equation_as_a_condition_fixes_a_variable():
    assert optimum(x, (eq(x**2, 2),), [x], {}).at["x"] == pytest.approx(math.sqrt(2), rel=1e-9)


def test_an_edge_that_two_variables_share_is_followed():
    found = optimum(1 / x + 4 / y, (le(x * y, 9),), [x, y], {})
    assert found.bound == pytest.approx(4 / 3, rel=1e-6)
    assert found.limits == ("x*y <= 9",)


def test_no_variable_leaves_its_range_with_another_one():
    found = optimum(-x * y, (), [x, y], {})
    assert found.at == {"x": 1e9, "y": 1e9}


def test_a_corner_that_is_reached_along_equal_bounds_is_found():
    found = optimum(x * y, (ge(y * (x**2 + x), 1), le(x, 2)), [x, y], {})
    assert found.bound == pytest.approx(1 / 3, rel=1e-6)
    assert found.at["x"] == pytest.approx(2, rel=1e-6)


def test_a_whole_number_and_a_number_that_share_an_edge_are_found_together():
    least = 100 * sp.log(1 + 1 / x) + 40 / sp.sqrt(x)
    xs = np.geomspace(1e-3, 1e9, 200_001)
    needed = np.ceil(100 * np.log1p(1 / xs) + 40 / np.sqrt(xs))
    found = optimum(n**2 * x, (ge(n, least),), [n, x], {})
    assert found.bound <= (needed**2 * xs).min() * (1 + 1e-4)


def test_the_end_of_the_range_is_said_where_a_bound_falls_for_ever():
    assert optimum(1 / n, (), [n], {}).limits == ("n <= 1e+09 (end of the searched range)",)


def test_a_small_change_is_no_tie_and_a_limit_is_named_once():
    found = optimum(1 + x_0**2, (), [x_0], {})
    assert (found.ties, found.limits) == ({}, ("x_0 >= 0",))


def test_values_that_change_nothing_are_ties():
    low, high = optimum(sp.Max(x, 2), (), [x], {}).ties["x"]
    assert low < 1e-6
    assert 1 < high <= 2


def test_no_admissible_point_is_said_with_the_condition():
    with pytest.raises(ConditionNotMet, match=r"y < 1 fails"):
        optimum(x, (lt(y, 1),), [x], {"y": 2.0})
    with pytest.raises(ValueError, match="a value is missing for y"):
        optimum(x + y, (), [x], {})


@settings(max_examples=60, deadline=None)
@given(st.floats(-50, 50), st.floats(0.01, 20), st.floats(-60, 60), st.floats(0.5, 30))
def test_a_parabola_over_an_interval(centre, curve, left, width):
    found = optimum(curve * (z - centre) ** 2, (ge(z, left), le(z, left + width)), [z], {})
    nearest = min(max(centre, left), left + width)
    assert found.at["z"] == pytest.approx(nearest, rel=1e-6, abs=1e-6)


def draw(symbol: sp.Symbol, rng: np.random.Generator, size: int) -> np.ndarray:
    if domain_of(symbol) == "count":
        return rng.integers(1, 12, size).astype(float)
    signs = np.where(rng.random(size) < 0.5, -1, 1) if domain_of(symbol) == "real" else 1
    return np.exp(rng.uniform(-4, 3, size)) * signs


def admissible_point(statement: Statement, rng: np.random.Generator) -> dict[str, float]:
    points = {symbol.name: draw(symbol, rng, 4000) for symbol in statement.symbols}
    met = np.flatnonzero(np.broadcast_to(statement.met(**points), 4000))
    return {name: float(values[met[0]]) for name, values in points.items()} if met.size else {}


def shortfall(statement: Statement, number: int, rng: np.random.Generator) -> float:
    """How far the best of 10,000 random admissible points lies below the optimum over random quantities, relatively."""
    base = admissible_point(statement, rng)
    free = sorted((s for s in statement.rhs.free_symbols if isinstance(s, sp.Symbol)), key=str)
    if not base or len(free) < number:
        return 0.0
    chosen = [free[i] for i in rng.choice(len(free), number, replace=False)]
    random = {symbol.name: np.append(draw(symbol, rng, 10_000), base[symbol.name]) for symbol in chosen}
    bound = np.where(
        statement.met(**{**base, **random}), values_of(statement.rhs, {**base, **random}), np.inf
    )
    if not np.isfinite(bound).any():
        return 0.0
    try:
        best = statement.optimum(*(symbol.name for symbol in chosen), **base).bound
    except NoLeastValue:
        return 0.0
    return float((best - np.nanmin(bound)) / max(abs(best), 1e-12))


SEARCHED = [
    statement
    for statement in statements().values()
    if not isinstance(statement.relation, Scaling)
    and not statement.rhs.has(sp.Indexed, sp.Sum)
    and statement.rhs.free_symbols
]


def worse(number: int, chosen: list[Statement]) -> dict[str, float]:
    rng = np.random.default_rng(number)
    with np.errstate(all="ignore"):
        return {one.id: short for one in chosen if (short := shortfall(one, number, rng)) > 1e-9}


def test_no_random_point_is_better():
    assert worse(1, SEARCHED[::8]) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("number", "each"), [(1, 1), (2, 8), (3, 16)])
def test_no_random_point_of_the_whole_catalogue_is_better(number, each):
    assert worse(number, SEARCHED[::each]) == {}


@pytest.mark.parametrize(
    ("bound", "conditions", "place"),
    [
        (1 / (x - 2), (), 2),
        (-1 / (1 - x / 3), (lt(x, 3),), 3),
        (sp.log(abs(z)) - z, (le(abs(z), 1),), 0),
        (1 - 1 / (z**2 - 2 * z + 1), (), 1),
        (1e20 - 1e-9 / (x - 5), (), 5),
    ],
    ids=str,
)
def test_a_bound_that_falls_to_minus_infinity_has_no_least_value(bound, conditions, place):
    (variable,) = bound.free_symbols
    with pytest.raises(NoLeastValue, match=f"`{variable.name}` approaches {place} from") as raised:
        optimum(bound, conditions, [variable], {})
    assert raised.value.at == {variable.name: pytest.approx(place)}


def test_a_pole_that_conditions_exclude_is_respected():
    assert optimum(1 / (x - 2), (ge(x, 3),), [x], {}).bound == pytest.approx(1e-9, rel=1e-6)
    assert optimum(1 / (x - 2), (le(x, 1),), [x], {}).bound == pytest.approx(-1)
    assert optimum(-1 / (2 - x), (le(x, 1),), [x], {}).at["x"] == pytest.approx(1)


def test_rounding_near_a_pole_is_not_taken_for_a_small_bound():
    assert optimum(1 / (z**2 - 2 * z + 1) + z**2, (), [z], {}).bound > 0
    assert optimum((x**2 - 1) / (x - 1), (), [x], {}).bound == pytest.approx(1, rel=1e-6)


def test_a_pole_over_two_variables_is_named():
    with pytest.raises(NoLeastValue, match="where x - y is 0"):
        optimum(x + 1 / (x - y), (), [x, y], {})


def test_powers_beyond_the_range_of_floats_are_compared_exactly():
    shrinking = sp.Integer(2) ** n / (3**n + 1)
    assert optimum(shrinking, (), [n], {}).at == {"n": 10**9}
    assert optimum(x - sp.exp(x), (), [x], {}).at["x"] == 1e9
