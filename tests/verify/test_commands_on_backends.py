"""Every command that takes a backend writes the same files wherever its work is done, and by however many."""

from contextlib import ExitStack
from functools import cache
from importlib import import_module

import pytest

from tests.torture.rough import contents
from tests.verify.test_backends import beside, dask
from verify.engine import backends
from verify.engine.items import LOCKS

SMALL = (
    "--tasks 1 --clients 2 --sampled 1 --seeds 1 --rounds 1 --epochs 1 --limit 20 --tests 20 --compile never"
)
COMMANDS = {
    "verify": "verify special.lemC.8 special.lemC.2 special.eq27 --budget quick --out FOLDER",
    "mutants": "verify mutants cfl.prop4.3 special.lemC.8 --budget quick --out FOLDER",
    "calibrate": "verify calibrate --every 130 --runs 4 --fuzz 1 --budget quick --out FOLDER",
    "curves": "verify curves psi cfl_weights --out FOLDER",
    "networks": f"verify.networks {SMALL} --algorithms fedavg special er --out FOLDER --json FOLDER/all.json",
    "selection": f"verify.networks.selection {SMALL} --algorithms fedavg fedprox --out FOLDER --json FOLDER/all.json",
}
"""FOLDER stands for where a command writes."""
QUICK = ["curves", "networks", "selection"]
"""The others take longer; verdicts and the files of calibration and mutants are tried on workers elsewhere, too."""
MAINS = {"verify": "verify.commands.main", "verify.networks": "verify.networks.main"}


def words(name, folder, *more):
    return [*COMMANDS[name].replace("FOLDER", str(folder)).split(), *more]


def written(name, folder, *more):
    """What a command writes, but for what it measures."""
    module, *argv = words(name, folder, *more)
    assert import_module(MAINS.get(module, module)).main(argv) == 0
    return contents(folder)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Where one process has written, by the name of the command."""
    return cache(
        lambda name: (folder := tmp_path_factory.mktemp(name), written(name, folder, "--jobs", "1"))[0]
    )


@pytest.fixture
def expected(alone):
    """What one process writes, by the name of the command."""
    return lambda name: contents(alone(name))


@pytest.fixture(scope="module")
def scheduler():
    with dask(2) as backend:
        yield backend.scheduler


@pytest.fixture(autouse=True)
def slurm_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(backends, "SLURM_FOLDER", tmp_path / "slurm")


@pytest.mark.parametrize("name", QUICK)
def test_workers_of_dask_write_the_same(name, expected, scheduler, tmp_path):
    assert written(name, tmp_path / "dask", "--backend", "dask", "--scheduler", scheduler) == expected(name)


def test_jobs_of_slurm_write_the_same(expected, tmp_path):
    options = ["--backend", "slurm", "--scheduler", "local", "--jobs", "2"]
    assert written("networks", tmp_path / "slurm", *options) == expected("networks")


@pytest.mark.parametrize("name", QUICK)
def test_what_is_written_is_not_done_again(name, alone):
    folder = alone(name)
    files = [file for file in folder.rglob("*.*") if file.name not in ("all.json", LOCKS)]
    before, times = contents(folder), [file.stat().st_mtime_ns for file in files]
    assert files
    assert written(name, folder, "--jobs", "1") == before
    assert [file.stat().st_mtime_ns for file in files] == times


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 8])
@pytest.mark.parametrize("who", ["loky", "dask", "slurm"])
@pytest.mark.parametrize("name", COMMANDS)
def test_one_two_and_eight_write_the_same(name, who, number, expected, tmp_path):
    with ExitStack() as held:
        where = {"slurm": "local", "dask": "", "loky": ""}[who]
        if who == "dask":
            where = held.enter_context(dask(number)).scheduler
        options = ["--backend", who, "--jobs", str(number), *(["--scheduler", where] if where else [])]
        assert written(name, tmp_path / who, *options) == expected(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_two_commands_in_one_folder_write_the_same(name, expected, tmp_path):
    command = ["-m", *words(name, tmp_path, "--jobs", "1")]
    with beside(*command) as one, beside(*command) as two:
        for process in (one, two):
            process.communicate(timeout=600)
            assert process.returncode == 0
    assert contents(tmp_path) == expected(name)
