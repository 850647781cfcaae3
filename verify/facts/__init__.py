"""Facts of textbooks for anybody's proof, each with its source: ``from verify import facts``.

A fact is a relation between symbols of whoever uses it. A scene names the facts of its quantities
(``Scene(..., textbook=facts.convex(...))``), a claim those of its own proof (``notes.claim(..., facts=(...,))``); a verdict
that rests on one says so. `verify.points` and `verify.run` bring those of their family of losses.
"""

from verify.engine.scene import Textbook
from verify.facts.descent import iterated, steps
from verify.facts.functions import (
    at_optimum,
    cocoercive,
    coercive,
    convex,
    descent,
    first_order,
    in_order,
    mean_value,
    monotone,
    moving_apart,
    no_steeper,
    smooth,
    strongly_convex,
)
from verify.facts.numbers import (
    below_three,
    bernoulli,
    beyond,
    discounted,
    exponential,
    falling_to_e,
    geometric_recursion,
    geometric_sum,
    harmonic_sum,
    telescoping,
)
from verify.facts.vectors import (
    cauchy_schwarz,
    jensen,
    linear_map,
    multiple,
    sampling_with_replacement,
    sampling_without_replacement,
    triangle,
    unbiased_noise,
    variance,
    young,
)

__all__ = [
    "Textbook",
    "at_optimum",
    "below_three",
    "bernoulli",
    "beyond",
    "cauchy_schwarz",
    "cocoercive",
    "coercive",
    "convex",
    "descent",
    "discounted",
    "exponential",
    "falling_to_e",
    "first_order",
    "geometric_recursion",
    "geometric_sum",
    "harmonic_sum",
    "in_order",
    "iterated",
    "jensen",
    "linear_map",
    "mean_value",
    "monotone",
    "moving_apart",
    "multiple",
    "no_steeper",
    "sampling_with_replacement",
    "sampling_without_replacement",
    "smooth",
    "steps",
    "strongly_convex",
    "telescoping",
    "triangle",
    "unbiased_noise",
    "variance",
    "young",
]
