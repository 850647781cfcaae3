"""CFL, Appendix B.4.4: facts about means over the rounds of the minimum value of Lemma B.4, for any nondecreasing weights."""

from __future__ import annotations

from itertools import combinations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl.rates import harmonic, harmonic_before
from bounds.cfl.symbols import D2, R2, T
from bounds.cfl.techniques import rise
from bounds.relations import ge, le
from verify.engine.model.scene import Box, Fact, Named, Scene, Shape, Values

BEFORE = le(T * harmonic, (R2 + D2) / D2 + harmonic_before)


def _any_weights(shape: Shape, values: Named) -> Values:
    """Weights of the rounds, with any increments; `common` is the denominator of the weights of Lemma B.4."""
    T_, drift, loss, client = shape["T"], values["D2"], values["R2"], values["G2"]
    rounds, whole = range(1, T_ + 1), drift + loss
    q = [1 + values["up"][:, :t].sum(axis=1) for t in range(T_)]
    common = [t * drift + (t - 1) * loss for t in rounds]
    mean = lambda parts: sum(w * x for w, x in zip(q, parts, strict=True)) / sum(q)  # noqa: E731
    pairs = (
        values["up"][:, a:b].sum(axis=1) * (b - a) * whole**2 / (common[a] * common[b])
        for a, b in combinations(range(T_), 2)
    )
    later = zip(rounds[1:], common[1:], strict=True)
    return {
        "rise": values["up"],
        "past_mean": mean([(t - 1) * drift / c for t, c in zip(rounds, common, strict=True)]),
        "noise_mean": mean(
            [client + drift * (drift + (t - 1) * loss) / c for t, c in zip(rounds, common, strict=True)]
        ),
        "harmonic_loss": sum(whole / c for c in common) / T_,
        "harmonic_before": sum((1 / t + 0 * drift for t in map(sp.Integer, rounds[:-1])), 0 * drift),
        "slack_limit": mean([drift**2 / (whole * c) for c in common]),
        "slack_sum": drift**3 / whole**2 / (T_ * sum(q)) * sum(pairs, 0 * drift),
        "slack_before": sum((drift / ((t - 1) * c) for t, c in later), 0 * drift),
    }


_SCENE = Scene(
    name="means over rounds with any weights that do not fall",
    shapes=tuple({"T": T} for T in (1, 2, 3, 4)),
    space=lambda shape: {
        **dict.fromkeys(("D2", "G2"), Box(0.1, 1)),
        "R2": Box(0, 1),
        "up": Box(0.1, 1, (shape["T"],)),
    },
    compute=_any_weights,
    covers="an identity between arbitrary constants and increments of the weights of 1 to 4 rounds; every pair of rounds adds the product "
    "of what the weight rises and what the inverse falls",
)
NOT_FALLING = ge(rise, 0)
_ASSUMED = {"up": ("up", NOT_FALLING)}
FACTS = (
    Fact(statement("cfl.phi.average/limit").compared, _SCENE, "slack_limit", _ASSUMED),
    Fact(statement("cfl.B44.sc.sum").compared, _SCENE, "slack_sum", _ASSUMED),
    Fact(BEFORE, _SCENE, "slack_before"),
)
