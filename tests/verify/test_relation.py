"""Checks of a relation: what makes largest values comparable as expressions."""

import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from verify.engine.expressions import common_terms_out

LETTERS = sp.symbols("x y z", real=True)
TERMS = st.lists(st.sampled_from([*LETTERS, *(-s for s in LETTERS), sp.Integer(1)]), min_size=1, max_size=3)


@given(st.lists(TERMS, min_size=2, max_size=3), st.sampled_from([sp.Max, sp.Min]), st.data())
def test_terms_that_are_taken_out_leave_the_value(arguments, extreme, data):
    expression = extreme(*(sp.Add(*terms) for terms in arguments)) - LETTERS[0]
    at = {letter: data.draw(st.integers(-5, 5)) for letter in LETTERS}
    assert common_terms_out(expression).subs(at) == expression.subs(at)


def test_what_all_arguments_share_cancels():
    x, y, z = LETTERS
    assert common_terms_out(sp.Max(x - z, y - z) - sp.Max(x, y) + z) == 0
    assert common_terms_out(sp.Max(x - z, y) - sp.Max(x, y + z) + z) == 0
    assert common_terms_out(sp.Max(x - z, y) - sp.Max(x, y) + z) != 0
