"""The smallest value of a bound over some of its quantities, under the bound's conditions.

The optimum over one variable is exact up to rounding: a dense grid in the logarithm, the limits set by conditions by
bisection, and repeated refinement around the best points. Whole numbers stay whole. The search over several variables
starts from random admissible points and improves them along lines: each variable alone, and pairs of variables with
constant product or ratio. The pairs let it follow a limit that couples two variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.relational import Relational

from bounds.admissible import ConditionNotMet, Limit, Values, applicable, limits, values_of
from bounds.lines import SMALLEST, Floats, Line, alone, between, lowest, pair, points_of, sign_changes
from bounds.poles import NoLeastValue, Pole, denominators, pole_between, precise, vanishes
from bounds.symbols import domain_of

RANGE: Mapping[str, tuple[float, float]] = {
    "count": (1, 10**9),
    "positive": (1e-9, 1e9),
    "nonnegative": (0.0, 1e9),
    "real": (-1e9, 1e9),
}
"""Where a variable is searched unless the caller says otherwise, by its domain."""
GRID, LINE, ZOOMS = 2049, 257, 12
"""Points of the grid of one variable and of a line among several, and number of refinements."""
STARTS, KEPT, ROUNDS = 20_000, 4, 12
"""Random points of a search over several variables, how many of them are improved, and how often."""
STEPS = np.array([0.5, 0.9, 0.99, 0.999, 1.001, 1.01, 1.1, 2])
"""Factors by which one variable is moved before another one is minimised."""
TIE = 1e-12
"""Relative difference up to which two values of a bound count as equal."""
AT_LIMIT = 1e-7
"""Relative slack below which the optimum is said to lie at the limit of a condition."""


@dataclass(frozen=True)
class Optimum:
    """Where a bound is smallest.

    Attributes
    ----------
    at : mapping of str to float or int
        The variables' values.
    bound : float
        Right-hand side at these values.
    limits : tuple of str
        Conditions with slack 0 at the optimum, and ends of the searched range that it reaches; empty if the optimum
        lies inside.
    ties : mapping of str to (low, high)
        Variables that may each vary between these values, the others fixed, without changing the bound.
    """

    at: Mapping[str, float]
    bound: float
    limits: tuple[str, ...]
    ties: Mapping[str, tuple[float, float]]


def optimum(
    bound: sp.Expr,
    conditions: Iterable[Relational],
    variables: Sequence[sp.Symbol],
    values: Values,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    seed: int = 0,
) -> Optimum:
    """The smallest value of a bound over some variables under its conditions, with all other quantities fixed.

    Parameters
    ----------
    values : mapping of str to number
        The other quantities; entries for the variables are ignored.
    ranges : mapping of str to (low, high), optional
        Search range of a variable; by default the entry of `RANGE` for its domain.

    Raises
    ------
    ValueError
        If a quantity of the bound has no value.
    ConditionNotMet
        If the search finds no point that meets the conditions.
    NoLeastValue
        If the bound falls to minus infinity near the zero of a denominator.
    """
    names = [variable.name for variable in variables]
    held = {name: value for name, value in values.items() if name not in names}
    symbols = {s for part in (bound, *conditions) for s in part.free_symbols if isinstance(s, sp.Symbol)}
    missing = {s.name for s in bound.free_symbols if isinstance(s, sp.Symbol)} - held.keys() - set(names)
    if missing:
        raise ValueError(f"a value is missing for {', '.join(sorted(missing))}; give {min(missing)}=NUMBER")
    given = {*held, *names}
    conditions = [
        one for one in conditions if not one.has(sp.Indexed) and {s.name for s in one.free_symbols} <= given
    ]
    ranges = {variable.name: RANGE[domain_of(variable)] for variable in variables} | dict(ranges or {})
    search = _Search(
        bound,
        conditions,
        applicable(limits(sorted(symbols, key=str), conditions), given),
        denominators(bound),
        {variable.name: domain_of(variable) == "count" for variable in variables},
        held,
        {v.name: _in_domain(ranges[v.name], domain_of(v)) for v in variables},
    )
    best = search.best_of_one() if len(names) == 1 else search.best_of_several(np.random.default_rng(seed))
    if best is None:
        raise ConditionNotMet(search.why_none())
    for pole in search.poles(best):
        raise NoLeastValue(f"no least value: {pole}", {**best, pole.name: pole.place})
    return search.described(search.beyond_floats(best))


@dataclass(frozen=True)
class _Search:
    """One search: the bound, its conditions, the limits that they and the domains set, the denominators that may be 0,
    the whole-number variables, the fixed quantities and the search ranges.
    """

    bound: sp.Expr
    conditions: Sequence[Relational]
    limits: Sequence[Limit]
    denominators: Sequence[sp.Expr]
    whole: Mapping[str, bool]
    held: Values
    ranges: Mapping[str, tuple[float, float]]

    def best_of_one(self) -> dict[str, float] | None:
        (name,) = self.whole
        return self.best_on(alone(name, {}), name, GRID)

    def heights(self, values: Values) -> Floats:
        """The bound at points that lie in the ranges, meet every condition and give the bound a value; infinity at all
        other points. Minus infinity is no value, but an overflow or a division by 0.
        """
        bound = self.floats(values)
        return np.where(self.allowed(values) & (bound > -np.inf), bound, np.inf)

    def floats(self, values: Values) -> Floats:
        return np.broadcast_to(values_of(self.bound, {**self.held, **values}), _shape(values)).astype(float)

    def allowed(self, values: Values) -> NDArray[np.bool_]:
        """Mask of the points that lie in the ranges, meet every condition, and where no denominator is 0."""
        point = {**self.held, **values}
        allowed = np.ones(_shape(values), dtype=bool)
        for name in self.whole:
            low, high = self.ranges[name]
            allowed = allowed & (low <= point[name]) & (point[name] <= high)
        for limit in self.limits:
            allowed = allowed & limit.met(point)
        for denominator in self.denominators:
            allowed = allowed & ~vanishes(denominator, point)
        return allowed

    def beyond_floats(self, point: dict[str, float]) -> dict[str, float]:
        """The point, or a point with a smaller bound among those on its lines where powers leave the range of floats."""
        for name, whole in self.whole.items():
            values = alone(name, point)(points_of(*self.ranges[name], LINE, whole=whole))
            doubtful = values[name][self.allowed(values) & ~np.isfinite(self.floats(values))]
            others = ({**point, name: float(value)} for value in doubtful)
            point = min([point, *others], key=lambda one: precise(self.bound, {**self.held, **one}))
        return point

    def best_on(self, line: Line, name: str, points: int = LINE) -> dict[str, float] | None:
        """The best admissible point of a line whose parameter is the variable `name`; None if the search finds
        none.
        """
        whole = self.whole[name]
        grid = points_of(*self.ranges[name], points, whole=whole)
        grid = np.union1d(grid, self.edges(line, grid, whole=whole))
        heights = self.heights(line(grid))
        if np.isposinf(heights).all():
            return None
        for _ in range(ZOOMS):
            fresh = [between(grid, i, whole=whole) for i in lowest(heights)]
            more = np.setdiff1d(np.concatenate(fresh), grid)
            if not more.size:
                break
            grid, heights = np.concatenate([grid, more]), np.concatenate([heights, self.heights(line(more))])
            order = np.argsort(grid)
            grid, heights = grid[order], heights[order]
        best = int(np.argmin(heights))
        return {key: float(np.broadcast_to(value, grid.shape)[best]) for key, value in line(grid).items()}

    def edges(self, line: Line, grid: Floats, *, whole: bool) -> Floats:
        """Points on both sides of each sign change of a condition's slack or a denominator, and points at which an
        equation holds.
        """
        functions: list[Callable[[Values], Floats]] = [limit.slack for limit in self.limits]
        functions += [partial(values_of, one) for one in self.denominators]
        changes = [sign_changes(self.along(line, one), grid, whole=whole) for one in functions]
        edges = np.unique(np.concatenate([[], *(end for change in changes for end in change)]))
        return edges if whole else np.union1d(edges, (edges[1:] + edges[:-1]) / 2)

    def along(self, line: Line, function: Callable[[Values], Floats]) -> Callable[[Floats], Floats]:
        """A function of all quantities as a function of the parameter of a line."""
        return lambda s: function({**self.held, **line(s)})

    def poles(self, point: dict[str, float]) -> Iterator[Pole]:
        """Poles at which the bound falls to minus infinity, on the lines through a point along which one variable changes."""
        values = {**self.held, **point}
        for name in (name for name, whole in self.whole.items() if not whole):
            ends = self.ranges[name]
            grid = np.union1d(points_of(*ends, GRID, whole=False), [point[name]])
            for denominator in self.denominators:
                function = self.along(alone(name, point), partial(values_of, denominator))
                for change in zip(*sign_changes(function, grid, whole=False), strict=True):
                    pole = pole_between(self.bound, self.conditions, name, denominator, values, change, ends)
                    if pole is not None:
                        yield pole

    def best_of_several(self, rng: np.random.Generator) -> dict[str, float] | None:
        """The best point of several variables, from random starts."""
        points = {name: self.random(name, rng) for name in self.whole}
        heights = self.heights(points)
        starts = [i for i in np.argsort(heights)[:KEPT] if heights[i] < np.inf]
        found = [self.improved({name: float(points[name][i]) for name in self.whole}) for i in starts]
        found += [point for point in (self.admissible(rng),) if not found and point is not None]
        return self.settled(min(found, key=self.height)) if found else None

    def height(self, point: Values) -> float:
        return float(self.heights({name: np.array([value]) for name, value in point.items()})[0])

    def random(self, name: str, rng: np.random.Generator) -> Floats:
        """Random values of a variable, uniform in the logarithm."""
        low, high = self.ranges[name]
        sizes = np.exp(
            rng.uniform(np.log(max(low, SMALLEST) if low >= 0 else SMALLEST), np.log(high), STARTS)
        )
        if low < 0:
            sizes = np.where(rng.random(STARTS) < 0.5, -1.0, 1.0) * sizes
        return np.clip(np.round(sizes) if self.whole[name] else sizes, low, high)

    def admissible(self, rng: np.random.Generator) -> dict[str, float] | None:
        """An admissible point if no random point is admissible: the point with the fewest failing conditions, improved
        along lines.
        """
        points = {name: self.random(name, rng) for name in self.whole}
        failures = sum(~np.broadcast_to(limit.met({**self.held, **points}), STARTS) for limit in self.limits)
        for i in np.argsort(failures, kind="stable")[:KEPT]:
            point = {name: float(points[name][i]) for name in self.whole}
            for name in self.whole:
                better = self.best_on(alone(name, point), name)
                if better is not None:
                    return self.improved(better)
        return None

    def improved(self, point: dict[str, float]) -> dict[str, float]:
        """A point that no line through it improves further."""
        height = self.height(point)
        for _ in range(ROUNDS):
            before = height
            for line, name in self.lines(point):
                better = self.best_on(line, name)
                if better is not None and self.height(better) < height:
                    point, height = better, self.height(better)
            if not height < before - AT_LIMIT * abs(before):
                break
        return point

    def settled(self, point: dict[str, float]) -> dict[str, float]:
        """A point that is not improved by changing one variable and then minimising over another one, either."""
        for _ in range(ROUNDS):
            better = min(self.after_a_step(point), key=self.height, default=point)
            if not self.height(better) < self.height(point) * (1 - np.sign(self.height(point)) * AT_LIMIT):
                break
            point = self.improved(better)
        return point

    def after_a_step(self, point: dict[str, float]) -> Iterator[dict[str, float]]:
        """Best points after a step of one variable, and at the ends of lines on which the bound is constant."""
        for name, whole in self.whole.items():
            moved = point[name] * STEPS
            if whole:
                moved = np.concatenate([moved.round(), [point[name] - 1, point[name] + 1]])
            for value in np.unique(np.clip(moved, *self.ranges[name])):
                yield from self.best_of_each({**point, name: float(value)}, besides=name)
        height = self.height(point)
        for line, name in self.lines(point):
            grid = points_of(*self.ranges[name], LINE, whole=self.whole[name])
            grid = np.union1d(grid, self.edges(line, grid, whole=self.whole[name]))
            same = grid[self.heights(line(grid)) <= height + TIE * abs(height)]
            for end in {same.min(), same.max()} if same.size else ():
                start = {key: np.asarray(value).item() for key, value in line(np.array(end)).items()}
                yield from self.best_of_each(start)

    def best_of_each(self, point: dict[str, float], besides: str = "") -> Iterator[dict[str, float]]:
        """The best point for each variable, the others fixed."""
        others = (name for name in self.whole if name != besides)
        yield from filter(None, (self.best_on(alone(name, point), name) for name in others))

    def lines(self, point: dict[str, float]) -> list[tuple[Line, str]]:
        """Lines through a point: each variable alone, and pairs of positive numbers with constant product or ratio."""
        found = [(alone(name, point), name) for name in self.whole]
        free = [name for name, whole in self.whole.items() if not whole and point[name] > 0]
        for one, other in combinations(free, 2):
            for power in (1, -1):
                found.append((pair(point, one, other, power), one))
        return found

    def why_none(self) -> str:
        """Why the search found no point: conditions that fail for every value of the variables, or a bound without a
        value.
        """
        where = ", ".join("`{}` in [{:g}, {:g}]".format(name, *self.ranges[name]) for name in self.whole)
        failing = [one.text for one in applicable(self.limits, self.held) if not np.all(one.met(self.held))]
        if failing:
            return (
                f"no value of {where} meets the conditions: {'; '.join(failing)} fails at {dict(self.held)}"
            )
        return f"no value of {where} was found at which the conditions are met and the bound has a value, at {dict(self.held)}"

    def described(self, point: dict[str, float]) -> Optimum:
        bound = self.height(point)
        bound = bound if np.isfinite(bound) else float(precise(self.bound, {**self.held, **point}))
        at = {name: int(point[name]) if self.whole[name] else point[name] for name in self.whole}
        values = {**self.held, **point}
        touched = [limit.text for limit in self.limits if _at_limit(limit, values, self.whole)]
        for name, (low, high) in self.ranges.items():
            end = f"{name} {'>=' if point[name] == low else '<='} {point[name]:g}"
            if name in self.whole and point[name] in (low, high) and end not in touched:
                touched.append(f"{end} (end of the searched range)")
        return Optimum(at, bound, tuple(dict.fromkeys(touched)), self.ties(point, bound))

    def ties(self, point: dict[str, float], bound: float) -> dict[str, tuple[float, float]]:
        found = {}
        for name in self.whole:
            grid = np.union1d(points_of(*self.ranges[name], LINE, whole=self.whole[name]), [point[name]])
            with np.errstate(invalid="ignore"):  # infinity minus infinity is not a tie
                close = abs(self.heights({**point, name: grid}) - bound) <= TIE * abs(bound)
            exact = partial(precise, self.bound)
            there = exact({**self.held, **point})  # floats do not notice a small change of a large bound
            same = np.array(
                [v for v in grid[close] if exact({**self.held, **point, name: float(v)}) == there]
            )
            if same.size > 1 and same.min() < same.max():
                found[name] = (float(same.min()), float(same.max()))
        return found


def _in_domain(ends: tuple[float, float], domain: str) -> tuple[float, float]:
    return ends if domain == "real" else (max(ends[0], 0.0), ends[1])


def _shape(values: Values) -> tuple[int, ...]:
    return np.broadcast_shapes(*(np.shape(value) for value in values.values()))


def _at_limit(limit: Limit, values: Values, names: Iterable[str]) -> bool:
    """Whether a condition has slack 0 at a point, relative to the effect of changing a variable by one thousandth."""
    slack = float(limit.slack(values))
    moves = [
        abs(float(limit.slack({**values, name: values[name] * 1.001 + 1e-300})) - slack) for name in names
    ]
    change = max((m for m in moves if np.isfinite(m)), default=0.0)
    return not limit.equation and change > 0 and slack <= 1e3 * change * AT_LIMIT
