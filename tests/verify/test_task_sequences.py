"""Sequences of tasks in cyclic, random and adversarial order."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from verify import Notes, tasks
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import quantities
from verify.engine.verdict import Finding, Verdict
from verify.quantities import L, backward_transfer, distance2_0, eta, forgetting, loss, regret, t


def judged(scene, relation, *conditions: sp.Rel) -> Finding:
    claim = Notes("own").claim("claim", relation, *conditions, scene=scene)
    return claim.checks[0](claim, BUDGETS["quick"], 0)


def exact(*numbers: str) -> np.ndarray:
    return np.array([[Fraction(x) for x in numbers]], dtype=object)


def test_two_projection_tasks_in_turn() -> None:
    scene = tasks.sequence("nearest", tasks.projections(), visits=(2,))
    rows = np.stack([exact("1", "0"), exact("1", "1")], axis=1)
    at = {"row": rows, "start": exact("2", "4")}
    found = quantities(scene, {"K": 2, "t": 2, "E": 1, "d": 2}, at, {})
    # (2, 4) -> (0, 4) -> (-2, 2): the first task's loss rises from 0 to 2
    expected = {"forgetting": 1, "backward_transfer": -2, "regret": 2 + 8, "loss": 1, "distance2": 8, "L": 2}
    assert {name: found[name].tolist() for name in expected} == {name: [x] for name, x in expected.items()}


@pytest.mark.parametrize("order", ["cyclic", "random", "adversarial"])
def test_projections_forget(order) -> None:
    scene = tasks.sequence("nearest", tasks.projections(), visits=(2, 3), order=order)
    assert judged(scene, forgetting <= L * distance2_0 / 100).verdict is Verdict.REFUTED
    assert judged(scene, backward_transfer >= 0).verdict is Verdict.REFUTED


def test_an_adversary_forgets_more_than_a_random_order() -> None:
    found = {}
    for order in ("random", "adversarial"):
        scene = tasks.sequence("nearest", tasks.projections(), visits=(3,), order=order)
        found[order] = judged(scene, 20 * forgetting <= L * distance2_0).verdict
    assert found == {"random": Verdict.UNREFUTED, "adversarial": Verdict.REFUTED}


def test_regret_of_gradient_steps() -> None:
    scene = tasks.sequence("fedavg", tasks.quadratics(), visits=(2,), local_lr="eta", order="adversarial")
    bound = distance2_0 / (2 * eta * (1 - eta * L))
    assert judged(scene, regret <= bound + 100 * t, eta <= 1 / (2 * L)).verdict is Verdict.UNREFUTED
    assert judged(scene, regret <= bound / 100, eta <= 1 / (2 * L)).verdict is Verdict.REFUTED
    assert judged(scene, loss <= 0).verdict is Verdict.REFUTED


def test_wrong_orders_and_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="one of cyclic"):
        tasks.sequence("nearest", tasks.projections(), order="sorted")
    with pytest.raises(ValueError, match="at most 1000 orders"):
        tasks.sequence("nearest", tasks.projections(tasks=(4,)), visits=(6,), order="random")
