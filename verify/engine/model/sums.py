"""Relations between sums of inner products of any number of vectors, with their proofs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import sympy as sp
from sympy.core.relational import Relational


@dataclass(frozen=True, eq=False)
class Sums:
    """A relation with its proof for any number of vectors of any dimension: its quantities are sums of inner products.

    Attributes
    ----------
    relation : Relational
        An equation or an inequality. An inequality must be linear in the sums, with rational functions as weights and no
        absolute values.
    means : mapping
        Quantity, or a formula of quantities -> its definition as a sum, in the language of certificates
        (`verify/check_proof.py`): ``["each", "n", u, v]`` is the sum of <u_i, v_i> over n vectors each, ``["dot", u, v]``
        one inner product, ``["total", u]`` a sum of vectors.
    symbols : mapping
        Domains of the symbols in these sums: "family n", "vector", "count".
    given : tuple of Relational
        Conditions on numbers under which it is true.
    bounded : tuple of Bounded
        Vectors, each with a largest length.
    """

    relation: Relational
    means: Mapping[sp.Expr, Any]
    symbols: Mapping[str, str]
    given: tuple[Relational, ...] = ()
    bounded: tuple[Bounded, ...] = ()


def require_same_vectors(facts: Sequence[Sums]) -> None:
    """Raise ValueError unless quantities and symbols shared by several facts have the same meaning in each of them."""
    for one, other in combinations(facts, 2):
        for name in one.symbols.keys() & other.symbols.keys():
            if one.symbols[name] != other.symbols[name]:
                raise ValueError(
                    f"`symbols` of facts that are used together must agree, got {one.symbols[name]!r} and "
                    f"{other.symbols[name]!r} for {name!r}"
                )
        for quantity, form in one.means.items():
            for another, other_form in other.means.items():
                if quantity == another and form == other_form:
                    continue
                if quantity.free_symbols & another.free_symbols:
                    raise ValueError(
                        f"`means` of facts that are used together must agree, got {form} for {quantity} and "
                        f"{other_form} for {another}"
                    )


@dataclass(frozen=True, eq=False)
class Bounded:
    """Vectors whose squares have a common upper bound; a proof uses the bound of their sum.

    Attributes
    ----------
    parts : tuple of formulas
        Each vector is the sum of these uncorrelated parts: the squares of the parts add up to its square.
    right : (Relational, Relational) or Sums
        A condition on a supremum and its relation to one square (``square <= largest``), as in `Fact`; or a proved relation
        ``square <= bound`` for each vector.
    number : str
        Number of vectors: the name of a count; empty for one vector.
    """

    parts: tuple[Any, ...]
    right: tuple[Relational, Relational] | Sums
    number: str = ""
