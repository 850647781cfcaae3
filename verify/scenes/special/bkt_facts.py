"""SPECIAL, Eq. (29) to (35): facts about the sums over rounds, clients and local steps, for any gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy as sp

from algorithms.draws import Draws
from algorithms.special import special
from bounds.catalogue import statement
from bounds.relations import eq, ge, le
from bounds.special.bkt_limits import ENDLESS, GAINED, ROOT, SQUARED, gentle, weighed
from bounds.special.bkt_sums import (
    CORRECTED,
    PRINTED,
    W2,
    Sums,
    T1_c,
    T1_g,
    V,
    X,
    Y,
    first_factor,
    move,
    second_factor,
    t2,
    tail,
    tsum2,
    tt2,
)
from bounds.special.drift import PULLED
from bounds.special.symbols import G0, B, E, M, align, drift2, gamma_G, gamma_L, lam, noise_sup
from nqm.fields import Array, dot, norm, sq, sqrt, stack
from verify.engine.scene import Assumption, Box, Condition, Fact, Named, Rounds, Scene, Shape, Values
from verify.scenes.parameters import column
from verify.scenes.special.drift_facts import pairs_apart, reached
from verify.scenes.special.terms import OF_LENGTH, OF_SENT

Quantities = Callable[[Shape, Named, Named], Values]
"""Quantities of the proof, given the gradients and the stochastic gradients in every outcome."""

PAIRS = eq(tt2, 2 * M * t2 - 2 * tsum2)
TOGETHER = le(tsum2, M * t2)
ORDER = eq(V, X)
CROSSED = le(X, Y**2)
BOUNDED = le(V, B**2 * M * E * W2)
_gain, _lengths = sp.Symbol("along_each", real=True), sp.Symbol("lengths_each", nonnegative=True)
_noise2 = sp.Symbol("noise2", nonnegative=True)
DEFINED = (le(align * _lengths, _gain), le(_noise2, noise_sup))
"""What `align` and `noise_sup` are defined by: no cosine is smaller, no mean square of the noise larger."""
GEOMETRIC = eq(W2 * (lam**2 + 2 * lam), 1 - tail)


MOVED = eq(move, -first_factor * CORRECTED.first)
STRAYED = eq(drift2, gamma_G**2 * gamma_L**2 * T1_c)
"""Sampling and noise leave the mean way as it is: given the past, whoever is sampled sends the mean of all."""


ALONG = le(move**2, G0**2 * drift2)
SUMMED = eq(weighed, PULLED)
SPREAD = le(M * T1_c, weighed * E * (B * CORRECTED.Y + weighed * M * E * noise_sup))
"""Jensen's inequality with the weights of Eq. (26); a gradient's square is at most B times its length."""
PUSHED = le(M * T1_g, weighed * E * B * CORRECTED.Y)
"""The same of the gradients alone."""


def defined(T: sp.Symbol, part: sp.Symbol) -> Condition:
    """What T2, T21 or T22 stands for."""
    return eq(T, second_factor * part)


def unbiased(q: Sums) -> Condition:
    """Assumption 4.3 in the sums: gradient and noise are uncorrelated."""
    return eq(q.g2, q.X + q.n2)


def aligned(q: Sums) -> Condition:
    """Alignment in the sums."""
    return ge(q.first, align * G0 * q.Y)


def noisy(q: Sums) -> Condition:
    """Variance of the noise in the sums."""
    return le(q.n2, W2 * M * E * noise_sup)


SHAPES = tuple(
    {"K": 3, "t": t, "M": M, "N": N, "E": E, "d": 1}
    for t, E in product((1, 2), repeat=2)
    for M in (1, 2, 3)
    for N in range(1, M + 1)
)


def space(shape: Shape) -> Mapping[str, Box]:
    """Gradients and noise of every round, client and step, and what the assumptions leave of their bounds."""
    each = tuple(shape[name] for name in "tME")
    room, vectors = Box(0.1, 1, each), Box(-1, 1, (*each, shape["d"]))
    numbers = ("gamma_G", "gamma_L", "lam", "L", "B", "align", "noise_sup", "sigma_L2", "eps")
    return {
        **dict.fromkeys(numbers, Box(0.1, 1)),
        "back": Box(-1, 1, (shape["d"],)),
        **dict.fromkeys(("gradient", "noise"), vectors),
        **dict.fromkeys(("room_bounded", "room_short", "room_aligned", "room_noise"), room),
    }


def letters(shape: Shape, values: Named) -> Values:
    """What the limits on the step sizes speak of, and the gain; `values` holds E_Y_c and G0, too."""
    pull = values["lam"] ** 2 + 2 * values["lam"]
    steps2 = values["gamma_G"] ** 2 * values["gamma_L"] ** 2
    each = (shape["K"] - 1) * shape["E"] ** 2 * shape["t"]
    return {
        "gained": values["gamma_G"]
        * values["gamma_L"]
        * values["eps"]
        * values["G0"]
        * values["E_Y_c"]
        / shape["M"],
        "root": sqrt(shape["M"] * shape["E"] / pull),
        "endless": each * values["L"] * steps2 * values["sigma_L2"] / (2 * pull),
        "weighed": (1 - (1 + values["lam"]) ** (-shape["t"])) / values["lam"],
    }


def _parts(shape: Shape, values: Named) -> Named:
    """Runs with noise of either sign at the same gradients, for every set of clients, the same in every round."""
    t, M, N, E, d = (shape[name] for name in ("t", "M", "N", "E", "d"))
    runs = list(product((1, -1), combinations(range(M), N)))
    member = [[[m in chosen for m in range(M)]] * t for _, chosen in runs]
    unused = lambda *_: np.zeros(0)  # noqa: E731
    exact = stack([values["gradient"]] * len(runs), axis=1)
    return {
        "draws": Draws(len(runs), N, E, d, unused, unused),
        "back": values["back"],
        "exact": exact,
        "noisy": exact + stack([sign * values["noise"] for sign, _ in runs], axis=1),
        "member": np.array(member),
    }


def _rooms(values: Named) -> Values:
    """What a gradient's bound, its alignment and the variance of its noise leave."""
    gradient, gain = values["gradient"], dot(values["back"][:, None, None, None], values["gradient"])
    return {
        "sent2_each": sq(gradient),
        "along_each": gain,
        "lengths_each": norm(values["back"])[0] * norm(gradient),
        "noise2": sq(values["noise"]),
        "left_bounded": values["B"][0] ** 2 - sq(gradient),
        "left_short": values["B"][0] - norm(gradient),
        "left_aligned": gain - values["align"][0] * norm(values["back"])[0] * norm(gradient),
        "left_noise": left_noise(values),
    }


def left_noise(values: Named) -> Array:
    """What the square of each noise leaves of its bound."""
    return values["noise_sup"][0] - sq(values["noise"])


def _slacks(shape: Shape, values: Named, parts: Named) -> Values:
    t, M, N, E = (shape[name] for name in "tMNE")
    shrink = 1 / (1 + values["lam"])
    printed = [shrink ** (tau + 1) for tau in range(t)]
    runs, nothing = range(parts["exact"].shape[1]), 0 * shrink
    steps = lambda m: [(tau, m, e) for tau in range(t) for e in range(E)]  # noqa: E731
    mean = lambda of: sum((of(run) for run in runs), nothing) / len(runs)  # noqa: E731

    def apart(run: int, weights: list[Array], places: list[tuple[int, int, int]]) -> Array:
        sent = [weights[tau][:, None] * parts["noisy"][:, run, tau, m, e] for tau, m, e in places]
        return sum((sq(x - y) for x, y in combinations(sent, 2)), nothing)

    def clients_apart(run: int) -> Array:
        sent = [
            sum(printed[tau][:, None] * parts["noisy"][:, run, tau, m, e] for tau, m, e in steps(m))
            for m in range(M)
        ]
        return sum((sq(x - y) for x, y in combinations(sent, 2)), nothing)

    def chosen(run: int) -> list[int]:
        return [m for m in range(M) if parts["member"][run, 0, m]]

    weighted = lambda name, weights, power: sum(  # noqa: E731
        weights[tau] ** power * values[name][:, tau].sum(axis=(1, 2)) for tau in range(t)
    )
    lengths = [
        printed[tau] * norm(values["gradient"][:, tau, m, e]) for m in range(M) for tau, _, e in steps(m)
    ]
    found = {
        "slack together": mean(clients_apart),
        "slack crossed": 2 * sum((a * b for a, b in combinations(lengths, 2)), nothing)[:, None],
        "slack bounded": weighted("room_bounded", printed, 2)[:, None],
        "slack eq30.T1": mean(lambda run: sum(apart(run, printed, steps(m)) for m in range(M))) / M,
        "slack eq29/corrected": mean(
            lambda run: apart(run, printed[::-1], [place for m in chosen(run) for place in steps(m)])
        )
        / N**2,
    }
    for name, weights in (("", printed), ("_c", printed[::-1])):
        found[f"slack aligned{name}"] = weighted("room_aligned", weights, 1)
        found[f"slack noise{name}"] = weighted("room_noise", weights, 2)
    gentle, noise = norm(values["gradient"]) * values["room_short"], values["room_noise"]
    found["slack spread"] = _spread(shape, values, parts["noisy"], parts["member"], gentle + noise)
    found["slack pushed"] = _spread(shape, values, parts["exact"], parts["member"], gentle)
    found["slack gentle"] = _gentle(values, range(t))
    found["slack gentle_c"] = _gentle(values, reversed(range(t)))
    return found


def _gentle(values: Named, powers: Iterable[int]) -> Array:
    """What B times the lengths of weighted gradients has more than 1 + lambda times their squares.

    The weight of round tau is 1/(1 + lambda) to one more than the power given for it.
    """
    pull, lengths = values["lam"], norm(values["gradient"])
    total, shrink = 0 * pull, 1 / (1 + values["lam"])
    for tau, power in enumerate(powers):
        less = sum((pull * shrink ** (k + 1) for k in range(power)), 0 * pull)  # 1 - shrink^power
        room = values["room_short"][:, tau]
        short = lengths[:, tau] * (column(less * values["B"], 2) + column(shrink**power, 2) * room)
        total = total + shrink ** (power + 1) * short.sum(axis=(1, 2))
    return total


def _spread(shape: Shape, values: Named, sent: Array, members: Array, short: Array) -> Array:
    """What Jensen's inequality leaves of what is sent: how far apart the summands are, and how short they stay."""
    t, M, N, E = (shape[name] for name in "tMNE")
    shrink = 1 / (1 + values["lam"])
    weights = [shrink ** (t - tau) for tau in range(t)]
    total, left = sum(weights), 0 * shrink
    for run, member in enumerate(members):
        each = [
            (weights[tau], sent[:, run, tau, m, e])
            for tau, m, e in product(range(t), range(M), range(E))
            if member[tau, m]
        ]
        left = left + sum((v * w * sq(x - y) for (v, x), (w, y) in combinations(each, 2)), 0 * shrink)
    rooms = sum((weights[tau] * short[:, tau].sum(axis=(1, 2)) for tau in range(t)), 0 * shrink)
    return M * left / (len(members) * N**2) + total * E * rooms


def _played(shape: Shape, values: Named, parts: Named) -> Values:
    """Where SPECIAL's server is after t rounds in which the chosen clients send these gradients, whatever its model."""
    algorithm = special(*(values[name] for name in ("gamma_L", "gamma_G", "lam")))
    start, ends = 0 * values["back"], []
    for run, member in enumerate(parts["member"]):
        state: Mapping[str, Any] = {"theta": start, "anchor": start}
        for tau in range(shape["t"]):
            clients = np.flatnonzero(member[tau])
            sums = stack([parts["noisy"][:, run, tau, m].sum(axis=1) for m in clients], axis=1)
            local = {"x": state["theta"][:, None] - values["gamma_L"] * sums}
            state = algorithm.aggregate(state, local, np.arange(len(clients)))
        ends.append(state["theta"])
    far = stack(ends, axis=1)
    return {
        "move": dot(values["back"][:, None], far).sum(axis=1) / len(ends),
        "drift2": sq(far).sum(axis=1) / len(ends),
    }


def _along(shape: Shape, values: Named) -> Values:
    """Ways in n equally likely outcomes beside a gradient: Jensen's and Lagrange's identities."""
    back, far, n = values["back"], values["far"], shape["n"]
    mean, pairs = far.sum(axis=1) / n, combinations(range(shape["d"]), 2)
    crossed = sum(
        ((back[:, i] * mean[:, j] - back[:, j] * mean[:, i]) ** 2 for i, j in pairs), 0 * mean[:, 0]
    )
    return {
        "G0": norm(back),
        "move": dot(back, mean),
        "drift2": sq(far).sum(axis=1) / n,
        "slack": sq(back) * pairs_apart([far[:, k] for k in range(n)]) / n**2 + crossed,
    }


_WAYS = Scene(
    name="ways in any equally likely outcomes beside a gradient",
    shapes=tuple({"n": n, "d": d} for n in (1, 2, 3) for d in (1, 2)),
    space=lambda shape: {"back": Box(-1, 1, (shape["d"],)), "far": Box(-1, 1, (shape["n"], shape["d"]))},
    compute=_along,
    covers="an identity between arbitrary vectors in 1 to 3 equally likely outcomes; n^2 times both sides is symmetric in the "
    "outcomes, and a sum over pairs of coordinates",
)


def facts(quantities: Quantities) -> tuple[Fact | Rounds, ...]:
    """Facts about the sums, given how they are computed."""

    def compute(shape: Shape, values: Named) -> Values:
        parts = _parts(shape, values)
        found = {**quantities(shape, values, parts), "G0": norm(values["back"])}
        return {
            **found,
            **letters(shape, {**values, **found}),
            **_played(shape, values, parts),
            **_rooms(values),
            **_slacks(shape, values, parts),
        }

    scene = Scene(
        name="sums over training with any gradients",
        shapes=SHAPES,
        space=space,
        compute=compute,
        covers="an identity between arbitrary gradients and noise of either sign for every choice of 1 or 2 rounds and local "
        "steps and 1 to 3 clients, where what the assumptions bound is taken as it is; both sides are quadratic forms, "
        "the same in every coordinate, whose coefficients are of degree 1 in the numbers once those of clients are "
        "cleared, the same for each pair of clients and steps, and powers of 1/(1 + lambda) in the rounds",
    )
    assumed: dict[str, Assumption] = {
        "room_bounded": ("left_bounded", *OF_SENT),
        "room_short": ("left_short", *OF_LENGTH),
        "room_aligned": ("left_aligned", DEFINED[0]),
        "room_noise": ("left_noise", DEFINED[1]),
    }
    at_most = {
        "together": TOGETHER,
        "crossed": CROSSED,
        "bounded": BOUNDED,
        "eq30.T1": statement("special.eq30.T1").relation,
        "eq29/corrected": statement("special.eq29/corrected").relation,
        **{f"aligned{name}": aligned(q) for name, q in (("", PRINTED), ("_c", CORRECTED))},
        **{f"noise{name}": noisy(q) for name, q in (("", PRINTED), ("_c", CORRECTED))},
        "spread": SPREAD,
        "pushed": PUSHED,
        **{f"gentle{name}": gentle(q) for name, q in (("", PRINTED), ("_c", CORRECTED))},
    }
    definitions = [
        defined(T, part)
        for q in (PRINTED, CORRECTED)
        for T, part in ((q.T2, q.g2), (q.T21, q.X), (q.T22, q.n2))
    ]
    equal = (*definitions, unbiased(PRINTED), unbiased(CORRECTED), PAIRS, ORDER, GEOMETRIC)
    equal += (ROOT, SQUARED, ENDLESS, GAINED, SUMMED, MOVED, STRAYED)
    equal += (statement("special.eq32.1/corrected").compared,)
    once = scene.variant(
        "sums over one round with any gradients",
        shapes=tuple(shape for shape in scene.shapes if shape["t"] == 1 and shape["M"] > 1),
    )
    return (
        *(Fact(relation, scene) for relation in equal),
        Fact(statement("special.eq29/one-round").compared, once),
        reached(statement("special.lem4.9").compared),
        Fact(ALONG, _WAYS, "slack"),
        *(Fact(relation, scene, f"slack {name}", assumed) for name, relation in at_most.items()),
    )
