"""Claims that a value exists: formulas are found and proved, refutations are proved for every value, nothing is invented."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from sympy.core.relational import Relational

from verify import Notes
from verify.check_proof import check
from verify.commands.main import main
from verify.engine.coq.existence import Value
from verify.engine.coq.export import file_of
from verify.engine.coq.vectors import NotExported
from verify.engine.judge import judge
from verify.engine.model.claim import Claim
from verify.engine.proof.premises import suppliers_of_premises
from verify.existence import Wanted

notes = Notes("existence")
a, b, eta, L, D, eps, G = notes.positive("a b eta L D eps G")
T, N = notes.count("T N")
k = notes.index("k")
x = notes.real("x")
TRUE = {
    "step": (eta, a / eta + b * eta <= 2 * sp.sqrt(a * b)),
    "within": (eta, -eta * (1 - L * eta / 2) * G <= -G / (4 * L), eta <= 1 / (2 * L)),
    "sgd": (eta, D / (eta * T) + eta * G / 2 <= sp.sqrt(2 * D * G / T)),
    "rounds": (T, a / T <= eps),
    "root": (x, sp.Eq(x**2, a)),
    "between": (x, sp.Lt(a, x), x < a + b),
    "next": (T, a <= T, a + 1 > T),
    "index": (k, k * eps >= a),
    "equal": (eta, sp.Max(eta * a, b / eta) <= sp.sqrt(a * b)),
    "fading": (eta, a * sp.exp(-eta * L) + b * L * eta <= b * (1 + sp.log(a / b)), b < a),
    "two exponentials": (x, a * sp.exp(x) + b * sp.exp(-x) <= 2 * sp.sqrt(a * b)),
    "apart": (x, sp.Abs(x - a) + sp.Abs(x - b) <= sp.Abs(a - b)),
}
FALSE = {
    "step": (eta, a / eta + b * eta <= 2 * sp.sqrt(a * b) - a * b / 100),
    "within": (eta, D / (eta * T) + eta * G / 2 <= sp.sqrt(2 * D * G / T), eta <= 1 / L),
    "positive": (eta, sp.Le(eta**2 + a, a - eta, evaluate=False)),
    "root": (x, sp.Eq(x**2 + a, 0, evaluate=False)),
    "equal": (eta, sp.Max(eta * a, b / eta) <= sp.sqrt(a * b) / 2),
    "two exponentials": (x, a * sp.exp(x) + b * sp.exp(-x) <= 3 * sp.sqrt(a * b) / 2),
}


def _claim(name: str, parts: Any, value: sp.Expr | None = None) -> Claim:
    return Notes(f"existence-{name}").there_is("claim", *parts, value=value)


@pytest.mark.parametrize("name", TRUE)
def test_a_value_is_found_and_proved(name: str) -> None:
    claim = _claim(f"true-{name}", TRUE[name])
    record = judge(claim, "quick", 0)
    assert record["verdict"] == "proved"
    certificates = record["proof"]["certificates"]
    statements = [statement for certificate in certificates for statement in check(certificate)]
    assert not any("[defined]" in line for line in statements), "a formula has no value somewhere"


@pytest.mark.parametrize("name", FALSE)
def test_that_no_value_fits_is_proved(name: str) -> None:
    record = judge(_claim(f"false-{name}", FALSE[name]), "quick", 0)
    assert record["verdict"] == "refuted"
    (finding,) = record["evidence"]
    for certificate in finding["details"]["contrary"]["certificates"]:
        check(certificate)


@pytest.mark.parametrize(
    ("relation", "value", "somewhere"),
    [
        (sp.Eq(x * (D - a), 1, evaluate=False), 1 / (D - a), 2),  # with D = a the formula has no value
        (sp.Le((x - a) / (x - D), 0, evaluate=False), a, 2),  # with D = a the relation has no value
        (sp.Le((x - a) * sp.log(x - D), 0, evaluate=False), a, 2),
        (sp.Le((x - a) * sp.sqrt(x - D), 0, evaluate=False), a, 3),
    ],
    ids=str,
)
def test_formulas_must_have_values(relation: Relational, value: sp.Expr, somewhere: int) -> None:
    parts = Wanted(x, (relation,), ()).at(value)
    assert parts is not None
    assert any(part.subs({a: 2, D: somewhere}) == sp.false for part in parts)


def test_a_formula_without_a_value_somewhere_proves_nothing() -> None:
    claim = _claim("undefined", (x, sp.Eq(x * (D - a), 1, evaluate=False)), 1 / (D - a))
    assert judge(claim, "quick", 0)["verdict"] != "proved"


def test_a_formula_outside_the_domain_proves_nothing() -> None:
    claim = _claim("outside", (eta, eta + a <= b), b - a)
    assert judge(claim, "quick", 0)["verdict"] == "refuted"


def test_a_value_that_is_not_whole_proves_nothing() -> None:
    claim = _claim("whole", (T, sp.Eq(T * 2, T + a, evaluate=False)), a)
    assert judge(claim, "quick", 0)["verdict"] != "proved"


def test_it_is_no_claim_about_every_value() -> None:
    own = Notes("every")
    relation = a / eta + b * eta <= 2 * sp.sqrt(a * b)
    some = own.there_is("some", eta, relation)
    every = own.claim("every", a / eta + b * eta <= 3 * sp.sqrt(a * b), premises=(relation,))
    assert eta not in some.relation.free_symbols
    assert not any(
        found for ways in suppliers_of_premises(every, own.claims).values() for found in ways.values()
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [((eta, a <= b), "must be a relation with eta"), ((eta, eta <= b), "must be a formula without eta")],
)
def test_it_refuses_what_it_cannot_state(arguments: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Notes("refused").there_is("claim", *arguments, value=2 * eta)


def _proof(name: str, value: sp.Expr | None = None) -> dict[str, Any]:
    (finding,) = judge(_claim(f"coq-{name}", TRUE[name], value), "quick", 0)["evidence"]
    proof: dict[str, Any] = finding["proof"]
    return proof


@pytest.mark.skipif(not shutil.which("coqc"), reason="needs Debian's coq")
def test_coq_accepts_that_values_exist(tmp_path: Path) -> None:
    theorems = []
    for name in TRUE:
        proof = _proof(name)
        theorems.append(Value(**proof["exists"]).theorem(name, proof["certificates"]))
        assert f"Theorem exists_{name} " in theorems[-1]
    file = tmp_path / "values.v"
    file.write_text(file_of(theorems))
    ran = subprocess.run(["coqc", "-q", file], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_the_theorem_says_that_a_whole_number_of_rounds_exists() -> None:
    proof = _proof("rounds")
    text = Value(**proof["exists"]).theorem("rounds", proof["certificates"])
    assert "exists x_some_T : nat, (1 <= (INR x_some_T)) /\\ ((x_a / (INR x_some_T)) <= x_eps)." in text


def test_the_theorem_holds_the_conditions_on_the_value_and_assumes_none() -> None:
    proof = _proof("within")
    text = Value(**proof["exists"]).theorem("within", proof["certificates"])
    whole = text[text.index("Theorem exists_") :]
    assert "(x_some_eta <= (1 / (2 * x_L)))." in whole
    assert "given" not in whole[: whole.index("Proof.")]


def test_relations_are_proved_of_the_symbol_itself() -> None:
    proof = _proof("step")
    last = proof["certificates"][-1]
    assert last["claim"] == proof["exists"]["shown"][-1]
    check(last)
    assert "some eta" in json.dumps(last["claim"])


def test_a_whole_value_that_is_no_ceiling_is_not_exported() -> None:
    claim = _claim("coq-equal", (T, sp.Eq(T, N), T >= N), N)
    proof = judge(claim, "quick", 0)["evidence"][0]["proof"]
    with pytest.raises(NotExported, match="no ceiling"):
        Value(**proof["exists"]).theorem("equal", proof["certificates"])


def test_a_relation_between_two_bounds_needs_the_ceiling_itself() -> None:
    proof = judge(_claim("coq-next", (T, a <= T, a + 1 > T)), "quick", 0)["evidence"][0]["proof"]
    text = Value(**proof["exists"]).theorem("next", proof["certificates"])
    assert "destruct (ceiling_exists x_a)" in text


def test_powers_with_the_number_of_rounds_are_proved_from_a_number_on() -> None:
    relation = (1 - a) ** T * D <= eps
    claim = _claim("coq-power", (T, relation, a < 1), sp.ceiling(sp.log(1 + D / eps) / a))
    (finding,) = judge(claim, "default", 0)["evidence"]
    assert finding["verdict"] == "proved"
    for certificate in finding["proof"]["certificates"]:
        check(certificate)
    with pytest.raises(NotExported, match="a function of some T"):  # in Coq such a power would be any number
        Value(**finding["proof"]["exists"]).theorem("power", finding["proof"]["certificates"])


def test_laws_about_the_value_are_no_hypotheses_of_the_theorem() -> None:
    """A hypothesis about a number that is said to exist would speak of another number."""
    law = {"given": [">=", "some T", "1"], "by": "law a whole number is at least 1"}
    shown = {"show": [">=", "some T", "1"], "as": ["slack", 0]}
    certificate = {"symbols": {"some T": "count"}, "lines": [law, shown], "claim": [">=", "some T", "1"]}
    value = Value("some T", "count", (), ([">=", "some T", "1"],), least="1")
    with pytest.raises(NotExported, match="a law about some T"):
        value.theorem("law", [certificate])


def test_a_number_of_rounds_that_is_too_small_proves_nothing() -> None:
    claim = _claim("few", (T, a / T <= eps), sp.ceiling(a / (2 * eps)))
    (finding,) = judge(claim, "quick", 0)["evidence"]
    assert finding["proof"]["exists"]["least"] == ["/", "a", "eps"], "another formula is found"


def test_certify_writes_values_and_passes_over_refuted_ones(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from verify import Notes\n"
        "notes = Notes('mine')\n"
        "a, eta = notes.positive('a eta')\n"
        "notes.there_is('half', eta, 2 * eta <= a)\n"
        "notes.there_is('none', eta, eta <= a, eta >= 2 * a)\n"
        "CLAIMS = notes.claims\n"
    )
    assert main(["certify", str(file), "--coq", str(tmp_path / "coq")]) == 0
    assert (tmp_path / "coq" / "mine_values.v").read_text().count("Theorem exists_") == 1
