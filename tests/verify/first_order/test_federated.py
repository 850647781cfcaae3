"""Methods of `algorithms` on all losses of a class: recorded runs, proofs and counterexamples."""

import functools
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from algorithms.algorithm import Algorithm
from algorithms.draws import enumerate_draws
from algorithms.fedavg import fedavg
from algorithms.simulate import states
from verify import Box, Notes, run
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import Scene
from verify.engine.verdict import Finding, Verdict
from verify.first_order import losses, smooth, smooth_convex, smooth_strongly_convex
from verify.first_order.recording import Linear, NotAffine, Recording, in_means, recorded
from verify.quantities import (
    E,
    M,
    distance2,
    distance2_0,
    distance2_before,
    drift2,
    eta,
    gap,
    grad2_before,
    loss,
    loss_before,
    mu,
    sigma2,
    t,
    zeta2,
)
from verify.running import method_named

q, RHO = 1 - eta * mu, sp.Symbol("rho", positive=True)
STRONGLY = losses(smooth_strongly_convex, mu="1/10")
EVERYONE = losses(smooth_strongly_convex, clients="any", mu="1/10")
SHORT = ("eta", Box(0.25, 0.25))
HESSIANS, TILTS = [Fraction(1, 2), Fraction(3), Fraction(5, 4)], [Fraction(1), Fraction(-2), Fraction(1, 3)]
NUMBERS = {"eta": Fraction(1, 7), "eta_g": Fraction(3, 2), "p": Fraction(1, 3)}
METHODS = [
    ("fedavg", {"local_lr": "eta", "global_lr": "eta_g"}),
    ("fedprox", {"local_lr": "eta", "mu": "p"}),
    ("scaffold", {"local_lr": "eta", "global_lr": "eta_g"}),
    ("scaffold_full_gradients", {"local_lr": "eta", "global_lr": "eta_g"}),
    ("mimelite", {"local_lr": "eta", "momentum": "p"}),
    ("special", {"local_lr": "eta", "global_lr": "eta_g", "lam": "p"}),
    ("fedprox_exact", {"mu": "p", "global_lr": "eta_g"}),
]


def judged(scene: Scene, relation: sp.Rel, *conditions: sp.Rel) -> Finding:
    claim = Notes("own").claim("claim", relation, *conditions, scene=scene)
    return claim.checks[0](claim, BUDGETS["quick"], 0)


# --------------------------------------------------------------------------------------------- recorded runs


class Quadratics:
    """Clients with losses h x^2/2 + b x, in fractions."""

    n_clients = 3

    def at(self, task: int, clients: Any = None) -> Any:
        who = np.arange(3) if clients is None else clients
        self.h, self.b = (np.array(x, dtype=object)[who][..., None] for x in (HESSIANS, TILTS))
        here = Quadratics()
        here.h, here.b = self.h, self.b
        return here

    def grad(self, x: np.ndarray) -> np.ndarray:
        return self.h * x + self.b

    def stochastic_grad(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return self.grad(x)


def gradient_at(client: int, point: Fraction, own: Fraction) -> Fraction:
    """The gradient g of a client's loss at ``point + own * g``: `own` is not 0 for a proximal point."""
    return (HESSIANS[client] * point + TILTS[client]) / (1 - HESSIANS[client] * own)


def made(name: str, hyper: Mapping[str, str], numbers: Mapping[str, Any]) -> Algorithm:
    make = method_named(name)
    more = {"n_clients": 3} if name.startswith("scaffold") else {}
    return make(**{key: numbers[value] for key, value in hyper.items()}, **more)


RATIONALS = {sp.Symbol(n, positive=True): sp.Rational(str(x)) for n, x in NUMBERS.items()}


@functools.cache
def number(coefficient: sp.Expr) -> Fraction:
    """A coefficient of a recorded run at the numbers of these tests."""
    return Fraction(str(coefficient.xreplace(RATIONALS)))


def played(recording: Recording) -> list[list[Fraction]]:
    """The recorded run on the quadratics, from 1."""
    at = {"x0": Fraction(1)}

    def value(point: Linear) -> Fraction:
        return sum((number(c) * at.get(n, 0) for n, c in point.items()), Fraction(0))

    for client, name, point in recording.questions:
        at[name] = gradient_at(client, value(point), number(point.get(name, sp.S.Zero)))
    return [[value(x) for x in models] for models in recording.models]


@pytest.mark.parametrize("sampled", [2, 3])
@pytest.mark.parametrize(("name", "hyper"), METHODS, ids=[name for name, _ in METHODS])
def test_a_recorded_run_is_the_run(name: str, hyper: dict[str, str], sampled: int) -> None:
    symbols = {n: sp.Symbol(n, positive=True) for n in NUMBERS}
    recording = recorded(lambda: made(name, hyper, symbols), 3, sampled, 2, 2, noisy=False)
    draws = enumerate_draws(3, sampled, 2, 1, rounds=2)
    start = np.full((draws.n_runs, 1), Fraction(1), dtype=object)
    path = states(Quadratics(), made(name, hyper, NUMBERS), draws, start, 2)
    assert played(recording) == [list(state["theta"][:, 0]) for *_, state in path]


@pytest.mark.parametrize(("name", "hyper"), METHODS, ids=[name for name, _ in METHODS])
def test_means_and_deviations_give_the_run_of_three_clients(name: str, hyper: dict[str, str]) -> None:
    symbols = {n: sp.Symbol(n, positive=True) for n in NUMBERS}
    plain = recorded(lambda: made(name, hyper, symbols), 3, 3, 2, 2, noisy=False)
    means = in_means([(3, plain)])
    x: list[dict[str, Fraction]] = [{"x0": Fraction(1)} for _ in range(3)]

    def value(point: Linear, client: int) -> Fraction:
        return sum((number(c) * x[client].get(n, 0) for n, c in point.items()), Fraction(0))

    for _, answer, point in means.questions:
        own = number(point.get(answer, sp.S.Zero))
        each = [gradient_at(k, value(point, k), own) for k in range(3)]
        average = sum(each, Fraction(0)) / 3
        for k in range(3):
            x[k] |= {answer: average, f"{answer}_dev": each[k] - average}
    assert [[value(model, 0) for model in models] for models in means.models] == played(plain)


def test_a_method_that_depends_on_the_number_of_clients_is_no_method_of_means() -> None:
    def by_number(local_lr: Any, n_clients: int) -> Algorithm:
        return fedavg(local_lr, sp.Rational(1, n_clients))

    with pytest.raises(NotAffine, match="means only"):
        run(by_number, EVERYONE, rounds=(1,), local_lr="eta")


def squared(local_lr: Any) -> Algorithm:
    """Steps along the squares of gradients."""
    return replace(
        fedavg(1), local_step=lambda state, local, g: {**local, "x": local["x"] - local_lr * g * g}
    )


def test_what_is_not_affine_in_gradients_is_refused() -> None:
    with pytest.raises(NotAffine, match="affine"):
        run(squared, STRONGLY, rounds=(1,), local_lr="eta")


# --------------------------------------------------------------------------------------------------- verdicts


def test_fedsgd_is_gradient_descent_at_all_parameters() -> None:
    scene = run("fedavg", losses(smooth_strongly_convex, mu=Box(0.1, 0.9)), rounds=(1,), local_lr="eta")
    assert judged(scene, distance2 <= q**2 * distance2_before, eta <= 1).verdict is Verdict.PROVED
    better = judged(scene, distance2 <= sp.Rational(96, 100) * q**2 * distance2_before, eta <= 1)
    assert better.verdict is Verdict.REFUTED


def test_local_steps_of_any_number_of_clients_lead_to_a_bias_and_no_farther() -> None:
    """Charles and Konecny (2020), for all smooth strongly convex losses: the benchmark `federated.local-bias`."""
    scene = run("fedavg", EVERYONE, rounds=(1,), local_steps=(1, 2), local_lr="eta")
    bound = q * distance2_before + eta**3 * zeta2 / mu
    finding = judged(scene, distance2 <= bound, eta <= sp.Rational(1, 2))
    assert finding.verdict is Verdict.PROVED, finding.reason
    for wrong in (q * distance2_before, q**3 * distance2_before + eta**3 * zeta2 / mu):
        assert judged(scene, distance2 <= wrong, eta <= sp.Rational(1, 2)).verdict is Verdict.REFUTED


def test_the_drift_of_any_number_of_clients() -> None:
    """The least factor is 0.645, by hand: gradients turn by at most the means and deviations of curvatures in [1/10,
    1].
    """
    scene = run("fedavg", EVERYONE, rounds=(1,), local_steps=(2,), local_lr=SHORT)
    bound = eta**2 * (distance2_before + zeta2)
    assert judged(scene, drift2 <= sp.Rational(96, 100) * bound).verdict is Verdict.PROVED
    assert judged(scene, drift2 <= sp.Rational(64, 100) * bound).verdict is Verdict.REFUTED


def test_scaffold_over_two_rounds_contracts_where_clients_differ() -> None:
    scene = run("scaffold", EVERYONE, rounds=(1, 2), local_lr=SHORT, global_lr=1)
    assert judged(scene, distance2 <= q ** (2 * t) * distance2_0).verdict is Verdict.PROVED
    better = judged(scene, distance2 <= sp.Rational(96, 100) * q ** (2 * t) * distance2_0)
    assert better.verdict is Verdict.REFUTED


def test_a_sampled_client_needs_heterogeneity() -> None:
    """One of two clients at a step of 1/2: the tight bound of PEPit's catalogue at beta = 1."""
    of = losses(smooth_strongly_convex, clients=(2,), mu="1/10")
    scene = run("fedavg", of, rounds=(1,), sampled=(1,), local_lr=("eta", Box(0.5, 0.5)))
    bound = 10 * distance2_0 + 8 * zeta2
    assert judged(scene, 10 * distance2 <= bound).verdict is Verdict.PROVED
    assert judged(scene, distance2 <= distance2_0).verdict is Verdict.REFUTED


def test_noise_is_divided_by_the_number_of_clients() -> None:
    scene = run("fedavg", losses(smooth_convex, noisy=True), rounds=(1,), local_lr=SHORT)
    assert judged(scene, distance2 <= distance2_0 + eta**2 * sigma2 / M).verdict is Verdict.PROVED
    less = judged(scene, distance2 <= distance2_0 + sp.Rational(96, 100) * eta**2 * sigma2 / M)
    assert less.verdict is Verdict.REFUTED


def test_an_exact_proximal_step_contracts_at_all_parameters() -> None:
    of = losses(smooth_strongly_convex, clients=(1,), mu=Box(0.1, 0.9))
    scene = run("fedprox_exact", of, rounds=(1,), mu="rho")
    rate = (RHO / (RHO + mu)) ** 2
    assert judged(scene, distance2 <= rate * distance2_before).verdict is Verdict.PROVED
    better = judged(scene, distance2 <= sp.Rational(96, 100) * rate * distance2_before)
    assert better.verdict is Verdict.REFUTED


def test_exact_proximal_steps_of_any_number_of_clients() -> None:
    """Proximal points of one model contract by 10/11; at the optimum they move by at most the clients' gradients."""
    scene = run("fedprox_exact", EVERYONE, rounds=(1,), mu=("rho", Box(1, 1)))
    near = sp.Rational(10, 11) ** 2 * distance2_before
    assert judged(scene, distance2 <= 2 * near + 2 * zeta2).verdict is Verdict.PROVED
    assert judged(scene, distance2 <= near).verdict is Verdict.REFUTED


def test_proximal_points_of_losses_with_several_minimisers_are_refused() -> None:
    with pytest.raises(ValueError, match="convex"):
        run("fedprox_exact", losses(smooth, clients=(1,)), rounds=(1,), mu="rho")


def test_bounded_heterogeneity_of_gradients() -> None:
    """The drift of two steps by the gradient of the mean loss: no assumption on the optimum."""
    of = losses(smooth, clients="any", heterogeneity="gradients")
    scene = run(
        "fedavg",
        of,
        rounds=(1,),
        local_steps=(2,),
        local_lr=SHORT,
        measured=("drift2", "grad2_before", "loss", "loss_before"),
    )
    tight = eta**2 / 2 * (grad2_before + zeta2)
    assert judged(scene, drift2 <= tight).verdict is Verdict.PROVED
    assert judged(scene, drift2 <= sp.Rational(96, 100) * tight).verdict is Verdict.REFUTED
    fall = loss_before - eta * E / 4 * grad2_before
    assert judged(scene, loss <= fall + eta * E * zeta2).verdict is Verdict.PROVED
    assert judged(scene, loss <= fall).verdict is Verdict.REFUTED


def test_gaps_are_measured_where_they_are_named() -> None:
    scene = run(
        "fedavg",
        losses(smooth_convex),
        rounds=(1, 2),
        local_lr=("eta", Box(1, 1)),
        measured=("gap", "distance2_0"),
    )
    assert judged(scene, gap <= distance2_0 / (4 * t + 2)).verdict is Verdict.PROVED
    assert judged(scene, gap <= sp.Rational(96, 100) * distance2_0 / (4 * t + 2)).verdict is Verdict.REFUTED


def test_wrong_arguments_name_the_rule() -> None:
    with pytest.raises(ValueError, match="`measured` must name quantities"):
        run("fedavg", STRONGLY, local_lr="eta", measured=("gapp",))
    with pytest.raises(ValueError, match="`sampled` must be at most"):
        run("fedavg", STRONGLY, sampled=(2,), local_lr="eta")
    with pytest.raises(ValueError, match='`clients` must be whole numbers > 0 or "any"'):
        losses(smooth_convex, clients=(0,))
    with pytest.raises(ValueError, match="constants of smooth_convex must be among L"):
        losses(smooth_convex, mu=1)
