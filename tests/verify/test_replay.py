"""Files of strangers: a replay never hangs, shows no traceback, and never says that a changed file says the same."""

import copy
import json

import pytest

from verify.commands.main import main
from verify.engine.judge import judge
from verify.engine.topics import claim_of


@pytest.fixture(scope="module")
def witness():
    """A counterexample of the catalogue, as its file holds it."""
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
        (("method",), "certified"),
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
