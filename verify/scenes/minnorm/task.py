"""One task in expectation: a random projection P with E P = (1 - r) I, and noise that nothing else depends on."""

from __future__ import annotations

from fractions import Fraction

from verify.engine.model.scene import Box
from verify.first_order import Form, Problem, dot, sq, worst_case


def task(problem: Problem, r: Fraction) -> dict[str, Form]:
    """Inner products are expectations. The error w - v becomes (I - P)(w - v) + P(w* - v) + noise.

    A projection has <Px, y> = <Px, Py>, and its expectation is (1 - r)<x, y>.
    """
    error, goal = problem.point("error"), problem.point("goal")
    on_error, on_goal = problem.point("on_error"), problem.point("on_goal")
    effect, noise = problem.point("effect"), problem.number("variance")
    for one, projected in ((error, on_error), (goal, on_goal)):
        for other, inside in ((error, on_error), (goal, on_goal)):
            problem.assume_equal(dot(projected, other), (1 - r) * dot(one, other), "mean of a projection")
            problem.assume_equal(dot(projected, inside), dot(projected, other), "projection")
    for vector in (error, goal, on_error, on_goal):
        problem.assume_equal(dot(effect, vector), 0, "independent noise with mean 0")
    problem.assume_equal(sq(effect), noise, "variance of the effect of noise")
    problem.assume(noise, "a variance")
    return {
        "far2": sq(error),
        "goal2": sq(goal),
        "after2": sq(error - on_error + on_goal + effect),
        "noise": noise,
    }


TASK = worst_case(task, r=Box(0, 1))
