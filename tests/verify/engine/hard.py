"""False relations whose counterexamples are hard to find; all but one about quantities that a scene computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy as sp

from nqm.fields import sq
from verify import Box, Claim, Notes, Scene

notes = Notes("hard")
x, y = notes.real("x y")
a, b = notes.nonnegative("a b")
HARD: dict[str, Claim] = {}


def case(
    id: str,
    relation: Any,
    space: Callable[[Mapping[str, int]], dict[str, Box]],
    compute: Callable[[Mapping[str, int], Mapping[str, Any]], dict[str, Any]],
    sizes: str = "",
    listed: tuple[int, ...] = (1, 2, 3),
) -> None:
    shapes = tuple({sizes: number} for number in listed) if sizes else ({"one": 1},)
    more = {"grows": (sizes,)} if sizes and "grows" in Scene.__dataclass_fields__ else {}
    HARD[id] = notes.claim(id, relation, scene=Scene(id, shapes, space, compute, **more))


anywhere = lambda s: {"p": Box(-10, 10), "q": Box(-10, 10)}  # noqa: E731
near = lambda v, p, q: (v["p"] - p) ** 2 + (v["q"] - q) ** 2  # noqa: E731

case("needle", a >= sp.Rational(1, 10**6), anywhere, lambda s, v: {"a": near(v, 3.1372, -7.771)})
case(
    "needle-in-a-dip",
    a >= sp.Rational(1, 10**4),
    anywhere,
    lambda s, v: {"a": near(v, 1.25, 2.5) * (4 + near(v, -6.0, 6.0)) / 100},
)
case(
    "needle-beside-a-hill",
    a <= 1,
    anywhere,
    lambda s, v: {
        "a": 1 / (1 + 4096 * near(v, -3.25, 8.125)) + near(v, -3.25, 8.125) / 1024 / 16 + 1 / 2**20
    },
)
case(
    "scales-apart",
    a <= 990_000 * b,
    lambda s: {
        "p": Box(1e-4, 1e4, scale="log"),
        "q": Box(1e-4, 1e4, scale="log"),
        "r": Box(1e-4, 1e4, scale="log"),
    },
    lambda s, v: {"a": v["p"] * v["q"], "b": v["q"] ** 2 + v["r"] * v["p"] / 1024 / 1024},
)
case(
    "scales-of-three",
    a <= b,
    lambda s: {
        "p": Box(1e-6, 1e6, scale="log"),
        "q": Box(1e-6, 1e6, scale="log"),
        "r": Box(1, 1e6, scale="log"),
    },
    lambda s, v: {
        "a": v["p"] * v["q"] * v["r"],
        "b": v["p"] ** 2 * v["r"] + v["q"] ** 2 * v["r"] ** 2 / 4.000001,
    },
)
each = lambda s: {"v": Box(-1, 1, (s["n"],))}  # noqa: E731
case("count-of-eleven", a <= 10 * b, each, lambda s, v: {"a": v["v"].sum(axis=1) ** 2, "b": sq(v["v"])}, "n")
case(
    "horizon-of-600",
    x <= 600,
    lambda s: {"q": Box(0, 1)},
    lambda s, v: {"x": s["t"] * v["q"]},
    "t",
    (1, 2, 5),
)
case(
    "dimension-four",
    a <= 3 * b,
    lambda s: {"v": Box(-1, 1, (s["d"],))},
    lambda s, v: {"a": v["v"].sum(axis=1) ** 2, "b": sq(v["v"])},
    "d",
)
PATTERN = np.array([1, -1, -1, 1, 1, -1, 1, -1, -1, -1, 1, 1])
signs = lambda s: {"s": Box(-1, 1, (12,), levels=(-1.0, 1.0))}  # noqa: E731


def agreeing(s: Any, v: Any) -> dict[str, Any]:
    return {"x": sum(v["s"][:, k] * int(PATTERN[k]) for k in range(12))}


case("one-sign-pattern", x <= 11, signs, agreeing)
case(
    "one-sign-pattern-with-numbers",
    x <= 11,
    lambda s: {**signs(s), "p": Box(0, 1)},
    lambda s, v: {"x": agreeing(s, v)["x"] - v["p"]},
)
case("one-sign-pattern-below-zero", x <= 0, signs, lambda s, v: {"x": agreeing(s, v)["x"] - 11})
tiny = lambda power: 1 + sp.Rational(1, 10**power)  # noqa: E731
case(
    "violated-by-a-hair",
    a * tiny(10) <= b,
    lambda s: {"p": Box(1, 2), "q": Box(0, 1)},
    lambda s, v: {"a": v["p"], "b": v["p"] + v["q"]},
)
case(
    "violated-by-less-than-a-hair",
    a * tiny(11) <= b,
    lambda s: {"p": Box(1, 2), "q": Box(0, 1)},
    lambda s, v: {"a": v["p"] ** 2, "b": v["p"] ** 2 + v["q"] ** 2},
)


def cancelling(s: Any, v: Any) -> dict[str, Any]:
    """Large numbers that cancel in exact arithmetic and leave rounding in floats; and a small gap that is true."""
    large = 2.0**30
    left = (v["p"] + large) - large
    return {"a": (left - v["p"]) ** 2 + v["q"] * v["q"], "b": 0 * v["p"]}


case(
    "behind-roundings",
    a <= b + sp.Rational(1, 10**13),
    lambda s: {"p": Box(0, 1), "q": Box(0, 1e-3)},
    cancelling,
)

t = notes.count("t")
HARD["edge-of-a-condition"] = notes.claim(
    "edge-of-a-condition", (1 - a) ** t * b <= b, a <= sp.Rational(2001, 1000)
)
