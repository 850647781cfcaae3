"""Local SGD: every lemma from the class of losses, and the theorems from the lemmas."""

import pytest

from tests.verify.published import judged, require_derivation, require_proof_for_all_sizes
from verify.engine.verdict import Verdict


@pytest.mark.parametrize("id", ["lem1", "lem1/convex", "lem2.sum", "lem3.step", "thm2.mean"])
def test_a_lemma_is_proved_for_all_parameters(id: str) -> None:
    require_proof_for_all_sizes(judged(f"localsgd.{id}"))


@pytest.mark.parametrize("id", ["lem1/long", "lem1/quarter", "lem3.step/long", "thm1/half"])
def test_false_variants_are_refuted(id: str) -> None:
    assert judged(f"localsgd.{id}", "default").verdict is Verdict.REFUTED


def test_the_theorem_for_strongly_convex_losses_follows_from_the_lemmas() -> None:
    require_derivation(judged("localsgd.thm1"))
