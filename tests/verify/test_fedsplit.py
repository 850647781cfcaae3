"""FedAvg on quadratic losses: its fixed point for any number of clients and local steps, and the bias of two local steps."""

import pytest

from tests.verify.published import judged, require_proof_for_all_sizes
from verify.engine.verdict import Verdict


@pytest.mark.parametrize("id", ["local", "round", "rounds", "bias"])
def test_a_statement_is_proved_for_all_sizes(id: str) -> None:
    require_proof_for_all_sizes(judged(f"fedsplit.{id}"))


def test_the_fixed_point_is_not_the_minimiser() -> None:
    assert judged("fedsplit.bias/none").verdict is Verdict.REFUTED
