"""The README's examples are true."""

import doctest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_python_examples():
    assert doctest.testfile(str(ROOT / "README.md"), module_relative=False).failed == 0


def test_links_lead_somewhere():
    import re

    targets = re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text())
    assert targets
    assert all((ROOT / target).exists() for target in targets)
