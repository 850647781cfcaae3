"""Conditions that are equations: the defined quantity is evaluated by its formula, so rounding cannot violate them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.relations import eq, le
from verify import Box, Notes, Scene
from verify.engine.checks.attack import Attack
from verify.engine.checks.relation import INEQUALITY, _finding_without_counterexample
from verify.engine.judge import judge
from verify.engine.model.claim import Claim
from verify.engine.model.instance import Instance
from verify.engine.proof.basis import Basis
from verify.engine.search.adversary import Search
from verify.engine.search.step_sizes import definitions, solved
from verify.engine.search.witness import confirm
from verify.report.wording import sentence

notes = Notes("equations")
a, gamma, b, c = notes.positive("a gamma b c")
out = notes.nonnegative("out")
x, y, z = notes.real("x y z")
FREE = Scene(
    "free",
    ({},),
    lambda s: {"x": Box(1, 2), "gamma": Box(0.1, 1)},
    lambda s, v: {"out": v["gamma"] * v["x"]},
    known=lambda s, v: {"a": v["x"]},
    steps=("gamma",),
)


def judged(claim: Claim) -> dict:
    return judge(claim, "quick", 0)


@pytest.mark.parametrize(
    ("given", "method"),
    [
        (eq(gamma, sp.sqrt(a**2 + 1)), "interval"),
        (eq(sp.sqrt(a**2 + 1), gamma), "interval"),
        (eq(2 * gamma - 1, sp.exp(a)), "interval"),
        (eq(gamma, a**2 + 1), "exact"),
        (eq(3 * gamma, a + 3), "exact"),
    ],
    ids=str,
)
def test_a_step_size_that_an_equation_fixes_meets_it(given, method):
    record = judged(Notes("equations").claim("claim", le(out, a), given, scene=FREE))
    assert (record["verdict"], record["method"]) == ("refuted", method)
    assert all(condition["holds"] for condition in record["witness"]["conditions"])


@pytest.mark.parametrize(
    "given", [eq(b, sp.sqrt(c**2 + 1)), eq(b - c, sp.log(c + 2)), eq(sp.exp(c), 3 * b)], ids=str
)
def test_a_number_that_an_equation_gives_meets_it(given):
    record = judged(Notes("equations").claim("claim", le(b, c / 4), given))
    assert record["verdict"] == "refuted"
    (condition,) = record["witness"]["conditions"]
    assert condition["holds"]


def test_a_number_outside_its_domain_breaks_its_equation():
    claim = Notes("equations").claim("claim", le(b, c), eq(b, -c))  # no positive b equals a negative number
    assert judged(claim)["verdict"] in ("not judged", "vacuous")


def test_numbers_are_given_in_an_order_in_which_each_is_known():
    claim = Notes("equations").claim("claim", le(x + z, y), eq(x, y + 1), eq(z, x**2))
    assert claim.question.scene.steps == ("x", "z")
    assert judged(claim)["verdict"] == "refuted"


def test_the_witness_of_an_equation_has_its_exact_step_size():
    record = judged(Notes("equations").claim("claim", le(out, a), eq(gamma, a**2 + 1), scene=FREE))
    assert record["witness"]["steps"]["gamma"] == str(Fraction(record["witness"]["parameters"]["x"]) ** 2 + 1)


@settings(max_examples=50, deadline=None)
@given(st.fractions(1, 2, max_denominator=97))
def test_the_equation_holds_exactly_wherever_it_is_rational(value):
    claim = Notes("equations").claim("claim", le(out, a), eq(gamma, (a + 1) / 3), scene=FREE)
    rounded = Instance(
        {},
        {"x": np.array(value, dtype=object), "gamma": np.array(Fraction(1), dtype=object)},
        {"gamma": np.array(Fraction(float((value + 1) / 3)), dtype=object)},
    )
    witness = confirm(claim.question, rounded)
    assert witness.method == "exact"
    assert witness.instance.sizes["gamma"][()] == (value + 1) / 3
    assert witness.conditions[0].small == witness.conditions[0].large
    assert witness.relation.small[1] == float((value + 1) / 3 * value)


def test_formulas_of_equations():
    assert solved("x", eq(2 * x + y, 4)) == 2 - y / 2
    assert solved("x", eq(y, x)) == y
    assert solved("x", eq(x**2, y)) is None
    assert solved("x", le(x, y)) is None
    assert dict(definitions(("x", "z"), (eq(z, x), eq(x, y)), frozenset("xyz"))) == {
        "x": (eq(x, y), y),
        "z": (eq(z, x), x),
    }


def test_unconfirmed_instances_that_break_a_relation_leave_it_undecided():
    at = Instance(
        {},
        {"x": np.array(Fraction(1), dtype=object), "gamma": np.array(Fraction(1), dtype=object)},
        {"gamma": np.array(Fraction(1), dtype=object)},
    )
    broken = Instance({}, at.parameters, {"gamma": np.array(Fraction(2), dtype=object)})
    claim = Notes("equations").claim("claim", le(out, a), gamma <= 2, gamma >= 3, scene=FREE)
    found = _finding_without_counterexample(
        claim, INEQUALITY, Attack(Search(5, 0.3, 2.0, broken), None, 1), Basis("unknown"), None, 0
    )
    assert found.verdict.value == "inconclusive"
    assert "lhs/rhs reaches 2" in sentence(found.reason)
    met = _finding_without_counterexample(
        claim, INEQUALITY, Attack(Search(5, 0.3, 2.0, at), None, 1), Basis("unknown"), None, 0
    )
    assert met.verdict.value == "unrefuted"
    assert met.tightness == 1
