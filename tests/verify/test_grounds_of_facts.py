"""Facts use no more of a condition than it gives, and definitions of extremes are tested in worlds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from nqm.fields import Array
from verify.engine.model.scene import Fact, Named, Proved, Scene, Shape, Values
from verify.engine.proof.facts import unbroken, valid_definitions, with_terms
from verify.engine.proof.grounds import Unfounded, grounds
from verify.scenes.cfl.nonconvex import ROUND as EITHER_CURVATURE
from verify.scenes.cflag.drift_norms import ROUND as FINITE_SUMS
from verify.scenes.cflag.forgetting import ROUND as LEMMA_1
from verify.scenes.cflag.joint import SMOOTH as JOINT
from verify.scenes.cflag.problem import POINTS
from verify.scenes.cflag.repairs import KEPT
from verify.scenes.special.bkt import TRAINING
from verify.scenes.special.drift import DRIFT
from verify.scenes.special.lemmas import LOCAL
from verify.scenes.special.rate import TASK
from verify.scenes.special.rate_round import ROUND
from verify.scenes.special.surrogate import QUADRATICS, WITHIN
from verify.scenes.special.surrogate_tasks import TASKS

SCENES = (
    *(EITHER_CURVATURE, FINITE_SUMS, LEMMA_1, JOINT, POINTS, KEPT),
    *(TRAINING, DRIFT, LOCAL, TASK, ROUND, QUADRATICS, WITHIN, TASKS),
)


def proved_of(scene: Scene) -> Proved:
    assert isinstance(scene.compute, Proved)
    return scene.compute


def facts() -> dict[str, Fact]:
    """One fact for each scene of facts with an assumption through a definition, at its smallest sizes with all parts."""
    found = {}
    for scene in SCENES:
        for fact in proved_of(scene).facts:
            if isinstance(fact, Fact) and any(len(right) > 2 for right in fact.assumed.values()):
                found.setdefault(fact.scene.name, fact)
    return found


FACTS = facts()
QUICK = ("a round whose gradients do not know of later noise",)
"""Scenes of facts in which a search for a false consequence is short."""


def size_of(fact: Fact) -> dict[str, int]:
    """A shape at which a fact has all parts that it has at larger ones: two local steps, if there are any."""
    shapes = [shape for shape in fact.scene.shapes if shape.get("E", 2) > 1 and shape.get("K", 2) > 1]
    return dict(min(shapes or fact.scene.shapes, key=lambda shape: sum(shape.values())))


def grown(fact: Fact, quantity: str, change: Callable[[Array], Array]) -> Fact:
    """The fact with another quantity in place of the one whose sign a condition gives."""
    compute = fact.scene.compute

    def changed(shape: Shape, values: Named) -> Values:
        found = compute(shape, values)
        return {**found, quantity: change({**values, **found}[quantity])}

    return replace(fact, scene=fact.scene.variant(f"{fact.scene.name}, changed", compute=changed))


CHANGES = {
    "turned": lambda left: -left,
    "smaller": lambda left: left - sp.Rational(1, 100),
    "steeper": lambda left: left - sp.Rational(1, 100) * left**2 - sp.Rational(1, 10),
}


@pytest.mark.parametrize("name", QUICK)
def test_what_facts_assume_follows(name: str) -> None:
    assert grounds(FACTS[name], size_of(FACTS[name]))


@pytest.mark.parametrize("name", QUICK)
def test_a_changed_slack_is_refused_by_name(name: str) -> None:
    """One change of one slack, drawn for each scene of facts."""
    fact, rng = FACTS[name], np.random.default_rng(len(name))
    shape = size_of(fact)
    quantities = [quantity for quantity, _, *through in fact.assumed.values() if through]
    quantity = quantities[rng.integers(len(quantities))]
    change = list(CHANGES.values())[rng.integers(len(CHANGES))]
    with pytest.raises(
        Unfounded, match=f"sign of `{quantity}` in the scene .* must follow from condition .* through"
    ):
        grounds(grown(fact, quantity, change), shape)


def test_every_definition_is_met() -> None:
    for scene in SCENES:
        assert valid_definitions(scene) == set(proved_of(scene).defines), scene.name


def test_definitions_of_extremes_could_be_broken() -> None:
    """Each comes within a factor of 4 of being broken in some scene, so the computed terms are not zeros."""
    tight = set()
    for scene in SCENES:
        for definition in valid_definitions(scene):
            equal = isinstance(definition, sp.Eq)
            small, large = definition.args if equal else (definition.lts, definition.gts)
            if not unbroken((sp.Eq if equal else sp.Le)(4 * small, large, evaluate=False), with_terms(scene)):
                tight.add(definition)
    through = {right[2] for fact in FACTS.values() for right in fact.assumed.values() if len(right) > 2}
    assert through <= tight
