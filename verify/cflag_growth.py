"""C-FLAG: what bounds the forgetting term in a round and over a run (Eq. 86 to 90, Lemmas 4 and 18)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from bounds import cflag_growth as b
from bounds.catalogue import statement
from bounds.cflag_drift_sums import ebar, rho
from bounds.cflag_joint import EXPERIMENTS
from bounds.cflag_symbols import T, e2, gg, gg2, r
from nqm.fields import Array, broadcast_to, norm
from verify.cflag_forgetting import LINES, YOUNG
from verify.engine.checks.applicability import applicability
from verify.engine.checks.order import order, outgrown
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.claim import claims_about, for_each
from verify.engine.main import main
from verify.engine.memories import clients_of, fixed_memory, known_constants, sizes, world_space
from verify.engine.memory_measures import bounded_round, joint_losses, whole_run
from verify.engine.memory_rounds import run_space
from verify.engine.scene import Box, Scene, Shape, Values

Named = Mapping[str, Any]


def _rates(name: str, shape: Shape, values: Named) -> Array:
    """Where no condition limits a rate: beta may be as large as it likes."""
    return (4 if name == "alpha" else 100) / values["L"]


def parts(shape: Shape, values: Named, found: Values) -> Values:
    """A round with the four parts of Eq. (149), (batch, path)."""
    alpha, beta, L = (values[name][:, None] for name in ("alpha", "beta", "L"))
    first, last = (L * beta**2 * found[name] for name in ("rho2", "e2"))
    along = -beta * (1 - L * alpha)
    return {
        **found,
        **{"T1": first, "T1_sum": shape["N"] ** 2 * first, "T4": last},
        **{"T2": along * found["fd_rho"], "T3": along * found["fd_e"]},
    }


ROUND = Scene(
    name="a round of C-FLAG with the constants that bound its forgetting",
    shapes=(
        sizes(),
        sizes(E=2),
        sizes(S=2, E=2, J=2),
        sizes(N=2, S=2, E=2),
        sizes(N=2, S=2, m0=2, E=3, J=2),
        sizes(S=2, d=2, E=2),
    ),
    space=lambda shape: {**world_space(shape), **run_space(shape, shape["J"])},
    known=known_constants,
    compute=lambda shape, values: parts(shape, values, bounded_round(shape, values)),
    steps=("alpha", "beta"),
    free_step=_rates,
)
BOLD = replace(
    ROUND,
    name="a round of C-FLAG with the longest steps on the memory that Lemma 4 admits",
    space=lambda shape: {**ROUND.space(shape), "alpha": Box(0.5, 1), "m_more": Box(0.01, 0.2)},
)
MANY = replace(ROUND, name="a round of C-FLAG with several clients", shapes=ROUND.shapes[3:5])


def forgotten(values: Named, found: Named) -> Array:
    """Gamma(t) of Eq. (15) in every round, (batch, round, path)."""
    each = lambda name: values[name][:, None, None]  # noqa: E731
    squared = each("L") / 2 * each("beta") ** 2 * found["s2"]
    return squared - each("beta") * (1 - each("L") * each("alpha")) * found["ds"]


def cumulative(shape: Shape, values: Named) -> Values:
    """A run with memories drawn once: forgetting and joint loss of every round, round first, and what bounds them."""
    clients, kept = clients_of(shape, values), fixed_memory(shape)
    found, joint = whole_run(shape, values, clients, kept), joint_losses(shape, values, clients, kept)
    return {
        **found,
        "forget": forgotten(values, found).swapaxes(0, 1),
        "ht": joint["h"].swapaxes(0, 1),
        "Dht": joint["h"][:, 0] - joint["h"][:, -1],
        "omega2": joint["omega2"],
    }


RUN = replace(
    ROUND,
    name="runs of C-FLAG with the constants that bound their forgetting",
    shapes=(sizes(), sizes(J=12), sizes(T=2), sizes(S=2, T=2, E=2, J=2), sizes(N=2, S=2, T=2)),
    compute=cumulative,
)


def alike(shape: Shape, values: Named) -> Values:
    """Current samples that are all alike, at every client."""
    return {
        **values,
        "now_c": broadcast_to(values["now_c"], (*values["now_c"].shape[:2], shape["J"], shape["d"])),
    }


FALLING = replace(
    RUN,
    name="runs of C-FLAG with many current samples and rates that nearly balance the memory",
    shapes=(sizes(J=30),),
    space=lambda shape: {
        **RUN.space(shape),
        "unit": Box(1, 1),
        "past_h": Box(1, 1, (1, 1, 1)),
        "now_h": Box(1, 1, (1, shape["J"], 1)),
        "now_c": Box(0, 2, (1, 1, 1)),
        "alpha": Box(0.01, 0.02),
    },
    known=lambda shape, values: known_constants(shape, alike(shape, values)),
    compute=lambda shape, values: cumulative(shape, alike(shape, values)),
)
TELESCOPE = Scene(
    name="losses of rounds",
    shapes=tuple({"T": T, "E": 2} for T in (1, 2, 3, 5)),
    space=lambda shape: {
        "loss": Box(-4, 4, (shape["T"] + 1,)),
        "omega2": Box(0, 4),
        **{name: Box(0.01, 1) for name in ("alpha", "beta", "L", "r")},
    },
    compute=lambda shape, values: {"ht": values["loss"].swapaxes(0, 1)},
    covers="equal as rational functions for 1, 2, 3 and 5 rounds; a further round adds the same to both sides",
)


def diverging(shape: Shape, values: Named) -> Values:
    """Past and current data with the same loss -L|x|^2/2, all of which is remembered."""
    h = values["L"][:, None, None, None]
    one = 0 * h[:, :, 0, 0] + 1
    same = {"past_h": h, "bent": -one, "now_h": -h, "now_c": 0 * h, "raw": one, "unit": one[:, 0]}
    given = {**values, **same, "order": 0 * h[:, 0]}
    found = whole_run(shape, given, clients_of(shape, given), fixed_memory(shape))
    each = forgotten(values, found)
    return {**found, "forget_mean": each.sum(axis=(1, 2)) / shape["T"], "x0": norm(values["x"])}


DIVERGING = Scene(
    name="past and current data with one concave loss",
    shapes=tuple(sizes(T=T) for T in (1, 2, 3, 6)),
    space=lambda shape: {
        "x": Box(-2, 2, (1,)),
        "L": Box(0.1, 4, scale="log"),
        "m": Box(0.01, 0.25),
        "m_i": Box(0.01, 0.5, (1, 1)),
        "room": Box(0, 0),
        **{name: Box(0.01, 1, scale="log") for name in ("alpha", "beta")},
    },
    compute=diverging,
    steps=("alpha", "beta"),
    free_step=_rates,
)


NUMBERS = Scene(
    name="numbers of Lemma 18",
    shapes=tuple({"E": E} for E in (1, 2, 5)),
    space=lambda shape: {
        "m": Box(0.01, 3, scale="log"),
        "r": Box(0.01, 100, scale="log"),
        "L": Box(0.1, 10, scale="log"),
        **{name: Box(0.01, 1) for name in ("alpha", "beta")},
    },
    compute=lambda shape, values: {},
    steps=("alpha", "beta"),
)


_turned = (sp.Ge(b.fd_rho, -b.fd_n * rho),)
_turned_e = (sp.Ge(b.fd_e, -b.fd_n * ebar),)
_squares = (sp.Eq(gg2, gg**2), sp.Eq(e2, ebar**2))
_memory = (sp.Le(b.fd_n, r * gg),)
_parts = {part: sp.Eq(part, value) for part, value in b.PARTS.items()}
_totals = ("eq149/at-most", "eq150/small", "eq151/small", "eq154.total/small", "eq156.total/small")

_claim = claims_about("cflag", bound)
_claims = for_each(_claim)
CLAIMS = (
    *_claims("eq86 eq88 eq89/all-steps", LINES, identity),
    _claim("eq87", LINES, inequality, *YOUNG),
    *_claims("eq89 eq90", replace(LINES, covers="", name="any gradients of a round, with delays"), identity),
    _claim("eq90/at-most", LINES, inequality, "eq86", "eq87", "eq89/all-steps"),
    _claim("eq149", ROUND, identity),
    _claim("eq149/at-most", ROUND, bound, "eq90/at-most", *_parts.values()),
    _claim("eq150", MANY),
    _claim("eq150/small", ROUND, bound, "lem15.II/small-steps", _parts[b.T1]),
    _claim("eq151", ROUND),
    _claim("eq151/small", ROUND, bound, "lem16/small-steps", *_squares, _parts[b.T4]),
    _claim("eq152", BOLD),
    _claim("eq152/small", ROUND, bound, *_turned, _parts[b.T2]),
    _claim("eq153", BOLD),
    _claim("eq153/small", ROUND, bound, "lem15.I/small-steps", *_memory),
    _claim("eq154", None, identity),
    _claim("eq154.total/small", ROUND, bound, "eq152/small", "eq153/small", "eq154"),
    _claim("eq155", BOLD),
    _claim("eq155/small", ROUND, bound, *_turned_e, _parts[b.T3]),
    _claim("eq156", BOLD),
    _claim("eq156/small", ROUND, bound, "lem16/small-steps", *_memory),
    _claim("eq156.total/small", ROUND, bound, "eq155/small", "eq156/small"),
    _claim("eq157", BOLD),
    _claim("eq157/small", ROUND, bound, *_totals, _squares[0]),
    _claim("eq158", None, identity),
    _claim("eq159", BOLD),
    _claim(
        "eq159/small", ROUND, bound, "eq157/small", "eq158", "lem11", beside=(applicability(EXPERIMENTS),)
    ),
    _claim("eq160", None, identity),
    *_claims("eq161 eq161/small", ROUND),
    _claim("eq161/descent", None, entailment),
    *_claims("eq161.positive eq161.positive/lem3", None, inequality),
    _claim("lem4/heterogeneity", ROUND),
    _claim("eq162", RUN),
    _claim("eq163.sum", TELESCOPE, identity),
    *_claims("eq163 eq163/small", RUN),
    _claim("eq164", None, agreement),
    _claim("eq165", None, order),
    _claim("eq165.denominator", None, inequality),
    _claim("eq166", None, agreement),
    _claim("eq167", None, order),
    _claim("lem4", None, order, beside=(outgrown(statement("cflag.lem4.floor"), 1, T),)),
    _claim("lem4.floor", DIVERGING),
    _claim("lem4/heterogeneity.order", None, order),
    _claim("eq174", ROUND),
    _claim("eq176", RUN),
    *_claims("eq177 eq177/small eq178 eq178/small", NUMBERS, inequality),
    *_claims("eq179 eq180", RUN),
    _claim("eq179/falling", FALLING),
    _claim("lem18", None, order),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_growth"))
