"""Sentences on experiments are judged on another network or stream by the same laws."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import verify.networks.experiments as experiments
from bounds.cflag.empirical import BASELINES as CFLAG_BASELINES
from verify.commands.main import main
from verify.networks.data.splits import TUNING_FIRST
from verify.networks.methods import METHODS
from verify.networks.sentences import SELECTED, SELECTED_HERE
from verify.networks.setting import SHARED, beside, rates
from verify.networks.training.measures import OWN_TASKS
from verify.scenes.networks import cfl, cflag, selected, special
from verify.scenes.networks.selected import scaled_candidates


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(experiments, "FOLDER", tmp_path / "runs")


def test_a_place_reaches_every_setting_of_a_sentence() -> None:
    here = replace(cfl.MILD, seeds=3, seed=5, model="lenet", data="mnist", folder="f", precision="bf16")
    here = replace(here, optimiser="adam", step=0.001, factor=0.5)
    found = beside(here, cfl.STRONG)
    assert all(getattr(found, name) == getattr(here, name) for name in SHARED)
    assert found.alpha == cfl.STRONG.alpha


def test_what_can_be_judged_is_listed(capsys) -> None:
    assert main(["experiments", "fedmes.emp.best*", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines} >= {"fedmes.emp.best", "fedmes.emp.best/noLIP"}
    with pytest.raises(SystemExit):
        main(["experiments", "--help"])
    assert f"runs of each method: {', '.join(map(str, experiments.SEEDS.values()))}" in " ".join(
        capsys.readouterr().out.split()
    )


def test_a_sentence_is_judged_elsewhere(tmp_path, monkeypatch, capsys) -> None:
    small = replace(cflag.IID, tasks=2, images=40, rounds=1, epochs=1)
    monkeypatch.setattr(experiments, "SEEDS", {"quick": 2})
    monkeypatch.setattr("verify.networks.sentences.SEEDS", {"quick": 2})
    seen = []
    trained = experiments._trained

    def shorter(setting, *rest):
        seen.append((setting.model, setting.optimiser, setting.step))
        how = {"model": setting.model, "optimiser": setting.optimiser, "step": setting.step}
        return trained(replace(small, seeds=2, **how), *rest)

    monkeypatch.setattr(experiments, "_trained", shorter)
    file = tmp_path / "found.json"
    words = [
        "experiments",
        "cflag.emp.forget.iid/fedavg",
        "--model",
        "linear",
        "--optimiser",
        "adam",
        "--local-lr",
        "0.002",
        "--device",
        "cpu",
        "--budget",
        "quick",
    ]
    words += ["--out", str(tmp_path / "verdicts"), "--json", str(file)]
    assert main(words) == 0
    (record,) = json.loads(file.read_text())
    assert record["evidence"][0]["details"]["measured"]["setting"]["model"] == "linear"
    assert set(seen) == {("linear", "adam", 0.002)}
    assert "cflag.emp.forget.iid/fedavg" in capsys.readouterr().out
    seen.clear()
    assert main(words) == 0
    assert not seen
    assert json.loads(file.read_text()) == [record]


LISTS = [
    *((cfl.algorithm(entrant), each) for entrant, each in cfl.CANDIDATES.items()),
    *special.CANDIDATES.items(),
    *(pair for kind in ("task", "class") for pair in cflag.OWN[kind].items()),
]


@pytest.mark.parametrize(("method", "candidates"), LISTS)
def test_elsewhere_there_are_as_many_candidates_at_other_steps(method: str, candidates) -> None:
    there = scaled_candidates(replace(cfl.MILD, factor=0.1), method, candidates)
    steps = set(rates(METHODS[method])) & candidates.keys()
    assert steps
    assert there.keys() == candidates.keys()
    for name, values in candidates.items():
        factor = 0.1 if name in steps else 1
        np.testing.assert_allclose(there[name], np.multiply(values, factor), rtol=0.01)
    assert len(set(zip(*there.values(), strict=True))) == len(next(iter(candidates.values())))
    assert scaled_candidates(cfl.MILD, method, candidates) == scaled_candidates(
        replace(cfl.MILD, factor=1), method, candidates
    )


def test_numbers_are_selected_on_images_that_are_not_judged_on(monkeypatch) -> None:
    asked = []

    def fake(setting, method: str, numbers: dict) -> experiments.Ran:
        asked.append((setting, len(numbers["local_lr"])))
        good = -np.abs(np.log(np.array(numbers["local_lr"]) / 0.05))
        return experiments.Ran(
            np.tile(good[:, None, None, None, None], (1, setting.seeds, 6, 1, 1)), np.zeros(0)
        )

    monkeypatch.setattr(experiments, "run", fake)
    half = cfl.OVERLAPS[-1]
    assert cfl.selected(half, "fedavg") == cfl.SELECTED["windowed", 0.1]["fedavg"]
    assert not asked
    (step,) = cfl.selected(replace(half, factor=0.1, data="mnist"), "fedavg").values()
    assert 0.049 < step < 0.051
    assert [(setting.seeds, count) for setting, count in asked] == [(8, 35), (24, 9)]
    for setting, _ in asked:
        assert (setting.part, setting.overlap, setting.data) == ("validation", 0, "mnist")
        assert setting.first >= TUNING_FIRST


def test_methods_run_with_what_they_select_there(monkeypatch) -> None:
    tiny = {"seeds": 2, "periods": 5, "epochs": 1, "images": 140, "subsets": 2, "clients": 2, "sampled": 2}
    steps = {"local_lr": (0.2, 0.4, 1.0)}
    monkeypatch.setattr(cfl, "CANDIDATES", dict.fromkeys(("core-set", "fedavg"), steps))
    setting = replace(cfl.MILD, **tiny, factor=0.5)
    measured = cfl.FIELD.above("core-set", ("fedavg",), cfl.best_rounds)(setting).measured
    assert measured["setting"]["factor"] == 0.5
    for name, numbers in measured["selected"].items():
        assert numbers["local_lr"] in (0.1, 0.2, 0.5)
        there = experiments.run(setting, cfl.algorithm(name), cfl.numbers(setting, name))
        found = measured["methods"][name]["last round"]
        assert found == pytest.approx(there.accuracy[..., -1, 0].mean(), abs=1e-4)


def test_sentences_in_which_nothing_is_selected_are_named(tmp_path, monkeypatch, capsys) -> None:
    def made_up(setting, method: str, numbers: dict, measure, file) -> dict[str, np.ndarray]:
        sweep = np.broadcast_shapes(*map(np.shape, numbers.values()))
        of_each = (8, 4, 1, 4) if measure is OWN_TASKS else (5, 1, 5)
        shape = (*((2,) if measure is OWN_TASKS else ()), *sweep, setting.seeds, *of_each)
        return {"by_round": np.random.default_rng(0).random(shape), "models": np.zeros(1)}

    monkeypatch.setattr(experiments, "_trained", made_up)
    file = tmp_path / "found.json"
    ids = ["cflag.emp.best.iid/step", "cflag.emp.best.iid/fedavg", "fedmes.emp.best/fedavg"]
    words = ["--select", "0.5", "--budget", "quick", "--jobs", "1", "--device", "cpu"]
    assert main(["experiments", *ids, *words, "--out", str(tmp_path), "--json", str(file)]) == 0
    assert (
        f"changes nothing in 2 of 3 sentences, whose methods have one step for all, or numbers that are printed or swept: {', '.join(ids[1:])}"
        in capsys.readouterr().err
    )
    records = {
        record["id"]: record["evidence"][0]["details"]["measured"] for record in json.loads(file.read_text())
    }
    assert [records[id][SELECTED_HERE] for id in ids[1:]] == [[], []]
    chosen = dict(records[ids[0]][SELECTED_HERE])
    assert chosen.keys() == {cflag.OURS, *CFLAG_BASELINES}
    assert all(chosen[name] == records[ids[0]]["selected"][name] for name in chosen)


def test_all_that_depends_on_a_selection_is_named(monkeypatch) -> None:
    """Core sets of several sizes are trained once for all sentences about them, and each sentence names the selected
    values.
    """
    monkeypatch.setattr(cfl, "_by_size", lambda setting, own: (np.ones((6, 2)), np.ones((6, 2))))
    monkeypatch.setattr(selected, "tuned", lambda *_: {"local_lr": 0.3})
    for _ in range(2):
        noted: list = []
        before = SELECTED.set(noted)
        cfl.loses_less(replace(cfl.MILD, factor=1))
        SELECTED.reset(before)
        assert noted == [["cfl-core-set", {"local_lr": 0.3}]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["special.eq27"], "`patterns` must match sentences on experiments"),
        (["networks_cfl", "--model", "nothing"], "`--model` must be one of"),
        (["networks_cfl", "--data", "nothing"], "`--data` must be one of"),
        (["networks_cfl", "--optimiser", "magic"], "`--optimiser` must be one of sgd, adam"),
        (["networks_cfl", "--optimiser", "adam"], "`--local-lr` must be given with adam"),
        (["networks_cfl", "--optimiser", "adam", "--select", "1"], "`--local-lr` must be given with adam"),
        (["networks_cfl", "--local-lr", "0"], "`--local-lr` must be above 0 and finite, got 0.0"),
        (["networks_cfl", "--select", "nan"], "`--select` must be above 0 and finite, got nan"),
        (["networks_cfl", "--local-lr", "0.1", "--select", "1"], "`--select` must be left out"),
        (["networks_cfl", "--device", "abacus"], "`--device`: `device` must be cpu"),
    ],
)
def test_wrong_usage(words, message, capsys) -> None:
    assert main(["experiments", *words]) == 2
    assert message in capsys.readouterr().err
