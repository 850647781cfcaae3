"""Would a mistake in the code slip through? Change it at random places, and count what the tests of its own room notice.

    python tests/mutants_of_code.py 20                     20 mutants of each room, sampled by the seed of the day
    python tests/mutants_of_code.py 20 nqm --seed 7        of one room, or one file

Mutants are made by Cosmic Ray (operators exchanged, numbers moved by one, conditions turned, loops not run); what is no Python
is none. Each is tried in a copy of the repository: first by the quickest tests that run the statement that is changed, or where none
does by those that are named like the file or import it; then by all of the room. Tests run in a fork of
this process, which has imported what takes long. Prints every mutant that survives, as a difference, to be caught by a
new test or to be recognised as one that changes nothing (docs/performance.md).
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = "generative generative_numbers systems systems_formulas systems_fedcil systems_images systems_memories systems_pfeddil"
"""Tests of algorithms that need networks."""
ROOMS = {
    "algorithms": ["tests/algorithms", *(f"tests/networks/test_{name}.py" for name in SYSTEMS.split())],
    "nqm": ["tests/nqm"],
    "verify/engine": ["tests/verify/engine", "tests/verify/test_engine.py", "tests/verify/test_soundness.py"],
}
"""Rooms and their own tests; those of the engine use statements of no paper."""
BESIDE = (
    "backends certificates changed_numbers consistency facts hunt index induction mutants processes replay"
)
"""Tests of single modules of the engine; slower, so only for the modules that they import."""
IMPORTED = ("numpy", "scipy.stats", "scipy.optimize", "sympy", "torch", "pytest", "flint")
PASSED_OVER = ("NoOp", "BitOr", "ExceptionReplacer", "RemoveDecorator", "Keyword", "Variable")
"""Operators that change nothing, or unions of types in annotations, or what no test could notice, as a cache."""
SLOWER = 5
"""A mutant that takes so many times as long as the tests of its room do without it hangs, and is noticed."""
QUICKEST = 40
"""Tests that are tried first, of those that run a changed statement."""


def mutants(files: list[Path], number: int, seed: int) -> Iterator[tuple[Path, str]]:
    """Files with mutated contents, sampled evenly over all places where an operator applies."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    operators = [
        get_operator(name) for name in operator_names() if not any(word in name for word in PASSED_OVER)
    ]
    kinds = [kind() for kind in operators if not kind.arguments()]
    places = []
    for file in files:
        nodes = list(ast_nodes(get_ast_from_path(file)))
        for kind in kinds:
            count = sum(len(list(kind.mutation_positions(node))) for node in nodes)
            places += [(file, kind, occurrence) for occurrence in range(count)]
    random.Random(seed).shuffle(places)
    made = ((file, mutate_code(file.read_bytes(), kind, occurrence)) for file, kind, occurrence in places)
    texts = ((file, text if isinstance(text, str) else text.decode()) for file, text in made if text)
    yield from islice((each for each in texts if _is_python(each[1])), number)


def _is_python(text: str) -> bool:
    try:
        compile(text, "mutant", "exec")
    except SyntaxError:
        return False
    return True


class Watcher:
    """A plugin of pytest that writes down which lines of some folder each test runs, quickest test first."""

    def __init__(self, folder: Path, result: Path) -> None:
        self.folder, self.result = f"{folder}/", result
        self.seconds: dict[str, float] = {}
        self.lines: dict[str, set[tuple[str, int]]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Watch one test."""
        lines = self.lines.setdefault(item.nodeid, set())

        def watched(frame: FrameType, event: str, argument: Any) -> Any:
            code = frame.f_code.co_filename
            if not code.startswith(self.folder):
                return None
            lines.add((code.removeprefix(self.folder), frame.f_lineno))
            return watched

        begun = time.process_time()
        sys.settrace(watched)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            self.seconds[item.nodeid] = time.process_time() - begun

    def pytest_sessionfinish(self) -> None:
        """Write: file -> line -> tests."""
        found: dict[str, dict[int, list[str]]] = {}
        for test in sorted(self.lines, key=self.seconds.__getitem__):
            for file, line in sorted(self.lines[test]):
                found.setdefault(file, {}).setdefault(line, []).append(test)
        self.result.write_text(json.dumps(found))


def changed_lines(before: str, changed: str) -> set[int]:
    """Lines of the innermost statements whose lines differ."""
    old, new = before.splitlines(), changed.splitlines()
    differ = [line for line, pair in enumerate(zip(old, new, strict=False), 1) if pair[0] != pair[1]]
    spans = [
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in ast.walk(ast.parse(before))
        if isinstance(node, ast.stmt)
    ]
    around = [
        min((span for span in spans if line in span), key=len, default=range(line, line + 1))
        for line in differ
    ]
    return {line for span in around for line in span}


def noticed(copy: Path, tests: list[str], seconds: float, plugins: Sequence[Any] = ()) -> bool:
    """Whether a test fails, or takes much longer than it should."""
    child = os.fork()
    if not child:
        os.setsid()
        os.chdir(copy)
        sys.path[:1], sys.dont_write_bytecode = [str(copy)], True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        os._exit(int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests], plugins=[*plugins])))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status != 0
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def about(file: Path, room: str, copy: Path) -> list[str]:
    """Those of a room's tests that are named like a file, or import it."""
    module = str(file.relative_to(ROOT).with_suffix("")).replace("/", ".")
    imported = re.compile(
        rf"{re.escape(module)}\b|from {re.escape(module.rpartition('.')[0])} import .*\b{file.stem}\b"
    )
    beside = [f"tests/verify/test_{name}.py" for name in BESIDE.split() if room == "verify/engine"]
    files = [
        one
        for some in (*ROOMS[room], *beside)
        for one in sorted((copy / some).rglob("test_*.py")) or [copy / some]
    ]
    return [
        str(one.relative_to(copy))
        for one in files
        if one.stem == f"test_{file.stem}" or imported.search(one.read_text())
    ]


def tried(room: str, files: list[Path], number: int, seed: int, copy: Path) -> tuple[int, int]:
    """How many mutants of a room were noticed, of how many."""
    tests, caught, total, begun = ROOMS[room], 0, 0, time.monotonic()
    written = copy / "lines.json"
    if noticed(copy, tests, 3600, [Watcher(copy / room, written)]):
        raise SystemExit(f"{room}: its tests fail before anything is changed")
    limit, seen = SLOWER * (time.monotonic() - begun) + 60, json.loads(written.read_text())
    for file, changed in mutants(files, number, seed):
        name = file.relative_to(ROOT)
        before = file.read_text()
        (copy / name).write_text(changed)
        total += 1
        print(f"{total} of {number}: {name}", file=sys.stderr, flush=True)
        of_line = seen.get(str(file.relative_to(ROOT / room)), {})
        running = [of_line.get(str(line), []) for line in changed_lines(before, changed)]
        first = max(running, key=len, default=[])[:QUICKEST] or about(file, room, copy)
        if any(noticed(copy, some, limit) for some in (first, tests) if some):
            caught += 1
        else:
            lines = difflib.unified_diff(
                before.splitlines(), changed.splitlines(), str(name), "mutant", lineterm="", n=1
            )
            print("\n".join(["", *lines]), flush=True)
        (copy / name).write_text(before)
    return caught, total


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("number", nargs="?", type=int, default=20, help="mutants of each room (default 20)")
    parser.add_argument("only", nargs="*", help="rooms or files; all rooms if none")
    parser.add_argument("--seed", type=int, default=int(time.time() // 86400), help="default: the day")
    options = parser.parse_args()
    for name in IMPORTED:
        import_module(name)
    asked = [Path(name) for name in options.only or ROOMS]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "results", "__pycache__"))
        for path in asked:
            room = next(name for name in ROOMS if path.is_relative_to(name))
            files = [ROOT / path] if path.suffix else sorted((ROOT / path).rglob("*.py"))
            caught, total = tried(room, files, options.number, options.seed, copy)
            print(f"{path}: {caught} of {total} mutants are noticed by the tests of {room}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
