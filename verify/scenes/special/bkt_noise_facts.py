"""SPECIAL, Theorem 4.7 for N sampled clients: gradients and noise apart, and what uncorrelated noise adds up to."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from algorithms.draws import Draws
from bounds.relations import le
from bounds.special.bkt_sums import W2, T1_c, T1_g, T1_n
from bounds.special.symbols import E, N, noise_sup
from nqm.fields import Array, sq
from verify.engine.scene import Fact, Named, Scene, Shape, Values
from verify.engine.sums import Sums
from verify.scenes.special.bkt_facts import DEFINED, SHAPES, Quantities, left_noise, space

PARTED = le(T1_c, 2 * T1_g + 2 * T1_n)
DIFFUSED = le(N * T1_n, W2 * E * noise_sup)
"""The noise is uncorrelated between rounds, clients and steps."""

_OUTCOMES = {T1_c: ["+", "u", "v"], T1_g: "u", T1_n: "v"}
APART = Sums(
    PARTED,
    {symbol: ["/", ["each", "n", vector, vector], "n"] for symbol, vector in _OUTCOMES.items()},
    {"n": "count", "u": "family n", "v": "family n"},
)
"""Means over n equally likely outcomes."""


def _uncorrelated(shape: Shape, values: Named) -> Named:
    """Noise that is uncorrelated between rounds, clients and steps, without gradients, for every set in each round.

    Signs are columns of Sylvester's matrix: any two of them are orthogonal, and orthogonal to the first.
    """
    t, M, N, E, d = (shape[name] for name in ("t", "M", "N", "E", "d"))
    matrix = np.ones((1, 1), dtype=int)
    while len(matrix) <= t * M * E:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    sets = list(product(combinations(range(M), N), repeat=t))
    signs = np.repeat(matrix[:, 1 : 1 + t * M * E].reshape(-1, t, M, E, 1), len(sets), axis=0)
    member = [[[m in chosen for m in range(M)] for chosen in way] for way in sets] * len(matrix)
    noisy = signs * values["noise"][:, None]
    unused = lambda *_: np.zeros(0)  # noqa: E731
    return {
        "draws": Draws(len(signs), N, E, d, unused, unused),
        "back": values["back"],
        "exact": 0 * noisy,
        "noisy": noisy,
        "member": np.array(member),
    }


def _diffused(shape: Shape, values: Named) -> Array:
    """What DIFFUSED leaves: by how much the noise of rounds, clients and steps stays below its bound."""
    rooms, shrink = values["room_noise"].sum(axis=(2, 3)), 1 / (1 + values["lam"])
    rounds = range(shape["t"])
    return (
        sum((shrink ** (2 * (shape["t"] - tau)) * rooms[:, tau] for tau in rounds), 0 * shrink) / shape["M"]
    )


def noise_facts(quantities: Quantities) -> tuple[Fact | Sums, ...]:
    """Facts about noise, given how the sums are computed."""

    def compute(shape: Shape, values: Named) -> Values:
        found = quantities(shape, values, _uncorrelated(shape, values))
        return {
            **found,
            "noise2": sq(values["noise"]),
            "left_noise": left_noise(values),
            "slack": _diffused(shape, values),
        }

    scene = Scene(
        name="sums over training with any uncorrelated noise",
        shapes=SHAPES,
        space=space,
        compute=compute,
        covers="an identity between noises of any second moments, uncorrelated between 1 or 2 rounds, 1 to 3 clients and 1 or 2 "
        "local steps, for every set of clients in each round, which does not depend on the noise; whatever uncorrelated "
        "noise has the same second moments, and both sides are the same in every coordinate",
    )
    return APART, Fact(DIFFUSED, scene, "slack", {"room_noise": ("left_noise", DEFINED[1])})
