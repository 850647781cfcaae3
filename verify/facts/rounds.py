"""Rounds of FedAvg: sampled clients, bounded gradients, local steps; expectations over all draws."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from bounds.relations import eq, ge
from verify.engine.certificates.formulas import tree
from verify.engine.certificates.recheck import replaced
from verify.engine.model.scene import Rounds, Textbook
from verify.engine.model.sums import Sums
from verify.facts.descent import ALONG, MEAN_GAP, ORDER, POWER, Convexity, added_up, carried, contraction
from verify.facts.functions import a_square, at_optimum, first_order, interpolated
from verify.facts.known import Known
from verify.facts.one_step import step_with_bounds, step_with_noise, step_with_sampling
from verify.quantities import (
    G2,
    E,
    L,
    M,
    N,
    distance2,
    distance2_0,
    distance2_before,
    drift2,
    eta,
    eta_g,
    gap_before,
    gap_mean,
    grad2_before,
    inner_before,
    move2,
    mu,
    sigma2,
    t,
    zeta2,
)  # fmt: skip

GARRIGOS = "Garrigos, Gower, Handbook of convergence theorems, 2023, "
GOWER = (
    "Gower, Loizou, Qian, Sailanbayev, Shulgin, Richtarik, SGD: general analysis and improved rates, 2019, "
)
WOODWORTH = (
    "Woodworth, Patel, Stich et al., Is local SGD better than minibatch SGD?, 2020, Section 3, quadratics"
)
YU = "Yu, Yang, Zhu, Parallel restarted SGD with faster convergence and less communication, 2019, Lemma 1"
NEDIC = "Nedic, Bertsekas, Incremental subgradient methods, 2001, Lemma 2.1"
ZINKEVICH = "Zinkevich, Online convex programming, 2003, Theorem 1"

OF_SAMPLING = (M - N) / (N * (M - 1)) * zeta2
"""Mean squared deviation of the mean of N of M vectors, drawn without replacement, if the vectors deviate by zeta2."""
_STEP = eq(distance2, distance2_before - 2 * eta * inner_before + move2)
ROUND = Known(
    "one step with unbiased gradients",
    _STEP,
    GARRIGOS + "proof of Theorem 5.5",
    proof=step_with_noise(_STEP, sigma2),
)

_ADDED, _EACH, _STEPS, _SQUARES = (
    sp.Symbol(n, nonnegative=True) for n in ("added", "each", "steps", "squares")
)
"""Names in proofs by induction: the noise of all local steps and of one, their number, and the sum of the squares below it."""
_PART = Known("a sample is a part", N <= M, "sampling without replacement", about="class")
_CHANGES = sp.Symbol("changes_before", real=True)
"""Mean squared difference of the clients' gradients from those at the optimum."""


def sampled_rounds(convexity: Convexity) -> tuple[Textbook, ...]:
    """Facts of rounds of one step without noise, with N of M sampled clients and any convex losses (M at least 2)."""
    split = move2 <= eta**2 * (2 * _CHANGES + 2 * OF_SAMPLING)
    sampled = step_with_sampling(split, _CHANGES)
    expected = Known(
        "expected smoothness",
        move2 <= eta**2 * (4 * L * gap_before + 2 * OF_SAMPLING),
        GOWER + "Definition 2.1 and Proposition 3.10",
        follows_from=(
            Known("a step of sampled clients", split, GOWER + "Proposition 3.10", sampled.given, sampled),
            interpolated(2 * L * gap_before >= _CHANGES),
            _PART,
        ),
    )
    source, noise = GARRIGOS + "proof of Theorem 5.5", 2 * eta**2 * OF_SAMPLING
    closer = Known(
        "a round with sampled clients",
        distance2 <= distance2_before - 2 * eta * (1 - 2 * L * eta) * gap_before + noise,
        source,
        follows_from=(ROUND, expected, ALONG),
    )
    less = 2 * eta * (1 - 2 * L * eta) * t * gap_mean <= distance2_0 - distance2 + t * noise
    summed = added_up("telescoping", less, source, closer, MEAN_GAP)
    if convexity != "strong":
        return ROUND, expected, summed
    nearer = Known(
        "contraction of a round with sampled clients",
        distance2 <= (1 - eta * mu) * distance2_before + 2 * eta**2 * OF_SAMPLING,
        GOWER + "proof of Theorem 3.1",
        (eta <= 1 / (2 * L),),
        follows_from=(
            ROUND,
            expected,
            *at_optimum(distance2_before, gap_before, grad2_before, inner_before, mu),
        ),
    )
    always = distance2 <= (1 - eta * mu) ** t * distance2_0 + 2 * eta / mu * OF_SAMPLING
    return (
        ROUND,
        expected,
        summed,
        nearer,
        carried("geometric recursion", always, GOWER + "Theorem 3.1", nearer, 1 - eta * mu, t, _PART),
    )


def local_rounds(variance: sp.Expr) -> tuple[Textbook, ...]:
    """Facts of rounds of several local steps of all clients with a common Hessian: the mean model makes steps of the
    mean loss.
    """
    step = contraction(variance)
    relation = distance2 <= (1 - eta * mu) ** (2 * E) * distance2_before + eta**2 * variance * E
    factor, noise = (1 - eta * mu) ** 2, eta**2 * variance
    named, grows = {POWER: (1 - eta * mu) ** (2 * E)}, {POWER: factor * POWER}
    always: tuple[Textbook, ...] = (step, ORDER)
    name = "contraction of local steps"
    if variance != 0:
        less = Known("a contraction", factor <= 1, WOODWORTH, step.given, follows_from=(ORDER,))
        named |= {_ADDED: noise * E, _EACH: noise}
        grows |= {_ADDED: _ADDED + _EACH, _EACH: _EACH}
        always, name = (step, less, a_square(ge(factor, 0))), "contraction of noisy local steps"
    changes = {distance2: (distance2_before, distance2_before)}
    proof = Rounds(relation, E, named, grows, changes, always, step.given)
    return (Known(name, relation, WOODWORTH, step.given, proof, always),)


def bounded_rounds(local_steps: Sequence[int]) -> tuple[Textbook, ...]:
    """Facts of rounds of clients whose squared gradients are at most G2 everywhere."""
    moved = _bounded_step(eta * E, YU)
    drifted = _drift_of_bounded_steps()
    if max(local_steps) > 1:
        return moved, *drifted
    single = _bounded_step(eta, NEDIC)
    tangent = first_order(inner_before >= gap_before)
    less = 2 * eta * t * gap_mean <= distance2_0 - distance2 + t * eta**2 * G2
    summed = added_up("telescoping", less, ZINKEVICH, ROUND, single, tangent, MEAN_GAP)
    return ROUND, single, tangent, summed


def _drift_of_bounded_steps() -> tuple[Textbook, Textbook]:
    """The mean squared drift over local steps of at most eta |g|, by the mean and by the largest of the squares of 0 to E - 1."""
    before, last, after = (sp.Symbol(n, nonnegative=True) for n in ("drift2_before", "away2_before", "away2"))
    away = last <= eta**2 * (E - 1) ** 2 * G2
    defined = eq(E * drift2, (E - 1) * before + last)
    sum_ = ["+", ["*", ["-", E.name, "1"], "m"], "b"]
    letters = {"m": "real", "b": "real"}
    mean = Sums(defined, {drift2: ["/", sum_, E.name], before: "m", last: "b"}, letters)
    longer = Known(
        "drift with one local step more",
        E * drift2 <= (E - 1) * before + eta**2 * G2 * (E - 1) ** 2,
        YU,
        follows_from=(
            Known("a mean of bounded vectors", away, YU, proof=step_with_bounds(away, eta * (E - 1), last)),
            Known("a mean over one local step more", defined, "by definition", proof=mean),
        ),
    )
    squares = E**3 / 3 - E**2 / 2 + E / 6
    added = Rounds(
        E * drift2 <= eta**2 * G2 * squares,
        E,
        {_STEPS: E, _SQUARES: squares},
        {_STEPS: _STEPS + 1, _SQUARES: _SQUARES + _STEPS**2},
        {drift2: (before, sp.S.Zero), after: (last, sp.S.Zero)},
        (longer,),
    )
    total = Known("drift added up", added.relation, YU, proof=added, follows_from=(longer,))
    sharp = drift2 <= eta**2 * (E - 1) * (2 * E - 1) / 6 * G2
    drift = Known("drift with bounded gradients", sharp, YU, follows_from=(total,))
    largest = drift2 <= eta**2 * (E - 1) ** 2 * G2
    return drift, Known(drift.name, largest, YU, follows_from=(drift,))


def _bounded_step(length: sp.Expr, source: str) -> Textbook:
    relation = move2 <= length**2 * G2
    proof = step_with_bounds(relation, length)
    return Known("a mean of bounded vectors", relation, source, proof=proof)


def at_step(facts: Sequence[Textbook]) -> tuple[Textbook, ...]:
    """Facts of one round with a server step: the effective step size is the product of both.

    Powers over many rounds are left out. With several local steps, only the server's displacement is that of such a
    step.
    """
    return tuple(
        _with_step(fact, eta * eta_g)
        for fact in facts
        if not (isinstance(fact.proof, Rounds) and POWER in fact.proof.named)
        and not (E in fact.relation.free_symbols and move2 not in fact.relation.free_symbols)
    )


def _with_step(fact: Textbook, step: sp.Expr) -> Textbook:
    """A fact about one step of another step size, with what it rests on; a proof by induction is left out."""
    put = {eta: step}
    proof = fact.proof
    moved = None
    if isinstance(proof, Sums):
        means = {quantity: replaced(form, eta.name, tree(step)) for quantity, form in proof.means.items()}
        given = tuple(condition.xreplace(put) for condition in proof.given)
        moved = Sums(proof.relation.xreplace(put), means, proof.symbols, given)
    return Known(
        fact.name,
        fact.relation.xreplace(put),
        fact.source,
        tuple(condition.xreplace(put) for condition in fact.given),
        moved,
        tuple(_with_step(other, step) for other in fact.follows_from),
        fact.about,
    )
