"""Scenes of a user's first-order method, written as a Python function, over all functions of a class."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from nqm.fields import lower
from verify.engine.checks.kinds import of_kind
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.scene import Box, Condition, Named, Scene, Shape, Values
from verify.engine.verdict import Finding
from verify.first_order.check import WORST_CASE, decide
from verify.first_order.forms import Form, form, number
from verify.first_order.picture import worst_function
from verify.first_order.problem import Problem

Method = Callable[..., Mapping[str, Form]]
"""``method(problem, **numbers)`` runs a method with the oracles of a problem and returns quantities of the run by name."""
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

    def traced(
        self, shape: Shape, point: Mapping[str, Any], steps: tuple[Any, ...] = ()
    ) -> tuple[Problem, dict[str, Form]]:
        """Run the method and return the problem and the quantities.

        Parameters
        ----------
        shape, point : mappings
            Sizes and parameters.
        steps : tuple of numbers
            Steps of exact line searches, if they are given.

        Raises
        ------
        TypeError, ValueError
            If the method does not return a mapping from names to forms, or a name is used twice.
        """
        problem = Problem(steps=steps)
        given = {name: shape[name] for name in self.sizes}
        found = self.method(problem, **given, **point)
        if not isinstance(found, Mapping):
            raise TypeError(
                f"`{self.method.__name__}` must return a mapping from names to quantities, got {type(found).__name__}; write return {{'gap': ...}}"
            )
        clash = {*problem.vectors, *problem.scalars} & {*found, *given, *point}
        if clash:
            raise ValueError(
                f"points, quantities and parameters must have different names, got {sorted(clash)} twice; rename one of each"
            )
        return problem, {name: form(value) for name, value in found.items()}


def worst_case(method: Method, multipliers: Mapping[str, sp.Expr] | None = None, **ranges: Any) -> Scene:
    """Scene of a method on all functions or operators of some classes, in every dimension.

    Claims about its quantities are decided at rational values of the parameters: proved by an exact certificate, or refuted
    by a member of the class with rational data.

    Parameters
    ----------
    method : callable
        ``method(problem, **numbers)`` gets points and oracles from `problem`, runs, and returns its quantities by name.
        Quantities are linear in inner products and function values. Step sizes and constants are exact numbers.
    multipliers : mapping, optional
        Known multipliers of a proof for all parameters, by the names of the inequalities (``"f: *, 1"``). They are tried
        first, and verified like all others.
    **ranges
        A range for every argument of the method except the first: a tuple of whole numbers for a size (``t=(1, 2, 3)``), a
        `Box` for a parameter (``eta=Box(0, 2)``), or one number.

    Raises
    ------
    ValueError
        If the arguments of the method and the ranges differ, or a range has the wrong type.

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
    study = study_of(method, ranges, multipliers)
    sizes, boxes = study.sizes, study.boxes
    traces = {tuple(shape.items()): study.traced(shape, lowest(boxes)) for shape in study.shapes}
    balanced = any(problem.equations or problem.deviations for problem, _ in traces.values())

    # The method is traced once for each size: the names of its vectors and scalars do not depend on the parameters.
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
        judged=partial(decide, study),
        sketched=partial(worst_function, study),
        told=WORDS if balanced else {},
    )


def with_axes(scene: Scene, conditions: Sequence[Condition]) -> Scene:
    """The scene with lengths of the axes, if it was made by `worst_case` and conditions equate measured quantities.

    Rounded coordinates meet such an equation only along axes of any squared lengths. Other scenes are returned unchanged.
    """
    if not isinstance(scene.judged, partial) or scene.judged.func is not decide:
        return scene
    given = {*scene.shapes[0], *scene.space(scene.shapes[0])}
    equated = [
        c for c in conditions if isinstance(c, sp.Eq) and not {s.name for s in c.free_symbols} <= given
    ]
    if not equated or "axes" in given:
        return scene
    return replace(
        scene, space=lambda shape: {**scene.space(shape), "axes": Box(0, LARGEST, (shape["d"],))}, told=WORDS
    )


def study_of(
    method: Method, ranges: Mapping[str, Any], multipliers: Mapping[str, sp.Expr] | None = None
) -> Study:
    """A method with the ranges of its arguments, which `worst_case` documents."""
    wanted = list(inspect.signature(method).parameters)[1:]
    if set(wanted) != set(ranges):
        raise ValueError(
            f"`ranges` must name the arguments of `{method.__name__}` after the first, {', '.join(wanted) or 'none'}; "
            f"got {', '.join(ranges) or 'none'}; add or remove ranges"
        )
    sizes = {name: value for name, value in ranges.items() if isinstance(value, tuple)}
    for name, value in sizes.items():
        if not value or not all(isinstance(n, int) and n >= 0 for n in value):
            raise ValueError(
                f"`{name}` must be a nonempty tuple of whole numbers >= 0, or a Box, got {value!r}; write for instance (1, 2)"
            )
    boxes = {name: _box(name, value) for name, value in ranges.items() if name not in sizes}
    return Study(method, sizes, boxes, {name: sp.sympify(w) for name, w in (multipliers or {}).items()})


@of_kind(WORST_CASE)
def decided(claim: Claim, budget: Budget, seed: int) -> Finding:
    """The check of claims in scenes of methods; it calls the decision procedure of the scene.

    Raises
    ------
    TypeError
        If the scene of the claim was not made by `worst_case` or `every_round`.
    """
    if claim.scene is None or claim.scene.judged is None:
        raise TypeError(
            f"{claim.statement.id}: `scene` must be made by `worst_case` or `every_round`, got {claim.scene}; use another check for it"
        )
    found: Finding = claim.scene.judged(claim, budget, seed)
    return found


def _n_steps(problem: Problem) -> int:
    """Number of steps of all line searches of a run."""
    return sum(len(directions) for *_, directions in problem.searches)


def _box(name: str, value: Any) -> Box:
    """The range of a parameter; one number becomes a range with equal ends."""
    if isinstance(value, Box):
        return value
    try:
        exact = number(value)
    except ValueError:
        exact = value
    if not isinstance(exact, Fraction):
        raise ValueError(
            f"`{name}` must be a tuple of whole numbers, a Box or a rational number, got {value!r}; write for instance Box(0, 2)"
        )
    return Box(exact, exact)  # type: ignore[arg-type]


def lowest(boxes: Mapping[str, Box]) -> dict[str, Fraction]:
    """One value of each parameter, in the interior of its range: methods may be degenerate at the ends."""
    return {
        name: low if low == (high := box.ends[1]) else low + (high - low) * Fraction(7, 19)
        for name, box in boxes.items()
        for low in [box.ends[0]]
    }


def _computed(study: Study, shape: Shape, values: Named) -> Values:
    """Values of all quantities of instances.

    `interpolated` holds the slacks of all inequalities, which must be nonnegative for the answers to come from members of the
    classes. `balanced` holds the forms that must be 0.
    """
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
    kind = float if any(np.asarray(value).dtype.kind == "f" for value in values.values()) else object
    return {name: _array([row[name] for row in rows], kind) for name in rows[0]}


def _fraction(x: Any) -> Fraction:
    """A number of any arithmetic as a fraction; an interval is represented by its lower end."""
    return x if isinstance(x, Fraction) else Fraction(float(lower(x)))


def _array(rows: Sequence[Any], kind: type) -> np.ndarray:
    shape = (len(rows), *((len(rows[0]),) if isinstance(rows[0], list) else ()))
    found = np.empty(shape, dtype=kind)
    for k, row in enumerate(rows):
        found[k] = row
    return found


def _value(coordinates: Mapping[str, Any], axes: Sequence[Any], quantity: Form) -> Any:
    """Value of a form at coordinates along orthogonal axes with squared lengths `axes`."""
    total: Any = Fraction(0)
    for key, coefficient in quantity.terms.items():
        if len(key) == 2:
            u, v = coordinates[key[0]], coordinates[key[1]]
            total = total + coefficient * sum(w * a * b for w, a, b in zip(axes, u, v, strict=True))
        else:
            total = total + coefficient * (coordinates[key[0]] if key else 1)
    return total
