"""Turn the lemmas of a .tex or .md file into claims: parse them, check the parse, and choose a scene for each.

Nothing in the file is executed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy as sp

from bounds.statement import Paper, Scaling
from bounds.symbols import DOMAINS, Glossary, domain_of
from verify.engine.checks.order import order
from verify.engine.checks.relation import identity, inequality
from verify.engine.model.claim import Claim
from verify.engine.model.scene import Scene
from verify.engine.work.errors import UsageError
from verify.latex.document import JUDGED, Passage, passages
from verify.latex.errors import Unclear, line_and_column, message_with_caret
from verify.latex.families import families_of_vectors, with_definitions
from verify.latex.glossary import DEFAULTS, Entry, least_of, symbol_of
from verify.latex.heads import HEADS, BigO, Expect, Extreme, Grad, Inner, Loss, Norm
from verify.latex.macros import Macro, macros_in
from verify.latex.methods import counted, run_of
from verify.latex.numbers import of_sequences, order_of
from verify.latex.printing import require_read_back
from verify.latex.prose import Lemma, lemma_of
from verify.latex.runs import Told
from verify.latex.vectors import Unjudged, free_vectors, two_points


@dataclass(frozen=True)
class Part:
    """One relation of a lemma with its conditions.

    Attributes
    ----------
    id : str
        Id of the document and lemma, with a number if the lemma has several relations.
    at : int
        Offset of its formula.
    latex : str
        The printed form of the parsed formula; empty for all relations of a chain but the first of the lemma.
    claim : Claim or None
        The claim; None if it cannot be judged.
    reason : str
        Why it cannot be judged.
    """

    id: str
    at: int
    latex: str
    claim: Claim | None
    reason: str = ""


def source_of(path: Path) -> str:
    """Text of a document.

    Raises
    ------
    UsageError
        If the file cannot be read or is not encoded in UTF-8.
    """
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}; check the path and its permissions"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} must be encoded in UTF-8, but byte {error.start} is not; save the file in UTF-8"
        ) from error


def theorems(path: Path) -> tuple[list[Claim], list[str]]:
    """The claims of a document, and a message for each lemma that cannot be read or judged.

    Raises
    ------
    UsageError
        If the document cannot be read or has no lemma.
    """
    source = source_of(path)
    try:
        found = [one for one in passages(source) if one.kind in JUDGED.split("|")]
    except Unclear as error:
        raise UsageError(message_with_caret(source, error, str(path))) from None
    if not found:
        raise UsageError(
            f"{path} has no lemma: write \\begin{{lemma}} ... \\end{{lemma}}, or a heading such as **Lemma 1**"
        )
    macros = macros_in(source)
    claims, mistakes = [], []
    for passage in found:
        try:
            parts = parts_of(source, passage, macros, path.stem)
        except Unclear as error:
            mistakes.append(message_with_caret(source, error, str(path)))
            continue
        for part in parts:
            if part.claim is not None:
                claims.append(part.claim)
            else:
                mistakes.append(
                    f"{path}:{line_and_column(source, part.at)[0]}: {part.id}: not judged: {part.reason}"
                )
    return claims, mistakes


def parts_of(source: str, passage: Passage, macros: Mapping[str, Macro], stem: str) -> list[Part]:
    """The relations of a lemma, each with its claim or the reason why it cannot be judged.

    Raises
    ------
    Unclear
        If the lemma is ambiguous, or its printed form parses to another claim.
    """
    lemma = lemma_of(source, passage, macros)
    links = [(relation, reading, at) for reading, at in lemma.claims for relation in reading.relations]
    found = []
    for number, (relation, reading, at) in enumerate(links, 1):
        id = passage.id if len(links) == 1 else f"{passage.id}.{number}"
        latex = require_read_back(reading, at)
        given = [*lemma.conditions, *reading.conditions]
        if len(reading.relations) > 1:  # print a chain once, with its first relation
            latex = latex if number == 1 else ""
        try:
            claim = _claim(
                lemma, relation, given, stem, id, passage.title, str(line_and_column(source, at)[0])
            )
            found.append(Part(f"{stem}.{id}", at, latex, claim))
        except Unjudged as error:
            found.append(Part(f"{stem}.{id}", at, latex, None, str(error)))
    return found


def _claim(
    lemma: Lemma, relation: Any, given: Sequence[Any], stem: str, id: str, title: str, line: str
) -> Claim:
    """The claim of one relation under the conditions `given`, with the scene that computes its quantities.

    The symbols decide the scene, in this order: an order O(.) needs none; a loss with iterates, a minimiser or
    expectations is a run of a method; a loss at two points is interpolated; families of vectors, sequences of numbers and
    free vectors have scenes of their own; a claim about numbers only needs none.

    Raises
    ------
    Unjudged
        If no scene computes a quantity of the relation.
    """
    parts = [relation, *given]
    symbols = {symbol for part in parts for symbol in _free(part)}
    vectors = sorted((one for one in symbols if _kind(lemma, one) == "vector"), key=str)
    heads = {type(atom) for part in parts for atom in part.atoms(*HEADS.values())}
    scene = None
    if BigO in heads:
        return _claim_of_lemma(lemma, (order_of(relation, given),), None, stem, id, title, line)
    strange = heads - {Norm, Inner, Loss, Grad, Extreme, *([Expect] if heads & {Loss, Grad} else [])}
    if strange or (Extreme in heads and not heads & {Loss, Grad}):
        names = ", ".join(sorted(head.__name__ for head in strange or {Extreme}))
        raise Unjudged(
            f"no scene computes {names} here; write it in Python with run(...) or a scene of your own"
        )
    constants = {name: _constant(lemma, latex) for name, latex in lemma.classes.items()}
    families = {base.label.name for part in parts for base in part.atoms(sp.IndexedBase)}
    least = any(
        least_of(lemma.used[one.name][0])
        for one in symbols
        if _kind(lemma, one) == "real" and one.name in lemma.used
    )
    run = families or lemma.minimiser or least or heads & {Extreme, Expect} or len(vectors) != 2
    if heads & {Loss, Grad} and run:
        parts, scene = run_of(parts, _parts_of_run(lemma, constants))
    elif families and vectors:
        parts = with_definitions(parts, frozenset(map(str, vectors)))
        bases = sorted({base for part in parts for base in part.atoms(sp.IndexedBase)}, key=str)
        labels = {base.label for base in bases}
        left = {
            symbol for part in parts for symbol in part.free_symbols if isinstance(symbol, sp.Symbol)
        } - labels
        free = [one for one in vectors if one in left]
        parts, scene = families_of_vectors(parts, free, bases, sorted(left - set(vectors), key=str))
    elif families:
        parts = of_sequences(parts)
    elif heads & {Loss, Grad}:
        parts, scene = two_points(parts, vectors, constants)
    elif vectors:
        numbers = sorted((one for one in symbols if one not in vectors), key=str)
        if any(domain_of(number) == "count" or number.is_integer for number in numbers):
            raise Unjudged(
                "the lemma has both vectors and whole numbers; write it in Python with a scene of your own"
            )
        parts, scene = free_vectors(parts, vectors, numbers)
    if lemma.classes and not heads & {Loss, Grad}:
        raise Unjudged(
            "the lemma states a class of losses, but this relation contains no loss; remove the class or write the loss"
        )
    return _claim_of_lemma(lemma, counted(parts), scene, stem, id, title, line)


def _claim_of_lemma(
    lemma: Lemma, parts: Sequence[Any], scene: Scene | None, stem: str, id: str, title: str, line: str
) -> Claim:
    """A relation between numbers and its conditions as a claim, with a glossary of its symbols.

    Raises
    ------
    Unjudged
        If a symbol is no number.
    """
    glossary = Glossary(stem)
    letters = {one for part in parts for one in part.free_symbols if isinstance(one, sp.Symbol)}
    for symbol in sorted(letters, key=str):
        domain = domain_of(symbol)
        if symbol.is_integer and domain != "count":
            raise Unjudged(
                f"the index {symbol} has no first value; add a condition such as `for all ${symbol} \\ge 1$`"
            )
        latex, entry = lemma.used.get(symbol.name, (None, Entry(domain)))
        if entry.kind in DOMAINS or scene is not None or entry.kind == "index":
            glossary.define(symbol.name, latex or symbol.name, domain, latex)
        else:
            raise Unjudged(
                f"{latex} is a {entry.kind}, but the relation needs a number; declare it as real, or write a relation of its values"
            )
    paper = Paper(stem, stem, "own", glossary)
    relation, *conditions = parts
    statement = paper.statement(id, title or id, relation, id, line, conditions=tuple(conditions))
    return Claim(statement, (getattr(scene, "judged", None) or _check_of(relation),), scene)


def _check_of(relation: Any) -> Any:
    """The check for the type of relation: order, identity or inequality."""
    if isinstance(relation, Scaling):
        return order
    return identity if isinstance(relation, sp.Eq) else inequality


def _parts_of_run(lemma: Lemma, constants: Mapping[str, Any]) -> Told:
    """The vectors, minimiser and classes of a lemma, for a run of its method."""
    vectors = frozenset(name for name, (_, entry) in lemma.used.items() if entry.kind == "vector")
    latex = {name: latex for name, (latex, _) in lemma.used.items()}
    return Told(vectors, latex, lemma.minimiser, constants)


def _free(part: Any) -> set[Any]:
    """The free symbols of a relation without the names of losses."""
    losses = {atom.args[0] for atom in part.atoms(Loss, Grad)}
    return set(part.free_symbols) - losses


def _kind(lemma: Lemma, symbol: Any) -> str:
    """The kind of a symbol of a lemma; symbols that the reader introduced are real numbers."""
    return lemma.used[symbol.name][1].kind if symbol.name in lemma.used else "real"


def _constant(lemma: Lemma, latex: str) -> Any:
    """The symbol of the constant of a class, such as L of "L-smooth"; None if the lemma gives none."""
    if not latex:
        return None
    entry = next(
        (entry for name, entry in lemma.used.values() if name == latex),
        Entry(DEFAULTS.get(latex, "positive")),
    )
    return symbol_of(latex, entry)
