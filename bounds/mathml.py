"""Formulas in LaTeX as MathML, which browsers and notebooks draw without a library.

Browsers draw letters of a special alphabet only by their own code points, so `mathvariant` is replaced by these code points.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_ALPHABETS = {
    "double-struck": ("DOUBLE-STRUCK", "MATHEMATICAL DOUBLE-STRUCK"),
    "script": ("SCRIPT", "MATHEMATICAL SCRIPT"),
    "bold": ("MATHEMATICAL BOLD",),
    "bold-italic": ("MATHEMATICAL BOLD ITALIC",),
}


@cache
def mathml(latex: str) -> str:
    """A formula as MathML."""
    from latex2mathml.converter import convert  # loading it takes longer than loading a paper

    readable = latex.replace(r"\arg", r"\operatorname{arg}").replace(r"\_", r"\text{_}")
    text = convert(readable).replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
    text = text.replace(' display="inline"', "").replace(' fence="false"', "").replace("&#x02062;", "")
    text = re.sub(r'<mi mathvariant="([a-z-]+)">(\w)</mi>', _letter, text)
    text = re.sub(r"<mrow>(<(m[ino])\b[^>]*>[^<]*</\2>)</mrow>", r"\1", text)
    return text.replace('<mo stretchy="true" fence="true" ', "<mo ")


def _letter(match: re.Match[str]) -> str:
    alphabet, letter = match.groups()
    if alphabet not in _ALPHABETS or not letter.isascii():
        return match.group()
    kind = "DIGIT" if letter.isdigit() else "CAPITAL" if letter.isupper() else "SMALL"
    for prefix in _ALPHABETS[alphabet]:
        word = unicodedata.name(letter).split()[-1]
        try:
            return f"<mi>{unicodedata.lookup(f'{prefix} {kind} {word}')}</mi>"
        except KeyError:
            continue
    return match.group()
