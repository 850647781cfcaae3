"""A user's own file: statements get verdicts, and mistakes get one line with the problem and its place."""

import json
import re
from pathlib import Path

import pytest

from verify import rebuilt
from verify.commands.main import main
from verify.engine.run import Theorem, run
from verify.engine.theorem import theorems_in
from verify.report.wording import sentence

NOTES = 'import sympy as sp\nfrom verify import Box, Claim, Notes, Scene, bound\nnotes = Notes("n")\nx = notes.positive("x")\n'
SCENE = (
    "def scene(compute, space=lambda shape: {'a': Box(-1, 1)}, shapes=({'k': 1}, {'k': 2}), **more):\n"
    "    return Scene('s', shapes, space, compute, **more)\n"
)


@pytest.fixture
def check(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def judged(text, *options):
        file = tmp_path / "mine.py"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        theorems_in.cache_clear()
        status = main(
            ["check", str(file), "--jobs", "1", "--budget", "quick", "--json", "all.json", *options]
        )
        out, err = capsys.readouterr()
        records = json.loads(Path("all.json").read_text()) if Path("all.json").exists() else []
        return status, out + err, {record["id"]: record for record in records}

    return judged


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = = 1\n", r"mine.py:1: invalid syntax: x = = 1"),
        ("import nonsense_of_mine\n", r"mine.py:1: ModuleNotFoundError: No module named 'nonsense_of_mine'"),
        ("x = 1\n", r"must define `CLAIMS`"),
        ("CLAIMS = ()\n", r"`CLAIMS` is empty"),
        ("CLAIMS = 3\n", r"`CLAIMS` must be a sequence of `verify.Claim`, got int 3"),
        ("CLAIMS = (1,)\n", r"`CLAIMS\[0\]` must be a `verify.Claim`, got int 1"),
        (NOTES + "notes.claim('a', x > 1)\nnotes.claim('a', x > 2)\nCLAIMS = notes.claims\n", r"`id` must be unique, got 'n.a' 2 times"),
        (NOTES + "notes.claim(249 * 'a', x > 1)\nCLAIMS = notes.claims\n", r"`id` must have at most 250 characters, got 251"),
        (NOTES + "notes.claim(248 * 'a', x > 1)\nnotes.claim('b', x == 1)\n", r"mine.py:6: TypeError: n.b"),
        (NOTES + "o = Notes('special')\no.claim('a', x > 1)\nCLAIMS = o.claims\n", r"catalogue, got 'special.a'"),
        (NOTES + "notes.claim('a', x > -1)\n", r"mine.py:5: TypeError: n.a: `relation` must be a SymPy relation"),
        (NOTES + "notes.positive('x')\n", r"mine.py:5: ValueError: `name` must be new"),
        (NOTES + "Box(2, 1)\n", r"mine.py:5: ValueError: `low` must be at most `high`"),
        ("# coding: latin-1\nname = 'é'\n1/0\n".encode("latin-1"), r"mine.py:3: ZeroDivisionError"),
        (b"name = '\xff'\n", r"mine.py:1: .*(utf-8|encod)"),
        ("raise SystemExit(0)\n", r"mine.py:1: SystemExit"),
        ("from nonsense_of_mine import *\ny = 2 * something\nCLAIMS = y\n", r"mine.py:1: ModuleNotFoundError"),
        ("x = 1\n".encode("utf-16"), r"mine.py:1: .*UTF-8"),
        (NOTES + "notes.claim('a', 1 < x < 3)\n", r"mine.py:5: TypeError.*notes.chain.*as two relations"),
        (NOTES + "notes.claim('a', x == 1)\n", r"mine.py:5: TypeError: n.a: .*sp.Eq\(a, b\)"),
        (NOTES + "notes.claim('a', x > 1, sceen=1)\n", r"mine.py:5: TypeError: n.a: a claim has no sceen"),
        (NOTES + "notes.claim('a', x > 1, checks=bound)\n", r"mine.py:5: TypeError: n.a: `checks` must be"),
        (NOTES + "notes.claim('a b', x > 1)\n", r"mine.py:5: ValueError: `id` must be letters"),
        ("from verify import worlds\nworlds.convex(clients=3)\n", r"mine.py:2: ValueError: `clients` must be a sequence of whole"),
        ("from verify import run, worlds\nrun('fedavg', worlds.convex(), rounds=(0,))\n", r"mine.py:2: ValueError: `rounds` must be"),
        ("from verify import run, worlds\nrun('fedavg', worlds.convex(), local_lr='eta', sampled=(2,))\n", r"mine.py:2: ValueError: `sampled` must have"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_is_one_line(check, text, told):
    status, shown, _ = check(text)
    assert status == 2
    assert "Traceback" not in shown
    assert len(shown.strip().splitlines()) == 1
    assert re.search(told, shown), shown


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("notes.claim('bad', sp.Ne(x, 1), scene=scene(lambda shape, v: {}))", "`relation` must be <=, <, >=, > or Eq where there is a scene"),
        ("notes.claim('bad', x > 1, sp.And(x > 2, x < 3))", "`conditions` must be <=, <, >=, >, Eq or Ne"),
        ("notes.claim('bad', x > 1, sp.true)", "`conditions` must not be decided by SymPy alone, got True"),
        ("notes.claim('bad', x > sp.Symbol('u'))", "`u` of `relation` must have a domain"),
        ("notes.claim('bad', x > 1, scene=scene(lambda shape, v: {}))", "`x` must be a quantity of the scene, got none; it computes a, k"),
        ("notes.claim('bad', x > 1, scene=scene(lambda shape, v: {'x': v['a'].sum()}))", "`x` must keep the batch as its first axis, got shape ()"),
        ("notes.claim('bad', x > 1, scene=scene(lambda shape, v: {'x': v['a'] / (shape['k'] - 1)}))", "`x` must be finite, got"),
        ("notes.claim('bad', x > 1, scene=scene(lambda shape, v: {'x': v['a'] + 1 // (shape['k'] - 1)}))", "`compute` fails: ZeroDivisionError"),
        ("notes.claim('bad', x > 1, scene=scene(lambda shape, v: {'x': v['b']}))", "`compute` fails: KeyError: 'b'"),
        ("notes.claim('bad', x > 1, scene=scene(lambda shape, v: {}, lambda shape: {'x': (0, 1)}))", "`space` must give a Box for 'x', got (0, 1)"),
        ("notes.claim('bad', x > 1, scene=scene(lambda shape, v: {'x': v['a']}, shapes=(3,)))", "`shapes` must be a sequence of mappings"),
        ("notes.claim('bad', x > 1, scene=scene(lambda shape, v: {'x': v['a']}, shapes=({'k': 'one'},)))", "`shapes` must be a sequence of mappings"),
        ("notes.claim('bad', x > 1, scene=scene(lambda shape, v: {'x': v['a']}, space={'a': Box(-1, 1)}))", "`space` must be a function"),
        ("notes.claim('bad', x > 1, scene=scene(lambda shape, v: {'x': v['a'].sum(0)}, lambda shape: {'a': Box(0, 1, (3,))}))", "first axis, got shape (3,) for 7 instances"),
        ("notes.claim('bad', x > 1, scene=scene(lambda shape, v: {'x': (v['a'] * 1e200) ** 2}))", "`x` must be finite, got inf"),
        ("notes.claim('bad', x > 1, scene='quadratics')", "`scene` must be a Scene"),
        ("notes.claim('bad', x > 1, x > 2, premises=(x < 2,))", "`premises` must hold in the scene"),
        ("notes.claim('bad', x > 1, scene=scene(lambda shape, v: {'x': v['a']}, steps=('eta',)))", "`space` must give a range for the step size 'eta'"),
    ],
)  # fmt: skip
def test_a_bad_claim_says_what_is_wrong_and_loses_no_other(check, claim, told):
    status, shown, records = check(
        NOTES + SCENE + f"{claim}\nnotes.claim('good', x + 1 / x >= 2)\nCLAIMS = notes.claims\n"
    )
    assert status == 2
    assert "Traceback" not in shown
    assert records["n.good"]["verdict"] == "proved"
    assert records["n.bad"]["verdict"] == "not judged"
    assert told in sentence(records["n.bad"]["reason"])
    (line,) = (line for line in shown.splitlines() if line.startswith("verify:"))
    assert re.match(r"verify: \S*mine.py:7: n.bad: ", line)
    assert line.endswith(sentence(records["n.bad"]["reason"]))


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("notes.claim('bad', x > -1)", "mine.py:6: TypeError: n.bad: `relation` must be"),
        ("notes.claim('bad', x > nowhere)", "mine.py:6: NameError: name 'nowhere' is not defined"),
        ("bad = notes.claim('bad', x > -1)\nprint(bad.statement)", "mine.py:6: TypeError: n.bad"),
        (
            "[notes.claim('bad', x > n) for n in (1, 2)]",
            "mine.py:6: `id` must be unique, got 'n.bad' 2 times",
        ),
        ("notes.claim('bad', x > 1, uses=('none',))", "mine.py:6: n.bad: `uses` and `assumes` must name"),
        ("notes.claims.append('bad')", "`CLAIMS[1]` must be a `verify.Claim`, got str 'bad'"),
    ],
)
def test_a_claim_that_cannot_be_stated_loses_no_other(check, claim, told):
    text = NOTES + f"notes.claim('good', x + 1 / x >= 2)\n{claim}\nCLAIMS = notes.claims\n"
    status, shown, records = check(text)
    assert status == 2
    assert {id: record["verdict"] for id, record in records.items()} == {"n.good": "proved"}
    (line,) = (line for line in shown.splitlines() if line.startswith("verify:"))
    assert told in line


def test_a_file_that_never_ends_is_told_where(check):
    status, shown, _ = check(NOTES + "while True:\n    pass\n", "--timeout", "1")
    assert status == 2
    assert "mine.py:5: takes longer than 1 s" in shown


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("notes.claim('none', y > 1, y < -1, scene=scene(lambda shape, v: {'y': v['a']}))", "y < -1 is met by 0 of 512 random instances; nearest: left side -1"),
        ("notes.claim('none', y > 1, k > 5, scene=scene(lambda shape, v: {'y': v['a']}))", "no size that the scene 's' lists meets k > 5"),
    ],
)  # fmt: skip
def test_where_nothing_was_tried_the_condition_is_named(check, claim, told):
    names = "y = notes.real('y')\nk = notes.count('k')\n"
    _, _, records = check(NOTES + names + SCENE + f"{claim}\nCLAIMS = notes.claims\n")
    assert records["n.none"]["verdict"] == "not judged"
    assert told in sentence(records["n.none"]["reason"])


def test_a_counterexample_is_rebuilt_in_python(check, tmp_path):
    check(NOTES + "notes.claim('bad', x**2 <= x)\nCLAIMS = notes.claims\n")
    found = rebuilt("results/own/n.bad.json", tmp_path / "mine.py")
    assert found.values["x"] ** 2 == pytest.approx(found.small[0])
    assert found.small[0] > found.large[1]


def test_the_story_tells_how_to_see_it_again_and_what_a_proof_lacks(check, capsys):
    free = "y = notes.real('y')\nnotes.claim('free', y <= 1, scene=scene(lambda shape, v: {'y': v['a']}))\n"
    check(NOTES + SCENE + "notes.claim('bad', x**2 <= x)\n" + free + "CLAIMS = notes.claims\n")
    assert main(["explain", "n.bad", "--records", "results/own"]) == 0
    told = capsys.readouterr().out
    (line,) = re.findall(r"in Python: (.*)", told)
    exec(line)
    (command,) = re.findall(r"again: python -m verify (.*)", told)
    assert main(command.split()) == 0
    assert "the file says the same" in capsys.readouterr().out
    assert main(["explain", "n.free", "--records", "results/own"]) == 0
    assert (
        "no proof: conditions and premises alone do not suffice: at y = 2 they hold and the relation fails"
        in capsys.readouterr().out
    )


def test_e_and_pi_and_powers_of_any_kind_are_numbers(check):
    text = (
        NOTES
        + "i, t = sp.Symbol('i', integer=True), notes.count('t')\n"
        + "notes.claim('e', sp.log(x) <= x / sp.E)\nnotes.claim('e/three', sp.log(x) <= x / 3)\n"
        + "notes.claim('pi', sp.Sum(1 / i**2, (i, 1, t)) <= sp.pi**2 / 6)\n"
        + "notes.claim('power', (1 + 1 / x) ** x <= sp.E)\nCLAIMS = notes.claims\n"
    )
    status, _, records = check(text)
    assert status == 0
    verdicts = [records[f"n.{id}"]["verdict"] for id in ("e", "e/three", "pi", "power")]
    assert verdicts == ["unrefuted", "refuted", "unrefuted", "unrefuted"]


@pytest.mark.parametrize(
    "conditions", ["x >= 2, x <= 1", "y >= 2, y <= 1", "x <= 1 / (2 * z), x >= 1 / z", "y > 2, y < 1"]
)
def test_conditions_that_contradict_each_other_make_a_claim_void(check, conditions):
    names = "y, z = notes.real('y'), notes.positive('z')\n"
    text = NOTES + names + f"notes.claim('empty', x + y**2 <= 3, {conditions})\nCLAIMS = notes.claims\n"
    _, _, records = check(text)
    assert records["n.empty"]["verdict"] == "vacuous"


def test_one_import_is_enough_for_an_algorithm_and_a_scene_of_ones_own(check):
    text = """from verify import Algorithm, Box, Notes, Scene, download, fields, quantities as q, run, server_average, start, worlds
notes = Notes("n")
a, b = notes.nonnegative("a b")
pairs = Scene("pairs", ({},), lambda s: {"x": Box(-1, 1, (2,))}, lambda s, v: {"a": fields.sq(v["x"]), "b": fields.norm(v["x"])})
still = run(lambda: Algorithm("still", start, lambda state, local, g: local, server_average(1), begin_round=download), worlds.convex())
notes.claim("square", a <= b**2, scene=pairs)
notes.claim("still", q.distance2 <= q.distance2_0, scene=still)
notes.claim("still/moves", q.distance2 <= q.distance2_0 / 2, scene=still)
CLAIMS = notes.claims
"""
    status, _, records = check(text)
    assert status == 0
    assert [records[f"n.{id}"]["verdict"] for id in ("square", "still", "still/moves")] == [
        "unrefuted",
        "proved",
        "refuted",
    ]


def test_tables_may_share_their_rows(check):
    text = (
        NOTES
        + "a, b, mean = notes.real('a b mean')\n"
        + "rows = {'one': {'a': '1.0', 'b': '2.0', 'mean': '1.5'}, 'two': {'a': '1.0', 'b': '3.0', 'mean': '2.2'}}\n"
        + "notes.table('means', sp.Eq(mean, (a + b) / 2), rows)\nnotes.table('order', a <= b, rows)\n"
        + "CLAIMS = notes.claims\n"
    )
    _, _, records = check(text)
    assert records["n.means"]["verdict"] == "inconsistent"
    assert records["n.order"]["verdict"] == "proved"


def test_nothing_runs_for_ever(check):
    endless = "def forever(shape, v):\n    while True:\n        pass\n"
    text = (
        NOTES + SCENE + endless + "notes.claim('bad', x > 1, scene=scene(forever))\nCLAIMS = notes.claims\n"
    )
    status, _, records = check(text, "--timeout", "1")
    assert status == 2
    assert "within 1 s" in sentence(records["n.bad"]["reason"])


def test_dataclasses_and_roots_and_exponentials_are_welcome(check):
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        + NOTES
        + "@dataclass\nclass Numbers:\n    a: float\n"
        + "notes.claim('exp', sp.exp(x) >= 1 + x)\nnotes.claim('log', sp.log(x) <= x - 1)\n"
        + "notes.claim('exp/half', sp.exp(x / 2) >= 1 + x)\nCLAIMS = notes.claims\n"
    )
    status, _, records = check(text)
    assert status == 0
    assert [records[f"n.{id}"]["verdict"] for id in ("exp", "log", "exp/half")] == [
        "proved",
        "proved",
        "refuted",
    ]


def test_records_of_the_catalogue_stay_as_they_are(check):
    check(NOTES + "notes.claim('good', x + 1 / x >= 2)\nCLAIMS = notes.claims\n")
    assert not Path("results/records").exists()
    assert Path("results/own/n.good.json").exists()


def test_a_verdict_does_not_depend_on_what_else_was_asked_for(check, tmp_path, capsys):
    text = (
        f"{NOTES}{SCENE}line = scene(lambda shape, v: {{'x': 1 + v['a'] / 2}})\n"
        "notes.claim('first', x <= sp.Rational(3, 2), scene=line)\n"
        "notes.claim('second', x <= 2, scene=line, premises=(x <= sp.Rational(3, 2),))\nCLAIMS = notes.claims\n"
    )
    _, _, both = check(text)
    theorem = Theorem(tmp_path / "mine.py", 60)
    (alone,) = run(["n.second"], tmp_path / "alone", "quick", 0, theorem=theorem)
    assert "1 more that these cite" in capsys.readouterr().err
    assert "n.first" in sentence(alone["reason"])
    assert (alone["verdict"], sentence(alone["reason"])) == (
        both["n.second"]["verdict"],
        sentence(both["n.second"]["reason"]),
    )


def test_every_statement_has_a_file_of_its_own(check):
    claims = "".join(
        f"notes.claim({id!r}, x**2 - 2*x + {k + 1} >= 0)\n"
        for k, id in enumerate(("a/b", "a__b", "A/b", "c"))
    )
    status, shown, records = check(NOTES + claims + "CLAIMS = notes.claims\n")
    assert status == 2
    assert {id: record["verdict"] for id, record in records.items()} == {"n.c": "proved"}
    for line, id in ((5, "n.a/b"), (6, "n.a__b"), (7, "n.A/b")):
        assert (
            f"mine.py:{line}: `id` must differ from others by more than capitals and / for __, got {id!r}"
            in shown
        )
