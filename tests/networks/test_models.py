"""Models as functions of one vector: compared with torch.nn, under vmap and grad, and in training."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.func import functional_call, grad, jacrev, vmap
from torch.nn import functional as F

from verify.networks.data.images import digits, fitted
from verify.networks.training.models import MODELS, cnn, linear, mlp, resnet18, softmax_smoothness

GREY, COLOUR = (1, 8, 8), (3, 16, 16)


class Block(nn.Module):
    """A residual block as in He et al., with group norm."""

    def __init__(self, inputs, outputs, stride, groups):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.first_norm = nn.GroupNorm(groups, outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.second_norm = nn.GroupNorm(groups, outputs)
        self.shortcut = nn.Sequential()
        if inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.GroupNorm(groups, outputs)
            )

    def forward(self, x):
        y = self.second_norm(self.second(F.relu(self.first_norm(self.first(x)))))
        return F.relu(y + self.shortcut(x))


def resnet18_module(channels, n_classes, width, groups):
    stages = [Block(width, width, 1, groups), Block(width, width, 1, groups)]
    for inputs in (width, 2 * width, 4 * width):
        stages += [Block(inputs, 2 * inputs, 2, groups), Block(2 * inputs, 2 * inputs, 1, groups)]
    return nn.Sequential(
        nn.Conv2d(channels, width, 3, 1, 1, bias=False),
        nn.GroupNorm(groups, width),
        nn.ReLU(),
        *stages,
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8 * width, n_classes),
    )


def cnn_module(channels, features, n_classes, blocks):
    layers = []
    for block in blocks:
        for width in block:
            layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU()]
            channels = width
        layers.append(nn.MaxPool2d(2))
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(features, n_classes))


SIX = ((4, 4), (6, 6), (8, 8))
CASES = {
    "linear": (linear(GREY, 10), lambda: nn.Sequential(nn.Flatten(), nn.Linear(64, 10))),
    "mlp": (
        mlp(GREY, 10),
        lambda: nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)),
    ),
    "cnn": (cnn(GREY, 10), lambda: cnn_module(1, 128, 10, ((16,), (32,)))),
    "cnn of six layers": (cnn(COLOUR, 5, SIX), lambda: cnn_module(3, 32, 5, SIX)),
    "resnet18": (resnet18(COLOUR, 10, width=8, groups=4), lambda: resnet18_module(3, 10, 8, 4)),
}
cases = pytest.mark.parametrize("case", CASES, ids=str)


def batch(model, n=5, dtype=torch.float64):
    rng = np.random.default_rng(1)
    images = torch.from_numpy(rng.random((n, *model.image))).to(dtype)
    return images, torch.from_numpy(rng.integers(model.n_classes, size=n))


def loss(model):
    return lambda theta, images, labels: F.cross_entropy(model.logits(theta, images), labels)


@cases
def test_parameters_lie_in_the_vector_as_in_torch_modules(case):
    model, module = CASES[case]
    shapes = [tuple(parameter.shape) for parameter in module().parameters()]
    assert [entry.shape for entry in model.entries] == shapes


@cases
def test_flat_vector_round_trip(case):
    model, _ = CASES[case]
    theta = torch.arange(model.dim, dtype=torch.float64)
    pieces = model.unflatten(theta)
    assert torch.equal(torch.cat([piece.flatten() for piece in pieces]), theta)
    assert [tuple(piece.shape) for piece in pieces] == [entry.shape for entry in model.entries]


@cases
def test_batched_gradients_equal_those_of_torch_modules(case):
    model, build = CASES[case]
    module = build().double()
    images, labels = batch(model)
    thetas = torch.stack([model.init(np.random.default_rng(seed)).double() for seed in range(3)])
    found = vmap(grad(loss(model)), in_dims=(0, None, None))(thetas, images, labels)
    for theta, gradient in zip(thetas, found, strict=True):
        nn.utils.vector_to_parameters(theta, module.parameters())
        module.zero_grad()
        F.cross_entropy(module(images), labels).backward()
        expected = torch.cat([parameter.grad.flatten() for parameter in module.parameters()])
        torch.testing.assert_close(gradient, expected, rtol=1e-9, atol=1e-11)


@cases
def test_every_model_may_have_images_of_its_own(case):
    model, build = CASES[case]
    module = build()
    thetas = torch.stack([model.init(np.random.default_rng(seed)) for seed in range(2)])
    images = torch.stack([batch(model, dtype=torch.float32)[0], batch(model, dtype=torch.float32)[0] ** 2])
    logits = vmap(model.logits)(thetas, images)
    for theta, some, found in zip(thetas, images, logits, strict=True):
        named = dict(zip(dict(module.named_parameters()), model.unflatten(theta), strict=True))
        torch.testing.assert_close(found, functional_call(module, named, (some,)), rtol=1e-4, atol=1e-5)


@cases
def test_the_head_is_what_turns_features_into_logits(case):
    model, _ = CASES[case]
    theta = model.init(np.random.default_rng(0)).double()
    images, _ = batch(model)
    features = model.features(theta, images)
    assert features.shape == (5, model.n_features)
    head = torch.from_numpy(model.head).bool()
    weight = theta[head][: -model.n_classes].reshape(model.n_classes, model.n_features)
    torch.testing.assert_close(
        features @ weight.T + theta[head][-model.n_classes :], model.logits(theta, images)
    )
    changed = torch.where(head, theta + 1, theta)
    assert torch.equal(model.features(changed, images), features)


@cases
def test_first_values_follow_from_the_seed_alone(case):
    model, _ = CASES[case]
    state = torch.random.get_rng_state()
    first, again = (model.init(np.random.default_rng(3)) for _ in range(2))
    assert torch.equal(first, again)
    assert not torch.equal(first, model.init(np.random.default_rng(4)))
    assert torch.equal(state, torch.random.get_rng_state())


def test_first_values_have_the_announced_spread():
    model = mlp((1, 20, 20), 10, hidden=(300, 100))
    weights = model.unflatten(model.init(np.random.default_rng(0)))
    for weight, variance in ((weights[0], 2 / 400), (weights[2], 2 / 300), (weights[4], 1 / 100)):
        assert float(weight.var()) == pytest.approx(variance, rel=0.15)
    assert all(not bias.any() for bias in weights[1::2])


def test_norms_start_as_the_identity():
    model = resnet18(COLOUR, 10, width=8, groups=4)
    stem, scale, shift, *_ = model.unflatten(model.init(np.random.default_rng(0)))
    assert stem.any()
    assert (scale == 1).all()
    assert not shift.any()


def test_known_numbers_of_parameters():
    assert linear(GREY, 10).dim == 650
    assert mlp(GREY, 10).dim == 64 * 32 + 32 + 32 * 10 + 10
    # The widely used ResNet-18 for CIFAR-10 with batch norm, whose norms have the same number of parameters.
    assert resnet18((3, 32, 32), 10).dim == 11_173_962


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), n_classes=st.integers(2, 4), size=st.integers(1, 3))
def test_no_hessian_of_softmax_regression_exceeds_its_smoothness(seed, n, n_classes, size):
    rng = np.random.default_rng(seed)
    images, labels = rng.normal(size=(n, 1, size, size)), torch.from_numpy(rng.integers(n_classes, size=n))
    model = linear((1, size, size), n_classes)
    theta = torch.from_numpy(rng.normal(scale=3, size=model.dim))
    matrix = jacrev(grad(loss(model)))(theta, torch.from_numpy(images), labels)
    largest = float(torch.linalg.eigvalsh(matrix)[-1])
    assert largest <= float(softmax_smoothness(images)) * (1 + 1e-9)


@pytest.mark.parametrize(("n_classes", "bias"), [(2, 0.0), (4, 40.0)])
def test_the_smoothness_is_attained_where_two_classes_share_the_probability(n_classes, bias):
    images = np.random.default_rng(0).random((5, 1, 2, 2))
    model = linear((1, 2, 2), n_classes)
    theta = torch.zeros(model.dim, dtype=torch.float64)
    theta[-n_classes : -n_classes + 2] = bias
    labels = torch.zeros(5, dtype=torch.int64)
    largest = torch.linalg.eigvalsh(jacrev(grad(loss(model)))(theta, torch.from_numpy(images), labels))[-1]
    assert float(largest) == pytest.approx(float(softmax_smoothness(images)), rel=1e-12)


def test_smoothness_takes_many_sets_of_images():
    images = np.random.default_rng(0).random((2, 3, 4, 1, 2, 2))
    found = softmax_smoothness(images)
    assert found.shape == (2, 3)
    assert found[1, 2] == pytest.approx(softmax_smoothness(images[1, 2]))


def test_errors_name_argument_rule_and_value():
    with pytest.raises(ValueError, match=r"`theta` must have shape \(650,\).*got \(3,\)"):
        linear(GREY, 10).unflatten(torch.zeros(3))
    with pytest.raises(ValueError, match=r"`groups` must divide `width` = 8, got 3"):
        resnet18(COLOUR, 10, width=8, groups=3)
    with pytest.raises(ValueError, match=r"`image` must have at least 8 pixels.*got 7 x 9"):
        cnn((1, 7, 9), 10, SIX)


def test_models_are_found_by_their_names():
    for name, build in MODELS.items():
        assert build((3, 16, 16), 4).name == name


def test_the_perceptron_learns_the_digits():
    data, model = digits(), mlp(GREY, 10)
    images, labels = torch.from_numpy(fitted(data.images)), torch.from_numpy(data.labels)
    rng = np.random.default_rng(0)
    theta = model.init(rng)
    step = grad(loss(model))
    for _ in range(20):
        for some in np.array_split(rng.permutation(data.train), len(data.train) // 16):
            theta = theta - 0.2 * step(theta, images[some], labels[some])
    right = model.logits(theta, images[data.test]).argmax(-1) == labels[data.test]
    assert float(right.float().mean()) > 0.93
