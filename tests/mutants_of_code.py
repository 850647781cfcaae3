"""Would a mistake in the code slip through? Change the code at random places, and count the changes that the tests of
its folder notice.

    python tests/mutants_of_code.py 20                     20 mutants of each folder, sampled by the seed of the day
    python tests/mutants_of_code.py 20 nqm --seed 7        of one folder, or one file python tests/mutants_of_code.py 60
    verify/engine --seed 7 --keep FOLDER --seconds 60

Mutants are made by Cosmic Ray (operators exchanged, numbers moved by one, conditions turned, loops not run); what is no Python is none.
Each is tried in a copy of the repository by the tests that run the statement that is changed: first by the likeliest, those of files
that are named like the changed one or import it, quickest first, then by the others, then by what else is in the likeliest files, each
as far as `--seconds` of CPU time go. Where no test runs it (names outside functions, read where a module is imported), all that run
its file count. Tests run in a fork of this process, which has imported what takes long. In the end all tests that noticed something run
once where files have one more comment and nothing is changed; what one notices that fails then is not counted.

Limits, numbers under a module's name in capitals, are counted apart: how far a search goes, how much is kept, what counts as nothing.
Whether one is 400 or 401 no test of behaviour should hold.

Prints every mutant that survives, as a difference, to be caught by a new test or to be recognised as one that changes nothing
(docs/trust.md). With `--keep` it writes down which tests run which lines, and what came of each mutant: the next sample begins at
once, and a sample goes on where it stopped, with those tried again that survived.
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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = "generative generative_numbers systems systems_formulas systems_fedcil systems_images systems_memories systems_pfeddil"
"""Tests of algorithms that need networks."""
FOLDERS = {
    "algorithms": ["tests/algorithms", *(f"tests/networks/test_{name}.py" for name in SYSTEMS.split())],
    "nqm": ["tests/nqm"],
    "verify/engine": ["tests/verify/engine"],
}
"""Folders with their tests; the tests of the engine use no paper's statements."""
BESIDE = "backends certificates consistency facts hunt index induction mutants processes replay"
"""Slower tests of single modules of the engine, run only for the modules that they import."""
IMPORTED = ("numpy", "scipy.stats", "scipy.optimize", "sympy", "torch", "pytest", "flint")
PASSED_OVER = ("NoOp", "BitOr", "ExceptionReplacer", "RemoveDecorator", "Keyword", "Variable")
"""Operators that change nothing, or only annotations, or parts that no test can notice, such as caches."""
SLOWER = 10
"""A mutant whose tests take this many times longer than without it, and at least a minute, hangs and counts as noticed.
"""
FIRST = 40
"""Number of tests tried first among those that run a changed statement."""
HANGS = "takes too long"
CAPITALS = re.compile(r"[A-Z_(), ]+")
ARITHMETIC = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.expr_context)
"""Kinds of nodes of which a limit consists."""


def mutants(files: list[Path], number: int, seed: int) -> Iterator[tuple[Path, str]]:
    """Files with mutated contents, sampled evenly over all places at which an operator applies."""
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


@dataclass
class Watched:
    """Observations about the tests of a folder: CPU seconds of each, and which tests run each line of each file.

    `files` are the test files, each with a digest.
    """

    seconds: Mapping[str, float] = field(default_factory=dict)
    lines: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def running(self, file: str, lines: set[int]) -> set[str]:
        """Tests that run one of these lines of a file; if there are none, tests that run any line of it."""
        of_file = self.lines.get(file, {})
        found = {test for line in lines for test in of_file.get(str(line), [])}
        return found or {test for tests in of_file.values() for test in tests}

    def in_order(self, tests: set[str], likely: Sequence[str], seconds: float) -> list[str]:
        """Tests of likely files first, quickest first, up to a total number of seconds, but at least one."""
        ordered = sorted(tests, key=lambda t: (t.partition("::")[0] not in likely, self.seconds[t], t))
        sums = accumulate(self.seconds[test] for test in ordered)
        return [test for test, until in zip(ordered, sums, strict=True) if until <= seconds] or ordered[:1]


class Watcher:
    """A plugin of pytest that records the observations of a `Watched`."""

    def __init__(self, folder: Path, result: Path) -> None:
        from coverage import Coverage

        self.folder, self.result = f"{folder}/", result
        self.coverage = Coverage(data_file=None, include=[f"{self.folder}*"], config_file=False)
        self.seconds: dict[str, float] = {}

    def pytest_sessionstart(self) -> None:
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Watch one test."""
        self.coverage.switch_context(item.nodeid)
        begun = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.process_time() - begun
            self.coverage.switch_context("")

    def pytest_sessionfinish(self) -> None:
        """Save the observations; lines that are run only by imports have no tests."""
        self.coverage.stop()
        data = self.coverage.get_data()
        lines = {
            file.removeprefix(self.folder): {
                line: sorted(filter(None, tests)) for line, tests in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        self.result.write_text(json.dumps({"seconds": self.seconds, "lines": lines}))


class Failures:
    """A plugin of pytest that records which tests fail, and which files cannot be collected."""

    def __init__(self, result: Path) -> None:
        self.result = result

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._note(report)

    def pytest_collectreport(self, report: Any) -> None:
        self._note(report)

    def _note(self, report: Any) -> None:
        if report.failed:
            with self.result.open("a") as file:
                file.write(f"{report.nodeid}\n")


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


def limits(text: str) -> set[int]:
    """Lines of a module that define constants in capitals by numbers alone."""
    return {
        line
        for part in ast.parse(text).body
        if isinstance(part, ast.Assign) and CAPITALS.fullmatch(" ".join(map(ast.unparse, part.targets)))
        if all(
            isinstance(n, ARITHMETIC) and isinstance(getattr(n, "value", 0), int | float)
            for n in ast.walk(part.value)
        )
        for line in range(part.lineno, (part.end_lineno or part.lineno) + 1)
    }


def failing(
    copy: Path, tests: Sequence[str], seconds: float, *arguments: str, plugins: Sequence[Any] = ()
) -> list[str]:
    """Tests that fail or exceed a number of seconds, or another way in which the run ended."""
    written = copy / "failures.txt"
    written.write_text("")
    child = os.fork()
    if not child:
        os.setsid()
        os.chdir(copy)
        sys.path[:1], sys.dont_write_bytecode = [str(copy)], True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        given = ["-q", "-p", "no:cacheprovider", *arguments, *tests]
        os._exit(int(pytest.main(given, plugins=[Failures(written), *plugins])))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            found = sorted(set(written.read_text().split("\n")) - {""})
            return found or [f"status {status}"] * (status != 0)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return [HANGS]


def about(file: Path, folder: str, copy: Path) -> list[str]:
    """The tests of a folder that are named like a file, or import it."""
    module = str(file.relative_to(ROOT).with_suffix("")).replace("/", ".")
    imported = re.compile(
        rf"{re.escape(module)}\b|from {re.escape(module.rpartition('.')[0])} import .*\b{file.stem}\b"
    )
    beside = [f"tests/verify/test_{name}.py" for name in BESIDE.split() if folder == "verify/engine"]
    files = [
        one
        for some in (*FOLDERS[folder], *beside)
        for one in sorted((copy / some).rglob("test_*.py")) or [copy / some]
    ]
    return [
        str(one.relative_to(copy))
        for one in files
        if one.stem == f"test_{file.stem}" or imported.search(one.read_text())
    ]


def watched(folder: str, copy: Path, kept: Path) -> Watched:
    """Observations about the tests of a folder in a copy, from a file if it exists."""
    if not kept.exists():
        print(f"{folder}: which tests run which lines", file=sys.stderr, flush=True)
        written = copy / "lines.json"
        found = failing(copy, FOLDERS[folder], 7200, plugins=[Watcher(copy / folder, written)])
        if found:
            raise SystemExit(f"{folder}: these fail before anything is changed: {', '.join(found)}")
        kept.write_text(json.dumps({**json.loads(written.read_text()), "files": digests(folder, copy)}))
    return Watched(**json.loads(kept.read_text()))


def digests(folder: str, copy: Path) -> dict[str, str]:
    """Digest of each file of a folder's tests."""
    found = [one for some in FOLDERS[folder] for one in sorted((copy / some).rglob("*.py")) or [copy / some]]
    return {str(one.relative_to(copy)): sha256(one.read_bytes()).hexdigest() for one in found}


def difference(name: Path, before: str, changed: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), changed.splitlines(), str(name), "mutant", lineterm="", n=1
    )
    return "\n".join(lines)


def noticed(
    name: Path, folder: str, before: str, changed: str, copy: Path, seen: Watched, seconds: float
) -> str:
    """The test that notices a change of a file, or nothing; tests written since the observations are tried last."""
    likely = about(ROOT / name, folder, copy)
    since = {file for file, digest in digests(folder, copy).items() if seen.files.get(file) != digest}
    known = {test for test in seen.seconds if test.partition("::")[0] not in since}
    running = seen.running(str(name.relative_to(folder)), changed_lines(before, changed)) & known
    tests = seen.in_order(running, likely, seconds) or likely
    # A cached result has run its lines in the first test that requested it, although other tests are about it.
    beside = {test for test in known if test.partition("::")[0] in likely} - {*tests}
    asking = seen.in_order(beside, likely, seconds)
    written = sorted(file for file in since if "/test_" in file)
    (copy / name).write_text(changed)
    try:
        for some in (tests[:FIRST], tests[FIRST:], asking, written):
            limit = SLOWER * sum(seen.seconds.get(test, 1) for test in some) + 60
            found = failing(copy, some, limit, "-x") if some else []
            if found:
                return found[0]
    finally:
        (copy / name).write_text(before)
    return ""


def failing_unchanged(folder: str, copy: Path, tests: Sequence[str]) -> set[str]:
    """Tests that fail if files have one more comment, for example because they compare files."""
    files = {file: file.read_text() for file in (copy / folder).rglob("*.py")}
    for file, text in files.items():
        file.write_text(f"{text}\n# nothing is changed\n")
    found = set(failing(copy, tests, 7200)) if tests else set()
    for file, text in files.items():
        file.write_text(text)
    return found


def remembered(file: Path) -> dict[str, str]:
    """Earlier results: for each difference the test that noticed it, or nothing."""
    lines = file.read_text().splitlines() if file.exists() else []
    return {entry["difference"]: entry["by"] for entry in map(json.loads, lines)}


@dataclass(frozen=True)
class Outcome:
    """The test that noticed a mutant, or nothing, and whether it moved a limit."""

    by: str
    limit: bool


def tried(
    sample: Iterator[tuple[Path, str]], kept: Path, notice: Callable[[Path, str, str], str]
) -> dict[str, Outcome]:
    """The results of all mutants, saved as they are known; mutants that were noticed before are not tried again."""
    before, came = remembered(kept), dict[str, Outcome]()
    for number, (file, changed) in enumerate(sample, 1):
        name, text = file.relative_to(ROOT), file.read_text()
        told = difference(name, text, changed)
        if not before.get(told):
            print(f"{number}: {name}", file=sys.stderr, flush=True)
            before[told] = notice(name, text, changed)
            with kept.open("a") as out:
                out.write(json.dumps({"difference": told, "by": before[told]}) + "\n")
        lines = changed_lines(text, changed)
        came[told] = Outcome(before[told], bool(lines) and lines <= limits(text))
    return came


def summary(came: Mapping[str, Outcome], alone: Collection[str]) -> str:
    """Shares of noticed mutants, those that change a limit apart; only tests that pass without a change count."""
    noticed = [
        [o.by and o.by not in alone for o in came.values() if o.limit is limit] for limit in (False, True)
    ]
    (kept, of), (moved, ends) = ((sum(map(bool, some)), len(some)) for some in noticed)
    slow = sum(o.by == HANGS for o in came.values())
    return f"{kept} of {of} mutants are noticed, {slow} of all as they take too long; beside them {moved} of {ends} limits"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("number", nargs="?", type=int, default=20, help="mutants of each folder (default 20)")
    parser.add_argument("only", nargs="*", help="folders or files; all folders if none")
    parser.add_argument("--seed", type=int, default=int(time.time() // 86400), help="default: the day")
    parser.add_argument("--keep", type=Path, help="folder to keep what came out in, and to go on from")
    parser.add_argument(
        "--seconds", type=float, default=600, help="of tests for a mutant at most (default 600)"
    )
    options = parser.parse_args()
    for name in IMPORTED:
        import_module(name)
    asked = [Path(name) for name in options.only or FOLDERS]
    with tempfile.TemporaryDirectory() as folder:
        copy, keep = Path(folder) / "copy", options.keep or Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "results"))
        for path in asked:
            part = next(name for name in FOLDERS if path.is_relative_to(name))
            called = part.replace("/", "-")
            seen = watched(part, copy, keep / f"{called}.lines.json")
            files = [ROOT / path] if path.suffix else sorted((ROOT / path).rglob("*.py"))
            sample = mutants(files, options.number, options.seed)

            def notice(name: Path, before: str, changed: str, part: str = part, seen: Watched = seen) -> str:
                return noticed(name, part, before, changed, copy, seen, options.seconds)

            came = tried(sample, keep / f"{called}.{options.seed}.jsonl", notice)
            found = {outcome.by for outcome in came.values()}
            alone = failing_unchanged(part, copy, sorted(found & seen.seconds.keys()))
            missed = [told for told, outcome in came.items() if not outcome.by or outcome.by in alone]
            print("\n\n".join(["", *missed]))
            for test in sorted(alone):
                print(f"not counted, as it fails where nothing is changed: {test}")
            print(f"{path}, seed {options.seed}, by the tests of {part}: {summary(came, alone)}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
