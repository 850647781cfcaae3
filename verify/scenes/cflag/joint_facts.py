"""Facts about rounds on memory and current data as one data set (C-FLAG, Lemma 3): descent, and errors of delayed gradients."""

from __future__ import annotations

import sympy as sp

from bounds.cflag.joint import gh2_least, gh2_least_next, gh2_sum, gh2_sum_next, h_first, js, js2
from bounds.cflag.symbols import Dht, E, L, beta, gh2, h_next, h_now
from bounds.relations import eq, ge, le
from nqm.fields import dot, norm, sq
from verify.engine.model.scene import Assumption, Box, Fact, Named, Scene, Shape, Values
from verify.scenes.cflag.drift_facts import COVERS, FEW, played, rooms, shapes, space
from verify.scenes.cflag.drift_tight import added_up
from verify.scenes.cflag.so_far import facts_of
from verify.scenes.cflag.terms import BOTH, JOINT, OF_BOTH
from verify.scenes.lengths import detour

ALONG = ge(js, (E - sp.Rational(4, 7) * beta * L * E**2) * gh2)
LENGTH = le(js2, sp.Rational(64, 49) * E**2 * gh2)
"""For beta <= 1/(4LE), the sum of the delayed gradients of a round is E times the gradient, up to the share 4/7 beta L E."""
DESCENT = le(h_next - h_now, -beta * (gh2 + js) + L / 2 * beta**2 * (gh2 + 2 * js + js2))
"""The descent lemma for the update of Eq. (68)."""


def near(shape: Shape, values: Named) -> Values:
    """The sum of the delayed gradients of a round, compared with the gradient at its start."""
    run, _ = played(shape, values)
    steps, room, factor = shape["E"], values["room_quarter"], sp.Rational(8, 7)
    total, apart, late, left = added_up(shape, values, run, factor, sp.Rational(1, 4 * steps), room)
    g, length, half = run.global_gradient, norm(run.global_gradient), sp.Rational(steps**2, 2)
    early = sum(run.p[:, i] * (half - late[i]) for i in range(shape["N"]))
    left = left + factor * values["beta"] * values["L"] * length * early
    turned = detour([g + apart, -apart]) * detour([g + apart, -g]) / 2
    whole = sp.Rational(8 * steps, 7) * length
    short = detour([steps * g, apart]) + left + sp.Rational(steps, 7) * room * length
    return {
        **{"gh2": sq(g), "js2": sq(total), "js": dot(g, total)},
        **(found := rooms(values, run)),
        **{f"joint_{name}": found[f"sample_{name}"] for name in ("turn", "way")},
        "slack along": length * left + turned,
        "slack length": short * (whole + norm(total)),
    }


def downhill(shape: Shape, values: Named) -> Values:
    """A step of Eq. (68) with an arbitrary gradient and sum, and the slack of the quadratic upper bound of a smooth loss."""
    g, total, rate = values["gradient"], values["total"], values["beta"]
    move = -rate[:, None] * (g + total)
    bound = values["h_now"] + dot(g, move) + values["L"] / 2 * sq(move)
    return {
        **{"gh2": sq(g), "js": dot(g, total), "js2": sq(total)},
        "h_next": bound - values["room_loss"],
        **{"joint_lift": values["L"] / 2 * sq(move) - values["room_loss"], "joint_way2": sq(move)},
        "left_loss": values["room_loss"],
        "slack descent": values["room_loss"],
    }


_ASSUMED: dict[str, Assumption] = {
    "room_start": ("left_start", OF_BOTH, JOINT),
    "room_quarter": ("left_quarter", le(beta, 1 / (4 * E * L))),
}
_NEAR = Scene("a round on memory and current data with small steps", shapes(FEW), space, near, covers=COVERS)
_DOWNHILL = Scene(
    name="a step along any gradient and any sum of delayed gradients",
    shapes=({"d": 1},),
    space=lambda shape: {
        **{name: Box(-2, 2, (shape["d"],)) for name in ("gradient", "total")},
        **{name: Box(0.1, 1) for name in ("beta", "L", "room_loss")},
        "h_now": Box(-2, 2),
    },
    compute=downhill,
    covers="the descent lemma (Nesterov, Lectures on Convex Optimization, Lemma 1.2.3), between arbitrary vectors, the same in every "
    "coordinate",
)
ON_BOTH = (
    Fact(ALONG, _NEAR, "slack along", _ASSUMED),
    Fact(LENGTH, _NEAR, "slack length", _ASSUMED),
    Fact(DESCENT, _DOWNHILL, "slack descent", {"room_loss": ("left_loss", OF_BOTH, BOTH)}),
)
FALL = eq(Dht, h_first - h_now)
_LETTERS = Scene(
    name="the fall of the loss over a run",
    shapes=({},),
    space=lambda shape: dict.fromkeys(("h_first", "h_now"), Box(-2, 2)),
    compute=lambda shape, values: {"Dht": values["h_first"] - values["h_now"]},
    covers="what the letters mean",
)
SO_FAR = (*facts_of(gh2_sum, gh2_sum_next, gh2, gh2_least, gh2_least_next), Fact(FALL, _LETTERS))
