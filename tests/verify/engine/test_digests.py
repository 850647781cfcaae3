"""The digests of a claim change with its question and with the code of its quantities, and with nothing else."""

import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
import sympy as sp

from verify.engine.model.scene import Box
from verify.engine.records import digests
from verify.engine.records.definitions import module_digest
from verify.engine.records.digests import computed, digest_of_question
from verify.engine.topics import claim_of

ROOT = Path(__file__).resolve().parents[3]
IDS = ("special.lem4.9", "cfl.eq10", "special.eq27", "fedmes.eq8")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x = 1  # one\n", "x = (\n  1)\n", True),
        ('def f():\n    """A."""\n    return 1\n', "def f():\n    return 1\n", True),
        ("def f(x: int) -> int:\n    return x\n", "def f(x):\n    return x\n", True),
        ('raise ValueError("a")\n', 'raise ValueError("b")\n', True),
        ('raise ValueError("a")\n', 'raise KeyError("a")\n', False),
        ("x = 1\n", "x = 2\n", False),
        ("def f(x):\n    return x\n", "def f(x=1):\n    return x\n", False),
        ("def f(x):\n    assert x\n", "def f(x):\n    assert not x\n", False),
    ],
)
def test_the_digest_of_a_file_is_of_what_its_code_does(one, other, same):
    assert (module_digest(one) == module_digest(other)) is same


def test_what_is_asked_is_the_relation_the_conditions_and_the_domains():
    claim = claim_of("special.lem4.9")
    statement = claim.statement
    relation = statement.relation
    symbol = min(relation.free_symbols, key=str)
    wider = relation.xreplace({symbol: sp.Symbol(symbol.name, real=True)})
    twice = relation.func(relation.lhs, 2 * relation.rhs)
    others = [
        replace(claim, statement=replace(statement, relation=twice, terms={})),
        replace(claim, statement=replace(statement, relation=wider, terms={})),
        replace(claim, statement=replace(statement, conditions=(*statement.conditions, sp.Gt(symbol, 1)))),
        replace(claim, premises=(*claim.premises, sp.Gt(symbol, 1))),
        replace(claim, checks=claim.checks * 2),
    ]
    assert len({digest_of_question(claim), *map(digest_of_question, others)}) == len(others) + 1
    assert {computed(other) for other in others} == {computed(claim)}


def test_words_are_not_asked():
    claim = claim_of("special.lem4.9")
    other = replace(claim, statement=replace(claim.statement, says="another sentence", uses=()))
    assert digest_of_question(other) == digest_of_question(claim)
    renamed = replace(claim, scene=claim.scene.variant("another name", told={"x": "a word"}))
    assert (digest_of_question(renamed), computed(renamed)) == (digest_of_question(claim), computed(claim))


def test_what_is_computed_is_the_scene(monkeypatch):
    monkeypatch.setattr(digests, "OURS", (*digests.OURS, "tests"))
    claim = claim_of("special.lem4.9")
    scene = claim.scene
    others = [
        scene.variant(scene.name, shapes=({**scene.shapes[0], "more": 1},)),
        scene.variant(scene.name, compute=lambda shape, values: {}),
        scene.variant(scene.name, space=lambda shape: {"x": Box(0, 1)}),
        scene.variant(scene.name, space=lambda shape: {"x": Box(0, 2)}),
    ]
    claims = [replace(claim, scene=other) for other in others]
    assert len({computed(claim), *map(computed, claims)}) == 5
    assert {digest_of_question(other) for other in claims} == {digest_of_question(claim)}


@pytest.mark.parametrize("id", ["feedback.cgd", "feedback.thm1", "localsgd.thm2.mean"])
def test_the_search_of_a_scene_is_not_computed_but_its_method_is(id):
    claim = claim_of(id)
    search = claim.scene.judged
    other = partial(lambda *given: None, *search.args)
    assert computed(replace(claim, scene=claim.scene.variant(claim.scene.name, judged=other))) == computed(
        claim
    )
    study, *rest = search.args
    doubled = replace(study, multipliers={"f: 1, 2": sp.Integer(2)})
    changed = claim.scene.variant(claim.scene.name, judged=partial(search.func, doubled, *rest))
    assert computed(replace(claim, scene=changed)) != computed(claim)


PRINT = """
from verify.engine.records.digests import computed, digest_of_question
from verify.engine.topics import topics, claims_of
for topic in ("special_drift", "special_rate", "cfl_round", "fedmes_objective", "feedback_theorem"):
    for claim in claims_of(topic):
        print(claim.statement.id, digest_of_question(claim), computed(claim))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the toolkit whose files may be changed."""
    folder = tmp_path_factory.mktemp("tree")
    for name in ("bounds", "nqm", "algorithms", "verify"):
        unread = ignore_patterns("__pycache__", "*.xz", "*.json")
        copytree(ROOT / name, folder / name, ignore=unread)
    return folder


def digests_in(folder):
    ran = subprocess.run(
        [sys.executable, "-c", PRINT],
        cwd=folder,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(folder)},
    )
    assert ran.returncode == 0, ran.stderr
    return {line.split()[0]: line for line in ran.stdout.splitlines()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "stale"),
    [
        ("algorithms/fedweit.py", "def ", "# a comment\ndef ", set()),
        ("algorithms/scaffold.py", "return", "return 2 *", set()),
        ("verify/engine/search/adversary.py", "TINY = ", "TINY = 2 * ", set()),
        ("verify/first_order/points.py", "TRIED = ", "TRIED = 1 + ", set()),
        ("bounds/special/drift.py", '"', '"a word ', set()),
    ],
)
def test_a_change_makes_stale_what_it_concerns(tree, file, old, new, stale):
    before = digests_in(tree)
    path = tree / file
    text = path.read_text()
    path.write_text(text.replace(old, new, 1))
    try:
        after = digests_in(tree)
    finally:
        path.write_text(text)
    assert {id for id in before if before[id] != after[id]} == stale
