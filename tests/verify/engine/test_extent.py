"""A proof that was checked at some sizes says so where its verdict stands, and so does what rests on it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.engine.extent import common, extended, shown, told
from verify.engine.links import linked


def record(id: str, sizes: dict[str, list[int]] | None, verdict: str = "proved") -> dict[str, Any]:
    return {"id": id, "verdict": verdict, "proof": {"sizes": sizes}}


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        ({"N": [1, 3]}, "proved (N <= 3)"),
        ({"K": [2, 4], "d": [1, 1]}, "proved (2 <= K <= 4, d = 1)"),
        ({}, "proved"),
        (None, "proved"),
    ],
)
def test_the_verdict_names_the_sizes(sizes: Any, says: str) -> None:
    assert shown({"verdict": "proved", "sizes": sizes}) == says


def test_only_a_proof_has_sizes() -> None:
    assert shown({"verdict": "not_applicable", "sizes": {"N": [1, 3]}}) == "not applicable"


def test_what_rests_on_a_proof_at_sizes_is_proved_at_those() -> None:
    records = [
        record("a", {"N": [1, 3]}),
        record("b", None),
        record("c", {"N": [1, 2], "d": [1, 1]}),
        record("d", None),
    ]
    sources = {"b": {"first": {"a"}}, "d": {"first": {"b"}, "second": {"c"}}}
    found = extended(records, sources)
    assert found["b"] == {"N": [1, 3]}
    assert found["d"] == {"N": [1, 2], "d": [1, 1]}


def test_sizes_reach_through_a_chain_of_proofs_in_any_order() -> None:
    chain = [record("a", {"N": [1, 3]}), *(record(id, None) for id in "bcde")]
    sources = {later: {"premise": {earlier}} for earlier, later in pairwise("abcde")}
    for records in (chain, chain[::-1]):
        assert extended(records, sources) == {id: {"N": [1, 3]} for id in "abcde"}


def test_a_premise_that_is_proved_for_all_sizes_elsewhere_costs_none() -> None:
    records = [record("a", {"N": [1, 3]}), record("b", None), record("c", None)]
    assert extended(records, {"c": {"premise": {"a", "b"}}})["c"] is None


def test_what_rests_on_proofs_at_no_common_size_is_not_proved() -> None:
    one, other = ({**linkable(id, {"K": sizes}), "uses": []} for id, sizes in (("a", [3, 4]), ("b", [1, 2])))
    premises = {
        "x <= y": {"same": ["a"], "other": [], "own": ""},
        "y <= z": {"same": ["b"], "other": [], "own": ""},
    }
    rests = linkable("c", None)
    rests.update(cites=premises, verdict="holds")
    rests["evidence"][0].update(verdict="holds", details={"derived_from": list(premises)})
    found = {record["id"]: record for record in linked([one, other, rests])}
    assert (found["a"]["verdict"], found["c"]["verdict"]) == ("proved", "holds")
    assert "at no size in common (3 <= K <= 2)" in found["c"]["reason"]
    found = {
        record["id"]: record for record in linked([one, {**other, "proof": {"sizes": {"K": [2, 3]}}}, rests])
    }
    assert (found["c"]["verdict"], found["c"]["sizes"]) == ("proved", {"K": [3, 3]})


def linkable(id: str, sizes: dict[str, list[int]] | None) -> dict[str, Any]:
    finding = {"check": "inequality", "verdict": "proved", "details": {}, "tightness": None, "reason": ""}
    return {
        **record(id, sizes),
        "kind": "inequality",
        "uses": [],
        "evidence": [finding],
        "reason": "",
        "cites": {},
    }


ranges = st.dictionaries(
    st.sampled_from("NKd"), st.tuples(st.integers(1, 3), st.integers(3, 6)).map(list), max_size=3
)


@given(st.lists(ranges, max_size=4))
def test_no_size_is_said_at_which_a_part_was_not_checked(parts: list[dict[str, list[int]]]) -> None:
    both = common(parts) or {}
    assert told(both).count("=") >= len(both)
    for part in parts:
        for name, (low, high) in part.items():
            assert low <= both[name][0]
            assert both[name][1] <= high
