"""The end of a command: its own status, one line about an error, or a note that it was stopped."""

import os
import signal
import subprocess
import sys
import threading
import time
from importlib import import_module

import pytest

from verify.engine.work import ending
from verify.engine.work.ending import exit_status
from verify.engine.work.errors import UsageError
from verify.engine.work.processes import (
    PROCESSOR,
    TOLD_THREADS,
    OutOfTime,
    Terminated,
    at_most,
    heed_termination,
    threads,
    undisturbed,
)


class Mended(Exception):
    """An error that a user of the program can correct."""


@pytest.fixture(autouse=True)
def own_signals():
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def raising(error):
    def command():
        raise error

    return command


@pytest.mark.parametrize("status", [0, 1, 7])
def test_a_command_ends_with_its_own_status(status, capsys):
    assert exit_status("verify", lambda: status, Mended, "again") == status
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (UsageError("one\ntwo"), ["verify: one", "verify: two"]),
        (Mended("what"), ["verify: what"]),
        (MemoryError(), ["verify: out of memory; fewer --jobs need less"]),
        (MemoryError("5 GiB"), ["verify: out of memory (5 GiB); fewer --jobs need less"]),
        (OSError(28, "No space left", "a/file"), ["verify: a/file: No space left"]),
        (OSError(28, "No space left"), ["verify: the system: No space left"]),
        (OSError("gone"), ["verify: the system: gone"]),
        (
            RuntimeError("cannot allocate memory\nmore"),
            ["verify: out of memory (cannot allocate memory); fewer --jobs need less"],
        ),
        (
            RuntimeError("CUDA out of memory. Tried to allocate 9 GiB.\nmore"),
            ["verify: out of memory (CUDA out of memory. Tried to allocate 9 GiB.); fewer --jobs need less"],
        ),
        (
            ImportError("x.so: failed to map segment"),
            ["verify: out of memory (x.so: failed to map segment); fewer --jobs need less"],
        ),
    ],
    ids=str,
)
def test_what_a_user_can_mend_is_said_without_a_traceback(error, said, capsys):
    assert exit_status("verify", raising(error), Mended, "again") == 2
    assert capsys.readouterr().err.splitlines() == said


@pytest.mark.parametrize("error", [RuntimeError("a mistake"), ImportError("no module"), KeyError("x")])
def test_mistakes_of_the_code_are_not_hidden(error):
    with pytest.raises(type(error)):
        exit_status("verify", raising(error), Mended, "again")


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt(), 130), (Terminated(), 143)])
def test_who_stops_it_is_told_how_to_go_on(error, status, capsys):
    assert exit_status("verify", raising(error), Mended, "the same again") == status
    assert capsys.readouterr().err == "verify: interrupted; the same again\n"


def test_a_signal_to_end_is_heeded():
    def command():
        signal.raise_signal(signal.SIGTERM)
        return 0

    assert exit_status("verify", command, Mended, "again") == 143


def test_work_takes_no_longer_than_it_may():
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(OutOfTime), at_most(0.02):
        time.sleep(60)
    with at_most(60):
        assert 59 < signal.getitimer(signal.ITIMER_REAL)[0] <= 60
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) is before


def test_modules_are_loaded_before_time_is_over(tmp_path, monkeypatch):
    """A half-loaded PyTorch crashes the process later."""
    (tmp_path / "long_to_load.py").write_text("import time\ntime.sleep(0.2)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(OutOfTime), at_most(0.02):  # noqa: PT012
        import_module("long_to_load")
        time.sleep(60)
    assert sys.modules.pop("long_to_load").whole


def test_work_of_a_processor_is_limited_and_waiting_is_not():
    before = signal.getsignal(signal.SIGVTALRM)
    with at_most(0.02, PROCESSOR):
        time.sleep(0.1)
    with pytest.raises(OutOfTime), at_most(0.02, PROCESSOR), at_most(60):
        work_for_ever()
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGVTALRM) is before


@pytest.mark.parametrize(
    ("number", "ends"),
    [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated), (signal.SIGALRM, OutOfTime)],
)
@pytest.mark.usefixtures("heard")
def test_what_calls_python_back_is_left_before_work_ends(number, ends):
    """An exception inside such a callback ends the whole process in C++."""
    done = []
    heed_termination()
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(ends), at_most(60):  # noqa: PT012
        with undisturbed():
            signal.raise_signal(number)
            done.append("the block")
        done.append("what follows")
    assert done == ["the block"]
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


def test_what_only_the_first_thread_can_do_others_leave():
    """Only the first thread can handle signals; everything else in a block works in every thread."""
    done = []

    def work():
        with undisturbed(), at_most(0.001):
            time.sleep(0.02)
            done.append(signal.getsignal(signal.SIGALRM))
        heed_termination()

    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == before[2:]
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)] == before


def work_for_ever():
    while True:
        pass


def test_libraries_that_are_loaded_later_are_told_how_many_threads(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with threads(3):
        assert {os.environ[name] for name in TOLD_THREADS} == {"3"}
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "MKL_NUM_THREADS" not in os.environ
    later = "from verify.engine.work.processes import threads\nwith threads(1):\n    import torch; print(torch.get_num_threads())"
    assert (
        subprocess.run([sys.executable, "-c", later], capture_output=True, text=True, check=True).stdout
        == "1\n"
    )


@pytest.mark.parametrize(("before", "inside"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_threads_wait_asleep_unless_the_environment_says_otherwise(monkeypatch, before, inside):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    if before:
        monkeypatch.setenv("OMP_WAIT_POLICY", before)
    with threads(2):
        assert os.environ["OMP_WAIT_POLICY"] == inside
    assert os.environ.get("OMP_WAIT_POLICY") == before


@pytest.mark.skipif(sys.platform != "linux", reason="there OpenMP says itself what it was told")
def test_commands_about_networks_say_so_before_pytorch_is_loaded():
    command = [sys.executable, "-m", "verify.networks", "--list", "--threads", "2"]
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    said = subprocess.run(
        command, env=environment | {"OMP_DISPLAY_ENV": "TRUE"}, capture_output=True, text=True, check=True
    ).stderr
    assert "OMP_WAIT_POLICY = 'PASSIVE'" in said
    assert "OMP_NUM_THREADS = '2'" in said
    alone = "import sys, verify.networks.selection; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", alone], check=True)


def test_an_older_python_is_told_before_anything_is_done(monkeypatch, capsys):
    monkeypatch.setattr(ending, "NEEDED", (99, 1))
    assert exit_status("verify", lambda: 1 / 0, Mended, "again") == 2
    here = sys.version.partition(" ")[0]
    assert capsys.readouterr().err == f"verify: needs Python 99.1 or newer; this is {here}\n"


def test_a_reader_that_has_seen_enough_ends_a_command_quietly():
    script = "import sys; from verify.engine.work.ending import exit_status; sys.exit(exit_status('x', lambda: print('a\\n' * 10**6) or 0, ValueError, ''))"
    writer = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert writer.stdout.readline() == b"a\n"
    writer.stdout.close()
    with writer.stderr as errors:
        assert errors.read() == b""
    assert writer.wait() == 141
