"""The memory of a client over all ways to draw samples, votes of neighbours, and their mixture with outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product

import numpy as np

from algorithms.algorithm import Algorithm
from algorithms.fedmes import fedmes, with_inference
from algorithms.inference import kernel_estimate, mixture, neighbours
from algorithms.memory import first_in_first_out
from algorithms.prediction import Evidence
from nqm.fields import Array, abs_, exp, like
from nqm.finite_sum import FiniteSum
from nqm.quadratic import DiagonalQuadratic
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.fedmes.coordinate_facts import OF_VOTES
from verify.scenes.fedmes.memory_facts import IN_ORDER, OBLIVIOUS, OF_MEMORY, OF_ROOM, QUEUE, TASKS

# ------------------------------------------------------------------------------------------------------ memory


def every_order(sizes: Sequence[int], n_new: int) -> np.ndarray:
    """All choices of up to `n_new` samples of tasks of these sizes, in every order: (tasks, run, client 1, sample).

    Every order is as long as the largest task; -1 comes after the last sample.
    """
    chosen = (permutations(range(size), min(n_new, size)) for size in sizes)
    padded = ([(*order, *(-1,) * (max(sizes) - len(order))) for order in orders] for orders in chosen)
    return np.array(list(product(*padded))).swapaxes(0, 1)[:, :, None]


def memories_of_client(shape: Shape, values: Named) -> Values:
    """Memories of one client while it learns task t, over all ways to choose samples."""
    S, m, mt, t = (shape[name] for name in ("S", "m", "mt", "t"))
    sizes = (shape["S_1"], *(S for _ in range(t - 1)))
    world = FiniteSum(DiagonalQuadratic(values["h"][:, :, :, None], values["c"][:, :, :, None]), 1)
    method = fedmes(1, 1, 1, m, first_in_first_out(mt))
    assert method.end_task is not None
    x = values["x"][:, None, None, None]
    orders = every_order(sizes, mt)
    n_runs = orders.shape[1]
    state = method.init(np.zeros((n_runs, 1)))
    for task in range(t - 1):
        state = method.end_task(world, state, task, orders[task])
    later = method.end_task(world, state, t - 1, orders[t - 1])
    count = lambda kept, task: (kept // max(sizes) == task).sum(axis=-1)  # noqa: E731
    earlier = np.array([count(state["kept"], task) for task in range(t - 1)])
    dropped = [
        (earlier[older] > 0) * (min(mt, sizes[newer]) - earlier[newer])
        for newer in range(t - 1)
        for older in range(newer)
    ]
    number = lambda whole: like(values["x"], np.asarray(whole).reshape(1, -1)) + 0 * values["x"][:, None]  # noqa: E731
    each = values["h"] * (values["x"][:, None, None] - values["c"]) ** 2 / 2
    past = [each[:, task, : sizes[task]].sum(axis=1) for task in range(t - 1)]
    means = [total / size for total, size in zip(past, sizes, strict=False)]
    return {
        "held": number((state["kept"] >= 0).sum(axis=-1)),
        "held_from": number(earlier if t > 1 else 1),
        "missing_newer": number(dropped or 0),
        "held_current": number(count(state["kept"], t - 1)),
        "pairs_text": number(count(state["kept"], t - 1)),
        "pairs_alg": number(count(later["kept"], t - 1)),
        "expected_mem": world.over(state["kept"]).loss(x)[..., 0].sum(axis=1) / n_runs,
        "past_loss": sum(past) / max(sum(sizes[: t - 1]), 1) + 0 * values["x"],
        "mean_past": sum(means) / max(t - 1, 1) + 0 * values["x"],
    }


_SIZES = tuple(
    {"t": t, "m": m, "mt": mt, "S_1": S_1, "S": S}
    for t, m, mt, S_1, S in (
        (1, 1, 1, 1, 1),
        (2, 1, 1, 1, 1),
        (2, 1, 1, 2, 2),
        (3, 1, 1, 1, 1),
        (3, 2, 1, 1, 2),
        (3, 2, 1, 2, 2),
        (3, 2, 2, 2, 2),
        (3, 3, 2, 2, 2),
        (3, 4, 2, 1, 2),
        (4, 2, 1, 1, 1),
        (4, 3, 1, 2, 1),
        (4, 4, 2, 2, 2),
    )
)


def _space_of_memory(shape: Shape) -> dict[str, Box]:
    return {
        "h": Box(0.05, 4, (shape["t"], max(shape["S_1"], shape["S"])), scale="log"),
        "c": Box(-2, 2, (shape["t"], max(shape["S_1"], shape["S"]))),
        "x": Box(-2, 2),
    }


def numbers_in_queue(shape: Shape, values: Named) -> Values:
    """Numbers of samples on which facts about a memory rest, for each task or pair of tasks and each choice of samples."""
    S, mt, t = (shape[name] for name in ("S", "mt", "t"))
    sizes = [shape["S_1"], *(S for _ in range(t - 1))][: t - 1]
    n_runs = every_order((*sizes, S), mt).shape[1]
    drawn = [min(mt, size) for size in sizes]
    later = [sum(drawn[task + 1 :]) for task in range(t - 1)]
    pairs = [(older, newer) for newer in range(t - 1) for older in range(newer)]

    def number(whole: int | list[int]) -> Array:
        every_run = np.repeat(whole or 0, n_runs if whole else 1)[None]
        return like(values["x"], every_run) + 0 * values["x"][:, None]

    def left(task: int) -> int:
        return min(drawn[task], max(0, shape["m"] - later[task]))

    counted: dict[str, int | list[int]] = {
        "all_added": sum(drawn),
        "of_current": 0,
        **{"size": sizes, "drawn": drawn, "later": later},
    }
    for place, which in enumerate(("older", "newer")):
        tasks = [pair[place] for pair in pairs]
        counted |= {
            f"{which}_left": [left(task) for task in tasks],
            f"{which}_drawn": [drawn[task] for task in tasks],
            f"{which}_later": [later[task] for task in tasks],
        }
    return {name: number(whole) for name, whole in counted.items()}


MEMORY = Scene(
    name="memory of a client",
    shapes=_SIZES,
    space=_space_of_memory,
    compute=Proved(memories_of_client, OF_MEMORY, QUEUE, numbers_in_queue),
)
ROOMY = MEMORY.variant(
    "memory of a client with room for all samples",
    shapes=tuple(s for s in _SIZES if s["t"] >= 2 and s["m"] >= s["mt"] * (s["t"] - 1)),
    compute=Proved(memories_of_client, OF_ROOM, TASKS, numbers_in_queue),
)


# --------------------------------------------------------------------------------------------- neighbours, votes


def relative_exp(distance: Array) -> Array:
    """exp(-distance) divided by its value for the first sample."""
    return exp(distance[..., :1] - distance)


def votes(distance: Array, labels: np.ndarray, K: int, n_classes: int) -> Array:
    """Shares of the classes among the K nearest, distances (batch, m)."""
    index = neighbours(distance, K)
    nearest = distance[np.arange(len(index))[:, None], index]
    return kernel_estimate(nearest, labels[index], n_classes, relative_exp)


def by_distance(shape: Shape, values: Named) -> Values:
    """Votes of a memory on a line around the query, and of the mirrored memory."""
    m, K, C = shape["m"], shape["K"], shape["classes"]
    distance = abs_(values["side"] * values["far"])
    labels = np.arange(m) % C
    ranked = distance[np.arange(len(distance))[:, None], neighbours(distance, m)]
    back = np.arange(m)[::-1].copy()
    return {
        "near": ranked[:, :-1],
        "near_next": ranked[:, 1:],
        "vote": votes(distance, labels, K, C),
        "vote_again": votes(distance[:, back], labels[back], K, C),
    }


LINE = Scene(
    name="remembered samples around a query",
    shapes=tuple({"m": m, "K": K, "classes": C} for m, K, C in ((2, 1, 2), (3, 1, 2), (3, 2, 2), (4, 3, 3))),
    space=lambda shape: {"side": Box(-1, 1, (shape["m"],), levels=(-1, 1)), "far": Box(0, 3, (shape["m"],))},
    compute=Proved(by_distance, (IN_ORDER, OBLIVIOUS)),
)


def kernels(shape: Shape, values: Named) -> Values:
    """The printed weight at a distance and at twice the distance."""
    return {"kernel": exp(-values["distance"]), "kernel_twice": exp(-2 * values["distance"])}


KERNEL = Scene(
    name="kernel",
    shapes=({},),
    space=lambda shape: {"distance": Box(0, 3)},
    compute=kernels,
    covers="equal for every distance",
)


def mixed(shape: Shape, values: Named) -> Values:
    """Votes of neighbours with arbitrary positive weights, and their mixture with outputs, raw (`raw`) or with sum 1."""
    K, C = shape["K"], shape["classes"]
    labels = np.arange(K) % C
    share = kernel_estimate(values["weight"], labels + np.zeros((1, 1), int), C, lambda weight: weight)
    raw = values["raw"]
    output = raw if shape["raw"] else raw / raw.sum(axis=-1)[:, None]
    prediction = mixture(share, output, values["theta"][:, None])
    return {
        "vote_sum": share.sum(axis=-1),
        "output_sum": output.sum(axis=-1),
        "prediction": prediction,
        "prediction_sum": prediction.sum(axis=-1),
        "true_output": output[:, -1],
        "false_output": output[:, 0],
        "true_mixed": prediction[:, -1],
        "false_mixed": prediction[:, 0],
    }


def _mixture(name: str, *sizes: tuple[int, int, int]) -> Scene:
    return Scene(
        name=name,
        shapes=tuple({"K": K, "classes": C, "raw": raw} for K, C, raw in sizes),
        space=lambda shape: {
            "weight": Box(0.05, 1, (shape["K"],)),
            "raw": Box(0.05, 2, (shape["classes"],)),
            "theta": Box(0.05, 0.95),
        },
        compute=Proved(mixed, OF_VOTES),
    )


MIXTURE = _mixture("votes mixed with outputs", *((1, 2, 1), (2, 2, 1), (3, 2, 1), (3, 3, 1)))
PROBABILITIES = _mixture("votes mixed with probabilities", (1, 2, 0), (2, 2, 0), (3, 3, 0))


# ---------------------------------------------------------------------------------------- passes through the model


class Asked:
    """Evidence that records in `names` which of its entries an inference reads."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.names: set[str] = set()

    def __getattr__(self, name: str) -> Array:
        self.names.add(name)
        return getattr(self._evidence, name)


def samples_passed(method: Algorithm, queries: int, m: int) -> int:
    """Number of samples whose outputs or representations `method` computes to classify queries, with `m` samples in the memory."""
    known = Asked(
        Evidence(
            outputs=np.full((queries, 2), 0.5),
            features=np.arange(queries)[:, None] / 1,
            remembered=np.arange(m)[:, None] / 2,
            labels=np.arange(m) % 2,
            held=np.ones(m, dtype=bool),
        )
    )
    scores = known.outputs if method.infer is None else method.infer(known)
    assert scores.shape == (queries, 2)
    passes = {"outputs": "queries", "features": "queries", "remembered": "memory"}
    passed = {passes[name] for name in known.names & passes.keys()}
    return queries * ("queries" in passed) + m * ("memory" in passed)


def passes_scene(enhance: Callable[[Algorithm], Algorithm]) -> Scene:
    """The scene of the numbers of samples that FedMeS passes through the model for `queries` samples, enhanced and not."""
    plain = fedmes(0.5, 0.5, 1, 4, first_in_first_out(2))

    def compute(shape: Shape, values: Named) -> Values:
        counted = {"passed": enhance(plain), "passed_plain": plain}
        return {
            name: 0 * values["any"] + samples_passed(method, shape["queries"], shape["m"])
            for name, method in counted.items()
        }

    return Scene(
        name="samples that pass through the model",
        shapes=tuple({"queries": queries, "m": m} for queries in (1, 2) for m in (1, 3)),
        space=lambda shape: {"any": Box(0, 1)},
        compute=compute,
        covers="samples whose outputs or representations an inference reads, counted in one inference",
    )


PASSES = passes_scene(lambda method: with_inference(method, 1, 0.5))
