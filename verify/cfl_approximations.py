"""CFL, Appendix C.1.2: what Taylor approximations, core sets and generated samples lose of the past."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy as sp

from algorithms.algorithm import over_slots
from algorithms.arrays import is_tensor, like
from algorithms.cfl import Point, at_end, at_start, cfl, diagonal_taylor, fisher, taylor
from algorithms.core_sets import Candidates, every_sample, herded, new_samples
from algorithms.memory import every_memory
from algorithms.simulate import play_round
from bounds.catalogue import statement
from bounds.cfl_approximations import herd_mean, herd_rise, hessian_off, lost_end, lost_off, m_kept, miss2
from bounds.cfl_lemmas import bend, bend_here, from_end, from_point, loss_norm
from nqm.drift import TiltedQuadratic
from nqm.fields import Array, abs_, amax, exp, norm, sq, stack
from verify.cfl_lemmas import EXPANDED, expanded
from verify.engine.checks.relation import entailment, identity, inequality
from verify.engine.claim import Claim
from verify.engine.drifts import signs
from verify.engine.main import main
from verify.engine.scene import Box, Scene, Shape, Values

Named = Mapping[str, Any]


# ------------------------------------------------------------------------------------------ Taylor expansions


def quadratic(shape: Shape, values: Named) -> Values:
    """Expansions of x'Ax/2 + b'x by the algorithm, and of the loss itself with any symmetric matrix."""
    symmetric = lambda x: (x + x.swapaxes(-1, -2)) / 2  # noqa: E731
    A, other, b = symmetric(values["A"]), symmetric(values["other"]), values["b"]
    form = lambda M, y: (y[:, :, None] * M * y[:, None, :]).sum(axis=2).sum(axis=1)  # noqa: E731
    slope = lambda y: (A * y[:, None, :]).sum(axis=2) + b  # noqa: E731
    x, at = values["x"], values["at"]
    value, gradient = form(A, at) / 2 + (b * at).sum(axis=1), slope(at)
    near = lambda y: value + (gradient * (y - at)).sum(axis=1) + form(other, y - at) / 2  # noqa: E731
    units = like(x, np.eye(shape["d"], dtype=int))
    oracle = SimpleNamespace(grad=slope, hessian=lambda y: A)
    found = {of: of(oracle, at, 0, 1)(x) for of in (taylor, diagonal_taylor)}
    top = like(x, (np.arange(shape["d"]) > 0).astype(int))
    # All layers: the Hessian itself; the top layers alone: nothing is kept of the first coordinate
    lost = slope(x) - found[taylor]
    return {
        # Exact for a quadratic
        "slope_near": stack([(near(x + e) - near(x - e)) / 2 for e in units], -1),
        "slope_printed": gradient + (other * (x - at)[:, None, :]).sum(axis=2),
        "slope_true": slope(x),
        "slope_taylor": found[taylor],
        "lost_off": norm(slope(x) - found[diagonal_taylor]),
        "lost_all2": sq(lost),
        "lost_top2": sq(slope(x) - top * found[taylor]),
        "bottom2": slope(x)[:, 0] ** 2,
    }


QUADRATIC = Scene(
    name="expansions of a quadratic loss",
    shapes=({"d": 1}, {"d": 2}, {"d": 3}),
    space=lambda shape: {
        **{name: Box(-2, 2, (shape["d"], shape["d"])) for name in ("A", "other")},
        **{name: Box(-2, 2, (shape["d"],)) for name in ("b", "x", "at")},
    },
    compute=quadratic,
    covers="equal as polynomials in up to 3 dimensions; both sides have the same coefficients in every coordinate and "
    "pair of coordinates",
)


def stood_in(shape: Shape, values: Named) -> Values:
    """Losses of Lemma B.3 expanded at either end of the local steps, and with a Hessian that is off by `off`."""
    found = expanded(shape, values)
    swapped = expanded(shape, {**values, "at": values["end"], "end": values["at"]})
    return {
        **found,
        "lost_end": swapped["loss_norm"],
        "lost_off": norm(found["lost"] - values["off"] * (values["here"] - values["at"])),
        "hessian_off": amax(abs_(values["off"]), -1) * (1 + values["room"]),
    }


STOOD_IN = replace(
    EXPANDED,
    name="Taylor expansion of a gradient with a stand-in for the Hessian",
    space=lambda shape: {**EXPANDED.space(shape), "off": Box(-2, 2, (shape["d"],))},
    compute=stood_in,
)


def next_round(point: Point) -> Any:
    """One round of CFL with squared gradients for the Hessian; what is then lost about it."""

    def played(shape: Shape, values: Named) -> Values:
        N, K = shape["N"], shape["K"]
        curved = stack([values["h"]] * 2, 1)
        world = TiltedQuadratic(curved, 0 * values["h"][:, 0], stack([values["tilt"]] * 2, 1))
        rates = ((values[name] + 0 * values["h"][:, 0, 0])[:, None] for name in ("eta_l", "eta_g"))
        method = cfl(*rates, lambda task: [1] * (task + 1), fisher, point)
        clients = np.arange(N)[None]
        state = method.begin_task(method.init(values["model"][:, None]), 0)
        quiet = like(values["h"], np.zeros((1, N, K, 1), dtype=int))
        state = method.begin_task(play_round(world, method, state, 0, clients, quiet), 1)
        x = over_slots(state["theta"], N)
        kept = method.objective(world, state, 1, clients).past[0]
        return {"lost_next2": sq(world.at(0, clients).grad(x) - kept(x))[:, 0]}

    return played


NEXT = Scene(
    name="start of the round after an expansion at its start",
    shapes=tuple({"N": N, "K": K} for N, K in ((1, 1), (1, 2), (2, 1))),
    space=lambda shape: {
        "h": Box(0.1, 4, (shape["N"], 1), scale="log"),
        "tilt": Box(-2, 2, (shape["N"], 1)),
        "model": Box(-2, 2, (1,)),
        "eta_l": Box(0.01, 1, scale="log"),
        "eta_g": Box(0.01, 1, scale="log"),
    },
    compute=next_round(at_start),
    steps=("eta_g",),
)
NEXT_END = replace(NEXT, name="start of the round after an expansion at its end", compute=next_round(at_end))


# ----------------------------------------------------------------------------------------- Fisher information


def of_labels(z: Array, slope: Array, bent: Array, labels: Array) -> Values:
    """Derivatives of the cross entropy of logits z (batch, n) with first and second derivative in one parameter."""
    chance = 1 / (1 + exp(-z))
    mean = lambda x: x.sum(axis=1) / x.shape[1]  # noqa: E731
    gradient = (chance - labels) * slope
    drawn = chance * ((chance - 1) * slope) ** 2 + (1 - chance) * (chance * slope) ** 2
    return {
        "hessian_diagonal": mean(chance * (1 - chance) * slope**2 + (chance - labels) * bent),
        "square_of_mean": mean(gradient) ** 2,
        "mean_of_squares": mean(gradient**2),
        "model_squares": mean(drawn),
    }


def _logistic(shape: Shape, values: Named) -> Values:
    x = values["x"]
    return of_labels(x * values["w"][:, None], x, 0 * x, values["label"])


def _two_layers(shape: Shape, values: Named) -> Values:
    x, w = values["x"], values["w"][:, None]
    return of_labels((x * w) ** 2, 2 * x**2 * w, 2 * x**2, values["label"])


LOGISTIC = Scene(
    name="logistic regression with one parameter",
    shapes=({"n": 1}, {"n": 2}),
    space=lambda shape: {
        "x": Box(-2, 2, (shape["n"],)),
        "label": Box(0, 1, (shape["n"],), levels=(0, 1)),
        "w": Box(-2, 2),
    },
    compute=_logistic,
    covers="equal as rational functions of exp(-logit), for 1 and 2 samples; both sides are means over the samples",
)
TWO_LAYERS = replace(
    LOGISTIC, name="a unit that squares its input, before a logistic output", compute=_two_layers, covers=""
)


# -------------------------------------------------------------------------------------------------- core sets


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
    compute=uniform,
    covers="equal as polynomials for up to 5 samples; both sides are symmetric in the samples and the same in every "
    "coordinate, and each sample is in the share m/n of the sets",
)
LOSSES = replace(UNIFORM, name="information loss of uniform core sets", covers="")


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
    compute=together,
    covers="equal as linear forms at every size tried; every sample has the same coefficient on both sides",
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
        different = np.array([len(set(row)) for row in index.tolist()])
        return {
            "miss2": square[-1] / m**2,
            "spread2": sq(off).sum(axis=1) / shape["n_local"],
            "herd_rise": amax(stack([after - before for before, after in pairwise(square)], 1), 1),
            "herd_mean": stack([average_rise(x, off) for x in short[:-1]], 1),
            "distinct": like(phi, different),
        }

    return chosen


def average_rise(short: Array, off: Array) -> Array:
    """Growth of |short|^2 (batch,) by one more choice, on average over all samples."""
    return (sq(short[:, None] + off) - sq(short)[:, None]).sum(axis=1) / off.shape[1]


_SIZES = ((1, 1, 1), (2, 1, 1), (2, 2, 1), (3, 2, 1), (3, 3, 1), (4, 3, 2), (2, 4, 1))
AGAIN = Scene(
    name="core sets of Algorithm 3",
    shapes=tuple({"n_local": n, "m_kept": m, "d": d} for n, m, d in _SIZES),
    space=lambda shape: {"phi": Box(-2, 2, (shape["n_local"], shape["d"]))},
    compute=herding(every_sample),
)
ONCE = replace(
    AGAIN,
    name="core sets of Algorithm 3, each sample at most once",
    shapes=tuple(shape for shape in AGAIN.shapes if shape["m_kept"] <= shape["n_local"]),
    compute=herding(new_samples),
)
ANY = Scene(
    name="one more choice of Algorithm 3, whatever was chosen before",
    shapes=tuple({"n_local": n, "d": d} for n, d in ((1, 1), (2, 1), (3, 1), (2, 2))),
    space=lambda shape: {
        "phi": Box(-2, 2, (shape["n_local"], shape["d"])),
        "short": Box(-2, 2, (shape["d"],)),
    },
    compute=lambda shape, values: {
        "herd_mean": average_rise(values["short"], offsets(values["phi"])),
        "spread2": sq(offsets(values["phi"])).sum(axis=1) / shape["n_local"],
    },
    covers="equal as polynomials; the mixed term has the sum of the offsets from the mean as a factor, which is zero",
)


# ------------------------------------------------------------------------------------------- generated samples


def chain(shape: Shape, values: Named) -> Values:
    """k steps down the energy h (x - c)^2 / 2 from starts of two values, with noise of two values in each step."""
    k, h, size = shape["steps_x"], values["h_energy"], values["step_x"]
    outcomes = signs(k + 1, h)[None]
    x = values["centre"][:, None] + values["away"][:, None] * outcomes[..., 0]
    for step in range(1, k + 1):
        x = (
            x
            - (size * h)[:, None] * (x - values["to"][:, None])
            + values["noise"][:, None] * outcomes[..., step]
        )
    count = outcomes.shape[1]
    return {
        "start_spread": values["away"] ** 2,
        "noise_x": values["noise"] ** 2,
        "chain_spread": ((x - x.sum(axis=1)[:, None] / count) ** 2).sum(axis=1) / count,
    }


CHAIN = Scene(
    name="chain of generated samples",
    shapes=tuple({"steps_x": k} for k in (1, 2, 3)),
    space=lambda shape: {
        **{name: Box(-2, 2) for name in ("centre", "to", "away", "noise")},
        "h_energy": Box(0.1, 4),
        "step_x": Box(0.05, 1),
    },
    compute=chain,
    covers="equal as polynomials for 1 to 3 steps; every further step multiplies the spread by (1 - eta h)^2 and adds "
    "sigma^2, and so does the formula",
)
STEPS = Scene(
    name="step sizes of a chain",
    shapes=({},),
    space=lambda shape: {"h_energy": Box(0.1, 4), "step_x": Box(0.05, 0.45)},
    compute=lambda shape, values: {},
)


def generated(shape: Shape, values: Named) -> Values:
    """Losses h |w - x|^2 / 2, the mean over real or over generated samples x."""
    h, w = values["h_energy"], values["w"]
    mean = lambda x: x.sum(axis=1) / x.shape[1]  # noqa: E731
    slope = lambda data: mean(h[:, None] * (w[:, None] - data))  # noqa: E731
    real, made = values["real"], values["made"]
    return {"lost_made": abs_(slope(real) - slope(made)), "made_off": abs_(mean(real) - mean(made))}


GENERATED = Scene(
    name="losses of generated samples",
    shapes=({"n": 1, "m": 1}, {"n": 2, "m": 1}, {"n": 2, "m": 3}),
    space=lambda shape: {
        "real": Box(-2, 2, (shape["n"],)),
        "made": Box(-2, 2, (shape["m"],)),
        "w": Box(-2, 2),
        "h_energy": Box(0.1, 4),
    },
    compute=generated,
    covers="equal as expressions; the model drops out of the difference of two means",
)

# -------------------------------------------------------------------------------------------------- the claims

_end = (sp.Le(lost_end, bend_here * from_end), sp.Le(bend_here, bend))
_triangle = sp.Le(lost_off, loss_norm + hessian_off * from_point)
_every_step = sp.Le(m_kept * miss2, herd_rise)
_best = sp.Le(herd_rise, herd_mean)


def _claim(id: str, check: Any, scene: Scene | None = None, *premises: Any) -> Claim:
    return Claim(statement(f"cfl.{id}"), (check,), scene, premises)


def _cited(id: str) -> Any:
    return statement(f"cfl.{id}").compared


CLAIMS = (
    _claim("approx.taylor", identity, QUADRATIC),
    _claim("approx.taylor.quadratic", identity, QUADRATIC),
    _claim("lemB.3/end", inequality, STOOD_IN, *_end),
    _claim("approx.taylor.next", identity, NEXT),
    _claim("approx.taylor.next/end", identity, NEXT_END),
    _claim("approx.taylor.hessian", entailment, STOOD_IN),
    _claim("approx.taylor.hessian/corrected", inequality, STOOD_IN, _triangle, _cited("lemB.3")),
    _claim("approx.taylor.diagonal", identity, QUADRATIC),
    _claim("approx.taylor.layers", identity, QUADRATIC),
    _claim("approx.taylor.layers.less", inequality, QUADRATIC, _cited("approx.taylor.layers")),
    _claim("approx.taylor.buffer", inequality),
    _claim("approx.taylor.fisher", identity, LOGISTIC),
    _claim("approx.taylor.fisher/samples", identity, LOGISTIC),
    _claim("approx.taylor.fisher/model", identity, LOGISTIC),
    _claim("approx.taylor.fisher/network", identity, TWO_LAYERS),
    _claim("approx.coreset", identity, UNIFORM),
    _claim("approx.coreset.loss", identity, LOSSES),
    _claim("approx.coreset.more", inequality),
    _claim("approx.coreset.union", identity, UNION),
    _claim("approx.coreset.union.weights", entailment, BALANCED),
    _claim("alg3", inequality, AGAIN, _every_step, _cited("alg3.step")),
    _claim("alg3.step", inequality, AGAIN, _best, _cited("alg3.average")),
    _claim("alg3.average", identity, ANY),
    _claim("alg3/once", inequality, ONCE),
    _claim("alg3.distinct", identity, AGAIN),
    _claim("alg3.distinct/once", identity, ONCE),
    _claim("alg3.whole", identity, AGAIN),
    _claim("alg3.whole/once", identity, ONCE),
    _claim("approx.mcmc", identity, CHAIN),
    _claim("approx.mcmc.stationary", identity, STEPS),
    _claim("approx.mcmc.stationary/biased", identity),
    _claim("approx.mcmc.collapse", inequality),
    _claim("approx.mcmc.loss", identity, GENERATED),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_approximations"))
