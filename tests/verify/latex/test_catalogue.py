"""The catalogue: every statement, printed as LaTeX in its paper's notation, parses to the same relation."""

import pytest

from bounds.catalogue import statement, statements
from tests.verify.latex.catalogue import reading_of
from verify.latex.claims import read_formula
from verify.latex.glossary import kinds
from verify.latex.printing import latex_of, require_read_back

EVERY = 45


@pytest.mark.parametrize("id", list(statements())[::EVERY])
def test_a_statement_is_read_back(id: str) -> None:
    require_read_back(reading_of(statement(id)))


@pytest.mark.slow
def test_all_statements_are_read_back() -> None:
    for id in statements():
        require_read_back(reading_of(statement(id)))


def test_a_letter_that_is_a_formula_stands_in_square_brackets() -> None:
    reading = reading_of(statement("cfl.alg6.drift"))
    assert r"\left[1-p_c\right]" in latex_of(reading)
    assert reading.relations[0] == statement("cfl.alg6.drift").relation


def test_a_declared_formula_is_a_symbol_in_square_brackets_only() -> None:
    declared = kinds("1-p: positive; p: real")
    inside, outside = (read_formula(text, declared).relations[0] for text in ("[1-p] \\le p", "(1-p) \\le p"))
    assert {symbol.name for symbol in inside.free_symbols} == {"1p", "p"}
    assert {symbol.name for symbol in outside.free_symbols} == {"p"}
