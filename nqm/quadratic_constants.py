"""Constants of quadratic worlds, from their Hessians (world..., K, M, d, d) and centres (world..., K, M, d).

The difference of two quadratics' gradients is an affine map of x. It is bounded on all of R^d only if its
matrix is 0, which is the case where both have the same curvature; on a ball its largest norm is computed.
"""

from __future__ import annotations

from nqm.fields import Array, amax, kind, sq, sqrt, zeros_like
from nqm.known import Ball, Constant, Unbounded
from nqm.spectrum import eigenvalue_range, largest_affine_norm2


def curvature_range(hessian: Array, region: Ball | None) -> tuple[Constant, Constant]:
    """Lowest and highest eigenvalue of each client's Hessian, (world..., K, M), the same at every point."""
    lowest, highest = eigenvalue_range(hessian)
    known = _certainty(hessian)
    note = "Quadratics have the same curvature everywhere."
    return Constant(lowest, known, region or "R^d", note), Constant(highest, known, region or "R^d", note)


def gradient_bound(hessian: Array, centre: Array, region: Ball | None) -> Constant:
    """Largest gradient norm of each client on the region, (world..., K, M)."""
    if region is None:
        if bool((hessian != 0).any()):
            raise Unbounded(
                "`B` is infinite on R^d: the gradient of a quadratic grows with the distance from its "
                "centre. Give a `region`, a Ball that the iterates do not leave (see `nqm.invariance`), or "
                "use a world with bounded gradients (`nqm.bounded`)."
            )
        return Constant(zeros_like(hessian[..., 0, 0]), "exact", note="All curvature is 0.")
    at_centre = _gradients(hessian, centre, _point(region, 2))
    squared = largest_affine_norm2(hessian, at_centre, _radius(region, 2))
    return Constant(sqrt(squared), _certainty(hessian), region, "Largest norm of an affine map on a ball.")


def client_spread(hessian: Array, centre: Array, region: Ball | None) -> Constant:
    """Largest |grad f_im - grad f_i|^2 over clients, tasks and the region, (world...)."""
    if region is None and bool((hessian != hessian[..., :1, :, :]).any()):
        raise Unbounded(_different_curvature("sigma_G2", "clients"))
    gradients = _gradients(hessian, centre, 0 if region is None else _point(region, 2))
    linear = hessian - hessian.mean(axis=-3)[..., None, :, :]
    constant = gradients - gradients.mean(axis=-2)[..., None, :]
    return _largest(linear, constant, region)


def task_spread(hessian: Array, centre: Array, region: Ball | None) -> Constant:
    """Largest |grad f_i - grad f_j|^2 over pairs of tasks and the region, (world...)."""
    curvature = hessian.mean(axis=-3)  # (world..., K, d, d)
    if region is None and bool((curvature != curvature[..., :1, :, :]).any()):
        raise Unbounded(_different_curvature("sigma_T2", "tasks"))
    gradients = _gradients(hessian, centre, 0 if region is None else _point(region, 2)).mean(axis=-2)
    linear = curvature[..., :, None, :, :] - curvature[..., None, :, :, :]
    constant = gradients[..., :, None, :] - gradients[..., None, :, :]
    return _largest(linear, constant, region)


def _largest(linear: Array, constant: Array, region: Ball | None) -> Constant:
    """Largest |A y + v|^2 over two axes of differences and the region; A is 0 where the region is R^d."""
    if region is None:
        note = "Equal curvature: the gradient differences are the same at every point."
        return Constant(amax(sq(constant), (-1, -2)), "exact", note=note)
    squared = largest_affine_norm2(linear, constant, _radius(region, 2))
    return Constant(
        amax(squared, (-1, -2)), _certainty(linear), region, "Largest norm of an affine map on a ball."
    )


def _gradients(hessian: Array, centre: Array, x: Array) -> Array:
    return (hessian @ (x - centre)[..., None])[..., 0]


def _point(region: Ball, n_axes: int) -> Array:
    return region.centre[(..., *(None,) * n_axes, slice(None))]


def _radius(region: Ball, n_axes: int) -> Array:
    return region.radius[(..., *(None,) * n_axes)]


def _certainty(matrix: Array) -> str:
    """Eigenvalues of floats are exact up to rounding; of Fractions beyond one dimension they are enclosed."""
    return "exact" if matrix.shape[-1] == 1 or kind(matrix) in ("torch", "float") else "certified"


def _different_curvature(name: str, who: str) -> str:
    return (
        f"`{name}` is infinite on R^d: the curvature differs between {who}, so the difference of their "
        f"gradients grows with the distance. Give a `region`, a Ball that the iterates do not leave (see "
        f"`nqm.invariance`), or a world whose curvature is shared."
    )
