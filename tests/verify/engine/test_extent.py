"""A verdict states the sizes at which its proof was checked, and so does every result that uses the proof."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.engine.links import with_final_verdicts
from verify.engine.model.extent import (
    Sizes,
    common,
    either,
    extended,
    is_empty,
    sizes_one_by_one,
    sizes_text,
    speaks_of,
    verdict_with_sizes,
)
from verify.engine.verdict import because
from verify.report.wording import sentence


def record(id: str, sizes: Sizes | None, verdict: str = "proved") -> dict[str, Any]:
    return {"id": id, "verdict": verdict, "proof": {"sizes": sizes}}


def upto(**most: int) -> list[dict[str, int]]:
    """All sizes from 1 up to the given ones."""
    every = product(*(range(1, size + 1) for size in most.values()))
    return [dict(zip(most, sizes, strict=True)) for sizes in every]


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        (upto(N=3), "proved (N <= 3)"),
        ([{"K": k, "d": 1} for k in (2, 3, 4)], "proved (2 <= K <= 4, d = 1)"),
        ([{"N": 1, "t": 1}, {"N": 2, "t": 2}], "proved (2 sizes with N <= 2, t <= 2)"),
        ([{"N": 1}, {"N": 3}, {"t": 2}], "proved (2 sizes with N <= 3 or t = 2)"),
        (None, "proved"),
    ],
)
def test_the_verdict_names_the_sizes(sizes: Sizes | None, says: str) -> None:
    assert verdict_with_sizes({"verdict": "proved", "sizes": sizes}) == says


def test_sizes_are_listed_one_by_one() -> None:
    assert sizes_one_by_one(upto(N=2, K=1)) == "N, K = 1, 1; 2, 1"
    assert sizes_one_by_one([{"N": 1}, {"N": 3}, {"t": 2}]) == "N = 1; 3; or t = 2"


def test_only_a_proof_has_sizes() -> None:
    assert verdict_with_sizes({"verdict": "not judged", "sizes": upto(N=3)}) == "not judged"


def test_what_rests_on_a_proof_at_sizes_is_proved_at_those() -> None:
    records = [
        record("a", upto(N=3)),
        record("b", None),
        record("c", upto(N=2, d=1)),
        record("d", None),
        record("e", None),
    ]
    sources = {
        "b": {"first": ["a"]},
        "d": {"first": ["b"], "second": ["c"]},
        "e": {"an identity": [[{"t": 2}]], "first": ["b", "nobody"], "of nobody": ["nobody"]},
    }
    found = extended(records, sources)
    assert found["b"] == upto(N=3)
    assert found["d"] == upto(N=2, d=1)
    assert found["e"] == [{"N": n, "t": 2} for n in (1, 2, 3)]


def test_sizes_reach_through_a_chain_of_proofs_in_any_order() -> None:
    chain = [record("a", upto(N=3)), *(record(id, None) for id in "bcde")]
    sources = {later: {"premise": [earlier]} for earlier, later in pairwise("abcde")}
    for records in (chain, chain[::-1]):
        assert extended(records, sources) == {id: upto(N=3) for id in "abcde"}


def test_whoever_says_a_premise_adds_the_sizes_at_which_it_is_proved_there() -> None:
    records = [record("a", upto(N=3)), record("b", None), record("c", None), record("d", [{"N": 5}])]
    assert extended(records, {"c": {"premise": ["a", "b"]}})["c"] is None
    assert extended(records, {"c": {"premise": ["a", "d"]}})["c"] == [*upto(N=3), {"N": 5}]


def test_what_rests_on_proofs_at_no_common_size_is_not_proved() -> None:
    one = {**linkable("a", [{"K": 3, "N": 1}, {"K": 1, "N": 2}], "x <= y"), "uses": []}
    other = {**linkable("b", [{"K": 1, "N": 1}, {"K": 3, "N": 2}], "y <= z"), "uses": []}
    premises = {
        "x <= y": {"same": ["a"], "other": [], "own": []},
        "y <= z": {"same": ["b"], "other": [], "own": []},
    }
    rests = linkable("c", None)
    rests.update(cites=premises, verdict="unrefuted")
    rests["evidence"][0].update(verdict="unrefuted", details={"derived_from": list(premises)})
    rests["evidence"].append(
        {
            **rests["evidence"][0],
            "verdict": None,
            "details": {},
            "reason": because("unjudged", why="otherwise"),
        }
    )
    found = {record["id"]: record for record in with_final_verdicts([one, other, rests])}
    assert (found["a"]["verdict"], found["c"]["verdict"]) == ("proved", "unrefuted")
    assert "at no size in common" in sentence(found["c"]["reason"])
    assert [part["verdict"] for part in found["c"]["evidence"]] == ["unrefuted", None]
    assert ["at no size in common" in sentence(part["reason"]) for part in found["c"]["evidence"]] == [
        True,
        False,
    ]
    wider = {**other, "proof": {"sizes": [{"K": 3}]}}
    found = {record["id"]: record for record in with_final_verdicts([one, wider, rests])}
    assert (found["c"]["verdict"], found["c"]["sizes"]) == ("proved", [{"K": 3, "N": 1}])


def linkable(id: str, sizes: Sizes | None, says: str = "") -> dict[str, Any]:
    finding = {"check": "inequality", "verdict": "proved", "details": {}, "tightness": None, "reason": []}
    return {
        **record(id, sizes),
        "kind": "inequality",
        "uses": [],
        "evidence": [finding],
        "reason": [],
        "cites": {},
        "statement": {"relation": says, "conditions": []},
    }


shapes = st.lists(st.dictionaries(st.sampled_from("NKd"), st.integers(1, 3), max_size=3), max_size=5)
parts = st.lists(st.none() | shapes, max_size=4)


@given(parts)
def test_a_proof_speaks_of_the_sizes_of_which_all_its_parts_speak(parts: list[Sizes | None]) -> None:
    both, any_of = common(parts), either(parts)
    for shape in upto(N=3, K=3, d=3):
        assert speaks_of(both, shape) == all(speaks_of(part, shape) for part in parts)
        assert speaks_of(any_of, shape) == any(speaks_of(part, shape) for part in parts)
    assert is_empty(both) == (not any(speaks_of(both, shape) for shape in upto(N=3, K=3, d=3)))


@given(shapes.filter(bool))
def test_no_size_is_said_at_which_nothing_was_checked(found: list[dict[str, int]]) -> None:
    sizes = common([found])
    if (
        sizes is not None
        and len({frozenset(shape) for shape in sizes}) == 1
        and "sizes with" not in sizes_text(sizes)
    ):
        names = list(sizes[0])
        ends = {n: range(min(s[n] for s in sizes), max(s[n] for s in sizes) + 1) for n in names}
        assert all(speaks_of(sizes, dict(zip(names, each, strict=True))) for each in product(*ends.values()))
