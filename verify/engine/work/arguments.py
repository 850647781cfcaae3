"""Parsers of numbers on command lines. Errors state the name, the rule and the value."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from difflib import get_close_matches
from fractions import Fraction
from typing import NoReturn

from verify.engine.work.errors import UsageError
from verify.engine.work.messages import message

_MISTYPED = re.compile(r"unrecognized arguments: ([^\s=]+)|invalid choice: '([^']*)'")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are short: the mistake with a suggestion, and the command that prints all options."""

    def error(self, text: str) -> NoReturn:
        found = _MISTYPED.search(text)
        known = [
            *(option for action in self._actions for option in action.option_strings),
            *(str(choice) for action in self._actions for choice in action.choices or ()),
        ]
        close = get_close_matches(found.group(1) or found.group(2), known, n=1) if found else []
        message(f"{self.prog}: {text}" + (f"; did you mean {close[0]}?" if close else ""))
        message(f"`{self.prog} --help` lists all options")
        raise SystemExit(2)


def positive(name: str) -> Callable[[str], float]:
    """Parser of a number > 0."""

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
    """Parser of a whole number >= `least`."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"`{name}` must be a whole number >= {least}, got {text!r}")
        return int(text)

    return read


def number_in(text: str, where: str) -> float | int:
    """A whole number, a decimal, or a fraction such as ``1/8``; error messages quote `where`."""
    top, sign, bottom = text.partition("/")
    try:
        value = _fraction(top) / _fraction(bottom) if sign else _fraction(top)
        size = float(value)
        return int(value) if value.denominator == 1 else size
    except (ValueError, ZeroDivisionError, OverflowError):
        rule = "a number such as 5, 0.01, 1/8 or 1e4, below 1e308"
        raise UsageError(f"{text!r} in {where!r} must be {rule}") from None


def _fraction(text: str) -> Fraction:
    """A number without rounding. It is read as a float first, as a fraction would write out all digits of 1e999999999."""
    size = float(text)
    if not math.isfinite(size):
        raise ValueError(text)
    return Fraction(text) if size else Fraction(0)
