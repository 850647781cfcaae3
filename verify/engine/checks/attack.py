"""Try to break a relation; the part that all checks of relations share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import sympy as sp

from verify.engine.model.claim import Budget
from verify.engine.model.instance import Instance, sides
from verify.engine.model.question import Question
from verify.engine.model.scalars import far_scenes, huge_scene, large_scene
from verify.engine.model.scene import Scene, Shape, Values, allowed_shapes
from verify.engine.model.shapes import grown
from verify.engine.search.adversary import Search, at_random
from verify.engine.search.witness import Witness, confirm, confirmed, counterexample, mere_rounding, tightest
from verify.engine.work.extras import gradients


@dataclass(frozen=True)
class Attack:
    """Result of an attack: the search as a whole, and the confirmed counterexample if there is one.

    `course` says how lhs/rhs grew: the largest after so many trials, and the sizes at which it was found.
    """

    search: Search
    witness: Witness | None
    unconfirmed: int
    course: tuple[tuple[int, float, Shape], ...] = ()

    @property
    def details(self) -> dict[str, Any]:
        """The course as plain JSON; empty if no ratio was defined."""
        steps = [{"trials": n, "ratio": ratio, "at": dict(shape)} for n, ratio, shape in self.course]
        found: dict[str, Any] = {"search": steps} if steps else {}
        return found if gradients() else {**found, "without gradients": "PyTorch is not installed"}


PATIENCE = 4
"""After this number of suspects of a batch that were rounding, the others, with smaller gaps, count as rounding, too.
"""


MORE = 8
"""Batches searched for an ordinary counterexample after one in which a quantity is zero, tiny or huge."""


def search(question: Question, *, batch: int, ascents: int, seed: int) -> Iterator[Search]:
    """Searches of growing size: every shape at random, then ascent in the most promising ones."""
    yield from at_random(question, batch, seed)
    if ascents and gradients():
        from verify.engine.search.ascent import (
            ascended,  # PyTorch comes with it, which takes a second to load
        )

        yield from ascended(question, batch, ascents, seed)


_RECALLED: ContextVar[Sequence[Instance]] = ContextVar("recalled", default=())
"""Instances recalled from an earlier search."""


@contextmanager
def recalling(instances: Sequence[Instance]) -> Iterator[None]:
    """Inside the block, an attack ends with the first of these instances that breaks its relation, if one does."""
    before = _RECALLED.set(instances)
    try:
        yield
    finally:
        _RECALLED.reset(before)


def recalled_attack(question: Question) -> Attack | None:
    """The attack with the first recalled instance that breaks a relation; None if none does."""
    for instance in _RECALLED.get():
        with suppress(ArithmeticError, LookupError, TypeError, ValueError):  # of another question or scene
            witness = None if _clearly_none(question, instance) else confirmed(question, instance)
            if witness is not None and witness.broken:
                return Attack(Search(), witness, 0)
    return None


CLEAR = 1e-6
"""A relative margin in floats that cannot be rounding."""


def _clearly_none(question: Question, instance: Instance) -> bool:
    """Whether floats suffice to see that an instance is no counterexample; exact arithmetic takes longer."""
    values = _in_floats(question.scene, instance)
    slacks = (
        sides(one, values, "float").slack if isinstance(one, sp.Le | sp.Ge | sp.Lt | sp.Gt) else 0.0
        for one in (question.relation, *question.conditions)
    )
    return next(slacks) > CLEAR or any(slack < -CLEAR for slack in slacks)


@lru_cache(maxsize=32)
def _in_floats(scene: Scene, instance: Instance) -> Values:
    """Every quantity of an instance; cached, because a check may ask several questions about one scene."""
    return instance.values(scene, "float")


def attack(question: Question, budget: Budget, seed: int) -> Attack:
    """Search shape by shape, stop at the first confirmed counterexample; at an unusual one only if no other is near."""
    known = recalled_attack(question)
    if known is not None:
        return known
    everything = chain(at_random(question, budget.batch, seed), _beyond_random(question, budget, seed))
    return _attack_of(question, everything, Attack(Search(), None, 0))


def attack_at_random(question: Question, budget: Budget, seed: int) -> Attack:
    """The first part of an attack: random instances of the sizes that are listed."""
    known = recalled_attack(question)
    if known is not None:
        return known
    return _attack_of(question, at_random(question, budget.batch, seed), Attack(Search(), None, 0))


def further(question: Question, budget: Budget, seed: int, before: Attack) -> Attack:
    """The rest of an attack whose first part broke nothing."""
    return _attack_of(question, _beyond_random(question, budget, seed), before)


def _beyond_random(question: Question, budget: Budget, seed: int) -> Iterator[Search]:
    if not gradients():
        return
    from verify.engine.search.reach import searches_beyond_random

    if budget.ascents:
        from verify.engine.search.ascent import (
            ascended,
        )  # PyTorch comes with it, which takes a second to load

        yield from ascended(question, budget.batch, budget.ascents, seed)
    yield from searches_beyond_random(question, budget, seed)


def _attack_of(question: Question, searches: Iterable[Search], before: Attack) -> Attack:
    total, unconfirmed, beyond = before.search, before.unconfirmed, 0
    best: Witness | None = None
    course = list(before.course)
    for found in searches:
        total = total.joined(found)
        if found.ratio is not None and found.instance and found.ratio > (course[-1][1] if course else 0):
            course.append((total.trials, found.ratio, found.instance.shape))
        witness = _confirmed(question, found.suspects)
        unconfirmed += bool(found.suspects) and witness is None
        if witness is not None and (best is None or witness.unusual < best.unusual):
            best = witness
        if best is not None and (not best.unusual or beyond == MORE):
            break
        beyond += best is not None
    return Attack(total, best, unconfirmed, tuple(course))


def _confirmed(question: Question, suspects: Sequence[Instance]) -> Witness | None:
    """The first of the suspects that is no rounding, as a counterexample with simple numbers."""
    relation_alone = replace(question, conditions=())
    rounding = 0
    for suspect, rounded in zip(suspects, mere_rounding(relation_alone, suspects), strict=True):
        alone = None if rounded else confirmed(relation_alone, suspect)
        if alone is None or not alone.relation.fails:
            rounding += 1
            if rounding == PATIENCE:
                return None
            continue
        witness = counterexample(question, suspect)
        if witness is not None:
            return witness
    return None


FEW = Budget("few", batch=16, ascents=0, exact_trials=0, proof_steps=0, moves=0, largest=0)
"""Budget for trying an identity at sizes beyond those of its proof."""


FAR_BATCH = 64
"""Random instances of each larger size, and of each far range."""


def beyond(question: Question, seed: int) -> Attack | None:
    """A short attack at sizes beside those that the scene lists; None if it computes nothing there."""
    larger = grown(question.scene.shapes)
    try:
        return attack(replace(question, scene=replace(question.scene, shapes=tuple(larger))), FEW, seed)
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
        return None


def far_away(question: Question, seed: int) -> Attack:
    """A short attack on a relation between free numbers in ranges of other orders of magnitude, and at huge sizes."""
    found = Attack(Search(), None, 0)
    huge = huge_scene(question.scene, (question.relation, *question.conditions))
    for scene in (*far_scenes(question.scene), *([huge] if huge else [])):
        found = _attack_of(question, at_random(replace(question, scene=scene), FAR_BATCH, seed), found)
        if found.witness is not None:
            break
    return found


def at_large_sizes(question: Question, seed: int) -> Attack:
    """A short attack on a relation between free numbers at a few large sizes."""
    scene = large_scene(question.scene)
    found = Attack(Search(), None, 0)
    if scene is None or not allowed_shapes(scene, question.conditions):
        return found
    return _attack_of(question, at_random(replace(question, scene=scene), FAR_BATCH, seed), found)


def nearest(question: Question, result: Attack) -> Witness | None:
    """The tightest instance of the search, with simple numbers, evaluated exactly."""
    return None if result.search.instance is None else tightest(question, result.search.instance)


def at_point(question: Question, point: Mapping[str, Fraction]) -> Witness | None:
    """The counterexample at a point of a scene of free numbers; None if the scene computes anything, or it is none."""
    instance = instance_at(question, point)
    witness = confirm(question, instance) if instance is not None else None
    return witness if witness is not None and witness.broken else None


def met_at(question: Question, point: Mapping[str, Fraction]) -> Attack:
    """An attack with one instance: a point at which all conditions hold, and the relation, too."""
    instance = instance_at(question, point)
    return Attack(Search(trials=int(instance is not None), instance=instance), None, 0)


def instance_at(question: Question, point: Mapping[str, Fraction]) -> Instance | None:
    """The instance at a point of a scene of free numbers; None if the scene computes anything."""
    shape = {name: int(point[name]) for name in question.scene.shapes[0] if name in point}
    space = question.scene.space(question.scene.shapes[0])
    asked = {s.name for r in (question.relation, *question.conditions) for s in r.free_symbols}
    if (
        not asked <= point.keys() & (space.keys() | shape.keys())
        or shape.keys() != question.scene.shapes[0].keys()
    ):
        return None
    parameters = {name: np.array(point.get(name, box.ends[0]), dtype=object) for name, box in space.items()}
    return Instance(shape, parameters, {})
