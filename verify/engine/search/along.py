"""Both sides of a relation on a line through an instance, in the direction in which the violation grows fastest."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
import torch

from verify.engine.model.arithmetic import side_by_side
from verify.engine.model.instance import Instance, oriented
from verify.engine.model.question import Question
from verify.engine.model.scene import Values, quantities
from verify.engine.search.adversary import admissible, compared

POINTS = 81


def along(question: Question, instance: Instance) -> dict[str, Any]:
    """Sides on a line through an instance, as plain JSON.

    Returns
    -------
    dict
        ``position`` (n,): 0 is the instance, 1 the largest step that stays within half of every range; ``small`` and
        ``large`` (n,): both sides, at the worst of their further axes; ``admissible`` (n,): whether all conditions are
        met up to rounding.
    """
    space = question.scene.space(instance.shape)
    start = {name: _tensor(value) for name, value in {**instance.parameters, **instance.sizes}.items()}
    moving = {
        name: value.clone().requires_grad_()
        for name, value in start.items()
        if name in instance.sizes or (not space[name].levels and space[name].low < space[name].high)
    }
    # The absolute gap, because the relative margin is constant if one side is 0
    gap = compared(question.relation, _values(question, instance, {**start, **moving}), 1)[2].sum()
    slopes = (
        torch.autograd.grad(gap, list(moving.values()), allow_unused=True)
        if moving and gap.requires_grad
        else [None] * len(moving)
    )
    widths = {name: _width(question, instance, name, start[name]) for name in moving}
    pull = {
        name: torch.zeros_like(widths[name])
        if slope is None
        else torch.nan_to_num(slope, 0.0, 0.0, 0.0) * widths[name]
        for (name, slope) in zip(moving, slopes, strict=True)
    }
    largest = max((float(p.abs().max()) for p in pull.values() if p.numel()), default=0.0) or 1.0
    position = torch.linspace(-1, 1, POINTS, dtype=torch.float64)
    line = {}
    for name, value in start.items():
        steps = position.reshape(-1, *(1,) * (value.ndim - 1))
        moved = value + steps * (pull[name] / largest * widths[name] if name in pull else 0 * value)
        line[name] = _inside(question, instance, name, moved)
    values = _values(question, instance, line)
    small, large = _at_worst(question, values)
    return {
        "position": position.tolist(),
        "small": small,
        "large": large,
        "admissible": admissible(question.conditions, values, POINTS, 0.0).tolist(),
    }


def _values(question: Question, instance: Instance, given: Values) -> Values:
    sizes = {name: given[name] for name in instance.sizes}
    parameters = {name: given[name] for name in instance.parameters if name not in sizes}
    fractions = {name: torch.ones_like(sizes[name]) for name in instance.parameters if name in sizes}
    return quantities(question.scene, instance.shape, {**parameters, **fractions}, sizes)


def _tensor(value: np.ndarray) -> torch.Tensor:
    return torch.as_tensor(np.asarray(value, dtype=float))[None]


def _width(question: Question, instance: Instance, name: str, value: torch.Tensor) -> torch.Tensor:
    """Half of a parameter's range; half of a step size."""
    if name in instance.sizes:
        return value.abs() / 2
    box = question.scene.space(instance.shape)[name]
    return torch.full_like(value, (box.high - box.low) / 2)


def _inside(question: Question, instance: Instance, name: str, moved: torch.Tensor) -> torch.Tensor:
    if name in instance.sizes:
        return moved
    box = question.scene.space(instance.shape)[name]
    return moved if name == question.scene.room else moved.clamp(box.low, box.high)


def _at_worst(question: Question, values: Values) -> tuple[list[float | None], list[float | None]]:
    """Both sides at every position, at the entry of the further axes with the largest margin."""
    both = side_by_side(oriented(question.relation), values, "torch", POINTS)
    small, large = (
        np.asarray(side.detach() if isinstance(side, torch.Tensor) else side, dtype=float) for side in both
    )
    gap = abs(small - large) if isinstance(question.relation, sp.Eq) else small - large
    worst = np.nan_to_num(gap, nan=-np.inf).argmax(axis=1, keepdims=True)
    return _finite(np.take_along_axis(small, worst, 1)), _finite(np.take_along_axis(large, worst, 1))


def _finite(column: np.ndarray) -> list[float | None]:
    return [float(x) if np.isfinite(x) else None for x in column[:, 0]]
