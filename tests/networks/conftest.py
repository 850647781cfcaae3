"""Methods with small sizes for tests, wherever they are referred to by name."""

import pytest

from tests.networks.cases import FEWER, fewer
from verify.networks.methods import METHODS


@pytest.fixture
def small_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FEWER:
        monkeypatch.setitem(METHODS, name, fewer(name))
