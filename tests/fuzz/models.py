"""Random scenes, each with a simulator in fractions that is independent of the engine, and with relations that are true
in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from bounds.relations import eq, le
from nqm.fields import amax, amin, stack
from verify import Box, Notes, Scene, points, run, worlds
from verify import quantities as q

Numbers = dict[str, Any]
Rng = np.random.Generator
i, k = sp.symbols("i k", integer=True)


@dataclass(frozen=True)
class Term:
    """A quantity in two forms: as in claims, and as computed by the simulator."""

    symbolic: sp.Expr
    plain: Callable[[Numbers], Fraction]


@dataclass(frozen=True)
class Model:
    """A scene, its simulator, and relations that are true in it.

    Attributes
    ----------
    simulate : callable or None
        ``simulate(shape, parameters, sizes)`` -> all quantities as fractions; None if the truths are theorems only.
    truths : tuple of (left, sign, right)
        Relations that hold at every instance that meets the conditions.
    """

    scene: Scene
    terms: tuple[Term, ...]
    truths: tuple[tuple[Term, str, Term], ...]
    simulate: Callable[[Mapping[str, int], Numbers, Numbers], Numbers] | None
    conditions: tuple[Any, ...] = ()


def fraction_of(rng: Rng, *values: str) -> Fraction:
    """A random element of some numbers."""
    return Fraction(str(rng.choice(values)))


def rational(value: Fraction) -> sp.Rational:
    """A fraction as a SymPy number."""
    return sp.Rational(value.numerator, value.denominator)


def recursion(rng: Rng) -> Model:
    """u_{n+1} = a u_n + c w_n."""
    notes = Notes("recursion")
    t, (first, last), u, w = notes.count("t"), notes.real("first last"), *map(sp.IndexedBase, "uw")
    a, c = fraction_of(rng, "1/2", "1", "3/2", "-1/2", "2"), fraction_of(rng, "1", "1/3", "-1", "2")
    sizes = tuple({"t": int(n)} for n in sorted(rng.choice([1, 2, 3, 4], 2, replace=False)))

    def compute(shape: Mapping[str, int], v: Mapping[str, Any]) -> Numbers:
        path = [v["start"]]
        for n in range(shape["t"]):
            path.append(
                path[-1] * a.numerator / a.denominator + v["given"][:, n] * c.numerator / c.denominator
            )
        inputs = [v["given"][:, n] for n in range(shape["t"])]
        return {"u": stack(path, 0), "w": stack(inputs, 0), "first": path[0], "last": path[-1]}

    def simulate(shape: Mapping[str, int], parameters: Numbers, sizes: Numbers) -> Numbers:
        path = [parameters["start"][()]]
        for given in parameters["given"]:
            path.append(a * path[-1] + c * given)
        return {
            "t": shape["t"],
            "u": path,
            "w": list(parameters["given"]),
            "first": path[0],
            "last": path[-1],
        }

    low = fraction_of(rng, "0", "-1")
    space = lambda shape: {"start": Box(float(low), 2), "given": Box(float(low), 1, (shape["t"],))}  # noqa: E731
    A, C = map(rational, (a, c))
    ends = (i, 0, t - 1)
    terms = (
        Term(first, lambda v: v["first"]),
        Term(last, lambda v: v["last"]),
        Term(u[t], lambda v: v["u"][v["t"]]),
        Term(sp.Sum(u[i], ends), lambda v: sum(v["u"][:-1], Fraction(0))),
        Term(sp.Sum(w[i], ends), lambda v: sum(v["w"], Fraction(0))),
        Term(sp.Sum(w[i] ** 2, ends), lambda v: sum((x * x for x in v["w"]), Fraction(0))),
        Term(sp.Sum(w[i] * u[k], (k, 0, i), ends), lambda v: sum((w * sum(v["u"][: n + 1]) for n, w in enumerate(v["w"])), Fraction(0))),
        Term(sp.Abs(last), lambda v: abs(v["last"])),
        Term(sp.Max(first, last), lambda v: max(v["first"], v["last"])),
        Term(sp.Integer(1), lambda v: Fraction(1)),
    )  # fmt: skip
    unrolled = Term(
        A**t * first + C * sp.Sum(A ** (t - 1 - i) * w[i], ends),
        lambda v: a ** v["t"] * v["first"] + c * sum(a ** (v["t"] - 1 - n) * x for n, x in enumerate(v["w"])),
    )
    squares = Term(
        sp.Sum(w[i] * w[k], (k, 0, t - 1), ends), lambda v: sum((x * y for x in v["w"] for y in v["w"]), Fraction(0))
    )  # fmt: skip
    truths = (
        (terms[1], "=", unrolled),
        (terms[2], "=", terms[1]),
        (
            Term(sp.Sum(u[i + 1] - u[i], ends), lambda v: v["last"] - v["first"]),
            "=",
            Term(last - first, lambda v: v["last"] - v["first"]),
        ),
        (squares, "=", Term(sp.Sum(w[i], ends) ** 2, lambda v: sum(v["w"], Fraction(0)) ** 2)),
        (squares, "<=", Term(t * sp.Sum(w[i] ** 2, ends), lambda v: v["t"] * sum(x * x for x in v["w"]))),
        (terms[1], "<=", terms[7]),
        (terms[0], "<=", terms[8]),
    )
    return Model(Scene("recursion", sizes, space, compute), terms, truths, simulate)


def family(rng: Rng) -> Model:
    """n numbers, their mean, second moment, minimum and maximum."""
    notes = Notes("family")
    n, (mean, least, largest), y = notes.count("n"), notes.real("mean least largest"), sp.IndexedBase("y")
    second = notes.nonnegative("second")
    sizes = tuple({"n": int(size)} for size in sorted(rng.choice([1, 2, 3, 5], 2, replace=False)))
    low = int(rng.choice([-2, 0]))

    def compute(shape: Mapping[str, int], v: Mapping[str, Any]) -> Numbers:
        each = v["numbers"]
        return {
            "y": stack([each[:, m] for m in range(shape["n"])], 0),
            "mean": each.mean(axis=1),
            "second": (each**2).mean(axis=1),
            "least": amin(each, 1),
            "largest": amax(each, 1),
        }

    def simulate(shape: Mapping[str, int], parameters: Numbers, sizes: Numbers) -> Numbers:
        each = list(parameters["numbers"])
        return {
            "n": shape["n"],
            "y": each,
            "mean": sum(each, Fraction(0)) / len(each),
            "second": sum((x * x for x in each), Fraction(0)) / len(each),
            "least": min(each),
            "largest": max(each),
        }

    ends = (i, 0, n - 1)
    terms = (
        Term(mean, lambda v: v["mean"]),
        Term(second, lambda v: v["second"]),
        Term(least, lambda v: v["least"]),
        Term(largest, lambda v: v["largest"]),
        Term(y[0], lambda v: v["y"][0]),
        Term(y[n - 1], lambda v: v["y"][-1]),
        Term(sp.Sum(y[i], ends), lambda v: sum(v["y"], Fraction(0))),
        Term(sp.Sum(sp.Abs(y[i]), ends), lambda v: sum(map(abs, v["y"]), Fraction(0))),
        Term(mean**2, lambda v: v["mean"] ** 2),
        Term(sp.Integer(1), lambda v: Fraction(1)),
    )
    spread = Term(
        sp.Sum((y[i] - y[k]) ** 2, (k, 0, n - 1), ends), lambda v: sum((a - b) ** 2 for a in v["y"] for b in v["y"])
    )  # fmt: skip
    truths = (
        (terms[8], "<=", terms[1]),
        (terms[2], "<=", terms[0]),
        (terms[0], "<=", terms[3]),
        (terms[5], "<=", terms[3]),
        (terms[6], "=", Term(n * mean, lambda v: v["n"] * v["mean"])),
        (terms[6], "<=", terms[7]),
        (
            spread,
            "=",
            Term(2 * n**2 * (second - mean**2), lambda v: 2 * v["n"] ** 2 * (v["second"] - v["mean"] ** 2)),
        ),
    )
    scene = Scene("family", sizes, lambda shape: {"numbers": Box(low, 3, (shape["n"],))}, compute)
    return Model(scene, terms, truths, simulate)


def descent(rng: Rng) -> Model:
    """Gradient descent on a quadratic with its minimum at the origin, with a step size of at most 1/L."""
    notes = Notes("descent")
    t, (L, eta) = notes.count("t"), notes.positive("L eta")
    distance2, distance2_0, gap, gap_0 = notes.nonnegative("distance2 distance2_0 gap gap_0")
    sizes = tuple({"d": int(rng.integers(1, 3)), "t": int(n)} for n in sorted(rng.choice([1, 2, 3], 2, replace=False)))  # fmt: skip
    least = fraction_of(rng, "1/4", "1")
    equation = bool(rng.integers(2))
    share = fraction_of(rng, "1", "1/2")

    def losses(h: Any, x: Any) -> tuple[Any, Any]:
        return (x * x).sum(axis=1), (h * x * x).sum(axis=1) / 2

    def compute(shape: Mapping[str, int], v: Mapping[str, Any]) -> Numbers:
        h, x = v["curvature"], v["start"]
        before = losses(h, x)
        for _ in range(shape["t"]):
            x = x - v["eta"][:, None] * h * x if np.ndim(v["eta"]) else x - v["eta"] * h * x
        after = losses(h, x)
        return {"distance2": after[0], "gap": after[1], "distance2_0": before[0], "gap_0": before[1]}

    def simulate(shape: Mapping[str, int], parameters: Numbers, sizes: Numbers) -> Numbers:
        h, x, top = list(parameters["curvature"]), list(parameters["start"]), max(parameters["curvature"])
        eta = share / top if equation else sizes["eta"][()]
        found = {"distance2_0": sum(a * a for a in x), "gap_0": sum(c * a * a for c, a in zip(h, x, strict=True)) / 2}  # fmt: skip
        for _ in range(shape["t"]):
            x = [a - eta * c * a for c, a in zip(h, x, strict=True)]
        found |= {"distance2": sum(a * a for a in x), "gap": sum(c * a * a for c, a in zip(h, x, strict=True)) / 2}  # fmt: skip
        return {**shape, **found, "L": top, "eta": eta}

    scene = Scene(
        "descent",
        sizes,
        lambda s: {
            "curvature": Box(float(least), 2, (s["d"],)),
            "start": Box(-2, 2, (s["d"],)),
            "eta": Box(0.01, 1, scale="log"),
        },
        compute,
        known=lambda shape, v: {"L": amax(v["curvature"], 1)},
        steps=("eta",),
    )
    terms = tuple(map(_named, (distance2, distance2_0, gap, gap_0)))
    truths = (
        (terms[0], "<=", terms[1]),
        (terms[2], "<=", terms[3]),
        (terms[2], "<=", Term(L * distance2 / 2, lambda v: v["L"] * v["distance2"] / 2)),
        (
            terms[2],
            "<=",
            Term(distance2_0 / (2 * eta * t), lambda v: v["distance2_0"] / (2 * v["eta"] * v["t"])),
        ),
        (terms[3], "<=", Term(L * distance2_0 / 2, lambda v: v["L"] * v["distance2_0"] / 2)),
    )
    condition = eq(eta, rational(share) / L) if equation else le(eta, 1 / L)
    return Model(scene, terms, truths, simulate, (condition,))


def _named(symbol: sp.Symbol) -> Term:
    """A quantity of the simulator by the name of its symbol."""
    return Term(symbol, lambda v: Fraction(v[symbol.name]))


def library(rng: Rng) -> Model:
    """FedAvg with one local step, or a function at two points, with textbook theorems about them."""
    half = lambda symbol: Term(symbol, lambda v: Fraction(0))  # noqa: E731
    if rng.integers(2):
        scene = points(worlds.convex(dim=(1, 2)))
        truths: tuple[tuple[Term, str, Term], ...] = (
            (half(q.f_x + q.slope_x), "<=", half(q.f_y)),
            (half(q.turn2), "<=", half(q.L**2 * q.apart2)),
            (half(q.f_y), "<=", half(q.f_x + q.slope_x + q.L * q.apart2 / 2)),
        )
        return Model(scene, (), truths, None)
    scene = run("fedavg", worlds.strongly_convex(dim=(1, 2)), rounds=(1, 2), local_lr="eta")
    truths = (
        (half(q.distance2), "<=", half((1 - q.eta * q.mu) * q.distance2_before)),
        (half(q.gap), "<=", half(q.gap_before)),
        (half(q.mu * q.distance2 / 2), "<=", half(q.gap)),
        (half(q.gap), "<=", half(q.L * q.distance2 / 2)),
    )
    return Model(scene, (), truths, None, (q.eta <= 1 / q.L,))


MODELS: tuple[tuple[Callable[[Rng], Model], float], ...] = (
    (recursion, 0.4),
    (family, 0.3),
    (descent, 0.22),
    (library, 0.08),
)
