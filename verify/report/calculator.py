"""A bound at given numbers, as text for a terminal and as CSV."""

from __future__ import annotations

import csv
import math
import textwrap
from collections.abc import Mapping
from io import StringIO
from typing import Any

from bounds.calculator import terms_of
from bounds.statement import Scaling, Statement
from bounds.symbols import domain_of

WIDTH = 80
BAR = 20
"""Characters of the bar that shows a term's share."""
SIGNS = {"==": "="} | {sign: sign for sign in ("<=", "<", ">=", ">")}
ROWS = 25
"""Rows of a sweep on a terminal."""


def described(statement: Statement) -> str:
    """A statement's formula, quantities, terms and conditions, as help for its evaluation."""
    formula = statement.text()
    if statement.terms:
        formula = f"{statement.lhs} {SIGNS[statement.compared.rel_op]} {' + '.join(statement.terms)}"
    lines = [*_heading(statement), "", *_wrapped(formula, "  "), "", "quantities"]
    for symbol in statement.symbols:
        quantity = statement.glossary.get(symbol.name)
        meaning = quantity.meaning if quantity else ""
        lines += _wrapped(f"{symbol.name:<10} {domain_of(symbol):<12} {meaning}", "  ", " " * 26)
    if statement.conditions:
        lines += ["", "conditions", *(line for c in statement.conditions for line in _wrapped(str(c), "  "))]
    if statement.terms or isinstance(statement.relation, Scaling):
        lines += ["", "terms"]
        lines += [
            line for name, term in terms_of(statement).items() for line in _wrapped(f"{name}: {term}", "  ")
        ]
    needed = " ".join(
        f"{s.name}=..." for s in sorted(statement.bound.free_symbols, key=str) if hasattr(s, "name")
    )
    return "\n".join([*lines, "", *_wrapped(f"python -m verify bound {statement.id} {needed}", "  ")])


def rendered(statement: Statement, content: Mapping[str, Any]) -> str:
    """The output of `python -m verify bound`."""
    lines = _heading(statement)
    if "best" in content:
        lines += ["", *_best(content["best"])]
    if "sweep" in content:
        lines += ["", *_sweep(content)]
    if "bound" in content:
        lines += ["", *_value(statement, content)]
    if "against" in content:
        lines += ["", *_against(content)]
    return "\n".join(lines)


def sweep_csv(content: Mapping[str, Any]) -> str:
    """The sweep as CSV: the quantity, the bound, whether all conditions are met, every term, and the second bound."""
    sweep, other = content["sweep"], content.get("against", {})
    columns = {sweep["name"]: sweep["points"], "bound": sweep["bound"], "met": sweep["met"], **sweep["terms"]}
    if other:
        columns |= {other["id"]: other["sweep"]["bound"], f"{other['id']} met": other["sweep"]["met"]}
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return stream.getvalue()


def _heading(statement: Statement) -> list[str]:
    return [*_wrapped(f"{statement.id}: {statement.says}", ""), f"  {statement.source}"]


def _value(statement: Statement, content: Mapping[str, Any]) -> list[str]:
    lines = [
        f"  {name} = {_short(content['values'][name])} from {why}" for name, why in content["filled"].items()
    ]
    lines.append(f"bound {_number(content['bound'])}")
    terms = sorted(content["terms"].items(), key=lambda item: -_size(item[1]))
    names = {name: textwrap.shorten(name, 30, placeholder="...") for name, _ in terms}
    width = max(map(len, names.values()))
    for name, value in terms if len(terms) > 1 else ():
        share = content["shares"][name]
        part = f"  {share:>6.1%}  {'#' * round(BAR * share)}" if math.isfinite(share) else ""
        lines.append(f"  {names[name]:<{width}}  {_number(value):>12}{part}")
    if len(terms) > 1 and content["shares"][terms[0][0]] >= 0.5:
        lines.append(f"  {names[terms[0][0]]} dominates")
    if not content["failing"]:
        return [*lines, "all conditions that can be checked at these numbers are met"]
    lines.append("conditions that fail (so the statement promises nothing here)")
    for one in content["failing"]:
        lines += _wrapped(one["condition"], "  ")
        mended = "; or ".join(f"{name} = {_short(value)}" for name, value in one["mended_by"].items())
        lines += _wrapped(f"nearest that meets it: {mended or 'no change of one quantity alone'}", "    ")
    return lines


def _best(best: Mapping[str, Any]) -> list[str]:
    at = ", ".join(f"{name} = {_short(value)}" for name, value in best["at"].items())
    lines = [f"smallest bound {best['bound']:.6g} at {at}"]
    lines += [line for limit in best["limits"] for line in _wrapped(f"at the limit of {limit}", "  ")]
    for name, (low, high) in best["ties"].items():
        lines.append(f"  the same for {name} between {_short(low)} and {_short(high)}")
    return lines


def _sweep(content: Mapping[str, Any]) -> list[str]:
    sweep, other = content["sweep"], content.get("against")
    head = f"{sweep['name']:>12}  {'bound':>12}  {'largest term':<24}  conditions"
    lines = [head + (f"  {other['id']}" if other else "")]
    step = max(1, -(-len(sweep["points"]) // ROWS))
    for i in range(0, len(sweep["points"]), step):
        largest = max(sweep["terms"], key=lambda name: _size(sweep["terms"][name][i]))
        met = "met" if sweep["met"][i] else "fail"
        second = ""
        if other:
            fails = "" if other["sweep"]["met"][i] else "  fail"
            second = f"  {_number(other['sweep']['bound'][i])}{fails}"
        line = f"{_short(sweep['points'][i]):>12}  {_number(sweep['bound'][i]):>12}  {textwrap.shorten(largest, 24, placeholder='...'):<24}  {met:<10}"
        lines.append((line + second).rstrip())
    return lines


def _against(content: Mapping[str, Any]) -> list[str]:
    other = content["against"]
    if "sweep" not in other:
        lines = [f"{other['id']}: {_number(other['bound'])}"]
        lines += [f"  fails: {one['condition']}" for one in other["failing"]]
        if not (other["bound"] and math.isfinite(content["bound"]) and math.isfinite(other["bound"])):
            return lines
        return [*lines, f"{content['id']} is {content['bound'] / other['bound']:.4g} times {other['id']}"]
    names = {
        "first": f"{content['id']} is smaller",
        "second": f"{other['id']} is smaller",
        "equal": "both are equal",
    }
    name = content["sweep"]["name"]
    return [f"{name} from {_short(a)} to {_short(b)}: {names[which]}" for a, b, which in other["smaller"]]


def _number(value: float) -> str:
    return f"{value:.6g}" if math.isfinite(value) else "no value"


def _size(term: float) -> float:
    """The absolute value of a term; infinity if it has no value, so that it comes first."""
    return abs(term) if math.isfinite(term) else math.inf


def _short(value: float) -> str:
    return f"{value:.6g}" if value != int(value) or abs(value) >= 1e6 else str(int(value))


def _wrapped(text: str, indent: str, later: str | None = None) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=later if later is not None else indent + "  "
    ) or [""]
