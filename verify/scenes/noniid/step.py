"""Steps of FedAvg between communications, for any number of clients with any weights."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import bounds.noniid.symbols as b
from nqm.fields import dot as product
from nqm.fields import sq as square
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.facts import cauchy_schwarz, squared_sum
from verify.first_order import Form, Problem, convex, every_round, smooth_strongly_convex, sq, worst_case
from verify.first_order.points import COUNTS, LARGER, NONNEGATIVE, UNBOUNDED


def not_steep(problem: Problem, mu: Fraction) -> dict[str, Form]:
    """The loss at a model whose squared gradient is G^2, for strongly convex losses."""
    f, x = problem.function(convex(mu)), problem.point("x")
    gradient = f.gradient(x)
    return {"gap": f(x) - f(f.minimiser()), "G2": sq(gradient)}


def weighted_step(problem: Problem, L: Fraction, mu: Fraction, eta: Fraction) -> dict[str, Form]:
    """One step from arbitrary local models. The noise of the averaged gradient has mean zero. Means are weighted."""
    f = problem.clients(smooth_strongly_convex(L, mu))
    best, own = f.minimiser(), problem.client_point("own")
    least = f.answer(own, 0 * own).f
    local = problem.client_point("w")
    mean = problem.average(local)
    after, variance = mean - eta * problem.average(f.gradient(local)), problem.constant("variance")
    return {
        "distance2": problem.mean_sq(after - best) + eta**2 * variance,
        "total": variance,
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


def move(problem: Problem, zeta: Fraction) -> dict[str, Form]:
    """A local step of each client along any gradient that Assumption 4 allows, with a step size of at most zeta."""
    step, steep = problem.client_point("move"), problem.constant("bound")
    problem.assume(zeta**2 * steep - problem.mean_sq(step), "Assumption 4")
    return {"move2": problem.mean_sq(step), "steep": steep}


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


def sampled(problem: Problem, spread: Fraction) -> dict[str, Form]:
    """The mean of sampled models, whose expectation is the mean of all."""
    best, local = problem.point("z"), problem.client_point("w")
    mean = problem.average(local)
    return {
        "after": problem.sampled_sq(local - best, spread),
        "distance2": sq(mean - best),
        "sampled2": problem.sampled_sq(local - mean, spread),
    }


def smooth_loss(problem: Problem, L: Fraction, mu: Fraction) -> dict[str, Form]:
    """The mean loss at an arbitrary model."""
    f, x = problem.clients(smooth_strongly_convex(L, mu)), problem.point("x")
    best = f.minimiser()
    return {"gap": f(x) - f(best), "distance2_0": sq(x - best)}


CURVATURES: dict[str, Any] = {"L": LARGER, "mu": NONNEGATIVE}
STEP = worst_case(
    weighted_step,
    multipliers={"f: *, 1": 6 * b.L * b.eta**2, "f: *, 2": 2 * b.eta, "f: 2, *": 2 * b.eta},
    **CURVATURES,
    eta=NONNEGATIVE,
)
LOSS = worst_case(smooth_loss, **CURVATURES)
CLIENTS = every_round(one_more_weighted_client, potential=b.total - b.total_0 - b.allowed + b.allowed_0)
MOVE = worst_case(move, zeta=NONNEGATIVE)
MODELS = worst_case(models)
SAMPLED = worst_case(sampled, spread=NONNEGATIVE)
WITH = worst_case(with_replacement, K=COUNTS)
WITHOUT = worst_case(without_replacement, K=COUNTS, N=Box(2, UNBOUNDED))


def _way(shape: Shape, values: Named) -> Values:
    """A way and one more step. All clients together are one vector, whose square is their weighted mean square."""
    way, move = values["way"], values["move"]
    return {
        "way2": square(way),
        "move2": square(move),
        "way2_next": square(way + move),
        "inner": product(way, move),
    }


WAY = Scene(
    name="a way and one more step",
    shapes=tuple({"d": d} for d in (1, 2)),
    space=lambda shape: {"way": Box(-2, 2, (shape["d"],)), "move": Box(-2, 2, (shape["d"],))},
    compute=_way,
    textbook=(squared_sum(b.way2_next, b.way2, b.move2, b.inner), cauchy_schwarz(b.inner, b.way2, b.move2)),
)
NOT_STEEP = worst_case(not_steep, mu=NONNEGATIVE)
