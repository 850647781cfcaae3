"""A few random scenes: no wrong verdict, no internal error; and the fuzzer notices a wrong verdict."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fuzz import models, scenes


def test_a_few_scenes_have_no_defect():
    found = scenes.fuzz(16, 0)
    assert not found["wrong"]
    assert not found["errors"]
    assert sum(found["verdicts"].values()) == 16


@pytest.mark.parametrize("maker", [models.recursion, models.family, models.descent])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_true_by_construction_holds_in_the_simulator(maker, seed):
    model = maker(np.random.default_rng(seed))
    for left, sign, right in model.truths:
        case = scenes.Case(None, left, sign, right, true=True)
        simulated = scenes._simulated(model, np.random.default_rng(seed))
        assert all(scenes.holds(case, values) for values in simulated), (left.symbolic, right.symbolic)


def test_wrong_verdicts_are_noticed():
    rng = np.random.default_rng(0)
    model = models.family(rng)
    (least, _, mean) = model.truths[1]
    false = scenes.Case(None, mean, "<=", least, true=False)
    assert "simulator breaks it" in scenes.defect_of(
        model, false, {"verdict": "proved", "witness": None}, rng
    )
    true = scenes.Case(None, least, "<=", mean, true=True)
    assert "true by construction" in scenes.defect_of(
        model, true, {"verdict": "refuted", "witness": None}, rng
    )
    size = dict(model.scene.shapes[0])
    numbers = {"shape": size, "parameters": {"numbers": ["1"] * size["n"]}, "steps": {}}
    open_ = scenes.Case(None, least, "<=", mean, true=False)
    record = {"verdict": "refuted", "method": "exact", "witness": numbers}
    assert "does not confirm" in scenes.defect_of(model, open_, record, rng)
    record = {**record, "witness": {**numbers, "shape": {"n": 77}}}
    assert "does not list" in scenes.defect_of(model, open_, record, rng)
