"""The user's own methods, networks, data and streams: from a file, in workers, and without stale results."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.networks.test_main import SMALL
from verify.networks import own
from verify.networks.main import main

MINE = """
import numpy as np
from torch import nn
from algorithms.fedavg import fedavg
from verify.networks.methods import method

def slower(local_lr, global_lr=1):
    return fedavg(local_lr, FACTOR * global_lr)

def by_defaults(local_lr=0.2, global_lr=1):
    return fedavg(local_lr, global_lr)

def net(image, n_classes):
    size = image[0] * image[1] * image[2]
    return nn.Sequential(nn.Flatten(), nn.Linear(size, 8), nn.Tanh(), nn.Linear(8, n_classes))

def arrays(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(4, size=120)
    return 0.5 * rng.random((120, 3, 3)) + y[:, None, None] / 8, y

METHODS = {"slower": method(slower, local_lr=0.1, global_lr=1), "by-defaults": by_defaults}
MODELS = {"net": net}
DATA = {"mine": arrays(0), "two": [arrays(0), arrays(1)]}
STREAMS = {"steps": [(*arrays(i), *arrays(9)) for i in range(2)]}
"""


@pytest.fixture(autouse=True)
def nothing_of_ones_own() -> Iterator[None]:
    """Remove the registrations of a test after it."""
    before = {name: dict(known) for name, (known, _) in own.REGISTRIES.items()}
    yield
    for name, (known, _) in own.REGISTRIES.items():
        known.clear()
        known.update(before[name])
    own._run.cache_clear()
    own._SENT.clear()


def written(folder: Path, factor: float = 0.5) -> Path:
    file = folder / "mine.py"
    file.write_text(MINE.replace("FACTOR", str(factor)))
    return file


def run(file: Path, *arguments: str) -> dict:
    result = file.parent / "found.json"
    out = ["--out", str(file.parent / "runs"), "--json", str(result)]
    assert main([*SMALL, *out, "--with", str(file), *arguments]) == 0
    return json.loads(result.read_text())


def test_a_file_of_ones_own(tmp_path) -> None:
    file = written(tmp_path)
    asked = ["--algorithms", "slower", "by-defaults", "--data", "mine", "--model", "net"]
    found = run(file, *asked, "--kind", "class")
    assert np.shape(found["methods"]["slower"]["curves"]) == (2, 2, 2, 2)
    assert found["methods"]["by-defaults"]["numbers"] == {"local_lr": 0.2, "global_lr": 1}
    assert found["settings"]["versions"]["own"]
    for data, tasks in (("two", 2), ("steps", 2)):
        assert np.shape(
            run(file, "--algorithms", "fedavg", "--data", data)["methods"]["fedavg"]["accuracy"]
        ) == (2, tasks, tasks)


def test_a_method_that_was_changed_is_trained_again_and_no_other(tmp_path, capsys) -> None:
    def trained(factor: float) -> set[str]:
        own._run.cache_clear()
        capsys.readouterr()
        run(written(tmp_path, factor), "--algorithms", "fedavg", "slower")
        lines = capsys.readouterr().err.splitlines()
        return {"FedAvg" for line in lines if line.startswith("FedAvg")} | {str(len(lines))}

    first, second, again = trained(0.5), trained(0.25), trained(0.25)
    # Both are called FedAvg: two lines of tasks for each training, after the two lines about the data.
    assert (first, second, again) == ({"FedAvg", "6"}, {"FedAvg", "4"}, {"2"})


def test_a_module_that_a_file_imports_counts(tmp_path) -> None:
    helper, file = tmp_path / "helper_of_mine.py", tmp_path / "mine.py"
    file.write_text(MINE.replace("FACTOR", "helper_of_mine.FACTOR") + "\nimport helper_of_mine\n")
    digests = []
    for factor in (0.5, 0.25):
        helper.write_text(f"FACTOR = {factor}\n")
        sys.modules.pop("helper_of_mine", None)
        own._run.cache_clear()
        digests.append(own.registered((file,)).source)
    assert len(set(digests)) == 2


def test_images_that_were_changed_are_trained_on_again(tmp_path) -> None:
    file, rng = tmp_path / "images.npz", np.random.default_rng(0)
    found = []
    for shift in (0.0, 0.4):
        from verify.networks import experiments

        y = rng.integers(4, size=160)
        x = np.clip(0.5 * rng.random((160, 3, 3)) + shift * y[:, None, None] / 4, 0, 1)
        np.savez(file, x=x, y=y)
        for cache in (experiments.world, experiments._worlds, experiments._stream, experiments.digest):
            cache.cache_clear()
        found.append(run(written(tmp_path), "--data", str(file), "--algorithms", "fedavg", "--rounds", "4"))
    images = [one["settings"]["images"] for one in found]
    assert images[0] != images[1]
    assert found[0]["methods"]["fedavg"]["accuracy"] != found[1]["methods"]["fedavg"]["accuracy"]


def test_what_a_script_registers_is_known_in_workers(tmp_path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        MINE.replace("FACTOR", "0.5")
        + "\nfrom verify.networks import methods, main\nimport sys\nmethods.METHODS['slower'] = METHODS['slower']\n"
        "if __name__ == '__main__':\n    raise SystemExit(main.main(sys.argv[1:]))\n"
    )
    arguments = [
        *SMALL[2:],
        "--jobs",
        "2",
        "--out",
        str(tmp_path / "runs"),
        "--algorithms",
        "fedavg",
        "slower",
    ]
    done = subprocess.run(
        [sys.executable, str(script), *arguments], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "slower" in done.stdout


def test_a_file_is_loaded_in_workers(tmp_path) -> None:
    found = run(written(tmp_path), "--jobs", "2", "--model", "net", "--algorithms", "fedavg", "slower")
    assert set(found["methods"]) == {"fedavg", "slower"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x = 1", "must define at least one of METHODS, DATA, MODELS, STREAMS"),
        ("METHODS = []\n", "`METHODS` of "),
        ("METHODS = {'a': 3}\n", "`METHODS['a']` must be a function"),
        ("MODELS = {'a': 3}\n", "`MODELS` of "),
        ("\n1 / 0\n", "line 2: ZeroDivisionError"),
        ("def f(:\n", "line 1: SyntaxError"),
        ("STREAMS = {'a': 3}\n", "`STREAMS['a']` must be a Recipe or a list of tasks"),
    ],
)
def test_a_wrong_file_is_told_in_a_line(content: str, message: str, tmp_path, capsys) -> None:
    file = tmp_path / "mine.py"
    file.write_text(content)
    assert main([*SMALL, "--with", str(file)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert message in lines[-1]
    assert main([*SMALL, "--with", str(tmp_path / "none.py")]) == 2
    assert "which does not exist" in capsys.readouterr().err


def test_code_that_was_typed_in_has_a_digest() -> None:
    from verify.networks import methods

    made = {}
    for factor in (1, 2):
        space: dict = {}
        exec(f"def typed(local_lr=0.1):\n    return {factor}\n", space)  # as at a prompt, without a file
        methods.METHODS["typed"] = methods.as_method("typed", space["typed"])
        made[factor] = own.source()
    assert made[1] != made[2]


def test_trained_models_load_with_plain_pytorch(tmp_path) -> None:
    file = written(tmp_path)
    run(file, "--algorithms", "slower", "--model", "net", "--models", str(tmp_path / "models"))
    content = torch.load(tmp_path / "models" / "slower.pt", weights_only=True)
    space: dict = {}
    exec(file.read_text(), space)
    module = space["net"]((1, 8, 8), 10)
    module.load_state_dict(content["runs"][0])
    assert module(torch.rand(3, 1, 8, 8)).shape == (3, 10)
    assert len(content["runs"]) == 2
