"""Simpler counterexamples: the numbers of an instance are replaced as long as it meets the conditions and breaks the relation.

Everything here is evaluated in floats; `verify.engine.search.witness` confirms the result exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from verify.engine.model.arithmetic import ARITHMETIC, convert
from verify.engine.model.instance import Instance, fractions_near
from verify.engine.model.question import Question
from verify.engine.model.scene import Condition, Values, quantities
from verify.engine.search.adversary import ROUNDING, admissible, in_domains, margins
from verify.engine.search.degenerate import zeros
from verify.engine.search.step_sizes import defined_sizes

FACTORS = (1, 2, 4, 10, 100)
"""All numbers together are brought to at most this factor from 1, smallest factor first."""


def simplified(question: Question, start: Instance, room: float) -> Instance:
    """Replace the numbers, first together and then one by one, by the simplest ones with which the instance stays a counterexample.

    At least a tenth of the original margin is kept, so that the result is not at the limit of rounding. No nonzero quantity
    of the relation becomes zero.
    """
    scene = question.scene
    space = scene.space(start.shape)
    values = quantities_at(question, start, "float")
    margin, _ = margins(question.relation, values, 1)
    least = max(ROUNDING, float(margin[0]) / 10)
    kept = {name for name, mask in zeros(question.relation, values, 1).items() if not mask[0]}
    together = list(_nearer_to_one(question, start))
    works = breaks(question, together, room, least, kept)
    current = together[works.index(True)] if any(works) else start
    for part in ("parameters", "sizes"):
        for name in getattr(start, part):
            if name == scene.room or (part == "parameters" and (name in start.sizes)):
                continue
            for index in np.ndindex(getattr(start, part)[name].shape):
                options = [
                    with_number(current, part, name, index, value)
                    for value in fractions_near(getattr(current, part)[name][index])
                    if (part == "sizes" and value > 0) or (part == "parameters" and value in space[name])
                ]
                if not options:
                    continue
                works = breaks(question, options, room, least, kept)
                if any(works):
                    current = options[works.index(True)]
    return current


def _nearer_to_one(question: Question, instance: Instance) -> Iterator[Instance]:
    """The instance with every number at most a factor from 1, if it is not zero and stays in its range.

    Large numbers that belong together (a = b = 10) cannot be reduced one by one.
    """
    space = question.scene.space(instance.shape)
    for factor in FACTORS:

        def nearer(x: Fraction, name: str, factor: int = factor) -> Fraction:
            size = min(max(abs(x), Fraction(1, factor)), Fraction(factor))
            near = size if x > 0 else -size
            return near if x and near in space[name] else x

        parameters = {
            name: np.vectorize(lambda x, name=name: nearer(x, name), otypes=[object])(value)
            for name, value in instance.parameters.items()
            if name != question.scene.room and name not in instance.sizes
        }
        yield replace(instance, parameters={**instance.parameters, **parameters})


def breaks(
    question: Question,
    instances: Sequence[Instance],
    room: float,
    least: float = ROUNDING,
    kept: Collection[str] = (),
) -> list[bool]:
    """Mask of the instances (of one shape) that break the relation by `least` and meet the conditions with slack, in floats.

    Quantities that are `kept` must not be zero.
    """
    batch = len(instances)
    parameters, sizes = stacked(question, instances)
    values = quantities(question.scene, instances[0].shape, parameters, sizes)
    broken = margins(question.relation, values, batch)[0] > least
    broken &= in_domains((question.relation,), values, batch)
    broken &= admissible(question.conditions, values, batch, room)
    for name, zero in zeros(question.relation, values, batch).items() if kept else ():
        broken &= ~zero | (name not in kept)
    return [bool(found) for found in broken]


def with_number(
    instance: Instance, part: str, name: str, index: tuple[int, ...], value: Fraction
) -> Instance:
    array = getattr(instance, part)[name].copy()
    array[index] = value
    return replace(instance, **{part: {**getattr(instance, part), name: array}})


def stacked(
    question: Question, instances: Sequence[Instance]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Parameters and step sizes of instances of one shape as batches of floats."""
    parameters, sizes = (
        {name: np.stack([np.asarray(part[name], dtype=float) for part in parts]) for name in parts[0]}
        for parts in ([i.parameters for i in instances], [i.sizes for i in instances])
    )
    scene, shape = question.scene, instances[0].shape
    return parameters, defined_sizes(
        scene, question.conditions, shape, parameters, sizes, ARITHMETIC["float"]
    )[0]


def quantities_at(question: Question, instance: Instance, kind: str) -> Values:
    """Every quantity at an instance, with step sizes evaluated by their formulas."""
    return quantities(question.scene, instance.shape, *converted(question, instance, kind)[:2])


def converted(
    question: Question, instance: Instance, kind: str
) -> tuple[Values, Values, dict[Condition, str]]:
    """Parameters and step sizes in some arithmetic, with a batch axis of length 1, and equations that define a step size."""
    parameters, sizes = (
        convert({name: value[None] for name, value in part.items()}, kind)
        for part in (instance.parameters, instance.sizes)
    )
    scene, shape = question.scene, instance.shape
    return parameters, *defined_sizes(scene, question.conditions, shape, parameters, sizes, ARITHMETIC[kind])
