"""Random scenes with claims about them, judged by the engine and by an independent simulator in fractions.

    python -m tests.fuzz.scenes --number 1000 --seed 0

The summary (JSON) lists defects: a claim that is true by construction and is refuted or called vacuous or inconsistent,
a counterexample that the simulator does not confirm, a claim that is proved although the simulator breaks it at a
listed size, and an internal error.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from bounds.relations import eq, le
from tests.fuzz.models import MODELS, Model, Numbers, Rng, Term, fraction_of, rational
from verify import Notes
from verify.engine.judge import judge
from verify.engine.model.validation import validate
from verify.engine.work.errors import UsageError
from verify.engine.work.processes import OutOfTime, at_most
from verify.report.wording import sentence

SECONDS = 60.0
"""Time limit of one claim in seconds."""
TRIES = 60
"""Random instances of each size at which a proved claim is simulated."""


@dataclass(frozen=True)
class Case:
    """A claim, whether it is known to be true, and how the simulator compares its sides."""

    relation: Any
    left: Term
    sign: str
    right: Term
    true: bool


def case_of(model: Model, rng: Rng) -> Case:
    """A claim that is true by construction, or a guess."""
    if not model.terms or rng.random() < 0.4:
        left, sign, right = model.truths[rng.integers(len(model.truths))]
        return Case((eq if sign == "=" else le)(left.symbolic, right.symbolic), left, sign, right, true=True)
    if rng.random() < 0.5:  # a true claim with one side changed
        left, sign, right = model.truths[rng.integers(len(model.truths))]
        right = _scaled(right, fraction_of(rng, "1/2", "9/10", "11/10", "2"))
    else:
        one, other, third = (model.terms[n] for n in rng.integers(len(model.terms), size=3))
        sign = str(rng.choice(["<=", "="], p=[0.8, 0.2]))
        left, right = one, _sum(_scaled(other, fraction_of(rng, "1", "2", "-1", "1/3")), third)
    return Case((eq if sign == "=" else le)(left.symbolic, right.symbolic), left, sign, right, true=False)


def _scaled(term: Term, factor: Fraction) -> Term:
    return Term(rational(factor) * term.symbolic, lambda v: factor * term.plain(v))


def _sum(one: Term, other: Term) -> Term:
    return Term(one.symbolic + other.symbolic, lambda v: one.plain(v) + other.plain(v))


def holds(case: Case, values: Numbers) -> bool:
    """Whether the claim holds at simulated numbers."""
    left, right = Fraction(case.left.plain(values)), Fraction(case.right.plain(values))
    return left == right if case.sign == "=" else left <= right


def _simulated(model: Model, rng: Rng) -> Iterator[Numbers]:
    """Quantities at random instances of every size of the scene, in fractions."""
    assert model.simulate is not None
    for shape in model.scene.shapes:
        for _ in range(TRIES):
            parameters = {
                name: np.vectorize(lambda x: Fraction(x).limit_denominator(64), otypes=[object])(
                    rng.choice([rng.uniform(box.low, box.high, box.shape), np.full(box.shape, box.high)])
                    if not box.shape
                    else rng.uniform(box.low, box.high, box.shape)
                )
                for name, box in model.scene.space(shape).items()
            }
            parameters = {n: np.array(v, dtype=object) for n, v in parameters.items()}
            sizes: Numbers = {}
            if "eta" in parameters:
                top = max(parameters["curvature"].flat)
                sizes = {"eta": np.array(parameters["eta"][()] / top, dtype=object)}
            yield model.simulate(shape, parameters, sizes)


def _read(part: Mapping[str, Any]) -> Numbers:
    return {n: np.vectorize(Fraction, otypes=[object])(np.array(v, dtype=object)) for n, v in part.items()}


def defect_of(model: Model, case: Case, record: Mapping[str, Any], rng: Rng) -> str:
    """The fault of a verdict; empty if there is none."""
    verdict, witness = record["verdict"], record["witness"]
    if case.true and verdict in ("refuted", "gap", "inconsistent", "vacuous"):
        return f"{verdict} although it is true by construction"
    if model.simulate is None:
        return ""
    if verdict == "refuted" and record["method"] == "exact":
        if witness["shape"] not in [dict(shape) for shape in model.scene.shapes]:
            return f"the counterexample has the size {witness['shape']}, which the scene does not list"
        there = model.simulate(witness["shape"], _read(witness["parameters"]), _read(witness["steps"]))
        if holds(case, there):
            return "the simulator does not confirm the counterexample"
    if verdict in ("proved", "proved (cited)") and not all(
        holds(case, values) for values in _simulated(model, rng)
    ):
        return "proved, and the simulator breaks it"
    return ""


def judged(number: int, seed: int) -> dict[str, Any]:
    """One claim about one random scene: its verdict, and the fault of the verdict."""
    rng = np.random.default_rng([seed, number])
    makers, weights = zip(*MODELS, strict=True)
    model = makers[rng.choice(len(makers), p=weights)](rng)
    case = case_of(model, rng)
    said = {"number": number, "scene": model.scene.name, "claim": str(case.relation), "true": case.true}
    try:
        claim = Notes("fuzz").claim(f"claim{number}", case.relation, *model.conditions, scene=model.scene)
        with at_most(SECONDS):
            validate(claim)
            record = judge(claim, "quick", seed)
    except OutOfTime:
        return {**said, "verdict": "out of time", "defect": ""}
    except UsageError as error:
        return {**said, "verdict": "refused", "defect": f"refused: {error}" if case.true else "", "reason": str(error)}  # fmt: skip
    except Exception as error:
        return {**said, "verdict": "error", "defect": f"{type(error).__name__}: {error}"}
    defect = defect_of(model, case, record, rng)
    return {**said, "verdict": record["verdict"], "reason": sentence(record["reason"]), "defect": defect}


def fuzz(number: int, seed: int) -> dict[str, Any]:
    """Verdicts on this number of claims, and every defect."""
    start, found = time.perf_counter(), []
    for k in range(number):
        found.append(judged(k, seed))
        if sys.stderr.isatty():
            print(f"\r{k + 1} of {number}", end="", file=sys.stderr)
    errors = [case for case in found if case["verdict"] == "error"]
    wrong = [case for case in found if case["defect"] and case["verdict"] != "error"]
    counts = Counter(f"{'true' if case['true'] else 'any'}: {case['verdict']}" for case in found)
    return {
        "fuzzer": "scenes",
        "number": number,
        "seed": seed,
        "wrong": wrong,
        "errors": errors,
        "verdicts": dict(sorted(counts.items())),
        "seconds": round(time.perf_counter() - start, 1),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--number", type=int, default=1000, help="of scenes")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    found = fuzz(options.number, options.seed)
    print(json.dumps(found, indent=1))
    summary = ", ".join(f"{count} {name}" for name, count in found["verdicts"].items())
    print(
        f"scenes: {options.number} claims, {len(found['wrong'])} wrong, {len(found['errors'])} internal errors ({summary})",
        file=sys.stderr,
    )
    return 1 if found["wrong"] or found["errors"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
