"""SPECIAL, Lemma C.5: the distance of a client from the start of a round after local steps, for arbitrary gradients.

The noise of a step may depend on the past, and has either sign with probability 1/2. The local models of a client therefore form
a binary tree: each model before a step has two successors.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.catalogue import statement
from bounds.relations import ge, le
from bounds.special.lemmas import DRIFT_STEP, D_before, D_now, gi2, het2, lip2, noise2
from bounds.special.symbols import L, L_sup, sigma_G2, sigma_L2
from nqm.fields import Array, concatenate, sq, stack
from verify.engine.model.scene import Assumption, Box, Fact, Named, Scene, Shape, Values
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.norms_of_sums import AnyNumber, follows
from verify.scenes.parameters import column
from verify.scenes.special import terms as of
from verify.scenes.special.drift_facts import pairs_apart
from verify.scenes.special.terms import turns
from verify.scenes.summands import summed


def _level(step: int) -> slice:
    """The nodes of the tree before a step."""
    return slice(2**step - 1, 2 ** (step + 1) - 1)


def _space(shape: Shape) -> Mapping[str, Box]:
    M, E, d = (shape[name] for name in "MEd")
    nodes = max(2 ** (E - 1) - 1, 1)
    return {
        **dict.fromkeys(("gamma_L", "L", "sigma_L2", "sigma_G2", "room_step"), Box(0.1, 1)),
        **dict.fromkeys(("grad", "noise"), Box(-1, 1, (nodes, M, d))),
        **dict.fromkeys(("room_smooth", "room_noise"), Box(0.1, 1, (nodes, M))),
        "room_clients": Box(0.1, 1, (M,)),
    }


def _any_steps(shape: Shape, values: Named) -> Values:
    """Local models of M clients along arbitrary gradients, and the slack of each bound: (1, node, M) or (1, M, step)."""
    E = shape["E"]
    grad, noise, step = values["grad"], values["noise"], column(values["gamma_L"], 3)
    first = grad[:, :1]
    task = first.mean(axis=2)[:, :, None]
    points = [0 * first]
    for e in range(E - 1):
        here = _level(e)
        points.append(
            concatenate([points[-1] - step * (grad[:, here] + s * noise[:, here]) for s in (1, -1)], axis=1)
        )
    changes = [grad[:, _level(e)] - first for e in range(E - 1)] or [0 * first]
    step2, smooth2 = values["gamma_L"] ** 2, values["L"] ** 2
    bracket = step2 * values["sigma_L2"] + 6 * step2 * E * (values["sigma_G2"] + sq(task)[:, 0, 0])
    far = [sq(x).mean(axis=1) for x in points]  # (1, M)
    short = [_short(shape, values, e, points[e], changes[e], first, task) for e in range(E - 1)]
    most = 1 + sp.Rational(1, 2 * E - 1) + sp.Rational(6, 64 * E)
    unused = sp.Rational(6, 64 * E) * values["room_step"]

    def slack_of_series(e: int) -> Array:
        """The slack of the bound on e steps by the sum of a geometric series, averaged over clients."""
        left = [most ** (e - 1 - j) * (short[j] + unused[:, None] * far[j]) for j in range(e)]
        return sum(left, 0 * far[0]).mean(axis=1)

    series = [sum(most**i for i in range(e)) for e in range(E)]
    whole = (E - 1) * ((1 + sp.Rational(1, max(E - 1, 1))) ** E - 1)
    D_mean = stack(far, axis=-1).mean(axis=1)
    apart = sq(first - task)[:, 0]
    return {
        "D_mean": D_mean,
        "gi2": sq(task)[:, 0, 0],
        "bracket": bracket,
        "noise2_each": sq(noise),
        "client2_each": apart,
        **turns((concatenate(changes, axis=1), concatenate(points[: max(E - 1, 1)], axis=1))),
        "left_step": 1 - 64 * E**2 * step2 * smooth2,
        "left_noise": values["sigma_L2"] - sq(noise),
        "left_clients": values["sigma_G2"] - apart,
        "left_smooth": smooth2 * sq(concatenate(points[: max(E - 1, 1)], axis=1))
        - sq(concatenate(changes, axis=1)),
        "slack_series": stack(
            [bracket * (whole - series[e]) + slack_of_series(e) for e in range(E)], axis=-1
        ),
    }


def _short(
    shape: Shape, values: Named, e: int, point: Array, change: Array, first: Array, task: Array
) -> Array:
    """The slack of the bound on one step, from Young's and Jensen's inequality and the assumptions; (1, M)."""
    E, step = shape["E"], column(values["gamma_L"], 2)
    young = (2 * E - 1) * sq(point / (2 * E - 1) + step[..., None] * (change + first))
    apart = pairs_apart([change, first - task + 0 * change, task + 0 * change])
    smooth = values["room_smooth"][:, _level(e)] if e else 0 * step
    rooms = 3 * (smooth + values["room_clients"][:, None])
    noise = values["room_noise"][:, _level(e)]
    return (young + 2 * E * step**2 * (apart + rooms) + step**2 * noise).mean(axis=1)


_STEPS = Scene(
    name="local steps along any gradients",
    shapes=tuple(
        {"M": M, "E": E, "d": 1}
        for M, E in ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2), (1, 3), (2, 3), (1, 4), (1, 5))
    ),
    space=_space,
    compute=_any_steps,
    covers="an identity between arbitrary gradients and noises of either sign, whose size may depend on the past; both sides are "
    "quadratic forms, the same in every coordinate and summed over clients",
)
_SEVERAL = _STEPS.variant(
    "several local steps along any gradients",
    shapes=tuple(shape for shape in _STEPS.shapes if shape["E"] > 1),
)
_assumed: Mapping[str, Assumption] = {
    "room_step": ("left_step", DRIFT_STEP),
    "room_smooth": ("left_smooth", *of.OF_TURNS),
    "room_noise": ("left_noise", *of.OF_NOISE),
    "room_clients": ("left_clients", *of.OF_CLIENTS),
}
INSERTED = (ge(sigma_L2, noise2), ge(sigma_G2, het2), le(lip2, L**2 * D_before))

_mean = lambda vector: ["/", ["each", "n", vector, vector], "n"]  # noqa: E731
_at_start = ["+", "other", "task"]
_own = ["-", "away", ["*", "gamma_L", "change"]]
_along = ["/", ["dot", ["total", "away"], _at_start], "n"]
_turned = ["/", ["dot", ["total", "change"], _at_start], "n"]
_square = ["^", "gamma_L", "2"]
ONE_STEP = Sums(
    statement("special.eq15").compared,
    {
        D_now: [
            "+",
            _mean(_own),
            ["*", _square, _mean("noise")],
            ["*", _square, ["dot", _at_start, _at_start]],
            ["*", "2", ["-", ["*", _square, _turned], ["*", "gamma_L", _along]]],
        ],
        D_before: _mean("away"),
        noise2: _mean("noise"),
        lip2: _mean("change"),
        het2: ["dot", "other", "other"],
        gi2: ["dot", "task", "task"],
    },
    {
        "n": "count",
        **dict.fromkeys(("away", "noise", "change"), "family n"),
        **dict.fromkeys(("other", "task"), "vector"),
    },
)
"""A local step from n equally likely models, with noise of either sign at each."""
_share, _turned2 = sp.Symbol("share", nonnegative=True), of.TURNED.lhs
OF_ASSUMPTIONS: tuple[AnyNumber, ...] = (
    Sums(
        INSERTED[0],
        {noise2: _mean("noise")},
        {"n": "count", "noise": "family n"},
        bounded=(Bounded(("noise",), of.OF_NOISE, "n"),),
    ),
    Sums(
        INSERTED[1],
        {het2: ["dot", "other", "other"]},
        {"other": "vector"},
        bounded=(Bounded(("other",), of.OF_CLIENTS),),
    ),
    summed(
        INSERTED[2],
        {lip2: _share * _turned2, D_before: _share * of.WAY},
        (_turned2, of.WAY),
        (
            follows(
                le(_turned2, L**2 * of.WAY),
                given=of.OF_TURNS,
                through=(le(L_sup**2 * of.WAY, L**2 * of.WAY),),
            ),
        ),
    ),
)
"""Means over equally likely outcomes of what the assumptions bound in each."""
OF_CLIENTS: tuple[Fact | AnyNumber, ...] = (
    Fact(statement("special.eq16").compared, _SEVERAL, "slack_series", _assumed),
    *OF_ASSUMPTIONS,
    ONE_STEP,
)
