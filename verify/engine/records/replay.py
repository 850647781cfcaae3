"""Replay a counterexample from its file: evaluate both sides and all conditions again, and compare the record around it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from bounds.relations import text_of
from verify.engine.judge import entries_of_statement
from verify.engine.model.box import Box
from verify.engine.model.claim import Claim
from verify.engine.model.instance import Instance
from verify.engine.model.question import Question
from verify.engine.model.scalars import widest
from verify.engine.model.scene import met_by
from verify.engine.records.answers import FOLDER, pool_in
from verify.engine.records.files import finite, read_json, with_seal
from verify.engine.records.revalidation import agree, differing
from verify.engine.search.witness import Witness, confirm
from verify.engine.theorem import LONGEST, claim_in
from verify.engine.topics import claim_of, index
from verify.engine.verdict import Verdict, overall
from verify.engine.work.errors import UsageError
from verify.engine.work.processes import PROCESSOR, OutOfTime, at_most

SECONDS = 60
"""Limit in CPU seconds. A witness is small; a file that takes longer is none."""
FINITE = sys.float_info.max
SAID = ("method", "lhs", "rhs", "conditions")
"""Entries of a witness, besides its instance, that a replay reproduces."""
SHOWN = {"kind": "check"} | {
    name: name for name in ("verdict", "method", "reason", "tightness", "witness", "proof")
}
"""Entries of a record that repeat entries of its finding, with their names there."""


def replay(content: Mapping[str, Any], theorem: Path | None = None) -> tuple[str, bool]:
    """Text of the replay, and whether the results agree with the file. For a record, its statement and verdict are compared,
    too.

    Raises
    ------
    UsageError
        If the file is not a witness, or its statement or scene is unknown.
    """
    witness = _witness(content)
    claim = _claim(witness, theorem)
    question = _question(claim, witness)
    for side in ("lhs", "rhs"):
        _ends(witness, side)
    found = _evaluated(question, _instance(question, witness))
    left, right = found.relation.written
    lines = [
        f"{claim.statement.id}: {claim.statement.says}",
        f"relation    {text_of(found.relation.relation)}",
        f"left side   {_enclosure(left)}",
        f"right side  {_enclosure(right)}   ({found.method})",
        f"relation    {'fails' if found.relation.fails else 'holds' if found.relation.holds else 'is undecided'}",
    ]
    lines += [
        f"condition   {text_of(c.relation)}: {'met' if c.holds else 'NOT met'}, slack {c.slack:.3g}"
        for c in found.conditions
    ]
    other = _otherwise(witness, found, question)
    if content is not witness and len(content) > 1:
        lines.append(
            f"record      {content.get('verdict')}; the instance {'breaks' if found.broken else 'meets'} it"
        )
        other += _otherwise_around(content, claim, found)
    told = ", ".join(said if len(said) <= LONGEST else f"{said[:LONGEST]}…" for said in other)
    lines.append(f"the FILE SAYS OTHERWISE: {told}" if other else "the file says the same")
    return "\n".join(lines), not other


def _otherwise(witness: Mapping[str, Any], found: Witness, question: Question) -> list[str]:
    """Entries of a witness, besides its instance, that the replay does not reproduce."""
    new, instance = finite(found.record()), found.instance.record()
    if "letters" in witness:
        new["letters"] = letters_of(question, witness)
    named = dict.fromkeys((*SAID, *(name for name in witness if name not in instance)))
    return [
        f"{name} {witness.get(name)}"
        for name in named
        if name not in new or not agree(_in_order(witness.get(name)), _in_order(new[name]))
    ]


def _otherwise_around(record: Mapping[str, Any], claim: Claim, found: Witness) -> list[str]:
    """Entries of a record around its witness that are wrong: about the statement, the verdict, or in contradiction with each
    other.
    """
    meant = finite({"id": claim.statement.id, **entries_of_statement(claim)})
    other = [said for name in meant for said in _differing(name, record.get(name), meant[name])]
    damaging = [verdict.value for verdict in Verdict if verdict.damaging]
    if (record.get("verdict") in damaging) != found.broken:
        other.append(f"verdict {record.get('verdict')}")
    other += _otherwise_in_evidence(record, claim)
    if "digest" in record and record != with_seal(record):
        other.append(f"digest {record['digest']}, which is not that of what it says")
    return other


def _otherwise_in_evidence(record: Mapping[str, Any], claim: Claim) -> list[str]:
    """Entries in the findings of a record that their evidence does not support, and entries of the record that do not come
    from the findings.
    """
    topic = index()[claim.statement.id].topic if claim.statement.id in index() else ""
    try:
        with at_most(SECONDS, PROCESSOR):
            other = differing(claim, record, pool_in(FOLDER, topic) if topic else {})
        meant = overall(record["evidence"])
    except OutOfTime:
        return [f"a proof that cannot be checked within {SECONDS} s of CPU time"]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        return [f"evidence that cannot be read ({error})"]
    return other + [
        f"{name} {record.get(name)}" for name, of in SHOWN.items() if record.get(name) != meant.get(of)
    ]


def _differing(name: str, said: Any, meant: Any) -> Iterator[str]:
    """Name and values of every entry that differs from its expected value."""
    if isinstance(said, Mapping) and isinstance(meant, Mapping):
        for key in dict.fromkeys((*meant, *said)):
            yield from _differing(f"{name}.{key}", said.get(key), meant.get(key))
    elif not agree(said, meant):
        yield f"{name} {said}"


def _in_order(said: Any) -> Any:
    """Conditions sorted by their texts; any other value unchanged."""
    conditions = isinstance(said, list) and all(isinstance(part, Mapping) for part in said)
    return sorted(said, key=lambda part: str(part.get("text"))) if conditions else said


def question_and_instance(content: Mapping[str, Any]) -> tuple[Question, Instance]:
    """The question that a witness (or a record with a witness) answers, and its instance; both checked against the
    statement.

    Raises
    ------
    UsageError
        If it is not a witness, or its statement or scene is unknown or has changed.
    """
    witness = _witness(content)
    question = _question(_claim(witness, None), witness)
    return question, _instance(question, witness)


@dataclass(frozen=True)
class Rebuilt:
    """An instance from its file: every quantity by name as a float array without a batch axis, and both sides."""

    values: Mapping[str, Any]
    small: tuple[float, float]
    large: tuple[float, float]


def rebuilt(file: str | Path, theorem: str | Path | None = None) -> Rebuilt:
    """The instance of a witness, or of a record with a witness, for inspection in Python.

    Parameters
    ----------
    theorem : path, optional
        The user's own file, if the statement stands there; it is executed.

    Raises
    ------
    UsageError
        If the file is not a witness.
    """
    witness = _witness(read_json(Path(file)))
    question = _question(_claim(witness, Path(theorem) if theorem else None), witness)
    instance = _instance(question, witness)
    found = _evaluated(question, instance)
    values = instance.values(question.scene, "float")
    return Rebuilt(_single(question, values), found.relation.small, found.relation.large)


def values_of(witness: Mapping[str, Any]) -> Mapping[str, Any]:
    """Every quantity of the instance of a catalogue witness, by name; nothing if its scene has changed since.

    A sequence, such as ``Delta`` of ``Delta[tau]``, has its index first.
    """
    try:
        question = _question(_claim(witness, None), witness)
        values = _instance(question, witness).values(question.scene, "float")
    except (UsageError, LookupError, TypeError):
        return {}
    return _single(question, values)


def letters_of(question: Question, witness: Mapping[str, Any]) -> dict[str, Any]:
    """Values of the symbols of a relation and its conditions that the scene computes in the instance of a witness."""
    drawn = {**witness["shape"], **witness["parameters"], **witness["steps"]}
    found = _letters(question, Instance.from_record(witness))
    return {name: value.tolist() for name, value in sorted(found.items()) if name not in drawn}


def irrelevant_parameters(witness: Mapping[str, Any], names: Iterable[str]) -> frozenset[str]:
    """The given parameters of a catalogue witness on which no symbol of its relation and conditions depends, with all other
    numbers fixed.

    Each parameter is moved to both ends of its range. The answer is empty if the scene has changed since.
    """
    try:
        question = _question(_claim(witness, None), witness)
        instance = _instance(question, witness)
        before = _letters(question, instance)
    except (UsageError, LookupError, TypeError):
        return frozenset()

    def moved(name: str, box: Box) -> Iterator[Mapping[str, Any]]:
        for end in box.ends:
            other = {**instance.parameters, name: np.full(box.shape, end, dtype=object)}
            yield _letters(question, Instance(instance.shape, other, instance.sizes))

    def irrelevant(name: str, box: Box) -> bool:
        try:
            return all(
                np.array_equal(before[letter], after[letter], equal_nan=True)
                for after in moved(name, box)
                for letter in before
            )
        except (ArithmeticError, ValueError, KeyError):  # undefined there
            return False

    space = question.scene.space(instance.shape)
    return frozenset(
        name for name, box in space.items() if name not in instance.sizes and irrelevant(name, box)
    )


def _letters(question: Question, instance: Instance) -> dict[str, Any]:
    """Values of the symbols of a relation and its conditions."""
    values = _single(question, instance.values(question.scene, "float"))
    parts = (question.relation, *question.conditions)
    names = {symbol.name for part in parts for symbol in part.atoms(sp.Symbol)}
    return {name: np.asarray(value, dtype=float) for name, value in values.items() if name in names}


def _single(question: Question, values: Mapping[str, Any]) -> dict[str, Any]:
    """Quantities without their batch axis of length 1, which is the second axis of a sequence."""
    parts = (question.relation, *question.conditions)
    series = {base.label.name for part in parts for base in part.atoms(sp.IndexedBase)}
    return {
        name: np.stack([entry[0] for entry in value])
        if name in series
        else value[0]
        if isinstance(value, np.ndarray)
        else value
        for name, value in values.items()
    }


def _witness(content: Any) -> Mapping[str, Any]:
    witness = content.get("witness", content) if isinstance(content, Mapping) else None
    if not isinstance(witness, Mapping) or "statement" not in witness:
        raise UsageError(
            "this file holds no instance: it needs `statement`, `scene`, `shape`, `parameters`, `steps`"
        )
    return witness


def _claim(witness: Mapping[str, Any], theorem: Path | None) -> Claim:
    id = str(witness["statement"])
    claim = claim_in(theorem, id) if theorem else claim_of(id)
    if claim is None:
        raise UsageError(
            f"the instance is of {id!r}, which is no statement of the catalogue; if it stands in a file of your own, "
            "name the file, which is executed: --theorem FILE"
        )
    return claim


def _evaluated(question: Question, instance: Instance) -> Witness:
    try:
        with at_most(SECONDS, PROCESSOR):
            return confirm(question, instance)
    except OutOfTime:
        raise UsageError(f"the instance cannot be evaluated within {SECONDS} s of CPU time") from None
    except (ArithmeticError, ValueError, KeyError, IndexError, RuntimeError, TypeError, MemoryError) as error:
        raise UsageError(f"the instance cannot be evaluated: {error}") from error


def _ends(witness: Mapping[str, Any], side: str) -> tuple[float, float]:
    """Both ends of the enclosure of one side, as stored in the file."""
    match witness.get(side):
        case [int() | float() as low, int() | float() as high] if abs(low) <= FINITE and abs(high) <= FINITE:
            return float(low), float(high)
    raise UsageError(f"`{side}` of the instance must be two numbers, got {witness.get(side)!r}")


def _question(claim: Claim, witness: Mapping[str, Any]) -> Question:
    question = claim.question
    if question.scene.name != witness.get("scene"):
        raise UsageError(
            f"{question.id} is judged in the scene {question.scene.name!r}, the instance names {witness.get('scene')!r}"
        )
    said = witness.get("relation"), _texts(witness.get("conditions"))
    meant = text_of(question.relation), sorted(map(text_of, question.conditions))
    for name, given, own in zip(("relation", "conditions"), said, meant, strict=True):
        if given != own:
            raise UsageError(f"`{name}` of the instance must be those of {question.id}, {own}, got {given}")
    return question if claim.scene else replace(question, scene=widest(question.scene))


def _texts(conditions: Any) -> list[str] | None:
    """Texts of the conditions that a file lists; None if it lists none."""
    if not isinstance(conditions, list) or not all(isinstance(c, Mapping) for c in conditions):
        return None
    return sorted(str(condition.get("text")) for condition in conditions)


def _instance(question: Question, witness: Mapping[str, Any]) -> Instance:
    """The witness's instance, its numbers checked against the ranges and whole-number conditions of the scene."""
    instance, scene = Instance.from_record(witness), question.scene
    sizes = scene.shapes[0].keys()
    if instance.shape.keys() != sizes:
        raise UsageError(f"`shape` of the instance must give {', '.join(sizes)}, got {dict(instance.shape)}")
    for name, size in instance.shape.items():
        most = max(100_000, 10 * max(shape[name] for shape in scene.shapes))
        if not 0 <= size <= most:
            raise UsageError(f"`{name}` of the instance must lie in [0, {most}], got {size}")
    for condition in question.conditions:
        if not met_by(condition, instance.shape):
            raise UsageError(f"the instance must meet {condition}, got {dict(instance.shape)}")
    for name, box in scene.space(instance.shape).items():
        value = instance.parameters.get(name)
        if value is None or value.shape != box.shape:
            got = "nothing" if value is None else f"shape {value.shape}"
            raise UsageError(f"`{name}` of the instance must have shape {box.shape}, got {got}")
        settled = name in scene.steps and all(x == 1 for x in value.flat)  # value stored among the steps
        if name != scene.room and not settled and not all(x in box for x in value.flat):
            allowed = f"be one of {box.levels}" if box.levels else f"lie in [{box.low}, {box.high}]"
            raise UsageError(f"`{name}` of the instance must {allowed}, got {value.tolist()}")
    for name in scene.steps:
        given = any(
            isinstance(c, sp.Eq) and name in {s.name for s in c.free_symbols} for c in question.conditions
        )
        if name not in instance.sizes or not (given or instance.sizes[name] > 0):
            raise UsageError(
                f"step size `{name}` of the instance must be > 0, got {instance.sizes.get(name)}"
            )
    return instance


def _enclosure(ends: tuple[float, float]) -> str:
    return f"{ends[0]:.12g}" if ends[0] == ends[1] else f"[{ends[0]:.12g}, {ends[1]:.12g}]"
