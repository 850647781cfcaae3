"""Image classifiers as functions of one flat parameter vector, so that any algorithm can train them.

Every model consists of a body, which computes features, and a linear last layer, the head. All functions are pure, so
that ``torch.func.grad`` applies, and ``torch.func.vmap`` over many parameter vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, pairwise
from math import prod, sqrt
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional as F

Shape = tuple[int, ...]
Tensors = Sequence[torch.Tensor]


class Entry(NamedTuple):
    """One block of parameters of a model: its shape, and mean and standard deviation of its initial values."""

    shape: Shape
    mean: float = 0.0
    deviation: float = 0.0


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
    layout : tuple of Entry
        The body's parameters in the order of the vector. The head's weight (C, q) and bias (C,) follow.
    body : (parameters, images (b, *image)) -> features (b, q)
    products : dtype or None
        In which the network computes; None: that of the parameters, which features and logits have in any case.
    initial : rng -> (dim,) tensor, or None
        First values of all parameters, where they are not normal with the laws of `layout`.
    names : tuple of str
        Of the parameters in the plain module of PyTorch that computes the same, in the order of the vector; empty where there
        is none in docs/networks.md.
    constants : name -> tensor
        What else that module holds.
    """

    name: str
    image: Shape
    n_features: int
    n_classes: int
    layout: tuple[Entry, ...]
    body: Callable[[Tensors, torch.Tensor], torch.Tensor]
    products: torch.dtype | None = None
    initial: Callable[[np.random.Generator], torch.Tensor] | None = field(default=None, compare=False)
    names: tuple[str, ...] = ()
    constants: Mapping[str, torch.Tensor] = field(default_factory=dict, compare=False)

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of all parameters; numbered by position if there is no PyTorch module with names."""
        return self.names or tuple(f"parameters.{place}" for place in range(len(self.entries)))

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All parameters in the order of the vector, those of the head last."""
        weight = Entry((self.n_classes, self.n_features), deviation=1 / sqrt(self.n_features))
        return (*self.layout, weight, Entry((self.n_classes,)))

    @cached_property
    def dim(self) -> int:
        """Number d of parameters."""
        return sum(prod(entry.shape) for entry in self.entries)

    @property
    def head(self) -> np.ndarray:
        """Mask of the parameters of the last layer: (dim,) int64, 1 for those and 0 for those of the body."""
        mask = np.zeros(self.dim, dtype=np.int64)
        mask[self.dim - self.n_classes * (self.n_features + 1) :] = 1
        return mask

    @property
    def units(self) -> tuple[tuple[int, int], ...]:
        """Number of output units of each group of parameters, in the order of the vector, and parameters of a unit."""
        shapes = [entry.shape or (1,) for entry in self.entries]
        return tuple((shape[0], prod(shape[1:])) for shape in shapes)

    @property
    def widths(self) -> tuple[int, ...] | None:
        """Inputs and units of every layer if all are dense with ReLU between them; None for other networks."""
        if self.body is not _dense_body:
            return None
        return prod(self.image), *(entry.shape[0] for entry in self.entries[::2])

    def init(self, rng: np.random.Generator) -> torch.Tensor:
        """First values of the parameters, (dim,) float32, drawn in the order of the vector.

        Weights are normal with mean 0 and variance 2 / inputs in the body (He et al., 2015), 1 / inputs in
        the head; biases are 0, scales of norms 1. A module of one's own has its own first values.
        """
        if self.initial is not None:
            return self.initial(rng)
        drawn = [
            entry.mean + entry.deviation * rng.standard_normal(prod(entry.shape)) for entry in self.entries
        ]
        return torch.from_numpy(np.concatenate(drawn).astype(np.float32))

    def unflatten(self, theta: torch.Tensor) -> list[torch.Tensor]:
        """The parameters that the vector `theta` (dim,) holds, each in its shape, as views of it."""
        if theta.shape != (self.dim,):
            raise ValueError(
                f"`theta` must have shape ({self.dim},), the parameters of this {self.name}, "
                f"got {tuple(theta.shape)}."
            )
        pieces = theta.split([prod(entry.shape) for entry in self.entries])
        return [piece.reshape(entry.shape) for piece, entry in zip(pieces, self.entries, strict=True)]

    def features(self, theta: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        """What the last layer sees, (dim,) and (b, *image) -> (b, n_features)."""
        parameters = self._computed_with(theta)
        return self.body(parameters[:-2], images.to(parameters[0].dtype)).to(theta.dtype)

    def scores(self, theta: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """Logits of features, what the last layer makes of them, (dim,) and (b, n_features) -> (b, n_classes)."""
        head = self._computed_with(theta)[-2:]
        return _dense(features.to(head[0].dtype), *head).to(theta.dtype)

    def logits(self, theta: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        """Scores of the classes before the softmax, (dim,) and (b, *image) -> (b, n_classes)."""
        parameters = self._computed_with(theta)
        features = self.body(parameters[:-2], images.to(parameters[0].dtype))
        return _dense(features, *parameters[-2:]).to(theta.dtype)

    def _computed_with(self, theta: torch.Tensor) -> list[torch.Tensor]:
        return self.unflatten(theta.to(self.products or theta.dtype))


def linear(image: Shape, n_classes: int) -> Model:
    """Softmax regression on the pixels. Its cross entropy is convex, with a known `softmax_smoothness`."""
    return Model("linear", image, prod(image), n_classes, (), _dense_body, names=_parameter_names(1))


def softmax_smoothness(images: np.ndarray) -> np.ndarray:
    """Smoothness constant of the mean cross entropy of `linear`: its least Lipschitz constant of the gradient.

    It is half the largest eigenvalue of ``mean(z z^T)`` with z = (x, 1). For the Hessian is the mean of
    ``(diag(p) - p p^T) kron z z^T``, whose first factor has eigenvalues up to 1/2; and it is 1/2 for all
    samples at once where two classes share the probability equally, which large biases approach.
    Source: Boehning (1992), Multinomial logistic regression algorithm.

    Parameters
    ----------
    images : (..., n, channels, height, width) array

    Returns
    -------
    (...,) array of float64
    """
    x = images.reshape(*images.shape[:-3], -1).astype(np.float64)
    z = np.concatenate([x, np.ones_like(x[..., :1])], axis=-1)
    second_moment = np.swapaxes(z, -1, -2) @ z / z.shape[-2]
    return np.linalg.eigvalsh(second_moment)[..., -1] / 2


def mlp(image: Shape, n_classes: int, hidden: Sequence[int] = (32,)) -> Model:
    """Fully connected layers of `hidden` widths with ReLU: by default 64-32-10 on the 8 x 8 digits."""
    widths = (prod(image), *hidden)
    layout = [entry for step in pairwise(widths) for entry in _affine(*step)]
    names = _parameter_names(*range(1, 2 * len(widths), 2))
    return Model("mlp", image, widths[-1], n_classes, tuple(layout), _dense_body, names=names)


def cnn(image: Shape, n_classes: int, blocks: Sequence[Sequence[int]] = ((16,), (32,))) -> Model:
    """Blocks of 3 x 3 convolutions with ReLU, each block followed by 2 x 2 max pooling.

    Parameters
    ----------
    blocks : sequence of the widths of each block's convolutions
        Two layers by default; ((32, 32), (64, 64), (128, 128)) has six.
    """
    channels, height, width = image
    if min(height, width) < 2 ** len(blocks):
        raise ValueError(
            f"`image` must have at least {2 ** len(blocks)} pixels in height and width, because it is halved "
            f"{len(blocks)} times, got {height} x {width}."
        )
    widths = (channels, *(width for block in blocks for width in block))
    layout = [entry for step in pairwise(widths) for entry in _affine(*step, 3, 3)]

    def body(parameters: Tensors, images: torch.Tensor) -> torch.Tensor:
        layers = iter(_pairs(parameters))
        x = images
        for block in blocks:
            for _ in block:
                x = F.relu(F.conv2d(x, *next(layers), padding=1))
            x = F.max_pool2d(x, 2)
        return x.flatten(1)

    n_features = widths[-1] * (height >> len(blocks)) * (width >> len(blocks))
    places = [
        2 * sum(map(len, blocks[:i])) + i + 2 * j for i in range(len(blocks)) for j in range(len(blocks[i]))
    ]
    names = _parameter_names(*places, 2 * len(places) + len(blocks) + 1)
    return Model("cnn", image, n_features, n_classes, tuple(layout), body, names=names)


def resnet18(image: Shape, n_classes: int, width: int = 64, groups: int = 32) -> Model:
    """ResNet-18 with the stem for small images, and group norm in the place of batch norm.

    The stem is one 3 x 3 convolution without pooling. Group norm sees one image at a time, so a gradient is
    that of a mean over samples, and no statistics travel beside the parameters.

    Parameters
    ----------
    width : int
        Channels of the first stage; the following ones have 2, 4 and 8 times as many.
    groups : int
        Groups of a norm, which must divide `width`.

    Notes
    -----
    Sources: He et al. (2016), Deep residual learning; Wu and He (2018), Group normalization, with its 32
    groups; Hsieh et al. (2020), The non-IID data quagmire of decentralized machine learning, for the choice of
    the norm.
    """
    if groups < 1 or width % groups:
        raise ValueError(f"`groups` must divide `width` = {width}, got {groups}.")
    blocks = [(width, width, 1), (width, width, 1)]
    for inputs in (width, 2 * width, 4 * width):
        blocks += [(inputs, 2 * inputs, 2), (2 * inputs, 2 * inputs, 1)]

    layout = _convolution(image[0], width, 3)
    for inputs, outputs, _ in blocks:
        layout += _convolution(inputs, outputs, 3) + _convolution(outputs, outputs, 3)
        layout += _convolution(inputs, outputs, 1) if inputs != outputs else ()

    def normed(x: torch.Tensor, layers: Iterator[torch.Tensor], stride: int = 1) -> torch.Tensor:
        kernel, scale, shift = islice(layers, 3)
        x = F.conv2d(x, kernel, stride=stride, padding=kernel.shape[-1] // 2)
        return F.group_norm(x, groups, scale, shift)

    def body(parameters: Tensors, images: torch.Tensor) -> torch.Tensor:
        layers = iter(parameters)
        x = F.relu(normed(images, layers))
        for inputs, outputs, stride in blocks:
            y = normed(F.relu(normed(x, layers, stride)), layers)
            x = F.relu(y + (normed(x, layers, stride) if inputs != outputs else x))
        return x.mean(dim=(2, 3))

    return Model("resnet18", image, 8 * width, n_classes, layout, body)


def six_layers(image: Shape, n_classes: int) -> Model:
    """Six 3 x 3 convolutions in three blocks. Source: FedMeS, Section 5.1; its widths are not printed."""
    return replace(cnn(image, n_classes, ((32, 32), (64, 64), (128, 128))), name="cnn6")


def lenet(image: Shape, n_classes: int) -> Model:
    """Two 5 x 5 convolutions with max pooling and two dense layers, after LeCun et al. (1998), with ReLU.

    Images are padded so that small ones have something left.
    """
    channels, height, width = image
    if min(height, width) < 4:
        raise ValueError(f"`image` must have at least 4 pixels in height and width, got {height} x {width}.")
    n_pooled = 16 * (height // 4) * (width // 4)
    layers = (_affine(channels, 6, 5, 5), _affine(6, 16, 5, 5), _affine(n_pooled, 120), _affine(120, 84))

    def body(parameters: Tensors, images: torch.Tensor) -> torch.Tensor:
        first, second, *dense = _pairs(parameters)
        x = images
        for kernel, bias in (first, second):
            x = F.max_pool2d(F.relu(F.conv2d(x, kernel, bias, padding=2)), 2)
        return _dense_layers(x.flatten(1), dense)

    layout = tuple(entry for layer in layers for entry in layer)
    return Model("lenet", image, 84, n_classes, layout, body, names=_parameter_names(0, 3, 7, 9, 11))


def in_precision(model: Model, precision: str, device: str) -> Model:
    """`model` whose products are in "float32", "tf32" (of accelerators; for the whole process) or "bf16"."""
    if device.startswith("cuda"):
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
    elif precision == "tf32":
        raise ValueError(
            f"`precision` must be float32 or bf16 on {device}, got tf32, which accelerators have."
        )
    return replace(model, products=torch.bfloat16) if precision == "bf16" else model


MODELS: dict[str, Callable[[Shape, int], Any]] = {
    "linear": linear,
    "mlp": mlp,
    "cnn": cnn,
    "cnn6": six_layers,
    "lenet": lenet,
    "resnet18": resnet18,
}
"""Models by name: functions of (image shape, number of classes) that return a `Model`, or a `torch.nn.Module` of the user."""
BUILT_IN = dict(MODELS)
"""Those that come with the toolkit."""


def _parameter_names(*places: int) -> tuple[str, ...]:
    """Names of weights and biases of layers at some places of a `torch.nn.Sequential`."""
    return tuple(f"{place}.{part}" for place in places for part in ("weight", "bias"))


def _dense(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """What `torch.nn.functional.linear` computes, (b, q) -> (b, r), with a sample's outputs far apart in memory.

    Many small models at once are then products whose rows are as long as the batch, not as short as a layer is
    narrow, which processors do faster.
    """
    return (weight @ x.mT + bias[:, None]).mT


def _dense_layers(x: torch.Tensor, layers: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> torch.Tensor:
    """Dense layers with ReLU, (b, q) -> (b, r), turned once for all of them as in `_dense`."""
    across = x.mT
    for weight, bias in layers:
        across = F.relu(weight @ across + bias[:, None])
    return across.mT


def _affine(inputs: int, outputs: int, *kernel: int) -> tuple[Entry, Entry]:
    """A layer's weight and bias, before a ReLU."""
    deviation = sqrt(2 / (inputs * prod(kernel)))
    return Entry((outputs, inputs, *kernel), deviation=deviation), Entry((outputs,))


def _dense_body(parameters: Tensors, images: torch.Tensor) -> torch.Tensor:
    """The body of a network of dense layers; without any, the pixels."""
    return _dense_layers(images.flatten(1), _pairs(parameters))


def _convolution(inputs: int, outputs: int, kernel: int) -> tuple[Entry, ...]:
    """A convolution without bias, and scale and shift of the norm after it."""
    weight, shift = _affine(inputs, outputs, kernel, kernel)
    return weight, Entry((outputs,), mean=1.0), shift


def _pairs(parameters: Tensors) -> list[tuple[torch.Tensor, torch.Tensor]]:
    return list(zip(parameters[::2], parameters[1::2], strict=True))
