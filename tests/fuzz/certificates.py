"""Mutants of stored certificates, and small random certificates, given to both checkers.

    python -m tests.fuzz.certificates --number 20000 --seed 0

The summary (JSON) lists defects: a checker accepts a claim that is false at exact numbers which meet all assumptions,
or a checker ends without an answer. If only one checker accepts, the other knows fewer rules; this is counted, and is a
defect only if the claim is false.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.fuzz.instances import broken
from verify.check_proof import Refused, check
from verify.engine.certificates import Rejected, recheck
from verify.engine.records.pool import form, read_pool

Proof = dict[str, Any]
Place = tuple[Any, Any]
"""The container of a part of a certificate, and the key or index of this part."""
ROOT = Path(__file__).resolve().parents[2]
LARGEST = 2_500
"""Limit on characters of a stored certificate that is mutated."""
TRIES = 60
"""Instances at which an accepted claim is evaluated."""
SYMBOLS = {
    "x": "real", "y": "real", "z": "nonnegative", "p": "positive", "t": "whole", "n": "count", "a": "sequence positive",
    "u": "family n", "w": "vector",
}  # fmt: skip
SIGNS = ("<", "<=", "=", "!=", ">", ">=")
HEADS = (
    "+",
    "*",
    "-",
    "/",
    "^",
    "max",
    "min",
    "abs",
    "root",
    "call",
    "at",
    "dot",
    "each",
    "slack",
    "total",
    "power",
    "ratio",
    "",
)
NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "-2",
    "1/2",
    "3",
    "10",
    "-0",
    "1/0",
    "1000",
    "99999999999",
    "007",
    "\u0663",
    "1.0",
    "+1",
    "-3/2",
)
STRANGE = (
    None, True, False, 0, 1, -1, 0.0, 1.5, [], {}, "", "None", "slack", "x y", " x", "x\n", "family n", "whole", [[]], ["slack", 0],
    ["slack", "0"], ["slack", True], ["power", "x", "-1"], "['slack', 0]", "['+', 'x', '1']", ["call", "f", "x"], "v0",
)  # fmt: skip
DOMAINS = (
    "real",
    "positive",
    "nonnegative",
    "whole",
    "count",
    "vector",
    "sequence real",
    "family n",
    "family x",
    "integer",
    "",
)
KEYS = {
    "for": ("t", "n", "x", None),
    "whole": (True, False),
    "put": ([0], [1], [], [True]),
    "by": ("defined", 1),
    "every": (0, True),
}


# ------------------------------------------------------------------------------------------------------- mutation


def places(content: Any) -> Iterator[Place]:
    """Places of all parts of a certificate."""
    entries = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    )
    for key, part in entries:
        yield content, key
        yield from places(part)


def _other_number(part: Any, rng: random.Random) -> Any:
    return rng.choice(NUMBERS)


def _of_another_kind(part: Any, rng: random.Random) -> Any:
    return copy.deepcopy(rng.choice(STRANGE))


def _other_head(part: Any, rng: random.Random) -> Any:
    if not isinstance(part, list) or not part:
        return rng.choice(HEADS)
    return [rng.choice(SIGNS if part[0] in SIGNS else HEADS), *part[1:]]


def _part_left_out(part: Any, rng: random.Random) -> Any:
    if not isinstance(part, list | dict) or not part:
        return "0"
    gone = rng.choice(list(part) if isinstance(part, dict) else range(len(part)))
    if isinstance(part, dict):
        return {key: value for key, value in part.items() if key != gone}
    return part[:gone] + part[gone + 1 :]


def _part_repeated(part: Any, rng: random.Random) -> Any:
    return [*part, copy.deepcopy(part[-1])] if isinstance(part, list) and part else [part, part]


def _turned(part: Any, rng: random.Random) -> Any:
    return [*part[:1], *reversed(part[1:])] if isinstance(part, list) else part


def _key_added(part: Any, rng: random.Random) -> Any:
    if not isinstance(part, dict):
        return part
    key = rng.choice(list(KEYS))
    return {**part, key: copy.deepcopy(rng.choice(KEYS[key]))}


def _wrapped(part: Any, rng: random.Random) -> Any:
    return [rng.choice(HEADS), part, *([rng.choice(NUMBERS)] if rng.random() < 0.5 else [])]


CHANGES: Sequence[Callable[[Any, random.Random], Any]] = (
    _other_number,
    _of_another_kind,
    _other_head,
    _part_left_out,
    _part_repeated,
    _turned,
    _key_added,
    _wrapped,
)


def mutant(certificate: Proof, rng: random.Random) -> Proof:
    """A certificate with one or two changed places; often its claim is changed together with its last line, so that it
    may pass.
    """
    changed: Proof = copy.deepcopy(certificate)
    for _ in range(rng.choice((1, 1, 1, 2))):
        every = list(places(changed))
        holder, key = rng.choice(every)
        way = rng.random()
        if way < 0.35:  # another part of the same certificate
            source, other = rng.choice(every)
            holder[key] = copy.deepcopy(source[other])
        elif way < 0.45 and changed.get("symbols"):
            symbols = changed["symbols"]
            if isinstance(symbols, dict):
                symbols[rng.choice(list(symbols))] = rng.choice(DOMAINS)
        else:
            holder[key] = rng.choice(CHANGES)(holder[key], rng)
    lines = changed.get("lines")
    if isinstance(lines, list) and lines and isinstance(lines[-1], dict) and rng.random() < 0.7:
        changed["claim"] = copy.deepcopy(lines[-1].get("show"))
    return changed


# ---------------------------------------------------------------------------------------- random certificates


def formula(rng: random.Random, depth: int) -> Any:
    """A formula in `SYMBOLS`."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice((*"xyzptn", *NUMBERS[:7]))
    inside = [formula(rng, depth - 1) for _ in range(2)]
    return rng.choice(
        (
            ["+", *inside],
            ["*", *inside],
            ["-", *inside],
            ["-", inside[0]],
            ["/", inside[0], rng.choice(("p", "n", "2", ["+", "z", "1"], inside[1]))],
            ["^", inside[0], rng.choice(("2", "3", "-1", "t", ["+", "t", "1"], ["-", "n", "1"], "x"))],
            [rng.choice(("max", "min")), *inside],
            ["abs", inside[0]],
            ["root", "2", rng.choice(("z", ["^", inside[0], "2"], inside[0]))],
            ["call", "f", inside[0]],
            ["at", "a", inside[0]],
            ["dot", "w", "w"],
            ["each", "n", "u", rng.choice(("u", "w"))],
            ["dot", ["total", "u"], "w"],
        )
    )


def made(rng: random.Random) -> Proof:
    """A certificate with one or two assumptions, perhaps a fact for every t or cases, and a claim that its last line
    may prove.
    """
    lines: list[Any] = []
    for _ in range(rng.randrange(3)):
        relation = [rng.choice(SIGNS), formula(rng, 1), rng.choice(("0", formula(rng, 1)))]
        lines.append({"given": relation, "by": "condition", **({"for": "t"} if rng.random() < 0.2 else {})})
    shown, facts = formula(rng, 2), [["slack", k] for k in range(len(lines))]
    by = rng.choice(
        (
            shown,
            *facts,
            *(["*", fact, formula(rng, 1)] for fact in facts),
            *(["+", fact, shown] for fact in facts),
        )
    )
    of = _without_slacks(by, lines)
    small = formula(rng, 1)
    goal = rng.choice(
        ([rng.choice(("<=", "<", "!=", "=")), small, ["+", small, of]], [rng.choice((">=", ">")), of, "0"])
    )
    last: Any = {"show": goal, "as": by}
    way = rng.random()
    if way < 0.2:
        last = {"show": goal, "split": formula(rng, 1), "parts": [[last], [copy.deepcopy(last)]]}
    elif way < 0.3:
        base, step = ({"show": _at(goal, "t", at), "as": _at(by, "t", at)} for at in ("0", ["+", "t", "1"]))
        last = {"show": goal, "induct": "t", "base": [base], "step": [step]}
    elif way < 0.4 and lines:
        at = rng.choice(("t", "n", "3", ["+", "t", "n"], "x"))
        last = {"show": _at(lines[0]["given"], "t", at), "every": 0, "at": at}
    lines.append(last)
    return {"symbols": dict(SYMBOLS), "lines": lines, "claim": last["show"]}


def _without_slacks(tree: Any, lines: Sequence[Any]) -> Any:
    if not isinstance(tree, list):
        return tree
    if tree[0] == "slack":
        sign, left, right = lines[tree[1]]["given"]
        return ["-", left, right] if sign in (">", ">=") else ["-", right, left]
    return [_without_slacks(part, lines) for part in tree]


def _at(tree: Any, name: str, new: Any) -> Any:
    return (
        [_at(part, name, new) for part in tree] if isinstance(tree, list) else new if tree == name else tree
    )


# ------------------------------------------------------------------------------------------------------- judgment


def stored() -> list[Proof]:
    """Small stored certificates, one of each form, in a fixed order."""
    found: dict[str, Proof] = {}
    for path in sorted((ROOT / "verify" / "answers").glob("*.certificates.xz")):
        pool = read_pool(path)
        for name in sorted(pool):
            if len(json.dumps(pool[name])) <= LARGEST:
                found.setdefault(form(pool[name]), dict(pool[name]))
    return list(found.values())


def accepts(checker: Callable[[Proof], Any], refusal: type[Exception], proof: Proof) -> bool | str:
    """Whether a checker accepts a certificate; if it fails in another way, a description."""
    try:
        checker(proof)
    except refusal:
        return False
    except Exception as error:  # this is the defect that is searched
        return repr(error)[:300]
    return True


def run(number: int, seed: int, progress: Callable[[int], None] = lambda done: None) -> dict[str, Any]:
    """The answers of both checkers about this number of mutants and random certificates."""
    rng, kept, began = random.Random(seed), stored(), time.monotonic()
    counts: Counter[str] = Counter()
    wrong, internal, alone = list[Any](), list[Any](), list[Any]()
    for done in range(number):
        proof = mutant(rng.choice(kept), rng) if rng.random() < 0.7 else made(rng)
        proof = mutant(proof, rng) if rng.random() < 0.1 else proof
        first, second = accepts(check, Refused, proof), accepts(recheck, Rejected, proof)
        internal += [
            {"error": said, "certificate": proof} for said in (first, second) if isinstance(said, str)
        ]
        kind = {
            (True, True): "by both",
            (True, False): "by check_proof alone",
            (False, True): "by recheck alone",
        }
        counts[kind.get((first is True, second is True), "by neither")] += 1
        if True in (first, second):
            met, point = broken(proof, rng, TRIES)
            counts["claims evaluated"] += met > 0
            counts["instances"] += met
            if point is not None:
                wrong.append({"check_proof": first, "recheck": second, "point": point, "certificate": proof})
            elif first != second and len(alone) < 20:
                alone.append({"check_proof": first, "recheck": second, "certificate": proof})
        progress(done + 1)
    return {
        "number": number,
        "seed": seed,
        "seconds": round(time.monotonic() - began, 1),
        "stored certificates": len(kept),
        "accepted": dict(sorted(counts.items())),
        "wrong": wrong,
        "unsound disagreements": [entry for entry in wrong if entry["check_proof"] != entry["recheck"]],
        "internal errors": internal,
        "accepted by one alone": alone,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Status 1 if there is a defect."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.certificates", description=__doc__)
    parser.add_argument("--number", type=int, default=20_000, help="of certificates")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    began = time.monotonic()

    def progress(done: int) -> None:
        if done % 200 == 0:
            print(
                f"\r{done} of {asked.number}, {time.monotonic() - began:.0f} s",
                end="",
                file=sys.stderr,
                flush=True,
            )

    found = run(asked.number, asked.seed, progress)
    print(file=sys.stderr)
    print(json.dumps(found, indent=1))
    return 1 if found["wrong"] or found["internal errors"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
