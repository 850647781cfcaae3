"""Proofs over all rounds: relations carry over from round to round if the names of the next round are right."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

from verify import Box, Induction, Notes, Scene, bound
from verify.check_proof import Refused
from verify.engine.certificates import Undecided, prove, store
from verify.engine.certificates.question import Question
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.proof.basis import basis_of, question_of
from verify.engine.proof.succession import LATER, NOW, TRIED, Otherwise, _same, succeeding
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.rounds import _first_failure
from verify.report.wording import sentence

notes = Notes("rounds")
x, x_next, x_0, most, elsewhere = notes.nonnegative("x x_next x_0 most elsewhere")
q, b = notes.positive("q b")
SHORT = sp.Lt(q, 1)
SHRINKS = sp.Le(x_next, q * x + b)
BOUND = sp.Le(x, x_0 + b / (1 - q))


def played(shape: Any, values: Any) -> dict[str, Any]:
    """x is multiplied by q, and b is added."""
    found = [values["x_0"]]
    for _ in range(shape["t"] + 1):
        found.append(values["q"] * found[-1] + values["b"])
    return {"x": found[-2], "x_next": found[-1], "most": found[-2]}


SCENE = Scene(
    name="a sequence that shrinks",
    shapes=tuple({"t": t} for t in (1, 2, 3)),
    space=lambda shape: {"x_0": Box(0, 2), "q": Box(0.1, 0.9), "b": Box(0.1, 1)},
    compute=played,
)
ROUNDS = Induction("t", {x: x_next}, {x: x_0})


def claimed(relation: Any = BOUND, *conditions: Any, premise: Any = SHRINKS, **more: Any) -> Claim:
    more = {"induction": ROUNDS, "scene": SCENE, "checks": (bound,), **more}
    return notes.claim("bounded", relation, *(conditions or (SHORT,)), premises=(premise,), **more)


def asked(claim: Claim) -> Question:
    return question_of(claim)


def test_what_is_true_of_every_round_is_true_of_all() -> None:
    basis = basis_of(claimed(), BUDGETS["full"])
    assert (basis.outcome, basis.premises) == ("proved", (str(SHRINKS),))
    assert basis.proof is not None
    assert basis.proof["induction"]["instances"] > 64
    assert "induct" in basis.proof["certificate"]["lines"][-1]
    assert "by induction over t" in sentence(basis.reason)


FALSE = {
    "a bound that the step leaves": claimed(sp.Le(x, x_0 + b)),
    "a bound below the start": claimed(sp.Le(x, b / (1 - q))),
    "a step that grows": claimed(premise=sp.Le(x_next, x + b)),
    "a step that another one makes": claimed(premise=sp.Le(x, q * x_next + b)),
    "nothing that holds it back": claimed(BOUND, sp.Lt(q, 2)),
    "a condition of one round": claimed(BOUND, SHORT, sp.Le(x, 1)),
    "a start that is not known": claimed(induction=replace(ROUNDS, first={})),
}


@pytest.mark.parametrize("claim", FALSE.values(), ids=FALSE)
def test_nothing_false_is_proved_by_induction(claim: Claim) -> None:
    assert isinstance(prove(asked(claim), 200), Undecided)


NOT_LATER = {
    "the same round": (replace(ROUNDS, later={x: x}), "`x` is not what `x` is"),
    "another quantity": (replace(ROUNDS, later={x: most}), "`most` is not what `x` is"),
    "another start": (replace(ROUNDS, first={x: 2 * x_0}), r"`x` is not 2\*x_0"),
    "what changes besides": (replace(ROUNDS, later={most: x_next}), "`x` is another one"),
    "what the scene does not compute": (
        replace(ROUNDS, through=(sp.Le(elsewhere, x),)),
        "`elsewhere` is no quantity",
    ),
    "a start that the scene does not compute": (
        replace(ROUNDS, first={x: elsewhere}),
        "`elsewhere` is no quantity",
    ),
    "what no size counts": (replace(ROUNDS, over="K"), "no size of the scene has K = 1"),
}


@pytest.mark.parametrize(("induction", "why"), NOT_LATER.values(), ids=NOT_LATER)
def test_one_round_later_is_what_the_scene_computes(induction: Induction, why: str) -> None:
    relations = (BOUND, SHRINKS, SHORT)
    assert succeeding(ROUNDS, relations, SCENE, (SHORT,)) > 64
    with pytest.raises(Otherwise, match=why):
        succeeding(induction, (*relations, *induction.through), SCENE, (SHORT,))
    basis = basis_of(claimed(induction=induction), BUDGETS["full"])
    assert basis.outcome != "proved"
    assert re.search(why, sentence(basis.lacks))


def test_what_is_shown_on_the_way_may_speak_of_what_nothing_else_does() -> None:
    """If the premises of a claim are left out, the intermediate relation leads nowhere, and the result says so."""
    scene = replace(SCENE, compute=lambda shape, values: {**played(shape, values), "elsewhere": values["b"]})
    asked = claimed(scene=scene, induction=replace(ROUNDS, through=(sp.Le(x_next, q * x + elsewhere),)))
    basis = basis_of(replace(asked, premises=()), BUDGETS["quick"])
    assert basis.outcome == "unknown"
    assert "from one round to the next" in sentence(basis.lacks)


@pytest.mark.parametrize(
    "before", [["<=", ["^", "x", "2"], ["^", "y", "2"]], ["<=", "x", ["+", "y", "1"]]], ids=str
)
def test_squares_are_compared_first_only_where_they_were_shown_just_before(before: Any) -> None:
    """Both derivations succeed; the search takes the one for which the previous relation was proved."""
    draft, goal = Draft({"x": "nonnegative", "y": "nonnegative"}, 200, 60), ["<=", "x", "y"]
    draft.assume(["<=", "x", "y"], "condition")
    assert not _first_failure(draft, [before, goal])
    assert draft.lines[-1]["show"] == goal
    assert ("split" in draft.lines[-1]) == (before[1] != "x")


def test_another_round_needs_the_same_parameters() -> None:
    drawn = replace(SCENE, space=lambda shape: {**SCENE.space(shape), "noise": Box(0, 1, (shape["t"],))})
    with pytest.raises(Otherwise, match="other parameters"):
        succeeding(ROUNDS, (BOUND,), drawn, (SHORT,))


def test_a_letter_that_counts_rounds_means_nothing_else() -> None:
    t = sp.Symbol("t", integer=True, positive=True)
    question = asked(claimed(sp.Le(x, x_0 + t)))
    assert isinstance(prove(question), Undecided)


def test_what_is_given_once_is_not_assumed_for_every_number() -> None:
    """A certificate that treats a condition on one count as a condition on all counts answers no question."""
    n = sp.Symbol("n", integer=True, positive=True)
    two, three = sp.Ge(n, 3), sp.Ge(n, 2)
    certificate = prove(Question(three, ((two, "condition"),)))
    assert not isinstance(certificate, Undecided)
    stretched = deepcopy(dict(certificate))
    stretched["lines"][0]["for"] = "n"
    with pytest.raises(Refused, match="for every"):
        store.answers(Question(three, ((two, "condition"),)), stretched)


def test_without_a_first_round_nothing_begins() -> None:
    late = replace(SCENE, shapes=({"t": 2}, {"t": 3}))
    with pytest.raises(Otherwise, match="no size of the scene has t = 1"):
        succeeding(ROUNDS, (BOUND, SHRINKS, SHORT), late, (SHORT,))
    early = replace(SCENE, shapes=({"t": 0}, *SCENE.shapes))
    assert succeeding(ROUNDS, (BOUND, SHRINKS, SHORT), early, (SHORT,)) > 64
    assert succeeding(ROUNDS, (BOUND, SHRINKS, SHORT), SCENE, (SHORT, sp.Le(x_0 + 2, b))) == 0


@pytest.mark.parametrize(
    ("now", "later", "same"),
    [(1.0, 1.0, True), (1.0, 2.0, False), (1e-14, 3e-14, True), (1.0, 1 + 1e-12, True), (1e-9, 2e-9, False)],
)
def test_what_differs_by_rounding_is_the_same(now: float, later: float, same: bool) -> None:  # noqa: FBT001
    pair = {"now": np.full(TRIED, now), "later": np.full(TRIED, later)}
    counts = np.zeros(TRIED, dtype=bool)
    assert _same(sp.Eq(NOW, LATER), pair, counts)  # none of them counts
    counts[5] = True
    assert _same(sp.Eq(NOW, LATER), pair, counts) is same
