"""Is there a value? For all numbers that meet the conditions, some value of one symbol must satisfy a relation.

A formula for the value proves this: the relation and the conditions on the symbol are proved with the formula in place of
the symbol. Numbers at which the contrary is proved for every value refute it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import takewhile
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from bounds.relations import ge, gt, ne
from bounds.symbols import domain_of
from verify.best_values import formulas
from verify.engine.certificates.formulas import relation_tree, tree
from verify.engine.certificates.question import Certificate, Question, Undecided
from verify.engine.checks.attack import attack_at_random
from verify.engine.checks.kinds import Kind, of_kind
from verify.engine.model.claim import Budget, Check, Claim
from verify.engine.model.question import ask
from verify.engine.model.scene import Condition
from verify.engine.proof.basis import BY_LAWS, Basis, basis_of
from verify.engine.proof.prover import follows_of_numbers
from verify.engine.search.points import holds, meets
from verify.engine.tactics.prove import prove
from verify.engine.verdict import Finding, Verdict, because

THERE_IS = Kind("there is")
SOME = "some "
"""Prefix of the names of symbols for which some value is asked; no claim about every value has such a symbol."""
POINTS, ATTEMPTS = 200, 3
"""Limits on numbers at which a value is looked for, and on proofs that there is none."""
VALUES = tuple(Fraction(10) ** k * n for k in range(-6, 7) for n in (1, 2, 5))
"""Values of the symbol that are tried at given numbers before it is proved that none does."""


@dataclass(frozen=True)
class Wanted:
    """What the value must satisfy, and the conditions on the other symbols."""

    symbol: sp.Symbol
    wanted: tuple[Condition, ...]
    given: tuple[Condition, ...]

    def at(self, formula: sp.Expr) -> tuple[Condition, ...] | None:
        """What is to be proved of a formula for the value, each part with the parts before.

        The formula and the relations have values, the formula is in the domain of the symbol, and the relations hold. None
        if the formula is not known to be whole, or a relation has functions whose domain is not known.
        """
        if self.symbol.is_integer and not formula.is_integer:
            return None
        put_in = {self.symbol: formula}
        nodes = [*sp.preorder_traversal(formula), *self.spoken]
        if not all(isinstance(node, _KNOWN) for node in nodes):
            return None
        # SymPy cancels factors that may be 0, so what is left would not show that the formulas have values
        defined = [_at(one, put_in) for node in nodes for one in _defined(node)]
        relations = [_at(relation, put_in) for relation in self.wanted]
        if any(relation.has(sp.nan, sp.zoo, sp.oo) for relation in (*defined, *relations)):
            return None
        domain: list[Condition] = []
        if self.symbol.is_positive:
            domain = [gt(formula, sp.S.Zero)]
            defined = [relation for relation in defined if relation not in (ne(formula, sp.S.Zero), *domain)]
        elif self.symbol.is_nonnegative:
            domain = [ge(formula, sp.S.Zero)]
        return tuple(dict.fromkeys((*domain, *defined, *relations)))

    @property
    def met(self) -> tuple[Condition, ...]:
        """The relations about the symbol that a value meets, and those under which they have a value."""
        defined = (one for node in self.spoken for one in _defined(node))
        found = (one for one in defined if one != ne(self.symbol, sp.S.Zero) or not self.symbol.is_positive)
        return tuple(dict.fromkeys((*found, *self.wanted)))

    @property
    def spoken(self) -> list[sp.Basic]:
        """All parts of the relations that contain the symbol."""
        parts = (part for relation in self.wanted for part in sp.preorder_traversal(relation))
        return [part for part in parts if self.symbol in part.free_symbols]


_KNOWN = (
    *(sp.Add, sp.Mul, sp.Pow, sp.exp, sp.log, sp.Abs, sp.Max, sp.Min, sp.floor, sp.ceiling),
    *(sp.Symbol, sp.Number, sp.NumberSymbol, Relational),
)


def _defined(node: sp.Basic) -> list[Condition]:
    """The conditions under which a formula has a value where its parts have values."""
    if isinstance(node, sp.log):
        return [gt(node.args[0], sp.S.Zero)]
    if not isinstance(node, sp.Pow) or node.base.is_Number:
        return []
    if node.exp.is_Integer:
        return [ne(node.base, sp.S.Zero)] if node.exp.is_negative else []
    if node.exp.is_Rational:
        return [ge(node.base, sp.S.Zero), *([ne(node.base, sp.S.Zero)] if node.exp.is_negative else [])]
    return [] if node.exp.is_integer and node.exp.is_nonnegative else [gt(node.base, sp.S.Zero)]


def there_is(symbol: sp.Symbol, formula: sp.Expr | None = None) -> Check:
    """The check whether some value of a symbol satisfies the relation and the conditions that speak of it.

    After this formula the best value is tried: where the gap between the sides is largest, and at the ends that
    conditions set.
    """

    @of_kind(THERE_IS)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        wanted = (claim.relation, *(c for c in claim.conditions if symbol in c.free_symbols))
        given = tuple(c for c in claim.conditions if symbol not in c.free_symbols)
        asked = Wanted(symbol, wanted, given)
        tried = list[str]()
        for value in (*([] if formula is None else [formula]), *formulas(asked.symbol, asked.wanted)):
            beyond = _from_on(claim, asked, value, budget, seed)
            if beyond is not None:
                return beyond
            parts = asked.at(value)
            if parts is None or not all(_unbroken(part, given, budget, seed) for part in parts):
                continue
            # Each part is proved from the parts before: a divisor in a relation is not 0 as the value is positive
            questions = ((part, (*given, *parts[:k])) for k, part in enumerate(parts))
            shown = _complete_proofs(claim, questions, budget)
            if len(shown) == len(parts):
                return _finding(asked, value, parts, shown)
            tried.append(str(value))
        point, certificate = _none_at(asked, budget, seed) if not tried else (None, None)
        if point is not None and certificate is not None:
            return _refuted(symbol, point, certificate)
        reason = because("value-not-found", symbol=plain(symbol), tried=tried)
        return Finding(
            THERE_IS.name, Verdict.UNREFUTED if tried else Verdict.INCONCLUSIVE, "interval", reason
        )

    return check


def _from_on(claim: Claim, asked: Wanted, value: sp.Expr, budget: Budget, seed: int) -> Finding | None:
    """The proof that every whole number meets the relations from the argument of a ceiling on; None if there is none.

    The symbol keeps its name in it, so that relations may contain powers with the symbol in the exponent.
    """
    rounded = list(value.atoms(sp.ceiling))
    if not asked.symbol.is_integer or len(rounded) != 1 or not (value - rounded[0]).is_Integer:
        return None
    least = rounded[0].args[0] + (value - rounded[0])
    if not all(isinstance(node, _KNOWN) for node in (*sp.preorder_traversal(least), *asked.spoken)):
        return None
    defined = list(dict.fromkeys(one for node in sp.preorder_traversal(least) for one in _defined(node)))
    first = (*asked.given, *defined, ge(asked.symbol, least))
    if not all(_unbroken(part, first, budget, seed) for part in asked.met):
        return None
    questions = (
        *((one, (*asked.given, *defined[:k])) for k, one in enumerate(defined)),
        *((one, (*first, *asked.met[:k])) for k, one in enumerate(asked.met)),
    )
    shown = _complete_proofs(claim, questions, budget)
    if len(shown) < len(questions):
        return None
    stated = {"least": tree(least), "shown": list(map(relation_tree, asked.met))}
    return _found(asked, value if least.is_positive else sp.Max(value, 1), shown, stated)


def _unbroken(relation: Condition, given: tuple[Condition, ...], budget: Budget, seed: int) -> bool:
    if relation.lhs == relation.rhs:
        return not isinstance(relation, sp.Lt | sp.Gt | sp.Ne)
    if not relation.free_symbols:
        return bool(relation.doit() != sp.false)
    return attack_at_random(ask("a value", relation, given, None), budget, seed).witness is None


def _proved(claim: Claim, relation: Condition, given: tuple[Condition, ...], budget: Budget) -> Basis:
    """The outcome of a proof of one relation with the formula in place of the symbol."""
    part = replace(claim.statement, relation=relation, conditions=given, terms={})
    return basis_of(replace(claim, statement=part, checks=()), budget)


def _complete_proofs(
    claim: Claim, questions: Iterable[tuple[Condition, tuple[Condition, ...]]], budget: Budget
) -> list[Basis]:
    """Proofs of relations from conditions, in order, up to the first that is not proved at all numbers."""
    proofs = (_proved(claim, relation, given, budget) for relation, given in questions)
    return list(takewhile(_is_complete, proofs))


def _is_complete(basis: Basis) -> bool:
    """Whether a proof holds at all numbers: a formula without a value somewhere gives no value there."""
    return basis.outcome == "proved" and basis.proof is not None and not basis.proof["rests_on"]["defined"]


def plain(symbol: sp.Symbol) -> str:
    """The name of a symbol without the prefix."""
    return str(symbol.name).removeprefix(SOME)


def _finding(asked: Wanted, value: sp.Expr, parts: Sequence[Condition], shown: Sequence[Basis]) -> Finding:
    met = _met(asked, value, parts)
    stated = {"formula": tree(value), "shown": [certificate["claim"] for certificate in met]} if met else {}
    return _found(asked, value, shown, stated, met)


def _found(
    asked: Wanted,
    value: sp.Expr,
    shown: Sequence[Basis],
    stated: Mapping[str, Any],
    met: Sequence[Certificate] = (),
) -> Finding:
    """The finding that a value exists; `stated` are entries of `verify.engine.coq.existence.Value`."""
    proofs = [basis.proof for basis in shown if basis.proof]
    names = dict.fromkeys(name for proof in proofs for name in proof["rests_on"])
    rests_on = {
        name: sorted({text for proof in proofs for text in map(str, proof["rests_on"][name])})
        for name in names
    }
    certificates = [*(proof["certificate"] for proof in proofs), *met]
    proof: dict[str, Any] = {"certificates": certificates, "rests_on": rests_on, "sizes": None}
    if stated:
        given = [relation_tree(relation) for relation in asked.given]
        proof["exists"] = {
            "symbol": asked.symbol.name,
            "domain": _domain(asked.symbol),
            "given": given,
            **stated,
        }
    reason = because("value-found", symbol=plain(asked.symbol), value=str(value))
    return Finding(THERE_IS.name, Verdict.PROVED, "symbolic", reason, proof=proof)


def _domain(symbol: sp.Symbol) -> str:
    domain = domain_of(symbol)
    return "whole" if domain == "nonnegative" and symbol.is_integer else domain


def _met(asked: Wanted, value: sp.Expr, parts: Sequence[Condition]) -> list[Certificate]:
    """Certificates that the relations hold for the symbol itself if it equals the formula; empty if one is missing.

    They check what SymPy made of the relations when the formula was put in.
    """
    some = asked.symbol
    if some.is_integer:  # an equation is solved for a symbol only if this is no whole number
        some = sp.Symbol(some.name, **{"positive" if some.is_positive else "nonnegative": True})
    assumed = [*asked.given, *parts, sp.Eq(some, value, evaluate=False)]
    given = tuple((relation, "condition") for relation in assumed)
    answers = [prove(Question(_at(relation, {asked.symbol: some}), given)) for relation in asked.met]
    found = [answer for answer in answers if not isinstance(answer, Undecided)]
    return found if len(found) == len(answers) else []


def _refuted(symbol: sp.Symbol, point: dict[str, Fraction], certificate: Certificate) -> Finding:
    reason = because(
        "no-such-value", symbol=plain(symbol), point={name: str(value) for name, value in point.items()}
    )
    proof: dict[str, Any] = {"certificates": [certificate], "rests_on": {}, "sizes": None}
    return Finding(THERE_IS.name, Verdict.REFUTED, "symbolic", reason, details={"contrary": proof})


def _none_at(
    asked: Wanted, budget: Budget, seed: int
) -> tuple[dict[str, Fraction] | None, Certificate | None]:
    """Numbers at which the contrary is proved for every value of the symbol, with the certificate."""
    contrary = asked.wanted[0].negated
    left = ATTEMPTS
    for point in _points(asked, seed):
        if not left or any(_meets_all(asked, point, value) for value in VALUES):
            continue
        left -= 1
        put_in = {
            symbol: sp.Rational(point[symbol.name].numerator, point[symbol.name].denominator)
            for symbol in _others(asked)
        }
        here = _at(contrary, put_in)
        rest = [_at(relation, put_in) for relation in asked.wanted[1:]]
        question = Question(
            here, tuple((relation, "condition") for relation in rest if relation.free_symbols)
        )
        answer = follows_of_numbers(question, budget.proof_steps, BY_LAWS)[1]
        if answer.outcome in ("proved", "contradiction") and answer.certificate is not None:
            return point, answer.certificate
    return None, None


def _at(relation: Relational, values: Mapping[sp.Symbol, sp.Expr]) -> Condition:
    """A relation with values put in."""
    return relation.func(*(side.xreplace(values) for side in relation.args), evaluate=False)


def _others(asked: Wanted) -> list[sp.Symbol]:
    found = set().union(*(relation.free_symbols for relation in (*asked.wanted, *asked.given)))
    return sorted((s for s in found - {asked.symbol} if isinstance(s, sp.Symbol)), key=str)


def _points(asked: Wanted, seed: int) -> Iterator[dict[str, Fraction]]:
    """Simple numbers for the other symbols that meet the conditions on them."""
    rng, others = np.random.default_rng([seed, 40]), _others(asked)
    choices = (1, 2, 3, 10, 100)
    for trial in range(POINTS if others else 1):
        point = {}
        for symbol in others:
            number = Fraction(int(rng.choice(choices))) if trial else Fraction(1)
            kind = domain_of(symbol)
            number = number if kind == "count" or rng.random() < 0.5 else 1 / number
            point[symbol.name] = -number if kind == "real" and rng.random() < 0.5 else number
        if meets(point, asked.given):
            yield point


def _meets_all(asked: Wanted, point: dict[str, Fraction], value: Fraction) -> bool:
    if asked.symbol.is_integer and value.denominator != 1:
        return False
    signs = (value,) if asked.symbol.is_nonnegative else (value, -value)
    return any(
        all(_seems_met(relation, {**point, asked.symbol.name: one}) for relation in asked.wanted)
        for one in signs
    )


def _seems_met(relation: Condition, point: Mapping[str, Fraction]) -> bool:
    """Whether a relation holds at numbers, up to rounding where fractions do not decide this, as with exponentials."""
    exact = holds(relation, point)
    if exact is not None or isinstance(relation, sp.Eq | sp.Ne):
        return exact is not False
    numbers = {s: sp.Rational(*point[s.name].as_integer_ratio()) for s in relation.free_symbols}
    gap = (relation.gts - relation.lts).subs(numbers).evalf()
    return not (gap.is_real and gap.is_negative)
