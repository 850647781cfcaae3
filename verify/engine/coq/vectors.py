"""Inner products in Coq's notation, with the definitions of `vectors.v`: vectors of any dimension, families of any
number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

from verify.engine.certificates.formulas import Tree


class NotExported(ValueError):
    """A certificate that the export does not support."""


DIMENSION = "dimension"
"""The name of the number of coordinates."""
_HEADS = {"+": "plus", "-": "minus"}


class Vectors:
    """Vectors and families of a certificate.

    Parameters
    ----------
    symbols : mapping
        Domains: ``"vector"`` for one vector, ``"family n"`` for n vectors.
    names : mapping
        Symbol -> its name in Coq.
    formula : function
        Writes a number in Coq's notation.
    """

    def __init__(
        self, symbols: Mapping[str, str], names: Mapping[str, str], formula: Callable[[Tree], str]
    ) -> None:
        self.names, self.formula = names, formula
        self.single = [name for name, domain in symbols.items() if domain == "vector"]
        self.index = {
            name: domain.removeprefix("family ")
            for name, domain in symbols.items()
            if domain.startswith("family ")
        }

    @property
    def kinds(self) -> dict[str, list[str]]:
        """Names by their type in Coq."""
        counts = [DIMENSION, *(self.names[n] for n in dict.fromkeys(self.index.values()))]
        if not (self.single or self.index):
            return {}
        families = [self.names[x] for x in self.index]
        return {"nat": counts, "vector": [self.names[x] for x in self.single], "nat -> vector": families}

    def product(self, tree: Tree) -> str:
        """An inner product, or the sum of the inner products of the members of two families."""
        match tree:
            case ["dot", u, v]:
                return f"(dot {DIMENSION} {self._vector(u)} {self._vector(v)})"
            case ["each", str(n), u, v]:
                return f"(each {self.names[n]} {DIMENSION} {self._family(u)} {self._family(v)})"
        raise NotExported(f"{tree[0]!r}")

    def law(self, tree: Tree) -> str:
        """The law that an inner product of a vector with itself is nonnegative; empty for other inner products."""
        match tree:
            case ["dot", u, v] if u == v:
                return f"dot_square {DIMENSION} {self._vector(u)}"
            case ["each", str(n), u, v] if u == v:
                return f"each_square {self.names[n]} {DIMENSION} {self._family(u)}"
        return ""

    def expanding(self) -> str:
        """Tactics that expand inner products into sums over named vectors, in a fixed order; empty without vectors.

        Hypotheses are expanded, too, because `field` finds in them that its divisors are not zero.
        """
        if not (self.single or self.index):
            return ""
        ends = [self.names[x] for x in self.single] + [self._total(x) for x in self.index]
        swaps = [f"rewrite ?(dot_swap {DIMENSION} {v} {u}) in *" for u, v in combinations(ends, 2)]
        swaps += [
            f"rewrite ?(each_swap {self.names[self.index[x]]} {DIMENSION} {self.names[z]} {self.names[x]}) in *"
            for x, z in combinations(self.index, 2)
            if self.index[x] == self.index[z]
        ]
        return "; ".join(["autorewrite with products in *", *swaps, ""])

    def _total(self, name: str) -> str:
        return f"(total {self.names[self.index[name]]} {self.names[name]})"

    def _vector(self, tree: Tree) -> str:
        match tree:
            case str(name) if name in self.single:
                return self.names[name]
            case ["total", str(name)] if name in self.index:
                return self._total(name)
            case ["*", scale, u]:
                return f"(times {self.formula(scale)} {self._vector(u)})"
            case ["+" | "-" as head, u, v]:
                return f"({_HEADS[head]} {self._vector(u)} {self._vector(v)})"
        raise NotExported("what is no vector")

    def _family(self, tree: Tree) -> str:
        """A family; a vector that contains no member of a family is repeated for all members."""
        if not any(part in self.index for part in _members(tree)):
            return f"(all {self._vector(tree)})"
        match tree:
            case str(name):
                return self.names[name]
            case ["*", scale, u]:
                return f"(all_times {self.formula(scale)} {self._family(u)})"
            case ["+" | "-" as head, u, v]:
                return f"(all_{_HEADS[head]} {self._family(u)} {self._family(v)})"
        raise NotExported("what is no family of vectors")


def _members(tree: Tree) -> list[str]:
    """Symbols of vectors in a vector, without those that stand for a total."""
    match tree:
        case str(name):
            return [name]
        case ["*", _, u]:
            return _members(u)
        case ["+" | "-", u, v]:
            return [*_members(u), *_members(v)]
    return []
