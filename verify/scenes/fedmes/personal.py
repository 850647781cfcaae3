"""Rounds of FedMeS and of Ditto compared with the optima of (1) and (2): one from an arbitrary model, and several in a row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

from algorithms.algorithm import Algorithm, State
from algorithms.ditto import ditto
from algorithms.fedmes import fedmes, fixed_strength
from algorithms.memory import first_in_first_out
from algorithms.simulate import local_path
from bounds.fedmes.personal import PACED, QUADRATICS
from nqm.fields import Array, IntArray, amax, amin, broadcast_to, dot, maximum, norm, sq, stack
from nqm.finite_sum import FiniteSum
from nqm.quadratic import DiagonalQuadratic
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.fedmes import meanings
from verify.scenes.fedmes.personal_facts import AT_ITS_PACE, BENT, FROM_DOWNLOAD, FROM_OWN
from verify.scenes.fedmes.step_facts import AVERAGED, EACH_AGREEING, EACH_FIRST, ROUND_AGREEING, ROUND_FIRST
from verify.scenes.parameters import column

Method = Callable[[Named, int], Algorithm]
"""(step sizes, number of clients) -> the algorithm."""
CURVATURE = (0.05, 4.0)
RATE = Box(0.02, 0.95, scale="log")


def world_of(values: Named) -> FiniteSum:
    """Clients with one quadratic sample of the current task, h and c_k (batch, n, d), and one of a task before it.

    If no earlier sample is given, the current one takes its place and the memories are empty.
    """
    both = (stack([values.get(f"past_{name}", values[name]), values[name]], 1) for name in ("h", "c_k"))
    return FiniteSum(DiagonalQuadratic(*both), values["h"].shape[1])


CURRENT = 1
"""Number of the current task in these worlds."""


def as_fedmes(values: Named, n_clients: int) -> Algorithm:
    """FedMeS at the step sizes of a batch of instances; corrections have the same step size as other steps."""
    eta_1, lam = (column(values[name], 1) for name in ("eta_1", "lam"))
    return fedmes(eta_1, eta_1, n_clients, 1, first_in_first_out(1), fixed_strength(lam))


def as_ditto(values: Named, n_clients: int) -> Algorithm:
    """Ditto with the same step size for both models."""
    eta_1, lam = (column(values[name], 1) for name in ("eta_1", "lam"))
    return ditto(eta_1, eta_1, lam, n_clients)


def play(
    world: FiniteSum, method: Algorithm, state: State, E: int, samples: IntArray | None = None
) -> tuple[State, Array]:
    """State after a round of all clients, and the models at which they evaluated gradients, (batch, E, n, d).

    The clients draw `samples` (1, n, E, 1), by default the first.
    """
    everyone = np.arange(world.n_clients)[None]
    u = np.zeros((1, world.n_clients, E, 1), dtype=int) if samples is None else samples
    path = list(local_path(world, method, state, CURRENT, everyone, u))
    start = state["theta"][:, :, None] + 0 * path[0]["x"]
    visited = stack([start, *(local["x"] for local in path[:-1])], axis=2)[:, 0]
    return method.aggregate(state, path[-1], everyone), visited


def began(method: Algorithm, start: Array, held: int = 0) -> State:
    """State at the start of the task, from models (batch, d), with `held` samples of the past in every memory."""
    state = method.begin_task(method.init(start[:, None]), CURRENT)
    return {**state, "kept": np.full_like(state["kept"], 0 if held else -1)} if "kept" in state else state


def agreement(shape: Shape, values: Named, visited: Array) -> Array:
    """Inner products of the gradients of task and memory at models (batch, ..., n, d); 0 for an empty memory."""
    at = lambda h, c: h[:, None] * (visited - c[:, None])  # noqa: E731
    inner = dot(
        at(values["h"], values["c_k"]), at(*(values.get(f"past_{x}", values[x]) for x in ("h", "c_k")))
    )
    return inner if shape["held"] else 0 * inner


def optimum(values: Named) -> Array:
    """Minimiser of the mean loss, (batch, d)."""
    return (values["h"] * values["c_k"]).sum(axis=1) / values["h"].sum(axis=1)


def regularised_optimum(values: Named, centre: Array) -> Array:
    """Minimisers of (2) around `centre` (batch, d), for all clients: (batch, n, d)."""
    lam = column(values["lam"], 2)
    return (values["h"] * values["c_k"] + lam * centre[:, None]) / (values["h"] + lam)


def smoothness(shape: Shape, values: Named) -> Values:
    """Smallest and largest curvature of all clients."""
    more = 1 + values["room"]
    return {"L": amax(values["h"], (1, 2)) * more, "c": amin(values["h"], (1, 2)) / more}


def space_of_clients(shape: Shape) -> dict[str, Box]:
    """Parameters: losses of n clients, their memories, a model, and the numbers of a step."""
    n, d = shape["n"], shape["d"]
    losses = {"h": Box(*CURVATURE, (n, d), scale="log"), "c_k": Box(-2, 2, (n, d))}
    past = {f"past_{name}": box for name, box in losses.items()} if shape.get("held") else {}
    return {**losses, **past, "start": Box(-2, 2, (d,)), "lam": Box(0, 2), "eta_1": RATE, "room": Box(0, 0)}


def _contracting(name: str, shape: Shape, values: Named) -> Array:
    """The largest step size for which no gradient step on (2) overshoots."""
    return 1 / (values["L"] + values["lam"])


# ------------------------------------------------------------------------------------------------- one round


def one_round(shape: Shape, values: Named) -> Values:
    """A round of Algorithm 1 from any model."""
    method = as_fedmes(values, shape["n"])
    began_here = began(method, values["start"], shape["held"])
    state, visited = play(world_of(values), method, began_here, shape["E"])
    gradient = values["h"] * (values["start"][:, None] - values["c_k"])
    return {
        "wg": values["start"],
        "wg_next": state["theta"][:, 0],
        "wg_mean": state["personal"][:, 0].sum(axis=1) / shape["n"],
        "grad_mean": gradient.sum(axis=1) / shape["n"],
        "agree": agreement(shape, values, visited),
    }


def _sizes(*sizes: tuple[int, int, int]) -> tuple[Shape, ...]:
    return tuple({"n": n, "E": E, "d": d, "held": 0} for n, E, d in sizes)


ROUND = Scene(
    name="a round of Algorithm 1",
    told=meanings.PERSONAL,
    shapes=_sizes((1, 1, 1), (2, 1, 1), (2, 1, 2), (1, 2, 1), (2, 2, 1)),
    space=space_of_clients,
    room="room",
    compute=Proved(one_round, (ROUND_FIRST, AVERAGED)),
)
"""The statements contain gradients at the start of local work and models at its end; both can be arbitrary vectors."""


REMEMBERING = ROUND.variant(
    "a round of Algorithm 1 with a sample in every memory",
    shapes=tuple({**shape, "held": held} for held in (0, 1) for shape in ROUND.shapes[:3]),
    compute=Proved(one_round, (ROUND_AGREEING,)),
)


def each_client(shape: Shape, values: Named) -> Values:
    """A round for each client, and the start of the next round: by the text of FedMeS, and by Ditto."""
    method, other = as_fedmes(values, shape["n"]), as_ditto(values, shape["n"])
    world, start = world_of(values), values["start"]
    state, visited = play(world, method, began(method, start, shape["held"]), shape["E"])
    everyone = np.arange(shape["n"])[None]
    next_round = lambda way: way.begin_round(  # noqa: E731
        state, everyone, way.objective(world, state, CURRENT, everyone)
    )
    return {
        "wg": broadcast_to(start[:, None], values["h"].shape),
        "personal": state["personal"][:, 0],
        "grad_k": values["h"] * (start[:, None] - values["c_k"]),
        "agree": agreement(shape, values, visited),
        "begins": next_round(method)["x"][:, 0],
        "begins_ditto": next_round(other)["v"][:, 0],
    }


EACH = ROUND.variant(
    "personal models of a round of Algorithm 1",
    shapes=ROUND.shapes[:3],
    compute=Proved(each_client, (EACH_FIRST,)),
)
EACH_REMEMBERING = REMEMBERING.variant(
    f"{EACH.name} with a sample in every memory", compute=Proved(each_client, (EACH_AGREEING,))
)


def from_optimum(shape: Shape, values: Named) -> Values:
    """A round that starts at the optimum of the mean loss."""
    best, method = optimum(values), as_fedmes(values, shape["n"])
    state, visited = play(world_of(values), method, began(method, best, shape["held"]), shape["E"])
    return {
        "off2": sq(best - best),
        "off2_next": sq(state["theta"][:, 0] - best),
        "agree": agreement(shape, values, visited),
    }


AT_OPTIMUM = Scene(
    name="a round of Algorithm 1 from the global optimum",
    told=meanings.PERSONAL,
    shapes=_sizes((1, 1, 1), (2, 1, 1), (2, 2, 1), (2, 2, 2)),
    space=space_of_clients,
    room="room",
    known=smoothness,
    compute=from_optimum,
    steps=("eta_1",),
    restricts=QUADRATICS,
)


def errors(make: Method, shape: Shape, values: Named) -> Values:
    """A round after r others, from the global model 0 (without loss of generality) and arbitrary personal models `own` (batch, n, d)."""
    return distances(make, shape, values, optimum(values))


def distances(make: Method, shape: Shape, values: Named, best: Array) -> Values:
    """Distances to an arbitrary point `best` (batch, d) instead of the global optimum."""
    E, world, personal_best = shape["E"], world_of(values), regularised_optimum(values, best)
    method = make(values, shape["n"])
    state: State = {**began(method, 0 * best, shape["held"]), "personal": values["own"][:, None]}
    for _ in range(shape.get("r", 0)):
        state, _ = play(world, method, state, E)
    start, own = state["theta"][:, 0], state["personal"][:, 0]
    centre = regularised_optimum(values, start)
    end, visited = play(world, method, state, E)
    found = end["personal"][:, 0]
    gradient2 = sq(values["h"][:, None] * (visited - values["c_k"][:, None]))
    rate, lam = (column(values[name], 2) for name in ("eta_1", "lam"))
    shares = (1 - rate * (values["h"] + lam)) ** E
    left, drawn = shares * (own - personal_best), (1 - shares) * (centre - personal_best)
    share_of = lambda curvature: (1 - values["eta_1"] * (curvature + values["lam"])) ** E  # noqa: E731
    vectors = {
        "off_next": end["theta"] - best[:, None],
        "error_start": values["own"] - personal_best,
        "off_start": -best[:, None],
        "error": found - personal_best,
        "error_before": own - personal_best,
        "from_centre": start[:, None] - centre,
        "end_from_centre": found - centre,
        "centre_moved": centre - personal_best,
        "own_left": left,
        "drawn": drawn,
        "off": (start - best)[:, None],
    }
    return {
        "gradient2": gradient2,
        "sigma2": amax(gradient2, (1, 2)) * (1 + values["room"]),
        "to_own2": sq(visited - values["c_k"][:, None]),
        "agree": agreement(shape, values, visited),
        **{name: norm(vector) for name, vector in vectors.items()},
        **{f"{name}2": sq(vector) for name, vector in vectors.items()},
        "off2_next": sq(vectors["off_next"]),
        "between": dot(found - centre, centre - personal_best),
        "together": dot(left, drawn),
        "left": share_of(values["c"]),
        "least_left": share_of(values["L"]),
    }


HORIZON = 4
"""Number of rounds over which the rate of a global model is measured."""


def coupled_errors(make: Method, shape: Shape, values: Named) -> Values:
    """Errors with a rate of the global model over several rounds, and a constant C that is valid for it and for the start."""
    found = errors(make, shape, values)
    far = [errors(make, {**shape, "r": r}, values)["off"] for r in range(HORIZON + 1)]
    shares = stack([after / before for before, after in pairwise(far)], 1)
    pace, left = amin(shares, (1, 2)) * values["slower"], found["left"]
    drawn = (1 - left) * values["lam"] / (values["c"] + values["lam"]) / (pace - left)
    before = amax(found["error_start"] / found["off_start"], 1)
    return {**found, "pace": pace, "C": maximum(before, drawn) * (1 + values["more"])}


def _space_of_errors(shape: Shape) -> dict[str, Box]:
    return {**space_of_clients(shape), "own": Box(-2, 2, (shape["n"], shape["d"]))}


def _after(r: int, *shapes: Shape) -> tuple[Shape, ...]:
    return tuple({**shape, "r": r} for shape in shapes)


_ROUNDS = _sizes((1, 1, 1), (2, 1, 1), (2, 2, 1), (2, 3, 1), (2, 2, 2))
_REMEMBERED = tuple({**shape, "held": 1} for shape in _sizes((1, 1, 1), (2, 2, 1), (1, 2, 2)))
FEDMES_ROUND = Scene(
    name="distance to the personal optimum after a round of FedMeS",
    told=meanings.PERSONAL,
    shapes=(*_ROUNDS, *_REMEMBERED),
    space=_space_of_errors,
    room="room",
    known=smoothness,
    compute=Proved(partial(errors, as_fedmes), FROM_DOWNLOAD, BENT),
    steps=("eta_1",),
    free_step=_contracting,
    restricts=QUADRATICS,
)
DITTO_ROUND = FEDMES_ROUND.variant(
    "distance to the personal optimum after rounds of Ditto",
    shapes=(*_after(0, *_ROUNDS), *_after(1, *_ROUNDS[:3]), *_after(2, _ROUNDS[1])),
    space=lambda shape: {**_space_of_errors(shape), "slower": Box(0.3, 1), "more": Box(0, 1)},
    compute=Proved(partial(coupled_errors, as_ditto), (*FROM_OWN, AT_ITS_PACE), (*BENT, PACED)),
)


# ------------------------------------------------------------------------------------------------- several rounds


def several_rounds(make: Method, shape: Shape, values: Named) -> Values:
    """r rounds of two clients around a global optimum at 0, to which the global model converges.

    With one local step, clients may have different curvatures. With more, they have the same, as the global model would otherwise
    converge to another point.
    """
    h = stack([values["h_one"], values["h_one"] * (1 + column(values["apart"], 1))], axis=1)
    c_k = stack([values["aside"], -values["aside"] * h[:, 0] / h[:, 1]], axis=1)
    here = {**values, "h": h, "c_k": c_k}
    best = regularised_optimum(here, 0 * values["away"])
    method = make(here, 2)
    state: State = {**began(method, values["away"]), "personal": values["own"][:, None]}
    path, gradients = [state], []
    for _ in range(shape["r"]):
        state, visited = play(world_of(here), method, state, shape["E"])
        path.append(state)
        gradients.append(amax(sq(h[:, None] * (visited - c_k[:, None])), (1, 2)))
    error = stack([norm(state["personal"][:, 0] - best) for state in path], axis=1)
    off = stack([norm(state["theta"]) for state in path], axis=1)
    most = amax(stack(gradients, axis=1), 1)
    return {
        "gradient2": most,
        "sigma2": most * (1 + values["room"]),
        "agree": 0 * most,
        "errors": error,
        "offs": off,
        "off2": off[:, -2, 0] ** 2,
        "g_r": off[:, -2, 0] ** 2,
        "error2": error[:, -1] ** 2,
        "C": values["factor"] * (1 + amax(error[:, 1] ** 2, 1) / off[:, 0, 0] ** 2),
    }


def _known_curvature(shape: Shape, values: Named) -> Values:
    least = amin(values["h_one"], -1)
    most = amax(values["h_one"], -1) * (1 + values["apart"])
    return {"L": most * (1 + values["room"]), "c": least / (1 + values["room"])}


def _rounds_of(method: Method, name: str) -> Scene:
    return Scene(
        name=name,
        told=meanings.PERSONAL,
        shapes=tuple({"r": r, "E": E, "d": 1} for r, E in ((2, 1), (3, 1), (2, 2), (3, 2), (6, 1), (8, 1))),
        space=lambda shape: {
            "h_one": Box(*CURVATURE, (shape["d"],), scale="log"),
            "apart": Box(0, 10) if shape["E"] == 1 else Box(0, 0),
            "aside": Box(-2, 2, (shape["d"],)),
            "away": Box(0.05, 2, (shape["d"],), scale="log"),
            "own": Box(-2, 2, (2, shape["d"])),
            "lam": Box(0.01, 2, scale="log"),
            "eta_1": RATE,
            "factor": Box(100, 1000, scale="log"),
            "room": Box(0, 0),
        },
        room="room",
        known=_known_curvature,
        compute=partial(several_rounds, method),
        steps=("eta_1",),
        free_step=_contracting,
        restricts=QUADRATICS,
    )


SEVERAL_FEDMES = _rounds_of(as_fedmes, "rounds of FedMeS; C is hundreds of times what the first round needs")
SEVERAL_DITTO = _rounds_of(as_ditto, "rounds of Ditto; C is hundreds of times what the first round needs")
