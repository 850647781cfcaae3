"""False formulas of PEPit's documentation: splittings, flows, online learning and subgradients."""

from __future__ import annotations

from fractions import Fraction as Q

import sympy as sp

from nqm.fields import maximum, zeros_like
from tests.benchmarks.errata.cases import Errata
from verify import Box, Branching, Scene, worst_case
from verify.first_order import Problem, convex, dot, lipschitz_convex, smooth_strongly_convex
from verify.first_order import sq as square

NONSMOOTH = Errata("nonsmooth")
add, encoding, notes = NONSMOOTH.add, NONSMOOTH.encoding, NONSMOOTH.notes

gamma = notes.positive("gamma")

# ------------------------------------------- Bregman proximal point: distances of which function
excess, own_distance, kernel_distance = notes.real("excess own_distance kernel_distance")
x_0, slope = notes.positive("x_0 slope")


def bregman_proximal(problem: Problem):
    f, x0 = problem.function(convex()), problem.point("x0")
    least, slope0 = f.minimiser(), f.subgradient(x0)
    x1 = f.prox(x0, 1)
    return {
        "excess": f(x1) - f(least),
        "own_distance": f(least) - f(x0) - dot(slope0, least - x0),
        "kernel_distance": square(x0 - least) / 2,
    }


add(
    "bregman-proximal",
    "PEPit 0.5.1, documentation of bregman_proximal_point; its code has D_{f_2}",
    "F(x_n) - F(x*) <= D_{f_1}(x*, x_0)/(gamma n), where f_1 is the loss",
    "D_{f_2}(x*, x_0)/(gamma n), where f_2 is the kernel of the steps",
    encoding(
        "bregman-proximal.class",
        "worst case over convex losses, kernel |x|^2/2, one step of 1",
        excess <= own_distance,
        excess <= kernel_distance,
        scene=worst_case(bregman_proximal),
    ),
    encoding(
        "bregman-proximal.linear",
        "free numbers: the loss max(slope x, 0), kernel x^2/2, one step",
        slope * (x_0 - gamma * slope) <= 0,
        slope * (x_0 - gamma * slope) <= x_0**2 / (2 * gamma),
        gamma * slope <= x_0,
    ),
)

# ------------------------------------------- Douglas-Rachford: the contraction of n steps, after one step
apart_first, apart_last, contracted = notes.real("apart_first apart_last contracted")
least_curve, bend, most_curve = notes.positive("least_curve bend most_curve")


def douglas_rachford(problem: Problem):
    step, mu = 3, Q(1, 10)
    f, h = problem.function(smooth_strongly_convex(1, mu)), problem.function(convex())
    ways = []
    for name in ("w0", "v0"):
        way = [problem.point(name)]
        for _ in range(2):
            x = h.prox(way[-1], step)
            way.append(way[-1] + f.prox(2 * x - way[-1], step) - x)
        ways.append(way)
    start, first, last = (square(one - other) for one, other in zip(*ways, strict=True))
    factor = max(1 / (1 + mu * step), Q(step, 1 + step)) ** 4
    return {"apart_first": first, "apart_last": last, "contracted": factor * start}


add(
    "douglas-rachford",
    "PEPit 0.5.1, documentation of douglas_rachford_splitting_contraction; its code has w_n",
    "|w_1 - w_1'|^2 <= max(1/(1 + mu alpha), alpha L/(1 + alpha L))^(2n) |w_0 - w_0'|^2 for every n",
    "this holds for w_n",
    encoding(
        "douglas-rachford.class",
        "worst case over the class, n = 2, mu = 1/10, alpha = 3",
        apart_first <= contracted,
        apart_last <= contracted,
        scene=worst_case(douglas_rachford),
    ),
    encoding(
        "douglas-rachford.quadratics",
        "free numbers: f_1 = h x^2/2 and f_2 = 0, n = 2, alpha = 1",
        1 / (1 + bend) ** 2 <= sp.Max(1 / (1 + least_curve), most_curve / (1 + most_curve)) ** 4,
        1 / (1 + bend) ** 4 <= sp.Max(1 / (1 + least_curve), most_curve / (1 + most_curve)) ** 4,
        least_curve <= bend,
        bend <= most_curve,
    ),
)

# ------------------------------------------- accelerated gradient flow: an entry of the matrix P
change_printed, limit_printed, change_halved, limit_halved = notes.real(
    "change_printed limit_printed change_halved limit_halved"
)
place, speed = notes.real("place speed")
root, curved = notes.positive("root curved")


def lyapunov(root, gap, far2, cross, speed2, along, cross_speed, cross_slope, factor):
    """The change of f - f* + 4/9 mu |x|^2 + factor root <x, v> + |v|^2/2, and -4/3 root times it."""
    value = gap + 4 * root**2 * far2 / 9 + factor * root * cross + speed2 / 2
    change = along + 8 * root**2 * cross / 9 + factor * root * (speed2 + cross_speed) + cross_slope
    return change, -4 * root * value / 3


def flow(problem: Problem):
    f, x, v = problem.function(convex(1)), problem.point("x"), problem.point("v")
    least, g = f.minimiser(), f.gradient(x)
    away, turn = x - least, -2 * v - g
    parts = (f(x) - f(least), square(away), dot(away, v), square(v), dot(g, v), dot(away, turn), dot(v, turn))
    printed, halved = (lyapunov(Q(1), *parts, factor) for factor in (Q(8, 3), Q(4, 3)))
    return {
        "change_printed": printed[0], "limit_printed": printed[1],
        "change_halved": halved[0], "limit_halved": halved[1],
    }  # fmt: skip


FORCE = -2 * root * speed - curved * place
PRINTED, HALVED = (
    lyapunov(
        *(root, curved * place**2 / 2, place**2, place * speed, speed**2),
        *(curved * place * speed, place * FORCE, speed * FORCE, factor),
    )
    for factor in (sp.Rational(8, 3), sp.Rational(4, 3))
)
add(
    "accelerated-flow",
    "PEPit 0.5.1, documentation of accelerated_gradient_flow_strongly_convex; its code has half the entry",
    "dV/dt <= -4/3 sqrt(mu) V for V = f - f* + (x, v)' P (x, v) with 4/3 sqrt(mu) beside the diagonal of P",
    "this holds with 2/3 sqrt(mu) beside the diagonal",
    encoding(
        "accelerated-flow.class",
        "worst case over strongly convex losses, mu = 1",
        change_printed <= limit_printed,
        change_halved <= limit_halved,
        scene=worst_case(flow),
    ),
    encoding(
        "accelerated-flow.quadratics",
        "free numbers: the loss h x^2/2 in one dimension",
        PRINTED[0] <= PRINTED[1],
        HALVED[0] <= HALVED[1],
        root**2 <= curved,
    ),
)

# ------------------------------------------- follow the regularized leader: the strength of the regulariser
regret, inverse_regret, allowed = notes.real("regret inverse_regret allowed")
wide = notes.positive("wide")


def follow_leader(shape, values):
    """Four rounds with losses of slope 1 on [0, D] from D; strength eta/2 as printed, and 1/(2 eta)."""
    wide = values["wide"]
    eta, none = wide / 2, zeros_like(wide)
    regrets = [
        sum(maximum(wide - t / strength, none) for t in range(shape["n"])) for strength in (eta, 1 / eta)
    ]
    return {"wide": wide, "regret": regrets[0], "inverse_regret": regrets[1], "allowed": 2 * wide}


add(
    "regularized-leader",
    "PEPit 0.5.1, documentation of online_follow_regularized_leader; its code has the inverse strength",
    "with the regulariser eta/2 |x - x_1|^2 and eta = D/(M sqrt n) the regret is at most M D sqrt n",
    "this holds with the regulariser |x - x_1|^2/(2 eta)",
    encoding(
        "regularized-leader.run",
        "four rounds with linear losses, M = 1",
        regret <= allowed,
        inverse_regret <= allowed,
        scene=Scene(
            "follow the regularized leader",
            ({"n": 4},),
            lambda s: {"wide": Box(1, 8)},
            Branching(follow_leader, "any width of the set"),
        ),
    ),
    encoding(
        "regularized-leader.numbers",
        "free numbers: two rounds, M = 1",
        2 * wide - sp.sqrt(2) / wide <= sp.sqrt(2) * wide,
        2 * wide - wide / sp.sqrt(2) <= sp.sqrt(2) * wide,
        sp.sqrt(2) <= wide**2,
    ),
)

# ------------------------------------------- subgradient method: the step size of the bound
best_gap, half, any_step = notes.real("best_gap half any_step")
steep = notes.positive("steep")


def subgradient(problem: Problem):
    step, f, x0 = Q(1, 8), problem.function(lipschitz_convex(1)), problem.point("x0")
    least = f.minimiser()
    problem.assume_equal(square(x0 - least), 1, "distance 1 at the start")
    x, gaps = x0, [f(x0) - f(least)]
    for _ in range(3):
        x = x - step * f.subgradient(x)
        gaps.append(f(x) - f(least))
    return {
        "best_gap": problem.smallest(*gaps),
        "half": square(x0 - least) / 2,
        "any_step": (square(x0 - least) + 4 * step**2) / (8 * step),
    }


add(
    "subgradient-step",
    "PEPit 0.5.1, documentation of subgradient_method, which names no step size",
    "min f(x_t) - f* <= M/sqrt(n + 1) |x_0 - x*| for a constant step",
    "this holds for the step |x_0 - x*|/(M sqrt(n + 1)); any step gives (R^2 + (n+1) gamma^2 M^2)/(2 (n+1) gamma)",
    encoding(
        "subgradient-step.class",
        "worst case over Lipschitz losses, three steps of 1/8, distance 1",
        best_gap <= half,
        best_gap <= any_step,
        scene=worst_case(subgradient),
    ),
    encoding(
        "subgradient-step.numbers",
        "free numbers: M |x| from 1, three steps",
        steep * (1 - 3 * gamma * steep) <= steep / 2,
        steep * (1 - 3 * gamma * steep) <= (1 + 4 * gamma**2 * steep**2) / (8 * gamma),
        3 * gamma * steep <= 1,
    ),
)
