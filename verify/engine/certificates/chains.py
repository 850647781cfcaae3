"""Chains: a claim that is the sum of what is given, as a <= c is of a <= b and b <= c."""

from __future__ import annotations

from itertools import product

from verify.engine.certificates.draft import Draft
from verify.engine.certificates.formulas import Tree

EQUATIONS = 3
"""Most equations in a chain; each may be read in two ways."""


def by_chain(draft: Draft, claim: Tree) -> bool:
    """Try the sum of all premises, which is quick to check where their denominators differ; whether it is the claim."""
    given = [k for k, line in enumerate(draft.lines) if line.get("by") == "premise" and k not in draft.put]
    equations = [k for k in given if draft.lines[k]["given"][0] == "="]
    if len(given) < 2 or len(equations) > EQUATIONS or claim[0] not in ("<=", ">="):
        return False
    links = [["slack", k] for k in given if k not in equations]
    for turned in product((False, True), repeat=len(equations)):
        ends = [
            ["-", ["slack", k]] if turn else ["slack", k] for k, turn in zip(equations, turned, strict=True)
        ]
        if draft.close(claim, ["+", *links, *ends]):
            return True
    draft.tried.add("the sum of all premises")
    return False
