"""One round of SPECIAL and the minimiser of its surrogate, which is the origin: the parts of the proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nqm.fields import Array, dot, sq
from verify.engine.model.scene import Named, Shape, Values
from verify.scenes.parameters import column
from verify.scenes.special.one_round import Round


@dataclass(frozen=True)
class Parts:
    """P, Q and W of a round, (batch, path, outcome, d) each, the last two by the set of sampled clients.

    `bend` is the gradient minus the gradient at the minimiser.
    """

    pull: Array
    bend: Array
    wind: Callable[[list[int]], Array]
    work: Callable[[list[int]], Array]


def parts_of(shape: Shape, values: Named, played: Round, at_rest: Array) -> Parts:
    """The model after a gradient step, and the contributions of noise, sampling and local drift; `at_rest`: gradient at the origin."""
    E, N = shape["E"], shape["N"]
    g = column(values["gamma_G"] * values["gamma_L"], 3)
    first = played.grads[0]
    mean, noise = first.sum(axis=3) / shape["M"], sum(played.noises)
    changes = sum(grad - first for grad in played.grads)
    over = lambda x, s: x[:, :, :, s].sum(axis=3) / N  # noqa: E731
    return Parts(
        pull=played.start - g * E * (mean - at_rest),
        bend=mean - at_rest,
        wind=lambda s: over(E * first + noise, s) - E * mean,
        work=lambda s: over(changes, s),
    )


def parts_squared(shape: Shape, values: Named, played: Round, parts: Parts) -> Values:
    """Mean squares over the outcomes of a round, on every path (batch, path)."""
    g = column(values["gamma_G"] * values["gamma_L"], 3)
    blown = lambda s: parts.pull - g * parts.wind(s)  # noqa: E731
    return {
        "miss2": sq(played.start)[:, :, 0],
        "miss_next2": played.mean(sq(played.after).sum(axis=3)) / len(played.sets),
        "pulled2": played.mean(sq(parts.pull)),
        "bent2": played.mean(sq(parts.bend)),
        "bent_along": played.mean(dot(parts.bend, played.start + 0 * parts.bend)),
        "blown2": played.over_sets(lambda s: sq(blown(s))),
        "wind2": played.over_sets(lambda s: sq(parts.wind(s))),
        "worked2": played.over_sets(lambda s: sq(parts.work(s))),
        "crossed": played.over_sets(lambda s: dot(blown(s), parts.work(s))),
    }
