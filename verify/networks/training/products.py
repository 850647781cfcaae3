"""Products of small matrices, compiled by Numba, in vectors as long as the processor's.

Libraries of linear algebra spend most of their time on other things where matrices are as small as those of a minibatch: they
copy both and choose a kernel. Each entry of these products is summed in the same order on every processor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from nqm.compiled import compiled

LANES = 16 if binding.get_host_cpu_features().get("avx512f") else 8
"""Numbers in single precision that a register of the processor holds."""
TALL, LOW, WIDE, NARROW = (8, 4, 32, 16) if LANES == 16 else (6, 4, 16, 16)
"""Rows and columns of the parts of a product that fill the registers: 32 with AVX-512, 16 with AVX2."""
LEAST = 4, 16
"""Smallest numbers of rows and columns of a product that is computed here, on any processor."""
MOST = 2**15
"""Largest right factor: it stays in the cache while all rows of the left factor pass."""

_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_INDEX = ir.IntType(64)


def emitted(function: Callable[..., Any]) -> Any:
    """A function that Numba compiles to the instructions that `function` writes."""
    return intrinsic(function)


def _shuffled(builder: Any, pair: Any, order: list[int]) -> Any:
    """The entries of two vectors, one after the other, in this order."""
    kind = ir.IntType(32)
    return builder.shuffle_vector(*pair, ir.Constant(ir.VectorType(kind, LANES), [kind(i) for i in order]))


def _everywhere(builder: Any, number: Any) -> Any:
    """The vector with `number` in every place."""
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.IntType(32)(0))
    return _shuffled(builder, (first, nothing), [0] * LANES)


def _vectors(builder: Any, first: Any, index: Any, count: int) -> list[Any]:
    """Places of `count` vectors, one after the other, from the number at `index` on."""
    place = builder.bitcast(builder.gep(first, [index]), _VECTOR.as_pointer())
    return [builder.gep(place, [_INDEX(i)]) for i in range(count)]


def _part(rows: int, columns: int) -> Any:
    """A function of (left, i, right, j, first, out) that writes `rows` rows of a product from row i on, `columns` columns from j on.

    The sums of a row begin with its number in `first` (m,), or with 0 if this is None.
    """
    across = columns // LANES

    def part(typing: Any, left: Any, i: Any, right: Any, j: Any, first: Any, out: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            kinds, row, column = signature.args, given[1], given[3]
            a, b, c = (make_array(kinds[place])(context, builder, given[place]) for place in (0, 2, 5))
            length, n = cgutils.unpack_tuple(builder, b.shape, 2)
            down, along = cgutils.unpack_tuple(builder, a.strides, 2)
            numbers = [builder.add(row, _INDEX(r)) for r in range(rows)]
            begin = builder.ptrtoint(a.data, _INDEX)
            lines = [builder.add(begin, builder.mul(down, number)) for number in numbers]
            sums = [[cgutils.alloca_once(builder, _VECTOR) for _ in range(across)] for _ in numbers]
            for number, places in zip(numbers, sums, strict=True):
                start = ir.Constant(_VECTOR, [0.0] * LANES)
                if first is not types.none:
                    shifts = make_array(first)(context, builder, given[4]).data
                    start = _everywhere(builder, builder.load(builder.gep(shifts, [number])))
                for place in places:
                    builder.store(start, place)
            kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
            fused = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{LANES}f32")
            with cgutils.for_range(builder, length) as loop:
                at = builder.add(builder.mul(loop.index, n), column)
                beside = [builder.load(each, align=4) for each in _vectors(builder, b.data, at, across)]
                step = builder.mul(loop.index, along)
                for line, places in zip(lines, sums, strict=True):
                    place = builder.inttoptr(builder.add(line, step), a.data.type)
                    factor = _everywhere(builder, builder.load(place))
                    for vector, place in zip(beside, places, strict=True):
                        builder.store(builder.call(fused, [factor, vector, builder.load(place)]), place)
            for number, places in zip(numbers, sums, strict=True):
                at = builder.add(builder.mul(number, n), column)
                for there, place in zip(_vectors(builder, c.data, at, across), places, strict=True):
                    builder.store(builder.load(place), there, align=4)
            return context.get_dummy_value()

        return types.void(left, types.intp, right, types.intp, first, out), code

    return emitted(part)


_tall_and_wide, _low_and_wide = _part(TALL, WIDE), _part(LOW, WIDE)
_tall_and_narrow, _low_and_narrow = _part(TALL, NARROW), _part(LOW, NARROW)


@emitted
def transpose(typing: Any, source: Any, at: Any, width: Any, into: Any, there: Any, across: Any) -> Any:
    """Write the transpose of `LANES` rows of `source` to `into`.

    They begin at the indices `at`, `at` + `width`, ... of a contiguous array, and those of the transpose at `there`, `there` +
    `across`, ... Each stage swaps the halves of twice as large blocks.
    """

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        def places(which: int) -> list[Any]:
            array, first, step = given[which : which + 3]
            data = make_array(signature.args[which])(context, builder, array).data
            ats = [builder.add(first, builder.mul(step, step.type(i))) for i in range(LANES)]
            return [_vectors(builder, data, each, 1)[0] for each in ats]

        rows = [builder.load(place, align=4) for place in places(0)]
        for d in (1, 2, 4, 8)[: LANES.bit_length() - 1]:
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
    """Whether (m, k) times (k, n) is computed here, and not by the library; the same on every processor."""
    return m >= LEAST[0] and n >= LEAST[1] and 0 < k <= MOST // n


@compiled
def shift(first, out):
    """Add `first` (m,) to each column of `out` (m, n); nothing where it is None."""
    if first is not None:
        for i in range(len(out)):
            for j in range(out.shape[1]):
                out[i, j] += first[i]


@compiled
def product(left, right, first, out):
    """Write the product of `left` (m, k) and `right` (k, n) to `out` (m, n); the last two lie row after row.

    `first` (m,), or None, is added to each column. The last parts overlap those before them, where m and n are no multiples of their sizes.
    """
    (m, k), n = left.shape, right.shape[1]
    if not fits(m, k, n):
        np.dot(left, right, out)
        shift(first, out)
        return
    i = 0
    while i < m:
        tall = m - i == TALL or m - i > 2 * LOW
        i = i if tall else min(i, m - LOW)
        if n >= WIDE:
            for column in range(0, n, WIDE):
                j = min(column, n - WIDE)
                if tall:
                    _tall_and_wide(left, i, right, j, first, out)
                else:
                    _low_and_wide(left, i, right, j, first, out)
        else:
            for column in range(0, n, NARROW):
                j = min(column, n - NARROW)
                if tall:
                    _tall_and_narrow(left, i, right, j, first, out)
                else:
                    _low_and_narrow(left, i, right, j, first, out)
        i += TALL if tall else LOW


@compiled
def crossed(left, columns, first, spare, out):
    """Write the product of `left` (m, k) and the transpose of `columns` (n, k) to `out` (m, n), see `product`.

    `spare` has space for `columns`, whose transpose is written there.
    """
    n, k = columns.shape
    if not fits(len(left), k, n) or k < LEAST[1]:
        np.dot(left, columns.T, out)
        shift(first, out)
        return
    right = spare[: n * k].reshape(k, n)
    for row in range(0, n, LANES):
        j = min(row, n - LANES)
        for column in range(0, k, LANES):
            p = min(column, k - LANES)
            transpose(columns, j * k + p, k, right, p * n + j, n)
    product(left, right, first, out)
