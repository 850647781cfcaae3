"""User-defined networks: conversion of a `torch.nn.Module` to a `Model`, and checks that many runs can train it at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd

from verify.engine.work.errors import UsageError
from verify.networks.training.models import BUILT_IN, MODELS, Entry, Model, Shape

RTOL, ATOL = 1e-3, 1e-4
"""Tolerated difference, from rounding, between the features of one image in two batches."""


def network(name: str, image: Shape, n_classes: int) -> Model:
    """The network of that name in `MODELS`, for images of a shape (channels, height, width).

    Raises
    ------
    UsageError
        If the entry is not a network, or many runs cannot train it at once; the message says what to change.
    """
    try:
        made = MODELS[name](image, n_classes)
    except ValueError:
        raise
    except Exception as error:
        raise UsageError(
            f"`MODELS[{name!r}]` must be a function of (image, n_classes), here of {image} and {n_classes}, got "
            f"{type(error).__name__}: {_line(error)}."
        ) from error
    model = as_model(name, MODELS[name], image, n_classes) if isinstance(made, nn.Module) else made
    if not isinstance(model, Model):
        raise UsageError(
            f"`MODELS[{name!r}]` must give a torch.nn.Module or a Model, got {type(model).__name__}."
        )
    if MODELS[name] is not BUILT_IN.get(
        name
    ):  # those that come with the toolkit are tested; to try one loads a compiler
        require_trainable(model)
    return model


def as_model(name: str, make: Callable[[Shape, int], Any], image: Shape, n_classes: int) -> Model:
    """Model with the function of a module whose last layer is linear.

    The parameter vector holds the parameters of the body, then those of the last layer. Buffers and parameters without
    gradients are constants. Initial values come from the module's own initialisation, drawn for each run.

    Raises
    ------
    UsageError
        If its output is not that of a layer `torch.nn.Linear` with a bias, or it draws numbers or normalises over a batch.
    """
    module: nn.Module = make(image, n_classes)
    _require_plain_layers(name, module)
    last = _last_layer(name, module, image, n_classes)
    head = module.get_submodule(last)
    body = _without(module, last)
    trained = {key: part for key, part in body.named_parameters() if part.requires_grad}
    constants = {key: part.detach() for key, part in body.named_parameters() if not part.requires_grad}
    constants |= dict(body.named_buffers())
    names = (*trained, f"{last}.weight", f"{last}.bias")

    def run(parameters: Any, images: Tensor) -> Tensor:
        there = {key: part.to(images.device) for key, part in constants.items()}
        found: Tensor = functional_call(
            body, {**there, **dict(zip(trained, parameters, strict=True))}, (images,)
        )
        return found

    def initial(rng: np.random.Generator) -> Tensor:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(rng.integers(2**63)))
            fresh = dict(make(image, n_classes).named_parameters())
        return torch.cat([fresh[key].detach().flatten() for key in names]).float()

    return Model(
        name,
        image,
        int(head.in_features),  # type: ignore[arg-type]
        n_classes,
        tuple(_law(part) for part in trained.values()),
        run,
        initial=initial,
        names=names,
        constants=constants,
    )


def require_trainable(model: Model) -> None:
    """Raise UsageError unless the features of an image are a differentiable function of that image and the parameters only.

    Many models are trained at once, on minibatches that are padded to one size. With a layer that draws random numbers or
    uses the other images of a batch, runs would depend on each other and on the padding.
    """
    generator = torch.Generator().manual_seed(0)
    images = torch.rand(4, *model.image, generator=generator)
    theta = model.init(np.random.default_rng(0))
    try:
        with torch.no_grad():
            first, again = (model.features(theta, images) for _ in range(2))
            other = model.features(theta, images.roll(1, 0)[:3])[1:]  # images 0 and 1 in another batch
    except Exception as error:
        raise _refusal(model.name, f"fails on images of shape {model.image}", _line(error)) from error
    if first.shape != (len(images), model.n_features):
        raise _refusal(
            model.name,
            f"must give {model.n_features} features of each image",
            f"a result of shape {tuple(first.shape)} for {len(images)} images",
        )
    if not torch.equal(first, again):
        raise _refusal(
            model.name, "must not draw random numbers", "other features of the same images", DROPOUT
        )
    if not torch.allclose(first[:2], other, RTOL, ATOL):
        raise _refusal(
            model.name, "must look at one image at a time", "features that depend on the batch", BATCH
        )
    try:
        vmap(grad(lambda point: model.logits(point, images).sum()))(torch.stack([theta, theta]))
    except Exception as error:
        raise _refusal(
            model.name,
            "must be differentiable for many models at once (torch.func.vmap)",
            _line(error),
            "Layers must not decide by the values of tensors, and change no numbers in place, as nn.BatchNorm does in "
            f"training. {BATCH}",
        ) from error


DROPOUT = "Set p = 0, or call .eval() on layers such as nn.Dropout: runs would not be reproducible. `--optimiser adamw` decays weights"
BATCH = (
    "Put nn.GroupNorm(1, channels) in the place of nn.BatchNorm2d, or nn.LayerNorm(features) in that of nn.BatchNorm1d, or call "
    ".eval() on those layers to keep their statistics as they are"
)


def _require_plain_layers(name: str, module: nn.Module) -> None:
    """Raise UsageError if a layer is of a type that draws random numbers or normalises over the batch."""
    for key, layer in module.named_modules():
        if layer.training and isinstance(layer, _DropoutNd) and layer.p > 0:
            raise _refusal(name, "must not draw random numbers", f"layer {key!r}, {layer}", DROPOUT)
        if layer.training and isinstance(layer, _BatchNorm):
            raise _refusal(name, "must look at one image at a time", f"layer {key!r}, {layer}", BATCH)


def _last_layer(name: str, module: nn.Module, image: Shape, n_classes: int) -> str:
    """Name of the linear layer whose output is the output of the module."""
    said: dict[str, Tensor] = {}
    layers = [(key, layer) for key, layer in module.named_modules() if isinstance(layer, nn.Linear)]
    hooks = [
        layer.register_forward_hook(lambda _, given, out, key=key: said.__setitem__(key, out))
        for key, layer in layers
    ]
    try:
        with torch.no_grad():
            found = module(torch.zeros(2, *image))
    except Exception as error:
        raise _refusal(name, f"fails on images of shape {image}", _line(error)) from error
    finally:
        for hook in hooks:
            hook.remove()
    wanted = f"must give the output of a layer nn.Linear(features, {n_classes}) with a bias"
    if not isinstance(found, Tensor) or found.shape != (2, n_classes):
        shape = tuple(found.shape) if isinstance(found, Tensor) else type(found).__name__
        raise _refusal(
            name,
            wanted,
            f"{shape} for 2 images",
            "The second argument of its function is the number of classes",
        )
    last = [key for key, layer in layers if said.get(key) is found and layer.bias is not None]
    if not last or not last[0]:
        raise _refusal(
            name, wanted, "another last operation", "Leave out softmax: the loss has it, and keep the bias"
        )
    return last[0]


def _without(module: nn.Module, last: str) -> nn.Module:
    """A copy of the module whose last layer passes its input on."""
    body = deepcopy(module)
    above, _, own = last.rpartition(".")
    setattr(body.get_submodule(above), own, nn.Identity())
    return body


def _law(parameter: nn.Parameter) -> Entry:
    """Shape, mean and deviation of first values, for methods that draw further networks of the kind."""
    values = parameter.detach().double()
    deviation = float(values.std(correction=0)) if values.numel() > 1 else 0.0
    return Entry(tuple(parameter.shape), float(values.mean()), deviation)


def _refusal(name: str, rule: str, got: str, remedy: str = "") -> UsageError:
    return UsageError(f"the network {name} {rule}, got {got}." + (f" {remedy}." if remedy else ""))


def _line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__


def state_dicts(model: Model, thetas: Tensor) -> Iterator[Mapping[str, Tensor]]:
    """What ``load_state_dict`` of the plain module takes, for each of some vectors (n, d)."""
    for theta in thetas.detach().cpu():
        parts = zip(model.keys, model.unflatten(theta), strict=True)
        yield {key: part.clone() for key, part in parts} | dict(model.constants)
