"""SPECIAL, Lemma C.5: one local step after e others, for any e; definitions of its symbols and bounds of the assumptions."""

from __future__ import annotations

from bounds.relations import le
from bounds.special.lemmas import D_before, het2, lip2, noise2
from bounds.special.local_steps import BRACKET, FADES, GREW, GROWS, GROWTH, WALKED, WITHIN
from bounds.special.symbols import E, L, L_sup, client_sup, noise_sup, sigma_G2, sigma_L2
from nqm.fields import Array, sq
from verify.engine.model.scene import Box, Fact, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.special.lemmas import LOCAL, bracket_of, walk
from verify.scenes.special.local_drift import INSERTED, ONE_STEP


def one_step(shape: Shape, values: Named) -> Values:
    """Quantities of the step after ``shape["e"]`` others, of every client (batch, M); E occurs only in constants."""
    M, e, g = shape["M"], shape["e"], values["g"]
    drift, lip = walk(shape, values, e + 2)
    task = g.sum(axis=1) / M
    one = 1 + 0 * values["gamma_L"]
    growth = growth_of(shape, one)
    return {
        **{"D_before": drift[e], "D_now": drift[e + 1], "D_mean": drift[e].sum(axis=1) / M},
        **{"lip2": lip[e], "noise2": values["s2"], "het2": sq(g - task[:, None]), "gi2": sq(task)},
        "bracket": bracket_of(shape, values, sq(task)),
        "growth": growth,
        **_faded(growth, 1 / (1 + growth) ** e, e * one),
    }


def growth_of(shape: Shape, one: Array) -> Array:
    """The growth factor of squared drift, in the arithmetic of `one`."""
    return one / (2 * shape["E"] - 1) + 3 * one / (32 * shape["E"])


def _faded(growth: Array, fade: Array, walked: Array) -> Values:
    """The remaining contribution of earlier steps, now and one step later."""
    return {
        **{"fade": fade, "fade_next": fade / (1 + growth)},
        **{"walked": walked, "walked_next": walked + 1},
        **{"grew": walked * growth, "grew_next": walked * growth + growth},
    }


_NUMBERS = Scene(
    name="a local step in numbers",
    shapes=({"E": E},),
    space=lambda shape: dict.fromkeys(
        ("fade", "walked", "gamma_L", "sigma_L2", "sigma_G2", "gi2", "any"), Box(0.1, 1)
    ),
    compute=lambda shape, values: {
        **_faded(values["any"], values["fade"], values["walked"]),
        "growth": values["any"],
        "bracket": bracket_of(shape, values, values["gi2"]),
    },
    covers="what the letters mean",
)
_GROWTH = _NUMBERS.variant(
    "by what share drift grows",
    compute=lambda shape, values: {"growth": growth_of(shape, values["any"] / values["any"])},
)
_LEFT = _NUMBERS.variant(
    "local steps that are left",
    space=lambda shape: {"walked": Box(0, 1), "left": Box(0, 1)},
    compute=lambda shape, values: {"E": values["walked"] + 1 + values["left"], "slack": values["left"]},
    shapes=({},),
)
STEPS_LEFT = Fact(WITHIN, _LEFT, "slack", {"left": ("slack", WITHIN)})
_ROOMS = ("room_noise", "room_clients", "room_smooth")
_BOUNDED = _NUMBERS.variant(
    "what the assumptions bound in every outcome",
    shapes=({},),
    space=lambda shape: dict.fromkeys(("L", "D_before", "sigma_L2", "sigma_G2", *_ROOMS), Box(0.1, 1)),
    compute=lambda shape, values: _bounded(values),
    covers="means over equally likely outcomes of what is bounded in each",
)


def _bounded(values: Named) -> Values:
    most = {
        "noise": ("noise2", values["sigma_L2"]),
        "clients": ("het2", values["sigma_G2"]),
        "smooth": ("lip2", values["L"] ** 2 * values["D_before"]),
    }
    found = {name: bound - values[f"room_{room}"] for room, (name, bound) in most.items()}
    left = {f"left_{room}": bound - found[name] for room, (name, bound) in most.items()}
    return {**found, **left}


NOISE, CLIENTS = le(noise2, noise_sup), le(het2, client_sup)
SMOOTH = le(lip2, L_sup**2 * D_before)
"""Bounds of means over outcomes by suprema."""
_assumed = {
    "room_noise": ("left_noise", le(noise_sup, sigma_L2), NOISE),
    "room_clients": ("left_clients", le(client_sup, sigma_G2), CLIENTS),
    "room_smooth": ("left_smooth", le(L_sup, L), SMOOTH),
}
FACTS: tuple[Fact | Sums, ...] = (
    ONE_STEP,
    *(Fact(relation, _BOUNDED, room, _assumed) for relation, room in zip(INSERTED, _ROOMS, strict=True)),
    *(Fact(meaning, _NUMBERS) for meaning in (BRACKET, FADES, WALKED, GREW, GROWS)),
    Fact(GROWTH, _GROWTH),
    STEPS_LEFT,
)


def _sizes(M: int, E: int, e: int, d: int = 1) -> Shape:
    return {"M": M, "E": E, "e": e, "d": d}


WITHIN_ROUND = LOCAL.variant(
    "local steps on quadratics, one by one",
    shapes=(
        *(
            _sizes(1, 1, 0),
            _sizes(1, 2, 1),
            _sizes(2, 2, 0),
            _sizes(2, 2, 1),
            _sizes(2, 3, 1),
            _sizes(2, 3, 2),
        ),
        *(_sizes(2, 5, 4, 2), _sizes(3, 8, 4), _sizes(3, 8, 7)),
    ),
    compute=Proved(one_step, FACTS, defines=(WITHIN, NOISE, CLIENTS, SMOOTH)),
)
"""Steps of one round."""
STEP_BY_STEP = WITHIN_ROUND.variant(
    "local steps on quadratics, as many as you like",
    shapes=(*WITHIN_ROUND.shapes, _sizes(1, 1, 2), _sizes(2, 2, 4)),
)
"""Also more than E steps: the recursion from step to step does not depend on the number of steps."""
