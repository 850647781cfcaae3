"""Killed at random moments, again and again: nothing is lost, doubled or different, and nobody is left behind."""

import os
import random
import signal
import time

import pytest

from tests.torture.rough import TREATED, descendants, finished, orphans, started

KILLS = int(os.environ.get("KILLS", "100"))
"""In all, over all commands."""


def undisturbed(name, folder):
    """What an undisturbed run comes to, and how long it takes."""
    if name == "report":
        finished("verify", folder / "records")
    place = folder / "whole"
    place.mkdir()
    status, _, err, seconds = finished(name, place)
    assert status == 0, err
    return TREATED[name].made(place), seconds


@pytest.mark.torture
@pytest.mark.parametrize("name", TREATED)
def test_what_is_killed_goes_on_to_the_same_end(name, tmp_path):
    expected, seconds = undisturbed(name, tmp_path)
    folder = tmp_path / "killed"
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
