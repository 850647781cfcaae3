"""Facts about small local steps along delayed gradients, with the correct constants 8/7 and 24/23.

If beta L is at most a cap, (1 + beta L)^k - 1 is at most a factor times beta L k. The sum of the delayed gradients of a round
then differs from E times the gradient by at most 1/23 of it.
"""

from __future__ import annotations

from itertools import product

import sympy as sp

from bounds.cflag.drift_sharp import growth
from bounds.cflag.growth import gs
from bounds.cflag.symbols import E, L, beta, gg2, k, s2
from bounds.relations import ge, le
from nqm.fields import Array, dot, norm, sq, stack
from verify.engine.model.scene import Fact, Named, Scene, Shape, Values
from verify.scenes.cflag.drift_facts import (
    ASSUMED,
    COVERS,
    AtSteps,
    detour,
    drawn_at,
    played,
    rooms,
    shapes,
    sharp_slacks,
    space,
)
from verify.scenes.cflag.local_steps import Round

QUARTERED = le(growth - 1, sp.Rational(8, 7) * beta * L * k)
TWELFTHED = le(growth - 1, sp.Rational(24, 23) * beta * L * k)
"""Growth of the drift with beta up to 1/(4LE) and up to 1/(12LE)."""
ALONG = ge(gs, (s2 + sp.Rational(528, 529) * E**2 * gg2) / (2 * E))
LENGTH = le(s2, sp.Rational(576, 529) * E**2 * gg2)
"""The sum of the delayed gradients of a round is E times the gradient, up to 1/23 of it."""


def below(factor: sp.Rational, steps: int, z: Array, cap: sp.Rational, room: Array) -> Array:
    """factor z k - ((1 + z)^k - 1) as a sum of nonnegative terms, for z = cap (1 - slack)."""
    powers = [sp.binomial(steps, j) for j in range(1, steps + 1)]
    left = factor * steps - sum((c * cap**j for j, c in enumerate(powers)), sp.Integer(0))
    under = lambda n: sum((cap ** (n - 1 - i) * z**i for i in range(n)), 0 * z)  # noqa: E731
    return z * left + z * room * sum((c * cap * under(j) for j, c in enumerate(powers)), 0 * z)


def tight_at_steps(quantities: AtSteps) -> tuple[Fact, ...]:
    """Facts about the growth of the drift, given how it is computed."""

    def compute(shape: Shape, values: Named) -> Values:
        run, fresh = played(shape, values)
        z, steps = values["beta"] * values["L"], shape["E"]
        caps = {
            "quarter": (sp.Rational(8, 7), sp.Rational(1, 4 * steps)),
            "twelfth": (sp.Rational(24, 23), sp.Rational(1, 12 * steps)),
        }
        slacks = {
            f"slack {name}": stack(
                [below(factor, l, z, cap, values[f"room_{name}"]) for l in range(steps)], -1
            )
            for name, (factor, cap) in caps.items()
        }
        slacks = {name: slack[:, None] + 0 * run.p[..., None] for name, slack in slacks.items()}
        return {**quantities(shape, values, run, fresh), **rooms(values, run), **slacks}

    scene = Scene("growth of the drift with small steps", shapes(), space, compute, covers=COVERS)
    return (
        Fact(QUARTERED, scene, "slack quarter", ASSUMED),
        Fact(TWELFTHED, scene, "slack twelfth", ASSUMED),
    )


def added_up(
    shape: Shape, values: Named, run: Round, factor: sp.Rational, cap: sp.Rational, room: Array
) -> tuple[Array, Array, list[sp.Rational], Array]:
    """The sum of the delayed gradients of a round, for beta L = cap (1 - slack) and drifts of at most factor beta L k.

    Returns the sum, its difference to E gradients (batch, d), each client's mean delay in steps, and nonnegative terms: the slack
    of the bound on the difference by the delays (batch,).
    """
    N, S, steps = (shape[name] for name in "NSE")
    z, p, since = values["beta"] * values["L"], run.p, drawn_at(shape)
    drifts, _ = sharp_slacks(shape, values, run)
    length, places = norm(run.global_gradient), list(product(range(steps), range(N), range(S)))
    parts = [p[:, i, None] * (run.used[l][:, i, j] - run.components[0][:, i, j]) / S for l, i, j in places]
    spare = detour(parts)
    for l, i, j in places:
        then = since[l, i, j]
        short = below(factor, then, z, cap, room) * length + values["L"] * drifts[then][:, i]
        spare = spare + p[:, i] / S * (short + values["room_start"][:, i, l, j])
    late = [sp.Rational(int(since[:, i].sum()), S) for i in range(N)]
    return sum(run.average(delayed) for delayed in run.delayed), sum(parts), late, spare


def near_gradient(shape: Shape, values: Named) -> Values:
    """The sum of the delayed gradients of a round, compared with the gradient at its start."""
    run, _ = played(shape, values)
    g, steps, room = run.global_gradient, shape["E"], values["room_twelfth"]
    cap = sp.Rational(1, 12 * steps)
    total, apart, late, left = added_up(shape, values, run, sp.Rational(24, 23), cap, room)
    shares = (steps - 2 * late[i] / steps + 2 * late[i] / steps * room for i in range(shape["N"]))
    left = left + norm(g) * sum(run.p[:, i] * share for i, share in enumerate(shares)) / 23
    whole = steps * norm(g) / 23
    return {
        **{"gg2": sq(g), "s2": sq(total), "gs": dot(g, total)},
        **rooms(values, run),
        "slack along": left * (whole + norm(apart)) / (2 * steps),
        "slack length": (left + detour([steps * g, apart])) * (24 * whole + norm(total)),
    }


_NEAR = Scene("delayed gradients of a round with small steps", shapes(), space, near_gradient, covers=COVERS)
NEAR = (Fact(ALONG, _NEAR, "slack along", ASSUMED), Fact(LENGTH, _NEAR, "slack length", ASSUMED))
