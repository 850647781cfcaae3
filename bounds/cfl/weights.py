r"""Optimal weights of past rounds in continual federated learning, in closed form.

On round t a client combines the gradients of all rounds with weights p_1, .., p_t that sum to one. The paper
chooses the minimiser of

    J(p) = R2 (1 - p_t)^2 + G2 + D2 p'Kp,        K_ab = alpha^|a-b|,  sum p = 1,

where D2 = D^2 is the variance of the time drift, alpha its correlation from one round to the next, R2 = R^2
the information loss and G2 = G^2 the client drift. Theorem 4.9 finds it from the system (7), which is
Q p + lambda 1 = 0, sum p = 1, with Q = D2 K + R2 ee' and e = (1, .., 1, 0). Everything below takes O(t).

Derivation. Let u = (0, .., 0, 1) = 1 - e. Then (7) reads D2 K p + R2 (1 - p_t)(1 - u) = -lambda 1, so

    K p = A 1 + B u,      D2 B = R2 (1 - p_t),      D2 (A + B) = -lambda = p'Qp,

and p = A K^-1 1 + B K^-1 u. K is the covariance of a Markov chain, so K^-1 is tridiagonal (Kac, Murdock and
Szego) and both vectors are known: (1 + alpha) K^-1 1 = (1, 1 - alpha, .., 1 - alpha, 1) and
(1 - alpha^2) K^-1 u = (0, .., 0, -alpha, 1). Two unknowns A, B are left, and sum p = 1, D2 B = R2 (1 - p_t).

The same holds if only the rounds 1..m and t may carry weight: the chain then has one longer step, of
correlation beta = alpha^(t-m), from m to t. With n = m - 1, and up to the factor that makes the sum one,

    p_1         = D2 (1 - beta^2) + R2 beta                                         (m >= 2)
    p_2 = ..    = (1 - alpha) p_1
    p_m         = D2 (1 - beta)(1 - alpha beta) - R2 beta (alpha + n (1 - alpha))   (m >= 2)
    p_t         = D2 (1 - beta)(1 + alpha) + R2 (1 + alpha + n (1 - alpha))
    p_1+..+p_m  = D2 (1 - beta)(1 + alpha + n (1 - alpha)(1 + beta))                (is p_1 if m = 1)

m = t - 1, beta = alpha is Theorem 4.9. Only p_m can be negative, and nothing else cancels: 1 - beta is
computed as (1 - alpha) times a geometric sum, so no digits are lost near alpha = 1.

Weights >= 0. The optimum keeps the rounds 1..m and t for the largest m with p_m >= 0 and skips those between.
Proof: p_m changes sign at most once in m, from + to -, since beta grows with m. Take this m and its p. For a
skipped round s, by the interpolation of a Markov chain, (K p)_s = x (K p)_m + y (K p)_t with
x = sinh(h(g-j)) / sinh(hg), y = sinh(hj) / sinh(hg), alpha = exp(-h), j = s - m, g = t - m. Its gradient is
at least that of the kept rounds if and only if y / (1 - x) >= A / (A + B). The left side is
cosh(hj/2) / cosh(h(g-j/2)) and grows with j, so round m + 1 decides. For it the condition holds, because its
weight would be negative if it were kept, and a variable enters a convex program exactly if its gradient is
smaller. These are the conditions of Karush, Kuhn and Tucker, and J is strictly convex.

Degenerate cases. D2 = 0 < R2: minimisers are not unique for t >= 3; the formulas give the limit D2 -> 0, the
minimiser with the smallest p'Kp. D2 = R2 = 0: every p is optimal, an error. t = 1: the weight is 1.

Source: "Towards Federated Learning on Time-Evolving Heterogeneous Data" (CFL): Lemma B.4, Theorem 4.7 with
Eq. (33), Theorem 4.9 with Eq. (7). The problem separates over the paper's N clients; this is one of them.

Parameters alpha, D2, R2, F2, G2 are numbers or arrays that broadcast; rounds are the last axis of a result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bounds.cfl.weights_input import (
    Array,
    decay_factor,
    nonnegative,
    round_number,
    summing_to_one,
    with_decay,
)


def objective(p: ArrayLike, alpha: ArrayLike, D2: ArrayLike, R2: ArrayLike, G2: ArrayLike = 0.0) -> Array:
    """J(p) = R2 (1 - p_t)^2 + G2 + D2 sum_ab alpha^|a-b| p_a p_b, at any weights.

    Parameters
    ----------
    p : (..., t) array
        Weights with sum one, of any sign.

    Returns
    -------
    (...) array

    Raises
    ------
    ValueError
        If the weights do not sum to one, `alpha` is outside [0, 1), another parameter is negative, or
        anything is not finite.

    Notes
    -----
    Source: CFL, problem before Theorem 4.9. Time O(t log t).
    """
    weights = summing_to_one(p)
    decay = decay_factor(alpha)
    variance, loss, client = nonnegative(D2=D2, R2=R2, G2=G2)
    past = weights[..., :-1].sum(axis=-1)  # 1 - p_t, without the subtraction
    return np.asarray(loss * past**2 + client + variance * _correlated_square(weights, decay), dtype=float)


def optimal_weights(t: int, alpha: ArrayLike, D2: ArrayLike, R2: ArrayLike) -> Array:
    """Weights of any sign that minimise J.

    Parameters
    ----------
    t : int
        Current round, from 1.
    alpha : array_like
        Correlation of the time drifts of neighbouring rounds, in [0, 1).
    D2, R2 : array_like
        Squares D^2 of the time drift and R^2 of the information loss, >= 0 and not both 0 (if `t` > 1).

    Returns
    -------
    (..., t) array

    Raises
    ------
    ValueError
        If an argument breaks its rule; the message names argument, rule and value.

    Notes
    -----
    Source: CFL, Theorem 4.9, Eq. (7). At D2 = 0 the limit D2 -> 0.

    Examples
    --------
    >>> optimal_weights(4, alpha=0.0, D2=2.0, R2=1.0).round(4)
    array([0.1818, 0.1818, 0.1818, 0.4545])
    """
    decay, drift, loss, _ = with_decay(t, alpha, D2, R2)
    return np.asarray(closed_form(t, t - 1, decay, drift, loss), dtype=float)


def nonnegative_weights(t: int, alpha: ArrayLike, D2: ArrayLike, R2: ArrayLike) -> Array:
    """Weights p >= 0 that minimise J.

    They are those of Theorem 4.9 wherever these are >= 0. Elsewhere the most recent past rounds get weight 0.
    At D2 = 0 they are (0, .., 0, 1), the only minimiser.

    Parameters, shapes and errors are those of `optimal_weights`; time is O(t), with no iteration to converge.
    """
    decay, drift, loss, _ = with_decay(t, alpha, D2, R2)
    return np.asarray(closed_form(t, _rounds_kept(t, decay, drift, loss), decay, drift, loss), dtype=float)


def closed_form(t: int, kept: Any, alpha: Any, D2: Any, R2: Any) -> Any:
    """Optimal weights if only the oldest `kept` rounds and round `t` may carry weight, in any arithmetic.

    Parameters
    ----------
    t : int
        Current round.
    kept : int or (...) int array
        From 1 to t - 1 (0 if t = 1); t - 1 gives Theorem 4.9.
    alpha, D2, R2 : number, Fraction, SymPy expression or (...) array
        Not validated, so that symbols can be used.

    Returns
    -------
    (..., t) array
        Of dtype object for fractions and expressions.
    """
    if t == 1:
        return np.asarray((alpha + D2 + R2) * 0 + 1)[..., None]
    first, recent, current, past = _parts(t, kept, alpha, D2, R2)
    whole = past + current
    rounds, last = np.arange(t), _column(kept) - 1
    weights = np.where(rounds < last, _column((1 - alpha) * first / whole), _column(whole * 0))
    weights[..., 0] = first / whole
    place = np.broadcast_to(last, (*weights.shape[:-1], 1))
    np.put_along_axis(weights, place, _column(recent / whole), axis=-1)
    weights[..., -1] = current / whole
    return weights


def value(t: int, alpha: ArrayLike, D2: ArrayLike, R2: ArrayLike, G2: ArrayLike = 0.0) -> Array:
    """Smallest J over weights of any sign, `G2` included (0 by default).

    Notes
    -----
    D2 (A + B) of the derivation; all terms are positive.
    """
    decay, drift, loss, scale = with_decay(t, alpha, D2, R2)
    (client,) = nonnegative(G2=G2)
    if t == 1:
        return (client + scale * drift)[()]
    fresh, steps = 1 - decay, t - 2
    top = (1 + decay) * (drift * fresh * (1 + decay) + loss * (1 + steps * fresh**2))
    return (client + scale * drift * (top / _whole(t, decay, drift, loss)))[()]


def multiplier(t: int, alpha: ArrayLike, D2: ArrayLike, R2: ArrayLike) -> Array:
    """The number lambda that solves Eq. (7) along with the weights: minus the optimal value without G2.

    Multiply (7) by p' from the left: p'Qp + lambda = 0. It is half the multiplier of sum p = 1 in min p'Qp.
    """
    return -value(t, alpha, D2, R2)


def signs(t: int, alpha: ArrayLike, D2: ArrayLike, R2: ArrayLike) -> NDArray[np.int64]:
    """Sign (-1, 0 or 1) of each weight of Theorem 4.9, shape (..., t).

    If D2 > 0 all are 1 but that of round t - 1, which is -1 if and only if R2 / D2 > `negative_from`.
    """
    return np.sign(optimal_weights(t, alpha, D2, R2)).astype(int)


def negative_from(t: int, alpha: ArrayLike) -> Array:
    """The ratio R2 / D2 above which Theorem 4.9 gives round t - 1 a negative weight; no other can have one.

    Returns
    -------
    (...) array
        (1-alpha)^2 (1+alpha) / (alpha (1 + (t-3)(1-alpha))); infinite for t <= 2 and for alpha = 0. It
        decreases in alpha and in t, to 0 as either alpha -> 1 or t -> infinity.
    """
    round_number(t)
    decay = decay_factor(alpha)
    fresh = 1 - decay
    if t <= 2:
        return np.full_like(decay, np.inf)[()]
    with np.errstate(divide="ignore", over="ignore"):  # infinity is the answer there: never negative
        return (fresh**2 * (1 + decay) / (decay * (1 + (t - 3) * fresh)))[()]


def _parts(t: int, kept: Any, alpha: Any, D2: Any, R2: Any) -> tuple[Any, Any, Any, Any]:
    """p_1, p_m, p_t and p_1 + .. + p_m of the module's derivation, before the division by their sum."""
    fresh, steps = 1 - alpha, kept - 1
    beta, lack = alpha ** (t - kept), fresh * _geometric(alpha, t - kept)  # lack is 1 - beta
    first = D2 * lack * (1 + beta) + R2 * beta
    recent = D2 * lack * (fresh + alpha * lack) - R2 * beta * (alpha + steps * fresh)
    current = D2 * lack * (1 + alpha) + R2 * (1 + alpha + steps * fresh)
    past = D2 * lack * (1 + alpha + steps * fresh * (1 + beta))
    return first, np.where(steps == 0, past, recent), current, past


def _whole(t: int, alpha: Array, D2: Array, R2: Array) -> Array:
    _, _, current, past = _parts(t, t - 1, alpha, D2, R2)
    return np.asarray(current + past, dtype=float)


def _geometric(ratio: Any, count: Any) -> Any:
    """1 + ratio + .. + ratio**(count-1), by doubling, in any arithmetic; nothing is subtracted."""
    terms = ratio * 0
    for bit in reversed(range(int(np.max(count)).bit_length())):
        doubled = terms * (1 + ratio ** (count >> (bit + 1)))
        terms = np.where((count >> bit) & 1, 1 + ratio * doubled, doubled)
    return terms


def _rounds_kept(t: int, alpha: Array, D2: Array, R2: Array) -> NDArray[np.int64]:
    """Largest m with p_m >= 0, by bisection; m = 1 always qualifies."""
    shape = np.broadcast_shapes(alpha.shape, D2.shape, R2.shape)
    low, high = np.full(shape, min(t - 1, 1)), np.full(shape, t - 1)
    while np.any(low < high):
        middle = (low + high + 1) // 2
        stays = _parts(t, middle, alpha, D2, R2)[1] >= 0
        low, high = np.where(stays, middle, low), np.where(stays, high, middle - 1)
    return low


def _correlated_square(p: Array, alpha: Array) -> Array:
    """p'Kp. With f_b = sum_(a <= b) alpha^(b-a) p_a it is sum_b p_b (2 f_b - p_b); f by a doubling scan."""
    t = p.shape[-1]
    carried = np.broadcast_to(p, (*np.broadcast_shapes(p.shape[:-1], alpha.shape), t)).copy()
    shift = 1
    while shift < t:
        carried[..., shift:] += alpha[..., None] ** shift * carried[..., :-shift]
        shift *= 2
    return np.asarray((p * (2 * carried - p)).sum(axis=-1), dtype=float)


def _column(values: Any) -> Any:
    return np.asarray(values)[..., None]
