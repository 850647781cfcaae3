"""Theorem 4.10, its proof and its corollaries as data, compared with a second transcription of the paper."""

from __future__ import annotations

import math
from fractions import Fraction as F

import numpy as np
import pytest
import sympy as sp

import bounds.special.symbols as of
from bounds.catalogue import statement
from bounds.evaluate import evaluate
from bounds.special.rate import COROLLARY, ORDER
from bounds.special.rate_sum import COEFFICIENT, CONDITION, PSI_62
from bounds.special.theorems import PSI, RATE

NAMES = ("gamma_G", "gamma_L", "lam", "L", "B", "sigma_L2", "sigma_G2", "sigma_T2", "G0", "f0", "fstar")


def numbers(seed, **given):
    """Random admissible sizes and constants, as floats."""
    rng = np.random.default_rng(seed)
    K, M, E, T = (int(n) for n in rng.integers([2, 2, 1, 1], [6, 9, 6, 40]))
    v = {name: float(rng.uniform(0.1, 2)) for name in NAMES}
    v |= {"K": K, "M": M, "N": int(rng.integers(1, M + 1)), "E": E, "T": T, "f0": v["fstar"] + v["f0"]}
    v["gamma_G"] *= 0.4 / (K - 1)
    v["gamma_L"] *= 0.05 / (E * v["L"])
    return {**v, **given}


def psi(v):
    """Psi as printed in lines 181-185."""
    g, K, M, N, E, L, lam = (v[n] for n in ("gamma_G", "K", "M", "N", "E", "L", "lam"))
    gL, s, c, t = v["gamma_L"], v["sigma_L2"], v["sigma_G2"], v["sigma_T2"]
    share = (M - N) / ((1 + lam) * N * (M - 1))
    inside = 12 * g * gL * E * K * L * c * share
    inside += (gL**2 * E**2 * L**2 / lam**2 + K + 3 * g * gL * E * K * L * share) * v["B"] ** 2
    inside += (5 * gL**2 * K * E * L**2 + 60 * g * gL**3 * E**2 * K * L**3 * share) * (s + 6 * E * c)
    inside += 3 * g * gL * L * s / (2 * N * (1 + lam)) + v["G0"] ** 2
    inside += (K - 1) ** 2 * E / K * 3 * g * gL * L / (1 + lam) * (0.5 + 4 * (M - N) / (N * (M - 1))) * t
    return 2 / (1 - 1 / K) * inside


def lead(v):
    return (v["f0"] - v["fstar"]) / (
        (1 - 1 / v["K"]) / (2 * (1 + v["lam"])) * v["E"] * v["gamma_G"] * v["gamma_L"] * v["T"]
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_theorem_and_both_printings_of_psi(seed):
    v = numbers(seed)
    assert RATE.at(**v) == pytest.approx(lead(v) + psi(v), rel=1e-12)
    assert evaluate(PSI_62, v) == pytest.approx(psi(v), rel=1e-12)
    assert sum(RATE.terms_at(**v).values()) == pytest.approx(lead(v) + psi(v), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_full_participation(seed):
    v = numbers(seed)
    v["N"] = v["M"]
    assert statement("special.corD.3").at(**v) == pytest.approx(RATE.at(**v), rel=1e-12)


def right_side(id, v):
    return evaluate(statement(f"special.{id}").rhs, v)


@pytest.mark.parametrize("seed", range(4))
def test_the_steps_as_printed(seed):
    rng = np.random.default_rng(100 + seed)
    names = [
        "f_now",
        "gA2",
        "gK2",
        "T62",
        "T7",
        "T8",
        "T61",
        "T63",
        "T6",
        "T4",
        "T5",
        "away2",
        "D2",
        "far2",
        "tm2",
        "t_Lam",
        "t_pairs",
        "anchor2",
    ]
    v = {**numbers(seed), **{name: float(rng.uniform(0.1, 3)) for name in names}}
    K, M, N, E, L, lam, B = (v[n] for n in ("K", "M", "N", "E", "L", "lam", "B"))
    gG, gL, s, c, t = (v[n] for n in ("gamma_G", "gamma_L", "sigma_L2", "sigma_G2", "sigma_T2"))
    g, q, G2 = gG * gL, gG * gL * E / (1 + lam), v["G0"] ** 2
    drift = 5 * gL**2 * E * (s + 6 * E * c) + 30 * gL**2 * E**2 * v["gK2"]
    share = (M - N) / ((1 + lam) * N * (M - 1))
    printed = {
        "eq39": v["f_now"] - q * v["gK2"] - q * v["T4"] + v["T5"] + K * L / 2 * v["T6"],
        "eq40": 0.5 * v["gA2"] - 0.5 * v["gK2"] - L**2 * (K - 1) ** 2 * (g * E * B / lam) ** 2 - G2,
        "eq43": 10 * gG**2 * gL**4 * E**3 * L**2 * s
        + 60 * gG**2 * gL**4 * E**4 * L**2 * (c + v["gK2"])
        + 2 * g**2 * E**2 * B**2,
        "c7": 2 * g**2 * E**2 * L**2 * drift + 2 * g**2 * E**2 * B**2,
        "eq45": g * E / (2 * K * (1 + lam)) * v["gA2"]
        + 5 * gG * gL**3 * K * E**2 * L**2 / (1 + lam) * ((s + 6 * E * c) + 6 * E * v["gK2"])
        + g * K * E * B**2 / (1 + lam)
        - g / (2 * (1 + lam) * E * K) * v["T8"],
        "eq46": 3 / (K**2 * (1 + lam) ** 2) * (v["T61"] + g**2 * v["T62"] + v["T63"]),
        "eq48": g**2 * E * K * s / N,
        "eq50": g**2 * (K - 1) ** 2 * E**2 * t,
        "eq51": 3 * g**2 * E * s / (N * K * (1 + lam) ** 2)
        + 3 * g**2 * (K - 1) ** 2 * E**2 * t / (K**2 * (1 + lam) ** 2)
        + 3 * g**2 / (K**2 * (1 + lam) ** 2) * v["T7"],
        "eq52": v["f_now"]
        - q * (0.5 - 30 * K * gL**2 * L**2 * E**2) * v["gK2"]
        - 0.5 * q * (1 - 1 / K) * v["gA2"]
        + q * (L**2 * (K - 1) ** 2 * g**2 * E**2 / lam**2 + K) * B**2
        + q
        * (
            5 * gL**2 * K * E * L**2 * (s + 6 * E * c)
            + 3 * g * L / (2 * (1 + lam)) * (s / N + (K - 1) ** 2 * E / K * t)
        )
        + q * G2
        + 3 * g**2 * L / (2 * K * (1 + lam) ** 2) * v["T7"]
        - g / (2 * (1 + lam) * E * K) * v["T8"],
        "eq53": -(N - 1) / (2 * M * N * (M - 1)) * v["t_pairs"] + v["t_Lam"] / M,
        "eq54": -v["t_pairs"] / (2 * M**2) + v["t_Lam"] / M,
        "c8": 4 * E * K**2 * v["D2"] + 4 * M * E**2 * K**2 * (c + v["gK2"]) + 4 * M * E**2 * (K - 1) ** 2 * t,
        "eq56": 20 * M * E**3 * K**2 * L**2 * gL**2 * (s + 6 * E * c)
        + (120 * M * E**4 * L**2 * K**2 * gL**2 + 4 * M * E**2 * K**2) * v["gK2"]
        + 4 * M * E**2 * K**2 * c
        + 4 * M * E**2 * (K - 1) ** 2 * t,
        "eq58": q
        * 3
        * g
        * L
        * share
        * (
            20 * E**2 * K * L**2 * gL**2 * (s + 6 * E * c)
            + (120 * E**3 * K * L**2 * gL**2 + 4 * E * K) * v["gK2"]
            + 4 * E * K * c
            + 4 * E * (K - 1) ** 2 / K * t
            + E * K * B**2
        ),
        "eq60": v["f_now"] - 0.5 * q * (1 - 1 / K) * v["gA2"] + q * psi(v) * (1 - 1 / K) / 2,
    }
    for id, value in printed.items():
        assert right_side(id, v) == pytest.approx(value, rel=1e-10), id


def test_step_c12_drops_the_term_by_which_eq_60_and_eq_52_plus_58_differ():
    v = {**numbers(1), "f_now": 0.3, "gA2": 0.7, "gK2": 1.9, "T7": 0.0, "T8": 0.0}
    before = right_side("eq52", v) + right_side("eq58", v)
    assert right_side("eq60.before", v) == pytest.approx(before, rel=1e-10)


def test_the_sign_that_c12_needs_fails_at_the_theorem_s_largest_local_step():
    v = {"K": 2, "M": 4, "N": 4, "E": 3, "L": 2.0, "lam": 1.0, "gamma_G": 1.0, "gamma_L": 1 / 48}
    assert evaluate(COEFFICIENT, v) == pytest.approx(0.5 - 60 / 64)
    assert not RATE.failing(**v)
    v["N"] = 2
    extra = 3 * v["gamma_G"] * v["gamma_L"] * 2 * 2 / (2 * 2 * 3)
    inside = 120 * 27 * 4 * 2 * v["gamma_L"] ** 2 + 4 * 3 * 2
    assert evaluate(COEFFICIENT, v) == pytest.approx(0.5 - 60 / 64 - extra * inside)
    assert evaluate(CONDITION, v) == pytest.approx(0.5 - 60 / 64 - extra * 4 * inside)


def test_exponents_of_the_corollary_against_measured_slopes():
    scaling = statement("special.cor4.12").relation
    found = RATE.exponents(scaling.steps, scaling.variables)
    base = {**numbers(0), "K": 3, "c": 4.0, "lam": 0.7, "L": 1.3}

    def terms(T, E, N):
        v = {**base, "T": T, "E": E, "N": N, "M": 4 * N}
        v |= {symbol.name: float(evaluate(size, v)) for symbol, size in COROLLARY.items()}
        return {name: float(evaluate(term, v)) for name, term in RATE.terms.items()}

    for place, variable in enumerate(("T", "E", "N")):
        large = [10**9] * 3
        larger = [n * (2 if i == place else 1) for i, n in enumerate(large)]
        one, two = terms(*large), terms(*larger)
        for name, powers in found.items():
            measured = math.log2(two[name] / one[name])
            assert measured == pytest.approx(float(powers[variable]), abs=1e-3), (name, variable)


def test_the_floor_stays_while_the_claimed_order_vanishes():
    floor = statement("special.cor4.12/floor").rhs
    v = {"K": 3, "E": 4, "N": 2, "L": 2.0, "lam": 3.0, "B": 1.0, "grad1_0": 1.0}
    at = {}
    for T in (10**6, 10**10):
        steps = {s.name: float(evaluate(size, {**v, "T": T})) for s, size in COROLLARY.items()}
        at[T] = evaluate(floor, {**v, **steps}), evaluate(ORDER, {**v, "T": T})
    assert at[10**10][0] > 0.99
    assert at[10**10][1] < 1e-4
    drift = math.sqrt(2 * 4) / (
        (3 - 1) * 3.0 * 4 * math.sqrt(3 * 10**6)
    )  # by hand: sqrt(NE) B / ((K-1) lam L^2 sqrt(KT))
    assert at[10**6][0] == pytest.approx(1 - 3 * 2.0 * drift)


def test_named_values_of_the_sentences():
    assert right_side("thm4.10.prefactor", {"K": 5}) == pytest.approx(2.5)
    stationary = statement("special.ass4.6.stationary").lhs
    assert evaluate(stationary, {"K": 2, "B": 1.0, "G0": 0.0}) == pytest.approx(8.0)
    assert sp.simplify(sum(PSI.values()) - RATE.terms["psi_K_B"] * (1 - 1 / of.K) / 2) != 0


def test_shares_of_the_limits_that_the_corollary_uses():
    v = {"K": 2, "T": 8, "E": 4, "N": 1, "M": 2, "L": 0.5, "lam": 2.0}
    shares = {
        w: float(evaluate(statement(f"special.cor4.12.conditions.{w}").lhs, v))
        for w in ("gamma_G", "gamma_L", "product")
    }
    steps = {s.name: float(evaluate(size, v)) for s, size in COROLLARY.items()}
    assert shares["gamma_G"] == pytest.approx(steps["gamma_G"] * 1)
    assert shares["gamma_L"] == pytest.approx(8 * 4 * 0.5 * steps["gamma_L"])
    assert shares["product"] == pytest.approx(3 * 4 * 0.5 / 3 * steps["gamma_G"] * steps["gamma_L"])


def test_fractions_serve_the_formulas_too():
    v = {"K": 2, "M": 2, "N": 1, "E": 1, "gamma_G": F(1, 2), "gamma_L": F(1, 8), "L": F(1), "sigma_L2": F(3)}
    assert evaluate(statement("special.eq48").rhs, v) == F(3, 128)
