"""Corrected statements of C-FLAG: they fail with a changed factor, and known worlds attain them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from bounds.catalogue import statement
from bounds.cflag.adaptive_lemmas import best_T_w, sum_I_w
from bounds.cflag.rate import t
from bounds.cflag.repairs import bs_path
from bounds.cflag.symbols import E, L, alpha, beta, fd2, m
from bounds.evaluate import evaluate
from nqm.fields import to_exact
from verify.engine.checks.applicability import applicability
from verify.engine.checks.attack import attack
from verify.engine.checks.order import outgrown
from verify.engine.judge import judge
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import quantities
from verify.engine.topics import claim_of
from verify.engine.verdict import Verdict
from verify.report.wording import sentence
from verify.scenes.cflag.lemma_9 import TOUCHING

QUICK = BUDGETS["quick"]


def broken(id: str, change: object) -> bool:
    """Whether the statement with another right side is refuted."""
    claim = claim_of(f"cflag.{id}")
    relation = claim.statement.compared
    changed = relation.func(relation.lhs, change(relation.rhs), evaluate=False)
    return attack(replace(claim.question, relation=changed), QUICK, 0).witness is not None


@pytest.mark.parametrize(
    ("id", "change"),
    [
        ("thm2.round/fixed", lambda rhs: rhs.subs(beta**2, beta**2 / 2)),
        ("thm2/fixed", lambda rhs: rhs * sp.Rational(9, 10)),
        ("thm2/fixed", lambda rhs: rhs.xreplace({bs_path[t]: -bs_path[t]})),
        ("thm2/fixed-rate", lambda rhs: rhs / 2),
        ("thm5/fixed", lambda rhs: rhs / 4),
        ("thm5/redrawn", lambda rhs: rhs * sp.Rational(3, 4)),
        ("lem13/tight", lambda rhs: rhs * sp.Rational(9, 10)),
        ("cor14/tight", lambda rhs: rhs * sp.Rational(4, 5)),
        ("lem4.gap", lambda rhs: rhs * sp.Rational(9, 10)),
        ("lem4/heterogeneity", lambda rhs: rhs * sp.Rational(1, 2)),
        ("lem7.worst/transferring", lambda rhs: 2 * rhs),
        ("lem7.worst/interfering", lambda rhs: rhs.xreplace({best_T_w: 2 * best_T_w})),
        ("lem7.worst/interfering", lambda rhs: rhs.xreplace({sum_I_w: sum_I_w * sp.Rational(9, 10)})),
        ("lem7.worst/interfering-little", lambda rhs: rhs - L * alpha * fd2 / 9),
        ("lem9/strongly-convex", lambda rhs: rhs * sp.Rational(9, 10)),
        ("lem4.floor/limit", lambda rhs: 2 * rhs),
        ("lem18.floor", lambda rhs: 2 * rhs),
    ],
)
def test_a_smaller_constant_is_false(id: str, change: object) -> None:
    assert broken(id, change)
    assert not broken(id, lambda rhs: rhs)


def test_discs_that_touch_leave_no_m() -> None:
    """At height h above the touching point |b|^2/|grad f|^2 is delta^2/h^2."""
    tilt, delta = (to_exact([Fraction(x)]) for x in ("1/3", "1/2"))
    values = quantities(TOUCHING, {"N": 2, "d": 2}, {"tilt": tilt, "delta": delta, "m": tilt}, {})
    height = 2 * tilt / (1 - tilt**2)
    assert max(values["b2"].ravel()) / values["gf2"].ravel()[0] == (delta**2 / height**2)[0]
    assert (values["b2_i"] == delta[0] ** 2 * values["gf2_i"]).all()
    assert (values["m_i"] == delta[0] ** 2).all()


def test_theorem_2_falls_in_every_form_of_the_forgetting_term() -> None:
    """Its counterexample also breaks the variant with sums from step 0, so no misprint decides."""
    claim = claim_of("cflag.thm2")
    witness = claim.checks[0](claim, QUICK, 0).witness
    values = witness.instance.values(claim.scene, "exact")
    left, right = (evaluate(side, values) for side in statement("cflag.thm2/eq15").compared.args)
    assert float(left[0]) > float(right.ravel()[0])


def test_an_equation_gives_what_was_not_reported() -> None:
    claim = claim_of("cflag.thm2")
    setting = {"setting": {"alpha": 1e-4, "L": 5.0}}
    assert "m = 1999" in sentence(applicability(setting)(claim, QUICK, 0).reason)


def test_the_experiments_have_a_hundredth_of_the_rounds_that_theorem_2_needs() -> None:
    claim = claim_of("cflag.thm2.applicability")
    found = claim.checks[0](claim, QUICK, 0)
    assert found.verdict is Verdict.GAP
    assert "20 against 2000" in sentence(found.reason)
    enough = applicability({"setting": {"alpha": 1e-4, "L": 5.0, "T": 2000.0}})(claim, QUICK, 0)
    assert enough.verdict is not Verdict.GAP


def test_a_floor_that_grows_outgrows_a_constant() -> None:
    claim = claim_of("cflag.lem18")
    T = statement("cflag.lem18.floor").rhs.atoms(sp.Symbol) & claim.statement.relation.free_symbols
    (rounds,) = (symbol for symbol in T if symbol.name == "T")
    assert outgrown(statement("cflag.lem18.floor"), 1, rounds)(claim, QUICK, 0).verdict is Verdict.GAP
    constant = statement("cflag.thm5.floor")
    assert outgrown(constant, 1, rounds)(claim, QUICK, 0).verdict is None


@pytest.mark.parametrize("id", ["eq159", "eq161", "eq163"])
def test_omega_is_a_supremum(id: str) -> None:
    """Statements refuted with omega^2 are refuted with a difference of the gradients that is the same everywhere."""
    record = judge(claim_of(f"cflag.{id}"), "quick", 0)
    assert record["verdict"] == "refuted"
    assert "one Hessian" in record["witness"]["scene"]


def test_the_rates_of_the_repairs_are_admissible() -> None:
    """alpha = 1/L meets Lemma 1's condition exactly if m < 1."""
    limit = statement("cflag.lem1").conditions[0].rhs
    assert sp.simplify((limit - 1 / L).subs(m, sp.Rational(1, 2))) > 0
    assert sp.simplify((limit - 1 / L).subs(m, 1)) == 0
    assert {alpha, beta, E} <= set(statement("cflag.lem4/heterogeneity").symbols)
