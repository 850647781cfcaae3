"""Bounds on gradient differences of log-cosh and pseudo-Huber losses, valid on all of R^d.

Both gradients are ``height * phi((x - c) / width)`` with one function phi. The gap of two of them is bounded step by step:
change the height, the width, then move the centre. Only the last step is needed where heights and widths are equal, and it
is then exact: the difference is largest halfway between the centres. For log-cosh losses that is ``|tanh(a) - tanh(b)| <= 2
tanh(|a - b|/2)``; for pseudo-Huber losses, phi(s) is the first part of the unit vector in direction (s, 1). From the origin,
a segment of length delta at distance at least 1 spans an angle of at most 2 arctan(delta/2).
"""

from __future__ import annotations

from nqm.fields import Array, abs_, log, maximum, minimum, norm, sqrt, tanh

# max over t of the derivative of phi(t * r) in log r: t sech^2 t = 0.44774... and t / (1 + t^2)^(3/2) =
# 0.38490..., rounded up. Integers, so that they multiply numbers of every kind exactly.
_LOGCOSH_WIDTH_MILLIONTHS = 447_744
_HUBER_WIDTH_MILLIONTHS = 384_901


def logcosh_gap(heights: tuple[Array, Array], widths: tuple[Array, Array], shift: Array) -> Array:
    """Upper bound of one coordinate's gradient difference between two log-cosh losses.

    Parameters
    ----------
    heights, widths : pairs of arrays
    shift : array
        Difference of the centres in that coordinate.
    """
    width = maximum(*widths)
    moved = 2 * tanh(abs_(shift) / (2 * width))
    return _gap(heights, widths, moved, _LOGCOSH_WIDTH_MILLIONTHS)


def huber_gap(heights: tuple[Array, Array], widths: tuple[Array, Array], shift: Array) -> Array:
    """Upper bound of the norm of the gradient difference of two pseudo-Huber losses.

    Parameters
    ----------
    heights, widths : pairs of arrays
    shift : (..., d) array
        Difference of the centres.
    """
    width, distance = maximum(*widths), norm(shift)
    moved = 2 * distance / sqrt(4 * width**2 + distance**2)
    return _gap(heights, widths, moved, _HUBER_WIDTH_MILLIONTHS)


def _gap(heights: tuple[Array, Array], widths: tuple[Array, Array], moved: Array, millionths: int) -> Array:
    stretched = millionths * abs_(log(widths[0] / widths[1])) / 10**6
    stepwise = abs_(heights[0] - heights[1]) + minimum(*heights) * (moved + stretched)
    return minimum(stepwise, heights[0] + heights[1])
