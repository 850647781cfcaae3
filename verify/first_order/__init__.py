"""Exact worst cases of first-order methods over classes of functions and operators (performance estimation).

A method is run once with formal vectors (`problem`). The interpolation conditions of a class on the answers of its oracle
(`classes`) and a claim about the run are linear in inner products and function values (`forms`). The worst case is
therefore a semidefinite program (`program`). Its dual solution, rounded to fractions, is a proof (`exact`, `certificate`).
Its primal solution, rounded to fractions, is a counterexample (`counterexample`).

Sources: Drori and Teboulle (2014), Performance of first-order methods for smooth convex minimization; Taylor, Hendrickx
and Glineur (2017), Smooth strongly convex interpolation and exact worst-case performance of first-order methods.
"""

from verify.first_order.classes import (
    Class,
    cocoercive,
    convex,
    indicator,
    lipschitz,
    lipschitz_convex,
    monotone,
    monotone_lipschitz,
    nonexpansive,
    quadratic_growth,
    restricted_secant,
    smooth,
    smooth_convex,
    smooth_strongly_convex,
)
from verify.first_order.client_losses import Losses, losses
from verify.first_order.compressors import clipped, compressed, unbiased
from verify.first_order.forms import Form, Vector, dot, mean, sq
from verify.first_order.points import COUNTS, LARGER, NONNEGATIVE, SHARE
from verify.first_order.problem import Problem
from verify.first_order.rounds import every_round
from verify.first_order.scene import decided, worst_case

__all__ = [
    "COUNTS",
    "LARGER",
    "NONNEGATIVE",
    "SHARE",
    "Class",
    "Form",
    "Losses",
    "Problem",
    "Vector",
    "clipped",
    "cocoercive",
    "compressed",
    "convex",
    "decided",
    "dot",
    "every_round",
    "indicator",
    "lipschitz",
    "lipschitz_convex",
    "losses",
    "mean",
    "monotone",
    "monotone_lipschitz",
    "nonexpansive",
    "quadratic_growth",
    "restricted_secant",
    "smooth",
    "smooth_convex",
    "smooth_strongly_convex",
    "sq",
    "unbiased",
    "worst_case",
]
