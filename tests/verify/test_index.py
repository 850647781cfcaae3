"""The index of statements agrees with the topics."""

import pytest

from verify.engine.topics import claims, claims_of, index, topics


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_the_index_is_the_claims():
    assert list(index()) == list(claims())
    assert all(entry.says == claims()[id].statement.says for id, entry in index().items())
    assert all(
        id in [c.statement.id for c in claims_of(entry.topic)] for id, entry in list(index().items())[::50]
    )
    assert {entry.topic for entry in index().values()} <= set(topics())
