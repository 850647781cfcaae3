"""Memories and their bias in C-FLAG (Assumptions 2 and 3, Lemmas 8 to 11), at a point and along runs."""

from __future__ import annotations

from collections.abc import Callable

from algorithms.memory import every_memory
from bounds.cflag.bias import (
    b2_i,
    b_mean,
    b_split,
    fd2_i,
    fd_less_f,
    fd_mean,
    fd_weighted,
    gf2_i,
    gf_i,
    turn_i,
)
from bounds.cflag.drift import WEIGHTS
from bounds.relations import eq
from nqm.fields import Array, amax, dot, norm, sq, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.cflag.descent_facts import UNBIASED
from verify.scenes.cflag.memories import (
    TOLD,
    TOLD_MIRRORED,
    TURNED,
    IntArray,
    clients_of,
    fixed_memory,
    known_constants,
    mirrored,
    mirrored_space,
    one_draw,
    ratio,
    redrawn_memory,
    sizes,
    spread_at,
    together,
    world_space,
)
from verify.scenes.cflag.memories import joint as samples_of_both
from verify.scenes.cflag.memory_facts import AT_POINT, LARGEST, LEAST, LEMMA_10
from verify.scenes.cflag.memory_rounds import Round, run, run_space, start
from verify.scenes.shapes import shapes_of
from verify.scenes.trees import Tree

# ------------------------------------------------------------------------------------------ vectors at a point


def vectors(shape: Shape, values: Named) -> Values:
    """Arbitrary gradients and biases (batch, N, d) of clients with weights of sum one, and arbitrary further vectors."""
    p = (values["raw"] / values["raw"].sum(axis=1)[:, None])[..., None]
    gf_i, b_i, apart_i = (values[name] for name in ("gf_i", "b_i", "apart_i"))
    bias, apart = (p * b_i).sum(axis=1), (p * apart_i).sum(axis=1)
    joint = values["joint"]
    return {
        "fd_less_f": (p * (gf_i + b_i)).sum(axis=1) - (p * gf_i).sum(axis=1),
        "b_split": bias,
        "b2": sq(bias),
        "b2_mean": (p[..., 0] * sq(b_i)).sum(axis=1),
        "apart2": sq(apart),
        "apart2_mean": (p[..., 0] * sq(apart_i)).sum(axis=1),
        "gh2": sq(joint),
        "gg2": sq(joint + apart),
        "cross_h": dot(joint, apart),
        "p_sum": p.sum(axis=(1, 2)),
    }


PARTED = Sums(
    eq(fd_less_f, b_split),
    {
        fd_less_f: ["dot", "axis", ["-", ["+", ["total", "past"], ["total", "bias"]], ["total", "past"]]],
        b_split: ["dot", "axis", ["total", "bias"]],
    },
    {"N": "count", "past": "family N", "bias": "family N", "axis": "vector"},
)
"""Weighted gradients and biases of any number of clients, along any vector."""
VECTORS = Scene(
    name="gradients and biases of clients at a point",
    shapes=tuple({"N": N, "d": d} for N, d in ((1, 1), (2, 1), (3, 1), (2, 2))),
    space=lambda shape: {
        "raw": Box(0.1, 1, (shape["N"],)),
        **{name: Box(-2, 2, (shape["N"], shape["d"])) for name in ("gf_i", "b_i", "apart_i")},
        "joint": Box(-2, 2, (shape["d"],)),
    },
    compute=Proved(vectors, (PARTED, *AT_POINT), WEIGHTS),
    covers="equal as rational functions for up to 3 clients; both sides are sums over clients, the same in each coordinate",
)


def memories_and_samples(shape: Shape, values: Named) -> Values:
    """Every memory of m0 of S samples with any gradients (batch, S, d) at a point, and one sample of each of two classes.

    The first sample is a class of its own, all others are the second class.
    """
    gradients, kept = values["sample"], every_memory(shape["S"], shape["m0"])
    whole = gradients.sum(axis=1) / shape["S"]
    expected = sum(gradients[:, list(places)].sum(axis=1) / shape["m0"] for places in kept) / len(kept)
    others = gradients[:, 1:].sum(axis=1) / max(shape["S"] - 1, 1)
    return {
        "gf_i": whole,
        "fd_mean": expected,
        "b_mean": expected - whole,
        "fd_balanced": (gradients[:, 0] + others) / 2,
    }


_ONE_IN_MEMORY: Tree = ["*", ["*", ["/", "1", "m"], ["/", "m", "S"]], ["total", "sample"]]
_OF_ALL: Tree = ["*", ["/", "1", "S"], ["total", "sample"]]
_SAMPLES = {"S": "count", "m": "count", "sample": "family S", "axis": "vector"}
UNIFORM = (
    Sums(
        eq(fd_mean, gf_i),
        {fd_mean: ["dot", "axis", _ONE_IN_MEMORY], gf_i: ["dot", "axis", _OF_ALL]},
        _SAMPLES,
    ),
    Sums(eq(b_mean, 0), {b_mean: ["dot", "axis", ["-", _ONE_IN_MEMORY, _OF_ALL]]}, _SAMPLES),
)
"""Each of S samples is in the share m/S of all memories of m samples."""
DRAWS = Scene(
    name="memories drawn uniformly",
    shapes=tuple({"S": S, "m0": m0, "d": 1} for S, m0 in ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (4, 2))),
    space=lambda shape: {"sample": Box(-2, 2, (shape["S"], shape["d"]))},
    compute=Proved(memories_and_samples, UNIFORM),
    covers="equal as polynomials for up to 4 samples; every sample is in the same share of all memories, and both sides are "
    "means over clients and the same in each coordinate",
)
BALANCED = DRAWS.variant(
    "memories balanced by class", shapes=({"S": 2, "m0": 2, "d": 1}, {"S": 3, "m0": 2, "d": 1})
)


def drawn_by_class(shape: Shape, values: Named) -> Values:
    """Every memory of m0 samples of each of two classes with any gradients (batch, S0, d) and (batch, S1, d) at a point.

    The mean over the memory's samples of a class is weighted by the class's share of all samples.
    """
    total, expected, m0 = 0, 0, shape["m0"]
    for number, name in (("S0", "first"), ("S1", "second")):
        gradients, kept = values[name], every_memory(shape[number], m0)
        remembered = sum(gradients[:, list(places)].sum(axis=1) / m0 for places in kept) / len(kept)
        expected = expected + shape[number] * remembered
        total = total + gradients.sum(axis=1)
    size = shape["S0"] + shape["S1"]
    return {"gf_i": total / size, "fd_weighted": expected / size}


def _one_of_class(number: str, name: str) -> Tree:
    """Mean over the memory's samples of a class in expectation: each is in the share m/number of its memories."""
    return ["*", ["*", ["/", "1", "m"], ["/", "m", number]], ["total", name]]


_SHARE: Tree = ["/", "1", ["+", "S0", "S1"]]
BY_CLASS = Sums(
    eq(fd_weighted, gf_i),
    {
        fd_weighted: [
            *("dot", "axis"),
            [
                "+",
                *(
                    ["*", ["*", number, _SHARE], _one_of_class(number, name)]
                    for number, name in (("S0", "first"), ("S1", "second"))
                ),
            ],
        ],
        gf_i: ["dot", "axis", ["*", _SHARE, ["+", ["total", "first"], ["total", "second"]]]],
    },
    {
        **dict.fromkeys(("S0", "S1", "m"), "count"),
        **{"first": "family S0", "second": "family S1", "axis": "vector"},
    },
)
"""Each of S0 samples of a class is in the share m/S0 of all memories of m of them, and likewise for the other class."""
OF_CLASSES = Scene(
    name="memories with equally many samples of each of two classes, weighted by class",
    shapes=tuple(
        {"S0": u, "S1": w, "m0": m, "d": 1} for u, w, m in ((1, 1, 1), (1, 2, 1), (2, 3, 1), (2, 3, 2))
    ),
    space=lambda shape: {
        "first": Box(-2, 2, (shape["S0"], shape["d"])),
        "second": Box(-2, 2, (shape["S1"], shape["d"])),
    },
    compute=Proved(drawn_by_class, (BY_CLASS,)),
    covers="equal as polynomials for up to 5 samples of two classes; every sample is in the same share of all memories of its "
    "class, and both sides are means over clients and the same in each coordinate",
)


# -------------------------------------------------------------------------------------- worlds with memories


def at_point(shape: Shape, values: Named) -> Values:
    """Gradients and biases of every memory at the point x, for each client and all of them."""
    clients, kept = clients_of(shape, values), one_draw(shape)
    x = values["x"][:, None]
    gf_i = clients.past.mean(3).grad(x[:, :, None])
    fd_i = clients.remembered(kept).mean(3).grad(x[:, :, None])
    bias, whole = clients.across(fd_i - gf_i), clients.across(gf_i)
    return {
        "b2_i": sq(fd_i - gf_i),
        "gf2_i": sq(gf_i + 0 * fd_i),
        "fd2_i": sq(fd_i),
        "turn_i": dot(fd_i, gf_i),
        "b2": sq(bias)[..., None],
        "gf2": sq(whole)[..., None],
    }


def _point_space(shape: Shape) -> dict[str, Box]:
    return {**world_space(shape), "x": Box(-2, 2, (shape["d"],))}


BETWEEN = Sums(
    eq(2 * turn_i, fd2_i + gf2_i - b2_i),
    {
        turn_i: ["dot", "kept", "past"],
        fd2_i: ["dot", "kept", "kept"],
        gf2_i: ["dot", "past", "past"],
        b2_i: ["dot", *(["-", "kept", "past"],) * 2],
    },
    {"kept": "vector", "past": "vector"},
)
"""Bound on the inner product of two vectors by their norms."""
APART = Scene(
    name="clients with memories at a point",
    shapes=(sizes(), sizes(S=2), sizes(S=3, m0=2), sizes(S=2, d=2), sizes(N=2, S=2, centres=1), *TURNED),
    space=_point_space,
    room="room",
    told=TOLD,
    known=known_constants,
    compute=Proved(at_point, (BETWEEN,)),
)
ANY = APART.variant(
    "clients with memories of any past samples at a point",
    shapes=(sizes(S=2, centres=2), sizes(S=3, m0=2, centres=2), sizes(S=2, d=2, centres=2, turned=1)),
    known=lambda shape, values: {},
)

FREE_BIAS = ANY.variant(
    "clients with memories of any past samples at a point, any m_i",
    shapes=(sizes(S=2), sizes(S=2, centres=2), sizes(N=2, S=3, m0=2, centres=2)),
    space=lambda shape: {**_point_space(shape), "m_free": Box(0, 0.99, (shape["N"],))},
    compute=lambda shape, values: {**at_point(shape, values), "m_i": values["m_free"][:, None]},
)


COMMON = APART.variant(
    "clients with memories and one minimiser at a point",
    shapes=(sizes(S=2), sizes(N=2, S=2), sizes(N=2, S=3, m0=2)),
)


def stationary_constants(shape: Shape, values: Named) -> Values:
    """L and m_i; m is any positive number."""
    return {**known_constants(shape, mirrored(values)), "m": values["m_more"]}


STATIONARY = Scene(
    name="clients with memories where the past loss is stationary",
    shapes=(sizes(N=2, S=2, centres=1), sizes(N=2, S=3, m0=2, centres=1)),
    told=TOLD_MIRRORED,
    space=lambda shape: {
        **mirrored_space(shape),
        "x": Box(0, 0, (shape["d"],)),
        "m_more": Box(0.01, 1000, scale="log"),
    },
    room="room",
    known=stationary_constants,
    compute=lambda shape, values: at_point(shape, mirrored(values)),
)


def spread(shape: Shape, values: Named) -> Values:
    """Lemma 11 at a point x, for every memory of any past samples."""
    clients, kept = clients_of(shape, values), one_draw(shape)
    x = start(values, len(kept))
    at = x[:, :, None]
    share = shape["m0"] / (shape["m0"] + shape["J"] + 0 * values["unit"][:, None])
    own, both = clients.now.mean(3).grad(at), samples_of_both(clients, kept).mean(3).grad(at)
    current, joint = clients.of_all(clients.now.mean(3)).grad(x), together(clients, kept).grad(x)
    return {
        "gg2": sq(current),
        "gh2": sq(joint),
        "apart2": sq(current - joint),
        "apart2_mean": (clients.p * sq(own - both)).sum(axis=-1),
        "cross_h": dot(joint, current - joint),
        "gap2": sq(current - clients.of_all(clients.remembered(kept).mean(3)).grad(x)),
        "w_least": share,
        "w_i": share,
        "omega2": spread_at(shape, clients, kept, x),
        "p_sum": clients.p.sum(axis=-1),
    }


SPREAD = Scene(
    name="current data against memory and current data",
    shapes=shapes_of(
        sizes,
        "centres=2, S=2 centres=2, N=2 S=2 J=2 centres=2, S=2 m0=2 d=2 centres=2",
        "N=2 S=2 J=2 d=2 centres=2 turned=1",
    ),
    space=_point_space,
    room="room",
    told=TOLD,
    compute=Proved(spread, AT_POINT, (LEAST, *WEIGHTS)),
)


# --------------------------------------------------------------------------------------------------------- runs


def stacked(rounds: list[Round], of: Callable[[Round], Array]) -> Array:
    """``of(round)`` (batch, path, ...) of all rounds, (batch, round, path, ...)."""
    return stack([of(r) for r in rounds], axis=1)


def biases(shape: Shape, values: Named, kept: IntArray) -> Values:
    """Bias, overfitting term and squared gradient of every round in expectation."""
    rounds, _ = run(shape, values, clients_of(shape, values), kept)
    mean = lambda of: (found := stacked(rounds, of)).sum(axis=2) / found.shape[2]  # noqa: E731
    alpha, beta, L = (values[name][:, None] for name in ("alpha", "beta", "L"))
    along_f, along_s = mean(lambda r: dot(r.gf, r.b)), mean(lambda r: dot(r.b, r.s_late))
    return {
        "b_run": mean(lambda r: r.b),
        "over_run": (L * alpha**2 - alpha) * along_f + beta * along_s,
        "gf2_run": mean(lambda r: sq(r.gf)),
    }


def ratios(shape: Shape, values: Named) -> Values:
    """Gradients of memory and current data in every round of every run, and their largest ratios."""
    clients = clients_of(shape, values)
    rounds, _ = run(shape, values, clients, fixed_memory(shape))
    fd_i, gg = stacked(rounds, lambda r: r.fd_i), stacked(rounds, lambda r: r.gg)
    more, largest = 1 + values["room"], amax(ratio(norm(fd_i), norm(gg)[..., None]), (1, 2))
    return {
        "fd2_i": sq(fd_i),
        "fd2": sq(stacked(rounds, lambda r: r.fd))[..., None],
        "gg2": sq(gg)[..., None],
        "r_i": largest[:, None, None] * more[:, None, None, None],
        "r": amax(largest, -1) * more,
        "p_sum": clients.p.sum(axis=-1),
    }


def both(shape: Shape, values: Named) -> Values:
    """Expected squared gradients with memories drawn once and with memories drawn in every round."""
    kept, anew = (biases(shape, values, draws(shape))["gf2_run"] for draws in (fixed_memory, redrawn_memory))
    return {"gf2_kept": kept, "gf2_redrawn": anew}


ONCE = Scene(
    name="runs of C-FLAG with memories drawn once",
    shapes=shapes_of(
        sizes, "S=2, S=2 T=2, S=2 T=2 E=2 J=2, S=2 T=3, N=2 S=2 T=2 centres=1", "S=2 T=3 E=2 J=2 d=2 turned=1"
    ),
    space=lambda shape: {**world_space(shape), **run_space(shape, shape["J"])},
    room="room",
    told=TOLD,
    known=known_constants,
    compute=lambda shape, values: biases(shape, values, fixed_memory(shape)),
    steps=("alpha", "beta"),
    free_step=lambda name, shape, values: 1 / values["L"],
)
ANEW = ONCE.variant(
    "runs of C-FLAG with memories drawn in every round",
    compute=Proved(lambda shape, values: biases(shape, values, redrawn_memory(shape)), UNBIASED),
)
RATIOS = ONCE.variant(
    "gradients along runs of C-FLAG with memories drawn once",
    compute=Proved(ratios, (LEMMA_10,), (LARGEST, *WEIGHTS)),
)
BOTH = ONCE.variant("runs of C-FLAG with memories drawn once and in every round", compute=both)
FREE_RATIOS = ONCE.variant(
    "gradients along runs of C-FLAG with memories drawn once, any r_i",
    space=lambda shape: {**ONCE.space(shape), "r_free": Box(0.1, 10, (shape["N"],), scale="log")},
    compute=lambda shape, values: {**ratios(shape, values), "r_i": values["r_free"][:, None, None]},
)
