"""What the letters of formulas mean, from the glossaries of the papers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bounds.symbols import Quantity
from verify.report.entries import Entry

_BACK = re.compile(r"\b(?:same|these|those|it|its|them|their|both)\b|\bthat \w+$")


def letters(found: Iterable[Entry]) -> tuple[Quantity, ...]:
    """Letters of statements of one paper and their conditions, in the order of its glossary.

    A meaning that points back ("the same one round later") has the letter before it in the glossary with it.
    """
    known = [entry for entry in found if entry.statement is not None]
    if not known:
        return ()
    names = {
        symbol.name
        for entry in known
        if entry.statement is not None
        for symbol in (*entry.statement.symbols, *(s for c in entry.conditions for s in c.free_symbols))
    }
    assert known[0].statement is not None
    chosen: list[Quantity] = []
    wanted = False
    for name, letter in reversed(list(known[0].statement.glossary.items())):
        if wanted or name in names:
            chosen.append(letter)
            wanted = bool(_BACK.search(letter.meaning))
    return tuple(reversed(chosen))
