"""Assumptions of theorems that follow from lemmas, broken one at a time in worlds where the algorithm runs."""

import importlib
from dataclasses import replace

import pytest
import sympy as sp

from tests.verify.engine.simple import QUICK, about, u, v, w
from verify.engine.checks.necessity import better_at, better_in, needed_in, question_in
from verify.engine.checks.vacuity import FREE_LUNCH
from verify.engine.model.lemma import Lemma
from verify.engine.model.scene import Box, Scene
from verify.engine.records.answers import FOLDER, answers
from verify.report.wording import sentence

entries = sp.IndexedBase(sp.Symbol("entries", real=True))
n = sp.Symbol("n", integer=True, positive=True)
PRODUCTS = Scene(
    "products",
    ({"d": 1},),
    lambda shape: {"u": Box(-2, 3), "v": Box(-2, 3)},
    lambda shape, values: {"w": values["u"] * values["v"], "size": values["v"] ** 2},
)
SIZE = sp.Le(sp.Symbol("size", real=True), 1, evaluate=False)
LINKED = sp.Le(entries[n], u, evaluate=False)
LANDMARKS = {
    "proxskip_theorem": ("thm3.6",),
    "ef21_theorem": ("thm1",),
    "feedback_theorem": ("cgd", "thm1", "thm2"),
    "noniid_theorem": ("thm1/from-lemmas", "thm2", "thm3"),
    "localsgd_theorem": ("thm1", "thm2"),
    "localsgd_heterogeneous": ("dif.thm",),
    "scaffold_theorem": ("thm3",),
    "scaffold_nonconvex": ("nc.thm7",),
    "fedprox_theorem": ("thm4",),
    "gem_theorem": ("eq4/short",),
    "agem_theorem": ("eq11.safe/bounded",),
    "evron_two_tasks": ("thm10",),
    "evron_cyclic": ("thm11",),
    "evron_dimension": ("thm11.dimension",),
    "minnorm_theorem": ("thm4.1",),
    "kaczmarz_theorem": ("thm2",),
    "mirzadeh_theorem": ("eq5",),
    "increasing_theorem": ("mean",),
}


def linked():
    """w <= 1 from u <= 1, v <= 5 and a condition that a lemma gives; that v is at most 1 in size is said in words."""
    claim = about("linked", w <= 1, u <= 1, u >= -1, v <= 5, LINKED)
    return replace(claim, lemmas={LINKED: (Lemma(about("lemma", w <= u).statement, {}),)})


def test_what_a_lemma_gives_is_no_assumption_and_what_words_say_is_one():
    asked = question_in(linked(), PRODUCTS, (SIZE,), {})
    assert asked.conditions == (u <= 1, u >= -1, v <= 5, SIZE)
    assert asked.scene is PRODUCTS


def test_each_assumption_is_broken_alone():
    finding = needed_in(PRODUCTS, SIZE)(linked(), QUICK, 0)
    assert finding.verdict is None
    assert list(finding.details["fails at"]) == ["u <= 1", "u >= -1", "size <= 1"]
    assert finding.details["asked"] == 4
    assert finding.details["point"]["shape"] == {"d": 1}
    assert finding.details["ratio"] == pytest.approx(1, abs=0.1)
    assert "nowhere broken in its worlds: v <= 5; all are met in products" in sentence(finding.reason)


def test_a_world_that_breaks_the_theorem_is_refused():
    with pytest.raises(ValueError, match="false in 'products', although all assumptions hold"):
        needed_in(PRODUCTS)(linked(), QUICK, 0)


def test_letters_that_define_others_are_no_assumptions():
    claim = about("letters", entries[1] <= 1, sp.Eq(entries[1], w, evaluate=False), u <= 1)
    asked = question_in(claim, PRODUCTS, (), {entries[1]: w})
    assert (asked.relation, asked.conditions) == (w <= 1, (u <= 1,))


FREE = about("free", w <= 2).statement


@pytest.mark.parametrize("compared", [better_in(PRODUCTS, FREE, SIZE), better_at({v: sp.Integer(1)}, FREE)])
def test_a_bound_is_compared_with_a_trivial_one_in_its_world_and_at_numbers(compared):
    assert "better than known.free somewhere" in sentence(
        compared(about("better", w <= u + v, u <= 0, v <= 1), QUICK, 0).reason
    )
    never = compared(about("never", w <= u + v + 5, u >= 0, v >= 0), QUICK, 0)
    assert "never better than known.free" in sentence(never.reason)


@pytest.mark.parametrize("topic", LANDMARKS)
def test_landmark_theorems_are_compared_with_what_needs_no_theorem(topic):
    claims = importlib.import_module(f"verify.{topic}").CLAIMS
    for claim in claims:
        id = claim.statement.id
        if id.partition(".")[2] in LANDMARKS[topic]:
            found = [f for f in answers(FOLDER, topic)[id]["evidence"] if f["check"] == FREE_LUNCH.name]
            codes = {clause["code"] for f in found for clause in f["reason"]}
            assert codes in ({"better-somewhere"}, {"nothing-free"}), (id, codes)


@pytest.mark.parametrize("topic", LANDMARKS)
def test_landmark_theorems_are_asked_which_assumptions_they_need(topic):
    claims = importlib.import_module(f"verify.{topic}").CLAIMS
    asked = {
        claim.statement.id.partition(".")[2]
        for claim in claims
        if any(check.__qualname__.startswith("needed") for check in claim.checks)
    }
    assert asked == set(LANDMARKS[topic])
