"""The command line of figures: errors for wrong arguments."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import figures.main
from figures.main import main, write


def test_unknown_format_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--format", "gif"])
    assert stopped.value.code == 2


def test_a_missing_package_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(results: object) -> None:
        raise ModuleNotFoundError("No module named 'seaborn'", name="seaborn")

    (tmp_path / "curves").mkdir()
    (tmp_path / "curves" / "one.json").write_text(json.dumps({"name": "one"}))
    monkeypatch.setattr(figures.main, "draw", missing)
    assert main(["--results", str(tmp_path), "--out", str(tmp_path)]) == 2
    assert "pip install 'fcl-theory[figures]'" in capsys.readouterr().err


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_is_stopped_with_one_line(
    sent: signal.Signals,
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "curves").mkdir()
    (tmp_path / "curves" / "one.json").write_text(json.dumps({"name": "one"}))
    monkeypatch.setattr(figures.main, "draw", lambda results: signal.raise_signal(sent))
    before = signal.getsignal(signal.SIGTERM)
    try:
        assert main(["--results", str(tmp_path), "--out", str(tmp_path)]) == status
    finally:
        signal.signal(signal.SIGTERM, before)
    assert capsys.readouterr().err == "figures: interrupted; what is drawn is whole\n"


def test_a_figure_is_written_in_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(self: object, made: Path, **_: object) -> None:
        made.write_bytes(b"half")
        raise KeyboardInterrupt

    path, figure = tmp_path / "one.png", plt.figure()
    write(figure, path)
    whole = path.read_bytes()
    monkeypatch.setattr(plt.Figure, "savefig", half)
    with pytest.raises(KeyboardInterrupt):
        write(figure, path)
    plt.close(figure)
    assert path.read_bytes() == whole


def test_a_comparison_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    curves = np.random.default_rng(0).random((3, 2, 4, 2)).tolist()
    names = {"data": "digits", "kind": "class", "model": "mlp"}
    numbers = {"clients": 8, "sampled": 4, "rounds": 4, "seeds": 3}
    methods = {f"method {place}": {"curves": curves} for place in range(5)}
    file = tmp_path / "found.json"
    file.write_text(json.dumps({"settings": {**names, **numbers}, "methods": methods}))
    assert main(["run", str(file), "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'found.png'}\n"
    assert (tmp_path / "found.png").stat().st_size > 10_000
    file.write_text("{}")
    assert main(["run", str(file), "--out", str(tmp_path)]) == 2
    assert "must be written by `python -m verify.networks --json" in capsys.readouterr().err
    assert main(["run", str(tmp_path / "none.json")]) == 2
    assert "cannot read" in capsys.readouterr().err
