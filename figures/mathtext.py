"""LaTeX of the glossaries, as Matplotlib's mathtext understands it."""

from __future__ import annotations

import re

import sympy as sp

from bounds.symbols import Glossary


def math(latex: str) -> str:
    """``$...$`` with the braces that mathtext wants around every argument."""
    braced = re.sub(r"\\(mathbb|mathcal)\s*([A-Za-z])", r"\\\1{\2}", latex)
    braced = re.sub(r"\\frac\s*(\w)\s*(\w)", r"\\frac{\1}{\2}", braced)
    return f"${braced}$"


def symbol(glossary: Glossary, name: str) -> str:
    """A quantity's letter."""
    return math(glossary[name].latex)


def formula(glossary: Glossary, expression: sp.Basic) -> str:
    """An expression in a paper's letters."""
    return math(glossary.latex(expression))


def setting(glossary: Glossary, name: str, value: float) -> str:
    """``letter = value`` to three digits."""
    return math(rf"{glossary[name].latex} = {number(value)}")


def settings(glossary: Glossary, values: dict[str, float]) -> str:
    """All values, those of unknown letters under their plain name."""
    return ", ".join(
        setting(glossary, name, value) if name in glossary else f"{name} = {value:.3g}" for name, value in values.items()
    )


def number(value: float) -> str:
    """A number to three digits, powers of ten written out."""
    text = f"{value:.3g}"
    if "e" not in text:
        return text
    digits, power = text.split("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}"


def wrapped(text: str, width: int) -> str:
    """Text in lines of at most `width` visible characters; formulas stay in one piece."""
    lines: list[list[str]] = [[]]
    for word in re.findall(r"(?:\$[^$]*\$|\S)+", text):
        if lines[-1] and _visible(" ".join([*lines[-1], word])) > width:
            lines.append([])
        lines[-1].append(word)
    return "\n".join(" ".join(line) for line in lines)


def _visible(text: str) -> int:
    return len(re.sub(r"\\[A-Za-z]+|[${}_^\\]", "", re.sub(r"\\(?:gamma|lambda|sigma|nabla|theta)", "x", text)))
