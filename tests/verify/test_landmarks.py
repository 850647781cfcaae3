"""Theorems of other papers on federated learning, judged from the definition of the class of losses."""

import pytest

from tests.verify.published import judged, require_proof_for_all_sizes
from verify.engine.verdict import Verdict
from verify.report.wording import sentence


@pytest.mark.parametrize("id", ["proxskip.lem3.4", "ef21.lem2", "ef21.thm1.step"])
def test_a_step_of_a_proof_is_proved_for_all_parameters(id: str) -> None:
    require_proof_for_all_sizes(judged(id))


@pytest.mark.parametrize("id", ["ef21.thm1/long"])
def test_longer_steps_are_refuted(id: str) -> None:
    assert judged(id).verdict is Verdict.REFUTED


def test_bounded_gradients_at_every_model_contradict_strong_convexity() -> None:
    finding = judged("noniid.thm1/everywhere")
    assert finding.verdict is Verdict.VACUOUS
    assert "contradict" in sentence(finding.reason)
