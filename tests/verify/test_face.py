"""The public face: every name is there, loads what it says, and nothing is loaded before it is used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import verify


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
