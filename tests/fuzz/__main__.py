"""All fuzzers, one after the other: `python -m tests.fuzz --out results/fuzz.json`; with --share only this share of the
full numbers.

A run that was stopped goes on where it was: claims are kept one by one in a file beside the result, the other fuzzers'
results as a whole. Both belong to one state of the code; delete them to start again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from verify.engine.records.files import read_json, write_json

NUMBERS = {"claims": 5000, "recursions": 1000, "scenes": 1000, "certificates": 20_000, "records": 500}
"""Number of inputs for each fuzzer."""
ONE_BY_ONE = ("claims", "recursions")
"""Fuzzers that keep each input's result."""


def found_by(fuzzer: str, number: int, seed: int, out: Path) -> dict[str, Any]:
    """Output of a fuzzer: JSON, perhaps followed by text; its exit status is 1 if it found a defect."""
    command = [sys.executable, "-m", f"tests.fuzz.{fuzzer}", "--number", str(number), "--seed", str(seed)]
    if fuzzer in ONE_BY_ONE:
        command += ["--kept", str(out.with_name(f"{out.stem}-{fuzzer}.jsonl"))]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    try:
        summary = json.loads(done.stdout[done.stdout.index("{") : done.stdout.rindex("}") + 1])
    except ValueError:
        summary = {}
    return {"status": done.returncode, "number": number, "seed": seed, "summary": summary}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("results/fuzz.json"))
    parser.add_argument("--share", type=float, default=1.0, help="of the full numbers of inputs")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    numbers = {
        fuzzer: max(1, round(options.share * number))
        for fuzzer, number in NUMBERS.items()
        if find_spec(f"tests.fuzz.{fuzzer}")
    }
    found = read_json(options.out) if options.out.exists() else {}
    for fuzzer, number in numbers.items():
        before = found.get(fuzzer, {})
        if (before.get("number"), before.get("seed")) != (number, options.seed) or not before["summary"]:
            found[fuzzer] = found_by(fuzzer, number, options.seed, options.out)
            write_json(options.out, found)
    failed = [fuzzer for fuzzer, result in found.items() if result["status"]]
    print(
        f"fuzz: {', '.join(numbers)}; {'defects of ' + ', '.join(failed) if failed else 'no defects'}; {options.out}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
