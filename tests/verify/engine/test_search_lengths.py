"""Conditions that take too long at huge sizes are not computed there."""

import pytest
import sympy as sp

from bounds.relations import ge, le
from verify.engine.search.lengths import is_quick

m, k = sp.symbols("m k", integer=True, positive=True)
x = sp.Symbol("x", real=True)


@pytest.mark.parametrize(
    ("condition", "most"),
    [
        (le(0, sp.factorial(m)), 10**3),
        (le(k, 2**m), 10**3),
        (ge(sp.Sum(m, (k, 1, m)), 0), 10**3),
        (le(x, m), 10**15),
        (le(m**2, k), 10**15),
    ],
)
def test_sizes_at_which_conditions_are_computed(condition: sp.Basic, most: int) -> None:
    tried = [size for size in (10**3, 10**6, 10**15) if is_quick(condition, {"m": size, "k": size})]
    assert max(tried) == most
