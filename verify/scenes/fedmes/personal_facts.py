"""Facts about the distances of a round: local steps on (2) contract every coordinate by a factor given by its curvature."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import sympy as sp

import bounds.fedmes.personal as b
from bounds.fedmes import symbols as letters
from bounds.relations import eq, ge, le
from nqm.fields import Array
from verify.engine.model.scene import Box, Fact, Named, Scene, Shape, Values
from verify.scenes.fedmes.projection import area2
from verify.scenes.parameters import column

Distances = Callable[[Shape, Named, Array], Values]
"""(shape, values, global optimum) -> distances of a round."""

LOCAL = le(b.end_from_centre2, b.left**2 * b.from_centre2)
FLOOR = ge(b.end_from_centre2, b.least_left**2 * b.from_centre2)
CENTRE = le(b.centre_moved2, (letters.lam / (letters.c + letters.lam)) ** 2 * b.off2)
BY_CENTRE = eq(b.error2, b.end_from_centre2 + b.centre_moved2 + 2 * b.between)
CROSSED = le(b.between**2, b.end_from_centre2 * b.centre_moved2)
OWN = le(b.own_left2, b.left**2 * b.error_before2)
DRAWN = le(b.drawn2, ((1 - b.left) * letters.lam / (letters.c + letters.lam)) ** 2 * b.off2)
BY_OWN = eq(b.error2, b.own_left2 + b.drawn2 + 2 * b.together)
OWN_CROSSED = le(b.together**2, b.own_left2 * b.drawn2)
NOT_ALL = le(b.left, 1)
BENT = (le(letters.c, sp.Symbol("h", positive=True)), le(sp.Symbol("h", positive=True), letters.L))
"""The definitions of c and L: they bound every client's curvature h from below and above."""

LEFT = eq(b.left, (1 - letters.eta_1 * (letters.c + letters.lam)) ** b.E)
LEAST_LEFT = eq(b.least_left, (1 - letters.eta_1 * (letters.L + letters.lam)) ** b.E)

Facts = Mapping[str, sp.Basic]
FROM_DOWNLOAD: Facts = {"": BY_CENTRE, "local": LOCAL, "floor": FLOOR, "centre": CENTRE, "cross": CROSSED}
"""Facts about local work that starts at the downloaded model, by the name of the slack."""
FROM_OWN: Facts = {"": BY_OWN, "own": OWN, "drawn": DRAWN, "own_cross": OWN_CROSSED, "all": NOT_ALL}
"""Facts about local work that starts at a client's own model."""

STAYED = eq(b.end_from_centre, b.from_centre)
STAYED_OWN = eq(b.error, b.error_start)
OF_WAYS = (BY_CENTRE, CROSSED, NOT_ALL, STAYED, STAYED_OWN)
"""Facts about distances of three arbitrary models, the share of a step, and a model that does not move."""


def squares(*norms: sp.Symbol) -> tuple[sp.Eq, ...]:
    """The glossary's squares of norms."""
    return tuple(eq(letters.FEDMES[f"{norm.name}2"].symbol, norm**2) for norm in norms)


NEXT = eq(b.off2_next, b.off_next**2)
NORMS = (
    *squares(
        b.error, b.error_before, b.end_from_centre, b.from_centre, b.centre_moved, b.own_left, b.drawn, b.off
    ),
    NEXT,
)


AT_ITS_PACE = Fact(
    b.PACED,
    Scene(
        name="the pace of a global model, as it is defined",
        shapes=({},),
        space=lambda shape: dict.fromkeys(("pace", "off", "off_next", "room"), Box(0.1, 1)),
        compute=lambda shape, values: {
            "left": values["off_next"] - values["pace"] * values["off"],
            "slack": values["room"],
        },
        covers="a definition",
    ),
    "slack",
    {"room": ("left", b.PACED)},
)


def by_steps(shape: Shape, step: Array) -> Array:
    """The factor of a coordinate after E local steps, if one step has the factor `step`."""
    return step ** shape["E"]


def facts_of(
    distances: Distances, facts: Facts, kept: Callable[[Shape, Array], Array | int] = by_steps
) -> tuple[Fact, ...]:
    """Facts about rounds of an algorithm whose local steps are gradient steps on (2), or have the factors of `kept`."""

    def compute(shape: Shape, values: Named) -> Values:
        h, c_k, best = values["h"], values["c_k"], values["best"][:, None]
        rate, lam, c, L = (column(values[name], 2) for name in ("eta_1", "lam", "c", "L"))
        # Of a coordinate: what a step leaves, the curvature beyond c, and that which L has beyond it
        fast, more, least, less = (values[name] for name in ("fast", "more", "least", "less"))
        start, own = h * c_k / (h + lam), values["own"] - (h * c_k + lam * best) / (h + lam)
        power, slow = 2 * shape["E"], fast + rate * more
        steps = lambda share: sum(share**step for step in range(shape["E"]))  # noqa: E731
        share, moved = kept(shape, 1 - rate * (h + lam)), lam * best / (h + lam)
        contracts = _expanded(slow**power - fast**power)
        return {
            **distances(shape, values, values["best"]),
            "left_fast": 1 - rate * (h + lam),
            "left_more": h - c,
            "left_least": 1 - rate * (L + lam) + 0 * h,
            "left_less": L - h,
            "left_slow": 1 - values["eta_1"] * (values["c"] + values["lam"]),
            "slack_local": (contracts * start**2).sum(axis=-1),
            "slack_floor": (_expanded((least + rate * less) ** power - least**power) * start**2).sum(axis=-1),
            "slack_centre": (
                lam**2 * more * (2 * (c + lam) + more) * (best / ((c + lam) * (h + lam))) ** 2
            ).sum(axis=-1),
            "slack_own": (contracts * own**2).sum(axis=-1),
            "slack_drawn": (_expanded(steps(slow) ** 2 - steps(fast) ** 2) * (rate * lam * best) ** 2).sum(
                axis=-1
            ),
            "slack_cross": area2(share * start, moved),
            "slack_own_cross": area2(share * own, (1 - share) * moved),
            "slack_all": values["eta_1"] * (values["c"] + values["lam"]) * steps(values["slow"]),
        }

    scene = Scene(
        name="local steps on any quadratic losses",
        shapes=tuple({"n": 1, "E": E, "d": d, "held": 0} for d, E in ((2, 1), (1, 3), (1, 2), (1, 1))),
        space=_space,
        compute=compute,
        covers="an identity for any quadratic loss, models and optima, in 2 dimensions for 1 and in 1 for up to 3 local steps, where what "
        "short steps and the constants leave is taken as it is; both sides are sums over coordinates, alike in each, and "
        "every number of steps adds terms that are not negative",
        restricts=b.QUADRATICS,
    )
    any_loss = scene.variant(
        "ways between any models",
        restricts=(),
        covers="an identity between any models, whatever led to them; alike in every coordinate",
    )
    assumed = {
        "fast": ("left_fast", b.SHORT),
        "least": ("left_least", b.SHORT),
        "slow": ("left_slow", b.SHORT),
        "more": ("left_more", BENT[0]),
        "less": ("left_less", BENT[1]),
        "lam": ("lam", b.PULLED),
    }
    return (
        *(
            Fact(relation, any_loss if relation in OF_WAYS else scene, name and f"slack_{name}", assumed)
            for name, relation in facts.items()
        ),
        *(Fact(relation, any_loss) for relation in (LEFT, LEAST_LEFT, *NORMS)),
    )


_expanded = np.vectorize(sp.expand, otypes=[object])


def _space(shape: Shape) -> dict[str, Box]:
    each = Box(0.1, 1, (1, shape["d"]))
    anywhere = Box(-1, 1, (1, shape["d"]))
    return {
        **dict.fromkeys(("h", "fast", "more", "least", "less"), each),
        **dict.fromkeys(("c_k", "own"), anywhere),
        **dict.fromkeys(("eta_1", "c", "L", "slow"), Box(0.1, 1)),
        "lam": Box(0, 1),
        "best": Box(-1, 1, (shape["d"],)),
        "room": Box(0.1, 1),
    }
