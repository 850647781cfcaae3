"""Lemmas about the iterates of a method: the equations that define the method become a run of the worst-case engine.

``x_{t+1} = x_t - \\eta \\nabla f(x_t)`` defines the next point from earlier ones. A claim about one step is judged from an
arbitrary point. A claim about the first and a later iterate is judged for whole runs, at the numbers of steps in `SIZES`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from keyword import iskeyword
from typing import Any

import sympy as sp

from bounds.relations import lt
from verify.engine.model.scene import Box, Scene
from verify.first_order import Problem, worst_case
from verify.first_order.points import UNBOUNDED
from verify.latex.glossary import least_of
from verify.latex.heads import Expect, Extreme, Inner, Loss, Norm
from verify.latex.noise import is_certain, noises_of, require_linear, without_tags
from verify.latex.runs import LOWEST, Run, Told
from verify.latex.vectors import Unjudged

SIZES = (1, 2, 3)
"""Numbers of steps at which a claim about a whole run is judged. Longer runs are not examined."""


def is_definition(relation: Any, vectors: frozenset[str]) -> bool:
    """Whether a condition defines a vector: ``x_{t+1} = ...`` or ``y_0 = x_0``."""
    left = getattr(relation, "lhs", None)
    name = left.base.label.name if isinstance(left, sp.Indexed) else getattr(left, "name", "")
    return isinstance(relation, sp.Eq) and name in vectors


def run_of(parts: Sequence[Any], told: Told) -> tuple[list[Any], Scene]:
    """Translate a lemma about a method into relations between numbers and the scene that computes these numbers.

    Parameters
    ----------
    parts : sequence of Relational
        The claim, then its conditions.
    told : Told
        The vectors, classes and minimiser of the lemma.

    Returns
    -------
    (list of Relational, Scene)
        Each norm, inner product and value of the loss in the relations is replaced by a symbol. The scene runs the method
        in the worst-case engine and computes these symbols.

    Raises
    ------
    Unjudged
        If the method is not fully defined, or the engine has no class of losses or no quantity for the claim.
    """
    noises, parts = noises_of([without_tags(_with_plain_names(part)) for part in parts])
    told = replace(told, noises=noises)
    if not noises and parts[0].has(Expect):
        raise Unjudged(
            "the lemma has an expectation but no random vector; write for instance $\\mathbb{E}[g_t] = \\nabla f(x_t)$ and a bound on $\\mathbb{E}\\|g_t - \\nabla f(x_t)\\|^2$"
        )
    equations = [part for part in parts[1:] if is_definition(part, told.vectors)]
    _require_told(parts, told)
    parts = _with_least([part for part in parts if part not in equations], told)
    definitions = [_forward(equation) for equation in equations]
    parts, entries = _from_any_state(counted(_from_zero(parts, definitions)), definitions)
    quantities: dict[Any, sp.Symbol] = {}
    certain: set[Any] = set()
    relation, *conditions = (_with_quantities(part, quantities, certain) for part in parts)
    relation = _squared(relation)
    _require_linear(relation, set(quantities.values()))
    if any(part.free_symbols & set(quantities.values()) for part in conditions):
        raise Unjudged(
            "a condition restricts the points of the run; only conditions on step sizes and constants are supported"
        )
    free = set().union(*map(_free, (*parts, *definitions))) - {LOWEST}
    numbers = {one for one in free if isinstance(one, sp.Symbol) and (one.is_real or one.is_integer)}
    sizes = sorted((one for one in numbers if one.is_integer and one.is_positive), key=str)
    constants = {one for one in told.classes.values() if one is not None}
    families = {one.base.label for one in free if isinstance(one, sp.Indexed)}
    parameters = sorted(
        {one for one in numbers | constants if not one.is_integer and one not in families}, key=str
    )

    def method(problem: Problem, **values: Any) -> Mapping[str, Any]:
        # `worst_case` calls this function with the values of all parameters and reads its signature, set below.
        known = {symbol: values[symbol.name] for symbol in (*parameters, *sizes)}
        known |= {entry: known[symbol] for entry, symbol in entries.items()}
        run = Run(problem, told, definitions, known)
        found = run.quantities(quantities, certain)
        if sizes:
            run.require_one_start()
        return found

    method.__name__ = "the method"
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = ["problem", *(symbol.name for symbol in (*sizes, *parameters))]
    method.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # type: ignore[attr-defined]
    smooth_by, strong_by = told.classes.get("smooth"), told.classes.get("strong")
    if smooth_by is not None and strong_by is not None:
        conditions.append(lt(strong_by, smooth_by))
    ranges: dict[str, Any] = {symbol.name: SIZES for symbol in sizes}
    for symbol in (
        parameters
    ):  # L has a wider range than mu: a search that starts in the middle of each then has mu < L
        end = 2 * UNBOUNDED if symbol == smooth_by else UNBOUNDED
        ranges[symbol.name] = Box(0 if symbol.is_nonnegative else -end, end)
    return [relation, *conditions], worst_case(method, **ranges)


def _free(part: Any) -> set[Any]:
    """Free symbols of a relation. The index of a minimum over a range is bound, like the index of a sum."""
    ranged = part.replace(
        lambda one: isinstance(one, Extreme) and len(one.args[2]) == 3,
        lambda one: sp.Sum(one.args[1], tuple(one.args[2])),
    )
    return set(ranged.free_symbols)


def _with_plain_names(part: Any) -> Any:
    """Append an underscore to symbols whose names are Python keywords, such as lambda; they become argument names."""
    return part.xreplace(
        {
            one: sp.Symbol(f"{one.name}_", **one.assumptions0)
            for one in part.atoms(sp.Symbol)
            if iskeyword(one.name)
        }
    )


def _forward(equation: Any) -> Any:
    """Shift a definition so that it goes from step t to t + 1: x_t = x_{t-1} - ... becomes x_{t+1} = x_t - ...

    Raises
    ------
    Unjudged
        If an entry depends on earlier entries of another sequence only, as y_t = x_{t-1}: its first step is not defined.
    """
    left = equation.lhs
    indices = [one for one in left.free_symbols if one.is_integer and not one.is_positive]
    if not isinstance(left, sp.Indexed) or len(indices) != 1 or len(left.indices) != 1:
        return equation
    index = indices[0]
    entries = [
        one for one in equation.rhs.atoms(sp.Indexed) if len(one.indices) == 1 and not one.base.label.is_real
    ]
    own = [one.indices[0] - index for one in entries if one.base == left.base]
    ahead = -max(own) if own and all(one.is_Integer for one in own) and max(own) < 0 else 0
    moved = sp.Eq(left.subs(index, index + ahead), equation.rhs.subs(index, index + ahead), evaluate=False)
    if left.indices[0] + ahead - index < 1 and any((one.indices[0] - index + ahead) < 0 for one in entries):
        raise Unjudged(
            f"the first step of {equation.lhs} is not defined; write the method from step t to t + 1"
        )
    return moved


def _require_told(parts: Sequence[Any], told: Told) -> None:
    """Refuse a class without its constant, and a starred point that the lemma does not call the minimiser."""
    for name in ("smooth", "strong"):
        if name in told.classes and told.classes[name] is None:
            example = "$L$-smooth" if name == "smooth" else "$\\mu$-strongly convex"
            raise Unjudged(
                f"the loss has the class `{name}` without a constant; write for instance `{example}`"
            )
    for name in sorted({one.name for part in parts for one in part.atoms(sp.Symbol)} & told.vectors):
        latex = told.latex.get(name, name)
        if "\\star" in latex and latex != told.minimiser:
            raise Unjudged(
                f"{latex} is not defined; write `with minimiser ${latex}$` if it is the minimiser of the loss"
            )


def _with_least(parts: Sequence[Any], told: Told) -> list[Any]:
    """Replace f^*, f_{inf} and inf f in all parts by the one symbol `LOWEST`."""

    def lowest(part: Any) -> bool:
        if isinstance(part, sp.Symbol):
            return bool(least_of(told.latex.get(part.name, ""))) and part.name not in told.vectors
        return isinstance(part, Extreme) and str(part.args[0]) in {"inf", "min"} and len(part.args[2]) == 1

    return [part.replace(lowest, lambda _: LOWEST) for part in parts]


def _from_zero(parts: Sequence[Any], definitions: Sequence[Any]) -> list[Any]:
    """Drop the ranges of indices that occur in definitions but not in the claim, after a check that they include 0.

    The engine runs every method from step 0, so a definition for t >= 1 only would not be met.
    """
    spoken = _free(parts[0])
    of_rules = set().union(*(rule.free_symbols for rule in definitions)) if definitions else set()
    found = list(parts[:1])
    for part in parts[1:]:
        indices = {
            one for one in part.free_symbols & of_rules - spoken if one.is_integer and not one.is_positive
        }
        if indices:
            _require_at_zero(part, indices)
        else:
            found.append(part)
    return found


def _require_at_zero(condition: Any, indices: set[Any]) -> None:
    """Refuse a condition that excludes step 0. Other symbols of the condition, such as T, are set to 1."""
    first = condition.subs({one: 0 if one in indices else 1 for one in condition.free_symbols})
    if first is not sp.true and first != True:  # noqa: E712
        raise Unjudged(
            f"the method is run from step 0 on, but the condition {condition} excludes step 0; number the steps from 0"
        )


def counted(parts: Sequence[Any]) -> list[Any]:
    """Replace each index with a condition ``index >= 0`` or ``index >= 1`` by a positive integer symbol.

    From 0 on, the index becomes the new symbol minus 1. The condition then always holds and is dropped.
    """
    found = list(parts)
    for condition in parts[1:]:
        if not (isinstance(condition, sp.Ge | sp.Le) and condition.gts.is_Symbol and condition.lts in (0, 1)):
            continue
        index, low = condition.gts, condition.lts
        if index.is_integer and not index.is_positive and not _is_state(parts[0], index):
            count = sp.Symbol(index.name, integer=True, positive=True)
            found = [
                one.func(*(side.subs(index, count - 1 + low) for side in one.args), evaluate=False)
                for one in found
                if one != condition
            ]
    return found


def _is_state(relation: Any, index: Any) -> bool:
    """Whether a claim is about one step: the index occurs only inside entries such as x_t and x_{t+1}, and in all of them."""
    entries = relation.atoms(sp.Indexed)
    elsewhere = relation.xreplace(
        {entry: sp.Symbol(f"entry{k}") for k, entry in enumerate(entries)}
    ).free_symbols
    return (
        bool(entries)
        and index not in elsewhere
        and all(index in entry.indices[0].free_symbols for entry in entries)
    )


def _from_any_state(
    parts: Sequence[Any], definitions: Sequence[Any]
) -> tuple[list[Any], dict[Any, sp.Symbol]]:
    """Move a claim about step t to step 0, from an arbitrary point.

    This loses nothing: the definitions are the same for all steps, so step t from x_t is step 0 from an arbitrary point.
    Step sizes with the index t become single numbers.

    Returns
    -------
    (list of Relational, dict)
        The claim and conditions at step 0, and the number that replaces each step size.
    """
    indices = [one for one in _free(parts[0]) if one.is_integer and not one.is_positive]
    if not indices:
        return list(parts), {}
    index = indices[0]
    if len(indices) > 1 or not _is_state(parts[0], index):
        raise Unjudged(
            f"the index {index} has no first value; add a condition such as `for all ${index} \\ge 1$`"
        )
    found = []
    for part in parts:
        if (
            part is not parts[0]
            and index in part.free_symbols
            and all(one.is_integer for one in part.free_symbols)
        ):
            _require_at_zero(part, {index})
        else:
            found.append(part.subs(index, 0))
    rules = [rule.subs(_step_of(rule), 0) for rule in definitions]
    entries = {
        one: sp.Symbol(f"{one.base.label.name}_{index}", **one.base.label.assumptions0)
        for part in (*found, *rules)
        for one in part.atoms(sp.Indexed)
        if one.base.label.is_real
    }
    if any(one.indices[0] != 0 for one in entries):
        raise Unjudged(
            "a claim about one step contains step sizes of several steps; write it for a whole run from step 0"
        )
    return [part.xreplace(entries) for part in found], entries


def _step_of(rule: Any) -> dict[Any, int]:
    """The substitution that sets the step index of a definition to 0."""
    return {one: 0 for one in rule.lhs.free_symbols if one.is_integer and not one.is_positive}


def _with_quantities(part: Any, quantities: dict[Any, sp.Symbol], certain: set[Any]) -> Any:
    """Replace each squared norm, inner product and value of the loss, and each sum or minimum of these, by a symbol.

    The symbols are added to `quantities` (expression -> symbol). Expressions with a quantity outside of every
    expectation are added to `certain`: they must not be random.
    """

    def symbol(value: Any, name: str, **assumptions: bool) -> sp.Symbol:
        if is_certain(value):
            certain.add(value)
        return quantities.setdefault(value, sp.Symbol(f"{name}_{len(quantities) + 1}", **assumptions))

    if isinstance(part, Expect):
        require_linear(part)
        return _with_quantities(sp.expand(part.args[0]), quantities, set())
    if isinstance(part, sp.Pow) and isinstance(part.base, Norm) and part.exp == 2:
        return symbol(part, "norm2", nonnegative=True)
    if isinstance(part, Norm):
        return sp.sqrt(symbol(part**2, "norm2", nonnegative=True))
    if isinstance(part, sp.Sum | Extreme) and part.has(Norm, Inner, Loss):
        known = {"nonnegative": True} if part.args[0].is_nonnegative else {"real": True}
        return symbol(part, "total" if isinstance(part, sp.Sum) else "least", **known)
    if isinstance(part, Loss | Inner) or part == LOWEST:
        return symbol(part, {Loss: "value", Inner: "inner"}.get(type(part), "least"), real=True)
    if not part.args:
        return part
    inner = [_with_quantities(each, quantities, certain) for each in part.args]
    return part.func(*inner, evaluate=False) if isinstance(part, sp.Rel) else part.func(*inner)


def _squared(relation: Any) -> Any:
    """Square both sides of an inequality between norms, which is equivalent where both sides are nonnegative.

    The engine knows squared norms only, and the squared relation is linear in them.
    """
    if not isinstance(relation, sp.Le | sp.Ge | sp.Lt | sp.Gt):
        raise Unjudged("equations are not supported for methods; write two inequalities")
    lengths = any(power.exp == sp.Rational(1, 2) and power.base.is_Symbol for power in relation.atoms(sp.Pow))
    if lengths and all(side.is_nonnegative for side in relation.args):
        return relation.func(*(side**2 for side in relation.args), evaluate=False)
    return relation


def _require_linear(relation: Any, quantities: set[sp.Symbol]) -> None:
    """Refuse a relation that has no quantity of the run or is not linear in them; the engine solves linear programs."""
    if not relation.free_symbols & quantities:
        raise Unjudged("the relation contains no point of the method; state a bound on the points")
    for side in relation.args:
        if any(side.diff(one).free_symbols & quantities for one in side.free_symbols & quantities):
            raise Unjudged(f"{side} must be linear in squared norms, inner products and values of the loss")
