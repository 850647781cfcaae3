"""The user's own theorems: symbols, statements and claims in one object, `notes = Notes("my-notes")`."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from bounds.relations import links
from bounds.statement import Paper, Statement
from bounds.symbols import Glossary, domain_of
from verify.engine.checks.relation import identity, inequality
from verify.engine.checks.rounding import Row, read_number
from verify.engine.checks.table import claimed_of, printed_row
from verify.engine.model.claim import Check, Claim
from verify.engine.model.scene import Condition, Scene
from verify.engine.model.sequences import counted_from_1, from_0
from verify.quantities import MEASURED, QUANTITIES
from verify.scaled import meeting_equations

Symbols = Any
"""One symbol for one name, a tuple of symbols for several names, like the result of `sympy.symbols`."""


NAME = re.compile(r"[\w.-]+")
OF_CLAIM = ("premises", "facts", "baseline", "induction", "through", "lemmas")
FIELDS = (*OF_CLAIM, "terms", "uses", "assumes")
"""Fields of a claim besides its relation, conditions, scene and checks."""


class Notes:
    """A draft with theorems. It defines symbols with their domains and collects claims.

    Parameters
    ----------
    key : str
        First part of every id, e.g. ``"notes"`` for ``notes.thm1``.
    title : str
        Title of the notes in citations.

    Examples
    --------
    >>> notes = Notes("young")
    >>> a, b = notes.real("a b")
    >>> c = notes.positive("c")
    >>> notes.claim("young", a * b <= c * a**2 / 2 + b**2 / (2 * c)).statement.id
    'young.young'
    """

    def __init__(self, key: str, title: str = "") -> None:
        if not NAME.fullmatch(key):
            raise ValueError(f"`key` must be letters, digits, _ and -, got {key!r}")
        self.paper = Paper(key, title or key, "own", Glossary(key, QUANTITIES))
        self.claims: list[Claim] = []

    def real(self, names: str) -> Symbols:
        """Symbols for any real numbers, one for each name: ``a, b = notes.real("a b")``."""
        return self._define(names, "real")

    def positive(self, names: str) -> Symbols:
        """Symbols for numbers > 0."""
        return self._define(names, "positive")

    def nonnegative(self, names: str) -> Symbols:
        """Symbols for numbers >= 0."""
        return self._define(names, "nonnegative")

    def count(self, names: str) -> Symbols:
        """Symbols for whole numbers >= 1."""
        return self._define(names, "count")

    def index(self, names: str) -> Symbols:
        """Indices that count from 0, for conditions that hold for every index: ``r[t + 1] <= r[t]`` from round 0 on."""
        made = self._define(names, "count")
        return tuple(map(from_0, made)) if isinstance(made, tuple) else from_0(made)

    def claim(
        self,
        id: str,
        relation: Relational,
        *conditions: Condition,
        scene: Scene | None = None,
        says: str = "",
        checks: Sequence[Check] = (),
        **more: Any,
    ) -> Claim:
        """Claim that a relation holds wherever its conditions hold, and add the claim to `claims`.

        Parameters
        ----------
        id : str
            The id without the key; ``thm1/long`` is a variant of ``thm1``.
        relation, *conditions : Relational
            SymPy relations. Write ``sp.Le(a, b, evaluate=False)`` if SymPy would otherwise decide the relation.
        scene : Scene, optional
            Computes the quantities (`verify.run`, `verify.points`, or a scene of your own). Without a scene the symbols are
            free numbers.
        checks : tuple of callables
            The checks that judge the claim. By default those of the scene; without a scene `identity` for an equation and
            `inequality` for an inequality.
        **more
            Further fields of `Statement` (``terms``, ``uses``, ``assumes``) and of `Claim` (``premises``,
            ``facts``, ``baseline``, ``induction``, ``through``, ``lemmas``).

        Returns
        -------
        Claim
            The claim, which `claims` now contains as well.

        Raises
        ------
        TypeError
            If the relation is not a relation, a check is not a check, or an argument is unknown.
        ValueError
            If the id holds other characters than letters, digits, _, -, . and /, or a quantity of `verify.quantities`
            that a run measures is used without a scene.

        Examples
        --------
        >>> notes = Notes("ordered")
        >>> a, b = notes.real("a b")
        >>> notes.claim("squares/positive", a**2 <= b**2, a <= b, a >= 0).statement.text()
        'a**2 <= b**2'
        """
        if not isinstance(id, str):
            raise TypeError(
                f"`id` must be a text, got {id!r}; write notes.claim('name', relation, condition, ...)"
            )
        place = f"{self.paper.key}.{id}"
        unknown = more.keys() - FIELDS
        if unknown:
            raise TypeError(
                f"{place}: a claim has no {', '.join(sorted(unknown))}; conditions follow the relation, as in "
                f"notes.claim('name', relation, condition, ...); further arguments are scene, says, checks, {', '.join(FIELDS)}"
            )
        if not isinstance(relation, Relational):
            raise TypeError(
                f"{place}: `relation` must be a SymPy relation, got {relation!r}; {_remedy(relation)}"
            )
        if not isinstance(checks, Sequence) or not all(map(callable, checks)):
            raise TypeError(f"{place}: `checks` must be a tuple of checks, got {checks!r}")
        for condition in conditions:
            if isinstance(condition, Scene):
                raise TypeError(
                    f"{place}: `conditions` must be SymPy relations, got the scene {condition.name!r}; write scene=..."
                )
            if isinstance(condition, bool | str):
                raise TypeError(
                    f"{place}: `conditions` must be SymPy relations, got {condition!r}; {_remedy(condition)}"
                )
        conditions = tuple(counted_from_1(condition, relation) for condition in conditions)
        if scene is None:
            self._check_free(id, (relation, *conditions))
        of_claim = {name: more.pop(name) for name in OF_CLAIM if name in more}
        changes = (
            {"changes": says or f"compare its formula with that of {id.partition('/')[0]}"}
            if "/" in id
            else {}
        )
        statement = self._stated(id, says, relation, conditions=conditions, **{**changes, **more})
        usual = identity if isinstance(relation, sp.Eq) else inequality
        if isinstance(scene, Scene) and scene.judged is not None:
            from verify.first_order.scene import decided as usual
            from verify.first_order.scene import with_axes

            scene = with_axes(scene, conditions)
        elif isinstance(scene, Scene):
            scene = meeting_equations(scene, conditions)
        claim = Claim(statement, tuple(checks) or (usual,), scene, **of_claim)
        self.claims.append(claim)
        return claim

    def chain(self, id: str, chain: Sequence[Any], *conditions: Condition, **more: Any) -> tuple[Claim, ...]:
        """Claim every link of a chain: ``notes.chain("means", (h, "<=", g, "<=", a))`` makes ``means.1`` and ``means.2``.

        Parameters
        ----------
        id : str
            As for `claim`; links are numbered after the first part of it.
        chain : sequence
            Sides, and between them the signs "<=", "<", ">=", ">", "==" or "!=".
        *conditions, **more
            Conditions and further fields of each link, as for `claim`.

        Raises
        ------
        ValueError
            If sides and signs do not alternate.

        Examples
        --------
        >>> notes = Notes("means")
        >>> a, b = notes.positive("a b")
        >>> links = notes.chain("order", (2 / (1 / a + 1 / b), "<=", sp.sqrt(a * b), "<=", (a + b) / 2))
        >>> [link.statement.id for link in links]
        ['means.order.1', 'means.order.2']
        """
        name, *variant = id.split("/")
        numbered = ("/".join((f"{name}.{k}", *variant)) for k in count(1))
        return tuple(
            self.claim(own, link, *conditions, **more)
            for own, link in zip(numbered, links(chain), strict=False)
        )

    def there_is(
        self,
        id: str,
        symbol: sp.Symbol,
        relation: Relational,
        *conditions: Condition,
        value: sp.Expr | None = None,
        says: str = "",
    ) -> Claim:
        """Claim that some value of a symbol meets a relation, and the conditions that speak of the symbol.

        ``notes.there_is("step", eta, a / eta + b * eta <= 2 * sp.sqrt(a * b))`` asks for a step size. It is meant for all
        values of the other symbols that meet the conditions on them. In the claim the symbol is called "some eta", so that
        nothing mistakes the claim for one about every value.

        Parameters
        ----------
        symbol : Symbol
            A symbol of these notes; the value must be in its domain.
        value : formula, optional
            A formula for the value. Without one the best value is looked for.

        Raises
        ------
        ValueError
            If the relation does not contain the symbol, or the formula does.

        Examples
        --------
        >>> notes = Notes("tuned")
        >>> a, b, eta = notes.positive("a b eta")
        >>> notes.there_is("step", eta, a / eta + b * eta <= 2 * sp.sqrt(a * b), value=sp.sqrt(a / b)).statement.id
        'tuned.step'
        """
        place = f"{self.paper.key}.{id}"
        if not isinstance(relation, Relational) or symbol not in relation.free_symbols:
            raise ValueError(f"{place}: `relation` must be a relation with {symbol}, got {relation!r}")
        if value is not None and symbol in sp.sympify(value).free_symbols:
            raise ValueError(f"{place}: `value` must be a formula without {symbol}, got {value}")
        from verify.existence import SOME, there_is

        name = f"{SOME}{symbol.name}"
        some = self.paper.glossary[name].symbol if name in self.paper.glossary else self._some(name, symbol)
        body, *where = (
            part.func(*(side.xreplace({symbol: some}) for side in part.args), evaluate=False)
            for part in (relation, *conditions)
        )
        check = there_is(some, None if value is None else sp.sympify(value))
        return self.claim(id, body, *where, says=says or f"there is {symbol.name}", checks=(check,))

    def _some(self, name: str, symbol: sp.Symbol) -> sp.Symbol:
        """A new symbol with a name and the domain of another one."""
        defined: sp.Symbol = self.paper.glossary.define(name, name, domain_of(symbol))
        return defined

    def table(
        self, id: str, relation: Relational, rows: Mapping[str, Mapping[str, str | int]], *, says: str = ""
    ) -> Claim:
        """Claim that a relation holds in every row of a printed table, and add the claim to `claims`.

        Printed numbers are rounded: a row is inconsistent only if no numbers that round to it satisfy the relation.

        Parameters
        ----------
        rows : mapping from the name of a row to its numbers by symbol
            Numbers as text, so that no digit is lost: "0.70" is any number from 0.695 to 0.705, "1/3" is exact. Counts are
            exact whole numbers. Numbers of symbols that do not occur in the relation are ignored.

        Raises
        ------
        ValueError
            If a row lacks a number of the relation, or a number cannot be read or is not in the domain of its symbol.

        Examples
        --------
        >>> notes = Notes("table")
        >>> before, after, change = notes.real("before after change")
        >>> rows = {"method A": {"before": "0.71", "after": "0.64", "change": "-0.07"}}
        >>> notes.table("change", sp.Eq(change, after - before), rows).statement.id
        'table.change'
        """
        statement = self._stated(id, says, relation)
        names = {symbol.name for symbol in statement.symbols}
        for name, numbers in rows.items():
            if not names <= numbers.keys():
                raise ValueError(
                    f"`rows[{name!r}]` must give {', '.join(sorted(names))}, got {dict(numbers)}"
                )
        domains = {symbol.name: domain_of(symbol) for symbol in statement.symbols}
        read = {name: _read_row(name, numbers, domains) for name, numbers in rows.items()}
        claim = claimed_of(statement, read)
        self.claims.append(claim)
        return claim

    def _check_free(self, id: str, relations: Sequence[Any]) -> None:
        """Raise a ValueError if a claim without a scene uses a quantity measured in a run that these notes do not define."""
        free = {symbol for part in relations if isinstance(part, sp.Basic) for symbol in part.free_symbols}
        measured = {QUANTITIES[name].symbol for name in MEASURED - set(self.paper.glossary)}
        names = ", ".join(sorted(str(symbol) for symbol in free & measured))
        if names:
            raise ValueError(
                f"{self.paper.key}.{id}: `scene` must be given, as a run measures {names}, got none; write "
                "scene=run(...) or scene=points(...), or define these symbols by Notes if they stand for any number"
            )

    def _stated(self, id: str, says: str, relation: Relational, **more: Any) -> Statement:
        """The statement, with the line of the calling file as its source."""
        if not all(map(NAME.fullmatch, id.split("/"))):
            raise ValueError(f"`id` must be letters, digits, _, - and ., with / before a variant, got {id!r}")
        return self.paper.statement(id, says or id, relation, id, str(_line_outside()), **more)

    def _define(self, names: str, domain: str) -> Symbols:
        made = tuple(
            self.paper.glossary.define(name, name, domain) for name in names.replace(",", " ").split()
        )
        return made if len(made) != 1 else made[0]


def _remedy(value: Any) -> str:
    """How to write a relation, for a value that is none."""
    if isinstance(value, str):
        return "write it without quotes"
    if isinstance(value, bool):
        return "Python decided it: write sp.Eq(a, b) for a == b, and sp.Ne(a, b) for a != b"
    if isinstance(value, sp.And):
        return "write notes.chain(id, (a, '<=', b, '<=', c)) for a <= b <= c, and a claim for each part of another And"
    if isinstance(value, sp.logic.boolalg.BooleanAtom):
        return "SymPy decided it: write sp.Le(a, b, evaluate=False), and sp.Eq(a, b, evaluate=False) for an equation"
    return "write a <= b, a < b or sp.Eq(a, b), and a claim for each relation"


def _line_outside() -> int:
    """Line from which this module was called."""
    frame = sys._getframe(1)  # noqa: SLF001
    while frame.f_globals.get("__name__") == __name__ and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_lineno


def _read_row(name: str, numbers: Mapping[str, Any], domains: Mapping[str, str]) -> Row:
    """The numbers of a row that occur in a relation, each in the domain of its symbol."""
    if not domains.keys() <= numbers.keys():
        raise ValueError(f"`rows[{name!r}]` must give {', '.join(sorted(domains))}, got {dict(numbers)}")
    sizes: dict[str, int] = {}
    columns: dict[str, Any] = {}
    for symbol, domain in sorted(domains.items()):
        place = f"`rows[{name!r}][{symbol!r}]`"
        try:
            number, half = read_number(numbers[symbol])
        except ValueError as error:
            raise ValueError(f"{place} {error}") from None
        most = number + half
        if domain == "count" and (number.denominator != 1 or number < 1):
            raise ValueError(
                f"{place} must be a whole number of at least 1, as `{symbol}` is a count, got {numbers[symbol]}; "
                "define it as real, positive or nonnegative if it is none"
            )
        if (domain == "positive" and most <= 0) or (domain == "nonnegative" and most < 0):
            raise ValueError(
                f"{place} must be {domain}, as `{symbol}` is declared, got {numbers[symbol]}; define it as real if it may be so"
            )
        if domain == "count":
            sizes[symbol] = int(number)
        else:
            columns[symbol] = numbers[symbol]
    return printed_row(sizes, columns)
