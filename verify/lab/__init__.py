"""The quadratic lab: exact runs of any affine method in a quadratic world, compared with the bound of a theorem.

Example::

    from bounds.special import RATE
    from verify.lab import Description, Plan, exact_curves, laid_over, method_of

    world = Description(dim=10, clients=8, tasks=3, heterogeneity=0.5, noise=0.5).world()
    plan = Plan(rounds=100, sampled=4, steps=5)
    numbers = {"local_lr": 0.02, "global_lr": 0.5, "lam": 0.3}
    special = method_of("special", numbers, world.n_clients)
    curves = exact_curves(world, special, plan)          # {"loss": (tasks, rounds + 1), "earlier": ..., ...}
    over = laid_over(RATE, world, special, plan, numbers)    # over.exact and over.bound, (rounds,) each
"""

from verify.lab.overlay import Laid, laid_over, world_constants
from verify.lab.runs import QUANTITIES, Plan, exact_curves, method_of, sampled_curves
from verify.lab.worlds import Description, described, world_in

__all__ = [
    "QUANTITIES",
    "Description",
    "Laid",
    "Plan",
    "described",
    "exact_curves",
    "laid_over",
    "method_of",
    "sampled_curves",
    "world_constants",
    "world_in",
]
