"""Conditions at observed constants, and error messages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from algorithms.special import special
from tests.networks.cases import K, models, world
from tests.networks.test_constants import ROUNDS, RUNS, draws, played, vectors
from verify.networks.measured.bounds import cflag_comparisons, condition
from verify.networks.measured.constants import ritz_values
from verify.networks.measured.rounds import keep

# ------------------------------------------------------------------------------------------------ conditions


@pytest.mark.parametrize(
    ("relation", "met", "factor"),
    [
        (lambda a, b: sp.Le(a, b), True, 0.5),
        (lambda a, b: sp.Ge(a, b), False, 2.0),
        (lambda a, b: sp.Lt(b, a), False, 2.0),
        (lambda a, b: sp.Eq(b, a), False, 2.0),
    ],
)
def test_the_factor_of_a_condition_says_how_far_it_is_from_being_met(relation, met, factor) -> None:
    a, b = sp.symbols("a b", positive=True)
    found = condition(relation(a, b), {"a": np.array([1.0, 2.0]), "b": np.array([2.0, 4.0])})
    assert (found["met"] == met).all()
    np.testing.assert_array_equal(found["factor"], factor)


def test_no_factor_helps_where_nothing_is_admitted() -> None:
    a, b = sp.symbols("a b", real=True)
    found = condition(sp.Le(a, b, evaluate=False), {"a": 1.0, "b": -1.0})
    assert not found["met"]
    assert found["factor"] == np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ritz_values(lambda v: v, vectors(3), 4), r"`steps` must be in 1..3, the dimension, got 4"),
        (
            lambda: keep(world(), replace(draws(), order=None), models(K, 1, RUNS), {}, 1),
            r"`draws` must give an `order`",
        ),
        (
            lambda: cflag_comparisons(
                world(), replace(played(special(0.1, 1, 0.1)), visits=[]), {}, {"E": 1, "alpha": 1, "beta": 1}
            ),
            rf"`run` must have visited all {ROUNDS} rounds of the last task, got 0",
        ),
    ],
)
def test_errors_name_the_argument(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
