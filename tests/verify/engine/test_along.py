"""Lines through an instance show the entry that is worst: of an inequality the largest gap, of an equation the largest difference."""

import numpy as np
import pytest
import sympy as sp

from tests.verify.engine.simple import of, u, v
from verify.engine.along import POINTS, _at_worst
from verify.engine.question import Question
from verify.engine.scene import Scene

SCENE = Scene("entries", ({"d": 1},), lambda s: {}, lambda s, x: {})


@pytest.mark.parametrize(
    ("relation", "small", "large", "worst"),
    [
        (sp.Eq, (4.0, 3.0), (2.0, 3.5), 0),
        (sp.Eq, (3.0, 2.0), (3.5, 4.0), 1),
        (sp.Eq, (3.0, -3.0), (3.0, 3.0), 1),
        (sp.Le, (4.0, 3.0), (2.0, 0.5), 1),
        (sp.Le, (-4.0, 3.0), (2.0, 8.5), 1),
        (sp.Le, (1.0, float("nan")), (2.0, 0.5), 0),
    ],
)
def test_the_worst_entry_is_shown(relation, small, large, worst):
    values = {"u": np.tile(small, (POINTS, 1)), "v": np.tile(large, (POINTS, 1))}
    shown = _at_worst(Question("entries", of(relation, u, v), (), SCENE), values)
    assert shown == ([small[worst]] * POINTS, [large[worst]] * POINTS)
