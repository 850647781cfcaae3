"""Fixed points of SPECIAL's algorithms, and the effect of a larger lambda on the drift."""

from __future__ import annotations

import numpy as np
import sympy as sp

from algorithms.algorithm import Algorithm
from algorithms.draws import enumerate_draws, expectation
from algorithms.simulate import states
from algorithms.special import special_from_second_task
from algorithms.special_c import special_c
from bounds.catalogue import statement
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, le, lt
from bounds.special import lam as b
from bounds.special.problem import anchor
from bounds.special.symbols import L, gamma_G, gamma_L, lam
from nqm.federation import task_grad
from nqm.fields import Array, amax, broadcast_to, sq, stack
from nqm.noise import atoms
from nqm.quadratic import DiagonalQuadratic
from nqm.world import World
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Box, Condition, Follows, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.federated import all_draws, build, origin, sizes
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows, renamed
from verify.scenes.parameters import column
from verify.scenes.shapes import shapes_of
from verify.scenes.special import meanings
from verify.scenes.special.algorithms import STEP, model_after_round, readings
from verify.scenes.special.drift import DRIFT
from verify.scenes.special.drift_facts import bound_of_every_round
from verify.scenes.special.one_round import method
from verify.scenes.special.problem import CURVATURE, LAMBDA, zero_of
from verify.scenes.special.terms import DEFINES, terms
from verify.scenes.summands import before, definition, over_summands


def resting(shape: Shape, values: Named) -> Values:
    """Fixed points of a noiseless round of all quadratic clients, and gradients at them."""
    world, anchor = (
        DiagonalQuadratic(values["curvature"][:, None], values["centre"][:, None]),
        values["anchor"],
    )
    method = readings(values, shape["M"])
    local = special_c(column(values["gamma_L"], 1), 1, column(values["lam"], 1))
    still = 0 * anchor[:, None, None, None]
    noise = broadcast_to(still, (*anchor.shape[:1], 1, shape["M"], shape["E"], shape["d"]))
    slope = lambda x: task_grad(world, x[:, None], 0)[:, 0]  # noqa: E731

    def at_rest(algorithm: Algorithm, noise: Array) -> Array:
        return zero_of(lambda x: model_after_round(world, algorithm, x, anchor, 1, noise) - x, anchor)

    rest, rest_c, rest_m = at_rest(method["code"], noise), at_rest(method["c"], noise), at_rest(local, still)
    return {
        "L": amax(values["curvature"], (1, 2)),
        "rest": rest,
        "slope": slope(rest),
        "rest_c": rest_c,
        "slope_c": slope(rest_c),
        "rest_m": rest_m,
        "slope_m": world.grad(rest_m[:, None, None], 0, np.array([[0]]))[:, 0, 0],
    }


REST = Scene(
    name="rest points of both algorithms",
    told=meanings.QUADRATIC,
    shapes=tuple(
        {"M": M, "N": M, "E": E, "d": 1} for M, E in ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3), (3, 2))
    ),
    space=lambda shape: {
        "curvature": Box(*CURVATURE, (shape["M"], shape["d"])),
        "centre": Box(-2, 2, (shape["M"], shape["d"])),
        "anchor": Box(-2, 2, (shape["d"],)),
        "lam": LAMBDA,
        "gamma_G": STEP,
        "gamma_L": STEP,
    },
    compute=resting,
    restricts=(Hypothesis.QUADRATIC,),
    covers="equal as rational functions for quadratic clients, whose rounds have one rest point each; with "
    "one local step it solves the same equation for every loss, and a rest point of one step is one of E "
    "steps",
)

_LOCAL_REST = eq(b.rest_m, (b.rest_m - gamma_L * b.slope_m + 2 * lam * anchor) / (1 + 2 * lam))
_REST = eq(b.rest, (b.rest - gamma_G * gamma_L * b.slope + lam * anchor) / (1 + lam))
_REST_C = eq(b.rest_c, (b.rest_c - gamma_L * b.slope_c + 2 * lam * anchor) / (1 + 2 * lam))
"""Definitions of rest points: one local step does not change the local model, or a round of one step the server's model."""


def _balanced(number: str, rest: Condition) -> Follows:
    """The gradient at a rest point, by its definition."""
    found = statement(f"special.{number}/effective")
    return follows(found.compared, given=(rest, *found.conditions))


AT_REST = REST.variant(
    "rest points of a local step",
    compute=Proved(resting, (_balanced("eq4", _LOCAL_REST),), (_LOCAL_REST,)),
    restricts=(),
)
OF_ONE_STEP = AT_REST.variant(
    "rest points of one local step",
    shapes=tuple(shape for shape in REST.shapes if shape["E"] == 1),
    compute=Proved(
        resting, (_balanced("alg1.surrogate", _REST), _balanced("alg2.surrogate", _REST_C)), (_REST, _REST_C)
    ),
)
"""The equation of a fixed point contains the gradient at one model only; gradients of quadratic losses can be arbitrary vectors."""


# ------------------------------------------------------------------------------------------------ any number of local steps

_curvature, _after = sp.Symbol("curvature", positive=True), sp.Symbol("after_c", real=True)
_centre, _power, _factor = named("centre, power, factor", real=True)
_BENT, _STILL = le(_curvature, L), eq(_after, b.rest_c)
"""The definitions of L, and of a rest point: a round leads back to it."""
_SHORT = lt(gamma_L * L, 2 + 2 * lam)
_SHRINKS = (1 - gamma_L * _curvature) / (1 + 2 * lam)
"""The factor of the way to the rest point of one local step, in one coordinate."""


def _off(x: sp.Expr) -> sp.Expr:
    """The gradient of what a local step descends; 0 at the rest point of one step."""
    return gamma_L * _curvature * (x - _centre) + 2 * lam * (x - anchor)


_model, _left_off, _start_off = named("model, left off, start off", real=True)
_LED = over_summands(
    eq(_left_off, _power * _start_off),
    {_left_off: (before(_left_off), _factor * _start_off), _power: (before(_power), _factor)},
    Sums(
        eq(_left_off, _factor * before(_left_off)),
        {
            _left_off: tree(_off(_model - _off(_model) / (1 + 2 * lam))),
            before(_left_off): tree(_off(_model)),
            _factor: tree(_SHRINKS),
        },
        {
            **dict.fromkeys(("model", "centre", "anchor"), "real"),
            **dict.fromkeys(("curvature", "gamma_L", "lam"), "positive"),
        },
    ),
    definition(eq(_power, _factor * before(_power))),
)
_LEFT = over_summands(
    le(_power**2, _factor**2),
    {_power: (before(_power), _factor)},
    definition(eq(_power, _factor * before(_power))),
    given=(lt(_factor**2, 1),),
)
_BELOW = follows(
    lt(_power, 1),
    _LEFT,
    given=(lt(_factor**2, 1),),
    through=(le(2 * _power, 1 + _power**2), lt(_power**2, 1), lt(2 * _power, 2)),
)
_ALONE = follows(
    statement("special.alg2.surrogate/alone.small").compared,
    renamed(_LED, {_factor: _SHRINKS}),
    follows(_BELOW.relation, (_BELOW, {_factor: _SHRINKS}), given=(_SHORT, _BENT)),
    *map(definition, (eq(_left_off, _off(_after)), eq(_start_off, _off(b.rest_c)))),
    definition(eq(b.slope_c, _curvature * (b.rest_c - _centre))),
    given=(_SHORT, _BENT, _STILL),
    through=(eq(_left_off, _start_off), eq((1 - _power) * _start_off, 0), eq(_start_off, 0)),
)


def alone(shape: Shape, values: Named) -> Values:
    """A rest point of Algorithm 2 with one client, and the model after a round from there."""
    found = resting(shape, values)
    world = DiagonalQuadratic(values["curvature"][:, None], values["centre"][:, None])
    noise = (
        0 * values["curvature"][:, None, :, None] * stack([values["anchor"][:, None, None]] * shape["E"], 3)
    )
    after = model_after_round(world, readings(values, 1)["c"], found["rest_c"], values["anchor"], 1, noise)
    return {**found, "after_c": after}


ALONE = REST.variant(
    "rest points of one client",
    shapes=tuple({"M": 1, "N": 1, "E": E, "d": d} for E, d in ((1, 1), (2, 1), (3, 1), (2, 2), (5, 1))),
    compute=Proved(alone, (_ALONE,), (_BENT, _STILL)),
    covers="",
)


def to_and_fro(shape: Shape, values: Named) -> Values:
    """One quadratic client of Algorithm 2 with a curvature for which two local steps return to their start."""
    curvature = (2 + 2 * values["lam"]) / values["gamma_L"]
    slope = curvature[:, None] * (values["rest_c"] - values["centre"])
    return {"slope_c": slope, "curvature": curvature, "L": curvature}


TO_AND_FRO = Scene(
    name="local steps of Algorithm 2 that go to and fro",
    told=meanings.QUADRATIC,
    shapes=({"M": 1, "N": 1, "E": 2, "d": 1},),
    space=lambda shape: {
        **{name: Box(-2, 2, (shape["d"],)) for name in ("centre", "anchor", "rest_c")},
        "lam": LAMBDA,
        "gamma_L": STEP,
    },
    compute=to_and_fro,
)


def several_tasks(shape: Shape, values: Named, algorithm: Algorithm) -> Values:
    """Drift from the start of its task of every model, over all paths through all tasks."""
    world = build(shape, values)
    outcomes = atoms("rademacher", shape["d"]) if shape["noisy"] else (None, None)
    counts = (shape["M"], shape["N"], shape["E"], shape["d"])
    draws = enumerate_draws(*counts, *outcomes, rounds=shape["t"], tasks=shape["K"], limit=20_000)
    drifts, start = [], origin(shape, values)
    for _, round_, state in states(world, algorithm, draws, start, shape["t"], shape["K"]):
        start = start if round_ else state["theta"]
        drifts += [expectation(draws, sq(state["theta"] - start), axis=-1)] if round_ else []
    return {"drift_all": stack(drifts, axis=-1)}


def _as_text(values: Named) -> Algorithm:
    return special_from_second_task(*(column(values[name], 1) for name in ("gamma_L", "gamma_G", "lam")))


TASKS = DRIFT.variant(
    "drift of SPECIAL over several tasks",
    shapes=shapes_of(
        sizes,
        "smallest, t=2, K=3 t=2, M=2, M=2 t=2, t=2 noisy=1, t=2 curved=1, E=2 t=3 curved=1",
        "M=2 t=2 curved=1, t=2 d=2 curved=1",
    ),
    compute=Proved(
        lambda shape, values: several_tasks(shape, values, method(values)),
        (bound_of_every_round(statement("special.lem4.9.uniform").compared),),
        DEFINES,
        terms,
    ),
)
TASKS_AS_TEXT = TASKS.variant(
    "drift of SPECIAL over several tasks, the first without anchor",
    compute=lambda shape, values: several_tasks(shape, values, _as_text(values)),
)


def two_strengths(shape: Shape, values: Named, world: World, start: Array) -> Values:
    """Expected squared drift from `start` (batch, 1, d) after t rounds with two values of lambda in the same world."""
    draws = all_draws(shape, shape["t"])

    def drift(strength: Array) -> Array:
        *_, (_, _, state) = states(world, method({**values, "lam": strength}), draws, start, shape["t"])
        return expectation(draws, sq(state["theta"] - start), axis=-1)

    more = values["lam"] * (1 + values["further"])
    return {"lam_more": more, "drift2": drift(values["lam"]), "drift2_more": drift(more)}


STRENGTHS = DRIFT.variant(
    "drift of SPECIAL with two strengths",
    shapes=shapes_of(
        sizes,
        "K=1, K=1 t=2, K=1 M=2 t=2, K=1 t=2 noisy=1, K=1 t=2 curved=1, K=1 t=3 curved=1",
        "K=1 E=2 t=2 curved=1, K=1 M=2 t=3 curved=1, K=1 t=2 d=2 curved=1",
        "K=1 M=2 N=2 t=3 d=2 curved=1, K=1 M=2 E=2 t=3 d=2 curved=1, K=1 t=3 curved=2",
        "K=1 M=3 N=3 t=3 d=2 curved=2, K=1 t=3 curved=3, K=1 M=2 N=2 t=3 d=2 curved=3",
    ),
    space=lambda shape: {**DRIFT.space(shape), "further": Box(0.01, 10, scale="log")},
    compute=lambda shape, values: two_strengths(shape, values, build(shape, values), origin(shape, values)),
)
