"""A full disk, a folder that cannot be written, few files, little memory, a clock that runs backwards: one line each."""

import os
import resource
import signal
import subprocess
import sys
import time

import pytest

from tests.torture.rough import ROOT, TREATED, contents, finished, started, undisturbed, words
from verify.commands.main import main

COMPUTED = ("verify", "networks", "curves")
GIB = 1 << 30


def limited(**limits):
    """Executed by a process before its program starts: set its limits."""

    def begin():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))

    return begin


def refused(name, folder, **how):
    status, out, err, _ = finished(name, folder, **how)
    lines = [line for line in err.splitlines() if line.startswith(("verify: ", "networks: "))]
    assert status == 2, err
    assert "Traceback" not in out + err
    return lines[-1]


def test_files_that_cannot_grow_are_told_in_one_line(tmp_path):
    """As on a full disk: the first file of a record is too large."""
    said = refused("verify", tmp_path / "r", preexec_fn=limited(FSIZE=500))
    assert "File too large" in said
    assert contents(tmp_path / "r") == {}


@pytest.mark.torture
@pytest.mark.parametrize("name", COMPUTED)
def test_a_run_on_a_full_disk_goes_on_when_there_is_room(name, tmp_path):
    expected, _ = undisturbed(name, tmp_path)
    refused(name, tmp_path / "full", preexec_fn=limited(FSIZE=500))
    assert contents(tmp_path / "full") == {}
    assert finished(name, tmp_path / "full")[0] == 0
    assert TREATED[name].made(tmp_path / "full") == expected


SMALL_DISK = """
import subprocess, sys
size, folder, kept, *command = sys.argv[1:]
mount = lambda how: subprocess.run(["mount", "-t", "tmpfs", "-o", how, "none", folder], check=True)
mount(size)
status = [subprocess.run(command).returncode]
if size != "ro":
    mount("remount,size=100m")
    status.append(subprocess.run(command).returncode)
    subprocess.run(["cp", "-r", f"{folder}/.", kept], check=True)
print("statuses", *status)
"""
"""A separate disk in its own namespaces, for a command that runs when the disk is full, read-only, or has space again.
"""


def on_small_disk(name, how, tmp_path):
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    disk.mkdir()
    kept.mkdir()
    command = [sys.executable, "-m", *words(name, disk)]
    mounted = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-c", SMALL_DISK]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*mounted, how, disk, kept, *command], cwd=ROOT, env=env, capture_output=True, text=True, timeout=1800
    )
    assert "Traceback" not in done.stderr, done.stderr
    return kept, done.stdout.splitlines()[-1], done.stderr


@pytest.mark.torture
@pytest.mark.parametrize("name", COMPUTED)
def test_a_disk_that_is_full_is_named_and_room_is_enough(name, tmp_path):
    expected, _ = undisturbed(name, tmp_path)
    kept, statuses, said = on_small_disk(name, "size=8k", tmp_path)
    assert statuses == "statuses 2 0"
    assert "No space left on device" in said
    assert TREATED[name].made(kept) == expected


@pytest.mark.torture
@pytest.mark.parametrize("name", COMPUTED)
def test_a_disk_that_is_only_read_is_named(name, tmp_path):
    _, statuses, said = on_small_disk(name, "ro", tmp_path)
    assert statuses == "statuses 2"
    assert "Read-only file system" in said


@pytest.mark.torture
@pytest.mark.parametrize("name", TREATED)
def test_a_folder_that_cannot_be_written_is_named(name, tmp_path):
    undisturbed(name, tmp_path)
    file = tmp_path / "file"
    file.write_text("no folder")
    said = refused(name, file)
    assert "cannot write" in said
    assert str(file) in said


@pytest.mark.torture
@pytest.mark.parametrize("name", COMPUTED)
def test_few_files_are_enough_or_told(name, tmp_path):
    status, _, err, _ = finished(name, tmp_path, preexec_fn=limited(NOFILE=24))
    assert "Traceback" not in err
    assert status in (0, 2), err


@pytest.mark.torture
@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.parametrize("gib", [0.25, 0.5, 0.85, 1, 1.5])
def test_little_memory_is_enough_or_told(name, gib, tmp_path):
    status, _, err, _ = finished(name, tmp_path, preexec_fn=limited(AS=int(gib * GIB)))
    assert "Traceback" not in err
    assert status in (0, 2), err
    contents(tmp_path)


def test_a_clock_that_was_set_back_changes_nothing(tmp_path, capsys):
    command = ["special.lemC.8", "--budget", "quick", "--jobs", "1", "--out", str(tmp_path)]
    assert main(command) == 0
    (file,) = tmp_path.glob("*.json")
    os.utime(file, (4e9, 4e9))  # from a future time
    before = file.read_bytes()
    assert main(command) == 0
    assert "judged before" in capsys.readouterr().err
    assert file.read_bytes() == before


@pytest.mark.torture
@pytest.mark.parametrize("name", TREATED)
def test_a_clock_that_was_set_back_starts_nothing_again(name, tmp_path):
    """Written files have a future time; only the summary of a run is written again."""
    expected, _ = undisturbed(name, tmp_path)
    folder, files = tmp_path / "whole", [file for file in tmp_path.rglob("*.*") if file.is_file()]
    for file in files:
        os.utime(file, (4e9, 4e9))
    assert finished(name, folder)[0] == 0
    assert TREATED[name].made(folder) == expected
    assert {file.name for file in files if file.stat().st_mtime < 4e9} <= {"all.json", "report.html"}


BACKWARDS = """
import time
real, begun = time.time, time.monotonic()
time.time = lambda: real() - 3600 * (time.monotonic() > begun + 1)
"""
"""Executed by Python before anything else: one second after the start the clock is set back by an hour."""


@pytest.mark.torture
@pytest.mark.parametrize("name", TREATED)
def test_a_clock_that_is_set_back_in_a_run_changes_nothing(name, tmp_path, monkeypatch):
    expected, _ = undisturbed(name, tmp_path)
    (tmp_path / "sitecustomize.py").write_text(BACKWARDS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert finished(name, tmp_path / "back")[0] == 0
    assert TREATED[name].made(tmp_path / "back") == expected


@pytest.mark.torture
@pytest.mark.parametrize("name", TREATED)
def test_two_runs_at_once_in_one_folder_write_what_one_does(name, tmp_path):
    """Both run to their end, or one continues after the other is killed."""
    expected, seconds = undisturbed(name, tmp_path)
    for end in ("both", "one"):
        folder = tmp_path / end
        folder.mkdir()
        with started(name, folder) as first, started(name, folder) as second:
            if end == "one":
                time.sleep(seconds / 2)
                second.send_signal(signal.SIGKILL)
            said = [process.communicate(timeout=900) for process in (first, second)]
        assert first.returncode == 0, said
        assert end == "one" or second.returncode == 0, said
        assert TREATED[name].made(folder) == expected


@pytest.mark.torture
@pytest.mark.parametrize("number", range(3))
def test_random_hashes_change_nothing(number, tmp_path):
    """Every run of these tests has another PYTHONHASHSEED."""
    finished("verify", tmp_path / "one")
    finished("verify", tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
