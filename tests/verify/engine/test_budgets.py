"""The cost of searches for signs: one step for each polynomial, and one more for each twenty terms; they end at 0."""

import pytest

from tests.verify.engine.test_signs import polynomial, same, signs_with
from verify.engine.tactics.signs import LONG, LONG_STEP


def terms(number):
    """A sum of this number of powers of a nonnegative symbol."""
    return ["+", "1", *(["^", "z", str(power)] for power in range(1, number))]


@pytest.mark.parametrize("number", [2, LONG_STEP - 1, LONG_STEP, 2 * LONG_STEP + 1, LONG])
def test_a_polynomial_costs_a_step_and_one_for_each_twenty_terms(number):
    signs = signs_with()
    long = polynomial(signs, terms(number))
    signs.steps = 100
    same(signs, terms(number), signs.nonnegative_formula(long, 0))
    assert signs.steps == 99 - number // LONG_STEP
    signs.steps = 1
    assert signs.nonnegative_formula(long, 0) is not None
    signs.steps = 0
    assert signs.nonnegative_formula(long, 0) is None
    assert signs.steps == 0


def test_what_is_too_long_is_not_looked_at():
    signs = signs_with()
    long = polynomial(signs, terms(LONG + 1))
    signs.steps = 100
    assert signs.nonnegative_formula(long, 0) is None
    assert signs.steps == 100


@pytest.mark.parametrize("number", [3, LONG_STEP, 2 * LONG_STEP + 2])
def test_a_shift_costs_as_much(number):
    """x - 1 + 1 + z + z^2 + .. with x >= 1: one lower bound is tried."""
    signs = signs_with(["<=", "1", "x"])
    shifted = polynomial(signs, ["+", "x", terms(number)])
    cost = 1 + (number + 1) // LONG_STEP
    signs.steps = 100
    same(signs, ["+", "x", terms(number)], signs.by_shift(shifted))
    assert signs.steps == 100 - cost
    signs.steps = cost
    assert signs.by_shift(shifted) is None
    signs.steps = cost + 1
    assert signs.by_shift(shifted) is not None


def test_what_failed_is_not_tried_again_unless_deeper():
    signs = signs_with()
    hopeless = polynomial(signs, ["-", "x", "y"])
    signs.steps = 1000
    assert signs.nonnegative_formula(hopeless, 1) is None
    for depth in (0, 1):
        before = signs.steps
        assert signs.nonnegative_formula(hopeless, depth) is None
        assert signs.steps == before - 1
    signs.by_terms = None  # further candidates of the search call it
    with pytest.raises(TypeError):
        signs.nonnegative_formula(hopeless, 2)


def test_what_is_put_in_costs_steps_too():
    """x (y - z) + 1 is positive for y > z and x >= 0; two facts may be substituted."""
    facts = (["<", "z", "y"], ["<=", "0", "x"])
    formula = ["+", "1", ["*", "x", ["-", "y", "z"]]]
    signs = signs_with(*facts)
    signs.steps = 200
    found = signs.positive_by_insertion(polynomial(signs, formula), 2)
    same(signs, formula, found)
    spent = 200 - signs.steps
    assert spent >= 1
    for steps in (0, 1):
        short = signs_with(*facts)
        short.steps = steps
        assert short.positive_by_insertion(polynomial(short, formula), 2) is None
    none = signs_with(*facts)
    assert none.positive_by_insertion(polynomial(none, formula), 0) is None
