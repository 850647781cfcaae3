"""Sums of inner products in the language of certificates, evaluated at given vectors."""

from __future__ import annotations

from typing import Any

import numpy as np


def value(tree: Any, known: dict[str, Any]) -> Any:
    """A number, a vector (n,) or a family (M, n)."""
    match tree:
        case str(name):
            return known[name] if name in known else float(name)
        case ["dot", u, v]:
            return value(u, known) @ value(v, known)
        case ["each", _, u, v]:
            return (value(u, known) * value(v, known)).sum()
        case ["total", u]:
            return value(u, known).sum(axis=0)
        case [head, *parts]:
            numbers = [value(part, known) for part in parts]
            if head == "+":
                return sum(numbers)
            if head == "-":
                return -numbers[0] if len(numbers) == 1 else numbers[0] - numbers[1]
            if head == "*":
                return (
                    np.prod(np.array(numbers[:-1])) * numbers[-1]
                    if np.ndim(numbers[-1])
                    else np.prod(numbers)
                )
            if head in "/^":
                return numbers[0] / numbers[1] if head == "/" else numbers[0] ** numbers[1]
    raise ValueError(f"`tree` must be a formula, got {tree}")
