"""Why no instance was tried: the condition that no instance met, and the nearest miss."""

from __future__ import annotations

import numpy as np
import sympy as sp

from bounds.symbols import domain_of
from nqm.fields import to_float
from verify.engine.model.arithmetic import side
from verify.engine.model.question import Question
from verify.engine.model.scene import allowed_shapes, met_by
from verify.engine.search.adversary import in_domains, margins, random_batch
from verify.engine.verdict import Reason, because

BATCH = 256


def why_none(question: Question, seed: int) -> Reason:
    """The condition that the fewest random instances meet, and how close they came; if quantities are undefined, where."""
    scene = question.scene
    shapes = allowed_shapes(scene, question.conditions)
    if not shapes:
        broken = [c for c in question.conditions if not any(met_by(c, shape) for shape in scene.shapes)]
        return because("no-size", scene=scene.name, conditions=list(map(str, broken)))
    batches = [
        random_batch(scene, question.conditions, tuple(shape.items()), BATCH, seed) for shape in shapes
    ]
    met_all = sum(int(allowed.sum()) for *_, allowed in batches)
    if met_all:
        for symbol in sorted(question.relation.free_symbols, key=str):
            of_it = (sp.Eq(symbol, symbol, evaluate=False),)
            if not any(
                (in_domains(of_it, values, BATCH) & allowed).any() for _, _, values, allowed in batches
            ):
                return because("outside", symbol=str(symbol), domain=domain_of(symbol), trials=met_all)
        return because("no-value", relation=str(question.relation), trials=met_all)
    shares = []
    for condition in question.conditions:
        met, nearest, number, miss = 0, np.inf, 0, list[float]()
        for _, _, values, _ in batches:
            margin = np.nan_to_num(margins(condition, values, BATCH)[0], nan=np.inf)
            met += int((margin <= 1e-9).sum())
            number += BATCH
            best = int(margin.argmin())
            if float(margin[best]) < nearest:
                nearest = float(margin[best])
                miss = [_at(side(part, values, "float", BATCH), best) for part in condition.args]
        shares.append((met, number, str(condition), miss))
    if shares and min(shares)[0] < min(shares)[1]:
        met, tried, rarest, nearest_sides = min(shares)
        return because("rarely-met", condition=rarest, met=met, tried=tried, nearest=nearest_sides)
    return because("not-finite")


def _at(value: object, index: int) -> float:
    flat = to_float(value).reshape(-1)
    return float(flat[index] if len(flat) == BATCH else flat[0])
