"""Statements of known truth, unrelated to the papers, on which the engine itself is tested."""

from __future__ import annotations

import sympy as sp

from bounds.statement import Paper, Scaling, Source, Statement
from bounds.symbols import Glossary
from nqm.fields import norm, sq
from verify.engine.model.claim import Claim
from verify.engine.model.scene import Box, Scene

WORDS = Glossary("known")
x = WORDS.define("x", "a number", "positive")
y = WORDS.define("y", "another number", "positive")
n = WORDS.define("n", "a whole number", "count")
a2 = WORDS.define("a2", "squared norm of a", "nonnegative")
b2 = WORDS.define("b2", "squared norm of b", "nonnegative")
sum2 = WORDS.define("sum2", "squared norm of a + b", "nonnegative")
length = WORDS.define("length", "norm of a + b", "nonnegative")
lengths = WORDS.define("lengths", "norm of a plus norm of b", "nonnegative")
gamma = WORDS.define("gamma", "step size", "positive")
L = WORDS.define("L", "curvature", "positive")
after = WORDS.define("after", "loss after a step", "nonnegative")
before = WORDS.define("before", "loss before it", "nonnegative")
PAPER = Paper("known", "Known truths", "1", WORDS)


def known(id: str, relation, *conditions, **more) -> Statement:
    return Statement(
        f"known.{id}", "a statement of known truth", relation, Source(PAPER, id), tuple(conditions), **more
    )


VECTORS = Scene(
    name="two vectors",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {"a": Box(-2, 2, (shape["d"],)), "b": Box(-2, 2, (shape["d"],))},
    compute=lambda shape, v: {
        "a2": sq(v["a"]),
        "b2": sq(v["b"]),
        "sum2": sq(v["a"] + v["b"]),
        "length": norm(v["a"] + v["b"]),
        "lengths": norm(v["a"]) + norm(v["b"]),
    },
    covers="the same in every coordinate",
)
DESCENT = Scene(
    name="one step on x -> h x^2 / 2",
    shapes=({"d": 1},),
    space=lambda shape: {"h": Box(0.1, 2), "start": Box(-2, 2), "gamma": Box(0.01, 1), "room": Box(0, 0)},
    room="room",
    known=lambda shape, v: {"L": v["h"] * (1 + v["room"])},
    compute=lambda shape, v: {
        "before": v["h"] * v["start"] ** 2 / 2,
        "after": v["h"] * ((1 - v["gamma"] * v["h"]) * v["start"]) ** 2 / 2,
    },
    steps=("gamma",),
    free_step=lambda name, shape, v: 10,
)

AM_GM = known("am-gm", sp.Le(x * y, (x**2 + y**2) / 2))
TOO_STRONG = known("am-gm/strong", sp.Le(x * y, (x**2 + y**2) / 3), changes="divides by 3")
NEEDS_ORDER = known("monotone", sp.Le(x**2, y**2), sp.Le(x, y))
WITHOUT_ORDER = known("monotone/free", sp.Le(x**2, y**2), changes="drops x <= y")
IMPOSSIBLE = known("impossible", sp.Le(x, y / 2), sp.Le(x, y), sp.Ge(x, 2 * y))
PARALLELOGRAM = known("cosine", sp.Eq(sum2, a2 + b2))
TRIANGLE = known("triangle", sp.Le(length, lengths))
SHARP_TRIANGLE = known("triangle/sharp", sp.Le(length, lengths / 2), changes="halves the right side")
CONVEX = known("relaxed", sp.Le(sum2, 2 * (a2 + b2)))
DESCENDS = known("descent", sp.Le(after, before), sp.Le(gamma, 2 / L))
OVERSTEPS = known("descent/long", sp.Le(after, before), sp.Le(gamma, 3 / L), changes="steps up to 3/L")
SUM_RULE = known("square", sp.Eq((x + y) ** 2, x**2 + 2 * x * y + y**2))
WRONG_RULE = known("square/wrong", sp.Eq((x + y) ** 2, x**2 + x * y + y**2), changes="loses a factor 2")
ORDER = known("order", Scaling({"a": x / n, "b": x**2}, {x: 1 / sp.sqrt(n)}, 1 / n, (n,)))
WRONG_ORDER = known(
    "order/wrong", Scaling({"a": x, "b": x**2}, {x: 1 / sp.sqrt(n)}, 1 / n, (n,)), changes="too fast"
)


def claim(statement: Statement, check, scene: Scene | None = None, **more) -> Claim:
    return Claim(statement, (check,), scene, **more)
