"""Bounded wells: losses with bounded gradients that are not convex, and rational wherever their parameters are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nqm.bounded import AnyBounded
from nqm.fields import Array, expand, sq, sqrt, zeros_like
from nqm.known import Ball, Constant
from nqm.selection import check_clients, check_task, select
from nqm.steepest import client_spread, task_spread
from nqm.world import Objective


class Well(AnyBounded):
    """Wells: height * width * r^2 / (2 (width^2 + r^2)) with r = |x - c|, flat far away.

    Along the radius the curvature is height * width^3 (width^2 - 3 r^2) / (width^2 + r^2)^3: height / width at the
    centre, least at r = width, where it is -1/4 of that; across it, it is positive. The gradient is longest at
    r = width / sqrt(3).
    """

    def at(self, task: int, clients: Any = None) -> Objective:
        task = check_task(task, self.n_tasks)
        clients = check_clients(clients, self.n_clients, len(self.batch_shape))
        height, width = (select(p, task, clients, 0) for p in (self.height, self.width))
        centre = select(self.centre, task, clients, 1)

        def loss(x: Array) -> Array:
            squared = sq(x - centre)
            return height * width * squared / (2 * (width**2 + squared))

        def grad(x: Array) -> Array:
            difference = x - centre
            return difference * expand(height * width**3 / (width**2 + sq(difference)) ** 2)

        return Objective(loss, grad, scale=self.noise.scale(task, clients))

    def curvature_within(self, region: Ball) -> tuple[Array, Array]:
        return self.curvature_anywhere()

    def curvature_anywhere(self) -> tuple[Array, Array]:
        """Lowest and highest curvature of each client, (world..., K, M)."""
        top = self.height / self.width
        return -top / 4, top

    def curvature_range(self, region: Ball | None) -> tuple[Constant, Constant]:
        known = "exact" if region is None else "certified"
        lowest, highest = self.curvature_anywhere()
        note = "Lowest where the distance is the width, largest at the centre."
        return Constant(lowest, known, region or "R^d", note), Constant(highest, known, region or "R^d", note)

    def gradient_bound(self, region: Ball | None) -> Constant:
        known = "exact" if region is None else "certified"
        note = "Attained where the distance is width / sqrt(3)."
        return Constant(self._steepest(), known, region or "R^d", note)

    def client_spread(self, region: Ball | None) -> Constant:
        return client_spread(self._steepest(), region)

    def task_spread(self, region: Ball | None) -> Constant:
        return task_spread(self._steepest(), region)

    def infimum(self, tasks: Iterable[int] | None) -> Constant:
        return Constant(zeros_like(self.centre[..., 0, 0, 0]), "certified", note="No loss is negative.")

    def _steepest(self) -> Array:
        return 3 * self.height * sqrt(zeros_like(self.height) + 3) / 16
