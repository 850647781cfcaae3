"""Scenes with abstract vectors and folded instances, so that a proof covers every dimension and size.

A scene is computed in one dimension, where each entry of a vector parameter is a `Vector` instead of a number. The product
of two vectors is their inner product (`Inner`); no other operation turns vectors into a number. A scene with other
operations, such as a curvature for each coordinate, has no abstract variant. Random instances in two and three dimensions
must agree with the formulas in inner products.

An instance of many clients may be folded to one of a single client with the same quantities (`Fold`). A relation that
holds between the quantities of all folded instances then holds at all sizes. Random instances of the listed sizes, and of
some beyond, must have the quantities of the folded ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from bounds.evaluate import evaluate
from verify.engine.model.box import Box
from verify.engine.model.expressions import computed, spelled_out, symbolic_values
from verify.engine.model.scene import Branching, Fold, Named, Scene, Shape, Values, quantities
from verify.engine.model.shapes import grown
from verify.engine.model.vectors import Inner, NoForm, Vector

EVERY_DIMENSION = "between vectors of any dimension"
DIMENSION = "d"
"""The size that counts coordinates."""
TRIED_IN = (2, 3)
"""Dimensions in which the formulas are compared with the computed quantities at random instances."""
POINTS, CLOSE = 2, 1e-9
_Instance: TypeAlias = tuple[int, Mapping[str, Any], Mapping[str, Any]]
ERRORS = (NoForm, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions of scenes that have no formula in inner products."""


@lru_cache(maxsize=1024)
def abstract(scene: Scene, names: frozenset[str]) -> Scene | None:
    """The scene with abstract vectors; None if a quantity in `names` is not a formula in their inner products."""
    if DIMENSION in names or not all(DIMENSION in shape for shape in scene.shapes):
        return None
    variant = _variant(scene)
    try:
        return variant if all(_alike(scene, variant, shape, names) for shape in variant.shapes) else None
    except ERRORS:
        return None


@lru_cache(maxsize=256)
def _variant(scene: Scene) -> Scene:
    """A scene with abstract vectors, not yet tested; cached, so that its facts share the computed quantities."""
    return scene.variant(
        f"{scene.name}, between abstract vectors",
        shapes=_without(scene.shapes, (DIMENSION,)),
        space=lambda shape: _marked(scene, shape),
        known=lambda shape, values: scene.known(_in(1, shape), values),
        compute=lambda shape, values: scene.compute(_in(1, shape), values),
    )


def proof_scenes(scene: Scene, relation: Relational, *besides: str) -> Iterator[tuple[Scene, str]]:
    """Scenes in which a relation may be proved, the most general first, each with the reason why it covers its sizes.

    Parameters
    ----------
    besides : names of quantities on which the proof rests beside those of the relation
    """
    names = frozenset({symbol.name for symbol in relation.free_symbols} | {*besides})
    small = folded(scene, names)
    for where in (small, scene):
        variant = None if where is None else abstract(where, names)
        if variant is not None:
            yield variant, EVERY_DIMENSION
    if small is not None:
        yield small, scene.covers
    yield scene, scene.covers


@lru_cache(maxsize=1024)
def folded(scene: Scene, names: frozenset[str]) -> Scene | None:
    """The scene at the sizes to which its instances are folded; None if random instances differ in a quantity in `names`."""
    fold = scene.folds
    if fold is None or names & fold.shape.keys():
        return None
    small = _folded(scene)
    shapes = [*scene.shapes, *grown(scene.shapes)]
    return small if all(_folds(scene, fold, shape, names) for shape in shapes) else None


@lru_cache(maxsize=256)
def _folded(scene: Scene) -> Scene:
    """Cached, so that its facts share the computed quantities."""
    assert scene.folds is not None
    sizes = scene.folds.shape
    return scene.variant(
        f"{scene.name}, folded",
        shapes=_without(scene.shapes, sizes.keys()),
        space=lambda shape: scene.space({**shape, **sizes}),
        known=lambda shape, values: scene.known({**shape, **sizes}, values),
        compute=lambda shape, values: scene.compute({**shape, **sizes}, values),
        folds=None,
    )


def _folds(scene: Scene, fold: Fold, shape: Shape, names: Iterable[str]) -> bool:
    """Whether folded instances have the same quantities as the original ones."""
    rng = np.random.default_rng(0)
    for _ in range(POINTS):
        parameters = {name: _random_values(box, rng) for name, box in scene.space(shape).items()}
        small = {**parameters, **fold.parameters(shape, parameters)}
        sizes = {**shape, **fold.shape}
        if not all(_within(small[name], box) for name, box in scene.space(sizes).items()):
            return False
        one, other = (
            quantities(scene, at, of, {name: of[name] for name in scene.steps})
            for at, of in ((shape, parameters), (sizes, small))
        )
        if not all(_close(one[name], other[name]) for name in names if name in one):
            return False
    return True


def _within(value: np.ndarray, box: Box) -> bool:
    """Whether an array has the shape of a range and the sign that a proof assumes for it."""
    signed = np.all(value > 0) if box.low > 0 else np.all(value >= 0) if box.low == 0 else True
    return value.shape == (1, *box.shape) and bool(signed)


def _close(one: Any, other: Any) -> bool:
    """Whether two arrays are equal up to rounding."""
    one, other = (np.asarray(side, dtype=float) for side in (one, other))
    return one.shape == other.shape and bool(np.all(np.abs(one - other) <= CLOSE * (1 + np.abs(one))))


def _without(shapes: Iterable[Shape], names: Collection[str]) -> tuple[Shape, ...]:
    """Shapes without some of their sizes, without duplicates."""
    kept = ({name: size for name, size in shape.items() if name not in names} for shape in shapes)
    return tuple({tuple(sorted(shape.items())): shape for shape in kept}.values())


def _in(dimension: int, shape: Shape) -> Shape:
    return {**shape, DIMENSION: dimension}


def _marked(scene: Scene, shape: Shape) -> dict[str, Box]:
    """Ranges in one dimension; ranges with an axis of coordinates are marked as vectors.

    Raises
    ------
    NoForm
        If a range depends on the dimension in another way than by a last axis.
    """
    one, two = (scene.space(_in(dimension, shape)) for dimension in (1, 2))
    found = dict[str, Box]()
    for name, box in one.items():
        wide = two[name].shape
        vectors = box.shape[-1:] == (1,) and wide == (*box.shape[:-1], 2)
        if not vectors and wide != box.shape:
            raise NoForm(f"{name} is neither a vector nor independent of the dimension")
        found[name] = replace(box, vectors=vectors)
    return found


# ------------------------------------------------------------------------------------ what a scene computes


def _alike(scene: Scene, variant: Scene, shape: Shape, names: Iterable[str]) -> bool:
    """Whether random instances in several dimensions agree with the formulas of an abstract variant."""
    sizes = frozenset(shape.items())
    instances = _instances(scene, variant, sizes)
    return bool(instances) and all(
        _agree(_forms_at(scene, variant, sizes, instance[2]), names, instance) for instance in instances
    )


def _agree(forms: Values, names: Iterable[str], instance: _Instance) -> bool:
    """Whether formulas of these quantities have their values at an instance."""
    dimension, values, point = instance
    return bool(forms) and all(
        _same(forms[name], values[name], point, dimension) for name in names if name in forms
    )


def _forms_at(scene: Scene, variant: Scene, sizes: frozenset[tuple[str, int]], point: Named) -> Values:
    """Quantities of an abstract variant; in a branching scene, on the branch that an instance takes."""
    if not isinstance(scene.compute, Branching):
        return _forms(variant, sizes)
    answer = lambda asked: bool(asked.func(*(sp.Float(_at(side, point)) for side in asked.args)))  # noqa: E731
    return symbolic_values(variant, dict(sizes), answer)


@lru_cache(maxsize=256)
def _forms(variant: Scene, shape: frozenset[tuple[str, int]]) -> Values:
    """Quantities of an abstract variant; none if they are not formulas in inner products."""
    try:
        return computed(variant, shape)
    except ERRORS:
        return {}


@lru_cache(maxsize=64)
def _instances(scene: Scene, variant: Scene, shape: frozenset[tuple[str, int]]) -> tuple[_Instance, ...]:
    """Random instances: the dimension, the quantities, and numbers and vectors by symbol name; none if one is undefined."""
    rng = np.random.default_rng(0)

    def instance(dimension: int) -> _Instance:
        sized = _in(dimension, dict(shape))
        parameters = {n: _random_values(box, rng) for n, box in scene.space(sized).items()}
        values = quantities(scene, sized, parameters, {name: parameters[name] for name in scene.steps})
        return dimension, values, _entries(parameters, variant.space(dict(shape)))

    try:
        return tuple(instance(dimension) for dimension in TRIED_IN for _ in range(POINTS))
    except ERRORS:
        return ()


def _random_values(box: Box, rng: np.random.Generator) -> np.ndarray:
    size = (1, *box.shape)
    return rng.choice(np.array(box.levels), size) if box.levels else rng.uniform(box.low, box.high, size)


def _entries(parameters: Named, boxes: Mapping[str, Box]) -> dict[str, Any]:
    """Numbers and vectors by the names of their symbols."""
    found = dict[str, Any]()
    for name, box in boxes.items():
        outer = box.shape[:-1] if box.vectors else box.shape
        for index in np.ndindex(outer):
            place = (*index, 0) if box.vectors else index
            label = f"{name}[{','.join(map(str, place))}]" if box.shape else name
            found[label] = parameters[name][(0, *index)]
    return found


@np.errstate(all="ignore")
def _same(form: Any, value: Any, point: Mapping[str, Any], dimension: int) -> bool:
    """Whether an array of forms has, at a point, the values of an array of numbers."""
    forms, values = np.asarray(form, dtype=object), np.asarray(value)
    if any(isinstance(entry, Vector) for entry in forms.ravel()):
        forms = np.broadcast_to(forms, (*values.shape[:-1], 1))
        found = np.array([_at(entry, point) + np.zeros(dimension) for entry in forms.ravel()])
    else:
        if forms.size != values.size:
            return False
        found = np.array([_at(entry, point) for entry in forms.ravel()])
    return _close(found.ravel(), values.ravel())


def _at(entry: Any, point: Mapping[str, Any]) -> Any:
    """The number, or the coordinates, of a formula at a point."""
    if isinstance(entry, Vector):
        return sum(_at(weight, point) * point[name] for name, weight in entry.terms.items())
    formula = _spelled_out(sp.sympify(entry))
    numbers = {}
    for symbol in formula.free_symbols:
        inner = isinstance(symbol, Inner)
        numbers[symbol.name] = float(
            np.dot(*(_at(end, point) for end in symbol.ends)) if inner else point[symbol.name]
        )
    return float(evaluate(formula, numbers))


_spelled_out = lru_cache(maxsize=4096)(spelled_out)
"""Cached, because a formula is evaluated at several instances."""


__all__ = ["abstract", "folded", "proof_scenes"]
