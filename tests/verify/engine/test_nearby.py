"""Rational points near irrational ones: they meet the equation exactly, and false claims on a sphere are refuted."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import pytest
import sympy as sp
from sympy.core.relational import Relational

from verify.engine.search.nearby import rational_points_near
from verify.engine.search.points import LAST, breaking_point, holds, meets

x, y, z = sp.symbols("x y z", real=True)
sphere = sp.Eq(x**2 + y**2 + z**2, 1)


@pytest.mark.parametrize(
    ("equation", "near"),
    [
        (sphere, {"x": 0.577, "y": 0.577, "z": 0.577}),
        (sp.Eq(x**2 + y**2, 2), {"x": 1.2, "y": 0.74}),
        (sp.Eq(x**3 * y, 2 + x), {"x": 1.26, "y": 1.63}),
        (sp.Eq(x**2, sp.Rational(1, 4)), {"x": 0.5, "z": 3.14}),
    ],
    ids=str,
)
def test_points_meet_the_equation(equation: sp.Eq, near: dict[str, float]) -> None:
    found = list(islice(rational_points_near(near, [equation]), 20))
    assert found
    assert all(holds(equation, point) is True for point in found)
    assert all(set(point) == set(near) for point in found)


def test_numbers_are_rounded_where_there_is_no_equation() -> None:
    assert {"x": Fraction(22, 7)} in list(rational_points_near({"x": 3.14159}, []))


@pytest.mark.parametrize("equations", [(sphere, sp.Eq(x, y)), (sp.Eq(x**3, 2),), (sp.Eq(x**2, 2),)], ids=str)
def test_equations_that_are_not_solved_give_no_points(equations: tuple[sp.Eq, ...]) -> None:
    assert not list(rational_points_near({"x": 1.26, "y": 1.26, "z": 0.1}, equations))


@pytest.mark.parametrize(
    ("relation", "conditions"),
    [
        (x + y + z <= sp.Rational(17, 10), (sphere,)),
        (x * y + y * z + z * x >= -sp.Rational(2, 5), (sphere,)),
        (x**4 + y**4 + z**4 >= sp.Rational(2, 5), (sphere,)),
        (x * y <= sp.Rational(49, 100), (x**2 + y**2 <= 1,)),
    ],
    ids=str,
)
def test_false_claims_with_irrational_worst_points_have_exact_counterexamples(
    relation: Relational, conditions: tuple[Relational, ...]
) -> None:
    point = breaking_point(relation, conditions, LAST)
    assert point is not None
    assert meets(point, conditions)
    assert holds(relation, point) is False


def test_true_claims_on_a_sphere_have_none() -> None:
    assert breaking_point(x + y + z <= 2, (sphere,)) is None
