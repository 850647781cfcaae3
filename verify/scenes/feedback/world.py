"""Compressed gradient descent, error feedback and EF21 on a quadratic loss on a line: whole runs."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from bounds.feedback.theorem import L, mu, s
from bounds.relations import ge, le
from nqm.fields import Array
from verify.engine.model.scene import Box, Named, Scene, Shape, Values

curvature, err = sp.Symbol("curvature", real=True), sp.Symbol("err", nonnegative=True)
ASSUMED = (le(curvature, L), ge(curvature, mu), le(err, s))
"""A smooth and strongly convex loss, and compressors with |C(v) - v| <= s |v|."""


def _space(shape: Shape) -> dict[str, Box]:
    return {
        "mu": Box(0.1, 1),
        "condition": Box(1.1, 10),
        "place": Box(-1, 2, levels=(-1, 0, 0, 0.5, 1, 1, 2)),
        "slower": Box(0.02, 1.1),
        "s_free": Box(0.01, 0.99),
        "share_err": Box(0, 1.5, levels=(0, 0.5, 1, 1, 1.5)),
        "sign": Box(-1, 1, levels=(-1, 1)),
        "longer": Box(1, 4, levels=(1, 1, 1, 1.5, 4)),
        "other": Box(1, 1.5, levels=(1, 1, 1, 0.5, 1.5)),
        "x": Box(-2, 2),
        "e": Box(-2, 2),
    }


def _constants(values: Named, *, rate: bool) -> Values:
    """The tolerance of the compressor, from z if the theorem has a rate, and the step size."""
    mu = values["mu"]
    L = values["condition"] * mu
    ratio = (L - mu) / (L + mu)
    z = ratio + values["slower"] * (1 - ratio)
    s = values["other"] * z * (z - ratio) / (1 - ratio * z) if rate else values["s_free"]
    eta = 2 * (1 - s) / ((L + mu) * (1 + s)) if rate else 2 / ((1 - s) * mu + (1 + s) * L)
    return {
        **{"L": L, "z": z, "s": s, "eta": values["longer"] * eta},
        "curvature": mu + values["place"] * (L - mu),
        "err": values["share_err"] * s,
    }


def _descent(shape: Shape, values: Named) -> Values:
    """One step along a compressed gradient."""
    found = _constants(values, rate=False)
    h, x = found["curvature"], values["x"]
    after = x - found["eta"] * (1 + found["err"] * values["sign"]) * h * x
    return {**found, "gap": h / 2 * x**2, "gap_next": h / 2 * after**2}


def _feedback(shape: Shape, values: Named) -> Values:
    """Steps of error feedback."""
    found = _constants(values, rate=True)
    kept, h, x, e = 1 - found["err"] * values["sign"], found["curvature"], values["x"], values["e"]

    def psi(x: Array, e: Array) -> Array:
        return (x - e) ** 2 + e**2 / found["s"]

    start = psi(x, e)
    for _ in range(shape["t"]):
        wanted = e + found["eta"] * h * x
        x, e = x - kept * wanted, (1 - kept) * wanted
    return {**found, "psi_0": start, "psi": psi(x, e)}


def _difference(shape: Shape, values: Named) -> Values:
    """Steps of EF21."""
    found = _constants(values, rate=True)
    kept, h, x, d = 1 - found["err"] * values["sign"], found["curvature"], values["x"], values["e"]

    def psi(x: Array, d: Array) -> Array:
        return found["s"] * (h * x) ** 2 + (h * x - d) ** 2

    start = psi(x, d)
    for _ in range(shape["t"]):
        x = x - found["eta"] * d
        d = d + kept * (h * x - d)
    return {**found, "psi_0": start, "psi": psi(x, d)}


def _world(name: str, compute: Callable[[Shape, Named], Values], runs: tuple[int, ...]) -> Scene:
    return Scene(
        name=f"{name} on a line", shapes=tuple({"t": t} for t in runs), space=_space, compute=compute
    )


DESCENT = _world("compressed gradient descent", _descent, (1,))
EF = _world("error feedback", _feedback, (1, 2, 4))
EF21 = _world("EF21", _difference, (1, 2, 4))
