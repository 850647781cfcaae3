"""Claims about one symbol, in pieces of its range: branch and bound with a certificate.

On each piece every function has bounds that touch it at a rational point. A polynomial is linear in a function after division by
it, so one function after the other is replaced by a bound. The polynomial in the symbol that remains has nonnegative coefficients
in Bernstein's basis. A piece in which this fails is halved. All steps are lines of a certificate; only laws of exp and log are
assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import sympy as sp

from verify.check_proof import Refused, check
from verify.engine.certificates.definedness import assumable
from verify.engine.certificates.field import Undefined
from verify.engine.certificates.formulas import Tree, Untranslatable, relation_tree
from verify.engine.certificates.lighter import lightened, trimmed
from verify.engine.certificates.question import Certificate, Question
from verify.engine.certificates.recheck import Rejected, recheck
from verify.engine.elementary.law import Law
from verify.engine.elementary.questions import Extended
from verify.engine.model.scene import Condition
from verify.engine.pieces.bounds import Bound, Touching, Unbounded
from verify.engine.pieces.functions import Function, Functions
from verify.engine.pieces.intervals import Piece, by_coefficients, range_of
from verify.engine.pieces.named import Line, numbered
from verify.engine.tactics.draft import Draft

SIZE, DEPTH, STEPS = 60, 7, 150
"""Limits on operations of the claim, on halvings of one piece, and on polynomials whose sign is asked."""
_ROUNDING = 1e-9
"""A value of the difference of sides below minus this number ends the search: the claim is false there."""


class Exhausted(Exception):
    """The limit on steps is reached."""


def by_pieces(question: Question) -> tuple[Extended, Certificate] | None:
    """The question with the laws that a proof in pieces uses, and its certificate; None without success."""
    relation = question.relation
    ordered = isinstance(relation, sp.Le | sp.Lt | sp.Ge | sp.Gt)
    if not ordered or question.induction or len(relation.free_symbols) != 1 or relation.count_ops() > SIZE:
        return None
    (x,) = relation.free_symbols
    try:
        search = Pieces(x, relation)
        lines = search.proof(range_of(x, question))
    except (Exhausted, Untranslatable, ArithmeticError, TypeError, ValueError, sp.PolynomialError):
        return None
    if lines is None:
        return None
    laws = tuple(search.laws.values())
    extended = Extended(relation, question.given, None, question.through, laws)
    certificate = _assembled(extended, lines)
    return None if certificate is None else (extended, certificate)


def _assembled(question: Extended, lines: Sequence[Line]) -> Certificate | None:
    """The certificate with numbers of facts in place of the facts, if both checkers accept it."""
    try:
        draft = Draft(question.symbols, 200, 400, assumable(question.claim, question.assumptions))
        for relation, by in question.assumptions:
            with suppress(Rejected):
                draft.define(relation)
                draft.add({"given": relation, "by": by})
        draft.define(question.claim)
        found = [*draft.lines, *numbered(lines, list(draft.checked.facts))]
        certificate = {"symbols": question.symbols, "lines": found, "claim": question.claim}
        lighter = lightened(certificate, trimmed)
        if lighter is None:
            check(certificate)
            recheck(certificate)
        return lighter or certificate
    except (Undefined, Rejected, Refused, Untranslatable, ValueError):
        return None


@dataclass
class Pieces:
    """A search in pieces for a proof of one relation."""

    x: sp.Symbol
    relation: Condition
    laws: dict[str, Law] = field(default_factory=dict)
    steps: int = STEPS

    def __post_init__(self) -> None:
        self.functions = Functions(self.x)
        above, below = map(self.functions.abstract, (self.relation.gts, self.relation.lts))
        self.difference = above - below
        self.sign = "<" if isinstance(self.relation, sp.Lt | sp.Gt) else "<="
        self.goal = relation_tree(self.relation)

    def proof(self, whole: Piece) -> list[Line] | None:
        """Lines that show the relation in a range; None without success."""
        values = self.functions.values(self.difference, whole.samples)
        if any(value < -_ROUNDING for value in values):
            return None
        return self._on(whole, [n for n in (sp.S.Zero, sp.S.One) if whole.has_inside(n)], DEPTH)

    def _on(self, piece: Piece, cuts: Sequence[sp.Rational], depth: int) -> list[Line] | None:
        """The same in a piece; it is first cut at the given numbers, then as often as necessary."""
        if not cuts:
            ends = [end for end in (piece.low, piece.high) if end is not None]
            for point in (piece.middle, *ends):
                with suppress(ZeroDivisionError, Unbounded):
                    lines = self._claim(piece, point)
                    if lines is not None:
                        return lines
        if depth <= 0:
            return None
        at, *later = cuts or [piece.middle]
        by, *parts = piece.halves(at, self.x.name)
        found = list[list[Line]]()
        for part in parts:
            lines = self._on(part, [n for n in later if part.has_inside(n)], depth - (not cuts))
            if lines is None:
                return None
            found.append(lines)
        return [{"show": self.goal, "split": by, "parts": found}]

    def _claim(self, piece: Piece, point: sp.Rational) -> list[Line] | None:
        """Lines that show the claim in a piece from bounds that touch the functions at one point."""
        at = At(self, piece, point)
        lines = at.signed(self.difference, self.sign)
        return (
            None
            if lines is None
            else [*lines, {"show": self.goal, "as": at.slack(self.difference, self.sign)}]
        )

    def count(self) -> None:
        """Count one step of the search; raises Exhausted at the limit."""
        self.steps -= 1
        if self.steps < 0:
            raise Exhausted


@dataclass(frozen=True)
class Term:
    """A formula that is linear in a function: factor * function + rest."""

    formula: sp.Expr
    function: Function

    @property
    def rest(self) -> sp.Expr:
        return self.formula.subs(self.function.symbol, 0)

    @property
    def factor(self) -> sp.Expr:
        """The factor; it still holds the function if the formula is not linear in it."""
        return sp.expand((self.formula - self.rest) / self.function.symbol)


@dataclass(frozen=True)
class At:
    """A search in one piece, with bounds that touch the functions at one point.

    Signs are "<" for positive and "<=" for nonnegative formulas.
    """

    search: Pieces
    piece: Piece
    point: sp.Rational

    def signed(self, formula: sp.Expr, sign: str) -> list[Line] | None:
        """Lines of which the last shows that a quotient is nonnegative, or positive; None without success."""
        top, below = sp.fraction(sp.together(formula))
        if below.is_number:
            return self._polynomial(formula, sign)
        for way in (1, -1):
            divisor = self._polynomial(way * below, "<")
            if divisor is not None:
                above = self._polynomial(way * top, sign)
                if above is None:
                    return None
                quotient: Tree = ["/", self.slack(way * top, sign), self.slack(way * below, "<")]
                return [*divisor, *above, {"show": self._fact(formula, sign), "as": quotient}]
        return None

    def slack(self, formula: sp.Expr, sign: str) -> Tree:
        return ["slack", self._fact(formula, sign)]

    def _fact(self, formula: sp.Expr, sign: str) -> Tree:
        return [sign, "0", self.search.functions.tree(formula)]

    def _polynomial(self, formula: sp.Expr, sign: str) -> list[Line] | None:
        """The same for a polynomial in the symbol and in functions."""
        self.search.count()
        expanded = sp.expand(formula)
        function = self.search.functions.outermost(expanded)
        if function is None:
            shown = by_coefficients(expanded, self.search.x, self.piece, sign)
            return None if shown is None else [{"show": self._fact(formula, sign), "as": shown}]
        term = Term(expanded, function)
        factor = term.factor
        values = self.search.functions.values(factor, self.piece.samples)
        for way in (1, -1):
            if all(way * value >= 0 for value in values):
                lines = self.signed(way * factor, "<=")
                if lines is not None:
                    more = self._one_sided(formula, term, way, sign)
                    return None if more is None else [*lines, *more]
        return self._two_sided(formula, term, sign)

    def _bounds(self) -> Touching:
        return Touching(self.search.functions, self.point, self.signed, self.search.laws)

    def _one_sided(self, formula: sp.Expr, term: Term, way: int, sign: str) -> list[Line] | None:
        """Lines for a formula whose factor of a function has a sign that is shown already."""
        for bound in self._bounds().of(term.function, way):
            lines = self._replaced(formula, term, bound, self.slack(way * term.factor, "<="), sign)
            if lines is not None:
                return [*bound.lines, *lines]
        return None

    def _two_sided(self, formula: sp.Expr, term: Term, sign: str) -> list[Line] | None:
        """Lines for a formula in two cases by the sign of the factor of a function."""
        by, lines, parts = self.search.functions.tree(term.factor), list[Line](), list[list[Line]]()
        for way, case in ((-1, ["<=", by, "0"]), (1, [">", by, "0"])):
            for bound in self._bounds().of(term.function, way):
                found = self._replaced(formula, term, bound, ["slack", case], sign)
                if found is not None:
                    lines += [*bound.lines, *found[:-1]]
                    parts.append(found[-1:])
                    break
            else:
                return None
        return [*lines, {"show": self._fact(formula, sign), "split": by, "parts": parts}]

    def _replaced(
        self, formula: sp.Expr, term: Term, bound: Bound, size: Tree, sign: str
    ) -> list[Line] | None:
        """Lines that replace a function by a bound; `size` is a formula of certificates for the absolute value of its factor."""
        left = sp.expand(term.rest * bound.divisor + term.factor * bound.bound)
        lines = self.signed(left, sign)
        if lines is None:
            return None
        numerator: Tree = ["+", self.slack(left, sign), ["*", size, ["slack", bound.fact]]]
        divisor = self.search.functions.tree(bound.divisor)
        return [*lines, {"show": self._fact(formula, sign), "as": ["/", numerator, divisor]}]
