"""Large reports: the details of statements and the graphs of proofs as one compressed text, which a script expands.

A template marks the parts that may be packed with ``data-pack`` on a `noscript` or a `div` and a comment at its end.

Gzip finds a repetition only within 32 kilobytes. Drawings, files and formulas therefore stand in lists of their own, where
each is near its like: this saves a sixth of the compressed text.
"""

from __future__ import annotations

import base64
import gzip
import json
import re

MOST = 6_000_000
"""Up to this number of characters a report is readable without scripts; in longer ones, details are packed."""
_PLACE = re.compile(r"(<(noscript|div) data-pack)>(.*?)<!--end of pack--></\2>", re.S)
_LIKE = re.compile(r"<(svg|template|math)\b.*?</\1>", re.S)
_PLACEHOLDER = re.compile(r"<(svg|template|math)/>")
_NOTE = "Needs JavaScript."
SLOT = "<!--packed details-->"
"""Place of the compressed text."""


def packed(page: str, most: int = MOST) -> str:
    """The page with its marked parts compressed if it is longer than `most` characters, otherwise without marks only."""
    if len(page) <= most:
        return _PLACE.sub(lambda found: f"<{found[2]}>{found[3]}</{found[2]}>", page).replace(SLOT, "")
    parts: list[str] = []

    def reference_to_part(found: re.Match[str]) -> str:
        parts.append(found[3])
        return f'{found[1]}="{len(parts) - 1}">{_NOTE}</{found[2]}>'

    rest = _PLACE.sub(reference_to_part, page)
    content = json.dumps(_sorted(parts), ensure_ascii=False).encode()
    text = base64.b64encode(gzip.compress(content, mtime=0)).decode()
    return rest.replace(SLOT, f'<script type="text/plain" id="packed">{text}</script>')


def _sorted(parts: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """The parts with placeholders for drawings, files and formulas, and these by their tag in the order of the parts."""
    like: dict[str, list[str]] = {}

    def placeholder(found: re.Match[str]) -> str:
        like.setdefault(found[1], []).append(found[0])
        return f"<{found[1]}/>"

    return [_LIKE.sub(placeholder, part) for part in parts], like


def unpacked(page: str) -> str:
    """A page with its compressed parts in their places again."""
    held = re.search(r'<script type="text/plain" id="packed">([^<]*)</script>', page)
    if held is None:
        return page
    short, like = json.loads(gzip.decompress(base64.b64decode(held[1])))
    pieces = {name: iter(found) for name, found in like.items()}
    parts = [_PLACEHOLDER.sub(lambda found: next(pieces[found[1]]), part) for part in short]
    place = re.compile(r'<(noscript|div) data-pack="(\d+)">[^<]*</\1>')
    return place.sub(
        lambda found: f"<{found[1]}>{parts[int(found[2])]}</{found[1]}>", page.replace(held[0], "")
    )
