"""CFL: facts about gradients at the start of a round; the drifts are independent of its model."""

from __future__ import annotations

from itertools import product

from bounds.cfl.convex import c_pB, c_pG, cB, cG, g2_start
from bounds.cfl.correlated import delta2, xi2
from bounds.cfl.nonconvex import apart2_start, start2
from bounds.cfl.symbols import A2, B2, D2, G2, N, g2
from bounds.hypotheses import Hypothesis
from bounds.relations import ge, le
from nqm.fields import Array, stack
from verify.engine.scene import Box, Fact, Named, Scene, Shape, Values
from verify.scenes.cfl.drifts import signs

STARTED = le(start2, N * (c_pB * g2_start + c_pG))
APART_AT_START = le(apart2_start, (cB - 1) * g2_start + cG)
GROWN, GROWN_EACH = ge(c_pB, 1), ge(cB, 1)

_DRIFTS = {
    "room_client": ("left_client", le(delta2, G2 + B2 * g2)),
    "room_time": ("left_time", le(xi2, D2 + A2 * g2)),
}


def mean(x: Array) -> Array:
    """Expectation: all outcomes are equally likely."""
    return x.sum(axis=1) / x.shape[1]


def total(terms: list[Array]) -> Array:
    """Expected sum over clients and a list."""
    return sum(mean(term).sum(axis=-1) for term in terms)


def _start(shape: Shape, values: Named) -> Values:
    """Weighted true gradients at the start, with independent client and time drifts of either sign."""
    N, t = shape["N"], shape["t"]
    drawn = signs(1 + t, values["slope"])[None]
    weight = stack([*(values["weight"][..., n] for n in range(t - 1)), 1 - values["weight"].sum(axis=-1)], -1)
    time = (weight[:, None] * drawn[:, :, None, 1:] * values["time"][:, None]).sum(axis=-1)
    true = values["slope"][:, None, None] + drawn[..., :1] * values["client"][:, None] + time
    square, g2_ = (weight**2).sum(axis=-1), values["slope"] ** 2
    averaged = lambda level, growth: level + growth * square.sum(axis=-1) / N  # noqa: E731
    room = values["room_client"] + (weight**2 * values["room_time"]).sum(axis=-1)
    each = lambda level, growth: (level[:, None] + growth[:, None] * square)[..., None]  # noqa: E731
    return {
        "cB": each(1 + values["B2"], values["A2"]),
        "cG": each(values["G2"], values["D2"]),
        "apart2_start": mean((true - values["slope"][:, None, None]) ** 2)[..., None],
        "slack_each": room[..., None],
        "slack_grown_each": each(values["B2"], values["A2"]),
        "start2": total([true**2]),
        **dict.fromkeys(("g2", "g2_start"), g2_),
        **{"delta2": values["client"] ** 2, "xi2": values["time"] ** 2},
        "c_pB": averaged(1 + values["B2"], values["A2"]),
        "c_pG": averaged(values["G2"], values["D2"]),
        "left_client": (values["G2"] + values["B2"] * g2_)[:, None] - values["client"] ** 2,
        "left_time": (values["D2"] + values["A2"] * g2_)[:, None, None] - values["time"] ** 2,
        "slack": room.sum(axis=-1),
        "slack_grown": averaged(values["B2"], values["A2"]),
    }


_START = Scene(
    name="the start of a round with any drifts",
    shapes=tuple({"N": N, "t": t} for N, t in product((1, 2), repeat=2)),
    space=lambda shape: {
        **dict.fromkeys(("A2", "B2", "D2", "G2"), Box(0.1, 1)),
        **{"slope": Box(-1, 1), "client": Box(-1, 1, (shape["N"],))},
        "time": Box(-1, 1, (shape["N"], shape["t"])),
        "weight": Box(-1, 1, (shape["N"], shape["t"] - 1)),
        "room_client": Box(0.1, 1, (shape["N"],)),
        "room_time": Box(0.1, 1, (shape["N"], shape["t"])),
    },
    compute=_start,
    covers="an identity between arbitrary drifts of 1 and 2 clients and rounds, under weights that sum to one, where what bounds the drifts "
    "is taken as it is; clients and rounds add alike, in every coordinate",
)
_OF_NEW = _START.variant(
    "the start of a round whose model the drifts have not met", restricts=(Hypothesis.NEW_CLIENTS,)
)
START_FACTS = (
    Fact(STARTED, _OF_NEW, "slack", _DRIFTS),
    Fact(APART_AT_START, _OF_NEW, "slack_each", _DRIFTS),
    Fact(GROWN, _START, "slack_grown"),
    Fact(GROWN_EACH, _START, "slack_grown_each"),
)
