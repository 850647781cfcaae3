"""Theorems of other papers and the lemmas that give their conditions: final verdicts, and changes that are refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import bounds.localsgd.symbols as b
import bounds.localsgd.theorem as thm
from bounds.catalogue import statement
from bounds.papers import paper_of
from bounds.relations import le
from tests.verify.judging import recorded
from verify.engine.links import with_final_verdicts
from verify.engine.model.claim import Claim
from verify.engine.model.lemma import Lemma
from verify.engine.proof.lemmas import given_by_lemmas
from verify.engine.topics import claim_of, claims
from verify.engine.work.errors import UsageError
from verify.report.wording import sentence

PROVED = {
    "localsgd.thm1": {"localsgd.lem1", "localsgd.lem2", "localsgd.lem3"},
    "localsgd.thm2": {"localsgd.thm2.sum", "localsgd.thm2.mean"},
    "localsgd.dif.step": {"localsgd.dif.product", "localsgd.dif.gradient"},
    "localsgd.dif.sum": {"localsgd.dif.step"},
    "localsgd.dif.thm": {"localsgd.dif.sum", "localsgd.dif.run", "localsgd.thm2.mean"},
    "fedprox.thm4": {"fedprox.thm4.drift", "fedprox.thm4.inexact", "fedprox.thm4.server"},
    "fedprox.thm4.sampled": {"fedprox.thm4", "fedprox.thm4.drift", "fedprox.thm4.sampling"},
    "scaffold.drift.most": {"scaffold.drift.step"},
    "noniid.thm1/from-lemmas": {"noniid.thm1.added", "noniid.thm1.distance", "noniid.thm1.loss"},
    "noniid.thm2": {"noniid.thm2.added", "noniid.lem5.1"},
    "noniid.thm3": {"noniid.thm2.added", "noniid.lem5.2"},
    "evron.thm10": {"evron.loss.next", "evron.thm10.fall"},
    "evron.thm11": {"evron.losses", "evron.kept", "evron.fall.root"},
    "evron.dim.losses": {"evron.dim.loss", "evron.dim.sum", "evron.dim.rank"},
    "evron.thm11.dimension": {"evron.dim.losses"},
    "minnorm.thm4.1": {"minnorm.thm4.1.step", "minnorm.thm4.1.step/least"},
    "kaczmarz.thm2/rows": {"kaczmarz.thm2.mean"},
    "scaffold.thm3": {"scaffold.progress", "scaffold.thm3.sum"},
    "scaffold.thm3.start": {"scaffold.lem1.weights", "scaffold.lem1.left"},
}


@cache
def records(paper: str) -> dict[str, dict[str, Any]]:
    """The linked records of all claims of a paper, from stored answers."""
    found = [recorded(claim)[0] for claim in claims(paper).values()]
    return {record["id"]: record for record in with_final_verdicts(found)}


@pytest.mark.parametrize("id", PROVED)
def test_a_theorem_is_proved_because_its_lemmas_are(id: str) -> None:
    record = records(paper_of(id))[id]
    assert record["verdict"] == "proved", record["reason"]
    for lemma in PROVED[id]:
        assert f"{lemma} (proved)" in sentence(record["reason"])


def test_a_tenth_of_a_bound_is_refuted() -> None:
    assert records("localsgd")["localsgd.dif.thm/tenth"]["verdict"] == "refuted"


def theorem() -> Claim:
    found = claim_of("localsgd.thm1")
    assert found is not None
    return found


def refusal(claim: Claim) -> str:
    with pytest.raises(UsageError) as error:
        given_by_lemmas(claim, claims("localsgd"))
    return str(error.value)


def test_a_weaker_lemma_is_refused() -> None:
    step, variance = theorem().lemmas[thm.ONE_STEP]
    weaker = Lemma(statement("localsgd.lem2.sum"), variance.letters)
    changed = replace(theorem(), lemmas={**theorem().lemmas, thm.ONE_STEP: (step, weaker)})
    assert "must follow from localsgd.lem1 and localsgd.lem2.sum" in refusal(changed)


def test_a_lemma_for_shorter_steps_is_refused() -> None:
    longer = (le(b.gamma, 1 / (2 * b.L)), *theorem().statement.conditions[1:])
    assert "the condition gamma <= 1/(4*L) of localsgd.lem1" in refusal(with_conditions(longer))


def test_a_missing_hypothesis_is_refused() -> None:
    without = tuple(one for one in theorem().statement.conditions if one not in thm.PERIODS)
    assert "the condition t <= H of localsgd.lem3 is place[t] <= H here" in refusal(with_conditions(without))


def test_a_wrong_factor_is_refused() -> None:
    halved = le(b.drift[b.t], (b.H - 1) * b.gamma**2 * b.sigma2 / 2)
    conditions = (*(one for one in theorem().statement.conditions if one != thm.NEAR), halved)
    changed = with_conditions(conditions)
    lemmas = {**changed.lemmas, halved: changed.lemmas[thm.NEAR]}
    del lemmas[thm.NEAR]
    assert "must follow from localsgd.lem3" in refusal(replace(changed, lemmas=lemmas))


def with_conditions(conditions: tuple[Any, ...]) -> Claim:
    return replace(theorem(), statement=replace(theorem().statement, conditions=conditions))
