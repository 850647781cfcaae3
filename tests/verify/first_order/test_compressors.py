"""Claims about compressors are proved or refuted; claims about clipping are proved or left open with the reason."""

import sympy as sp

from verify import Notes, worst_case
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import Box
from verify.engine.verdict import Verdict
from verify.first_order import clipped, compressed, sq, unbiased

AFTER, BEFORE, DELTA, OMEGA = sp.symbols("after before delta omega", nonnegative=True)


def errors(problem, delta):
    """One step of error feedback: the part of v + e that the compressor loses, and |e|^2 + |v|^2 before."""
    v, e = problem.point("v"), problem.point("e")
    sent = compressed(problem, v + e, delta)
    return {"after": sq(v + e - sent), "before": sq(v) + sq(e)}


def lengths(problem, omega):
    v = problem.point("v")
    return {"after": sq(unbiased(problem, v, omega)), "before": sq(v)}


def bounded(problem):
    v = problem.point("v")
    return {"after": sq(clipped(problem, v, 1)), "before": sq(v)}


def judged(relation, scene, *conditions):
    claim = Notes("parts").claim("claim", relation, *conditions, scene=scene)
    return claim.checks[0](claim, BUDGETS["quick"], 0)


def test_claims_about_compressors_are_proved_and_refuted():
    feedback = worst_case(errors, delta=Box(0, 1))
    assert judged(AFTER <= 2 * (1 - DELTA) * BEFORE, feedback).verdict is Verdict.PROVED
    assert judged(10 * AFTER <= 19 * (1 - DELTA) * BEFORE, feedback, DELTA < 1).verdict is Verdict.REFUTED
    longer = worst_case(lengths, omega=Box(0, 4))
    assert judged(AFTER <= (1 + OMEGA) * BEFORE, longer).verdict is Verdict.PROVED
    assert judged(AFTER <= OMEGA * BEFORE, longer).verdict is Verdict.REFUTED


def test_a_claim_about_clipping_is_never_refuted_and_says_so():
    scene = worst_case(bounded)
    assert judged(AFTER <= BEFORE, scene).verdict is Verdict.PROVED
    found = judged(2 * AFTER <= BEFORE, scene)
    assert found.verdict is Verdict.UNREFUTED
    assert "never-refuted" in str(found.reason)
