"""The command line of figures: what is asked for wrongly."""

from __future__ import annotations

import pytest

from figures.main import main


def test_unknown_format_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--format", "gif"])
    assert stopped.value.code == 2
