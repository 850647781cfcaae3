"""Metrics of SPECIAL: the scene against NumPy, and the facts from which its bounds are derived."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from verify.engine.model.scene import quantities
from verify.scenes.special.metrics import ACCURACIES


@pytest.mark.parametrize("size", [2, 5])
def test_metrics_of_a_matrix(size):
    A = np.random.default_rng(size).random((3, size, size))
    found = quantities(ACCURACIES, {"K": size}, {"A": torch.as_tensor(A)}, {})
    for index in range(3):
        drops = [A[index, size - 1, i] - A[index, i, i] for i in range(size - 1)]
        assert found["ACC"][index] == pytest.approx(np.mean(A[index, size - 1]))
        assert found["BWT"][index] == pytest.approx(np.mean(drops))
        assert found["worst_drop"][index] == pytest.approx(min(drops))
        assert found["above_worst"][index] == pytest.approx(sum(drop - min(drops) for drop in drops))
        assert found["learnt"][index] == pytest.approx(np.trace(A[index]))
        assert found["learnt_early"][index] == pytest.approx(np.trace(A[index][:-1, :-1]) / (size - 1))
