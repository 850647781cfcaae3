"""Claims about families of vectors: sums over x_1, ..., x_N by the mean and the deviations from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import sympy as sp

from nqm.fields import dot
from verify.engine.scene import Box, Scene
from verify.facts.vectors import cauchy_schwarz
from verify.latex.heads import Inner, Norm
from verify.latex.vectors import LARGEST, Unjudged, each_side, in_numbers

SIZES = tuple({"d": d, "members": n} for n, d in product((1, 2, 3), (1, 2)))
"""Dimensions and numbers of members at which the search draws vectors."""


class _Families:
    """The letters that families of vectors are replaced by, and the Gram entries of these.

    The members x_i of a family are m_x + d_x: the mean over the members, and a deviation. Averaged over the members the
    inner product of a mean or another vector with a deviation is 0, so that a sum of inner products is N times
    <m_x, m_y> + mean of <d_x, d_y>. Where the means cancel, <x, y> averaged over the members is one entry.
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
        return self.entries.get(frozenset((one, other)), 0)

    def with_whole(self, value: Any) -> Any:
        """A number with averaged inner products of members in place of those of their deviations."""
        members = {deviation: self.means[base] for base, deviation in self.deviations.items()}
        means = {
            entry: self.gram(*(members[one] for one in (*pair, *pair)[:2]))
            for pair, entry in self.entries.items()
            if entry in self.whole
        }
        return sp.expand(value.xreplace({d: self.whole[d] - mean for d, mean in means.items()}))

    def total(self, total: sp.Sum) -> Any:
        """A sum over the members of numbers or vectors."""
        (index, low, high), *more = total.limits
        if more or low != 1 or not high.is_Symbol or self.size not in {None, high}:
            raise Unjudged(f"{total} is no sum over all members from 1 on, as the other sums are")
        self.size = high
        members = {one: one.base for one in total.function.atoms(sp.Indexed)}
        if any(one.indices != (index,) or one.base not in self.means for one in members):
            raise Unjudged(f"{total} speaks of other than the members of families of vectors")
        inside = total.function.xreplace(
            {one: self.means[base] + self.deviations[base] for one, base in members.items()}
        )
        if index in inside.free_symbols:
            raise Unjudged(f"the members of {total} have weights; sums with equal weights are judged")
        if not inside.has(Norm, Inner):
            return high * inside.xreplace(dict.fromkeys(self.deviations.values(), sp.S.Zero))
        found = sp.expand(in_numbers(inside, self.gram, (*self.fixed, *self.deviations.values())))
        entries = sorted(found.free_symbols & set(self.entries.values()), key=str)
        if not found.is_polynomial(*entries) or (entries and sp.Poly(found, *entries).total_degree() > 1):
            raise Unjudged(f"{total} is not linear in squared norms and inner products of the members")
        return high * found


def with_definitions(parts: Sequence[Any], vectors: frozenset[str]) -> list[Any]:
    """A claim and its conditions without equations such as ``x_bar = 1/N sum x_i``, which are put in."""
    rules = {
        part.lhs: part.rhs
        for part in parts[1:]
        if isinstance(part, sp.Eq)
        and part.lhs.is_Symbol
        and part.lhs.name in vectors
        and part.lhs not in part.rhs.free_symbols
    }
    kept = [part for part in parts if not (isinstance(part, sp.Eq) and part.lhs in rules)]
    for _ in rules:  # a definition may use another one
        kept = [each_side(part, lambda side: side.xreplace(rules)) for part in kept]
    return kept


def families_of_vectors(
    parts: Sequence[Any],
    free: Sequence[sp.Symbol],
    bases: Sequence[sp.IndexedBase],
    numbers: Sequence[sp.Symbol],
) -> tuple[list[Any], Scene]:
    """Relations between sums over families of vectors in numbers, and the scene that computes them.

    Parameters
    ----------
    parts : the claim, then its conditions
    free, bases : vectors by themselves, and families of vectors
    numbers : other letters

    Raises
    ------
    Unjudged
        If there are too many vectors, or something else than sums with equal weights.
    """
    if len(free) + len(bases) > LARGEST:
        raise Unjudged(
            f"it speaks of {len(free) + len(bases)} vectors and families; at most {LARGEST} are judged"
        )
    known = _Families(free, bases)
    found = []
    for part in parts:
        summed = each_side(part, lambda side: side.replace(lambda one: isinstance(one, sp.Sum), known.total))
        if summed.atoms(sp.Indexed):
            raise Unjudged(f"{part} speaks of a single member; sums over all members are judged")
        found.append(in_numbers(summed, known.gram, known.fixed))
    size = known.size
    if size is None or {one for one in numbers if one.is_integer} != {size}:
        raise Unjudged("it joins vectors with whole numbers other than the number of members")
    whole = [each_side(part, known.with_whole) for part in found]
    if not {one for part in whole for one in part.free_symbols} & set(known.entries.values()):
        found = whole
    return found, _scene(known, size, [one for one in numbers if one != size])


def _scene(known: _Families, size: sp.Symbol, numbers: Sequence[sp.Symbol]) -> Scene:
    names = [entry.name for entry in (*known.entries.values(), *known.whole.values())]
    name = {deviation: base.label.name for base, deviation in known.deviations.items()}
    taken = {symbol.name for symbol in (*numbers, size)} & {*names, "d"}
    if taken or len(set(names)) < len(names):
        raise Unjudged(f"the name {min(taken or names)} is taken; rename it")

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
