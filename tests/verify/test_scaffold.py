"""SCAFFOLD: lemmas and parts of a round, for all parameters, numbers of clients and of local steps."""

import pytest

from tests.verify.published import judged, require_derivation, require_proof_for_all_sizes
from verify.engine.verdict import Verdict


@pytest.mark.parametrize("id", ["scaffold.lem3.sum", "scaffold.lem5", "scaffold.step"])
def test_a_part_of_a_round_is_proved_for_all_parameters(id: str) -> None:
    require_proof_for_all_sizes(judged(id))


def test_parts_of_a_round_give_its_progress() -> None:
    require_derivation(judged("scaffold.progress"))


@pytest.mark.parametrize(
    "id",
    [
        "scaffold.lem3.sum/better",
        "scaffold.lem4.martingale/single",
        "scaffold.lem5/half",
        "scaffold.lem6/long",
    ],
)
def test_what_is_too_good_is_refuted(id: str) -> None:
    assert judged(id).verdict is Verdict.REFUTED


def test_the_lag_is_refuted_for_one_of_two_clients_with_the_spread_that_they_have() -> None:
    finding = judged("scaffold.nc.lag.step/two")
    assert finding.verdict is Verdict.REFUTED
    found = finding.record()["witness"]["parameters"]
    assert [int(found[name]) for name in ("N", "S", "spread")] == [2, 1, 1]
