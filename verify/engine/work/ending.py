"""The end of a command: an error or a stop is reported in one line and by the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import TracebackType

from verify.engine.work.errors import UsageError
from verify.engine.work.extras import remedy
from verify.engine.work.messages import message
from verify.engine.work.processes import Terminated, heed_termination

NO_MEMORY = (
    "out of memory",
    "allocate memory",
    "failed to map segment",
    "thread: Resource temporarily unavailable",
)
"""Messages of libraries that could not allocate memory."""

NEEDED = (3, 10)
"""The oldest supported Python; checked here, because other modules of the toolkit do not load in older ones."""


def heard_from_the_start(name: str) -> None:
    """Report in one line that a command was stopped, even while its modules load. Packages with commands call this first.

    Other programs that import the package keep Python's own messages: the command line begins with "-m" only while Python
    looks for the module that ``python -m`` runs.
    """
    if sys.argv[:1] != ["-m"]:
        return
    otherwise = sys.excepthook

    def say(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            message(f"{name}: interrupted; nothing had begun")
            raise SystemExit(130)
        otherwise(kind, error, trace)

    sys.excepthook = say


def exit_status(name: str, command: Callable[[], int], mended: type[Exception], again: str) -> int:
    """The exit status of a command: its own, 2 for an error that the user can correct, 130 or 143 if stopped, 141 if its
    output pipe was closed.

    Parameters
    ----------
    name : str
        Name of the program, with which the line begins.
    mended : type
        Errors that a user can correct, besides errors of the operating system.
    again : str
        Advice for the user who stopped it.
    """
    heed_termination()
    try:
        if sys.version_info < NEEDED:
            raise UsageError(
                f"needs Python {'.'.join(map(str, NEEDED))} or newer; this is {sys.version.split()[0]}"
            )
        status = command()
        sys.stdout.flush()  # a closed pipe is noticed here, not while Python shuts down
        return status
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough. Python would complain about the lost output when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (UsageError, mended) as error:
        said = str(error)
    except MemoryError as error:
        said = f"out of memory ({error}); fewer --jobs need less".replace(" ()", "")
    except OSError as error:
        said = f"{error.filename or 'the system'}: {error.strerror or error}"
    except (RuntimeError, ImportError) as error:
        if isinstance(error, ImportError) and (needed := remedy(error)):
            message(f"{name}: {needed}")
            return 2
        if not any(words in str(error) for words in NO_MEMORY):
            raise
        said = f"out of memory ({str(error).splitlines()[0]}); fewer --jobs need less"
    except KeyboardInterrupt as error:
        message(f"{name}: interrupted; {again}")
        return 143 if isinstance(error, Terminated) else 130
    for line in said.splitlines():
        message(f"{name}: {line}")
    return 2
