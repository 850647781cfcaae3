"""Memory: what one call of a kernel takes, and what a run will take, known before it starts."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.algorithm import Algorithm, State
from algorithms.draws import Draws
from nqm.fields import is_tensor
from verify.engine.work.errors import UsageError

LOCAL_VECTORS = 16
"""Vectors (d,) that a round holds at once for each client at work: models, gradients, temporaries."""


ON_HOST = 2**26
"""Bytes that one call of a kernel may take of the machine's memory, and that stay with the process when they are freed."""


class TooLarge(UsageError):
    """A run that would not fit into memory."""


def bytes_per_sample(model: Any, images: Tensor) -> int:
    """Memory that a gradient takes for each sample: the image, and twice what its backward pass keeps."""
    one, two = (_kept_for_backward(model, images[:1].expand(n, *images.shape[1:])) for n in (1, 2))
    return images[0].nbytes + 2 * max(two - one, 0)


def _kept_for_backward(model: Any, images: Tensor) -> int:
    kept = 0

    def pack(tensor: Tensor) -> Tensor:
        nonlocal kept
        kept += tensor.nbytes
        return tensor

    theta = torch.zeros(model.dim, device=images.device, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        model.logits(theta, images).logsumexp(-1).sum()
    return kept


def fitting(each: int, memory: int) -> int:
    """How many things of `each` bytes fit into `memory`, at least 1."""
    return max(memory // each, 1)


def estimate(world: Any, algorithm: Algorithm, draws: Draws, theta0: Tensor) -> dict[str, int]:
    """Bytes that a run will take, by what for.

    Parameters
    ----------
    world : NetworkWorld
    algorithm : Algorithm
    draws : Draws
    theta0 : (d,) or (sweep..., run, d) tensor
        First models. Its axes before that of the runs are those of the hyper-parameters that are swept: each value has
        a state and local work of its own.
    """
    *sweep, n_runs, dim = np.broadcast_shapes(tuple(theta0.shape), (draws.n_runs, theta0.shape[-1]))
    # Of one run, not of shapes alone (the device "meta"): to compute with these PyTorch loads its compiler, 60 MB.
    start = theta0.new_zeros(*sweep, 1, dim)
    state, stream = algorithm.init(start), world.stream
    indices = draws.n_runs * (draws.n_sampled * draws.local_steps * 2 * world.batch + world.sizes[0].size)
    return {
        "samples": sum(_nbytes(part) for part in (stream.images, stream.labels, stream.test_images)),
        "state": 2 * n_runs * sum(_nbytes(entry) for entry in state.values()),
        "local work": LOCAL_VECTORS
        * _at_work(world, algorithm, draws, state, start.ndim)
        * n_runs
        * start.nbytes,
        "kernel": world.memory,
        "draws": 3 * 8 * indices,
    }


def _at_work(world: Any, algorithm: Algorithm, draws: Draws, state: State, ndim: int) -> int:
    """Clients of which vectors are held: those sampled, and all where a method asks all or remembers one of each."""
    of_each = any(is_tensor(entry) and entry.ndim > ndim for entry in state.values())
    of_all = of_each or algorithm.prepare is not None or algorithm.end_task is not None
    return draws.n_sampled + (world.n_clients if of_all else 0)


def available(device: str) -> int:
    """Bytes of memory that are free on a device."""
    if device.startswith("cuda"):
        # What PyTorch has freed but not given back is free as well.
        freed = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return torch.cuda.mem_get_info(device)[0] + freed
    try:
        of_machine = Path("/proc/meminfo").read_text().partition("MemAvailable:")[2].split()[0]
    except (OSError, IndexError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 1024 * int(of_machine)


def for_kernels(device: str) -> int:
    """Bytes that one call of a kernel may take: much on an accelerator, which small calls keep idle."""
    return available(device) // 4 if device.startswith("cuda") else ON_HOST


def require_room(needed: Mapping[str, int], device: str) -> None:
    """Raise TooLarge if a run would not fit into the memory that is free.

    Raises
    ------
    TooLarge
        The message says what takes how much.
    """
    total, free = sum(needed.values()), available(device)
    if total > free:
        parts = ", ".join(f"{name} {in_words(size)}" for name, size in needed.items())
        raise TooLarge(
            f"This run needs about {in_words(total)} of memory ({parts}), but {in_words(free)} are free on "
            f"{device}: take fewer seeds or clients, a smaller model, or a method that stores less."
        )


def keep_freed_memory() -> None:
    """Let the process reuse large blocks that were freed, instead of giving them back to the system each time.

    A training step frees and allocates the same few megabytes repeatedly, and getting them from the system takes up to a
    fifth of its time. This acts on glibc only, the usual C library of Linux; up to 64 MiB stay with the process.
    """
    trim, mmap = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(mmap, 2**25)
        mallopt(trim, ON_HOST)


def forget_peak(device: str) -> None:
    """Measure the peak of memory again from here, where the system lets us."""
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats(device)
        return
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak(device: str) -> int:
    """Most bytes that the process held: of the device's memory, else of the machine's."""
    if device.startswith("cuda"):
        return torch.cuda.max_memory_allocated(device)
    try:
        return 1024 * int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
    except (OSError, IndexError):
        import resource

        return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def in_words(size: int) -> str:
    """A number of bytes for people."""
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def _nbytes(entry: Any) -> int:
    if is_tensor(entry):
        return entry.numel() * entry.itemsize
    return entry.nbytes if isinstance(entry, np.ndarray) else 0
