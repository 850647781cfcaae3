"""What is true in place of SPECIAL's Theorem 4.10: rates towards the minimiser of the problem that a task really solves.

With g = gamma_G gamma_L and s = g E / lambda, Eq. (6) makes a round an inexact gradient step of size g E / (1 + lambda) on

    Phi(theta) = f_K(theta) + |theta - theta_{K-1}|^2 / (2 s),

so over the tasks SPECIAL is an incremental proximal method with step s. Not of the paper.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le, lt
from bounds.special.assumptions import convexity
from bounds.special.symbols import SPECIAL, B, E, K, L, N, at, gamma_G, gamma_L, lam, sigma_G2, sigma_L2, t
from bounds.special.theorems import PARTIAL, rho
from bounds.special.theorems import step as g

_positive, _nonnegative, _real = SPECIAL.positive, SPECIAL.nonnegative, SPECIAL.real
_minimiser = r"\arg\min\Phi"
low = _real(
    "low", "least curvature of a client loss of the current task", r"\inf\lambda_{\min}(\nabla^2f_{K,m})"
)
miss0 = _nonnegative(
    "miss0", "distance of the task start from the minimiser of Phi", rf"\|\theta_K^0-{_minimiser}\|"
)
miss = _nonnegative(
    "miss",
    "root mean squared distance from the minimiser of Phi after t rounds",
    rf"(\mathbb E\|\theta_K^t-{_minimiser}\|^2)^{{1/2}}",
)
miss_next = _nonnegative("miss_next", "the same one round later")
moved_phi = _real("moved_phi", "way of the model in a round without noise, sampling and local drift")
slope_phi = _real("slope_phi", "gradient of Phi before it", r"\nabla\Phi")

WORK = L * gamma_L * B * E * (E - 1) / 2
"""How much the summed gradients of a round change by local drift, at most."""
NOISE = E * sigma_L2 / N + E**2 * rho * sigma_G2
"""Variance of the mean over the sampled clients of the summed gradients of a round, at most."""

NOT_OF_THE_PAPER = "not of the paper: what is true of the same algorithm within a task"


def pull(pace: sp.Expr) -> sp.Expr:
    """By how much the square of the server's divisor exceeds that of `pace`."""
    return (1 + lam - pace) * (1 + lam + pace)


def terms_after_rounds(pace: sp.Expr) -> dict[str, sp.Expr]:
    """Terms of the bound after t rounds, if a gradient step lets distances grow by a factor `pace`, drift and noise apart."""
    return {
        "start": (pace / (1 + lam)) ** t * miss0,
        "drift": g * WORK / (1 + lam - pace),
        "noise": g * sp.sqrt(NOISE / pull(pace)),
    }


_CONVEX, _SMOOTH = terms_after_rounds(sp.Integer(1)), terms_after_rounds(1 + g * E * L)
_STRONG = {
    name: term.subs(E, 1) for name, term in terms_after_rounds(sp.Max(1 - g * convexity, g * L - 1)).items()
}


_repaired = at(
    "Theorem 4.10",
    "173",
    assumes=("ass4.1", "ass4.2", "ass4.3", "ass4.4", "ass4.5"),
    changes=NOT_OF_THE_PAPER,
)
CONVEX = (*PARTIAL, ge(low, 0), le(gamma_G * gamma_L * E * L, 2))
ROUND = _repaired(
    "thm4.10/surrogate.round",
    "for convex losses a round shrinks the distance from the minimiser by 1 + lambda, up to noise and local drift",
    le((1 + lam) * miss_next, sp.sqrt(miss**2 + g**2 * NOISE) + g * WORK),
    conditions=CONVEX,
    uses=("thm4.10/surrogate.round.variance",),
)
RATE = _repaired(
    "thm4.10/surrogate",
    "for convex losses and g E L <= 2 the distance from the minimiser falls like (1 + lambda)^-t, up to a floor of noise "
    "and local drift",
    le(miss, sum(_CONVEX.values())),
    terms=_CONVEX,
    conditions=CONVEX,
    uses=tuple(f"thm4.10/surrogate.{word}" for word in ("invariant", "carried.most", "drifted.most")),
)
SMOOTH = _repaired(
    "thm4.10/surrogate.smooth",
    "for smooth losses, convex or not, and g E L < lambda the distance from the minimiser falls geometrically, up to a "
    "floor of noise and local drift",
    le(miss, sum(_SMOOTH.values())),
    terms=_SMOOTH,
    conditions=(*PARTIAL, lt(gamma_G * gamma_L * E * L, lam)),
    uses=tuple(f"thm4.10/surrogate.smooth.{word}" for word in ("invariant", "carried.most", "drifted.most")),
)
STRONG = _repaired(
    "thm4.10/surrogate.strong",
    "for strongly convex losses and one local step the distance from the minimiser falls faster still, up to a floor of "
    "noise, without bounded gradients",
    le(miss, sum(_STRONG.values())),
    terms={name: term for name, term in _STRONG.items() if term != 0},
    conditions=(*PARTIAL, eq(E, 1), ge(low, convexity), le(gamma_G * gamma_L * L, 2)),
    assumes=("ass4.2", "ass4.3", "ass4.4", "ass4.5"),
    uses=tuple(f"thm4.10/surrogate.strong.{word}" for word in ("root", "carried.most")),
)
STEPPED = at("Eq. (6)", "102")(
    "thm4.10/surrogate.step",
    "Eq. (6) makes a round without noise, sampling and local drift a gradient step of size g E / (1 + lambda) on Phi",
    eq(moved_phi, -g * E / (1 + lam) * slope_phi),
    uses=("eq6",),
    changes=NOT_OF_THE_PAPER,
)

# Over the tasks: exact proximal steps of size s, in the order in which the tasks come
s = _positive("s", "step of the proximal method, g E / lambda")
far0 = _nonnegative("far0", "distance of the start from the point of comparison", r"\|\theta_0-z\|")
regret = _real(
    "regret",
    "mean over the tasks of the loss just before a task is trained, above that at the point of comparison",
    r"\frac1K\sum_k(f_k(\theta_{k-1})-f_k(z))",
)
regret_slope = _real(
    "regret_slope",
    "mean over the tasks of what tangents say of that: from the model before to the proximal step, and to the point of comparison",
)
forgot = _real(
    "forgot",
    "largest growth of a task's loss since it was trained, per later task",
    r"\max_{j<K}\frac{f_j(\theta_K)-f_j(\theta_j)}{K-j}",
)
forgot_slope = _real(
    "forgot_slope", "what the tangent of a task's loss at the last model says of that growth"
)
strode = _nonnegative("strode", "largest distance between the models after two successive tasks")
missed_by = _nonnegative("missed_by", "largest distance of a model after a task from the exact proximal step")
apart = _nonnegative("apart", "largest distance of an exact proximal step from the point of comparison")

_tasks = at(
    "Theorem 4.10, title",
    "1, 173",
    conditions=(ge(low, 0),),
    assumes=("ass4.1",),
    changes="not of the paper: what is true of the same algorithm over all tasks",
)
REGRET = _tasks(
    "tasks.regret",
    "for convex tasks in any order the loss before training exceeds that of any fixed model by little on average",
    le(regret, far0**2 / (2 * s * K) + s * B**2 / 2),
)
INEXACT = _tasks(
    "tasks.regret/inexact",
    "the same for models that miss the exact proximal steps by little",
    le(regret, far0**2 / (2 * s * K) + s * B**2 / 2 + (2 * apart * missed_by + missed_by**2) / (2 * s)),
)
STRIDE = _tasks(
    "tasks.stride", "a task moves the model by at most s B", le(strode, s * B), conditions=(ge(low, 0),)
)
FORGETTING = _tasks(
    "tasks.forgetting",
    "a later task lets the loss of an earlier one grow by at most s B^2",
    le(forgot, s * B**2),
    conditions=(ge(low, 0), ge(K, 2)),
    uses=("tasks.stride",),
)

REGRET_FREE = at("Assumption 4.1, over tasks", "112", assumes=("ass4.1",))(
    "tasks.regret.free",
    "a model that stands still loses on no task more than any fixed model does, but for B times their distance",
    le(regret, far0 * B),
    changes="not of the paper: what bounded gradients alone give",
)
STILL = at("Eq. (6), without local steps", "102")(
    "thm4.10/surrogate.free",
    "a model that stands still stays as far from the minimiser as it was",
    eq(miss, miss0),
    changes="not of the paper: what standing still gives without the theorem",
)
STATEMENTS = (STILL, STEPPED, ROUND, RATE, SMOOTH, STRONG, REGRET, REGRET_FREE, INEXACT, STRIDE, FORGETTING)
