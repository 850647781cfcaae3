"""Lemmas about families of vectors: sums over all members by the mean and the deviations from it."""

from pathlib import Path

import numpy as np
import pytest

from tests.verify.latex.test_methods import read
from verify.judged import judge

VECTORS = r"For vectors $x_1, \dots, x_N$ and $y_1, \dots, y_N$ let $\bar x = \frac1N\sum_{i=1}^N x_i$."
MEAN = r"\frac1N\sum_{i=1}^N"


def both_sides(tmp_path: Path, formula: str, x: np.ndarray, y: np.ndarray) -> list[float]:
    """Both sides of a relation, as computed by the scene."""
    (claim,), mistakes = read(tmp_path, VECTORS, formula)
    assert not mistakes
    assert claim.scene is not None
    shape = {"N": x.shape[0], "d": x.shape[1]}
    values = claim.scene.compute(shape, {"x": x[None], "y": y[None]}) | shape
    relation = claim.statement.compared
    found = {one: float(np.squeeze(values[one.name])) for one in relation.free_symbols}
    return [float(side.subs(found)) for side in relation.args]


@pytest.mark.parametrize(
    ("formula", "sides"),
    [
        (
            rf"{MEAN}\|x_i - \bar x\|^2 \le {MEAN}\|y_i\|^2.",
            lambda x, y: (((x - x.mean(0)) ** 2).sum(1).mean(), (y**2).sum(1).mean()),
        ),
        (
            r"\|\sum_{i=1}^N (x_i - 2y_i)\|^2 \le \sum_{i=1}^N \langle x_i - \bar x, y_i\rangle.",
            lambda x, y: (((x - 2 * y).sum(0) ** 2).sum(), ((x - x.mean(0)) * y).sum()),
        ),
        (
            rf"{MEAN}\|x_i + y_i\|^2 \le {MEAN}\langle x_i, y_i\rangle.",
            lambda x, y: (((x + y) ** 2).sum(1).mean(), (x * y).sum(1).mean()),
        ),
    ],
)
def test_sums_over_members_are_what_they_say(tmp_path: Path, formula: str, sides: object) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 3, 2))
    assert both_sides(tmp_path, formula, x, y) == pytest.approx(sides(x, y))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("formula", "verdict"),
    [
        (rf"{MEAN}\|x_i - \bar x\|^2 \le {MEAN}\|x_i\|^2.", "proved"),
        (
            rf"{MEAN}\|x_i + y_i\|^2 \le (1+\alpha){MEAN}\|x_i\|^2 + (1+\frac1\alpha){MEAN}\|y_i\|^2.",
            "proved",
        ),
        (rf"{MEAN}\|x_i - y_i\|^2 \le {MEAN}\|x_i\|^2 + {MEAN}\|y_i\|^2.", "refuted"),
        (rf"{MEAN}\|x_i\|^2 \le \|\bar x\|^2.", "refuted"),
    ],
)
def test_means_of_squares(tmp_path: Path, formula: str, verdict: str) -> None:
    (claim,), mistakes = read(tmp_path, VECTORS, formula)
    assert not mistakes
    assert judge(claim).verdict == verdict


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        (r"\|\sum_{i=1}^N p_i x_i\|^2 \le \sum_{i=1}^N \|x_i\|^2.", "what is p"),
        (r"\|\sum_{i=1}^N \frac1i x_i\|^2 \le \sum_{i=1}^N \|x_i\|^2.", "has weights"),
        (r"\|x_j\|^2 \le \sum_{i=1}^N \|x_i\|^2.", "single member"),
        (r"\|\sum_{i=2}^N x_i\|^2 \le \sum_{i=1}^N \|x_i\|^2.", "must run from 1 to the number of members"),
        (r"\sum_{i=1}^N \|x_i\|^4 \le N.", "must be linear"),
        (r"\sum_{i=1}^N \|x_i\| \le N.", "must be linear"),
        (r"\sum_{i=1}^N \|x_i\|^2 \le \sum_{i=1}^M \|x_i\|^2.", "must run from 1 to the number of members"),
    ],
)
def test_what_is_not_judged(tmp_path: Path, formula: str, said: str) -> None:
    claims, mistakes = read(tmp_path, VECTORS, formula)
    assert not claims
    assert said in mistakes[0]
