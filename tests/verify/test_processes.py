"""Interrupted runs: they end at once with one line, their workers end too, and saved files are complete."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from verify.engine.work.processes import give_back

ROOT = Path(__file__).resolve().parents[2]
HEARD = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
"""A shell that runs the tests in the background ignores Ctrl-C, and so would the processes they start."""


def children_of(pid):
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True
    ).stdout.split()
    return [int(child) for child in found]


def alive(pid):
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def waited(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see processes")
@pytest.mark.parametrize(("sent", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGKILL", -9)])
def test_a_run_that_is_stopped_leaves_no_process_and_no_broken_record(tmp_path, sent, status):
    command = [sys.executable, "-m", "verify", "special_drift", "special_rate", "--jobs", "2"]
    command += ["--out", str(tmp_path)]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        preexec_fn=HEARD,
    ) as run:
        assert waited(lambda: len(list(tmp_path.glob("*.json"))) >= 2, 300)
        workers = children_of(run.pid)
        assert workers
        run.send_signal(getattr(signal, sent))
        _, said = run.communicate(timeout=60)
    assert run.returncode == status
    assert "Traceback" not in said
    assert said.count("interrupted") == (sent != "SIGKILL")
    assert waited(lambda: not any(map(alive, workers)), 30)
    for file in tmp_path.glob("*.json"):
        assert json.loads(file.read_text())["verdict"]


@pytest.mark.parametrize(
    ("module", "loads"),
    [("verify.special_rate", "bounds.catalogue"), ("verify.networks", "verify.networks.main")],
)
def test_a_command_is_stopped_with_one_line_while_its_modules_load(module, loads):
    command = [sys.executable, "-X", "importtime", "-m", module]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=HEARD
    ) as run:
        assert any(line.endswith(f" {loads}\n") for line in run.stderr)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=60)
    assert run.returncode == 130
    told = [line for line in said.splitlines() if not line.startswith("import time:")]
    assert len(told) == 1
    assert told[0].startswith("verify: interrupted; ")


def test_what_imports_the_package_for_other_ends_is_interrupted_as_ever():
    code = "import signal, verify; signal.raise_signal(signal.SIGINT)"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, preexec_fn=HEARD
    )
    assert run.stderr.endswith("KeyboardInterrupt\n")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take freed memory back themselves")
def test_freed_memory_is_given_back_from_below_what_is_in_use():
    def held():
        return int(Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0]) << 10

    pieces = [bytes(5000) for _ in range(20_000)]
    full, above = held(), bytes(5000)
    del pieces
    give_back()
    assert full - held() > 50_000_000
    assert len(above) == 5000
