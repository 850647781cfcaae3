"""Metrics of continual learning against plain loops, in every arithmetic, and their errors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nqm.fields import to_exact, to_float, to_interval, to_symbolic
from verify.scenes import metrics


def accuracies(*, clients: bool = False, least: int = 1):
    """Matrices of accuracies (runs, tasks, tasks) or (runs, clients, tasks, tasks)."""
    sizes = st.tuples(st.integers(1, 2), st.integers(1, 3), st.integers(least, 5))
    return sizes.flatmap(
        lambda s: arrays(
            float, (s[0], *([s[1]] if clients else []), s[2], s[2]), elements=st.floats(0, 1, width=16)
        )
    )


def loops(a):
    """Every metric of one matrix, written exactly as defined (indices from 1)."""
    T = len(a)
    at = lambda t, i: a[t - 1][i - 1]  # noqa: E731
    found = {"acc": sum(at(T, i) for i in range(1, T + 1)) / T}
    found["average"] = [sum(at(t, i) for i in range(1, t + 1)) / t for t in range(1, T + 1)]
    if T > 1:
        drops = [at(T, i) - at(i, i) for i in range(1, T)]
        found |= {"bwt": sum(drops) / (T - 1), "worst": min(drops)}
        found["forget"] = sum(at(i, i) - at(T, i) for i in range(1, T)) / (T - 1)
        rate = lambda t, first: (  # noqa: E731
            sum(max(at(j, i) - at(t, i) for j in range(first(i), t)) for i in range(1, t)) / (t - 1)
        )
        found["F"] = [rate(t, lambda i: 1) for t in range(2, T + 1)]
        found["F_learnt"] = [rate(t, lambda i: i) for t in range(2, T + 1)]
    return found


OF_ONE_MODEL = {
    "acc": metrics.acc,
    "bwt": metrics.special_bwt,
    "worst": metrics.special_worst_drop,
    "forget": metrics.cflag_forget,
    "average": metrics.fedmes_average,
    "F": metrics.fedmes_forgetting,
    "F_learnt": metrics.learnt_forgetting,
}


@given(accuracies(least=2))
def test_definitions(a):
    for run in range(len(a)):
        for name, expected in loops(a[run]).items():
            assert OF_ONE_MODEL[name](a)[run] == pytest.approx(expected, abs=1e-12)
            assert OF_ONE_MODEL[name](a[run]) == pytest.approx(expected, abs=1e-12)


@given(accuracies(clients=True))
def test_averages_over_clients(a):
    clients, tasks = a.shape[1:3]
    for run in range(len(a)):
        A = np.array([loops(a[run, k])["average"] for k in range(clients)])
        assert metrics.fedmes_acc_client(a)[run] == pytest.approx(A.mean(1))
        assert metrics.fedmes_acc_task(a)[run] == pytest.approx(A.mean(0))
        printed = [
            sum(A[j, t] for j in range(clients) for _ in range(tasks)) / clients / tasks for t in range(tasks)
        ]
        assert metrics.fedmes_acc_all(a)[run] == pytest.approx(printed)
        assert metrics.fedmes_acc_all_mean(a)[run] == pytest.approx(A.mean())
        assert metrics.fedmes_acc_all_final(a)[run] == pytest.approx(A[:, -1].mean())


@given(accuracies(least=2))
def test_laws(a):
    tasks = a.shape[-1]
    rate, forget = metrics.fedmes_forgetting(a), metrics.cflag_forget(a)
    assert forget == pytest.approx(-metrics.special_bwt(a))
    assert rate == pytest.approx(metrics.chaudhry_forgetting(a))
    assert (rate[..., -1] >= forget - 1e-12).all()
    assert (rate >= metrics.learnt_forgetting(a) - 1e-12).all()
    assert (metrics.special_worst_drop(a) <= metrics.special_bwt(a) + 1e-12).all()
    assert ((tasks - 1) * rate[..., -1] <= tasks * (1 - metrics.acc(a)) + 1e-12).all()


@given(a=accuracies(clients=True, least=2), c=st.floats(0.5, 100))
def test_metrics_are_linear_in_the_unit(a, c):
    for metric in (*OF_ONE_MODEL.values(), metrics.fedmes_acc_all):
        assert metric(c * a) == pytest.approx(c * metric(a), abs=1e-9)


@pytest.mark.parametrize("convert", [torch.as_tensor, to_exact, to_interval, to_symbolic])
@pytest.mark.parametrize("name", [*OF_ONE_MODEL, "all"])
def test_every_arithmetic(name, convert):
    a = np.random.default_rng(0).integers(0, 8, (2, 3, 4, 4)) / 8
    metric = {**OF_ONE_MODEL, "all": metrics.fedmes_acc_all}[name]
    found = metric(convert(a))
    assert to_float(found) == pytest.approx(metric(a))
    assert tuple(found.shape) == metric(a).shape


def test_fractions_stay_exact():
    a = np.array([[Fraction(1, 3), Fraction(0)], [Fraction(1, 7), Fraction(1, 2)]], dtype=object)
    assert metrics.fedmes_forgetting(a)[0] == Fraction(1, 3) - Fraction(1, 7)
    assert metrics.acc(a) == Fraction(9, 28)


def test_gradients_pass():
    a = torch.rand(3, 3, dtype=torch.float64, requires_grad=True)
    metrics.cflag_forget(a).backward()
    expected = torch.zeros(3, 3, dtype=torch.float64)
    expected[0, 0] = expected[1, 1] = 1 / 2
    expected[2, :2] = -1 / 2
    assert torch.equal(a.grad, expected)


@given(arrays(float, (2, 9), elements=st.floats(0, 1, width=16)), st.integers(1, 9))
def test_best_epochs(curve, best):
    expected = np.sort(curve, axis=-1)[:, -best:].mean(-1)
    assert metrics.cfl_accuracy(curve, best) == pytest.approx(expected)
    assert to_float(metrics.cfl_accuracy(to_exact(curve), best)) == pytest.approx(expected)


def test_accuracies_on_tasks_to_come_may_be_missing():
    a = np.array([[0.5, np.nan], [0.25, 0.75]])
    assert metrics.acc(a) == 0.5
    assert metrics.cflag_forget(a) == 0.25
    assert metrics.fedmes_forgetting(a)[0] == 0.25
    wide = np.full((3, 3), 0.5)
    wide[0, 1] = np.nan
    assert metrics.learnt_forgetting(wide).tolist() == [0, 0]
    with pytest.raises(ValueError, match=r"`a` must hold numbers, got NaN at \(0, 1\)"):
        metrics.fedmes_forgetting(wide)


@pytest.mark.parametrize("convert", [np.asarray, torch.as_tensor])
def test_wrong_matrices(convert):
    with pytest.raises(ValueError, match=r"`a` must be square.* got shape \(2, 3\)"):
        metrics.acc(convert(np.zeros((2, 3))))
    with pytest.raises(ValueError, match=r"got shape \(3,\)"):
        metrics.fedmes_average(convert(np.zeros(3)))
    with pytest.raises(ValueError, match="at least 2 tasks"):
        metrics.cflag_forget(convert(np.zeros((4, 1, 1))))
    with pytest.raises(ValueError, match="axis of clients"):
        metrics.fedmes_acc_task(convert(np.zeros((2, 2))))
    with pytest.raises(ValueError, match=r"NaN at \(1, 0\)"):
        metrics.special_bwt(convert(np.array([[0.5, 0.5], [np.nan, 0.5]])))
    with pytest.raises(ValueError, match=r"`best` must be in 1..3"):
        metrics.cfl_accuracy(convert(np.zeros((2, 3))))
