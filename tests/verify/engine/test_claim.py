"""Claims made by topics: given fields are stored, omitted fields are empty; quantities of a round."""

import pytest
import sympy as sp

from tests.verify.engine.simple import LINE, of, u, v, x, y
from tests.verify.known import known
from verify.engine.certificates.question import Induction
from verify.engine.model import claim as room
from verify.engine.model.claim import claims_about, for_each
from verify.facts.known import Known

ONE, OTHER = known("one", of(sp.Le, x, y)), known("other", of(sp.Le, x, 2))
FACT = Known("a fact", of(sp.Le, 0, x**2), "a book, 1901")


def usual(claim, budget, seed):
    raise AssertionError("no claim is judged here")


def special(claim, budget, seed):
    raise AssertionError("no claim is judged here")


@pytest.fixture
def claim(monkeypatch):
    monkeypatch.setattr(room, "lookup", {"known.one": ONE, "known.other": OTHER}.__getitem__)
    return claims_about("known", usual)


def test_a_claim_of_an_id_alone_has_the_usual_check_and_nothing_else(claim):
    made = claim("one")
    assert (made.statement, made.checks, made.scene) == (ONE, (usual,), None)
    assert (made.premises, made.facts, made.through, made.means) == ((), (), (), {})
    assert (made.baseline, made.induction) == (None, None)


def test_all_that_is_said_of_a_claim_stands_in_it(claim):
    said = {
        "baseline": x,
        "facts": (FACT,),
        "induction": Induction("t", {u: v}, {u: sp.Integer(1)}),
        "through": (of(sp.Le, u, v),),
        "means": {u: v},
    }
    made = claim("one", LINE, special, "other", of(sp.Le, y, 7), beside=(usual,), **said)
    assert (made.scene, made.checks) == (LINE, (special, usual))
    assert made.premises == (OTHER.compared, of(sp.Le, y, 7))
    assert {name: getattr(made, name) for name in said} == said
    assert made.relation == of(sp.Le, 0, y - x)


def test_several_claims_are_alike_but_for_their_statements(claim):
    made = for_each(claim)("one other", LINE, special)
    assert [(one.statement, one.scene, one.checks) for one in made] == [
        (statement, LINE, (special,)) for statement in (ONE, OTHER)
    ]


@pytest.mark.parametrize("head", ["call", "at"])
def test_what_a_function_is_called_is_not_taken_for_a_quantity(head):
    """A function, or a sequence, has the name of a changing quantity."""
    induction = Induction("t", {u: v}, {u: sp.Integer(1)})
    assert induction.at([head, "u", "u"], "t") == [head, "u", ["at", "u", "t"]]
    assert induction.at(["+", "v", "u"], "t") == ["+", ["at", "u", ["+", "t", "1"]], ["at", "u", "t"]]
