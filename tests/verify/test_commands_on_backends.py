"""Every command with a backend option writes the same files, whatever the backend and the number of workers."""

from contextlib import ExitStack
from functools import cache
from importlib import import_module

import pytest

from tests.torture.rough import contents
from tests.verify.test_backends import beside, dask
from verify.engine.work import backends
from verify.engine.work.items import LOCKS

SMALL = (
    "--tasks 1 --clients 2 --sampled 1 --seeds 1 --rounds 1 --epochs 1 --limit 20 --tests 20 --compile never"
)
COMMANDS = {
    "verify": "verify ITEMS --budget quick --out FOLDER",
    "mutants": "verify mutants ITEMS --budget quick --out FOLDER",
    "calibrate": "verify calibrate ITEMS --runs 4 --fuzz 1 --budget quick --out FOLDER",
    "curves": "verify curves ITEMS --out FOLDER",
    "networks": f"verify.networks {SMALL} --algorithms ITEMS --out FOLDER --json FOLDER/all.json",
    "experiments": "verify experiments ITEMS --model linear --budget quick --device cpu --out FOLDER --json FOLDER/all.json",
    "selection": f"verify.networks.selection {SMALL} --algorithms ITEMS --out FOLDER --json FOLDER/all.json",
}
"""FOLDER stands for the output folder of a command, ITEMS for its arguments. Sentences on experiments share a folder of
runs.
"""
METHODS = "fedavg fedprox special special-c er fedagem scaffold mimelite"
EIGHT = {
    "verify": "special.lemC.1 special.lemC.2 special.lemC.3 special.lemC.4 special.lemC.7 special.lemC.8 special.eq27 cfl.prop4.3",
    "mutants": "special.lemC.2 special.lemC.3 special.lemC.4 special.lemC.7 special.lemC.8 cfl.prop4.3 cfl.lemA.1.use cfl.lemA.1.telescope",
    "calibrate": "--every 130",
    "curves": "psi cfl_weights cfl.thmB.5.sc fedmes.thm1 cflag.lem1 cflag.lem4 special.lem4.9 cfl.thm4.1.sc",
    "networks": METHODS,
    "experiments": " ".join(
        f"cflag.emp.{score}.iid/{other}"
        for score in ("best", "forget")
        for other in ("fedavg", "er", "fedtrack", "nccl")
    ),
    "selection": METHODS,
}
"""Enough items for eight workers, except for calibration, which has four items at a time."""
FEW = {"curves": "psi cfl_weights", "networks": "fedavg special er", "selection": "fedavg fedprox"}
"""Few items, so that they are quick; verdicts and the files of calibration and mutants are tested on other workers,
too.
"""
MAINS = {"verify": "verify.commands.main", "verify.networks": "verify.networks.main"}


def words(name, items, folder, *more):
    return [*COMMANDS[name].replace("ITEMS", items).replace("FOLDER", str(folder)).split(), *more]


def written(name, items, folder, *more):
    """The files that a command writes, without measured times."""
    module, *argv = words(name, items, folder, *more)
    assert import_module(MAINS.get(module, module)).main(argv) == 0
    return contents(folder)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The folder written by one process, by the command and its items."""

    @cache
    def folder_of(name, items):
        folder = tmp_path_factory.mktemp(name)
        written(name, items, folder, "--jobs", "1")
        return folder

    return folder_of


@pytest.fixture
def expected(alone):
    """The files written by one process, by the command and its items."""
    return lambda name, items: contents(alone(name, items))


@pytest.fixture(scope="module")
def scheduler():
    with dask(2) as backend:
        yield backend.scheduler


@pytest.fixture(autouse=True)
def slurm_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(backends, "SLURM_FOLDER", tmp_path / "slurm")


@pytest.mark.parametrize(("name", "items"), FEW.items(), ids=FEW)
def test_workers_of_dask_write_the_same(name, items, expected, scheduler, tmp_path):
    options = ["--backend", "dask", "--scheduler", scheduler]
    assert written(name, items, tmp_path / "dask", *options) == expected(name, items)


def test_jobs_of_slurm_write_the_same(expected, tmp_path):
    asked = "networks", FEW["networks"]
    options = ["--backend", "slurm", "--scheduler", "local", "--jobs", "2"]
    assert written(*asked, tmp_path / "slurm", *options) == expected(*asked)


@pytest.mark.parametrize(
    ("name", "items"),
    [
        pytest.param(*of, id=of[0], marks=[pytest.mark.slow] if of[0] == "selection" else [])
        for of in FEW.items()
    ],
)
def test_what_is_written_is_not_done_again(name, items, alone):
    folder = alone(name, items)
    files = [file for file in folder.rglob("*.*") if file.name not in ("all.json", LOCKS)]
    before, times = contents(folder), [file.stat().st_mtime_ns for file in files]
    assert files
    assert written(name, items, folder, "--jobs", "1") == before
    assert [file.stat().st_mtime_ns for file in files] == times


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 8])
@pytest.mark.parametrize("who", ["loky", "dask", "slurm"])
@pytest.mark.parametrize(("name", "items"), EIGHT.items(), ids=EIGHT)
def test_one_two_and_eight_write_the_same(name, items, who, number, expected, tmp_path):
    with ExitStack() as held:
        where = {"slurm": "local", "dask": "", "loky": ""}[who]
        if who == "dask":
            where = held.enter_context(dask(number)).scheduler
        options = ["--backend", who, "--jobs", str(number), *(["--scheduler", where] if where else [])]
        assert written(name, items, tmp_path / who, *options) == expected(name, items)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "items"), EIGHT.items(), ids=EIGHT)
def test_two_commands_in_one_folder_write_the_same(name, items, expected, tmp_path):
    command = ["-m", *words(name, items, tmp_path, "--jobs", "1")]
    with beside(*command) as one, beside(*command) as two:
        for process in (one, two):
            process.communicate(timeout=600)
            assert process.returncode == 0
    assert contents(tmp_path) == expected(name, items)
