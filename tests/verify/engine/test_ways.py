"""Branches of a computation with comparisons: all are followed, and a proof must cover each."""

from __future__ import annotations

import operator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from nqm.fields import amax, amin, decided, log, maximum, minimum, where
from tests.verify.engine.simple import QUICK, about
from verify import facts
from verify.engine.model.comparing import Unordered
from verify.engine.model.expressions import symbolic_values
from verify.engine.model.scene import Box, Branching, Scene
from verify.engine.proof import ways as room
from verify.engine.proof.basis import basis_of
from verify.engine.proof.ways import ABSURD, exhaustive, follows, shown_on_all, ways
from verify.report.wording import sentence

LETTERS = sp.symbols("a b c d", real=True)
A, B, C, D = LETTERS
x, y, z, w, size, low, high = sp.symbols("x y z w size low high", real=True)


def lengths(shape, values):
    """|x|, in two cases by its sign."""
    number = values["x"]
    return {"size": where(decided(operator.lt, number, 0), -number, number)}


def in_order(shape, values):
    ranked = np.sort(values["each"], axis=-1)
    return {"low": ranked[:, :-1], "high": ranked[:, 1:]}


def scene_of(compute, space, **sizes: int) -> Scene:
    return Scene(
        f"scene of {compute.__name__}", (sizes,), lambda shape: space, Branching(compute, "any numbers")
    )


LENGTH = scene_of(lengths, {"x": Box(-1, 1)})
SORTED = scene_of(in_order, {"each": Box(-1, 1, (3,))}, n=3)


@st.composite
def trees(draw, depth: int = 3):
    """All sequences of answers to questions, each with both answers."""
    if not depth or not draw(st.booleans()):
        return [()]
    question = sp.Lt(*draw(st.permutations(LETTERS))[:2])
    halves = ((yes, draw(trees(depth=depth - 1))) for yes in (True, False))
    return [((question, yes), *rest) for yes, half in halves for rest in half]


@given(trees())
def test_all_answers_are_exhaustive_and_less_is_not(sequences) -> None:
    assert exhaustive(sequences)
    for k in range(len(sequences)):
        assert not exhaustive(sequences[:k] + sequences[k + 1 :])
        assert not exhaustive([*sequences, sequences[k]])


def test_halves_of_different_questions_are_not_exhaustive() -> None:
    assert not exhaustive([((sp.Lt(A, B), True),), ((sp.Lt(A, C), False),)])


orders = st.builds(
    lambda kind, pair: kind(*pair, evaluate=False),
    st.sampled_from([sp.Lt, sp.Le, sp.Gt, sp.Ge]),
    st.permutations(LETTERS).map(lambda letters: letters[:2]),
)


def true_at(relation, point) -> bool:
    return bool(relation.subs(dict(zip(LETTERS, point, strict=True))))


@settings(max_examples=60, deadline=None)
@given(orders, st.lists(orders, max_size=4))
def test_what_follows_is_true_wherever_all_that_is_known_is(relation, known) -> None:
    if follows(relation, known):
        for point in product(range(3), repeat=4):
            assert true_at(relation, point) or not all(true_at(each, point) for each in known)


def test_chains_are_found() -> None:
    assert follows(sp.Gt(C, A), [sp.Lt(A, B), sp.Le(B, C)])
    assert follows(sp.Le(A, C), [sp.Le(A, B), sp.Ge(C, B)])
    assert not follows(sp.Lt(A, C), [sp.Le(A, B), sp.Le(B, C)])


def test_a_sorting_takes_as_many_ways_as_there_are_orders() -> None:
    found = ways(SORTED, SORTED.shapes[0])
    assert len(found) == 13, "of three numbers, of which some may be equal"
    assert len({tuple(way.values["low"].ravel()) for way in found}) == 6


def test_each_way_has_its_certificate_and_none_may_be_missing() -> None:
    found = ways(LENGTH, {})
    assert [way.relations for way in found] == [(sp.Lt(x, 0),), (sp.Ge(x, 0),)]
    assert len(shown_on_all(sp.Ge(size, 0), (), found)) == 2
    assert shown_on_all(sp.Ge(size, 0), (), found[:1]) is None
    assert shown_on_all(sp.Ge(size, 0), (), found[1:]) is None


@pytest.mark.parametrize(
    "relation", [sp.Lt(low, high), sp.Le(high, low), sp.Eq(low, high), sp.Le(low, high - 1)], ids=str
)
def test_what_is_false_on_one_way_is_not_shown(relation) -> None:
    found = ways(SORTED, SORTED.shapes[0])
    assert shown_on_all(relation, (), found) is None
    assert shown_on_all(sp.Le(low, high), (), found) is not None


def test_an_equation_holds_under_conditions_that_exclude_the_other_way() -> None:
    found = ways(LENGTH, {})
    assert shown_on_all(sp.Eq(size, x), (), found) is None
    certificates = shown_on_all(sp.Eq(size, x), (sp.Ge(x, 0),), found)
    assert [certificate["claim"] == ABSURD for certificate in certificates] == [True, False]


def test_symbols_are_not_decided_afterwards() -> None:
    def fails(shape, values):
        decided(operator.lt, values["x"], 0)
        raise ValueError("on the way")

    ways(LENGTH, {})
    with pytest.raises(ValueError, match="on the way"):
        ways(scene_of(fails, {"x": Box(-1, 1)}), {})
    with pytest.raises(TypeError):
        bool(sp.Lt(x, 0))
    assert x != low
    assert bool(x)


def told_apart(equal):
    """1 if two numbers are equal; otherwise the larger one's excess, at most 1."""

    def compute(shape, values):
        one, other = values["x"], values["y"]
        same = np.array([equal(a, b) for a, b in zip(one, other, strict=True)])
        return {"same": where(same, 1 + 0 * one, 0 * one), "gap": where(same, one - other, 0 * one)}

    return scene_of(compute, {"x": Box(-1, 1), "y": Box(-1, 1)})


same, gap = sp.symbols("same gap", real=True)
COMPARISONS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: not operator.ne(a, b),
    "arrays": lambda a, b: np.equal(np.array([a]), np.array([b]))[0],
    "from 0": lambda a, b: operator.eq(0, a - b),
    "SymPy's 0": lambda a, b: operator.eq(sp.Integer(0), a - b),
    "truth": lambda a, b: not (a - b),
    "any": lambda a, b: not np.any(np.array([a - b])),
    "in": lambda a, b: a in [b],
    "Eq": lambda a, b: bool(sp.Eq(a, b)),
}


@pytest.mark.parametrize("equal", COMPARISONS.values(), ids=COMPARISONS)
def test_equal_numbers_are_a_way_of_their_own(equal) -> None:
    found = ways(told_apart(equal), {})
    assert len(found) == 3, "smaller, larger, and neither"
    assert shown_on_all(sp.Le(same, 0), (), found) is None, "which is false at equal numbers"
    assert shown_on_all(sp.Le(same, 1), (), found) is not None
    assert shown_on_all(sp.Eq(gap, 0), (), found) is not None, "which needs that they are equal"
    assert shown_on_all(sp.Eq(same, 0), (), found) is None


def test_numbers_that_cannot_be_equal_are_not_asked() -> None:
    apart = scene_of(lambda shape, values: {"x": values["x"] != 0}, {"x": Box(1, 2)})
    assert [way.answers for way in ways(apart, {})] == [()]


@pytest.mark.parametrize("equal", COMPARISONS.values(), ids=COMPARISONS)
def test_where_a_scene_does_not_branch_no_symbols_are_equal_or_not(equal) -> None:
    branching = told_apart(equal)
    with pytest.raises(Unordered, match=r"[<>].*needs `Branching`"):
        symbolic_values(branching.variant("the same, without ways", compute=branching.compute.compute), {})


def counted(shape, values):
    """Whole numbers only: no comparison is open, so there is one branch."""
    one = values["one"]
    return {"size": shape["n"] + 0 * one}


@pytest.mark.parametrize(
    ("n", "shown"),
    [(3, ["=", "3", "3"]), (4, None), (1, ["<", "1", "2"])],
    ids=["true", "false", "condition not met"],
)
def test_what_depends_on_whole_numbers_alone_is_counted(n: int, shown) -> None:
    scene = scene_of(counted, {"one": Box(1, 1)}, n=n)
    found = ways(scene, scene.shapes[0])
    certificates = shown_on_all(sp.Eq(size, 3), (sp.Ge(size, 2),), found)
    assert [way.answers for way in found] == [()]
    assert (certificates and [each["claim"] for each in certificates]) == (shown and [shown])


def judged(scene: Scene, relation, *conditions):
    return basis_of(about("branching", relation, *conditions, scene=scene), QUICK)


def test_a_relation_is_proved_where_it_holds_on_all_ways() -> None:
    basis = judged(SORTED, sp.Le(low, high))
    assert (basis.outcome, basis.shapes) == ("proved", 1)
    assert basis.proof["sizes"] == [{"n": 3}]
    assert sentence(basis.reason).endswith(", on each of 13 ways that comparisons may lead: any numbers")
    assert sentence(judged(LENGTH, sp.Ge(size, 0)).reason).endswith(
        "on each of 2 ways that comparisons may lead: any numbers"
    )


def test_ways_of_all_shapes_are_counted_together() -> None:
    twice = replace(LENGTH, shapes=({"n": 1}, {"n": 2}))
    basis = judged(twice, sp.Ge(size, 0))
    assert (basis.outcome, basis.shapes) == ("proved", 2)
    assert "on each of 4 ways" in sentence(basis.reason)


def test_nothing_is_proved_of_no_shape_or_on_too_many_ways(monkeypatch) -> None:
    n = sp.Symbol("n", integer=True, positive=True)
    assert judged(SORTED, sp.Le(low, high), sp.Ge(n, 4)).outcome != "proved"
    assert judged(SORTED, sp.Lt(low, high)).outcome != "proved"
    monkeypatch.setattr(room, "MOST", 12)
    assert ways(SORTED, SORTED.shapes[0]) is None
    assert judged(SORTED, sp.Le(low, high)).outcome != "proved"
    monkeypatch.setattr(room, "MOST", 13)
    assert len(ways(SORTED, SORTED.shapes[0])) == 13


@pytest.mark.parametrize(
    ("asked", "known", "so"),
    [
        (sp.Lt(x, z), [sp.Lt(x, y), sp.Le(y, z)], True),
        (sp.Lt(x, z), [sp.Le(x, y), sp.Gt(z, y)], True),
        (sp.Lt(x, z), [sp.Le(x, y), sp.Le(y, z)], False),
        (sp.Le(x, z), [sp.Le(x, y), sp.Le(y, z)], True),
        (sp.Ge(z, x), [sp.Le(x, y), sp.Le(y, z)], True),
        (sp.Le(z, x), [sp.Le(x, y), sp.Le(y, z)], False),
        (sp.Eq(x, z), [sp.Le(x, z), sp.Le(z, x)], False),
        (sp.Eq(x, z), [sp.Eq(z, x)], True),
        (sp.Ne(x, z), [sp.Lt(x, z)], False),
        (sp.Ne(x, z), [sp.Ne(z, x)], True),
        (sp.Lt(x, w), [sp.Le(x, y), sp.Lt(y, z), sp.Le(z, w)], True),
        (sp.Le(x, y), [], False),
        (sp.Lt(x, z), [sp.Ne(x, y), sp.Lt(y, z)], False),
    ],
    ids=str,
)
def test_order_follows_along_chains(asked, known, so):
    assert follows(asked, known) == so


def said(*relations):
    return [(relation, f"by {k}") for k, relation in enumerate(relations)]


def test_of_what_is_known_a_chain_takes_what_it_needs() -> None:
    given = said(w < x, x < y, sp.Le(x, w + 1), sp.Le(y, z), sp.Ne(x, z))
    assert room._enough(sp.Lt(x, z), given) == [given[1], given[3]]
    assert room._enough(sp.Lt(w, z), given) == [given[0], given[1], given[3]]
    assert room._enough(sp.Lt(z, x), given) == given
    assert room._enough(sp.Lt(1, 2, evaluate=False), given) == []
    twice = said(x < y, sp.Gt(y, x), w < x)
    assert room._enough(sp.Lt(x, y), twice) == [twice[1]]


def test_what_cannot_all_be_true_is_a_relation_and_a_chain_of_its_contrary() -> None:
    given = said(w < x, x < y, sp.Le(y, z), sp.Le(z, x), sp.Ne(w, z))
    assert room._clash(given) == [given[2], given[3], given[1]]
    fine = given[:3]
    assert room._clash(fine) == fine


def test_what_is_false_of_numbers_is_turned_round() -> None:
    one, two = sp.Integer(1), sp.Integer(2)
    false = sp.Lt(two, one, evaluate=False)
    assert room._contrary(said(x < y, sp.Lt(one, two, evaluate=False))) is None
    assert room._contrary(said(x < y, false)) == sp.Ge(two, one, evaluate=False)


def between(shape, values):
    """The middle one of three numbers, and a share clipped to [0, 1]."""
    one, other, third = values["each"].T
    middle = one + other + third - amax(values["each"], 1) - amin(values["each"], 1)
    share = minimum(maximum(one / other, 0 * one), 1 + 0 * one)
    return {"middle": middle, "one": one, "other": other, "third": third, "share": share}


BETWEEN = scene_of(between, {"each": Box(1, 2, (3,))})
middle, one, other, third, share = sp.symbols("middle one other third share", real=True)


def test_ways_are_told_apart_until_no_extreme_is_left() -> None:
    found = room.told_apart(sp.Le(middle, one), ways(BETWEEN, {}))
    assert exhaustive([way.answers for way in found])
    assert not any(way.values["middle"][0].has(sp.Max, sp.Min) for way in found)
    assert {way.values["middle"][0] for way in found} == set(ways(BETWEEN, {})[0].values["each"][0])
    for order in product(range(1, 4), repeat=3):
        at = dict(zip(found[0].values["each"][0], order, strict=True))
        taken = [way for way in found if all(bool(each.subs(at)) for each in way.relations)]
        assert [way.values["middle"][0].subs(at) for way in taken] == [sorted(order)[1]]


def test_ways_that_are_told_apart_stand_in_the_order_in_which_they_were_found() -> None:
    found = ways(LENGTH, {})
    assert [way.answers for way in room.told_apart(sp.Ge(size, 0), found)] == [way.answers for way in found]
    first, *_, last = room.told_apart(sp.Le(middle, one), ways(BETWEEN, {}))
    assert all(yes for _, yes in first.answers)
    assert not any(yes for _, yes in last.answers)


def test_ways_that_are_too_many_are_not_told_apart(monkeypatch) -> None:
    monkeypatch.setattr(room, "MOST", 4)
    assert room.told_apart(sp.Le(middle, one), ways(BETWEEN, {})) is None


MIDDLE = {
    "at most the largest": (sp.Le(middle, sp.Max(one, other, third)), True),
    "its square, too": (sp.Le(middle**2, sp.Max(one**2, other**2, third**2)), True),
    "at most the first": (sp.Lt(middle, one), False),
    "at least the smallest but one": (sp.Ge(middle, sp.Min(one, other)), True),
    "no more than all": (sp.Le(share, 1), True),
    "strictly": (sp.Lt(share, 1), False),
    "the quotient": (sp.Ge(share, one / other), False),
    "where it is one": (sp.Eq(share, 1), False),
}


@pytest.mark.parametrize("name", MIDDLE)
def test_extremes_are_decided_on_each_way(name, monkeypatch) -> None:
    monkeypatch.setattr(room, "STEPS", 20)
    relation, shown = MIDDLE[name]
    assert (judged(BETWEEN, relation).outcome == "proved") == shown


def test_extremes_are_decided_first_where_there_are_any() -> None:
    """There are six orders of three numbers; if nothing is open, there is one branch."""
    reason = sentence(judged(BETWEEN, middle <= sp.Max(one, other, third)).reason)
    assert "on each of 6 ways that comparisons may lead" in reason
    assert (
        sentence(judged(BETWEEN, sp.Ge(one - other, one - other, evaluate=False)).reason)
        == "at all sizes: any numbers"
    )


def chances(shape, values):
    p, q = values["p"], values["q"]
    kl = p * log(p / q) + (1 - p) * log((1 + 0 * p - p) / (1 + 0 * q - q))
    return {"kl": kl, "chi": (p - q) ** 2 / (q * (1 - q))}


CHANCES = scene_of(chances, {"p": Box(0.1, 0.9), "q": Box(0.1, 0.9)})
p, q = sp.symbols("p q", positive=True)
kl, chi = sp.symbols("kl chi", real=True)
LOGARITHMS = (facts.logarithm(p / q), facts.logarithm((1 - p) / (1 - q)))


@pytest.mark.parametrize(
    ("relation", "cited", "shown"),
    [
        (kl <= chi, LOGARITHMS, True),
        (kl <= chi, LOGARITHMS[:1], False),
        pytest.param(kl <= chi / 2, LOGARITHMS, False, marks=pytest.mark.slow),
    ],
)
def test_facts_are_cited_on_each_way(relation, cited, shown, monkeypatch) -> None:
    monkeypatch.setattr(room, "STEPS", 20)
    claim = replace(about("logarithms", relation, p < 1, q < 1, scene=CHANCES), facts=cited)
    basis = basis_of(claim, QUICK)
    assert (basis.outcome == "proved") == shown
    assert not shown or (basis.cited == ("ln x <= x - 1",) * 2 and "4.5.4" in sentence(basis.reason))
