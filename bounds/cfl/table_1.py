"""CFL, Table 1: its rows against the theorems that they stand for."""

from __future__ import annotations

import sympy as sp

from bounds.cfl.rates import c_A, fed_A, rounds_gc, rounds_sc
from bounds.cfl.symbols import A2, B2, D2, G2, R2, H, K, L, N, at, eps, mu, sigma2
from bounds.cfl.theorems import phi
from bounds.relations import eq, gt, le, lt
from bounds.statement import Statement

_drifting = gt(R2 + D2, 0)

_c_pB = 1 + B2 + A2
_c_loss = D2 * R2 / (R2 + D2)
_row_sc = _c_pB / mu + sigma2 / (mu * N * K * eps) + (_c_loss + G2) / (mu * eps)
_row_gc = _c_pB / eps + sigma2 / (N * K * eps**2) + (_c_loss + G2) / eps**2
_fed_row_sc = sigma2 / (mu * N * K * eps) + (G2 + D2) / (mu * eps) + _c_pB / mu
_fed_row_gc = _c_pB / eps + sigma2 / (N * K * eps**2) + (G2 + D2) / eps**2
_sgd_sc, _sgd_gc = sigma2 / (mu * N * K * eps) + 1 / mu, sigma2 / (N * K * eps**2) + 1 / eps
_alone = {N: 1, G2: 0, B2: 0}
_still = {D2: 0, A2: 0}
_iid = {G2: 0, D2: 0, A2: 0, B2: 0}


def _row(id: str, says: str, printed: sp.Expr, derived: sp.Expr) -> Statement:
    relation = eq(printed, derived.subs({L: 1, H: 1}))
    return _table_1(f"tab1.{id}", says, relation)


_table_1 = at("Table 1", "168-180")
_apart = sp.sqrt(G2) + sp.sqrt(D2)
_karimireddy_sc = sigma2 / (mu * N * K * eps) + _apart / (mu * sp.sqrt(eps)) + _c_pB / mu
_karimireddy_gc = sigma2 / (K * N * eps**2) + _apart / eps ** sp.Rational(3, 2) + _c_pB * (D2 + G2) / eps
_matches = (
    "the rate of FedAvg matches that of Karimireddy et al.: it asks for at most 100 times as many rounds"
)


def _improvement(part: str, cfl: sp.Expr, fed: sp.Expr, better: sp.Rel) -> tuple[Statement, ...]:
    """CFL against FedAvg where both reach the same error, eps; the rows as printed, whose errors differ; and where CFL is ahead."""
    same_error = cfl.subs(eps, eps - phi)
    printed = _table_1(
        f"tab1.improvement.{part}",
        "CFL reaches the error eps in at most as many rounds as FedAvg: its row is read at eps - phi, as it speaks of the error "
        "eps + phi, and that of FedAvg of eps",
        le(same_error, fed),
        conditions=(_drifting, lt(phi, eps)),
    )
    return (
        printed,
        _table_1(
            f"tab1.rows.{part}",
            "the row of CFL, for the error eps + phi, is at most the row of FedAvg, for the smaller error eps",
            le(cfl, fed),
            conditions=(_drifting,),
        ),
        printed.variant(
            "small-bias",
            says="CFL reaches the error eps in at most as many rounds as FedAvg, where phi is small enough",
            conditions=(*printed.conditions, better),
            changes="phi is at most the share of eps by which the noise of CFL is smaller",
        ),
    )


_noise = sigma2 / (N * K)
_cfl_noise, _fed_noise = _c_loss + G2 + _noise, G2 + D2 + _noise
IMPROVEMENT = (
    *_improvement("sc", _row_sc, _fed_row_sc, le(_cfl_noise * eps, _fed_noise * (eps - phi))),
    *_improvement(
        "gc",
        _row_gc,
        _fed_row_gc,
        le(_c_pB * eps * (eps - phi) * phi + _cfl_noise * eps**2, _fed_noise * (eps - phi) ** 2),
    ),
)
_caption = at("Table 1 and its caption", "168-180")
STATEMENTS = (
    _caption("tab1.matches.sc", _matches, le(_fed_row_sc, 100 * _karimireddy_sc)),
    _caption("tab1.matches.gc", _matches, le(_fed_row_gc, 100 * _karimireddy_gc)),
    _row("cfl.ours.sc", "the row of CFL is Theorem 4.1(a) without L", _row_sc, rounds_sc(c_A)),
    _row("cfl.ours.gc", "the row of CFL is Theorem 4.1(b) without H", _row_gc, rounds_gc(c_A)),
    _row("fedavg.ours.sc", "the row of FedAvg is Theorem 4.4(a) without L", _fed_row_sc, rounds_sc(fed_A)),
    _row("fedavg.ours.gc", "the row of FedAvg is Theorem 4.4(b) without H", _fed_row_gc, rounds_gc(fed_A)),
    _row(
        "cl.ours.sc",
        "the row of CL is Theorem 4.1(a) for one client without client drift",
        (1 + A2) / mu + sigma2 / (mu * K * eps) + _c_loss / (mu * eps),
        rounds_sc(c_A).subs(_alone),
    ),
    _row(
        "cl.ours.gc",
        "the row of CL is Theorem 4.1(b) for one client without client drift",
        _c_pB / eps + sigma2 / (K * eps**2) + _c_loss / eps**2,
        rounds_gc(c_A).subs({N: 1, G2: 0}),
    ),
    _row("cl.ours.constant", "both columns of CL name the same constant", _c_pB, 1 + A2),
    _row("sgd.sc", "the row of SGD is FedAvg without drift", _sgd_sc, rounds_sc(fed_A).subs(_iid)),
    _row("sgd.gc", "the row of SGD is FedAvg without drift", _sgd_gc, rounds_gc(fed_A).subs(_iid)),
    *(
        _caption(
            f"tab1.conventional.{part}",
            "with D = A = 0 the row of CFL is the rate of conventional federated learning, that of FedAvg",
            eq(cfl.subs(_still), fed.subs(_still)),
            conditions=(gt(R2, 0),),
        )
        for part, cfl, fed in (("sc", _row_sc, _fed_row_sc), ("gc", _row_gc, _fed_row_gc))
    ),
    *IMPROVEMENT,
)
