"""Hypothesis strategies for bounds: property-based tests of the user's own statements or those of the catalogue.

    from hypothesis import given
    from verify import strategies
    from verify.engine.topics import claims

    CLAIM = claims()["special.lem4.9"]

    @given(strategies.instances(CLAIM))
    def test_the_drift_bound(instance):
        assert not strategies.sides_at(CLAIM, instance).fails

Needs the package `hypothesis` (extra `test`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import torch
from hypothesis import strategies as st

from bounds.statement import Statement
from bounds.symbols import domain_of
from nqm.fields import Irrational
from verify.engine.model.arithmetic import ARITHMETIC, convert, exactly
from verify.engine.model.claim import Claim
from verify.engine.model.instance import Instance, Sides, sides
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Shape, allowed_shapes, quantities
from verify.engine.search.adversary import admissible
from verify.engine.search.step_sizes import settle


def numbers(statement: Statement, **held: float) -> st.SearchStrategy[dict[str, float]]:
    """Values of every symbol of a statement, in their domains, that meet its conditions.

    Parameters
    ----------
    held : float
        Values to keep fixed, by name.
    """
    ranges = {
        "positive": st.floats(-3, 3).map(lambda power: 10.0**power),
        "nonnegative": st.floats(0, 1e3),
        "real": st.floats(-1e3, 1e3),
        "count": st.integers(1, 20),
    }
    drawn = {s.name: ranges[domain_of(s)] for s in statement.symbols if s.name not in held}
    return (
        st.fixed_dictionaries(drawn).map(lambda v: {**v, **held}).filter(lambda v: not statement.failing(**v))
    )


def instances(claim: Claim) -> st.SearchStrategy[Instance]:
    """Instances of a claim's scene that meet all its conditions; step sizes lie inside their limits."""
    question = claim.question
    shapes = st.sampled_from(allowed_shapes(question.scene, question.conditions))
    return shapes.flatmap(lambda shape: _in_shape(question, shape))


def sides_at(claim: Claim, instance: Instance) -> Sides:
    """Both sides of a claim at an instance, in fractions if everything is rational, else in intervals."""
    scene = claim.question.scene
    try:
        return sides(claim.relation, instance.values(scene, "exact"), "exact")
    except Irrational:
        return sides(claim.relation, instance.values(scene, "interval"), "interval")


def _in_shape(question: Question, shape: Shape) -> st.SearchStrategy[Instance]:
    boxes = {name: _box(box) for name, box in question.scene.space(shape).items()}
    made = st.fixed_dictionaries(boxes).map(lambda drawn: _instance_within_limits(question, shape, drawn))
    return made.filter(lambda instance: _admissible(question, instance))


def _box(box: Box) -> st.SearchStrategy[np.ndarray]:
    if box.levels:
        one = st.sampled_from(box.levels)
    elif box.scale == "log":
        one = st.floats(math.log(box.low), math.log(box.high)).map(math.exp)
    else:
        one = st.floats(box.low, box.high)
    size = math.prod(box.shape)
    return st.lists(one, min_size=size, max_size=size).map(
        lambda v: np.array(v, dtype=float).reshape(box.shape)
    )


def _instance_within_limits(question: Question, shape: Shape, drawn: Mapping[str, np.ndarray]) -> Instance:
    batched = {name: torch.as_tensor(value)[None] for name, value in drawn.items()}
    sizes = settle(question.scene, question.conditions, shape, batched, ARITHMETIC["torch"])
    inside = Fraction(10**9 - 1, 10**9)
    return Instance(
        shape,
        {name: exactly(value) for name, value in drawn.items()},
        {
            name: np.asarray(exactly(torch.as_tensor(v).reshape(-1)[0].numpy()) * inside)
            for name, v in sizes.items()
        },
    )


def _admissible(question: Question, instance: Instance) -> bool:
    one = lambda part: convert({name: value[None] for name, value in part.items()}, "torch")  # noqa: E731
    values = quantities(question.scene, instance.shape, one(instance.parameters), one(instance.sizes))
    return bool(admissible(question.conditions, values, 1, 0.0)[0])
