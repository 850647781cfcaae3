"""Inductions about exp and log of sums and of sequences: laws hold at all numbers, and certificates cannot be changed."""

from __future__ import annotations

import json

import pytest
import sympy as sp

from bounds.relations import eq, le
from tests.verify.engine.elementary.asking import question_of, require_proof
from tests.verify.engine.elementary.values import true
from verify.check_proof import Refused, check
from verify.engine.certificates.recheck import Rejected, recheck
from verify.engine.elementary.derivatives import by_derivatives
from verify.engine.elementary.extended import extensions
from verify.engine.elementary.law import CONVEX, DERIVATIVE
from verify.engine.elementary.laws import Laws
from verify.engine.elementary.stronger import telescoped
from verify.engine.proof.prover import follows_by_laws
from verify.engine.summation.sums import later_sums

a, b, c, p = sp.symbols("a b c p", positive=True)
u, v = sp.symbols("u v", real=True)
T, K, t = sp.symbols("T K t", integer=True, positive=True)
i, j = sp.symbols("i j", integer=True)
k = sp.Symbol("k", integer=True, positive=True)
r, d, e, g, s = (sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in "rdegs")
Sum, exp, log = sp.Sum, sp.exp, sp.log
ADDED = Sum(g[i], (i, 1, T))
PARTIAL = b + Sum(g[j], (j, 1, i))
GROWTH = exp(Sum(d[i], (i, 1, T)))
DRIFT = (le(r[t], (1 + 1 / K) * r[t - 1] + b), eq(r[0], 0))
FADING = (le(r[t], r[t - 1] + b / sp.sqrt(t)),)
GROWING = (eq(s[t], s[t - 1] + g[t]), eq(s[0], b))
HOEFFDING = log(1 - p + p * exp(u))
TRUE = {
    "AdaGrad with log": (Sum(g[i] / PARTIAL, (i, 1, T)) <= log(1 + ADDED / b),),
    "AdaGrad with a root": (Sum(g[i] / sp.sqrt(PARTIAL), (i, 1, T)) <= 2 * sp.sqrt(b + ADDED),),
    "AdaGrad with a square": (Sum(g[i] / PARTIAL**2, (i, 1, T)) <= 1 / b,),
    "logarithm of a sequence": (
        Sum(g[i] / s[i], (i, 1, T)) <= log(s[T] / s[0]),
        eq(s[t], s[t - 1] + g[t]),
        s[0] > 0,
    ),
    "Robbins-Siegmund": (
        le(r[T], GROWTH * (r[0] + Sum(e[i], (i, 1, T)))),
        le(r[t], (1 + d[t]) * r[t - 1] + e[t]),
    ),
    "product": (sp.Product(1 + d[i], (i, 1, T)) <= GROWTH,),
    "factors that fade": (le(r[T], exp(2 * b) * r[0]), le(r[t], (1 + b / t**2) * r[t - 1])),
    "drift": (le(r[K], 4 * K * b), *DRIFT),
    "drift with e": (le(r[K], sp.E * K * b), *DRIFT),
    "halves": (Sum(k * 2 ** (-k), (k, 1, T)) <= 2,),
    "coin": (-p * log(p) - (1 - p) * log(1 - p) <= log(2), p < 1),
    "Hoeffding": (p * u + u**2 / 8 >= HOEFFDING, p < 1),
    "rounds added up": (le(r[T], r[0] + 2 * b * sp.sqrt(T + 1)), *FADING),
    "rounds with log": (le(r[T], r[0] + b * (1 + log(T))), le(r[t], r[t - 1] + b / t)),
    "sum beside its entries": (Sum(g[i] / s[i], (i, 1, T)) <= log(1 + ADDED / b), *GROWING),
    "root beside its entries": (Sum(g[i] / sp.sqrt(s[i]), (i, 1, T)) <= 2 * sp.sqrt(b + ADDED), *GROWING),
    "drift after some rounds": (le(r[T], 2 * K * b), *DRIFT, T <= K),
    "log-sum-exp": (log(exp(u + c) + exp(v)) - log(exp(u) + exp(v)) <= c,),
    "maximum entropy": (p * u - p * log(p) - (1 - p) * log(1 - p) <= log(1 + exp(u)), p < 1),
    "cubes over powers": (Sum(k**3 * 4 ** (-k), (k, 1, T)) <= sp.Rational(44, 27),),
}
FALSE = {
    "AdaGrad with log": (Sum(g[i] / PARTIAL, (i, 1, T)) <= log(1 + ADDED / b) / 2,),
    "Robbins-Siegmund": (
        le(r[T], GROWTH * (r[0] + Sum(e[i], (i, 1, T)) / 2)),
        le(r[t], (1 + d[t]) * r[t - 1] + e[t]),
    ),
    "drift": (le(r[K], 3 * K * b / 2), *DRIFT),
    "Hoeffding": (p * u + u**2 / 9 >= HOEFFDING, p < 1),
    "rounds added up": (le(r[T], r[0] + b * sp.sqrt(T + 1) / 2), *FADING),
    "sum beside its entries": (Sum(g[i] / s[i], (i, 1, T)) <= log(1 + ADDED / b) / 2, *GROWING),
    "drift after some rounds": (le(r[T], K * b), *DRIFT, T <= K),
    "log-sum-exp": (log(exp(u + c) + exp(v)) - log(exp(u) + exp(v)) <= c / 2,),
    "maximum entropy": (p * u - p * log(p) - (1 - p) * log(1 - p) <= log(1 + exp(u)) - b, p < 1),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_true_claim_is_proved(name):
    require_proof(question_of(*TRUE[name]))


@pytest.mark.parametrize("name", FALSE)
def test_a_false_claim_is_not(name):
    assert follows_by_laws(question_of(*FALSE[name]), 40) is None


def test_a_changed_lemma_is_refused():
    question = question_of(*TRUE["drift"])
    found = follows_by_laws(question, 400)
    assert found is not None
    lines = json.dumps(found[1].certificate)
    lemma = next(line for line in found[1].certificate["lines"] if "induct" in line)["show"]
    less = [lemma[0], lemma[1], ["/", lemma[2], "2"]]
    changed = json.loads(lines.replace(json.dumps(lemma), json.dumps(less)))
    assert json.dumps(changed) != lines
    with pytest.raises(Refused):
        check(changed)
    with pytest.raises(Rejected):
        recheck(changed)


def test_laws_of_the_next_value_hold_at_all_numbers():
    harmonic, other = Sum(1 / k, (k, 1, T)), Sum(1 / (a + j), (j, 1, T))
    relation = sp.Le(log(1 + a * harmonic) + exp(-other), b, evaluate=False)
    laws = Laws(relation, (), lambda r: False).of_letter_and_next(T, sp.S.One)
    assert sum(law.name == CONVEX for law in laws) > 4
    sums = {str(total): total for total in (harmonic, other)}
    for law in laws:
        for number in range(1, 5):
            for value in (0.3, 2.0):
                assert true(law.relation, {"T": number, "a": value, "b": 1.0}, sums), law


def test_a_sum_with_one_more_term_is_written_so_only_from_its_first_term_on():
    for low, more in ((1, True), (2, True), (3, False)):
        total = Sum(1 / k, (k, low, T))
        ways = later_sums([total, total.subs(T, T + 1)], T, sp.S.One)
        terms = [way.terms for way in ways.values() if way.name[-1] == ["+", "T", "1"]]
        assert [term[0] == "+" for term in terms] == [more], low


@pytest.mark.parametrize(
    ("rule", "first", "known"),
    [
        (eq(s[t], s[t - 1] + g[t]), s[0] > 0, True),
        (eq(s[t], s[t - 1] - g[t]), s[0] > 0, False),
        (eq(s[t], s[t - 1] + g[t]), s[0] >= 0, False),
        (le(s[t], s[t - 1] + g[t]), s[0] > 0, False),
    ],
)
def test_an_entry_in_a_logarithm_is_positive_for_every_index_only_if_this_is_proved(rule, first, known):
    question = question_of(le(log(s[T]), s[T]), rule, first)
    laws = [law for asked in extensions(question) for law in asked.laws]
    assert any(law.every and law.name == CONVEX for law in laws) == known


def test_a_sequence_is_not_called_positive_before_the_least_value():
    rule = eq(s[t], s[t - 1] + g[t] + 1)
    for relation, known in ((le(log(s[T]), s[T]), True), (le(log(s[T]) + log(s[T - 1]), s[T]), False)):
        question = question_of(relation, rule)
        laws = [law for asked in extensions(question) for law in asked.laws]
        assert any(law.every and law.name == CONVEX for law in laws) == known


def test_a_taylor_polynomial_beside_another_symbol_holds_at_all_numbers_and_needs_its_condition():
    claim = p * u + u**2 / 8 >= HOEFFDING
    laws = [law for asked in by_derivatives(question_of(claim, p < 1)) for law in asked.laws]
    assert any(law.name == DERIVATIVE for law in laws)
    for share in (0.01, 0.3, 0.5, 0.97):
        for number in (-20.0, -1.0, 0.0, 0.5, 3.0):
            for law in laws:
                assert true(law.relation, {"p": share, "u": number}), law
    free = [law for asked in by_derivatives(question_of(claim)) for law in asked.laws]
    assert not any(law.name == DERIVATIVE for law in free)


def test_a_recursion_is_added_up_only_where_its_terms_do_not_hold_its_entries():
    found = list(telescoped([*FADING, *GROWING, le(r[t], (1 + b) * r[t - 1])], T))
    assert [type(relation) for relation, _ in found] == [sp.Le, sp.Eq]
    assert [relation.lhs for relation, _ in found] == [r[T] - r[0], s[T] - s[0]]
