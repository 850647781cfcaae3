"""Replay a witness: both sides and all conditions again, from the file alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verify.engine.claim import Claim
from verify.engine.errors import UsageError
from verify.engine.instance import Instance
from verify.engine.question import Question
from verify.engine.scene import met_by
from verify.engine.theorem import claim_in
from verify.engine.topics import claim_of
from verify.engine.witness import confirm


def replay(content: Mapping[str, Any], theorem: Path | None = None) -> tuple[str, bool]:
    """Text of the replay, and whether both sides came out as the file says.

    Raises
    ------
    UsageError
        If the file is no witness, or its statement or scene is unknown.
    """
    witness = content.get("witness", content) if isinstance(content, Mapping) else None
    if not isinstance(witness, Mapping) or "statement" not in witness:
        raise UsageError(
            "this file holds no witness: it needs `statement`, `scene`, `shape`, `parameters`, `steps`"
        )
    id = str(witness["statement"])
    claim = claim_in(theorem, id) if theorem else claim_of(id)
    if claim is None:
        raise UsageError(f"the witness is of {id!r}, which is no known statement")
    question = _question(claim, witness)
    instance = _instance(question, witness)
    try:
        found = confirm(question, instance)
    except (ArithmeticError, ValueError, KeyError, IndexError, RuntimeError) as error:
        raise UsageError(f"the witness cannot be evaluated: {error}") from error
    lines = [
        f"{claim.statement.id}: {claim.statement.says}",
        f"relation    {found.relation.relation}",
        f"left side   {_enclosure(found.relation.small)}",
        f"right side  {_enclosure(found.relation.large)}   ({found.method})",
        f"relation    {'fails' if found.relation.fails else 'holds' if found.relation.holds else 'is undecided'}",
    ]
    lines += [
        f"condition   {c.relation}: {'met' if c.holds else 'NOT met'}, slack {c.slack:.3g}"
        for c in found.conditions
    ]
    same = all(
        abs(a - b) <= 1e-9 * (abs(a) + abs(b))
        for old, new in (("lhs", found.relation.small), ("rhs", found.relation.large))
        for a, b in zip(witness.get(old, new), new, strict=True)
    )
    lines.append(
        "the file says the same"
        if same
        else f"the FILE SAYS OTHERWISE: {witness['lhs']} and {witness['rhs']}"
    )
    return "\n".join(lines), same


def _question(claim: Claim, witness: Mapping[str, Any]) -> Question:
    question = claim.question
    if question.scene.name != witness.get("scene"):
        raise UsageError(
            f"{question.id} is judged in the scene {question.scene.name!r}, the witness names {witness.get('scene')!r}"
        )
    return question


def _instance(question: Question, witness: Mapping[str, Any]) -> Instance:
    """The witness's instance, its numbers checked against the ranges and whole-number conditions of the scene."""
    instance, scene = Instance.read(witness), question.scene
    sizes = scene.shapes[0].keys()
    if instance.shape.keys() != sizes:
        raise UsageError(f"`shape` of the witness must give {', '.join(sizes)}, got {dict(instance.shape)}")
    for condition in question.conditions:
        if not met_by(condition, instance.shape):
            raise UsageError(f"the witness must meet {condition}, got {dict(instance.shape)}")
    for name, box in scene.space(instance.shape).items():
        value = instance.parameters.get(name)
        if value is None or value.shape != box.shape:
            got = "nothing" if value is None else f"shape {value.shape}"
            raise UsageError(f"`{name}` of the witness must have shape {box.shape}, got {got}")
        if (
            name != scene.room
            and name not in scene.steps
            and not all(box.low <= x <= box.high for x in value.flat)
        ):
            raise UsageError(
                f"`{name}` of the witness must lie in [{box.low}, {box.high}], got {value.tolist()}"
            )
    for name in scene.steps:
        if name not in instance.sizes or not instance.sizes[name] > 0:
            raise UsageError(f"step size `{name}` of the witness must be > 0, got {instance.sizes.get(name)}")
    return instance


def _enclosure(ends: tuple[float, float]) -> str:
    return f"{ends[0]:.12g}" if ends[0] == ends[1] else f"[{ends[0]:.12g}, {ends[1]:.12g}]"
