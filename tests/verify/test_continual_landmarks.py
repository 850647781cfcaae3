"""Theorems of other papers on continual learning, for all numbers of tasks and in every dimension."""

import math
from itertools import pairwise

import numpy as np
import pytest

from bounds.evron.symbols import k
from bounds.evron.two_tasks import WORST
from tests.verify.published import judged, require_derivation, require_proof_for_all_sizes
from verify.engine.verdict import Verdict


@pytest.mark.parametrize(
    "id",
    [
        "agem.eq10",
        "agem.eq11.descends",
        "agem.eq11.safe/bounded",
        "ewc.sum",
        "ewc.separate/error",
        "evron.loss",
        "evron.turn",
        "evron.contraction",
        "evron.fall",
        "evron.nearest",
        "minnorm.thm4.1.step",
        "kaczmarz.thm2",
        "mirzadeh.eq5",
    ],
)
def test_a_true_statement_is_proved_at_all_sizes(id: str) -> None:
    require_proof_for_all_sizes(judged(id))


@pytest.mark.parametrize(
    "id", ["evron.turn.sum", "evron.way.sum", "evron.losses", "evron.dim.swap", "kaczmarz.thm2/rows"]
)
def test_a_sum_over_steps_is_derived_from_lemmas(id: str) -> None:
    require_derivation(judged(id))


@pytest.mark.parametrize(
    "id",
    [
        "gem.eq4",
        "gem.eq4.violated",
        "agem.eq11.safe",
        "agem.eq11.safe/third",
        "agem.eq11.descends/same",
        "ewc.separate",
        "evron.thm10/half",
        "evron.cycle/less",
        "evron.thm11.dimension/half",
        "minnorm.thm4.1/equal",
        "minnorm.forgets",
        "kaczmarz.thm2/ahead",
        "mirzadeh.eq5/third",
        "mirzadeh.eq5/local",
    ],
)
def test_a_false_statement_is_refuted(id: str) -> None:
    assert judged(id).verdict is Verdict.REFUTED


@pytest.mark.parametrize("steps", [2, 4, 10, 100])
def test_no_angle_forgets_more_than_the_worst_one(steps: int) -> None:
    worst = float(WORST.subs(k, steps))
    forgotten = [x ** (steps - 1) * (1 - x) / 2 for x in (number / 1000 for number in range(1001))]
    assert worst * 0.999 <= max(forgotten) <= worst * (1 + 1e-12)
    assert worst <= 1 / (2 * math.e * (steps - 1))


@pytest.mark.parametrize("dimension", [3, 6])
def test_the_norms_of_cycles_fall_as_the_steps_of_the_bound_with_the_dimension_say(dimension: int) -> None:
    draws = np.random.default_rng(dimension)
    tasks = [draws.normal(size=(rank, dimension)) for rank in (1, 2, 1)]
    projections = [np.eye(dimension) - np.linalg.pinv(rows) @ rows for rows in tasks]
    cycle = np.linalg.multi_dot(projections[::-1])
    for number, projection in enumerate(projections, 1):
        missing = np.eye(dimension) - projection
        gaps = [np.sum((missing @ np.linalg.matrix_power(cycle, n)) ** 2) for n in range(1, 9)]
        assert all(later <= gap + 1e-12 for gap, later in pairwise(gaps))
        assert all(n * gap <= number * (dimension - 2) + 1e-12 for n, gap in enumerate(gaps, 1))
