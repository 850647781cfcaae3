"""Scenes of a first-order method of one's own, written as a Python function, over a whole class of functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from nqm.fields import lower
from verify.engine.claim import Budget, Claim
from verify.engine.scene import Box, Named, Scene, Shape, Values
from verify.engine.verdict import Finding
from verify.first_order.check import decide
from verify.first_order.forms import Form, form, number
from verify.first_order.picture import worst_function
from verify.first_order.problem import Problem

Method = Callable[..., Mapping[str, Form]]
"""``method(problem, **numbers)`` runs a method with the oracles of a problem and names the quantities of the run."""
LARGEST = 10**9
"""Range of coordinates and values of a counterexample."""
WORDS = {
    "axes": "squared lengths of the orthogonal axes of the coordinates",
    "searched": "steps that the exact line searches find",
}
INTERPOLATED, BALANCED = sp.Symbol("interpolated", real=True), sp.Symbol("balanced", real=True)


@dataclass(frozen=True)
class Study:
    """A method, the sizes at which it is run, and the ranges of its parameters."""

    method: Method
    sizes: Mapping[str, tuple[int, ...]]
    boxes: Mapping[str, Box]
    multipliers: Mapping[str, sp.Expr] = field(default_factory=dict)

    @property
    def shapes(self) -> list[dict[str, int]]:
        return [dict(zip(self.sizes, each, strict=True)) for each in product(*self.sizes.values())]

    def worst_case(self, claim: Claim, budget: Budget, seed: int) -> Finding:
        """The check of claims about the method."""
        return decide(self, claim, budget, seed)

    def traced(
        self, shape: Shape, point: Mapping[str, Any], steps: tuple[Any, ...] = ()
    ) -> tuple[Problem, dict[str, Form]]:
        """The run at these sizes and numbers, with these steps of line searches if they are given, and its quantities.

        Raises
        ------
        TypeError, ValueError
            If the method returns no mapping from names to forms.
        """
        problem = Problem(steps=steps)
        given = {name: shape[name] for name in self.sizes}
        found = self.method(problem, **given, **point)
        if not isinstance(found, Mapping):
            raise TypeError(
                f"`{self.method.__name__}` must return a mapping from names to quantities, got {type(found).__name__}"
            )
        clash = {*problem.vectors, *problem.scalars} & {*found, *given, *point}
        if clash:
            raise ValueError(f"points and quantities must have different names, got {sorted(clash)} for both")
        return problem, {name: form(value) for name, value in found.items()}


def worst_case(method: Method, multipliers: Mapping[str, sp.Expr] | None = None, **ranges: Any) -> Scene:
    """Scene of a method that is run on all functions or operators of some classes, in every dimension.

    Claims about its quantities are decided at rational numbers: proved by an exact certificate, or refuted by a member
    of the class with rational data.

    Parameters
    ----------
    method : callable
        ``method(problem, **numbers)`` asks `problem` for points and oracles, runs, and returns its quantities by name:
        numbers that are linear in inner products and function values. Step sizes and constants are exact numbers.
    multipliers : mapping, optional
        Multipliers of a proof for all parameters, by the names of the inequalities (``"f: *, 1"``), where they are known.
        They are tried first, and verified like all others.
    **ranges
        Every argument of the method beside the first: a tuple of whole numbers for a size (``t=(1, 2, 3)``), a `Box` for a
        parameter (``eta=Box(0, 2)``), or one number.

    Raises
    ------
    ValueError
        If the arguments of the method and the ranges differ, or a range is none.

    Examples
    --------
    >>> from verify.first_order import smooth_convex, worst_case
    >>> def descent(problem, t, eta):
    ...     f, x = problem.function(smooth_convex(1)), problem.point("x0")
    ...     for _ in range(t):
    ...         x = x - eta * f.gradient(x)
    ...     return {"gap": f(x) - f(f.minimiser())}
    >>> worst_case(descent, t=(1, 2), eta=Box(0, 2)).shapes
    ({'t': 1, 'd': 1}, {'t': 2, 'd': 1})
    """
    wanted = list(inspect.signature(method).parameters)[1:]
    if set(wanted) != set(ranges):
        raise ValueError(
            f"`{method.__name__}` takes {', '.join(wanted) or 'no numbers'} beside the problem; ranges are given for "
            f"{', '.join(ranges) or 'none'}"
        )
    sizes = {name: value for name, value in ranges.items() if isinstance(value, tuple)}
    for name, value in sizes.items():
        if not value or not all(isinstance(n, int) and n >= 0 for n in value):
            raise ValueError(f"`{name}` must be a tuple of whole numbers >= 0, or a Box, got {value!r}")
    boxes = {name: _box(name, value) for name, value in ranges.items() if name not in sizes}
    study = Study(method, sizes, boxes, multipliers or {})
    traces = {tuple(shape.items()): study.traced(shape, lowest(boxes)) for shape in study.shapes}
    balanced = any(problem.equations or problem.deviations for problem, _ in traces.values())

    def space(shape: Shape) -> Mapping[str, Box]:
        problem = traces[tuple((n, shape[n]) for n in sizes)][0]
        steps = _n_steps(problem)
        if steps:
            problem, _ = study.traced(shape, lowest(boxes), (Fraction(1),) * steps)
        coordinates = Box(-LARGEST, LARGEST, (shape["d"],))
        return {
            **boxes,
            **dict.fromkeys(problem.vectors, coordinates),
            **dict.fromkeys(problem.scalars, Box(-LARGEST, LARGEST)),
            **({"axes": Box(0, LARGEST, (shape["d"],))} if balanced else {}),
            **({"searched": Box(-LARGEST, LARGEST, (steps,))} if steps else {}),
        }

    return Scene(
        name=f"worst cases of {method.__name__}",
        shapes=tuple({**shape, "d": 1} for shape in study.shapes),
        space=space,
        compute=partial(_computed, study),
        requires=(INTERPOLATED >= 0, *((sp.Eq(BALANCED, 0),) if balanced else ())),
        judged=study.worst_case,
        sketched=partial(worst_function, study),
        told=WORDS if balanced else {},
    )


def decided(claim: Claim, budget: Budget, seed: int) -> Finding:
    """The check of claims in scenes of methods: each scene decides the relations between its quantities.

    Raises
    ------
    TypeError
        If the scene of the claim is none of a method.
    """
    if claim.scene is None or claim.scene.judged is None:
        raise TypeError(
            f"{claim.statement.id}: `scene` must be made by `worst_case` or `every_round`, got {claim.scene}"
        )
    found: Finding = claim.scene.judged(claim, budget, seed)
    return found


def _n_steps(problem: Problem) -> int:
    """Number of steps of all line searches of a run."""
    return sum(len(directions) for *_, directions in problem.searches)


def _box(name: str, value: Any) -> Box:
    if isinstance(value, Box):
        return value
    try:
        exact = number(value)
    except ValueError:
        exact = value
    if not isinstance(exact, Fraction):
        raise ValueError(
            f"`{name}` must be a tuple of whole numbers, a Box or a rational number, got {value!r}"
        )
    return Box(exact, exact)  # type: ignore[arg-type]


def lowest(boxes: Mapping[str, Box]) -> dict[str, Fraction]:
    """Some value of each parameter, off the ends of its range, which may be degenerate."""
    return {
        name: low if low == (high := box.ends[1]) else low + (high - low) * Fraction(7, 19)
        for name, box in boxes.items()
        for low in [box.ends[0]]
    }


def _computed(study: Study, shape: Shape, values: Named) -> Values:
    """Quantities of instances, whether their answers belong to a member of each class, and what must vanish."""
    batch = len(next(iter(values[name] for name in values if np.ndim(values[name]))))
    rows = []
    for k in range(batch):
        point = {name: _fraction(np.asarray(values[name]).reshape(-1)[k]) for name in study.boxes}
        steps = tuple(map(_fraction, values["searched"][k])) if "searched" in values else ()
        problem, found = study.traced(shape, point, steps)
        one = {n: values[n][k] for n in (*problem.vectors, *problem.scalars)}
        axes = values["axes"][k] if "axes" in values else [1] * shape["d"]
        at = partial(_value, one, axes)
        rows.append(
            {
                **{name: at(quantity) for name, quantity in found.items()},
                INTERPOLATED.name: [at(slack) for _, slack in problem.inequalities] or [Fraction(0)],
                BALANCED.name: [at(slack) for _, slack in (*problem.equations, *problem.orthogonal)]
                or [Fraction(0)],
            }
        )
    kind = float if all(isinstance(x, float) for row in rows for x in row[INTERPOLATED.name]) else object
    return {name: _array([row[name] for row in rows], kind) for name in rows[0]}


def _fraction(x: Any) -> Fraction:
    """A number of any kind that is one point."""
    return x if isinstance(x, Fraction) else Fraction(float(lower(x)))


def _array(rows: Sequence[Any], kind: type) -> np.ndarray:
    shape = (len(rows), *((len(rows[0]),) if isinstance(rows[0], list) else ()))
    found = np.empty(shape, dtype=kind)
    for k, row in enumerate(rows):
        found[k] = row
    return found


def _value(coordinates: Mapping[str, Any], axes: Sequence[Any], quantity: Form) -> Any:
    total: Any = Fraction(0)
    for key, coefficient in quantity.terms.items():
        if len(key) == 2:
            u, v = coordinates[key[0]], coordinates[key[1]]
            total = total + coefficient * sum(w * a * b for w, a, b in zip(axes, u, v, strict=True))
        else:
            total = total + coefficient * (coordinates[key[0]] if key else 1)
    return total
