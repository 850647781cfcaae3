"""Mutants of statements: every kind of change, conditions that can be violated, and their counts."""

import dataclasses

import pytest
import sympy as sp

from tests.verify import known as k
from tests.verify.engine.simple import LINE, QUICK, of, u, v
from verify.engine import topics
from verify.engine.checks.order import order
from verify.engine.checks.relation import bound, inequality
from verify.engine.model.claim import Claim
from verify.engine.model.scene import Box, Scene
from verify.engine.model.textbook import near
from verify.engine.search.mutants import _implied, _untestable, can_be_mutated, examine, mutants, summary
from verify.engine.verdict import Finding, Verdict
from verify.facts.known import Known

x, y = k.x, k.y
w = sp.Symbol("w", real=True)
i = sp.Symbol("i", integer=True)
A, B = sp.symbols("A B", real=True)


def made(relation, *conditions):
    return {one.change: one.statement for one in mutants(k.known("m", relation, *conditions))}


def large_sides(relation):
    return {change: changed.relation.rhs for change, changed in made(relation).items()}


def test_every_term_factor_and_exponent_is_changed():
    assert large_sides(of(sp.Le, u, 2 * A * x**2 + B)) == {
        "right side halved": A * x**2 + B / 2,
        "term B dropped": 2 * A * x**2,
        "sign of B turned": 2 * A * x**2 - B,
        "term 2*A*x**2 dropped": B,
        "sign of 2*A*x**2 turned": B - 2 * A * x**2,
        "exponent of x**2 changed": 2 * A * x**3 + B,
        "factor A dropped": 2 * x**2 + B,
        "factor B dropped": 2 * A * x**2 + 1,
    }


def test_the_large_side_is_changed_wherever_it_stands():
    assert made(of(sp.Ge, A, u))["right side halved"].relation == of(sp.Ge, A / 2, u)
    assert made(of(sp.Gt, A, u))["right side halved"].relation == of(sp.Gt, A / 2, u)
    assert made(of(sp.Lt, u, A))["right side halved"].relation == of(sp.Lt, u, A / 2)
    assert made(of(sp.Eq, u, A))["right side halved"].relation == of(sp.Eq, u, A / 2)
    assert made(of(sp.Le, u, sp.Integer(0))) == {}


@pytest.mark.parametrize("kind", [sp.Ge, sp.Gt])
def test_a_mutant_that_anyone_can_decide_is_still_a_relation(kind):
    """Without B the relation is A >= A, which SymPy would replace by true, and A > A by false."""
    assert made(of(kind, A + B, A))["term B dropped"].relation == of(kind, A, A)
    smaller = {sp.Ge: sp.Le, sp.Gt: sp.Lt}[kind]
    assert made(of(smaller, A, A + B))["term B dropped"].relation == of(smaller, A, A)


def test_fractions_are_changed_term_by_term_and_sums_inside():
    found = large_sides(of(sp.Le, u, (A + B) / x))
    assert found["term A/x dropped"].equals(B / x)
    assert found["sign of B/x turned"].equals((A - B) / x)
    total = large_sides(of(sp.Le, u, sp.Sum(A * i, (i, 0, 3))))
    assert total["in the sum: factor A dropped"] == sp.Sum(i, (i, 0, 3))
    assert total["right side halved"] == sp.Sum(A * i, (i, 0, 3)) / 2


def test_the_same_change_is_made_once():
    assert list(large_sides(of(sp.Le, u, A))) == ["right side halved", "factor A dropped"]


def test_conditions_on_more_than_sizes_are_left_out():
    needed, sizes = of(sp.Le, u, A), of(sp.Le, k.n, 3)
    found = made(of(sp.Le, u, A), needed, sizes)
    assert found["without the condition u <= A"].conditions == (sizes,)
    assert "without the condition n <= 3" not in found


def claim(relation, *conditions, scene=None, check=inequality, **more):
    return Claim(k.known("m", relation, *conditions), (check,), scene, **more)


def test_what_follows_from_the_original_says_no_more():
    original = claim(of(sp.Le, u, v))
    assert _implied(original, claim(of(sp.Le, u, v + 1)))
    assert not _implied(original, claim(of(sp.Le, u, v - 1)))
    conditioned = claim(of(sp.Le, u * v, v), of(sp.Le, u, 1), of(sp.Ge, v, 0))
    assert not _implied(conditioned, claim(of(sp.Le, u * v, v), of(sp.Ge, v, 0)))
    needless = claim(of(sp.Le, u, u + 1), of(sp.Le, u, 1))
    assert _implied(needless, claim(of(sp.Le, u, u + 1)))
    equal = claim(of(sp.Le, u, u + 1), of(sp.Eq, u, 1))
    assert not _implied(equal, claim(of(sp.Le, u, u + 1)))  # the negation of u = 1 is no mutant


@pytest.mark.parametrize(("condition", "built_in"), [(of(sp.Le, v, 1), True), (of(sp.Le, u, 0), False)])
def test_a_condition_that_a_scene_cannot_break_is_built_in(condition, built_in):
    whole = claim(of(sp.Le, v, 2), condition, scene=LINE, check=bound)
    assert _untestable(whole, claim(of(sp.Le, v, 2), scene=LINE, check=bound), 0) is built_in
    assert not _untestable(whole, whole, 0)


def report(id, tight, *mutants):
    return {
        "id": id,
        "tightness": tight,
        "mutants": [{"change": c, "verdict": v, "tightness": t} for c, v, t in mutants],
    }


def test_the_summary_counts_what_is_caught_of_tight_statements():
    text = summary(
        [
            report("one", 0.95, ("a", "refuted", None), ("b", "unrefuted", 0.5), ("c", "gap", None)),
            report("two", None, ("d", "inconsistent", None)),
            report("loose", 0.5, ("e", "unrefuted", None), ("f", "refuted", None)),
            report("none", 1.0),
        ]
    )
    lines = text.splitlines()
    assert lines[-1] == "caught 3 of 4 mutants of 2 statements that are tight to 0.9: share 0.750"
    assert lines[1].split() == ["one", "0.95", "3", "2"]
    assert lines[2] == "    missed: b (so loose that no instance comes nearer than lhs/rhs = 0.5)"
    assert lines[4].split() == ["loose", "0.5", "2", "1", "loose"]
    assert "none" not in text
    assert (
        summary([])
        .splitlines()[-1]
        .endswith("0 of 0 mutants of 0 statements that are tight to 0.9: share 0.000")
    )


@pytest.mark.parametrize(
    ("verdict", "tight", "said"),
    [("proved", None, "still true: proved"), ("not judged", None, "no instance meets"), ("vacuous", None, "contradict"), ("unrefuted", 1.0, "no instance that breaks it was found"), ("unrefuted", 0.99, "so loose")],
)  # fmt: skip
def test_misses_are_explained(verdict, tight, said):
    assert said in summary([report("one", 0.9, ("a", verdict, tight))])


def test_facts_are_near_if_they_join_quantities_and_constants_do_not_count():
    scene = Scene(
        "facts",
        ({"d": 1},),
        lambda s: {"u": Box(-1, 1)},
        lambda s, values: dict.fromkeys("vwz", values["u"]),
        known=lambda s, values: {"A": 2 * values["u"]},
    )
    fact = lambda relation: Known("fact", relation, "a book")  # noqa: E731
    z = sp.Symbol("z", real=True)
    own, joined, far, chained, apart = (
        fact(r) for r in (u <= A * v, of(sp.Le, u + v, w), w <= B, of(sp.Le, u + B, w), of(sp.Le, w, z))
    )
    assert near((own, joined, far, chained, apart), of(sp.Le, u, A * v), scene) == (own, joined, far, chained)
    assert near((own, far), of(sp.Le, u, A), scene) == ()


p, q, m = sp.symbols("p q m", nonnegative=True)
ORIGINAL = k.known("original", sp.Le(p, q + 1), sp.Le(m, 1), sp.Gt(p + q, 0))
CLAIM = Claim(ORIGINAL, (inequality,))


def changed(**to) -> Claim:
    return dataclasses.replace(CLAIM, statement=dataclasses.replace(ORIGINAL, **to))


@pytest.mark.parametrize(
    ("to", "follows"),
    [
        ({"relation": sp.Le(p, q + 2)}, True),
        ({"relation": sp.Le(p, q + 2 - m)}, True),
        ({"relation": sp.Le(p, q + sp.Rational(1, 2))}, False),
        ({"relation": sp.Le(m * p, q + 1)}, True),
        ({"relation": sp.Le(2 * p, q + 1)}, False),
        # At p = q = 0, the only place that the second condition excludes, the relation is true
        ({"conditions": (sp.Le(m, 1),)}, True),
    ],
)
def test_what_follows_is_no_mutant(to, follows):
    assert _implied(CLAIM, changed(**to)) is follows


def test_a_condition_that_is_needed_stays_one():
    needed = dataclasses.replace(ORIGINAL, relation=sp.Le(m * p, p), conditions=(sp.Le(m, 1),))
    without = dataclasses.replace(needed, conditions=())
    assert not _implied(Claim(needed, (inequality,)), Claim(without, (inequality,)))


def test_a_condition_without_which_nothing_is_defined_is_no_mutant():
    divided = dataclasses.replace(ORIGINAL, relation=sp.Le(p / (p + q), 1), conditions=(sp.Gt(p + q, 0),))
    without = dataclasses.replace(divided, conditions=())
    assert _implied(Claim(divided, (inequality,)), Claim(without, (inequality,)))


def test_premises_count_as_known():
    with_fact = dataclasses.replace(CLAIM, premises=(sp.Le(p, q),))
    sharper = dataclasses.replace(with_fact, statement=changed(relation=sp.Le(p, q)).statement)
    assert _implied(with_fact, sharper)
    assert not _implied(CLAIM, changed(relation=sp.Le(p, q)))


@pytest.fixture
def known_claims(monkeypatch):
    claims = {
        "tight": claim(of(sp.Le, x * y, (x**2 + y**2) / 2)),
        "false": claim(of(sp.Le, x, y)),
        "order": k.claim(k.ORDER, order),
        "line": claim(of(sp.Le, v, 1), of(sp.Le, v, 2), scene=LINE, check=bound),
    }
    monkeypatch.setattr(topics, "claim_of", claims.get)


def test_each_mutant_of_a_true_statement_is_judged_by_its_check(known_claims):
    report = examine("tight", "quick", 0)
    assert (report["id"], report["verdict"], report["implied"]) == ("tight", "proved", [])
    assert {one["change"]: one["verdict"] for one in report["mutants"]} == dict.fromkeys(
        large_sides(of(sp.Le, x * y, (x**2 + y**2) / 2)), "refuted"
    ) | {"exponent of x**2 changed": "refuted", "exponent of y**2 changed": "refuted"}


def test_mutants_that_say_no_more_are_told_apart(known_claims):
    report = examine("line", "quick", 0)
    assert report["verdict"] == "unrefuted"
    assert report["tightness"] == pytest.approx(1, abs=1e-3)
    assert [one["change"] for one in report["mutants"]] == ["right side halved"]
    assert report["implied"] == ["without the condition v <= 2"]


def test_a_false_statement_has_no_mutants(known_claims):
    assert examine("false", "quick", 0) == {
        "id": "false",
        "verdict": "refuted",
        "tightness": examine("false", "quick", 0)["tightness"],
        "mutants": [],
        "implied": [],
    }


def test_mutants_are_judged_without_premises(monkeypatch):
    seen = []

    def check(claim, budget, seed):
        seen.append((claim.premises, budget, seed))
        return Finding("inequality", Verdict.UNREFUTED, "searched", "", tightness=0.5)

    leaning = claim(of(sp.Le, u, A), check=check, premises=(sp.Le(u, A),))
    monkeypatch.setattr(topics, "claim_of", lambda id: leaning)
    report = examine("leaning", "quick", 3)
    changes = ["right side halved", "factor A dropped"]
    assert report["mutants"] == [{"change": c, "verdict": "unrefuted", "tightness": 0.5} for c in changes]
    assert seen == [((sp.Le(u, A),), QUICK, 3), *[((), QUICK, 3)] * 2]


def test_relations_alone_have_mutants(known_claims):
    assert can_be_mutated("tight")
    assert can_be_mutated("line")
    assert not can_be_mutated("order")
    assert not can_be_mutated("nowhere")
