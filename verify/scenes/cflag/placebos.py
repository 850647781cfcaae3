"""Non-learning baselines of C-FLAG: the server, or the clients on current data, make no step or a step uphill."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nqm.fields import Array
from verify.engine.model.scene import Named, Scene, Shape, Values
from verify.scenes.cflag.adaptive_rates import PAIR, own_rates
from verify.scenes.cflag.forgetting import ROUND
from verify.scenes.cflag.growth import WIDE
from verify.scenes.cflag.memory_measures import one_round
from verify.scenes.cflag.memory_rounds import SERVER, Round

WAYS = ((0, "stand still"), (-1, "climb"))


def _of(
    scene: Scene, who: str, compute: Callable[[int], Callable[[Shape, Named], Values]]
) -> tuple[Scene, ...]:
    return tuple(
        scene.variant(f"{scene.name}, {who} that {words}", compute=compute(way)) for way, words in WAYS
    )


def _server(going: int) -> Callable[[Shape, Named], Values]:
    def rule(now: Round, alpha: Array, beta: Array) -> Array:
        return SERVER["eq24"](now, going * alpha, going * beta)

    return partial(one_round, rule=rule)


def _on_current_data(going: int) -> Callable[[Shape, Named], Values]:
    def compute(shape: Shape, values: Named) -> Values:
        found = WIDE.compute(shape, {**values, "beta": going * values["beta"]})
        return {**found, "ds": going * found["ds"], "s2": going**2 * found["s2"]}

    return compute


def _at_own_rates(going: int) -> Callable[[Shape, Named], Values]:
    def compute(shape: Shape, values: Named) -> Values:
        one_rate = {"beta": values["alpha"]}
        return {**own_rates(shape, {**values, **one_rate}, going), **one_rate}

    return compute


OF_ROUND = _of(ROUND, "servers", _server)
OF_WIDE = _of(WIDE, "clients on current data", _on_current_data)
OF_PAIR = _of(PAIR, "clients on current data", _at_own_rates)
