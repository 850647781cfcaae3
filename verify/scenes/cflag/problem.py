"""Losses of past and current data (C-FLAG, Eq. 1-3), and a round with each of the printed server rules (Eq. 7, 23-25)."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag.drift import WEIGHTS
from bounds.cflag.problem import h_mean, h_split, h_turn2, p_total, phi_all, phi_one, xy2
from bounds.cflag.symbols import L, p_sum
from bounds.relations import eq, le
from nqm.fields import Array, abs_, amax, maximum, sq, stack
from verify.engine.model.scene import Box, Fold, Named, Proved, Scene, Shape, Values
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows, jensen
from verify.scenes.summands import definition, summed


def by_sizes(shape: Shape, values: Named) -> Values:
    """Losses of past and current data of clients (batch, N), by their numbers of samples.

    ``weights``: 0 for any weights p_i, 1 for the shares of the clients in all data; ``equal`` shares of past data.
    """
    n_current = values["n_current"]
    n_past = n_current * values["share"][:, None] if shape["equal"] else values["n_past"]
    n_all = n_past + n_current
    raw = n_all if shape["weights"] else values["raw"]
    p = raw / raw.sum(axis=1)[:, None]
    f, g = values["f"], values["g"]
    past, current = n_past.sum(axis=1), n_current.sum(axis=1)
    return {
        "h_mean": (p * (n_past * f + n_current * g) / n_all).sum(axis=1),
        "h_split": (past * (p * f).sum(axis=1) + current * (p * g).sum(axis=1)) / (past + current),
    }


def _numbers(shape: Shape) -> dict[str, Box]:
    N = (shape["N"],)
    counts = {name: Box(1, 10, N) for name in ("n_past", "n_current")}
    return {
        **counts,
        "share": Box(0.1, 5),
        "raw": Box(0.1, 1, N),
        **{name: Box(-2, 2, N) for name in ("f", "g")},
    }


_weight_of = sp.Symbol("weight", positive=True)
_past, _now, _counted = named("past data, current data, own data", positive=True)
_old, _new, _old_mean, _new_mean = named(
    "own past loss, own current loss, past loss, current loss", real=True
)
_ratio = sp.Symbol("past data per current data", positive=True)
OF_EQUAL = follows(
    statement("cflag.eq3/equal-shares").compared,
    summed(
        eq(h_mean, (_ratio * _old_mean + _new_mean) / (_ratio + 1)),
        {
            h_mean: _weight_of
            * (_ratio * _counted * _old + _counted * _new)
            / (_ratio * _counted + _counted),
            _old_mean: _weight_of * _old,
            _new_mean: _weight_of * _new,
        },
        (_weight_of, _counted, _old, _new),
    ),
    summed(eq(_past, _ratio * _now), {_past: _ratio * _counted, _now: _counted}, (_counted,)),
    definition(eq(h_split, (_past * _old_mean + _now * _new_mean) / (_past + _now))),
)
"""Means by clients and by samples, if all clients have the same ratio of past and current data."""
OF_ALIKE = summed(
    statement("cflag.eq1").compared, {phi_all: _weight_of * phi_one, p_total: _weight_of}, (_weight_of,)
)


DATA = Scene(
    name="past and current data of clients",
    shapes=tuple({"N": N, "weights": 0, "equal": 0} for N in (1, 2)),
    space=_numbers,
    compute=by_sizes,
)
BY_SIZE = DATA.variant(
    "clients weighted by their data", shapes=tuple({**s, "weights": 1} for s in DATA.shapes)
)
EQUAL = DATA.variant(
    "clients with the same share of past data",
    shapes=tuple({"N": N, "weights": 0, "equal": 1} for N in (1, 2, 3)),
    compute=Proved(by_sizes, (OF_EQUAL,)),
    covers="equal as rational functions for up to 3 clients; a further client adds its weight times the same mean to both sides",
)


def one_loss(shape: Shape, values: Named) -> Values:
    """A weighted sum of one loss, for any weights."""
    return {
        "p_total": values["raw"].sum(axis=1),
        "phi_one": values["loss"],
        "phi_all": (values["raw"] * values["loss"][:, None]).sum(axis=1),
    }


ALIKE = Scene(
    name="clients with one loss",
    shapes=tuple({"N": N} for N in (1, 2, 3)),
    space=lambda shape: {"raw": Box(0.1, 1, (shape["N"],)), "loss": Box(-2, 2)},
    compute=Proved(one_loss, (OF_ALIKE,)),
    covers="equal as polynomials for up to 3 clients; both sides are sums over clients",
)


def two_points(shape: Shape, values: Named) -> Values:
    """Gradients of quadratic client losses with curvatures h (batch, N, d) at two points."""
    away, h = values["x"] - values["y"], values["h"]
    largest = maximum(amax(h, (1, 2)), amax(-h, (1, 2)))
    found = _measures_of_turns(values, h * away[:, None], away)
    return {
        **found,
        "curvature": amax(abs_(h), -1),
        "turn2_each": sq(h * away[:, None]),
        "L": largest * (1 + values["room"]),
    }


def _measures_of_turns(values: Named, turns: Array, away: Array) -> Values:
    p = values["raw"] / values["raw"].sum(axis=1)[:, None]
    return {"h_turn2": sq((p[..., None] * turns).sum(axis=1)), "xy2": sq(away), "p_sum": p.sum(axis=1)}


WITHIN = le(sp.Symbol("curvature", nonnegative=True), L)
"""The definition of L: no curvature of a client's loss is larger."""
TURNED = le(sp.Symbol("turn2_each", nonnegative=True), WITHIN.lhs**2 * xy2)
"""The definition of a curvature: the largest change of a client's gradient per distance."""
_weight, _mean2 = named("weight, mean2", nonnegative=True)
AS_SMOOTH = follows(
    statement("cflag.eq2").compared,
    jensen(h_turn2, _mean2, p_sum),
    summed(
        le(_mean2, p_sum * L**2 * xy2),
        {_mean2: _weight * TURNED.lhs, p_sum: _weight},
        (_weight, TURNED.lhs),
        follows(le(TURNED.lhs, L**2 * xy2), given=(WITHIN, TURNED), through=(le(WITHIN.lhs**2, L**2),)),
        through=(le(_weight * TURNED.lhs, _weight * L**2 * xy2),),
    ),
    given=WEIGHTS,
)
"""The gradient of the global loss changes by the mean of the changes of the clients' gradients."""
POINTS = Scene(
    name="two points of a global loss",
    shapes=({"N": 1, "d": 1}, {"N": 2, "d": 1}, {"N": 2, "d": 2}),
    space=lambda shape: {
        "raw": Box(0.1, 1, (shape["N"],)),
        "h": Box(-2, 2, (shape["N"], shape["d"])),
        **{name: Box(-2, 2, (shape["d"],)) for name in "xy"},
        "room": Box(0, 0),
    },
    room="room",
    compute=Proved(two_points, (AS_SMOOTH,), (WITHIN, TURNED, *WEIGHTS)),
)


def servers(shape: Shape, values: Named) -> Values:
    """One round with every printed rule, for arbitrary gradients of clients with weights of sum one; in each coordinate.

    Gradients g_i of the current data and fd_i of the memories are (batch, N, d), delayed ones (batch, N, E, d).
    """
    p = (values["raw"] / values["raw"].sum(axis=1)[:, None])[..., None]
    over = lambda v: (p * v).sum(axis=1)  # noqa: E731
    x, g_i, fd_i, delayed = (values[name] for name in ("x", "g_i", "fd_i", "delayed"))
    alpha, beta = (values[name][:, None] for name in ("alpha", "beta"))
    fd, shift = over(fd_i), over(g_i)[:, None] - g_i
    ends = x[:, None] - beta[:, None] * (shape["E"] * shift + delayed.sum(axis=2))
    s = over(delayed.sum(axis=2))
    memory, by_24 = (alpha * fd)[:, None] + 0 * ends, x - alpha * fd - beta * s
    printed = (x - alpha * fd - beta * over(ends), x - over(memory + ends), x - over(ends - memory))
    return {
        "x_rules": stack(printed, 1),
        "x_seven": x - alpha * fd + over(ends - x[:, None]),
        "x_displaced": x - over(memory + x[:, None] - ends),
        "x_shared": by_24[:, None],
        "x_eq23": over(ends - (alpha * fd)[:, None]),
        "x_eq24": by_24,
        "x_eq25": x - alpha * over(fd_i) - beta * s,
    }


def _summed(shape: Shape, values: Named) -> Values:
    """One client and one local step, with the weighted means over clients and the sums over steps."""
    p = values["raw"] / values["raw"].sum(axis=1)[:, None]
    over = lambda v: (p[..., None] * v).sum(axis=1)[:, None]  # noqa: E731
    means = {name: over(values[name]) for name in ("g_i", "fd_i")}
    return {"raw": 1 + 0 * p[:, :1], **means, "delayed": over(values["delayed"].sum(axis=2))[:, :, None]}


SERVERS = Scene(
    name="server rules for any gradients",
    shapes=tuple({"N": N, "E": E, "d": 1} for N, E in ((1, 1), (1, 2), (2, 1), (2, 2))),
    space=lambda shape: {
        "x": Box(-2, 2, (shape["d"],)),
        "raw": Box(0.1, 1, (shape["N"],)),
        **{name: Box(-2, 2, (shape["N"], shape["d"])) for name in ("g_i", "fd_i")},
        "delayed": Box(-2, 2, (shape["N"], shape["E"], shape["d"])),
        **{name: Box(0.1, 2) for name in ("alpha", "beta")},
    },
    compute=servers,
    folds=Fold({"N": 1, "E": 1}, _summed),
    covers="equal as rational functions for 1 and 2 clients and local steps; both sides are sums over clients and steps, the "
    "same in every coordinate",
)
