"""Families of losses for the user's own theorems: their constants are right, and they contain the worst cases."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from algorithms.fedprox import fedprox_exact
from nqm.quadratic import Quadratic
from verify import Notes, judge, run, worlds
from verify.engine.model.scene import Box, quantities
from verify.engine.search.sampling import sample
from verify.engine.search.witness import counterexample
from verify.first_order.on_a_line import Answer, Line
from verify.quantities import (
    L,
    distance2,
    distance2_0,
    distance2_before,
    eta,
    gap,
    gap_0,
    grad2,
    grad2_min,
    loss,
    loss_0,
    loss_before,
    mu,
    t,
    zeta2,
)

FAMILIES = (
    worlds.quadratics,
    worlds.shifted,
    worlds.strongly_convex,
    worlds.convex,
    worlds.bounded_gradients,
    worlds.smooth,
)
seeds = st.integers(0, 10**6)


def drawn(family, seed, batch=32):
    """A batch of worlds with the constants that their family names, and points (batch, point, client, dim)."""
    shape = family.shapes[-1]
    rng = np.random.default_rng(seed)
    values = {
        n: torch.as_tensor(x, dtype=torch.float64) for n, x in sample(family.space(shape), rng, batch).items()
    }
    values |= {"mu": values["mu"] * values["largest"]} if "mu" in values else {}
    points = torch.as_tensor(10 * rng.normal(size=(2, batch, 50, 1, shape["d"]))).expand(
        -1, -1, -1, shape["M"], -1
    )
    known = {name: values[name] for name in family.steps} | family.constants(shape, values)
    return family.build(shape, values).at(0), known, points


def against(constant):
    return constant[:, None, None] * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("make", FAMILIES, ids=lambda make: make.__name__)
@given(seed=seeds)
def test_constants_hold_between_any_two_points(make, seed):
    world, known, (x, y) = drawn(make(clients=(2,), dim=(2,)), seed)
    turn, apart = world.grad(x) - world.grad(y), x - y
    assert bool((turn.norm(dim=-1) <= against(known["L"]) * apart.norm(dim=-1)).all())
    inner = (turn * apart).sum(dim=-1)
    if "mu" in known:
        assert bool((inner >= known["mu"][:, None, None] * (apart**2).sum(dim=-1) * (1 - 1e-9)).all())
    elif make is not worlds.smooth:
        assert bool((inner >= -1e-9).all())
    if "G2" in known:
        assert bool(((world.grad(x) ** 2).sum(dim=-1) <= against(known["G2"])).all())


@given(seed=seeds)
def test_bounded_gradients_attain_their_bound(seed):
    world, known, (x, _) = drawn(worlds.bounded_gradients(clients=(1,), dim=(1,)), seed)
    ends = torch.stack([world.grad(sign * 1e3 + 0 * x) for sign in (-1, 1)])
    assert torch.allclose((ends[..., 0] ** 2).amax(dim=(0, 2, 3)), known["G2"])


@given(seed=seeds)
def test_clients_of_shifted_losses_differ_alike_everywhere(seed):
    world, known, (x, _) = drawn(worlds.shifted(clients=(3,), dim=(2,)), seed)
    grads = world.grad(x)
    spread = ((grads - grads.mean(dim=2, keepdim=True)) ** 2).sum(dim=-1).mean(dim=2)
    assert torch.allclose(spread, known["zeta2"][:, None].expand_as(spread))


def test_one_sided_and_huber_losses_are_among_the_convex_ones():
    """Gradient descent with step 1/L is as slow as its bound allows, up to 1 %."""
    family, t = worlds.convex(dim=(1,)), 2
    knot = 1 / (2 * t + 1)
    values = {
        name: torch.tensor([value], dtype=torch.float64) for name, value in (("largest", 1.0), ("room", 0.0))
    }
    values |= {
        "share": torch.tensor([[[[0.0, 1.0, 0.0]]]], dtype=torch.float64),
        "knot": torch.tensor([[[-knot]]], dtype=torch.float64),
        "width": torch.tensor([[[[2 * knot]]]], dtype=torch.float64),
        "start": torch.ones(1, 1, dtype=torch.float64),
    }
    scene = run("fedavg", family, rounds=(t,), local_lr="eta")
    found = quantities(scene, scene.shapes[0], values, {"eta": torch.ones(1, dtype=torch.float64)})
    assert float(found["gap"] * (4 * t + 2) / found["distance2_0"]) == pytest.approx(1)


def test_exact_proximal_steps_solve_their_problems():
    h, c, rho = torch.tensor([0.5, 2.0]), torch.tensor([1.0, -1.0]), 0.3
    world = Quadratic(h[None, :, None, None], c[None, :, None]).at(0)
    method = fedprox_exact(rho)
    local = method.begin_round({"theta": torch.ones(4, 1)}, np.tile([0, 1], (4, 1)), world)
    expected = (h * c + rho) / (h + rho)
    assert torch.allclose(local["x"][..., 0], expected.expand(local["x"].shape[:-1]))


def test_exact_proximal_steps_refuse_other_losses():
    world, _, (x, _) = drawn(worlds.convex(clients=(2,), dim=(1,)), 0)
    with pytest.raises(ValueError, match="quadratic in every coordinate"):
        fedprox_exact(0.5).begin_round({"theta": x[:, :, 0]}, np.tile([0, 1], (*x.shape[:2], 1)), world)


@given(seed=seeds)
def test_corners_of_ranges_are_exact_on_any_scale(seed):
    """So a witness at a corner has simple numbers, and lies in its range when it is replayed."""
    box = Box(0.1, 7, (3,), scale="log")
    drawn_numbers = sample({"x": box}, np.random.default_rng(seed), 64)["x"]
    assert drawn_numbers.min() == box.low
    assert drawn_numbers.max() == box.high


NEAR = eta <= sp.Rational(176, 100) / L
PIECES = worlds.Family("seven pieces", "none", 7, (1,), (1,), (0,))
FALSE = {
    "steps gain less and less": (
        run("fedavg", worlds.convex(dim=(1,)), rounds=(2,), local_lr="eta"),
        (loss_0 - loss_before >= loss_before - loss, NEAR),
    ),
    "the same over a distance": (
        run("fedavg", worlds.convex(), rounds=(2,), local_lr="eta"),
        ((loss_0 + loss - 2 * loss_before) / (L * distance2_0) >= 0, NEAR),
    ),
    "without convexity": (
        run("fedavg", PIECES, rounds=(3,), local_lr="eta"),
        (sp.Min(grad2_min, grad2) <= sp.Rational(32, 25) * L / t * (loss_0 - loss), sp.Eq(eta, 1 / L)),
    ),
    "a term is attained alone": (
        run("fedavg", worlds.strongly_convex(clients=(2,)), local_steps=(2,), rounds=(1,), local_lr="eta"),
        (
            distance2 <= (1 - eta * mu) ** 4 * (distance2_before + zeta2 / (50 * L**2)),
            *(sp.Eq(mu, L / 5), sp.Eq(eta, 1 / (2 * L))),
        ),
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_worst_functions_of_the_class_are_members(name):
    """A search alone misses these: few members break the claim, or many attain it."""
    scene, (relation, *conditions) = FALSE[name]
    question = Notes("false").claim("claim", relation, *conditions, scene=scene).question
    assert scene.proposed is not None
    found = (counterexample(question, instance) for instance in scene.proposed(question))
    assert next(witness for witness in found if witness).broken


@pytest.mark.parametrize(("share", "verdict"), [("81/100", "unrefuted"), ("4/5", "refuted")])
def test_a_condition_number_is_met_by_construction(share, verdict):
    scene = run("fedavg", worlds.strongly_convex(dim=(1,)), rounds=(1,), local_lr="eta")
    given = (sp.Eq(eta, 1 / L), sp.Eq(mu, L / 10))
    claim = Notes("ten").claim("claim", gap <= sp.Rational(share) * gap_0, *given, scene=scene)
    assert judge(claim, "quick").verdict == verdict


values = st.fractions(0, 1, max_denominator=8)


@given(st.lists(st.tuples(values, values, values), min_size=2, max_size=4))
def test_a_line_passes_through_its_answers(parts):
    """Answers of a function with curvature 1 on some intervals and -1 elsewhere."""
    x, slope, value, answers = Fraction(0), Fraction(1), Fraction(0), []
    for left, steep, right in parts:
        answers.append(Answer(x, slope, value))
        for width, curvature in ((left, -1), (steep, 1), (right, -1)):
            value += slope * width + curvature * width**2 / 2
            x, slope = x + width, slope + curvature * width
    answers.append(Answer(x, slope, value))
    line = Line(tuple({a.x: a for a in answers}.values()), Fraction(-1), Fraction(1))
    assert sorted(line.knots) == line.knots
    assert [line.slope(a.x) for a in line.answers] == [a.slope for a in line.answers]
    assert line.stationary is not None
    assert line.slope(line.stationary) == 0
