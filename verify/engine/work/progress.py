"""Progress of a long run: finished items, the last finding, and the remaining time."""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import TextIO

EVERY = 10.0
"""Seconds between two lines in a file or a pipe."""
RECENT = 50
"""The remaining time is estimated from this many last items, because sentences on networks take far longer than others."""


class Progress:
    """Progress lines: on a terminal one line that is overwritten, elsewhere one line every few seconds and a last one."""

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self._total, self._done, self._start = total, 0, time.monotonic()
        self._printed = self._start
        self._recent = deque([self._start], maxlen=RECENT)
        self._stream = stream or sys.stderr

    def expect(self, more: int) -> None:
        """Announce further items."""
        self._total += more

    def tell(self, text: str) -> None:
        """Report that one more item is done."""
        self._done += 1
        now = time.monotonic()
        self._recent.append(now)
        each = (now - self._recent[0]) / (len(self._recent) - 1)
        left = each * (self._total - self._done)
        line = f"[{self._done}/{self._total}] {text}" + (
            f", about {duration(left)} left" if left >= 1 else ""
        )
        if self._stream.isatty():
            end = "\n" if self._done == self._total else ""
            width = shown_width(self._stream)
            short = line if len(line) <= width else f"{line[: width - 3]}..."
            print(f"\r\x1b[K{short}", end=end, file=self._stream, flush=True)
        elif self._done == self._total or now - self._printed >= EVERY:
            self._printed = now
            print(line, file=self._stream, flush=True)


def shown_width(stream: TextIO) -> int:
    """Characters that fit on one line of a terminal."""
    import os

    try:
        return os.get_terminal_size(stream.fileno()).columns - 1
    except OSError:
        return 79


def duration(seconds: float) -> str:
    """A duration in words."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
