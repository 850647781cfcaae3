"""Counterexamples that can be checked by hand."""

import pytest

from tests.report.cases import judged, made
from verify.report.counterexamples import counterexample


def named(id):
    return next(entry for entry in judged() if entry.id == id)


def test_every_letter_has_its_value():
    found = counterexample(named("special.eq37"))
    values = {letter.name: letter.text for letter in found.letters}
    assert (values["M"], values["t"], values["lam"]) == ("2", "2", "100")
    assert float(values["drift1"]) == pytest.approx(found.witness["lhs"][0], rel=1e-5)


def test_terms_add_up_to_both_sides():
    from verify.report.stored import stored_entries

    checked = 0
    entries, doubts = stored_entries("fedmes")
    assert not doubts
    for entry in entries:
        found = counterexample(entry)
        if found is None or not found.terms or entry.statement is None:
            continue
        for side, ends in (("left", found.witness["lhs"]), ("right", found.witness["rhs"])):
            terms = [term.value for term in found.terms if term.side == side]
            if (
                len(terms)
                == len(
                    getattr(
                        entry.statement.relation, {"left": "lhs", "right": "rhs"}[side]
                    ).as_ordered_terms()
                )
                and "<" in found.witness["relation"]
            ):
                assert sum(terms) == pytest.approx(sum(ends) / 2, rel=1e-6, abs=1e-9), entry.id
                checked += 1
    assert checked > 3


def test_what_is_not_damaged_has_none():
    assert counterexample(named("special.lem4.9")) is None
    assert counterexample(made("n.thm1", "refuted")) is None
