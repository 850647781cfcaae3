"""The constants of a world. Each constant states its evidence and the region in which it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from nqm.arguments import map_parameters
from nqm.fields import Array, Irrational, amax, amin, kind, lower, to_interval, upper
from nqm.known import Ball, Constant
from nqm.world import World


@dataclass(frozen=True)
class Constants(Mapping[str, Constant]):
    """Constants by name, computed at the first look-up, because some worlds lack some of them."""

    world: World
    region: Ball | None
    _found: dict[str, Constant] = field(default_factory=dict, repr=False, compare=False)

    def __getitem__(self, name: str) -> Constant:
        if name not in self._found:
            self._found[name] = _in_the_kind_of(self.world, self.region, _RULES[name], _ROUNDED[name])
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_RULES)

    def __len__(self) -> int:
        return len(_RULES)


def constants(world: World, region: Ball | None = None) -> Constants:
    """Constants of the assumptions that theorems make, over all tasks and clients of each world.

    Parameters
    ----------
    world : World
    region : Ball, optional
        Where they have to hold; all of R^d by default.

    Returns
    -------
    Mapping from name to Constant, each computed when it is first looked up:

    - ``L``: largest, ``mu``: smallest eigenvalue of any client's Hessian (mu = 0 where merely convex);
    - ``B``: sup of the norm of the stochastic gradient;
    - ``sigma_L2``: largest E|noise|^2;
    - ``sigma_G2``: sup over x of max_{i,m} |grad f_im(x) - grad f_i(x)|^2;
    - ``sigma_T2``: sup over x of max_{i,j} |grad f_i(x) - grad f_j(x)|^2.

    In exact worlds an irrational constant is replaced by a Fraction just above it (below it for mu), and
    called certified.

    Raises
    ------
    Unbounded
        At look-up, if the constant is infinite on the region, or noise has no almost sure bound.

    Notes
    -----
    Source: SPECIAL, arXiv:2601.22274v2, Assumptions 4.1-4.6. Assumption 4.5 there asks for sigma_G only at
    the server's iterates; the constant here holds at every point of the region.
    """
    return Constants(world, region)


def infimum(world: World, tasks: Iterable[int] | None = None) -> Constant:
    """Greatest lower bound of the total loss of the given tasks, or a certified lower bound of it.

    Parameters
    ----------
    world : World
    tasks : iterable of int, optional
        Which tasks to add; all of them by default.

    Returns
    -------
    Constant with a (world...) value; -inf where linear losses do not cancel.

    Raises
    ------
    Unbounded
        For -inf in exact, interval or symbolic arithmetic.
    """
    chosen = None if tasks is None else list(tasks)
    return _in_the_kind_of(world, None, lambda w, _: w.infimum(chosen), lower)


def _in_the_kind_of(
    world: World,
    region: Ball | None,
    rule: Callable[[World, Ball | None], Constant],
    outward: Callable[[Array], Array],
) -> Constant:
    """The constant, or if it is irrational in an exact world, a rational next to it on the safe side."""
    try:
        return rule(world, region)
    except Irrational:
        in_intervals = map_parameters(world, to_interval)
        constant = rule(in_intervals, None if region is None else map_parameters(region, to_interval))
        note = f"{constant.note} Rounded outward to a Fraction.".strip()
        return replace(constant, value=outward(constant.value), known="certified", note=note)


def _smoothness(world: World, region: Ball | None) -> Constant:
    highest = world.curvature_range(region)[1]
    return replace(highest, value=amax(highest.value, (-1, -2)))


def _convexity(world: World, region: Ball | None) -> Constant:
    lowest = world.curvature_range(region)[0]
    return replace(lowest, value=amin(lowest.value, (-1, -2)))


def _gradient_bound(world: World, region: Ball | None) -> Constant:
    noise = world.noise.bound
    without_noise = world.gradient_bound(region)
    # The two norms add up where noise may point along the gradient, which on the sphere and in one dimension
    # it does
    noiseless = kind(noise) != "symbolic" and bool((noise == 0).all())
    adds_up = noiseless or world.noise.law == "sphere" or world.dim == 1
    known = without_noise.known if adds_up else "certified"
    return replace(without_noise, value=amax(without_noise.value + noise, (-1, -2)), known=known)


def _noise_variance(world: World, region: Ball | None) -> Constant:
    sigma = world.noise.sigma
    value = amax(sigma, (-1, -2)) if sigma.ndim else sigma
    return Constant(value**2, "exact", region or "R^d", "The noise does not depend on the point.")


_RULES: dict[str, Callable[[World, Ball | None], Constant]] = {
    "L": _smoothness,
    "mu": _convexity,
    "B": _gradient_bound,
    "sigma_L2": _noise_variance,
    "sigma_G2": lambda world, region: world.client_spread(region),
    "sigma_T2": lambda world, region: world.task_spread(region),
}

_ROUNDED: dict[str, Callable[[Array], Array]] = {name: lower if name == "mu" else upper for name in _RULES}
