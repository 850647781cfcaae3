"""Sizes besides those that a scene lists."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from verify.engine.model.scene import Shape


def grown(shapes: Sequence[Shape], steps: int = 2) -> list[Shape]:
    """Sizes besides the listed ones: each varying size takes missing values between the listed ones, and values above the
    largest, one at a time.

    Properties common to all listed shapes are preserved: equal sizes grow together, the order of two sizes is kept, and
    switches (sizes that may be 0) and constant sizes do not change.
    """
    names = [name for name in shapes[0] if min(s[name] for s in shapes) > 0] if shapes else []
    pairs = [(a, b) for a in names for b in names if a != b]
    alike = {name: [b for a, b in pairs if a == name and all(s[a] == s[b] for s in shapes)] for name in names}
    ordered = [
        (a, b, any(s[a] == s[b] for s in shapes)) for a, b in pairs if all(s[a] <= s[b] for s in shapes)
    ]
    found: list[Shape] = []
    for name in names:
        largest, listed = max(shapes, key=lambda s: s[name]), {s[name] for s in shapes}
        if len(listed) == 1:
            continue
        between = (size for size in range(min(listed), largest[name]) if size not in listed)
        above = range(largest[name] + 1, largest[name] + steps + 1)
        for size in (*islice(between, steps), *above):
            shape = {**largest, **dict.fromkeys((name, *alike[name]), size)}
            kept = all(shape[a] <= shape[b] if equal else shape[a] < shape[b] for a, b, equal in ordered)
            if kept and shape not in found and shape not in shapes:
                found.append(shape)
    return found
