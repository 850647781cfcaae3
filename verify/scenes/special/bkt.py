"""Training after earlier tasks: every quantity of the proof of Theorem 4.7, Eq. (28) to (36), and its placebos."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from algorithms.algorithm import Algorithm
from algorithms.draws import expectation
from algorithms.placebo import ascent, stand_still
from algorithms.special import special
from bounds.special.bkt_sums import CORRECTED, PRINTED, Sums
from nqm.fields import Array, dot, like, norm, sq, stack, where
from verify.engine.model.scene import Named, Proved, Scene, Shape, Values
from verify.scenes.federated import sizes
from verify.scenes.parameters import column
from verify.scenes.placebos import random_walk
from verify.scenes.shapes import shapes_of
from verify.scenes.special import meanings
from verify.scenes.special.backward import parameters_by_task, play, scene_constants, space
from verify.scenes.special.bkt_facts import DEFINED, FACTS, letters
from verify.scenes.special.bkt_rounds import FACTS as OF_ROUNDS
from verify.scenes.special.terms import DEFINES, terms


def method(values: Named) -> Algorithm:
    """SPECIAL at the step sizes of a batch of instances.

    If alignment or the earlier gradient is not positive, the limits admit no positive step. Such instances are discarded later;
    until then their step is 1.
    """
    one = 1 + 0 * values["lam"]
    local, server = (where(values[name] > 0, values[name], one) for name in ("gamma_L", "gamma_G"))
    return special(*(column(x, 1) for x in (local, server, values["lam"])))


# ------------------------------------------------------------------------------- the sums of the proof


def sums(q: Sums, shape: Shape, values: Named, parts: Named, weights: Array) -> Values:
    """Sums over rounds, clients and local steps with `weights` (batch, 1, t, 1, 1), in expectation."""
    mean = partial(expectation, parts["draws"], axis=-1)
    total = lambda x: mean(x.sum(axis=(2, 3, 4)))  # noqa: E731
    exact, noisy, square = parts["exact"], parts["noisy"], weights**2
    gain = dot(parts["back"][:, None, None, None, None], exact)
    found = {
        q.first: total(weights * gain),
        q.X: total(square * sq(exact)),
        q.Y: total(weights * norm(exact)),
        q.g2: total(square * sq(noisy)),
        q.n2: total(square * sq(noisy - exact)),
    }
    factor = _second_factor(shape, values)
    found |= {q.T2: factor * found[q.g2], q.T21: factor * found[q.X], q.T22: factor * found[q.n2]}
    return {symbol.name: value for symbol, value in found.items()}


def _second_factor(shape: Shape, values: Named) -> Array:
    steps2 = values["gamma_G"] ** 2 * values["gamma_L"] ** 2
    return steps2 * values["L"] * ((shape["K"] - 1) * shape["E"] * shape["t"]) / (2 * shape["M"])


def round_weights(shape: Shape, values: Named) -> tuple[Array, Array]:
    """(1+lambda)^-(tau+1) and (1+lambda)^-(t-tau) for the rounds tau = 0..t-1, (batch, 1, t, 1, 1)."""
    shrink = 1 / (1 + values["lam"])
    printed = [shrink ** (tau + 1) for tau in range(shape["t"])]
    late = printed[::-1]
    return tuple(stack(w, axis=-1)[:, None, :, None, None] for w in (printed, late))  # type: ignore[return-value]


def of_sampled(shape: Shape, parts: Named, sent: Array, weights: Array) -> Array:
    """Weighted sum over the rounds of the mean of the sampled clients' messages (batch, run, t, M, E, d)."""
    member = like(sent, parts["member"].astype(int))[None, ..., None]
    return (weights * member * sent.sum(axis=4)).sum(axis=(2, 3)) / shape["N"]


def client_vectors(shape: Shape, parts: Named, printed: Array, late: Array) -> Values:
    """T1 in its variants, and the sums over the client vectors t_m of Eq. (29)."""
    mean, M = partial(expectation, parts["draws"], axis=-1), shape["M"]
    per_round = parts["noisy"].sum(axis=4)  # (batch, run, t, M, d)
    vectors = (printed * per_round).sum(axis=2)
    sampled = [of_sampled(shape, parts, parts["noisy"], w) for w in (printed, late)]
    pairs = [(m, n) for m in range(M) for n in range(M) if m != n]
    return {
        "T1": mean(sq(vectors.sum(axis=2) / M)),
        "T1_s": mean(sq(sampled[0])),
        "T1_c": mean(sq(sampled[1])),
        "T1_g": mean(sq(of_sampled(shape, parts, parts["exact"], late))),
        "T1_n": mean(sq(of_sampled(shape, parts, parts["noisy"] - parts["exact"], late))),
        "ips": mean(dot(parts["back"][:, None], sampled[0])),
        "t2": mean(sq(vectors).sum(axis=2)),
        "tt2": sum(
            (mean(sq(vectors[:, :, m] - vectors[:, :, n])) for m, n in pairs), mean(0 * vectors[:, :, 0, 0])
        ),
        "tsum2": mean(sq(vectors.sum(axis=2))),
    }


def compute(shape: Shape, values: Named) -> Values:
    """Every quantity of the proof of Theorem 4.7."""
    losses, parts = play(shape, values, method(values))
    noise2 = expectation(parts["draws"], sq(parts["noisy"] - parts["exact"]), 1)
    found = {**losses, **of_gradients(shape, values, parts), "noise2": noise2}
    return {**found, **letters(shape, {**values, **found})}


def of_gradients(shape: Shape, values: Named, parts: Named) -> Values:
    """The quantities of the proof that depend on gradients only."""
    printed, late = round_weights(shape, values)
    squares = sq(parts["exact"]).sum(axis=(3, 4))  # (batch, run, t)
    square = printed[:, :, :, 0, 0] ** 2
    X = (square * squares).sum(axis=2)
    return {
        **sums(PRINTED, shape, values, parts, printed),
        **sums(CORRECTED, shape, values, parts, late),
        **client_vectors(shape, parts, printed, late),
        "X": X,
        "Y": norm(printed[..., None] * parts["exact"]).sum(axis=(2, 3, 4)),
        "V": sum(square[:, :, tau] * squares[:, :, tau] for tau in range(shape["t"])),
        "T21_o": _second_factor(shape, values)[:, None] * X,
        "W2": square[:, 0].sum(axis=1),
        "tail": square[:, 0, -1],
    }


def _terms(shape: Shape, values: Named) -> Values:
    return terms(shape, parameters_by_task(shape, values))


TRAINING = Scene(
    name="training after earlier tasks",
    told=meanings.BOUNDED,
    shapes=shapes_of(
        sizes,
        "smallest, K=3, noisy=1, M=2, M=2 N=2, M=2 t=2, curved=1, curved=1 noisy=1",
        "t=2 curved=1, t=4 curved=1, M=2 curved=1 noisy=1, M=2 N=2 curved=1 noisy=1",
        "M=2 d=2 curved=1, E=4 curved=1 noisy=1, E=2 t=2 curved=1 noisy=1",
        "K=3 M=3 N=2 t=2 curved=1, M=2 t=2 curved=1 noisy=1, E=2 t=2 curved=2",
        "M=2 d=2 curved=2, E=2 t=2 curved=3, M=2 d=2 curved=3",
    ),
    space=space,
    room="room",
    known=scene_constants,
    compute=Proved(compute, (*FACTS, *OF_ROUNDS), (*DEFINED, *DEFINES), _terms),
    steps=("eps", "gamma_G", "gamma_L"),
)


# -------------------------------------------------------------------------------------------- placebos


def placebo(name: str, other: Callable[[Algorithm], Algorithm], *, directions: bool = False) -> Scene:
    shapes = tuple(shape for shape in TRAINING.shapes if shape["noisy"]) if directions else TRAINING.shapes
    run = lambda shape, values: play(shape, values, other(method(values)))[0]  # noqa: E731
    return TRAINING.variant(name, shapes=shapes, compute=run)


PLACEBOS = (
    placebo("ascent", ascent),
    placebo("random walk", random_walk, directions=True),
    placebo("stand still", lambda algorithm: stand_still()),
)
