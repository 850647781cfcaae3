"""Pools of certificates: each certificate is stored once, under its digest, and other files refer to it by the digest."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from verify.engine.records.files import in_one_piece

Certificate = Mapping[str, Any]
Pool = Mapping[str, Certificate]
"""Certificates by their digests."""

NAMED = "certificate of digest"
"""The entry that replaces a certificate: this text, and the digest of the certificate."""


def digest(content: Any) -> str:
    """Digest of plain JSON."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:20]


def form(certificate: Mapping[str, Any]) -> str:
    """Digest of the mathematical content of a certificate, independent of the names of symbols and of justifications."""
    symbols, names = certificate["symbols"], dict[str, str]()
    if any(" " in domain for domain in symbols.values()):  # a family is named after its size
        return digest(certificate)

    def renamed(part: Any) -> Any:
        if isinstance(part, Mapping):
            return {key: renamed(value) for key, value in part.items() if key != "by"}
        if isinstance(part, list):
            head = part[:1] if part and isinstance(part[0], str) else []
            return [*head, *map(renamed, part[len(head) :])]
        return names.setdefault(part, f"#{len(names)}") if part in symbols else part

    said = renamed([certificate["lines"], certificate["claim"]])
    return digest([said, {new: symbols[name] for name, new in names.items()}])


def pool_of(certificates: Iterable[Certificate]) -> dict[str, Certificate]:
    """Certificates by their digests."""
    return {digest(certificate): certificate for certificate in certificates}


def apart(content: Any) -> tuple[Any, dict[str, Certificate]]:
    """Plain JSON with every certificate replaced by its digest, and the certificates."""
    pool: dict[str, Certificate] = {}

    def named(part: Any) -> Any:
        if isinstance(part, Mapping):
            if {"symbols", "lines", "claim"} <= part.keys():
                name = digest(part)
                pool[name] = part
                return {NAMED: name}
            return {key: named(value) for key, value in part.items()}
        return [named(value) for value in part] if isinstance(part, list | tuple) else part

    return named(content), pool


def names_in(content: Any) -> set[str]:
    """Digests of the certificates to which the content refers."""
    if isinstance(content, Mapping):
        found = {content[NAMED]} if NAMED in content else set()
        return found.union(*map(names_in, content.values()))
    return set().union(*map(names_in, content)) if isinstance(content, list) else set()


def together(content: Any, pool: Pool) -> Any:
    """The content with its certificates inserted again: the inverse of `apart`.

    Raises
    ------
    KeyError
        If a certificate is not in the pool.
    """
    if isinstance(content, Mapping):
        if NAMED in content:
            return pool[content[NAMED]]
        return {key: together(value, pool) for key, value in content.items()}
    return [together(value, pool) for value in content] if isinstance(content, list) else content


def write_pool(path: Path, pool: Pool) -> None:
    """Write a pool, compressed and atomically; equal certificates give equal bytes."""
    lines = (f'"{name}":{json.dumps(pool[name], separators=(",", ":"))}' for name in sorted(pool))
    with in_one_piece(path, "wb") as stream:
        stream.write(lzma.compress(("{" + ",\n".join(lines) + "}\n").encode(), preset=9))


class _Written(Mapping[str, Certificate]):
    """A pool written by `write_pool`. Certificates are read on demand. A certificate that is not stored under its own digest
    is ignored.
    """

    def __init__(self, text: str) -> None:
        lines = text.removeprefix("{").removesuffix("}\n").split(",\n")
        self._texts = {name: said for name, mark, said in (line.partition(":") for line in lines) if mark}
        self._read: dict[str, Certificate] = {}

    def __getitem__(self, name: str) -> Certificate:
        if name not in self._read:
            certificate: Certificate = json.loads(self._texts[json.dumps(name)])
            if digest(certificate) != name:
                raise KeyError(name)
            self._read[name] = certificate
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in map(json.loads, self._texts) if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def read_pool(path: Path) -> Pool:
    """The pool in a file; empty if there is no file."""
    return _Written(lzma.decompress(path.read_bytes()).decode()) if path.is_file() else {}


__all__ = ["Pool", "apart", "digest", "form", "names_in", "pool_of", "read_pool", "together", "write_pool"]
