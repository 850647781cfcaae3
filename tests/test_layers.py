"""Layers: allowed imports between packages, no cycles, no long modules, and automatic discovery of a new paper."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from bounds import catalogue
from bounds.papers import paper_of_file
from verify.engine import topics
from verify.engine.records.files import digests_of_files
from verify.engine.records.index import CODE

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("bounds", "nqm", "algorithms", "verify", "figures")
THIRD_PARTY = {
    "bounds": {"sympy", "numpy", "scipy", "mpmath", "latex2mathml"},
    "figures": {"matplotlib", "seaborn", "numpy", "sympy"},
}
LONGEST = 400
CHECKER = "verify/check_proof.py"
FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
TESTS = sorted((ROOT / "tests").rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in FILES}


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements of a tree; expressions, most of its nodes, have none."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from statements(child)


@cache
def imported(path: Path) -> frozenset[str]:
    """Full names of everything that a file imports, inside functions and for types too."""
    names: set[str] = set()
    for node in statements(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: import by full name"
            module = node.module or ""
            parts = {f"{module}.{alias.name}" for alias in node.names}
            names |= {part for part in parts if part in MODULES} | (
                {module} if any(part not in MODULES for part in parts) else set()
            )
    return frozenset(names)


def within(names: frozenset[str], *places: str) -> set[str]:
    """The names that lie in one of `places`."""
    return {name for name in names if any(f"{name}.".startswith(f"{place}.") for place in places)}


def allowed(name: str) -> tuple[str, ...]:
    """The toolkit's packages from which a module may import."""
    package, *inner = name.split(".")
    if name == "nqm.__main__":  # `verify` joins worlds, methods and bounds
        return ("verify.lab",)
    if package == "verify":
        below = ("bounds", "nqm", "algorithms")
        if inner[:1] == ["engine"]:
            return (*below, "verify.engine", "verify.check_proof")
        if inner[:1] == ["scenes"]:
            paper = inner[1] if len(inner) > 1 and inner[1] in catalogue.papers() else ""
            own = (f"verify.scenes.{paper}",) if paper else ()
            shared = (m for m in MODULES if m.startswith("verify.scenes.") and m.count(".") == 2)
            networks = ("verify.networks", "verify.scenes.networks") if inner[1:2] == ["networks"] else ()
            shared_alone = tuple(m for m in shared if m.split(".")[2] not in catalogue.papers())
            return (
                *below,
                "verify.engine",
                "verify.first_order",
                "verify.facts",
                *shared_alone,
                *own,
                *networks,
            )
        if inner[:1] == ["networks"]:
            return (*below, "verify.engine", "verify.networks", "verify.scenes")
        if inner[:1] == ["curves"]:
            return (
                *below,
                "verify.engine",
                "verify.lab",
                "verify.scenes",
                "verify.networks",
                "verify.curves",
            )
        if inner[:2] in (["commands", "bound"], ["lab", "main"]):  # these draw what they computed
            return (*below, "verify", "figures")
        return (*below, "verify")
    return {
        "bounds": ("bounds",),
        "nqm": ("nqm",),
        "algorithms": ("algorithms", "nqm.fields"),
        "figures": ("figures", "bounds"),
    }[package]


@pytest.mark.core
def test_imports_go_one_way() -> None:
    wrong = {}
    for name, path in MODULES.items():
        ours = within(imported(path), *PACKAGES)
        wrong[name] = ours - within(frozenset(ours), *allowed(name))
    assert not {name: sorted(names) for name, names in wrong.items() if names}


def test_a_topic_imports_no_topic() -> None:
    others = tuple(f"verify.{name}" for name in topics.topics())
    wrong = {topic: within(imported(MODULES[topic]), *others) for topic in others}
    assert not {topic: sorted(names) for topic, names in wrong.items() if names}


def test_shared_code_and_other_papers_import_no_paper() -> None:
    """The index of a paper's statements is made again only after a change of its own code or of shared code."""
    of = {name_of(ROOT / file): paper_of_file(file) for file in digests_of_files(*CODE)}
    wrong = {
        name: sorted(m for m in imported(MODULES[name]) if of.get(m, "") not in ("", paper))
        for name, paper in of.items()
    }
    assert not {name: names for name, names in wrong.items() if names}


def test_packages_use_only_their_libraries() -> None:
    wrong = {}
    for package, libraries in THIRD_PARTY.items():
        known = libraries | set(PACKAGES) | set(sys.stdlib_module_names)
        for path in FILES:
            if path.is_relative_to(ROOT / package):
                wrong[path] = {name.split(".")[0] for name in imported(path)} - known
    assert not {str(path.relative_to(ROOT)): sorted(names) for path, names in wrong.items() if names}


def test_there_is_no_import_circle() -> None:
    edges = {
        name: within(imported(path), *PACKAGES) & MODULES.keys() - {name} for name, path in MODULES.items()
    }
    while free := {name for name, needs in edges.items() if not needs & edges.keys()}:
        edges = {name: needs for name, needs in edges.items() if name not in free}
    assert not {name: sorted(needs & edges.keys()) for name, needs in edges.items()}


def test_no_module_is_long() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in (*FILES, *TESTS)}
    assert not {path: n for path, n in lengths.items() if n > LONGEST and path != CHECKER}


def test_no_package_of_the_engine_is_large() -> None:
    packages = {path.parent for path in FILES if path.is_relative_to(ROOT / "verify" / "engine")}
    sizes = {str(package.relative_to(ROOT)): len([*package.glob("*.py")]) for package in packages}
    assert not {package: n for package, n in sizes.items() if n > 20}


def test_the_checker_is_small() -> None:
    """A reader can check all of it: the limit counts syntax nodes, so the layout is free."""
    assert sum(1 for _ in ast.walk(ast.parse((ROOT / CHECKER).read_text()))) <= 6_150


def test_the_engine_names_no_paper() -> None:
    keys = [mark for key in catalogue.papers() for mark in (f'"{key}', f"{key}_", f"{key}.")]
    wrong = {}
    for path in sorted((ROOT / "verify" / "engine").rglob("*.py")):
        text = path.read_text()
        wrong[str(path.relative_to(ROOT))] = [
            mark for mark in ("SPECIAL", "CFL", "C-FLAG", "FedMeS", *keys) if mark in text
        ]
    assert not {name: marks for name, marks in wrong.items() if marks}


def test_every_package_is_shipped() -> None:
    """Packages are found by a pattern, so each folder needs an `__init__.py`."""
    folders = {file.parent for file in FILES}
    assert not [str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").is_file()]


def test_a_fifth_paper_is_discovered_automatically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import bounds
    import verify

    (tmp_path / "bounds" / "theta").mkdir(parents=True)
    (tmp_path / "bounds" / "theta" / "__init__.py").touch()
    (tmp_path / "bounds" / "theta" / "rate.py").write_text(
        "import sympy as sp\n"
        "from bounds.statement import Paper\n"
        "from bounds.symbols import Glossary\n"
        "WORDS = Glossary('theta')\n"
        "x = WORDS.define('x', 'a number', 'positive')\n"
        "STATEMENTS = (Paper('theta', 'Theta', '1', WORDS).statement('thm1', 'a square', sp.Le(x, 1 + x**2), 'Theorem 1'),)\n"
    )
    (tmp_path / "verify").mkdir()
    (tmp_path / "verify" / "theta_rate.py").write_text(
        "from verify.engine.checks.relation import inequality\n"
        "from verify.engine.model.claim import claims_about\n"
        "CLAIMS = (claims_about('theta', inequality)('thm1'),)\n"
    )
    for package in (bounds, verify):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / package.__name__)])
    caches = (
        catalogue.papers,
        catalogue.statements,
        topics.topics,
        topics.claims,
        topics.claims_of,
        topics.index,
    )
    for cached in caches:
        cached.cache_clear()
    try:
        assert "theta" in catalogue.papers()
        assert catalogue.paper_of("theta_rate") == "theta"
        assert topics.selected(["theta_rate"]) == topics.selected(["theta.*"]) == ["theta.thm1"]
    finally:
        for cached in caches:
            cached.cache_clear()
