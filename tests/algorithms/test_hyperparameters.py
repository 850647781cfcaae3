"""Hyperparameters: errors name bad values; good values of every arithmetic are accepted."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch

from algorithms.combining import mean_of_all
from algorithms.fedavg import fedavg
from algorithms.fedprox import fedprox
from algorithms.hyperparameters import against, count, step_size, strength
from algorithms.special import special
from algorithms.special_c import special_c
from nqm.kinds import INTERVALS

NAN = float("nan")


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (fedavg, (0,), "`local_lr` must be finite and > 0, because it is a step size, got 0"),
        (fedavg, (0.1, -1), "`global_lr` must be finite and > 0"),
        (fedavg, (NAN,), "`local_lr` must be finite and > 0, .* got nan"),
        (fedavg, (float("inf"),), "`local_lr` must be finite and > 0, .* got inf"),
        (fedavg, (np.array([0.1, -0.2]),), "`local_lr` .* got -0.2"),
        (fedavg, (torch.tensor([0.1, NAN]),), "`local_lr` .* got nan"),
        (
            fedprox,
            (0.1, -1),
            "`mu` must be finite and >= 0, because it is the coefficient of a penalty, got -1",
        ),
        (special, (0.1, 1, Fraction(-1, 2)), "`lam` must be finite and >= 0, .* got -1/2"),
        (special, (0.1, 1, NAN), "`lam` must be finite and >= 0, .* got nan"),
        (special_c, (0.1, 0, 1), "`global_lr` must be finite and > 0"),
        (special_c, (0.1, 1, -1), "`lam` must be finite and >= 0"),
        (special, (0.1, 1, INTERVALS.mpf([-1, 1])), "`lam` must be finite and >= 0"),
        (special, (0.1, 1, sp.Symbol("lam", negative=True)), "`lam` must be finite and >= 0, .* got lam"),
    ],
)
def test_bad_values_are_named(make, arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(*arguments)


@pytest.mark.parametrize(
    "value",
    [
        1,
        0.5,
        Fraction(1, 3),
        sp.Symbol("a"),
        sp.Symbol("a", positive=True),
        INTERVALS.mpf([1, 2]),
        np.array([0.1, 1]),
        torch.tensor([0.1, 1]),
        np.array([Fraction(1, 2)], dtype=object),
    ],
    ids=str,
)
def test_good_values_are_returned_as_they_are(value) -> None:
    assert step_size("any", value) is value
    assert strength("any", value) is value


def test_zero_is_a_strength() -> None:
    assert strength("lam", 0) == 0


def test_numbers_need_no_axes_and_arrays_get_them() -> None:
    assert against(0.5, 2) == 0.5
    assert against(np.ones((3, 1)), 2).shape == (3, 1, 1, 1)
    assert against(torch.ones(3, 1), 1).shape == (3, 1, 1)


def test_counts() -> None:
    assert count("rounds", np.int64(3), at_least=1) == 3
    for bad in (0, 1.0, NAN, True, "3"):
        with pytest.raises(ValueError, match="`rounds` must be an integer >= 1"):
            count("rounds", bad, at_least=1)


def test_a_mean_of_all_needs_at_least_the_sampled() -> None:
    with pytest.raises(ValueError, match="`n_clients` is 2, but 3 clients were sampled"):
        mean_of_all(2)(np.ones((1, 3, 4)))
