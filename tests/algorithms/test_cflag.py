"""C-FLAG, FedTrack, NCCL and replay: compared with plain loops and with each other, and their errors."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.algorithm import Algorithm
from algorithms.cflag import (
    AS_SENT,
    EQ7,
    EQ24,
    LINE_2,
    Message,
    adapted_rates,
    algorithm_3,
    average_case,
    cflag,
    worst_case,
)
from algorithms.draws import minibatches
from algorithms.fedavg import fedavg
from algorithms.fedtrack import fedtrack
from algorithms.memory import ring
from algorithms.nccl import nccl
from algorithms.replay import replay
from algorithms.simulate import local_path, play_round, state_before_local_work, trajectory
from nqm.arguments import map_parameters
from nqm.fields import Overlapping, to_exact, to_float, to_interval
from nqm.finite_sum import FiniteSum
from nqm.kinds import INTERVALS
from nqm.quadratic import DiagonalQuadratic

K, M, S, D, RUNS, ROUNDS = 2, 3, 3, 2, 2, 2
ALPHA, BETA, L = Fraction(1, 8), Fraction(1, 16), Fraction(3)
P = np.array([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], dtype=object)
RULE = ring(1)


def nothing_kept(kept: np.ndarray, order: np.ndarray, task: int, n_samples: int) -> np.ndarray:
    """A rule that stores no sample."""
    return kept


def world(seed: int, n_clients: int = M, n_samples: int = S) -> FiniteSum:
    rng = np.random.default_rng(seed)
    shape = (K, n_clients * n_samples, D)
    curvature, centre = rng.integers(1, 9, shape) / 4, rng.integers(-4, 5, shape) / 2
    samples = DiagonalQuadratic(curvature, centre)
    return FiniteSum(map_parameters(samples, to_exact), n_clients)


def draws(seed: int, local_steps: int, n_clients: int = M, n_samples: int = S) -> Any:
    return minibatches(seed, RUNS, np.full((K, n_clients), n_samples), n_clients, local_steps, 1, 1)


def path(
    method: Algorithm, seed: int, local_steps: int = 3, n_clients: int = M, n_samples: int = S
) -> np.ndarray:
    """Exact models of a few runs, so that equal values are exactly equal."""
    chosen = draws(seed, local_steps, n_clients, n_samples)
    return trajectory(world(seed, n_clients, n_samples), method, chosen, to_exact(np.ones(D) / 2), ROUNDS, K)


SEEDS = given(seed=st.integers(0, 10**6))


# ------------------------------------------------------------------------------- a second implementation, by loops


def sample_grad(of: FiniteSum, pool: int, client: int, x: np.ndarray) -> np.ndarray:
    row = client * of.n_samples + pool % of.n_samples
    task = pool // of.n_samples
    return of.samples.curvature[task, row] * (x - of.samples.centre[task, row])


def round_by_loops(of, x, kept, visits, alpha, beta, p, reading):
    """One round of C-FLAG from x (d,), all clients; `visits` (M, E), `kept` (M, capacity)."""
    n, S_ = len(p), of.n_samples
    mean = lambda each: sum(w * g for w, g in zip(p, each, strict=True))  # noqa: E731
    now = [[sample_grad(of, S_ + j, i, x) for j in range(S_)] for i in range(n)]
    own = [sum(table) / S_ for table in now]
    whole = mean(own)
    fd = mean([sum(sample_grad(of, k, i, x) for k in kept[i]) / len(kept[i]) for i in range(n)])
    messages, E = [], visits.shape[1]
    for i in range(n):
        y, table, a = x, list(now[i]), 0 * x
        for k in range(E):
            if k:
                table[visits[i, k]] = sample_grad(of, S_ + visits[i, k], i, y)
            delayed = sum(table) / S_
            a = a + delayed
            y = y - beta * (whole - own[i] + delayed)
        if reading == "text":
            messages.append(y - alpha * fd)
        elif reading == "eq7":
            messages.append(alpha * fd + beta * y)
        elif reading == "line 2":
            messages.append(alpha * fd + y)
        elif reading == "eq24":
            messages.append(alpha * fd + x - y)
        else:
            if reading == "algorithm 3":
                a = x - E * beta * (whole - own[i]) - y
            Lam = (fd * a).sum()
            factor = p[i] if reading == "average" else n * p[i]
            if Lam > 0:
                alpha_i, beta_i = alpha, (1 - L * alpha) * Lam / (L * factor * (a * a).sum())
            else:
                alpha_i, beta_i = alpha * (1 - Lam / (fd * fd).sum()), beta
            line_4 = x - E * beta * (whole - own[i]) - y
            messages.append(alpha_i * fd + E * beta_i * (whole - own[i]) + beta_i / beta * line_4)
    return x - mean(messages)


READINGS: dict[str, Message] = {
    "eq24": EQ24,
    "eq7": EQ7,
    "line 2": LINE_2,
    "text": AS_SENT,
    "average": average_case(L),
    "worst": worst_case(L),
    "algorithm 3": algorithm_3(L),
}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("weights", [None, P], ids=["equal weights", "weights"])
@settings(max_examples=8)
@SEEDS
def test_a_round_of_every_reading(reading: str, weights: Any, seed: int) -> None:
    of, rng = world(seed), np.random.default_rng(seed)
    method = cflag(ALPHA, BETA, M, 2, RULE, weights, READINGS[reading])
    kept = np.array([rng.permutation(S)[:2] for _ in range(M)])
    visits = rng.integers(0, S, (M, 4))
    x = to_exact(rng.integers(-4, 5, D) / 2)
    state = {**method.begin_task(method.init(x[None]), 1), "kept": kept[None]}
    found = play_round(of, method, state, 1, np.arange(M)[None], visits[None, ..., None])["theta"][0]
    p = [Fraction(1, M)] * M if weights is None else list(P)
    assert (found == round_by_loops(of, x, kept, visits, ALPHA, BETA, p, reading)).all()


def test_the_toy_example_of_delayed_gradients() -> None:
    # three samples: all at the download, then the first again, then the third (text below Eq. 5)
    of = world(0, 1, 3)
    method = fedtrack(BETA, 1)
    state = state_before_local_work(of, method, method.init(to_exact(np.ones((1, D)))), 1)
    visits = np.array([[[[1], [0], [2]]]])
    xs = [to_exact(np.ones(D))]
    path_ = list(local_path(of, method, state, 1, np.zeros((1, 1), int), visits))
    xs += [local["x"][0, 0] for local in path_]
    g = lambda j, k: sample_grad(of, 3 + j, 0, xs[k])  # noqa: E731
    expected = [
        (g(0, 0) + g(1, 0) + g(2, 0)) / 3,
        (g(0, 1) + g(1, 0) + g(2, 0)) / 3,
        (g(0, 1) + g(1, 0) + g(2, 2)) / 3,
    ]
    for local, delayed in zip(path_, expected, strict=True):
        assert (local["delayed"][0, 0] == delayed).all()
    assert (path_[-1]["summed"][0, 0] == sum(expected)).all()


# ------------------------------------------------------------------------------------------------------ reductions


@settings(max_examples=8)
@SEEDS
def test_fedtrack_with_one_step_is_gradient_descent(seed: int) -> None:
    of = world(seed)
    x = to_exact(np.ones(D) / 2)
    found = path(fedtrack(BETA, M), seed, local_steps=1)[0, :, 0]
    for t in range(ROUNDS + 1):
        assert (found[t] == x).all()
        x = x - BETA * of.at(0).grad(np.stack([x] * M)).sum(axis=0) / M


@settings(max_examples=8)
@SEEDS
def test_without_memory_cflag_is_fedtrack(seed: int) -> None:
    plain = path(fedtrack(BETA, M, P), seed)
    assert (path(cflag(ALPHA, BETA, M, 0, RULE, P), seed) == plain).all()
    assert (path(cflag(ALPHA, BETA, M, 2, nothing_kept, P), seed) == plain).all()
    # an empty memory has no gradient to adapt to
    for message in (average_case(L), worst_case(L), algorithm_3(L)):
        assert (path(cflag(ALPHA, BETA, M, 2, RULE, P, message), seed)[0] == plain[0]).all()


@settings(max_examples=8)
@SEEDS
def test_without_memory_replay_and_nccl_are_fedavg(seed: int) -> None:
    plain = path(fedavg(BETA), seed)
    for capacity, rule in ((0, RULE), (2, nothing_kept)):
        assert (path(replay(BETA, Fraction(1, 2), M, capacity, rule), seed) == plain).all()
        assert (path(nccl(BETA, L, M, capacity, rule), seed) == plain).all()
    assert (path(replay(BETA, Fraction(1, 2), M, 2, RULE), seed)[0] == plain[0]).all()
    assert (path(replay(BETA, Fraction(1, 2), M, 2, RULE), seed)[1, 1:] != plain[1, 1:]).any()


@settings(max_examples=8)
@SEEDS
def test_with_one_client_and_one_step_cflag_is_nccl(seed: int) -> None:
    # one sample in each task, so that minibatches are full gradients
    for message in (average_case(L), worst_case(L)):
        own = path(cflag(ALPHA, ALPHA, 1, 1, RULE, message=message), seed, 1, 1, 1)
        assert (own == path(nccl(ALPHA, L, 1, 1, RULE), seed, 1, 1, 1)).all()


@settings(max_examples=8)
@SEEDS
def test_with_one_client_both_cases_agree(seed: int) -> None:
    paths = [
        path(cflag(ALPHA, BETA, 1, 2, RULE, message=case(L)), seed, 3, 1)
        for case in (average_case, worst_case)
    ]
    assert (paths[0] == paths[1]).all()


def test_a_step_of_replay() -> None:
    of, x = world(1), to_exact(np.ones((1, D)))
    method = replay(BETA, Fraction(1, 4), M, 2, RULE)
    kept = np.array([[[0, 2], [1, -1], [-1, -1]]])
    u = np.array([[[[0, 5]], [[1, 4]], [[2, 3]]]])
    state = {**method.init(x), "kept": kept}
    found = play_round(of, method, state, 1, np.arange(M)[None], u)["theta"][0]
    steps = []
    for client, (current, remembered) in enumerate([(3, 2), (4, 1), (5, None)]):
        g = sample_grad(of, current, client, x[0])
        if remembered is not None:
            g = Fraction(3, 4) * g + Fraction(1, 4) * sample_grad(of, remembered, client, x[0])
        steps.append(g)
    assert (found == x[0] - BETA * sum(steps) / M).all()


# ------------------------------------------------------------------------------------------------- adapted rates

VECTORS = st.lists(st.integers(-8, 8), min_size=2, max_size=2).map(lambda v: to_exact(np.array(v) / 4))


@given(fd=VECTORS, a=VECTORS, beta=st.fractions(Fraction(1, 8), 4), share=st.fractions(Fraction(1, 8), 1))
def test_adapted_rates_do_not_raise_the_contribution(fd, a, beta, share) -> None:
    # Lemma 6 and Eq. (198), for one client at alpha = beta
    smoothness = Fraction(1, 2) / beta
    alpha_i, beta_i = adapted_rates(
        beta, beta, smoothness, fd[None], a[None], np.array([[share]], dtype=object)
    )
    Lam, a2 = (fd * a).sum(), (a * a).sum()
    term = lambda on_memory, on_current: (  # noqa: E731
        smoothness * on_current**2 / 2 * share * a2 - on_current * (1 - smoothness * on_memory) * Lam
    )
    assert term(alpha_i[0, 0], beta_i[0, 0]) <= term(beta, beta)
    assert alpha_i[0, 0] >= beta
    assert beta_i[0, 0] > 0


def test_no_memory_gradient_changes_no_rate() -> None:
    for array in (np.asarray, torch.tensor, to_exact):
        rates = adapted_rates(0.5, 0.25, 1.0, array(np.zeros((1, 2))), array(np.ones((3, 2))), 1)
        assert [float(rate[0, 0]) for rate in rates] == [0.5, 0.25]


def test_an_agreement_that_intervals_leave_open_is_refused() -> None:
    summed, about_zero = [[1, 0], [0, 1], [1, 1]], INTERVALS.mpf([-1, 1])
    rates = adapted_rates(ALPHA, BETA, L, to_interval([[2, 1]]), to_interval(summed), 1)
    exact = adapted_rates(ALPHA, BETA, L, to_exact([[2, 1]]), to_exact(summed), 1)
    np.testing.assert_allclose([to_float(rate) for rate in rates], [to_float(rate) for rate in exact])
    with pytest.raises(Overlapping):
        adapted_rates(ALPHA, BETA, L, to_interval([[about_zero, 1]]), to_interval(summed), 1)


def test_the_printed_rate_of_current_data_is_larger_by_one_over_beta() -> None:
    # Algorithm 3, line 8, at the reported learning rate: ten thousand times Table 1
    of, beta = world(3), Fraction(1, 10_000)
    x, kept = to_exact(np.full((1, D), 3)), np.tile(np.arange(2), (1, M, 1))
    moved = []
    for message in (worst_case(L), algorithm_3(L), EQ24):
        method = cflag(beta, beta, M, 2, RULE, message=message)
        state = {**method.init(x), "kept": kept}
        moved.append(
            play_round(of, method, state, 1, np.arange(M)[None], np.zeros((1, M, 1, 1), int))["theta"]
        )
    table, printed, fixed = (theta - x + 0 * moved[0] for theta in moved)
    memory_step = lambda step: step[0, 0]  # noqa: E731
    assert abs(memory_step(printed)) > 1000 * abs(memory_step(table))
    assert abs(memory_step(table)) > abs(memory_step(fixed))


# --------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cflag(0, BETA, M, 2, RULE), "`alpha` must be finite and > 0"),
        (lambda: cflag(ALPHA, 0.0, M, 2, RULE), "`local_lr` must be finite and > 0"),
        (
            lambda: cflag(0.5, 0.5, M, 2, RULE, message=worst_case(2.0)),
            r"`alpha\*smoothness` must be .* < 1.*got 1\.0",
        ),
        (lambda: cflag(0.5, 0.5, M, 2, RULE, message=worst_case(0.0)), "`smoothness` must be finite and > 0"),
        (lambda: nccl(0.5, 2.5, M, 2, RULE), r"`alpha\*smoothness` must be .* < 1"),
        (lambda: fedtrack(0.5, 0), "`n_clients` must be an integer >= 1, got 0"),
        (lambda: fedtrack(0.5, 2, [0.5, 0.4]), "`weights` must be 2 numbers > 0 that sum to 1"),
        (lambda: fedtrack(0.5, 3, [0.5, 0.5]), "`weights` must be 3 numbers > 0 that sum to 1"),
        (lambda: fedtrack(0.5, 2, [1.5, -0.5]), "`weights` must be 2 numbers > 0 that sum to 1"),
        (lambda: replay(0.5, 1.0, M, 2, RULE), "`memory_share` must be strictly between 0 and 1"),
        (lambda: replay(0.5, 0.5, M, -1, RULE).init(np.zeros((1, 1))), "`capacity` must be an integer >= 0"),
        (lambda: draws(0, 0), "`local_steps` must be an integer >= 1, got 0"),
    ],
)
def test_what_they_refuse(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
