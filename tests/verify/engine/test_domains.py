"""Basic conventions: strict positivity, equality, and the sides of relations."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from bounds.symbols import Glossary
from tests.verify import known as k
from tests.verify.engine.simple import of
from verify.engine.checks.relation import identity, inequality
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.model.instance import oriented, sides
from verify.engine.model.scalars import scalar_scene
from verify.engine.model.scene import Box, Scene
from verify.engine.model.validation import validate
from verify.engine.proof.prover import derived
from verify.engine.proof.sizes import identity_at
from verify.engine.search.adversary import ROUNDING, admissible, compared, margins
from verify.engine.search.points import breaking_point, holds, meeting_point, meets, suspected_contradiction
from verify.engine.verdict import Verdict
from verify.engine.work.errors import UsageError

QUICK = BUDGETS["quick"]
WORDS = Glossary("domains")
p, q = (WORDS.define(name, "a number", "positive") for name in "pq")
z = WORDS.define("z", "a number", "nonnegative")
r = WORDS.define("r", "a number", "real")
n = WORDS.define("n", "a number", "count")


@pytest.mark.parametrize(
    ("broken", "low", "high"),
    [
        (of(sp.Ge, p, 1), 0, 1),
        (of(sp.Ge, p, sp.Rational(1, 1000)), 0, Fraction(1, 1000)),
        (of(sp.Gt, z, 0), -1, Fraction(1, 10**9)),
        (of(sp.Ge, r, 0), None, 0),
        (of(sp.Ge, n, 2), Fraction(999, 1000), 2),
    ],
)
def test_every_domain_begins_where_it_begins(broken, low, high):
    (symbol,) = broken.free_symbols
    value = breaking_point(broken, ())[symbol.name]
    assert value < high
    assert low is None or value > low


@pytest.mark.parametrize("true", [of(sp.Gt, p, 0), of(sp.Ge, z, 0), of(sp.Ge, n, 1)])
def test_no_domain_begins_before(true):
    assert breaking_point(true, ()) is None
    assert derived(true).outcome == "proved"


@pytest.mark.parametrize("false", [of(sp.Ge, p, 1), of(sp.Ge, p * p, p), of(sp.Le, p, p**2), of(sp.Gt, n, 1)])
def test_what_holds_above_one_only_is_not_proved(false):
    assert derived(false).outcome != "proved"


def test_conditions_meet_within_the_first_unit():
    between = (of(sp.Gt, p, sp.Rational(1, 3)), of(sp.Lt, p, sp.Rational(1, 2)))
    point = meeting_point(between)
    assert Fraction(1, 3) < point["p"] < Fraction(1, 2)
    assert not suspected_contradiction(between)
    assert suspected_contradiction((of(sp.Lt, p, 0),))
    assert meeting_point((of(sp.Gt, n, 1), of(sp.Lt, n, 2))) is None


@pytest.mark.parametrize(
    ("symbol", "inside", "outside"), [(p, Fraction(1, 9), 0), (z, 0, -1), (n, 1, 0), (n, 2, Fraction(3, 2))]
)
def test_points_outside_a_domain_meet_nothing(symbol, inside, outside):
    asked = (of(sp.Le, symbol, 5),)
    assert meets({symbol.name: Fraction(inside)}, asked)
    assert not meets({symbol.name: Fraction(outside)}, asked)


KINDS = {sp.Eq: (0,), sp.Le: (-1, 0), sp.Lt: (-1,), sp.Ge: (0, 1), sp.Gt: (1,)}
"""Signs of left - right at which each relation holds."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("sign", [-1, 0, 1])
@pytest.mark.parametrize("base", [3, -3, 0])
def test_relations_hold_where_they_should_in_every_arithmetic(kind, sign, base):
    asked, expected = of(kind, r, p), sign in KINDS[kind]
    at = {"r": Fraction(base + sign), "p": Fraction(base)}
    assert holds(asked, at) is expected
    exact = {name: np.array([value], dtype=object) for name, value in at.items()}
    found = sides(asked, exact, "exact")
    assert (found.holds, found.fails) == (expected, not expected)
    import torch

    floats = {name: torch.tensor([float(value)], dtype=torch.float64) for name, value in at.items()}
    margin, _ = margins(asked, floats, 1)
    assert (float(margin[0]) > ROUNDING) == (not expected)


def test_both_sides_of_an_identity_are_subtracted():
    """Opposite sides add up to zero, but are not equal."""
    for left, right, verdict in (
        (k.x - k.y, -(k.y - k.x), Verdict.PROVED),
        (k.x - k.y, k.y - k.x, Verdict.REFUTED),
        (k.x, -k.x, Verdict.REFUTED),
        (k.x + 1, k.x, Verdict.REFUTED),
        (k.x, k.x + 1, Verdict.REFUTED),
    ):
        statement = k.known("sides", of(sp.Eq, left, right))
        assert identity(k.claim(statement, identity, None), QUICK, 0).verdict == verdict


def test_an_inequality_is_no_equation():
    statement = k.known("less", of(sp.Le, k.x, k.x + 1))
    assert inequality(k.claim(statement, inequality, None), QUICK, 0).verdict == Verdict.PROVED
    turned = k.known("more", of(sp.Ge, k.x, k.x + 1))
    assert inequality(k.claim(turned, inequality, None), QUICK, 0).verdict == Verdict.REFUTED
    assert oriented(turned.relation) == (k.x + 1, k.x)
    assert oriented(statement.relation) == (k.x, k.x + 1)


def test_a_batch_is_judged_instance_by_instance():
    import torch

    left = torch.tensor([1.0, 2.0, 3.0, 0.0], dtype=torch.float64)
    values = {"r": left, "p": torch.full((4,), 2.0, dtype=torch.float64)}
    margin, ratio, gap = compared(of(sp.Le, r, p), values, 4)
    assert (margin > ROUNDING).tolist() == [False, False, True, False]
    assert ratio.tolist() == [0.5, 1.0, 1.5, 0.0]
    assert gap.tolist() == [-1.0, 0.0, 1.0, -2.0]
    assert admissible((of(sp.Le, r, p),), values, 4, 0.0).tolist() == [True, True, False, True]
    assert admissible((of(sp.Le, r, p),), values, 4, 1e-2).tolist() == [True, False, False, True]
    positive = {"p": torch.tensor([1e-9, 0.0, -1.0, 0.5], dtype=torch.float64)}
    assert admissible((of(sp.Le, p, 5),), positive, 4, 0.0).tolist() == [True, False, False, True]


SUMS = Scene(
    name="sums of two numbers",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {"a": Box(-2, 2, (shape["d"],)), "b": Box(-2, 2, (shape["d"],))},
    compute=lambda shape, v: {
        "one": v["a"] - v["b"],
        "same": -(v["b"] - v["a"]),
        "opposite": v["b"] - v["a"],
    },
    covers="the same in every coordinate",
)
one, same, opposite = (WORDS.define(name, "a sum", "real") for name in ("one", "same", "opposite"))


@pytest.mark.parametrize(("other", "verdict"), [(same, Verdict.PROVED), (opposite, Verdict.REFUTED)])
def test_both_sides_are_subtracted_in_a_scene_too(other, verdict):
    statement = k.known("sums", of(sp.Eq, one, other))
    assert identity(k.claim(statement, identity, SUMS), QUICK, 0).verdict == verdict


def test_symbols_of_opposite_sides_do_not_cancel():
    a, b = sp.symbols("a b", real=True)
    values = {"one": a - b, "same": -(b - a), "opposite": b - a}
    symbolic = {name: np.array([value], dtype=object) for name, value in values.items()}
    assert identity_at(of(sp.Eq, one, same), symbolic) is not None
    assert identity_at(of(sp.Eq, one, opposite), symbolic) is None


UNCLEAR = (
    (of(sp.Le, sp.Symbol("k", integer=True), 2), (), r"`k` of `relation` must have a domain .*got Symbol\('k', integer=True\)"),
    (of(sp.Le, sp.Symbol("below", negative=True), r), (), "`below` of `relation` must have a domain"),
    (of(sp.Le, p, r), (sp.Symbol("p", real=True) >= 1,), "`p` must be one symbol, got two: positive and real"),
    (of(sp.Le, r, sp.oo), (), "`relation` must be between real numbers, got oo"),
    (of(sp.Le, sp.I * r, p), (), "`relation` must be between real numbers, got I"),
    (of(sp.Le, r * sp.Integer(-1) ** sp.Rational(1, 4), p), (), "must be between real numbers"),
)  # fmt: skip


@pytest.mark.parametrize(("relation", "conditions", "said"), UNCLEAR)
def test_a_name_is_one_symbol_with_a_domain_and_nothing_more(relation, conditions, said):
    with pytest.raises(UsageError, match=said):
        validate(Claim(k.known("unclear", relation, *conditions), (inequality,)))


@pytest.mark.parametrize("where", ["space", "compute"])
def test_a_size_is_no_parameter_and_no_quantity(where):
    named = {"space": lambda s: {"r": Box(0, 1), "n": Box(0, 1)}, "compute": lambda s, v: {"n": v["r"]}}
    scene = replace(Scene("sizes", ({"n": 2},), lambda s: {"r": Box(0, 1)}), **{where: named[where]})
    with pytest.raises(UsageError, match=r"`n` must be the size of that name, got another quantity .*n=2"):
        validate(Claim(k.known("sizes", of(sp.Le, n, 2)), (inequality,), scene))


def test_whole_numbers_may_be_called_anything():
    scene = scalar_scene((of(sp.Le, sp.Symbol("nothing", integer=True, positive=True), 2),))
    assert all(scene.space(shape).keys().isdisjoint(shape) for shape in scene.shapes)
