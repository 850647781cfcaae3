"""The quadratic lab: exact curves against Monte Carlo, bounds against the exact run, worlds from descriptions and files."""

import json
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from bounds.catalogue import statement
from bounds.special.theorems import BKT, RATE
from nqm.constants import constants
from verify.engine.work.errors import UsageError
from verify.lab import (
    Description,
    Plan,
    described,
    exact_curves,
    laid_over,
    method_of,
    sampled_curves,
    world_in,
)
from verify.lab.main import main
from verify.lab.moments import moments

NUMBERS = {"local_lr": 0.02, "global_lr": 0.5, "lam": 0.3}
SMALL = ["dim=3", "clients=3", "tasks=2"]


@pytest.mark.parametrize("turned", [0, 1])
@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("fedavg", {"local_lr": 0.1, "global_lr": 1.0}),
        ("special", NUMBERS),
        ("scaffold", {"local_lr": 0.1, "global_lr": 1.0}),
    ],
)
def test_exact_curves_are_the_means_of_runs(name, numbers, turned):
    world, plan = (
        Description(dim=3, clients=4, tasks=2, turned=turned).world(),
        Plan(rounds=6, sampled=2, steps=2, start=0.5),
    )
    method = method_of(name, numbers, world.n_clients)
    exact, sampled = exact_curves(world, method, plan), sampled_curves(world, method, plan, 4000, 1)
    for quantity, (mean, error) in sampled.items():
        assert exact[quantity].shape == (2, 7)
        assert np.all(abs(exact[quantity] - mean) <= 5 * error + 1e-12), quantity


def test_a_world_has_the_constants_that_were_asked_for():
    found = constants(Description(dim=6, mu=0.2, L=3.0, noise=0.7, turned=1).world())
    assert float(found["L"].value) == pytest.approx(3.0)
    assert float(found["mu"].value) == pytest.approx(0.2)
    assert float(found["sigma_L2"].value) == pytest.approx(0.49)


def test_without_noise_drift_and_heterogeneity_fedavg_converges():
    world = Description(noise=0.0, heterogeneity=0.0, drift=0.0, tasks=1).world()
    curves = exact_curves(
        world, method_of("fedavg", {"local_lr": 0.5, "global_lr": 1.0}, 8), Plan(200, 8, 5, start=1.0)
    )
    assert curves["loss"][0, -1] == pytest.approx(0, abs=1e-12)
    assert np.all(np.diff(curves["loss"][0]) <= 1e-15)


def test_a_theorem_that_is_true_is_not_broken_by_an_exact_run():
    world, plan = Description(dim=4, tasks=3).world(), Plan(rounds=20)
    over = laid_over(RATE, world, method_of("special", NUMBERS, world.n_clients), plan, NUMBERS)
    assert over.met.all()
    assert np.all(over.exact <= over.bound)
    assert over.bound[-1] == pytest.approx(RATE.at(**over.values, T=20))
    assert set(over.known) >= {"L", "B", "sigma_G2"}


def test_what_the_world_does_not_give_is_asked_for_by_name():
    world, plan = Description().world(), Plan(rounds=3)
    method = method_of("special", NUMBERS, world.n_clients)
    with pytest.raises(UsageError, match=r"needs a value for\n +eps"):
        laid_over(BKT, world, method, plan, NUMBERS)
    over = laid_over(BKT, world, method, plan, NUMBERS, {"eps": 0.1, "align": 0.5})
    assert over.bound.shape == over.exact.shape == (3,)
    with pytest.raises(UsageError, match="exact runs know min_grad2, F_t"):
        laid_over(statement("special.lem4.9"), world, method, plan, NUMBERS)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dim": 0}, "`dim` must be a whole number >= 1"),
        ({"dim": 2.5}, "`dim` must be a whole number"),
        ({"dim": 4096}, "at most 512"),
        ({"mu": 2.0}, "0 <= mu <= L"),
        ({"noise": -1.0}, "`noise` must be >= 0"),
        ({"colour": 1.0}, "no setting of a world"),
    ],
)
def test_worlds_that_cannot_be(settings, message):
    with pytest.raises(UsageError, match=message):
        described(settings)


def test_a_world_from_a_file(tmp_path):
    file = tmp_path / "world.json"
    file.write_text(json.dumps({"hessian": [[[1.0, 2.0]]], "centre": [[[0.0, 1.0]]], "noise": 0.5}))
    world, _ = world_in(file)
    assert (world.n_tasks, world.n_clients, world.dim) == (1, 1, 2)
    file.write_text(json.dumps({"dim": 3, "seed": 4}))
    assert world_in(file)[1]["dim"] == 3
    file.write_text(json.dumps({"hessian": [[1.0]], "noise": 0.5}))
    with pytest.raises(UsageError, match="must describe quadratics"):
        world_in(file)


def test_the_command_prints_writes_and_draws(capsys, tmp_path):
    files = {kind: tmp_path / f"lab.{kind}" for kind in ("json", "csv", "png")}
    arguments = [*SMALL, "--rounds", "5", "--sampled", "2", "--runs", "10", "--bound", "special.thm4.10"]
    methods = ["--methods", "special:local_lr=1/50,global_lr=0.5,lam=0.3", "fedavg:local_lr=0.02,global_lr=1"]
    written = ["--json", str(files["json"]), "--csv", str(files["csv"]), "--plot", str(files["png"])]
    assert main([*arguments, *methods, *written]) == 0
    out = capsys.readouterr().out
    assert "special.thm4.10 over min_grad2: exact" in out
    assert "lam         proximal coefficient of the server" in out  # FedAvg has none
    content = json.loads(files["json"].read_text())
    assert len(content["methods"][0]["curves"]["loss"]) == 2
    assert len(files["csv"].read_text().splitlines()) == 1 + 2 * 2 * 6
    assert files["png"].read_bytes().startswith(b"\x89PNG")


def test_a_run_that_diverges_ends_without_a_warning(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main([*SMALL, "--rounds", "30", "--methods", "fedavg:local_lr=1e6"]) == 0
    assert "nan" in capsys.readouterr().out


def test_more_clients_than_there_are_cannot_take_part(capsys):
    assert main([*SMALL, "--sampled", "99"]) == 2
    assert "--sampled must be at most the" in capsys.readouterr().err


def test_a_grid_shows_the_best_step_size(capsys):
    assert (
        main(
            [
                *SMALL,
                "noise=0",
                "heterogeneity=0",
                "tasks=1",
                "--methods",
                "fedavg:local_lr=1,global_lr=1",
                "--grid",
                "local_lr=0.01:0.5:4",
            ]
        )
        == 0
    )
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[-4:]]
    losses = [float(row[1]) for row in rows]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methods", "fedavg"], "fedavg needs local_lr; write fedavg:local_lr=..."),
        (["--methods", "fedavg:speed=1"], "`speed` is no number of fedavg"),
        (["--methods", "sgd"], "`algorithm` must be one of"),
        (["noise=loud"], "must be a number such as"),
        (["--world", "x.json", "dim=2"], "not both"),
        (["--bound", "special.thm9"], "no statement has the id"),
        (["--grid", "local_lr=1"], "NAME=LOW:HIGH"),
    ],
)
def test_what_is_wrong_is_said(arguments, message, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_numbers_may_be_fractions():
    assert described({"noise": float(Fraction(1, 8))}).noise == 0.125


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Description(dim="ten"), "`dim` of a world must be a number"),
        (lambda: described({"mu": "low"}), "`mu` of a world must be a number"),
        (lambda: Plan(rounds="x"), "`rounds` of a plan must be a number"),
        (lambda: Plan(steps=2.5), "`steps` must be a whole number >= 1, got 2.5"),
        (lambda: method_of("fedavg", {"local_lr": "x"}, 2), "`local_lr` of fedavg must be a number"),
    ],
)
def test_settings_that_are_no_numbers_are_refused_by_name(make, message) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_a_start_of_another_dimension_is_refused() -> None:
    world = Description(dim=3, clients=2, tasks=1).world()
    method = method_of("fedavg", {"local_lr": 0.1}, 2)
    with pytest.raises(ValueError, match=r"`theta0` must be an array of shape \(..., 3\), got shape \(4,\)"):
        moments(world, method, theta0=np.zeros(4), rounds=1, n_sampled=1, local_steps=1)


def test_the_python_of_the_lab_page_runs(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).resolve().parents[3] / "docs" / "lab.md").read_text()
    first, second = page.split("```python\n")[1:]
    exec(first.partition("```")[0], {})
    exec(second.partition("```")[0], {})
    assert Path("mine.png").read_bytes()[:4] == b"\x89PNG"
    assert "exact within" in capsys.readouterr().out
