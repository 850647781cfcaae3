"""Steps of FedAvg between communications, for any number of clients with any weights."""

from __future__ import annotations

from fractions import Fraction

from verify.engine.scene import Box
from verify.first_order import Form, Problem, smooth_strongly_convex, worst_case


def step(problem: Problem, L: Fraction, mu: Fraction, eta: Fraction) -> dict[str, Form]:
    """One step from arbitrary local models. Noise is omitted, as it adds the same variance to both sides. Means are weighted."""
    f = problem.clients(smooth_strongly_convex(L, mu))
    best, own = f.minimiser(), problem.client_point("own")
    least = f.answer(own, 0 * own).f
    local = problem.client_point("w")
    mean = problem.average(local)
    after = mean - eta * problem.average(f.gradient(local))
    return {
        "distance2": problem.mean_sq(after - best),
        "distance2_0": problem.mean_sq(mean - best),
        "apart": problem.mean_sq(local - mean),
        "Gamma": f(best) - least,
    }


def local_work(problem: Problem, E: int, eta: Fraction) -> dict[str, Form]:
    """E - 1 steps along any gradients since the last communication, with one step size."""
    moves, steep = [problem.client_point(f"g{k}") for k in range(1, E)], problem.number("bound")
    for move in moves:
        problem.assume(steep - problem.mean_sq(move), "Assumption 4")
    problem.assume(steep, "a square")
    way = sum((eta * move for move in moves), 0 * problem.point("w"))
    return {"apart": problem.mean_sq(way - problem.average(way)), "steep": steep}


STEP = worst_case(step, L=Box(0.1, 10), mu=Box(0.01, 9), eta=Box(0.01, 10))
LOCAL = worst_case(local_work, E=(1, 2, 3, 4, 5), eta=Box(0.01, 10))
