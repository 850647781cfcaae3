"""Kinds of symbols: the declarations of a paper, and defaults for common names that it does not declare."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property

import sympy as sp

from bounds.symbols import DOMAINS
from verify.latex.errors import Unclear
from verify.latex.macros import raw_tokens

KINDS: Mapping[str, str] = {
    "count": "a whole number of at least 1",
    "index": "a whole number that counts clients, rounds or steps",
    "positive": "a number > 0",
    "nonnegative": "a number >= 0",
    "real": "any real number",
    "vector": "a vector, or an iterate with indices",
    "loss": "a function of a vector",
    "map": "a function from vectors to vectors, such as a compressor",
    "set": "a set, a distribution or what is known",
    "constant": "the number \\pi or e",
    "expectation": "the expectation operator",
}
"""Every kind of symbol, in words."""
NUMBERS = ("count", "index", "positive", "nonnegative", "real")
_DEFAULTS: Mapping[str, str] = {
    "count": r"N M K T E n m d",
    "index": r"i j k t s r \tau",
    "positive": r"L \mu \eta \gamma \alpha \beta \epsilon \varepsilon \delta \lambda \rho \kappa",
    "nonnegative": r"\sigma \zeta G D",
    "vector": r"x y z w u v g \theta \omega \xi",
    "loss": r"f F \ell \mathcal{L}",
    "set": r"\mathcal{F} \mathcal{S} \mathcal{D} \mathcal{B} \mathcal{C} \mathcal{X}",
    "constant": r"\pi",
}
DEFAULTS: Mapping[str, str] = {name: kind for kind, names in _DEFAULTS.items() for name in names.split()}
"""Default kind of each common name. Names that papers use for several kinds (a, b, c, e, p, q, B, R, A, C) have none."""
CLASH: Mapping[str, str] = {
    "E": "a count of local steps or the expectation",
    "B": "a batch size, a bound or a ball",
    "R": "a count of rounds or a radius",
    "e": "Euler's number or an index",
    "S": "a set or a count",
    "H": "a count of steps or a matrix",
    "h": "a function or a step size",
    "p": "a probability or a count",
    "C": "a constant or a set",
}
STEP_SIZES = (r"\eta", r"\gamma")
"""Common names of step sizes: ``\\eta^t`` may be a power or the step size of round t."""
CONSTANTS: Mapping[str, sp.Expr] = {r"\pi": sp.pi, "e": sp.E}
_ACCENT = re.compile(r"\\(bar|hat|tilde|widehat|widetilde|vec|dot|check|overline|underline)\{(.*)\}$")
_LEAST = re.compile(r"[_^]\{(?:\\star|\\mathrm\{(?:inf|min)\})\}$")
_BOLD = re.compile(r"\\(?:mathbf|bm|boldsymbol)\{(.*)\}$")


@dataclass(frozen=True)
class Entry:
    """Kind of a name.

    Attributes
    ----------
    kind : str
        A key of `KINDS`.
    default : bool
        Whether the kind is a default of `DEFAULTS` rather than declared.
    low, high : str
        LaTeX of the declared range of an index; empty if none is declared.
    symbol : str
        SymPy name of the symbol, where it differs from `ascii_name`.
    sequence : bool
        Whether a number is declared as a sequence, so that a_0 is one of its entries. Without this declaration, the
        reader asks what a_0 beside a_t means.
    """

    kind: str
    default: bool = False
    low: str = ""
    high: str = ""
    symbol: str = ""
    sequence: bool = False


@dataclass(frozen=True)
class Kinds:
    """Declared kinds by LaTeX name. A common name that is not declared has its default kind."""

    declared: Mapping[str, Entry]

    @cached_property
    def formulas(self) -> Mapping[tuple[str, ...], str]:
        """Raw tokens of each declared name -> name. With these, a declared formula in square brackets such as [1-p] is one symbol."""
        return {tuple(raw.text for raw in raw_tokens(name)): name for name in self.declared}

    def entry(self, name: str) -> Entry | None:
        """Kind of a name; None if it has none.

        A letter with an accent or prime has the kind of the letter, and a bold letter is a vector if the plain one is.
        """
        if name in self.declared:
            return self.declared[name]
        if name in DEFAULTS:
            return Entry(DEFAULTS[name], default=True)
        accent, bold = _ACCENT.fullmatch(name), _BOLD.fullmatch(name)
        letter = accent.group(2) if accent else bold.group(1) if bold else name.rstrip("'")
        below = self.entry(letter) if letter != name else None
        if below is None or below.kind in {"constant", "expectation"} or (bold and below.kind != "vector"):
            return None
        return replace(below, default=True)

    def error_for(self, name: str, at: int) -> Unclear:
        """The error for a name at offset `at` that has no kind."""
        clash = f" ({CLASH[name]})" if name in CLASH else ""
        close = get_close_matches(name, [*self.declared], n=1)
        hint = f", or did you mean {close[0]}?" if close else ""
        kinds = ", ".join(KINDS)
        return Unclear(
            f"what is {name}{clash}? Declare it, for instance `% verify: {name}: real`; kinds are {kinds}{hint}",
            at,
            name,
        )


def kinds(declarations: str = "", start: int = 0) -> Kinds:
    r"""Parse declarations such as ``x, y: vector; \eta: positive; i: index 1..N``.

    `start` is the offset of the declarations in their document, for the positions of errors.

    Raises
    ------
    Unclear
        If a declaration has no kind or an unknown one, or declares a name twice with different kinds.
    """
    found: dict[str, Entry] = {}
    for part in re.finditer(r"[^;\n]+", declarations):
        text = part.group()
        if not text.strip():
            continue
        names, colon, rest = text.rpartition(":")
        words = rest.split(maxsplit=1)
        at = start + part.start()
        if not colon or not words or words[0] not in KINDS:
            raise Unclear(
                f"declaration {text.strip()[:60]!r} must be `names: kind`; kinds are {', '.join(KINDS)}", at
            )
        sequence = words[1:] == ["sequence"] and words[0] in NUMBERS
        low, dots, high = (words[1] if len(words) > 1 and not sequence else "").partition("..")
        if (
            len(words) > 1
            and not sequence
            and not (dots and words[0] == "index" and low.strip() and high.strip())
        ):
            raise Unclear(
                f"only an index can have a range, written `{names.strip()}: index LOW..HIGH`; got `{words[0]} {words[1][:40]}`",
                at,
            )
        for name in names.split(","):
            entry = Entry(words[0], low=low.strip(), high=high.strip(), sequence=sequence)
            key = spelled(name.strip())
            if words[0] == "constant" and key not in CONSTANTS:
                raise Unclear(
                    f"only \\pi and e can be declared as constant, got {key}; declare it as positive or real",
                    at,
                )
            if not key:
                raise Unclear(
                    f"declaration {text.strip()[:60]!r} lacks a name before the colon; write `name: kind`", at
                )
            if found.get(key, entry) != entry:
                raise Unclear(
                    f"{key} is declared twice, as {found[key].kind} and as {entry.kind}; keep one", at
                )
            found[key] = entry
    return Kinds(found)


def spelled(name: str) -> str:
    r"""A normal form of a name: ``\bar x`` becomes ``\bar{x}``, and ``\eta_l`` becomes ``\eta_{l}``."""
    name = re.sub(r"\s*([_^{}])\s*", r"\1", name.strip())
    name = re.sub(r"(\\[a-zA-Z]+)\s+(\\?[a-zA-Z]+)", r"\1{\2}", name)
    return re.sub(r"([_^])(\\[a-zA-Z]+|[^{])", r"\1{\2}", name)


def least_of(name: str) -> str:
    """The loss f of a name such as f^*, f_{\\inf} or f_{\\min} of its least value; empty for any other name."""
    mark = _LEAST.search(name)
    return name[: mark.start()] if mark else ""


def ascii_name(name: str) -> str:
    r"""Name of the SymPy symbol: ``\bar{x}`` becomes x_bar, ``\eta_{l}`` eta_l, and ``\mathbf{x}`` x_mathbf."""
    accent = re.match(r"\\([a-zA-Z]+)\{([^{}]*(?:\{[^{}]*\})?[^{}]*)\}(.*)$", name)
    if accent:
        inner = ascii_name(accent.group(2))
        word = "" if accent.group(1) in {"mathrm", "text"} else f"_{accent.group(1)}"
        return f"{inner}{word}{ascii_name(accent.group(3)) if accent.group(3) else ''}"
    name = re.sub(r"\\(?:mathrm|text)\{([^{}]*)\}", r"\1", name)
    plain = (
        name.replace("'", "_prime")
        .replace("*", "star")
        .replace("^", "_")
        .replace(",", "_")
        .replace("+", "plus")
    )
    return re.sub(r"\W+", "", plain.replace(r"\star", "star").replace("\\", "")) or "unnamed"


def symbol_of(name: str, entry: Entry) -> sp.Symbol:
    """The SymPy symbol of a name. A number has the assumptions of its domain; any other kind has none."""
    assumptions = {"integer": True} if entry.kind == "index" else DOMAINS.get(entry.kind, {})
    return sp.Symbol(entry.symbol or ascii_name(name), **assumptions)
