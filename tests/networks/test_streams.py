"""Streams: no test image is used in training, padding repeats samples, and the seed determines everything."""

from dataclasses import fields, replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.engine.work.errors import UsageError
from verify.networks.data import streams
from verify.networks.data.catalogue import RECIPES, drifting_stream, stream
from verify.networks.data.domains import LOOKS
from verify.networks.data.images import digits, fitted, split
from verify.networks.data.loaders.by_name import LOADERS
from verify.networks.data.partition import few_classes, latent_dirichlet

kinds = st.sampled_from(["domain", "class", "task"])
seeds = st.integers(0, 10**4)


def toy(n=60, n_classes=6, size=(4, 4), channels=1, name="toy", seed=0):
    rng = np.random.default_rng(seed)
    images = rng.integers(256, size=(n, channels, *size)).astype(np.uint8)
    return split(images, np.arange(n) % n_classes, n_classes, name, seed=seed)


@pytest.fixture(params=["domain", "class", "task", "drifting"])
def some(request):
    if request.param == "drifting":
        return drifting_stream(n_tasks=6, overlap=0.5)
    return stream(kind=request.param, alpha=0.3)


def test_no_image_is_trained_on_in_one_task_and_tested_in_another(some):
    assert not np.intersect1d(some.origin, some.test_origin).size


def test_labels_are_those_of_the_images(some):
    labels = digits().labels
    assert np.array_equal(some.labels, labels[some.origin])
    assert np.array_equal(some.test_labels, labels[some.test_origin])


def test_padding_repeats_real_samples(some):
    slots = np.arange(some.labels.shape[-1])
    for task, client in np.ndindex(*some.sizes.shape):
        size, own = some.sizes[task, client], some.origin[task, client]
        assert len(np.unique(own[:size])) == size
        for part in (some.origin, some.labels, some.images):
            assert np.array_equal(part[task, client], part[task, client, slots % size])


def test_classes_are_those_that_occur(some):
    for task in range(some.n_tasks):
        has = np.flatnonzero(some.classes[task])
        assert np.array_equal(np.unique(some.test_labels[task]), has)
        assert set(some.labels[task].flat) <= set(has)


def test_personal_test_sets_have_the_mix_of_their_client(some):
    n = some.test_clients.shape[-1]
    for task, client in np.ndindex(*some.sizes.shape):
        own = some.test_clients[task, client]
        assert len(np.unique(own)) == n
        found = np.bincount(some.test_labels[task, own], minlength=10)
        size = some.sizes[task, client]
        mix = np.bincount(some.labels[task, client, :size], minlength=10) / size
        assert (abs(found - n * mix) < 1).all()


def test_shapes_are_those_that_are_promised(some):
    K, M, S = some.labels.shape
    assert some.images.shape == (K, M, S, 1, 8, 8)
    assert (some.n_tasks, some.n_clients, some.image) == (K, M, (1, 8, 8))
    assert some.sizes.max() == S
    assert some.test_images.shape[:2] == some.test_labels.shape
    assert {part.dtype for part in (some.images, some.test_images)} == {np.dtype(np.float32)}
    assert {part.dtype for part in (some.labels, some.sizes)} == {np.dtype(np.int64)}
    assert 0 <= some.images.min() <= some.images.max() <= 1


def test_every_training_image_goes_to_one_client_in_every_domain():
    found, data = stream(alpha=0.2), digits()
    for task in range(found.n_tasks):
        real = [own[:size] for own, size in zip(found.origin[task], found.sizes[task], strict=True)]
        assert np.array_equal(np.sort(np.concatenate(real)), data.train)
        assert np.array_equal(found.test_origin[task], data.test)


def test_every_domain_shows_the_same_images_in_another_look():
    found, data = stream(), digits()
    assert found.n_tasks == len(LOOKS) >= 5
    for task, (name, look) in enumerate(LOOKS.items()):
        if name != "noisy":
            expected = look(data.images[data.test], np.random.default_rng(0))
            assert np.array_equal(found.test_images[task], expected)
    noisy = list(LOOKS).index("noisy")
    moved = found.test_images[noisy] - found.test_images[0]
    assert 0.1 < moved.std() < 0.3


def test_class_streams_have_five_tasks_of_two_digits():
    for kind in ("class", "task"):
        found = stream(kind=kind)
        assert np.array_equal(found.classes, np.repeat(np.eye(5, dtype=bool), 2, axis=1))
        assert found.kind == kind


@settings(max_examples=15)
@given(seed=seeds, kind=kinds, n_clients=st.integers(1, 5))
def test_the_seed_decides(seed, kind, n_clients):
    make = partial(stream, kind=kind, n_clients=n_clients, n_train=80, n_test=40)
    first, again, other = make(seed=seed), make(seed=seed), make(seed=seed + 1)
    for field in fields(first):
        assert np.array_equal(getattr(first, field.name), getattr(again, field.name))
    assert not np.array_equal(first.origin, other.origin)


def test_limits_keep_shares_and_the_same_images_in_every_domain():
    found = stream(n_train=100, n_test=50)
    assert (found.sizes.sum(axis=1) == 100).all()
    assert found.test_images.shape[1] == 50
    for task in range(1, found.n_tasks):
        assert np.array_equal(np.unique(found.origin[task]), np.unique(found.origin[0]))
    assert (np.bincount(found.test_labels[0]) == 5).all()


def test_other_deals_may_be_asked_for():
    even = stream(how=partial(latent_dirichlet, alpha=0.1), n_clients=7)
    assert np.ptp(even.sizes) <= 1
    few = stream(kind="class", n_tasks=2, how=few_classes)
    counts = [len(np.unique(labels)) for labels in few.labels.reshape(-1, few.labels.shape[-1])]
    assert 2 <= min(counts) <= max(counts) <= 5


def test_drifting_subsets_share_what_the_overlap_says():
    apart, half = (drifting_stream(n_tasks=5, n_clients=3, overlap=overlap) for overlap in (0.0, 0.5))
    sizes = half.sizes[:, 0]
    for task in range(4):
        for client in range(3):
            now, then = (set(s.origin[task, client].tolist()) for s in (half, apart))
            after, later = (set(s.origin[task + 1, client].tolist()) for s in (half, apart))
            assert not then & later
            assert abs(len(now & after) - sizes[task] / 2) <= 1
    assert len(np.unique(apart.origin)) == len(digits().train)


def test_classes_may_be_left_over_and_reordered():
    source = toy(70, n_classes=7)
    tasks = streams.split_classes(source, 3, order=[6, 0, 5, 1, 4, 2, 3])
    for task, pair in zip(tasks, ([6, 0], [5, 1], [4, 2]), strict=True):
        assert set(source.labels[task.train]) == set(source.labels[task.test]) == set(pair)
        assert [set(task.source.labels[source.labels == c]) for c in pair] == [
            {int(number)} for number in np.flatnonzero(task.classes)
        ]
    assert tasks[0].source.n_classes == 6


def test_data_sets_of_different_size_and_colour_become_one_stream():
    sources = [toy(size=(5, 5)), toy(90, size=(8, 6), channels=3, seed=1)]
    tasks = streams.one_source_each(sources)
    deals = streams.deal(tasks, 2, seed=0)
    with pytest.raises(
        UsageError, match=r"`size` and `channels` .* got images of .*\(1, 5, 5\), \(3, 8, 6\)"
    ):
        streams.assemble(tasks, deals, "domain", "two", 0)
    found = streams.assemble(tasks, deals, "domain", "two", 0, size=(6, 6), channels=3)
    assert found.image == (3, 6, 6)
    assert found.test_labels.shape == (2, 12)
    for task, source in enumerate(sources):
        expected = fitted(source.images[found.origin[task]].reshape(-1, *source.images.shape[1:]), (6, 6), 3)
        assert np.array_equal(found.images[task].reshape(expected.shape), expected)


def test_data_sets_together_have_the_classes_of_all():
    sources = [toy(n_classes=2, size=(5, 5)), toy(90, n_classes=3, channels=3, seed=1)]
    both = streams.together(sources, "both", (4, 4))
    assert both.n_classes == 5
    assert both.images.shape == (150, 3, 4, 4)
    assert np.array_equal(both.labels[60:], sources[1].labels + 2)
    assert np.array_equal(both.images[60:], sources[1].images)
    assert np.array_equal(both.test[len(sources[0].test) :], sources[1].test + 60)


def test_every_recipe_names_data_sets_that_can_be_read():
    for recipe in RECIPES.values():
        assert set(recipe.data) <= {"digits", *LOADERS}
        assert (recipe.kind == "domain") == (recipe.n_tasks is None)


def test_errors_name_argument_rule_and_value():
    with pytest.raises(UsageError, match=r"`--data` must be one of digits, .*, got 'numbers'"):
        stream("numbers")
    with pytest.raises(UsageError, match="`kind` must be one of domain, class, task, got 'tasks'"):
        stream(kind="tasks")
    with pytest.raises(UsageError, match=r"`n_tasks` must be in 1\.\.10, the number of classes, got 11"):
        stream(kind="class", n_tasks=11)
    with pytest.raises(UsageError, match=r"`n_tasks` must be in 1\.\.6, the number of domains, got 7"):
        stream(n_tasks=7)
    with pytest.raises(UsageError, match="must have the same classes, got 6 in toy, 5 in other"):
        streams.one_source_each([toy(), toy(n_classes=5, name="other")])
    task = streams.as_task(toy())
    with pytest.raises(UsageError, match="got none for client 1 in task 0"):
        streams.assemble([task], [[task.train, task.train[:0]]], "domain", "empty", 0)
    with pytest.raises(UsageError, match="`tasks` must have a test image each"):
        streams.assemble([replace(task, test=task.test[:0])], [[task.train]], "domain", "untested", 0)


def test_a_stream_of_wrong_shapes_is_refused():
    found = stream(n_train=40, n_test=20)
    with pytest.raises(ValueError, match=r"`classes` must have shape \(6, 10\), got \(5, 10\)"):
        replace(found, classes=found.classes[:5])
    with pytest.raises(ValueError, match=r"`sizes` must be in 1\.\.\d+, got 0\.\.0"):
        replace(found, sizes=found.sizes * 0)
    with pytest.raises(ValueError, match=r"`kind` must be one of .*, got 'tasks'"):
        replace(found, kind="tasks")


def test_personal_test_sets_are_left_out_where_a_class_cannot_be_tested():
    source = toy()
    untested = replace(source, test=source.test[source.labels[source.test] > 0])
    task = streams.as_task(untested)
    found = streams.assemble([task], streams.deal([task], 2, seed=0), "domain", "partly", 0)
    assert found.test_clients is None
