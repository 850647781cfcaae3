"""Runs of C-FLAG for every draw of the memories, on past losses that are bounded below; and non-learning baselines."""

from __future__ import annotations

from nqm.fields import Array, amax, amin, where
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag.drift_sums_facts import LONGEST
from verify.scenes.cflag.forgetting import ROUND
from verify.scenes.cflag.memories import TOLD, Clients, clients_of, fixed_memory, given_constants, sizes
from verify.scenes.cflag.memory_measures import whole_run
from verify.scenes.cflag.rate import ANEW as ALL_DRAWS
from verify.scenes.cflag.rate import OF_CLIENTS
from verify.scenes.cflag.run_facts import AT_PRINTED_RATE, INFIMUM, PAST_5, THEOREM_2
from verify.scenes.cflag.terms import DEFINES, PAST, of_clients
from verify.scenes.shapes import shapes_of


def least_loss(clients: Clients) -> Array:
    """Minimum of the global past loss, which is convex, (batch, 1); for turned clients the minimiser is the origin."""
    return clients.of_all(clients.past.mean(3)).least()


def by_path(shape: Shape, values: Named, moving: Named | None = None) -> Values:
    """A run with each fixed memory: indexed quantities are (round, batch, path), the others (batch, path).

    If `moving` is given, the run uses its rates.
    """
    clients = clients_of(shape, values)
    found = whole_run(shape, moving or values, clients, fixed_memory(shape))
    first = lambda name: found[name].swapaxes(0, 1)  # noqa: E731
    return {
        **{name: found[name] for name in ("b2", "gf2", *OF_CLIENTS)},
        **{f"{name}_path": first(name) for name in ("s2", "bs", "ds")},
        "least_path": amin(found["gf2"], 1),
        "F_path": found["f"][:, 0] - found["f"][:, -1],
        "F_most": found["f"][:, 0] - least_loss(clients),
        "g2_most": amax(found["gg2"], 1),
        "s2_most": amax(found["s2"], 1),
    }


_ROOTS = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8)
"""Values of the root of m, for which alpha = 1/(L(m+1)) is a simple fraction."""


def _space(shape: Shape) -> dict[str, Box]:
    """Parameters: convex past losses, so that their infimum is known. L and m are given; instances where they are too small are excluded."""
    worlds = {name: box for name, box in ALL_DRAWS.space(shape).items() if name != "m_given"}
    return {**worlds, "bent": Box(1, 1, (shape["N"],)), "root_given": Box(1 / 8, 7 / 8, levels=_ROOTS)}


def _constants(shape: Shape, values: Named) -> Values:
    """L, m_i, m and its root."""
    root = values["root_given"]
    found = given_constants(shape, {**values, "m_given": root**2})
    return {**found, "m_root": where(found["m"] > 0, root, 0 * root)}


KEPT = Scene(
    name="runs of C-FLAG with any memories that are kept",
    shapes=shapes_of(
        sizes,
        "smallest, S=2, S=2 E=2 J=2, S=2 T=2, S=2 T=4 E=2 J=2, N=2 S=2 T=3 E=3 J=2",
        "N=2 S=2 T=2 d=2, S=2 T=3 E=2 J=2 d=2 turned=1, N=2 S=2 T=2 E=2 d=2 turned=1",
    ),
    space=_space,
    room="room",
    told=TOLD,
    known=_constants,
    compute=Proved(
        by_path, (THEOREM_2, AT_PRINTED_RATE, PAST_5, LONGEST), (INFIMUM, PAST, *DEFINES), of_clients
    ),
    steps=("alpha", "beta"),
    free_step=lambda name, shape, values: 4 / values["L"],
)
IDLE = KEPT.variant(
    "standing still, with memories that are kept",
    compute=lambda shape, values: by_path(
        shape, values, {**values, "alpha": 0 * values["alpha"], "beta": 0 * values["beta"]}
    ),
)
UPHILL = KEPT.variant(
    "steps up the loss of memories that are kept",
    compute=lambda shape, values: by_path(shape, values, {**values, "alpha": -values["alpha"]}),
)
LIPSCHITZ_ROUND = ROUND.variant(
    "a round of C-FLAG, past losses with one minimiser",
    shapes=(*ROUND.shapes, sizes(N=2, S=3, m0=2, E=3, J=3, d=2)),
)
