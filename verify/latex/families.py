"""Claims about families of vectors x_1, ..., x_N: sums over the members, computed from their mean and the deviations from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import sympy as sp

from nqm.fields import dot
from verify.engine.model.scene import Box, Scene
from verify.facts.vectors import cauchy_schwarz
from verify.latex.heads import Inner, Norm
from verify.latex.vectors import LARGEST, Unjudged, each_side, in_numbers

SIZES = tuple({"d": d, "members": n} for n, d in product((1, 2, 3), (1, 2)))
"""Dimensions `d` and numbers of members at which the search draws vectors."""


class _Families:
    """Symbols for the mean and the deviation of each family, and symbols for their inner products.

    A member is written x_i = m_x + d_i, where m_x is the mean over all members. The deviations d_i sum to 0. Hence the
    average of <v, d_i> is 0 for every vector v that does not depend on i, and

        sum_i <x_i, y_i> = N (<m_x, m_y> + average of <d_i, e_i>)

    where e_i are the deviations of y. Every sum of inner products is therefore N times a linear combination of
    inner products of fixed vectors and averaged inner products of deviations. `entries` holds one symbol for each.
    If the means cancel in a claim, the averages of <x_i, y_i> themselves (`whole`) suffice and give simpler proofs.
    """

    def __init__(self, free: Sequence[sp.Symbol], bases: Sequence[sp.IndexedBase]) -> None:
        self.free = tuple(free)
        self.means = {base: sp.Symbol(f"{base.label.name}_mean") for base in bases}
        self.deviations = {base: sp.Symbol(f"{base.label.name}_dev") for base in bases}
        self.fixed = (*self.free, *self.means.values())
        self.entries = {
            frozenset((a, b)): sp.Symbol(
                f"{a.name}_{b.name}", **({"nonnegative": True} if a == b else {"real": True})
            )
            for group in (self.fixed, tuple(self.deviations.values()))
            for a, b in combinations_with_replacement(group, 2)
        }
        self.whole = {
            entry: sp.Symbol(entry.name.replace("_dev", ""), **entry.assumptions0)
            for pair, entry in self.entries.items()
            if pair <= set(self.deviations.values())
        }
        self.size: sp.Symbol | None = None

    def gram(self, one: Any, other: Any) -> Any:
        """The symbol of an inner product; 0 for a deviation with a vector that does not depend on the member."""
        return self.entries.get(frozenset((one, other)), 0)

    def with_whole(self, value: Any) -> Any:
        """The expression with averaged inner products of deviations replaced by those of the members."""
        members = {deviation: self.means[base] for base, deviation in self.deviations.items()}
        means = {
            entry: self.gram(*(members[one] for one in (*pair, *pair)[:2]))
            for pair, entry in self.entries.items()
            if entry in self.whole
        }
        return sp.expand(value.xreplace({d: self.whole[d] - mean for d, mean in means.items()}))

    def total(self, total: sp.Sum) -> Any:
        """The value of a sum over all members: a vector, or a number in the symbols of `entries`.

        Raises
        ------
        Unjudged
            If the sum does not run over all members from 1 on, has weights, or is not linear in squared norms and
            inner products.
        """
        (index, low, high), *more = total.limits
        if more or low != 1 or not high.is_Symbol or self.size not in {None, high}:
            raise Unjudged(
                f"the sum {total} must run from 1 to the number of members, as every other sum of the lemma"
            )
        self.size = high
        members = {one: one.base for one in total.function.atoms(sp.Indexed)}
        if any(one.indices != (index,) or one.base not in self.means for one in members):
            raise Unjudged(
                f"the sum {total} contains entries that are not members x_i of families of vectors"
            )
        inside = total.function.xreplace(
            {one: self.means[base] + self.deviations[base] for one, base in members.items()}
        )
        if index in inside.free_symbols:
            raise Unjudged(f"the sum {total} has weights; only sums with equal weights are supported")
        if not inside.has(Norm, Inner):
            return high * inside.xreplace(dict.fromkeys(self.deviations.values(), sp.S.Zero))
        found = sp.expand(in_numbers(inside, self.gram, (*self.fixed, *self.deviations.values())))
        entries = sorted(found.free_symbols & set(self.entries.values()), key=str)
        if not found.is_polynomial(*entries) or (entries and sp.Poly(found, *entries).total_degree() > 1):
            raise Unjudged(
                f"the sum {total} must be linear in squared norms and inner products of the members"
            )
        return high * found


def with_definitions(parts: Sequence[Any], vectors: frozenset[str]) -> list[Any]:
    """Substitute definitions of vectors such as ``x_bar = 1/N sum x_i`` into a claim and its other conditions.

    Parameters
    ----------
    parts : sequence of Relational
        The claim, then its conditions. Definitions are removed from the result.
    vectors : set of str
        Names of vectors.
    """
    rules = {
        part.lhs: part.rhs
        for part in parts[1:]
        if isinstance(part, sp.Eq)
        and part.lhs.is_Symbol
        and part.lhs.name in vectors
        and part.lhs not in part.rhs.free_symbols
    }
    kept = [part for part in parts if not (isinstance(part, sp.Eq) and part.lhs in rules)]
    for _ in rules:  # one pass for each definition, as a definition may use another one
        kept = [each_side(part, lambda side: side.xreplace(rules)) for part in kept]
    return kept


def families_of_vectors(
    parts: Sequence[Any],
    free: Sequence[sp.Symbol],
    bases: Sequence[sp.IndexedBase],
    numbers: Sequence[sp.Symbol],
) -> tuple[list[Any], Scene]:
    """Relations between sums over families of vectors as relations between numbers, and the scene of these numbers.

    Parameters
    ----------
    parts : sequence of Relational
        The claim, then its conditions.
    free, bases : sequences of symbols
        Vectors without an index, and families of vectors.
    numbers : sequence of symbols
        All other symbols.

    Returns
    -------
    (list of Relational, Scene)
        The relations between inner products, and a scene that computes these from random vectors.

    Raises
    ------
    Unjudged
        If there are too many vectors, a single member occurs, or a sum does not have equal weights.
    """
    if len(free) + len(bases) > LARGEST:
        raise Unjudged(
            f"the lemma has {len(free) + len(bases)} vectors and families; at most {LARGEST} are supported"
        )
    known = _Families(free, bases)
    found = []
    for part in parts:
        summed = each_side(part, lambda side: side.replace(lambda one: isinstance(one, sp.Sum), known.total))
        if summed.atoms(sp.Indexed):
            raise Unjudged(f"{part} contains a single member; only sums over all members are supported")
        found.append(in_numbers(summed, known.gram, known.fixed))
    size = known.size
    if size is None or {one for one in numbers if one.is_integer} != {size}:
        raise Unjudged(
            "the lemma has vectors and a whole number that is not the number of members; write it in Python with a scene of your own"
        )
    whole = [each_side(part, known.with_whole) for part in found]
    if not {one for part in whole for one in part.free_symbols} & set(known.entries.values()):
        found = whole
    return found, _scene(known, size, [one for one in numbers if one != size])


def _scene(known: _Families, size: sp.Symbol, numbers: Sequence[sp.Symbol]) -> Scene:
    """The scene that draws vectors and families and computes all their inner products.

    The Cauchy-Schwarz inequality of every pair is a textbook lemma of the scene.
    """
    names = [entry.name for entry in (*known.entries.values(), *known.whole.values())]
    name = {deviation: base.label.name for base, deviation in known.deviations.items()}
    taken = {symbol.name for symbol in (*numbers, size)} & {*names, "d"}
    if taken or len(set(names)) < len(names):
        raise Unjudged(
            f"the name {min(taken or names)} is also the name of an inner product; rename this symbol"
        )

    def compute(shape: Mapping[str, int], values: Mapping[str, Any]) -> dict[str, Any]:
        count = shape[size.name]
        vectors = {vector: values[vector.name] for vector in known.free}
        for base, mean in known.means.items():
            members = values[base.label.name]
            vectors[mean] = members.sum(-2) / count
            vectors[known.deviations[base]] = members - vectors[mean][..., None, :]
        deviations = set(known.deviations.values())
        found = {}
        for pair, entry in known.entries.items():
            one, other = (*pair, *pair)[:2]
            products = dot(vectors[one], vectors[other])
            found[entry.name] = products.sum(-1) / count if pair <= deviations else products
        for pair, entry in known.entries.items():
            if pair <= deviations:
                one, other = (values[name[deviation]] for deviation in (*pair, *pair)[:2])
                found[known.whole[entry].name] = dot(one, other).sum(-1) / count
        return found

    def space(shape: Mapping[str, int]) -> Mapping[str, Box]:
        boxes = {vector.name: Box(-2, 2, (shape["d"],)) for vector in known.free}
        boxes |= {base.label.name: Box(-2, 2, (shape[size.name], shape["d"])) for base in known.means}
        return boxes | {one.name: Box(0 if one.is_nonnegative else -3, 3) for one in numbers}

    triples = [
        (entry, *(known.entries[frozenset((one,))] for one in pair))
        for pair, entry in known.entries.items()
        if len(pair) == 2
    ]
    triples += [tuple(known.whole[one] for one in each) for each in triples if each[0] in known.whole]
    facts = tuple(cauchy_schwarz(*each) for each in triples)
    return Scene(
        f"families of vectors {', '.join(base.label.name for base in known.means)}",
        tuple({"d": one["d"], size.name: one["members"]} for one in SIZES),
        space,
        compute,
        grows=("d", size.name),
        textbook=facts,
    )
