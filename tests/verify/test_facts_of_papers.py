"""Facts about the quantities of papers: they are proved with certificates, and stronger ones are not."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
import sympy as sp

from bounds.special.bkt_sums import t2
from bounds.special.symbols import M
from verify.check_proof import Refused, check
from verify.engine.certificates import Rejected, recheck
from verify.engine.model.sums import Sums
from verify.engine.proof.facts import fact_of, shown_of
from verify.engine.topics import claim_of
from verify.report.wording import sentence
from verify.scenes.cfl.technique_facts import TELESCOPED
from verify.scenes.cfl.techniques import LINEAR
from verify.scenes.cfl.weight_sums import PRESENT
from verify.scenes.cflag import bounded_below, drift_norms, forgetting, problem
from verify.scenes.cflag.adaptive import SUMS
from verify.scenes.fedmes.learning import AGAIN, FALLS, LONGER, ORDER
from verify.scenes.special import round_drift
from verify.scenes.special.drift import DRIFT
from verify.scenes.special.implied import GRADIENTS, NOISE, PAIR, PART_OF_MEAN
from verify.scenes.special.lemmas import INDEPENDENT, LOCAL
from verify.scenes.special.rate import TASK
from verify.scenes.special.rate_facts import relations_named
from verify.scenes.special.rate_round import ROUND
from verify.scenes.special.rate_run_facts import REACHED
from verify.scenes.special.round_drift import APART, NOISY, SMOOTH, TURNED, WALK
from verify.scenes.special.surrogate_tasks import MISSED, TASKS

LENGTHS = claim_of("special.eq37/corrected").relation
SPARE = relations_named("inner_D_less, noise_B, gK2, pairs_B, pairs_D")
FACTS = [
    *(fact for fact in ROUND.compute.facts if fact.relation in SPARE),
    *(fact for fact in DRIFT.compute.facts if fact.relation == LENGTHS),
    *round_drift.FACTS,
    *(forgetting.DESCENT, *bounded_below.FACTS),
    drift_norms.AS_SMOOTH,
    problem.AS_SMOOTH,
    *(fact for scene in (INDEPENDENT, LOCAL, GRADIENTS, TASKS, MISSED, SUMS) for fact in scene.compute.facts),
    *(fact for fact in AGAIN.compute.facts if fact.relation in (FALLS, LONGER, ORDER)),
    *(fact for fact in TASK.compute.facts if fact.relation == REACHED),
]


ABOVE = INDEPENDENT.compute.facts[0].relation
ONE_ROUND = claim_of("special.eq29/one-round")


def small(fact):
    """The same at its two smallest shapes."""
    return (
        replace(fact, scene=replace(fact.scene, shapes=fact.scene.shapes[:2]))
        if hasattr(fact, "scene")
        else fact
    )


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: str(fact.relation)[:60])
def test_facts_have_certificates(fact):
    shown = shown_of(small(fact))
    assert shown is not None
    assert shown.proof["uncertified"] == 0


@pytest.mark.parametrize(
    "relation",
    [
        ABOVE,
        LENGTHS,
        *(WALK.relation, TURNED.relation, SMOOTH, NOISY, APART),
        *SPARE,
        *(forgetting.DESCENT.relation, bounded_below.DESCENT, bounded_below.YOUNG, bounded_below.AMONG[0]),
        NOISE[1],
        PART_OF_MEAN.relation,
        PAIR.relation,
        problem.AS_SMOOTH.relation,
        pytest.param(REACHED, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_what_says_more_is_no_fact(relation):
    fact = next(fact for fact in FACTS if fact.relation == relation)
    less = sp.Le(relation.lhs, sp.Rational(99, 100) * relation.rhs)
    assert shown_of(small(replace(fact, relation=less))) is None


def test_what_sampling_spares_is_an_equation_in_one_round():
    fact = next(f for f in ONE_ROUND.scene.compute.facts if f.relation == ONE_ROUND.relation)
    assert isinstance(fact, Sums)  # for any number of clients
    assert shown_of(fact) is not None
    without = sp.Eq(ONE_ROUND.relation.lhs, t2 / M)
    assert shown_of(replace(fact, relation=without)) is None


def test_certificates_with_strict_conditions_are_refused_without():
    *_, certificate = shown_of(PRESENT).proof["certificates"]
    (place,) = (k for k, line in enumerate(certificate["lines"]) if line.get("by") == "condition")
    assert certificate["lines"][place]["given"][0] == ">"
    weaker = copy.deepcopy(certificate)
    weaker["lines"][place]["given"][0] = ">="
    for checker, refusal in ((check, Refused), (recheck, Rejected)):
        checker(certificate)
        with pytest.raises(refusal):
            checker(weaker)


def test_a_step_below_one_over_mu_is_a_definition_of_its_scene():
    assert "by definition eta*mu < 1" in sentence(fact_of(TELESCOPED, LINEAR, ()).reason)
    without = replace(LINEAR, compute=replace(LINEAR.compute, defines=()))
    assert fact_of(TELESCOPED, without, ()) is None
