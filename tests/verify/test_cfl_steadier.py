"""CFL changes less from round to round than FedAvg: the recursions of the proof against plain loops, and changed facts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from bounds.cfl.nqm import jump_cfl, jump_fedavg, rate
from bounds.cfl.symbols import L
from bounds.relations import ge, le
from verify.engine.model.scene import Follows, Rounds
from verify.engine.proof.facts import shown_of
from verify.scenes.cfl.steadier_facts import BERNOULLI, STEADIER


def test_the_fact_has_a_proof_for_any_number_of_rounds_local_steps_and_axes() -> None:
    shown = shown_of(STEADIER)
    assert shown is not None
    assert shown.proof["sizes"] is None
    assert shown.needed == {le(rate * L, 2)}


_power = sp.Symbol("power", real=True)
_number = sp.Symbol("number of rounds", nonnegative=True)
_lost = 1 - sp.Symbol("decay", real=True)
CHANGED: dict[str, Rounds | Follows] = {
    "a factor": replace(STEADIER, relation=le(2 * jump_cfl, jump_fedavg)),
    "the other direction": replace(STEADIER, relation=le(jump_fedavg, jump_cfl)),
    "a shifted round": replace(BERNOULLI, relation=ge(_power, 1 - (_number - 1) * _lost)),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_fact_has_no_proof(name: str) -> None:
    assert shown_of(CHANGED[name]) is None


@pytest.mark.parametrize("decay", [Fraction(-1), Fraction(-1, 3), Fraction(0), Fraction(2, 5), Fraction(1)])
def test_recursions_are_those_of_single_drifts(decay: Fraction) -> None:
    """Variances of the changes from drifts of variance 1 that each round draws, in units of the reach of a round."""
    rounds, cfl, fedavg = 6, Fraction(1), Fraction(1)
    for t in range(rounds):
        for remember, expected in ((True, cfl), (False, fedavg)):
            total = Fraction(0)
            for drawn in range(t + 1):
                x = change = Fraction(0)
                for now in range(t + 1):
                    force = (Fraction(1, now + 1) if now >= drawn else 0) if remember else int(now == drawn)
                    change = decay * x - force - x
                    x += change
                total += change**2
            assert total == expected
        n = t + 1
        cfl = decay**2 * cfl + (1 - 2 * decay**n) / (n * (n + 1))
        fedavg = decay**2 * fedavg + 2 - 2 * decay
