"""Statements of a source (a paper), as data.

A `Statement` holds a formula, its conditions and its source. It can be printed, evaluated and differentiated. It says
nothing about whether the formula is true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.relational import Relational

from bounds.admissible import ConditionNotMet as ConditionNotMet
from bounds.admissible import Limit, applicable, limits
from bounds.checked_values import numbers, ranges, require_one_shape, require_single
from bounds.evaluate import evaluate
from bounds.hypotheses import Hypothesis, require_hypotheses
from bounds.notebook import Displayed
from bounds.optimum import RANGE, Optimum, optimum
from bounds.orders import exponents
from bounds.relations import text_of
from bounds.symbols import Glossary, domain_of

WORDS: Mapping[str, Any] = {"words": True}
"""Metadata of dataclass fields with descriptive text, on which no result depends."""


@dataclass(frozen=True)
class Paper:
    """A source: the key used in ids, its title, version and glossary."""

    key: str
    title: str
    version: str
    glossary: Glossary

    def statement(
        self,
        id: str,
        says: str,
        relation: Relational | Scaling,
        place: str,
        lines: str = "",
        *,
        assumes: tuple[str, ...] = (),
        uses: tuple[str, ...] = (),
        **more: Any,
    ) -> Statement:
        """One statement of this paper; `id`, `assumes` and `uses` are given without the paper's key.

        Parameters
        ----------
        place, lines : str
            Theorem or equation, and lines of the transcription.
        **more
            Further fields of `Statement`: ``conditions``, ``terms``, ``changes``.
        """
        return Statement(
            f"{self.key}.{id}",
            says,
            relation,
            Source(self, place, lines),
            assumes=self.full(assumes),
            uses=self.full(uses),
            **more,
        )

    def at(self, place: str, lines: str = "", **shared: Any) -> Callable[..., Statement]:
        """A function that creates the statements of one place in the paper: ``at(place, lines)(id, says, relation,
        ...)``.

        Shared fields, such as conditions, may be given here; a field given for a single statement replaces the shared
        one.
        """
        return partial(self.statement, place=place, lines=lines, **shared)

    def full(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Ids with the paper's key prepended if it is missing."""
        return tuple(id if id.startswith(f"{self.key}.") else f"{self.key}.{id}" for id in ids)


@dataclass(frozen=True)
class Source:
    """Origin of a statement: paper, place (theorem, equation) and line of the transcription."""

    paper: Paper
    place: str
    lines: str = ""

    def record(self) -> dict[str, str]:
        return {
            "paper": self.paper.title,
            "version": self.paper.version,
            "place": self.place,
            "lines": self.lines,
        }

    def __str__(self) -> str:
        return f"{self.paper.key.upper()} ({self.paper.version}), {self.place}"


@dataclass(frozen=True)
class Scaling:
    """The claim that a bound is of the order `claimed` under given step sizes.

    Attributes
    ----------
    terms : mapping of str to expression
        The named terms of the bound.
    steps : mapping of symbol to expression
        Substitutions (step sizes, regimes such as ``M = c*N``).
    claimed : expression
        The claimed order, a monomial in `variables`.
    variables : tuple of symbols
        The variables whose exponents are compared.
    """

    terms: Mapping[str, sp.Expr]
    steps: Mapping[sp.Symbol, sp.Expr]
    claimed: sp.Expr
    variables: tuple[sp.Symbol, ...]

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        return set().union(*(term.free_symbols for term in self.terms.values()))


@dataclass(frozen=True)
class Original:
    """The source's own sentence and formula, which bound the sides of the statement that is judged from outside."""

    says: str
    relation: Relational


@dataclass(frozen=True)
class Statement(Displayed):
    """One statement of a source.

    Attributes
    ----------
    id : str
        Catalogue id, e.g. ``special.thm4.10``; a variant of the printed statement adds ``/variant``.
    says : str
        The statement in one sentence.
    relation : Relational or Scaling
        The claimed relation between quantities of the glossary.
    source : Source
    conditions : tuple of Relational
        Every printed condition on quantities, and implicit ones such as non-zero denominators.
    assumes : tuple of str
        Ids of the assumptions it rests on.
    uses : tuple of str
        Ids of the statements that its proof rests on, in the order in which the proof uses them.
    terms : mapping of str to expression
        Named terms of the right-hand side; they add up to it.
    changes : str
        How a variant differs from the printed statement; empty for the printed statement.
    hypotheses : tuple of Hypothesis
        Restrictions besides the conditions, such as quadratic losses.
    original : Original, optional
        What the source says, if the relation is a consequence of it.
    """

    id: str
    says: str = field(metadata=WORDS)
    relation: Relational | Scaling
    source: Source = field(metadata=WORDS)
    conditions: tuple[Relational, ...] = ()
    assumes: tuple[str, ...] = ()
    uses: tuple[str, ...] = field(default=(), metadata=WORDS)
    terms: Mapping[str, sp.Expr] = field(default_factory=dict)
    changes: str = field(default="", metadata=WORDS)
    hypotheses: tuple[Hypothesis, ...] = field(default=(), metadata=WORDS)
    original: Original | None = field(default=None, metadata=WORDS)

    def __post_init__(self) -> None:
        if not isinstance(self.relation, (Relational, Scaling)):
            raise TypeError(
                f"{self.id}: `relation` must be a SymPy relation or a Scaling, got {self.relation!r}; "
                "a relation that SymPy decides on its own claims nothing (use evaluate=False)"
            )
        for condition in self.conditions:
            if not isinstance(condition, (sp.Basic, bool)):
                raise TypeError(
                    f"{self.id}: `conditions` must be SymPy relations, got {type(condition).__name__} {condition!r}; "
                    "give each relation by itself"
                )
        if self.terms and not _same(sum(self.terms.values()), self.rhs):
            raise ValueError(f"{self.id}: `terms` must add up to the right-hand side")
        if "/" in self.id and not self.changes:
            raise ValueError(f"{self.id}: `changes` must say what this variant changes")
        require_hypotheses(self.hypotheses, f"{self.id}: `hypotheses`")

    def variant(
        self, name: str, relation: Relational | Scaling | None = None, *, changes: str, **more: Any
    ) -> Statement:
        """The variant ``id/name`` of this statement, with a text that describes its change.

        Parameters
        ----------
        relation : Relational or Scaling, optional
            The relation of the variant, if it differs.
        **more
            Other fields that differ: ``says``, ``conditions``, ``assumes``, ``uses``, ``terms``, ``source``. Ids may
            omit the paper's key.
        """
        more |= {name: self.source.paper.full(more[name]) for name in ("assumes", "uses") if name in more}
        if relation is not None:
            more = {"terms": {}, "original": None, **more, "relation": relation}
        return replace(self, id=f"{self.id}/{name}", changes=changes, **more)

    @property
    def compared(self) -> Relational:
        """The relation of a statement with two sides.

        Raises
        ------
        TypeError
            If the statement claims an order instead.
        """
        if isinstance(self.relation, Scaling):
            raise TypeError(f"{self.id} claims an order and has no two sides")
        return self.relation

    @property
    def lhs(self) -> sp.Expr:
        return self.compared.lhs

    @property
    def rhs(self) -> sp.Expr:
        return self.compared.rhs

    @property
    def bound(self) -> sp.Expr:
        """The right-hand side; for a claimed order, the sum of its terms before step sizes are substituted."""
        return sp.Add(*self.relation.terms.values()) if isinstance(self.relation, Scaling) else self.rhs

    @property
    def glossary(self) -> Glossary:
        return self.source.paper.glossary

    @cached_property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """Free symbols of the relation and the conditions, by name, without indexed quantities."""
        found = set(self.relation.free_symbols).union(*(c.free_symbols for c in self.conditions))
        series = {s.base.label for s in found if isinstance(s, sp.Indexed)}
        return tuple(sorted((s for s in found - series if isinstance(s, sp.Symbol)), key=lambda s: s.name))

    def latex(self) -> str:
        """The statement as LaTeX."""
        if isinstance(self.relation, Scaling):
            return rf"\mathcal{{O}}\left({self.glossary.latex(self.relation.claimed)}\right)"
        return self.glossary.latex(self.relation)

    def text(self) -> str:
        """The statement as a plain formula."""
        if isinstance(self.relation, Scaling):
            steps = ", ".join(f"{symbol} = {value}" for symbol, value in self.relation.steps.items())
            return f"O({self.relation.claimed}) at {steps}"
        sign = {sp.Eq: "==", sp.Ne: "!="}.get(type(self.relation), self.relation.rel_op)
        return f"{text_of(self.lhs)} {sign} {text_of(self.rhs)}"

    def failing(self, **values: Any) -> list[str]:
        """Conditions that fail at these numbers, as text; arrays fail where any entry does.

        Domains count as conditions, so a negative variance fails here instead of later in a formula. An equation holds
        up to rounding. Conditions that contain a quantity without a value are skipped.
        """
        known = _checked(self, values)
        return [limit.text for limit in applicable(self.limits, known) if not np.all(limit.met(known))]

    def met(self, **values: Any) -> NDArray[np.bool_]:
        """Mask of the points at which all conditions are met, in the broadcast shape of the arrays; `failing` lists
        the others.
        """
        known = _checked(self, values)
        shape = np.broadcast_shapes(*(np.shape(value) for value in known.values()))
        masks = [limit.met(known) for limit in applicable(self.limits, known)]
        return np.asarray(np.logical_and.reduce(np.broadcast_arrays(np.ones(shape, dtype=bool), *masks)))

    @cached_property
    def limits(self) -> list[Limit]:
        """Domains of symbols and conditions as `Limit` objects, without conditions on indexed quantities."""
        return limits(self.symbols, self.conditions)

    def at(self, **values: Any) -> Any:
        """Value of the right-hand side at numbers or arrays, given by symbol name.

        Raises
        ------
        ConditionNotMet
            If a condition fails; the message names it.
        ValueError
            If a value is missing or not finite, or if a name is not a symbol of the statement.
        """
        broken = self.failing(**values)
        if broken:
            raise ConditionNotMet(f"{self.id} ({self.source}) needs {'; '.join(broken)}, got {values}")
        _require(self.rhs, values, self.id)
        return evaluate(self.rhs, _checked(self, values))

    def terms_at(self, **values: Any) -> dict[str, Any]:
        """Value of each named term at numbers or arrays; conditions are not checked."""
        known = _checked(self, values)
        for term in self.terms.values():
            _require(term, values, self.id)
        return {name: evaluate(term, known) for name, term in self.terms.items()}

    def derivative(self, name: str) -> sp.Expr:
        """Derivative of the right-hand side with respect to the quantity `name`."""
        return sp.diff(self.rhs, self._symbol(name))

    def best(
        self, name: str, low: float | None = None, high: float | None = None, **values: Any
    ) -> tuple[float, float]:
        """The value of `name` in [low, high] that minimises the right-hand side under the conditions, and the bound there.

        Whole numbers stay whole. `optimum` handles several variables and lists the conditions that limit them.

        Raises
        ------
        ConditionNotMet
            If no value meets the conditions.
        """
        least, most = RANGE[domain_of(self._symbol(name))]
        within = {name: (least if low is None else low, most if high is None else high)}
        found = self.optimum(name, within=within, **values)
        return found.at[name], found.bound

    def optimum(
        self, *names: str, within: Mapping[str, tuple[float, float]] | None = None, **values: Any
    ) -> Optimum:
        """The minimum of the right-hand side over some of its quantities; see `bounds.optimum.optimum`.

        Parameters
        ----------
        within : mapping of str to (low, high), optional
            Search range of a quantity; by default its whole domain up to 1e9.
        """
        if not names:
            raise ValueError(
                f"{self.id}: `optimum` needs the names of quantities, got none; write optimum('NAME', ...)"
            )
        variables = [self._symbol(name) for name in names]
        known = _checked(self, {name: value for name, value in values.items() if name not in names})
        require_single(self.id, known, "search once for each entry")
        return optimum(
            self.bound,
            self.conditions,
            variables,
            known,
            ranges(self.id, {} if within is None else within, names),
        )

    def exponents(
        self, steps: Mapping[sp.Symbol, sp.Expr], variables: tuple[sp.Symbol, ...]
    ) -> dict[str, dict[str, sp.Expr]]:
        """Exponent of every named term in each of `variables`, after substituting `steps`.

        The exponent of a term f in v is the limit of v f'(v)/f(v) as v grows.
        """
        return exponents(self.terms or {"rhs": self.rhs}, steps, variables)

    def _symbol(self, name: str) -> sp.Symbol:
        for symbol in self.symbols:
            if symbol.name == name:
                return symbol
        raise ValueError(f"`{name}` is no quantity of {self.id}; it has {[s.name for s in self.symbols]}")


def _same(one: sp.Expr, other: sp.Expr) -> bool:
    """Whether two expressions are equal; `simplify` is tried last because it takes half a second to load."""
    difference = one - other
    return bool(sp.expand(sp.fraction(sp.together(difference))[0]) == 0 or sp.simplify(difference) == 0)


def _checked(statement: Statement, values: Mapping[str, Any]) -> dict[str, Any]:
    names = {s.name for s in statement.symbols} | {
        s.name for term in statement.terms.values() for s in term.free_symbols
    }
    for name in values:
        if name not in names:
            raise ValueError(f"`{name}` is no quantity of {statement.id}; it has {sorted(names)}")
    known = numbers(statement.id, values)
    require_one_shape(statement.id, known)
    return known


def _require(expression: sp.Expr, values: Mapping[str, Any], where: str) -> None:
    symbols = (s for s in expression.free_symbols if isinstance(s, sp.Symbol))
    missing = sorted(s.name for s in symbols if s.name not in values)
    if missing:
        raise ValueError(f"{where}: a value is missing for {', '.join(missing)}; give {missing[0]}=NUMBER")
