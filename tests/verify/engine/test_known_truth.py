"""The engine on statements of known truth: it proves, refutes and abstains where it should."""

import json
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from tests.verify import known as k
from verify.engine.checks.order import order
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.vacuity import free_lunch, placebos
from verify.engine.judge import judge
from verify.engine.links import first_failing, link_proofs, with_final_verdicts
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, allowed_shapes
from verify.engine.proof.prover import derived as prove
from verify.engine.search.step_sizes import limits_of
from verify.engine.verdict import Finding, Verdict, overall
from verify.engine.work.errors import UsageError
from verify.report.wording import sentence

QUICK = BUDGETS["quick"]


@pytest.mark.parametrize(
    ("statement", "check", "scene", "verdict"),
    [
        (k.AM_GM, inequality, None, Verdict.PROVED),
        (k.TOO_STRONG, inequality, None, Verdict.REFUTED),
        (k.NEEDS_ORDER, inequality, None, Verdict.PROVED),
        (k.WITHOUT_ORDER, inequality, None, Verdict.REFUTED),
        (k.WITHOUT_ORDER, entailment, None, Verdict.GAP),
        (k.IMPOSSIBLE, inequality, None, Verdict.VACUOUS),
        (k.PARALLELOGRAM, identity, k.VECTORS, Verdict.REFUTED),
        (k.TRIANGLE, inequality, k.VECTORS, Verdict.UNREFUTED),
        (k.SHARP_TRIANGLE, inequality, k.VECTORS, Verdict.REFUTED),
        (k.CONVEX, bound, k.VECTORS, Verdict.UNREFUTED),
        (k.DESCENDS, bound, k.DESCENT, Verdict.UNREFUTED),
        (k.OVERSTEPS, bound, k.DESCENT, Verdict.REFUTED),
        (k.SUM_RULE, identity, None, Verdict.PROVED),
        (k.WRONG_RULE, identity, None, Verdict.REFUTED),
        (k.WRONG_RULE, agreement, None, Verdict.INCONSISTENT),
        (k.ORDER, order, None, Verdict.PROVED),
        (k.WRONG_ORDER, order, None, Verdict.GAP),
    ],
    ids=lambda value: getattr(value, "id", getattr(value, "__name__", None)),
)
def test_known_truths_get_their_verdict(statement, check, scene, verdict):
    assert check(k.claim(statement, check, scene), QUICK, 0).verdict == verdict


@pytest.mark.parametrize(
    ("statement", "scene"),
    [(k.TOO_STRONG, None), (k.SHARP_TRIANGLE, k.VECTORS), (k.OVERSTEPS, k.DESCENT), (k.WRONG_RULE, None)],
    ids=["numbers", "norms", "steps", "identity"],
)
def test_a_refutation_comes_with_a_confirmed_witness(statement, scene):
    check = identity if isinstance(statement.relation, sp.Eq) else bound
    finding = check(k.claim(statement, check, scene), QUICK, 0)
    witness = finding.witness
    assert witness.relation.fails
    assert all(condition.holds for condition in witness.conditions)
    assert finding.method in ("exact", "interval")


def test_a_witness_has_room_in_its_conditions():
    finding = bound(k.claim(k.OVERSTEPS, bound, k.DESCENT), QUICK, 0)
    assert all(condition.slack > 0 for condition in finding.witness.conditions)


def test_tightness_of_the_triangle_inequality_is_one():
    finding = inequality(k.claim(k.TRIANGLE, inequality, k.VECTORS), QUICK, 0)
    assert finding.tightness == pytest.approx(1)


def test_a_false_premise_does_not_turn_a_falsehood_into_a_proof():
    claim = k.claim(k.WITHOUT_ORDER, inequality, premises=(sp.Le(k.x, k.y),))
    assert inequality(claim, QUICK, 0).verdict is Verdict.REFUTED


def test_free_lunch_is_found_and_its_absence_too():
    dear = k.known("dear", sp.Le(k.a2, k.x + k.y))
    free = k.known("dear/free", sp.Le(k.a2, k.x), changes="free")
    finding = free_lunch(free)(Claim(dear, ()), QUICK, 0)
    assert finding.verdict is None  # until the free bound is proved (`verify.engine.links`)
    assert finding.details["comparison"] == {"with": free.id, "premises": [], "facts": {}}
    assert "certificate" in finding.proof
    better = free_lunch(dear)(Claim(free, ()), QUICK, 0)
    assert better.verdict is None
    assert sentence(better.reason).startswith(f"better than {dear.id} somewhere")


def test_placebos_that_were_never_run_say_nothing():
    impossible = k.known("both", sp.Le(k.after, k.before), sp.Le(k.L, k.before), sp.Gt(k.L, 5 + k.before))
    untried = placebos((k.DESCENT,))(k.claim(impossible, bound, k.DESCENT), QUICK, 0)
    assert untried.trials == 0
    assert untried.verdict is None
    assert k.DESCENT.name in sentence(untried.reason)


def test_placebos_are_a_remark_that_names_what_meets_the_statement():
    met, caught = (
        placebos((k.DESCENT,))(k.claim(statement, bound, k.DESCENT), QUICK, 0)
        for statement in (k.DESCENDS, k.OVERSTEPS)
    )
    assert met.verdict is caught.verdict is None
    assert (met.details["holds_for"], met.details["breaks_for"]) == ([k.DESCENT.name], [])
    assert (caught.details["holds_for"], caught.details["breaks_for"]) == ([], [k.DESCENT.name])


def test_the_same_seed_gives_the_same_record():
    claim = k.claim(k.OVERSTEPS, bound, k.DESCENT)
    first, second = judge(claim, "quick", 3), judge(claim, "quick", 3)
    first.pop("seconds"), second.pop("seconds")
    assert first == second


def test_records_are_plain_json():
    record = judge(k.claim(k.SHARP_TRIANGLE, inequality, k.VECTORS), "quick", 0)
    assert json.loads(json.dumps(record)) == record
    assert {"id", "kind", "verdict", "source", "statement", "evidence", "witness", "reason"} <= record.keys()


def test_the_most_damaging_verdict_is_shown():
    verdicts = (Verdict.PROVED, Verdict.VACUOUS, Verdict.UNREFUTED)
    findings = [Finding("a", v, "exact", "").record() for v in verdicts]
    assert overall(findings)["verdict"] == Verdict.VACUOUS
    assert overall([findings[0], findings[2]])["verdict"] == Verdict.PROVED
    with pytest.raises(ValueError, match="at least one check"):
        overall([Finding("a", None, "exact", "").record()])


def test_theorems_are_linked_to_the_first_step_that_fails():
    verdicts = {"s1": "proved", "s2": "gap", "s3": "refuted"}
    assert first_failing(["s1", "s2", "s3"], verdicts) == "s2"
    assert first_failing(["s1", "unknown"], verdicts) is None
    records = [{"id": id, "verdict": v, "uses": []} for id, v in verdicts.items()]
    records.append({"id": "thm", "verdict": "unrefuted", "uses": ["s1", "s3"]})
    link_proofs(records)
    assert records[-1]["proof"] == {
        "first_failing_step": "s3",
        "its_verdict": "refuted",
        "conclusion_survives": True,
    }


def test_a_derivation_is_a_proof_only_if_its_premises_are():
    premise = sp.Le(k.length, k.lengths)
    weaker = k.known("weaker", sp.Le(k.length, k.lengths + 1))
    cited = judge(k.claim(k.TRIANGLE, inequality, k.VECTORS), "quick", 0)
    known = k.claim(k.TRIANGLE, inequality, k.VECTORS)
    derived = judge(k.claim(weaker, inequality, k.VECTORS, premises=(premise,)), "quick", 0, (known,))
    (alone,) = with_final_verdicts([derived])
    assert alone["verdict"] == "unrefuted"
    assert "the fact" in sentence(alone["reason"])
    assert with_final_verdicts([cited, derived])[1]["verdict"] == "unrefuted"
    cited["verdict"] = "proved"
    assert with_final_verdicts([cited, derived])[1]["verdict"] == "proved"
    assert "known.triangle (proved)" in sentence(with_final_verdicts([cited, derived])[1]["reason"])


def test_a_premise_that_is_not_needed_is_not_named():
    weaker = k.known("weaker", sp.Le(k.x * k.y, k.x**2 / 2 + k.y**2 / 2 + 1))
    record = judge(k.claim(weaker, inequality, premises=(k.AM_GM.relation,)), "quick", 0)
    assert record["verdict"] == "proved"
    assert record["proof"]["rests_on"]["premises"] == []


def test_an_instance_survives_json():
    instance = Instance(
        {"d": 2},
        {"a": np.array([Fraction(1, 3), Fraction(-2)], dtype=object)},
        {"s": np.array(Fraction(1, 7), dtype=object)},
    )
    again = Instance.from_record(json.loads(json.dumps(instance.record())))
    assert again.record() == instance.record()


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"shape": {}, "parameters": {"a": ["one"]}, "steps": {}},
        {"shape": [], "parameters": {}, "steps": {}},
    ],
)
def test_a_broken_witness_is_a_usage_error(broken):
    with pytest.raises(UsageError, match="instance"):
        Instance.from_record(broken)


def test_limits_are_solved_for_the_step():
    conditions = (sp.Le(k.gamma * k.x, 1 / k.L), sp.Ge(k.y, k.gamma), sp.Le(k.gamma**2, k.y))
    limits = [limit for limit, _ in limits_of("gamma", conditions, frozenset({"x", "y", "L"}))]
    assert limits == [1 / (k.L * k.x), k.y]


def test_shapes_that_break_a_condition_are_not_tried():
    shapes = allowed_shapes(k.VECTORS, (sp.Ge(sp.Symbol("d", integer=True, positive=True), 2),))
    assert shapes == ({"d": 2},)


def test_boxes_check_their_range():
    with pytest.raises(ValueError, match="`low` must be at most `high`"):
        Box(1, 0)
    with pytest.raises(ValueError, match="positive on a log scale"):
        Box(0, 1, scale="log")


def test_the_prover_knows_when_premises_contradict_each_other():
    assert prove(sp.Le(k.x, k.y), (sp.Lt(k.x, k.y), sp.Gt(k.x, k.y))).outcome == "contradiction"


def test_the_prover_gives_exact_countermodels():
    proof = prove(sp.Le(k.x * k.y, 1))
    assert proof.outcome == "countermodel"
    assert proof.point["x"] * proof.point["y"] > 1


def test_the_prover_finds_points_in_terms_that_the_solver_cannot_read():
    proof = prove(sp.Le(k.x**k.n, 1))
    assert proof.outcome == "countermodel"
    assert proof.point["x"] ** proof.point["n"] > 1
