"""Sentences of CFL about runs: each has a law, and the laws say what they compare."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import verify.networks.experiments as experiments
from bounds.cfl_empirical import STATEMENTS
from verify.networks_cfl import CLAIMS, LAWS, NAIVE, PLAIN, RETURNING, above, at_every_overlap, last

SMALL = {"seeds": 2, "periods": 3, "rounds": 1, "epochs": 0.5, "images": 200, "clients": 2, "sampled": 2}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(experiments, "FOLDER", tmp_path)


def test_every_sentence_has_a_law() -> None:
    assert {claim.statement.id for claim in CLAIMS} == {statement.id for statement in STATEMENTS}
    assert {f"cfl.emp.{item}" for item in LAWS} == {statement.id for statement in STATEMENTS}


def test_methods_are_compared_seed_by_seed() -> None:
    setting = replace(RETURNING, **SMALL)
    found = above(NAIVE, (PLAIN,))(setting)
    np.testing.assert_array_equal(found.met, last(setting, NAIVE) > last(setting, PLAIN))
    assert set(found.measured["accuracy"]) == {NAIVE, PLAIN}
    np.testing.assert_array_equal(above(PLAIN, (PLAIN,))(setting).met, [False, False])


def test_overlaps_are_all_asked_for() -> None:
    found = at_every_overlap(replace(RETURNING, **SMALL))
    assert found.met.shape == (2,)
    assert len(found.measured["fedavg"]) == 4
