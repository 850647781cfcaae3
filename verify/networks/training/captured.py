"""Rounds as CUDA graphs: the kernels of a round are recorded once, and launched together in each later round of the same form.

Data that change from round to round are copied to buffers of the graph: tensors of the state, participants and random draws. All
other values on the host, such as numbers in the state, define the form of a round; inactive slots do not (`masked`). Their copies on
the device are constants of the graph. The recorded function is the one that runs without a graph. If it reads from the device, or
reads on the host what was drawn, rounds run without a graph.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from algorithms.algorithm import State
from verify.networks.training.masked import compact_round, masked_round, with_memory_rows
from verify.networks.training.resolved import Refused, Resolved, Unread, resolved

Play = Callable[..., State]
"""A function with the arguments of `algorithms.simulate.play_round`."""

Call = Callable[[], State]

ROUNDING = {"rtol": 1e-4, "atol": 1e-5}
"""Tolerance between a replayed and a normal round; libraries may choose other kernels while recording."""


class Graphs(Protocol):
    """Interface for recording: PyTorch's CUDA graphs, or a stand-in in tests."""

    def beside(self, call: Call) -> State:
        """Run a call on the stream that records later, so that libraries are initialised there; returns its result."""

    def recorded(self, call: Call) -> tuple[Callable[[], None], State]:
        """Record a call; returns a function that replays it on the device, and the result, whose memory replays overwrite."""


class CudaGraphs:
    """CUDA graphs of PyTorch on a separate stream. Source: PyTorch's notes on CUDA semantics, "CUDA Graphs"."""

    def __init__(self, device: str) -> None:
        self._stream = torch.cuda.Stream(device)

    def beside(self, call: Call) -> State:
        """Run a call on the stream; each stream waits for the other, and the host waits for neither."""
        here = torch.cuda.current_stream(self._stream.device)
        self._stream.wait_stream(here)
        with torch.cuda.stream(self._stream):
            found = call()
        here.wait_stream(self._stream)
        return found

    def recorded(self, call: Call) -> tuple[Callable[[], None], State]:
        """The replay function of a graph, and the tensors of its results."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self._stream):
            found = call()
        return graph.replay, found


class Constants(TorchDispatchMode):
    """Copies host data to the device once, and refuses whatever else makes host and device wait for each other.

    Everything on the host from which a round computes is the same in all rounds of one form, because the draws, which are not,
    cannot be read (`Unread`). Its copies on the device are therefore constants of the graph. The round that warms up fills
    `held`; the round that is recorded finds its constants there, since a graph cannot repeat a copy from the host.
    """

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[Any, Tensor] = {}
        self.complete = False

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Keep compiled kernels compiled; inside them there are no transfers from the host."""
        return True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs, moves = kwargs or {}, func in _MOVES
        tensors = [each for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
        sides = {each.device.type for each in tensors if each.ndim or moves or func in _READS}
        if moves and kwargs.get("device") is not None:
            sides.add(torch.device(kwargs["device"]).type)
        if len(sides) > 1 and func is _COPY and args[0].device.type == HOST:
            return self._on_device(func, args[0], kwargs).clone()  # a copy, which may be changed in place
        if len(sides) > 1 or (func in _READS and sides - {HOST}):
            raise Refused(f"{func} needs the host")
        return func(*args, **kwargs)

    def _on_device(self, func: Any, source: Tensor, kwargs: dict[str, Any]) -> Tensor:
        """The copy of a tensor of the host on the device."""
        to = tuple(sorted((name, str(value)) for name, value in kwargs.items()))
        key = source.dtype, source.shape, source.contiguous().numpy().tobytes(), to
        if key not in self.held:
            if self.complete:
                raise Refused(f"{func} needs data of the host that the round before did not need")
            self.held[key] = func(source, **kwargs)
        return self.held[key]


HOST = "cpu"
_COPY = torch.ops.aten._to_copy.default  # noqa: SLF001
_MOVES = (_COPY, torch.ops.aten.copy_.default)
_READS = (torch.ops.aten._local_scalar_dense.default, torch.ops.aten.nonzero.default)  # noqa: SLF001


class Captured:
    """Runs rounds: the first of a form normally, the second while it is recorded, later ones by its graph.

    The second round also runs normally, and both results must agree. Only the graph of the newest form is stored. If recording
    is refused, one message is printed and all rounds run normally.

    Parameters
    ----------
    graphs : Graphs
    play : (world, algorithm, state, task, participants, noise) -> State
        The function that is recorded.
    """

    def __init__(self, graphs: Graphs, play: Play = masked_round) -> None:
        self._graphs, self._play = graphs, play
        self._form: Any = None
        self._recorded: _Recorded | None = None
        self._refused = False

    def __call__(
        self, world: Any, algorithm: Any, state: State, task: int, participants: Any, noise: Any
    ) -> State:
        """The state after the round."""
        drawn = (resolved(state["theta"], each) for each in (participants, noise))
        leaves, tree = tree_flatten((dict(with_memory_rows(world, state)), *drawn))
        form = id(world), id(algorithm), task, tree, *(_form(leaf) for leaf in leaves)

        def played(leaves: Sequence[Any]) -> State:
            before, who, what = tree_unflatten(leaves, tree)
            return self._play(world, algorithm, before, task, who, what)

        if self._refused:
            return played(leaves)
        if form != self._form:
            self._form, self._recorded = form, None
            return played(leaves)
        if self._recorded is not None:
            return self._recorded(leaves)
        found = self._graphs.beside(lambda: played(leaves))
        try:
            self._recorded = _Recorded(self._graphs, played, leaves)
            _require_same(self._recorded(leaves), found)
        except Exception as error:  # after any failure of recording, rounds can run normally
            self._refused, self._recorded = True, None
            _tell(str(error).strip().partition("\n")[0])
        return found


class _Recorded:
    """A recorded round, with buffers for the data that change."""

    def __init__(
        self, graphs: Graphs, played: Callable[[Sequence[Any]], State], leaves: Sequence[Any]
    ) -> None:
        self._buffers = [
            torch.empty_like(there, memory_format=torch.contiguous_format).copy_(there)
            for there in _tensors(leaves)
        ]
        rest = iter(self._buffers)
        inside = self._inside = [_inside(leaf, rest) for leaf in leaves]
        self._constants = Constants()  # the graph reads their memory in every replay
        with self._constants:
            graphs.beside(lambda: played(inside))
            self._constants.complete = True
            self._replay, self._found = graphs.recorded(lambda: played(inside))

    def __call__(self, leaves: Sequence[Any]) -> State:
        """The state after a round of the same form; results are copied, as the next round overwrites their memory."""
        for buffer, there in zip(self._buffers, _tensors(leaves), strict=True):
            buffer.copy_(there)
        self._replay()
        found, tree = tree_flatten(self._found)
        given = {id(inside): leaf for inside, leaf in zip(self._inside, leaves, strict=True)}
        copied = [each.clone() if isinstance(each, Tensor) else given.get(id(each), each) for each in found]
        state: State = tree_unflatten(copied, tree)
        return state


def rounds_on(device: str) -> Play:
    """The function that runs rounds on a device: by graphs on CUDA, without inactive slots on the CPU, elsewhere in one form."""
    if device == HOST:
        return compact_round
    return Captured(CudaGraphs(device)) if device.startswith("cuda") else masked_round


def _form(leaf: Any) -> Any:
    """The part of a leaf that must equal that of the recorded round; leaves that equal nothing else are never recorded."""
    if isinstance(leaf, Tensor):
        return Tensor, leaf.shape, leaf.dtype, leaf.device
    if isinstance(leaf, Resolved) and leaf.there is not None:
        return Resolved, leaf.shape, leaf.dtype
    if isinstance(leaf, np.ndarray) and not leaf.dtype.hasobject:
        return np.ndarray, leaf.shape, leaf.dtype, leaf.tobytes()
    return leaf if isinstance(leaf, int | float | str | None) else object()


def _there(leaf: Any) -> Tensor | None:
    return leaf if isinstance(leaf, Tensor) else getattr(leaf, "there", None)


def _tensors(leaves: Sequence[Any]) -> list[Tensor]:
    """The tensors among the leaves that are on the device."""
    return [there for leaf in leaves if (there := _there(leaf)) is not None]


def _inside(leaf: Any, buffers: Any) -> Any:
    """The leaf of the recorded round: a buffer for a tensor, and the leaf itself otherwise."""
    if _there(leaf) is None:
        return leaf
    return next(buffers) if isinstance(leaf, Tensor) else Unread(leaf.shape, next(buffers))


def _require_same(replayed: State, played: State) -> None:
    """Raise Refused unless both states agree up to rounding; the host waits for the comparison."""
    for name, value in played.items():
        for own, other in zip(tree_leaves(replayed.get(name)), tree_leaves(value), strict=True):
            if isinstance(other, Tensor):
                same = torch.allclose(own, other, **ROUNDING, equal_nan=True)
            else:
                same = np.array_equal(own, other)
            if not same:
                raise Refused(f"`{name}` differs in the replayed round")


@cache
def _tell(reason: str) -> None:
    print(f"networks: rounds are not recorded, so slower ({reason})", file=sys.stderr)
