"""Stochastic gradients that a lemma defines: random quantities, questions, and decisions of the engine."""

from fractions import Fraction
from pathlib import Path

import pytest

from tests.verify.latex.test_methods import plain, read, traced
from verify.first_order import Problem, convex, smooth, sq
from verify.judged import judge

MEAN = r"\mathbb{E}[g_t] = \nabla f(x_t)"
SGD = rf"Let $f$ be $L$-smooth, ${MEAN}$, $\mathbb{{E}}\|g_t - \nabla f(x_t)\|^2 \le \sigma^2$. Suppose $x_{{t+1}} = x_t - \eta g_t$ with $\eta \le 1/L$."
DESCENT = r"\mathbb{E}[f(x_{t+1})] \le f(x_t) - \frac\eta2\|\nabla f(x_t)\|^2 + \frac{L\eta^2\sigma^2}{2}."
ETA, L, SIGMA = Fraction(1, 3), Fraction(2), Fraction(1, 2)


def test_a_step_has_an_error_of_mean_zero_and_bounded_variance(tmp_path: Path) -> None:
    (claim,), mistakes = read(tmp_path, SGD, DESCENT)
    assert not mistakes
    _, found = traced(claim, {}, L=L, eta=ETA, sigma=SIGMA)
    problem = Problem()
    f, x = problem.function(smooth(L)), problem.point("x_0")
    slope = f.gradient(x)
    after = x - ETA * (slope + problem.noise(SIGMA**2))
    assert {plain(one) for one in found.values()} == {plain(one) for one in (f(after), f(x), sq(slope))}


def test_the_descent_of_sgd_is_proved(tmp_path: Path) -> None:
    (claim,), _ = read(tmp_path, SGD, DESCENT)
    assert judge(claim).verdict == "proved"


def test_a_variance_that_is_too_small_is_not_proved(tmp_path: Path) -> None:
    (claim,), _ = read(tmp_path, SGD, DESCENT.replace("}{2}.", "}{3}."))
    assert judge(claim).verdict != "proved"


def test_a_second_moment_bounds_the_step(tmp_path: Path) -> None:
    words = rf"Let $f$ be convex with minimiser $x^\star$, ${MEAN}$ and $\mathbb{{E}}\|g_t\|^2 \le G^2$. Suppose $x_{{t+1}} = x_t - \eta g_t$."
    rate = r"\mathbb{E}\|x_{t+1}-x^\star\|^2 \le \|x_t-x^\star\|^2 - 2\eta(f(x_t)-f(x^\star)) + \eta^2G^2."
    (claim,), mistakes = read(tmp_path, words, rate)
    assert not mistakes
    problem = Problem()
    f, x = problem.function(convex()), problem.point("x_0")
    best = f.minimiser()
    after = x - ETA * (f.gradient(x) + problem.noise(problem.constant("spread")))
    _, found = traced(claim, {}, eta=ETA, G=SIGMA)
    assert {plain(one) for one in found.values()} == {
        plain(one) for one in (sq(after - best), sq(x - best), f(x), f(best))
    }


def test_gradients_with_data_are_random(tmp_path: Path) -> None:
    words = SGD.replace("g_t - ", r"\nabla f(x;\xi) - ").replace(r"g_t", r"\nabla f(x_t;\xi_t)")
    words = words.replace(r"[\nabla f(x_t;\xi_t)] = \nabla f(x_t)", r"[\nabla f(x;\xi)] = \nabla f(x)")
    words = words.replace(r"\nabla f(x;\xi) - \nabla f(x_t)", r"\nabla f(x;\xi) - \nabla f(x)")
    (claim,), mistakes = read(tmp_path, words, DESCENT)
    assert not mistakes
    (named,), _ = read(tmp_path, SGD, DESCENT)
    point = {"L": L, "eta": ETA, "sigma": SIGMA}
    with_data, with_name = (traced(one, {}, **point)[1] for one in (claim, named))
    assert {plain(one) for one in with_data.values()} == {plain(one) for one in with_name.values()}


@pytest.mark.parametrize(
    ("words", "formula", "said"),
    [
        (SGD, DESCENT.replace(r"\mathbb{E}[f(x_{t+1})]", "f(x_{t+1})"), "is random but stands outside of an expectation"),
        (SGD.replace(f"${MEAN}$, ", ""), DESCENT, "the mean of the random vector"),
        (SGD, r"\mathbb{E}\|x_{t+1} - x_t\| \le \eta\sigma.", "must contain only squared norms"),
        (
            r"Let $f$ be $L$-smooth, $\mathbb{E}[\nabla f(x;\xi)] = \nabla f(x)$. Suppose $x_{t+1} = x_t - \nabla f(x_t;\xi_t) - \nabla f(y_t;\xi_t)$.",
            r"\mathbb{E}\|x_{t+1} - x_t\|^2 \le \|y_t\|^2.",
            "used at two points",
        ),
        (SGD.replace("g_t$ with", "g_{t+1}$ with"), DESCENT, "contains x[1] itself"),
        (SGD.replace(r"= \nabla f(x_t)$", "= g_t$"), DESCENT, "contains g[0] itself"),
        (SGD.replace(r"\nabla f(x_t)\|^2", r"\nabla f(x_t)\|^4"), DESCENT, "must contain only squared norms"),
        (r"Let $f$ be $L$-smooth. Suppose $x_{t+1} = x_t - \eta\nabla f(x_t)$.", r"\mathbb{E}[f(x_{t+1})] \le f(x_t) + 1.", "has an expectation but no random vector"),
    ],
)  # fmt: skip
def test_what_is_not_judged(tmp_path: Path, words: str, formula: str, said: str) -> None:
    claims, mistakes = read(tmp_path, words, formula)
    assert not claims
    assert said in mistakes[0]


def test_a_second_moment_elsewhere_keeps_a_run_from_being_a_counterexample(tmp_path: Path) -> None:
    words = rf"Let $f$ be convex with minimiser $x^\star$, ${MEAN}$ and $\mathbb{{E}}\|g_t\|^2 \le G^2$. Suppose $x_{{t+1}} = x_t - \eta g_t$."
    rate = r"\mathbb{E}\|x_{t+1}-x^\star\|^2 \le \|x_t-x^\star\|^2 - 3\eta(f(x_t)-f(x^\star)) + \eta^2G^2."
    (claim,), _ = read(tmp_path, words, rate)
    assert judge(claim).verdict == "unrefuted"
