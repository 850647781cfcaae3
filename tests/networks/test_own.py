"""The user's own methods, networks, data and streams: from a file, in workers, and without stale results."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from algorithms.fedavg import fedavg
from algorithms.simulate import states
from tests.networks.test_main import SMALL
from verify.networks import own
from verify.networks.data.deals import DEALS
from verify.networks.experiments import draws, world
from verify.networks.main import main
from verify.networks.setting import Setting
from verify.networks.training.captured import rounds_on
from verify.networks.training.train import starts

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
        return {line.partition(":")[0] for line in lines if ": task " in line}

    assert (trained(0.5), trained(0.25), trained(0.25)) == ({"fedavg", "slower"}, {"slower"}, set())


@pytest.mark.parametrize(("images", "equal"), [(64, True), (600, False)])
def test_counts_of_local_steps_have_one_shape(images, equal) -> None:
    """Whether all clients make one step or different numbers of steps."""
    setting = Setting(DEALS["by_dirichlet"], images=images, clients=4, sampled=2, seeds=2, epochs=1)
    here, drawn, counts = world(setting), draws(setting), []
    plain = fedavg(0.1)

    def aggregate(state, local, clients):
        counts.append(local["made"])
        return plain.aggregate(state, local, clients)

    counting = replace(
        plain,
        begin_round=lambda *given: {**plain.begin_round(*given), "made": 0},
        local_step=lambda state, local, g: {**plain.local_step(state, local, g), "made": local["made"] + 1},
        aggregate=aggregate,
    )
    theta0 = starts(here.model, 0, setting.seeds)
    *_, _ = states(here, counting, drawn, theta0, 1, 1, play=rounds_on("cpu"))
    expected = (drawn.noise(0, 0)[..., :1] >= 0).sum(axis=-2)
    assert (len(np.unique(expected)) == 1) is equal
    assert np.array_equal(counts[0], expected)


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


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("pass", "`a` must return an Algorithm, got NoneType"),
        ("return fedavg(lr)", ", line 8: NameError: name 'lr' is not defined"),
        ("return replace(fedavg(local_lr), aggregate=kept)", "must return a `theta` of shape (2, 2410)"),
        ("return replace(fedavg(local_lr), aggregate=failing)", ", line 6: KeyError: 'thet'"),
    ],
)
def test_an_error_of_a_method_is_told_in_a_line(body: str, message: str, tmp_path, capsys) -> None:
    (tmp_path / "mine.py").write_text(
        "from dataclasses import replace\n"
        "from algorithms.fedavg import fedavg\n"
        "def kept(state, local, clients):\n"
        "    return {**state, 'theta': local['x']}\n"
        "def failing(state, local, clients):\n"
        "    return state['thet']\n"
        "def a(local_lr=0.1):\n"
        f"    {body}\n"
        "METHODS = {'a': a}\n"
    )
    out = ["--out", str(tmp_path / "runs")]
    assert main([*SMALL, *out, "--with", str(tmp_path / "mine.py"), "--algorithms", "a"]) == 2
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_an_argument_without_a_value_is_told(tmp_path, capsys) -> None:
    text = "from verify.networks.methods import method\nMETHODS = {'a': method(lambda local_lr, q: 0, local_lr=0.1)}\n"
    (tmp_path / "mine.py").write_text(text)
    assert main([*SMALL, "--with", str(tmp_path / "mine.py"), "--algorithms", "a"]) == 2
    assert "must get every argument without a default, got none for q" in capsys.readouterr().err


def test_an_entry_with_the_name_of_a_built_in_one_is_told(tmp_path, capsys) -> None:
    text = (
        "from algorithms.fedavg import fedavg\nMETHODS = {'fedavg': lambda local_lr=0.1: fedavg(local_lr)}\n"
    )
    (tmp_path / "mine.py").write_text(text)
    assert main([*SMALL, "--with", str(tmp_path / "mine.py"), "--list"]) == 0
    assert "your fedavg replaces that of the toolkit" in capsys.readouterr().err


def test_a_network_of_other_arguments_is_told(tmp_path, capsys) -> None:
    (tmp_path / "mine.py").write_text("MODELS = {'a': lambda image: 0}\n")
    assert main([*SMALL, "--with", str(tmp_path / "mine.py"), "--model", "a"]) == 2
    assert (
        "`MODELS['a']` must be a function of (image, n_classes), here of (1, 8, 8) and 10"
        in capsys.readouterr().err
    )


def test_places_of_results_are_checked_before_training(tmp_path, capsys) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for option in ("out", "csv", "models", "tensorboard"):
        assert main([*SMALL, f"--{option}", str(file)]) == 2
        assert f"`--{option}` must be a folder, got {file}, a file" in capsys.readouterr().err
    assert main([*SMALL, "--json", str(tmp_path)]) == 2
    assert f"`--json` must be a file, got {tmp_path}, a folder" in capsys.readouterr().err


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
