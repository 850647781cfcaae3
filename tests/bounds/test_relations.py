import pytest
import sympy as sp

from bounds.relations import eq, ge, gt, le, lt, ne, text_of

x, y = sp.symbols("x y", positive=True)
i = sp.Symbol("i", integer=True)
SIDES = (sp.Max(x, y) / 2, -x, x**y - 1, sp.Sum(x / i, (i, 1, 3)), sp.Piecewise((x, x < y), (0, True)))


@pytest.mark.parametrize("relation", [le, lt, ge, gt, eq, ne], ids=lambda relation: relation.__name__)
def test_a_relation_is_printed_as_sympy_prints_it(relation):
    for side in SIDES:
        assert text_of(relation(side, y)) == str(relation(side, y))
        assert text_of(relation(0, side)) == str(relation(0, side))
