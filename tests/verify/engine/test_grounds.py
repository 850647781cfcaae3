"""The sign that a fact takes from a condition is checked in the scene of the fact where possible."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from verify.engine.model.scene import Box, Fact, Proved, Scene
from verify.engine.proof import grounds as engine
from verify.engine.proof.facts import fact_of, shown_of, valid_definitions
from verify.engine.proof.grounds import Ground, Unfounded, _Asked, _besides, _ground, _said_at_once, grounds
from verify.report.wording import sentence

x, y, z, unknown = sp.symbols("x y z unknown", real=True)
BELOW, SMALL, STRICTLY = sp.Le(x, y), sp.Le(y, 1), sp.Lt(x, y)
OF_BOTH = sp.Le(unknown, y)


def compute(shape, values):
    """z = x + 3 slack, where slack is declared nonnegative."""
    x, y = values["x"], values["y"]
    return {
        **values,
        "share": x / (1 + values["w"] ** 2),
        "difference": y - x,
        "twice": 2 * (y - x),
        "too_much": y - 2 * x,
        "to_one": 1 - x,
        "z": x + 3 * (y - x),
        "slack": 3 * values["room"],
    }


NUMBERS = Scene(
    name="two numbers and what is between them",
    shapes=({},),
    space=lambda shape: {**dict.fromkeys("xyw", Box(-1, 1)), **dict.fromkeys(("room", "more"), Box(0.1, 1))},
    compute=compute,
    covers="any numbers",
)


def fact(quantity, condition, **more):
    return Fact(sp.Le(x, z), NUMBERS, "slack", {"room": (quantity, condition), **more})


def resting(fact):
    """By justification: the conditions on which its signs rest."""
    return {right: ground.conditions for right, ground in grounds(fact, {}).items()}


def test_a_condition_says_what_the_quantity_is():
    found = fact("difference", BELOW)
    assert resting(found) == {(BELOW,): {BELOW}}
    assert shown_of(found).needed == {BELOW}


@pytest.mark.parametrize("quantity", ["difference", "twice"])
def test_multiples_follow(quantity):
    assert resting(fact(quantity, BELOW)) == {(BELOW,): {BELOW}}
    assert resting(fact(quantity, STRICTLY)) == {(STRICTLY,): {STRICTLY}}


@pytest.mark.parametrize("quantity", ["too_much", "to_one", "x", "share"])
def test_a_quantity_whose_sign_does_not_follow_is_refused_by_name(quantity):
    with pytest.raises(
        Unfounded, match=f"sign of `{quantity}` in the scene .* must follow from condition x <= y"
    ):
        shown_of(fact(quantity, BELOW))


def test_one_sign_that_does_not_follow_spoils_the_fact():
    assert resting(fact("difference", STRICTLY))
    with pytest.raises(Unfounded, match="sign of `x`"):
        grounds(fact("difference", STRICTLY, more=("x", SMALL)), {})


def test_signs_do_not_follow_from_each_other():
    """Two quantities, each of which has a sign if the other has one: conditions on other numbers give neither sign."""
    with pytest.raises(Unfounded, match="sign of `difference`"):
        grounds(fact("difference", SMALL, more=("twice", sp.Le(x, 1))), {})


def test_a_sign_may_need_another_condition_which_the_fact_then_rests_on():
    scene = NUMBERS.variant(
        "the same, up to 1",
        compute=lambda shape, values: {
            **compute(shape, values),
            "z": 0 * values["x"] + 1,
            "left": 1 - values["y"],
        },
    )
    found = Fact(sp.Le(x, z), scene, "room", {"room": ("to_one", BELOW), "more": ("left", SMALL)})
    assert resting(found) == {(BELOW,): {BELOW, SMALL}, (SMALL,): {SMALL}}
    assert shown_of(found).needed == {BELOW, SMALL}


def test_where_the_scene_lacks_a_quantity_nothing_follows():
    with pytest.raises(Unfounded, match=r"sign of `difference` .* must follow from condition unknown <= y"):
        shown_of(fact("difference", OF_BOTH))


@pytest.mark.parametrize(
    ("condition", "is_shown"), [(sp.Eq(x, y), True), (BELOW, False), (STRICTLY, False)], ids=str
)
def test_an_equation_makes_a_quantity_zero_so_that_its_factor_may_have_any_sign(condition, is_shown) -> None:
    scene = NUMBERS.variant(
        "the same, with a factor of any sign",
        compute=lambda shape, values: {
            **compute(shape, values),
            "z": values["x"] + values["w"] * (values["y"] - values["x"]),
            "slack": values["w"] * values["either"],
        },
        space=lambda shape: {**NUMBERS.space(shape), "either": Box(-1, 1)},
    )
    found = Fact(sp.Le(x, z), scene, "slack", {"either": ("difference", condition)})
    assert resting(found) == {(condition,): {condition}}
    assert (shown_of(found) is not None) == is_shown


def test_what_an_equation_does_not_make_zero_is_refused() -> None:
    assert grounds(Fact(sp.Le(x, z), NUMBERS, "", {"w": ("twice", sp.Eq(x, y))}), {})
    with pytest.raises(Unfounded):
        grounds(Fact(sp.Le(x, z), NUMBERS, "", {"w": ("to_one", sp.Eq(x, y))}), {})


@pytest.mark.parametrize(
    ("quantity", "condition", "at_once"),
    [
        ("difference", BELOW, True),
        ("difference", sp.Ge(y, x), True),
        ("difference", STRICTLY, True),
        ("to_one", sp.Le(x, 1), True),
        ("twice", BELOW, False),
        ("to_one", SMALL, False),
        ("difference", sp.Eq(x, y), False),
        ("difference", sp.Ne(x, y), False),
        ("difference", sp.Ge(x, y), False),
    ],
    ids=str,
)
def test_what_a_condition_says_word_for_word_needs_no_search(monkeypatch, quantity, condition, at_once):
    monkeypatch.setattr(engine, "_certificate", lambda *asked: None)
    scene = NUMBERS.variant("the same, not asked yet")
    found = Fact(sp.Le(x, z), scene, "slack", {"room": (quantity, condition)})
    if at_once:
        assert grounds(found, {})
    else:
        with pytest.raises(Unfounded):
            grounds(found, {})


def test_what_is_said_at_once_is_the_difference_of_both_sides():
    found = _said_at_once((sp.Eq(x, y), BELOW, sp.Lt(y, z), sp.Ge(z, 1)))
    assert found[sp.Eq] == {x - y, y - x}
    assert found[sp.Gt] == {z - y}
    assert found[sp.Ge] == {y - x, z - y, z - 1}


# ----------------------------------------------------- extremes of which a scene computes some terms

largest, bound = sp.symbols("largest bound", nonnegative=True)
term = sp.Symbol("term", nonnegative=True)
BOUNDED, TERM, SQUARE = sp.Le(largest, bound), sp.Le(term, largest), sp.Le(term**2, largest**2)
SHORT = sp.Le(term**2, bound**2)


def of_terms(shape, values):
    """Some terms, and the consequence of a bound on the largest of all terms."""
    terms, most = abs(values["terms"]), values["bound"]
    return {
        "term": terms,
        "slack": most * values["room"] + terms * values["room"],
        "less": most - terms,
        "square": most**2 - terms**2,
        "more": 2 * most - terms,
        "too_short": most - 2 * terms,
        "too_long": terms - most,
        "too_square": most**2 - 2 * terms**2,
    }


TERMS = Scene(
    name="some terms",
    shapes=({"n": 1}, {"n": 2}),
    space=lambda shape: {
        "terms": Box(-1, 1, (shape["n"],)),
        "room": Box(0.1, 1, (shape["n"],)),
        "bound": Box(0.1, 1),
    },
    compute=of_terms,
    covers="any terms",
)


def about_terms(quantity, *through):
    return Fact(SHORT, TERMS, "slack", {"room": (quantity, BOUNDED, *through)})


def test_a_bound_on_an_extreme_bounds_its_terms():
    found = shown_of(about_terms("less", TERM))
    assert found.needed == {BOUNDED, TERM}
    assert grounds(about_terms("square", SQUARE), {"n": 2})


def test_signs_of_what_definitions_speak_of_are_asked_for():
    way = sp.Symbol("way", nonnegative=True)
    scene = TERMS.variant(
        "terms along ways",
        compute=lambda shape, values: {
            **of_terms(shape, values),
            "way": values["room"] ** 2,
            "square": values["bound"] ** 2 * values["room"] ** 2 - values["terms"] ** 2,
        },
    )
    along = sp.Le(term**2, largest**2 * way)
    found = grounds(Fact(SHORT, scene, "slack", {"room": ("square", BOUNDED, along)}), {"n": 2})
    assert found[BOUNDED, along].signs == {sp.Ge(sp.Symbol("way", real=True), 0)}


@pytest.mark.parametrize(
    ("quantity", "through"),
    [
        ("too_short", TERM),
        ("too_long", TERM),
        ("too_square", SQUARE),
        ("less", sp.Le(term, 2 * largest)),
        ("less", sp.Ge(term, largest)),
        ("less", sp.Le(unknown, largest)),
        ("less", sp.Le(term, y)),
    ],
)
def test_more_than_a_definition_gives_is_refused_by_name(quantity, through):
    with pytest.raises(
        Unfounded, match=f"sign of `{quantity}` .* must follow from condition largest <= bound through"
    ):
        shown_of(about_terms(quantity, through))


def using(largest_of, defines=(TERM,), **more):
    """A scene that uses the fact, with terms at a few places and its own definition of the largest one."""

    def quantities(shape, values):
        return {
            "term": values["terms"],
            "largest": largest_of(values["terms"]),
            "bound": largest_of(values["terms"]),
        }

    proved = Proved(quantities, (about_terms("less", TERM),), defines, **more)
    return Scene("of use", TERMS.shapes, lambda shape: {"terms": Box(0, 1, (shape["n"],))}, proved)


@pytest.mark.parametrize(
    ("scene", "known"),
    [
        (using(lambda terms: terms.max(axis=1)), True),
        (using(lambda terms: 1 + 0 * terms[:, 0]), True),
        (using(lambda terms: terms[:, 0]), False),
        (using(lambda terms: terms.max(axis=1) / 2), False),
        (using(lambda terms: terms.max(axis=1), ()), False),
        (
            using(lambda terms: terms.max(axis=1), terms=lambda shape, values: {"term": 2 * values["terms"]}),
            False,
        ),
    ],
)
def test_a_definition_is_tried_where_the_fact_is_used(scene, known):
    assert (fact_of(SHORT, scene, (BOUNDED,)) is not None) == known
    assert (TERM in valid_definitions(scene)) == known


def test_a_scene_may_define_more_than_a_fact_needs():
    least = sp.Ge(bound, 0, evaluate=False)
    scene = using(lambda terms: terms.max(axis=1), (TERM, least))
    assert valid_definitions(scene) == {TERM, least}
    found = fact_of(SHORT, scene, (BOUNDED,))
    assert found is not None
    assert sentence(found.reason).endswith(f"; by definition {TERM}")


@pytest.mark.parametrize("number", [0, 60])
def test_what_speaks_of_the_same_is_asked_by_itself_however_much_else_is_said(number):
    """x >= 0 and y >= x give y >= 0; the condition contains both x and y."""
    idle = [sp.Ge(sp.Symbol(f"idle{k}", real=True), 0) for k in range(number)]
    said = (sp.Ge(x, 0), sp.Ge(y, x), *idle)
    asked = _Asked("y", (BELOW,), (y >= 0,), said, Ground())
    assert _besides(y >= 0, asked, (), (), {}) == Ground()


@pytest.mark.parametrize(
    ("own", "others", "found"), [(0, 40, True), (20, 20, True), (20, 21, False), (0, 41, False)]
)
def test_a_sign_is_looked_for_among_forty_relations_at_most(own, others, found):
    """0 <= z <= y among forty relations about another quantity."""
    idle = [sp.Ge(sp.Symbol(f"idle{k}", real=True), 0) for k in range(own + others - 2)]
    said, right = tuple(idle[:own]), (SMALL,)
    known = tuple((each, right) for each in (z >= 0, y - z >= 0, *idle[own:]))
    ground = Ground(frozenset(right))
    asked = _Asked("y", (BELOW,), (y >= 0,), said, Ground())
    assert _besides(y >= 0, asked, (), known, {right: ground}) == (ground if found else None)


def test_the_sign_of_an_entry_follows_from_what_is_said_of_that_entry_however_many_there_are():
    own, other = (sp.symbols(f"{letter}:41", real=True) for letter in "ab")
    said = tuple(sp.Le(b**2, a) for a, b in zip(own, other, strict=True))
    asked = _Asked("a", (SMALL,), tuple(a >= 0 for a in own), said, Ground(frozenset({SMALL})))
    assert _ground(asked, (), {}) == Ground(frozenset({SMALL}))
    assert _ground(replace(asked, said=said[::-1]), (), {}) is None
