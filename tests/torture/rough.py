"""Commands under disturbances, and the comparison of their files with those of an undisturbed run."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MEASURED = ("seconds", "memory", "digest", "versions", "time", "peak")
"""Measured entries, which differ from run to run; a digest covers all entries, including seconds."""
STATEMENTS = "special.lemC.8 special.lemC.2 special.eq27"
NETWORKS = "--tasks 3 --limit 200 --clients 4 --sampled 2 --seeds 2 --rounds 2 --epochs 1 --compile never"


@dataclass(frozen=True)
class Treated:
    """A command; FOLDER stands for its output folder, BESIDE for the parent folder. `made` reads its results."""

    command: str
    made: Callable[[Path], Mapping]


def plain(content):
    """Content without measured entries."""
    if isinstance(content, dict):
        return {key: plain(value) for key, value in content.items() if key not in MEASURED}
    return [plain(value) for value in content] if isinstance(content, list) else content


def contents(folder: Path) -> Mapping:
    """All JSON files by name; each must be complete."""
    return {
        str(file.relative_to(folder)): plain(json.loads(file.read_text())) for file in folder.rglob("*.json")
    }


def page(folder: Path) -> Mapping:
    return {file.name: file.read_text() for file in folder.glob("*.html")}


TREATED = {
    "verify": Treated(f"verify {STATEMENTS} --budget quick --jobs 2 --out FOLDER", contents),
    "networks": Treated(
        f"verify.networks {NETWORKS} --algorithms fedavg special er --jobs 2 --out FOLDER --json FOLDER/all.json",
        contents,
    ),
    "curves": Treated("verify curves psi drift cfl_weights --jobs 2 --out FOLDER", contents),
    "report": Treated("verify report --records BESIDE/records --out FOLDER/report.html", page),
}


def words(name: str, folder: Path) -> list[str]:
    """The command that writes into a folder, without `python -m`."""
    return TREATED[name].command.replace("FOLDER", str(folder)).replace("BESIDE", str(folder.parent)).split()


def started(name: str, folder: Path, **how) -> subprocess.Popen:
    command = [sys.executable, "-m", *words(name, folder)]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "random"}
    return subprocess.Popen(
        command, cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how
    )


def finished(name: str, folder: Path, **how) -> tuple[int, str, str, float]:
    """Exit status, stdout, stderr and seconds of a complete run."""
    begun = time.monotonic()
    with started(name, folder, **how) as process:
        out, err = process.communicate(timeout=900)
    return process.returncode, out, err, time.monotonic() - begun


def undisturbed(name: str, folder: Path) -> tuple[Mapping, float]:
    """The result of an undisturbed run in a subfolder, and its duration; its inputs remain there."""
    if name == "report":
        undisturbed("verify", folder)
        (folder / "whole").rename(folder / "records")
    status, _, err, seconds = finished(name, folder / "whole")
    assert status == 0, err
    return TREATED[name].made(folder / "whole"), seconds


def descendants(pid: int) -> list[int]:
    """All processes started by a process, directly or indirectly."""
    found = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True).stdout.split()
    parents = dict(zip(map(int, found[::2]), map(int, found[1::2]), strict=True))
    below, fresh = set(), {pid}
    while fresh := {child for child, parent in parents.items() if parent in fresh} - below:
        below |= fresh
    return sorted(below)


def alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def orphans(pids: list[int], seconds: float = 30) -> list[int]:
    """The processes that still live after a number of seconds."""
    end = time.monotonic() + seconds
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.2)
    return list(filter(alive, pids))
