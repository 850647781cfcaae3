"""Derivations by insertion: known truths are found, and nothing false is, whatever the premises."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from verify.engine.derive import follows, hopeless
from verify.engine.prover import prove

x, y, z = sp.symbols("x y z", nonnegative=True)
p, r = sp.symbols("p r", positive=True)
a, b = sp.symbols("a b", real=True)
M, N = sp.symbols("M N", integer=True, positive=True)


def le(small, large):
    return sp.Le(small, large, evaluate=False)


@pytest.mark.parametrize(
    ("claim", "premises"),
    [
        (le(x, z), [le(x, y), le(y, z)]),
        (le(x, y + z), [le(x, y)]),
        (le(p * x, p * y), [le(x, y)]),
        (le(1 / y, 1 / x), [le(x, y)]),
        (le(x * y, x**2 / 2 + y**2 / 2), []),
        (le((x + y + z) ** 2, 3 * (x**2 + y**2 + z**2)), []),
        (le(M * (N - 1), N * (M - 1)), [le(N, M)]),
        (le(p * r, 1), [le(p * r, y), le(y, 1)]),
        (le(a, x + 3), [le(a, b), le(b, x)]),
        (le(0, p * x - 2 * p * y), [le(2 * p * y - p * x, 0)]),
        (sp.Eq(a, 2 * x + y), [sp.Eq(a, b + x), sp.Eq(b, x + y)]),
    ],
)
def test_what_follows_is_derived(claim, premises):
    assert follows(claim, premises)


@pytest.mark.parametrize(
    ("claim", "premises"),
    [
        (le(x, y), []),
        (le(x, z), [le(x, y), le(z, y)]),
        (le(x, z), [le(y, x), le(y, z)]),
        (le(p * x, y), [le(x, y)]),
        (le(x * y, x**2 / 3 + y**2 / 3), []),
        (le((x + y + z) ** 2, 2 * (x**2 + y**2 + z**2)), []),
        (le(N * (M - 1), M * (N - 1)), [le(N, M)]),
        (le(a * x, b * x), [le(b, a)]),
        (le(a * y, a * x), [le(x, y)]),  # turns round where a is negative
        (le(x**2, y**2), [le(y, x)]),
        (le(b**2, a**2), [le(b, a)]),  # squares of negative numbers
        (le(0, 1 / (x - 1)), [le(x, 3)]),  # falls on both sides of a pole
        (le(y, x), [le(x, 3), le(y, 3)]),
        (le(1, x), [le(-5, x)]),
        (le(0, x * (x - 1)), [le(2, y)]),
        (sp.Eq(a, 2 * x), [sp.Eq(a, x + y)]),
        (sp.Lt(x, x, evaluate=False), []),
    ],
)
def test_what_does_not_follow_is_not_derived(claim, premises):
    assert not follows(claim, premises)


def test_a_bound_that_moves_a_symbol_below_another_is_not_used_with_their_order():
    # x >= y and x >= 2: at x = 2 the order would make 2 - y nonnegative, which it is not for y = 3
    assert not follows(le(y, 2), [le(y, x), le(2, x)])
    assert not follows(le((x - y) * (x - 5), 0), [le(y, x), le(2, x)])


def _random_claim(rng):
    """A random polynomial inequality with random premises of the form symbol <= polynomial."""
    symbols = [x, y, z, p]

    def polynomial():
        terms = [
            rng.integers(-2, 4) * symbols[rng.integers(4)] * symbols[rng.integers(4)] ** rng.integers(2)
            for _ in range(3)
        ]
        return sum(terms, sp.Integer(rng.integers(-1, 3)))

    premises = [le(s, polynomial()) for s in symbols[: rng.integers(0, 3)]]
    return le(polynomial(), polynomial()), premises


def test_no_random_derivation_has_a_counterexample():
    rng = np.random.default_rng(3)
    points = [dict(zip((x, y, z, p), map(int, rng.integers(1, 6, 4)), strict=True)) for _ in range(40)]
    points += [{x: 0, y: k, z: 0, p: sp.Rational(1, 4)} for k in range(3)]
    derived = 0
    for _ in range(400):
        claim, premises = _random_claim(rng)
        if not follows(claim, premises, 200):
            continue
        derived += 1
        for point in points:
            if all(bool(premise.subs(point)) for premise in premises):
                assert bool(claim.subs(point)), (claim, premises, point)
    assert derived > 20


def test_an_unbounded_symbol_makes_a_claim_hopeless():
    assert hopeless(le(x, y + 1))
    assert hopeless(le(a, y), [le(y, 1)])
    assert not hopeless(le(x, y), [le(x, y)])
    assert not hopeless(le(0, x))


def test_the_solver_is_limited_in_steps_and_forgets_what_it_was_asked():
    x, y, z = sp.symbols("x y z", positive=True)
    hard = sp.Le(3 * x * y * z, x**3 + y**3 + z**3)
    assert prove(hard, milliseconds=0).outcome == "unknown"
    alone = prove(hard)
    prove(sp.Le(x * y, x**2 + y**2))
    assert prove(hard) == alone
