"""SymPy functions for norms, expectations, losses and other operators of a lemma. They stay unevaluated."""

from __future__ import annotations

from typing import Any

import sympy as sp


class _Nonnegative(sp.Function):
    """A function whose values are nonnegative numbers."""

    is_commutative = True
    is_extended_real = True
    is_real = True
    is_nonnegative = True


class _Real(sp.Function):
    """A function whose values are real numbers."""

    is_commutative = True
    is_real = True


class Norm(_Nonnegative):
    """Norm of a vector; an optional second argument is the subscript of the bars."""


class Inner(_Real):
    """Inner product of two vectors."""


class Expect(sp.Function):
    """Expectation of a number or vector; optional second and third arguments are its subscript and its condition."""

    is_commutative = True


class Loss(_Real):
    """Value of a loss at a point: ``Loss(f, x)``; further arguments are data."""


class Grad(sp.Function):
    """Gradient of a loss at a point: ``Grad(f, x)``; further arguments are data."""

    is_commutative = True


class Apply(sp.Function):
    """Value of a map at a point, a vector: ``Apply(C, x)``; further arguments are data."""

    is_commutative = True


class Extreme(_Real):
    """Largest or least value over an index or set: ``Extreme(Symbol("max"), body, range)``."""


class SumOver(sp.Function):
    """Sum over a set other than a range of whole numbers: ``SumOver(body, index, set)``."""

    is_commutative = True


class BigO(sp.Function):
    """O(.): a quantity of at most a constant times the argument, with an unspecified constant."""


class SoftO(sp.Function):
    """Like `BigO`, up to powers of logarithms."""


HEADS: dict[str, Any] = {
    head.__name__: head for head in (Norm, Inner, Expect, Loss, Grad, Apply, Extreme, SumOver, BigO, SoftO)
}
