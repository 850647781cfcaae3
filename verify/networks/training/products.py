"""Products of small matrices, compiled by Numba, in vectors of 16 numbers.

Libraries of linear algebra spend most of their time on other things where matrices are as small as those of a minibatch: they
copy both and choose a kernel. These products also sum in the same order on every processor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model
from numba.np.arrayobj import make_array

from nqm.compiled import compiled

LANES = 16
ROWS, COLUMNS = 4, 2 * LANES
"""Size of the part of a product that is held in registers."""
MOST = 2**15
"""Largest right factor: it stays in the cache while all rows of the left factor pass."""

_VECTOR = ir.VectorType(ir.FloatType(), LANES)


class Lanes(types.Type):  # type: ignore[misc]
    """Numba's type of a vector of `LANES` numbers in single precision, which processors compute with at once."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


@register_model(Lanes)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


_LANES = Lanes()


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    first = make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(first, [index]), _VECTOR.as_pointer())


def _everywhere(builder: Any, number: Any) -> Any:
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.IntType(32)(0))
    return _shuffled(builder, (first, nothing), [0] * LANES)


def emitted(function: Callable[..., Any]) -> Any:
    """A function that Numba compiles to the instructions that `function` writes."""
    return intrinsic(function)


def _shuffled(builder: Any, pair: Any, order: list[int]) -> Any:
    """The entries of two vectors, one after the other, in this order."""
    kind = ir.IntType(32)
    return builder.shuffle_vector(*pair, ir.Constant(ir.VectorType(kind, LANES), [kind(i) for i in order]))


@emitted
def load(typing: Any, array: Any, index: Any) -> Any:
    """The vector of the entries from `index` on, counted along the rows, of a contiguous array."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.load(_place(context, builder, signature.args[0], *given), align=4)

    return _LANES(array, types.intp), code


@emitted
def store(typing: Any, array: Any, index: Any, vector: Any) -> Any:
    """Write a vector to the entries from `index` on, counted along the rows, of a contiguous array."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        builder.store(given[2], _place(context, builder, signature.args[0], *given[:2]), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), code


@emitted
def filled(typing: Any, number: Any) -> Any:
    """The vector with `number` in every place."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return _everywhere(builder, given[0])

    return _LANES(types.float32), code


@emitted
def added(typing: Any, number: Any, vector: Any, total: Any) -> Any:
    """``number * vector + total``, rounded once."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
        fused = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{LANES}f32")
        return builder.call(fused, [_everywhere(builder, given[0]), *given[1:]])

    return _LANES(types.float32, vector, total), code


@emitted
def turned(typing: Any, source: Any, at: Any, width: Any, into: Any, there: Any, across: Any) -> Any:
    """Write the transpose of `LANES` rows of `source` to `into`.

    They begin at the indices `at`, `at` + `width`, ... of a contiguous array, and those of the transpose at `there`, `there` +
    `across`, ... Each of four stages swaps the halves of twice as large blocks.
    """

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        def places(which: int) -> list[Any]:
            array, first, step = given[which : which + 3]
            ats = [builder.add(first, builder.mul(step, step.type(i))) for i in range(LANES)]
            return [_place(context, builder, signature.args[which], array, each) for each in ats]

        rows = [builder.load(place, align=4) for place in places(0)]
        for d in (1, 2, 4, 8):
            upper = [LANES + i - d if i & d else i for i in range(LANES)]
            lower = [LANES + i if i & d else i + d for i in range(LANES)]
            for i in range(LANES):
                if not i & d:
                    pair = rows[i], rows[i + d]
                    rows[i], rows[i + d] = (_shuffled(builder, pair, order) for order in (upper, lower))
        for place, row in zip(places(3), rows, strict=True):
            builder.store(row, place, align=4)
        return context.get_dummy_value()

    return types.void(source, *[types.intp] * 2, into, *[types.intp] * 2), code


@compiled
def fits(m, k, n):
    """Whether (m, k) times (k, n) is computed here, and not by the library."""
    return m >= ROWS and n >= COLUMNS and LANES <= k <= MOST // n


@compiled
def product(left, right, out):
    """Write the product of `left` (m, k) and `right` (k, n) to `out` (m, n); the last two lie row after row.

    The last parts overlap those before them, where m and n are no multiples of their sizes.
    """
    (m, k), n = left.shape, right.shape[1]
    if not fits(m, k, n):
        np.dot(left, right, out)
        return
    zero = filled(np.float32(0))
    for row in range(0, m, ROWS):
        i = min(row, m - ROWS)
        for column in range(0, n, COLUMNS):
            j = min(column, n - COLUMNS)
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = zero
            for p in range(k):
                a, b = load(right, p * n + j), load(right, p * n + j + LANES)
                a0, b0 = added(left[i, p], a, a0), added(left[i, p], b, b0)
                a1, b1 = added(left[i + 1, p], a, a1), added(left[i + 1, p], b, b1)
                a2, b2 = added(left[i + 2, p], a, a2), added(left[i + 2, p], b, b2)
                a3, b3 = added(left[i + 3, p], a, a3), added(left[i + 3, p], b, b3)
            at = i * n + j
            store(out, at, a0), store(out, at + LANES, b0)
            store(out, at + n, a1), store(out, at + n + LANES, b1)
            store(out, at + 2 * n, a2), store(out, at + 2 * n + LANES, b2)
            store(out, at + 3 * n, a3), store(out, at + 3 * n + LANES, b3)


@compiled
def crossed(left, columns, spare, out):
    """Write the product of `left` (m, k) and the transpose of `columns` (n, k) to `out` (m, n).

    `spare` has space for `columns`, whose transpose is written there.
    """
    n, k = columns.shape
    if not fits(len(left), k, n):
        np.dot(left, columns.T, out)
        return
    right = spare[: n * k].reshape(k, n)
    for row in range(0, n, LANES):
        j = min(row, n - LANES)
        for column in range(0, k, LANES):
            p = min(column, k - LANES)
            turned(columns, j * k + p, k, right, p * n + j, n)
    product(left, right, out)
