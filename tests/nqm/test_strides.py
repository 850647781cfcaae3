"""Strides, compared with single rounds: equal covariances up to rounding, with far fewer products."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqm import strides
from nqm.moments import Path, propagate

P, CLIENTS = 24, 3


def by_rounds(*round_of, **sizes) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strides, "LEAST", np.inf)
        return propagate(*round_of, **sizes)


def digits_are_kept(*round_of, **sizes) -> None:
    """The error of strides is at most 1e-11 of the standard deviations, or at most that of single rounds in floats,
    which can be larger.
    """
    exact = by_rounds(*(part.astype(np.longdouble) for part in round_of), **sizes)
    deviations = np.sqrt(exact.cov.diagonal(axis1=-2, axis2=-1))
    scale = deviations[:, :, None] * deviations[:, None, :]
    own = np.abs(by_rounds(*round_of, **sizes).cov - exact.cov)
    found = propagate(*round_of, **sizes)
    assert (np.abs(found.cov - exact.cov) <= 1e-11 * scale + 10 * own.max(axis=(1, 2), keepdims=True)).all()


def a_round(rng, acting, kept=0, noise=1.0, spread=0.3) -> tuple[np.ndarray, ...]:
    """Matrix, offset, noise, mean and covariance; the clients' maps are close to a common map of the moving part."""
    matrix = np.concatenate([acting, rng.normal(size=(P, kept))], -1)
    matrix = matrix + spread * rng.normal(size=(CLIENTS, P, P + kept)) / P**0.5
    start = rng.normal(size=(P + kept, P + kept)) / P**0.5
    shaken = rng.normal(size=(P, P)) / P**0.5
    return (
        matrix,
        rng.normal(size=(CLIENTS, P)),
        noise * shaken @ shaken.T,
        rng.normal(size=P + kept),
        start @ start.T * (kept > 0),
    )


def symmetric(rng, ends=(0.3, 0.95)) -> np.ndarray:
    axes, _ = np.linalg.qr(rng.normal(size=(P, P)))
    return axes @ np.diag(np.linspace(*ends, P)) @ axes.T


ACTING = {
    "symmetric": symmetric,
    "not normal": lambda rng: 0.6 * np.eye(P) + np.triu(rng.normal(size=(P, P)), 1),
    "turning": lambda rng: 0.97 * np.linalg.qr(rng.normal(size=(P, P)))[0],
    "slow": lambda rng: symmetric(rng, (0.99, 0.9999)),
    "growing": lambda rng: symmetric(rng, (0.5, 1.2)),
    "graded": lambda rng: np.diag(np.linspace(0, 0.9, P)),
    "one block": lambda rng: 0.9 * np.eye(P) + np.eye(P, k=1) / 2,
}


@pytest.mark.parametrize("acting", ACTING.values(), ids=ACTING)
@pytest.mark.parametrize("kept", [0, 5])
@pytest.mark.parametrize("n_sampled", [1, CLIENTS])
def test_strides_are_single_rounds(acting, kept, n_sampled) -> None:
    rng = np.random.default_rng(0)
    digits_are_kept(*a_round(rng, acting(rng), kept), n_sampled=n_sampled, rounds=90)


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    noise=st.sampled_from([0.0, 1e-12, 1e-3, 1e6]),
    spread=st.sampled_from([0.0, 1e-6, 0.1]),
    units=st.sampled_from([0, 3, 9]),
    kept=st.integers(0, 3),
)
def test_no_scale_costs_digits(seed, noise, spread, units, kept) -> None:
    """Little noise, almost identical clients, and coordinates in very different units."""
    rng = np.random.default_rng(seed)
    matrix, offset, shaken, mean, cov = a_round(rng, symmetric(rng), kept, noise, spread)
    unit = 10 ** rng.uniform(-units / 2, units / 2, P + kept)
    of_p = unit[:P]
    matrix, offset = matrix * of_p[:, None] / unit, offset * of_p
    one = (matrix, offset, shaken * np.outer(of_p, of_p), mean * unit, cov * np.outer(unit, unit))
    digits_are_kept(*one, n_sampled=2, rounds=60)


@pytest.mark.parametrize("rounds", [1, 2, 3, 400])
def test_any_number_of_rounds(rounds) -> None:
    rng = np.random.default_rng(1)
    digits_are_kept(*a_round(rng, symmetric(rng)), n_sampled=2, rounds=rounds)


def test_runs_that_leave_every_number_behind_end_the_same() -> None:
    rng = np.random.default_rng(2)
    one = a_round(rng, 30 * symmetric(rng))
    with np.errstate(all="ignore"):
        found = propagate(*one, n_sampled=2, rounds=300).cov
        expected = by_rounds(*one, n_sampled=2, rounds=300).cov
    np.testing.assert_array_equal(np.isfinite(found).all((1, 2)), np.isfinite(expected).all((1, 2)))
    finite = np.isfinite(expected).all((1, 2))
    np.testing.assert_allclose(found[finite], expected[finite], rtol=1e-8)


def test_a_hundred_rounds_take_few_products(monkeypatch) -> None:
    products = []
    krylov = strides._krylov

    def counted(image, start, rounds):
        return krylov(lambda vector: products.append(1) or image(vector), start, rounds)

    monkeypatch.setattr(strides, "_krylov", counted)
    rng = np.random.default_rng(3)
    propagate(*a_round(rng, symmetric(rng)), n_sampled=2, rounds=100)
    assert 0 < len(products) < 70
