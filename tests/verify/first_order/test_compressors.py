"""Claims about compressors are proved or refuted; claims about clipping are proved or left open with the reason."""

import sympy as sp

from verify import Notes, worst_case
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import Box
from verify.engine.verdict import Verdict
from verify.first_order import clipped, compressed, smooth_convex, sq, unbiased

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


def clipped_step(problem, eta, c):
    f, x = problem.function(smooth_convex(1)), problem.point("x")
    best, g = f.minimiser(), clipped(problem, f.gradient(x), c)
    return {"after": sq(x - eta * g - best), "before": sq(x - best)}


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


def test_a_clipped_step_comes_no_farther():
    """|x - eta clip(g) - z|^2 <= |x - z|^2 for eta <= 2/L and every radius; it fails for any projection to a convex set."""
    scene = worst_case(clipped_step, eta=Box(0, 2), c=Box(0.1, 10))
    assert judged(AFTER <= BEFORE, scene).verdict is Verdict.PROVED
    longer = worst_case(clipped_step, eta=Box(3, 4), c=Box(0.1, 10))
    assert judged(AFTER <= BEFORE, longer).verdict is Verdict.UNREFUTED
