"""A bound as a page with sliders: one self-contained HTML file that works offline.

Formulas are printed from SymPy as plain JavaScript (`Script`), so the page gives the same values as `bounds.evaluate`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from sympy.printing.jscode import JavascriptCodePrinter

from bounds.admissible import ConditionNotMet, applicable, values_of
from bounds.calculator import solved, terms_of
from bounds.statement import Statement
from bounds.symbols import domain_of
from verify.report.mathml import formula, mathml, relation

TRIED = 100_000
"""Random points among which the page's first values are chosen."""
USUAL, WIDEST = (1e-3, 10.0), (1e-6, 1e6)
"""The interval from which first values are drawn, and a wider one if none of these points meets the conditions."""
FAR, ROUNDS = 1e6, 4
"""Weight of a failing condition relative to the distance from 1, and number of passes over all quantities."""
DECADES = 3
"""Powers of ten on either side of the first value of a slider."""
Values = Mapping[str, float]


class Script(JavascriptCodePrinter):
    """Expressions as JavaScript in which the quantity ``x`` is ``v.x``."""

    def _print_Symbol(self, expr: sp.Symbol) -> str:
        return f"v.{expr.name}"

    def _print_Sum(self, expr: sp.Sum) -> str:
        code = self._print(expr.function)
        for index, low, high in expr.limits:
            name = f"v.{index.name}"
            loop = f"for ({name} = {self._print(low)}; {name} <= {self._print(high)}; {name}++) s += {code};"
            code = f"((v) => {{ v = {{...v}}; let s = 0; {loop} return s; }})(v)"
        return code


def script(expression: sp.Expr) -> str:
    """An expression as JavaScript.

    Raises
    ------
    ValueError
        If it contains a part that the page cannot compute, such as an entry of a sequence.
    """
    if expression.has(sp.Indexed):
        raise ValueError(f"{expression} has entries of a sequence, for which there is no slider")
    code = Script({"allow_unknown_functions": False}).doprint(expression)
    if "\n" in code:
        raise ValueError(f"{expression} cannot be written as JavaScript: {code.splitlines()[0]}")
    return str(code)


def page(
    statement: Statement,
    values: Values,
    other: Statement | None = None,
    runs: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The page of a bound.

    Parameters
    ----------
    values : mapping of str to number
        First values of quantities; the others are chosen so that all conditions are met.
    other : Statement, optional
        A second bound, drawn beside it.
    runs : sequence of mapping
        Exact runs, drawn as dots: each with the `name` of its varying quantity, `points`, `values`, and `says`, the
        method.
    """
    symbols = {s.name: s for one in (statement, other) if one for s in _quantities(one)}
    start = first_values(statement, symbols, values)
    limits = [c for c in statement.conditions if not c.has(sp.Indexed)]
    defined = {name: rule for name, rule in _defined(statement).items() if name not in values}
    sliders = [_slider(name, symbol, start[name]) for name, symbol in symbols.items() if name not in defined]
    content = {
        "id": statement.id,
        "terms": [{"name": name} for name in terms_of(statement)],
        "limits": [{"text": str(c), "math": str(relation(c, statement.glossary))} for c in limits],
        "sliders": sliders,
        "other": None if other is None else {"id": other.id},
        "runs": list(runs),
    }
    code = {
        "defined": [{"name": name, "code": script(rule)} for name, rule in defined.items()],
        "bound": script(statement.bound),
        "other": None if other is None else {"bound": script(other.bound)},
        "terms": [{"code": script(term)} for term in terms_of(statement).values()],
        "limits": [{"code": _test(c)} for c in limits],
    }
    environment = Environment(
        loader=PackageLoader("verify.report"),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
    )
    return environment.get_template("bound.html.j2").render(
        statement=statement,
        other=other,
        shown=", ".join(run["says"] for run in runs if "says" in run),
        formula=formula,
        sliders=[(slider, _meaning(statement, other, slider["name"])) for slider in sliders],
        content=json.dumps(content).replace("</", "<\\/"),
        code=code,
    )


def first_values(
    statement: Statement, symbols: Mapping[str, sp.Symbol], given: Values, seed: int = 0
) -> dict[str, float]:
    """Values of all quantities, given some: the point nearest to 1 among random points that meet the conditions. If all
    quantities are given, the conditions may fail; the page then names those that do.

    Raises
    ------
    ConditionNotMet
        If no random point meets the conditions.
    """
    rng = np.random.default_rng(seed)
    defined = _defined(statement).keys() - given.keys()
    free = [name for name in symbols if name not in given and name not in defined]
    held = {name: float(given[name]) for name in symbols if name in given}

    def nearest(columns: Mapping[str, Any]) -> dict[str, float]:
        """The point with the fewest failing conditions, among these the one whose free values are nearest to 1."""
        columns = _completed(statement, columns)
        distance = sum(np.log(abs(columns[name])) ** 2 for name in free)
        cost = np.atleast_1d(_failures(statement, columns) * FAR + distance)
        best = int(np.argmin(cost))
        return {
            name: float(np.broadcast_to(column, np.shape(cost))[best]) for name, column in columns.items()
        }

    if not free:
        return nearest(held)
    for ends in (USUAL, WIDEST):
        chosen = nearest(held | {name: _random(symbols[name], rng, ends) for name in free})
        if statement.met(**_own(statement, chosen)):
            return chosen
    for name in (
        free * ROUNDS
    ):  # if the conditions leave little space, quantities are moved one after the other
        moved = np.append(_random(symbols[name], rng, WIDEST), chosen[name])
        chosen = nearest(held | {other: chosen[other] for other in free} | {name: moved})
        if statement.met(**_own(statement, chosen)):
            return chosen
    failing = "; ".join(statement.failing(**_own(statement, chosen)))
    raise ConditionNotMet(
        f"{statement.id}: no point was found that meets the conditions with {dict(given)}; the nearest one fails {failing}"
    )


def _defined(statement: Statement) -> dict[str, sp.Expr]:
    """Quantities that a condition defines, ``Eq(quantity, formula)``, with formulas in quantities that none defines."""
    found: dict[sp.Symbol, sp.Expr] = {}
    for one in statement.conditions:
        if isinstance(one, sp.Eq) and not one.has(sp.Indexed):
            for symbol, rule in _rules(one, statement):
                rule = rule.subs(found)
                if symbol not in found and not rule.has(symbol):
                    found = {other: known.subs(symbol, rule) for other, known in found.items()} | {
                        symbol: rule
                    }
                    break
    return {symbol.name: rule for symbol, rule in found.items()}


def _rules(equation: sp.Eq, statement: Statement) -> Iterator[tuple[sp.Symbol, sp.Expr]]:
    """Quantities with the formulas that an equation gives them: the one on its left side; if there is none, those in which it
    is linear, first those that do not occur in the bound.
    """
    if isinstance(equation.lhs, sp.Symbol):
        yield equation.lhs, equation.rhs
        return
    symbols = sorted(equation.free_symbols, key=lambda one: (one in statement.bound.free_symbols, str(one)))
    for symbol in symbols:
        formula = solved(equation, symbol)
        if formula is not None and domain_of(symbol) != "count":
            yield symbol, formula


def _completed(statement: Statement, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, completed by the quantities that conditions define."""
    known = dict(values)
    for name, rule in _defined(statement).items():
        if name not in known:
            known[name] = values_of(rule, known)
    return known


def _failures(statement: Statement, values: Mapping[str, Any]) -> np.ndarray:
    """The number of failing conditions at each point."""
    own = _own(statement, values)
    shape = np.broadcast_shapes(*(np.shape(value) for value in values.values()))
    failing = (~limit.met(own) for limit in applicable(statement.limits, own))
    return np.asarray(sum((np.broadcast_to(one, shape) for one in failing), np.zeros(shape)))


def _own(statement: Statement, values: Mapping[str, Any]) -> dict[str, Any]:
    return {symbol.name: values[symbol.name] for symbol in statement.symbols if symbol.name in values}


def _quantities(statement: Statement) -> list[sp.Symbol]:
    """Quantities of the right-hand side and of the conditions."""
    own = {s for s in statement.bound.free_symbols if isinstance(s, sp.Symbol)}
    more = {s for c in statement.conditions if not c.has(sp.Indexed) for s in c.free_symbols}
    return sorted((s for s in own | more if isinstance(s, sp.Symbol)), key=lambda s: s.name)


def _random(symbol: sp.Symbol, rng: np.random.Generator, ends: tuple[float, float] = USUAL) -> np.ndarray:
    """Random values, even in the logarithm; small whole numbers for a count."""
    sizes = np.exp(rng.uniform(np.log(ends[0]), np.log(ends[1]), TRIED))
    if domain_of(symbol) == "count":
        return np.maximum(1.0, np.round(sizes * 2))
    if (
        domain_of(symbol) == "real" and ends == WIDEST
    ):  # usual numbers are positive; conditions may require others
        return _two_digits(sizes) * rng.choice((-1.0, 1.0), TRIED)
    return _two_digits(sizes)


def _two_digits(sizes: np.ndarray) -> np.ndarray:
    """Numbers rounded to two digits, as a person would choose them."""
    unit = 10.0 ** (np.floor(np.log10(sizes)) - 1)
    return np.round(sizes / unit) * unit


def _slider(name: str, symbol: sp.Symbol, start: float) -> dict[str, Any]:
    """A slider around its first value: logarithmic for positive numbers, whole for counts."""
    domain = domain_of(symbol)
    if domain == "count":
        return {
            "name": name,
            "scale": "whole",
            "low": 1,
            "high": 10 ** max(2, len(str(int(start))) + 2),
            "start": start,
        }
    if domain == "real":
        reach = 10 * (1 + abs(start))
        return {"name": name, "scale": "linear", "low": start - reach, "high": start + reach, "start": start}
    middle = start or 1.0
    return {
        "name": name,
        "scale": "log",
        "low": middle / 10**DECADES,
        "high": middle * 10**DECADES,
        "start": start,
    }


def _test(condition: Any) -> str:
    """A condition as JavaScript; equations are tested up to rounding."""
    equal = "Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b), 1e-300)"
    test = equal if isinstance(condition, sp.Eq) else f"a {condition.rel_op} b"
    sides = f"{script(condition.lhs)}, {script(condition.rhs)}"
    return f"((a, b) => Number.isFinite(a) && Number.isFinite(b) && {test})({sides})"


def _meaning(statement: Statement, other: Statement | None, name: str) -> dict[str, str]:
    """A quantity's letter as MathML with its meaning, from the first statement that has it."""
    for one in (statement, other):
        if one is not None and name in one.glossary:
            return {"math": str(mathml((one.glossary[name].latex,))), "words": one.glossary[name].meaning}
    return {"math": name, "words": ""}
