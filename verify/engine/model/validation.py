"""Validation of claims: the relation, the conditions, and the quantities of the scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from bounds.evaluate import Undefined, Unsupported
from bounds.symbols import DOMAINS, domain_of
from nqm.fields import to_float
from verify.engine.certificates.question import Induction
from verify.engine.model.arithmetic import ARITHMETIC, convert, side, side_by_side
from verify.engine.model.claim import Claim
from verify.engine.model.scene import (
    Box,
    Condition,
    Scene,
    Shape,
    Textbook,
    Values,
    allowed_shapes,
    quantities,
)
from verify.engine.model.sequences import letters_of
from verify.engine.search.adversary import ROUNDING, margins, random_batch
from verify.engine.search.sampling import sample
from verify.engine.search.step_sizes import settle
from verify.engine.work.errors import UsageError

COMPARED = (sp.Le, sp.Lt, sp.Ge, sp.Gt, sp.Eq, sp.Ne)
BATCH = 7
"""Instances at which a scene is tried: a number that sizes seldom have, so that a lost axis is noticed."""
TRIED = 256
"""Instances at which premises are tried."""
LEAST, LARGEST = 1e-300, 1e300
"""Sizes of numbers that floats represent with a margin for a few operations."""
NOTICED = 1e-6
"""A premise counts as broken from this relative margin on."""


def validate(claim: Claim) -> None:
    """Raise a UsageError that names the statement, the rule and the value if a claim cannot be judged."""
    if not isinstance(claim.statement.relation, Relational):
        return
    _check_kinds(claim)
    for name, relations in _relations(claim).items():
        for relation in relations:
            _check_relation(name, relation)
    _check_names(claim)
    if isinstance(claim.statement.relation, sp.Ne) and claim.scene is not None:
        raise UsageError(
            f"`relation` must be <=, <, >=, > or Eq where there is a scene, got {claim.statement.relation}; "
            "claim a gap instead, such as Abs(a - b) >= c"
        )
    if claim.scene is not None:
        _check_scene(claim, claim.scene)
    else:
        _check_numbers(claim)
    for premise in claim.premises:
        _check_premise(claim, premise)


def _check_kinds(claim: Claim) -> None:
    """Check the types of the arguments of a claim: a single relation, for example, is not a tuple of relations."""
    for name in ("premises", "through", "facts"):
        given = getattr(claim, name)
        if not isinstance(given, tuple | list):
            raise UsageError(f"`{name}` must be a tuple, got {type(given).__name__} {given}")
    for fact in claim.facts:
        if not isinstance(fact, Textbook):
            raise UsageError(f"`facts` must be textbook lemmas (`verify.facts`), got {fact!r}")
    if claim.induction is not None:
        _check_induction(claim.induction, claim.scene)


def _check_induction(induction: Any, scene: Any) -> None:
    if not isinstance(induction, Induction):
        raise UsageError(f"`induction` must be a `verify.Induction`, got {induction!r}")
    if scene is None:
        raise UsageError("`scene` must be given where there is an `induction`: its rounds are counted there")
    if not isinstance(induction.over, str):
        raise UsageError(f"`over` of `induction` must be the name of a size, got {induction.over!r}")
    for name, letters in {"later": induction.later, "first": induction.first}.items():
        known = isinstance(letters, Mapping) and all(isinstance(letter, sp.Symbol) for letter in letters)
        if not known or (name == "later" and not all(isinstance(x, sp.Symbol) for x in letters.values())):
            raise UsageError(f"`{name}` of `induction` must be a mapping of symbols, got {letters!r}")
    if not isinstance(induction.through, tuple | list):
        raise UsageError(f"`through` of `induction` must be a tuple, got {induction.through}")


def _relations(claim: Claim) -> Mapping[str, tuple[Any, ...]]:
    return {
        "relation": (claim.statement.relation,),
        "conditions": claim.conditions,
        "premises": claim.premises,
        "through": (*claim.through, *(claim.induction.through if claim.induction else ())),
    }


def _check_relation(name: str, relation: Any) -> None:
    if relation in (sp.true, sp.false, True, False):
        raise UsageError(
            f"`{name}` must not be decided by SymPy alone, got {relation}; write sp.Le(a, b, evaluate=False), "
            "and sp.Eq(a, b) for an equation"
        )
    if not isinstance(relation, COMPARED):
        more = "; write one relation for each part" if isinstance(relation, Boolean) else ""
        raise UsageError(f"`{name}` must be <=, <, >=, >, Eq or Ne, got {relation}{more}")
    for part in sp.preorder_traversal(relation):
        if isinstance(part, sp.Expr) and part.is_number and part.is_real is False:
            raise UsageError(f"`{name}` must be between real numbers, got {part} in {relation}")
    for number in relation.atoms(sp.Number):
        _check_number(name, number)
    for symbol in _symbols(relation):
        if symbol != sp.Symbol(symbol.name, **DOMAINS[domain_of(symbol)]):
            got = "none" if symbol.is_real is None else sp.srepr(symbol)
            raise UsageError(
                f"`{symbol}` of `{name}` must have a domain (real, positive, nonnegative or count), got {got}; "
                "define it with a Glossary or with Notes"
            )


def _check_number(name: str, number: sp.Number) -> None:
    """Check that a number can be evaluated in floats, and that a decimal means exactly its digits."""
    if isinstance(number, sp.Float) and float(str(number)) != float(number):  # of 15 digits
        raise UsageError(
            f"`{name}` must have decimals of at most 15 digits, got {float(number)!r}, which looks like the rounding of a "
            "computation; write it as a fraction, such as sp.Rational('0.3') or sp.Rational(1, 3)"
        )
    size = abs(number)
    if size != 0 and not LEAST <= size <= LARGEST:
        raise UsageError(
            f"`{name}` must have numbers between {LEAST:.0e} and {LARGEST:.0e}, as instances are tried in floats, got one of "
            f"about 1e{sp.floor(sp.log(size, 10))}; choose other units, or a letter in its place"
        )


def _check_names(claim: Claim) -> None:
    """Check that every name stands for one symbol, because quantities are identified by name."""
    named: dict[str, sp.Symbol] = {}
    for relations in _relations(claim).values():
        for symbol in (s for relation in relations for s in sorted(_symbols(relation), key=domain_of)):
            if named.setdefault(symbol.name, symbol) != symbol:
                one, other = sorted((domain_of(symbol), domain_of(named[symbol.name])))
                raise UsageError(f"`{symbol.name}` must be one symbol, got two: {one} and {other}")


def _sequences(relation: Relational) -> set[sp.Symbol]:
    """Bases of indexed quantities."""
    return {part.base.label for part in relation.atoms(sp.Indexed)}


def _check_numbers(claim: Claim) -> None:
    """Check that a claim without a scene has only single numbers, and that both sides can be evaluated at some of them."""
    for condition in claim.conditions:
        if len(letters := letters_of(condition)) > 1:
            raise UsageError(
                f"`conditions` are meant for every value of the one symbol in their indices, got {' and '.join(map(str, letters))} "
                f"in {condition}; write a number in place of one of the entries, here and in the claim"
            )
    asked = set().union(*map(_symbols, (claim.relation, *claim.conditions)))
    for premise in claim.premises:
        if foreign := sorted(str(symbol) for symbol in _symbols(premise) - asked):
            raise UsageError(
                f"`premises` must speak of symbols of the relation or its conditions where the claim has no scene, got "
                f"{', '.join(foreign)} in {premise}; make it a condition if it is assumed"
            )
    scene = claim.question.scene
    for shape in allowed_shapes(scene, claim.conditions):
        _check_sides(claim, _computed(claim, scene, shape), _place(scene, shape))


def _check_sides(claim: Claim, values: Values, place: str) -> None:
    """Check that both sides of every relation can be evaluated; a division by zero at some size is not an error."""
    for name, relations in _relations(claim).items():
        for relation in relations:
            if not {s.name for s in _symbols(relation)} <= values.keys():
                continue
            try:
                side_by_side(relation.args, values, "float", BATCH)
            except ZeroDivisionError:
                continue
            except (Undefined, Unsupported) as error:
                raise UsageError(f"`{name}`: {error} {place}") from error


def _check_scene(claim: Claim, scene: Scene) -> None:
    if not isinstance(scene, Scene):
        raise UsageError(f"`scene` must be a Scene, as `run` and `points` make them, got {scene!r}")
    if not isinstance(scene.shapes, Sequence) or not scene.shapes or not all(map(_is_shape, scene.shapes)):
        raise UsageError(
            f"`shapes` must be a sequence of mappings from size to whole number >= 0, got {scene.shapes!r}"
        )
    if not callable(scene.space) or not all(
        isinstance(scene.space(shape), Mapping) for shape in scene.shapes
    ):
        raise UsageError("`space` must be a function from sizes to a mapping of boxes by name")
    for shape in () if scene.judged else allowed_shapes(scene, claim.conditions):
        place = _place(scene, shape)
        try:
            values = _computed(claim, scene, shape)
        except UsageError as error:
            raise UsageError(f"{error} {place}") from error
        except Exception as error:
            text = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise UsageError(f"`compute` fails: {text} {place}") from error
        _check_values(claim, scene, shape, values)
        _check_sides(claim, values, place)


def _place(scene: Scene, shape: Shape) -> str:
    sizes = ", ".join(f"{name}={size}" for name, size in shape.items())
    return f"(scene {scene.name!r}, {sizes or 'no sizes'})"


def _is_shape(shape: Any) -> bool:
    return isinstance(shape, Mapping) and all(isinstance(size, int) and size >= 0 for size in shape.values())


def _check_premise(claim: Claim, premise: Condition) -> None:
    """Check at random instances that a premise holds in the scene."""
    scene, conditions = claim.question.scene, claim.conditions
    for shape in allowed_shapes(scene, conditions):
        _, _, values, allowed = random_batch(scene, conditions, tuple(shape.items()), TRIED, 0)
        margin = np.where(allowed, np.nan_to_num(margins(premise, values, TRIED)[0], nan=-1.0), -1.0)
        if float(margin.max()) > NOTICED:
            ends = (side(part, values, "float", TRIED)[int(margin.argmax())].max() for part in premise.args)
            raise UsageError(
                f"`premises` must hold in the scene {scene.name!r}, but {premise} does not: "
                + "left side {:.4g}, right side {:.4g}; what is only assumed is a condition".format(
                    *map(float, ends)
                )
            )


def _computed(claim: Claim, scene: Scene, shape: Shape) -> Values:
    space = scene.space(shape)
    for name, box in space.items():
        if not isinstance(box, Box):
            raise UsageError(f"`space` must give a Box for {name!r}, got {box!r}")
    drawn = sample(space, np.random.default_rng(0), BATCH)
    parameters = convert(drawn, "float")
    for step in scene.steps:
        if step not in space:
            raise UsageError(
                f"`space` must give a range for the step size {step!r}; it gives {sorted(space)}"
            )
    sizes = settle(scene, claim.conditions, shape, parameters, ARITHMETIC["float"])
    return quantities(scene, shape, parameters, sizes)


def _check_values(claim: Claim, scene: Scene, shape: Shape, values: Values) -> None:
    place = _place(scene, shape)
    wanted = {s.name: s for group in _relations(claim).values() for r in group for s in _symbols(r)}
    for name in sorted(wanted):
        if name not in values:
            offered = ", ".join(sorted(values))
            raise UsageError(
                f"`{name}` must be a quantity of the scene, got none; it computes {offered} {place}"
            )
        value = values[name]
        if name in shape:
            if not np.all(value == shape[name]):
                raise UsageError(f"`{name}` must be the size of that name, got another quantity {place}")
            continue
        if isinstance(value, int | float) and not isinstance(value, np.generic):
            _check_domain(name, wanted[name], np.array([value]), place)
            continue
        axes = tuple(np.shape(value))
        if not axes or axes[0] not in (1, BATCH):
            raise UsageError(
                f"`{name}` must keep the batch as its first axis, got shape {axes} for {BATCH} instances {place}"
            )
        told = to_float(value).reshape(-1)
        wild = told[~np.isfinite(told)]
        if 2 * len(wild) > len(told):
            raise UsageError(
                f"`{name}` must be finite, got {wild[0]} in {len(wild)} of {len(told)} cases {place}"
            )
        _check_domain(name, wanted[name], value, place)


def _check_domain(name: str, symbol: sp.Symbol, value: Any, place: str) -> None:
    """Check that the quantities of the scene lie in the declared domains, because a proof for positive numbers does not
    cover others.
    """
    numbers, domain = to_float(value), domain_of(symbol)
    numbers = numbers[np.isfinite(numbers)]
    outside = (numbers < -ROUNDING) & bool(symbol.is_nonnegative)
    if domain == "count":
        domain = "a count, a whole number,"
        outside = outside | (abs(numbers - numbers.round()) > ROUNDING)
    if outside.any():
        got = numbers[outside].min()
        raise UsageError(f"`{name}` must be {domain} as it is declared, got {got:.4g} {place}")


def _symbols(relation: Relational) -> set[sp.Symbol]:
    """Free symbols, without the sequences; an index of a sum is not free."""
    return {s for s in relation.free_symbols if isinstance(s, sp.Symbol)} - _sequences(relation)
