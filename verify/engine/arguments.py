"""Readers of numbers for command lines; what is wrong is said with the name, the rule and the value."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from fractions import Fraction

from verify.engine.errors import UsageError


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


def number_in(text: str, where: str) -> float | int:
    """A whole number, a decimal, or a fraction of two, as in ``1/8``; `where` is what the message quotes."""
    try:
        top, _, bottom = text.partition("/")
        value = Fraction(top) / Fraction(bottom) if bottom else Fraction(top)
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"{text!r} in {where!r} must be a number such as 5, 0.01, 1/8 or 1e4") from None
    return int(value) if value.denominator == 1 else float(value)
