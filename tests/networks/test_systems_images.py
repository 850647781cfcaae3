"""TARGET and MFCL: image generation at the server step by step as printed, and the data sent to clients."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from algorithms import mfcl, target
from algorithms.algorithm import Moment
from algorithms.generative import initial_parameters
from tests.networks.cases import MODEL, C, close, models, world
from tests.networks.steps import looked_at, normals, plain_steps, slopes
from tests.networks.test_systems import DRAWS, RUNS, START
from verify.networks.training.generators import generator

MAKES = generator(MODEL.image, 3)
PIXELS = 4


def moment(task: int, left: int = 0) -> Moment:
    return Moment(task, left, DRAWS.normals(task, 0))


def length(vector: Tensor) -> Tensor:
    return (vector**2).sum().sqrt()


# ------------------------------------------------------------------------------------------------------- TARGET

HOW = target.Synthesis(
    batches=3,
    batch=5,
    steps=3,
    warm_up=1,
    student_steps=3,
    lr=0.2,
    latent_lr=0.3,
    student_lr=0.01,
    statistics=0.6,
    labels=0.5,
    adversarial=1.5,
)


def told_apart(student: Tensor, teacher: Tensor, images: Tensor, answers: Tensor) -> Tensor:
    """Where both have the same first choice: the distance of their outputs, averaged over images."""
    ours = MODEL.logits(student, images)
    agree = (ours.argmax(-1) == answers.argmax(-1)).float()
    apart = F.kl_div(ours.log_softmax(-1), answers.log_softmax(-1), log_target=True, reduction="none")
    return (agree * apart.sum(-1)).mean()


def learnt(student: Tensor, batches: list[tuple[Tensor, ...]], velocity: Tensor) -> tuple[Tensor, Tensor]:
    """A student after stochastic gradient descent with momentum 0.9 on outputs at temperature 20."""
    for step in range(HOW.student_steps):
        images, answers = batches[step % len(batches)]

        def loss(point: Tensor, images: Tensor = images, answers: Tensor = answers) -> Tensor:
            ours, theirs = (part.div(20).log_softmax(-1) for part in (MODEL.logits(point, images), answers))
            return 400 * F.kl_div(ours, theirs, log_target=True, reduction="batchmean")

        velocity = 0.9 * velocity + slopes(loss, student)[0]
        student = student - HOW.student_lr * velocity
    return student, velocity


def images_of_target(here: Any, run: int, task: int) -> tuple[Tensor, Tensor, list[int]]:
    """Images, outputs, and the step with the smallest loss of each batch, for one run, by loops."""
    teacher, (mean, variance) = START[run], looked_at(here, START[run], task)
    labels = torch.tensor([0, 1, 2, 3, 0] if task else [0, 1, 0, 1, 0])
    shared = initial_parameters(MAKES.entries, normals(task, 0, MAKES.dim)[run, None])[0]
    student = initial_parameters(MODEL.entries, normals(task, 1, MODEL.dim)[run, None])[0]
    velocity, made, least_at = torch.zeros_like(student), [], []
    for number in range(HOW.batches):
        own, z, total = shared, normals(task, 2 + number, HOW.batch, 3)[run], torch.zeros_like(shared)
        seen = []
        for _ in range(HOW.steps):

            def loss(
                own: Tensor, z: Tensor, student: Tensor = student, taught: float = number >= HOW.warm_up
            ) -> Tensor:
                images = MAKES.images(own, z)
                features = MODEL.features(teacher, images)
                answers = MODEL.logits(teacher, images)
                centred = features - features.mean(0)
                apart = length((centred**2).mean(0) - variance) + length(features.mean(0) - mean)
                value = 0.6 * apart + 0.5 * F.cross_entropy(answers, labels)
                return value - 1.5 * taught * told_apart(student, teacher, images, answers)

            images = MAKES.images(own, z)
            seen.append((float(loss(own, z)), images, MODEL.logits(teacher, images)))
            of_own, of_z = slopes(loss, own, z)
            total, own, z = total + of_own, own - 0.2 * of_own, z - 0.3 * of_z
        shared = shared - 0.2 * HOW.steps * total
        least_at.append(min(range(HOW.steps), key=lambda i, seen=seen: seen[i][0]))
        made.append(seen[least_at[-1]][1:])
        if number >= HOW.warm_up:
            student, velocity = learnt(student, made, velocity)
    images, answers = (torch.cat(parts) for parts in zip(*made, strict=True))
    return images, answers, least_at


def test_the_server_of_target_makes_images_as_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The images of each batch come from the step with the smallest loss, which is not always the last."""
    asked = plain_steps(monkeypatch, target)
    here, method = world("class"), target.target(0.1, 1.0, MODEL, MAKES, HOW)
    state, places = method.init(START), []
    assert {name: tuple(part.shape) for name, part in state.items()} == {
        "theta": tuple(START.shape),
        "made": (RUNS, 15, PIXELS),
        "answers": (RUNS, 15, C),
    }
    for task in (0, 1):
        assert method.end_round(here, state, moment(task, 1)) is state
        found = method.end_round(here, state, moment(task))
        for run in range(RUNS):
            images, answers, least_at = images_of_target(here, run, task)
            places += least_at
            torch.testing.assert_close(found["made"][run], images.flatten(1), rtol=1e-3, atol=1e-4)
            torch.testing.assert_close(found["answers"][run], answers, rtol=1e-3, atol=1e-3)
    assert asked == 2 * [(0.2, 0.5), (0.3, 0.5), (0.2 * 3, 0.5)]
    assert len(set(places)) > 1


def test_numbers_of_target() -> None:
    assert target.Synthesis(10, 64, 10, 0, 10, 0.002, 0.01, 0.2, 10.0, 0.5, 1.0) == target.PAPER
    assert replace(target.PAPER, warm_up=20) == target.RELEASED
    assert (target.TEMPERATURE, target.STUDENT_TEMPERATURE, target.MOMENTUM) == (2, 20, 0.9)


# --------------------------------------------------------------------------------------------------------- MFCL


def image_loss(
    how: mfcl.Synthesis, seen: list[int], theta: Tensor, images: Tensor, mean: Tensor, variance: Tensor
) -> Tensor:
    """The loss of MFCL's generator: confident labels, all classes, the features' statistics, smooth images."""
    features, answers = MODEL.features(theta, images), MODEL.logits(theta, images)[:, seen]
    sure = F.cross_entropy(answers / how.temperature, answers.argmax(-1))
    entropy = torch.distributions.Categorical(answers.softmax(-1).mean(0)).entropy()
    centred = features - features.mean(0)
    theirs, ours = (
        torch.distributions.Normal(m, (v + 0.01).sqrt())
        for m, v in ((mean, variance), (features.mean(0), (centred**2).mean(0)))
    )
    apart = torch.distributions.kl_divergence(theirs, ours).mean()
    weights = torch.tensor([[1.0, 2, 1], [2, 4, 2], [1, 2, 1]])[None, None] / 16
    smooth = F.conv2d(F.pad(images, (1, 1, 1, 1), mode="replicate"), weights)
    total = sure + how.diversity * (1 - entropy / np.log(len(seen))) + how.statistics * apart
    return total + how.smoothness * ((images - smooth) ** 2).mean()


@pytest.mark.parametrize("task", [0, 1])
def test_the_server_of_mfcl_trains_its_generator_as_printed(
    task: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, asked = world("class"), plain_steps(monkeypatch, mfcl)
    how = mfcl.Synthesis(6, 3, 5, 0.3, temperature=1.7, diversity=1.3, statistics=0.4, smoothness=2.5)
    method = mfcl.mfcl(0.1, 0.2, 0.3, MODEL, MAKES, how)
    state = {**method.init(START)}
    shapes = {name: tuple(part.shape) for name, part in state.items()}
    assert shapes == {
        "theta": tuple(START.shape),
        "teacher": tuple(START.shape),
        "generator": (RUNS, MAKES.dim),
        "made": (RUNS, 6, PIXELS),
        "labels": (RUNS, 6, 1),
    }
    assert state["labels"].dtype == torch.int64
    assert method.end_round(here, state, moment(task, 1)) is state
    first = 0.3 * torch.randn(RUNS, MAKES.dim, generator=torch.Generator().manual_seed(0))
    state |= {"generator": first, "teacher": 0 * START}
    found = method.end_round(here, state, moment(task))
    assert asked == [(0.3,)]
    assert (found["teacher"] == START).all()
    seen = [0, 1, 2, 3] if task else [0, 1]
    for run in range(RUNS):
        own = (
            first[run] if task else initial_parameters(MAKES.entries, normals(0, 0, MAKES.dim)[run, None])[0]
        )
        mean, variance = looked_at(here, START[run], task)
        for step in range(3):
            z = normals(task, 2 + step, 5, 3)[run]

            def loss(
                own: Tensor, z: Tensor = z, run: int = run, mean: Tensor = mean, variance: Tensor = variance
            ) -> Tensor:
                return image_loss(how, seen, START[run], MAKES.images(own, z), mean, variance)

            own = own - 0.3 * slopes(loss, own)[0]
        torch.testing.assert_close(found["generator"][run], own, rtol=1e-3, atol=1e-4)
        images = MAKES.images(own, normals(task, 1, 6, 3)[run])
        torch.testing.assert_close(found["made"][run], images.flatten(1), rtol=1e-3, atol=1e-4)
        labels = MODEL.logits(START[run], images)[:, seen].argmax(-1)
        assert found["labels"][run, :, 0].tolist() == [seen[i] for i in labels]


def test_numbers_of_mfcl() -> None:
    assert mfcl.Synthesis(512, 100, 64, 1e-3, 1.0, 0.5, 1.0, 0.01) == mfcl.PAPER
    assert (
        replace(mfcl.PAPER, temperature=1e3, diversity=1.0, statistics=50.0, smoothness=1e-3) == mfcl.RELEASED
    )
    assert mfcl.LEAST == 0.01


def test_answers_of_which_one_is_all_but_sure_have_a_finite_slope() -> None:
    """Shares of classes that round to 0 have no logarithm."""
    bias = torch.zeros(MODEL.dim)
    bias[-C:] = torch.tensor([200.0, 0, 0, 0])
    state = {"theta": bias.expand(RUNS, -1), "generator": torch.zeros(RUNS, MAKES.dim)}
    how = mfcl.Synthesis(1, 2, 4, diversity=1.0)
    assert mfcl.trained(world("class"), state, moment(1), MODEL, MAKES, how).isfinite().all()


def test_certainty_is_of_the_largest_of_the_classes_seen() -> None:
    answers = torch.tensor([[1.0, 3.0, 9.0], [2.0, 0.0, 9.0]])
    seen = torch.tensor([True, True, False])
    close(mfcl.certainty(answers, seen, 2.0), F.cross_entropy(answers[:, :2] / 2, torch.tensor([1, 0])))


# --------------------------------------------------------------------------------------- data of the clients


@pytest.mark.parametrize("name", ["target", "mfcl"])
def test_clients_draw_from_all_that_was_made(name: str) -> None:
    """In later tasks: images at indices modulo their number, the same ones in all generated arrays."""
    here, kd, ft = world("class"), torch.tensor([0.3, 0.8]), torch.tensor([0.6, 0.2])
    if name == "target":
        method, beside = target.target(0.1, kd, MODEL, MAKES, HOW), "answers"
    else:
        method, beside = mfcl.mfcl(0.1, kd, ft, MODEL, MAKES, mfcl.Synthesis(n_made=7)), "labels"
    state, rng = {**method.init(START)}, torch.Generator().manual_seed(1)
    state["made"] = torch.rand(state["made"].shape, generator=rng)
    count = state["made"].shape[1]
    state[beside] = (
        torch.randint(C, state[beside].shape, generator=rng)
        if name == "mfcl"
        else torch.randn(state[beside].shape, generator=rng)
    )
    state["teacher"] = models(RUNS, seed=3)
    clients, u = (
        np.array([[0, 2], [1, 0]]),
        np.array([[[1, 0, 3, 40], [2, 2, 9, 8]], [[0, 1, 6, 23], [0, 0, 5, 5]]]),
    )
    x = models(RUNS, 2, seed=8)
    oracle = method.objective(here, state, 1, clients)
    found = method.query(oracle, x, u)
    new, old = torch.tensor([False, False, True, True]), torch.tensor([True, True, False, False])
    for run, slot in np.ndindex(2, 2):
        places = [int(number) % count for number in u[run, slot, 2:]]
        taken = [state[part][run, places].flatten() for part in ("made", beside)]
        strengths = (
            [kd[run, None]] if name == "target" else [state["teacher"][run], kd[run, None], ft[run, None]]
        )
        alone = here.at(1, clients[run, slot : slot + 1])
        kernel = target.taught if name == "target" else mfcl.taught
        parts = [part[None, None] for part in (x[run, slot], *strengths, *taken)]
        expected = alone.on_minibatch(kernel, parts, u[run : run + 1, slot : slot + 1], new, old)
        close(found[run, slot], expected[0, 0])
    close(oracle.grad(x), here.at(1, clients).grad(x))
    first = method.objective(here, state, 0, clients)
    close(method.query(first, x, u[..., :2]), here.at(0, clients).stochastic_grad(x, u))


@pytest.mark.parametrize(
    "method", [target.target(0.1, 1.0, MODEL, MAKES), mfcl.mfcl(0.1, 1.0, 1.0, MODEL, MAKES)]
)
def test_the_new_compete_among_themselves_and_all_before_are_kept(method: Any) -> None:
    """Also in the third task, where the first task is not the previous one."""
    here = SimpleNamespace(classes=torch.tensor([[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]).bool())
    for task, new, old in ((1, [0, 0, 1, 1], [1, 1, 0, 0]), (2, [0, 0, 0, 1], [1, 1, 1, 0])):
        oracle = SimpleNamespace(task=task, world=here, beside_made=lambda make, x, u, *classes: classes)
        found = method.query(oracle, None, None)
        assert [part.int().tolist() for part in found] == [new, old]
