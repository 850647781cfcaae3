"""Coq's tactics: lia and nia on whole numbers, lra, nra and psatz on real ones, interval on claims with exp and ln of one letter."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import sympy as sp

from bounds.symbols import domain_of
from tests.benchmarks.steps.rivals.problem import Problem, Question, Unstated, problem

HEAD = """From Coq Require Import Reals Lia Lra Psatz ZArith.
{interval}Open Scope R_scope.
Goal {goal}.
Proof.
  intros.
  {tactic}
Qed.
"""
SIGNS = {">=": ">=", ">": ">", "=": "=", "!=": "<>"}
RELATIONS = {sp.Le: "<=", sp.Lt: "<", sp.Ge: ">=", sp.Gt: ">", sp.Eq: "=", sp.Ne: "<>"}
FUNCTIONS = {sp.exp: "exp", sp.log: "ln", sp.Abs: "Rabs"}


def load() -> None:
    """Look for Coq's compiler and its solver of semidefinite programs, which psatz calls."""
    for program in ("coqc", "csdp"):
        if shutil.which(program) is None:
            raise ImportError(program)


def answer(question: Question, seconds: float) -> str:
    """`certified` if one of the tactics closes the goal and Coq's kernel accepts the proof; else `open`.

    Raises
    ------
    Unstated
        If the claim has neither the polynomial form nor a form with exp and ln of one letter.
    """
    return "certified" if _accepted(script(question), seconds) else "open"


def script(question: Question) -> str:
    """A Coq file that proves the claim if a tactic finds the proof."""
    try:
        stated = problem(question)
    except Unstated:
        return _with_functions(question)
    return _with_polynomials(stated)


def _accepted(text: str, seconds: float) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "step.v"
        file.write_text(text, encoding="utf-8")
        command = ["bash", "-c", f"ulimit -t {int(seconds)}; exec coqc -q {file.name}"]
        return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def _with_polynomials(stated: Problem) -> str:
    whole = all(s.name in stated.whole for s in stated.symbols)
    names = {s: f"x{k}" for k, s in enumerate(stated.symbols)}
    relations = [f"{_term(_integral(p), names)} {SIGNS[sign]} 0" for p, sign in (*stated.given, stated.goal)]
    goal = " -> ".join(f"({relation})" for relation in relations)
    kind = "Z" if whole else "R"
    letters = f"forall {' '.join(names.values())} : {kind}, " if names else ""
    tactics = ("lia", "nia") if whole else ("lra", "nra", "psatz R 2", "psatz R 3")
    tactic = f"first [ {' | '.join(tactics)} ]."
    return HEAD.format(interval="", goal=f"({letters}{goal})%{kind}", tactic=tactic)


def _integral(polynomial: sp.Expr) -> sp.Expr:
    """A positive multiple with whole coefficients."""
    terms = sp.Add.make_args(sp.expand(polynomial))
    return sp.expand(sp.ilcm(1, *(term.as_coeff_Mul()[0].q for term in terms)) * polynomial)


def _with_functions(question: Question) -> str:
    relations = (*question.conditions, question.relation)
    symbols = sorted({s for relation in relations for s in relation.free_symbols}, key=str)
    if len(symbols) > 1:
        raise Unstated("interval needs one letter")
    names = dict.fromkeys(symbols, "x")
    domains = [f"(x {_least(domain_of(s))})" for s in symbols if _least(domain_of(s))]
    stated = [f"({_term(r.lhs, names)} {RELATIONS[type(r)]} {_term(r.rhs, names)})" for r in relations]
    goal = ("forall x : R, " if symbols else "") + " -> ".join([*domains, *stated])
    along = " with (i_bisect x, i_taylor x, i_depth 20)" if symbols else ""
    tactic = f"interval{along}."
    return HEAD.format(interval="From Interval Require Import Tactic.\n", goal=goal, tactic=tactic)


def _least(domain: str) -> str:
    return {"count": ">= 1", "positive": "> 0", "nonnegative": ">= 0"}.get(domain, "")


def _term(formula: sp.Expr, names: dict[sp.Symbol, str]) -> str:
    """A formula in Coq's syntax."""
    if isinstance(formula, sp.Symbol):
        return names[formula]
    if formula.is_Rational:
        return f"({formula.p})" if formula.q == 1 else f"({formula.p} / {formula.q})"
    if isinstance(formula, sp.Add | sp.Mul):
        join = " + " if isinstance(formula, sp.Add) else " * "
        return f"({join.join(_term(part, names) for part in formula.args)})"
    if formula == sp.E:
        return "exp 1"
    if formula == sp.pi:
        return "PI"
    if isinstance(formula, sp.exp) or type(formula) in FUNCTIONS:
        return f"({FUNCTIONS[type(formula)]} {_term(formula.args[0], names)})"
    if isinstance(formula, sp.Pow):
        return _power(formula, names)
    raise Unstated(str(formula.func))


def _power(formula: sp.Pow, names: dict[sp.Symbol, str]) -> str:
    base, exponent = _term(formula.base, names), formula.exp
    if exponent.is_Integer:
        power = f"({base} ^ {abs(exponent)})" if abs(exponent) != 1 else base
        return power if exponent > 0 else f"(/ {power})"
    if exponent.is_Rational and exponent.q == 2:
        return _power(
            sp.Pow(sp.Symbol("root"), exponent.p, evaluate=False), {sp.Symbol("root"): f"(sqrt {base})"}
        )
    raise Unstated("a power with a letter or a fraction as exponent")
