"""Why no instance was tried: the condition that no instance met, and the nearest miss."""

from __future__ import annotations

import numpy as np
import sympy as sp

from bounds.symbols import domain_of
from nqm.fields import to_float
from verify.engine.model.arithmetic import side
from verify.engine.model.question import Question
from verify.engine.model.scene import allowed_shapes, met_by
from verify.engine.search.adversary import drawn, in_domains, margins

BATCH = 256


def why_none(question: Question, seed: int) -> str:
    """The condition that the fewest random instances meet, and how close they came; if quantities are undefined, where."""
    scene = question.scene
    shapes = allowed_shapes(scene, question.conditions)
    if not shapes:
        broken = [c for c in question.conditions if not any(met_by(c, shape) for shape in scene.shapes)]
        named = ", ".join(map(str, broken)) or "all conditions together"
        return f"no size that the scene {scene.name!r} lists meets {named}"
    batches = [drawn(scene, question.conditions, tuple(shape.items()), BATCH, seed) for shape in shapes]
    met_all = sum(int(allowed.sum()) for *_, allowed in batches)
    if met_all:
        for symbol in sorted(question.relation.free_symbols, key=str):
            of_it = (sp.Eq(symbol, symbol, evaluate=False),)
            if not any(
                (in_domains(of_it, values, BATCH) & allowed).any() for _, _, values, allowed in batches
            ):
                return f"{symbol} is {domain_of(symbol)} in none of {met_all} random instances that meet the conditions"
        return f"a side of {question.relation} has no value in any of {met_all} random instances that meet the others"
    rarest, fewest, tried, miss = "that every quantity is finite and in its domain", 0, 0, ""
    shares = []
    for condition in question.conditions:
        met, nearest, number = 0, np.inf, 0
        for _, _, values, _ in batches:
            margin = np.nan_to_num(margins(condition, values, BATCH)[0], nan=np.inf)
            met += int((margin <= 1e-9).sum())
            number += BATCH
            best = int(margin.argmin())
            if float(margin[best]) < nearest:
                nearest = float(margin[best])
                ends = (_at(side(part, values, "float", BATCH), best) for part in condition.args)
                miss = "left side {:.4g}, right side {:.4g}".format(*ends)
        shares.append((met, number, str(condition), miss))
    if shares and min(shares)[0] < min(shares)[1]:
        fewest, tried, rarest, miss = min(shares)
        return f"{rarest} is met by {fewest} of {tried} random instances; nearest: {miss}"
    return f"no instance meets {rarest}"


def _at(value: object, index: int) -> float:
    flat = to_float(value).reshape(-1)
    return float(flat[index] if len(flat) == BATCH else flat[0])
