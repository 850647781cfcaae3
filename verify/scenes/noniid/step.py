"""Steps of FedAvg between communications, for any number of clients with any weights."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import bounds.noniid.symbols as b
from verify.engine.model.scene import Box
from verify.first_order import Form, Problem, Vector, every_round, smooth_strongly_convex, sq, worst_case
from verify.first_order.points import COUNTS, LARGER, NONNEGATIVE, UNBOUNDED


def weighted_step(problem: Problem, L: Fraction, mu: Fraction, eta: Fraction) -> dict[str, Form]:
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


def one_more_weighted_client(problem: Problem) -> dict[str, Form]:
    """The weighted noise of one more client is added to an arbitrary sum."""
    so_far, variances, own = problem.point("sum"), problem.constant("variances"), problem.constant("own")
    return {
        "total_before": sq(so_far),
        "total": sq(so_far + problem.noise(own)),
        "allowed_before": variances,
        "allowed": variances + own,
    }


def _move(problem: Problem, zeta: Fraction, steep: Form, name: str) -> Vector:
    """A local step of each client along any gradient that Assumption 4 allows, with a step size of at most zeta."""
    move = problem.client_point(name)
    problem.assume(zeta**2 * steep - problem.mean_sq(move), "Assumption 4")
    return move


def local_step_with_bounded_gradients(problem: Problem, zeta: Fraction) -> dict[str, Form]:
    """One more local step after an arbitrary way since the last communication."""
    way, steep = problem.client_point("way"), problem.constant("bound")
    after = way + _move(problem, zeta, steep, "move")
    return {
        "way2_before": problem.mean_sq(way),
        "way2": problem.mean_sq(after),
        "steep_before": steep,
        "steep": steep,
    }


def first_step(problem: Problem, zeta: Fraction) -> dict[str, Form]:
    """The first local step."""
    steep = problem.constant("bound")
    return {"way2": problem.mean_sq(_move(problem, zeta, steep, "move")), "steep": steep}


def models(problem: Problem) -> dict[str, Form]:
    """Arbitrary local models, seen from their mean and from the last common model."""
    way = problem.client_point("way")
    return {"apart": problem.mean_sq(way - problem.average(way)), "way2": problem.mean_sq(way)}


def with_replacement(problem: Problem, K: Fraction) -> dict[str, Form]:
    """The mean of K models, sampled with replacement."""
    way = problem.client_point("way")
    return {"sampled2": problem.sampled_sq(way - problem.average(way), 1 / K), "way2": problem.mean_sq(way)}


def without_replacement(problem: Problem, K: Fraction, N: Fraction) -> dict[str, Form]:
    """The mean of K of N models, sampled without replacement."""
    way, share = problem.client_point("way"), (N - K) / (K * (N - 1))
    return {"sampled2": problem.sampled_sq(way - problem.average(way), share), "way2": problem.mean_sq(way)}


def smooth_loss(problem: Problem, L: Fraction, mu: Fraction) -> dict[str, Form]:
    """The mean loss at an arbitrary model."""
    f, x = problem.clients(smooth_strongly_convex(L, mu)), problem.point("x")
    best = f.minimiser()
    return {"gap": f(x) - f(best), "distance2_0": sq(x - best)}


CURVATURES: dict[str, Any] = {"L": LARGER, "mu": NONNEGATIVE}
STEP = worst_case(weighted_step, **CURVATURES, eta=NONNEGATIVE)
LOSS = worst_case(smooth_loss, **CURVATURES)
CLIENTS = every_round(one_more_weighted_client, potential=b.total - b.total_0 - b.allowed + b.allowed_0)
LOCAL = every_round(
    local_step_with_bounded_gradients,
    potential=b.way2 / (b.t + 1) - (b.t + 1) * b.zeta**2 * b.steep,
    start=first_step,
    zeta=NONNEGATIVE,
)
MODELS = worst_case(models)
WITH = worst_case(with_replacement, K=COUNTS)
WITHOUT = worst_case(without_replacement, K=COUNTS, N=Box(2, UNBOUNDED))
