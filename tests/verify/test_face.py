"""The public interface: every name exists, loads the right object, and is loaded on first use."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import verify
from verify.engine.records.index import keep
from verify.engine.topics import index, topics


@pytest.mark.parametrize("name", verify.__all__)
def test_every_name_is_there(name):
    assert getattr(verify, name).__name__.rpartition(".")[2] == name


def test_types_and_homes_are_the_same():
    source = ast.parse(Path(verify.__file__).read_text())
    (typed,) = (node for node in source.body if isinstance(node, ast.If))
    declared = {node.module: tuple(a.name for a in node.names) for node in typed.body}
    assert declared == verify._HOMES
    assert sorted(name for names in declared.values() for name in names) == verify.__all__


def test_an_unknown_name_is_an_error():
    with pytest.raises(AttributeError, match="nonsense"):
        verify.nonsense  # noqa: B018


def test_importing_the_face_loads_no_library():
    code = "import sys, verify; print(*{'sympy', 'torch', 'numpy'} & set(sys.modules))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "\n"
    )


HEAVY = {
    "torch",
    "networkx",
    "scipy.optimize",
    "scipy.stats",
    "matplotlib",
    "numba",
    "joblib",
    "sympy.physics",
}
"""Libraries that take a tenth of a second or more to load."""


@pytest.fixture
def loaded(tmp_path):
    """``loaded(code)``: modules loaded by a fresh process after some code, with the index of all statements in its
    cache.
    """
    keep(topics(), index(), tmp_path / "fcl-theory" / "statements-all.json")

    def run(code: str) -> set[str]:
        code += "\nimport sys\nprint('\\n'.join(sys.modules), file=sys.stderr)"
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        return set(done.stderr.splitlines())

    return run


def test_listing_reads_no_statement(loaded):
    found = loaded("from verify.commands.main import main; main(['--list', 'special.lem4.9'])")
    assert found & {*HEAVY, "sympy", "numpy"} == set()


@pytest.mark.parametrize(
    "id", ["special.lem4.9", "special.ass4.5", "cfl.lemB.3", "cfl.nc.runs.mean", "fedmes.eq5"]
)
def test_a_kept_answer_is_checked_without_what_searches_and_networks_need(loaded, id):
    """The stored answer is checked as in `judged`, whichever code it was stored for."""
    found = loaded(f"""
from verify.engine.records.answers import FOLDER, answers, pool_in
from verify.engine.judge import record_of
from verify.engine.records.pool import together
from verify.engine.records.standing import doubt
from verify.engine.topics import claim_of, index
from verify.report.entries import Entry
from verify.report.terminal import show
claim, topic = claim_of({id!r}), index()[{id!r}].topic
kept = together(answers(FOLDER, topic)[{id!r}], pool_in(FOLDER, topic))
assert not doubt(claim, kept["evidence"], 0)
show([Entry(record_of(claim, kept["evidence"], kept["cites"], 0, "default", 0))])
""")
    assert "verify.engine.records.standing" in found
    assert found & HEAVY == set()
