"""Scenes of CFL, Appendices B.1 to B.3: a convex loss at three points, Taylor expansions, drifts of clients and rounds."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from bounds.catalogue import statement
from nqm.fields import Array, abs_, amax, amin, dot, like, maximum, minimum, norm, sq, sqrt, stack
from verify.engine.model.scene import Box, Fact, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.drift_facts import OF_DEPENDENT
from verify.scenes.cfl.drifts import largest, mixed_drifts, moments, signs
from verify.scenes.cfl.uncorrelated_sums import OF_DRIFTS, UNCORRELATED
from verify.scenes.cfl.weights import sums
from verify.scenes.parameters import allowance, with_sum_one

SQUARED = Box(0, 4)
"""Range of a squared constant."""


# ---------------------------------------------------------------------------- smooth convex losses (1, A.5, B.3)


def piecewise(x: Array, mu_: Array, more: Array) -> tuple[Array, Array]:
    """Loss and gradient of mu |x|^2/2 + more * Huber(x), which is (mu + more)-smooth and mu-strongly convex."""
    inside = minimum(abs_(x), 1 + 0 * x)
    cut = maximum(minimum(x, 1 + 0 * x), -1 + 0 * x)
    loss = mu_[:, None] * x**2 / 2 + more[:, None] * (inside * abs_(x) - inside**2 / 2)
    return loss.sum(axis=-1), mu_[:, None] * x + more[:, None] * cut


def between_points(shape: Shape, values: Named) -> Values:
    """Inner products of the differences of three points and of the gradients at two of them."""
    x, y, z, slope, slope_y = (values[name] for name in ("x", "y", "z", "slope", "slope_y"))
    turn = slope - slope_y
    return {
        "x_to_y": dot(slope, y - x),
        "x_to_z": dot(slope, z - x),
        "y_to_z": dot(slope, z - y),
        "y_to_x": dot(slope_y, x - y),
        "both2": sq(y + z - 2 * x),
        **{"xy2": sq(x - y), "xz2": sq(x - z), "yz2": sq(y - z)},
        "turn2": sq(turn),
        "turn_x": dot(slope, turn),
        "turn_y": dot(slope_y, turn),
    }


_ANY_POINTS = Scene(
    name="three points and any gradients",
    shapes=({"d": 1},),
    space=lambda shape: dict.fromkeys(("x", "y", "z", "slope", "slope_y"), Box(-1, 1, (shape["d"],))),
    compute=between_points,
    covers="any points and gradients",
)
_EQUATIONS = tuple(
    statement(f"cfl.{id}").compared for id in ("lemA.5.triangle", "lemA.5.slopes", "ass1.corollary.turn")
)


def three_points(shape: Shape, values: Named) -> Values:
    """Assumption 1 and Lemma A.5 at three points."""
    x, y, z = (values[name] for name in "xyz")

    def at(point: Array) -> tuple[Array, Array]:
        loss, slope = piecewise(point, values["convex"], values["more"])
        return loss + values["level"], slope

    smooth = (values["convex"] + values["more"]) * (1 + values["room"])
    (h_x, slope), (h_y, slope_y), (h_z, _) = at(x), at(y), at(z)
    turn = slope - slope_y
    return {
        **between_points(shape, {**values, "slope": slope, "slope_y": slope_y}),
        "L": smooth,
        "mu": values["convex"] / (1 + values["room"]),
        **{"h_x": h_x, "h_y": h_y, "h_z": h_z, "h_w": at(x - turn / smooth[:, None])[0]},
        "bregman": h_y - h_x - dot(slope, y - x),
    }


POINTS = Scene(
    name="three points of a convex loss",
    shapes=({"d": 1}, {"d": 2}, {"d": 3}),
    space=lambda shape: {
        **{name: Box(-3, 3, (shape["d"],)) for name in "xyz"},
        "convex": Box(0.01, 4, scale="log"),
        "more": Box(0, 4),
        "level": Box(-4, 4),
        "room": Box(0, 0),
    },
    room="room",
    compute=Proved(three_points, tuple(Fact(relation, _ANY_POINTS) for relation in _EQUATIONS)),
    covers="equal as polynomials in the coordinates of points and gradients; every coordinate is alike",
)


def expanded(shape: Shape, values: Named) -> Values:
    """Lemma B.3 for the losses with f'(x) = a x / (1 + |x|) in every coordinate, 0 <= f'' <= a."""
    a, at, end, here = (values[name] for name in ("a", "at", "end", "here"))
    slope = lambda x: a * x / (1 + abs_(x))  # noqa: E731
    bent = lambda x: a / (1 + abs_(x)) ** 2  # noqa: E731
    lost = slope(here) - slope(at) - bent(at) * (here - at)
    change = amax(a, -1)
    return {
        "bend": change,
        "eps_H": change * (1 + values["room"]),
        "lost": lost,
        "loss_norm": norm(lost),
        "from_point": norm(here - at),
        "from_end": norm(here - end),
    }


EXPANDED = Scene(
    name="Taylor expansion of a gradient",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {
        "a": Box(0.01, 2, (shape["d"],)),
        **{name: Box(-2, 2, (shape["d"],)) for name in ("at", "end")},
        "here": Box(-50, 50, (shape["d"],)),
        "reach": Box(0.1, 100, scale="log"),
        "room": Box(0, 0),
    },
    room="room",
    compute=expanded,
)
GRID = 128
"""Number of grid points on the segment of the mean value equation."""


def between(shape: Shape, values: Named) -> Values:
    """Change of the gradient of sum_j a_j x_j^3/6 + b_j x_j^4/24 from 0 to v, compared with its Hessian at s v.

    In coordinate j they differ by a_j v_j^2 (s - 1/2) + b_j v_j^3 (s^2/2 - 1/6), whose slope in s is at most
    |a_j| v_j^2 + |b_j v_j^3|; so the largest of them on a grid, less half a grid step, bounds it from below.
    """
    cubic, quartic = values["a"] * values["v"] ** 2, values["b"] * values["v"] ** 3
    s = like(cubic, np.arange(GRID + 1))[None, :, None] / GRID
    gap = cubic[:, None] * (s - _half(s)) + quartic[:, None] * (s**2 / 2 - _half(s) / 3)
    steepest = amax(abs_(cubic) + abs_(quartic), -1)
    least = amin(amax(abs_(gap), -1), 1) - steepest / (2 * GRID)
    return {"missed_by": maximum(least, 0 * least)}


def _half(like_this: Array) -> Array:
    return (0 * like_this + 1) / 2


BETWEEN = Scene(
    name="mean value of a gradient",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {name: Box(-2, 2, (shape["d"],)) for name in ("a", "b", "v")},
    compute=between,
)


# -------------------------------------------------------------------------------------- drifts (B.1, B.2)


def one_client(shape: Shape, values: Named) -> Values:
    """Lemma B.1: equally likely drifts (batch, outcome, d) of mean zero, at a given model."""
    mean = lambda x: x.sum(axis=1) / values["drift"].shape[1]  # noqa: E731
    drift = values["drift"] - mean(values["drift"])[:, None]
    square, spread = sq(values["gradient"]), mean(sq(drift))
    level = maximum(spread * (1 + values["room"]) - values["A_1"] ** 2 * square, 0 * square)
    return {
        "g2": square,
        "drift_i2": spread,
        "grad_i2": mean(sq(values["gradient"][:, None] - drift)),
        "B_1": sqrt(level) + values["room"],
    }


CLIENT = Scene(
    name="drift of a client",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {
        "gradient": Box(-2, 2, (shape["d"],)),
        "drift": Box(-2, 2, (3, shape["d"])),
        "A_1": Box(0, 3),
        "room": Box(0, 0),
    },
    room="room",
    compute=one_client,
    covers="equal as polynomials; every coordinate is alike, and the mixed term has the mean of the drifts as a factor",
)


def drifts(shape: Shape, values: Named) -> Values:
    """Lemma B.2: time drifts independent from round to round, client drifts too (`once`) or the same in every round."""
    some = values["weights"]
    p = with_sum_one(some) if shape["normed"] else some
    found = independent(shape, values, p)
    more, square = 1 + values["room"], found["g2"]
    return {
        **found,
        "G2": allowance(found["delta2"], values["B2"], square, more) + values["room"],
        "D2": allowance(largest(found["xi2"]), values["A2"], square, more) + values["room"],
        "p_sum": p.sum(axis=1),
        "p_square": sums(p, 0 * square)["square"],
    }


def independent(shape: Shape, values: Named, p: Array) -> Values:
    """Moments of drifts that are independent from round to round, with weights p (batch, t)."""
    some = values["weights"]
    plain = like(some, np.eye(shape["t"], dtype=int))[None] + 0 * some[..., None]
    time, sign = mixed_drifts(plain, values["time"])
    found = moments(values["gradient"], values["client"], sign, time, p)
    local = (
        values["gradient"][:, None, None] + sign[None, :, None, None] * values["client"][:, None, None] + time
    )
    again = local - values["gradient"][:, None, None]
    over = lambda x: sq((p[:, None, :, None] * x).sum(axis=2)).sum(axis=1) / len(sign)  # noqa: E731
    return {
        **found,
        **once(p, values),
        "grad_now2": sq(local[:, :, -1]).sum(axis=1) / len(sign),
        "doubled2": over(local + again),
        "restored2": over(values["gradient"][:, None, None] + again),
    }


def once(p: Array, values: Named) -> Values:
    """Part (3): the client of every round has its own drift, and all drifts have the same size."""
    t = p.shape[-1]
    outcomes = signs(2 * t, p)[None, :, :, None]
    delta = outcomes[:, :, :t] * values["client"][:, None, None]
    xi = outcomes[:, :, t:] * values["time"][:, None]
    mean = lambda x: sq(x).sum(axis=1) / outcomes.shape[1]  # noqa: E731
    weighted = lambda x: (p[:, None, :, None] * x).sum(axis=2)  # noqa: E731
    return {
        "grad_once2": mean(weighted(values["gradient"][:, None, None] + delta + xi)),
        "mixed_delta2": mean(weighted(delta)),
        "mixed_xi2": mean(weighted(xi)),
    }


def crossings(shape: Shape, values: Named) -> Values:
    """Expected inner products of the gradient, client drifts of two rounds and time drifts, for all pairs."""
    t = shape["t"]
    outcomes = signs(t + 2, values["time"])[None, :, :, None]
    drawn = [
        values["gradient"][:, None] + 0 * outcomes[:, :, 0],
        *(outcomes[:, :, k] * values["client"][:, None] for k in (0, 1)),
        *(outcomes[:, :, 2 + r] * values["time"][:, None, r] for r in range(t)),
    ]
    products = [dot(x, y).sum(axis=1) / outcomes.shape[1] for x, y in combinations(drawn, 2)]
    return {"crossed_each": stack(products, -1)}


DRIFTS = Scene(
    name="drifts of rounds",
    shapes=tuple({"t": t, "d": d, "normed": 1} for t, d in ((1, 1), (2, 1), (3, 1), (2, 2))),
    space=lambda shape: {
        "weights": Box(-1, 2, (shape["t"],)),
        **{name: Box(-2, 2, (shape["d"],)) for name in ("gradient", "client")},
        "time": Box(-2, 2, (shape["t"], shape["d"])),
        "A2": SQUARED,
        "B2": SQUARED,
        "room": Box(0, 0),
    },
    room="room",
    compute=Proved(drifts, OF_DRIFTS, (UNCORRELATED,), crossings),
)


def gradient_drift(shape: Shape, values: Named) -> Values:
    """The (G, B) gradient drift: its constants from those of Assumption 3 (`given`), or the smallest for a growth."""
    found = drifts(shape, values)
    if shape["given"]:
        return {**found, "grow_GB": 1 + values["A2"] + values["B2"], "level_GB": found["G2"] + found["D2"]}
    level = allowance(found["grad_now2"], values["growth"], found["g2"], 1 + values["room"])
    return {**found, "grow_GB": values["growth"], "level_GB": level + values["room"]}


GRADIENT_DRIFT = DRIFTS.variant(
    "(G, B) gradient drift",
    shapes=tuple({"t": 1, "d": d, "normed": 1, "given": given} for given in (0, 1) for d in (1, 2)),
    space=lambda shape: {**DRIFTS.space(shape), "growth": Box(1, 4)},
    compute=Proved(gradient_drift, OF_DRIFTS, (UNCORRELATED,), crossings),
)
NOW = DRIFTS.variant(
    "drifts of the current round", shapes=tuple({**DRIFTS.shapes[0], "d": d} for d in (1, 2))
)


def dependent(shape: Shape, values: Named) -> Values:
    """The current round, with a time drift of the same or the opposite sign as the client drift."""
    drift, square = values["client"] + values["time"][:, -1], sq(values["gradient"])
    more = 1 + values["room"]
    each = {"delta2": sq(values["client"]), "xi2": sq(values["time"][:, -1])}
    return {
        **each,
        "g2": square,
        "grad_now2": (sq(values["gradient"] + drift) + sq(values["gradient"] - drift)) / 2,
        "G2": allowance(each["delta2"], values["B2"], square, more) + values["room"],
        "D2": allowance(each["xi2"], values["A2"], square, more) + values["room"],
    }


DEPENDENT = DRIFTS.variant(
    "drifts of the current round that depend on each other",
    shapes=({"t": 1, "d": 1, "normed": 1}, {"t": 1, "d": 2, "normed": 1}),
    compute=Proved(dependent, (OF_DEPENDENT,)),
)
FREE = DRIFTS.variant(
    "drifts of rounds, any weights", shapes=tuple({**s, "normed": 0} for s in DRIFTS.shapes)
)
