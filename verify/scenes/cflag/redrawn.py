"""Expectations of C-FLAG with memories redrawn, round by round: the proof of Theorem 5 for them.

Shapes have ``r`` past rounds, with ``T`` = ``r``. One more round is computed, and the gradients after it.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag import redrawn as b
from bounds.cflag.growth import gap2
from bounds.cflag.rate import least_gf2
from bounds.cflag.repairs import F_most, gap2_most
from bounds.relations import eq, le
from nqm.fields import amax, maximum
from verify.engine.model.scene import Box, Named, Proved, Shape, Values
from verify.scenes.cflag.descent_facts import ROUND_ANEW
from verify.scenes.cflag.drift_tight import NEAR
from verify.scenes.cflag.memories import clients_of, redrawn_memory, sizes
from verify.scenes.cflag.memory_facts import OF_NORMS
from verify.scenes.cflag.memory_measures import forgotten, whole_run
from verify.scenes.cflag.rate import ANEW as ALL_DRAWS
from verify.scenes.cflag.rate import OF_MEMORY
from verify.scenes.cflag.repairs import least_loss
from verify.scenes.cflag.so_far import facts_of, sum_and_minimum
from verify.scenes.cflag.terms import DEFINES, PAST, of_clients
from verify.scenes.norms_of_sums import AnyNumber, follows
from verify.scenes.shapes import shapes_of
from verify.scenes.summands import by_definition, definition

CASES = ("gf2", "gap2", "gg2", "s2", "ds", "gs")
"""Quantities with a value for each draw of all memories."""


def over_rounds(shape: Shape, values: Named, moving: Named | None = None) -> Values:
    """r + 1 rounds, with the rates of `moving` if it is given, and the gradients after them."""
    r, played = shape["r"], {**shape, "T": shape["r"] + 2}
    clients = clients_of(played, values)
    found = whole_run(played, moving or values, clients, redrawn_memory(played))
    mean = {name: found[name].sum(axis=2) / found[name].shape[2] for name in (*CASES, "f")}
    largest = [amax(found["gap2"][:, t], 1) for t in range(r + 1)]
    before = largest[0]
    for now in largest[1:r]:
        before = maximum(before, now)
    gradients, gaps = ([mean[name][:, t] for t in range(r + 1)] for name in ("gf2", "gap2"))
    of_gradients, of_gaps = sum_and_minimum("gf2", gradients, r), sum_and_minimum("gap2", gaps, r)
    L, alpha, beta = (values[name] for name in ("L", "alpha", "beta"))
    forgot = [forgotten(L, alpha, beta, mean["s2"][:, t], mean["ds"][:, t]) for t in range(r + 2)]
    of_forgetting = sum_and_minimum("forget", forgot, r)
    return {
        **{name: found[name] for name in OF_MEMORY},
        **{name: found[name][:, r] for name in ("gap2", "gg2", "s2", "ds", "gs")},
        **{f"{name}_mean": mean[name][:, r] for name in CASES},
        **{f"{name}_mean_next": mean[name][:, r + 1] for name in ("gf2", "gap2")},
        **of_gradients,
        **{"least_gf2": of_gradients["gf2_least"], "least_gf2_next": of_gradients["gf2_least_next"]},
        **{name: of_gaps[name] for name in ("gap2_sum", "gap2_sum_next")},
        **{name: of_forgetting[name] for name in ("forget_sum", "forget_sum_next")},
        **{"forget_each": forgot[r], "forget_each_next": forgot[r + 1]},
        **{"gap2_most": before, "gap2_most_next": maximum(before, largest[r])},
        **{"f_first": mean["f"][:, 0], "f_mean": mean["f"][:, r], "f_mean_next": mean["f"][:, r + 1]},
        "F_most": mean["f"][:, 0] - least_loss(clients)[:, 0],
    }


LONGEST = le(gap2_most, b.gap2_most_next), le(gap2, b.gap2_most_next)
INFIMUM = le(b.f_first - b.f_mean, F_most)
"""The definition of an infimum: no value is smaller."""


_others = sp.Symbol("gaps of other draws", nonnegative=True)


def _letters() -> tuple[AnyNumber, ...]:
    """Facts that define the sums, the largest gap and the infimum."""

    most = definition(eq(b.gap2_most_next, sp.Max(gap2_most, gap2, _others)))
    return (
        definition(b.EACH),
        definition(b.ADDED),
        *facts_of(b.gf2_sum, b.gf2_sum_next, b.gf2_mean, least_gf2, b.least_gf2_next),
        definition(eq(b.gap2_sum_next, b.gap2_sum + b.gap2_mean)),
        *(follows(relation, most) for relation in LONGEST),
        by_definition(INFIMUM),
    )


REDRAWN = ALL_DRAWS.variant(
    "expectations of C-FLAG with memories drawn in every round, past losses bounded below",
    shapes=tuple(
        {**shape, "r": shape["T"]}
        for shape in shapes_of(
            sizes,
            "smallest, S=2, T=2, S=2 T=2, S=2 T=3, N=2 S=2, S=2 T=2 E=2 J=2",
            "S=2 E=2 J=2 d=2 turned=1",
        )
    ),
    space=lambda shape: {**ALL_DRAWS.space(shape), "bent": Box(1, 1, (shape["N"],))},
    compute=Proved(
        over_rounds, (*ROUND_ANEW, *OF_NORMS, *NEAR, *_letters()), (INFIMUM, PAST, *DEFINES), of_clients
    ),
)
IDLE = REDRAWN.variant(
    "standing still, with memories drawn in every round, past losses bounded below",
    shapes=REDRAWN.shapes[:5],
    compute=lambda shape, values: over_rounds(
        shape, values, {**values, "alpha": 0 * values["alpha"], "beta": 0 * values["beta"]}
    ),
)
UPHILL = REDRAWN.variant(
    "steps up the loss of memories drawn in every round, past losses bounded below",
    shapes=REDRAWN.shapes[:5],
    compute=lambda shape, values: over_rounds(shape, values, {**values, "alpha": -values["alpha"]}),
)
