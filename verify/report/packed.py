"""Large reports: the details of statements and the graphs of proofs as one compressed text, which a script expands.

A template marks the parts that may be packed with ``data-pack`` on a `noscript` or a `div` and a comment at its end.
"""

from __future__ import annotations

import base64
import gzip
import json
import re

MOST = 6_000_000
"""Up to this number of characters a report is readable without scripts; in longer ones, details are packed."""
_PLACE = re.compile(r"(<(noscript|div) data-pack)>(.*?)<!--end of pack--></\2>", re.S)
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
    text = base64.b64encode(gzip.compress(json.dumps(parts).encode(), mtime=0)).decode()
    return rest.replace(SLOT, f'<script type="text/plain" id="packed">{text}</script>')


def unpacked(page: str) -> str:
    """A page with its compressed parts in their places again."""
    held = re.search(r'<script type="text/plain" id="packed">([^<]*)</script>', page)
    if held is None:
        return page
    parts = json.loads(gzip.decompress(base64.b64decode(held[1])))
    place = re.compile(r'<(noscript|div) data-pack="(\d+)">[^<]*</\1>')
    return place.sub(
        lambda found: f"<{found[1]}>{parts[int(found[2])]}</{found[1]}>", page.replace(held[0], "")
    )
