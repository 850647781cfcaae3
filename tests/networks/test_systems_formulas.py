"""Systems that need networks: their formulas compared with automatic differentiation; differences of released code."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from algorithms import cfl_mcmc, fedweit, mfcl, pfeddil, refed, target
from algorithms.algorithm import Moment
from algorithms.draws import minibatches
from algorithms.simulate import states
from tests.networks.cases import MODEL, SIZES, C, K, M, S, close, made, models, sample_grad, world
from tests.networks.test_systems import DRAWS, RUNS, START, STEPS, last_state
from verify.networks.training.generators import generator


def fixed(n: int = 3, seed: int = 5) -> tuple[torch.Tensor, torch.Tensor]:
    """Images and labels that a server might have generated."""
    rng = np.random.default_rng(seed)
    images = torch.from_numpy(rng.random((n, *MODEL.image)).astype(np.float32))
    return images, torch.from_numpy(rng.integers(C, size=n))


def own_minibatch() -> tuple[Any, torch.Tensor, torch.Tensor, np.ndarray]:
    """The second task of client 0, a minibatch of it, and the indices that select it."""
    here = world("class")
    oracle, u = here.at(1, np.array([0])), np.array([[[1, 0]]])
    rows = oracle.rows[0, [1, 0]]
    return oracle, here.samples.images[rows], here.samples.labels[rows], u


def slope(loss: Any, theta: torch.Tensor) -> torch.Tensor:
    point = theta.clone().requires_grad_()
    return torch.autograd.grad(loss(point), point)[0]


NEW, OLD = torch.tensor([False, False, True, True]), torch.tensor([True, True, False, False])


def test_a_client_of_target_descends_its_loss() -> None:
    oracle, images, labels, u = own_minibatch()
    theta, (extra, _), answers = (
        models(1)[0],
        fixed(),
        torch.randn(3, C, generator=torch.Generator().manual_seed(0)),
    )

    def loss(point: torch.Tensor) -> torch.Tensor:
        new = F.cross_entropy(MODEL.logits(point, images)[:, 2:], labels - 2)
        ours, theirs = (part[:, :2] / target.TEMPERATURE for part in (MODEL.logits(point, extra), answers))
        kept = -(theirs.softmax(-1) * ours.log_softmax(-1)).sum(-1).mean()
        return new + 0.7 * kept

    parts = theta, torch.tensor([0.7]), extra.flatten(), answers.flatten()
    found = oracle.on_minibatch(target.taught, [part[None, None] for part in parts], u, NEW, OLD)
    close(found[0, 0], slope(loss, theta))


def test_a_client_of_mfcl_descends_its_loss() -> None:
    oracle, images, labels, u = own_minibatch()
    (theta, teacher), (extra, of_extra) = models(2), fixed()
    *_, weight, _ = MODEL.unflatten(teacher)

    def loss(point: torch.Tensor) -> torch.Tensor:
        new = F.cross_entropy(MODEL.logits(point, images)[:, 2:], labels - 2)
        of_head, of_old = [], []
        for some, theirs in ((images, labels), (extra, of_extra)):
            features = MODEL.features(point, some)
            of_head.append(F.cross_entropy(MODEL.scores(point, features.detach()), theirs))
            apart = (features - MODEL.features(teacher, some)) @ weight[:2].T
            of_old.append((apart**2).sum(-1).mean() / 2)
        return new + 0.3 * sum(of_head) / 2 + 0.9 * sum(of_old) / 2

    parts = theta, teacher, torch.tensor([0.9]), torch.tensor([0.3]), extra.flatten(), of_extra
    found = oracle.on_minibatch(mfcl.taught, [part[None, None] for part in parts], u, NEW, OLD)
    close(found[0, 0], slope(loss, theta))


def test_the_generator_of_mfcl_descends_its_loss() -> None:
    """Adam's first step has the signs of the gradient, and each of four terms contributes to them."""
    here, makes = world("class"), generator(MODEL.image)
    how = replace(mfcl.PAPER, steps=1, batch=8, diversity=3.0, statistics=0.5, smoothness=0.7)
    own = 0.3 * torch.randn(RUNS, makes.dim, generator=torch.Generator().manual_seed(0))
    state, when = {"theta": START, "generator": own}, moment(1)
    moved = mfcl.trained(here, state, when, MODEL, makes, how) - own
    mean, variance = mfcl.feature_statistics(here, state, 1)
    z = torch.as_tensor(DRAWS.normals(1, 0)(2, 8, makes.n_latent), dtype=torch.float32)
    for run in range(RUNS):

        def loss(point: torch.Tensor, run: int = run) -> torch.Tensor:
            images = makes.images(point, z[run])
            features = MODEL.features(START[run], images)
            answers = MODEL.scores(START[run], features)
            p = answers.softmax(-1).mean(0)
            laws = [
                torch.distributions.Normal(m, (v + mfcl.LEAST).sqrt())
                for m, v in ((mean[run], variance[run]), (features.mean(0), features.var(0, correction=0)))
            ]
            sure = F.cross_entropy(answers / how.temperature, answers.argmax(-1))
            uneven = 1 - torch.distributions.Categorical(p).entropy() / np.log(C)
            apart = torch.distributions.kl_divergence(*laws).mean()
            rough = ((images - mfcl.blurred(images)) ** 2).mean()
            return sure + 3 * uneven + 0.5 * apart + 0.7 * rough

        g = slope(loss, own[run])
        clear = g.abs() > 1e-4 * g.abs().max()
        assert clear.sum() > 20
        assert (moved[run][clear].sign() == -g[clear].sign()).all()


def test_the_divergence_of_mfcl_is_that_of_normal_laws() -> None:
    a, b = (
        torch.distributions.Normal(*law) for law in ((torch.tensor([0.3]), 2.0), (torch.tensor([1.0]), 0.5))
    )
    found = mfcl.divergence(a.mean, a.variance - mfcl.LEAST, b.mean, b.variance - mfcl.LEAST)
    close(found, torch.distributions.kl_divergence(a, b)[0])


def test_blurred_images_keep_their_sum_inside_and_constants() -> None:
    close(mfcl.blurred(torch.full((2, 1, 4, 5), 0.4)), torch.full((2, 1, 4, 5), 0.4))
    spot = torch.zeros(1, 1, 5, 5)
    spot[0, 0, 2, 2] = 16
    assert mfcl.blurred(spot)[0, 0, 1:4, 1:4].tolist() == [[1, 2, 1], [2, 4, 2], [1, 2, 1]]


@pytest.mark.parametrize("rate", [0.05, 3.0])
def test_re_fed_keeps_what_had_the_largest_gradients(rate: float) -> None:
    """Gradients along the steps of a personal model on all samples, new and stored."""
    here, lam = world(), 0.4
    method = refed.refed(0.1, rate, lam, 3, M, 2)
    state = dict(method.init(models(1)))
    held: list[list[int]] = [[] for _ in range(M)]
    for task in range(K):
        state = dict(method.begin_task({**state, "theta": models(1, seed=task)}, task))
        kept = method.end_task(here, state, task, None)["kept"]
        for client in range(M):
            numbers = [*(task * S + j for j in range(SIZES[task, client])), *held[client]]
            best = ranked(here, state["theta"][0], client, numbers, rate, (1 - lam) / (2 * lam))
            held[client] = [numbers[place] for place in best[:2]]
        assert kept[0].tolist() == [one + [-1] * (2 - len(one)) for one in held]
        state["kept"] = kept


def ranked(here: Any, theta: Any, client: int, numbers: list[int], rate: float, q: float) -> list[int]:
    """Places of samples by the sum over steps p of 1/p times the length of their gradient, longest first."""
    v, scores = theta.clone(), torch.zeros(len(numbers))
    for p in (1, 2, 3):
        slopes = torch.stack([sample_grad(here, v, number // S, client, number % S) for number in numbers])
        scores += slopes.norm(dim=-1) / p
        v = v - rate * (slopes.mean(0) + q * (v - theta))
    return scores.argsort(descending=True).tolist()


def test_norms_of_single_gradients() -> None:
    here, x = world(), models(1, M)
    norms = here.at(1).gradient_norms(x)
    for client in range(M):
        for j in range(SIZES[1, client]):
            one = here.over(np.array([[[S + j]]]), np.array([client])).grad(x[:, client : client + 1])
            close(norms[0, client, j], one.norm())
        assert (norms[0, client, SIZES[1, client] :] == 0).all()


def test_samples_of_the_chain_descend_the_energy() -> None:
    rng = torch.Generator().manual_seed(0)
    x, images = torch.rand(1, 2, 4, generator=rng), torch.rand(1, 5, 4, generator=rng)
    same = torch.tensor([[[True, False, True, True, False], [False, True, False, False, False]]])

    def energy(point: torch.Tensor) -> torch.Tensor:
        near = torch.exp(-((point[:, :, None] - images[:, None]) ** 2).sum(-1) / (2 * 0.3**2))
        return -(0.3**2) * (near * same).sum(-1).log().sum()

    close(x - cfl_mcmc.targets_of(x, images, same, 0.3), slope(energy, x))


def test_made_samples_have_labels_of_the_client_and_end_near_its_images() -> None:
    still = cfl_mcmc.Chain(steps=60, rate=0.5, noise=0.0, width=0.05)
    state = last_state(made("cfl-mcmc", world("class"), each=4, chain=still))
    here = world("class")
    for task in range(K):
        for client in range(M):
            images, labels, held = here.at(task, np.array([client])).contents
            images, labels = images[held].flatten(1), labels[held]
            for run in range(RUNS):
                for x, label in zip(
                    *(state[name][run, client, 4 * task :][:4] for name in ("made", "labels")), strict=True
                ):
                    apart = (images[labels == label] - x).norm(dim=-1)
                    assert apart.min() < 1e-2


def test_a_client_of_fedweit_descends_its_loss() -> None:
    """The objective by automatic differentiation, in the second of three tasks."""
    d, n, tasks, strengths = 4, 2, 3, {"sparsity": 0.02, "mask_sparsity": 0.03, "drift": 0.5}
    units, head = ((2, 1), (1, 2)), np.array([0, 0, 0, 1])
    rng = np.random.default_rng(0)
    method = fedweit.fedweit(
        0.1, **strengths, n_clients=n, n_tasks=tasks, units=units, head=head, rules=fedweit.PAPER
    )
    state = dict(method.init(torch.from_numpy(rng.normal(size=(1, d)))))
    for name in ("base", "adaptive", "mask", "attention", "known", "frozen"):
        state[name] = torch.from_numpy(rng.normal(size=tuple(state[name].shape)))
    state["task"] = 1
    local = method.begin_round(state, np.arange(n), None)
    target_of = torch.from_numpy(rng.normal(size=(1, n, d)))
    moved = method.local_step(state, local, lambda point: point - target_of)

    body = torch.from_numpy(1 - head)
    B, A, m, alpha = (local[name].clone().requires_grad_() for name in ("x", "A", "m", "alpha"))
    rows_A, rows_m = A.reshape(1, n, tasks, d), m.reshape(1, n, tasks, -1)
    masks = fedweit.spread(rows_m.sigmoid(), units)
    borrowed = (local["borrowed"] * alpha) @ state["known"]
    theta = body * (B * masks[..., 1, :] + borrowed) + rows_A[..., 1, :]
    gap = body * (
        B * masks[..., 0, :].detach() + rows_A[..., 0, :] - local["frozen"].reshape(1, n, tasks, d)[..., 0, :]
    )
    loss = ((theta - target_of) ** 2).sum() / 2 + strengths["drift"] / 2 * (gap**2).sum()
    loss = loss + strengths["sparsity"] * (body * rows_A[..., :2, :]).abs().sum()
    loss = loss + strengths["mask_sparsity"] * rows_m[..., 1, :].abs().sum()
    loss.backward()
    for name, entry in {"x": B, "A": A, "m": m, "alpha": alpha}.items():
        torch.testing.assert_close(moved[name], local[name] - 0.1 * entry.grad)


def test_what_fedweit_lends_is_the_large_part_of_a_body() -> None:
    """The parameters of a finished task above the threshold, without the head, and their owners."""
    d, n, tasks, sparsity = 4, 2, 3, 0.3
    head, rng = np.array([0, 0, 0, 1]), np.random.default_rng(1)
    method = fedweit.fedweit(
        0.1,
        sparsity,
        0.0,
        0.0,
        n_clients=n,
        n_tasks=tasks,
        units=((2, 1), (1, 2)),
        head=head,
        rules=fedweit.PAPER,
    )
    state = dict(method.init(torch.from_numpy(rng.normal(size=(1, d)))))
    adaptive = torch.from_numpy(rng.normal(size=tuple(state["adaptive"].shape)))
    known = method.begin_task({**state, "task": 0, "adaptive": adaptive}, 1)["known"]
    finished = adaptive.reshape(1, n, tasks, d)[..., 0, :]
    expected = torch.where(finished.abs() > sparsity, finished, 0) * torch.from_numpy(1 - head)
    assert (known.reshape(1, n, tasks, d)[..., 0, :] == expected).all()
    assert not known.reshape(1, n, tasks, d)[..., 1:, :].any()
    assert 0 < (expected != 0).sum() < 3 * n


@pytest.mark.parametrize("task", range(4))
def test_who_borrows_what_of_which_task(task: int) -> None:
    """In the paper: all earlier tasks of the others; in the released code: the last task of all clients."""
    n, tasks, start = 2, 4, torch.zeros(1, 2)
    sizes: dict[str, Any] = {
        "n_clients": n,
        "n_tasks": tasks,
        "units": ((1, 1), (1, 1)),
        "head": np.array([0, 1]),
    }
    for rules in (fedweit.PAPER, fedweit.RELEASED):
        method = fedweit.fedweit(0.1, 0.0, 0.0, 0.0, **sizes, rules=rules)
        state = {**method.init(start), "task": task}
        found = method.begin_round(state, np.arange(n), None)["borrowed"].reshape(n, n, tasks)
        for client, owner, j in np.ndindex(n, n, tasks):
            paper = owner != client and j < task
            assert found[client, owner, j] == (paper if rules is fedweit.PAPER else j == task - 1)


def test_a_mixture_is_a_mean_of_its_models() -> None:
    mixture, both = pfeddil.Mixture(MODEL, 2), models(2)
    gates = torch.randn(2, MODEL.n_features + 1, generator=torch.Generator().manual_seed(1))
    images, _ = fixed()
    weights = torch.stack(
        [pfeddil.gated(g, MODEL.features(x, images)).sigmoid() for x, g in zip(both, gates, strict=True)]
    )
    outputs = torch.stack([MODEL.logits(x, images).softmax(-1) for x in both])
    expected = (weights[..., None] * outputs).sum(0) / weights.sum(0)[:, None]
    whole = torch.cat([both.flatten(), gates.flatten(), torch.ones(2)])
    torch.testing.assert_close(mixture.logits(whole, images).exp(), expected, rtol=1e-3, atol=1e-4)
    alone = torch.cat([whole[:-1], torch.zeros(1)])
    close(mixture.logits(alone, images).exp(), outputs[0])


def test_clients_without_a_model_of_their_own_use_the_servers() -> None:
    method, (images, _) = made("pfeddil", world("class"), models=2), fixed()
    start = method.init(START)
    for met in (0, 1):
        used = torch.zeros_like(start["used"])
        used[:, 0, :] = met
        state = {**start, "used": used, "models": start["models"] + 1, "gates": start["gates"] + 0.3}
        served, mixture = method.served(state), pfeddil.Mixture(MODEL, 2)
        for run in range(RUNS):
            for client in range(M):
                theta = START[run] + (met and client == 0)
                expected = MODEL.logits(theta, images).softmax(-1)
                close(mixture.logits(served[run, client], images).exp(), expected)


@pytest.mark.parametrize(("lam", "used"), [(0.999, [1, 1]), (0.001, [1, 0])])
def test_a_model_is_begun_where_no_gate_knows_the_task(lam: float, used: list[int]) -> None:
    everyone = minibatches(0, RUNS, SIZES, M, STEPS, 2, memory_batch=2)
    state = last_state(made("pfeddil", world("class"), lam=lam, models=2), everyone)
    assert state["used"].tolist() == [[used] * M] * RUNS


# --------------------------------------------------------------------------------- released code and papers


def moment(task: int = 0) -> Moment:
    return Moment(task, 0, DRAWS.normals(task, 0))


def test_released_target_has_no_student() -> None:
    """Its warm-up is longer than the synthesis, so the adversarial term of the paper is never used."""
    assert moved_by_student(target.PAPER)
    assert not moved_by_student(target.RELEASED)


def moved_by_student(how: target.Synthesis) -> bool:
    """Whether the images depend on the weight of the adversarial term."""
    short = replace(how, batches=2, batch=4, steps=2, student_steps=1)
    with_student, without = (
        target.synthesised(
            world("class"),
            {"theta": START},
            moment(),
            MODEL,
            generator(MODEL.image),
            replace(short, adversarial=w),
        )[0]
        for w in (1.0, 0.0)
    )
    return bool((with_student != without).any())


def test_released_fedcil_has_no_consistency() -> None:
    """The paper's terms are used from the second round of a task on; the released code multiplies them by 0."""
    here, steps = world("class"), {"local_lr": 0.1, "generator_lr": 0.002}
    paths = [
        [state["theta"] for _, played, state in states(here, method, DRAWS, START, 2, 1) if played]
        for method in (made(name, here, **steps) for name in ("fedcil/paper", "fedcil/released"))
    ]
    first, second = zip(*paths, strict=True)
    assert (first[0] == first[1]).all()
    assert (second[0] != second[1]).any()
    apart = made("fedcil/paper", here, consistency=0, **steps)
    *_, (_, _, state) = states(here, apart, DRAWS, START, 2, 1)
    assert (state["theta"] == second[1]).all()


def test_released_mfcl_hardly_asks_for_sure_labels() -> None:
    """Logits divided by 1,000 have less than a hundredth of the paper's gradient."""
    logits = 3 * torch.randn(50, C, generator=torch.Generator().manual_seed(0))
    slopes = {
        how.temperature: slope(
            lambda x, how=how: mfcl.certainty(x, torch.ones(C, dtype=torch.bool), how.temperature), logits
        )
        for how in (mfcl.PAPER, mfcl.RELEASED)
    }
    assert slopes[1e3].norm() < slopes[1.0].norm() / 100


def test_released_fedweit_sends_and_learns_and_borrows_less() -> None:
    here = world("class")
    everyone = minibatches(0, RUNS, SIZES, M, STEPS, 2)
    past = {}
    for version in ("paper", "released"):
        path = [
            (task, state)
            for task, _, state in states(here, made(f"fedweit/{version}", here), everyone, START, 1, K)
        ]
        before, after = (state["adaptive"].unflatten(-1, (K, -1))[..., 0, :] for task, state in path[-2:])
        past[version] = (before != after).any()
        borrowed = made(f"fedweit/{version}", here).begin_round(path[-1][1], np.arange(M), None)["borrowed"]
        owners = borrowed.unflatten(-1, (M, K))[..., 0]
        assert (owners == (1 - torch.eye(M) if version == "paper" else torch.ones(M, M))).all()
    assert past == {"paper": True, "released": False}

    m, base = torch.tensor([[0.1, -0.5, 0.2, 0.0]]), torch.ones(1, 4)
    units = ((4, 1),)
    sent, which = fedweit.PAPER.upload(base, m.sigmoid(), m, units)
    assert (sent == m.sigmoid()).all()
    assert which.all()
    sent, which = fedweit.of_largest_masks(0.5)(base, m.sigmoid(), m, units)
    assert (sent == base).all()
    assert which.tolist() == [[0, 1, 1, 0]]
