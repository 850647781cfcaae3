"""CFL: Theorems 4.1 and 4.4 give only the dominant terms of Theorems B.5 and B.6.

That one printed number of rounds is of the order of another, as one variable moves and all else is fixed, is a statement
about formulas (``.order``); what no constant of the O can hide, as the text shows every other one, is judged with 100 in its
place (``.uniform``).
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.rates import c_A, fed_A, rounds_gc, rounds_sc, terms_gc, terms_sc
from bounds.cfl.symbols import CFL, G2, R2, N, at, eps, eta_g, sigma2
from bounds.cfl.theorems import FED_GC, FED_SC, FULL_GC, FULL_SC, terms_of, z
from bounds.relations import eq, le
from bounds.statement import Scaling, Statement

many = CFL.positive("many", "N, while sigma^2/N stays as it is", "N")


def _order(terms: dict[str, sp.Expr], steps: dict[sp.Symbol, sp.Expr], claimed: sp.Expr) -> Scaling:
    """The claim that rounds grow with the variable of `steps` as `claimed` does, at eta_g = 1."""
    put = {eta_g: 1, **steps}
    return Scaling(terms, put, claimed.subs(put), (many if N in steps else z,))


_accurate = {eps: 1 / z}
_lossless = {eps: 1 / z, R2: 0, G2: 0, sigma2: 0}
_speedup = {sigma2: many, N: many}
_ONLY = ", and the text after Theorem 4.4: only dominant terms are given"
_DOMINANT = {
    "thm4.1.sc": at(f"Theorem 4.1(a){_ONLY}", "196-204, 236"),
    "thm4.1.gc": at(f"Theorem 4.1(b){_ONLY}", "206-208, 236"),
    "thm4.4.sc": at(f"Theorem 4.4(a){_ONLY}", "222-226, 236"),
    "thm4.4.gc": at(f"Theorem 4.4(b){_ONLY}", "228-230, 236"),
}
_fixed = "as eps shrinks and all else is fixed, the number of rounds of Theorem"
_grows = "grows no faster than this one"


def _kept(
    printed: Statement,
    steps: dict[sp.Symbol, sp.Expr],
    rounds: sp.Expr,
    full: dict[str, sp.Expr],
    *names: str,
) -> Statement:
    """The variant of an order in which these terms of the full theorem are kept."""
    more = sum(full[name] for name in names)
    return printed.variant(
        "kept", _order(full, steps, rounds + more), changes=f"keeps the terms of {' and '.join(names)}"
    )


ORDERS = (
    _DOMINANT["thm4.1.sc"](
        "thm4.1.sc.order",
        f"{_fixed} B.5(a) {_grows}",
        _order(FULL_SC, _accurate, rounds_sc(c_A)),
        uses=terms_of("thmB.5.sc"),
    ),
    lossless := _DOMINANT["thm4.1.sc"](
        "thm4.1.sc.lossless",
        f"without information loss, client drift and noise: {_fixed} B.5(a) {_grows}",
        _order(FULL_SC, _lossless, rounds_sc(c_A)),
        uses=terms_of("thmB.5.sc"),
    ),
    _kept(lossless, _lossless, rounds_sc(c_A), FULL_SC, "c_B", "c_D"),
    speedup := _DOMINANT["thm4.1.sc"](
        "thm4.1.sc.speedup",
        f"where sigma^2/N stays as it is, the number of rounds of Theorem B.5(a) {_grows} in N",
        _order(FULL_SC, _speedup, rounds_sc(c_A)),
        uses=terms_of("thmB.5.sc"),
    ),
    _kept(speedup, _speedup, rounds_sc(c_A), FULL_SC, "c_C"),
    _DOMINANT["thm4.1.gc"](
        "thm4.1.gc.order",
        f"{_fixed} B.5(b) {_grows}",
        _order(FULL_GC, _accurate, rounds_gc(c_A)),
        uses=terms_of("thmB.5.gc"),
    ),
    _DOMINANT["thm4.1.gc"](
        "thm4.1.gc.lossless",
        f"without information loss, client drift and noise: {_fixed} B.5(b) {_grows}",
        _order(FULL_GC, _lossless, rounds_gc(c_A)),
        uses=terms_of("thmB.5.gc"),
    ),
    _DOMINANT["thm4.4.sc"](
        "thm4.4.sc.order",
        f"{_fixed} B.6(a) {_grows}",
        _order(FED_SC, _accurate, rounds_sc(fed_A)),
        uses=terms_of("thmB.6.sc"),
    ),
    fed_speedup := _DOMINANT["thm4.4.sc"](
        "thm4.4.sc.speedup",
        f"where sigma^2/N stays as it is, the number of rounds of Theorem B.6(a) {_grows} in N",
        _order(FED_SC, _speedup, rounds_sc(fed_A)),
        uses=terms_of("thmB.6.sc"),
    ),
    _kept(fed_speedup, _speedup, rounds_sc(fed_A), FED_SC, "c_C"),
    _DOMINANT["thm4.4.gc"](
        "thm4.4.gc.order",
        f"{_fixed} B.6(b) {_grows}",
        _order(FED_GC, _accurate, rounds_gc(fed_A)),
        uses=terms_of("thmB.6.gc"),
    ),
)

_SHOWN = (eq(eta_g, 1),)


def _uniform(theorem: str, full: dict[str, sp.Expr], printed: dict[str, sp.Expr]) -> Statement:
    """That 100 is a constant which the O may hide, whatever the constants are that the theorem shows."""
    return _DOMINANT[theorem](
        f"{theorem}.uniform",
        "the number of rounds of the full theorem is at most 100 times this one, whatever the constants that both show",
        le(sum(full.values()), 100 * sum(printed.values())),
        conditions=_SHOWN,
        terms={name: 100 * term for name, term in printed.items()},
    )


UNIFORM = (
    _uniform("thm4.1.sc", FULL_SC, terms_sc(c_A)),
    _uniform("thm4.1.gc", FULL_GC, terms_gc(c_A)),
    _uniform("thm4.4.sc", FED_SC, terms_sc(fed_A)),
    _uniform("thm4.4.gc", FED_GC, terms_gc(fed_A)),
)

STATEMENTS = (*ORDERS, *UNIFORM)
