"""Claims about vectors as claims about numbers: norms and inner products are replaced by entries of a Gram matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement
from typing import Any

import sympy as sp

import verify.quantities as q
from nqm.fields import dot
from verify.engine.model.scene import Box, Scene
from verify.facts.vectors import cauchy_schwarz
from verify.latex.heads import Grad, Inner, Loss, Norm
from verify.running import points
from verify.worlds import Family, convex, smooth, strongly_convex

Gram = Callable[[Any, Any], Any]
LARGEST = 4
"""Largest number of vectors of a claim."""


class Unjudged(Exception):
    """Raised for a claim that was read but that no scene can judge; the message names what is missing."""


def in_numbers(value: Any, gram: Gram, basis: Sequence[Any]) -> Any:
    """Replace norms and inner products by inner products of basis vectors.

    Parameters
    ----------
    value : expression or Relational
    gram : callable
        Returns the symbol of the inner product of two basis vectors.
    basis : sequence of symbols
        Vectors of which all others are linear combinations.

    Raises
    ------
    Unjudged
        If a norm is not Euclidean, or a vector is no combination of the basis.
    """

    def bilinear(one: Any, other: Any) -> Any:
        left, right = (_coordinates(each, basis) for each in (one, other))
        return sp.expand(sum(left[a] * right[b] * gram(a, b) for a in basis for b in basis))

    def norm(vector: Any, *which: Any) -> Any:
        if which:
            raise Unjudged(f"the norm with subscript {which[0]} is not supported; only the Euclidean norm is")
        return sp.sqrt(bilinear(vector, vector))

    def numeric(one: Any) -> Any:
        return one.replace(Norm, norm).replace(Inner, bilinear)

    return each_side(value, numeric) if isinstance(value, sp.Rel) else numeric(value)


def each_side(relation: Any, changed: Callable[[Any], Any]) -> Any:
    """Apply a function to both sides of a relation. SymPy must not evaluate the result: it would replace it by True or False."""
    return relation.func(*map(changed, relation.args), evaluate=False)


def _coordinates(vector: Any, basis: Sequence[Any]) -> dict[Any, Any]:
    """Coefficients of a vector in the basis; they must be free of basis vectors."""
    stand_in = {each: sp.Dummy() for each in basis}
    plain = sp.expand(vector.xreplace(stand_in))
    found = {each: plain.coeff(dummy) for each, dummy in stand_in.items()}
    rest = sp.expand(plain - sum(found[each] * stand_in[each] for each in basis))
    if rest != 0 or any(set(stand_in.values()) & part.free_symbols for part in found.values()):
        raise Unjudged(f"{vector} must be a linear combination of {', '.join(map(str, basis))}")
    return found


def free_vectors(
    relations: Sequence[Any], vectors: Sequence[sp.Symbol], numbers: Sequence[sp.Symbol]
) -> tuple[list[Any], Scene]:
    """Relations between inner products of arbitrary vectors, and the scene that computes these inner products.

    Parameters
    ----------
    relations : sequence of Relational
    vectors, numbers : sequences of symbols
        All symbols of the relations.

    Raises
    ------
    Unjudged
        If there are too many vectors, or a number has the name of an inner product.
    """
    if len(vectors) > LARGEST:
        raise Unjudged(f"the lemma has {len(vectors)} vectors; at most {LARGEST} are supported")
    entries = {
        frozenset((a, b)): sp.Symbol(
            f"{a.name}_{b.name}", **({"nonnegative": True} if a == b else {"real": True})
        )
        for a, b in combinations_with_replacement(vectors, 2)
    }
    taken = {symbol.name for symbol in numbers} & {entry.name for entry in entries.values()}
    if taken:
        raise Unjudged(
            f"the name {sorted(taken)[0]} is also the name of an inner product; rename this symbol"
        )

    def compute(shape: Any, values: Any) -> Any:
        return {
            f"{a.name}_{b.name}": dot(values[a.name], values[b.name])
            for a, b in combinations_with_replacement(vectors, 2)
        }

    def space(shape: Any) -> Any:
        return {vector.name: Box(-2, 2, (shape["d"],)) for vector in vectors} | {
            symbol.name: Box(0 if symbol.is_nonnegative else -3, 3) for symbol in numbers
        }

    facts = tuple(
        cauchy_schwarz(entries[frozenset((a, b))], entries[frozenset((a,))], entries[frozenset((b,))])
        for a, b in combinations_with_replacement(vectors, 2)
        if a != b
    )
    scene = Scene(
        f"free vectors {', '.join(vector.name for vector in vectors)}",
        tuple({"d": d} for d in (1, 2, 3)),
        space,
        compute,
        grows=("d",),
        textbook=facts,
    )
    return [
        in_numbers(relation, lambda a, b: entries[frozenset((a, b))], vectors) for relation in relations
    ], scene


def two_points(
    relations: Sequence[Any], vectors: Sequence[sp.Symbol], classes: dict[str, sp.Symbol | None]
) -> tuple[list[Any], Scene]:
    """Relations between values and gradients of one loss at two points, and the scene of such losses.

    Parameters
    ----------
    relations : sequence of Relational
    vectors : sequence of symbols
        The two points.
    classes : dict of str to symbol or None
        Classes of the loss with their constants.

    Raises
    ------
    Unjudged
        If the claim has another number of points or losses, depends on the origin, or states no class of the loss.

    Notes
    -----
    All quantities are inner products of three vectors: y - x and the gradients at x and y. The scene computes them under
    its own names, and `table` maps each pair of vectors to the scene's quantity.
    """
    losses = {atom.args[0] for relation in relations for atom in relation.atoms(Loss, Grad)}
    if (
        len(losses) != 1
        or len(vectors) != 2
        or any(len(atom.args) != 2 for one in relations for atom in one.atoms(Loss, Grad))
    ):
        raise Unjudged(
            f"the relation must have one loss, without data, at two points; it has {len(losses)} and {len(vectors)}; write it in Python with run(...) or worst_case(...)"
        )
    x, y = sorted(vectors, key=str)
    loss = losses.pop()
    if any(atom.args[1] not in (x, y) for one in relations for atom in one.atoms(Loss, Grad)):
        raise Unjudged(
            f"the loss is evaluated at another point than {x} and {y}; write it in Python with run(...) or worst_case(...)"
        )
    way, at_x, at_y = sp.Dummy("way"), Grad(loss, x), Grad(loss, y)
    table = {
        frozenset((way,)): q.apart2,
        frozenset((way, at_x)): q.slope_x,
        frozenset((way, at_y)): -q.slope_y,
        frozenset((at_x,)): q.grad2_x,
        frozenset((at_y,)): q.grad2_y,
        frozenset((at_x, at_y)): (q.grad2_x + q.grad2_y - q.turn2) / 2,
    }
    named = [one.xreplace({Loss(loss, x): q.f_x, Loss(loss, y): q.f_y}) for one in relations]
    shifted = [_shifted(one, x, y, way, (at_x, at_y)) for one in named]
    renamed = {
        symbol: target
        for symbol, target in ((classes.get("smooth"), q.L), (classes.get("strong"), q.mu))
        if symbol
    }
    found = [
        in_numbers(one, lambda a, b: table[frozenset((a, b))], (way, at_x, at_y)).xreplace(renamed)
        for one in shifted
    ]
    return found, points(family_of(classes))


def _shifted(relation: Any, x: Any, y: Any, way: Any, gradients: Sequence[Any]) -> Any:
    """Write the relation in terms of y - x; a remaining single point would make it depend on the origin."""
    keep = {gradient: sp.Dummy() for gradient in gradients}
    back = {dummy: gradient for gradient, dummy in keep.items()}
    moved = relation.xreplace(keep).subs(y, x + way)
    moved = moved.replace(
        lambda part: isinstance(part, Norm | Inner), lambda part: part.func(*map(sp.expand, part.args))
    )
    if x in moved.free_symbols:
        raise Unjudged(
            f"the relation must depend on the difference {y} - {x} only, but it contains {x} itself; write it in terms of the difference"
        )
    return moved.xreplace(back)


def family_of(classes: dict[str, sp.Symbol | None]) -> Family:
    """The family of random losses for the classes of a lemma.

    Raises
    ------
    Unjudged
        If the loss is not smooth; there are no random losses for other classes.
    """
    if "smooth" not in classes:
        raise Unjudged(
            "the class of the loss is missing; write for instance `Let $f$ be $L$-smooth and convex`"
        )
    if "strong" in classes:
        return strongly_convex()
    return convex() if "convex" in classes else smooth()
