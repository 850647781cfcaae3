"""One round of SPECIAL towards the minimiser of the problem that its task solves: the steps of the proof. Not of the paper.

With the minimiser of Phi as origin, (1 + lambda) theta_{t+1} = P - g (Q + W): P is where a gradient step on f_K of size g E
leads the difference of the model from the minimiser, Q the noise and the sampling, W the work of local drift.
"""

from __future__ import annotations

from functools import partial

from bounds.relations import eq, ge, le
from bounds.special.surrogate import CONVEX, NOISE, NOT_OF_THE_PAPER, WORK, low, miss, miss_next
from bounds.special.symbols import SPECIAL, E, L, at, lam
from bounds.special.theorems import PARTIAL
from bounds.special.theorems import step as g

_positive, _nonnegative, _real = SPECIAL.positive, SPECIAL.nonnegative, SPECIAL.real
miss2 = _nonnegative("miss2", "mean squared distance from the minimiser of Phi")
miss_next2 = _nonnegative("miss_next2", "the same one round later")
pulled = _nonnegative("pulled", "the same after a gradient step of size g E on the current task", r"\|P\|")
pulled2 = _nonnegative("pulled2", "its mean square", r"\mathbb E\|P\|^2")
bent2 = _nonnegative("bent2", "mean square of how far the gradient is from that at the minimiser")
bent_along = _real("bent_along", "mean inner product of that difference and the way from the minimiser")
blown = _nonnegative("blown", "the same with noise and sampling", r"(\mathbb E\|P-gQ\|^2)^{1/2}")
blown2 = _nonnegative("blown2", "its mean square", r"\mathbb E\|P-gQ\|^2")
wind2 = _nonnegative(
    "wind2", "mean square of what noise and sampling change in the summed gradients", r"\mathbb E\|Q\|^2"
)
worked = _nonnegative(
    "worked", "root mean square of what local drift changes in them", r"(\mathbb E\|W\|^2)^{1/2}"
)
worked2 = _nonnegative("worked2", "its square", r"\mathbb E\|W\|^2")
crossed = _real("crossed", "mean inner product of both parts", r"\mathbb E\langle P-gQ,W\rangle")

SQUARES = tuple(
    eq(square, root**2)
    for square, root in ((miss2, miss), (miss_next2, miss_next), (blown2, blown), (worked2, worked))
)
"""The glossary's squares of roots of mean squares."""

SPREAD = ("ass4.2", "ass4.3", "ass4.4", "ass4.5")
ALL_BUT_TASKS = ("ass4.1", *SPREAD)


def _of(words: str) -> tuple[str, ...]:
    return tuple(f"thm4.10/surrogate.{word}" for word in words.split())


_step = at("Theorem 4.10", "173", conditions=PARTIAL, changes=NOT_OF_THE_PAPER)
_convex = partial(_step, conditions=CONVEX)
SPLIT = _step(
    "thm4.10/surrogate.split",
    "a round is a gradient step with noise and sampling, and the work of local drift",
    eq((1 + lam) ** 2 * miss_next2, blown2 + g**2 * worked2 - 2 * g * crossed),
    uses=("thm4.10/surrogate.step",),
)
CAUCHY = _step(
    "thm4.10/surrogate.cauchy", "Cauchy-Schwarz between both parts", le(crossed**2, blown2 * worked2)
)
TURNED = _step(
    "thm4.10/surrogate.turned",
    "so their inner product is no smaller than minus the product of their lengths",
    ge(crossed, -blown * worked),
    uses=("thm4.10/surrogate.cauchy",),
)
MINKOWSKI = _step(
    "thm4.10/surrogate.minkowski",
    "Minkowski: root mean squares add up",
    le((1 + lam) * miss_next, blown + g * worked),
    uses=("thm4.10/surrogate.split", "thm4.10/surrogate.turned"),
)
DRIFT = _step(
    "thm4.10/surrogate.drift",
    "local models move by gamma_L B a step, and gradients by L times that",
    le(worked2, WORK**2),
    assumes=("ass4.1", "ass4.2"),
)
UNBIASED = _step(
    "thm4.10/surrogate.unbiased",
    "noise and sampling have mean zero, whatever the model",
    eq(blown2, pulled2 + g**2 * wind2),
    assumes=("ass4.3",),
)
VARIANCE = _step(
    "thm4.10/surrogate.variance", "their variance", le(wind2, NOISE), assumes=("ass4.4", "ass4.5")
)
PULLED = _step(
    "thm4.10/surrogate.pulled",
    "a gradient step of size g E, squared",
    eq(pulled2, miss2 - 2 * g * E * bent_along + g**2 * E**2 * bent2),
)
COCOERCIVE = _step(
    "thm4.10/surrogate.cocoercive",
    "the gradient of a convex L-smooth loss is 1/L-cocoercive (Nesterov 2018, Theorem 2.1.5)",
    le(bent2, L * bent_along),
    conditions=(*PARTIAL, ge(low, 0)),
    assumes=("ass4.2",),
)
TOWARDS = _convex(
    "thm4.10/surrogate.towards",
    "so a step of size at most 2/L leads towards the minimiser by enough",
    ge(2 * bent_along, g * E * bent2),
    assumes=("ass4.2",),
    uses=_of("cocoercive"),
)
SHRINKS = _convex(
    "thm4.10/surrogate.shrinks",
    "a gradient step of size at most 2/L on a convex L-smooth loss lets no distance grow",
    le(pulled2, miss2),
    assumes=("ass4.2",),
    uses=_of("pulled towards"),
)
GROWS = _step(
    "thm4.10/surrogate.grows",
    "on an L-smooth loss it lets distances grow by a factor 1 + g E L at most",
    le(pulled2, (1 + g * E * L) ** 2 * miss2),
    assumes=("ass4.2",),
    uses=("thm4.10/surrogate.pulled",),
)
WORKED = _step(
    "thm4.10/surrogate.worked",
    "the work of local drift",
    le(worked, WORK),
    assumes=("ass4.1", "ass4.2"),
    uses=_of("drift"),
)

STATEMENTS = (
    SPLIT,
    CAUCHY,
    TURNED,
    MINKOWSKI,
    DRIFT,
    UNBIASED,
    VARIANCE,
    PULLED,
    COCOERCIVE,
    TOWARDS,
    SHRINKS,
    GROWS,
    WORKED,
)
