"""The user's own networks equal the plain modules, and modules that cannot be batched are refused with a remedy."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from tests.networks.cases import close
from verify.engine.work.errors import UsageError
from verify.networks.training.models import MODELS, Entry, Model
from verify.networks.training.modules import network, state_dicts

IMAGE, C = (1, 8, 8), 5


def with_layer(*layers: nn.Module):
    return lambda image, n_classes: nn.Sequential(
        nn.Flatten(), nn.Linear(64, 6), *layers, nn.Linear(6, n_classes)
    )


def conv() -> list[nn.Module]:
    return [nn.Conv2d(1, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]


PLAIN = {
    "tanh": with_layer(nn.Tanh()),
    "layer norm": with_layer(nn.LayerNorm(6)),
    "frozen batch norm": with_layer(nn.BatchNorm1d(6).eval()),
    "frozen dropout": with_layer(nn.Dropout(0.5).eval()),
    "no dropout": with_layer(nn.Dropout(0.0)),
    "convolutions": lambda image, n_classes: nn.Sequential(*conv(), nn.Linear(64, n_classes)),
    "frozen layer": lambda image, n_classes: nn.Sequential(
        nn.Flatten(), nn.Linear(64, 6).requires_grad_(requires_grad=False), nn.Linear(6, n_classes)
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_module_computes_the_same(name: str, monkeypatch) -> None:
    monkeypatch.setitem(MODELS, "own", PLAIN[name])
    model, plain = network("own", IMAGE, C), PLAIN[name](IMAGE, C)
    theta, images = model.init(np.random.default_rng(3)), torch.rand(4, *IMAGE)
    plain.load_state_dict(next(state_dicts(model, theta[None])))
    close(model.logits(theta, images), plain(images))
    trained = [part for part in plain.parameters() if part.requires_grad]
    expected = torch.cat([g.flatten() for g in torch.autograd.grad(plain(images).square().sum(), trained)])
    close(torch.func.grad(lambda point: model.logits(point, images).square().sum())(theta), expected)


def test_first_values_are_drawn_for_each_run_by_the_modules_own_law(monkeypatch) -> None:
    monkeypatch.setitem(MODELS, "own", PLAIN["tanh"])
    model = network("own", IMAGE, C)
    first, again, other = (model.init(np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert first[: 6 * 64].abs().max() <= 1 / 8  # nn.Linear: uniform up to 1/sqrt(inputs)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (with_layer(nn.BatchNorm1d(6)), "must look at one image at a time.*layer '2'.*nn.LayerNorm"),
        (with_layer(nn.Dropout(0.5)), "must not draw random numbers.*layer '2'.*Set p = 0"),
        (with_layer(nn.RReLU()), "must not draw random numbers"),
        (with_layer(nn.Softmax(0)), "must look at one image at a time"),
        (lambda image, n_classes: nn.Sequential(nn.Flatten(), nn.Linear(64, 6)), r"Linear\(features, 5\)"),
        (lambda image, n_classes: nn.Sequential(nn.Flatten(), nn.Linear(64, 5), nn.Tanh()), "last operation"),
        (
            lambda image, n_classes: nn.Sequential(nn.Flatten(), nn.Linear(64, 5, bias=False)),
            "with a bias, got another",
        ),
        (lambda image, n_classes: nn.Sequential(nn.Linear(3, 5)), "fails on images of shape"),
        (lambda image, n_classes: 3, "must give a torch.nn.Module or a Model, got int"),
    ],
)
def test_what_cannot_be_trained_many_at_once_is_refused(make, message: str, monkeypatch) -> None:
    monkeypatch.setitem(MODELS, "own", make)
    with pytest.raises(UsageError, match=message):
        network("own", IMAGE, C)


def test_a_model_of_functions_with_batch_norm_is_refused_with_advice(monkeypatch) -> None:
    """`Model` takes a function in place of a module, so that no layer can be named."""
    body = nn.Sequential(nn.Flatten(), nn.Linear(64, 6), nn.BatchNorm1d(6))
    named = dict(body.named_parameters())

    def run(parameters, images):
        return torch.func.functional_call(body, dict(zip(named, parameters, strict=True)), (images,))

    layout = tuple(Entry(tuple(part.shape)) for part in named.values())
    monkeypatch.setitem(MODELS, "own", lambda image, n: Model("own", image, 6, n, layout, run))
    with pytest.raises(UsageError, match=r"for many models at once.*as nn.BatchNorm does.*nn.LayerNorm"):
        network("own", IMAGE, C)


TWINS = {
    "linear": (nn.Flatten(), nn.Linear(64, C)),
    "mlp": (nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, C)),
    "cnn": (
        *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, C)),
    ),
    "cnn6": (
        *(
            nn.Conv2d(1, 32, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        ),
        *(
            nn.Conv2d(32, 64, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(64, 64, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        ),
        *(nn.Conv2d(64, 128, 3, padding=1), nn.ReLU(), nn.Conv2d(128, 128, 3, padding=1), nn.ReLU()),
        *(nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, C)),
    ),
    "lenet": (
        *(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Linear(64, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, C)),
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_parameters_have_the_names_of_a_sequential_module(name: str) -> None:
    model, plain = network(name, IMAGE, C), nn.Sequential(*TWINS[name])
    theta, images = model.init(np.random.default_rng(0)), torch.rand(3, *IMAGE)
    plain.load_state_dict(next(state_dicts(model, theta[None])))
    close(model.logits(theta, images), plain(images))
