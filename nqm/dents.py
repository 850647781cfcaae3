"""Quadratics with a dent along the first axis: drifts that depend on the model and cancel in the mean.

Client i of round tau has the gradient of a `TiltedQuadratic`, plus along the first axis::

    bent_tau,i max(0, width_tau,i - |x_1 - middle_tau,i|)

The slope of this term is `bent` on one flank and `-bent` on the other. A loss stays convex if `|bent|` is at most the
curvature.

Source: a family of this project, for CFL (Guo, Lin, Tang), Assumption 3, whose drifts may depend on the model.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from nqm.arguments import require_broadcastable, require_finite, require_nonnegative
from nqm.drift import TiltedQuadratic
from nqm.fields import Array, amax, amin, broadcast_to, maximum, minimum, stack
from nqm.known import Ball, Constant
from nqm.selection import check_clients, check_task, select
from nqm.world import Objective, World, set_world

CROSSED = "A bound: that of the world without dents and the deepest dents, added."


@dataclass(frozen=True)
class DentedQuadratic(World):
    """A federation of quadratics with dents.

    Parameters
    ----------
    plain : TiltedQuadratic
        The world without dents.
    bent, middle, width : arrays that broadcast to (world..., K, M)
        Signed slope of a dent's flanks, position of its middle along the first axis, and length of its flanks (>= 0).
    """

    plain: TiltedQuadratic
    bent: Array
    middle: Array
    width: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise", self.plain.noise)
        set_world(self, {"bent": self.bent, "middle": self.middle, "width": self.width})
        for name in ("bent", "middle", "width"):
            value = getattr(self, name)
            require_finite(name, value)
            require_broadcastable(name, value, self.shape[:-1], "(world..., task, client)")
            object.__setattr__(self, name, broadcast_to(value, self.shape[:-1]))
        require_nonnegative("width", self.width)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.plain.shape

    def at(self, task: int, clients: Any = None) -> Objective:
        task = check_task(task, self.n_tasks)
        clients = check_clients(clients, self.n_clients, len(self.batch_shape))
        bent, middle, width = (
            select(part, task, clients, 0) for part in (self.bent, self.middle, self.width)
        )
        centre = self.plain.centre[..., None, None, :] if self.batch_shape else self.plain.centre
        plain = self.plain.at(task, clients)

        def grad(x: Array) -> Array:
            apart = x[..., 0] - middle
            depth = bent * maximum(width - maximum(apart, -apart), 0 * apart)
            return plain.grad(x) + stack([depth, *(0 * depth for _ in range(self.dim - 1))], -1)

        def filled(apart: Array) -> Array:
            """The dent's integral from its middle on."""
            inside = maximum(minimum(apart, width), -width)
            return width * inside - inside * maximum(inside, -inside) / 2

        return replace(
            plain,
            loss=lambda x: (
                plain.loss(x) + bent * (filled(x[..., 0] - middle) - filled(centre[..., 0] - middle))
            ),
            grad=grad,
        )

    def curvature_range(self, region: Ball | None) -> tuple[Constant, Constant]:
        """Exact on all of R^d; certified on a ball, because a dent may lie outside it."""
        curvature, steep = self.plain.curvature, maximum(self.bent, -self.bent)
        known = "exact" if region is None else "certified"
        first, note = curvature[..., 0], "Each flank of a dent bends the first axis."
        lowest, highest = amin(curvature, -1), amax(curvature, -1)
        return (
            Constant(minimum(lowest, first - steep), known, region or "R^d", note),
            Constant(maximum(highest, first + steep), known, region or "R^d", note),
        )

    def gradient_bound(self, region: Ball | None) -> Constant:
        found = self.plain.gradient_bound(region)
        return Constant(found.value + self._depth, "certified", found.where, CROSSED)

    def client_spread(self, region: Ball | None) -> Constant:
        return self._spread(self.plain.client_spread(region))

    def task_spread(self, region: Ball | None) -> Constant:
        return self._spread(self.plain.task_spread(region))

    def infimum(self, tasks: Iterable[int] | None) -> Constant:
        """A dent lowers a loss by at most twice its area."""
        chosen = tuple(range(self.n_tasks)) if tasks is None else tuple(tasks)
        area = (self._depth * self.width)[..., list(chosen), :].sum(axis=-2)
        return Constant(
            self.plain.infimum(chosen).value - area.sum(axis=-1) / self.n_clients, "certified", note=CROSSED
        )

    @property
    def _depth(self) -> Array:
        return maximum(self.bent, -self.bent) * self.width

    def _spread(self, found: Constant) -> Constant:
        """|u + v|^2 <= 2 |u|^2 + 2 |v|^2, where u is the difference without dents and v that of two dents."""
        deepest = 2 * amax(self._depth, (-1, -2))
        return Constant(2 * found.value + 2 * deepest**2, "certified", found.where, CROSSED)
