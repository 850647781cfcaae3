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
