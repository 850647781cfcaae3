"""Methods that a lemma defines: the points of their runs, the quantities of the claim, and questions."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from verify.engine.model.claim import Claim
from verify.first_order import Problem, smooth, smooth_convex, smooth_strongly_convex, sq
from verify.latex.theorems import theorems

STEP = r"Suppose $x_{t+1} = x_t - \eta\nabla f(x_t)$."
CONVEX = r"Let $f$ be $L$-smooth and convex with minimiser $x^*$."


def read(folder: Path, words: str, formula: str) -> tuple[list[Claim], list[str]]:
    path = folder / "lemma.tex"
    path.write_text(rf"\begin{{lemma}}\label{{a}} {words} Then \[ {formula} \] \end{{lemma}}")
    return theorems(path)


def traced(claim: Claim, shape: dict[str, int], **point: Fraction) -> tuple[str, dict[str, Any]]:
    """The relation of a claim and its quantities in one run."""
    assert claim.scene is not None
    study = claim.scene.compute.args[0]  # type: ignore[attr-defined]
    return str(claim.statement.relation), study.traced(shape, point)[1]


def plain(form: Any) -> frozenset[Any]:
    """The terms of a form, in any order."""
    return frozenset(form.terms.items())


ETA, L, MU = Fraction(1, 3), Fraction(2), Fraction(1, 2)


def test_one_step_begins_at_any_point(tmp_path: Path) -> None:
    (claim,), mistakes = read(
        tmp_path, CONVEX + STEP, r"\|x_{t+1}-x^*\|^2 \le \|x_t-x^*\|^2 - \eta(f(x_t)-f^*)."
    )
    assert not mistakes
    relation, found = traced(claim, {}, L=L, eta=ETA)
    problem = Problem()
    f, x = problem.function(smooth_convex(L)), problem.point("x_0")
    best = f.minimiser()
    after = x - ETA * f.gradient(x)
    assert {plain(one) for one in found.values()} == {
        plain(one) for one in (sq(after - best), sq(x - best), f(best), f(x))
    }
    assert relation.count("norm2") == 2


def test_a_run_of_t_steps_ends_at_x_t(tmp_path: Path) -> None:
    rate = r"f(x_T) - f(x^*) \le \frac{L\|x_0-x^*\|^2}{2T}."
    (claim,), _ = read(
        tmp_path, CONVEX + r"Suppose $x_{t+1} = x_t - \frac1L\nabla f(x_t)$ for all $t \ge 0$.", rate
    )
    assert claim.scene is not None
    assert [shape["T"] for shape in claim.scene.shapes] == [1, 2, 3]
    _, found = traced(claim, {"T": 2}, L=L)
    problem = Problem()
    f, x = problem.function(smooth_convex(L)), problem.point("x_0")
    best = f.minimiser()
    start = x
    for _ in range(2):
        x = x - f.gradient(x) / L
    assert {plain(one) for one in found.values()} == {plain(one) for one in (f(x), f(best), sq(start - best))}


def test_momentum_and_averages_and_sums_are_followed(tmp_path: Path) -> None:
    words = (
        r"Let $f$ be $L$-smooth and $\mu$-strongly convex with minimiser $x^*$. Let $y_0 = x_0$. "
        r"Suppose $x_{t+1} = y_t - \eta\nabla f(y_t)$ and $y_{t+1} = x_{t+1} + \beta(x_{t+1}-x_t)$."
    )
    (claim,), mistakes = read(
        tmp_path, words, r"\frac1T\sum_{t=0}^{T-1}\|\nabla f(y_t)\|^2 \le L^2\|x_0-x^*\|^2."
    )
    assert not mistakes
    beta = Fraction(1, 5)
    _, found = traced(claim, {"T": 2}, L=L, mu=MU, eta=ETA, beta=beta)
    problem = Problem()
    f, x = problem.function(smooth_strongly_convex(L, MU)), problem.point("x_0")
    g = f.gradient(x)
    after = x - ETA * g
    last = f.gradient(after + beta * (after - x))
    assert plain(next(one for name, one in found.items() if "total" in name)) == plain(sq(g) + sq(last))


def test_a_least_gradient_and_a_least_value_without_convexity(tmp_path: Path) -> None:
    words = r"Let $f$ be $L$-smooth. Suppose $x_t = x_{t-1} - \frac1L\nabla f(x_{t-1})$."
    (claim,), mistakes = read(
        tmp_path, words, r"\min_{0\le t\le T-1}\|\nabla f(x_t)\|^2 \le \frac{2L(f(x_0)-f^*)}{T}."
    )
    assert not mistakes
    relation, found = traced(claim, {"T": 2}, L=L)
    assert "least" in relation
    problem = Problem()
    f, x = problem.function(smooth(L)), problem.point("x_0")
    assert plain(f(x)) in {plain(one) for one in found.values()}


@pytest.mark.parametrize(
    ("words", "formula", "asked"),
    [
        (CONVEX, r"f(x_{t+1}) \le f(x_t).", "the step from x_t to x_{t+1} is not defined"),
        (r"Let $f$ be $L$-smooth and convex." + STEP, r"\|x_{t+1}-x^*\|\le\|x_t-x^*\|.", "} is not defined"),
        (STEP, r"f(x_{t+1}) \le f(x_t).", "the class of the loss is missing"),
        (
            r"Let $f$ be $L$-smooth with minimiser $x^*$." + STEP,
            r"f(x_{t+1})-f(x^*) \le f(x_t).",
            "needs a convex loss",
        ),
        (
            CONVEX + r"Suppose $x_{t+1}=x_t-\eta\nabla f(x_t)$ for all $t\ge1$.",
            r"f(x_{t+1}) \le f(x_t).",
            "from 0",
        ),
        (
            CONVEX + r"Suppose $x_{t+1}=y_t-\eta\nabla f(y_t)$ and $y_{t+1}=x_{t+1}$.",
            r"f(x_T) \le f(x_0).",
            "the starting points of x and y are not related",
        ),
        (CONVEX + r"Suppose $y_t=x_t+\beta(x_t-x_{t-1})$.", r"f(y_t) \le f(x_t).", "first step"),
        (CONVEX + STEP, r"\|x_{t+1}-x_t\|\,\|x_t-x^*\| \le f(x_t).", "must be linear"),
        (
            CONVEX + STEP + r"Suppose $\|\nabla f(x_t)\|\le 1$.",
            r"f(x_{t+1}) \le f(x_t).",
            "a condition restricts the points",
        ),
    ],
)
def test_what_a_method_lacks_is_asked(tmp_path: Path, words: str, formula: str, asked: str) -> None:
    claims, mistakes = read(tmp_path, words, formula)
    assert not claims
    assert asked in mistakes[0]


@pytest.mark.parametrize("least", ["f^*", r"\inf f", r"f_{\min}"])
def test_the_least_value_is_one_of_the_loss(tmp_path: Path, least: str) -> None:
    (claim,), _ = read(
        tmp_path,
        r"Let $f$ be $L$-smooth and convex.",
        rf"\|\nabla f(x)\|^2+\|\nabla f(y)\|^2 \le 2L(f(x)+f(y)-2({least})).",
    )
    _, found = traced(claim, {}, L=L)
    assert len(found) == 5


def test_lengths_are_compared_by_their_squares(tmp_path: Path) -> None:
    (claim,), _ = read(tmp_path, CONVEX + STEP, r"\|x_{t+1}-x^*\| \le 2\|x_t-x^*\|.")
    assert str(claim.statement.relation) == "norm2_1 <= 4*norm2_2"


@pytest.mark.slow
def test_a_step_is_proved_for_all_parameters_and_a_long_one_refuted(tmp_path: Path) -> None:
    from verify.engine.model.claim import BUDGETS

    for size, verdict in (("1/L", "proved"), ("3/L", "refuted")):
        (claim,), _ = read(tmp_path, CONVEX + STEP + rf"Let $\eta \le {size}$.", r"f(x_{t+1}) \le f(x_t).")
        assert claim.scene is not None
        assert claim.scene.judged is not None
        assert claim.scene.judged(claim, BUDGETS["quick"], 0).verdict.value == verdict
