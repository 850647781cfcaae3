"""Tapes: a replay equals the function at any numbers; otherwise the function itself is called."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from nqm.fields import through_floats
from verify.engine.model.arithmetic import convert
from verify.engine.model.scene import allowed_shapes
from verify.engine.search.adversary import judge_batch, random_batch
from verify.engine.search.ascent import judge_batches
from verify.engine.search.tape import Replayed
from verify.engine.topics import claim_of

numbers = st.lists(st.floats(-3, 3), min_size=4, max_size=4).map(
    lambda x: torch.tensor(x, dtype=torch.float64)
)


def calls(function):
    """The function, and the number of its direct calls."""
    seen = []

    def counted(*leaves):
        seen.append(leaves)
        return function(*leaves)

    return counted, seen


@given(st.lists(st.tuples(numbers, numbers), min_size=3, max_size=5))
def test_a_replay_comes_to_the_same(batches):
    def function(x, y):
        twice = [x * y + 1, x * y + 1]
        unused = torch.sin(x).sum()  # noqa: F841
        return torch.stack(twice).sum(dim=0), torch.where(x[None] > y, x, y)[..., 1:], 3

    counted, seen = calls(function)
    replayed = Replayed(counted)
    for x, y in batches:
        for one, other in zip(replayed(x, y), function(x, y), strict=True):
            assert torch.equal(torch.as_tensor(one), torch.as_tensor(other))
    assert len(seen) == 2


def test_gradients_pass_through_a_replay():
    replayed = Replayed(lambda x: ((x**3).sum(),))
    for k in (1.0, 2.0, 3.0):
        x = torch.tensor([k], dtype=torch.float64, requires_grad=True)
        (slope,) = torch.autograd.grad(replayed(x)[0], x)
        assert slope.item() == 3 * k**2


def test_another_course_is_taken_where_the_numbers_say_so():
    def function(x):
        return (x + 1,) if bool((x > 0).all()) else (x - 1,)

    replayed = Replayed(function)
    for k in (1.0, 2.0, -3.0, 4.0, -5.0):
        x = torch.full((4,), k, dtype=torch.float64)
        assert torch.equal(replayed(x)[0], function(x)[0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x * torch.tensor(np.cos(x.numpy())),),
        lambda x: (x.clone().mul_(2),),
        lambda x: (x * sum(x.tolist()),),
        lambda x: (x + torch.tensor(np.cos(x.numpy()) / 2**20),),
    ],
    ids=["through NumPy", "in place", "through numbers", "by a hair"],
)
def test_what_a_tape_does_not_hold_is_called(function):
    counted, seen = calls(function)
    replayed = Replayed(counted)
    for k in range(1, 5):
        x = torch.arange(4, dtype=torch.float64) + k
        assert torch.equal(replayed(x)[0], function(x)[0])
    assert len(seen) == 4


@pytest.mark.parametrize("lengths", [(1, 2), (2, 1)])
def test_a_replay_of_another_shape_is_not_the_same(lengths):
    """Even if its numbers would be equal after broadcasting."""
    left = list(lengths)
    counted, seen = calls(lambda x: (x.expand(left.pop(0) if left else lengths[1]),))
    replayed, x = Replayed(counted), torch.tensor([2.0])
    assert [len(replayed(x)[0]) for _ in range(4)] == [lengths[0], *[lengths[1]] * 3]
    assert len(seen) == 4


def test_a_function_of_floats_is_one_step():
    def function(x):
        return (x * through_floats(lambda a: np.sort(a)[::-1].copy(), x),)

    counted, seen = calls(function)
    replayed = Replayed(counted)
    for k in range(4):
        x = torch.tensor([1.0, k, -k, 2.0], dtype=torch.float64)
        assert torch.equal(replayed(x)[0], function(x)[0])
    assert len(seen) == 2


@pytest.mark.parametrize("id", ["special.eq48/corrected", "cfl.lemA.6", "cflag.lem12", "fedmes.eq7"])
def test_batches_are_judged_alike(id):
    claim = claim_of(id)
    question = claim.question
    for shape in allowed_shapes(question.scene, question.conditions)[:2]:
        judge = judge_batches(question, shape)
        for seed in range(4):
            floats = random_batch(question.scene, question.conditions, tuple(shape.items()), 8, seed)[0]
            parameters = convert(floats, "torch")
            margin, ratio, allowed, sizes = judge(parameters)
            again = judge_batch(question, shape, parameters)
            assert torch.equal(allowed & again[2], again[2])
            for one, other in zip(
                (margin, ratio, *sizes.values()), (*again[:2], *again[3].values()), strict=True
            ):
                assert torch.allclose(
                    torch.as_tensor(one) * 1.0, torch.as_tensor(other) * 1.0, rtol=0, atol=0, equal_nan=True
                )
