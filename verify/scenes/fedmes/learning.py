"""Corrections that also descend the memory loss: one, several in a row, and non-learning baselines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import sympy as sp

from bounds.catalogue import statement
from bounds.fedmes import learning as b
from bounds.fedmes.correction import gt2
from bounds.fedmes.descent import gap, gap_1, gap_next, gap_s
from bounds.fedmes.projection import gm2
from bounds.fedmes.symbols import L, c, eta_2
from bounds.fedmes.symbols import s as s_
from bounds.relations import eq, ge, le
from nqm.fields import Array, amax, dot, maximum, sq, stack
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Box, Proved, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.fedmes.coordinate_facts import orthogonal
from verify.scenes.fedmes.correction import CORRECTED, correction
from verify.scenes.fedmes.samples import Named
from verify.scenes.fedmes.smooth_losses import slope, way2
from verify.scenes.fedmes.step_facts import OF_LEARNING
from verify.scenes.norms_of_sums import AnyNumber, follows
from verify.scenes.summands import by_definition, definition
from verify.scenes.trees import square, vocabulary

Direction = Callable[[Array, Array, Array], Array]
"""(correction, memory gradient, kappa) -> the step divided by -eta_2, with a leading axis for equally likely outcomes."""

FALLS = statement("fedmes.thm1.learns.falls").compared
STEEP = le(2 * c * gap, gm2)
DEFINED = (
    le(gap_next, gap - eta_2 * b.learnt_along + L * eta_2**2 * b.learnt2 / 2),
    le(gap, slope - c * way2 / 2),
    le(c, L),
)
"""The definitions of L (along a step) and of c (between a model and the optimum), and their order."""
ORDER = DEFINED[2]
LARGEST = le(gt2, b.moved2_next)
SHRINKS = eq(b.shrunk_next, (1 - b.SHARE) * b.shrunk_gap)
BALANCED = eq(b.SHARE * b.floor_next, L * eta_2**2 * b.moved2_next / 2)
LONGER = le(b.moved2, b.moved2_next)
FLOORS = (eq(b.floor_gap, b.FLOOR), eq(b.floor_next, b.FLOOR.subs(b.moved2, b.moved2_next)))
MEANT = (FLOORS[0], eq(gap_s, gap), eq(b.shrunk_gap, (1 - b.SHARE) ** (s_ - 1) * gap_1))


def learns(step: Array, memory: Array, share: Array) -> Array:
    """The correction plus a share of the memory gradient."""
    return (step + share * memory)[None]


def ascends(step: Array, memory: Array, share: Array) -> Array:
    """The share of the memory gradient with the wrong sign."""
    return (step - share * memory)[None]


def stands_still(step: Array, memory: Array, share: Array) -> Array:
    """No step at all."""
    return (0 * step)[None]


def walks(step: Array, memory: Array, share: Array) -> Array:
    """The right direction or the opposite one, with equal probability."""
    return stack([step + share * memory, -step - share * memory], 0)


def one_step(direction: Direction, shape: Shape, values: Named) -> Values:
    """One step from the displacement `y` relative to the memory's optimum, with the current gradient g."""
    curve = values["convex"][:, None] + values["more"]
    y, g, share = values["y"], values["g"], values["kappa"][:, None]
    memory = curve * y
    step = correction(g, memory[:, None])[:, 0]
    way = direction(step, memory, share)
    height = lambda at: (curve * at**2).sum(axis=-1) / 2  # noqa: E731
    after = y - values["eta_2"][:, None] * way
    return {
        "c": values["convex"],
        "L": values["convex"] + amax(values["more"], -1),
        "gt2": sq(step),
        "gm2": sq(memory),
        "inner_now": dot(g, memory),
        "learnt_bend": (curve * way**2).sum(axis=-1).sum(axis=0) / len(way),
        "learnt_along": dot(memory, way).sum(axis=0) / len(way),
        "learnt2": sq(way).sum(axis=0) / len(way),
        "slope": (curve * y**2).sum(axis=-1),
        "way2": sq(y),
        "gap": height(y),
        "gap_next": height(after).sum(axis=0) / len(way),
        "next": after[0],
    }


_ALONG = sp.Symbol("memory by correction", real=True)
_LEARNT = {
    b.learnt_along: ["dot", "memory", ["+", "correction", ["*", "kappa", "memory"]]],
    b.learnt2: square(["+", "correction", ["*", "kappa", "memory"]]),
    **{gt2: square("correction"), gm2: square("memory"), _ALONG: ["dot", "memory", "correction"]},
}
_of_learnt = vocabulary(_LEARNT, {"memory": "vector", "correction": "vector", "kappa": "positive"})
_FACTS: tuple[AnyNumber, ...] = (
    follows(
        FALLS,
        _of_learnt(eq(b.learnt_along, _ALONG + b.kappa * gm2)),
        _of_learnt(eq(b.learnt2, gt2 + 2 * b.kappa * _ALONG + b.kappa**2 * gm2)),
        orthogonal(_ALONG),
        given=DEFINED[:1],
    ),
    follows(
        STEEP,
        Sums(
            ge(gm2, 2 * c * slope - c**2 * way2),
            {gm2: square("memory"), slope: ["dot", "memory", "away"], way2: square("away")},
            {"memory": "vector", "away": "vector"},
        ),
        given=DEFINED[1:2],
        through=(le(2 * c * gap, 2 * c * slope - c**2 * way2),),
    ),
    by_definition(ORDER),
)
"""Facts about a step on an arbitrary loss: arbitrary gradients, and any gap after the step that the constants allow."""


def _space(shape: Shape) -> dict[str, Box]:
    return {**CORRECTED.space(shape), "kappa": Box(0.05, 2, scale="log"), "eta_2": Box(0.01, 0.9)}


LEARNING = CORRECTED.variant(
    "a correction that learns",
    space=_space,
    known=lambda shape, values: {"L": values["convex"] + amax(values["more"], -1)},
    steps=("eta_2",),
    compute=Proved(partial(one_step, learns), (*_FACTS, OF_LEARNING), DEFINED),
)
PLACEBOS = tuple(
    LEARNING.variant(f"a correction that {words}", compute=partial(one_step, direction))
    for direction, words in (
        (ascends, "ascends the memory's loss"),
        (stands_still, "does not move"),
        (walks, "goes either way"),
    )
)


# --------------------------------------------------------------------------------- one after the other


def several_steps(direction: Direction, shape: Shape, values: Named) -> Values:
    """r + 1 corrections, as displacements from the memory's optimum, with a quadratic current loss around `aim`."""
    y, largest = values["y"], 0 * values["kappa"]
    step = lambda y: one_step(  # noqa: E731
        direction, shape, {**values, "y": y, "g": values["h"] * (y - values["aim"])}
    )
    first = found = step(y)
    left = first["gap"]
    share = _share(values, found)
    for _ in range(shape["r"]):
        y, largest, left = found["next"], maximum(largest, found["gt2"]), (1 - share) * left
        found = step(y)
    return {**found, **_so_far(values, found, left, largest), "gap_1": first["gap"]}


def _share(values: Named, found: Named) -> Array:
    """The share of the gap that a step removes."""
    gentle = values["eta_2"] * values["kappa"]
    return found["c"] * gentle * (2 - found["L"] * gentle)


def _so_far(values: Named, found: Named, left: Array, largest: Array) -> Values:
    """Quantities of a step that depend on earlier steps."""
    share, longest = _share(values, found), maximum(largest, found["gt2"])
    adds = found["L"] * values["eta_2"] ** 2 / 2
    return {
        "gap_s": found["gap"],
        "shrunk_gap": left,
        "shrunk_next": (1 - share) * left,
        "moved2": largest,
        "moved2_next": longest,
        "floor_gap": adds * largest / share,
        "floor_next": adds * longest / share,
    }


_LONGEST = definition(eq(b.moved2_next, sp.Max(b.moved2, gt2)))
_MEANINGS: tuple[AnyNumber, ...] = (
    definition(SHRINKS),
    Sums(BALANCED, {b.floor_next: tree(FLOORS[1].rhs)}, {}),
    *map(definition, (FLOORS[1], *MEANT)),
    *(follows(relation, _LONGEST) for relation in (LARGEST, LONGER)),
)
"""What the letters of corrections one after the other mean."""


AGAIN = LEARNING.variant(
    "corrections that learn, one after the other",
    shapes=tuple({"r": s - 1, "s": s, "d": d} for s, d in ((1, 1), (2, 1), (2, 2), (3, 2), (5, 2), (9, 2))),
    space=lambda shape: {**_space(shape), "aim": Box(-2, 2, (shape["d"],))},
    compute=Proved(partial(several_steps, learns), (*_FACTS, *_MEANINGS), DEFINED),
    covers="",
)
AGAIN_PLACEBOS = tuple(
    AGAIN.variant(f"corrections that {words}, one after the other", compute=partial(several_steps, direction))
    for direction, words in ((ascends, "ascend the memory's loss"), (stands_still, "do not move"))
)
