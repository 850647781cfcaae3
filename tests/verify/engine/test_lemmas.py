"""Conditions that lemmas give: what follows is accepted with certificates, everything else is refused with the reason."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.relations import eq, ge, le, lt
from tests.verify import known as k
from tests.verify.engine.simple import LINE
from verify.check_proof import check
from verify.engine.checks.relation import identity, inequality
from verify.engine.judge import judge
from verify.engine.links import with_final_verdicts
from verify.engine.model.claim import Claim
from verify.engine.model.lemma import Lemma
from verify.engine.model.scene import Box
from verify.engine.proof.lemmas import definitions, given_by_lemmas
from verify.engine.proof.whole import found_by
from verify.engine.records.digests import digest_of_question
from verify.engine.work.errors import UsageError
from verify.first_order import decided, smooth_strongly_convex, sq, worst_case
from verify.report.wording import sentence

t, T = sp.symbols("t T", integer=True, positive=True)
d, d_next, noise = sp.symbols("d d_next noise", nonnegative=True)
q, size = sp.symbols("q size", positive=True)
far, extra, sums = (sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in ("far", "extra", "sums"))

STEP = le(d_next, (1 - q) * d + noise)
SHORT = lt(q, 1)
EVERY = le(far[t + 1], (1 - q) * far[t] + noise)
BOUND = le(far[T + 1], (1 - q) ** T * far[1] + noise / q)
ROUND = {d_next: far[t + 1], d: far[t]}


def statement(id, relation, *conditions):
    return k.known(id, relation, *conditions)


def lemma(relation=STEP, *conditions, id="step", **more):
    return Claim(statement(id, relation, *(conditions or (SHORT,))), (inequality,), **more)


def theorem(*uses, relation=BOUND, conditions=(SHORT, EVERY), of=EVERY):
    return Claim(statement("theorem", relation, *conditions), (inequality,), lemmas={of: uses})


def given(claim, *lemmas):
    return given_by_lemmas(claim, {one.statement.id: one for one in lemmas})


def refusal(claim, *lemmas):
    with pytest.raises(UsageError) as error:
        given(claim, *lemmas)
    assert str(error.value).startswith("known.theorem: ")
    return str(error.value)


def use(one, letters=ROUND):
    return Lemma(one.statement, letters)


def test_the_lemma_of_a_round_gives_the_condition_of_every_round():
    one = lemma()
    (found,) = given(theorem(use(one)), one).values()
    assert (found["same"], found["states"]) == (["known.step"], str(STEP))
    (met,), (shown,) = found["implied"]["known.step"], found["gives"]
    assert met["claim"] == ["<", "q", "1"]
    assert shown["claim"][1] == ["at", "far", ["+", "1", "t"]]
    for certificate in (met, shown):
        check(dict(certificate))


def test_a_theorem_is_proved_if_its_lemmas_are():
    one = Claim(statement("step", le(d_next, d / 2 + 1), le(d_next, d / 2)), (inequality,))
    condition = le(far[t + 1], far[t] / 2 + 1)
    claim = theorem(
        use(one),
        relation=le(far[T + 1], far[1] + 2),
        conditions=(condition, le(far[t + 1], far[t] / 2)),
        of=condition,
    )
    records = [judge(each, "quick", 0, (one, claim)) for each in (claim, one)]
    assert records[0]["verdict"] == "unrefuted"
    first, second = with_final_verdicts(records)
    assert (first["verdict"], second["verdict"]) == ("proved", "proved")
    assert "known.step (proved)" in sentence(first["reason"])
    whole = found_by(claim, records[0])
    assert whole.rests_on == ("known.step",)
    assert (
        len(whole.certificates) == 3
    )  # its own, the condition of the lemma, and the condition that the lemma gives
    unproved = {**records[1], "verdict": "unrefuted"}
    assert with_final_verdicts([records[0], unproved])[0]["verdict"] == "unrefuted"


@pytest.mark.parametrize(
    ("relation", "conditions", "letters", "message"),
    [
        (
            le(d_next, (1 - q / 2) * d + noise),
            (SHORT,),
            ROUND,
            "must follow from known.step with their letters replaced",
        ),
        (
            le(d_next, (1 - q) * d + 2 * noise),
            (SHORT,),
            ROUND,
            "must follow from known.step with their letters replaced",
        ),
        (
            STEP,
            (SHORT,),
            {d_next: far[t], d: far[t + 1]},
            "must follow from known.step with their letters replaced",
        ),
        (STEP, (le(2 * q, 1),), ROUND, "the condition 2*q <= 1 of known.step is 2*q <= 1 here"),
        (STEP, (ge(size, 1),), ROUND, "the condition size >= 1 of known.step"),
        (
            STEP,
            (SHORT,),
            {**ROUND, noise: noise - 1},
            "noise of known.step is nonnegative, so that noise - 1 >= 0 must follow",
        ),
        (STEP, (SHORT,), {**ROUND, size: q}, "known.step has no letter size"),
        (
            le(d_next, d + noise / T),
            (SHORT,),
            {**ROUND, T: q},
            "T of known.step is a whole number, and q need not be one",
        ),
    ],
)
def test_what_does_not_follow_is_refused(relation, conditions, letters, message):
    one = lemma(relation, *conditions)
    assert message in refusal(theorem(use(one, letters)), one)


def test_a_wrong_factor_in_the_condition_is_refused():
    one, wrong = lemma(), le(far[t + 1], (1 - 2 * q) * far[t] + noise)
    assert "must follow from known.step" in refusal(
        theorem(use(one), conditions=(SHORT, wrong), of=wrong), one
    )


def test_a_condition_on_one_number_says_nothing_for_all_its_values():
    one = lemma(STEP, le(t, 5))
    plain = theorem(use(one), conditions=(le(t, 5), EVERY))
    assert "the condition t <= 5 of known.step" in refusal(plain, one)


def test_lemmas_come_one_after_the_other():
    one, two = lemma(le(d_next, d), le(noise, 1)), lemma(le(noise, 1), SHORT, id="noise")
    condition = le(far[t + 1], far[t])
    claim = theorem(
        use(two, {}), use(one), relation=le(far[T], far[1]), conditions=(SHORT, condition), of=condition
    )
    assert [len(found["gives"]) for found in given(claim, one, two).values()] == [0, 1]
    assert "the condition noise <= 1 of known.step" in refusal(
        replace(claim, lemmas={condition: (use(one), use(two, {}))}), one, two
    )


def test_earlier_conditions_count_and_the_condition_itself_does_not():
    one = lemma(le(d, 3), le(d_next, 2))
    first, second = le(far[t], 2), le(extra[t], 3)
    letters = {d: extra[t], d_next: far[t]}
    own = lemma(le(d_next, 2), SHORT, id="own")
    claim = Claim(
        statement("theorem", le(far[T] + extra[T], 5), SHORT, first, second),
        (inequality,),
        lemmas={first: (Lemma(own.statement, {d_next: far[t]}),), second: (Lemma(one.statement, letters),)},
    )
    assert len(given(claim, one, own)) == 2
    circular = replace(claim, lemmas={second: claim.lemmas[second], first: claim.lemmas[first]})
    assert "the condition d_next <= 2 of known.step" in refusal(circular, one, own)


def test_a_lemma_is_used_without_the_conditions_that_others_give():
    half = lemma(le(d, 1), SHORT, id="half")
    one = Claim(
        statement("step", le(d_next, 2), le(d, 1)), (inequality,), lemmas={le(d, 1): (Lemma(half.statement),)}
    )
    condition = le(far[t], 2)
    claim = theorem(use(one, {d_next: far[t]}), relation=le(far[T], 2), conditions=(condition,), of=condition)
    assert given(claim, one, half)
    assert "the condition d <= 1 of known.step" in refusal(claim, replace(one, lemmas={}), half)


SUMS = (eq(sums[t + 1], sums[t] + extra[t]), eq(sums[1], 0))


def test_sums_that_a_lemma_defines_need_no_proof():
    total = lemma(le(sums[T + 1], T * q), le(extra[t], q), *SUMS, id="total")
    condition = le(d, T * q)
    letters = {sums[T + 1]: d}
    claim = theorem(
        use(total, letters), relation=le(d, 2 * T * q), conditions=(le(extra[t], q), condition), of=condition
    )
    assert given(claim, total)
    other = replace(claim, statement=replace(claim.statement, conditions=(*claim.conditions, le(sums[1], d))))
    assert "the condition Eq(sums[t + 1], extra[t] + sums[t])" in refusal(other, total)


def test_only_equations_for_the_next_entry_define():
    assert definitions(SUMS, set()) == dict.fromkeys(SUMS)
    assert definitions(SUMS, {sp.Symbol("sums", nonnegative=True)}) == {}
    assert definitions((SUMS[0], eq(sums[2], 1)), set()) == {}  # the entry at 2 would be defined twice
    assert definitions((SUMS[0], SUMS[1], eq(sums[1], 1)), set()) == {}
    assert definitions((le(sums[t + 1], sums[t]),), set()) == {}
    assert definitions((eq(sums[t + 1], 2 * sums[t + 1]),), set()) == {}
    less = eq(sums[t + 1], sums[t] - extra[t])
    assert definitions((less,), set()) == {less: sp.Ge(sums[t] - extra[t], 0, evaluate=False)}


def test_entries_that_the_theorem_speaks_of_must_be_equal():
    one = lemma(le(far[T + 1], far[1]), SHORT)
    condition = le(d_next, d)
    letters = {far[T + 1]: d_next, far[1]: d}
    claim = theorem(use(one, letters), relation=condition, conditions=(SHORT, condition), of=condition)
    assert given(claim, one)
    both = replace(claim, statement=replace(claim.statement, conditions=(SHORT, condition, le(far[1], 3))))
    assert "known.theorem speaks of far[T + 1]" in refusal(both, one)


def test_a_formula_may_stand_for_a_sequence():
    one = lemma(le(far[T + 1], far[1]), SHORT, le(far[t + 1], far[t]))
    sum_of = sp.Lambda(t, extra[t] + q * sums[t])
    every, condition = (le(sum_of(after), sum_of(before)) for after, before in ((t + 1, t), (T + 1, 1)))
    claim = theorem(
        use(one, {far: sum_of}), relation=condition, conditions=(SHORT, every, condition), of=condition
    )
    assert given(claim, one)
    other = replace(claim, statement=replace(claim.statement, conditions=(SHORT, condition)))
    assert "the condition far[t + 1] <= far[t]" in refusal(other, one)


def test_an_equation_follows_from_both_inequalities():
    below, above = (
        lemma(relation, SHORT, id=id) for relation, id in ((le(d_next, d), "below"), (ge(d_next, d), "above"))
    )
    condition = eq(far[t + 1], far[t])
    claim = theorem(
        use(below), use(above), relation=eq(far[T], far[1]), conditions=(SHORT, condition), of=condition
    )
    assert [len(found["gives"]) for found in given(claim, below, above).values()] == [0, 1]


def test_ranges_of_a_worst_case_are_conditions():
    def step(problem, L):
        f, x = problem.function(smooth_strongly_convex(L, 0)), problem.point("x")
        return {"d_next": sq(f.gradient(x)), "d": 2 * L * (f(x) - f(f.minimiser()))}

    L = sp.Symbol("L", positive=True)
    narrow = Claim(statement("step", le(d_next, d), le(L, 9)), (decided,), worst_case(step, L=Box(1, 5)))
    condition = le(far[t + 1], far[t])
    claim = theorem(use(narrow), relation=le(far[T], far[1]), conditions=(le(L, 4), condition), of=condition)
    assert "known.step is judged for L >= 1 only, so that L >= 1 must follow" in refusal(claim, narrow)
    inside = replace(claim, statement=replace(claim.statement, conditions=(le(L, 4), ge(L, 2), condition)))
    assert len(given(inside, narrow)[str(condition)]["implied"]["known.step"]) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scene": LINE}, "`lemmas` need a claim without a scene"),
        ({"lemmas": {le(d, 1): ()}}, "`lemmas` must give conditions of the statement, got d <= 1"),
        ({"lemmas": {EVERY: ()}}, "`lemmas` must name a lemma"),
    ],
)
def test_lemmas_of_the_wrong_form_are_refused(change, message):
    one = lemma()
    assert message in refusal(replace(theorem(use(one)), **change), one)


def test_a_lemma_that_no_claim_judges_is_refused():
    assert "no claim judges its lemma known.step" in refusal(theorem(use(lemma())))


def test_a_letter_that_a_condition_counts_is_not_captured():
    one = lemma(le(d_next, d), le(far[t], q))
    assert "t stands for every value" in refusal(
        theorem(use(one, {**ROUND, q: extra[t]}), conditions=(SHORT, EVERY)), one
    )


def test_lemmas_belong_to_the_question():
    one = lemma()
    plain, by_lemma = replace(theorem(use(one)), lemmas={}), theorem(use(one))
    assert digest_of_question(plain) != digest_of_question(by_lemma)
    assert digest_of_question(by_lemma) != digest_of_question(theorem(use(one, {d_next: far[t + 1]})))
    assert digest_of_question(replace(plain, checks=(identity,))) != digest_of_question(plain)
