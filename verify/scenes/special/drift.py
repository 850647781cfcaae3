"""The drift of SPECIAL's model within a task (Lemma 4.9, Eq. 25 to 27): whole runs, and the server alone."""

from __future__ import annotations

import numpy as np

from algorithms.algorithm import Algorithm
from algorithms.draws import Draws, expectation
from algorithms.fedavg import fedavg
from algorithms.simulate import local_path, play_round, states
from bounds.catalogue import statement
from nqm.fields import Array, like, norm, sq, stack
from nqm.world import World
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.federated import all_draws, build, known_constants, origin, sizes, world_space
from verify.scenes.parameters import column
from verify.scenes.shapes import shapes_of
from verify.scenes.special import meanings
from verify.scenes.special.algorithm_facts import MOVES
from verify.scenes.special.drift_facts import AWAY, FACTS, IN_LENGTHS, UNROLLED, bound_of_every_round
from verify.scenes.special.one_round import method, steps_space
from verify.scenes.special.terms import DEFINES, terms


def updates(world: World, draws: Draws, values: Named, theta: Array, round_: int) -> tuple[Array, Array]:
    """Aggregated update (batch, run, d) and mean summed gradient norm (batch, run) of a round from `theta`.

    The update comes from FedAvg with a global step of one, so it does not share SPECIAL's code.
    """
    plain = fedavg(column(values["gamma_L"], 1), 1)
    clients, noise = draws.participants(0, round_), like(theta, draws.noise(0, round_))
    state = {"theta": theta}
    after = play_round(world, plain, state, 0, clients, noise)["theta"]
    points = [
        theta[..., None, :] + 0 * noise[..., 0, :],
        *(p["x"] for p in local_path(world, plain, state, 0, clients, noise)),
    ]
    oracle = world.at(0, clients)
    lengths = [norm(oracle.stochastic_grad(x, noise[..., e, :])) for e, x in enumerate(points[:-1])]
    return after - theta, sum(lengths).sum(axis=-1) / lengths[0].shape[-1]


def distances(shape: Shape, values: Named, algorithm: Algorithm) -> Values:
    """Expected squared distance of the model after t rounds from the start."""
    draws = all_draws(shape, shape["t"])
    start = origin(shape, values)
    *_, (_, _, state) = states(build(shape, values), algorithm, draws, start, shape["t"])
    return {"drift2": expectation(draws, sq(state["theta"] - start), axis=-1)}


def run(shape: Shape, values: Named) -> Values:
    """Every path of SPECIAL over t + 1 rounds, and expectations over all of them."""
    world, rounds = build(shape, values), shape["t"]
    draws = all_draws(shape, rounds + 1)
    path = [
        state["theta"]
        for _, _, state in states(world, method(values), draws, origin(shape, values), rounds + 1)
    ]
    moves = [updates(world, draws, values, theta, tau) for tau, theta in enumerate(path[:-1])]
    far = path[rounds] - path[0]
    return {
        "th0": path[0],
        "th": path[rounds],
        "th_next": path[rounds + 1],
        "update": moves[rounds][0],
        "Delta": stack([move for move, _ in moves], axis=0),
        "gsum": stack([expectation(draws, lengths, axis=-1) for _, lengths in moves], axis=0),
        "drift2": expectation(draws, sq(far), axis=-1),
        "drift1": expectation(draws, norm(far), axis=-1),
    }


def recursion(shape: Shape, values: Named) -> Values:
    """SPECIAL's server for arbitrary messages `sent` (batch, round, d) of the clients."""
    rounds = shape["t"]
    server = method(values)
    state = server.begin_task(server.init(values["start"][:, None, :]), 0)
    path = [state["theta"]]
    for tau in range(rounds + 1):
        reported = {"x": (path[-1] + values["sent"][:, tau][:, None, :])[..., None, :]}
        state = server.aggregate(state, reported, np.zeros((1, 1), dtype=int))
        path.append(state["theta"])
    return {
        "th0": path[0],
        "th": path[rounds],
        "th_next": path[rounds + 1],
        "update": values["sent"][:, rounds][:, None, :],
        "Delta": stack([values["sent"][:, tau][:, None, :] for tau in range(rounds + 1)], axis=0),
    }


SERVER = Scene(
    name="server of SPECIAL",
    shapes=tuple({"M": 1, "N": 1, "t": t, "d": 1} for t in range(1, 7)),
    space=lambda shape: {
        "start": Box(-2, 2, (shape["d"],)),
        "sent": Box(-2, 2, (shape["t"] + 1, shape["d"])),
        **steps_space(shape),
    },
    compute=Proved(recursion, (*MOVES, UNROLLED)),
    steps=("gamma_G", "gamma_L"),
    free_step=lambda name, shape, values: 2,
    told={
        "start": "global model at the task start",
        "sent": "aggregated updates of the rounds, from round 0",
        "th": "by Eq. (26): after each round, th - th0 = (th - th0 before the round + gamma_G Delta)/(1 + lam)",
    },
)
DRIFT = Scene(
    name="drift of SPECIAL",
    told=meanings.BOUNDED,
    shapes=shapes_of(
        sizes,
        "smallest, t=2, t=3, M=2 N=1 t=2, t=2 noisy=1, M=2 N=1 E=2 t=2 noisy=1, t=2 d=2",
        "t=2 curved=1, t=3 E=2 curved=1, M=2 N=1 E=2 t=2 curved=1, M=2 N=1 t=2 d=2 curved=2",
        "M=2 N=1 t=2 d=2 curved=3",
    ),
    space=lambda shape: {**world_space(shape), **steps_space(shape)},
    room="room",
    known=known_constants,
    compute=Proved(
        run, (bound_of_every_round(statement("special.lem4.9").relation), IN_LENGTHS, *FACTS), DEFINES, terms
    ),
    steps=("gamma_G", "gamma_L"),
    free_step=lambda name, shape, values: 2,
)
UNPULLED = DRIFT.variant(
    "drift of plain averaging",
    compute=Proved(
        lambda shape, values: distances(
            shape, values, fedavg(column(values["gamma_L"], 1), column(values["gamma_G"], 1))
        ),
        (AWAY,),
        DEFINES,
        terms,
    ),
)
