"""CFL: Theorems 4.1, 4.4, B.5 and B.6 on convex losses: their numbers of rounds, against the rates, each other, and floors.

What no constant of the O can hide, as the text shows every other one, is judged with 100 in its place. Whether the main
text drops dominated terms only is judged in `dominant.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from bounds.cfl.convex import SAME, R, step_limit
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
    gap_mean,
    rounds_gc,
    rounds_sc,
)
from bounds.cfl.symbols import CFL, G2, R2, H, K, L, N, T, at, eps, eta_g, mu, sigma2
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, gt, le
from bounds.statement import Original, Statement

_count, _positive, _nonnegative = CFL.count, CFL.positive, CFL.nonnegative
z = _positive("z", "1/eps", r"1/\epsilon")
phi = _nonnegative("phi", "what information loss adds to the error that CFL reaches", r"\varphi")
left_over = _nonnegative("left_over", "mu H exp(-mu T/(L c_O))", r"\mu\mathcal H\exp(-\frac{\mu T}{Lc_O})")
hidden = _count("hidden", "constant hidden in O()", "C")
floor_after = _nonnegative(
    "floor_after",
    "a lower bound of the expected error after T rounds, whatever the steps up to the limit and the weights are; "
    "the error itself may be larger",
    r"\underline{\mathcal E}_T",
)
floor_ever = _nonnegative(
    "floor_ever",
    "a lower bound of the expected error, whatever the number of rounds, the steps and the weights are",
    r"\underline{\mathcal E}",
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


def _terms_at_rounds(
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


REACHED = (
    *_terms_at_rounds("thmB.5.sc", FULL_SC, RATE_SC, "Theorem B.5(a)", "954-958"),
    *_terms_at_rounds("thmB.5.gc", FULL_GC, RATE_GC, "Theorem B.5(b)", "960-962"),
    *_terms_at_rounds("thmB.6.sc", FED_SC, FED_RATE_SC, "Theorem B.6(a)", "970-972"),
    *_terms_at_rounds("thmB.6.gc", FED_GC, FED_RATE_GC, "Theorem B.6(b)", "974-976"),
)


def terms_of(theorem: str) -> tuple[str, ...]:
    """Ids of the terms of the rate of a theorem."""
    return tuple(claimed.id for claimed in REACHED if claimed.id.startswith(f"cfl.{theorem}."))


_a, _b = at("Theorem 4.1(a)", "196-204"), at("Theorem 4.1(b)", "206-208")
_fed_a, _fed_b = at("Theorem 4.4(a)", "222-226"), at("Theorem 4.4(b)", "228-230")
LOWER = "a lower bound of the error, whatever the steps and the weights are, is at most what the theorem says the error is"


def original(error: dict[str, sp.Expr]) -> Original:
    """The theorem's own conclusion; phi is at most its term of the error."""
    promised = eps + phi if "phi" in error else eps
    said = f"after so many rounds, times the constant of the O, the expected error is at most {promised}"
    return Original(said, le(gap_mean, promised))


def _theorem(
    place: Callable[..., Statement], id: str, rounds: sp.Expr, error: dict[str, sp.Expr], *proof: str
) -> Statement:
    """What the theorem says of every lower bound of the error; clients are new or the same in every round."""
    return place(
        id,
        f"{LOWER} after 100 times as many rounds",
        le(floor_after, sum(error.values())),
        terms=error,
        original=original(error),
        conditions=(ge(T, hidden * rounds.subs(eta_g, 1)), ge(hidden, 100)),
        uses=("onestep.unbiased", *proof),
    )


def _more_rounds(theorem: Statement, name: str, more: sp.Expr, changes: str) -> Statement:
    """A variant that asks for more rounds."""
    asked, constant = theorem.conditions
    return theorem.variant(name, conditions=(ge(T, asked.rhs + hidden * more), constant), changes=changes)


def _scaled(theorem: Statement) -> Statement:
    """A theorem on convex losses whose first term is in the unit of a loss."""
    return _more_rounds(
        theorem,
        "scale",
        (L - 1) * c_O * H / eps,
        "the first term has the factor L, by which a squared distance becomes a loss",
    )


def _logarithmic(theorem: Statement) -> Statement:
    """A theorem on strongly convex losses whose first term depends on the distance of the start."""
    return _more_rounds(
        theorem,
        "logarithm",
        L * c_O / mu * sp.log(1 + mu * H / eps),
        "the first term has the factor 1 + ln(1 + mu H/eps): an exponential term reaches eps no sooner",
    )


def _variants_of_new_clients(variant: Statement) -> Statement:
    """A variant of a theorem, of new clients, below whose accuracy the lower bound falls; its steps are in `bounds/cfl/floors.py`."""
    printed, _, name = variant.id.removeprefix("cfl.thm").partition("/")
    id = f"floor.{printed}.{name}"
    return at(variant.source.place, variant.source.lines)(
        id,
        "a lower bound of the error that refutes the theorem as printed falls below eps for new clients in every round, after "
        f"more rounds: {variant.changes}; this bounds no error",
        variant.compared,
        conditions=variant.conditions,
        hypotheses=(Hypothesis.NEW_CLIENTS,),
        uses=("floor.parts", f"{id}.start", f"{id}.drifts"),
    )


def _returning(theorem: Statement) -> tuple[Statement, Statement]:
    """A theorem for the same clients in every round, with client drift and without, nothing lost or little."""
    same = "the N clients are the same in every round"
    return (
        theorem.variant(
            "returning",
            conditions=(*theorem.conditions, SAME, eq(R2, 0), eq(G2, 0)),
            changes=f"{same}, without client drift and information loss: no more than N T drifts of variance D^2 are averaged",
        ),
        theorem.variant(
            "returning.lossy",
            conditions=(*theorem.conditions, SAME, gt(R2, 0), eq(G2, 0)),
            changes=f"{same}, without client drift, with information loss",
        ),
    )


LONGEST = step_limit(c_O, 6).subs(eta_g, 1)
"""The longest step that Theorem 4.1 allows."""
BIASED = {"eps": eps, "phi": 2 * R * sp.sqrt(H)}
"""Terms of eps + phi: c_3 is at most 2 R, so that phi is at most 2 R times the distance of the start."""
ACCURATE = {"eps": eps}
_full_a, _full_b = at("Theorem B.5(a)", "954-958"), at("Theorem B.5(b)", "960-962")
_fed_full_a, _fed_full_b = at("Theorem B.6(a)", "970-972"), at("Theorem B.6(b)", "974-976")
THEOREMS_41 = (
    thm4_1_sc := _theorem(_a, "thm4.1.sc", rounds_sc(c_A), BIASED, "thmB.5.sc", "thm4.1.sc.uniform"),
    _logarithmic(thm4_1_sc),
    thm4_1_gc := _theorem(_b, "thm4.1.gc", rounds_gc(c_A), BIASED, "thmB.5.gc", "thm4.1.gc.uniform"),
    _scaled(thm4_1_gc),
)
THEOREMS_44 = (
    thm4_4_sc := _theorem(_fed_a, "thm4.4.sc", rounds_sc(fed_A), ACCURATE, "thmB.6.sc", "thm4.4.sc.uniform"),
    thm4_4_gc := _theorem(_fed_b, "thm4.4.gc", rounds_gc(fed_A), ACCURATE, "thmB.6.gc", "thm4.4.gc.uniform"),
)
THEOREMS_B5 = (
    thmB_5_sc := _theorem(
        _full_a,
        "thmB.5.sc",
        sum(FULL_SC.values()),
        BIASED,
        "B44.sc",
        "thmB.5.sc.start",
        "thmB.5.sc.longest",
        *terms_of("thmB.5.sc"),
    ),
    thmB_5_gc := _theorem(
        _full_b,
        "thmB.5.gc",
        sum(FULL_GC.values()),
        BIASED,
        "B44.gc",
        "thmB.5.gc.longest",
        *terms_of("thmB.5.gc"),
    ),
)
THEOREMS_B6 = (
    thmB_6_sc := _theorem(
        _fed_full_a,
        "thmB.6.sc",
        sum(FED_SC.values()),
        ACCURATE,
        "eq24",
        "thmB.5.sc.start",
        "thmB.5.sc.longest",
        *terms_of("thmB.6.sc"),
    ),
    thmB_6_gc := _theorem(
        _fed_full_b,
        "thmB.6.gc",
        sum(FED_GC.values()),
        ACCURATE,
        "eq24",
        "thmB.5.gc.longest",
        *terms_of("thmB.6.gc"),
    ),
)
_MEMORY = (thm4_1_sc, thm4_1_gc, thmB_5_sc, thmB_5_gc)
RETURNING = tuple(variant for theorem in _MEMORY for variant in _returning(theorem))
CLEARED = tuple(
    _variants_of_new_clients(_logarithmic(theorem) if theorem.id.endswith("sc") else _scaled(theorem))
    for theorem in (*THEOREMS_44, *THEOREMS_B5, *THEOREMS_B6)
)
ITSELF = (*THEOREMS_41, *THEOREMS_44, *THEOREMS_B5, *THEOREMS_B6, *RETURNING, *CLEARED)
THEOREMS = (
    at("Theorem B.5(a)", "958")(
        "thmB.5.sc.start",
        "after 100 L c_O/mu rounds the exponential term of the rate is at most eps, whatever eps is",
        le(left_over, eps),
        conditions=(ge(T, hidden * L * c_O / mu), ge(hidden, 100)),
    ),
    at("Theorem B.5(a)", "809, 958")(
        "thmB.5.sc.longest",
        "after 100 L c_O/mu rounds at the longest step that the theorem allows, the exponential term of Appendix B.4.4 is at "
        "most eps",
        le(mu * H * sp.exp(-mu * T * LONGEST / 2), eps),
        conditions=(ge(T, hidden * L * c_O / mu), ge(hidden, 100)),
    ),
    at("Theorem B.5(b)", "825, 962")(
        "thmB.5.gc.longest",
        "after 100 c_O H/eps rounds at the longest step that the theorem allows, the term H/(eta T) of the start is at most eps",
        le(H / (LONGEST * T), eps),
        conditions=(ge(T, hidden * c_O * H / eps), ge(hidden, 100)),
    ),
    thm4_4_sc.variant(
        "returning",
        le(floor_ever, eps),
        says="a lower bound of the error over all numbers of rounds, steps and weights is at most eps",
        conditions=(SAME,),
        uses=("eq24/returning",),
        changes="the N clients are the same in every round, and the rounds may be as many as one likes",
    ),
)

STATEMENTS = (*REACHED, *ITSELF, *THEOREMS)
