"""Facts that follow by algebra from sums over the same vectors: any number of them, in any dimension."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.relations import eq, ge, le
from verify.engine.model.scene import Follows, Rounds
from verify.engine.model.sums import Sums
from verify.engine.proof.facts import shown_of
from verify.engine.proof.recursion import by_algebra
from verify.report.wording import sentence
from verify.scenes.special.rate_run_facts import facts

a, b, whole = sp.symbols("a b whole", nonnegative=True)
product = sp.Symbol("product", real=True)
LETTERS = {"n": "count", "u": "family n", "v": "family n"}
SUM = ["+", ["total", "u"], ["total", "v"]]


def square(vector):
    return ["dot", vector, vector]


MEANS = {
    a**2: square(["total", "u"]),
    b**2: square(["total", "v"]),
    whole**2: square(SUM),
    product: ["dot", ["total", "u"], ["total", "v"]],
}
EXPANDED = eq(whole**2, a**2 + b**2 + 2 * product)
CAUCHY = le(product**2, a**2 * b**2)


def step(relation, **changes):
    means = {**MEANS, **changes.pop("means", {})}
    spoken = {quantity: form for quantity, form in means.items() if relation.has(quantity)}
    return Sums(relation, spoken, {**LETTERS, **changes})


THROUGH = (le(product, a * b), le(whole**2, (a + b) ** 2))


def follows(relation, *steps):
    return Follows(relation, tuple((each, {}) for each in steps), through=THROUGH)


def test_the_triangle_inequality_holds_for_any_number_of_vectors():
    shown = shown_of(follows(le(whole, a + b), step(EXPANDED), step(CAUCHY)))
    assert shown.proof["sizes"] is None
    assert shown.proof["count"] == 3
    assert sentence(shown.reason) == "at all sizes: by algebra from facts about any numbers"


@pytest.mark.parametrize(
    "relation",
    [le(2 * whole, a + b), le(a + b, whole), ge(whole, a + b), le(whole, a + b / 2), le(whole, a - b)],
)
def test_what_does_not_follow_is_not_proved(relation):
    assert shown_of(follows(relation, step(EXPANDED), step(CAUCHY))) is None


@pytest.mark.parametrize(
    "false",
    [
        eq(whole**2, a**2 + b**2 - 2 * product),  # a sign
        eq(whole**2, a**2 + b**2 + product),  # a factor
        le(2 * product**2, a**2 * b**2),
        le(product**2, a**2 * a**2),  # another vector
    ],
)
def test_a_false_step_proves_nothing(false):
    """Even if the conclusion is true, each step needs its own certificate."""
    assert shown_of(follows(le(whole, a + b), step(EXPANDED), step(CAUCHY), step(false))) is None


def test_weights_that_do_not_sum_to_one_are_noticed():
    """The mean of n vectors is at most their root mean square in length; no other multiple of their sum is."""
    spread = sp.Symbol("spread", nonnegative=True)

    def jensen(weight):
        mean = ["*", weight, ["total", "u"]]
        means = {a**2: square(mean), spread: ["/", ["each", "n", "u", "u"], "n"]}
        return Follows(le(a, sp.sqrt(spread)), ((Sums(le(a**2, spread), means, LETTERS), {}),))

    assert shown_of(jensen(["/", "1", "n"])).proof["sizes"] is None
    for wrong in (["/", "2", "n"], ["/", "1", ["-", "n", "1/2"]], "1"):
        assert shown_of(jensen(wrong)) is None


@pytest.mark.parametrize(
    ("changes", "says"),
    [({"means": {a**2: square(["total", "v"])}}, "`means`"), ({"u": "vector"}, "`symbols`")],
)
def test_facts_about_other_vectors_are_not_joined(changes, says):
    other = step(CAUCHY, **changes)
    with pytest.raises(ValueError, match=says):
        by_algebra(follows(le(whole, a + b), step(EXPANDED), other))


def test_conditions_of_sums_stay_conditions_of_what_follows():
    given = (ge(a, 1),)
    shown = shown_of(Follows(le(b**2, a**2 * b**2), ((Sums(eq(b**2, b**2), {}, {}, given), {}),), given))
    assert shown.needed == {*given}


def test_conditions_of_the_steps_of_an_induction_stay_conditions_of_what_follows():
    """Only the induction's own conditions are met by the substituted expressions."""
    rounds, power = sp.Symbol("t", integer=True, nonnegative=True), sp.Symbol("power", real=True)
    step, large = Sums(eq(b**2, b**2), {}, {}, (ge(a, 1),)), ge(b, 1)
    grows = Rounds(
        le(1, b**rounds), rounds, {power: b**rounds}, {power: b * power}, given=(large,), steps=(step,)
    )
    for letters, kept in (({}, ge(a, 1)), ({a: b + 1}, ge(b + 1, 1))):
        shown = shown_of(Follows(grows.relation, ((grows, letters),), (large,)))
        assert shown.needed == {large, kept}


def test_facts_about_a_run_of_special_speak_of_all_sizes():
    """Mutants of the bound on the gradient of all tasks have no proof: a factor, a sign, one task fewer."""
    found = {str(fact.relation): fact for fact in facts()}
    lengths = [fact for name, fact in found.items() if name.startswith("grad1")]
    assert len(lengths) == 4
    for fact in lengths:
        assert shown_of(fact).proof["sizes"] is None
        small, large = fact.relation.lts, fact.relation.gts
        assert shown_of(replace(fact, relation=le(small, large - fact.relation.args[0] / 2))) is None
