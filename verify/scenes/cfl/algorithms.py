"""Scenes of Algorithms 4 to 6 of CFL and of Appendix C.1.1: class weights, local data sets, data shared by rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

from bounds.cfl.algorithms import IMAGES, POINTERS, PROTOCOL
from nqm.fields import Array, is_tensor, like, stack
from verify.engine.checks.table import row
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl import overlap_facts, splitting_facts
from verify.scenes.cfl.approximation_facts import OF_WEIGHTS
from verify.scenes.cfl.splitting import (
    MEANT,
    PRINTED,
    Reading,
    Renormalise,
    at_once,
    by_division,
    coming_back,
    going_round,
    in_place,
    next_chances,
    removed,
    split,
    window,
)

Compute = Callable[[Shape, Named], Values]


# --------------------------------------------------------------------------------------- class weights (5)


def class_weights(values: Named) -> list[Array]:
    """Weights of the classes, each (batch,), with sum one."""
    raw = values["theta"]
    return list((raw / raw.sum(axis=1)[:, None]).T)


def renormalised(by: Renormalise) -> Compute:
    """Algorithm 5 on class weights after the samples of the first class are exhausted."""

    def computed(shape: Shape, values: Named) -> Values:
        old = class_weights(values)
        new = by(old, 0)
        left = new[len(new) - len(old) + 1 :]
        pairs = combinations(range(len(left)), 2)
        crossed = [left[j] * old[1 + k] - left[k] * old[1 + j] for j, k in pairs]
        return {
            "weights_left": sum(left),
            "weights_whole": sum(new),
            "weights_crossed": stack(crossed or [0 * old[0]], 1),
        }

    return computed


IN_PLACE = Scene(
    name="class weights, changed one after the other",
    shapes=tuple({"C": C} for C in (2, 3, 4)),
    space=lambda shape: {"theta": Box(0.05, 1, (shape["C"],))},
    compute=renormalised(in_place),
)
AT_ONCE = IN_PLACE.variant(
    "class weights, over the sum that they had", compute=Proved(renormalised(at_once), OF_WEIGHTS)
)
REMOVED = IN_PLACE.variant(
    "class weights without the one that is used up", compute=Proved(renormalised(removed), OF_WEIGHTS)
)
DIVIDED = IN_PLACE.variant("class weights over sums of quotients", compute=renormalised(by_division))


# -------------------------------------------------------------------------------------------- clients (6)


def clients(reading: Reading) -> Compute:
    """Algorithm 6 on classes with the first few of the numbers of samples in `SUPPLY`."""

    def computed(shape: Shape, values: Named) -> Values:
        supply = SUPPLY[: shape["C"]]
        given = np.stack([split(supply, theta, draw, reading) for theta, draw in _each(values)])
        # convert integers to the arithmetic of the parameters
        zero = 0 * values["draw"][:, 0, :1]
        return {
            "got": like(zero, given.sum(axis=2)) + zero,
            "class_given": like(zero, given.sum(axis=1)) + zero,
            "class_supply": like(zero, np.array(supply))[None] + zero,
            "needed": shape["M"] * shape["wanted"],
            "supplied": sum(supply),
        }

    return computed


SUPPLY = (1, 2, 1)


def _each(values: Named) -> Iterator[tuple[Any, Any]]:
    """Yield weights and draws of each instance, as nested lists of numbers."""
    both = (values["theta"], values["draw"])
    theta, draw = (part.detach().numpy() if is_tensor(part) else part for part in both)
    yield from zip(theta.tolist(), draw.tolist(), strict=True)


CLIENTS = Scene(
    name="local data sets of clients",
    shapes=tuple({"C": C, "M": M, "wanted": N} for C, M, N in product((1, 2, 3), (1, 2), (1, 2))),
    space=lambda shape: {
        "theta": Box(0.05, 1, (shape["M"], shape["C"])),
        "draw": Box(0, 0.99, (shape["M"], shape["wanted"])),
    },
    compute=Proved(clients(PRINTED), (splitting_facts.DISJOINT,)),
)
CLIENTS_MEANT = CLIENTS.variant(
    "local data sets of clients, from classes that are left",
    compute=Proved(clients(MEANT), (splitting_facts.MEANT,)),
)


def chances(reading: Reading) -> Compute:
    """Probabilities of the classes in the draw after the first class is exhausted."""

    def computed(shape: Shape, values: Named) -> Values:
        theta = class_weights(values)
        return {
            "class_chance": stack(next_chances(theta, 0, reading)[1:], 1),
            "class_right": stack([w / (1 - theta[0]) for w in theta[1:]], 1),
        }

    return computed


NEXT_DRAW = IN_PLACE.variant("next draw of Algorithm 6", compute=chances(PRINTED))
NEXT_DRAW_MEANT = IN_PLACE.variant(
    "next draw of Algorithm 6 among the classes left", compute=Proved(chances(MEANT), OF_WEIGHTS)
)


# --------------------------------------------------------------------------------------------- rounds (4)


def rounds(size: Callable[[int, int], int]) -> Compute:
    """Number of samples in data sets whose size is a function of stored samples and rounds."""

    def computed(shape: Shape, values: Named) -> Values:
        of_round = size(shape["held"], shape["parts"])
        return {
            "dealt": shape["parts"] * of_round + 0 * values["one"],
            "remainder": shape["held"] % shape["parts"] + 0 * values["one"],
        }

    return computed


ROUNDS = Scene(
    name="local data sets of rounds",
    shapes=tuple({"held": n, "parts": T} for n, T in ((1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (12, 4))),
    space=lambda shape: {"one": Box(1, 1)},
    # A data set grows while it has fewer samples than |D_i|/T
    compute=rounds(lambda held, parts: -(-held // parts)),
)
ROUNDED_DOWN = ROUNDS.variant(
    "local data sets of rounds, rounded down", compute=rounds(lambda held, parts: held // parts)
)


# ------------------------------------------------------------------------------------------------ overlap


def pointers(starts: Callable[[int, int, int], list[int]], passes: int) -> Compute:
    """Overlap of the data sets of all pairs of rounds along the pointer, for one pass or a few more rounds."""

    def computed(shape: Shape, values: Named) -> Values:
        total, size, step = (shape[name] for name in ("total_len", "local_size", "pointer_step"))
        # The last data set of the first pass still ends within the sequence
        count = (total - size) // step + 1 if passes == 1 else -(-total // step) + 2
        sets = [window(start, size, total) for start in starts(total, step, count)]
        common = {pair: len(sets[pair[0]] & sets[pair[1]]) for pair in combinations(range(count), 2)}
        number = lambda ints: like(values["one"], np.array(ints))[None] + 0 * values["one"][:, None]  # noqa: E731
        return {
            "shared": number([shared for (a, b), shared in common.items() if b == a + 1]),
            "shared_pair": number(list(common.values())) / size,
            "faded": number([(size - step) ** (b - a) for a, b in common])
            / number([size ** (b - a) for a, b in common]),
        }

    return computed


_LONGEST = 9
BACK = Scene(
    name="local data sets whose pointer comes back to the start",
    shapes=tuple(
        {"total_len": n, "local_size": size, "pointer_step": s}
        for n in range(2, _LONGEST + 1)
        for size in range(1, n)
        for s in range(1, min(size, n - size) + 1)
    ),
    space=lambda shape: {"one": Box(1, 1)},
    compute=pointers(coming_back, passes=2),
)
RING = BACK.variant(
    "local data sets on a ring", compute=Proved(pointers(going_round, passes=2), (overlap_facts.ON_RING,))
)
FIRST_PASS = BACK.variant(
    "local data sets of the first pass",
    compute=Proved(pointers(coming_back, passes=1), overlap_facts.FIRST_PASS),
)

# ------------------------------------------------------------------------------------------ printed numbers

SIZE = int(PROTOCOL["size"])


def overlaps() -> dict[str, Instance]:
    return {
        name: row(
            {"pointer_step": int(step), "local_size": SIZE},
            {"overlap_printed": share, "printed_unit": "0.01"},
        )
        for name, (step, share) in POINTERS.items()
    }


def images(which: str) -> dict[str, Instance]:
    sizes = {"subsets_all": int(PROTOCOL["all"]), "local_size": SIZE, "images": int(IMAGES[which])}
    return {f"{which} images": row(sizes, {})}


def subsets() -> dict[str, Instance]:
    counts = {name: int(PROTOCOL[name]) for name in ("clients", "subsets")}
    return {"7 times 30": row({**counts, "subsets_all": int(PROTOCOL["all"])}, {})}


def rounds_of_training() -> dict[str, Instance]:
    held = int(PROTOCOL["subsets"]) * SIZE
    return {"500 rounds": row({"held": held, "parts": int(PROTOCOL["rounds"]), "local_size": SIZE}, {})}
