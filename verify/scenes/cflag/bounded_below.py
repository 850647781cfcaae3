"""Runs of C-FLAG with a fixed memory, for Lemmas 4 and 18 if the loss of the memory is bounded below.

Shapes have ``r`` past rounds, with ``T`` = ``r``. One more round is computed, and the gradients after it.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag import bounded_below as b
from bounds.cflag.drift import WEIGHTS
from bounds.cflag.floors import forget_sum, forget_sum_next
from bounds.cflag.growth import gap2
from bounds.cflag.growth_runs import forget_mean
from bounds.cflag.joint import joint_sup
from bounds.cflag.so_far import ONE_MORE
from bounds.cflag.symbols import E, L, T, alpha, beta, ds, fd2, gg2, s2
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le
from nqm.fields import amax, dot, sq, stack
from verify.engine.model.scene import Box, Follows, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.cflag.drift_tight import NEAR
from verify.scenes.cflag.memories import (
    TOLD,
    clients_of,
    fixed_memory,
    sizes,
    smoothness_of_samples,
    suprema,
    world_space,
)
from verify.scenes.cflag.memory_measures import forgotten, measured
from verify.scenes.cflag.memory_rounds import run, run_space
from verify.scenes.cflag.so_far import PASSED, sum_and_minimum
from verify.scenes.cflag.terms import DEFINES, OF_BOTH, of_clients
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import by_definition, definition
from verify.scenes.trees import square, times

_lift, _way2 = sp.Symbol("memory_lift", real=True), sp.Symbol("memory_way2", nonnegative=True)
SMOOTH = le(_lift, joint_sup / 2 * _way2)
"""Bound on the loss of the memory minus its tangent after a round."""
INFIMUM = le(b.fd_first - b.fd_now, b.F_memory)
WITHIN = le(gap2, b.gap2_sup)
DESCENT = le(
    b.fd_next - b.fd_now,
    -alpha * fd2 - beta * ds + L / 2 * (alpha**2 * fd2 + 2 * alpha * beta * ds + beta**2 * s2),
)
YOUNG = le(gg2, 2 * fd2 + 2 * gap2)
AMONG = (le(ds, (E**2 * fd2 + s2) / (2 * E)), ge(ds, -(E**2 * fd2 + s2) / (2 * E)))
SUMS = (eq(b.fd2_total_next, b.fd2_total + fd2), eq(forget_sum_next, forget_sum + b.forgets))
MEAN = eq(forget_mean * T, forget_sum)


def over_rounds(shape: Shape, values: Named) -> Values:
    """r + 1 rounds with each memory, (batch, path)."""
    r, given = shape["r"], {**shape, "T": shape["T"] + 2}
    clients, kept = clients_of(given, values), fixed_memory(given)
    rounds, _ = run(given, values, clients, kept)
    memory = clients.of_all(clients.remembered(kept[:, 0]).mean(3))
    losses, each = [memory.loss(now.x) for now in rounds], [measured(now) for now in rounds]
    L, alpha, beta = (values[name][:, None] for name in ("L", "alpha", "beta"))
    forgot = [forgotten(L, alpha, beta, now["s2"], now["ds"]) for now in each]
    of_forgetting = sum_and_minimum("forget", forgot, r)
    move = rounds[r + 1].x - rounds[r].x
    return {
        **{name: each[r][name] for name in ("fd2", "gg2", "s2", "ds", "gap2", "gs")},
        **{f"{name}_next": each[r + 1][name] for name in ("fd2", "gap2")},
        **suprema(clients),
        "joint_sup": smoothness_of_samples(clients)[:, None],
        "p_sum": clients.p.sum(axis=-1),
        "memory_lift": losses[r + 1] - losses[r] - dot(rounds[r].fd, move),
        "memory_way2": sq(move),
        **_totals(sum_and_minimum("fd2", [now["fd2"] for now in each], r)),
        **{name: of_forgetting[name] for name in ("forget_sum", "forget_sum_next")},
        **{"forgets": forgot[r], "forgets_next": forgot[r + 1]},
        "forget_mean": of_forgetting["forget_sum"] / shape["T"],
        **{"fd_first": losses[0], "fd_now": losses[r], "fd_next": losses[r + 1]},
        "F_memory": losses[0] - memory.least(),
        "gap2_sup": amax(stack([now["gap2"] for now in each], 1), 1) * (1 + values["room"][:, None]),
    }


def _totals(found: Values) -> Values:
    """Number of rounds and sums of the squared memory gradients."""
    return {
        name.replace("sum", "total"): found[name]
        for name in ("passed", "passed_next", "fd2_sum", "fd2_sum_next")
    }


_VECTORS = {"fd": "vector", "s": "vector"}
_LIFTED = definition(eq(_lift, b.fd_next - b.fd_now + alpha * fd2 + beta * ds))
_MOVED = Sums(
    eq(_way2, alpha**2 * fd2 + 2 * alpha * beta * ds + beta**2 * s2),
    {
        _way2: square(["+", times("alpha", "fd"), times("beta", "s")]),
        **{fd2: square("fd"), ds: ["dot", "fd", "s"], s2: square("s")},
    },
    _VECTORS,
)
"""The loss of the memory after an update by Eq. (24) minus its tangent, and the squared update."""
FACTS: tuple[Sums | Follows, ...] = (
    follows(DESCENT, _LIFTED, _MOVED, given=(OF_BOTH, SMOOTH), through=(le(_lift, L / 2 * _way2),)),
    Sums(
        YOUNG,
        {gg2: square("gg"), fd2: square("fd"), gap2: square(["-", "gg", "fd"])},
        {"gg": "vector", "fd": "vector"},
    ),
    *(
        Sums(relation, {ds: ["dot", "fd", "s"], fd2: square("fd"), s2: square("s")}, _VECTORS)
        for relation in AMONG
    ),
    *map(definition, (b.EACH, *SUMS, ONE_MORE, MEAN, PASSED)),
    *map(by_definition, (INFIMUM, WITHIN)),
)
KEPT = Scene(
    name="runs of C-FLAG with a memory that is kept and whose loss is bounded below",
    shapes=tuple(
        {**shape, "r": shape["T"]}
        for shape in (
            *(sizes(), sizes(S=2), sizes(T=2), sizes(S=2, E=2, J=2), sizes(N=2, S=2, T=2)),
            sizes(S=2, T=3, centres=2),
            sizes(N=2, S=2, E=2, J=2, d=2, turned=1),
        )
    ),
    space=lambda shape: {
        **{name: box for name, box in world_space(shape).items() if name not in ("m_i_more", "m_more")},
        **run_space(shape, shape["J"]),
        "bent": Box(1, 1, (shape["N"],)),
    },
    room="room",
    told=TOLD,
    known=lambda shape, values: {
        "L": smoothness_of_samples(clients_of(shape, values)) * (1 + values["room"])
    },
    compute=Proved(over_rounds, (*FACTS, *NEAR), (INFIMUM, WITHIN, SMOOTH, *WEIGHTS, *DEFINES), of_clients),
    steps=("alpha", "beta"),
    free_step=lambda name, shape, values: 2 / values["L"],
    restricts=(Hypothesis.CONVEX,),
)
