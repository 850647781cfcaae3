"""Facts about gradients of memory and current data: norms, means over clients, and implications of Assumption 3 and omega^2."""

from __future__ import annotations

from itertools import combinations, product

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag.bias import apart2, apart2_mean, cross_h, fd2_i, r_i
from bounds.cflag.drift_sums import ebar, rho
from bounds.cflag.growth import PARTS, fd_e, fd_n, fd_rho, gap2, gs
from bounds.cflag.repairs import w_least
from bounds.cflag.symbols import E, ds, e2, gg, gg2, gh2, omega2, r, rho2, s2
from bounds.relations import eq, ge, le
from nqm.fields import Array, dot, norm, sq
from verify.engine.model.scene import Box, Fact, Named, Scene, Shape, Values
from verify.scenes.lengths import detour, excess

TURNED = (ge(fd_rho, -fd_n * rho), ge(fd_e, -fd_n * ebar))
"""Cauchy-Schwarz."""
SQUARES = (eq(gg2, gg**2), eq(e2, ebar**2))
LARGEST = le(r_i, r)
"""The definition of r."""
LEAST = le(w_least, sp.Symbol("w_i", positive=True))
"""The definition of w_least: no client's memory has a smaller share w_i of its data."""
MEMORY = le(fd_n, r * gg)
"""Lemma 10 in norms."""
AGAINST = ge(ds, gs - (E**2 * gap2 + s2) / (2 * E))
"""Bound on the inner product of memory gradient and delayed gradients, by the current gradient and its difference to the memory's."""
ANGLE = (eq(gg2, gh2 + 2 * cross_h + apart2), le(2 * cross_h, gh2 + apart2))
"""The current gradient as the sum of the gradient of memory and current data and a difference."""
WITHIN = le(apart2_mean, omega2)
"""The current data C are one of the sets D."""
PARTED = (le(s2, 2 * rho2 + 2 * e2), eq(ds, fd_rho + fd_e))
"""The delayed gradients are the sum of true gradients and delay errors."""


def weights(values: Named) -> Array:
    """Positive weights that sum to one, (batch, N)."""
    return values["raw"] / values["raw"].sum(axis=1)[:, None]


def spread(p: Array, vectors: Array) -> Array:
    """Weighted variance of vectors (batch, N, d): mean square minus squared mean, (batch,)."""
    pairs = combinations(range(vectors.shape[1]), 2)
    return sum((p[:, i] * p[:, j] * sq(vectors[:, i] - vectors[:, j]) for i, j in pairs), 0 * p[:, 0])


def in_norms(shape: Shape, values: Named) -> Values:
    """Memory gradients of the clients (batch, N, d) and arbitrary further vectors, with the slack of Assumption 3."""
    own, g, true, late, total = (values[name] for name in ("fd_own", "g", "true", "late", "total"))
    p = weights(values)
    parts = [p[:, i, None] * own[:, i] for i in range(shape["N"])]
    fd, length = sum(parts), norm(g)
    left = detour(parts) + (p * (values["room_own"] + values["room_r"] * length[:, None])).sum(axis=1)
    apart = lambda a, b: detour([a + b, -b]) * detour([a + b, -a]) / 2  # noqa: E731
    alpha, beta, L = (values[name] for name in ("alpha", "beta", "L"))
    along = -beta * (1 - L * alpha)
    return {
        **{"fd_n": norm(fd), "gg": length, "rho": norm(true), "ebar": norm(late)},
        **{"fd2": sq(fd), "gg2": sq(g), "rho2": sq(true), "e2": sq(late)},
        **{"fd_rho": dot(fd, true), "fd_e": dot(fd, late)},
        **{"s2": sq(total), "ds": dot(fd, total), "gs": dot(g, total), "gap2": sq(g - fd)},
        **{"T1": L * beta**2 * sq(true), "T4": L * beta**2 * sq(late)},
        **{"T2": along * dot(fd, true), "T3": along * dot(fd, late)},
        "fd2_i": sq(own),
        "left_own": values["r_i"] * length[:, None] - norm(own),
        "left_r": values["r"][:, None] - values["r_i"],
        "slack rho": apart(fd, true),
        "slack e": apart(fd, late),
        "slack young": sq(shape["E"] * (g - fd) - total) / (2 * shape["E"]),
        "slack memory": left,
        "slack lem10": left * (values["r"] * length + norm(fd)),
    }


_NORMS = Scene(
    name="memory gradients of clients in norms",
    shapes=tuple({"N": N, "E": E, "d": 1} for N, E in (*product((1, 2), range(1, 6)), (3, 1))),
    space=lambda shape: {
        **{name: Box(0.1, 1, (shape["N"],)) for name in ("raw", "r_i", "room_own", "room_r")},
        "fd_own": Box(-2, 2, (shape["N"], shape["d"])),
        **{name: Box(-2, 2, (shape["d"],)) for name in ("g", "true", "late", "total")},
        **{name: Box(0.1, 2) for name in ("alpha", "beta", "L", "r")},
    },
    compute=in_norms,
    covers="an identity between arbitrary gradients of up to 3 clients, with what Assumption 3 leaves taken as it is; the "
    "slack is made of |x_1| + .. + |x_n| - |x_1 + .. + x_n|, in the same way for every further client and coordinate",
)
_ASSUMED = {"room_own": ("left_own", le(fd2_i, r_i**2 * gg2)), "room_r": ("left_r", LARGEST)}
OF_NORMS = (
    Fact(TURNED[0], _NORMS, "slack rho"),
    Fact(TURNED[1], _NORMS, "slack e"),
    *(Fact(relation, _NORMS) for relation in SQUARES),
    *(Fact(eq(part, value), _NORMS) for part, value in PARTS.items()),
    Fact(AGAINST, _NORMS, "slack young"),
    Fact(MEMORY, _NORMS, "slack memory", _ASSUMED),
)


def in_parts(shape: Shape, values: Named) -> Values:
    """An arbitrary memory gradient, and delayed gradients as arbitrary true gradients plus arbitrary delay errors, (batch, d)."""
    fd, true, late = (values[name] for name in ("fd", "true", "late"))
    return {
        **{"s2": sq(true + late), "rho2": sq(true), "e2": sq(late)},
        **{"ds": dot(fd, true + late), "fd_rho": dot(fd, true), "fd_e": dot(fd, late)},
        "slack parted": sq(true - late),
    }


_PARTS = Scene(
    name="delayed gradients as true ones and delays",
    shapes=({"d": 1},),
    space=lambda shape: {name: Box(-2, 2, (shape["d"],)) for name in ("fd", "true", "late")},
    compute=in_parts,
    covers="an identity between arbitrary vectors, the same in every coordinate",
)
IN_PARTS = (Fact(PARTED[0], _PARTS, "slack parted"), Fact(PARTED[1], _PARTS))
LEMMA_10 = Fact(statement("cflag.lem10").compared, _NORMS, "slack lem10", _ASSUMED)


def at_point(shape: Shape, values: Named) -> Values:
    """Biases of clients, gaps between memory and current data (batch, N, d), and differences of another set D.

    A client's gradient of the current data differs from that of memory and current data by the memory's share of the gap.
    """
    p = weights(values)
    b_i, gap_i, joint, w = (values[name] for name in ("b_i", "gap_i", "joint", "w_least"))
    more = values["room_share"]
    apart_i = (w[:, None] + more)[..., None] * gap_i
    mean = lambda x: (p[..., None] * x).sum(axis=1)  # noqa: E731
    bias, apart = mean(b_i), mean(apart_i)
    over = (p * excess(sq(apart_i), [values["other2"]])).sum(axis=1)
    return {
        **{"b2": sq(bias), "b2_mean": (p * sq(b_i)).sum(axis=1)},
        **{"apart2": sq(apart), "apart2_mean": (p * sq(apart_i)).sum(axis=1)},
        **{"gh2": sq(joint), "gg2": sq(joint + apart), "cross_h": dot(joint, apart)},
        "w_i": w[:, None] + more,
        "omega2": (p * sq(apart_i)).sum(axis=1) + over,
        "gap2": sq(mean(gap_i)),
        "slack bias": spread(p, b_i),
        "slack apart": spread(p, apart_i),
        "slack cross": sq(joint - apart),
        "slack omega": over,
        "slack lem11": sq(joint - apart) + 2 * (spread(p, apart_i) + over),
        "slack gap": (over + (p * more * (2 * w[:, None] + more) * sq(gap_i)).sum(axis=1)) / w**2
        + spread(p, gap_i),
    }


_POINT = Scene(
    name="biases and differences of clients at a point",
    shapes=tuple({"N": N, "d": 1} for N in (1, 2, 3)),
    space=lambda shape: {
        **{name: Box(0.1, 1, (shape["N"],)) for name in ("raw", "other2", "room_share")},
        **{name: Box(-2, 2, (shape["N"], shape["d"])) for name in ("b_i", "gap_i")},
        "joint": Box(-2, 2, (shape["d"],)),
        "w_least": Box(0.1, 1),
    },
    compute=at_point,
    covers="an identity between arbitrary vectors of up to 3 clients; the slack is a sum over pairs of clients of squares, or "
    "what a largest number exceeds another by, in the same way for every further client and coordinate",
)
MEAN_BIAS = Fact(statement("cflag.eq29.jensen").compared, _POINT, "slack bias")
AT_POINT = (
    MEAN_BIAS,
    Fact(statement("cflag.eq78").compared, _POINT, "slack apart"),
    Fact(ANGLE[0], _POINT),
    Fact(ANGLE[1], _POINT, "slack cross"),
    Fact(WITHIN, _POINT, "slack omega"),
    Fact(statement("cflag.lem11").compared, _POINT, "slack lem11"),
    Fact(statement("cflag.lem4.gap").compared, _POINT, "slack gap", {"room_share": ("room_share", LEAST)}),
)
