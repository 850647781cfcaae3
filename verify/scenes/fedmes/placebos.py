"""Non-learning baselines of FedMeS and Ditto: personal models that do not move, or move uphill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from algorithms.algorithm import Algorithm, Local, State
from verify.engine.model.scene import Named, Scene, Values
from verify.scenes.fedmes.noisy import NOISY_ROUND, noisy_errors
from verify.scenes.fedmes.personal import (
    DITTO_ROUND,
    FEDMES_ROUND,
    Method,
    as_ditto,
    as_fedmes,
    coupled_errors,
    errors,
)


def going(factor: int, model: str, make: Method) -> Method:
    """The method with the steps of a local model multiplied by `factor`: 0 for no steps, -1 for steps uphill."""

    def placebo_of(values: Named, n_clients: int) -> Algorithm:
        method = make(values, n_clients)

        def local_step(state: State, local: Local, seen: Any) -> Local:
            after = method.local_step(state, local, seen)
            return {**after, model: local[model] + factor * (after[model] - local[model])}

        return replace(method, local_step=local_step)

    return placebo_of


def _placebos(scene: Scene, measure: Callable[..., Values], model: str, make: Method) -> tuple[Scene, ...]:
    return tuple(
        scene.variant(
            f"{scene.name}, personal models that {words}",
            compute=partial(measure, going(factor, model, make)),
        )
        for factor, words in ((0, "stand still"), (-1, "climb"))
    )


OF_FEDMES = _placebos(FEDMES_ROUND, errors, "x", as_fedmes)
OF_NOISY = _placebos(NOISY_ROUND, noisy_errors, "x", as_fedmes)
OF_DITTO = _placebos(DITTO_ROUND, coupled_errors, "v", as_ditto)
"""Baselines for Ditto; the global model is trained normally."""
