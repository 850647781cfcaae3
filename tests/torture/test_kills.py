"""Commands killed at random moments: nothing is lost, duplicated or changed, and no process is left."""

import os
import random
import signal
import time
from itertools import count

import pytest

from tests.torture.rough import TREATED, descendants, finished, orphans, started, undisturbed

KILLS = int(os.environ.get("KILLS", "100"))
"""Number of kills of running commands, over all commands."""
TRIES = 4
"""Attempts to kill a command while it runs, for each required kill."""


def killed(name, folder, moment):
    """Whether a command was still running when it was killed, and its surviving processes."""
    with started(name, folder) as process:
        time.sleep(moment)
        below = descendants(process.pid)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    return process.returncode == -signal.SIGKILL, orphans(below)


@pytest.mark.torture
@pytest.mark.parametrize("name", TREATED)
def test_what_is_killed_goes_on_to_the_same_end(name, tmp_path):
    """Each run continues from the files of the killed runs before it; if one finishes before it is killed, all restart."""
    expected, seconds = undisturbed(name, tmp_path)
    kills, places = max(1, KILLS // len(TREATED)), (tmp_path / f"killed-{n}" for n in count())
    folder, moments, met, ended = next(places), random.Random(name), 0, 0
    for _ in range(TRIES * kills):
        folder.mkdir(exist_ok=True)
        moment = moments.uniform(0.05, seconds)
        running, survivors = killed(name, folder, moment)
        assert survivors == []
        made = TREATED[name].made(folder)  # every existing file is complete
        if running:
            met += 1
        else:
            assert made == expected
            ended, folder = ended + 1, next(places)
        print(
            f"{name}, {moment:.1f} of {seconds:.1f} s: {met} of {kills} met it, {ended} ended before",
            flush=True,
        )
        if met == kills:
            break
    folder.mkdir(exist_ok=True)
    status, _, err, _ = finished(name, folder)
    assert status == 0, err
    assert met == kills
    assert TREATED[name].made(folder) == expected
