"""Counterexamples read back, on small examples: the content, the tolerance of the comparison, and the allowed ranges."""

import json
from copy import deepcopy
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from tests.verify.engine.simple import about, of
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, Scene
from verify.engine.records import replay as room
from verify.engine.records.replay import _in_order, question_and_instance, rebuilt, replay
from verify.engine.records.revalidation import agree
from verify.engine.search.witness import confirm
from verify.engine.work.errors import UsageError

a, b, s, r, low = sp.symbols("a b s r low", real=True)
n = sp.Symbol("n", integer=True, positive=True)
SCENE = Scene(
    "a toy",
    ({"n": 1}, {"n": 3}),
    lambda shape: {"a": Box(0, 2), "b": Box(-1, 1, (2,)), "r": Box(0, 0)},
    lambda shape, values: {"low": 0 * values["a"] + shape["n"]},
    steps=("s",),
    room="r",
)
CLAIM = about("toy", of(sp.Le, a, b), of(sp.Le, n, 900), of(sp.Le, a, 5), scene=SCENE)


def number(*values):
    return np.array([Fraction(x) for x in values] if len(values) > 1 else Fraction(*values), dtype=object)


AT = Instance({"n": 1}, {"a": number("1/2"), "b": number("1/4", "1"), "r": number(0)}, {"s": number("1/8")})


@pytest.fixture
def witness(monkeypatch):
    monkeypatch.setattr(room, "claim_of", lambda id: CLAIM if id == CLAIM.statement.id else None)
    return json.loads(json.dumps(confirm(CLAIM.question, AT).record()))


def test_a_replay_shows_both_sides_and_every_condition(witness):
    told, same = replay(witness)
    assert same
    assert told.splitlines() == [
        f"{CLAIM.statement.id}: {CLAIM.statement.says}",
        "relation    a <= b",
        "left side   0.5",
        "right side  0.25   (exact)",
        "relation    fails",
        "condition   n <= 900: met, slack 0.998",
        "condition   a <= 5: met, slack 0.818",
        "the file says the same",
    ]
    assert replay({"witness": witness}) == (told, True)


def test_what_holds_and_what_is_not_met_is_told(witness):
    better = deepcopy(witness)
    better["parameters"].update(a="0", b=["1/4", "1"])
    told, same = replay(better)
    assert not same
    assert "relation    holds" in told
    assert told.splitlines()[-1].startswith("the FILE SAYS OTHERWISE: lhs [0.5, 0.5], conditions [{")
    assert "rhs" not in told.splitlines()[-1]


def test_conditions_may_stand_in_any_order(witness):
    turned = {**witness, "conditions": witness["conditions"][::-1]}
    assert replay(turned)[1]
    assert _in_order([{"text": "b"}, {"text": "a"}]) == [{"text": "a"}, {"text": "b"}]
    assert _in_order([2, 1]) == [2, 1]
    assert _in_order("ba") == "ba"


@pytest.mark.parametrize(
    ("said", "found", "same"),
    [
        (1.0, 1.0 + 1.9e-9, True),
        (1.0, 1.0 + 2.1e-9, False),
        (1.0, 1.0 - 1.9e-9, True),
        (-1.0, -1.0 - 1.9e-9, True),
        (-1.0, 1.0, False),
        (1, 1.0, True),
        (0.0, 9e-16, True),
        (0.0, 2e-15, False),
        (True, 1.0, True),
        (True, 1.0 + 1e-12, False),
        (1.0, 1, True),
        ("exact", "exact", True),
        ("exact", "interval", False),
        ([1.0, 2.0], [1.0, 2.0], True),
        ([1.0, 2.0], [1.0, 3.0], False),
        ([3.0, 2.0], [1.0, 2.0], False),
        ([1.0], [1.0, 2.0], False),
        ([1.0, 2.0], [1.0], False),
        ({"a": 1.0}, {"a": 1.0}, True),
        ({"a": 1.0}, {"a": 2.0}, False),
        ({"a": 1.0, "b": 1.0}, {"a": 1.0}, False),
        ({"a": 1.0}, {"a": 1.0, "b": 1.0}, False),
        ({"a": 1.0}, [1.0], False),
        ([1.0], {"a": 1.0}, False),
        (None, 1.0, False),
    ],
    ids=str,
)
def test_numbers_agree_up_to_rounding_and_all_else_exactly(said, found, same):
    assert agree(said, found) is same


def changed(witness, *path_and_value):
    found, (*path, last, value) = deepcopy(witness), path_and_value
    inner = found
    for key in path:
        inner = inner[key]
    inner[last] = value
    return found


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("statement", "another"), "the instance is of 'another', which is no statement of the catalogue"),
        (("scene", "another"), "is judged in the scene 'a toy', the instance names 'another'"),
        (("relation", "a <= 2*b"), "`relation` of the instance must be those of"),
        (("conditions", []), "`conditions` of the instance must be those of"),
        (("conditions", ["n <= 900", "a <= 5"]), "got None"),
        (("lhs", [0.5]), r"`lhs` of the instance must be two numbers, got \[0.5\]"),
        (("rhs", ["x", 1]), "`rhs` of the instance must be two numbers"),
        (("rhs", [0.25, float("inf")]), "`rhs` of the instance must be two numbers"),
        (("lhs", [float("inf"), 0.5]), "`lhs` of the instance must be two numbers"),
        (("shape", {}), r"`shape` of the instance must give n, got \{\}"),
        (("shape", "n", -1), r"`n` of the instance must lie in \[0, 100000\], got -1"),
        (("shape", "n", 100_001), r"`n` of the instance must lie in \[0, 100000\], got 100001"),
        (("shape", "n", 901), r"the instance must meet n <= 900, got \{'n': 901\}"),
        (("parameters", "a", "9/4"), r"`a` of the instance must lie in \[0, 2\]"),
        (("parameters", "a", "-1/4"), r"`a` of the instance must lie in \[0, 2\]"),
        (("parameters", "b", ["0", "2"]), r"`b` of the instance must lie in \[-1, 1\]"),
        (
            ("parameters", "b", ["0", "0", "0"]),
            r"`b` of the instance must have shape \(2,\), got shape \(3,\)",
        ),
        (("parameters", {"a": "1", "r": "0"}), r"`b` of the instance must have shape \(2,\), got nothing"),
        (("steps", {}), "step size `s` of the instance must be > 0, got None"),
        (("steps", {"s": "0"}), "step size `s` of the instance must be > 0"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(witness, change, why):
    with pytest.raises(UsageError, match=why):
        replay(changed(witness, *change))


@pytest.mark.parametrize("change", [("parameters", "r", "7"), ("parameters", "a", "2"), ("parameters", "a", "0")], ids=str)  # fmt: skip
def test_room_lies_anywhere_and_ranges_have_their_ends(witness, change):
    instance = question_and_instance(changed(witness, *change))[1]
    assert instance.parameters[change[1]] == Fraction(change[2])


def test_sizes_may_be_ten_times_what_is_listed(witness, monkeypatch):
    wide = about("toy", of(sp.Le, a, b), scene=SCENE.variant("a toy", shapes=({"n": 20_000}, {"n": 3})))
    monkeypatch.setattr(room, "claim_of", lambda id: wide)
    plain = {**witness, "conditions": []}
    for size in (0, 200_000):
        assert question_and_instance(changed(plain, "shape", "n", size))[1].shape == {"n": size}
    with pytest.raises(UsageError, match=r"must lie in \[0, 200000\], got 200001"):
        question_and_instance(changed(plain, "shape", "n", 200_001))


@pytest.mark.parametrize("said", [None, "a <= b", 3, [1]], ids=str)
def test_a_record_that_says_something_else_than_parts_is_told(witness, said):
    """If an entry of a record about its statement has parts, another record may have none there."""
    told, same = replay({"verdict": "refuted", "witness": witness, "statement": said})
    assert not same
    assert f"statement {said}" in told


def test_a_record_that_contradicts_itself_is_told(witness):
    claim = {"id": CLAIM.statement.id, "statement": None, "witness": witness, "evidence": []}
    told = lambda **said: replay({**claim, **said})[0].splitlines()[-1]  # noqa: E731
    assert "verdict unrefuted" in told(verdict="unrefuted")
    assert "verdict refuted" not in told(verdict="refuted")
    assert "evidence" in told(verdict="refuted")
    assert "digest abc, which is not that of what it says" in told(verdict="refuted", digest="abc")
    assert "digest" not in told(verdict="refuted")


def test_what_is_no_witness_is_refused(witness):
    for content in ({}, [], None, {"witness": None}, {"witness": 3}, {"lhs": [0, 1]}):
        with pytest.raises(UsageError, match="this file holds no instance"):
            replay(content)


def test_a_witness_is_rebuilt_as_arrays(witness, tmp_path):
    file = tmp_path / "witness.json"
    file.write_text(json.dumps({"witness": witness}))
    found = rebuilt(file)
    assert (found.small, found.large) == ((0.5, 0.5), (0.25, 0.25))
    assert found.values["b"].tolist() == [0.25, 1]
    assert found.values["a"] == 0.5
    assert found.values["low"] == 1
    assert found.values["n"] == 1


def test_what_cannot_be_evaluated_is_told(witness, monkeypatch):
    def fails(question, instance):
        raise IndexError("nothing there")

    monkeypatch.setattr(room, "confirm", fails)
    with pytest.raises(UsageError, match="the instance cannot be evaluated: nothing there"):
        replay(witness)


def test_enclosures_are_shown_by_their_ends():
    assert room._enclosure((1 / 3, 1 / 3)) == "0.333333333333"
    assert room._enclosure((0.25, 1 / 3)) == "[0.25, 0.333333333333]"
