"""Smooth and convex functions at two points, and at a point and the optimum."""

from __future__ import annotations

from tests.benchmarks.theorems.cases import Collection
from verify import points, run, worlds
from verify.quantities import (
    L,
    apart2,
    distance2_0,
    f_x,
    f_y,
    gap_0,
    grad2_0,
    grad2_x,
    mu,
    slope_x,
    slope_y,
    turn2,
)  # fmt: skip

FUNCTIONS = Collection("functions")
on_smooth, on_convex, on_strong = (
    FUNCTIONS.on(points(family)) for family in (worlds.smooth(), worlds.convex(), worlds.strongly_convex())
)
on_from_start = FUNCTIONS.on(
    run("fedavg", worlds.strongly_convex(clients=(1, 2)), rounds=(1,), local_lr="eta")
)
on_convex_start = FUNCTIONS.on(run("fedavg", worlds.convex(), rounds=(1,), local_lr="eta"))
NESTEROV = "Nesterov, Lectures on Convex Optimization (2018), "
TAYLOR = "Taylor, Hendrickx, Glineur, Smooth strongly convex interpolation (2017), "
line = f_x + slope_x
inner = -slope_x - slope_y

on_smooth(
    "descent",
    NESTEROV + "Lemma 1.2.3",
    f_y - line <= L / 2 * apart2,
    wrong=(f_y <= line, f_y - line <= -L / 2 * apart2, f_y - line <= grad2_x / (2 * L)),
)
on_smooth(
    "ascent",
    NESTEROV + "Lemma 1.2.3",
    line - f_y <= L / 2 * apart2,
    wrong=(f_y >= line, f_y >= line + turn2 / (2 * L)),
)
on_convex(
    "first-order",
    NESTEROV + "Definition 2.1.1",
    f_y >= line,
    tight=False,
    wrong=(
        f_y <= line,
        f_y >= f_x - slope_x,
        f_y >= line + apart2 * L / 100,
        f_y >= line + grad2_x / (100 * L),
    ),
)
on_convex(
    "interpolation",
    NESTEROV + "(2.1.10)",
    f_y - line >= turn2 / (2 * L),
    wrong=(f_y - line >= turn2 / L, f_y - line >= grad2_x / (2 * L), f_y - line >= L / 2 * apart2),
)
on_convex(
    "cocoercive",
    NESTEROV + "(2.1.11)",
    inner >= turn2 / L,
    wrong=(inner >= 2 * turn2 / L, inner >= L * apart2),
)
on_convex("cocoercive-smooth", NESTEROV + "(2.1.11)", turn2 <= L * inner, wrong=(turn2 <= inner * L / 3,))
on_strong(
    "strong",
    NESTEROV + "(2.1.20)",
    f_y - line >= mu / 2 * apart2,
    wrong=(f_y - line >= mu * apart2, f_y - line >= L / 2 * apart2, f_y - line >= turn2 / (2 * mu)),
)
on_strong(
    "monotone",
    NESTEROV + "(2.1.22)",
    inner >= mu * apart2,
    wrong=(inner >= 2 * mu * apart2, inner >= L * apart2),
)
on_convex(
    "monotone-above",
    NESTEROV + "(2.1.9)",
    inner <= L * apart2,
    wrong=(inner <= turn2 / L, inner <= L / 3 * apart2),
)
on_smooth(
    "lipschitz",
    NESTEROV + "(1.2.8)",
    turn2 <= L**2 * apart2,
    wrong=(turn2 <= L * inner, turn2 <= L**2 * apart2 / 4),
)
on_strong(
    "both",
    NESTEROV + "Theorem 2.1.12",
    inner >= mu * L / (mu + L) * apart2 + turn2 / (mu + L),
    wrong=(inner >= mu * apart2 + turn2 / L, inner >= mu * L / (mu + L) * apart2 + turn2 / L),
)
on_strong(
    "above",
    NESTEROV + "(2.1.24)",
    f_y - line <= turn2 / (2 * mu),
    wrong=(f_y - line <= turn2 / (2 * L), f_y - line <= mu / 2 * apart2),
)
on_strong(
    "turn-below",
    NESTEROV + "(2.1.25)",
    turn2 >= mu * inner,
    wrong=(turn2 >= L * inner, turn2 >= 2 * mu * inner),
)
on_strong(
    "taylor",
    TAYLOR + "Theorem 4",
    f_y - line >= (turn2 / L + mu * apart2 - 2 * mu / L * inner) / (2 * (1 - mu / L)),
    mu < L,
    wrong=(f_y - line >= (turn2 / L + mu * apart2) / (2 * (1 - mu / L)),),
)
on_from_start(
    "polyak",
    "Polyak (1963); Karimi, Nutini, Schmidt (2016), (3)",
    grad2_0 >= 2 * mu * gap_0,
    wrong=(grad2_0 >= 4 * mu * gap_0, grad2_0 >= 2 * L * gap_0),
)
on_convex_start(
    "gradient-above", NESTEROV + "(2.1.10)", grad2_0 <= 2 * L * gap_0, wrong=(grad2_0 <= L * gap_0,)
)
on_from_start(
    "growth",
    "Karimi, Nutini, Schmidt (2016), quadratic growth",
    gap_0 >= mu / 2 * distance2_0,
    wrong=(gap_0 >= mu * distance2_0, gap_0 >= L / 2 * distance2_0),
)
on_convex_start(
    "gap-above", NESTEROV + "(2.1.9)", gap_0 <= L / 2 * distance2_0, wrong=(gap_0 <= L / 4 * distance2_0,)
)
on_from_start(
    "error-bound",
    "Luo, Tseng (1993); Karimi, Nutini, Schmidt (2016)",
    grad2_0 >= mu**2 * distance2_0,
    wrong=(grad2_0 >= L * mu * distance2_0, grad2_0 >= 2 * mu**2 * distance2_0),
)
on_convex_start(
    "gradient-distance",
    NESTEROV + "(1.2.8)",
    grad2_0 <= L**2 * distance2_0,
    wrong=(grad2_0 <= L**2 / 2 * distance2_0,),
)
