"""Readers of numbers for command lines; what is wrong is said with the name, the rule and the value."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def positive(name: str) -> Callable[[str], float]:
    """Reader of a number > 0."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"`{name}` must be a number > 0, got {text!r}")
        return value

    return read


def whole(name: str, least: int) -> Callable[[str], int]:
    """Reader of a whole number from `least` on."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"`{name}` must be a whole number >= {least}, got {text!r}")
        return int(text)

    return read
