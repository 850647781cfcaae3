"""Points of a solver: right for every relation and domain, and none if none exists."""

from fractions import Fraction

import pytest
import sympy as sp

from tests.verify.engine.simple import of
from verify.engine.search import points
from verify.engine.search.points import breaking_point, holds, meeting_point, meets, suspected_contradiction

x, y = sp.symbols("x y", real=True)
p, q = sp.symbols("p q", positive=True)
z = sp.Symbol("z", nonnegative=True)
n, m = sp.symbols("n m", integer=True, positive=True)
KINDS = (sp.Le, sp.Lt, sp.Ge, sp.Gt, sp.Eq, sp.Ne)


@pytest.mark.parametrize("kind", KINDS)
def test_points_break_or_meet_every_kind_of_relation(kind):
    relation = of(kind, x, y)
    broken, met = breaking_point(relation, ()), meeting_point((relation,))
    assert holds(relation, broken) is False
    assert holds(relation, met) is True


@pytest.mark.parametrize(
    ("kind", "below", "equal", "above"),
    [
        (sp.Le, True, True, False),
        (sp.Lt, True, False, False),
        (sp.Ge, False, True, True),
        (sp.Gt, False, False, True),
        (sp.Eq, False, True, False),
        (sp.Ne, True, False, True),
    ],
)
def test_relations_are_decided_at_points(kind, below, equal, above):
    for left, expected in ((1, below), (2, equal), (3, above)):
        assert holds(of(kind, x, y), {"x": Fraction(left), "y": Fraction(2)}) is expected


def test_what_is_irrational_or_undefined_or_unknown_is_not_decided():
    assert holds(of(sp.Le, sp.sqrt(x), y), {"x": Fraction(2), "y": Fraction(1)}) is False
    assert holds(of(sp.Le, sp.sqrt(x), y), {"x": Fraction(2), "y": Fraction(2)}) is True
    assert holds(of(sp.Le, 1 / x, y), {"x": Fraction(0), "y": Fraction(1)}) is None
    assert holds(of(sp.Le, x, y), {"x": Fraction(0)}) is None


@pytest.mark.parametrize(
    ("symbol", "least", "there"), [(p, 0, False), (z, 0, True), (n, 1, True), (n, 0, False), (x, -5, True)]
)
def test_domains_end_where_they_end(symbol, least, there):
    trivial = of(sp.Le, symbol, symbol)
    assert meets({symbol.name: Fraction(least)}, (trivial,)) is there
    assert meets({symbol.name: Fraction(least) - Fraction(1, 9)}, (trivial,)) is (symbol is x)
    assert not meets({}, (trivial,))


def test_counts_are_whole_and_conditions_are_met():
    assert not meets({"n": Fraction(3, 2)}, (of(sp.Le, n, 2),))
    assert meets({"n": Fraction(2)}, (of(sp.Le, n, 2),))
    assert not meets({"n": Fraction(3)}, (of(sp.Le, n, 2),))
    point = meeting_point((of(sp.Gt, 3 * n, 4), of(sp.Lt, 3 * n, 8)))
    assert point == {"n": 2}
    assert meeting_point((of(sp.Gt, 3 * n, 4), of(sp.Lt, 3 * n, 5))) is None


@pytest.mark.parametrize(
    ("relation", "conditions"),
    [
        (of(sp.Gt, p, 0), ()),
        (of(sp.Ge, z, 0), ()),
        (of(sp.Ge, n, 1), ()),
        (of(sp.Ge, x**2, 0), ()),
        (of(sp.Le, x, 1), (of(sp.Lt, x, 1),)),
        (of(sp.Ge, sp.Abs(x), x), ()),
        (of(sp.Ge, sp.Max(x, y), y), ()),
        (of(sp.Le, sp.Min(x, y), x), ()),
        (of(sp.Eq, sp.sqrt(z) ** 2, z), ()),
        (of(sp.Eq, p / p, 1), ()),
    ],
)
def test_what_is_true_has_no_breaking_point(relation, conditions):
    assert breaking_point(relation, conditions) is None


@pytest.mark.parametrize(
    "relation",
    [
        of(sp.Ge, p, 1),
        of(sp.Gt, z, 0),
        of(sp.Gt, n, 1),
        of(sp.Le, n, 1),
        of(sp.Le, sp.Abs(x), x),
        of(sp.Le, sp.Max(x, y), x),
        of(sp.Ge, sp.Min(x, y), x),
        of(sp.Le, x**3, x**2),
        of(sp.Le, p**-2, 1),
        of(sp.Le, 1 / p, p),
        of(sp.Le, x / 3, sp.Rational(2, 7)),
        of(sp.Le, x, sp.Float("0.1")),
        of(sp.Eq, x * y, x + y),
    ],
)
def test_what_is_false_somewhere_has_a_breaking_point(relation):
    point = breaking_point(relation, ())
    assert holds(relation, point) is False
    assert meets(point, (of(sp.Ne, relation.lhs, relation.lhs + 1),))


@pytest.mark.parametrize("side", [1, -1])
def test_what_is_false_of_small_numbers_alone_has_a_breaking_point_there(side):
    inside = (of(sp.Gt, side * x, 0), of(sp.Lt, side * x, sp.Rational(1, 10)))
    point = breaking_point(of(sp.Le, sp.Abs(x), side * x / 2), inside)
    assert meets(point, inside)


def test_roots_are_the_nonnegative_ones():
    point = breaking_point(of(sp.Le, sp.sqrt(z), 1), (of(sp.Le, z, 9), of(sp.Eq, z, 9)))
    assert point == {"z": 9}
    assert breaking_point(of(sp.Ge, sp.sqrt(z), 0), (of(sp.Eq, z, 9),)) is None
    assert breaking_point(of(sp.Ge, z ** sp.Rational(3, 2), 26), (of(sp.Eq, z, 9),)) is None
    assert breaking_point(of(sp.Ge, z ** sp.Rational(3, 2), 28), (of(sp.Eq, z, 9),)) == {"z": 9}


def test_a_relation_that_follows_has_no_breaking_point_under_its_conditions():
    assert breaking_point(of(sp.Le, x, 2), (of(sp.Le, x, 1),)) is None
    assert breaking_point(of(sp.Le, x, 1), (of(sp.Le, x, 2),))["x"] > 1


def test_what_the_solver_cannot_read_is_any_number_for_it():
    assert breaking_point(of(sp.Le, sp.exp(x), 1), ()) == {"x": 1}
    assert breaking_point(of(sp.Le, 1 + x, sp.exp(x)), ()) is None
    assert meeting_point((of(sp.Le, p ** sp.Rational(1, 3), 1),)) == {"p": 1}
    assert suspected_contradiction((of(sp.Le, sp.exp(x), 1), of(sp.Lt, x, x)))
    assert not suspected_contradiction((of(sp.Le, sp.exp(x), 1), of(sp.Le, 1, x)))


@pytest.mark.parametrize(
    "condition", [of(sp.Ge, sp.exp(y), 2), of(sp.Ge, (n + 11) ** (n * m), 10**40), of(sp.Le, sp.log(p), p)]
)
def test_a_needle_is_found_beside_conditions_that_the_solver_cannot_read(condition):
    point = breaking_point(of(sp.Gt, (x + 11) ** 2, 0), (condition,))
    assert point is not None
    assert point["x"] == -11


def test_contradictions_are_suspected_and_only_they():
    assert suspected_contradiction((of(sp.Lt, x, y), of(sp.Lt, y, x)))
    assert suspected_contradiction((of(sp.Lt, p, 0),))
    assert not suspected_contradiction((of(sp.Le, x, y), of(sp.Le, y, x)))
    assert not suspected_contradiction(())


@pytest.mark.parametrize(("x_there", "found"), [("3/2", True), ("3", False), ("1/2", False), (None, False)])
def test_what_is_proposed_must_meet_the_conditions_and_break_the_relation(x_there, found, monkeypatch):
    point = None if x_there is None else {"x": Fraction(x_there)}
    monkeypatch.setattr(points, "proposed", lambda *asked: iter([] if point is None else [point]))
    assert breaking_point(of(sp.Le, x, 1), (of(sp.Le, x, 2),)) == (point if found else None)
    met = point is not None and point["x"] <= 2
    assert meeting_point((of(sp.Le, x, 2),)) == (point if met else None)


def test_the_solver_is_not_asked_about_sequences():
    entry = sp.IndexedBase(sp.Symbol("a", real=True))[n]
    assert breaking_point(of(sp.Gt, (x + 11) ** 2, 0), (of(sp.Ge, entry, 0),)) is None
    assert breaking_point(of(sp.Le, entry, x), ()) is None


def test_a_power_is_read_once_its_exponent_has_a_value():
    """Random points meet these conditions in one of a thousand cases, and the relation fails only where x is large."""
    small, large = sp.symbols("small large", nonnegative=True)
    power = (1 - 1 / n) ** n
    conditions = (sp.Ge(n, 2), sp.Le(z, (large - small) / 2), sp.Le(large - small, power))
    point = breaking_point(sp.Le(z, power * sp.Rational(49, 100)), conditions)
    assert point is not None
    assert meets(point, conditions)
    assert breaking_point(sp.Le(z, power / 2), conditions) is None


def test_powers_with_very_large_exponents_are_not_multiplied_out():
    conditions = (sp.Ge(n, 5), sp.Le(z ** sp.factorial(n), z), sp.Le(z, 1))
    point = meeting_point(conditions)
    assert point is not None
    assert meets(point, conditions)


def test_where_a_root_is_undefined_a_relation_is_undecided():
    """Such a point once ended the proof of 0 <= (y - 8)**(1/3) in an error."""
    assert holds(of(sp.Le, 0, sp.cbrt(x - 8)), {"x": Fraction(0)}) is None
    assert holds(of(sp.Le, 0, sp.cbrt(x - 8)), {"x": Fraction(9)}) is True
