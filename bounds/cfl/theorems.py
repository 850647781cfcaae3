"""CFL: Theorems 4.1, 4.4, B.5 and B.6 on convex losses: their numbers of rounds, against the rates, each other, and floors.

Two things are told apart. That one printed number of rounds is of the order of another, as one variable moves and all
else is fixed, is a statement about formulas (``.order``); what no constant of the O can hide, as the text shows every other
one, is judged with 100 in its place (``.uniform``, and the theorems themselves).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import sympy as sp

from bounds.cfl.convex import R
from bounds.cfl.rates import (
    FED_RATE_GC,
    FED_RATE_SC,
    RATE_GC,
    RATE_SC,
    c_A,
    c_B,
    c_C,
    c_D,
    c_O,
    fed_A,
    fed_C,
    rounds_gc,
    rounds_sc,
)
from bounds.cfl.symbols import CFL, G2, R2, H, K, L, N, T, at, eps, eta_g, mu, sigma2
from bounds.relations import eq, ge, le
from bounds.statement import Scaling, Statement

_count, _positive, _nonnegative = CFL.count, CFL.positive, CFL.nonnegative
z = _positive("z", "1/eps", r"1/\epsilon")
left_over = _nonnegative("left_over", "mu H exp(-mu T/(L c_O))", r"\mu\mathcal H\exp(-\frac{\mu T}{Lc_O})")
hidden = _count("hidden", "constant hidden in O()", "C")
least_after = _nonnegative(
    "least_after",
    "what the expected error after T rounds is at least, whatever the steps up to the limit are",
    r"\inf_{\eta}\mathbb E f(\omega_T)-f(\omega^*)",
)
least_error = _nonnegative(
    "least_error",
    "least expected error over all numbers of rounds and step sizes",
    r"\inf_{T,\eta}\mathbb E f(\omega_F)-f(\omega^*)",
)


FULL_SC = {
    "start": L * c_O / mu,
    "noise": sigma2 / (mu * N * K * eps),
    "c_A": c_A / (mu * eps),
    "c_B": sp.sqrt(c_B / (mu * eps)),
    "c_C": sp.sqrt(c_C / (mu**2 * eps)),
    "c_D": sp.cbrt(c_D / (mu**2 * eps)),
}
"""Terms of T in Theorem B.5, strongly convex."""
FULL_GC = {
    "start": c_O * H / eps,
    "c_B": sp.sqrt(c_B * H) / eps,
    "c_D": sp.cbrt(c_D * H**2) / eps,
    "noise": sigma2 * H / (N * K * eps**2),
    "c_A": c_A * H / eps**2,
    "c_C": sp.sqrt(c_C * H**2 / eps**3),
}
FED_SC = {
    "start": L * c_O / mu,
    "noise": sigma2 / (mu * N * K * eps),
    "c_A": fed_A / (mu * eps),
    "c_C": sp.sqrt(fed_C / (mu**2 * eps)),
}
FED_GC = {
    "start": c_O * H / eps,
    "noise": sigma2 * H / (N * K * eps**2),
    "c_A": fed_A * H / eps**2,
    "c_C": sp.sqrt(fed_C * H**2 / eps**3),
}


def _reached(
    theorem: str, rounds: dict[str, sp.Expr], rate: dict[str, sp.Expr], place: str, lines: str
) -> tuple[Statement, ...]:
    """Each term of the rate, which falls with T, is eps at the number of rounds of the same name; whatever the rate is of."""
    return tuple(
        at(place, lines)(
            f"{theorem}.{name}",
            f"the {name} term of the rate is eps after as many rounds as the theorem says for it",
            eq(_put_in(term, rounds[name]), eps),
        )
        for name, term in rate.items()
    )


def _put_in(term: sp.Expr, rounds: sp.Expr) -> sp.Expr:
    """A term of the rate with a number of rounds for T, as it stands: what it comes to is to be shown."""
    with sp.evaluate(x=False):
        return term.xreplace({T: rounds})


def _order(terms: dict[str, sp.Expr], steps: dict[sp.Symbol, sp.Expr], claimed: sp.Expr) -> Scaling:
    """The claim that rounds grow with z as `claimed` does, at eta_g = 1."""
    put = {eta_g: 1, **steps}
    return Scaling(terms, put, claimed.subs(put), (z,))


_accurate = {eps: 1 / z}
_lossless = {eps: 1 / z, R2: 0, G2: 0, sigma2: 0}
_speedup = {sigma2: z, N: z}
REACHED = (
    *_reached("thmB.5.sc", FULL_SC, RATE_SC, "Theorem B.5(a)", "954-958"),
    *_reached("thmB.5.gc", FULL_GC, RATE_GC, "Theorem B.5(b)", "960-962"),
    *_reached("thmB.6.sc", FED_SC, FED_RATE_SC, "Theorem B.6(a)", "970-972"),
    *_reached("thmB.6.gc", FED_GC, FED_RATE_GC, "Theorem B.6(b)", "974-976"),
)


def _terms_of(theorem: str) -> tuple[str, ...]:
    return tuple(claimed.id for claimed in REACHED if claimed.id.startswith(f"cfl.{theorem}."))


_a, _b = at("Theorem 4.1(a)", "196-204"), at("Theorem 4.1(b)", "206-208")
_fed_a, _fed_b = at("Theorem 4.4(a)", "222-226"), at("Theorem 4.4(b)", "228-230")
_fixed = "as eps shrinks and all else is fixed, the number of rounds of Theorem"
_grows = "grows no faster than this one"
ORDERS = (
    _a(
        "thm4.1.sc.order",
        f"{_fixed} B.5(a) {_grows}",
        _order(FULL_SC, _accurate, rounds_sc(c_A)),
        uses=_terms_of("thmB.5.sc"),
    ),
    _a(
        "thm4.1.sc.lossless",
        f"without information loss, client drift and noise: {_fixed} B.5(a) {_grows}",
        _order(FULL_SC, _lossless, rounds_sc(c_A)),
        uses=_terms_of("thmB.5.sc"),
    ),
    _a(
        "thm4.1.sc.speedup",
        f"where sigma^2/N stays as it is, the number of rounds of Theorem B.5(a) {_grows} in N",
        _order(FULL_SC, _speedup, rounds_sc(c_A)),
        uses=_terms_of("thmB.5.sc"),
    ),
    _b(
        "thm4.1.gc.order",
        f"{_fixed} B.5(b) {_grows}",
        _order(FULL_GC, _accurate, rounds_gc(c_A)),
        uses=_terms_of("thmB.5.gc"),
    ),
    _b(
        "thm4.1.gc.lossless",
        f"without information loss, client drift and noise: {_fixed} B.5(b) {_grows}",
        _order(FULL_GC, _lossless, rounds_gc(c_A)),
        uses=_terms_of("thmB.5.gc"),
    ),
    _fed_a(
        "thm4.4.sc.order",
        f"{_fixed} B.6(a) {_grows}",
        _order(FED_SC, _accurate, rounds_sc(fed_A)),
        uses=_terms_of("thmB.6.sc"),
    ),
    _fed_a(
        "thm4.4.sc.speedup",
        f"where sigma^2/N stays as it is, the number of rounds of Theorem B.6(a) {_grows} in N",
        _order(FED_SC, _speedup, rounds_sc(fed_A)),
        uses=_terms_of("thmB.6.sc"),
    ),
    _fed_b(
        "thm4.4.gc.order",
        f"{_fixed} B.6(b) {_grows}",
        _order(FED_GC, _accurate, rounds_gc(fed_A)),
        uses=_terms_of("thmB.6.gc"),
    ),
)

_SHOWN = (eq(eta_g, 1),)


def _uniform(
    place: Callable[..., Statement], theorem: str, full: dict[str, sp.Expr], printed: sp.Expr
) -> Statement:
    """That 100 is a constant which the O may hide, whatever the constants are that the theorem shows."""
    return place(
        f"{theorem}.uniform",
        "the number of rounds of the full theorem is at most 100 times this one, whatever the constants that both show",
        le(sum(full.values()), 100 * printed),
        conditions=_SHOWN,
    )


UNIFORM = (
    _uniform(_a, "thm4.1.sc", FULL_SC, rounds_sc(c_A)),
    _uniform(_b, "thm4.1.gc", FULL_GC, rounds_gc(c_A)),
    _uniform(_fed_a, "thm4.4.sc", FED_SC, rounds_sc(fed_A)),
    _uniform(_fed_b, "thm4.4.gc", FED_GC, rounds_gc(fed_A)),
)


def _theorem(
    place: Callable[..., Statement], id: str, rounds: sp.Expr, error: sp.Expr, *proof: str
) -> Statement:
    """The theorem itself, where a lower bound of the error can be told."""
    return place(
        id,
        "after 100 times as many rounds no floor keeps the error above what the theorem says (the N clients of each round are "
        "new, and remember all rounds)",
        le(least_after, error),
        conditions=(ge(T, hidden * rounds.subs(eta_g, 1)), ge(hidden, 100)),
        uses=proof,
    )


def _scaled(theorem: Statement) -> Statement:
    """A theorem on convex losses whose first term is in the unit of a loss."""
    (asked, constant), more = theorem.conditions, hidden * (L - 1) * c_O * H / eps
    return theorem.reading(
        "scale",
        conditions=(ge(T, asked.rhs + more), constant),
        changes="the first term has the factor L, by which a squared distance becomes a loss",
    )


def _logarithmic(theorem: Statement) -> Statement:
    """A theorem on strongly convex losses whose first term knows how far the start is."""
    asked, constant = theorem.conditions
    more = hidden * L * c_O / mu * sp.log(1 + mu * H / eps)
    return theorem.reading(
        "logarithm",
        conditions=(ge(T, asked.rhs + more), constant),
        changes="the first term has the factor 1 + ln(1 + mu H/eps): an exponential term reaches eps no sooner",
    )


def _by_floor(reading: Statement) -> Statement:
    """A reading with the steps by which it follows (`bounds/cfl/floors.py`)."""
    return replace(reading, uses=("cfl.floor.parts", f"{reading.id}.start", f"{reading.id}.drifts"))


BIASED = eps + 2 * R * sp.sqrt(H)
"""eps + phi: c_3 is at most 2 R, so that phi is at most 2 R times the distance of the start."""
_full_a, _full_b = at("Theorem B.5(a)", "954-958"), at("Theorem B.5(b)", "960-962")
_fed_full_a, _fed_full_b = at("Theorem B.6(a)", "970-972"), at("Theorem B.6(b)", "974-976")
ITSELF = (
    thm4_1_sc := _theorem(_a, "thm4.1.sc", rounds_sc(c_A), BIASED, "thmB.5.sc"),
    _logarithmic(thm4_1_sc),
    thm4_1_gc := _theorem(_b, "thm4.1.gc", rounds_gc(c_A), BIASED, "thmB.5.gc"),
    _scaled(thm4_1_gc),
    thm4_4_sc := _theorem(_fed_a, "thm4.4.sc", rounds_sc(fed_A), eps, "thmB.6.sc"),
    _by_floor(_logarithmic(thm4_4_sc)),
    thm4_4_gc := _theorem(_fed_b, "thm4.4.gc", rounds_gc(fed_A), eps, "thmB.6.gc"),
    _by_floor(_scaled(thm4_4_gc)),
    thmB_5_sc := _theorem(
        _full_a,
        "thmB.5.sc",
        sum(FULL_SC.values()),
        BIASED,
        *_terms_of("thmB.5.sc"),
        "thmB.5.sc.start",
        "B44.sc",
    ),
    _by_floor(_logarithmic(thmB_5_sc)),
    thmB_5_sc.reading(
        "returning",
        says="after 100 times as many rounds no floor keeps the error above what the theorem says",
        conditions=(*thmB_5_sc.conditions, eq(R2, 0), eq(G2, 0)),
        changes="the N clients are the same in every round, without client drift and information loss: no more than N T "
        "drifts of variance D^2 can be averaged",
    ),
    thmB_5_gc := _theorem(
        _full_b, "thmB.5.gc", sum(FULL_GC.values()), BIASED, *_terms_of("thmB.5.gc"), "B44.gc"
    ),
    _by_floor(_scaled(thmB_5_gc)),
    thmB_6_sc := _theorem(
        _fed_full_a,
        "thmB.6.sc",
        sum(FED_SC.values()),
        eps,
        *_terms_of("thmB.6.sc"),
        "thmB.5.sc.start",
        "eq24",
    ),
    _by_floor(_logarithmic(thmB_6_sc)),
    thmB_6_gc := _theorem(
        _fed_full_b, "thmB.6.gc", sum(FED_GC.values()), eps, *_terms_of("thmB.6.gc"), "eq24"
    ),
    _by_floor(_scaled(thmB_6_gc)),
)
_same = "the N clients are the same in every round"
THEOREMS = (
    at("Theorem B.5(a)", "958")(
        "thmB.5.sc.start",
        "after 100 L c_O/mu rounds the exponential term of the rate is at most eps, whatever eps is",
        le(left_over, eps),
        conditions=(ge(T, hidden * L * c_O / mu), ge(hidden, 100)),
    ),
    _fed_a(
        "thm4.4.sc/returning",
        "some number of rounds and some step sizes bring the error to eps",
        le(least_error, eps),
        uses=("eq24/returning",),
        changes=_same,
    ),
    _a(
        "thm4.1.sc/returning",
        "without information loss some number of rounds and some step sizes bring the error to eps",
        le(least_error, eps),
        uses=("eq23/returning",),
        changes=f"{_same}, and R = 0",
    ),
)

STATEMENTS = (*REACHED, *ORDERS, *UNIFORM, *ITSELF, *THEOREMS)
