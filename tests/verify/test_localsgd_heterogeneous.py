"""Local SGD on heterogeneous data: lemmas from the class of losses, and the theorem from the lemmas."""

import pytest

from tests.verify.published import judged, require_derivation, require_proof_for_all_sizes
from verify.engine.verdict import Verdict


@pytest.mark.parametrize("id", ["dif.product", "dif.square", "dif.mean", "dif.longer"])
def test_a_lemma_is_proved_for_all_parameters(id: str) -> None:
    require_proof_for_all_sizes(judged(f"localsgd.{id}"))


@pytest.mark.parametrize("id", ["dif.step", "dif.summed", "dif.strayed", "dif.run", "dif.thm"])
def test_the_steps_of_the_theorem_are_derived_from_lemmas(id: str) -> None:
    require_derivation(judged(f"localsgd.{id}"))


@pytest.mark.parametrize("id", ["dif.gradient/quarter", "dif.product/half"])
def test_false_variants_are_refuted(id: str) -> None:
    assert judged(f"localsgd.{id}").verdict is Verdict.REFUTED
