"""Bounds on the forgetting term of C-FLAG, in a round and over a run (Eq. 86 to 90, Lemmas 4 and 18)."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cflag.growth import Q, Z
from bounds.cflag.growth_runs import ht
from bounds.cflag.symbols import T, omega2
from nqm.fields import Array, broadcast_to
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag.drift_sums_facts import OVER_ROUND
from verify.scenes.cflag.drift_tight import NEAR
from verify.scenes.cflag.memories import (
    TOLD,
    TURNED,
    clients_of,
    fixed_memory,
    known_constants,
    one_hessian,
    one_hessian_space,
    sizes,
    smoothness,
    world_space,
)
from verify.scenes.cflag.memory_facts import AT_POINT, IN_PARTS, LARGEST, OF_NORMS
from verify.scenes.cflag.memory_measures import bounded_round, joint_losses, whole_run
from verify.scenes.cflag.memory_rounds import run_space
from verify.scenes.cflag.terms import DEFINES, of_clients
from verify.scenes.parameters import through
from verify.scenes.shapes import shapes_of
from verify.scenes.telescoping import telescoped


def _rates(name: str, shape: Shape, values: Named) -> Array:
    """Limits of rates without a condition; beta is unrestricted."""
    return (4 if name == "alpha" else 100) / values["L"]


def parts(shape: Shape, values: Named, found: Values) -> Values:
    """A round with the four parts of Eq. (149), (batch, path)."""
    alpha, beta, L = (values[name][:, None] for name in ("alpha", "beta", "L"))
    first, last = (L * beta**2 * found[name] for name in ("rho2", "e2"))
    along = -beta * (1 - L * alpha)
    return {
        **found,
        **{"T1": first, "T1_sum": shape["N"] ** 2 * first, "T4": last},
        **{"T2": along * found["fd_rho"], "T3": along * found["fd_e"]},
    }


_ALONG_COORDINATES = shapes_of(
    sizes, "smallest, E=2, S=2 E=2 J=2, N=2 S=2 E=2, N=2 S=2 m0=2 E=3 J=2, S=2 d=2 E=2"
)
ROUND = Scene(
    name="a round of C-FLAG with the constants that bound its forgetting",
    shapes=(*_ALONG_COORDINATES, *TURNED),
    space=lambda shape: {**world_space(shape), **run_space(shape, shape["J"])},
    room="room",
    told=TOLD,
    known=known_constants,
    compute=Proved(
        lambda shape, values: parts(shape, values, bounded_round(shape, values)),
        (*OF_NORMS, *IN_PARTS, *OVER_ROUND, *AT_POINT, *NEAR),
        (LARGEST, *DEFINES),
        of_clients,
    ),
    steps=("alpha", "beta"),
    free_step=_rates,
)
WIDE = ROUND.variant(
    "a round of C-FLAG on past samples with any minimisers",
    shapes=(
        *ROUND.shapes,
        *shapes_of(
            sizes,
            "S=2 E=2 J=2 centres=2, N=2 S=2 E=2 J=2 centres=1",
            "N=2 S=3 m0=2 E=3 J=3 d=2 centres=2, N=2 S=2 E=2 J=2 d=2 centres=1 turned=1",
            "N=2 S=2 E=2 J=2 d=2 centres=2 turned=1",
        ),
    ),
    known=lambda shape, values: {"L": smoothness(clients_of(shape, values)) * (1 + values["room"])},
)
BOLD = ROUND.variant(
    "a round of C-FLAG with the longest steps on the memory that Lemma 4 admits",
    space=lambda shape: {**ROUND.space(shape), "alpha": Box(0.5, 1), "m_more": Box(0.01, 0.2)},
)
ALIKE = through(
    ROUND,
    "a round of C-FLAG on clients with one Hessian each",
    one_hessian,
    lambda shape: {**one_hessian_space(shape), **run_space(shape, shape["J"])},
    shapes=_ALONG_COORDINATES,
)
ALIKE_BOLD = ALIKE.variant(
    "a round of C-FLAG on clients with one Hessian each, and the longest steps on the memory that Lemma 4 admits",
    space=lambda shape: {**ALIKE.space(shape), "alpha": Box(0.5, 1), "m_more": Box(0.01, 0.2)},
)
MANY = ROUND.variant("a round of C-FLAG with several clients", shapes=ROUND.shapes[3:5])


def forgotten(values: Named, found: Named) -> Array:
    """Gamma(t) of Eq. (15) in every round, (batch, round, path)."""
    each = lambda name: values[name][:, None, None]  # noqa: E731
    squared = each("L") / 2 * each("beta") ** 2 * found["s2"]
    return squared - each("beta") * (1 - each("L") * each("alpha")) * found["ds"]


def cumulative(shape: Shape, values: Named) -> Values:
    """A run with memories drawn once: forgetting and joint loss of every round (first axis: round), and their bounds."""
    clients, kept = clients_of(shape, values), fixed_memory(shape)
    found, joint = whole_run(shape, values, clients, kept), joint_losses(shape, values, clients, kept)
    return {
        **found,
        "forget": forgotten(values, found).swapaxes(0, 1),
        "ht": joint["h"].swapaxes(0, 1),
        "Dht": joint["h"][:, 0] - joint["h"][:, -1],
        "omega2": joint["omega2"],
    }


RUN = ROUND.variant(
    "runs of C-FLAG with the constants that bound their forgetting",
    shapes=(
        *(sizes(), sizes(J=12), sizes(T=2), sizes(S=2, T=2, E=2, J=2), sizes(N=2, S=2, T=2)),
        sizes(S=2, T=3, E=2, d=2, turned=1),
    ),
    compute=cumulative,
)


ALIKE_RUN = ALIKE.variant(
    "runs of C-FLAG on clients with one Hessian each",
    shapes=(*RUN.shapes[:-1], sizes(S=2, E=2, J=2), sizes(E=2, T=2)),
    compute=lambda shape, values: cumulative(shape, one_hessian(shape, values)),
)


def alike(shape: Shape, values: Named) -> Values:
    """Clients whose current samples are all equal."""
    return {
        **values,
        "now_c": broadcast_to(values["now_c"], (*values["now_c"].shape[:2], shape["J"], shape["d"])),
    }


FALLING = through(
    RUN,
    "runs of C-FLAG with many current samples and rates that nearly balance the memory",
    alike,
    lambda shape: {
        **RUN.space(shape),
        "unit": Box(1, 1),
        "past_h": Box(1, 1, (1, 1, 1)),
        "bent": Box(1, 1, (1,)),
        "now_h": Box(1, 1, (1, shape["J"], 1)),
        "now_c": Box(0, 2, (1, 1, 1)),
        "alpha": Box(0.01, 0.02),
    },
    room="room",
    told=TOLD,
    shapes=(sizes(J=30),),
)
TELESCOPE = Scene(
    name="losses of rounds",
    shapes=tuple({"T": T, "E": 2} for T in (1, 2, 3, 5)),
    space=lambda shape: {
        "loss": Box(-4, 4, (shape["T"] + 1,)),
        "omega2": Box(0, 4),
        **{name: Box(0.01, 1) for name in ("alpha", "beta", "L", "r")},
    },
    compute=Proved(
        lambda shape, values: {"ht": values["loss"].swapaxes(0, 1)},
        (telescoped(statement("cflag.eq163.sum").compared, T, ht, Q / Z, Q * omega2),),
    ),
    covers="equal as rational functions for 1, 2, 3 and 5 rounds; a further round adds the same to both sides",
)


NUMBERS = Scene(
    name="numbers of Lemma 18",
    shapes=tuple({"E": E} for E in (1, 2, 5)),
    space=lambda shape: {
        "m": Box(0.01, 3, scale="log"),
        "r": Box(0.01, 100, scale="log"),
        "L": Box(0.1, 10, scale="log"),
        **{name: Box(0.01, 1) for name in ("alpha", "beta")},
    },
    steps=("alpha", "beta"),
)
