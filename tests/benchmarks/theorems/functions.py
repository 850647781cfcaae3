"""Smooth and convex functions at two points, and at a point beside the optimum."""

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
add = FUNCTIONS.add
SMOOTH, CONVEX, STRONG = (
    points(family) for family in (worlds.smooth(), worlds.convex(), worlds.strongly_convex())
)
FROM_START = run("fedavg", worlds.strongly_convex(clients=(1, 2)), rounds=(1,), local_lr="eta")
CONVEX_START = run("fedavg", worlds.convex(), rounds=(1,), local_lr="eta")
NESTEROV = "Nesterov, Lectures on Convex Optimization (2018), "
TAYLOR = "Taylor, Hendrickx, Glineur, Smooth strongly convex interpolation (2017), "
line = f_x + slope_x
inner = -slope_x - slope_y

add(
    "descent",
    NESTEROV + "Lemma 1.2.3",
    f_y - line <= L / 2 * apart2,
    scene=SMOOTH,
    wrong=(f_y <= line, f_y - line <= -L / 2 * apart2, f_y - line <= grad2_x / (2 * L)),
)
add(
    "ascent",
    NESTEROV + "Lemma 1.2.3",
    line - f_y <= L / 2 * apart2,
    scene=SMOOTH,
    wrong=(f_y >= line, f_y >= line + turn2 / (2 * L)),
)
add(
    "first-order",
    NESTEROV + "Definition 2.1.1",
    f_y >= line,
    scene=CONVEX,
    tight=False,
    wrong=(
        f_y <= line,
        f_y >= f_x - slope_x,
        f_y >= line + apart2 * L / 100,
        f_y >= line + grad2_x / (100 * L),
    ),
)
add(
    "interpolation",
    NESTEROV + "(2.1.10)",
    f_y - line >= turn2 / (2 * L),
    scene=CONVEX,
    wrong=(f_y - line >= turn2 / L, f_y - line >= grad2_x / (2 * L), f_y - line >= L / 2 * apart2),
)
add(
    "cocoercive",
    NESTEROV + "(2.1.11)",
    inner >= turn2 / L,
    scene=CONVEX,
    wrong=(inner >= 2 * turn2 / L, inner >= L * apart2),
)
add(
    "cocoercive-smooth",
    NESTEROV + "(2.1.11)",
    turn2 <= L * inner,
    scene=CONVEX,
    wrong=(turn2 <= inner * L / 3,),
)
add(
    "strong",
    NESTEROV + "(2.1.20)",
    f_y - line >= mu / 2 * apart2,
    scene=STRONG,
    wrong=(f_y - line >= mu * apart2, f_y - line >= L / 2 * apart2, f_y - line >= turn2 / (2 * mu)),
)
add(
    "monotone",
    NESTEROV + "(2.1.22)",
    inner >= mu * apart2,
    scene=STRONG,
    wrong=(inner >= 2 * mu * apart2, inner >= L * apart2),
)
add(
    "monotone-above",
    NESTEROV + "(2.1.9)",
    inner <= L * apart2,
    scene=CONVEX,
    wrong=(inner <= turn2 / L, inner <= L / 3 * apart2),
)
add(
    "lipschitz",
    NESTEROV + "(1.2.8)",
    turn2 <= L**2 * apart2,
    scene=SMOOTH,
    wrong=(turn2 <= L * inner, turn2 <= L**2 * apart2 / 4),
)
add(
    "both",
    NESTEROV + "Theorem 2.1.12",
    inner >= mu * L / (mu + L) * apart2 + turn2 / (mu + L),
    scene=STRONG,
    wrong=(inner >= mu * apart2 + turn2 / L, inner >= mu * L / (mu + L) * apart2 + turn2 / L),
)
add(
    "above",
    NESTEROV + "(2.1.24)",
    f_y - line <= turn2 / (2 * mu),
    scene=STRONG,
    wrong=(f_y - line <= turn2 / (2 * L), f_y - line <= mu / 2 * apart2),
)
add(
    "turn-below",
    NESTEROV + "(2.1.25)",
    turn2 >= mu * inner,
    scene=STRONG,
    wrong=(turn2 >= L * inner, turn2 >= 2 * mu * inner),
)
add(
    "taylor",
    TAYLOR + "Theorem 4",
    f_y - line >= (turn2 / L + mu * apart2 - 2 * mu / L * inner) / (2 * (1 - mu / L)),
    mu < L,
    scene=STRONG,
    wrong=(f_y - line >= (turn2 / L + mu * apart2) / (2 * (1 - mu / L)),),
)
add(
    "polyak",
    "Polyak (1963); Karimi, Nutini, Schmidt (2016), (3)",
    grad2_0 >= 2 * mu * gap_0,
    scene=FROM_START,
    wrong=(grad2_0 >= 4 * mu * gap_0, grad2_0 >= 2 * L * gap_0),
)
add(
    "gradient-above",
    NESTEROV + "(2.1.10)",
    grad2_0 <= 2 * L * gap_0,
    scene=CONVEX_START,
    wrong=(grad2_0 <= L * gap_0,),
)
add(
    "growth",
    "Karimi, Nutini, Schmidt (2016), quadratic growth",
    gap_0 >= mu / 2 * distance2_0,
    scene=FROM_START,
    wrong=(gap_0 >= mu * distance2_0, gap_0 >= L / 2 * distance2_0),
)
add(
    "gap-above",
    NESTEROV + "(2.1.9)",
    gap_0 <= L / 2 * distance2_0,
    scene=CONVEX_START,
    wrong=(gap_0 <= L / 4 * distance2_0,),
)
add(
    "error-bound",
    "Luo, Tseng (1993); Karimi, Nutini, Schmidt (2016)",
    grad2_0 >= mu**2 * distance2_0,
    scene=FROM_START,
    wrong=(grad2_0 >= L * mu * distance2_0, grad2_0 >= 2 * mu**2 * distance2_0),
)
add(
    "gradient-distance",
    NESTEROV + "(1.2.8)",
    grad2_0 <= L**2 * distance2_0,
    scene=CONVEX_START,
    wrong=(grad2_0 <= L**2 / 2 * distance2_0,),
)
