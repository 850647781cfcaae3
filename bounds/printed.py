"""Numbers as printed in a table: exact fractions with the unit of their last printed digit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Number:
    """One printed number.

    Attributes
    ----------
    value : Fraction
        Exactly the printed digits.
    digit : Fraction
        One unit of the last printed digit; the number before rounding differs by at most half a unit.
    deviation : Fraction
        The standard deviation printed beside it; 0 if none is printed.
    bold : bool
        Whether it is printed in bold.
    deviation_digit : Fraction
        One unit of the last printed digit of the deviation.
    """

    value: Fraction
    digit: Fraction
    deviation: Fraction = Fraction(0)
    bold: bool = False
    deviation_digit: Fraction = Fraction(0)


@dataclass(frozen=True)
class Result:
    """Accuracy and forgetting of one experiment."""

    acc: Number
    forget: Number


def number(text: str) -> Number:
    """A printed number: ``65.02``, with a deviation ``65.02±6.22``, in bold ``*65.02±6.22``.

    Raises
    ------
    ValueError
        If the text is not a number.
    """
    mean, _, deviation = text.removeprefix("*").partition("±")
    try:
        return Number(
            Fraction(mean),
            _last_digit(mean),
            Fraction(deviation or 0),
            text.startswith("*"),
            _last_digit(deviation),
        )
    except ValueError:
        raise ValueError(f"`text` must be a number like 65.02, 65.02±6.22 or *65.02, got {text!r}") from None


def _last_digit(text: str) -> Fraction:
    return Fraction(1, 10 ** len(text.partition(".")[2]))


def rows(text: str) -> Mapping[str, tuple[Number, ...]]:
    """Name and numbers of each line; a name has no spaces."""
    words = (line.split() for line in text.strip().splitlines())
    return {name: tuple(map(number, numbers)) for name, *numbers in words}


def results(columns: Sequence[tuple[Any, ...]], text: str) -> Mapping[tuple[Any, ...], Result]:
    """Results by (column, method), from lines that hold a method's name and pairs of accuracy and forgetting."""
    return {
        (*column, method): Result(*numbers[2 * k : 2 * k + 2])
        for method, numbers in rows(text).items()
        for k, column in enumerate(columns)
    }
