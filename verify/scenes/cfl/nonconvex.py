"""One round of CFL on losses of either curvature (Appendix B.5), in every outcome; terms of Eq. (32).

One round starts from a given model, so the drifts of its clients are independent of that model, as Assumption 3 requires with
its expectations conditional on omega. Losses have one dimension. All outcomes are enumerated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from bounds.hypotheses import Hypothesis
from nqm.fields import Array, abs_, amax, like, minimum, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl import meanings
from verify.scenes.cfl.client_sums import LARGEST, POSITIVE
from verify.scenes.cfl.drifts import mean, signs
from verify.scenes.cfl.round_sums import FACTS
from verify.scenes.cfl.smooth_facts import FACTS as SMOOTH_FACTS
from verify.scenes.cfl.terms import MET, ROUND_DEFINES, drifting, met_noises, moved_to_one_dimension, stirs
from verify.scenes.shapes import shapes_of


def sizes(**lists: int) -> Shape:
    """A shape; sizes that are not given are the smallest.

    ``N``: clients. ``K``: local steps. ``t``: rounds whose data clients know. ``noisy``: whether gradients have noise.
    ``grow``: 0, drifts are constant (A = B = 0); 1, they grow with the gradient (G = D = 0); 2, both, with the same sign; 3,
    client drifts are constant plus a part that grows with the squared distance up to a reach, so that they are curved.
    ``still``: 1, the round starts at a stationary point without drift, so that only noise moves the model.
    """
    return {"N": 1, "K": 1, "t": 1, "noisy": 0, "grow": 0, "still": 0, **lists}


def round_space(shape: Shape) -> dict[str, Box]:
    """Parameters of a round. `share` contains the weights of past rounds times their number; `stiff` multiplies h."""
    N, t = shape["N"], shape["t"]
    far = 0 if shape["still"] else 4
    memory = (
        {"share": Box(0, 1, (N, t - 1)), "lost": Box(-2, 2, (N,)), "tied": Box(-2, 2, (N,))} if t > 1 else {}
    )
    drift = {
        **(dict.fromkeys(("b", "a"), Box(0, 0.45)) if shape["grow"] in (1, 2) else {}),
        **({"bow": Box(0, 4), "reach": Box(0.01, 4, scale="log")} if shape["grow"] == 3 else {}),
        **(dict.fromkeys(("client", "time"), Box(-far / 2, far / 2, (N,))) if shape["grow"] != 1 else {}),
        **({"parting": Box(0.1, 10, scale="log")} if shape["grow"] == 2 else {}),
    }
    return {
        "h": Box(0.1, 4) if shape["grow"] == 3 else Box(-4, 4),
        **({"stiff": Box(1, 1000, scale="log")} if shape["K"] > 2 else {}),
        "model": Box(-far, far),
        **drift,
        **memory,
        **({"sigma": Box(0, 2)} if shape["noisy"] else {}),
        "room": Box(0, 0),
        "eta_g": Box(0.0005, 1, scale="log"),
        "eta_l": Box(0.01, 1, scale="log"),
    }


@dataclass(frozen=True)
class World:
    """Losses h x^2/2 and their drifts in every outcome of all signs.

    Attributes
    ----------
    h : (batch, 1, 1) array
        Curvature of the global loss.
    p : (batch, 1, N, t) array
        Nonnegative weights with sum 1.
    bent, tilt : (batch, outcome, N, t) arrays
        Local gradients are bent * x - tilt - bow/2 * min(|x|, reach)^2.
    bow : (batch, outcome, N, 1) array
    reach : (batch, 1, 1) array
    lost : (batch, outcome, N, t) array
        Information loss.
    noise : (batch, outcome, N, K) array
        Noise of the stochastic gradients.
    """

    h: Array
    p: Array
    bent: Array
    tilt: Array
    bow: Array
    reach: Array
    lost: Array
    noise: Array

    def weighted(self, x: Array) -> Array:
        """Weighted true gradients at x (batch, outcome, N)."""
        square = minimum(x**2, self.reach**2 + 0 * x)[..., None]
        return (self.p * (self.bent * x[..., None] - self.tilt - self.bow / 2 * square)).sum(axis=-1)

    def information_loss(self) -> Array:
        """Weighted information loss, (batch, outcome, N)."""
        return (self.p * self.lost)[..., :-1].sum(axis=-1) + 0 * self.bent[..., 0]


def weights(shape: Shape, values: Named) -> Array:
    """p[tau] of every client, (batch, N, t)."""
    one = 1 + 0 * values["h"][:, None]
    if shape["t"] == 1:
        return stack([one] * shape["N"], 1)
    past = values["share"] / (shape["t"] - 1)
    return stack([*(past[..., n] for n in range(shape["t"] - 1)), one - past.sum(axis=-1)], -1)


def constants(shape: Shape, values: Named) -> Values:
    """Constants of the assumptions, and the constants of the proof that follow from them and the weights."""
    h = values["h"] * (values["stiff"] if shape["K"] > 2 else 1)
    p, N = weights(shape, values), shape["N"]
    none = 0 * h
    room = lambda x: x * (1 + values["room"]) + values["room"]  # noqa: E731
    b, a = (values["b"], values["a"]) if shape["grow"] in (1, 2) else (none, none)
    bow, reach = bowed(shape, values)
    slope = h * values["model"]
    client, time = constant_drifts(shape, values)
    # |u + v|^2 <= (1 + c) |u|^2 + (1 + 1/c) |v|^2 for any c > 0 splits a drift into its constant and growing parts
    constant, growing = (1 + values["parting"], 1 + 1 / values["parting"]) if shape["grow"] == 2 else (1, 1)
    client2, time2 = (constant * amax(drift**2, -1) for drift in (client, time))
    b2, a2 = growing * b**2, growing * a**2
    drifted = lambda size, drift: amax((drift + (size * slope)[:, None]) ** 2, -1)  # noqa: E731
    g2 = slope**2
    if (
        shape["grow"] == 3
    ):  # |c + q x^2/2|^2 <= c^2 + (|c| q + q^2 r^2/4) x^2 for |x| up to r, and beyond, where it stays
        b2 = (bow * amax(abs_(client), -1) + bow**2 * reach**2 / 4) / h**2
        client = client + (bow / 2 * minimum(values["model"] ** 2, reach**2))[:, None]
    up = abs_(values["lost"]) + abs_(values["tied"]) if shape["t"] > 1 else 0 * h[:, None]
    lost2, sigma = amax(up, -1) ** 2, values["sigma"] if shape["noisy"] else none
    smooth = abs_(h) * (1 + a + b) + bow * reach
    found = {"G2": room(client2), "D2": room(time2), "B2": room(b2), "A2": room(a2), "R2": room(lost2)}
    each = lambda name: found[name][:, None]  # noqa: E731
    square, past = (p**2).sum(axis=-1), p[..., :-1].sum(axis=-1) + 0 * p[..., -1]
    cB, cG = 1 + each("B2") + each("A2") * square, each("G2") + each("D2") * square
    return {
        **found,
        "p": p,
        **{"curved_sup": smooth, "noisy2": sigma**2, "lost2": lost2, "g2": g2, "g2_start": g2},
        **{"delta2": drifted(b, client), "xi2": drifted(a, time)},
        **{"curvature": h, "L": room(smooth), "sigma2": room(sigma**2)},
        **{"cB": cB[..., None], "cG": cG[..., None], "P_past": past[..., None], "c_max": amax(cB, -1)},
        **{"cB_i": cB.T, "cG_i": cG.T, "P_i": past.T},
        **{"c_pB": cB.sum(axis=-1) / N, "c_pG": cG.sum(axis=-1) / N},
    }


def constant_drifts(shape: Shape, values: Named) -> tuple[Array, Array]:
    """The constant parts of client and time drift, each (batch, N) up to its sign."""
    if shape["grow"] != 1:
        return values["client"], values["time"]
    none = stack([0 * values["h"]] * shape["N"], 1)
    return none, none


def bowed(shape: Shape, values: Named) -> tuple[Array, Array]:
    """The curvature of the client drifts, and the distance up to which they are curved."""
    none = 0 * values["h"]
    return (values["bow"], values["reach"]) if shape["grow"] == 3 else (none, none)


def build(shape: Shape, values: Named) -> World:
    """All outcomes of the signs: for each client a permanent one, one for each round, and one for each noisy step."""
    N, t, K = shape["N"], shape["t"], shape["K"]
    count = 1 + t + (K if shape["noisy"] else 0)
    drawn = signs(N * count, values["h"])
    drawn = drawn.reshape(drawn.shape[0], N, count)[None]
    lasting, fresh, steps = drawn[..., :1], drawn[..., 1 : 1 + t], drawn[..., 1 + t :]
    each = lambda name: values[name][:, None, :, None]  # noqa: E731 - (batch, N)
    whole = lambda name: values[name][:, None, None, None]  # noqa: E731 - (batch,)
    plain = whole("curvature") + 0 * (lasting + fresh)
    client, time = (drift[:, None, :, None] for drift in constant_drifts(shape, values))
    bent, tilt = plain, client * lasting + time * fresh
    if shape["grow"] in (1, 2):
        bent = plain * (1 - whole("b") * lasting - whole("a") * fresh)
    lost = each("lost") + each("tied") * fresh if t > 1 else 0 * plain
    noise = whole("sigma") * steps if shape["noisy"] else stack([0 * plain[..., 0]] * K, -1)
    bow, reach = bowed(shape, values)
    return World(
        values["curvature"][:, None, None],
        weights(shape, values)[:, None],
        bent,
        tilt,
        bow[:, None, None, None] * lasting,
        reach[:, None, None],
        lost,
        noise,
    )


def one_round(shape: Shape, values: Named) -> Values:
    """Algorithm 2 in round t from the given model, with all quantities of Appendix B.5."""
    return of_met(values, meeting(shape, values))


def meeting(shape: Shape, values: Named) -> Met:
    """The models and gradients of the round."""
    return met_where(values, build(shape, values), lambda world, x: world.information_loss())


def met_where(values: Named, world: World, missed: Callable[[World, Array], Array]) -> Met:
    """The models and gradients of a round whose weighted information loss at a model is given by a function."""
    return walk(
        values, values["model"][:, None, None] + 0 * world.bent[..., 0], world.noise,
        lambda step, x: (world.h * x, world.weighted(x), missed(world, x)),
    )  # fmt: skip


def of_met(values: Named, met: Met) -> Values:
    """Quantities of a round with these models and gradients, for a quadratic global loss."""
    start, h = values["model"][:, None], values["curvature"][:, None]
    return {
        "loss_now": values["curvature"] * values["model"] ** 2 / 2,
        "loss_next": mean(h * (start + update(values, met)) ** 2 / 2),
        **of_round(values, met),
    }


@dataclass(frozen=True)
class Met:
    """The models and gradients of a round: arrays (batch, outcome, N), in lists over the models from the start on.

    Attributes
    ----------
    path : list
        Models.
    slopes, true, missed : list
        Global and weighted true gradients at the models, and the weighted information loss.
    """

    path: list[Array]
    slopes: list[Array]
    true: list[Array]
    missed: list[Array]

    @property
    def bar(self) -> list[Array]:
        """Gradients of the round's objective."""
        return [true - missed for true, missed in zip(self.true, self.missed, strict=True)]


def walk(
    values: Named, start: Array, noise: Array, gradients: Callable[[int, Array], tuple[Array, Array, Array]]
) -> Met:
    """Local steps from `start`. ``gradients(step, x)`` returns the global and weighted true gradient and the information loss."""
    path, slopes, true, missed = [start], [], [], []
    for step in range(noise.shape[-1] + 1):
        slope, weighted, lost = gradients(step, path[-1])
        slopes.append(slope)
        true.append(weighted)
        missed.append(lost)
        if step < noise.shape[-1]:
            path.append(path[-1] - values["eta_l"][:, None, None] * (weighted - lost + noise[..., step]))
    return Met(path, slopes, true, missed)


def update(values: Named, met: Met) -> Array:
    """The update of the server, (batch, outcome)."""
    return values["eta_g"][:, None] * (met.path[-1] - met.path[0]).sum(axis=-1) / met.path[0].shape[-1]


def of_round(values: Named, met: Met) -> Values:
    """Quantities of Appendix B.5 that depend on models and gradients only."""
    moved = update(values, met)
    return {
        "eta": values["eta_l"] * values["eta_g"] * (len(met.path) - 1),
        "downhill": mean(met.slopes[0][..., 0] * moved),
        "moved2": mean(moved**2),
        **sums(met),
        **at_models(met),
    }


def sums(met: Met) -> Values:
    """Sums over clients and local steps, at the models before and after each step."""
    slope, before, after = met.slopes[0], slice(None, -1), slice(1, None)
    total = lambda terms: sum(mean(term).sum(axis=-1) for term in terms)  # noqa: E731
    along = [slope * bar for bar in met.bar]
    true = [weighted**2 for weighted in met.true]
    apart = [(slope - weighted) ** 2 for weighted in met.true]
    strayed = [mean((x - met.path[0]) ** 2) for x in met.path]
    return {
        "bar_before": total(along[before]),
        "bar_after": total(along[after]),
        "true2": total(true[before]),
        "true2_after": total(true[after]),
        "apart2_before": total(apart[before]),
        "apart2_after": total(apart[after]),
        "start2": total(true[:1]),
        "missed2": total([lost**2 for lost in met.missed[before]]),
        "strayed_i": sum(strayed[before]).T,
        "strayed_after_i": sum(strayed[after]).T,
        "bar2": total([bar**2 for bar in met.bar[before]]),
    }


def at_models(met: Met) -> Values:
    """Quantities of Eq. (28) at every local model, (batch, N, K + 1), and the local drift after every step."""
    slope = met.slopes[0]
    each = lambda vectors: stack([mean(x**2) for x in vectors], -1)  # noqa: E731
    drift = each([x - met.path[0] for x in met.path])
    bar2 = [mean(bar**2) for bar in met.bar[:-1]]
    return {
        "bar2_upto": stack([sum(bar2[: n + 1]) for n in range(len(bar2))], -1),
        "apart2": each([slope - true for true in met.true]),
        "apart2_start": each([slope - met.true[0]]),
        "turned2": each([slope - there for there in met.slopes]),
        "apart2_there": each([there - true for there, true in zip(met.slopes, met.true, strict=True)]),
        "grad2_there": each(met.slopes),
        "e_there": drift,
        "e_before": drift[..., :-1],
        "e_now": drift[..., 1:],
        "k": 0 * drift[..., 1:] + like(drift, np.arange(1, len(met.path))),
    }


def terms(shape: Shape, values: Named) -> Values:
    """Global and weighted gradients at the model of the round and at others around it, and the noise."""
    world, far = build(shape, values), bowed(shape, values)[1][:, None, None]
    x = values["model"][:, None, None]
    slope, first = (
        part[:, :, None, ..., None] for part in (world.h * x, world.weighted(x + 0 * world.bent[..., 0]))
    )
    noise, met = world.noise[:, :, None, ..., None], meeting(shape, values)
    added = [
        (true - met.true[0] - lost)[:, :, None, ..., None]
        for true, lost in zip(met.true, met.missed, strict=True)
    ]
    return {
        **moved_to_one_dimension(x, far, lambda y: world.h * y, world.weighted),
        **stirs(noise, first, slope + 0 * first),
        **met_noises(noise, *added[:-1]),
        **drifting(first, slope + 0 * first),
    }


ROUND = Scene(
    name="one round of CFL on losses of either curvature",
    told=meanings.ROUND,
    shapes=shapes_of(
        sizes,
        "smallest, K=2, noisy=1, t=2, grow=1, K=3, N=2 t=2, K=2 noisy=1",
        "K=2 noisy=1 still=1, K=2 t=2, K=2 t=2 noisy=1, K=2 t=2 grow=1, N=2 K=2, grow=2",
        "K=2 t=2 grow=2, N=2 K=2 grow=2, grow=3, K=2 grow=3",
    ),
    space=round_space,
    room="room",
    known=constants,
    compute=Proved(one_round, (*FACTS, *SMOOTH_FACTS), (POSITIVE, LARGEST, *ROUND_DEFINES, MET), terms),
    steps=("eta_g", "eta_l"),
    free_step=lambda name, shape, values: 1 if name == "eta_g" else 4,
    restricts=(Hypothesis.QUADRATIC, Hypothesis.ONE_DIMENSION, Hypothesis.NEW_CLIENTS),
)


def _led(direction: int, shape: Shape, values: Named) -> Values:
    """A round whose server multiplies its step along the clients' update by `direction`."""
    gone = one_round(shape, {**values, "eta_g": direction * values["eta_g"]})
    return {**gone, "eta": shape["K"] * values["eta_g"] * values["eta_l"]}


PLACEBOS = tuple(
    ROUND.variant(f"{ROUND.name}, {words}", compute=partial(_led, direction))
    for direction, words in ((-1, "uphill"), (0, "standing still"))
)
