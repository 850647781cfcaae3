"""Claims about runs in a family of losses that one round and an induction prove."""

import pytest
import sympy as sp

from verify import Notes, run, worlds
from verify.engine.model.claim import BUDGETS
from verify.engine.verdict import Verdict
from verify.first_order.recording import recorded
from verify.quantities import L, distance2, distance2_0, eta, mu, t
from verify.running import method_named

ETA = sp.Symbol("eta", positive=True)
LONG = run("fedavg", worlds.strongly_convex(), rounds=(1, 5), local_lr="eta")
SMALLER = (1 - eta * mu) ** 2


def proof_of(relation, *conditions):
    claim = Notes("long").claim("claim", relation, *conditions, scene=LONG)
    return LONG.proves(claim, BUDGETS["quick"])


def test_a_rate_of_five_rounds_follows_from_one():
    rate = sp.Max(SMALLER, (1 - eta * L) ** 2)
    found = proof_of(distance2 <= rate**t * distance2_0, eta <= 2 / L, mu < L)
    assert found.verdict is Verdict.PROVED
    assert {"M": 1, "E": 1, "t": 5} in found.proof["sizes"]
    assert "ranges" not in found.proof


def test_a_rate_that_is_too_good_does_not():
    assert proof_of(distance2 <= (SMALLER * sp.Rational(24, 25)) ** t * distance2_0, eta <= 1 / L) is None


@pytest.mark.parametrize(("name", "same"), [("fedavg", True), ("scaffold", False)])
def test_rounds_repeat_if_the_model_is_the_whole_state(name, same):
    more = {"n_clients": 2, "global_lr": 1} if name == "scaffold" else {}
    one, two = (
        recorded(lambda: method_named(name)(local_lr=ETA, **more), 2, 2, 2, rounds, noisy=False)
        for rounds in (1, 2)
    )
    assert two.repeats(one) == same
