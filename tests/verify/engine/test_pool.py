"""Pools: every certificate is found by its digest, changed ones are not, and names of symbols do not matter."""

import lzma
from copy import deepcopy

import pytest

from verify.engine.records.pool import apart, digest, form, names_in, pool_of, read_pool, together, write_pool


def certificate(number: int):
    return {
        "symbols": {"x": "real"},
        "lines": [{"given": ["<=", "x", str(number)], "by": "it"}],
        "claim": ["<=", "x", "9"],
    }


POOL = pool_of(map(certificate, range(6)))


def test_a_pool_comes_back_as_it_was_written(tmp_path):
    write_pool(tmp_path / "pool.xz", POOL)
    found = read_pool(tmp_path / "pool.xz")
    assert (dict(found), list(found), len(found)) == (POOL, sorted(POOL), len(POOL))
    write_pool(tmp_path / "again.xz", dict(reversed(POOL.items())))
    assert (tmp_path / "again.xz").read_bytes() == (tmp_path / "pool.xz").read_bytes()
    assert dict(read_pool(tmp_path / "none.xz")) == {}


@pytest.mark.parametrize("name", sorted(POOL))
def test_a_certificate_that_somebody_has_changed_is_not_in_its_pool(tmp_path, name):
    """Whether the digest of the changed certificate sorts before or after its own."""
    changed = [POOL[name] | {"claim": ["<=", "x", str(number)]} for number in range(10, 60)]
    sides = [[one for one in changed if (digest(one) < name) is before][:3] for before in (True, False)]
    assert all(sides) or name in (min(POOL), max(POOL))
    for one in (*sides[0], *sides[1]):
        write_pool(tmp_path / "pool.xz", {**POOL, name: one})
        found = read_pool(tmp_path / "pool.xz")
        assert name not in found
        assert set(found) == POOL.keys() - {name}
        with pytest.raises(KeyError):
            found[name]


def test_what_no_pool_wrote_has_no_certificates(tmp_path):
    (tmp_path / "pool.xz").write_bytes(lzma.compress(b"[1, 2]\n"))
    assert dict(read_pool(tmp_path / "pool.xz")) == {}


def test_certificates_are_taken_out_and_put_back_wherever_they_stand():
    first, second = list(POOL.values())[:2]
    content = {"proof": first, "parts": [{"deep": [second, first]}, 3, None], "text": "x"}
    named, pool = apart(deepcopy(content))
    assert pool == pool_of([first, second])
    assert names_in(named) == pool.keys()
    assert together(named, pool) == content
    with pytest.raises(KeyError):
        together(named, {})


def test_heads_of_formulas_are_no_names_of_symbols():
    forms = [
        form({"symbols": {name: "real"}, "lines": [], "claim": ["<=", name, ["max", name, ["+", name, "1"]]]})
        for name in ("x", "max", "<=", "+")
    ]
    assert len(set(forms)) == 1


def test_a_form_is_of_what_is_said_of_numbers():
    """Names of symbols and justifications make no difference; numbers, domains and sizes do."""
    one = certificate(1)
    renamed = {
        "symbols": {"y": "real"},
        "lines": [{"given": ["<=", "y", "1"], "by": "them"}],
        "claim": ["<=", "y", "9"],
    }
    assert form(one) == form(renamed)
    assert form(one) != form(certificate(2))
    assert form(one) != form(one | {"symbols": {"x": "positive"}})
    assert form(one) != form(one | {"claim": ["<", "x", "9"]})
    family = {"symbols": {"f": "family n", "n": "count"}, "lines": [], "claim": ["<=", "n", "1"]}
    assert form(family) == digest(family)
