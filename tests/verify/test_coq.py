"""Coq files: the proof kernel accepts every export, and false statements are not exported."""

from __future__ import annotations

import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from tests.verify.engine.test_export import growing
from tests.verify.engine.test_recursion import TRUE as INDUCTIONS
from tests.verify.engine.test_sums import MANY, TRUE
from verify.check_proof import Refused, check
from verify.commands.main import main
from verify.engine.certificates import Question as Asked
from verify.engine.certificates import Rejected, Undecided, prove, recheck, store
from verify.engine.coq.counterexamples import counterexample
from verify.engine.coq.export import PRELUDE, file_of, theorem, without_moved
from verify.engine.coq.vectors import NotExported
from verify.engine.model.instance import Instance
from verify.engine.model.question import Question
from verify.engine.model.scalars import scalar_scene
from verify.engine.proof.prover import follows_by_laws
from verify.engine.proof.recursion import by_induction
from verify.engine.tactics.sums import form_shown

needs_coq = pytest.mark.skipif(not shutil.which("coqc"), reason="needs Debian's coq")
a, b, c = sp.symbols("a b c", positive=True)
x = sp.Symbol("x", real=True)
T, tau = sp.symbols("T tau", integer=True, positive=True)
at_most = lambda left, right: sp.Le(left, right, evaluate=False)  # noqa: E731

HARD = {
    "equations put in where denominators speak of them": (
        at_most(1, x / c),
        (sp.Eq(c, sp.Max(a, b), evaluate=False), x >= a + b),
    ),
    "a quotient below a quotient": (
        sp.Eq(a / (1 - 1 / b), a * b / (b - 1), evaluate=False),
        (sp.Ne(1 - 1 / b, 0, evaluate=False),),
    ),
    "a quotient that cancels in what is divided by": (
        sp.Eq(b / (b - b * a**4 - (b * a - b * a**3) ** 2 / (b - b * a**2)), 1 / (1 - a**2), evaluate=False),
        (sp.Ne(b - b * a**2, 0, evaluate=False),),
    ),
    "a numerator that is a product": (
        sp.Eq(a * x**3 / (a * x**3 / (c * (x + b) ** 2) * (x + b) ** 2), c, evaluate=False),
        (sp.Ne((x + b) ** 2, 0, evaluate=False), sp.Ne(a * x**3 / (c * (x + b) ** 2), 0, evaluate=False)),
    ),
    "roots": (at_most(sp.sqrt(a * b), (a + b) / 2), ()),
    "largest": (at_most(sp.Max(a, b), a + b), ()),
    "triangle": (at_most(sp.Abs(x + a), sp.Abs(x) + a), ()),
    "powers": (sp.Ge((1 + a) ** (T + 1), (1 + a) ** T, evaluate=False), ()),
}
BROKEN = {
    "roots and extremes": (at_most(sp.sqrt(a) + sp.Max(a, b), sp.Abs(x)), (b <= a,), {"a": "9/4", "b": 1, "x": -3}),
    "sums and powers": (sp.Eq(sp.Sum(a**tau, (tau, 0, T)), 2, evaluate=False), (), {"a": "1/2", "T": 3}),
    "strictly less": (sp.Lt(a / (1 - b), a, evaluate=False), (b < 1,), {"a": 2, "b": "1/3"}),
}  # fmt: skip


def accepted(folder: Path, *theorems: str) -> str:
    """Check that Coq accepts a file with these theorems, and return its output."""
    file = folder / "file.v"
    file.write_text(file_of(theorems))
    assert "Admitted" not in file.read_text()
    assert "Axiom" not in file.read_text()
    ran = subprocess.run(["coqc", "-q", file], capture_output=True, text=True, check=False, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def refuted(name: str, **changed: object) -> str:
    relation, conditions, numbers = BROKEN[name]
    scene = scalar_scene((relation, *conditions))
    values = {**numbers, **changed}
    shape = {"T": int(values["T"])} if "T" in values else {}
    reals = {n: np.array(Fraction(v), dtype=object) for n, v in values.items() if n not in shape}
    return counterexample(Question(name, relation, conditions, scene), Instance(shape, reals, {}))


@needs_coq
def test_coq_accepts_hard_certificates(tmp_path: Path) -> None:
    found = []
    for name, (relation, conditions) in HARD.items():
        certificate = prove(Asked(relation, tuple((condition, "condition") for condition in conditions)))
        assert not isinstance(certificate, Undecided), (name, certificate.tried)
        found.append(theorem(name, certificate))
    accepted(tmp_path, *found)


@needs_coq
def test_coq_accepts_that_something_is_not_zero(tmp_path: Path) -> None:
    claim = ["!=", "0", ["/", ["-", ["*", "a", "y"], "y"], "a"]]
    apart = {
        "symbols": {"a": "positive", "y": "real"},
        "lines": [
            {"given": ["!=", "y", "0"], "by": "defined"},
            {"given": ["<", "a", "1"], "by": "condition"},
            {"show": claim, "as": ["/", ["*", ["-", ["slack", 1]], "y"], "a"]},
        ],
        "claim": claim,
    }
    check(apart)
    accepted(tmp_path, theorem("apart", apart))


@needs_coq
def test_coq_accepts_the_largest_of_one_number_and_of_several(tmp_path: Path) -> None:
    found = []
    for names in ("x", "xy", "wxyz"):
        claim = ["<=", largest := ["max", *names], ["+", *names, "1"]]
        of_others = [["+", ["slack", 0], *names.replace(name, ""), "1"] for name in names]
        parts = [[{"show": claim, "as": reason}] for reason in of_others]
        line = {"show": claim, "split": largest, "parts": parts}
        certificate = {"symbols": dict.fromkeys(names, "nonnegative"), "lines": [line], "claim": claim}
        check(certificate)
        found.append(theorem(f"of {len(names)}", certificate))
    accepted(tmp_path, *found)


CUBE, THIRD = ["root", "3", ["+", "a", "b"]], ["root", "3", ["+", "b", "a"]]
TOLD = {
    "a cube root's third power": {
        "symbols": {"a": "nonnegative", "b": "positive"},
        "lines": [
            {
                "show": (claim := ["<=", "b", ["+", ["^", CUBE, "3"], ["-", CUBE, THIRD]]]),
                "as": ["+", ["-", ["^", CUBE, "3"], ["+", "a", "b"]], "a"],
            }
        ],
        "claim": claim,
    },
    "whole numbers are one apart": {
        "symbols": {"n": "count", "m": "whole"},
        "lines": [
            {"given": ["<", "m", "n"], "by": "condition"},
            {
                "show": (claim := ["<=", ["+", "m", "1"], "n"]),
                "split": (apart := ["-", "n", "m"]),
                "whole": True,
                "parts": [
                    [{"show": claim, "as": ["*", apart, ["/", ["-", apart, "1"], apart]]}],
                    [{"show": claim, "as": ["slack", 1]}],
                ],
            },
        ],
        "claim": claim,
    },
    "from 1 on": growing("count"),
}


@needs_coq
def test_coq_accepts_roots_of_other_degrees_whole_numbers_and_inductions_from_1(tmp_path: Path) -> None:
    for certificate in TOLD.values():
        check(certificate)
        recheck(certificate)
    accepted(tmp_path, *(theorem(name, certificate) for name, certificate in TOLD.items()))


@needs_coq
def test_what_is_given_after_cases_has_another_number_than_their_facts(tmp_path: Path) -> None:
    square = ["<=", "0", ["^", "x", "2"]]
    cases = [[{"show": square, "as": ["^", ["slack", 0], "2"]}, {"show": square, "as": ["^", "x", "2"]}]] * 2
    late = {
        "symbols": {"x": "real", "y": "real"},
        "lines": [
            {"show": square, "split": "x", "parts": cases},
            {"given": ["!=", "y", "0"], "by": "defined"},
            {"show": ["<=", "0", ["/", ["^", "x", "2"], ["^", "y", "2"]]], "as": ["/", ["slack", 0], ["^", "y", "2"]]},
        ],
        "claim": ["<=", "0", ["/", ["^", "x", "2"], ["^", "y", "2"]]],
    }  # fmt: skip
    check(late)
    accepted(tmp_path, theorem("late", late))


@needs_coq
def test_coq_accepts_sums_over_any_number_of_vectors_and_inductions_of_textbooks(tmp_path: Path) -> None:
    found = [form_shown(MANY, claim) for claim in TRUE.values()]
    found += [by_induction(fact) or Undecided("not shown") for fact in INDUCTIONS.values()]
    theorems = [
        theorem(f"of {k}", proof) for k, proof in enumerate(found) if not isinstance(proof, Undecided)
    ]
    assert len(theorems) == len(found)
    axioms = [f"Print Assumptions {name}." for name in ("Rplus_comm", "t_of_0", f"t_of_{len(found) - 1}")]
    _, *said = accepted(tmp_path, *theorems, *axioms).split("Axioms:")
    assert said == [said[0]] * 3  # axioms of Coq's real numbers


@needs_coq
def test_coq_accepts_counterexamples(tmp_path: Path) -> None:
    accepted(tmp_path, *map(refuted, BROKEN))


def test_numbers_that_break_nothing_are_no_counterexample() -> None:
    with pytest.raises(NotExported, match="not broken"):
        refuted("roots and extremes", x=100)
    with pytest.raises(NotExported, match="root"):
        refuted("roots and extremes", a=2)


def test_every_stored_certificate_has_a_coq_theorem() -> None:
    for entry in store.entries().values():
        if "certificate" in entry:
            assert "Qed." in theorem(entry["id"], entry["certificate"])


@needs_coq
def test_certify_writes_counterexamples_of_records(tmp_path: Path) -> None:
    records, folder = tmp_path / "records", tmp_path / "coq"
    assert main(["special.eq27", "--budget", "quick", "--jobs", "1", "--out", str(records)]) == 0
    assert main(["certify", "special.eq27", "--stored", "--coq", str(folder), "--records", str(records)]) == 0
    (file,) = folder.glob("*_witnesses.v")
    accepted(tmp_path, file.read_text().removeprefix(PRELUDE))


POWER = ["^", "x", "n"]
NOT_NEGATIVE = ["<=", "0", POWER]
SQUARED = [["<=", "0", ["^", POWER, "2"]], ["^", POWER, "2"]]
OF_A_POSITIVE_BASE = [{"show": ["<", "0", POWER], "as": POWER}, {"show": SQUARED[0], "as": SQUARED[1]}]
"""A line in a case in which x is positive."""


@needs_coq
def test_what_a_case_says_of_a_power_is_no_hypothesis_of_the_theorem(tmp_path: Path) -> None:
    """x^n is positive in one of two cases; a theorem about every real x assumes nothing about its sign."""
    parts = [[{"show": SQUARED[0], "as": SQUARED[1]}], OF_A_POSITIVE_BASE]
    split = {"show": SQUARED[0], "split": "x", "parts": parts}
    cases = {"symbols": {"x": "real", "n": "whole"}, "lines": [split], "claim": SQUARED[0]}
    check(cases)
    recheck(cases)
    text = theorem("cases", cases)
    assert "(Px_power : 0 < x_x -> 0 < x_power)" in text
    assert "(Px_power : 0 < x_power)" not in text
    accepted(tmp_path, text)


@needs_coq
def test_coq_refuses_the_sign_of_a_power_of_any_base(tmp_path: Path) -> None:
    """Both checkers refuse this certificate; its theorem has no hypothesis that would make it true."""
    wrong = [{"show": NOT_NEGATIVE, "as": POWER}]
    split = {"show": NOT_NEGATIVE, "split": "x", "parts": [wrong, wrong]}
    forged = {"symbols": {"x": "real", "n": "whole"}, "lines": [split], "claim": NOT_NEGATIVE}
    with pytest.raises(Refused):
        check(forged)
    with pytest.raises(Rejected):
        recheck(forged)
    file = tmp_path / "forged.v"
    file.write_text(file_of([theorem("forged", forged)]))
    ran = subprocess.run(["coqc", "-q", file], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ran.returncode != 0


@needs_coq
@pytest.mark.parametrize("base", ["nonnegative", "positive"])
def test_coq_accepts_the_sign_of_a_power_by_that_of_its_base(base: str, tmp_path: Path) -> None:
    sign = "<=" if base == "nonnegative" else "<"
    claim = [sign, "0", ["^", "x", "n"]]
    proof = {"symbols": {"x": base, "n": "whole"}, "lines": [{"show": claim, "as": claim[2]}], "claim": claim}
    check(proof)
    recheck(proof)
    accepted(tmp_path, theorem("sign", proof))


def test_a_count_from_2_on_is_exported_as_a_natural_number_and_2(tmp_path: Path) -> None:
    relation, condition = at_most((1 + 1 / (T - 1)) ** T, 4), sp.Ge(T, 2)
    found = follows_by_laws(Asked(relation, ((condition, "condition"),)), 400)
    assert found is not None
    certificate = found[1].certificate
    assert certificate is not None
    written = without_moved(certificate)
    assert "T" not in written["symbols"]
    check(dict(written))
    recheck(written)
    if shutil.which("coqc"):
        accepted(tmp_path, theorem("from 2", certificate))
