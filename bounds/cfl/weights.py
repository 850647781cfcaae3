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

from collections.abc import Callable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

SUM_TOLERANCE = 1e-9
"""Largest error of sum p, relative to sum |p|: room for solvers, none for weights rounded to four digits."""


class Gradient(NamedTuple):
    """Derivatives of the optimal value in each parameter."""

    alpha: Array
    D2: Array
    R2: Array


def uncorrelated_weights(t: int, D2: ArrayLike, R2: ArrayLike) -> Array:
    """Weights that minimise J for uncorrelated time drift.

    Returns
    -------
    (..., t) array
        D2 / (t D2 + (t-1) R2) for past rounds, ((t-1) R2 + D2) / (t D2 + (t-1) R2) for the current one.

    Raises
    ------
    ValueError
        If `t` < 1, `D2` or `R2` is negative or not finite, or both are 0 while `t` > 1.

    Notes
    -----
    Source: CFL, Lemma B.4.
    """
    drift, loss, _ = _scaled(t, D2, R2)
    past = drift / _common(t, drift, loss)
    weights = np.repeat(past[..., None], t, axis=-1)
    weights[..., -1] += (t - 1) * loss / _common(t, drift, loss)
    return weights


def uncorrelated_value(t: int, D2: ArrayLike, R2: ArrayLike, G2: ArrayLike = 0.0) -> Array:
    """Smallest J, G2 included, for uncorrelated time drift.

    Notes
    -----
    Source: CFL, Appendix B.4.3, the display after Lemma B.4: G2 + D2 (D2 + (t-1) R2) / (t D2 + (t-1) R2).
    """
    drift, loss, scale = _scaled(t, D2, R2)
    (client,) = _nonnegative(G2=G2)
    return (client + scale * drift * ((drift + (t - 1) * loss) / _common(t, drift, loss)))[()]


def overlap_weights(t: int, D2: ArrayLike, R2: ArrayLike, F2: ArrayLike) -> Array:
    """Weights of case 1, where time drifts of any two rounds have inner product min(F2, D2).

    Returns
    -------
    (..., t) array
        The uncorrelated weights at M2 = max(0, D2 - F2) in place of D2.

    Raises
    ------
    ValueError
        As `uncorrelated_weights`; also if `F2` >= `D2` and `R2` = 0 while `t` > 1, where J is constant.

    Notes
    -----
    Source: CFL, Theorem 4.7 and the solution of Eq. (33). On sum p = 1 the drift term is
    M2 sum p^2 + min(F2, D2), so M2 takes the place of D2 in the weights.
    """
    return uncorrelated_weights(t, _free_drift(D2, F2), R2)


def overlap_value(t: int, D2: ArrayLike, R2: ArrayLike, F2: ArrayLike, G2: ArrayLike = 0.0) -> Array:
    """Smallest objective of Eq. (33), G2 and the shared drift min(F2, D2) included."""
    variance, shared = _nonnegative(D2=D2, F2=F2)
    return uncorrelated_value(t, _free_drift(D2, F2), R2, G2) + np.minimum(shared, variance)


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
    weights = _weights(p)
    decay = _decay(alpha)
    variance, loss, client = _nonnegative(D2=D2, R2=R2, G2=G2)
    past = weights[..., :-1].sum(axis=-1)  # 1 - p_t, without the subtraction
    return loss * past**2 + client + variance * _correlated_square(weights, decay)


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
    decay, drift, loss, _ = _correlated(t, alpha, D2, R2)
    return closed_form(t, t - 1, decay, drift, loss)


def nonnegative_weights(t: int, alpha: ArrayLike, D2: ArrayLike, R2: ArrayLike) -> Array:
    """Weights p >= 0 that minimise J.

    They are those of Theorem 4.9 wherever these are >= 0. Elsewhere the most recent past rounds get weight 0
    (see `rounds_kept`). At D2 = 0 they are (0, .., 0, 1), the only minimiser.

    Parameters, shapes and errors are those of `optimal_weights`; time is O(t), with no iteration to converge.
    """
    decay, drift, loss, _ = _correlated(t, alpha, D2, R2)
    return closed_form(t, _rounds_kept(t, decay, drift, loss), decay, drift, loss)


def rounds_kept(t: int, alpha: ArrayLike, D2: ArrayLike, R2: ArrayLike) -> NDArray[np.int64]:
    """How many of the oldest rounds keep their weight under p >= 0: 1..m and t do, those between are skipped.

    Returns
    -------
    (...) int array
        m, from 1 to t - 1 (0 for t = 1).
    """
    decay, drift, loss, _ = _correlated(t, alpha, D2, R2)
    return _rounds_kept(t, decay, drift, loss)[()]


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
    decay, drift, loss, scale = _correlated(t, alpha, D2, R2)
    (client,) = _nonnegative(G2=G2)
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


def value_gradient(t: int, alpha: ArrayLike, D2: ArrayLike, R2: ArrayLike) -> Gradient:
    """Derivatives of `value` in alpha, D2 and R2 (that in G2 is 1).

    Returns
    -------
    Gradient
        Each (...). At D2 = 0 and at alpha = 0 the one-sided derivative.

    Notes
    -----
    Envelope theorem: these are the derivatives of J at fixed optimal p. As K p = A 1 + B u, p'Kp = A + B p_t.
    As dK = -K d(K^-1) K, p'(dK)p follows from the derivatives of 1'K^-1 1 = (t - (t-2) alpha) / (1 + alpha),
    1'K^-1 u = 1 / (1 + alpha) and u'K^-1 u = 1 / (1 - alpha^2). With A = (1 + alpha) a, B = (1 - alpha^2) b
    it is 2 ((t-1) a^2 + (1 - alpha) a b - alpha b^2) = 2 ((t-2) a^2 + (a - alpha b) p_t).
    """
    decay, drift, loss, scale = _correlated(t, alpha, D2, R2)
    if t == 1:
        return Gradient(np.zeros_like(drift)[()], np.ones_like(drift)[()], np.zeros_like(drift)[()])
    first, _, current, past = _parts(t, t - 1, decay, drift, loss)
    whole, fresh, steps = past + current, 1 - decay, t - 2
    a, last = first / whole, current / whole
    b = loss * (1 + steps * fresh) / whole
    turn = fresh * (drift * (1 + decay) - steps * decay * loss) / whole  # a - alpha b
    return Gradient(
        alpha=(2 * scale * drift * (steps * a**2 + turn * last))[()],
        D2=((1 + decay) * (a + fresh * b * last))[()],
        R2=((past / whole) ** 2)[()],
    )


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
    _round(t)
    decay = _decay(alpha)
    fresh = 1 - decay
    if t <= 2:
        return np.full_like(decay, np.inf)[()]
    with np.errstate(divide="ignore", over="ignore"):  # infinity is the answer there: never negative
        return (fresh**2 * (1 + decay) / (decay * (1 + (t - 3) * fresh)))[()]


def optimal_weights_for(correlation: ArrayLike, R2: float) -> Array:
    """Weights of any sign that minimise R2 (1 - p_t)^2 + p' C p for a general correlation C of the drifts.

    Parameters
    ----------
    correlation : (t, t) array
        Inner products E<xi_a, xi_b> of the time drifts of rounds a, b, with D^2 (not 1) on the diagonal:
        symmetric, positive semidefinite. In Lemma B.10 the entries are min(F^2_ab, D^2).
    R2 : float
        Square of the information loss, >= 0.

    Returns
    -------
    (t,) array

    Raises
    ------
    ValueError
        If `correlation` is no such matrix, `R2` is negative, or the minimiser is not unique (to rounding).

    Notes
    -----
    Source: CFL, problem after Lemma B.10. The substitution p_t = 1 - s, p_1 = s - p_2 - .. - p_(t-1) removes
    the constraint and confines R2 to one diagonal entry, so a large R2 is harmless once the diagonal is
    scaled to one. O(t^3).
    """
    covariance = _covariance(correlation)
    (loss,) = _nonnegative(R2=R2)
    t = len(covariance)
    basis = np.eye(t, t - 1)
    basis[0, 1:], basis[-1, :1] = -1.0, -1.0
    hessian = basis.T @ covariance @ basis
    hessian[:1, :1] += loss
    shift = _solve_scaled(hessian, -basis.T @ covariance[:, -1])
    return np.eye(t)[-1] + basis @ shift


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
    return current + past


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
    return (p * (2 * carried - p)).sum(axis=-1)


def _solve_scaled(matrix: Array, right: Array) -> Array:
    """Solution of a positive definite system, by eigenvalues after scaling its diagonal to one."""
    if len(matrix) == 0:
        return right
    size = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    size[size == 0] = 1.0  # a zero row stays, as a zero eigenvalue
    eigenvalues, vectors = scipy.linalg.eigh(matrix / np.outer(size, size))
    if eigenvalues[0] <= 8 * len(matrix) * np.finfo(float).eps * max(eigenvalues[-1], 1.0):
        raise ValueError(
            "`correlation` and `R2` must leave one minimiser, but p can change without effect: the reduced"
            f" matrix, scaled to unit diagonal, has the eigenvalue {eigenvalues[0]}, zero up to rounding"
        )
    return vectors @ (vectors.T @ (right / size) / eigenvalues) / size


def _common(t: int, D2: Array, R2: Array) -> Array:
    return t * D2 + (t - 1) * R2


def _column(values: Any) -> Any:
    return np.asarray(values)[..., None]


def _free_drift(D2: ArrayLike, F2: ArrayLike) -> Array:
    variance, shared = _nonnegative(D2=D2, F2=F2)
    return np.maximum(variance - shared, 0.0)


def _correlated(t: int, alpha: ArrayLike, D2: ArrayLike, R2: ArrayLike) -> tuple[Array, Array, Array, Array]:
    """Validated alpha, D2 / scale, R2 / scale and scale."""
    decay = _decay(alpha)
    drift, loss, scale = _scaled(t, D2, R2)
    decay, drift, loss, scale = np.broadcast_arrays(decay, drift, loss, scale)
    return decay, drift, loss, scale


def _scaled(t: int, D2: ArrayLike, R2: ArrayLike) -> tuple[Array, Array, Array]:
    """D2 / scale, R2 / scale, scale: a power of two near the larger, so that no product overflows."""
    _round(t)
    drift, loss = np.broadcast_arrays(*_nonnegative(D2=D2, R2=R2))
    larger = np.maximum(drift, loss)
    if t > 1 and np.any(larger == 0):
        raise ValueError(
            f"`D2` and `R2` must not both be 0, because then every p is optimal, got D2 = {drift},"
            f" R2 = {loss} (for overlapping data D2 - F2 stands for D2)"
        )
    scale = np.ldexp(1.0, np.frexp(np.where(larger > 0, larger, 1.0))[1] - 1)
    return drift / scale, loss / scale, scale


def _round(t: int) -> None:
    if not isinstance(t, Integral) or t < 1:
        raise ValueError(f"`t` must be a whole number >= 1 (the current round), got {t}")


def _decay(alpha: ArrayLike) -> Array:
    return _real("alpha", alpha, "in [0, 1)", lambda x: (x >= 0) & (x < 1))


def _nonnegative(**values: ArrayLike) -> tuple[Array, ...]:
    return tuple(_real(name, value, "finite and >= 0", lambda x: x >= 0) for name, value in values.items())


def _real(name: str, value: ArrayLike, rule: str, holds: Callable[[Array], Any]) -> Array:
    array = np.asarray(value, dtype=float)
    if not np.all(np.isfinite(array) & holds(array)):
        raise ValueError(f"`{name}` must be {rule}, got {array}")
    return array


def _weights(p: ArrayLike) -> Array:
    weights = _real("p", p, "finite", np.isfinite)
    if weights.ndim == 0 or weights.shape[-1] == 0:
        raise ValueError(f"`p` must hold a weight for each of t >= 1 rounds on its last axis, got {weights}")
    total = weights.sum(axis=-1)
    if np.any(np.abs(total - 1) > SUM_TOLERANCE * np.abs(weights).sum(axis=-1)):
        raise ValueError(f"`p` must sum to one over its last axis, got sums {total}")
    return weights


def _covariance(correlation: ArrayLike) -> Array:
    matrix = _real("correlation", correlation, "finite", np.isfinite)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) == 0:
        raise ValueError(f"`correlation` must be a square matrix, t >= 1, got shape {matrix.shape}")
    rounding = 8 * len(matrix) * np.finfo(float).eps * np.abs(matrix).max()
    asymmetry = np.abs(matrix - matrix.T).max()
    if asymmetry > rounding:
        raise ValueError(f"`correlation` must be symmetric, got an asymmetry of {asymmetry}")
    lowest = scipy.linalg.eigvalsh(matrix)[0]
    if lowest < -rounding:
        raise ValueError(f"`correlation` must be positive semidefinite, got an eigenvalue of {lowest}")
    return (matrix + matrix.T) / 2
