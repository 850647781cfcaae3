"""Clients that store some samples of the past: every draw of the memories, and the constants of their bias.

Losses are those of `nqm.mixtures`; means of such losses have the same form. Axes are (batch, path, client, sample, d), as far as
they are needed. A path is one outcome of all memories that are drawn during a run.

Shapes: ``N`` clients with ``S`` past samples, of which a memory contains ``m0``, and ``J`` current samples; ``E`` local steps;
``T`` rounds; ``d`` dimensions. ``centres``: minimisers of past samples are 0, all equal; 1, different between clients; 2,
different between samples. ``turned``: 0, quadratics along the coordinates; 1, quadratics in the plane with their own axes plus
nonquadratic losses, with one sign of curvature for all clients; 2, the same for one client whose past losses are convex along
one axis and concave along the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from algorithms.memory import every_memory
from nqm.fields import Array, abs_, amax, amin, concatenate, like, maximum, sq, stack, where
from nqm.mixtures import Bowls, Quadratics, around, bowls, largest_ratio, ratio_bound
from verify.engine.model.scene import Box, Named, Shape, Values

IntArray = np.ndarray


def sizes(**lists: int) -> Shape:
    """A shape; sizes that are not given are the smallest."""
    return {"N": 1, "S": 1, "m0": 1, "J": 1, "E": 1, "T": 1, "d": 1, "centres": 0, "turned": 0, **lists}


TURNED = (
    sizes(S=2, J=2, E=2, d=2, turned=1),
    sizes(S=2, E=2, d=2, turned=2),
    sizes(N=2, S=2, E=2, d=2, turned=1),
)
"""Shapes of clients with nonquadratic losses that have their own axes."""

# ------------------------------------------------------------------------------------------------------- losses


@dataclass(frozen=True)
class Clients:
    """Clients with their weights p (batch, 1, N), past losses (batch, 1, N, S, d) and current ones (batch, 1, N, J, d)."""

    p: Array
    past: Quadratics
    now: Quadratics

    def across(self, values: Array) -> Array:
        """Weighted sum over clients, (batch, path, N, d) -> (batch, path, d)."""
        return (self.p[..., None] * values).sum(axis=2)

    def of_all(self, losses: Quadratics) -> Quadratics:
        """Global loss (batch, path, d) of client losses (batch, path, N, d)."""
        return losses.weighted(self.p, axis=-2)

    def remembered(self, kept: IntArray) -> Quadratics:
        """Losses of the samples `kept` (path, N, m), each (batch, path, N, m, d)."""
        chosen = like(self.past.h, np.eye(self.past.h.shape[3], dtype=int)[kept])
        return self.past.picked(chosen)


def world_space(shape: Shape) -> dict[str, Box]:
    """Parameters of the losses: past losses of a client are all convex or all concave, current losses are arbitrary.

    Curvatures are in the unit `unit`.
    """
    N, S, J, d = (shape[name] for name in ("N", "S", "J", "d"))
    apart, each = shape["centres"], S if shape["centres"] == 2 else 1
    centre = {"centre": Box(-2, 2, (N, each, d))} if apart else {}
    turned = {"axis": Box(-1, 1, (N, each)), "now_axis": Box(-1, 1, (N, J)), "now_bowl": Box(-1, 1, (N, J))}
    # Assumption 2 has no finite constant for clients whose losses have different minimisers
    bowl = {"bowl": Box(-0.9, 0.9, (N, S))} if apart != 1 else {}
    return {
        "raw": Box(0.1, 1, (N,)),
        "unit": Box(0.01, 1, scale="log"),
        "past_h": Box(0.05, 2, (N, S, d)),
        "bent": Box(-1, 1, (N,), levels=(-1, 1)),
        **centre,
        **({**turned, **bowl} if shape["turned"] else {}),
        "now_h": Box(-2, 2, (N, J, d)),
        "now_c": Box(-2, 2, (N, J, d)),
        "m_i_more": Box(1e-6, 0.3, scale="log"),
        "m_more": Box(0.01, 3, scale="log"),
        "room": Box(0, 0),
    }


TOLD: Mapping[str, str] = {
    "S": "past samples of a client",
    "m0": "samples in the memory of a client",
    "J": "current samples of a client",
    "centres": "1 if past losses are least at a point of each client, 2 if past losses are least at a point of each sample",
    "turned": "1 if losses have axes of their own and a part that is no quadratic, 2 if losses have such axes and past ones are also concave along one axis",
    "r": "rounds that are over",
    "raw": "the weights p_i of the clients are these over their sum",
    "unit": "unit of all curvatures",
    "past_h": "curvatures of the past samples, client by client, sample by sample, coordinate by coordinate, in that unit",
    "bent": "1 for a client whose past losses are convex, -1 for one whose past losses are concave",
    "centre": "where the losses of the past samples have their stationary points; at the origin if there is none",
    "axis": "tangent of the angle by which the axes of a past loss are turned",
    "bowl": "how much a past loss has of sqrt(1 + |x|^2) - 1, over its smaller curvature",
    "now_h": "curvatures of the current samples, in that unit, with their signs",
    "now_axis": "tangent of the angle by which the axes of a current loss are turned",
    "now_bowl": "how much a current loss has of sqrt(1 + |x|^2) - 1, in that unit",
    "now_c": "where the losses of the current samples have their stationary points",
    "m_i_more": "by how much the m_i of Assumption 2 are larger than they must be",
    "m_more": "by how much the m of Lemma 9 is larger than it must be, or m itself where there is no such m",
    "L_given": "the L of Assumption 1, no smaller than any curvature",
    "m_given": "the m of Lemma 9, no smaller than it must be",
    "root_given": "square root of the m of Lemma 9",
    "room": "share by which constants are larger than they must be",
    "x": "the model at the start, x_0 or x_t",
    "order": "the sample whose gradient client i computes again at its local step k, from 0 on",
    "apart": "by how much the curvatures of two past samples of a client differ from their mean",
    "slope": "slope of the current loss along the second coordinate",
    "mu": "the strong convexity constant of the past losses",
    "more": "what the eigenvalues of the clients' Hessians are beyond mu",
    "size": "square roots of the m_i of Assumption 2",
    "way": "tangent of half the angle between a client's gradient and its bias",
}
"""Descriptions of the sizes and parameters of these scenes."""
TOLD_MIRRORED: Mapping[str, str] = {
    **TOLD,
    "past_h": "curvatures of the past samples of the first client, and of the second one",
    "bent": "1 if the past losses of both clients are convex, -1 if they are concave",
    "centre": "where the past losses of the first client have their stationary points; those of the second are opposite",
}
"""Descriptions for `mirrored` clients, each of which has weight 1/2."""


def clients_of(shape: Shape, values: Named) -> Clients:
    """The clients at these parameters."""
    raw, unit = values["raw"], values["unit"][:, None, None, None]
    p = (raw / raw.sum(axis=1)[:, None])[:, None]
    if shape["turned"]:
        return Clients(p, *turned_losses(shape, values))
    past = (unit * values["past_h"] * values["bent"][:, :, None, None])[:, None]
    centre = values["centre"][:, None] + 0 * past if shape["centres"] else 0 * past
    return Clients(
        p, around(past, centre), around((unit * values["now_h"])[:, None], values["now_c"][:, None])
    )


def turned_losses(shape: Shape, values: Named) -> tuple[Bowls, Bowls]:
    """Losses of the past samples, (batch, 1, N, S), and of the current ones, (batch, 1, N, J).

    The pseudo-Huber part of past samples is smaller than the curvature along either axis, so no gradient vanishes except at the
    minimiser.
    """
    unit, h, now = values["unit"][:, None, None], values["past_h"], values["now_h"]
    first = unit * values["bent"][:, :1, None]
    second = first if shape["turned"] == 1 else -first
    none = 0 * h[..., 0]
    centre = values["centre"] + 0 * h if shape["centres"] else 0 * h
    bowl = first * values["bowl"] * amin(abs_(h), -1) if "bowl" in values else none
    past = bowls(first * h[..., 0], second * h[..., 1], values["axis"] + none, centre, bowl)
    current = bowls(
        unit * now[..., 0], unit * now[..., 1], values["now_axis"], values["now_c"], unit * values["now_bowl"]
    )
    return past.on_one_path(), current.on_one_path()


# ----------------------------------------------------------------------------------------------------- memories


def one_draw(shape: Shape) -> IntArray:
    """Every outcome of the memories of all clients, equally likely, (path, N, m0)."""
    each = every_memory(shape["S"], shape["m0"])
    return np.array(list(product(each, repeat=shape["N"])))


def fixed_memory(shape: Shape) -> IntArray:
    """Every outcome of memories that are drawn once for all T rounds, (path, T, N, m0)."""
    return np.repeat(one_draw(shape)[:, None], shape["T"], axis=1)


def redrawn_memory(shape: Shape) -> IntArray:
    """Every outcome of memories that are redrawn in each of T rounds, (path, T, N, m0)."""
    return np.array(list(product(one_draw(shape), repeat=shape["T"])))


def parts_of(size: int) -> list[tuple[int, ...]]:
    """All subsets of the places of a memory, the empty one first."""
    return [part for n in range(size + 1) for part in combinations(range(size), n)]


def joint(clients: Clients, kept: IntArray) -> Quadratics:
    """Samples of memory and current data together, (batch, path, N, m0 + J, d)."""
    memory = clients.remembered(kept)
    return memory.joined(clients.now)


def together(clients: Clients, kept: IntArray) -> Quadratics:
    """Global loss of memory and current data, (batch, path, d)."""
    return clients.of_all(joint(clients, kept).mean(3))


def spread_at(shape: Shape, clients: Clients, kept: IntArray, x: Array) -> Array:
    """omega^2 of Lemma 11 at one point x (batch, path, d): the sum over clients of p_i times the largest squared
    difference between the gradients of D and of all, for C in D in the union of C and M; (batch, path).
    """
    memory = clients.remembered(kept).grad(x[:, :, None, None])
    current = clients.now.grad(x[:, :, None, None]).sum(axis=3)
    of_set = lambda part: (current + sum(memory[:, :, :, n] for n in part)) / (shape["J"] + len(part))  # noqa: E731
    everything = of_set(range(shape["m0"]))
    apart = stack([sq(of_set(part) - everything) for part in parts_of(shape["m0"])], axis=-1)
    return (clients.p * amax(apart, -1)).sum(axis=-1)


# ---------------------------------------------------------------------------------------------------- constants


def smoothness(clients: Clients) -> Array:
    """Largest curvature of the past loss of any client and of any current sample, (batch,): Assumption 1."""
    past, now = clients.past.mean(3).steepest(), clients.now.steepest()
    return maximum(amax(past, (1, 2)), amax(now, (1, 2, 3)))


def suprema(clients: Clients) -> Values:
    """Suprema of curvatures of clients (Assumption 1) and of single current samples (sentence before Lemma 8), (batch, 1)."""
    return {
        "client_sup": smoothness(clients)[:, None],
        "sample_sup": amax(clients.now.steepest(), (1, 2, 3))[:, None],
    }


def smoothness_of_samples(clients: Clients) -> Array:
    """Largest curvature of any past or current sample, (batch,)."""
    return maximum(smoothness(clients), amax(clients.past.steepest(), (1, 2, 3)))


def bias_constants(shape: Shape, clients: Clients) -> tuple[Array, Array]:
    """m_i (batch, N) of Assumption 2 and m (batch,) of Lemma 9, at all points and for every draw.

    These are the smallest constants, except the m of several clients with their own axes, which is an upper bound.
    """
    own, whole = bias_shares(shape, clients)
    return own**2, whole**2


def bias_shares(shape: Shape, clients: Clients) -> tuple[Array, Array]:
    """The roots of m_i and m: the largest ratios of bias and gradient, of each client (batch, N) and of all (batch,).

    If the samples of a client have the same minimiser, its bias is its gradient times a factor in each coordinate. The same
    holds for all clients together if all have the same minimiser.
    """
    kept = one_draw(shape)
    remembered, past = clients.remembered(kept).mean(3), clients.past.mean(3)
    if isinstance(past, Bowls) and isinstance(remembered, Bowls):
        bias = remembered.less(past)
        own = amax(largest_ratio(bias, past), 1)
        if shape["N"] == 1:
            return own, own[:, 0]
        both = (losses.weighted(clients.p, axis=-2) for losses in (bias, past))
        return own, amax(ratio_bound(*both), 1)
    each = abs_((remembered.h - past.h) / past.h)
    whole = clients.of_all(past).h
    bias = clients.of_all(remembered).h - whole
    return amax(each, (1, 3)), amax(abs_(bias / whole), (1, 2))


def known_constants(shape: Shape, values: Named) -> Values:
    """L, m_i and m of the world, with slack; the m_i and m are slightly larger than necessary."""
    clients, more = clients_of(shape, values), 1 + values["room"]
    own, whole = bias_constants(shape, clients)
    return {
        "L": smoothness(clients) * more,
        "m_i": own[:, None] * more[:, None, None] + values["m_i_more"][:, None, None],
        "m": whole * more + values["m_more"],
    }


def given_constants(shape: Shape, values: Named) -> Values:
    """The given L and m if they are valid for the world, else 0; the m_i are slightly larger than necessary.

    Rates that depend on L and m are then simple fractions.
    """
    clients = clients_of(shape, values)
    own, whole = bias_constants(shape, clients)
    valid = lambda name, least: where(least <= values[name], values[name], 0 * values[name])  # noqa: E731
    return {
        "L": valid("L_given", smoothness(clients)),
        "m_i": own[:, None] + values["m_i_more"][:, None, None],
        "m": valid("m_given", whole),
    }


def ratio(top: Array, bottom: Array) -> Array:
    """`top` divided by `bottom` >= 0; 0 where `bottom` is 0: there no constant of Assumption 3 exists."""
    nothing = bottom == 0
    return where(nothing, 0 * (top + bottom), top / where(nothing, 0 * bottom + 1, bottom))


# ------------------------------------------------------------------------------------------------- special clients


def one_hessian_space(shape: Shape) -> dict[str, Box]:
    """Like `world_space` with one curvature for each client."""
    own = {
        "past_h": Box(0.05, 2, (shape["N"], 1, shape["d"])),
        "bent": Box(-1, 1, (shape["N"],), levels=(-1, 1)),
    }
    return {name: box for name, box in {**world_space(shape), **own}.items() if name != "now_h"}


def one_hessian(shape: Shape, values: Named) -> Values:
    """Clients whose past and current samples have the same curvature; omega^2 of Lemma 11 is then the same at every point."""
    h, n_past, n_now = values["past_h"], shape["S"], shape["J"]
    each = lambda x, n: concatenate([x] * n, 2)  # noqa: E731
    return {**values, "past_h": each(h, n_past), "now_h": each(h * values["bent"][:, :, None, None], n_now)}


def mirrored_space(shape: Shape) -> dict[str, Box]:
    """Like `world_space` for two clients, with parameters for the past losses of the first one only."""
    half = world_space({**shape, "N": 1})
    return {**world_space(shape), **{name: half[name] for name in ("past_h", "bent", "centre")}}


def mirrored(values: Named) -> Values:
    """Two clients of equal weight with the same past curvatures and opposite minimisers: at the origin, grad f = 0."""
    twice = lambda x, sign: concatenate([x, sign * x], 1)  # noqa: E731
    return {
        **values,
        "raw": 0 * values["raw"] + 1,
        "past_h": twice(values["past_h"], 1),
        "bent": twice(values["bent"], 1),
        "centre": twice(values["centre"], -1),
    }
