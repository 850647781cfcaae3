"""Generators: networks that map random numbers to images, as functions of one flat parameter vector."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, prod, sqrt

import torch
from torch import Tensor
from torch.nn import functional as F

from verify.networks.training.models import Entry, Shape, Tensors

SMALL = 16
"""Largest height and width in pixels of images for which the generator is fully connected."""
SLOPE = 0.2
"""Slope of leaky ReLU below 0."""


@dataclass(frozen=True)
class Generator:
    """A generator of images with values in (0, 1).

    Attributes
    ----------
    image : (channels, height, width)
        Shape of an image.
    n_latent : int
        Random numbers of an image.
    n_classes : int
        Classes C that an image can be asked for; 0 if none can.
    entries : tuple of Entry
        The parameters in the order of the vector.
    body : (parameters, inputs (b, n_latent + C)) -> images before the sigmoid, (b, any)
    """

    image: Shape
    n_latent: int
    n_classes: int
    entries: tuple[Entry, ...]
    body: Callable[[Tensors, Tensor], Tensor]

    @cached_property
    def dim(self) -> int:
        """Number of parameters."""
        return sum(prod(entry.shape) for entry in self.entries)

    def images(self, theta: Tensor, latents: Tensor, labels: Tensor | None = None) -> Tensor:
        """Images (b, *image) for latents (b, n_latent), and for labels (b,) if the generator is conditional on the class."""
        pieces = theta.split([prod(entry.shape) for entry in self.entries])
        parameters = [piece.reshape(entry.shape) for piece, entry in zip(pieces, self.entries, strict=True)]
        if labels is not None:
            asked = labels[:, None] == torch.arange(self.n_classes, device=labels.device)
            latents = torch.cat([latents, asked.to(latents.dtype)], -1)
        return self.body(parameters, latents).sigmoid().reshape(-1, *self.image)


def generator(image: Shape, n_latent: int = 16, n_classes: int = 0) -> Generator:
    """A generator of a size that suits the images: `dense` for small ones, else `convolutional`."""
    make = dense if max(image[1:]) <= SMALL else convolutional
    return make(image, n_latent, n_classes)


def dense(image: Shape, n_latent: int, n_classes: int, hidden: tuple[int, ...] = (64,)) -> Generator:
    """Fully connected layers with leaky ReLU."""
    widths = (n_latent + n_classes, *hidden, prod(image))
    entries = [entry for step in pairwise(widths) for entry in _layer(*step)]

    def body(parameters: Tensors, x: Tensor) -> Tensor:
        *inner, (weight, bias) = zip(parameters[::2], parameters[1::2], strict=True)
        for w, b in inner:
            x = F.leaky_relu(F.linear(x, w, b), SLOPE)
        return F.linear(x, weight, bias)

    return Generator(image, n_latent, n_classes, tuple(entries), body)


def convolutional(
    image: Shape, n_latent: int, n_classes: int, widths: tuple[int, int] = (16, 8)
) -> Generator:
    """A dense layer, then twice a doubling of height and width with a 3 x 3 convolution."""
    channels, height, width = image
    first, second = widths
    low = (first, ceil(height / 4), ceil(width / 4))
    entries = [
        *_layer(n_latent + n_classes, prod(low)),
        *_layer(first, second, 3, 3),
        *_layer(second, channels, 3, 3),
    ]

    def body(parameters: Tensors, x: Tensor) -> Tensor:
        w, b, w1, b1, w2, b2 = parameters
        x = F.leaky_relu(F.linear(x, w, b), SLOPE).reshape(-1, *low)
        x = F.leaky_relu(F.conv2d(_doubled(x), w1, b1, padding=1), SLOPE)
        return F.conv2d(_doubled(x), w2, b2, padding=1)[..., :height, :width]

    return Generator(image, n_latent, n_classes, tuple(entries), body)


def _doubled(x: Tensor) -> Tensor:
    """(b, c, h, w) -> (b, c, 2h, 2w), every pixel four times."""
    return x.repeat_interleave(2, -1).repeat_interleave(2, -2)


def _layer(inputs: int, outputs: int, *kernel: int) -> tuple[Entry, Entry]:
    deviation = sqrt(2 / (inputs * prod(kernel)))
    return Entry((outputs, inputs, *kernel), deviation=deviation), Entry((outputs,))
