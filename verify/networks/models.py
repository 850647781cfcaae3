"""Models of images as functions of one flat vector of parameters, so that any algorithm can train them.

Every model is a body, which makes features, and a linear last layer, the head. All is pure, so
``torch.func.vmap`` and ``torch.func.grad`` go through; many parameter vectors are a ``vmap`` over `theta`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod, sqrt

import numpy as np
import torch
from torch.nn import functional as F

Shape = tuple[int, ...]
Body = Callable[[Sequence[torch.Tensor], torch.Tensor], torch.Tensor]
"""(parameters, images (b, channels, height, width)) -> features (b, q)."""


@dataclass(frozen=True)
class Model:
    """A classifier whose parameters are one vector.

    Attributes
    ----------
    name : str
    image : (channels, height, width)
        Shape of an image.
    n_features, n_classes : int
        Features q of an image, and classes C.
    body : callable
        From parameters and images to features.
    body_shapes : tuple of shapes
        Of the body's parameters, in the order of the vector. The head's weight (C, q) and bias (C,) follow.
    """

    name: str
    image: Shape
    n_features: int
    n_classes: int
    body: Body
    body_shapes: tuple[Shape, ...] = ()

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Shapes of all parameters, in the order of the vector."""
        return (*self.body_shapes, (self.n_classes, self.n_features), (self.n_classes,))

    @property
    def dim(self) -> int:
        """Number d of parameters."""
        return sum(map(prod, self.shapes))

    @property
    def head(self) -> torch.Tensor:
        """Which parameters belong to the last layer: (dim,) float32, 1 for those and 0 for the body's."""
        mask = torch.zeros(self.dim)
        mask[self.dim - self.n_classes * (self.n_features + 1) :] = 1
        return mask

    def init(self, rng: np.random.Generator) -> torch.Tensor:
        """Random parameters, (dim,) float32, drawn in the order of the vector.

        Weights are normal with variance 2 / (inputs) in the body (He et al., 2015) and 1 / (inputs) in the
        head. Vectors of the body come in pairs (scale, shift) after norms, or alone as biases: scales are 1,
        all others 0.
        """
        parts = []
        for place, shape in enumerate(self.shapes):
            if len(shape) > 1:
                gain = 1 if place == len(self.body_shapes) else 2
                deviation = sqrt(gain / prod(shape[1:]))
                parts.append(deviation * rng.standard_normal(prod(shape)))
            else:
                parts.append(np.full(shape, float(self._is_scale(place))))
        return torch.from_numpy(np.concatenate(parts).astype(np.float32))

    def _is_scale(self, place: int) -> bool:
        following = self.shapes[place + 1 : place + 2]
        return following == (self.shapes[place],)

    def unflatten(self, theta: torch.Tensor) -> list[torch.Tensor]:
        """The parameters that the vector `theta` (dim,) holds, each in its shape; views of it."""
        if theta.shape != (self.dim,):
            raise ValueError(
                f"`theta` must have shape ({self.dim},), the parameters of {self.name}, got {tuple(theta.shape)}."
            )
        pieces = theta.split([prod(shape) for shape in self.shapes])
        return [piece.reshape(shape) for piece, shape in zip(pieces, self.shapes, strict=True)]

    def features(self, theta: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        """What the last layer sees, (dim,) and (b, *image) -> (b, n_features)."""
        return self.body(self.unflatten(theta)[:-2], images.to(theta.dtype))

    def logits(self, theta: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        """Scores of the classes before the softmax, (dim,) and (b, *image) -> (b, n_classes)."""
        *body, weight, bias = self.unflatten(theta)
        return F.linear(self.body(body, images.to(theta.dtype)), weight, bias)


def linear(image: Shape, n_classes: int) -> Model:
    """Softmax regression on the pixels. Its cross entropy is convex; `softmax_smoothness` bounds its Hessian."""
    return Model("linear", image, prod(image), n_classes, lambda parameters, images: images.flatten(1))


def mlp(image: Shape, n_classes: int, hidden: Sequence[int] = (32,)) -> Model:
    """Fully connected layers of `hidden` widths with ReLU; 64-32-10 on the 8 x 8 digits by default."""
    widths = (prod(image), *hidden)
    shapes = [
        shape
        for inputs, outputs in zip(widths[:-1], widths[1:], strict=True)
        for shape in ((outputs, inputs), (outputs,))
    ]

    def body(parameters: Sequence[torch.Tensor], images: torch.Tensor) -> torch.Tensor:
        x = images.flatten(1)
        for weight, bias in _pairs(parameters):
            x = F.relu(F.linear(x, weight, bias))
        return x

    return Model("mlp", image, widths[-1], n_classes, body, tuple(shapes))


def cnn(image: Shape, n_classes: int, blocks: Sequence[Sequence[int]] = ((16,), (32,))) -> Model:
    """Blocks of 3 x 3 convolutions with ReLU, each block followed by 2 x 2 max pooling.

    Parameters
    ----------
    blocks : widths of the convolutions of each block
        Two layers by default; ((32, 32), (64, 64), (128, 128)) has six.
    """
    channels, height, width = image
    if min(height, width) >> len(blocks) < 1:
        raise ValueError(
            f"`image` must have at least {2 ** len(blocks)} pixels in height and width for {len(blocks)} "
            f"poolings, got {height} x {width}."
        )
    widths = (channels, *(width for block in blocks for width in block))
    shapes = [
        shape
        for inputs, outputs in zip(widths[:-1], widths[1:], strict=True)
        for shape in ((outputs, inputs, 3, 3), (outputs,))
    ]

    def body(parameters: Sequence[torch.Tensor], images: torch.Tensor) -> torch.Tensor:
        layers = iter(_pairs(parameters))
        x = images
        for block in blocks:
            for _ in block:
                weight, bias = next(layers)
                x = F.relu(F.conv2d(x, weight, bias, padding=1))
            x = F.max_pool2d(x, 2)
        return x.flatten(1)

    n_features = widths[-1] * (height >> len(blocks)) * (width >> len(blocks))
    return Model("cnn", image, n_features, n_classes, body, tuple(shapes))
