"""Sums of any number of summands: what is shown of them, near misses that are not, and whose letters they speak of."""

import pytest
import sympy as sp

from bounds.relations import eq, ge, le, lt
from verify import Notes
from verify.engine.facts import shown_of
from verify.scenes.summands import SUMMANDS, before, later, meant, summed

x, y, S, T = sp.symbols("x y S T", real=True)
a, N = sp.symbols("a N", nonnegative=True)
p, P = sp.symbols("p P", positive=True)
ONE = sp.S.One

TRUE = {
    "of what is not negative": summed(ge(S, 0), {S: a}, (a,)),
    "of something and of more": summed(le(S, T), {S: x, T: x + a}, (x, a)),
    "of the same each time": summed(eq(S, N * x), {S: x, N: ONE}, ()),
    "of sums so far": summed(eq(2 * T, N**2 - N), {N: ONE, T: before(N)}, ()),
}
FALSE = {
    "of anything": summed(le(S, 0), {S: x}, (x,)),
    "less than of more, with no summand": summed(lt(S, T), {S: x, T: x + p}, (x, p)),
    "positive, with no summand": summed(sp.Gt(P, 0, evaluate=False), {P: p}, (p,)),
    "of another each time": summed(eq(S, N * x), {S: x, N: ONE}, (x,)),
    "of products": summed(eq(S * T, N), {S: x, T: y, N: x * y}, (x, y)),
    "of squares, without how many": summed(le(S**2, N), {S: x, N: x**2}, (x,)),
    "of largest ones": summed(le(S, sp.Max(T, N)), {S: sp.Max(x, a), T: x, N: a}, (x, a)),
    "of one another": summed(eq(S, T + 1), {S: T, T: S}, ()),
    "how many, but one": summed(eq(S, SUMMANDS), {S: ONE}, ()),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_is_so_of_each_is_so_of_all(name):
    assert shown_of(TRUE[name]).reason == "at all sizes: by induction over summands"


@pytest.mark.parametrize("name", FALSE)
def test_near_misses_are_not_shown(name):
    assert shown_of(FALSE[name]) is None


@pytest.mark.parametrize("of", [before, later])
def test_no_letter_of_notes_is_taken_for_what_a_sum_was(of):
    notes = Notes("letters")
    assert of(x).name not in [letter.name for letter in notes.real(of(x).name)]
    alike = sp.Symbol(of(x).name.replace(" ", "_"), real=True)
    assert shown_of(summed(le(x, 0), {x: alike}, ())) is None


@pytest.mark.parametrize("relation", [le(x, 0), eq(2 * x, 0), sp.true], ids=str)
def test_a_letter_is_said_by_an_equation_for_it(relation):
    with pytest.raises(ValueError, match="`relation` must be an equation for a letter, got"):
        meant(relation)
