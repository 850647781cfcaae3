"""The world of networks, compared with its samples one by one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from algorithms.core_sets import by_class
from algorithms.generative import signs
from tests.networks.cases import (
    CLASSES,
    MODEL,
    SIZES,
    C,
    K,
    M,
    S,
    close,
    models,
    sample_grad,
    sample_loss,
    world,
)
from verify.networks.training import kernels, samples
from verify.networks.training.fused import never
from verify.networks.training.kernels import as_written, compiled

CLIENTS = np.array([[0, 1], [2, 0], [1, 2]])  # three runs
X = models(3, 2)
KINDS = ("domain", "class", "task")


def each_slot(of):
    """Results of (model, client, run, slot) for all slots, (run, n, ...)."""
    rows = [[of(X[r, i], m, r, i) for i, m in enumerate(clients)] for r, clients in enumerate(CLIENTS)]
    return torch.stack([torch.stack(row) for row in rows])


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_has_the_mean_of_its_samples(kind) -> None:
    here, task = world(kind), 1
    oracle = here.at(task, CLIENTS)

    def mean(of):
        return each_slot(
            lambda x, m, *_: torch.stack([of(here, x, task, m, j) for j in range(SIZES[task, m])]).mean(0)
        )

    close(oracle.loss(X), mean(sample_loss))
    close(oracle.grad(X), mean(sample_grad))
    own = torch.as_tensor(oracle.n_components)[..., None]
    close(oracle.components(X).sum(-2) / own, mean(sample_grad))
    close(oracle.curvature(X), mean(lambda *at: sample_grad(*at) ** 2))


def test_minibatches() -> None:
    here = world("task")
    u = np.random.default_rng(0).integers(0, 9, (3, 2, 2))
    found = here.at(0, CLIENTS).stochastic_grad(X, u)

    def expected(x, m, r, i):
        return torch.stack([sample_grad(here, x, 0, m, j % SIZES[0, m]) for j in u[r, i]]).mean(0)

    close(found, each_slot(expected))


def test_components_are_blocks_whose_mean_is_the_gradient() -> None:
    oracle = world().at(0, CLIENTS)
    own = np.asarray(oracle.n_components)
    np.testing.assert_array_equal(own, -(-SIZES[0][CLIENTS] // 2))
    each = oracle.components(X)
    j = np.array([[0, 2], [1, 1], [2, 0]]) % own
    chosen = torch.stack([torch.stack([each[r, i, j[r, i]] for i in range(2)]) for r in range(3)])
    close(oracle.component_grad(X, j), chosen)
    close(each.sum(-2) / torch.as_tensor(own)[..., None], oracle.grad(X))


@pytest.mark.parametrize("kind", KINDS)
def test_a_memory_may_hold_samples_of_any_task_or_none(kind) -> None:
    here = world(kind)
    kept = np.array([[[0, -1, S], [-1, -1, -1]], [[-1, S, -1], [2, 2, 1]], [[S + 1, 0, 1], [-1, -1, 0]]])
    oracle = here.over(kept, CLIENTS)

    def numbers(r, i):
        return [k for k in kept[r, i] if k >= 0]

    def mean(x, m, r, i):
        each = [sample_grad(here, x, k // S, m, k % S) for k in numbers(r, i)]
        return torch.stack(each).mean(0) if each else torch.zeros(MODEL.dim)

    close(oracle.grad(X), each_slot(mean))
    assert oracle.loss(X)[0, 1] == 0
    u = np.random.default_rng(0).integers(0, 100, (3, 2, 5))

    def minibatch(x, m, r, i):
        held = numbers(r, i)
        each = (
            [
                sample_grad(here, x, *divmod(held[k % len(held)], S)[:1], m, held[k % len(held)] % S)
                for k in u[r, i, 2:]
            ]
            if held
            else [torch.zeros(MODEL.dim)]
        )
        return torch.stack(each).mean(0)

    close(oracle.stochastic_grad(X, u), each_slot(minibatch))


def test_a_memory_without_places_loses_nothing() -> None:
    assert (world().over(np.zeros((3, 2, 0), dtype=int), CLIENTS).grad(X) == 0).all()


def test_a_minibatch_of_a_memory_needs_draws_of_its_own() -> None:
    oracle = world().over(np.zeros((3, 2, 1), dtype=int), CLIENTS)
    with pytest.raises(
        ValueError, match=r"`u` must have columns .* beyond the 2 .* draw with `memory_batch`"
    ):
        oracle.stochastic_grad(X, np.zeros((3, 2, 2), dtype=int))


def test_sweeps_and_one_set_of_clients_for_all_runs() -> None:
    sweep = models(4, 3, 2)
    u = np.random.default_rng(0).integers(0, 9, (3, 2, 2))
    oracle = world().at(0, CLIENTS)
    close(oracle.stochastic_grad(sweep, u), torch.stack([oracle.stochastic_grad(x, u) for x in sweep]))
    everyone = world().at(0)
    x = models(3, M)
    alone = [everyone.grad(x[:, m : m + 1].expand(3, M, -1))[:, m] for m in range(M)]
    close(everyone.grad(x), torch.stack(alone, 1))


def test_working_in_parts_changes_nothing() -> None:
    whole, parts = world(), world(memory=1)
    for name in ("loss", "grad", "curvature", "components"):
        close(*(getattr(here.at(0, CLIENTS), name)(X) for here in (whole, parts)))


def test_gradients_of_blocks_are_the_same_however_many_are_asked_for_at_once(monkeypatch) -> None:
    """Bit by bit, also if values are swept."""
    sweep = torch.stack([X, 2 * X])
    whole = [world().at(0, CLIENTS).components(x) for x in (X, sweep)]
    monkeypatch.setattr(samples, "POINTS", 1)
    for x, found in zip((X, sweep), whole, strict=True):
        assert found.shape == (*x.shape[:-1], -(-S // 2), x.shape[-1])
        assert torch.equal(world().at(0, CLIENTS).components(x), found)


@pytest.mark.parametrize("kind", KINDS)
def test_distillation_against_automatic_differentiation(kind) -> None:
    here = world(kind)
    u, teacher = np.zeros((3, 2, 1), dtype=int), models(3, 2, seed=1)
    found = here.at(1, CLIENTS).taught_grad(X, u, 0, [(1, teacher)])
    kept = np.ones(C, dtype=bool) if kind == "domain" else CLASSES[0]

    def expected(x, m, r, i):
        image = torch.from_numpy(here.stream.images[1, m, 0][None])
        point = x.clone().requires_grad_()
        ours, theirs = ((MODEL.logits(p, image)[0, kept] / 2).log_softmax(-1) for p in (point, teacher[r, i]))
        divergence = 4 * (theirs.exp() * (theirs - ours)).sum()
        return torch.autograd.grad(divergence, point)[0]

    close(found, each_slot(expected))
    close(here.at(1, CLIENTS).taught_grad(X, u, 0, [(1, X)]), torch.zeros_like(X))


@pytest.mark.parametrize("kind", KINDS)
def test_beside_teachers_labels_compete_among_new_logits(kind) -> None:
    """In competition with teachers' logits, the labels of new classes would undo what was learnt before."""
    here, u = world(kind), np.zeros((3, 2, 1), dtype=int)
    found = here.at(1, CLIENTS).taught_grad(X, u, 1, [(0, models(3, 2, seed=1))])
    new = np.ones(C, dtype=bool) if kind == "domain" else CLASSES[1]

    def expected(x, m, r, i):
        image = torch.from_numpy(here.stream.images[1, m, 0][None])
        point = x.clone().requires_grad_()
        logits = MODEL.logits(point, image)[0]
        loss = logits[new].logsumexp(-1) - logits[int(here.stream.labels[1, m, 0])]
        return torch.autograd.grad(loss, point)[0]

    close(found, each_slot(expected))
    in_first = here.at(0, CLIENTS)
    close(in_first.taught_grad(X, u, 1, []), in_first.stochastic_grad(X, u))


def test_labels_and_teachers_each_have_a_strength() -> None:
    oracle, u = world().at(1, CLIENTS), np.random.default_rng(0).integers(0, 9, (3, 2, 2))
    first, second = models(3, 2, seed=1), models(3, 2, seed=2)
    of_labels, of_first, of_second = (
        oracle.taught_grad(X, u, by_labels, [(a, first), (b, second)])
        for by_labels, a, b in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    )
    close(of_labels, oracle.stochastic_grad(X, u))  # in domain-incremental streams
    strength = torch.tensor([1.0, 2.0, 3.0])[:, None, None]  # of each run
    found = oracle.taught_grad(X, u, 0.5, [(strength, first), (0.25, second)])
    close(found, 0.5 * of_labels + strength * of_first + 0.25 * of_second)


@pytest.mark.parametrize("kind", KINDS)
def test_binary_losses_against_automatic_differentiation(kind) -> None:
    here = world(kind)
    u, teacher = np.zeros((3, 2, 1), dtype=int), models(3, 2, seed=1)
    old = here.classes[0]
    new = torch.ones_like(old) if kind == "domain" else here.classes[1]

    def expected(x, m, r, i):
        image = torch.from_numpy(here.stream.images[1, m, 0][None])
        point = x.clone().requires_grad_()
        labels = torch.arange(C) == int(here.stream.labels[1, m, 0])
        targets = labels.float(), MODEL.logits(teacher[r, i], image)[0].sigmoid()
        logits = MODEL.logits(point, image)[0]
        entropies = [
            torch.nn.functional.binary_cross_entropy_with_logits(logits[some], target[some], reduction="sum")
            for target, some in zip(targets, (new, old), strict=True)
        ]
        return torch.autograd.grad(entropies[0] + 0.5 * entropies[1], point)[0]

    close(here.at(1, CLIENTS).binary_grad(X, u, teacher, 0.5, 1), each_slot(expected))


def test_nothing_is_to_be_kept_in_the_first_task_of_a_stream_of_classes() -> None:
    oracle = world("class").at(0, CLIENTS)
    assert (oracle.taught_grad(X, np.zeros((3, 2, 1), dtype=int), 0, [(1, models(3, 2, seed=1))]) == 0).all()


def test_herding_takes_the_classes_in_turns() -> None:
    features = np.array([[[0.0], [10.0], [1.0], [2.0], [12.0]]])
    # Class 0 holds 0, 1, 2 with the mean 1; class 1 holds 10, 12, both at the same distance; the first is taken.
    assert by_class(features, np.array([0, 1, 0, 0, 1])).tolist() == [[2, 1, 0, 4, 3]]


def test_herding_orders_every_clients_samples() -> None:
    order = world().herding(models(2), 1)
    assert order.shape == (2, M, S)
    for row in order:
        for client, numbers in enumerate(row):
            size = SIZES[1, client]
            assert sorted(numbers[:size]) == list(range(size))
            assert (numbers[size:] == -1).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: world(batch=0), "`batch` must be at least 1, got 0"),
        (lambda: world().over(np.array([[K * S]]), [0]), rf"`kept` must be in -1..{K * S - 1}"),
        (lambda: world().at(K), f"`task` must be in 0..{K - 1}"),
    ],
)
def test_errors_name_the_argument(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # imports by the compiler itself
@pytest.mark.parametrize("name", ["loss", "curvature", "stochastic_grad", "taught_grad", "binary_grad"])
def test_compiled_kernels_give_the_same_numbers(name: str, capsys) -> None:
    """Known tasks contain everything on which a kernel can depend: classes that compete for a sample, and groups of
    them.
    """
    u, teacher = np.random.default_rng(0).integers(0, 9, (3, 2, 2)), models(3, 2, seed=1)
    arguments = {
        "stochastic_grad": (u,),
        "taught_grad": (u, 0.5, [(2, teacher)]),
        "binary_grad": (u, teacher, 0.5, 1),
    }.get(name, ())
    kernels._tell.cache_clear()
    written, quick = (world("task", compile=how, fuse=never).at(1, CLIENTS) for how in (as_written, compiled))
    close(getattr(quick, name)(X, *arguments), getattr(written, name)(X, *arguments))
    assert "not compiled" not in capsys.readouterr().err


def test_without_a_compiler_kernels_run_as_written(monkeypatch, capsys) -> None:
    def missing(kernel, **options):
        def fail(*arguments):
            raise RuntimeError("no compiler\nand a long story")

        return fail

    monkeypatch.setattr(kernels, "_compiler", lambda: missing)
    kernels._tell.cache_clear()
    written, quick = (world(compile=how, fuse=never).at(0, CLIENTS) for how in (as_written, compiled))
    assert (quick.grad(X) == written.grad(X)).all()
    assert (quick.loss(X) == written.loss(X)).all()
    assert capsys.readouterr().err == "networks: not compiled, so slower (no compiler)\n"


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("full"), RuntimeError("can't allocate memory: 9 bytes")]
)
def test_short_memory_is_not_a_missing_compiler(error, monkeypatch) -> None:
    def failing(kernel, **options):
        def fail(*arguments):
            raise error

        return fail

    monkeypatch.setattr(kernels, "_compiler", lambda: failing)
    with pytest.raises(type(error), match=str(error)):
        world(compile=compiled, fuse=never).at(0, CLIENTS).grad(X)


def test_probes_find_the_diagonal_of_the_hessian_and_do_not_depend_on_later_runs() -> None:
    oracle = world().at(1, CLIENTS)
    n_probes, axes = 400, torch.eye(X.shape[-1])
    hessian = torch.stack([oracle.hessian_product(X, e.expand(X.shape)) for e in axes], dim=-1)
    diagonal = hessian.diagonal(dim1=-2, dim2=-1)
    beside = hessian - torch.diag_embed(diagonal)
    error = (oracle.hessian_diagonal(X, n_probes) - diagonal).norm()
    expected = beside.norm() / n_probes**0.5  # of independent signs
    assert 0.5 * expected < error < 1.5 * expected
    first = signs((2, 3, 4), 7, X)
    assert (signs((5, 3, 4), 7, X)[:2] == first).all()
    assert set(first.unique().tolist()) <= {-1.0, 1.0}
    assert (signs((5, 3, 4), 8, X)[:2] != first).any()
