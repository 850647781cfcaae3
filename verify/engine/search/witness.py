"""Witnesses: from a suspect to the simplest counterexample that exact arithmetic confirms.

An instance proposed by the adversary first gets slack in every condition. Then its numbers are made as simple as the
violation allows. Finally both sides and all conditions are evaluated in fractions, or in intervals if roots or hyperbolic
functions occur. An instance counts only if it certainly meets the conditions and certainly breaks the relation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
import sympy as sp

from bounds.relations import text_of
from nqm.fields import Irrational, Overlapping, lower, to_float
from verify.engine.model.arithmetic import ARITHMETIC, as_written, convert, exactly, side_by_side
from verify.engine.model.instance import Instance, Sides, oriented, sides
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Condition, Scene, Values, quantities
from verify.engine.model.sequences import drawn_entries
from verify.engine.search.adversary import ROUNDING, STRICT, margins
from verify.engine.search.degenerate import unusual, zeros
from verify.engine.search.simpler import breaks, converted, quantities_at, simplified, stacked, with_number
from verify.engine.search.step_sizes import settle

ROOMS = (1e-2, 1e-3, 1e-5, 0.0)
"""Relative slacks tried in every condition, largest first."""
SIMPLE = (1, 2, 4, 10, 100, 1000)
"""Largest denominators tried in the tightest instance."""
NUDGES = tuple(Fraction(sign, 2**power) for power in range(1, 9) for sign in (1, -1))
"""Numbers tried in place of zeros, if fewer quantities are then zero."""
INWARD = (Fraction(1, 16), Fraction(1, 2**20))
"""Numbers tried in place of all zeros of sequences."""
TRIED = 4
"""Limit on instances without zeros that are evaluated in fractions."""
LESS = 1 / 256
"""If a float64 violation is rounding, at most this share of it is left in floats with 11 more bits, with a margin."""
LOST = 5e-3
"""Share of lhs/rhs that simple numbers may cost in the tightest instance."""
LITTLE = 1e-6
"""Relative slack in constants and step sizes if a tightest instance meets a condition only up to rounding."""
FINEST = 10**6
"""Largest denominator of such a slack; without one, step sizes stay below their limits by the inverse of its square,
relatively.
"""


@dataclass(frozen=True)
class Witness:
    """A confirmed instance: both sides, every condition with its slack, and the arithmetic that confirmed it."""

    statement: str
    scene: Scene
    instance: Instance
    method: Literal["exact", "interval"]
    relation: Sides
    conditions: tuple[Sides, ...]

    @property
    def broken(self) -> bool:
        """Whether the instance certainly meets the conditions and breaks the relation."""
        return self.relation.fails and all(condition.holds for condition in self.conditions)

    @cached_property
    def zero(self) -> tuple[str, ...]:
        """Quantities of the relation that are zero at the instance."""
        found = zeros(self.relation.relation, self.instance.values(self.scene, "float"), 1)
        return tuple(name for name, mask in found.items() if bool(mask[0]))

    @property
    def exactly_zero(self) -> bool:
        """Whether these are exactly zero, not only too small to distinguish from rounding."""
        values = self.instance.values(self.scene, "float")
        return not any(np.any(to_float(values[name])) for name in self.zero)

    @cached_property
    def unusual(self) -> int:
        """Number of quantities of the relation that are zero, tiny or huge."""
        return int(unusual(self.relation.relation, self.instance.values(self.scene, "float"), 1)[0])

    def record(self) -> dict[str, Any]:
        """Plain JSON from which `replay` starts."""
        relations = (self.relation.relation, *(c.relation for c in self.conditions))
        return {
            "statement": self.statement,
            "scene": self.scene.name,
            "relation": text_of(self.relation.relation),
            **self.instance.record(),
            "method": self.method,
            "lhs": list(self.relation.small),
            "rhs": list(self.relation.large),
            "conditions": [
                {"text": text_of(c.relation), "slack": c.slack, "holds": c.holds} for c in self.conditions
            ],
            "zero": list(self.zero),
            **drawn_entries(relations, self.instance, self.scene, self.method),
            "told": {
                name: self.scene.told[name]
                for name in (*self.instance.shape, *self.instance.parameters)
                if name in self.scene.told
            },
        }


def mere_rounding(question: Question, instances: Sequence[Instance]) -> list[bool]:
    """Mask of the instances (of one shape) that break the relation only by rounding: the violation shrinks in longer floats.

    False for strict relations, and for scenes that cannot compute in longer floats.
    """
    nobody = [False] * len(instances)
    if not instances or isinstance(question.relation, STRICT):
        return nobody
    batch, shape = len(instances), instances[0].shape
    parameters, sizes = stacked(question, instances)
    longer = [{n: value.astype(np.longdouble) for n, value in part.items()} for part in (parameters, sizes)]
    try:
        short, _ = margins(question.relation, quantities(question.scene, shape, parameters, sizes), batch)
        with np.errstate(all="ignore"):
            values = quantities(question.scene, shape, *longer)
            small, large = side_by_side(oriented(question.relation), values, "long", batch)
            gap = abs(small - large) if isinstance(question.relation, sp.Eq) else small - large
            scale = abs(small) + abs(large)
            long = np.where(scale > 0, gap / scale, -1).max(axis=1)
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        return nobody
    return [bool(b <= max(float(a), 0.0) * LESS) for a, b in zip(short, long, strict=True)]


@lru_cache(maxsize=16)
def confirm(question: Question, instance: Instance) -> Witness:
    """Both sides and all conditions at an instance: in fractions if everything is rational, else in intervals.

    A step size determined by an equation is evaluated by its formula, so that the equation holds exactly. The latest results
    are cached, because several checks of a stored answer evaluate the same instance.
    """

    def witness(kind: str, method: Literal["exact", "interval"]) -> Witness:
        parameters, sizes, defining = converted(question, instance, kind)
        values = quantities(question.scene, instance.shape, parameters, sizes)
        known = before_running(question, instance)
        met = tuple(
            _met_by_definition(sides(c, values, kind), defining[c], values)
            if c in defining
            else known.get(c) or sides(c, values, kind)
            for c in question.conditions
        )
        relation = sides(question.relation, values, kind)
        written = {step: np.array(_as_fraction(sizes[step][0]), dtype=object) for step in defining.values()}
        there = replace(instance, sizes={**instance.sizes, **written})
        return Witness(question.id, question.scene, there, method, relation, met)

    try:
        return witness("exact", "exact")
    except Irrational:
        return witness("interval", "interval")


def _met_by_definition(found: Sides, step: str, values: Mapping[str, Any]) -> Sides:
    """An equation that defines a step size holds wherever the step size is in its domain, unless the scene computes another
    value for it.
    """
    symbol = next(s for s in found.relation.free_symbols if s.name == step)
    least = lower(values[step]).min()
    inside = least > 0 if symbol.is_positive else least >= 0 if symbol.is_nonnegative else least == least
    holds = bool(inside) and not found.fails
    return replace(found, holds=holds, fails=not holds)


def _as_fraction(value: Any) -> Fraction:
    return (
        value
        if isinstance(value, Fraction)
        else as_written(float(to_float(np.array([value], dtype=object))[0]))
    )


def confirmed(question: Question, instance: Instance) -> Witness | None:
    """The result of `confirm`; None if a comparison of intervals is undecided, or a quantity is undefined."""
    with suppress(Overlapping, ZeroDivisionError):
        return confirm(question, instance)
    return None


def before_running(question: Question, instance: Instance) -> dict[Condition, Sides]:
    """Conditions on results of `known`, evaluated in fractions, independent of the arithmetic of the rest."""
    try:
        parameters, sizes, _ = converted(question, instance, "exact")
        values: Values = {**instance.shape, **parameters, **sizes}
        values |= question.scene.known(instance.shape, values)
    except Irrational:
        return {}
    found = {}
    for condition in question.conditions:
        names = {s.name for s in condition.free_symbols if isinstance(s, sp.Symbol)}
        drawn = {base.label.name for base in condition.atoms(sp.IndexedBase)} & parameters.keys()
        with suppress(Irrational):
            if names <= values.keys() and not drawn:  # entries of sequences are computed later
                found[condition] = sides(condition, values, "exact")
    return found


def counterexample(question: Question, instance: Instance) -> Witness | None:
    """A confirmed counterexample near `instance`, as simple as possible; None if none could be confirmed."""
    for room in ROOMS:
        start = _with_room(question, instance, room)
        if not breaks(question, [start], room)[0]:
            continue
        for candidate in (simplified(question, start, room), start):
            witness = confirmed(question, candidate)
            if witness and witness.broken:
                return _without_zeros(question, witness)
    for inside in (_off_zero(question, instance, amount) for amount in INWARD):
        if inside is None or not breaks(question, [inside], 0.0)[0]:
            continue
        for candidate in (simplified(question, inside, 0.0), inside):
            witness = confirmed(question, candidate)
            if witness and witness.broken:
                return _without_zeros(question, witness)
    # Fractions can confirm what floats cannot distinguish from rounding
    witness = confirmed(question, _with_room(question, instance, 0.0))
    return witness if witness and witness.broken else None


def _off_zero(question: Question, instance: Instance, amount: Fraction) -> Instance | None:
    """The instance with this number in place of each zero in an array; None if there is no zero.

    Intervals cannot decide a condition that holds with equality between irrational numbers; gaps in sequences give it slack.
    """
    space = question.scene.space(instance.shape)
    zero = {
        name: array
        for name, array in instance.parameters.items()
        if array.ndim and not array.all() and name in space and amount in space[name]
    }
    moved = {
        name: np.where(array == 0, np.array(amount, dtype=object), array) for name, array in zero.items()
    }
    return replace(instance, parameters={**instance.parameters, **moved}) if moved else None


def _without_zeros(question: Question, found: Witness) -> Witness:
    """The counterexample with zeros replaced by small numbers, if fewer quantities are then zero, tiny or huge."""
    instance, space = found.instance, question.scene.space(found.instance.shape)
    options = [
        with_number(instance, "parameters", name, index, value)
        for value in NUDGES
        for name, array in (instance.parameters.items() if found.unusual else ())
        if name != question.scene.room and name not in instance.sizes
        for index in np.ndindex(array.shape)
        if array[index] == 0 and value in space[name]
    ]
    if not options:
        return found
    values = quantities(question.scene, instance.shape, *stacked(question, options))
    fewer = unusual(question.relation, values, len(options))
    usual = [
        i for i, works in enumerate(breaks(question, options, 0.0)) if works and fewer[i] < found.unusual
    ]
    for i in sorted(usual, key=lambda i: fewer[i])[:TRIED]:
        witness = confirmed(question, options[i])
        if witness and witness.broken:
            return _without_zeros(question, witness)
    return found


def tightest(question: Question, instance: Instance) -> Witness | None:
    """The instance with its numbers as simple as its lhs/rhs allows, evaluated exactly.

    If it meets a condition only up to rounding, constants and step sizes get a little slack; None if this fails.
    """
    return _tightest(question, instance, 0.0) or _tightest(question, instance, LITTLE)


def _tightest(question: Question, instance: Instance, room: float) -> Witness | None:
    start = _with_room(question, _in_boxes(question.scene, instance), room)
    margin = float(margins(question.relation, quantities_at(question, start, "float"), 1)[0][0])
    least = margin - LOST * (1 - abs(margin)) - ROUNDING
    options = [_rounded(question, start, digits) for digits in SIMPLE]
    works = breaks(question, options, 0.0, least)
    for candidate in (*(option for option, good in zip(options, works, strict=True) if good), start):
        if all(condition.holds for condition in before_running(question, candidate).values()):
            witness = confirmed(question, candidate)
            if witness and all(condition.holds for condition in witness.conditions):
                return witness
    return None


def _in_boxes(scene: Scene, instance: Instance) -> Instance:
    """The instance with every parameter in its range; a search on a log scale may leave it by a rounding error."""
    inside = {
        name: np.vectorize(lambda x, box=box: min(max(x, box.ends[0]), box.ends[1]), otypes=[object])(
            instance.parameters[name]
        )
        for name, box in scene.space(instance.shape).items()
        if name != scene.room and name not in scene.steps and name in instance.parameters
    }
    return replace(instance, parameters={**instance.parameters, **inside})


def _rounded(question: Question, instance: Instance, largest: int) -> Instance:
    """The instance with parameters rounded to fractions with small denominators, and step sizes computed again."""
    space = question.scene.space(instance.shape)
    rounded = {
        name: np.vectorize(lambda x, name=name: _nearby(x, largest, space[name]), otypes=[object])(value)
        for name, value in instance.parameters.items()
        if name != question.scene.room and name not in instance.sizes
    }
    changed = replace(instance, parameters={**instance.parameters, **rounded})
    sizes = {
        name: np.array(value.item().limit_denominator(largest) or value.item(), dtype=object)
        for name, value in instance.sizes.items()
    }
    return replace(changed, sizes=sizes)


def _nearby(x: Fraction, largest: int, box: Box) -> Fraction:
    near = x.limit_denominator(largest)
    return near if not box.levels and near in box else x


def _with_room(question: Question, instance: Instance, room: float) -> Instance:
    """Constants enlarged by `room`, and step sizes computed again, below their new limits by the same margin.

    The fractions of the limits are not used afterwards.
    """
    scene = question.scene
    exact = Fraction(room).limit_denominator(FINEST)
    less = 1 - (exact or Fraction(1, FINEST**2))
    parameters = dict(instance.parameters)
    if scene.room:
        parameters[scene.room] = np.array(exact, dtype=object)
    fractions = {name: np.asarray(parameters[name] * less, dtype=object) for name in scene.steps}
    floats = {name: value[None] for name, value in {**parameters, **fractions}.items()}
    found = settle(scene, question.conditions, instance.shape, convert(floats, "float"), ARITHMETIC["float"])
    sizes = {name: exactly(np.reshape(value, -1)[0]) for name, value in found.items()}
    settled = {name: np.array(Fraction(1), dtype=object) for name in sizes}
    return replace(instance, parameters={**parameters, **settled}, sizes=sizes)
