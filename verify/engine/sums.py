"""Relations between sums of inner products of any number of vectors: what a proof of them is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.relational import Relational


@dataclass(frozen=True, eq=False)
class Sums:
    """A relation with its proof for any number of vectors of any dimension: its quantities are sums of inner products.

    Attributes
    ----------
    relation : Relational
        An equation, or an inequality; this one is linear in the sums, with fractions of polynomials as weights: no absolute values.
    means : mapping
        Quantity, or a formula of quantities -> the sum that it is, in the language of certificates (`verify/check_proof.py`): ``["each", "n", u, v]``
        is the sum of <u_i, v_i> over n vectors each, ``["dot", u, v]`` one inner product, ``["total", u]`` a sum of vectors.
    symbols : mapping
        Domains of the letters in these sums: "family n", "vector", "count".
    given : tuple of Relational
        Conditions on numbers under which it is true.
    bounded : tuple of Bounded
        Vectors of which each is at most so long.
    """

    relation: Relational
    means: Mapping[sp.Expr, Any]
    symbols: Mapping[str, str]
    given: tuple[Relational, ...] = ()
    bounded: tuple[Bounded, ...] = ()


@dataclass(frozen=True, eq=False)
class Bounded:
    """Vectors of which each has a square that is at most so much; a proof uses what this comes to when it is added up.

    Attributes
    ----------
    parts : tuple of formulas
        Each vector is a sum of these. They are uncorrelated: the squares of several parts add up to its square.
    right : (Relational, Relational) or Sums
        A condition on an extreme and what that is to one square (``square <= largest``), as of `Fact`; or a relation
        ``square <= bound`` that is proved of each such vector.
    number : str
        How many vectors there are: the name of a count; empty if it is one.
    """

    parts: tuple[Any, ...]
    right: tuple[Relational, Relational] | Sums
    number: str = ""
