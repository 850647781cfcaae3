"""LaTeX of the glossaries, as Matplotlib's mathtext understands it."""

from __future__ import annotations

import re

from bounds.symbols import Glossary


def math(latex: str) -> str:
    """``$...$`` with the braces that mathtext wants around every argument."""
    braced = re.sub(
        r"\\(mathbb|mathcal|mathbf)\s*([A-Za-z])", r"\\\1{\2}", latex.replace(r"\tfrac", r"\frac")
    )
    braced = re.sub(r"\\frac\s*(\w)", r"\\frac{\1}", braced)
    braced = re.sub(r"(\\frac\{\w\})\s*(\w)", r"\1{\2}", braced)
    braced = re.sub(r"\\(le|ge)(?![a-z])", r"\\\1q", braced)
    return f"${braced}$"


def displayed(latex: str) -> str:
    """As `math`, with fractions in full size."""
    return math(latex).replace(r"\frac", r"\dfrac")


def inline(latex: str) -> str:
    """As `math`, with fractions written on the line, for text."""
    found = re.search(r"\\frac", latex)
    if not found:
        return math(latex)
    top, after = _argument(latex, found.end())
    bottom, end = _argument(latex, after)
    flat = f"{_grouped(top, _SUM)} / {_grouped(bottom, _PRODUCT)}"
    if not _ENDS_PRODUCT.match(latex, end):
        flat = rf"\left({flat}\right)"
    return inline(latex[: found.start()] + flat + latex[end:])


def _argument(latex: str, start: int) -> tuple[str, int]:
    """The braced argument that begins at `start`, and where it ends."""
    depth = 0
    for end in range(start, len(latex)):
        depth += {"{": 1, "}": -1}.get(latex[end], 0)
        if depth == 0:
            return latex[start + 1 : end], end + 1
    raise ValueError(f"a brace is not closed in {latex!r}")


_SUM = re.compile("[+-]")
_PRODUCT = re.compile(r"[+-]|\s")
_ENDS_PRODUCT = re.compile(r"\s*($|[-+=<>,;)}]|\\right|\\leq|\\geq)")
"""What may follow `a / b` without a reader taking it for a part of the denominator."""


def _grouped(latex: str, joined: re.Pattern[str]) -> str:
    """In parentheses, if it is joined from parts outside all braces and parentheses."""
    outside = re.sub(r"\\left|\\right", "", latex).strip()
    for innermost in (r"\{[^{}]*\}", r"\([^()]*\)"):
        while re.search(innermost, outside):
            outside = re.sub(innermost, "x", outside)
    return rf"\left({latex}\right)" if joined.search(outside) else latex


def symbol(glossary: Glossary, name: str) -> str:
    """A quantity's letter."""
    return math(glossary[name].latex)


def setting(glossary: Glossary, name: str, value: float) -> str:
    """``letter = value`` to three digits."""
    return math(rf"{glossary[name].latex} = {number(value)}")


def settings(glossary: Glossary, values: dict[str, float]) -> str:
    """All values, those of unknown letters under their plain name."""
    return ", ".join(
        setting(glossary, name, value) if name in glossary else f"{name} = {value:.3g}"
        for name, value in values.items()
    )


def number(value: float) -> str:
    """A number to three digits, powers of ten written out."""
    text = f"{value:.3g}"
    if "e" not in text:
        return text
    digits, power = text.split("e")
    factor = "" if digits == "1" else rf"{digits} \cdot "
    return rf"{factor}10^{{{int(power)}}}"


def lines_of(text: str, width: int) -> str:
    """Text in lines of at most `width` visible characters; formulas stay in one piece."""
    lines: list[list[str]] = [[]]
    for word in re.findall(r"(?:\$[^$]*\$|\S)+", text):
        if lines[-1] and _visible(" ".join([*lines[-1], word])) > width:
            lines.append([])
        lines[-1].append(word)
    return "\n".join(" ".join(line) for line in lines)


def _visible(text: str) -> int:
    return len(
        re.sub(r"\\[A-Za-z]+|[${}_^\\]", "", re.sub(r"\\(?:gamma|lambda|sigma|nabla|theta)", "x", text))
    )
