"""Text for the values of records: numbers, intervals, lists, proofs, and the command that replays a witness."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import numpy as np
import sympy as sp

from verify.check_proof import text
from verify.engine.records.files import path_of
from verify.engine.topics import claim_of
from verify.report.digits import distinct

MOST = 12
"""Limit on written entries of a list, or lines of a proof; the record has all of them."""
LONGEST_FILE = 20_000
"""Limit on characters of a certificate that a report offers as a file."""
WIDEST = 240
"""Limit on characters of a line of a proof."""
_ARXIV = re.compile(r"arXiv:(\d{4}\.\d{4,5}(?:v\d+)?)")
COMMON: Mapping[str, str] = {
    "d": "dimension",
    "room": "share by which constants are larger than they must be",
}
"""Meanings of numbers that have the same meaning in every scene."""
FILLERS = ("nothing", "no number")
"""Names of the scenes of relations between sizes alone (`verify/engine/model/scalars.py`)."""


CHECKS = {
    "free lunch": "trivial bound",
    "placebo": "non-learning baselines (placebo)",
    "needed": "conditions that are needed",
}
"""The words for kinds of checks whose names in records do not explain themselves."""


def number(value: object) -> str:
    """A number to six digits, anything else as text."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def interval(ends: Sequence[float], digits: int = 6) -> str:
    """One number if both ends agree, else an interval with four more digits."""
    low, high = ends
    return f"{low:.{digits}g}" if low == high else f"[{low:.{digits + 4}g}, {high:.{digits + 4}g}]"


def side_texts(witness: Mapping[str, Any]) -> tuple[str, str]:
    """The left and the right side in the order of the relation."""
    left, right = sides(witness)
    return distinct(lambda digits: (interval(left, digits), interval(right, digits)))


def token(verdict: str) -> str:
    """A verdict as the name of a CSS class: ``proved-cited``."""
    return re.sub("[^a-z]+", "-", verdict).strip("-")


def flat(value: object) -> bool:
    """Whether a value of a record is short enough for one line: it contains no mapping."""
    if isinstance(value, Mapping):
        return False
    return isinstance(value, str) or not isinstance(value, Sequence) or all(map(flat, value))


def brief(value: object) -> str:
    """A flat value on one line; long lists are cut."""
    if value is None:
        return "none"
    if isinstance(value, str) or not isinstance(value, Sequence):
        return number(value)
    more = ", …" if len(value) > MOST else ""
    return f"({', '.join(map(brief, value[:MOST]))}{more})"


def sides(witness: Mapping[str, Any]) -> tuple[Sequence[float], Sequence[float]]:
    """Ends of the left and of the right side in the order of the relation; a witness has the smaller side first."""
    small, large = witness["lhs"], witness["rhs"]
    return (large, small) if ">" in witness.get("relation", "") else (small, large)


def value_text(value: Any) -> str:
    """A number or an array of numbers of a counterexample, to six digits."""
    if isinstance(value, np.ndarray):
        return brief(value.tolist()) if value.size > 1 else value_text(value.item())
    if isinstance(value, list) and len(value) == 1:
        return value_text(value[0])
    return brief(value)


def numbers(witness: Mapping[str, Any]) -> str:
    """Sizes, parameters, step sizes and entries of sequences of a witness on one line."""
    sequences = witness.get("sequences", {})
    own = {
        name: x for name, x in witness["parameters"].items() if name.rpartition(" of ")[2] not in sequences
    }
    entries = {f"{name}_{k}": x for name, row in sequences.items() for k, x in row.items()}
    named = {**witness["shape"], **own, **witness["steps"], **entries}
    return ", ".join(f"{name} = {brief(value)}" for name, value in named.items() if name not in FILLERS)


def printed(witness: Mapping[str, Any]) -> str:
    """The same for a row of a table, with decimals as printed in the source."""
    return numbers({**witness, "parameters": _decimals(witness["parameters"])})


def _decimals(value: Any) -> Any:
    """Fractions with at most six decimals as decimals, also inside lists and mappings."""
    if isinstance(value, Mapping):
        return {name: _decimals(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_decimals(inner) for inner in value]
    shifted = Fraction(value) * 10**6
    return f"{Decimal(int(shifted)).scaleb(-6).normalize():f}" if shifted.denominator == 1 else value


def condition(text: str) -> str:
    """A condition of a record for reading: an equation with its sign."""
    if not text.startswith("Eq("):
        return text
    inside = text.removeprefix("Eq(").removesuffix(")")
    depth = [inside[:place].count("(") - inside[:place].count(")") for place in range(len(inside))]
    comma = next(place for place, letter in enumerate(inside) if letter == "," and not depth[place])
    return f"{inside[:comma]} = {inside[comma + 1 :].strip()}"


def meanings_of(witness: Mapping[str, Any]) -> Mapping[str, str]:
    """Meanings of the numbers of a witness that are not symbols of the source, and formulas of symbols in its relation, by name.

    A scene of the catalogue is asked itself, because a stored witness may have older words.
    """
    claim = claim_of(str(witness.get("statement")))
    told = claim.scene.told if claim and claim.scene else witness.get("told", {})
    free = claim.relation.free_symbols if claim and isinstance(claim.relation, sp.Basic) else ()
    letters = sorted(symbol.name for symbol in free)
    known = {**COMMON, **told}
    return {
        name: known[name] for name in (*witness["shape"], *witness["parameters"], *letters) if name in known
    }


def meanings_text(witness: Mapping[str, Any]) -> str:
    """Meanings of the numbers of a witness that are not symbols of the source, on one line; empty if there are none."""
    return "; ".join(f"{name}: {what}" for name, what in meanings_of(witness).items())


def rejected(content: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """A mapping without some of its entries."""
    return {key: value for key, value in content.items() if key not in names}


def again(record: Mapping[str, Any], folder: str = "results/records") -> str:
    """The command that replays a record's witness; `folder` may be a file with a list of records."""
    place = _relative(folder)
    own = f" --theorem {_relative(record['theorem'])}" if record.get("theorem") else ""
    if Path(folder).is_file():
        return f"python -m verify replay {place} --of {record['id']}{own}"
    return f"python -m verify replay {path_of(place, record['id'])}{own}"


def _relative(path: str) -> Path:
    """A path relative to the current folder, without folders of this machine above it."""
    found = Path(path)
    if not found.is_absolute():
        return found
    here = Path.cwd()
    return found.relative_to(here) if found.is_relative_to(here) else Path(*found.parts[-2:])


def link_to(source: Mapping[str, Any]) -> str:
    """Address of a paper on arXiv: its own if its version contains one, otherwise a search for its title."""
    if found := _ARXIV.search(source["version"]):
        return f"https://arxiv.org/abs/{found.group(1)}"
    return f"https://arxiv.org/search/?searchtype=title&query={quote_plus(source['paper'])}"


def certificates(proof: Mapping[str, Any]) -> list[list[str]]:
    """The certificates of a proof, each as lines of text; none if the proof has no such form."""
    return [list(map(_line, made["lines"])) for made in certificates_in(proof)]


def certificate_file(proof: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The certificates of a proof in the format of `verify/check_proof.py`; None if there are none, or they are too
    long.
    """
    found = certificates_in(proof)
    if not found or len(json.dumps(found)) > LONGEST_FILE:
        return None
    return found[0] if len(found) == 1 else {str(place): one for place, one in enumerate(found, start=1)}


def certificates_in(proof: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The certificates of a proof in their order; none if the proof has no such form."""
    return _each(proof.get("certificates") or [proof.get("certificate")])


def as_json(content: Any) -> str:
    """Plain data on one line."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _each(found: Any) -> list[Mapping[str, Any]]:
    """Certificates in nested lists, in their order."""
    if isinstance(found, Mapping):
        return [found] if "lines" in found else []
    if isinstance(found, str) or not isinstance(found, Sequence):
        return []
    return [certificate for part in found for certificate in _each(part)]


def _line(line: Mapping[str, Any]) -> str:
    if "given" in line:
        return _cut(f"given {text(line['given'])}, by {line['by']}")
    ways = ", ".join(f"{key} {_way(value)}" for key, value in line.items() if key != "show")
    return _cut(f"show {text(line['show'])}: {ways}")


def _way(value: Any) -> str:
    """The text of a line's justification: a formula, the numbers of other lines, or the number of lines in the parts of
    a proof.
    """
    if not isinstance(value, list):
        return str(value)
    if all(isinstance(part, int) for part in value):
        return " and ".join(f"line {part}" for part in value)
    if any(isinstance(part, dict | list) and not _is_formula(part) for part in value):
        return f"{len(value)} parts"
    return text(value)


def _is_formula(tree: Any) -> bool:
    """Whether JSON is a formula: a head with formulas, or a symbol or a number."""
    if isinstance(tree, list):
        return bool(tree) and isinstance(tree[0], str) and all(map(_is_formula, tree[1:]))
    return isinstance(tree, str)


def _cut(line: str) -> str:
    return line if len(line) <= WIDEST else f"{line[: WIDEST - 1]}…"


def check_text(name: str) -> str:
    """The words for a kind of check."""
    return CHECKS.get(name, name)
