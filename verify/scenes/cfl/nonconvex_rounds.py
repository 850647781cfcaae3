"""Runs of Theorems 4.1(c), 4.4(c) and 4.7(c) of CFL, at the step that they set, on one quadratic loss: a loss of any curvature
may be that, too.

The N clients of a round are new or the same in every round. A round is affine, so that mean and variance of the model are all
there is to it, and what it has in common with the drifts of clients that return.
"""

from __future__ import annotations

from collections.abc import Callable

from nqm.fields import Array, sqrt
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.cfl import meanings
from verify.scenes.cfl.run_moments import of_weights


def _constants_at_start(shape: Shape, values: Named) -> Values:
    """Constants that the step sqrt(KN)/sqrt(TL) leaves, and those of the assumptions; nothing grows with the gradient."""
    L = shape["K"] * shape["N"] / (shape["T"] * values["eta"] ** 2)
    h, none = L / values["stiff"], 0 * L
    F2 = values["common"] ** 2 * values["time"] ** 2
    return {
        **{"L": L, "h": h, "f0": h * values["start"] ** 2 / 2, "fs": none},
        **{"G2": values["client"] ** 2, "D2": values["time"] ** 2, "F2": F2, "M2": values["time"] ** 2 - F2},
        "R2": values["lost"] ** 2,
        **dict.fromkeys(("A2", "B2", "C2", "sigma2"), none),
    }


def mean_square(shape: Shape, values: Named, found: Named) -> Array:
    """Mean over T rounds of the expected squared gradient before each."""
    h, N = found["h"], shape["N"]
    local = 1 - h * values["eta"] / shape["K"]
    kept = local ** shape["K"]
    reach = (1 - kept) / h
    own = {"D2": found["M2"], "R2": found["R2"]}
    past, earlier, current = of_weights({"r": shape["T"] - 1, "memory": shape["memory"]}, own)
    lasting, fresh, back = found["G2"] + found["F2"], found["M2"], 1 if shape["returning"] else 0
    mean, variance, total = values["start"], 0 * h, 0 * h
    with_lasting, with_past = 0 * h, 0 * h  # N times what the model has in common with drifts that return
    for t in range(shape["T"]):
        total = total + mean**2 + variance
        each = past[:, t] / max(t, 1)
        common = with_lasting + each * with_past
        drift = lasting + fresh * (earlier[:, t] + current[:, t])
        mean = kept * mean + reach * past[:, t] * values["lost"]
        variance = kept**2 * variance + (2 * kept * reach * common + reach**2 * drift) / N
        with_lasting = back * (kept * with_lasting + reach * lasting)
        with_past = back * (kept * with_past + reach * (each * t + 1 - past[:, t]) * fresh)
    return h**2 * total / shape["T"]


def _promised_accuracy(shape: Shape, values: Named, found: Named, share: Array) -> Array:
    """An eps for which a theorem asks for no more than T rounds."""
    clients = sqrt(0 * found["L"] + shape["K"] * shape["N"])
    each = sqrt((0 * found["L"] + shape["hidden"]) / shape["T"])
    start = found["L"] * (found["f0"] - found["fs"]) / (clients * values["c_m"])
    return each * (start + clients * share**2 / found["L"]) * (1 + values["room"])


def _after(name: str, share: Callable[[Named], Array], memory: int, **fixed: Box) -> Scene:
    """T rounds of a theorem whose c_R1 is `share`."""

    def compute(shape: Shape, values: Named) -> Values:
        found = _constants_at_start(shape, values)
        return {
            **found,
            "grad2_mean": mean_square(shape, values, found),
            "eps": _promised_accuracy(shape, values, found, share(found)),
        }

    sizes = ((100, 1, 1, 0), (100, 4, 1, 0), (100, 1, 4, 0), (400, 1, 1, 0), (100, 1, 1, 1), (100, 4, 1, 4))
    return Scene(
        name=name,
        told={
            **meanings.FLOOR,
            "stiff": "L over the curvature",
            "c_m": "at most 1/2, as the factor of Eq. (32) is without A and B",
        },
        shapes=tuple(
            {"T": T, "N": N, "K": K, "hidden": 100, "memory": memory, "returning": back}
            for T, N, K, back in sizes
        ),
        space=lambda shape: {
            "eta": Box(0.02, 1, scale="log"),
            "stiff": Box(1, 10, scale="log"),
            "start": Box(0.1, 4),
            **dict.fromkeys(("client", "time"), Box(0, 100)),
            "common": Box(0, 0),
            "lost": Box(0, 4),
            "c_m": Box(0.01, 0.5, scale="log"),
            "room": Box(0, 0),
            **fixed,
        },
        compute=compute,
        room="room",
    )


def _lasting(found: Named) -> Array:
    """R^2/(R^2 + M^2); M is D where no part of the drifts is shared."""
    return found["R2"] / (found["R2"] + found["M2"])


_SEEN = {"time": Box(0.01, 100, scale="log")}
CFL_ROUNDS = _after("rounds of Theorem 4.1(c)", _lasting, 1, **_SEEN)
FED_ROUNDS = _after("rounds of Theorem 4.4(c)", lambda found: 1 + 0 * found["R2"], 0, lost=Box(0, 0))
SHARED_ROUNDS = _after("rounds of Theorem 4.7(c)", _lasting, 1, **_SEEN, common=Box(0, 0.99))
CFL_LOSSLESS = CFL_ROUNDS.variant(
    f"{CFL_ROUNDS.name}, nothing lost", space=lambda shape: {**CFL_ROUNDS.space(shape), "lost": Box(0, 0)}
)
SHARED_ALONE = SHARED_ROUNDS.variant(
    f"{SHARED_ROUNDS.name}, nothing lost, no client drift",
    space=lambda shape: {**SHARED_ROUNDS.space(shape), "lost": Box(0, 0), "client": Box(0, 0)},
)
