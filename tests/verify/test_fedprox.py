"""FedProx: bounded dissimilarity makes clients share stationary points; the decrease of Theorem 4."""

import pytest

from tests.verify.published import judged, require_derivation, require_proof_for_all_sizes
from verify.engine.verdict import Verdict
from verify.report.wording import sentence


def test_stationary_points_are_shared_where_dissimilarity_is_bounded_at_all_models() -> None:
    assert judged("fedprox.ass1.stationary").verdict is Verdict.PROVED
    assert judged("fedprox.ass1.stationary/eps").verdict is Verdict.REFUTED


def test_clients_that_disagree_at_a_stationary_point_contradict_the_assumption() -> None:
    finding = judged("fedprox.thm4/heterogeneous")
    assert finding.verdict is Verdict.VACUOUS
    assert "contradict" in sentence(finding.reason)


@pytest.mark.parametrize("id", ["thm4.drift", "thm4.inexact", "thm4.server", "thm4.sampling"])
def test_the_parts_of_a_round_are_proved_for_all_parameters(id: str) -> None:
    require_proof_for_all_sizes(judged(f"fedprox.{id}"))


def test_the_decrease_is_derived_from_them() -> None:
    require_derivation(judged("fedprox.thm4"))


def test_sampling_costs_less_than_the_paper_says_but_not_nothing() -> None:
    require_derivation(judged("fedprox.thm4.sampled/sharper"))
    assert judged("fedprox.thm4.sampled/free").verdict is Verdict.REFUTED
