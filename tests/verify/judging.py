"""Requirements for every claim of a topic: its premises are true in its scene, and its counterexample replays from JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp
import torch

from verify.engine.judge import judge, record_of
from verify.engine.model.arithmetic import ARITHMETIC
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.model.scene import Condition, Scene, Shape, Values, allowed_shapes, quantities
from verify.engine.proof.basis import basis_of
from verify.engine.records.answers import FOLDER, Answer, is_current
from verify.engine.records.answers import answer_to as kept_answer
from verify.engine.records.replay import replay
from verify.engine.records.standing import _is_certified, doubt_of_revalidated
from verify.engine.search.adversary import ROUNDING, admissible, compared
from verify.engine.search.sampling import sample
from verify.engine.search.step_sizes import settle
from verify.engine.topics import claim_of, index
from verify.engine.verdict import Verdict, overall


def proved(claim: Claim, percent: int = 100) -> bool:
    """Whether a claim with its right side multiplied by a factor is proved; for the factor 1 by the current stored
    answer, if there is one.
    """
    as_it_stands = percent == 100 and claim is claim_of(claim.statement.id)
    answer = answer_to(claim) if as_it_stands else None
    if answer is not None:
        return doubt_of_revalidated(claim, answer["evidence"], 0) == "" and any(
            map(_is_certified, answer["evidence"])
        )
    relation = claim.statement.relation
    other = relation.func(relation.lhs, sp.Rational(percent, 100) * relation.rhs, evaluate=False)
    lower = replace(claim.statement, relation=other, terms={})
    asked = claim if percent == 100 else replace(claim, statement=lower)
    return basis_of(asked, BUDGETS["quick"]).outcome == "proved"


def answer_to(claim: Claim) -> Answer | None:
    """The stored answer to a claim by the current code."""
    key = index()[claim.statement.id].key("default", 0)
    return kept_answer(key) if is_current(key, FOLDER) else None


def drawn(
    scene: Scene, shape: Shape, batch: int = 8, seed: int | Sequence[int] = 0
) -> dict[str, torch.Tensor]:
    """Parameters of random instances of a scene."""
    found = sample(scene.space(shape), np.random.default_rng(seed), batch)
    return {name: torch.as_tensor(value) for name, value in found.items()}


def at_fractions(scene: Scene, shape: Shape, batch: int, seed: int | Sequence[int]) -> Values:
    """Quantities of random instances of a scene whose step sizes are their fractions, as if no condition limited them."""
    parameters = drawn(scene, shape, batch, seed)
    return quantities(scene, shape, parameters, {name: parameters[name] for name in scene.steps})


def settled(
    scene: Scene, conditions: Sequence[Condition], shape: Shape, batch: int = 8, seed: int = 0
) -> Values:
    """Quantities of random instances of a scene with step sizes inside the limits of the conditions."""
    parameters = drawn(scene, shape, batch, seed)
    sizes = settle(scene, conditions, shape, parameters, ARITHMETIC["torch"])
    return quantities(scene, shape, parameters, sizes)


def premises_hold(claim: Claim) -> None:
    """Check in random instances that meet the claim's conditions that every premise is true, and its symbols are in
    their domains.
    """
    assert claim.scene is not None
    for shape in allowed_shapes(claim.scene, claim.conditions):
        values = settled(claim.scene, claim.conditions, shape, batch=64, seed=1)
        strict = tuple(one for one in claim.conditions if isinstance(one, sp.Lt | sp.Gt))
        allowed = admissible(claim.conditions, values, 64, 0.0)
        allowed = allowed & admissible(strict, values, 64, ROUNDING)  # not met by rounding alone
        for premise in claim.premises:
            margin, _, gap = compared(premise, values, 64)
            assert ((margin < 1e-9) | (gap < 1e-10) | ~allowed).all(), str(premise)
            for symbol in premise.free_symbols:
                if symbol.is_nonnegative and isinstance(values[symbol.name], torch.Tensor):
                    assert (values[symbol.name][allowed] > -1e-9).all(), str(symbol)


def recorded(claim: Claim) -> tuple[dict[str, Any], Sequence[Mapping[str, Any]]]:
    """The record of a claim from its current stored answer, with the findings to be checked; otherwise judged briefly,
    without findings.
    """
    answer = answer_to(claim)
    if answer is None:
        return judge(claim, "quick", 1), ()
    return record_of(claim, answer["evidence"], answer["cites"], 0.0, "default", 0), answer["evidence"]


def judged(claim: Claim) -> dict[str, Any]:
    """The record of a claim: from its current stored answer, which must be valid; otherwise judged briefly.

    What certificates show is not looked for at instances as well, so that the ordinary run stays short.
    """
    record, evidence = recorded(claim)
    assert doubt_of_revalidated(claim, evidence, 0) == ""
    return record


def judged_and_replays(claim: Claim) -> None:
    """Check that the claim gets a verdict, unless it declares that there is none, and that a counterexample breaks it
    again from JSON.
    """
    answer = answer_to(claim)
    evidence = [] if answer is None else answer["evidence"]
    shown = overall(evidence or judge(claim, "quick", 1)["evidence"])
    never = shown["check"] in ("assumption", "unjudged")
    open_settings = shown["check"] == "applicability" and shown["verdict"] not in ("gap", "supported")
    found = Verdict(shown["verdict"])
    assert (found.damaging or found.harmless) == (not (never or open_settings))
    witness_replays(shown)
    replayed = shown["witness"] if breaks(shown) else None  # once is enough
    others = [{**one, "witness": None} if one["witness"] == replayed else one for one in evidence]
    assert doubt_of_revalidated(claim, others, 0) == ""


def breaks(record: Mapping[str, Any]) -> bool:
    """Whether the witness of a record or finding is a counterexample."""
    return record["witness"] is not None and Verdict(record["verdict"]).damaging


def witness_replays(record: Mapping[str, Any]) -> None:
    """Check that a counterexample meets every condition, and breaks the claim again from JSON."""
    if breaks(record):
        witness = json.loads(json.dumps(record["witness"]))
        assert all(condition["holds"] for condition in witness["conditions"])
        text, same = replay(witness)
        assert same, text
        assert "relation    fails" in text


def one_by_one_as_by_moments(
    scene: Scene,
    shape: Shape,
    by_models: Callable[[Shape, Values], Values],
    by_moments: Callable[[Shape, Values], Values],
) -> None:
    """Check that the moments of a run are those of its models, drawn one by one; steps are a tenth of the drawn values."""
    values = drawn(scene, shape, batch=4)
    values |= {name: values[name] / 10 for name in scene.steps}
    values |= {**shape, **scene.known(shape, values)}
    one_by_one = by_models(shape, values)
    for name, found in by_moments(shape, values).items():
        torch.testing.assert_close(one_by_one[name], found, msg=name)
