"""SPECIAL, Lemma C.5 step by step: equal to all steps at once, and the definitions of its symbols."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bounds.catalogue import statement
from bounds.evaluate import evaluate
from bounds.relations import le
from bounds.special.lemmas import D_before, bracket
from bounds.special.local_steps import BRACKET, FADES, GREW, GROWS, GROWTH, WALKED, WITHIN
from bounds.special.symbols import E
from verify.engine.model.arithmetic import ARITHMETIC
from verify.engine.model.scene import quantities
from verify.engine.proof.facts import fact_of, shown_of, unbroken
from verify.engine.search.sampling import sample
from verify.engine.search.step_sizes import settle
from verify.scenes.special.lemmas import LOCAL
from verify.scenes.special.step_by_step import STEP_BY_STEP, SUMMED, WITHIN_ROUND
from verify.special_lemmas import CLAIMS

CONDITIONS = statement("special.lemC.5").conditions


def stepped(scene, shape, batch=16):
    parameters = sample(scene.space(shape), np.random.default_rng(7), batch)
    parameters["h"] += parameters["h"] == 0  # flat losses allow steps of any length
    sizes = settle(scene, CONDITIONS, shape, parameters, ARITHMETIC["float"])
    return quantities(scene, shape, parameters, sizes)


@pytest.mark.parametrize("e", range(4))
def test_one_after_the_other_the_steps_are_those_of_a_round(e):
    whole = stepped(LOCAL, {"M": 2, "E": 4, "d": 2})
    one = stepped(STEP_BY_STEP, {"M": 2, "E": 4, "e": e, "d": 2})
    np.testing.assert_allclose(one["D_mean"], whole["D_mean"][:, e], rtol=1e-12)
    np.testing.assert_allclose(one["bracket"], evaluate(BRACKET.rhs, one), rtol=1e-12)
    if e < 3:
        for name in ("D_now", "D_before", "lip2", "noise2", "het2"):
            np.testing.assert_allclose(one[name], whole[name][..., e], rtol=1e-12, err_msg=name)


def test_what_the_letters_mean_is_proved_of_any_number_of_steps():
    for meaning in (BRACKET, FADES, WALKED, GREW, GROWS, GROWTH):
        shown = fact_of(meaning, STEP_BY_STEP, CONDITIONS)
        assert shown is not None, meaning
        assert not shown.proof["sizes"], meaning


def test_only_in_a_round_is_a_step_one_of_its_own():
    assert fact_of(WITHIN, WITHIN_ROUND, CONDITIONS) is not None
    assert fact_of(WITHIN, STEP_BY_STEP, CONDITIONS) is None
    assert not unbroken(statement("special.lemC.5/half").compared, STEP_BY_STEP, CONDITIONS)


def test_a_shorter_growth_is_broken():
    printed = statement("special.lemC.5/carried").compared
    less = printed.func(printed.lhs, printed.rhs * 4 / 5)
    assert unbroken(printed, WITHIN_ROUND, CONDITIONS)
    assert not unbroken(less, STEP_BY_STEP, CONDITIONS)


def test_the_series_is_summed_for_any_number_of_steps():
    """Eq. (16) for one client: only in a round, whose steps are at most E."""
    claim = next(claim for claim in CLAIMS if claim.statement.id == "special.eq16")
    shown = fact_of(SUMMED.relation, WITHIN_ROUND, claim.conditions)
    assert claim.premises == (SUMMED.relation,)
    assert shown is not None
    assert shown.proof["sizes"] is None
    assert fact_of(SUMMED.relation, STEP_BY_STEP, claim.conditions) is None


@pytest.mark.parametrize(
    ("growth", "power", "start"),
    [(1 / (E - 1), E - 1, 1), (1 / E, E, 1), (1 / (E - 1), E, 2)],
    ids=["a power less", "a smaller growth", "a smaller first term"],
)
def test_another_series_has_no_proof(growth, power, start):
    relation = le(D_before, (E - 1) * ((1 + growth) ** power - start) * bracket)
    assert shown_of(replace(SUMMED, relation=relation)) is None


def test_the_series_needs_each_of_its_conditions():
    for missing in SUMMED.given:
        rest = tuple(condition for condition in SUMMED.given if condition != missing)
        assert shown_of(replace(SUMMED, given=rest)) is None
