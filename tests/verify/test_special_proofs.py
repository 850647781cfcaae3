"""SPECIAL: facts behind the proofs of Theorem 4.7 and Corollary 4.12, and similar false relations."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.special.bkt_limits import GAINED, gentle
from bounds.special.bkt_sums import CORRECTED, PRINTED, T1_c, T1_g, T1_n, first_factor, move
from bounds.special.symbols import G0, drift2
from verify.engine.certificates.formulas import parts
from verify.engine.model.sums import Sums
from verify.engine.proof.facts import shown_of, unbroken, with_terms
from verify.scenes.special import bkt_facts as facts
from verify.scenes.special import bkt_rounds as rounds
from verify.scenes.special.bkt import TRAINING
from verify.scenes.special.terms import OF_SENT

NOISE, LENGTHS = facts.DEFINED[1], {*OF_SENT}


def fact(relation, scene=TRAINING):
    return next(f for f in scene.compute.facts if f.relation == relation)


def exchanged(formula, old, new):
    if formula == old:
        return new
    return [exchanged(part, old, new) for part in formula] if isinstance(formula, list) else formula


def summands(known):
    """A fact and all facts on which it rests."""
    return [known, *(one for step in getattr(known, "steps", ()) for one in summands(step))]


@pytest.mark.parametrize(
    ("relation", "rests_on"),
    [
        (facts.aligned(CORRECTED), {facts.DEFINED[0]}),
        (facts.noisy(CORRECTED), {NOISE}),
        (gentle(PRINTED), LENGTHS),
        (gentle(CORRECTED), LENGTHS),
        (facts.SPREAD, {*LENGTHS, NOISE}),
        (facts.PUSHED, LENGTHS),
        (facts.DIFFUSED, {NOISE}),
        (facts.MOVED, set()),
        (facts.STRAYED, set()),
        (facts.SUMMED, set()),
        (facts.GEOMETRIC, set()),
        (facts.PAIRS, set()),
        (facts.PARTED, set()),
        (facts.ALONG, set()),
        (GAINED, set()),
    ],
    ids=lambda part: ", ".join(sorted(map(str, part))) if isinstance(part, set) else str(part),
)
def test_facts_of_the_sums_are_proved_for_all_sizes_from_their_assumptions(relation, rests_on):
    shown = shown_of(fact(relation))
    assert shown.needed == rests_on
    assert not shown.proof["sizes"]


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (facts.PARTED, sp.Le(T1_c, T1_g + 2 * T1_n)),
        (facts.ALONG, sp.Le(2 * move**2, G0**2 * drift2)),
        (facts.MOVED, sp.Eq(move, -first_factor * PRINTED.first)),
    ],
    ids=str,
)
def test_relations_near_them_are_no_facts(true, false):
    assert shown_of(replace(fact(true), relation=false)) is None


@pytest.mark.parametrize("known", [*facts.FACTS, *rounds.FACTS], ids=lambda known: str(known.relation)[:60])
def test_what_they_are_made_of_is_not_proved_with_another_number(known):
    for step in summands(known):
        if isinstance(step, Sums):
            assert shown_of(step) is not None
            relation = step.relation
            less = type(relation)(relation.lhs, sp.Rational(99, 100) * relation.rhs, evaluate=False)
            assert relation.rhs == 0 or shown_of(replace(step, relation=less)) is None, step.relation


@pytest.mark.parametrize("relation", [facts.SPREAD, facts.PUSHED, facts.MOVED], ids=str)
def test_of_another_number_of_clients_they_are_not(relation):
    """A sampled client sends the mean of N, not of M or (N + 1)/2 clients: with these a step is false."""
    mean = ["/", "1", "N"]
    for wrong in (["/", "1", "M"], ["/", "2", ["+", "N", "1"]]):
        steps = [
            one
            for one in summands(fact(relation))
            if isinstance(one, Sums) and any(mean in parts(x) for x in one.means.values())
        ]
        assert steps
        changed = [
            replace(one, means={x: exchanged(f, mean, wrong) for x, f in one.means.items()}) for one in steps
        ]
        assert any(shown_of(one) is None for one in changed)


@pytest.mark.parametrize("known", [facts.SPREAD, facts.PUSHED, facts.MOVED, facts.STRAYED], ids=str)
def test_training_computes_what_they_say(known):
    assert unbroken(known, with_terms(TRAINING))


def test_the_gain_is_what_its_formula_says():
    values = dict.fromkeys(("gamma_G", "gamma_L", "eps", "G0", "lam", "L", "sigma_L2"), 0.5) | {"E_Y_c": 3.0}
    found = facts.letters({"K": 3, "M": 2, "E": 2, "t": 3}, values)
    assert found["gained"] == pytest.approx(0.5**4 * 3 / 2)
    assert found["weighed"] == pytest.approx(sum(1.5 ** -(tau + 1) for tau in range(3)))
    # Two earlier tasks, 3 rounds: 2/2 * .5 * (.5 * .5)^2 * 4 * .5 * 3 / (.25 + 1)
    assert found["endless"] == pytest.approx(0.5 * 0.25**2 * 4 * 0.5 * 3 / 1.25)
