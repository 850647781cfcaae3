"""C-FLAG: local steps along delayed gradients, their error and the drift of the clients (Eq. 4, 5, 17-22; Lemmas 12-16)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bounds.catalogue import statement
from nqm.fields import Array, abs_, amax, constant, maximum, norm, sq, stack
from verify.engine.aggregated import (
    Round,
    Samples,
    all_orders,
    local_round,
    mean_of,
    order_space,
    orders,
    refreshed,
    samples_of,
    samples_space,
)
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.worst_case import worst_case
from verify.engine.claim import Claim
from verify.engine.federated import column
from verify.engine.main import main
from verify.engine.scene import Box, Scene, Shape, Values
from verify.engine.weights import with_sum_one

Named = Mapping[str, Any]


# ------------------------------------------------------------------------- any gradients, any order: identities


def any_round(shape: Shape, values: Named, fresh: list[Array], p: Array) -> Round:
    """Local steps along `grads` (batch, E, N, S, d), whatever the losses; an axis of orders follows the batch."""
    grads = iter([values["grads"][:, None, step] for step in range(shape["E"])])
    start = values["start"][:, None, None, :] + 0 * values["grads"][:, None, 0, :, 0]
    start = sum((0 * drawn[..., :1] for drawn in fresh), start)
    return local_round(
        lambda x: next(grads) + 0 * x[..., None, :], start, column(values["beta"], 3), p, fresh
    )


def last_drawn(shape: Shape) -> np.ndarray:
    """tau of Eq. (5) in every order: (E, order, N, S) ints, step by step as the text says."""
    S, E, chosen = shape["S"], shape["E"], orders(shape)
    tau = np.zeros((E, len(chosen), shape["N"], S), dtype=int)
    for step in range(1, E):
        drawn = chosen[..., step - 1, None] == np.arange(S)
        tau[step] = np.where(drawn, step, tau[step - 1])
    return tau


def identities(shape: Shape, values: Named, p: Array) -> Values:
    """Vectors of Eq. (4), (5), (17)-(22), (31), (32), (95) for every order of refreshing."""
    N, S, E = (shape[name] for name in "NSE")
    run = any_round(shape, values, all_orders(shape, values["start"]), p[:, None])
    client, sample = np.arange(N)[:, None], np.arange(S)
    tau = last_drawn(shape)
    there = [values["grads"][:, tau[step], client, sample] for step in range(E)]
    each = lambda x: stack(x, -1)  # noqa: E731
    steps = [a - b for a, b in zip(run.points, run.points[1:], strict=False)]
    passed = lambda step, l: constant((tau[step] <= l).astype(int), run.p)[..., None]  # noqa: E731
    between = [
        sum(passed(step, l) * steps[l][..., None, :] for l in range(step)) + 0 * run.used[step]
        for step in range(E)
    ]
    here = [x[..., None, :] for x in run.points[:-1]]
    g_t = run.global_gradient[..., None, :] + 0 * run.exact[0]
    return {
        "p_sum": p.sum(axis=-1),
        "x_t": run.points[0],
        "x_end": run.points[-1],
        "x_now": each(run.points[:-1]),
        "x_next": each(run.points[1:]),
        "g_t": g_t,
        "gi_t": run.exact[0],
        "gi_now": each(run.exact),
        "gp": each(run.delayed),
        "gp_start": run.delayed[0],
        "gp_tau": each([mean_of(x) for x in there]),
        "e_vec": each([mean_of(a - b) for a, b in zip(there, run.components, strict=True)]),
        "lag": each([a - b for a, b in zip(run.evaluated, here, strict=True)]),
        "lag_path": each(between),
        "gps": stack(run.delayed, 0),
        "gps_mean": stack([run.average(x) for x in run.delayed], 0),
        "mean_move": run.average(run.points[-1] - run.points[0]),
        "mean_shift": run.average(g_t - run.exact[0]),
    }


def _free_space(shape: Shape) -> dict[str, Box]:
    N, S, E, d = (shape[name] for name in "NSEd")
    return {
        "grads": Box(-2, 2, (E, N, S, d)),
        "start": Box(-2, 2, (d,)),
        "raw": Box(0, 1, (N,)),
        "beta": Box(0.01, 2, scale="log"),
    }


ANY = Scene(
    name="local steps along any gradients",
    shapes=tuple(
        {"N": N, "S": S, "E": E, "d": 1}
        for N, S, E in ((1, 1, 1), (1, 1, 2), (2, 1, 2), (1, 2, 3), (1, 3, 3), (2, 2, 3), (1, 2, 4))
    ),
    space=_free_space,
    compute=lambda shape, values: identities(shape, values, with_sum_one(values["raw"])),
    steps=("beta",),
    free_step=lambda name, shape, values: 1,
    covers="equal as polynomials in the step size and the gradients, which are arbitrary, for every order of refreshing, up "
    "to 2 clients, 3 samples and 4 steps; a further step adds the same to both sides, in every coordinate",
)
ANY_WEIGHTS = replace(
    ANY,
    name="the same with any weights",
    compute=lambda shape, values: identities(shape, values, values["raw"]),
)


def toy(shape: Shape, values: Named) -> Values:
    """The toy example: the first sample is drawn at k = 1, the third at k = 2."""
    drawn = refreshed(shape, constant([[0, 2]], values["start"]) + 0 * values["start"][:, None])
    run = any_round(shape, values, [x[:, None] for x in drawn], 1 + 0 * values["start"][:, None])
    sample = lambda step: stack([run.components[step][..., j, :] for j in range(3)], 0)  # noqa: E731
    return {
        "toy": run.delayed[1],
        "toy_next": run.delayed[2],
        "fresh": sample(1),
        "old": sample(0),
        "third": sample(2)[2],
    }


TOY = replace(
    ANY,
    name="toy example",
    shapes=({"N": 1, "S": 3, "E": 3, "d": 1},),
    compute=toy,
    covers="equal as polynomials in the gradients, which are arbitrary; the same in every coordinate",
)
TWICE = replace(TOY, name="both lines of the toy example", covers="")


# ---------------------------------------------------------------------------------- norms, on smooth finite sums


def round_space(shape: Shape) -> dict[str, Box]:
    """Losses, orders and weights; the step size as a fraction of its limit.

    All samples of a client share their slope: linear terms that cancel within a client change no step and no error.
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
    """The round from the server's model 0, and which samples are drawn."""
    fresh = refreshed(shape, values["order"])
    start = 0 * values["slope"][..., 0, :]
    p = values["raw"] / values["raw"].sum(axis=-1)[:, None]
    return local_round(losses.components, start, column(values["beta"], 2), p, fresh), fresh


def measured(shape: Shape, values: Named) -> Values:
    """Norms at every local step, (batch, N, E), and over the round, (batch,)."""
    run, fresh = run_of(shape, values, samples_of(values))
    return {**at_steps(shape, values, run, fresh), **over_round(run)}


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
    """Norms that the proofs of Lemmas 12 and 13 name, (batch, N, E)."""
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
    """Sums over the local steps that the proofs of Lemmas 15 and 16 name, (batch,)."""
    mean = lambda x: (run.p * x).sum(axis=-1)  # noqa: E731
    rho = [run.average(x) for x in run.exact]
    turns = [x - run.exact[0] for x in run.exact]
    moved = [x - run.points[0] for x in run.points[:-1]]
    parted = [run.average(x) + run.global_gradient for x in turns]
    return {
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
    """A shape with the sizes that were not named at their smallest."""
    return {"N": 1, "S": 1, "E": 1, "d": 1, "curved": 0, **lists}


ROUND = Scene(
    name="a round on smooth finite sums",
    shapes=(
        sizes(),
        sizes(E=2),
        sizes(S=2, E=2),
        sizes(E=3),
        sizes(N=2, E=2),
        sizes(S=2, E=3),
        sizes(S=4, E=2),
        sizes(S=3, E=4),
        sizes(N=2, S=2, E=3),
        sizes(N=3, S=2, E=2),
        sizes(S=2, E=3, d=2),
        sizes(S=2, E=3, curved=1),
        sizes(S=2, E=2, d=2, curved=1),
    ),
    space=round_space,
    known=smoothness,
    compute=measured,
    steps=("beta",),
    free_step=lambda name, shape, values: 1000 / values["L"],
)
LONG = replace(
    ROUND,
    name="rounds of up to 24 steps on smooth finite sums",
    shapes=(*ROUND.shapes, sizes(E=12), sizes(S=24, E=24)),
)


def opposed(values: Named) -> Named:
    """Samples whose curvatures are `wild`, and cancel but for the `mean` of the client."""
    apart = values["bend"] - (values["bend"].sum(axis=-1) / values["bend"].shape[-1])[..., None]
    return {**values, "bend": values["mean"][..., None] + values["wild"][:, None, None] * apart}


def smooth_clients(shape: Shape, values: Named) -> Values:
    """The constants where L bounds the clients only."""
    found = smoothness(shape, opposed(values))
    return {**found, "L": found["client_sup"] * (1 + values["room"])}


CLIENTS = replace(
    ROUND,
    name="a round on smooth clients with samples of any smoothness",
    shapes=(sizes(E=2), sizes(S=2, E=2), sizes(S=2, E=3), sizes(N=2, S=2, E=3), sizes(S=2, E=4)),
    space=lambda shape: {
        **round_space(shape),
        "mean": Box(-1, 1, (shape["N"],)),
        "wild": Box(1, 1000, scale="log"),
    },
    known=smooth_clients,
    compute=lambda shape, values: measured(shape, opposed(values)),
)


def at_two_points(shape: Shape, values: Named) -> Values:
    """Changes of gradients per distance: of clients (batch, N), of samples (batch, N, S)."""
    losses, N = samples_of(values), shape["N"]
    x, y = (values[name][:, None, :] + 0 * values["slope"][..., 0, :] for name in ("x", "y"))
    change, far = losses.components(x) - losses.components(y), norm(x - y)
    assert change.shape[1] == N
    return {"client_sup": norm(mean_of(change)) / far, "sample_sup": norm(change) / far[..., None]}


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
    known=lambda shape, values: {"L": smoothness(shape, values)["L"]},
    compute=at_two_points,
)


# ------------------------------------------------------------------------------------------------------- claims


def _in(scene: Scene | None, check: Callable[..., Any], *ids: str) -> tuple[Claim, ...]:
    return tuple(Claim(statement(f"cflag.{id}"), (check,), scene) for id in ids)


def _from(id: str, *premises: str) -> Claim:
    """A line that follows from other lines."""
    given = tuple(statement(f"cflag.{premise}").compared for premise in premises)
    return Claim(statement(f"cflag.{id}"), (inequality,), ROUND, given)


def _lemma(id: str, *premises: str, quantity: str = "") -> Claim:
    """A bound that follows from other lines, where there are any; beside the worst case of a quantity."""
    claim = replace(_from(id, *premises), checks=(bound,), scene=LONG)
    if not quantity:
        return claim
    return replace(claim, checks=(bound, worst_case(quantity, ((1, 3), (2, 3), (3, 3)))))


CLAIMS = (
    *_in(POINTS, bound, "ass1", "ass1.samples"),
    *_in(CLIENTS, entailment, "ass1.implied"),
    *_in(POINTS, inequality, "ass1.mean"),
    *_in(ANY, identity, "eq4", "eq5", "eq5.start"),
    *_in(None, inequality, "eq5.cost"),
    *_in(TOY, identity, "eq5.toy.k1", "eq5.toy.k2"),
    *_in(TWICE, agreement, "eq5.toy.label"),
    *_in(ANY, identity, "eq17", "eq18", "eq19", "eq20", "eq21.zero"),
    *_in(ANY_WEIGHTS, identity, "eq21", "eq21.zero/weights"),
    *_in(ANY, identity, "eq22", "eq31", "eq32"),
    *_in(ROUND, inequality, "eq94.a", "eq94.smooth"),
    *_in(CLIENTS, inequality, "eq94.smooth/ass1"),
    _from("eq94", "eq94.a", "eq94.smooth"),
    *_in(ANY, identity, "eq95"),
    *_in(ROUND, inequality, "eq96", "eq97"),
    _from("eq98", "eq94", "eq96", "eq97"),
    *_in(ROUND, identity, "eq99", "eq100"),
    *_in(ROUND, inequality, "eq101.e"),
    _from("eq101", "eq98", "eq99", "eq100", "eq101.e"),
    *_in(ROUND, inequality, "eq102"),
    *_in(ROUND, inequality, "eq103", "eq103/own", "eq104.away"),
    _from("eq105", "eq103/own", "eq104.away", "eq105.largest"),
    *_in(ROUND, inequality, "eq105.largest", "eq106.sum"),
    _from("eq106", "eq101", "eq106.sum"),
    *_in(ROUND, inequality, "eq107", "eq107/norm", "eq107.sum"),
    _from("eq108", "eq106", "eq107.sum"),
    *_in(ROUND, inequality, "eq109.sum"),
    _lemma("lem12", "eq108", "eq109.sum"),
    *_in(CLIENTS, bound, "lem12/ass1"),
    *_in(ROUND, inequality, "eq113", "eq114.smooth"),
    _from("eq115", "eq113", "eq114.smooth"),
    _from("eq116", "eq115", "lem12"),
    _from("eq117", "eq116"),
    *_in(ROUND, inequality, "eq119"),
    *_in(ROUND, identity, "eq120"),
    *_in(None, entailment, "eq120.four"),
    *_in(None, identity, "eq123"),
    *_in(None, entailment, "eq124", "eq125", "eq126"),
    _lemma("lem13", quantity="drift"),
    _from("lem13.E", "lem13"),
    *_in(CLIENTS, bound, "lem13/ass1"),
    *_in(ROUND, inequality, "eq129.drift", "eq129"),
    _from("eq129/brackets", "lem12", "eq129.drift"),
    *_in(None, entailment, "eq130", "eq130/brackets"),
    _lemma("cor14", "eq129/brackets", quantity="e"),
    *_in(CLIENTS, bound, "cor14/ass1"),
    *_in(ROUND, inequality, "eq133", "eq134", "eq135.b"),
    _from("eq135", "eq134", "eq135.b"),
    *_in(ROUND, inequality, "eq136.c"),
    _from("eq136", "eq135", "eq136.c"),
    *_in(ROUND, inequality, "eq137.d", "eq137.d/small-steps"),
    *_in(ROUND, bound, "lem15.I"),
    _lemma("lem15.I/small-steps", "eq136", "eq137.d/small-steps", quantity="rho"),
    *_in(CLIENTS, bound, "lem15.I/ass1"),
    *_in(ROUND, inequality, "eq139"),
    *_in(ROUND, identity, "eq140"),
    *_in(ROUND, inequality, "eq141.young"),
    _from("eq141", "eq139", "eq140", "eq141.young"),
    *_in(ROUND, inequality, "eq142.b"),
    _from("eq142", "eq141", "eq142.b"),
    *_in(ROUND, inequality, "eq143.c"),
    _from("eq143", "eq142", "eq143.c"),
    *_in(ROUND, inequality, "eq144.d", "eq144.d/small-steps"),
    *_in(ROUND, bound, "lem15.II"),
    _from("lem15.II/small-steps", "eq143", "eq144.d/small-steps"),
    *_in(ROUND, inequality, "eq147", "eq147.cor14", "eq147.cor14/small-steps"),
    *_in(ROUND, bound, "lem16"),
    _lemma("lem16/small-steps", "eq147", "eq147.cor14/small-steps", quantity="ebar"),
    *_in(CLIENTS, bound, "lem16/ass1"),
    *_in(ROUND, inequality, "eq97/sharp", "eq101/sharp"),
    _from("lem12/sharp", "eq94", "eq97/sharp", "eq101/sharp"),
    *_in(ROUND, inequality, "eq117/sharp"),
    *_in(None, entailment, "eq126/sharp"),
    *_in(ROUND, bound, "lem13/sharp"),
    *_in(ROUND, inequality, "eq101.path/sharp"),
    _from("cor14/sharp", "eq94", "eq97/sharp", "eq101.path/sharp"),
    *_in(ROUND, bound, "lem15.I/sharp", "lem16/sharp"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_drift"))
