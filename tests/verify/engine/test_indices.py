"""Indices, sizes and symbols of claims: undefined values are refused, and counterexamples stay inside their scene."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sympy as sp

from bounds.relations import eq, le
from verify import Box, Notes, Scene, run, worlds
from verify import quantities as q
from verify.engine.judge import judge
from verify.engine.model.claim import Claim
from verify.engine.model.scene import offers
from verify.engine.model.validation import validate
from verify.engine.search.misses import why_none
from verify.engine.work.errors import UsageError
from verify.report.wording import sentence

notes = Notes("indices")
x = notes.real("x")
p, a = notes.positive("p a")
m, M, t = notes.count("m M t")
i, k = sp.symbols("i k", integer=True)
u = sp.IndexedBase("u", real=True)
ROW = Scene(
    "row",
    ({"t": 1}, {"t": 2}, {"t": 3}),
    lambda shape: {"first": Box(0.5, 1)},
    lambda shape, v: {"u": np.stack([v["first"] * (n + 1) for n in range(shape["t"])]), "a": v["first"]},
)


def verdict(claim: Claim) -> str:
    validate(claim)
    return str(judge(claim, "quick", 0)["verdict"])


@pytest.mark.parametrize(
    ("relation", "true"),
    [
        (eq(sp.Sum(x, (i, 1, 2), (k, 1, 3)), 6 * x), True),
        (eq(sp.Sum(x, (i, 1, 2), (k, 1, 3)), 2 * x), False),
        (le(sp.Sum(p, (i, 1, m), (k, 1, M)), m * p), False),
        (eq(sp.Sum(x, (sp.Symbol("x", integer=True), 1, 3)), 3 * x), True),
        (eq(sp.Sum(m, (sp.Symbol("m", integer=True), 1, 3)), 3 * m), True),
    ],
    ids=str,
)
def test_sums_run_over_all_their_indices_and_over_no_symbol_of_that_name(relation, true):
    claim = Notes("sums").claim("claim", relation)
    assert (verdict(claim) == "refuted") == (not true)


@pytest.mark.parametrize(
    "relation",
    [eq(u[-1], a * t), eq(u[t], a * t), le(sp.Sum(u[i - 1], (i, 0, t - 1)), a * t**2), le(u[t / 2], a * t)],
    ids=str,
)
def test_entries_outside_a_sequence_are_refused(relation):
    with pytest.raises(UsageError, match=r"must .* got .*t=1"):
        validate(Notes("entries").claim("claim", relation, scene=ROW))


def test_a_function_that_nothing_evaluates_is_refused():
    with pytest.raises(UsageError, match="cannot evaluate gamma"):
        validate(Notes("functions").claim("claim", le(sp.gamma(m), m**2)))


def test_a_counterexample_has_a_size_and_numbers_of_its_scene():
    err, start, N = sp.Symbol("err", nonnegative=True), sp.Symbol("start", nonnegative=True), notes.count("N")
    listed = ({"M": 2, "N": 1}, {"M": 2, "N": 2})
    scene = Scene("two clients", listed, lambda shape: {"err": Box(0, 0.1), "start": Box(1, 2)})
    claim = Notes("sizes").claim("claim", le(err, start + 1 / (M - N)), scene=scene)
    assert verdict(claim) != "refuted"  # it fails at M = 1, N = 2, which is no size of the scene
    assert offers(scene, {"M": 2, "N": 1, "err": 0})
    assert not offers(scene, {"M": 2, "N": 1, "err": 1})
    assert not offers(scene, {"M": 1, "N": 2, "err": 0})


def test_the_condition_that_is_met_least_may_have_a_fraction_on_a_side():
    half = sp.Rational(1, 2)
    claim = Notes("misses").claim("claim", le(p, 1), le(sp.cbrt(p), half), p >= 2)
    assert "is met by 0" in sentence(why_none(claim.question, 0))
    assert judge(claim, "quick", 0)["verdict"] == "not judged"


def test_conditions_are_relations():
    with pytest.raises(TypeError, match=r"`conditions` must be SymPy relations, got list \[x >= 0\]"):
        Notes("conditions").claim("claim", le(x, p), [x >= 0])


def test_what_a_run_measures_needs_a_run():
    with pytest.raises(ValueError, match="`scene` must be given, as a run measures gap, gap_0"):
        Notes("free").claim("claim", q.gap <= q.gap_0, q.eta <= 1 / q.L)
    own = Notes("own")
    assert own.claim("claim", le(own.nonnegative("gap"), q.L)).scene is None


def test_sizes_that_cannot_be_enumerated_are_left_out_and_named():
    family = worlds.smooth(clients=(1, 2), noisy=(0, 1))
    with pytest.warns(UserWarning, match=r"sizes are left out.*E=2, t=2 has 65536"):
        scene = run("fedavg", family, rounds=(1, 2), local_steps=(1, 2), local_lr="eta")
    assert {"M": 2, "d": 2, "noisy": 1, "N": 2, "E": 2, "t": 2} not in scene.shapes
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run("fedavg", family, rounds=(1,), local_steps=(1, 2), local_lr="eta")
    with pytest.raises(ValueError, match="must leave at most 20000 outcomes"):
        run("fedavg", worlds.smooth(noisy=(1,)), rounds=(20,), local_lr="eta")


EMPTY = Scene(
    "empty",
    ({},),
    lambda shape: {"none": Box(0, 1, (0,)), "a": Box(0.5, 1)},
    lambda shape, v: {"x": v["none"], "a": v["a"]},
)


@pytest.mark.parametrize("relation", [le(x, 2), eq(x, a), le(x, a)], ids=str)
def test_a_quantity_without_entries_decides_nothing(relation):
    assert verdict(Notes("empty").claim("claim", relation, scene=EMPTY)) == "not judged"


@pytest.mark.parametrize(
    ("relation", "given", "found"),
    [
        (le(sp.Integer(2), 1), (), "refuted"),
        (le(sp.pi, 3), (), "refuted"),
        (eq(sp.Integer(1), 1), (), "proved"),
        (le(x, 1), (le(sp.Integer(2), 1),), "not judged"),
        (le(x, x + 1), (le(sp.Integer(1), 2),), "proved"),
    ],
    ids=str,
)
def test_relations_of_constants_are_judged(relation, given, found):
    assert verdict(Notes("constants").claim("claim", relation, *given)) == found


def test_a_premise_speaks_of_the_claim():
    with pytest.raises(UsageError, match="got a in a <= 1; make it a condition"):
        validate(Notes("premises").claim("claim", le(x**2, p), premises=(le(a, 1),)))
