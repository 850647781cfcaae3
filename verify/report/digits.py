"""Text for the two sides of a relation, with as many digits as they need to look different."""

from __future__ import annotations

from collections.abc import Callable


def finite(value: float | None, digits: int) -> str:
    """A number with so many digits; None is infinity."""
    return "infinite" if value is None else f"{value:.{digits}g}"


def distinct(write: Callable[[int], tuple[str, str]]) -> tuple[str, str]:
    """Two numbers with six digits, or with as many more as they need to look different; a float has 17."""
    for digits in range(6, 17):
        left, right = write(digits)
        if left != right:
            return left, right
    return write(17)


def instance_text(left: float | None, sign: str, right: float | None, numbers: str) -> str:
    """A counterexample: both sides, and its numbers.

    Sides that are the same float break a strict inequality, or differ beyond 17 digits.
    """
    small, large = distinct(lambda digits: (finite(left, digits), finite(right, digits)))
    alike = small == large
    beyond = " (the first 17 digits agree)" if alike and left and sign != "=" else ""
    sign = ">=" if alike and sign == ">" else sign
    return f"counterexample: {small} {sign} {large}{beyond}{f' with {numbers}' if numbers else ''}"
