"""Constants of the theories, estimated at the models that a run visited from gradients and oracles.

A supremum over all of R^d becomes the largest value at some points, so every number here bounds the constant that a
theorem speaks of from the wrong side: it is *sampled*. Where an expectation over data is asked for, it is exact.
Norms are taken in float64, whatever the models are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nqm.fields import amax, amin, dot, expand, norm, sq, where

NEGLIGIBLE = 1e-5
"""Relative length below which the remainder of a vector after orthogonalisation counts as rounding of float32."""


# ------------------------------------------------------------------------------------------------- smoothness


def ritz_values(product: Callable[[Tensor], Tensor], start: Tensor, steps: int) -> Tensor:
    """Eigenvalues of symmetric matrices on their Krylov spaces: Lanczos, with full orthogonalisation.

    All lie between the least and the largest eigenvalue, and those at both ends approach them with every step; as
    many steps as dimensions give all of them. Zeros fill up where the space is smaller.

    Parameters
    ----------
    product : (..., d) -> (..., d)
        The matrices times one vector each.
    start : (..., d) tensor
        First directions, in the precision in which products are to be taken; d at least `steps`.
    steps : int
        Products that are taken, at least 1.

    Returns
    -------
    (..., steps) tensor of float64
        In ascending order.
    """
    if not 1 <= steps <= start.shape[-1]:
        raise ValueError(f"`steps` must be in 1..{start.shape[-1]}, the dimension, got {steps}.")
    basis: list[Tensor] = []
    images: list[Tensor] = []
    fresh = start.double()
    for _ in range(steps):
        basis.append(_orthonormal(fresh, basis))
        fresh = product(basis[-1].to(start.dtype)).double()
        images.append(fresh)
    small = torch.stack(basis, -2) @ torch.stack(images, -2).mT
    return torch.linalg.eigvalsh((small + small.mT) / 2)


def _orthonormal(vector: Tensor, basis: list[Tensor]) -> Tensor:
    """The part of `vector` that is orthogonal to the basis, scaled to length 1; 0 if only rounding is left."""
    rest = vector
    for _ in range(2):  # a second time, because the first leaves rounding behind
        for known in basis:
            rest = rest - expand(dot(rest, known)) * known
    length = norm(rest)
    void = length <= NEGLIGIBLE * norm(vector)
    return where(expand(void), 0 * rest, rest / expand(where(void, 1 + 0 * length, length)))


def curvature_size(oracle: Any, x: Tensor, steps: int, seed: int = 0) -> Tensor:
    """Largest absolute eigenvalue of each slot's Hessian, from below, (..., n, d) -> (..., n).

    Parameters
    ----------
    oracle
        Offers ``hessian_product(x, direction)``.
    x : (..., n, d) tensor
    steps : int
        Products with the Hessian.
    seed : int
        Of the first direction, the same one for all slots.
    """
    direction = torch.from_numpy(np.random.default_rng(seed).standard_normal(x.shape[-1])).to(x)
    found = ritz_values(lambda v: oracle.hessian_product(x, v), direction.expand_as(x), steps)
    return amax(found.abs(), -1)


def secant(x: Tensor, y: Tensor, grad_x: Tensor, grad_y: Tensor) -> Tensor:
    """|grad(x) - grad(y)| / |x - y|, (..., d) -> (...); 0 where x is y.

    Unlike a curvature it sees the kinks of a network, at which there is no Hessian.
    """
    distance = norm(x.double() - y.double())
    same = distance == 0
    ratio = norm(grad_x.double() - grad_y.double()) / where(same, 1 + distance, distance)
    return where(same, 0 * ratio, ratio)


# ------------------------------------------------------------------------------------- gradients and their spread


def noise_variance(oracle: Any, x: Tensor, sizes: np.ndarray, batch: int) -> Tensor:
    """E|g - grad|^2 for the gradient g of `batch` samples drawn uniformly without replacement, (..., n, d) -> (..., n).

    Parameters
    ----------
    oracle
        Offers ``grad(x)`` and ``curvature(x)``, the mean of the squared gradients of single samples.
    sizes : (n,) array of int
        Samples of each slot.
    batch : int
    """
    size = torch.as_tensor(sizes, device=x.device).double()
    of_one = (oracle.curvature(x).double().sum(-1) - sq(oracle.grad(x).double())).clamp(min=0)
    return of_one / batch * (size - batch).clamp(min=0) / (size - 1).clamp(min=1)


def spread(gradients: Tensor) -> Tensor:
    """Largest squared distance of a client's gradient from their mean, (..., M, d) -> (...): sigma_G^2 of SPECIAL."""
    wide = gradients.double()
    return amax(sq(wide - wide.mean(-2, keepdim=True)), -1)


def apart(gradients: Tensor) -> Tensor:
    """Largest squared distance of two tasks' gradients, (tasks, ..., d) -> (...): sigma_T^2 of SPECIAL."""
    wide = gradients.double()
    return amax(sq(wide[:, None] - wide), (0, 1))


def alignment(gradients: Tensor, earlier: Tensor) -> Tensor:
    """Smallest cosine between gradients (k, ..., n, d) and one earlier gradient (..., d), (...).

    It is 1 for a gradient of length 0, which alignment asks nothing of: SPECIAL, Theorem 4.7.
    """
    current, before = gradients.double(), earlier.double()[..., None, :]
    lengths = norm(current) * norm(before)
    void = lengths == 0
    cosine = dot(current, before) / where(void, 1 + lengths, lengths)
    return amin(where(void, 1 + lengths, cosine), (0, -1))


# ---------------------------------------------------------------------------------- memories and approximations


def square_ratio(a: Tensor, b: Tensor) -> Tensor:
    """|a|^2 / |b|^2, (..., d) -> (...): m of C-FLAG for a bias and a gradient, r^2 for gradients of memory and task."""
    return sq(a.double()) / sq(b.double())


def drifts(gradients: Tensor) -> tuple[Tensor, Tensor]:
    """Mean squares of the client drift and of the time drift of CFL at a model, G^2 and D^2 where A = B = 0.

    The drift of a client is that of its mean gradient over time from the mean of all; the time drift is the rest.

    Parameters
    ----------
    gradients : (t, ..., M, d) tensor
        Of every time (a task) and client.

    Returns
    -------
    G2, D2 : (...) tensors
    """
    wide = gradients.double()
    own = wide.mean(0)
    client = own - own.mean(-2, keepdim=True)
    return sq(client).mean(-1), sq(wide - own).mean((0, -1))


def information_losses(true: Tensor, approximated: Tensor) -> Tensor:
    """|Delta| of CFL, Definition 3.1: norm of the difference of past gradients, (past, ..., n, d) -> (past, ..., n)."""
    return norm(true.double() - approximated.double())


def footnote_6(losses: Tensor) -> Tensor:
    """Estimate of R by CFL: mean norm over clients and times, the current one included, about which nothing is lost.

    Parameters
    ----------
    losses : (past, ..., n) tensor
        From `information_losses`.

    Returns
    -------
    (...) tensor
    """
    return losses.mean(-1).sum(0) / (losses.shape[0] + 1)
