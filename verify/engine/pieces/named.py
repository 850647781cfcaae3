"""Lines of certificates whose slacks name the facts themselves, so that a search need not know their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verify.engine.certificates.formulas import Tree

Line = dict[str, Any]
"""A line in which ["slack", R] is the large minus the small side of the fact R."""


def numbered(lines: Sequence[Line], facts: list[Tree]) -> list[dict[str, Any]]:
    """Lines without those that repeat a fact, in which slacks have numbers of facts."""
    found = []
    for line in lines:
        if line["show"] in facts and line is not lines[-1]:
            continue
        if "parts" in line:
            by = line["split"]
            cases = [["<=", by, "0"], [">", by, "0"]]
            inside = [numbered(p, [*facts, c]) for p, c in zip(line["parts"], cases, strict=True)]
            found.append({**line, "parts": inside})
        else:
            found.append({**line, "as": _with_numbers(line["as"], facts)})
        facts.append(line["show"])
    return found


def _with_numbers(formula: Tree, facts: Sequence[Tree]) -> Tree:
    match formula:
        case ["slack", relation]:
            return ["slack", facts.index(relation)]
        case [head, *inside]:
            return [head, *(_with_numbers(part, facts) for part in inside)]
    return formula
