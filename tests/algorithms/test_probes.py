"""Probes find the affine maps of affine methods, and refuse methods that are not affine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from algorithms.affine import NotAffine, affine_map, agree
from algorithms.algorithm import Algorithm, over_slots
from algorithms.fedavg import fedavg
from algorithms.probes import AffineRound, affine_round
from algorithms.simulate import play_round
from algorithms.special import special
from algorithms.unfold import kept_by_clients, parts, unfolded
from nqm.bounded import LogCosh
from nqm.fields import Array, to_exact, to_symbolic
from nqm.noise import Rademacher
from nqm.quadratic import DiagonalQuadratic
from tests.algorithms import cases
from tests.nqm.families import bounded_worlds

METHODS = cases.methods(names=cases.AFFINE)


def probe(
    method: Algorithm, task: int = 1, uncertain: Sequence[str] = (), world=None, of_single_clients=()
) -> AffineRound:
    world = cases.world() if world is None else world
    state = method.begin_task(method.init(cases.start()[None]), task)
    return affine_round(
        world, method, state, task, cases.N_SAMPLED, cases.LOCAL_STEPS, uncertain, of_single_clients
    )


def test_maps_of_fedavg_are_its_closed_form() -> None:
    world, local_lr, global_lr = cases.world(), 0.125, 1.5
    found = probe(fedavg(local_lr, global_lr))
    one_step = np.eye(cases.DIM) - local_lr * world.curvature[1]
    local = np.linalg.matrix_power(one_step, cases.LOCAL_STEPS)
    np.testing.assert_allclose(found.matrix, np.eye(cases.DIM) + global_lr * (local - np.eye(cases.DIM)))
    # a model at the centre of a client stays there
    centre = world.centre[1][..., None]
    np.testing.assert_allclose((found.matrix @ centre)[..., 0] + found.offset, world.centre[1], atol=1e-14)
    sigma = world.noise.sigma
    np.testing.assert_allclose(
        found.response[:, 1], -global_lr * local_lr * sigma * np.broadcast_to(np.eye(2), (4, 2, 2))
    )
    np.testing.assert_allclose(found.response[:, 0], -global_lr * local_lr * sigma * one_step)
    assert (found.moving, found.kept) == (("theta",), ())


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("task", [0, 1])
def test_maps_predict_rounds_of_every_method(method: Algorithm, task: int) -> None:
    rng, d = np.random.default_rng(1), cases.DIM
    own = kept_by_clients(method, np.zeros((1, d)))
    single = [part for name in own for part in parts(name, cases.N_CLIENTS)]
    method = unfolded(method, own, cases.N_CLIENTS)
    found = probe(method, task, ("theta", "anchor", "momentum", "control", *single), of_single_clients=single)
    state = method.begin_task(method.init(rng.normal(size=(cases.N_RUNS, d))), task)
    moving = {name: rng.normal(size=(cases.N_RUNS, d)) for name in found.moving}
    state = {**state, **moving}
    draws = cases.sampled()
    clients, noise = draws.participants(task, 0), draws.noise(task, 0)
    end = play_round(cases.world(), method, state, task, clients, noise)
    vectors = np.concatenate([state[name] for name in found.moving + found.kept], axis=-1)
    maps = np.einsum("rnpq,rq->rnp", found.matrix[clients], vectors) + found.offset[clients]
    shaken = np.einsum("rnepd,rned->rnp", found.response[clients], noise)
    after = np.concatenate([end[name] for name in found.moving], axis=-1)
    np.testing.assert_allclose(after, (maps + shaken).mean(1), rtol=0, atol=1e-13)


def test_what_is_certain_and_kept_becomes_part_of_the_offset() -> None:
    certain, uncertain = (probe(special(0.125, 1.5, 0.25), uncertain=of) for of in ((), ("anchor",)))
    assert (certain.kept, uncertain.kept) == ((), ("anchor",))
    np.testing.assert_allclose(certain.matrix, uncertain.matrix[..., : cases.DIM])
    pull = uncertain.matrix[..., cases.DIM :]
    np.testing.assert_allclose(pull, np.broadcast_to(np.eye(cases.DIM) * 0.25 / 1.25, pull.shape), atol=1e-15)
    np.testing.assert_allclose(certain.offset, uncertain.offset + pull @ cases.start())


def test_a_state_that_moves_besides_the_model_is_a_variable() -> None:
    averaging = fedavg(0.125)

    def aggregate(state, local, clients):
        end = averaging.aggregate(state, local, clients)
        velocity = state["velocity"] / 2 + end["theta"] - state["theta"]
        return {**end, "theta": state["theta"] + velocity, "velocity": velocity}

    method = replace(averaging, init=lambda x: {"theta": x, "velocity": 0 * x}, aggregate=aggregate)
    found = probe(method)
    assert found.moving == ("theta", "velocity")
    plain = probe(averaging)
    d = cases.DIM
    np.testing.assert_allclose(found.matrix[:, :d, :d], plain.matrix)
    np.testing.assert_allclose(found.matrix[:, d:, :d], plain.matrix - np.eye(d), atol=1e-15)
    np.testing.assert_allclose(found.matrix[:, :d, d:], np.broadcast_to(np.eye(d) / 2, (4, d, d)), atol=1e-15)


def test_weights_of_clients_and_exchanges_are_seen() -> None:
    weights = np.array([0.5, 1.0, 1.5, 2.0])
    plain = fedavg(0.125)

    def aggregate(state, local, clients):
        moved = (local["x"] - state["theta"][..., None, :]) * weights[clients][..., None]
        return {
            **state,
            "theta": state["theta"] + moved.sum(axis=-2) / clients.shape[-1] + state["shift"] / 8,
        }

    def exchange(state, oracle):
        return {**state, "shift": oracle.grad(over_slots(state["theta"], 4)).sum(axis=-2)}

    method = replace(plain, aggregate=aggregate, prepare=exchange)
    expected = np.eye(2) + weights[:, None, None] * (probe(plain).matrix - np.eye(2))
    found = probe(method)
    np.testing.assert_allclose(found.matrix, expected + cases.world().curvature[1].sum(0) / 8)


def test_exact_arithmetic_gives_exact_maps() -> None:
    method = special(Fraction(1, 3), 1, Fraction(1, 7))
    world = cases.in_arithmetic(cases.world(), to_exact)
    state = method.begin_task(method.init(to_exact(cases.start())[None]), 1)
    found = affine_round(world, method, state, 1, cases.N_SAMPLED, 1, ("anchor",))
    one_step = to_exact(np.eye(2)) - world.curvature[1] / 3
    assert (found.matrix[..., :2] == one_step * Fraction(7, 8)).all()
    assert (found.matrix[..., 2:] == to_exact(np.eye(2)) / 8).all()


def test_symbols_give_symbolic_maps() -> None:
    lam = sp.Symbol("lambda", positive=True)
    method = special(sp.Rational(1, 3), 1, lam)
    world = cases.in_arithmetic(cases.world(), to_symbolic)
    state = method.begin_task(method.init(to_symbolic(cases.start())[None]), 1)
    found = affine_round(world, method, state, 1, cases.N_SAMPLED, 1)
    expected = (1 - world.curvature[1, 0, 0, 0] / 3) / (1 + lam)
    assert sp.simplify(found.matrix[0, 0, 0] - expected) == 0


def clipped() -> Algorithm:
    plain = fedavg(0.125)
    return replace(plain, aggregate=lambda *of: {"theta": np.clip(plain.aggregate(*of)["theta"], -1, 1)})


def coordinatewise_median() -> Algorithm:
    return replace(
        fedavg(0.125), aggregate=lambda state, local, clients: {"theta": np.median(local["x"], axis=-2)}
    )


def decaying() -> Algorithm:
    plain = fedavg(0.125)

    def local_step(state, local, g):
        return {"x": local["x"] - g / (8 * local["step"]), "step": local["step"] + 1}

    return replace(
        plain, begin_round=lambda *of: {**plain.begin_round(*of), "step": 1}, local_step=local_step
    )


@pytest.mark.parametrize(
    ("method", "world"),
    [
        (
            fedavg(0.125),
            bounded_worlds(LogCosh, np.random.default_rng(0), (), 2, 4, 2, noise=Rademacher(0.5)),
        ),
        (clipped(), cases.world()),
        (coordinatewise_median(), cases.world()),
        (decaying(), cases.world()),
    ],
    ids=["curved gradients", "clipping", "median", "decaying steps"],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_is_no_mean_of_affine_maps_is_refused(method: Algorithm, world) -> None:
    with pytest.raises((NotAffine, ValueError), match=r"no mean over the sampled clients|directions"):
        probe(method, world=world)


@pytest.mark.parametrize("dim", [1, 3])
def test_maps_in_any_number_of_dimensions(dim: int) -> None:
    rng = np.random.default_rng(dim)
    world = DiagonalQuadratic(rng.uniform(0.5, 2, (1, 3, dim)), rng.normal(size=(1, 3, dim)), Rademacher(0.4))
    method = special(0.125, 1.5, 0.25)
    state = method.begin_task(method.init(np.ones((1, dim))), 0)
    found = affine_round(world, method, state, 0, 2, 2, ("anchor",))
    shrink = 1 - 0.125 * world.curvature[0]
    moved = (1 + 1.5 * (shrink**2 - 1)) / 1.25
    eye = np.eye(dim)
    np.testing.assert_allclose(found.matrix[..., :dim], moved[..., None] * eye, atol=1e-14)
    np.testing.assert_allclose(found.matrix[..., dim:], np.broadcast_to(0.2 * eye, (3, dim, dim)), atol=1e-14)
    np.testing.assert_allclose(found.offset, 1.2 * (1 - shrink**2) * world.centre[0], atol=1e-14)
    pushed = -1.2 * 0.125 * 0.4 * np.stack([shrink, np.ones_like(shrink)], 1)
    np.testing.assert_allclose(found.response, pushed[..., None] * eye, atol=1e-14)


@pytest.mark.parametrize("which", range(cases.N_CLIENTS))
def test_a_single_client_that_is_not_affine_is_found(which: int) -> None:
    """The check has enough rounds for every client to take part."""
    plain = fedavg(0.125)

    def aggregate(state, local, clients):
        moved = local["x"] - state["theta"][..., None, :]
        bent = np.where((clients == which)[..., None], moved * local["x"], moved)
        return {**state, "theta": state["theta"] + bent.sum(axis=-2) / clients.shape[-1]}

    with pytest.raises(NotAffine, match="no mean over the sampled clients"):
        probe(replace(plain, aggregate=aggregate))


@pytest.mark.parametrize("method", [fedavg(0.125), special(0.125, 1.5, 0.25)], ids=lambda method: method.name)
def test_maps_of_a_batch_of_worlds_are_those_of_each(method: Algorithm) -> None:
    worlds = cases.world(batch=(3,))
    together = probe(method, world=worlds, uncertain=("anchor",))
    for i in range(3):
        one = replace(worlds, curvature=worlds.curvature[i], centre=worlds.centre[i])
        alone = probe(method, world=one, uncertain=("anchor",))
        for name in ("matrix", "offset", "response"):
            whole, single = getattr(together, name), getattr(alone, name)
            np.testing.assert_allclose(
                np.broadcast_to(whole, (3, *single.shape))[i], single, rtol=0, atol=1e-13
            )


def test_functions_that_are_not_affine_are_refused() -> None:
    vectors = {"a": np.zeros((1, 2)), "b": np.zeros((1, 2))}
    found = affine_map(lambda s: {"c": 2 * s["a"] - s["b"] + 1}, vectors)
    np.testing.assert_array_equal(found.matrix, [[2, 0, -1, 0], [0, 2, 0, -1]])
    np.testing.assert_array_equal(found.offset, [1, 1])
    with pytest.raises(NotAffine, match="not affine"):
        affine_map(lambda s: {"c": s["a"] * s["b"]}, vectors)


@pytest.mark.parametrize("other", [1e-3, np.nan])
def test_agreement_is_no_formality(other: float) -> None:
    a: Array = np.ones(3)
    assert agree(a, a + 1e-12)
    assert not agree(a, a + other)
    assert not agree(to_exact(a), to_exact(a) + Fraction(1, 10**30))
