"""Convergence on the past data (C-FLAG, Theorems 2 and 5): exact expectations over all memories, by round."""

from __future__ import annotations

from collections.abc import Callable

from bounds.catalogue import statement
from bounds.cflag.rate import fs_mean
from bounds.cflag.symbols import T
from nqm.fields import Array
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag.descent_facts import DRAWN_ANEW, ON_ANY_PATHS
from verify.scenes.cflag.memories import (
    TOLD,
    IntArray,
    clients_of,
    fixed_memory,
    given_constants,
    redrawn_memory,
    sizes,
    world_space,
)
from verify.scenes.cflag.memory_measures import expected, whole_run
from verify.scenes.cflag.memory_rounds import run_space
from verify.scenes.cflag.terms import PAST, of_clients
from verify.scenes.shapes import shapes_of
from verify.scenes.telescoping import telescoped

OF_CLIENTS = ("b2_i", "gf2_i", "m_i", "client_sup", "sample_sup")
"""Quantities in the assumptions."""
OF_MEMORY = (*OF_CLIENTS, "b2", "gf2")
"""Quantities in the assumptions and in Lemma 9."""


def expectations(shape: Shape, values: Named, draws: Callable[[Shape], IntArray]) -> Values:
    """Runs of C-FLAG with every outcome of the memories; constants of Assumption 2."""
    found = whole_run(shape, values, clients_of(shape, values), draws(shape))
    return {**expected(values, found), **{name: found[name] for name in OF_MEMORY}}


def _current(name: str, shape: Shape, values: Named) -> Array:
    """Limit of the rate on the current data, for which there is no condition."""
    return 1 / values["L"]


_BIAS = (1 / 64, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 15 / 16, 1, 2, 3)
"""Values of m, for which alpha = 1/(L(m+1)) is a simple fraction."""


def _space(shape: Shape) -> dict[str, Box]:
    """Parameters of worlds and runs. L and m are given; instances where they are too small are excluded."""
    N, S, J, d = (shape[name] for name in ("N", "S", "J", "d"))
    worlds = {name: box for name, box in world_space(shape).items() if name != "m_more"}
    curved = {"past_h": Box(0.05, 1.95, (N, S, d)), "now_h": Box(-1, 1, (N, J, d))}
    return {
        **worlds,
        **curved,
        **run_space(shape, J),
        "unit": Box(1, 1),
        "L_given": Box(1, 2, levels=(1, 2)),
        "m_given": Box(1 / 64, 3, levels=_BIAS),
    }


ONCE = Scene(
    name="expectations of C-FLAG with memories drawn once",
    shapes=shapes_of(
        sizes,
        "smallest, S=2, T=2, S=2 T=2, S=2 T=3, N=2 S=2 T=3, S=2 T=6, S=2 J=2 E=2 T=2",
        "S=2 J=2 E=2 T=3 d=2 turned=1, N=2 S=2 E=2 T=2 d=2 turned=1",
    ),
    space=_space,
    room="room",
    told=TOLD,
    known=given_constants,
    compute=Proved(
        lambda shape, values: expectations(shape, values, fixed_memory), ON_ANY_PATHS, (PAST,), of_clients
    ),
    steps=("alpha", "beta"),
    free_step=_current,
)
ANEW = ONCE.variant(
    "expectations of C-FLAG with memories drawn in every round",
    shapes=(
        *(*ONCE.shapes[:5], sizes(N=2, S=2, T=2), sizes(S=2, T=2, E=2, J=2)),
        *(sizes(S=2, T=3, E=3, J=2), sizes(S=2, T=2, E=2, J=2, d=2, turned=1)),
        sizes(N=2, S=2, E=2, d=2, turned=1),
    ),
    compute=Proved(
        lambda shape, values: expectations(shape, values, redrawn_memory),
        (*ON_ANY_PATHS, *DRAWN_ANEW),
        (PAST,),
        of_clients,
    ),
)
STEPS = ONCE.variant(
    "expectations of C-FLAG with memories drawn once and two local steps",
    shapes=tuple(sizes(T=T, E=2, J=2) for T in (1, 2)),
)
# If both tasks agree, Gamma(t) of Eq. (10) is larger than that of Eq. (15); a counterexample is then not due to the misprint
AGREEING = ONCE.variant(
    "expectations of C-FLAG with memories drawn once, convex tasks with one minimiser and small steps on the current data",
    shapes=tuple(sizes(S=2, J=2, E=2, T=T) for T in (3, 6)),
    space=lambda shape: {
        **_space(shape),
        "bent": Box(1, 1, (1,)),
        "now_h": Box(0.05, 1, (1, shape["J"], 1)),
        "now_c": Box(0, 0, (1, shape["J"], 1)),
        "beta": Box(0.001, 0.01, scale="log"),
    },
)


LOSSES = Scene(
    name="expected past losses of rounds",
    shapes=tuple({"T": T} for T in (1, 2, 3, 5)),
    space=lambda shape: {"loss": Box(-4, 4, (shape["T"] + 1,))},
    compute=Proved(
        lambda shape, values: {"fs_mean": values["loss"].swapaxes(0, 1)},
        (telescoped(statement("cflag.eq63").compared, T, fs_mean),),
    ),
    covers="equal as polynomials for 1, 2, 3 and 5 rounds; a further round adds the same to both sides",
)


# -------------------------------------------------------------------------------------------- learning nothing


def idle(shape: Shape, values: Named) -> Values:
    """A non-learning baseline: T rounds without any step, with the terms of the steps that are not made."""
    still = {**values, "alpha": 0 * values["alpha"], "beta": 0 * values["beta"]}
    clients, kept = clients_of(shape, values), redrawn_memory(shape)
    found = whole_run(shape, still, clients, kept)
    return {**expected(values, found), **{name: found[name] for name in OF_MEMORY}}


def uphill(shape: Shape, values: Named) -> Values:
    """A non-learning baseline: the server's step on the memory has the wrong sign."""
    clients, kept = clients_of(shape, values), redrawn_memory(shape)
    found = whole_run(shape, {**values, "alpha": -values["alpha"]}, clients, kept)
    return {**expected(values, found), **{name: found[name] for name in OF_MEMORY}}


IDLE = ANEW.variant("standing still", shapes=ANEW.shapes[:4], compute=idle)
UPHILL = ANEW.variant("steps up the loss of the memory", shapes=ANEW.shapes[:4], compute=uphill)
