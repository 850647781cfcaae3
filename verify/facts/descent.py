"""Lemmas about one and many steps of gradient descent, plain or stochastic, in expectation over the noise."""

from __future__ import annotations

from typing import Literal

import sympy as sp

from bounds.relations import eq, ge, le
from verify.engine.model.scene import Condition, Rounds, Textbook
from verify.engine.model.sums import Sums
from verify.facts.functions import (
    a_square,
    at_optimum,
    cocoercive,
    coercive,
    descent,
    interpolated,
    interpolated_strongly,
    monotone,
)
from verify.facts.known import Known
from verify.facts.one_step import step_with_noise
from verify.facts.several import least
from verify.quantities import (
    L,
    distance2,
    distance2_0,
    distance2_before,
    eta,
    gap,
    gap_0,
    gap_before,
    gap_mean,
    gap_mean_before,
    grad2,
    grad2_0,
    grad2_before,
    grad2_mean,
    grad2_mean_before,
    grad2_min,
    inner,
    inner_before,
    loss,
    loss_0,
    loss_before,
    move2,
    mu,
    sigma2,
    t,
)  # fmt: skip

Convexity = Literal["none", "weak", "strong"]
BOTTOU = "Bottou, Curtis, Nocedal, Optimization methods for large-scale machine learning, 2018, "
_MOVED = BOTTOU + "(4.6)"
BANSAL = "Bansal, Gupta, Potential-function proofs for gradient methods, 2019, "
GARRIGOS = "Garrigos, Gower, Handbook of convergence theorems, 2023, proof of Theorem 5.5"
NESTEROV = "Nesterov, Lectures on Convex Optimization, 2018, "
TAYLOR_STEP = (
    "Taylor, Hendrickx, Glineur, Exact worst-case convergence rates of the proximal gradient method, 2018"
)


_OPTIMUM = at_optimum(distance2_before, gap_before, grad2_before, inner_before, mu)
POWER = sp.Symbol("power", real=True)
_NUMBER = sp.Symbol("number", nonnegative=True)
"""The name of the number of rounds in a proof by induction."""
ORDER, _APART, _COERCIVE = (
    next(fact for fact in _OPTIMUM if fact.name == name)
    for name in ("order of constants", "gradients move apart", "cocoercivity of strongly convex functions")
)
ALONG = next(
    fact for fact in _OPTIMUM if fact.relation == (inner_before >= gap_before + grad2_before / (2 * L))
)
_ROUNDS = {
    distance2: (distance2_before, distance2_0),
    gap: (gap_before, gap_0),
    gap_mean: (gap_mean_before, sp.S.Zero),
    grad2: (grad2_before, grad2_0),
    grad2_mean: (grad2_mean_before, sp.S.Zero),
    inner: (inner_before, sp.Symbol("inner_0", real=True)),
    loss: (loss_before, loss_0),
    move2: (sp.Symbol("move2_before", nonnegative=True), sp.Symbol("move2_0", nonnegative=True)),
}
"""By quantity that changes with the round: its name one round earlier, and its value at the start."""


def _mean_so_far(mean: sp.Symbol, earlier: sp.Symbol, before: sp.Symbol) -> Textbook:
    """The mean over t rounds from the mean over one round less, which defines it."""
    relation = eq(t * mean, (t - 1) * earlier + before)
    sum_ = ["+", ["*", ["-", t.name, "1"], "m"], "b"]
    proof = Sums(relation, {mean: ["/", sum_, t.name], earlier: "m", before: "b"}, {"m": "real", "b": "real"})
    return Known("a mean over one round more", relation, "by definition", proof=proof)


MEAN_GAP, _MEAN_GRAD = (
    _mean_so_far(mean, earlier, before)
    for mean, earlier, before in (
        (gap_mean, gap_mean_before, gap_before),
        (grad2_mean, grad2_mean_before, grad2_before),
    )
)
_LONG = le(eta, 2 / (L + mu))
_PLAIN = distance2_before - 2 * eta * inner_before + eta**2 * grad2_before
"""Squared distance after a step without noise."""
_SHRUNK = Known(
    "contraction of a plain gradient step",
    ge((1 - eta * mu) ** 2 * distance2_before, _PLAIN),
    NESTEROV + "proof of Theorem 2.1.15",
    (_LONG,),
    follows_from=(ORDER, _APART, _COERCIVE),
)
_ALONG = sp.Symbol("grads_before", real=True)
"""Expected inner product of the gradients at both ends of a step."""
_TURN2 = grad2 - 2 * _ALONG + grad2_before
"""For a step without noise: squared difference of these gradients."""
_LEVELLED = Known(
    "gradients fall",
    le(grad2, grad2_before),
    NESTEROV + "(2.1.11)",
    (le(eta, 2 / L),),
    follows_from=(
        monotone(ge(grad2_before, _ALONG)),
        cocoercive(ge(L * eta * (grad2_before - _ALONG), _TURN2)),
    ),
)
_LEVELLED_BY = Known(
    "contraction of the gradient",
    le(grad2, (1 - eta * mu) ** 2 * grad2_before),
    TAYLOR_STEP,
    (_LONG,),
    follows_from=(
        ORDER,
        monotone(ge((1 - eta * mu) * grad2_before, _ALONG)),
        coercive(ge((L + mu) * eta * (grad2_before - _ALONG), mu * L * eta**2 * grad2_before + _TURN2)),
    ),
)


def _lowered_by() -> Textbook:
    """The contraction of the values by a plain step, from the interpolation conditions of the function.

    The function minus mu/2 |x|^2 is convex and L - mu smooth. Its gradients at both ends of the step are sqrt(L - mu) times
    vectors (0 if mu = L) whose inner products with each other are `after2`, `both` and `before2`, and whose products with the
    distance from the minimiser, times sqrt(L - mu), are `pull_after` and `pull_before`. So no condition divides by L - mu.
    """
    shrunk, away = 1 - eta * mu, eta * (L - mu)
    before2, after2 = sp.symbols("before2 after2", nonnegative=True)
    pull_before, pull_after, both = sp.symbols("pull_before pull_after both", real=True)
    moved = shrunk**2 * distance2_before - 2 * shrunk * eta * pull_before + eta * away * before2
    lower, start = gap - mu / 2 * moved, gap_before - mu / 2 * distance2_before
    turned = before2 - 2 * both + after2
    length = eta * L
    return Known(
        "contraction of the values",
        le(gap, shrunk**2 * gap_before),
        TAYLOR_STEP,
        (_LONG,),
        follows_from=(
            ORDER,
            interpolated_strongly(ge(start - lower, eta * mu * pull_after + away * both + turned / 2)),
            interpolated_strongly(ge(pull_before, start + before2 / 2)),
            interpolated_strongly(ge(shrunk * pull_after - away * both, lower + after2 / 2)),
            a_square(ge(after2 + 2 * (length - 1) * both + (length - 1) ** 2 * before2, 0)),
        ),
    )


_LOWERED_BY = _lowered_by()


def steps(convexity: Convexity, variance: sp.Expr = sigma2) -> tuple[Textbook, ...]:
    """Facts of one step of (stochastic) gradient descent; for convex losses also about the distance from the minimiser."""
    found = (
        _step_length(variance),
        _descent(loss, variance),
        _descent(gap, variance),
        least(grad2_min, grad2_mean),
    )
    if convexity == "none":
        return found
    return (
        *found,
        _one_step(variance),
        *((_noisy_contraction(variance),) if convexity == "strong" else ()),
        *((_SHRUNK, contraction(variance)) if convexity == "strong" else ()),
        *((_LEVELLED,) if variance == 0 else ()),
        *((_LEVELLED_BY, _LOWERED_BY) if convexity == "strong" and variance == 0 else ()),
    )


def exact_steps(convexity: Convexity, variance: sp.Expr = sigma2) -> tuple[Textbook, ...]:
    """The same as equations, if only the noise of one client is random; the distance after a plain step is nonnegative."""
    moved = _of_step("unbiased noise", eq(move2, eta**2 * (grad2_before + variance)), _MOVED, variance)
    if convexity == "none":
        return (moved,)
    after = eq(distance2, _PLAIN + eta**2 * variance)
    return moved, _of_step("one step with unbiased noise", after, GARRIGOS, variance), a_square(_PLAIN >= 0)


def contraction(variance: sp.Expr) -> Textbook:
    """A step of (stochastic) gradient descent on a strongly convex loss, with the noise that it adds."""
    return Known(
        "contraction of a gradient step",
        le(distance2, (1 - eta * mu) ** 2 * distance2_before + eta**2 * variance),
        NESTEROV + "proof of Theorem 2.1.15",
        (_LONG,),
        follows_from=(_one_step(variance), _SHRUNK),
    )


def _descent(value: sp.Symbol, variance: sp.Expr) -> Textbook:
    """The descent lemma for the loss, or for the gap."""
    falls = _ROUNDS[value][0] - eta * (1 - L * eta / 2) * grad2_before
    relation = le(value, falls + L * eta**2 / 2 * variance)
    below = descent(le(value, _ROUNDS[value][0] - eta * grad2_before + L / 2 * move2))
    return Known(
        "descent lemma with noise",
        relation,
        BOTTOU + "Lemma 4.4",
        follows_from=(below, _step_length(variance)),
    )


def _step_length(variance: sp.Expr) -> Textbook:
    """The expected squared length of a step."""
    return _of_step("unbiased noise", le(move2, eta**2 * (grad2_before + variance)), _MOVED, variance)


def _of_step(name: str, relation: Condition, source: str, variance: sp.Expr) -> Textbook:
    """A relation about one step that holds by the definition of its quantities."""
    return Known(name, relation, source, proof=step_with_noise(relation, variance))


def _lowered(start: sp.Symbol, value: sp.Symbol, variance: sp.Expr) -> Textbook:
    """The descent lemma added up over t steps, for the loss or for the gap."""
    falls = start - value + t * L * eta**2 / 2 * variance
    relation = le(eta * (1 - L * eta / 2) * t * grad2_mean, falls)
    return added_up("telescoping", relation, BOTTOU + "Theorem 4.8", _descent(value, variance), _MEAN_GRAD)


def _flattest(start: sp.Symbol, value: sp.Symbol, variance: sp.Expr) -> Textbook:
    """What the least gradient of t steps is at most, without the value that the steps end with."""
    falls = start + t * L * eta**2 / 2 * variance
    return Known(
        "the least gradient of t steps",
        le(eta * (1 - L * eta / 2) * t * grad2_min, falls),
        BOTTOU + "Theorem 4.8",
        (le(eta, 2 / L),),
        follows_from=(_lowered(start, value, variance), least(grad2_min, grad2_mean)),
    )


def _one_step(variance: sp.Expr) -> Textbook:
    relation = le(distance2, _PLAIN + eta**2 * variance)
    return _of_step("one step with unbiased noise", relation, GARRIGOS, variance)


def iterated(convexity: Convexity, variance: sp.Expr = sigma2) -> tuple[Textbook, ...]:
    """Facts of t steps: the fact of one step, added up or iterated."""
    found = [
        _lowered(loss_0, loss, variance),
        _lowered(gap_0, gap, variance),
        _flattest(gap_0, gap, variance),
    ]
    if convexity != "none":
        lost = distance2_0 - distance2 + t * eta**2 * variance
        nearer = le(2 * eta * t * gap_mean + eta * (1 / L - eta) * t * grad2_mean, lost)
        steps = _one_step(variance), ALONG, MEAN_GAP, _MEAN_GRAD
        found.append(added_up("telescoping", nearer, GARRIGOS, *steps))
    if convexity != "none" and variance == 0:
        potential = le(2 * eta * t * gap + distance2, distance2_0)
        source = BANSAL + "Theorem 2.1"
        found.append(
            added_up(
                "potential of gradient descent", potential, source, _LOWERED, _NEARER, given=_NEARER.given
            )
        )
        found.append(_best_constant())
    if convexity == "strong":
        relation = le(distance2, (1 - eta * mu) ** t * distance2_0 + eta / mu * variance)
        step = _noisy_contraction(variance)
        found.append(carried("geometric recursion", relation, BOTTOU + "Theorem 4.6", step, 1 - eta * mu, t))
    if convexity == "strong" and variance == 0:
        squared, power = (1 - eta * mu) ** 2, (1 - eta * mu) ** (2 * t)
        nearer, flatter = le(distance2, power * distance2_0), le(grad2, power * grad2_0)
        lower = le(gap, power * gap_0)
        source = NESTEROV + "proof of Theorem 2.1.15"
        found += [
            carried("contraction of gradient descent", nearer, source, contraction(variance), squared, 2 * t),
            carried("contraction of the gradients", flatter, TAYLOR_STEP, _LEVELLED_BY, squared, 2 * t),
            carried("contraction of the values", lower, TAYLOR_STEP, _LOWERED_BY, squared, 2 * t),
        ]
    return tuple(found)


def _best_constant() -> Textbook:
    """The sharp bound on the value after t steps of at most 1/L, by a potential that no step increases."""

    def potential(n: sp.Expr, apart: sp.Expr, above: sp.Expr, slope: sp.Expr) -> sp.Expr:
        return apart + 2 * eta * n * above + eta * n * (eta * n + 1 / L) * slope

    given, source = (
        (le(eta, 1 / L),),
        "Drori, Teboulle, Performance of first-order methods, 2014, Theorem 3.1",
    )
    now = potential(t, distance2, gap, grad2)
    step = Known(
        "a step does not increase the sharp potential",
        le(now, potential(t - 1, distance2_before, gap_before, grad2_before)),
        source,
        given,
        follows_from=(
            _one_step(sp.S.Zero),
            ALONG,
            interpolated(ge(gap_before - gap, eta * _ALONG + _TURN2 / (2 * L))),
            interpolated(ge(gap - gap_before + eta * grad2_before, _TURN2 / (2 * L))),
            a_square(ge(_TURN2, 0)),
        ),
    )
    fallen = added_up("sharp potential of gradient descent", le(now, distance2_0), source, step, given=given)
    scale = eta * t + 1 / L
    return Known(
        "the best constant of gradient descent",
        le(gap, distance2_0 / (4 * eta * t + 2 / L)),
        source,
        given,
        follows_from=(
            fallen,
            interpolated(ge(inner, gap + grad2 / (2 * L))),
            a_square(ge(distance2 - 2 * scale * inner + scale**2 * grad2, 0)),
        ),
    )


_LOWERED, _NEARER = (
    Known(name, relation, BANSAL + "proof of Theorem 2.1", (le(eta, 1 / L),), follows_from=facts)
    for name, relation, facts in (
        ("values fall", le(gap, gap_before), (_descent(gap, sp.S.Zero),)),
        (
            "what a step comes nearer",
            le(2 * eta * gap + distance2, distance2_before),
            (_one_step(sp.S.Zero), _descent(gap, sp.S.Zero), ALONG),
        ),
    )
)


def _noisy_contraction(variance: sp.Expr) -> Textbook:
    return Known(
        "contraction of a noisy gradient step",
        le(distance2, (1 - eta * mu) * distance2_before + eta**2 * variance),
        BOTTOU + "(4.23)",
        (le(eta, 1 / L),),
        follows_from=(_one_step(variance), *_OPTIMUM),
    )


def carried(
    name: str,
    relation: sp.Basic,
    source: str,
    step: Textbook,
    factor: sp.Expr,
    times: sp.Expr,
    *besides: Textbook,
) -> Textbook:
    """The contraction of one step, iterated t times: a power with the exponent `times`, whose ratio in each round is
    `factor`.

    `besides` holds other facts that are true in every round.
    """
    power, always = (1 - eta * mu) ** times, (step, ORDER, *besides)
    changes = _changing(relation, *always)
    proof = Rounds(relation, t, {POWER: power}, {POWER: factor * POWER}, changes, always, step.given)
    return Known(name, relation, source, step.given, proof, always)


def added_up(
    name: str, relation: sp.Basic, source: str, *steps: Textbook, given: tuple[Condition, ...] = ()
) -> Textbook:
    """A relation that holds in every step, added up over t steps."""
    changes = _changing(relation, *steps)
    proof = Rounds(relation, t, {_NUMBER: t}, {_NUMBER: _NUMBER + 1}, changes, steps, given)
    return Known(name, relation, source, given, proof, steps)


def _changing(relation: sp.Basic, *steps: Textbook) -> dict[sp.Symbol, tuple[sp.Symbol, sp.Expr]]:
    """The quantities in some relations that change from round to round."""
    named = relation.free_symbols.union(*(step.relation.free_symbols for step in steps))
    return {now: (before, start) for now, (before, start) in _ROUNDS.items() if named & {now, before}}
