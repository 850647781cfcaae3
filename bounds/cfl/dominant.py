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
_ROUNDS = {
    "thm4.1.sc": ("B.5(a)", "thmB.5.sc", FULL_SC, rounds_sc(c_A)),
    "thm4.1.gc": ("B.5(b)", "thmB.5.gc", FULL_GC, rounds_gc(c_A)),
    "thm4.4.sc": ("B.6(a)", "thmB.6.sc", FED_SC, rounds_sc(fed_A)),
    "thm4.4.gc": ("B.6(b)", "thmB.6.gc", FED_GC, rounds_gc(fed_A)),
}
"""For each theorem: the full one with its id and the terms of its rounds, and the rounds that are printed."""
_fixed = "as eps shrinks and all else is fixed"


def _rounds_grow(
    words: str, theorem: str, name: str, steps: dict[sp.Symbol, sp.Expr], grows: str
) -> Statement:
    """The claim that the rounds of the full theorem are of the order of those that a theorem prints."""
    full, id, terms, printed = _ROUNDS[theorem]
    return _DOMINANT[theorem](
        f"{theorem}.{name}",
        f"{words}the number of rounds of Theorem {full} {grows}",
        _order(terms, steps, printed),
        uses=terms_of(id),
    )


def _as_eps_shrinks(theorem: str, name: str, steps: dict[sp.Symbol, sp.Expr], before: str = "") -> Statement:
    return _rounds_grow(f"{before}{_fixed}, ", theorem, name, steps, "grows no faster than this one")


def _in_clients(theorem: str) -> Statement:
    words = "where sigma^2/N stays as it is, "
    return _rounds_grow(words, theorem, "speedup", _speedup, "grows no faster than this one in N")


def _with_terms(printed: Statement, theorem: str, steps: dict[sp.Symbol, sp.Expr], *names: str) -> Statement:
    """The variant of an order in which these terms of the full theorem are kept."""
    _, _, full, rounds = _ROUNDS[theorem]
    more = sum(full[name] for name in names)
    return printed.variant(
        "kept", _order(full, steps, rounds + more), changes=f"keeps the terms of {' and '.join(names)}"
    )


_without = "without information loss, client drift and noise: "
ORDERS = (
    _as_eps_shrinks("thm4.1.sc", "order", _accurate),
    lossless := _as_eps_shrinks("thm4.1.sc", "lossless", _lossless, _without),
    _with_terms(lossless, "thm4.1.sc", _lossless, "c_B", "c_D"),
    speedup := _in_clients("thm4.1.sc"),
    _with_terms(speedup, "thm4.1.sc", _speedup, "c_C"),
    _as_eps_shrinks("thm4.1.gc", "order", _accurate),
    _as_eps_shrinks("thm4.1.gc", "lossless", _lossless, _without),
    _as_eps_shrinks("thm4.4.sc", "order", _accurate),
    fed_speedup := _in_clients("thm4.4.sc"),
    _with_terms(fed_speedup, "thm4.4.sc", _speedup, "c_C"),
    _as_eps_shrinks("thm4.4.gc", "order", _accurate),
)

_SHOWN = (eq(eta_g, 1),)


def _uniform(theorem: str, printed: dict[str, sp.Expr]) -> Statement:
    """That 100 is a constant which the O may hide, whatever the constants are that the theorem shows."""
    _, _, full, _ = _ROUNDS[theorem]
    return _DOMINANT[theorem](
        f"{theorem}.uniform",
        "the number of rounds of the full theorem is at most 100 times this one, whatever the constants that both show",
        le(sum(full.values()), 100 * sum(printed.values())),
        conditions=_SHOWN,
        terms={name: 100 * term for name, term in printed.items()},
    )


UNIFORM = (
    _uniform("thm4.1.sc", terms_sc(c_A)),
    _uniform("thm4.1.gc", terms_gc(c_A)),
    _uniform("thm4.4.sc", terms_sc(fed_A)),
    _uniform("thm4.4.gc", terms_gc(fed_A)),
)

STATEMENTS = (*ORDERS, *UNIFORM)
