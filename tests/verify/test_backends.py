"""Backends: the same results wherever the work is done, each once, and nothing lost when workers are killed."""

import json
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from tests.verify.work import deadly, noted, threads_here, wrong
from verify.engine.run import run
from verify.engine.work import backends
from verify.engine.work.backends import Backend, spread
from verify.engine.work.errors import UsageError
from verify.engine.work.items import alone, name_of, together

ROOT = Path(__file__).resolve().parents[2]
IDS = ["special.lemC.8", "special.lemC.2", "special.eq27"]
"""A statement proved without a search, and a refuted one: both are quick, because every backend judges all."""
ITEMS = {name_of(item): item for item in range(8)}


@contextmanager
def dask(n_workers):
    """Dask's scheduler with worker processes on this machine, on a free port."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as found:
        yield Backend("dask", scheduler=found.scheduler_address)


@pytest.fixture(scope="module")
def cluster():
    with dask(2) as backend:
        yield backend


@pytest.fixture(params=["here", "loky", "dask", "slurm"])
def backend(request, tmp_path, monkeypatch):
    monkeypatch.setattr(backends, "SLURM_FOLDER", tmp_path / "slurm")
    if request.param == "dask":
        return request.getfixturevalue("cluster")
    return {"here": Backend(), "loky": Backend(jobs=2), "slurm": Backend("slurm", 2, "local")}[request.param]


def log_of(folder):
    return sorted(int(line) for line in (folder / "log").read_text().split())


def told(folder):
    """Names and contents of all saved files, without times and seals."""
    contents = {file.name: json.loads(file.read_text()) for file in folder.glob("*.json")}
    return {
        name: {k: v for k, v in all.items() if k not in ("seconds", "digest")}
        for name, all in contents.items()
    }


def test_every_item_is_worked_on_once(backend, tmp_path):
    found = together(noted, ITEMS, tmp_path, backend, tmp_path)
    assert sorted(result["twice"] for result in found) == [2 * item for item in range(8)]
    assert log_of(tmp_path) == list(range(8))
    again = list(together(noted, ITEMS, tmp_path, Backend(), tmp_path))
    assert len(again) == 8
    assert log_of(tmp_path) == list(range(8))


def test_everybody_uses_one_thread(backend):
    assert all(set(threads) == {1} for threads in spread(threads_here, range(4), backend))


def test_what_is_wrong_is_said_where_it_was_asked_for(backend):
    with pytest.raises(Exception, match=r"`item` must be nothing, got \d"):
        list(spread(wrong, range(4), backend))


@pytest.fixture(scope="module")
def alone_judged(tmp_path_factory):
    """Records of a run in one process."""
    folder = tmp_path_factory.mktemp("records")
    run(IDS, folder, "quick", 0)
    return told(folder)


def test_records_are_the_same_but_for_seconds(backend, alone_judged, tmp_path):
    records = run(IDS, tmp_path / "records", "quick", 0, backend)
    assert [record["id"] for record in records] == IDS
    assert told(tmp_path / "records") == alone_judged


@pytest.mark.parametrize(
    ("killed", "who"),
    [(Backend(jobs=2), "a worker process"), (Backend("slurm", 2, "local"), "a job of SLURM")],
    ids=["loky", "slurm"],
)
def test_a_killed_worker_loses_nothing_and_doubles_nothing(killed, who, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(backends, "SLURM_FOLDER", tmp_path / "slurm")
    monkeypatch.setattr("submitit.Job._results_timeout_s", 1)  # a file of this machine is never late
    found = together(deadly, ITEMS, tmp_path, killed, tmp_path, 1)
    assert sorted(result["item"] for result in found) == list(range(8))
    assert log_of(tmp_path) == list(range(8))
    assert f"{who} was killed; going on" in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 8])
@pytest.mark.parametrize("name", ["loky", "dask", "slurm"])
def test_records_are_the_same_by_one_two_and_eight(name, number, alone_judged, tmp_path, monkeypatch):
    monkeypatch.setattr(backends, "SLURM_FOLDER", tmp_path / "slurm")
    made = {"loky": lambda: Backend(jobs=number), "slurm": lambda: Backend("slurm", number, "local")}
    with dask(number) if name == "dask" else nullcontext(made.get(name, Backend)()) as backend:
        run(IDS, tmp_path / "records", "quick", 0, backend)
    assert told(tmp_path / "records") == alone_judged


def test_a_killed_worker_of_dask_loses_nothing(cluster, tmp_path):
    found = together(deadly, ITEMS, tmp_path, cluster, tmp_path, 1)
    assert sorted(result["item"] for result in found) == list(range(8))
    assert log_of(tmp_path) == list(range(8))


def test_workers_that_are_killed_again_and_again_end_the_run(tmp_path):
    with pytest.raises(UsageError, match="a worker process was killed 3 times"):
        list(together(deadly, ITEMS, tmp_path, Backend(jobs=2), tmp_path, 9))
    saved = set(log_of(tmp_path))
    assert sorted(
        result["item"] for result in together(deadly, ITEMS, tmp_path, Backend(jobs=2), tmp_path, 0)
    ) == list(range(8))
    assert log_of(tmp_path) == list(range(8))
    assert 3 not in saved


OTHER = """
import sys
from pathlib import Path
from tests.verify.work import noted
from verify.engine.work.backends import Backend
from verify.engine.work.items import name_of, together
folder = Path(sys.argv[1])
print(sorted(r["twice"] for r in together(
    noted, {name_of(i): i for i in range(8)}, folder, Backend(jobs=int(sys.argv[2])), folder)))
"""


@contextmanager
def beside(*command):
    with subprocess.Popen([sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        yield process


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_two_runs_share_a_folder(tmp_path, jobs):
    with beside("-c", OTHER, tmp_path, jobs) as one, beside("-c", OTHER, tmp_path, jobs) as two:
        said = [process.communicate(timeout=120)[0] for process in (one, two)]
    assert said == [f"{[2 * item for item in range(8)]}\n"] * 2
    assert log_of(tmp_path) == list(range(8))


def test_two_runs_judge_in_one_folder(alone_judged, tmp_path):
    command = ["-m", "verify", *IDS, "--budget", "quick", "--jobs", "1", "--out", tmp_path / "records"]
    with beside(*command) as one, beside(*command) as two:
        tables = [process.communicate(timeout=300)[0] for process in (one, two)]
        assert [process.wait() for process in (one, two)] == [0, 0]
    assert tables[0] == tables[1]
    assert told(tmp_path / "records") == alone_judged


HOLDER = """
import sys, time
from pathlib import Path
from verify.engine.work.items import alone
with alone(Path(sys.argv[1]), sys.argv[2]):
    print("at it", flush=True)
    time.sleep(600)
"""


def test_whoever_is_killed_leaves_its_item_to_others(tmp_path):
    with beside("-c", HOLDER, tmp_path, name_of(3)) as holder:
        assert holder.stdout.readline() == "at it\n"
        found = together(noted, ITEMS, tmp_path, Backend(), tmp_path)
        first = [next(found)["item"] for _ in range(7)]
        assert 3 not in first
        holder.kill()
        assert [result["item"] for result in found] == [3]


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot write into"), alone(tmp_path / "file", name_of(1)):
        pass


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"name": "dask"}, "needs `--scheduler ADDRESS`"),
        ({"scheduler": "tcp://nowhere:1"}, "`--scheduler` is for dask and slurm"),
        ({"name": "slurm", "scheduler": "elsewhere"}, "must be slurm or local"),
    ],
)
def test_wrong_backends_are_refused(options, sentence):
    with pytest.raises(UsageError, match=sentence):
        Backend(**options)


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr(backends, "CONNECT", 1)
    with pytest.raises(UsageError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        list(spread(noted, range(4), Backend("dask", scheduler="tcp://127.0.0.1:9"), "nowhere"))


def test_slurm_that_is_not_here_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(backends, "SLURM_FOLDER", tmp_path)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="SLURM is not here"):
        list(spread(noted, range(4), Backend("slurm", jobs=2), "nowhere"))
