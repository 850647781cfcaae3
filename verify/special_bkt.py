"""SPECIAL: backward knowledge transfer (Theorem 4.7, Corollary D.2, Eq. 28-36, Remark 4.8).

Every client works in every round, from the server's model and with noise of its own; the server averages the
sampled ones. So the sums over all M clients that the proof writes are defined, and the alignment that the
theorem asks of all of them is measured at every point that any of them visits, in every outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from algorithms.algorithm import Algorithm
from algorithms.arrays import like
from algorithms.draws import expectation
from algorithms.placebo import ascent, stand_still
from algorithms.special import special
from bounds.catalogue import statement
from bounds.special_bkt import (
    CORRECTED,
    FREE,
    FREE_ALIGNED,
    PRINTED,
    SERIES,
    Sums,
    move,
)
from bounds.special_bkt_text import each_0
from bounds.special_experiments import at_last_task
from bounds.special_symbols import F_0, G0, B, E, M, drift1
from nqm.fields import Array, dot, norm, sq, stack, where
from verify.engine.backward import known, play, space
from verify.engine.checks.applicability import applicability
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.vacuity import free_lunch, placebos
from verify.engine.claim import Claim
from verify.engine.federated import column, sizes
from verify.engine.main import main
from verify.engine.placebos import random_walk
from verify.engine.scene import Condition, Proved, Scene, Shape, Values
from verify.engine.special_bkt_facts import (
    BOUNDED,
    CROSSED,
    GEOMETRIC,
    ORDER,
    PAIRS,
    TOGETHER,
    aligned,
    defined,
    facts,
    noisy,
    unbiased,
)

Named = Mapping[str, Any]


def method(values: Named) -> Algorithm:
    """SPECIAL at the step sizes of a batch of instances.

    Where alignment or the earlier gradient is not positive, the limits leave no positive step; such
    instances are discarded, and play with a step of 1 until then.
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


def client_vectors(shape: Shape, parts: Named, printed: Array, late: Array) -> Values:
    """T1 in its readings, and the sums over the client vectors t_m of Eq. (29)."""
    mean, M, N = partial(expectation, parts["draws"], axis=-1), shape["M"], shape["N"]
    per_round = parts["noisy"].sum(axis=4)  # (batch, run, t, M, d)
    vectors = (printed * per_round).sum(axis=2)
    chosen = like(per_round, parts["member"].astype(int))[None, ..., None] * per_round
    sampled = [(w * chosen).sum(axis=(2, 3)) / N for w in (printed, late)]
    pairs = [(m, n) for m in range(M) for n in range(M) if m != n]
    return {
        "T1": mean(sq(vectors.sum(axis=2) / M)),
        "T1_s": mean(sq(sampled[0])),
        "T1_c": mean(sq(sampled[1])),
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
    return {**losses, **of_gradients(shape, values, parts)}


def of_gradients(shape: Shape, values: Named, parts: Named) -> Values:
    """The quantities of the proof that gradients determine, without losses."""
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


TRAINING = Scene(
    name="training after earlier tasks",
    shapes=(
        sizes(),
        sizes(K=3),
        sizes(noisy=1),
        sizes(M=2),
        sizes(M=2, N=2),
        sizes(M=2, t=2),
        sizes(curved=1),
        sizes(curved=1, noisy=1),
        sizes(t=2, curved=1),
        sizes(t=4, curved=1),
        sizes(M=2, curved=1, noisy=1),
        sizes(M=2, N=2, curved=1, noisy=1),
        sizes(M=2, d=2, curved=1),
        sizes(E=4, curved=1, noisy=1),
        sizes(E=2, t=2, curved=1, noisy=1),
        sizes(K=3, M=3, N=2, t=2, curved=1),
        sizes(M=2, t=2, curved=1, noisy=1),
    ),
    space=space,
    known=known,
    compute=Proved(compute, facts(of_gradients)),
    steps=("eps", "gamma_G", "gamma_L"),
)


# -------------------------------------------------------------------------------------------- placebos


def _placebo(name: str, other: Callable[[Algorithm], Algorithm], *, directions: bool = False) -> Scene:
    shapes = tuple(shape for shape in TRAINING.shapes if shape["noisy"]) if directions else TRAINING.shapes
    run = lambda shape, values: play(shape, values, other(method(values)))[0]  # noqa: E731
    return replace(TRAINING, name=name, shapes=shapes, compute=run)


PLACEBOS = (
    _placebo("ascent", ascent),
    _placebo("random walk", random_walk, directions=True),
    _placebo("stand still", lambda algorithm: stand_still()),
)

# ---------------------------------------------------------------------------------------------- claims


def cited(*ids: str) -> tuple[Condition, ...]:
    """Relations of other statements."""
    return tuple(statement(f"special.{id}").relation for id in ids)


def claim(
    id: str, check: Any, *premises: Condition, scene: Scene | None = TRAINING, baseline: Any = None
) -> Claim:
    """A claim with one check."""
    return Claim(statement(f"special.{id}"), (check,), scene, premises, baseline)


def second_order(q: Sums, reading: str, before: tuple[Condition, ...]) -> tuple[Claim, ...]:
    """Claims of Eq. (30), (31), (32), (34) and (35) for one choice of weights.

    Steps (a4) to the sixth line of Eq. (32) hold for given gradients; here they are taken in expectation.
    """
    parts = (defined(q.T2, q.g2), defined(q.T21, q.X), defined(q.T22, q.n2))
    rooted = sp.Le(q.X, B * sp.sqrt(M * E * SERIES) * q.Y)
    return (
        claim(f"eq30{reading}", bound, *before, defined(q.T2, q.g2), baseline=F_0),
        claim(f"a3{reading}", inequality, aligned(q), baseline=F_0),
        claim(f"eq31{reading}", inequality, *parts, unbiased(q)),
        claim(f"eq32{reading}", inequality, defined(q.T21, q.X), rooted),
        claim(f"a5{reading}", inequality, defined(q.T22, q.n2), noisy(q)),
        claim(f"eq34{reading}", inequality, *cited(f"a5{reading}", "a6", "a7")),
        claim(f"eq35{reading}", inequality, *cited(f"eq31{reading}", f"eq32{reading}", f"eq34{reading}")),
    )


_smooth = cited("eq28.smooth")

CLAIMS = (
    Claim(
        statement("special.thm4.7"),
        (bound, *(free_lunch(free, TRAINING) for free in (FREE, FREE_ALIGNED)), placebos(PLACEBOS)),
        TRAINING,
        cited("eq30/corrected", "a3/corrected", "eq35/corrected"),
        F_0,
    ),
    claim("thm4.7/free", bound, *_smooth, *cited("b1", "lem4.9"), sp.Le(move, G0 * drift1), baseline=F_0),
    claim("thm4.7/aligned-drift", bound, *_smooth, *cited("lem4.9"), sp.Le(move, 0), baseline=F_0),
    Claim(statement("special.corD.2"), (bound,), TRAINING, cited("thm4.7"), F_0),
    claim("eq28.smooth", bound, baseline=F_0),
    claim("eq28.unrolled", inequality, baseline=F_0),
    claim("eq28.unrolled/corrected", identity),
    claim("eq28.sampled", inequality, baseline=F_0),
    claim("eq28", bound, baseline=F_0),
    claim("eq28/expectation", bound, baseline=F_0),
    claim("eq28/corrected", bound, *_smooth, *cited("eq28.unrolled/corrected"), baseline=F_0),
    claim("eq29", identity),
    claim("eq29/expectation", identity),
    claim("eq29/one-round", identity),
    claim("eq29/corrected", inequality),
    claim("a1", identity, PAIRS),
    claim("a1.collected", identity, scene=None),
    claim("a2", inequality, TOGETHER),
    claim("a2.collected", identity, scene=None),
    claim("eq30.T1", inequality),
    *second_order(PRINTED, "", ()),
    claim("eq32.1", identity),
    claim("eq32.1/corrected", identity),
    claim("eq32.2", inequality),
    claim("eq32.2/corrected", inequality),
    claim("a4", inequality, BOUNDED, *cited("eq33")),
    claim("eq32.root", inequality, ORDER),
    claim("eq32.norms", inequality, CROSSED),
    claim("eq32.last", inequality),
    claim("eq33", inequality, GEOMETRIC),
    claim("eq33.series", identity, scene=None),
    claim("a6", inequality, *cited("eq33")),
    claim("a7", inequality, scene=None),
    claim("eq36", bound, *cited("eq30", "a3", "eq35"), baseline=F_0),
    claim("eq36.agreement", agreement, scene=None),
    *second_order(CORRECTED, "/corrected", cited("eq28/corrected", "eq29/corrected")),
    claim("corD.2.agreement", agreement, scene=None),
    claim("corD.2.steps", agreement, scene=None),
    claim("rem4.8.rounds", inequality, scene=None),
    claim("rem4.8.rounds/fixed-steps", inequality, scene=None),
    claim("rem4.8.epochs", inequality, scene=None),
    claim("rem4.8.epochs/fixed-steps", inequality, scene=None),
    claim("rem4.8.participation", inequality, scene=None),
    claim("rem4.8.alignment", inequality, scene=None),
    claim("rem4.8.alignment/slope", inequality, scene=None),
    claim("rem4.8.each-task", bound, baseline=each_0),
    claim("rem4.8.preserves", bound, baseline=each_0),
    claim("rem4.8.preserves/sum", bound, baseline=F_0),
    claim("rem4.8.variance", bound, *cited("thm4.7"), baseline=F_0),
    claim("thm4.7.variance", identity, scene=None),
    claim("thm4.7.gradient", identity, scene=None),
    claim("thm4.7.lambda", inequality, scene=None),
    claim("thm4.7.all-rounds", entailment, scene=None),
    claim("thm4.7.applicability", applicability(at_last_task()), scene=None),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_bkt"))
