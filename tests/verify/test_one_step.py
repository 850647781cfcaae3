"""The best constants of one step of each paper are sharp: a claim that is 4 % better is refuted."""

import pytest
import sympy as sp

from verify import Notes, judge
from verify.cfl_one_step import CLAIMS as CFL
from verify.cflag_one_step import CLAIMS as CFLAG
from verify.fedmes_one_step import CLAIMS as FEDMES
from verify.special_one_step import CLAIMS as SPECIAL

LESS = sp.Rational(24, 25)


@pytest.mark.parametrize("claim", [*SPECIAL, *CFL, *CFLAG, *FEDMES], ids=lambda claim: claim.statement.id)
def test_no_constant_can_be_smaller(claim):
    terms = sp.Add.make_args(claim.relation.rhs)
    growing = [term for term in terms if not term.could_extract_minus_sign() and term.args]
    assert growing
    for term in growing:
        better = claim.relation.lhs <= claim.relation.rhs - term + LESS * term
        notes = Notes("better")
        given = notes.claim("claim", better, *claim.statement.conditions, scene=claim.scene)
        assert judge(given, "quick").verdict == "refuted"
