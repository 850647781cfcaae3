"""Untrusted files: a replay never hangs, prints no traceback, and never accepts a changed file."""

import copy
import json

import pytest

from verify.commands.main import main
from verify.engine.judge import judge
from verify.engine.links import with_final_verdicts
from verify.engine.records.files import finite, with_seal
from verify.engine.records.replay import irrelevant_parameters, values_of
from verify.engine.topics import claim_of


@pytest.fixture(scope="module")
def witness():
    """A counterexample of the catalogue, as its file contains it."""
    return json.loads(json.dumps(judge(claim_of("special.eq27"), "quick", 0)["witness"]))


def replayed(tmp_path, capsys, content):
    file = tmp_path / "w.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    status = main(["replay", str(file)])
    return status, "".join(capsys.readouterr())


def test_the_file_itself_replays(tmp_path, capsys, witness):
    status, shown = replayed(tmp_path, capsys, witness)
    assert status == 0
    assert "the file says the same" in shown


def changed(witness, path, value):
    found = copy.deepcopy(witness)
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return found


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("lhs",), None),
        (("lhs",), "x"),
        (("rhs",), [0.25]),
        (("rhs",), [10**400, 1]),
        (("lhs",), [-(10**400), 1]),
        (("rhs",), [True, {}]),
        (("relation",), "Eq(th, th0)"),
        (("conditions",), []),
        (("conditions",), None),
        (("conditions", 0, "text"), "N <= 2*M"),
        (("statement",), "special.nonsense"),
        (("statement",), 7),
        (("scene",), "another"),
        (("shape", "t"), 10**6),
        (("shape", "t"), -1),
        (("shape", "t"), 1.5),
        (("shape", "t"), True),
        (("shape", "t"), None),
        (("shape",), []),
        (("parameters",), {}),
        (("parameters",), 3),
        (("steps",), {"gamma_G": "1e999999999"}),
        (("steps",), {"gamma_G": "1/0"}),
        (("steps",), {"gamma_G": "9" * 1000}),
        (("steps",), {"gamma_G": "nan"}),
        (("steps",), {"gamma_G": "-1"}),
    ],
    ids=str,
)
def test_a_changed_file_is_told_in_one_line(tmp_path, capsys, witness, path, value):
    status, shown = replayed(tmp_path, capsys, changed(witness, path, value))
    assert status == 2
    assert "says the same" not in shown
    assert len(shown.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, '{"witness": NaN}', '{"witness": Infinity}', "1" * 5000, "null", "[]", "\ud800"[:0] + "\x00"],
    ids=range(9),
)  # fmt: skip
def test_what_is_no_witness_is_told_in_one_line(tmp_path, capsys, text):
    status, shown = replayed(tmp_path, capsys, text)
    assert status == 2
    assert len(shown.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("conditions", 0, "slack"), 99.0),
        (("conditions", 0, "holds"), False),
        (("conditions", 0, "more"), 1),
        (("method",), "interval"),
        (("lhs",), [0.5, 0.6]),
    ],
    ids=str,
)
def test_whatever_else_a_file_says_is_compared(tmp_path, capsys, witness, path, value):
    status, shown = replayed(tmp_path, capsys, changed(witness, path, value))
    assert status == 1
    assert "the FILE SAYS OTHERWISE" in shown


def test_another_number_is_noticed(tmp_path, capsys, witness):
    status, shown = replayed(tmp_path, capsys, changed(witness, ("lhs",), [0.25, 0.25]))
    assert status == 1
    assert "the FILE SAYS OTHERWISE" in shown


@pytest.fixture(scope="module")
def record():
    """The record with the counterexample, as saved by a run."""
    return json.loads(json.dumps(with_seal(finite(judge(claim_of("special.eq27"), "quick", 0)))))


def test_a_record_replays_by_its_witness(tmp_path, capsys, record):
    status, shown = replayed(tmp_path, capsys, record)
    assert status == 0
    assert "record      refuted; the instance breaks it" in shown
    assert "the file says the same" in shown


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("verdict",), "proved", "verdict proved"),
        (("verdict",), "gap", "verdict gap"),
        (("verdict",), ["refuted"], "verdict ['refuted']"),
        (("evidence", 0, "verdict"), "proved", "verdict proved"),
        (("evidence",), None, "evidence that cannot be read"),
        (("evidence",), 3, "evidence that cannot be read"),
        (("reason",), [{"code": "contradiction"}], "reason [{'code': 'contradiction'}]"),
        (("tightness",), 0.5, "tightness 0.5"),
        (("witness", "zero"), ["th"], "zero ['th']"),
        (("witness", "proved"), True, "proved True"),
        (("id",), "special.eq28", "id special.eq28"),
        (("source", "place"), "Eq. (28)", "source.place Eq. (28)"),
        (("source", "lines"), None, "source.lines None"),
        (("statement", "says"), "the sky is green", "the sky is green"),
        (("statement", "relation"), "Eq(th, th0)", "Eq(th, th0)"),
        (("statement", "latex"), "1 = 1", "1 = 1"),
        (("statement", "conditions"), [], "statement.conditions []"),
        (("changes",), "nothing", "changes nothing"),
        (("uses",), ["special.eq28"], "uses ['special.eq28']"),
    ],
    ids=str,
)
def test_what_is_altered_around_a_witness_is_told_even_under_a_new_seal(
    tmp_path, capsys, record, path, value, told
):
    status, shown = replayed(tmp_path, capsys, with_seal(changed(record, path, value)))
    last = shown.strip().splitlines()[-1]
    assert status == 1
    assert last.startswith("the FILE SAYS OTHERWISE: ")
    assert told in last


def test_what_is_told_is_short_whatever_a_file_says(tmp_path, capsys, record):
    status, shown = replayed(tmp_path, capsys, changed(record, ("witness", "zero"), ["x"] * 10**5))
    assert status == 1
    assert len(shown.strip().splitlines()[-1]) < 1000


def test_a_seal_is_of_all_that_a_record_says(tmp_path, capsys, record):
    status, shown = replayed(tmp_path, capsys, changed(record, ("seconds",), 1e6))
    assert status == 1
    assert "which is not that of what it says" in shown


def test_a_record_that_is_linked_to_others_has_no_seal_and_replays(tmp_path, capsys, record):
    (found,) = with_final_verdicts([record])
    assert "digest" not in found
    assert "digest" in record
    assert replayed(tmp_path, capsys, found)[0] == 0


@pytest.mark.parametrize(("id", "irrelevant"), [("cflag.communications", {"any"}), ("special.eq27", set())])
def test_parameters_that_no_letter_depends_on_are_irrelevant(id, irrelevant):
    """The amount of traffic does not depend on the filler; the models of Eq. (27) depend on all drawn numbers."""
    witness = judge(claim_of(id), "quick", 0)["witness"]
    assert irrelevant_parameters(witness, witness["parameters"]) == irrelevant


def test_a_sequence_has_its_index_first():
    witness = judge(claim_of("special.eq27"), "quick", 0)["witness"]
    found = values_of(witness)
    assert len(found["Delta"]) > witness["shape"]["t"] - 1
    updates = [float(found["Delta"][tau].sum()) for tau in range(witness["shape"]["t"])]
    weights = [
        float(found["gamma_G"]) / (1 + float(found["lam"])) ** (tau + 1) for tau in range(len(updates))
    ]
    right = sum(w * u for w, u in zip(weights, updates, strict=True))
    assert witness["rhs"][0] == pytest.approx(right)
