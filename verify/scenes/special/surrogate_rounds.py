"""Symbols of the corrected proof for SPECIAL: bounds on the effect of the start, of noise and of local drift over rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bounds.special import surrogate_proof as proof
from bounds.special.surrogate_rounds import CONVEX_PATH, PATHS, SMOOTH_PATH, VARIANCE_IS, Pace, Path
from bounds.special.surrogate_strong import LAST, PACE
from bounds.special.symbols import E, M, N, t
from nqm.fields import Array, maximum, sqrt, where
from verify.engine.model.scene import Box, Fact, Named, Scene, Shape, Values

ROOTED = ("miss2", "miss_next2", "blown2", "worked2")


def roots(squares: Named) -> Values:
    """Roots of the mean squares that have one in the glossary."""
    return {name[:-1]: sqrt(squares[name]) for name in ROOTED if name in squares}


def over_rounds(shape: Shape, values: Named, miss0: Array) -> Values:
    """The symbols for convex and for smooth losses.

    If a gradient step increases distances as fast as the server shrinks them, there is no bound for infinitely many rounds. No
    claim is made then, and the value of `gust_s` is arbitrary.
    """
    return _of_paths(shape, values, miss0, _meaningful(_growth(shape, values), values))


def over_steps(shape: Shape, values: Named, miss0: Array) -> Values:
    """The symbols for strongly convex losses and one local step; arbitrary values if steps are too long, as in `over_rounds`."""
    narrowed = _narrowed(values)
    return _of_strong(shape, values, miss0, narrowed, _meaningful(narrowed, values))


def _meaningful(pace: Array, values: Named) -> Array:
    divisor = 1 + values["lam"]
    return where(pace < divisor, _pull(pace, values), divisor)


def _pull(pace: Array, values: Named) -> Array:
    divisor = 1 + values["lam"]
    return (divisor - pace) * (divisor + pace)


def _g(values: Named) -> Array:
    return values["gamma_G"] * values["gamma_L"]


def _growth(shape: Shape, values: Named) -> Array:
    return 1 + _g(values) * shape["E"] * values["L"]


def _narrowed(values: Named) -> Array:
    return maximum(1 - _g(values) * values["convexity"], _g(values) * values["L"] - 1)


def _of_paths(shape: Shape, values: Named, miss0: Array, pull: Array) -> Values:
    lam, each, grown = values["lam"], _each(shape, values, miss0), _growth(shape, values)
    return {
        "variance": each["variance"],
        "grown": grown,
        "spare": 1 + lam - grown,
        **_effects_of_noise_and_start(shape, each, CONVEX_PATH, 1 + 0 * lam, lam * (lam + 2)),
        **_effect_of_drift(shape, each, CONVEX_PATH, 1 + 0 * lam),
        **_effects_of_noise_and_start(shape, each, SMOOTH_PATH, grown, pull),
        **_effect_of_drift(shape, each, SMOOTH_PATH, grown),
    }


def _of_strong(shape: Shape, values: Named, miss0: Array, narrowed: Array, pull: Array) -> Values:
    each = _each(shape, values, miss0)
    return {
        "variance": each["variance"],
        "narrowed": narrowed,
        "spared": 1 + values["lam"] - narrowed,
        **_effects_of_noise_and_start(shape, each, PACE, narrowed, pull),
    }


def _each(shape: Shape, values: Named, miss0: Array) -> Values:
    """The symbols with the contribution of a round."""
    E, M, N = (shape[name] for name in "EMN")
    noise = E * values["sigma_L2"] / N + E**2 * (M - N) * values["sigma_G2"] / (N * (M - 1))
    return {**values, "miss0": miss0, "noise": noise, "variance": _g(values) ** 2 * noise}


def _effects_of_noise_and_start(shape: Shape, values: Named, q: Pace, pace: Array, pull: Array) -> Values:
    """The effects of noise and of the start, with their symbols."""
    ratio, each = pace / (1 + values["lam"]), values["variance"] / (1 + values["lam"]) ** 2
    found = {q.gust.name: sqrt(values["noise"] / pull)}
    for (rounds, left), kept, square, root in zip(
        _rounds_and_factors(shape, ratio),
        (q.kept, q.kept_next),
        (q.carried2, q.carried_next2),
        (q.carried, q.carried_next),
        strict=True,
    ):
        both = left**2 * values["miss0"] ** 2 + each * _summed(ratio**2, rounds, left**2)
        found |= {kept.name: left, square.name: both, root.name: sqrt(both)}
    return found


def _effect_of_drift(shape: Shape, values: Named, q: Path, pace: Array) -> Values:
    """The effect of local drift."""
    E, divisor = shape["E"], 1 + values["lam"]
    work = _g(values) * values["L"] * values["gamma_L"] * values["B"] * E * (E - 1) / 2
    return {
        name.name: work / divisor * _summed(pace / divisor, rounds, left)
        for name, (rounds, left) in zip(
            (q.drifted, q.drifted_next), _rounds_and_factors(shape, pace / divisor), strict=True
        )
    }


def _rounds_and_factors(shape: Shape, ratio: Array) -> tuple[tuple[Any, Array], ...]:
    """The numbers of rounds t and t + 1, and the remaining factors."""
    left = ratio ** shape["t"]
    return (shape["t"], left), (shape["t"] + 1, left * ratio)


def _summed(ratio: Array, terms: Any, last: Array) -> Array:
    """1 + ratio + .. + ratio^(terms - 1), where `last` is ratio^terms. The closed form cancels digits; it is used for symbols only."""
    if isinstance(terms, int):
        return sum((ratio**k for k in range(terms)), 0 * ratio)
    return (1 - last) / (1 - ratio)


_NUMBERS = ("gamma_G", "gamma_L", "lam", "L", "B", "sigma_L2", "sigma_G2", "convexity", "miss0", *ROOTED)
_DEFINED = Scene(
    name="what rounds make of the start, of noise and of local drift",
    shapes=({"M": M, "N": N, "E": E, "t": t},),
    space=lambda shape: dict.fromkeys(_NUMBERS, Box(0.1, 1)),
    compute=lambda shape, values: {
        **_of_paths(shape, values, values["miss0"], _pull(_growth(shape, values), values)),
        **roots(values),
    },
    covers="what the letters mean",
)


def _strong_scene(name: str, pace: Callable[[Named], Array]) -> Scene:
    def compute(shape: Shape, values: Named) -> Values:
        pull = _pull(pace(values), values)
        return {**_of_strong(shape, values, values["miss0"], pace(values), pull), **roots(values)}

    return _DEFINED.variant(
        name, space=lambda shape: dict.fromkeys((*_NUMBERS, "narrowed"), Box(0.1, 1)), compute=compute
    )


_DEFINED_STRONG = _strong_scene("what rounds make of the start and of noise", _narrowed)
_ANY_PACE = _strong_scene("the same at any pace", lambda values: values["narrowed"])
_ONE_STEP = _DEFINED_STRONG.variant(
    "the same with one local step, which is a condition of every statement about it",
    shapes=({"M": M, "N": N, "t": t},),
    compute=lambda shape, values: _DEFINED_STRONG.compute({**shape, "E": 1}, values),
)


def meanings() -> tuple[Fact, ...]:
    """Facts that define the symbols for convex and for smooth losses."""
    said = (*proof.SQUARES, VARIANCE_IS, *(meaning for path in PATHS for meaning in path.defined))
    return tuple(Fact(meaning, _DEFINED) for meaning in said)


def meanings_of_strong() -> tuple[Fact, ...]:
    """Facts that define the symbols for strongly convex losses."""
    at_any = (*proof.SQUARES[:2], VARIANCE_IS, *PACE.defined[1:-2])
    return (
        *(Fact(meaning, _ANY_PACE) for meaning in at_any),
        Fact(PACE.means[0], _DEFINED_STRONG),
        *(Fact(meaning, _ONE_STEP) for meaning in LAST),
    )
