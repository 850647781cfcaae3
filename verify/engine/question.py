"""Questions: does a relation hold in every instance of a scene that meets some conditions?"""

from __future__ import annotations

from dataclasses import dataclass

from verify.engine.scalars import scalar_scene
from verify.engine.scene import Condition, Scene
from verify.engine.sequences import WITHIN, for_every


@dataclass(frozen=True)
class Question:
    """What is searched, confirmed and proved.

    Attributes
    ----------
    id : str
        Of the statement that asks.
    relation : Relational
        What may hold or not.
    conditions : tuple of Relational
        What an instance must meet to count.
    scene : Scene
        Where both sides are computed.
    """

    id: str
    relation: Condition
    conditions: tuple[Condition, ...]
    scene: Scene


def ask(id: str, relation: Condition, conditions: tuple[Condition, ...], scene: Scene | None) -> Question:
    """The question in a scene; about free numbers if there is none.

    Conditions for every index of a sequence are then met by how the numbers are drawn, as far as one excess says.
    """
    if scene is not None:
        return Question(id, relation, conditions, scene)
    numbers = scalar_scene((relation, *conditions), conditions)
    every = [condition for condition, _ in for_every(conditions)]
    once = tuple(condition for condition in conditions if condition not in every)
    return Question(id, relation, (*once, WITHIN) if every else conditions, numbers)
