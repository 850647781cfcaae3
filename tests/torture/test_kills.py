"""Killed at random moments, again and again: nothing is lost, doubled or different, and nobody is left behind."""

import os
import random
import signal
import time

import pytest

from tests.torture.rough import TREATED, descendants, finished, orphans, started

KILLS = int(os.environ.get("KILLS", "100"))
"""In all, over all commands."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What undisturbed runs come to, and how long they take."""
    folder = tmp_path_factory.mktemp("whole")
    found = {}
    for name, treated in TREATED.items():
        place = folder / name
        if name == "report":
            finished("verify", folder / "records")
        place.mkdir()
        status, _, err, seconds = finished(name, place)
        assert status == 0, err
        found[name] = treated.made(place), seconds
    return folder, found


@pytest.mark.torture
@pytest.mark.parametrize("name", TREATED)
def test_what_is_killed_goes_on_to_the_same_end(name, whole, tmp_path):
    above, found = whole
    expected, seconds = found[name]
    folder = (above if name == "report" else tmp_path) / f"killed-{name}"
    folder.mkdir()
    moments, survivors, hit = random.Random(name), [], 0
    for _ in range(max(1, KILLS // len(TREATED))):
        with started(name, folder) as process:
            time.sleep(moments.uniform(0.05, seconds))
            below = descendants(process.pid)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            hit += process.returncode == -signal.SIGKILL
        survivors += orphans(below)
        TREATED[name].made(folder)  # whatever is there is whole
    status, _, err, _ = finished(name, folder)
    print(f"{name}: killed {hit} times")
    assert status == 0, err
    assert survivors == []
    assert hit
    assert TREATED[name].made(folder) == expected
