"""Smaller certificates for the same claim, because every run checks all their lines again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from verify.check_proof import NUMBER, Proof, Refused, check
from verify.engine.certificates.recheck import Rejected, recheck

Way = Callable[[dict[str, Any]], dict[str, Any]]


def lightened(certificate: dict[str, Any], *ways: Way) -> dict[str, Any] | None:
    """A certificate shortened in several ways, as far as both checkers accept the result; None if they never do."""
    best: dict[str, Any] | None = None
    for lighter in ways:
        other = lighter(best or certificate)
        if other != best:
            best = checked(other) or best
    return best


def trimmed(certificate: dict[str, Any]) -> dict[str, Any]:
    """A certificate without unneeded lines and symbols."""
    lines = certificate["lines"]
    found = _in_order(lines, sorted(_used_facts(lines)))
    used = {part for line in found for part in _names(line)}
    symbols = {name: domain for name, domain in certificate["symbols"].items() if name in used}
    return {"symbols": symbols, "lines": found, "claim": certificate["claim"]}


def without_idle(certificate: dict[str, Any]) -> dict[str, Any]:
    """A certificate without unneeded assumptions, removed all at once, or otherwise one by one."""
    lines = certificate["lines"]
    named = {k for j, line in enumerate(lines) for k in _before(j, line)}
    idle = [k for k, line in enumerate(lines) if "given" in line and k not in named]
    shorter = _without(certificate, idle)
    if shorter is not None:
        return shorter
    for k in reversed(idle):
        certificate = _without(certificate, [k]) or certificate
    return certificate


def _without(certificate: dict[str, Any], dropped: Sequence[int]) -> dict[str, Any] | None:
    """A certificate without some lines, if both checkers accept it."""
    lines = certificate["lines"]
    kept = [k for k in range(len(lines)) if k not in dropped]
    found = {**certificate, "lines": _in_order(lines, kept)}
    used = {part for line in found["lines"] for part in _names(line)}
    symbols = {name: domain for name, domain in certificate["symbols"].items() if name in used}
    return checked({**found, "symbols": symbols})


def sparing(certificate: dict[str, Any]) -> dict[str, Any]:
    """A certificate that substitutes equations only in lines that need it, because each substitution recomputes all
    facts.
    """
    if _without_put(certificate["lines"]) == certificate["lines"]:
        return certificate
    proof, lines = Proof(certificate["symbols"]), list[dict[str, Any]]()
    try:
        for line in certificate["lines"]:
            plain: dict[str, Any] = _without_put(line)
            lines.append(plain if plain != line and _follows(proof, plain) else line)
            proof.run([lines[-1]])
    except Refused:
        return certificate
    return {**certificate, "lines": lines}


def _without_put(content: Any) -> Any:
    if isinstance(content, dict):
        return {name: _without_put(value) for name, value in content.items() if name != "put"}
    return [_without_put(part) for part in content] if isinstance(content, list) else content


def _follows(proof: Proof, line: dict[str, Any]) -> bool:
    """Whether a line follows from the facts before it."""
    try:
        with proof.aside():
            proof.run([line])
    except Refused:
        return False
    return True


def lemmas_first(certificate: dict[str, Any]) -> dict[str, Any]:
    """A certificate that begins with the lines that rest on no assumption, because every case recomputes all facts
    before it.
    """
    lines = certificate["lines"]
    free = set[int]()
    for k, line in enumerate(lines[:-1]):
        if "show" in line and free.issuperset(_before(k, line)):
            free.add(k)
    if not any("parts" in lines[k] for k in free):
        return certificate
    order = sorted(range(len(lines)), key=lambda k: k not in free)
    return {**certificate, "lines": _in_order(lines, order)}


def _in_order(lines: Sequence[dict[str, Any]], order: Sequence[int]) -> list[dict[str, Any]]:
    """Some lines in another order, with renumbered facts; facts within a line are numbered after those before it."""
    moved = {old: new for new, old in enumerate(order)}
    return [
        renumbered(lines[k], {old: moved[old] for old in range(k) if old in moved}, moved[k] - k)
        for k in order
    ]


def _before(k: int, line: dict[str, Any]) -> set[int]:
    """Facts before the line with this number to which it refers."""
    return {fact for fact in _references(line) if fact < k}


def checked(certificate: dict[str, Any]) -> dict[str, Any] | None:
    """A certificate if both checkers accept it, otherwise None."""
    try:
        check(certificate)
        recheck(certificate)
    except (Refused, Rejected):
        return None
    return certificate


def _used_facts(lines: Sequence[dict[str, Any]]) -> set[int]:
    """Facts on which the last line rests, and facts that show that formulas are defined."""
    found, waiting = set(), [len(lines) - 1]
    while waiting:
        k = waiting.pop()
        if k in found or not 0 <= k < len(lines):
            continue
        found.add(k)
        waiting += _before(k, lines[k])
        waiting += [j for j in range(k) if _guards(lines[j], lines[k])]
    return found


def _guards(earlier: dict[str, Any], later: dict[str, Any]) -> bool:
    """Whether a line gives the sign of a divisor, or of a radicand."""
    relation = earlier.get("show") or earlier["given"]
    if relation[0] not in ("<", ">", "!=", "<=", ">="):
        return False
    if "0" in relation[1:]:
        inside = [side for side in relation[1:] if not (isinstance(side, str) and NUMBER.fullmatch(side))]
        return any(side in list(_formulas(later)) for side in inside)
    return relation[0] in ("<", ">", "!=")


def _formulas(content: Any) -> Any:
    if isinstance(content, dict):
        for value in content.values():
            yield from _formulas(value)
    elif isinstance(content, list):
        yield content
        for part in content:
            yield from _formulas(part)
    else:
        yield content


def _references(content: Any) -> list[int]:
    if isinstance(content, dict):
        found = [k for value in content.values() for k in _references(value)]
        return found + list(content.get("put", ())) + ([content["every"]] if "every" in content else [])
    if isinstance(content, list):
        if len(content) == 2 and content[0] == "slack":
            return [content[1]]
        return [k for part in content for k in _references(part)]
    return []


def renumbered(content: Any, moved: Mapping[int, int], shift: int) -> Any:
    """Lines with renumbered facts: by the mapping `moved`, otherwise shifted by a number."""
    if isinstance(content, dict):
        changed = {name: renumbered(value, moved, shift) for name, value in content.items()}
        if "put" in content:
            changed["put"] = [moved.get(k, k + shift) for k in content["put"]]
        if "every" in content:
            changed["every"] = moved.get(content["every"], content["every"] + shift)
        return changed
    if isinstance(content, list):
        if len(content) == 2 and content[0] == "slack":
            return ["slack", moved.get(content[1], content[1] + shift)]
        return [renumbered(part, moved, shift) for part in content]
    return content


def _names(content: Any) -> set[str]:
    if isinstance(content, dict):
        return set().union(*(_names(value) for value in content.values()))
    if isinstance(content, list):
        return set().union(*map(_names, content)) if content else set()
    return {content} if isinstance(content, str) else set()
