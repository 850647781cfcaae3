"""Questions: does a relation hold in every instance of a scene that meets some conditions?"""

from __future__ import annotations

from dataclasses import dataclass

from verify.engine.model.scalars import scalar_scene
from verify.engine.model.scene import Condition, Scene
from verify.engine.model.sequences import WITHIN, for_every


@dataclass(frozen=True)
class Question:
    """A relation, its conditions and the scene in which they are evaluated.

    Attributes
    ----------
    id : str
        Id of the statement.
    relation : Relational
        The relation in question.
    conditions : tuple of Relational
        Conditions that an instance must meet to count.
    scene : Scene
        The scene that computes both sides.
    """

    id: str
    relation: Condition
    conditions: tuple[Condition, ...]
    scene: Scene


def ask(id: str, relation: Condition, conditions: tuple[Condition, ...], scene: Scene | None) -> Question:
    """The question in a scene, or for free numbers if there is none.

    For free numbers, conditions on every index of a sequence are met by the way the numbers are drawn, if one excess
    describes them.
    """
    if scene is not None:
        return Question(id, relation, conditions, scene)
    numbers = scalar_scene((relation, *conditions), conditions)
    every = [condition for condition, _ in for_every(conditions)]
    once = tuple(condition for condition in conditions if condition not in every)
    return Question(id, relation, (*once, WITHIN) if every else conditions, numbers)
