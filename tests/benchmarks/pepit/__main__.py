"""The table of all rates: `python -m tests.benchmarks.pepit [--pepit] [NAME ...]`."""

from __future__ import annotations

import argparse
import contextlib
import io
import time
from importlib import import_module
from statistics import median

import sympy as sp

import tests.benchmarks.pepit.all  # noqa: F401
from tests.benchmarks.pepit.rate import RATES, Rate
from verify.engine.model.claim import BUDGETS

SHARES = (sp.S.One, sp.Rational(24, 25), sp.Rational(7, 10))
"""The true rate, and variants that are too good by 4 % and 30 %."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="functions; all if none is named")
    parser.add_argument(
        "--pepit", action="store_true", help="PEPit's number and time beside each, where it is installed"
    )
    options = parser.parse_args()
    chosen = [one for one in RATES if not options.names or one.run.__name__ in options.names]
    counts = dict.fromkeys(SHARES, 0)
    asked = dict.fromkeys(SHARES, 0)
    seconds = []
    print(f"{'rate':44}  true        4 %       30 %      seconds  PEPit")
    for one in chosen:
        row, spent = [], []
        for share in SHARES if one.tight else SHARES[:1]:
            start = time.perf_counter()
            verdict = judged(one, share)
            spent.append(time.perf_counter() - start)
            counts[share] += verdict == ("proved" if share == 1 else "refuted")
            asked[share] += 1
            row.append(verdict)
        seconds += spent
        row += ["-"] * (3 - len(row))
        beside = _pepit(one) if options.pepit else ""
        print(f"{one.name:44}  {row[0]:10}  {row[1]:8}  {row[2]:8}  {max(spent):7.2f}  {beside}", flush=True)
    for share, what in zip(
        SHARES, ("true, proved", "4 % too good, refuted", "30 % too good, refuted"), strict=True
    ):
        print(f"{what}: {counts[share]} of {asked[share]}")
    print(f"seconds a verdict: median {median(seconds):.2f}, most {max(seconds):.2f}")
    return 0


def judged(one: Rate, share: sp.Rational) -> str:
    """The verdict on a multiple of a rate; the error if judging failed."""
    try:
        claim = one.claim(share)
        found = claim.checks[0](claim, BUDGETS["default"], 0).verdict
    except Exception as error:
        return type(error).__name__
    return str(found)


def _pepit(one: Rate) -> str:
    if one.pepit is None:
        return "-"
    place, arguments = one.pepit
    try:
        module = import_module(f"PEPit.examples.{place}")
        function = getattr(module, f"wc_{place.split('.')[-1]}")
        start = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            found = function(**arguments, verbose=0)
        return f"{found[0]:.6g} ({time.perf_counter() - start:.1f} s)"
    except Exception as error:
        return f"{type(error).__name__}"


if __name__ == "__main__":
    raise SystemExit(main())
