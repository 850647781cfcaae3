"""Scenes for your own theorems: an algorithm on a family of losses, or a function at two points."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from math import comb
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

import verify.quantities as q
from algorithms.algorithm import Algorithm
from nqm.federation import task_grad, task_loss
from nqm.fields import dot, sq
from nqm.piecewise import least_mean_loss
from verify.engine.model.scene import Box, Named, ProblemClass, Scene, Shape, Textbook, Values
from verify.facts.descent import exact_steps, iterated
from verify.facts.descent import steps as steps_of
from verify.facts.functions import at_optimum, convex, smooth, strongly_convex
from verify.facts.proximal import proximal
from verify.facts.rounds import OF_SAMPLING, at_step, bounded_rounds, local_rounds, sampled_rounds
from verify.first_order.client_losses import Losses
from verify.first_order.federated import worst_run
from verify.first_order.on_a_line import worst_instances
from verify.first_order.whole_class import proof_for_class
from verify.quantities import QUANTITIES
from verify.run_quantities import OUTCOMES, Entry, hyper_value
from verify.run_quantities import measured as quantities_of_run
from verify.worlds import MEANINGS, Family, Flattening, Kinked, Shifted, check_sizes

_CLASSES = {
    "none": "smooth losses",
    "weak": "smooth convex losses",
    "strong": "smooth strongly convex losses",
}
_MEANINGS = {
    **MEANINGS,
    **{size.name: QUANTITIES[size.name].meaning for size in (q.M, q.N, q.E, q.t, q.d)},
    "start": "first model",
    "x": "first point",
    "y": "second point",
}
_OF_POINTS = {"none": smooth, "weak": convex, "strong": strongly_convex}


def run(
    algorithm: str | Callable[..., Algorithm],
    family: Family | Losses,
    *,
    rounds: Sequence[int] = (1, 2),
    sampled: Sequence[int] = (),
    local_steps: Sequence[int] = (1,),
    measured: Sequence[str] = (),
    entries: Mapping[str, Entry] | None = None,
    **hyper: Any,
) -> Scene:
    """The scene of an algorithm's runs, with the quantities of `verify.quantities`. Expectations are exact.

    Parameters
    ----------
    algorithm : str or callable
        The name of a method of `algorithms` (``"fedavg"``, ``"scaffold"``, ``"fedprox_exact"``, ...), or a function from
        hyper-parameters to an `Algorithm`.
    family : Family or Losses
        A family of losses from `verify.worlds`, or all losses of a class (`verify.first_order.losses`). For all losses, a
        claim is decided by the worst case, so a proof holds for the whole class in every dimension.
    rounds, local_steps : sequence of int
        Sizes t and E to try. Sizes with more than 20,000 outcomes of noise and sampling are left out, with a warning that
        names them.
    sampled : sequence of int
        Numbers N of clients that take part; all of them if empty. Numbers above M are left out.
    measured : sequence of str
        For all losses of a class: the quantities in claims. By default these are `distance2`, `move2` and `drift2`; other
        quantities need more gradients.
    entries : mapping, optional
        Quantities of the algorithm's state: control variates, memories of errors, momentum, or a Lyapunov function of them.
        Name -> ``function(state, oracle)``, one number for each run, such as
        ``lambda state, oracle: sq(state["controls"] - oracle.grad(0 * state["controls"])).mean(axis=-1)``, where the
        optimum is the origin. Each gives three quantities: after the last round, at the start (``_0``) and one round before
        the end (``_before``). For all losses of a class, it must be a sum of squared norms and inner products.
    **hyper
        Hyper-parameters of the algorithm. Each is the symbol of a step size, which the search keeps within the limits set by
        the conditions (``local_lr="eta"``), a number, a symbol and its range (``mu=("rho", Box(0, 4))``), or a formula of
        the constants and sizes (``local_lr=1 / (2 * L)``).

    Raises
    ------
    ValueError
        If the algorithm has no hyper-parameter of a given name, a size is not positive, or no combination of sizes is
        possible.

    Examples
    --------
    Gradient descent is FedAvg with one client and one local step:

    >>> from verify import Notes, worlds
    >>> from verify.quantities import L, distance2_0, eta, gap, t
    >>> descent = run("fedavg", worlds.convex(), rounds=(1, 2, 3), local_lr="eta")
    >>> claim = Notes("gd").claim("rate", gap <= distance2_0 / (eta * (4 * t + 2)), eta <= 1 / L, scene=descent)
    >>> claim.statement.id
    'gd.rate'
    """
    check_sizes("rounds", rounds, 1)
    check_sizes("local_steps", local_steps, 1)
    if sampled:
        check_sizes("sampled", sampled, 1)
    make = method_named(algorithm)
    known = inspect.signature(make).parameters
    _check_hyper_parameters(known, hyper)
    entries = entries or {}
    if isinstance(family, Losses):
        return worst_run(
            make,
            family,
            rounds=rounds,
            sampled=sampled,
            local_steps=local_steps,
            measured=measured,
            hyper=hyper,
            entries=entries,
        )
    if measured:
        raise ValueError(f"`measured` is for all losses of a class; {family.name} have all quantities")
    _check_symbols(hyper)
    steps = tuple(value for value in hyper.values() if isinstance(value, str))
    ranges = {value[0]: value[1] for value in hyper.values() if isinstance(value, tuple)}
    shapes: tuple[Shape, ...] = tuple(
        {**shape, "N": n, "E": e, "t": t}
        for t in rounds
        for e in local_steps
        for shape in family.shapes
        for n in (sampled or (shape["M"],))
        if n <= shape["M"]
    )
    if not shapes:
        raise ValueError(f"`sampled` must have a number up to `clients`, got {sampled} of {family.clients}")
    shapes = _enumerable(shapes)

    def method(shape: Shape, values: Named) -> Algorithm:
        given = {name: hyper_value(value, values) for name, value in hyper.items()}
        return make(**given, **({"n_clients": shape["M"]} if "n_clients" in known else {}))

    def compute(shape: Shape, values: Named) -> Values:
        world = family.build(shape, values)
        found = quantities_of_run(world, method(shape, values), shape, values["start"], entries)
        least = (
            least_mean_loss(world) if family.convexity == "none" else 0
        )  # convex losses are 0 at their minimum
        above = {n.replace("loss", "gap"): x - least for n, x in found.items() if n.startswith("loss")}
        return {**found, **above}

    return Scene(
        name=f"runs of {algorithm if isinstance(algorithm, str) else algorithm.__name__} on {family.name}",
        shapes=tuple(sorted(shapes, key=lambda shape: sum(shape.values()))),
        space=lambda shape: {
            **family.space(shape),
            "start": Box(-2, 2, (shape["d"],)),
            **ranges,
            **{step: Box(0.01, 1, scale="log") for step in steps},
        },
        known=family.constants,
        compute=compute,
        steps=(*family.steps, *steps),
        free_step=lambda name, shape, values: _longest(name, family, values),
        requires=_between(family),
        room="room",
        grows=("d",),
        textbook=_facts_of_runs(algorithm, family, shapes, hyper),
        proposed=partial(worst_instances, make, family, hyper, entries),
        proves=partial(proof_for_class, make, family, hyper, entries, shapes),
        told=_MEANINGS,
        problem=ProblemClass("convex losses" if isinstance(family, Kinked) else _CLASSES[family.convexity]),
    )


def points(family: Family) -> Scene:
    """The scene of one function at two points x and y, with the quantities ``f_x``, ``slope_x``, ``turn2``, ``apart2``, ...

    Parameters
    ----------
    family : Family
        The functions, from `verify.worlds`.

    Examples
    --------
    >>> from verify import Notes, worlds
    >>> from verify.quantities import L, apart2, f_x, f_y, slope_x
    >>> here = points(worlds.smooth())
    >>> Notes("descent").claim("lemma", f_y <= f_x + slope_x + L / 2 * apart2, scene=here).statement.id
    'descent.lemma'
    """

    def compute(shape: Shape, values: Named) -> Values:
        world = family.build(shape, values)
        x, y = values["x"][:, None], values["y"][:, None]
        loss_x, loss_y = task_loss(world, x, 0)[:, 0], task_loss(world, y, 0)[:, 0]
        slope_x, slope_y = task_grad(world, x, 0)[:, 0], task_grad(world, y, 0)[:, 0]
        return {
            "f_x": loss_x,
            "f_y": loss_y,
            "slope_x": dot(slope_x, (y - x)[:, 0]),
            "slope_y": dot(slope_y, (x - y)[:, 0]),
            "grad2_x": sq(slope_x),
            "grad2_y": sq(slope_y),
            "turn2": sq(slope_x - slope_y),
            "apart2": sq((x - y)[:, 0]),
        }

    return Scene(
        name=f"two points of {family.name}",
        shapes=family.shapes,
        space=lambda shape: {**family.space(shape), **{p: Box(-3, 3, (shape["d"],)) for p in ("x", "y")}},
        known=family.constants,
        compute=compute,
        steps=family.steps,
        free_step=lambda name, shape, values: values["L"],
        requires=_between(family),
        room="room",
        grows=("d",),
        textbook=_OF_POINTS[family.convexity](),
        told=_MEANINGS,
        problem=ProblemClass(_CLASSES[family.convexity]),
    )


def _check_hyper_parameters(known: Mapping[str, inspect.Parameter], hyper: Named) -> None:
    """Raise a ValueError if a hyper-parameter is unknown, or one without a default is missing."""
    for name in hyper:
        if name not in known:
            raise ValueError(f"`{name}` is no hyper-parameter of the algorithm; it has {', '.join(known)}")
    for name, parameter in known.items():
        if (
            name not in (*hyper, "n_clients")
            and str(parameter).partition(":")[0] == name
            and (parameter.default is parameter.empty)
        ):
            raise ValueError(
                f'`{name}` of the algorithm must be given, got none; write {name}=0.1, {name}="eta" for a step size '
                f'that the search chooses, or {name}=("rho", Box(0, 4)) for a symbol with its range'
            )


def _check_symbols(hyper: Named) -> None:
    """Raise a ValueError for a text that is no name of a symbol, or a tuple that is no symbol with its range."""
    for name, value in hyper.items():
        if isinstance(value, str) and not value.isidentifier():
            raise ValueError(
                f'`{name}` must be a number, or the name of a symbol such as "eta", got the text {value!r}; write '
                "a number without quotes"
            )
        if isinstance(value, tuple) and [type(part) for part in value] != [str, Box]:
            raise ValueError(f'`{name}` must be a symbol and its range, as ("rho", Box(0, 4)), got {value!r}')


def _longest(name: str, family: Family, values: Named) -> Any:
    """The largest least curvature, or the largest step size, that is tried if no condition sets a limit."""
    if name in family.steps:
        return values["L"]
    return 4 / values["L"] if "L" in values else 4


def _between(family: Family) -> tuple[Relational, ...]:
    """The condition that the least curvature of a family is at most the largest."""
    return (q.mu <= q.L,) if family.steps else ()


def _facts_of_runs(
    algorithm: str | Callable[..., Algorithm], family: Family, shapes: Sequence[Shape], hyper: Named
) -> tuple[Textbook, ...]:
    """Textbook lemmas about the losses at the models of a run, and about the steps of (stochastic) gradient descent."""
    if isinstance(family, Kinked):
        return ()
    constant = q.mu if family.convexity == "strong" else None
    found: tuple[Textbook, ...] = ()
    if family.convexity != "none":
        found = (
            *at_optimum(q.distance2_before, q.gap_before, q.grad2_before, q.inner_before, constant),
            *at_optimum(q.distance2, q.gap, q.grad2, None, constant),
            *at_optimum(q.distance2_0, q.gap_0, q.grad2_0, None, constant),
        )
    taking_all = all(shape["N"] == shape["M"] for shape in shapes)
    if algorithm == "fedprox_exact":
        return (*found, *(_facts_of_prox(family, shapes, hyper) if taking_all else ()))
    # If all clients take part, SCAFFOLD's corrections cancel in the mean over clients
    if algorithm not in (("fedavg", "scaffold") if taking_all else ("fedavg",)):
        return found
    if not {"local_lr": q.eta.name}.items() <= hyper.items():
        return found
    served = {name: value for name, value in hyper.items() if name != "local_lr" and value != 1}
    if served and (served != {"global_lr": q.eta_g.name} or max(shape["t"] for shape in shapes) > 1):
        return found
    facts = _facts_of_rounds(family, shapes)
    if algorithm == "scaffold":  # the server moves as in FedAvg, the clients do not
        facts = tuple(fact for fact in facts if q.drift2 not in fact.relation.free_symbols)
    return (*found, *(at_step(facts) if served else facts))


def _facts_of_prox(family: Family, shapes: Sequence[Shape], hyper: Named) -> tuple[Textbook, ...]:
    """Textbook lemmas about exact proximal steps of the mean loss. For clients with a shared Hessian, the mean of their
    proximal steps is such a step.
    """
    alike = isinstance(family, Shifted) or (max(family.clients) == 1 and family.pieces == 1)
    if not alike or hyper.keys() != {"mu"} or not isinstance(hyper["mu"], tuple):
        return ()
    return proximal(sp.Symbol(hyper["mu"][0], positive=True))


def _facts_of_rounds(family: Family, shapes: Sequence[Shape]) -> tuple[Textbook, ...]:
    """Textbook lemmas about rounds of FedAvg: a round with one local step is a step of (stochastic) gradient descent."""
    noisy, local_steps = any(shape["noisy"] for shape in shapes), [shape["E"] for shape in shapes]
    bounded = bounded_rounds(local_steps) if isinstance(family, Flattening) and not noisy else ()
    sampled = any(shape["N"] < shape["M"] for shape in shapes)
    taking_part = q.N if sampled else q.M if max(family.clients) > 1 else sp.S.One
    variance = q.sigma2 / taking_part if noisy else sp.S.Zero
    if max(local_steps) > 1:
        return bounded if sampled or not isinstance(family, Shifted) else local_rounds(variance)
    if sampled:
        if family.convexity == "none" or min(family.clients) == 1:
            return bounded
        if not isinstance(family, Shifted):
            return bounded or (() if noisy else sampled_rounds(family.convexity))
        variance += OF_SAMPLING
    return (
        *bounded,
        *steps_of(family.convexity, variance),
        *exact_steps(family.convexity, variance),
        *(() if sampled else iterated(family.convexity, variance)),
    )


def method_named(algorithm: str | Callable[..., Algorithm]) -> Callable[..., Algorithm]:
    """The function from hyper-parameters to an algorithm: a given function, or the one of `algorithms` with the given
    name.
    """
    if callable(algorithm):
        return algorithm
    from algorithms import METHODS

    homes = [name for name in METHODS if algorithm == name or algorithm.startswith(f"{name}_")]
    home = import_module(f"algorithms.{max(homes, key=len)}") if homes else None
    made: Callable[..., Algorithm] | None = getattr(home, algorithm, None)
    if made is None:
        close = get_close_matches(algorithm, METHODS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"`algorithm` must be one of {', '.join(METHODS)}, got {algorithm!r}{hint}")
    return made


def _enumerable(shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """The sizes whose expectations can be enumerated; warns if some cannot."""
    small = tuple(shape for shape in shapes if _outcomes(shape) <= OUTCOMES)
    if not small:
        least = min(map(_outcomes, shapes))
        raise ValueError(
            f"`rounds`, `local_steps`, `clients` and `dim` must leave at most {OUTCOMES} outcomes of noise and sampling, "
            f"got {least} at the smallest sizes; take smaller ones"
        )
    if len(small) < len(shapes):
        large = next(shape for shape in shapes if shape not in small)
        sizes = ", ".join(f"{name}={size}" for name, size in large.items())
        warnings.warn(
            f"{len(shapes) - len(small)} of {len(shapes)} sizes are left out, as they have more than {OUTCOMES} outcomes of "
            f"noise and sampling: {sizes} has {_outcomes(large)}",
            stacklevel=3,
        )
    return small


def _outcomes(shape: Shape) -> int:
    """Number of runs with different participants or noise; the noise of each step has 2 d outcomes."""
    noise = (2 * shape["d"]) ** (shape["N"] * shape["E"]) if shape["noisy"] else 1
    return int((comb(shape["M"], shape["N"]) * noise) ** shape["t"])
