"""Facts about whole numbers by induction, and which textbook lemmas a claim may use, on small examples."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from bounds.evaluate import evaluate
from bounds.symbols import is_visibly
from verify.check_proof import check
from verify.engine.certificates import recheck
from verify.engine.certificates.formulas import parts
from verify.engine.model.scene import Box, Fact, Rounds, Scene
from verify.engine.model.sums import Sums
from verify.engine.model.textbook import near, sources, usable
from verify.engine.proof.facts import _broken, shown_of, unbroken
from verify.engine.proof.recursion import _fits, by_induction
from verify.facts.known import Known
from verify.report.wording import sentence
from verify.scenes.summands import definition

t = sp.Symbol("t", integer=True, nonnegative=True)
k = sp.Symbol("k", integer=True)
r, s = sp.symbols("r s", integer=True, positive=True)
x, power, total = sp.symbols("x power total", real=True)
number = sp.Symbol("number", nonnegative=True)
z = sp.Symbol("z", nonnegative=True)
q = sp.Symbol("q", positive=True)
u, v, w = sp.symbols("u v w", real=True)


def le(left, right):
    return sp.Le(left, right, evaluate=False)


BERNOULLI = Rounds(
    sp.Ge((1 + x) ** t, 1 + t * x, evaluate=False),
    t,
    {number: t, power: (1 + x) ** t},  # the larger formula first; otherwise it would lose its t
    {power: (1 + x) * power, number: number + 1},
    given=(x >= 0,),
)
GROWS = Rounds(le(1, q**t), t, {power: q**t}, {power: q * power}, given=(q >= 1,))
SUMMED = Rounds(
    sp.Eq(sp.Sum(k, (k, 0, t)), t * (t + 1) / 2, evaluate=False),
    t,
    {total: sp.Sum(k, (k, 0, t)), number: t},
    {total: total + number + 1, number: number + 1},
)
SIGNED = replace(BERNOULLI, named={number: t, q: (1 + x) ** t}, grows={q: (1 + x) * q, number: number + 1})
TRUE = {"Bernoulli": BERNOULLI, "a power": GROWS, "a sum": SUMMED, "a power of what is positive": SIGNED}
FALSE = {
    "a sum that begins later": Rounds(
        sp.Eq(sp.Sum(k, (k, 3, t)), t * (t + 1) / 2 - 3, evaluate=False),
        t,
        {total: sp.Sum(k, (k, 3, t)), number: t},
        {total: total + number + 1, number: number + 1},
    ),
    "a power that falls": replace(GROWS, given=()),
    "twice a power": replace(GROWS, relation=le(2, q**t)),  # false at t = 0
    "a sum less one": replace(SUMMED, relation=sp.Eq(SUMMED.relation.lhs, t * (t - 1) / 2, evaluate=False)),
    "a power that is said to grow faster": replace(GROWS, grows={power: (q + 1) * power}),
    "a power that is said to be one more": replace(GROWS, grows={power: q * power + 1}),
    "a name of a narrower domain": replace(SIGNED, given=(x >= -1,)),  # then 1 + x may be 0
}


@pytest.mark.parametrize("letter", [u, z, k], ids=str)
def test_rounds_are_counted_by_whole_numbers(letter):
    """2^s >= s + 1 holds for whole numbers and fails between 0 and 1; 2^s >= 1 fails below 0."""
    with pytest.raises(ValueError, match=f"`over` must be a whole number of at least 0 .*, got {letter}"):
        Rounds(sp.Ge(2**letter, letter + 1, evaluate=False), letter, {}, {})


@pytest.mark.parametrize("name", TRUE)
def test_true_relations_are_carried_from_number_to_number(name):
    certificate = by_induction(TRUE[name])
    check(dict(certificate))
    recheck(certificate)
    last = certificate["lines"][-1]
    assert last["induct"] == "round"
    assert last["show"] == certificate["claim"]
    shown = shown_of(TRUE[name])
    assert shown.needed == set(TRUE[name].given)
    assert sentence(shown.reason) == "at all sizes: by induction over t"
    assert shown.proof["sizes"] is None
    assert shown.proof["certificates"] == [certificate]


@pytest.mark.parametrize("name", FALSE)
def test_false_ones_are_not(name):
    assert by_induction(FALSE[name]) is None
    assert shown_of(FALSE[name]) is None


HALVED = Known("halved", le(u, v / 2), "a book, 2001")
SHRINKS = Rounds(le(u, w * 2**-t), t, {power: 2**-t}, {power: power / 2}, {u: (v, w)}, (HALVED,), (w >= 0,))


def test_what_changes_is_carried_by_a_step_that_is_true_of_every_round():
    """u <= v/2, where v is u one round earlier and w its first value, gives u <= w 2^-t."""
    certificate = by_induction(SHRINKS)
    check(dict(certificate))
    recheck(certificate)
    assert any(
        line.get("by") == "textbook halved" and line["for"] == "round" for line in certificate["lines"]
    )
    assert by_induction(replace(SHRINKS, steps=())) is None
    assert (
        by_induction(
            replace(SHRINKS, relation=le(u, w * 3**-t), named={power: 3**-t}, grows={power: power / 3})
        )
        is None
    )
    assert by_induction(replace(SHRINKS, changes={u: (v, 2 * w)})) is None
    needs = replace(SHRINKS, steps=(replace(HALVED, given=(w <= 7,)),))
    assert shown_of(needs).needed == {w >= 0, w <= 7}


def test_a_step_may_be_a_fact_with_its_own_proof():
    """|x'|^2 = |x|^2/4 for x' = x/2, so |x|^2 <= w 4^-t; a relation that is not a fact proves nothing."""
    squares = {u: ["/", ["dot", "x", "x"], "4"], v: ["dot", "x", "x"]}
    quartered = Sums(le(u, v / 4), squares, {"x": "vector"})
    carried = replace(SHRINKS, relation=le(u, w * 4**-t), named={power: 4**-t}, grows={power: power / 4})
    carried = replace(carried, steps=(quartered,))
    shown = shown_of(carried)
    assert len(shown.proof["certificates"]) == 2
    assert shown.needed == {w >= 0}
    for certificate in shown.proof["certificates"]:
        check(dict(certificate))
        recheck(certificate)
    assert shown_of(replace(carried, steps=(replace(quartered, relation=le(u, v / 5)),))) is None


entry, gathered = sp.IndexedBase("entry"), sp.Symbol("gathered")
WEIGHTED_SUM = sp.Sum(q ** (k - t) * entry[k], (k, 0, t - 1))
UNROLLED = Rounds(
    sp.Eq(u, WEIGHTED_SUM, evaluate=False),
    t,
    {gathered: WEIGHTED_SUM},
    {gathered: (gathered + entry[t]) / q},
    {u: (v, sp.S.Zero)},
    (definition(sp.Eq(u, (v + entry[t - 1]) / q, evaluate=False)),),
)


def test_a_sum_whose_weights_depend_on_its_end_is_a_recursion():
    """u_(t+1) = (u_t + x_t)/q gives u_t as the sum of q^(k-t) x_k over k < t, for any sequence x."""
    certificate = by_induction(UNROLLED)
    check(dict(certificate))
    recheck(certificate)
    assert not any("t" in map(str, parts(line["given"])) for line in certificate["lines"] if "given" in line)


@pytest.mark.parametrize(
    "changes",
    [
        {"relation": sp.Eq(u, 2 * WEIGHTED_SUM, evaluate=False)},
        {"relation": sp.Eq(u, -WEIGHTED_SUM, evaluate=False)},
        {"grows": {gathered: (gathered + entry[t]) / (2 * q)}},
        {"grows": {gathered: (gathered + entry[t + 1]) / q}},
        {"steps": (definition(sp.Eq(u, (v + entry[t]) / q, evaluate=False)),)},
        {"steps": (definition(sp.Eq(u, (v - entry[t - 1]) / q, evaluate=False)),)},
        {"changes": {u: (v, sp.S.One)}},
    ],
    ids=[
        "a factor",
        "a sign",
        "a weight",
        "an entry later",
        "another entry",
        "a subtracted entry",
        "a start",
    ],
)
def test_a_changed_recursion_is_refused(changes):
    assert by_induction(replace(UNROLLED, **changes)) is None


def test_the_number_of_a_round_is_another_in_every_round():
    """1 + 2 + .. + t is not t^2, which a proof with the same t in every round would give."""
    squared = Rounds(
        sp.Eq(u, (q - 1) * t, evaluate=False),
        t,
        {q: t + 1},
        {q: q + 1},
        {u: (v, sp.S.Zero)},
        (definition(sp.Eq(u, v + t, evaluate=False)),),
    )
    assert by_induction(squared) is None


p, begun = sp.Symbol("p", positive=True), sp.Symbol("begun", nonnegative=True)
KEPT = Sums(sp.Eq(p, begun, evaluate=False), {p: "begun"}, {})
POSITIVE = Rounds(sp.Gt(p, 0, evaluate=False), t, {}, {}, {p: (begun, sp.S.Zero)}, (KEPT,))


def test_what_is_positive_and_begins_at_nothing_is_only_not_negative():
    """A sum that is positive once it has a summand is only nonnegative before that."""
    assert by_induction(POSITIVE) is None
    least = replace(POSITIVE, relation=le(p, 0))
    assert by_induction(least)["symbols"]["p"] == "sequence nonnegative"
    assert by_induction(replace(POSITIVE, changes={p: (begun, q)}))["symbols"]["p"] == "sequence positive"
    assert by_induction(replace(least, changes={p: (begun, -q)})) is None
    narrow = sp.Symbol("begun", positive=True)
    assert by_induction(replace(least, changes={p: (narrow, sp.S.Zero)})) is None


def test_what_may_begin_anywhere_has_no_beginning():
    anywhere = replace(POSITIVE, relation=sp.Ge(p, 1, evaluate=False), changes={p: (begun, None)})
    assert by_induction(anywhere) is None  # no claim is made about the first


SCENE = Scene(
    "numbers",
    ({"n": 1}, {"n": 2}),
    lambda s: {"u": Box(0, 1), "h": Box(0.1, 1)},
    lambda s, values: {"v": 2 * values["u"], "w": values["u"] + s["n"]},
    known=lambda s, values: {"c": values["u"] + 5},
    steps=("h",),
)
n, c, h, far = sp.symbols("n c h far", real=True)


def fact(relation, name="a fact", **more):
    return Known(name, relation, "a book, 1901", **more)


def test_facts_near_a_relation_speak_of_its_quantities_and_of_what_joins_two_of_them():
    one, joined, away = fact(le(u, c * v)), fact(le(u + v, w + h)), fact(le(u, far))
    assert near((one, joined, away), le(u, v), SCENE) == (one, joined)
    assert near((one, joined, away), le(u, c), SCENE) == ()  # sizes and `known` quantities link nothing
    assert near((fact(le(n, h)),), le(u, v), SCENE) != ()
    assert near((away,), le(u, far), SCENE) == (away,)


def test_facts_are_tried_where_they_are_used():
    true, false, needs = fact(le(u, v)), fact(le(v, u)), fact(le(v, 1), given=(le(u, 1),))
    small = fact(le(2 * u, 1), given=(sp.Le(2 * u, 1),))
    given_by_another = fact(le(2 * u, 4), given=(sp.Le(u, v),))
    scene = SCENE.of_class("toys", true, false, needs, small, given_by_another)
    assert usable((true, false), scene, ()) == (true,)
    assert usable((small,), scene, ()) == ()
    assert usable((small,), scene, (sp.Le(2 * u, 1),)) == (small,)
    assert usable((small,), scene, (sp.Le(4 * u, 1),)) == (small,)  # it follows
    assert usable((small,), scene, (sp.Le(u, 1),)) == ()
    assert usable((needs,), scene, (le(u, 1),)) == ()  # a random instance breaks it
    assert usable((given_by_another,), scene, ()) == ()
    assert usable((given_by_another, true), scene, ()) == (given_by_another, true)
    alone = fact(le(-(z**2), 0), about="numbers"), fact(le(z**2, 0), about="numbers")
    assert usable(alone, None, ()) == alone[:1]  # about free numbers


def test_facts_about_quantities_are_used_where_their_scene_declares_them():
    true, cited = fact(le(u, v)), replace(SCENE, textbook=(fact(le(u, v)),))
    assert usable((true,), SCENE, ()) == ()
    assert usable((true,), None, ()) == ()
    assert usable(cited.textbook, cited, ()) == ()  # without a proof, and of no class of problems
    declared = SCENE.of_class("toys", true)
    assert usable((true,), declared, ()) == (true,)
    again, another = fact(le(u, v)), fact(le(u, 2 * v))
    assert usable((again,), declared, ()) == (again,)  # the same relation, built again
    assert usable((again,), cited.of_class("toys"), ()) == (again,)
    assert usable((fact(le(u, v), given=(le(u, 9),)),), declared, (le(u, 9),)) == ()
    assert usable((another,), declared, ()) == ()  # no scene declares it
    assert usable(cited.textbook, cited.of_class("toys"), ()) == cited.textbook
    assert declared.of_class("more", *cited.textbook).problem.lemmas == (true, *cited.textbook)


def test_facts_that_can_be_proved_are():
    proved = fact(GROWS.relation, proof=GROWS, given=GROWS.given)
    assert usable((proved,), None, GROWS.given) == (proved,)
    assert (
        usable((replace(proved, given=()),), None, GROWS.given) == ()
    )  # its proof rests on more conditions than it states
    assert usable((replace(proved, proof=FALSE["a power that falls"]),), None, GROWS.given) == ()


def test_every_source_is_told_once():
    facts = fact(le(u, v), "one"), fact(le(v, w), "two"), fact(le(u, w), "one")
    assert sources(facts) == ["one (a book, 1901)", "two (a book, 1901)"]


def test_a_size_without_a_value_hides_none_at_which_a_relation_is_broken():
    """u <= -1/(n - 1) has no value at n = 1, and fails for u in [0, 1] at any other size."""
    n = sp.Symbol("n", integer=True, positive=True)
    sizes = ({"n": 1}, {"n": 2}, {"n": 3})
    scene = Scene("sizes", sizes, lambda s: {"u": Box(0, 1)}, lambda s, values: {})
    found = _broken(le(u, -1 / (n - 1)), scene, ())
    assert [(shape["n"], instance is not None) for shape, instance in found] == [
        (1, False),
        (2, True),
        (3, True),
    ]


def test_a_relation_is_unbroken_up_to_rounding_where_a_scene_computes_it():
    assert unbroken(le(u, v), SCENE)
    assert not unbroken(le(v, u), SCENE)
    assert not unbroken(le(u, far), SCENE)  # not computed
    assert unbroken(le(v, u), SCENE, (le(u, 0),))
    hair = replace(SCENE, compute=lambda s, values: {"v": values["u"] * (1 + 1e-8)})
    assert not unbroken(le(v, u), hair)
    rounded = replace(SCENE, compute=lambda s, values: {"v": values["u"] * (1 + 1e-10)})
    assert unbroken(le(v, u), rounded)
    tiny = replace(SCENE, compute=lambda s, values: {"v": 0 * values["u"], "w": 0 * values["u"] + 1e-13})
    assert unbroken(le(w, v), tiny)
    none = replace(SCENE, compute=lambda s, values: {"v": values["u"] * np.nan})
    assert unbroken(le(v, u), none)  # not defined at any instance, so not broken
    at_two = replace(SCENE, compute=lambda s, values: {"v": values["u"] * (3 - 2 * s["n"])})
    assert not unbroken(le(u, v), at_two)


def test_what_meets_a_strict_condition_by_rounding_alone_breaks_nothing():
    def limit(*levels):
        return Scene("limit", ({"n": 1},), lambda s: {"u": Box(0, 1, levels=levels)}, lambda s, values: {})

    below = (sp.Lt(u, 1, evaluate=False),)
    assert unbroken(le(u, 0.5), limit(0.25, 1 - 2**-53), below)
    assert not unbroken(le(u, 0.5), limit(0.25, 1 - 1e-6), below)


def test_a_fact_has_one_certificate_for_each_shape():
    """2 u v <= u^2 + v^2, by the square of u - v."""
    square = Scene(
        "squares",
        ({"n": 1}, {"n": 2}),
        lambda s: {"u": Box(-1, 1), "v": Box(-1, 1)},
        lambda s, values: {"apart": (values["u"] - values["v"]) ** 2},
        covers="any numbers",
    )
    shown = shown_of(Fact(le(2 * u * v, u**2 + v**2), square, "apart"))
    assert (shown.proof["count"], shown.proof["uncertified"], shown.needed) == (2, 0, set())
    assert shown.proof["sizes"] == [{"n": 1}, {"n": 2}]
    assert shown_of(Fact(le(3 * u * v, u**2 + v**2), square, "apart")) is None


@pytest.mark.parametrize(
    ("formula", "follows"), [(1 / (r * s), True), (r - 1, True), (1 / (r * s) - 1, False)]
)
def test_a_formula_must_lie_in_the_domain_of_its_letter(formula, follows):
    """SymPy takes 1/(r s) - 1 for nonnegative, with counts r and s."""
    assert _fits(z, formula, ()) is follows


@given(st.integers(1, 6), st.integers(1, 6), st.integers(-2, 2), st.integers(-2, 2), st.integers(-2, 2))
def test_a_visible_sign_is_right(first, second, a, b, c):
    at = {r: first, s: second}
    formula = a / (r * s) + b * r ** (s - 2) + c
    for shape in (
        formula,
        sp.Max(formula, c, evaluate=False),
        sp.Min(formula, r, evaluate=False),
        formula**2,
    ):
        value = evaluate(shape, {letter.name: number for letter, number in at.items()})
        assert value > 0 or not is_visibly(shape, positive=True)
        assert value >= 0 or not is_visibly(shape, positive=False)
