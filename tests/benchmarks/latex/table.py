"""Numbers of formulas of the corpus that are read, refused with a question, or misread: `python -m
tests.benchmarks.latex.table`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import sympy as sp

from tests.benchmarks.latex.continual import REST
from tests.benchmarks.latex.corpus import CORPUS as FIRST
from tests.benchmarks.latex.federated import MORE
from tests.benchmarks.latex.formula import Formula
from tests.benchmarks.latex.rates import RATES
from tests.benchmarks.latex.styles import STYLES
from verify.latex.claims import read_formula
from verify.latex.errors import Unclear
from verify.latex.glossary import kinds
from verify.latex.printing import require_read_back

CORPUS = (*FIRST, *MORE, *REST, *RATES, *STYLES)


def same(one: Any, other: Any) -> bool:
    """Whether two relations are of one kind and have the same sides, up to the order and expansion of terms."""
    return type(one) is type(other) and all(
        sp.expand(left - right) == 0 for left, right in zip(one.args, other.args, strict=True)
    )


def outcome(formula: Formula) -> tuple[str, str]:
    """ "read", "refused" or "wrong", with the question of a refusal or the relation that was read."""
    try:
        reading = read_formula(formula.latex, kinds(formula.declared))
        require_read_back(reading)
    except Unclear as error:
        return "refused", error.question
    pairs = ((reading.relations, formula.claims), (reading.conditions, formula.conditions))
    right = all(len(a) == len(b) and all(map(same, a, b)) for a, b in pairs)
    return "read" if right else "wrong", str((*reading.relations, *reading.conditions))


def table(corpus: Iterable[Formula] = CORPUS) -> str:
    found = [(formula, *outcome(formula)) for formula in corpus]
    counts = Counter(kind for _, kind, _ in found)
    lines = [
        f"{kind:<10}{counts[kind]:>5}  {counts[kind] / len(found):.1%}"
        for kind in ("read", "refused", "wrong")
    ]
    details = [f"{kind}: {formula.latex}\n    {text}" for formula, kind, text in found if kind != "read"]
    return "\n".join([f"{len(found)} formulas", *lines, *details])


if __name__ == "__main__":
    print(table())
