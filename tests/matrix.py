"""The tests in separate environments: Python 3.10 to 3.13, each with the oldest and the newest allowed packages.

    python tests/matrix.py                   all of them, a few minutes each and several gigabytes of disk
    python tests/matrix.py 3.12 oldest       one
    python tests/matrix.py 3.13 tests/nqm    some tests only

UV_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu UV_INDEX_STRATEGY=unsafe-best-match take PyTorch's small builds.

Environments are made by uv (https://docs.astral.sh/uv), which downloads missing Pythons. Prints one line for each
environment: what was run, with which versions, and the result.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
RESOLUTIONS = {"oldest": "lowest-direct", "newest": "highest"}
SHOWN = ("numpy", "scipy", "sympy", "torch")
READY = (
    "numpy",
    "scipy",
    "scikit-learn",
    "torch",
    "matplotlib",
    "pillow",
    "pandas",
    "python-flint",
    "z3-solver",
    "cvxpy",
)
"""Packages for which the oldest version built for a Python is used."""
FORGIVEN = [f"-Wdefault::{kind}Warning" for kind in ("Deprecation", "PendingDeprecation", "Syntax")]
"""Errors of pip about package versions that occur with `constraints.txt` only."""
TESTS = (
    "tests/bounds",
    "tests/nqm",
    "tests/algorithms",
    "tests/verify/test_cli.py",
    "tests/verify/engine/test_known_truth.py",
)
"""Tests that depend most on packages, and take minutes; `make test` runs all tests with the versions of
`constraints.txt`.
"""


def tried(python: str, which: str, tests: Sequence[str]) -> bool:
    """Make an environment, run the tests, and return the result."""
    folder = ROOT / "results" / "matrix" / f"{python}-{which}"
    place = ["uv", "pip", "install", "--quiet", "--python", str(folder / "bin" / "python")]
    ready = [option for package in READY for option in ("--only-binary", package)]
    steps = [
        ["uv", "venv", "--quiet", "--clear", "--python", python, str(folder)],
        [*place, *ready, "--resolution", RESOLUTIONS[which], "-e", f"{ROOT}[test]"],
        [str(folder / "bin" / "python"), "-m", "pytest", "-p", "no:cacheprovider", *FORGIVEN, *tests],
    ]
    for step in steps:
        done = subprocess.run(step, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            print(
                f"{python} {which}: FAILED: {' '.join(step[:4])} ...: {(done.stdout + done.stderr).strip()[-2000:]}"
            )
            return False
    last = done.stdout.strip().splitlines()[-1]
    print(f"{python} {which} ({versions(folder)}): {last}", flush=True)
    return True


def versions(folder: Path) -> str:
    listed = subprocess.run(
        ["uv", "pip", "list", "--format", "json", "--python", str(folder / "bin" / "python")],
        capture_output=True,
        text=True,
        check=True,
    )
    found = {package["name"].lower(): package["version"] for package in json.loads(listed.stdout)}
    return ", ".join(f"{name} {found.get(name, 'absent')}" for name in SHOWN)


def main(arguments: list[str]) -> int:
    if shutil.which("uv") is None:
        print("matrix: needs uv; pip install uv", file=sys.stderr)
        return 2
    pythons = [one for one in PYTHONS if one in arguments] or PYTHONS
    which = [one for one in RESOLUTIONS if one in arguments] or RESOLUTIONS
    tests = [one for one in arguments if "/" in one] or TESTS
    failed = [(python, one) for python in pythons for one in which if not tried(python, one, tests)]
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
