"""FedProx: bounded dissimilarity makes clients share stationary points; the decrease of Theorem 4."""

from tests.verify.published import judged
from verify.engine.verdict import Verdict


def test_stationary_points_are_shared_where_dissimilarity_is_bounded_at_all_models() -> None:
    assert judged("fedprox.ass1.stationary").verdict is Verdict.PROVED
    assert judged("fedprox.ass1.stationary/eps").verdict is Verdict.REFUTED


def test_clients_that_disagree_at_a_stationary_point_contradict_the_assumption() -> None:
    finding = judged("fedprox.thm4/heterogeneous")
    assert finding.verdict is Verdict.VACUOUS
    assert "contradict" in finding.reason


def test_the_decrease_is_proved_for_all_parameters() -> None:
    finding = judged("fedprox.thm4")
    assert finding.verdict is Verdict.PROVED, finding.reason
