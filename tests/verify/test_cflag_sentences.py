"""Sentences of C-FLAG's text: sets between current and all data by brute force, costs and baselines counted by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from nqm.fields import to_exact
from verify.engine.model.scene import quantities
from verify.scenes.cflag.memories import around, clients_of, one_draw, sizes
from verify.scenes.cflag.memory_rounds import start
from verify.scenes.cflag.sentences import ADAM, SETS, costs, falls, in_tables


def test_adam_takes_its_first_step_whatever_the_gradient() -> None:
    values = {"gradient": [["1/100"]], "epsilon": ["1/100"], "L": ["1"]}
    given = {name: to_exact(np.vectorize(Fraction)(value)) for name, value in values.items()}
    found = quantities(ADAM, {"E": 1, "d": 1}, given, {"beta": to_exact(np.array([Fraction(1, 4)]))})
    assert found["adam_drift"].tolist() == [Fraction(1, 8)]
    assert found["gg"].tolist() == [Fraction(1, 100)]


def test_falls_of_every_set_by_hand() -> None:
    """Past samples with minimisers 1 and -1, a current one at 0, all with curvature 1; the model moves from 2 to 1."""
    shape = sizes(S=2, centres=2)
    one = np.array([[[[1], [1]]]])
    given = {
        **{"raw": [[1]], "unit": [1], "past_h": one[0], "bent": [[1]], "centre": [[[[1], [-1]]]]},
        **{"now_h": [[[[1]]]], "now_c": [[[[0]]]], "x": [[2]]},
    }
    values = {name: to_exact(np.array(value)) for name, value in given.items()}
    values["past_h"] = to_exact(np.ones((1, 1, 2, 1), dtype=int))
    clients = clients_of(shape, values)
    first = start(values, len(one_draw(shape)))
    found = falls(shape, clients, first, first - 1)[0, 0]
    each = [around(1, c) for c in (1, -1, 0)]  # decreases 1/2, 5/2 and 3/2
    drop = [
        loss.h * ((2 - c) ** 2 - (1 - c) ** 2) / Fraction(2) for loss, c in zip(each, (1, -1, 0), strict=True)
    ]
    sets = ((), (0,), (1,), (0, 1))
    assert found.tolist() == [sum(drop[i] for i in (*part, 2)) / (len(part) + 1) for part in sets]


@pytest.mark.parametrize("shape", SETS.shapes)
def test_memory_and_current_data_are_one_of_the_sets(shape: dict[str, int]) -> None:
    from verify.engine.search.sampling import sample

    values = sample(SETS.space(shape), np.random.default_rng(0), 8)
    known = {**values, **SETS.known(shape, values)}
    found = SETS.compute(shape, {**known, "alpha": 0.1 / known["L"], "beta": 0.1 / known["L"]})
    assert (found["reached"] >= -1e-12).all()
    assert (found["served"] <= found["reached"].min(axis=1) + 1e-12).all()


def test_one_baseline_is_missing_without_reason() -> None:
    missing = [name for name, instance in in_tables().items() if not instance.parameters["listed"][()]]
    assert missing == ["FedTrk in Table 2, non-IID", "FedTrk in Table 6, non-IID"]


def test_costs_are_those_of_2000_samples_a_client() -> None:
    assert [(found.shape["S"], found.shape["E"]) for found in costs().values()] == [
        (2000, 2),
        (16, 32),
        (63, 126),
    ]
