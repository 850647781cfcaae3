"""Definedness: a proof may assume that formulas of its claim and conditions have values, and nothing else."""

import math

import numpy as np
import pytest
import sympy as sp

from bounds.evaluate import evaluate
from bounds.relations import le, lt
from verify.check_proof import Refused
from verify.engine.certificates.definedness import assumable, domain_conditions
from verify.engine.certificates.formulas import relation_tree, tree
from verify.engine.certificates.question import Question, Undecided
from verify.engine.certificates.store import answers, checked_alone
from verify.engine.model.arithmetic import ARITHMETIC
from verify.engine.records.pool import digest
from verify.engine.tactics.prove import prove
from verify.facts import logarithm

y, z = sp.symbols("y z", real=True)
m, k = sp.symbols("m k", integer=True, positive=True)
ROOT = le(0, sp.sqrt(y + 11))
INVERSE = le(0, 1 / (y + 11) ** 2)


def proved(relation, *given):
    return not isinstance(prove(Question(relation, given)), Undecided)


@pytest.mark.parametrize("right", ["premise", "statement x", "textbook lemma"])
@pytest.mark.parametrize(
    ("claim", "given"), [(le(-11, y), ROOT), (lt(0, (y + 11) ** 2), INVERSE)], ids=["root", "denominator"]
)
def test_that_a_premise_has_a_value_is_not_assumed(claim, given, right):
    assert not proved(claim, (given, right))
    assert proved(claim, (given, "condition"))


@pytest.mark.parametrize("x", [1 / (y + 11) ** 2, sp.sqrt(y + 11), 1 / (y + 11) ** 2 + 1])
def test_a_lemma_about_what_may_be_undefined_shows_nothing(x):
    lemma = logarithm(x)
    given = ((lemma.relation, f"textbook {lemma.name}"),)
    assert not proved(lt(0, (y + 11) ** 2), *given)
    assert not proved(le(-11, y), *given)


def test_a_premise_counts_where_conditions_show_that_it_has_a_value():
    premise = le(z, 1 / (y + 11))
    assert not proved(le(z, 1), (premise, "premise"))
    assert not proved(le(z, 1), (premise, "premise"), (le(0, y + 11), "condition"))
    assert proved(le(z, 1), (premise, "premise"), (le(1, y + 11), "condition"))


@pytest.mark.parametrize("exponent", [m * k, m - k, m / k, z, m**2 - k, 2 * m - 3 * k], ids=str)
def test_negative_bases_of_symbolic_powers_are_never_ruled_out(exponent):
    assert not proved(le(0, (y + 11) ** exponent))
    assert proved(le(0, (y + 11) ** exponent), (lt(0, y + 11), "condition"))


def test_a_stored_certificate_assumes_no_more_than_one_that_is_made():
    claim, premise = le(-11, y), relation_tree(ROOT)
    defined = {"given": ["<=", "0", premise[2][2]], "by": "defined"}
    lines = [defined, {"show": relation_tree(claim), "as": ["slack", 0]}]
    certificate = {"symbols": {"y": "real"}, "lines": lines, "claim": relation_tree(claim)}
    with pytest.raises(Refused, match="assumes what is not given"):
        answers(Question(claim, ((ROOT, "premise"),)), certificate)
    answers(Question(claim, ((ROOT, "condition"),)), certificate)
    own = {"given": relation_tree(claim), "by": "defined"}
    with pytest.raises(Refused, match="assumes what is not given"):
        answers(Question(claim), {**certificate, "lines": [own, *lines[1:]]})


FORMULAS = [1 / y, 1 / (y * z), 1 / y**2, sp.sqrt(y), y ** sp.Rational(3, 2), y ** sp.Rational(-1, 3), y**-3]


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
@pytest.mark.parametrize("point", [-8.0, -1.0, 0.0, 1.0, 8.0])
def test_the_evaluator_calls_undefined_what_a_proof_takes_to_be_excluded(formula, point):
    """At a point where the other number is 1, a value exists exactly if all conditions hold."""
    values = {"y": np.array([point]), "z": np.array([1.0])}
    of = {sp.Symbol(name): number for name, number in (("y", point), ("z", 1.0))}
    holds = all(_holds(condition, of) for condition in domain_conditions(tree(formula)))
    with np.errstate(all="ignore"):
        value = np.asarray(evaluate(formula, values, ARITHMETIC["float"]), dtype=float)
    assert math.isfinite(value.item()) == holds


def _holds(condition, of):
    sides = [
        float(sp.sympify(_text(side), locals={s.name: s for s in of}).subs(of)) for side in condition[1:]
    ]
    return {"!=": sides[0] != sides[1], "<=": sides[0] <= sides[1]}[condition[0]]


def _text(formula):
    if isinstance(formula, str):
        return formula
    head, *inside = formula
    if head == "root":
        return f"(({_text(inside[1])})**(1/{inside[0]}))"
    return "(" + {"^": "**"}.get(head, head).join(map(_text, inside)) + ")"


def test_conditions_count_and_premises_do_not():
    claim, inside = ["<=", "0", "y"], ["<=", "0", ["root", "2", "y"]]
    assert assumable(claim, [(inside, "premise"), (inside, "textbook x")]) == []
    assert assumable(claim, [(inside, "condition"), (inside, "condition y > 0")]) == [["<=", "0", "y"]] * 2


def test_a_certificate_that_is_checked_alone_assumes_its_own_domain_only():
    premise = relation_tree(ROOT)
    inside = ["<=", "0", premise[2][2]]
    claim = relation_tree(le(-11, y))

    def certificate(right, **more):
        lines = [{"given": inside, "by": "defined", **more}, {"given": premise, "by": right}]
        shown = {"show": claim, "as": ["slack", 0]}
        return {"symbols": {"y": "real", "t": "whole"}, "lines": [*lines, shown], "claim": claim}

    for right, more in (("premise", {}), ("fact x", {}), ("textbook lemma", {}), ("condition", {"for": "t"})):
        forged = certificate(right, **more)
        with pytest.raises(Refused, match="assumes what is not given"):
            checked_alone(digest(forged), forged)
    fine = certificate("condition")
    checked_alone(digest(fine), fine)


def test_a_stored_certificate_names_the_rights_that_its_question_gives():
    """A premise marked as a condition would hide that the proof rests on it."""
    claim, premise = le(y, z + 1), le(y, z)
    lines = [
        {"given": relation_tree(premise), "by": "condition"},
        {"show": relation_tree(claim), "as": ["+", ["slack", 0], "1"]},
    ]
    forged = {"symbols": {"y": "real", "z": "real"}, "lines": lines, "claim": relation_tree(claim)}
    answers(Question(claim, ((premise, "condition"),)), forged)
    with pytest.raises(Refused, match="assumes what is not given"):
        answers(Question(claim, ((premise, "premise"),)), forged)
