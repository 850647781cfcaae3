"""Error feedback, Theorems 1 and 2 for one worker, and the rate of compressed gradient descent with which they are compared.

Step sizes, multipliers and rates were read in the authors' code (certificates/EF, certificates/EF21 and
certificates/CGD_superiority of github.com/DanielBergThomsen/error-feedback-tight), not in the text of the paper. The paper
writes s for the root of epsilon, where |C(v) - v|^2 <= epsilon |v|^2. Its rate

    rho = s + (1 - s)/2 h ((1 - s) h + root((1 - s)^2 h^2 + 4 s)),    h = (L - mu)/(L + mu),

is z^2 for the root z > root(s) of z^2 = (1 - s) h z + s, because (1 - s) h z = z^2 - s. So z is a symbol with its equation here.
"""

from __future__ import annotations

from bounds.relations import eq, le, lt
from bounds.statement import Paper
from bounds.symbols import Glossary

GLOSSARY = Glossary("feedback")
PAPER = Paper(
    key="feedback",
    title="Tight Analyses of First-Order Methods with Error Feedback",
    version="arXiv 2506.05271",
    glossary=GLOSSARY,
)
at = PAPER.at
"""Maker of the statements that stand at one place, ``at(place, lines)(id, says, relation, ...)``."""

_positive, _nonnegative = GLOSSARY.positive, GLOSSARY.nonnegative
t = GLOSSARY.count("t", "iterations")
L = _positive("L", "smoothness of the loss")
mu = _positive("mu", "strong convexity of the loss", r"\mu")
s = _positive("s", "largest relative error of the compressor", r"\sqrt\epsilon")
z = _positive("z", "root of the rate rho", r"\sqrt\rho")
eta = _positive("eta", "step size", r"\eta")
gap = _nonnegative("gap", "loss above the least one", r"f(x_k)-f_\star")
gap_next = _nonnegative("gap_next", "the same after the next step", r"f(x_{k+1})-f_\star")
distance2 = _nonnegative("distance2", "squared distance from the optimum", r"\|x_k-x_\star\|^2")
distance2_next = _nonnegative("distance2_next", "the same after the next step", r"\|x_{k+1}-x_\star\|^2")
psi = _nonnegative("psi", "Lyapunov function after t steps", r"\mathcal V_t")
psi_0 = _nonnegative("psi_0", "Lyapunov function at the start", r"\mathcal V_0")
psi_next = _nonnegative("psi_next", "Lyapunov function after the next step", r"\mathcal V_{k+1}")
psi_before = _nonnegative("psi_before", "Lyapunov function before the step", r"\mathcal V_k")

RATE = (eq((L - mu) * (1 - s) * z, (L + mu) * (z**2 - s)), lt(s, z**2), lt(z, 1))
"""What defines z; s < z^2 < 1 chooses the positive root and says that 0 < mu < L."""
STEP = eq(eta * (L + mu) * (1 + s), 2 * (1 - s))
LONG = eq(eta * (L + mu) * (1 + s), 3 * (1 - s))
COMPRESSED = (eq(eta * ((1 - s) * mu + (1 + s) * L), 2), lt(mu, L), lt(s, 1))
SLOWER = (L * (1 + s) - mu * (1 - s)) / (L * (1 + s) + mu * (1 - s))
"""(k - 1)/(k + 1) for k = kappa (1 + s)/(1 - s), the condition number that compression makes worse."""

DESCENT = at("Rate of compressed gradient descent", conditions=COMPRESSED)(
    "cgd",
    "a step along a compressed gradient contracts the loss by ((k - 1)/(k + 1))^2",
    le(gap_next, SLOWER**2 * gap),
)
EF = at("Theorem 1", conditions=(*RATE, STEP))(
    "thm1.step",
    "a step of error feedback contracts |x - x* - e|^2 + |e|^2/s by rho",
    le(psi_next, z**2 * psi_before),
)
EF21 = at("Theorem 2", conditions=(*RATE, STEP))(
    "thm2.step",
    "a step of EF21 contracts s |g|^2 + |g - d|^2 by the same rho",
    le(psi_next, z**2 * psi_before),
)
BETTER = "a rate that is better by 1 %, which is false"
LONGER = "steps longer by half, which is false"
STILL = at("Without the theorem", changes="not of the paper")(
    "thm1.free", "a run that stands still keeps its Lyapunov function", le(psi, psi_0)
)
STILL_NEXT = at("Without the theorem", changes="not of the paper")(
    "cgd.free", "a model that stands still keeps its loss", le(gap_next, gap)
)
STATEMENTS = (
    STILL,
    STILL_NEXT,
    DESCENT,
    DESCENT.variant("better", le(gap_next, 99 * SLOWER**2 * gap / 100), changes=BETTER),
    DESCENT.variant(
        "distance", le(distance2_next, SLOWER**2 * distance2), changes="squared distances instead of losses"
    ),
    EF,
    EF.variant("better", le(psi_next, 99 * z**2 * psi_before / 100), changes=BETTER),
    EF.variant("long", conditions=(*RATE, LONG), changes=LONGER),
    EF.variant("clients", changes="any number of clients, with the mean of |e_i|^2, instead of one worker"),
    EF.variant("shared", changes="any number of clients that share their optimum, with the mean of |e_i|^2"),
    at("Theorem 1", conditions=(*RATE, STEP))(
        "thm1",
        "the Lyapunov function of error feedback falls by rho",
        le(psi, z ** (2 * t) * psi_0),
        uses=("thm1.step",),
    ),
    EF21,
    EF21.variant("better", le(psi_next, 99 * z**2 * psi_before / 100), changes=BETTER),
    EF21.variant("long", conditions=(*RATE, LONG), changes=LONGER),
    EF21.variant(
        "clients", changes="any number of clients, with the mean of |g_i - d_i|^2, instead of one worker"
    ),
    at("Theorem 2", conditions=(*RATE, STEP))(
        "thm2",
        "the Lyapunov function of EF21 falls by rho",
        le(psi, z ** (2 * t) * psi_0),
        uses=("thm2.step",),
    ),
    at("Comparison", conditions=RATE)(
        "faster", "compressed gradient descent has a better rate than error feedback", le(SLOWER**2, z**2)
    ),
)
