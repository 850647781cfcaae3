"""Chains of relations in a theorem file: one line, and a claim for each link, as in LaTeX."""

from __future__ import annotations

import sys

import pytest
import sympy as sp

from bounds.relations import SIGNS, eq, le, links, lt, ne
from verify import Notes


def test_a_chain_is_a_claim_for_each_link() -> None:
    notes = Notes("own")
    a, b, c = notes.real("a b c")
    found = notes.chain("order", (a, "<=", b, "<", c), b <= c - 1)
    line = sys._getframe().f_lineno - 1
    assert notes.claims == list(found)
    assert [claim.statement.id for claim in found] == ["own.order.1", "own.order.2"]
    assert [claim.relation for claim in found] == [le(a, b), lt(b, c)]
    assert all(claim.conditions == (b <= c - 1,) for claim in found)
    assert {claim.statement.source.lines for claim in found} == {str(line)}


def test_a_claim_stands_at_its_own_line() -> None:
    notes = Notes("own")
    a, b = notes.real("a b")
    claim = notes.claim("one", le(a, b))
    assert claim.statement.source.lines == str(sys._getframe().f_lineno - 1)


def test_links_of_a_variant_are_variants_of_links() -> None:
    notes = Notes("own")
    a, b, c = notes.real("a b c")
    found = notes.chain("order/false", (a, "==", b, "!=", c))
    assert [claim.statement.id for claim in found] == ["own.order.1/false", "own.order.2/false"]
    assert [claim.relation for claim in found] == [eq(a, b), ne(b, c)]


@pytest.mark.parametrize("sign", SIGNS)
def test_every_sign_is_one_of_python(sign: str) -> None:
    (relation,) = links((sp.Integer(1), sign, sp.Integer(2)))
    assert (
        bool(relation.doit())
        is {"<=": True, "<": True, ">=": False, ">": False, "==": False, "!=": True}[sign]
    )


@pytest.mark.parametrize(
    "chain", [(), (1,), (1, "<="), (1, "<=", 2, 3), (1, "=", 2), (1, 2, 3), ("<=", 1, 2)]
)
def test_what_is_no_chain_is_refused_with_an_example(chain: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="`chain` must be sides with a sign between each two, such as"):
        links(chain)
