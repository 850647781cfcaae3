"""Scenes of drifts and gradient errors in a round along delayed gradients, on smooth finite sums (C-FLAG, Lemmas 12 to 16)."""

from __future__ import annotations

from bounds.cflag.symbols import L, S, client_sup, sample_sup
from bounds.relations import le
from nqm.fields import Array, abs_, amax, maximum, norm, sq, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag.drift_facts import AT_STEPS
from verify.scenes.cflag.drift_sums_facts import IN_ROUND
from verify.scenes.cflag.local_steps import (
    Round,
    Samples,
    local_round,
    mean_of,
    order_space,
    refreshed,
    samples_of,
    samples_space,
)
from verify.scenes.cflag.terms import DEFINES, OF_SAMPLES, of_samples
from verify.scenes.norms_of_sums import counted, follows, triangle
from verify.scenes.parameters import column
from verify.scenes.shapes import shapes_of
from verify.scenes.summands import SUMMANDS, before, changing


def round_space(shape: Shape) -> dict[str, Box]:
    """Parameters: losses, orders and weights; the step size is a fraction of its limit.

    All samples of a client have the same linear term: linear terms with sum zero within a client change no step and no error.
    """
    return {
        **samples_space(shape),
        "slope": Box(-2, 2, (shape["N"], 1, shape["d"])),
        **order_space(shape),
        "raw": Box(0.1, 1, (shape["N"],)),
        "room": Box(0, 0),
        "beta": Box(1e-8, 1, scale="log"),
    }


def smoothness(shape: Shape, values: Named) -> Values:
    """Largest smoothness constants of samples and clients, and L; of clients an upper bound unless d = 1."""
    losses = samples_of(values)
    each = losses.smoothness()
    plain = losses.twist is None and losses.width is None
    clients = abs_(values["bend"].sum(axis=-1)) if plain else each.sum(axis=-1)
    found = {"sample_sup": amax(each, (-1, -2)), "client_sup": amax(clients, -1) / shape["S"]}
    return {**found, "L": found["sample_sup"] * (1 + values["room"])}


def run_of(shape: Shape, values: Named, losses: Samples) -> tuple[Round, list[Array]]:
    """The round from the server's model 0, and the samples that are drawn."""
    fresh = refreshed(shape, values["order"])
    start = 0 * values["slope"][..., 0, :]
    p = values["raw"] / values["raw"].sum(axis=-1)[:, None]
    return local_round(losses.components, start, column(values["beta"], 2), p, fresh), fresh


def by_step(shape: Shape, values: Named) -> Values:
    """Norms at every local step."""
    return at_steps(shape, values, *run_of(shape, values, samples_of(values)))


def by_round(shape: Shape, values: Named) -> Values:
    """Norms of sums over the local steps."""
    return over_round(run_of(shape, values, samples_of(values))[0])


def _so_far(x: list[Array]) -> list[Array]:
    """Sums of the entries before each."""
    sums = [0 * x[0]]
    for entry in x[:-1]:
        sums.append(sums[-1] + entry)
    return sums


def _largest(x: list[Array]) -> list[Array]:
    """Largest of the entries up to each."""
    found = [x[0]]
    for entry in x[1:]:
        found.append(maximum(found[-1], entry))
    return found


def at_steps(shape: Shape, values: Named, run: Round, fresh: list[Array]) -> Values:
    """Norms in the proofs of Lemmas 12 and 13, (batch, N, E)."""
    S, E = shape["S"], shape["E"]
    over = lambda x: norm(x).sum(axis=-1) / S  # noqa: E731
    behind = lambda point: point[..., None, :]  # noqa: E731
    g_t = run.global_gradient[:, None]
    drift = [norm(x - run.points[0]) for x in run.points]
    error = [norm(x) for x in run.errors]
    lengths = [norm(b - a) for a, b in zip(run.points, run.points[1:], strict=False)]
    late = [0 * values["bend"]]
    for step, drawn in enumerate(fresh):
        late.append((1 - drawn) * (late[-1] + lengths[step][..., None]))
    so_far = _largest(drift[:-1])
    pairs = [(l, later) for later in range(E) for l in range(later)] or [(0, 0)]
    each = lambda x: stack(x, -1)  # noqa: E731
    ones = 0 * values["raw"] + 1
    growth = [ones]
    for _ in range(E - 1):
        growth.append(growth[-1] * (1 + values["beta"] * values["L"])[:, None])
    return {
        "k": each([step * ones for step in range(E)]),
        "gg": norm(run.global_gradient),
        "g_line": run.global_gradient[:, 0],
        "drift": each(drift[:-1]),
        "drift_next": each(drift[1:]),
        "drift_max": each(so_far),
        "drift_before": each([0 * ones, *so_far[:-1]]),
        "drift_sum": each(_so_far(drift[:-1])),
        "max_sum": each(_so_far(so_far)),
        "first": drift[1],
        "first_gap": norm(run.exact[0] - run.delayed[0]),
        "e": each(error),
        "e_sum": each(_so_far(error)),
        "e_earlier": each([error[l] for l, _ in pairs]),
        "turned": each([over(a - b) for a, b in zip(run.used, run.components, strict=True)]),
        "turn": each([norm(x - run.exact[0]) for x in run.exact]),
        "stale": each([over(a - behind(x)) for a, x in zip(run.evaluated, run.points, strict=False)]),
        "stale_other": each([over(run.evaluated[l] - behind(run.points[later])) for l, later in pairs]),
        "away": each([over(x - behind(run.points[0])) for x in run.evaluated]),
        "stale_steps": each([x.sum(axis=-1) / S for x in late]),
        "path": each(_so_far(lengths)),
        "force": each(_so_far([norm(g_t - run.exact[0] + x) for x in run.delayed])),
        "split": each(
            _so_far([norm(g_t - run.exact[0] + x + y) for x, y in zip(run.exact, run.errors, strict=True)])
        ),
        "growth": each(growth),
    }


def over_round(run: Round) -> Values:
    """Sums over the local steps in the proofs of Lemmas 15 and 16, (batch,)."""
    mean = lambda x: (run.p * x).sum(axis=-1)  # noqa: E731
    rho = [run.average(x) for x in run.exact]
    turns = [x - run.exact[0] for x in run.exact]
    moved = [x - run.points[0] for x in run.points[:-1]]
    parted = [run.average(x) + run.global_gradient for x in turns]
    return {
        "gg": norm(run.global_gradient),
        "gg2": sq(run.global_gradient),
        "p_sum": run.p.sum(axis=-1),
        "rho": norm(sum(rho)),
        "rho2": sq(sum(rho)),
        "rho_norms": sum(norm(x) for x in rho),
        "rho_norms2": sum(sq(x) for x in rho),
        "parted2": sum(sq(x) for x in parted),
        "mean_turns": sum(norm(run.average(x)) for x in turns),
        "mean_turns2": sum(sq(run.average(x)) for x in turns),
        "turns": sum(mean(norm(x)) for x in turns),
        "turns2": sum(mean(sq(x)) for x in turns),
        "drifts": sum(mean(norm(x)) for x in moved),
        "drifts2": sum(mean(sq(x)) for x in moved),
        "ebar": norm(sum(run.average(x) for x in run.errors)),
        "errors": sum(mean(norm(x)) for x in run.errors),
    }


def sizes(**lists: int) -> Shape:
    """A shape; sizes that are not given are the smallest."""
    return {"N": 1, "S": 1, "E": 1, "d": 1, "curved": 0, **lists}


ROUND = Scene(
    name="a round on smooth finite sums",
    shapes=shapes_of(
        sizes,
        "smallest, E=2, S=2 E=2, E=3, N=2 E=2, S=2 E=3, S=4 E=2, S=3 E=4, N=2 S=2 E=3",
        "N=3 S=2 E=2, S=2 E=3 d=2, S=2 E=3 curved=1, S=2 E=2 d=2 curved=1",
    ),
    space=round_space,
    room="room",
    known=smoothness,
    compute=Proved(by_step, AT_STEPS, DEFINES, of_samples),
    steps=("beta",),
    free_step=lambda name, shape, values: 1000 / values["L"],
    told={
        "curved": "0: quadratic losses, 1: pseudo-Huber losses",
        "slope": "linear terms of the losses, client by client",
        "bend": "curvatures of the samples, client by client",
        "mean": "mean curvature of each client's samples",
        "wild": "factor of the differences of the samples' curvatures from their mean",
        "order": "sample whose gradient a client computes at each local step",
        "raw": "the weights p_i of the clients are these over their sum",
        "room": "share by which constants are larger than they must be",
    },
)
SUMS = ROUND.variant(
    "sums over a round on smooth finite sums", compute=Proved(by_round, IN_ROUND, DEFINES, of_samples)
)
LONG = ROUND.variant(
    "rounds of up to 24 steps on smooth finite sums", shapes=(*ROUND.shapes, sizes(E=12), sizes(S=24, E=24))
)
LONG_SUMS = SUMS.variant("sums over rounds of up to 24 steps on smooth finite sums", shapes=LONG.shapes)


def samples_of_both_signs(values: Named) -> Named:
    """Samples with large curvatures `wild` of both signs, whose mean is the `mean` of the client."""
    apart = values["bend"] - (values["bend"].sum(axis=-1) / values["bend"].shape[-1])[..., None]
    return {**values, "bend": values["mean"][..., None] + values["wild"][:, None, None] * apart}


def smooth_clients(shape: Shape, values: Named) -> Values:
    """The constants if L bounds the curvature of clients only."""
    found = smoothness(shape, samples_of_both_signs(values))
    return {**found, "L": found["client_sup"] * (1 + values["room"])}


CLIENTS = ROUND.variant(
    "a round on smooth clients with samples of any smoothness",
    shapes=(sizes(E=2), sizes(S=2, E=2), sizes(S=2, E=3), sizes(N=2, S=2, E=3), sizes(S=2, E=4)),
    space=lambda shape: {
        **round_space(shape),
        "mean": Box(-1, 1, (shape["N"],)),
        "wild": Box(1, 1000, scale="log"),
    },
    known=smooth_clients,
    compute=lambda shape, values: by_step(shape, samples_of_both_signs(values)),
)
CLIENTS_SUMS = CLIENTS.variant(
    "sums over a round on smooth clients with samples of any smoothness",
    compute=lambda shape, values: by_round(shape, samples_of_both_signs(values)),
)


def at_two_points(shape: Shape, values: Named) -> Values:
    """Changes of gradients per distance: of clients (batch, N), of samples (batch, N, S)."""
    losses, N = samples_of(values), shape["N"]
    x, y = (values[name][:, None, :] + 0 * values["slope"][..., 0, :] for name in ("x", "y"))
    change, far = losses.components(x) - losses.components(y), norm(x - y)
    assert change.shape[1] == N
    return {
        "far": far,
        "client_sup": norm(mean_of(change)) / far,
        "sample_sup": norm(change) / far[..., None],
    }


AS_SMOOTH = counted(
    le(client_sup, SUMMANDS / S * L),
    S,
    changing(client_sup, free=(sample_sup,)),
    triangle(client_sup, {before(client_sup): 1, sample_sup: 1 / S}),
    follows(le(sample_sup, L), given=(OF_SAMPLES,)),
)
"""A client's gradient changes by the mean of the changes of its samples' gradients."""
POINTS = Scene(
    name="smooth finite sums at two points",
    shapes=tuple(
        {"N": N, "S": S, "E": 1, "d": d, "curved": curved}
        for N, S, d in ((1, 1, 1), (1, 2, 1), (2, 2, 2))
        for curved in (0, 1)
    ),
    space=lambda shape: {
        **samples_space(shape),
        "x": Box(-4, 4, (shape["d"],)),
        "y": Box(-4, 4, (shape["d"],)),
        "room": Box(0, 0),
    },
    room="room",
    known=lambda shape, values: {"L": smoothness(shape, values)["L"]},
    compute=Proved(at_two_points, (AS_SMOOTH,)),
)
FREE_POINTS = POINTS.variant(
    "finite sums at two points, any L",
    space=lambda shape: {**POINTS.space(shape), "L_free": Box(0.1, 4, scale="log")},
    known=lambda shape, values: {"L": values["L_free"]},
)
