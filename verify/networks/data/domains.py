"""Transformations of images ("looks"): each is a domain of a stream in which only the transformation changes.

Every transformation preserves shape, range [0, 1] and class, and acts on each image separately.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import ndimage

from verify.networks.data.images import Array

Look = Callable[[Array, np.random.Generator], Array]
"""(images (n, channels, height, width) in [0, 1], random numbers) -> images, the same shape."""

PLANE = (-2, -1)
"""Axes of an image: height and width."""


def original(images: Array, rng: np.random.Generator) -> Array:
    """The images as they are."""
    return images


def rotated(images: Array, rng: np.random.Generator, degrees: float = 45.0) -> Array:
    """Rotate counter-clockwise about the centre with linear interpolation; pixels from outside the image are 0."""
    turned = ndimage.rotate(images, degrees, axes=PLANE, reshape=False, order=1)
    return turned.clip(0, 1).astype(images.dtype)


def inverted(images: Array, rng: np.random.Generator) -> Array:
    """Light and dark exchanged."""
    return 1 - images


def blurred(images: Array, rng: np.random.Generator, sigma: float = 1.0) -> Array:
    """Smoothed by a Gaussian of `sigma` pixels."""
    return ndimage.gaussian_filter(images, sigma, axes=PLANE).clip(0, 1)


def noisy(images: Array, rng: np.random.Generator, deviation: float = 0.3) -> Array:
    """With normal noise on every pixel, cut at 0 and 1."""
    noise = rng.standard_normal(images.shape, dtype=np.float32)
    return (images + deviation * noise).clip(0, 1).astype(images.dtype)


def thickened(images: Array, rng: np.random.Generator, pixels: int = 2) -> Array:
    """Bright strokes grown: each pixel is the largest of a square of `pixels` x `pixels`."""
    return ndimage.grey_dilation(images, size=(1, 1, pixels, pixels))


LOOKS: dict[str, Look] = {
    "original": original,
    "rotated": rotated,
    "inverted": inverted,
    "blurred": blurred,
    "noisy": noisy,
    "thickened": thickened,
}
"""Looks by name, in the order of a stream's tasks."""
