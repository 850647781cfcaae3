"""How sharp is a constant in an ordinary world? The best ratio that a search over points alone attains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from verify.engine.checks.kinds import Kind, of_kind
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.scene import Scene, Shape
from verify.engine.verdict import Finding, because

SHARPNESS = Kind("sharpness")


def sharpness(
    scene: Scene, families: Mapping[str, Shape], places: tuple[str, ...]
) -> Callable[[Claim, Budget, int], Finding]:
    """Median over random worlds of the largest lhs/rhs that points in them attain.

    The largest ratio over all worlds says only that a constant is attained somewhere. This finding says
    nothing for or against the claim.

    Parameters
    ----------
    scene : Scene
        Without step sizes; its constants are the reported ones, and its quantities are taken at points.
    families : mapping from name to shape
        Shapes of the scene.
    places : tuple of str
        The scene's parameters that say where to look; all others belong to the world.
    """

    @of_kind(SHARPNESS)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        from verify.engine.checks.sharpest import best_ratios  # with PyTorch, which takes a second

        worlds, at_points = budget.batch // 4, replace(claim, scene=scene)
        medians = {
            family: _median(
                best_ratios(at_points, shape, places, np.random.default_rng([seed, number]), worlds)
            )
            for number, (family, shape) in enumerate(families.items())
        }
        reason = because("sharpness", worlds=worlds, medians=medians)
        details = {"median lhs/rhs": medians, "shapes": {f: dict(shape) for f, shape in families.items()}}
        return Finding(SHARPNESS.name, None, "sampled", reason, worlds * len(families), details=details)

    return check


def _median(ratios: np.ndarray) -> float | None:
    return float(np.median(ratios)) if ratios.any() else None
