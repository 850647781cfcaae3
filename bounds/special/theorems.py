"""SPECIAL: assumptions, theorems, corollaries and what the text says about them.

Source: arXiv:2601.22274v2. Proof steps stand in `special_lemmas`, `special_bkt` and `special_rate`.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le, lt
from bounds.special.symbols import (
    F_0,
    G0,
    B,
    E,
    F_t,
    K,
    L,
    L_sup,
    M,
    N,
    T,
    align,
    at,
    bias_sup,
    client_sup,
    drift2,
    eps,
    f0,
    fstar,
    g_sup,
    gamma_G,
    gamma_L,
    lam,
    min_grad2,
    noise_sup,
    sigma_G2,
    sigma_L2,
    sigma_T2,
    t,
    task_sup,
)

rho = (M - N) / (N * (M - 1))
step = gamma_G * gamma_L

_assumed = {
    1: ("every stochastic gradient has norm at most B, on all of R^d", le(g_sup, B), "112"),
    2: ("every client loss is L-smooth", le(L_sup, L), "116"),
    3: ("stochastic gradients are unbiased", eq(bias_sup, 0), "120"),
    4: ("stochastic gradients have variance at most sigma_L^2", le(noise_sup, sigma_L2), "124"),
    5: (
        "client gradients differ from the task gradient by at most sigma_G at the iterates",
        le(client_sup, sigma_G2),
        "128",
    ),
    6: ("gradients of two tasks differ by at most sigma_T, on all of R^d", le(task_sup, sigma_T2), "132"),
}
ASSUMPTIONS = tuple(
    at(f"Assumption 4.{n}", lines)(f"ass4.{n}", says, relation)
    for n, (says, relation, lines) in _assumed.items()
)
ALL = tuple(f"ass4.{n}" for n in _assumed)
NOISY = ALL[:4]
"""Without the assumptions on how far clients and tasks differ."""

SAMPLING = (le(N, M),)
"""Hidden condition of every statement about sampling N of M clients."""

DRIFT = at("Lemma 4.9, Eq. (8)", "163")(
    "lem4.9",
    "within a task the global model stays within gamma_G gamma_L E B / lambda of the task start",
    le(drift2, (gamma_G * gamma_L * E * B / lam) ** 2),
    conditions=SAMPLING,
    assumes=("ass4.1",),
    uses=("eq25", "eq26", "eq27", "b1", "eq37", "eq38"),
    terms={"drift": (gamma_G * gamma_L * E * B / lam) ** 2},
)

GAMMA_L_BKT = le(gamma_L, 2 * eps * G0 / (B * L * E * t * sp.sqrt(M * E / (lam**2 + 2 * lam))))
ALIGNED = (ge(align, eps), lt(eps, 1))
BKT = at("Theorem 4.7, Eq. (7)", "142")(
    "thm4.7",
    "after t rounds the expected loss of the earlier tasks has grown by at most a correction",
    le(F_t, F_0 + 2 * eps**2 * sigma_L2 * G0**2 / ((K - 1) * t * E * M * N * L * B**2)),
    conditions=(*SAMPLING, ge(K, 2), *ALIGNED, le(gamma_G, 1 / (sp.sqrt(N) * (K - 1))), GAMMA_L_BKT),
    assumes=NOISY,
    uses=(
        "eq25",
        "eq26",
        "eq27",
        "eq28",
        "eq29",
        "a1",
        "a2",
        "eq30",
        "a3",
        "eq31",
        "eq32",
        "a4",
        "eq33",
        "eq34",
        "a5",
        "a6",
        "a7",
        "eq35",
        "eq36",
    ),
    terms={"start": F_0, "correction": 2 * eps**2 * sigma_L2 * G0**2 / ((K - 1) * t * E * M * N * L * B**2)},
)
BKT_FULL = at("Corollary D.2, Eq. (23)", "501")(
    "corD.2",
    "Theorem 4.7 with every client in every round",
    le(F_t, F_0 + 2 * eps**2 * sigma_L2 * G0**2 / ((K - 1) * t * E * M**2 * L * B**2)),
    conditions=(eq(N, M), ge(K, 2), *ALIGNED, le(gamma_G, 1 / (M * (K - 1))), GAMMA_L_BKT),
    assumes=NOISY,
    uses=("thm4.7",),
    terms={"start": F_0, "correction": 2 * eps**2 * sigma_L2 * G0**2 / ((K - 1) * t * E * M**2 * L * B**2)},
)

pref = 2 / (1 - 1 / K)
PSI = {
    "samp_G": 12 * step * rho * E * K * L * sigma_G2 / (1 + lam),
    "drift_B": gamma_L**2 * E**2 * L**2 / lam**2 * B**2,
    "K_B": K * B**2,
    "samp_B": 3 * step * rho * E * K * L / (1 + lam) * B**2,
    "local": 5 * gamma_L**2 * K * E * L**2 * (sigma_L2 + 6 * E * sigma_G2),
    "samp_local": 60
    * gamma_G
    * gamma_L**3
    * rho
    * E**2
    * K
    * L**3
    / (1 + lam)
    * (sigma_L2 + 6 * E * sigma_G2),
    "noise": 3 * step * L * sigma_L2 / (2 * N * (1 + lam)),
    "init": G0**2,
    "task": (K - 1) ** 2 * E / K * 3 * step * L / (1 + lam) * sigma_T2 / 2,
    "samp_task": (K - 1) ** 2 * E / K * 3 * step * L / (1 + lam) * 4 * rho * sigma_T2,
}
"""The ten terms inside the brackets of Psi, by the names of the catalogue without their prefix psi."""

LEAD = (f0 - fstar) / ((1 - 1 / K) / (2 * (1 + lam)) * E * step * T)
RATE_TERMS = {"lead": LEAD, **{f"psi_{name}": pref * term for name, term in PSI.items()}}
RATE_CONDITIONS = (
    ge(K, 2),
    le(gamma_G, 1 / (K - 1)),
    le(gamma_L, 1 / (8 * E * L)),
    le(step, (1 + lam) / (3 * E * L)),
)
PARTIAL = (*SAMPLING, ge(M, 2))
RATE_PROOF = (
    *(f"eq{n}" for n in (25, 39, 40, 41, 42, 43, 44, 45, 46, 48, 49, 50, 51)),
    *(f"eq{n}" for n in (52, 53, 54, 55, 56, 57, 58, 60, 61, 62)),
)
RATE = at("Theorem 4.10, Eq. (9)", "173, 181-185")(
    "thm4.10",
    "the smallest expected squared gradient norm of all tasks is at most a term that falls like 1/T plus Psi",
    le(min_grad2, sum(RATE_TERMS.values())),
    conditions=(*PARTIAL, *RATE_CONDITIONS),
    assumes=ALL,
    uses=("lem4.9", "lemC.5", *RATE_PROOF),
    terms=RATE_TERMS,
)
_full = {
    name: sp.S.Zero if "samp" in name else term.subs(N, M) if name == "psi_noise" else term
    for name, term in RATE_TERMS.items()
}
RATE_FULL = at("Corollary D.3, Eq. (24)", "509")(
    "corD.3",
    "Theorem 4.10 with every client in every round",
    le(
        min_grad2,
        LEAD
        + pref
        * (
            (gamma_L**2 * E**2 * L**2 / lam**2 + K) * B**2
            + 5 * gamma_L**2 * K * E * L**2 * (sigma_L2 + 6 * E * sigma_G2)
            + 3 * step * L * sigma_L2 / (2 * M * (1 + lam))
            + (K - 1) ** 2 * E / K * 3 * step * L * sigma_T2 / (2 * (1 + lam))
            + G0**2
        ),
    ),
    conditions=(eq(N, M), *RATE_CONDITIONS),
    assumes=ALL,
    uses=("thm4.10",),
    terms={name: term for name, term in _full.items() if term != 0},
)

STATEMENTS = (*ASSUMPTIONS, DRIFT, BKT, BKT_FULL, RATE, RATE_FULL)
