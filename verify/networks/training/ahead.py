"""Compilation of kernels by a separate process that ends afterwards, since the compiler keeps about 200 MB of memory.

`python -m verify.networks.training.ahead NAME PARENT` calls the kernel of that name once, on a network of one unit, unless the
process PARENT ends before; Numba keeps on disk what it makes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import torch

from verify.engine.work.processes import begin_worker, unheard_by_heirs
from verify.networks.training import curvatures, kernels, passes
from verify.networks.training.fused import compiled_kernel
from verify.networks.training.models import mlp

_ONE = torch.ones(1, 1)
_ROWS = torch.zeros(1, 1, dtype=torch.int64)
_EVERY = torch.ones(1, dtype=torch.bool)
_MODEL = mlp((1, 1, 1), 1, (1,))
_THETA = torch.zeros(1, _MODEL.dim)
_DRAWN = _ROWS, _ONE
_MAPS = _THETA[:, None]
_PATH = _MAPS, _MAPS, _MAPS, _ROWS, _ROWS[None], _ONE[None], torch.ones(1, dtype=torch.int64)

_BESIDE: Mapping[kernels.Make, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    kernels.taught: ((_ONE,), (_EVERY, _EVERY[None][:0], 1)),
    kernels.binary: ((_THETA, _ONE), (_EVERY, _EVERY)),
    kernels.hessian_product: ((_THETA,), ()),
    kernels.squared_gradients: ((), ()),
    kernels.gradient_norms: ((), ()),
    kernels.predicted: ((), (_EVERY,)),
}
"""Arguments of kernels after the models, and last arguments."""

_SAME: Mapping[kernels.Make, kernels.Make] = {kernels.gradient: kernels.taught}
"""Kernels that are special cases of another kernel -> that kernel."""


def ahead(make: kernels.Make) -> None:
    """Compile the kernel of `make` in a separate process, unless it is on disk or cannot be stored there."""
    _ahead(_SAME.get(make, make).__name__)


@cache
def _ahead(name: str) -> None:
    home = next(home for home in (passes, curvatures) if hasattr(home, name))
    folder = getattr(home, name).stats.cache_path
    if folder and not _on_disk(name, Path(folder)):
        print(f"networks: compiling {name}, once; it takes up to a minute", file=sys.stderr, flush=True)
        with unheard_by_heirs():
            compiler = subprocess.Popen([sys.executable, "-m", __name__, name, str(os.getpid())])
        try:
            compiler.wait()
        finally:
            compiler.kill()


def _on_disk(name: str, folder: Path) -> bool:
    """Whether a kernel and its walk were compiled after the last change of the passes.

    Both are checked: while another process compiles, only one of them may be on disk.
    """
    written = max(Path(str(home.__file__)).stat().st_mtime for home in (passes, curvatures))
    walk = f"{name}_walk"
    return all(
        any(file.stat().st_mtime >= written for file in folder.glob(f"*.{part}-*.nbc"))
        for part in ((name, walk) if hasattr(passes, walk) else (name,))
    )


def _call(name: str) -> None:
    make: kernels.Make = getattr(kernels, name)
    samples = kernels.Samples(torch.zeros(1, *_MODEL.image), torch.zeros(1, dtype=torch.int64))
    quick = compiled_kernel(make, _MODEL, samples)
    beside, rest = _BESIDE[make]
    quick.gradient(_THETA, *beside, *_DRAWN, *rest)
    if quick.walk is not None:
        quick.walk(_THETA, *beside, _PATH, *rest)


if __name__ == "__main__":
    begin_worker(int(sys.argv[2]))
    _call(sys.argv[1])
