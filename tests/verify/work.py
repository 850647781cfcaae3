"""Work for tests of backends: short, recorded in a file each time, and fatal on request."""

import os
import signal
import time
from pathlib import Path

from verify.engine.records.files import read_json, write_json


def noted(item, folder, seconds=0.05):
    """Twice the item, from its file if it is saved; otherwise computed and recorded in `folder / "log"`."""
    file = Path(folder) / f"{item}.json"
    if file.exists():
        return read_json(file)
    time.sleep(seconds)
    with (Path(folder) / "log").open("a") as log:
        log.write(f"{item}\n")
    write_json(file, {"item": item, "twice": 2 * item})
    return read_json(file)


def deadly(item, folder, lives):
    """As `noted`, but the worker of item 3 is killed `lives` times."""
    killed = sorted(Path(folder).glob("killed-*"))
    if item == 3 and len(killed) < lives:
        (Path(folder) / f"killed-{len(killed)}").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return noted(item, folder)


def threads_here(item):
    """The number of threads of matrix products in the calling process."""
    import torch
    from threadpoolctl import threadpool_info

    return [torch.get_num_threads(), *(pool["num_threads"] for pool in threadpool_info())]


def wrong(item):
    """Fails like work with a wrong argument."""
    from verify.engine.work.errors import UsageError

    raise UsageError(f"`item` must be nothing, got {item}")
