"""Scenes of core sets: samples that stand for a local data set, chosen at random or by Algorithm 3 of CFL."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np

from algorithms.core_sets import Candidates, every_sample, herded, new_samples
from algorithms.memory import every_memory
from nqm.fields import Array, amax, is_tensor, like, sq, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.approximation_facts import LARGEST, OF_CORE_SETS, OF_HERDING, OF_UNION
from verify.scenes.cfl.herding_facts import NEAREST, OF_NEW_CHOICES


def uniform(shape: Shape, values: Named) -> Values:
    """All core sets of `m_kept` of the gradients g (batch, n, d)."""
    g = values["g"]
    sets = every_memory(shape["n_local"], shape["m_kept"])
    means = stack([g[:, s].sum(axis=1) / len(s) for s in sets], 1)
    whole = g.sum(axis=1) / shape["n_local"]
    return {
        "mean_kept": means.sum(axis=1) / len(sets),
        "mean_all": whole,
        "kept_loss2": sq(means - whole[:, None]).sum(axis=1) / len(sets),
        "spread2": sq(g - whole[:, None]).sum(axis=1) / shape["n_local"],
    }


UNIFORM = Scene(
    name="uniform core sets",
    shapes=tuple(
        {"n_local": n, "m_kept": m, "d": d}
        for n, m, d in ((1, 1, 1), (2, 1, 1), (3, 1, 1), (3, 2, 1), (5, 3, 2))
    ),
    space=lambda shape: {"g": Box(-2, 2, (shape["n_local"], shape["d"]))},
    compute=Proved(uniform, OF_CORE_SETS),
)


def together(shape: Shape, values: Named) -> Values:
    """Current samples (batch, n) and core sets (batch, t - 1, m) as one data set."""
    now, kept = values["now"], values["kept"]
    n, m, past = shape["n_local"], shape["m_kept"], shape["t"] - 1
    size = n + m * past
    weighted = now.sum(axis=1) / n * n / size + sum(
        kept[:, r].sum(axis=1) / m * m / size for r in range(past)
    )
    return {"union_slope": (now.sum(axis=1) + kept.sum(axis=(1, 2))) / size, "mixed_slope": weighted}


UNION = Scene(
    name="current data and core sets together",
    shapes=tuple({"t": t, "n_local": n, "m_kept": m} for t, n, m in ((2, 1, 1), (2, 3, 1), (3, 2, 2))),
    space=lambda shape: {
        "now": Box(-2, 2, (shape["n_local"],)),
        "kept": Box(-2, 2, (shape["t"] - 1, shape["m_kept"])),
    },
    compute=Proved(together, (OF_UNION,)),
)
BALANCED = Scene(
    name="core sets of the size that gives Theorem 4.1's weights",
    shapes=({"t": 2}, {"t": 3}, {"t": 5}),
    space=lambda shape: {"D2": Box(0.05, 4), "R2": Box(0, 4)},
    compute=lambda shape, values: {
        "kept_share": values["D2"] / (values["D2"] + (shape["t"] - 1) * values["R2"])
    },
)


def offsets(phi: Array) -> Array:
    """Mean feature less each feature, (batch, n, d): a mean of differences, exactly 0 where all are equal."""
    return (phi[:, None] - phi[:, :, None]).sum(axis=2) / phi.shape[1]


def herding(candidates: Candidates) -> Any:
    """Algorithm 3 on features (batch, n, d)."""

    def chosen(shape: Shape, values: Named) -> Values:
        phi, m = values["phi"], shape["m_kept"]
        index = herded(phi.detach().numpy() if is_tensor(phi) else phi, m, candidates)
        off, rows = offsets(phi), np.arange(len(phi))
        short = [0 * off[:, 0]]  # k times what the mean of k choices is short of
        for k in range(m):
            short.append(short[-1] + off[rows, index[:, k]])
        square = [sq(x) for x in short]
        rises = stack([after - before for before, after in pairwise(square)], 1)
        different = np.array([len(set(row)) for row in index.tolist()])
        return {
            "miss2": square[-1] / m**2,
            "spread2": sq(off).sum(axis=1) / shape["n_local"],
            "rise_each": rises,
            "herd_rise": amax(rises, 1),
            "herd_mean": stack([average_rise(x, off) for x in short[:-1]], 1),
            "distinct": like(phi, different),
            "nearest2": nearest2(phi),
        }

    return chosen


def next_squares(shape: Shape, values: Named) -> Values:
    """Squared distances of the sums after each choice of Algorithm 3: for the chosen sample, and for each that was left."""
    phi = values["phi"]
    index = herded(phi.detach().numpy() if is_tensor(phi) else phi, shape["m_kept"], new_samples)
    off, rows, samples = offsets(phi), np.arange(len(phi)), np.arange(shape["n_local"])
    short, chosen, others = 0 * off[:, 0], [], []
    for k in range(shape["m_kept"]):
        after = sq(short[:, None] + off)
        taken = (index[:, :k, None] == samples).any(axis=1)
        chosen.append(after[rows, index[:, k]])
        # A sample that was chosen before is left out: the chosen one stands for it
        others.append(stack([after[rows, np.where(taken[:, j], index[:, k], j)] for j in samples], 1))
        short = short + off[rows, index[:, k]]
    return {"chosen2": stack(chosen, 1)[..., None], "other2": stack(others, 1)}


def nearest2(phi: Array) -> Array:
    """Least squared distance of two samples (batch, n, d), 1 if there is but one."""
    pairs = [sq(phi[:, i] - phi[:, j]) for i, j in combinations(range(phi.shape[1]), 2)]
    return -amax(stack([-pair for pair in pairs], 1), 1) if pairs else 1 + 0 * phi[:, 0, 0]


def average_rise(short: Array, off: Array) -> Array:
    """Growth of |short|^2 (batch,) by one more choice, on average over all samples."""
    return (sq(short[:, None] + off) - sq(short)[:, None]).sum(axis=1) / off.shape[1]


_SIZES = ((1, 1, 1), (2, 1, 1), (2, 2, 1), (3, 2, 1), (3, 3, 1), (4, 3, 2), (2, 4, 1))
ANY = Scene(
    name="one more choice of Algorithm 3, whatever was chosen before",
    shapes=tuple({"n_local": n, "d": d} for n, d in ((1, 1), (2, 1), (3, 1), (2, 2))),
    space=lambda shape: {
        "phi": Box(-2, 2, (shape["n_local"], shape["d"])),
        "short": Box(-2, 2, (shape["d"],)),
    },
    compute=Proved(
        lambda shape, values: {
            "herd_mean": average_rise(values["short"], offsets(values["phi"])),
            "spread2": sq(offsets(values["phi"])).sum(axis=1) / shape["n_local"],
        },
        OF_HERDING,
    ),
)
AGAIN = Scene(
    name="core sets of Algorithm 3",
    shapes=tuple({"n_local": n, "m_kept": m, "d": d} for n, m, d in _SIZES),
    space=lambda shape: {"phi": Box(-2, 2, (shape["n_local"], shape["d"]))},
    compute=Proved(herding(every_sample), OF_HERDING, (LARGEST,)),
)
ONCE = AGAIN.variant(
    "core sets of Algorithm 3, each sample at most once",
    shapes=tuple(
        {"n_local": n, "m_kept": m, "d": d} for n in (1, 2, 3) for m in range(1, n + 1) for d in (1, 2)
    ),
    compute=Proved(herding(new_samples), OF_NEW_CHOICES, (NEAREST,), next_squares),
)
