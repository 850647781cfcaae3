"""Malformed inputs are refused in one line: no traceback, no hang, little memory, and the exit status of wrong usage."""

import resource
import signal
import time
import warnings
from importlib import import_module

import pytest

from tests.torture.inputs import KINDS, malformed

SECONDS, MEMORY = 10, 2 << 30
EACH = 9
"""Inputs for each rule in the full run: more than 1,000 in all."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A folder without `results`: figures of an earlier run would be drawn into reports."""
    monkeypatch.chdir(tmp_path)


class Hangs(BaseException):
    pass


def ring(number, frame):
    raise Hangs


def refused(case, capsys):
    """What is wrong with the refusal of an input; empty if nothing is."""
    module, *argv = case.argv
    main = import_module(
        {
            "verify": "verify.commands.main",
            "verify.networks": "verify.networks.main",
            "figures": "figures.main",
        }.get(module, module)
    ).main
    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS * 30)  # wall-clock limit for a busy machine; the actual limit is CPU time
    start = time.process_time()
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("default")
            status = main(argv)
    except SystemExit as stop:
        status = stop.code
    except Hangs:
        return "it hangs"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    said = capsys.readouterr()
    lines = [line for line in (said.err or said.out).splitlines() if not line.startswith(PROGRESS)]
    if case.kind == "theorem":  # each mistake has its own line
        lines = [line for line in lines if argv[1] not in line] or ["the mistakes"]
    lines += [str(one.message) for one in warned]
    if "Traceback" in said.err + said.out:
        return "a traceback"
    if status != 2:
        return f"status {status}: {said.err}"
    if time.process_time() - start > SECONDS:
        return f"{time.process_time() - start:.0f} s"
    if len(lines) != 1:
        return f"{len(lines)} lines: {said.err}"
    return ""


PROGRESS = ("[", "networks: reading", "verify: reading", "1 statements in", "2 statements in")


def peak():
    """The peak memory, in bytes, of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def tried(kind, each, tmp_path, capsys):
    before = peak()  # of other tests in the same process
    cases = list(malformed(kind, each, tmp_path))
    capsys.readouterr()  # output from making the valid inputs
    wrong = {f"{case.kind}, {case.rule}, {' '.join(case.argv)}": refused(case, capsys) for case in cases}
    assert {case: what for case, what in wrong.items() if what} == {}
    assert peak() < before + MEMORY
    return len(cases)


@pytest.mark.parametrize("kind", KINDS)
def test_one_input_by_every_rule_is_refused(kind, tmp_path, capsys):
    assert tried(kind, 1, tmp_path, capsys) == len(KINDS[kind].rules)


@pytest.mark.torture
@pytest.mark.parametrize("kind", KINDS)
def test_many_inputs_by_every_rule_are_refused(kind, tmp_path, capsys):
    assert tried(kind, EACH, tmp_path, capsys) == EACH * len(KINDS[kind].rules)


@pytest.mark.torture
def test_they_are_a_thousand():
    assert sum(EACH * len(kind.rules) for kind in KINDS.values()) >= 1000
