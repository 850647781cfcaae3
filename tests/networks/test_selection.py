"""Selection: candidates trained together equal those trained alone, and methods have the selected values."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.networks.test_main import SMALL
from verify.networks import selection
from verify.networks.main import main as compare
from verify.networks.methods import COMPARED, METHODS, SYSTEMS
from verify.networks.selection import N_CANDIDATES, RANGES, candidates, main, selected


@pytest.mark.parametrize("name", RANGES)
def test_every_method_has_as_many_candidates_in_its_ranges(name: str) -> None:
    found = candidates(name)
    assert len({tuple(one.items()) for one in found}) == len(found) == N_CANDIDATES
    for number, (low, high) in RANGES[name].items():
        assert number in METHODS[name].numbers
        assert all(0.95 * low <= one[number] <= 1.05 * high for one in found)
        assert low <= METHODS[name].numbers[number] <= high


def test_all_that_is_compared_was_selected() -> None:
    assert {*COMPARED, *SYSTEMS} ^ set(RANGES) == {"fedmes-inference"}
    trained = {name: METHODS[name].numbers for name in ("fedmes", "fedmes-inference")}
    assert all(
        trained["fedmes-inference"][number] == trained["fedmes"][number] for number in trained["fedmes"]
    )


@pytest.mark.usefixtures("small_methods")
@pytest.mark.parametrize(
    "name", ["fedmes", "icarl", "fedcil/paper", "pfeddil", "fedweit/paper", "mfcl/released"]
)
def test_a_candidate_is_the_method_with_its_numbers(name: str, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(selection, "N_CANDIDATES", 2)
    monkeypatch.setattr(selection, "APART", {"first": 0, "part": "test"})
    file, out = tmp_path / "found.json", ["--out", str(tmp_path), "--seed", "1"]
    assert main([*SMALL, *out, "--algorithms", name, "--json", str(file)]) == 0
    assert f"selected: {name}:" in capsys.readouterr().out
    together = json.loads(file.read_text())["methods"][name]["candidates"]
    assert compare([*SMALL, *out, "--algorithms", *together, "--json", str(file)]) == 0
    alone = json.loads(file.read_text())["methods"]
    for text, found in together.items():
        np.testing.assert_allclose(found["accuracy"], alone[text]["accuracy"], atol=0.02)
        assert found["diverged"] == alone[text]["diverged"] == 0


def test_what_diverges_is_not_selected_for_its_accuracy() -> None:
    def row(acc: float, diverged: int) -> dict:
        return {"metrics": {"acc": {"mean": acc}}, "diverged": diverged}

    assert selected({"a": row(0.4, 0), "b": row(0.9, 1), "c": row(0.5, 0), "d": row(0.5, 0)}) == "c"


def test_candidates_are_listed(capsys) -> None:
    assert main(["--list", "--algorithms", "ewc"]) == 0
    assert "'lam'" in capsys.readouterr().out


def test_methods_without_candidates_are_refused(capsys) -> None:
    assert main([*SMALL, "--algorithms", "special-second-task"]) == 2
    assert "got 'special-second-task'" in capsys.readouterr().err
