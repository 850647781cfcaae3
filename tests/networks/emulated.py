"""Work on an accelerator without one: real numbers in tensors that claim to be on a device, under the rules of CUDA.

The device is called "meta", a name that PyTorch knows everywhere. A tensor that is moved there becomes an `OnDevice`,
which cannot be combined with tensors of the CPU. All computations are done by the CPU, so results must equal bit by bit
those of runs without the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils._mode_utils import no_dispatch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

HOST, DEVICE = "cpu", "meta"
aten = torch.ops.aten
MOVES = (aten._to_copy.default, aten.copy_.default)
"""Operations that move numbers between host and device."""
INDEXES = (aten.index.Tensor, aten.index_put_.default)
"""Operations on the device that also accept indices of the CPU, and copy them."""
READS = (aten._local_scalar_dense.default, aten.nonzero.default)
"""Operations for whose results the host must wait."""


class OnDevice(torch.Tensor):
    """A tensor on the device; its numbers are in `held`, on the CPU."""

    held: torch.Tensor

    @staticmethod
    def __new__(cls, held: torch.Tensor) -> OnDevice:
        made = torch.Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=DEVICE,
        )
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError(f"{func} of a tensor on the device outside of `Device`")


class Device(TorchDispatchMode):
    """Inside the block the device exists; `waits` counts how often the host waited for it."""

    waits = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """False, because nothing is compiled here, and the default would load the compiler and call it in every
        operation.
        """
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        goes_to = kwargs.get("device")
        if goes_to is not None:
            kwargs["device"] = torch.device(HOST)
        there, here = _sides((args, kwargs))
        self._check(func, args, there, here)
        is_there = bool(there)
        goes_there = is_there if goes_to is None else goes_to.type == DEVICE
        crosses = func in MOVES and not kwargs.get("non_blocking") and (here if goes_there else there)
        self.waits += bool(crosses) or (is_there and func in READS)
        found = func(
            *_mapped(_held, args, OnDevice),
            **{name: _mapped(_held, each, OnDevice) for name, each in kwargs.items()},
        )
        if _writes(func):
            if is_there and torch.Tag.inplace_view in func.tags:  # the shape that is claimed changes as well
                with no_dispatch():
                    func(*args, **kwargs)
            return args[0]
        return _mapped(OnDevice, found, torch.Tensor) if goes_there else found

    def _check(self, func: Any, args: Any, there: Sequence[Any], here: Sequence[Any]) -> None:
        """Check that all tensors are on one side, except those without axes, and those of `MOVES` and `INDEXES`."""
        if there and here and func in INDEXES:
            self.waits += 1
            here = _sides((args[0], args[2:]))[1]
        assert all(each.device.type == HOST for each in here), f"{func} of a tensor that was not moved"
        shapes = [tuple(each.shape) for each in here if each.ndim]
        assert not there or not shapes or func in MOVES, f"{func} mixes devices: {shapes} are on the CPU"


def _writes(func: Any) -> bool:
    """Whether an operation changes its first argument; the name alone does not show it: `__rshift__` makes a new
    tensor.
    """
    arguments = func._schema.arguments
    return bool(arguments and arguments[0].alias_info and arguments[0].alias_info.is_write)


def _held(tensor: OnDevice) -> torch.Tensor:
    return tensor.held


def _mapped(change: Callable[[Any], Any], tree: Any, kind: type) -> Any:
    """Arguments or results of an operation, as plain tuples and lists, with a function applied to all values of one
    type.
    """
    if isinstance(tree, tuple | list):
        return type(tree)(_mapped(change, each, kind) for each in tree)
    return change(tree) if isinstance(tree, kind) else tree


def _tensors(tree: Any) -> Iterator[torch.Tensor]:
    if isinstance(tree, torch.Tensor):
        yield tree
    elif isinstance(tree, tuple | list | dict):
        for each in tree.values() if isinstance(tree, dict) else tree:
            yield from _tensors(each)


def _sides(tree: Any) -> tuple[list[OnDevice], list[torch.Tensor]]:
    """Tensors on the device, and all others."""
    tensors = list(_tensors(tree))
    there = [each for each in tensors if isinstance(each, OnDevice)]
    return there, [each for each in tensors if not isinstance(each, OnDevice)]


def same(compute: Callable[[str], Any], rtol: float = 0) -> int:
    """Check that `compute` (device) -> tree of arrays and tensors gives equal ones on both; return its `waits`."""
    expected = compute(HOST)
    with Device() as device:
        found = compute(DEVICE)
        assert not _sides(tree_leaves(found))[1]
        waits = device.waits
        found = tree_map_only(torch.Tensor, lambda tensor: tensor.cpu(), found)
    for one, other in zip(tree_leaves(found), tree_leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol, atol=0)
    return waits
