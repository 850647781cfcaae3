"""The public interface: everything that a file with your own theorems imports, such as `from verify import Notes, run`.

Names are loaded at their first use, so commands that need few of them start quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from verify.engine.work.ending import heard_from_the_start

if TYPE_CHECKING:
    from algorithms.algorithm import Algorithm, download, start
    from algorithms.combining import server_average
    from bounds.statement import Paper, Scaling, Source, Statement
    from bounds.symbols import Glossary
    from nqm import fields
    from verify.engine.certificates.question import Induction
    from verify.engine.checks.applicability import applicability
    from verify.engine.checks.frequency import frequency
    from verify.engine.checks.order import order
    from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
    from verify.engine.checks.table import table
    from verify.engine.checks.vacuity import free_lunch, placebos
    from verify.engine.model.claim import Budget, Claim
    from verify.engine.model.question import Question
    from verify.engine.model.scene import Box, Branching, Fact, Proved, Scene
    from verify.engine.records.replay import rebuilt
    from verify.engine.verdict import Finding, Verdict
    from verify.first_order.rounds import every_round
    from verify.first_order.scene import worst_case
    from verify.judged import Judged, judge
    from verify.notes import Notes
    from verify.running import points, run

heard_from_the_start("verify")

_HOMES = {
    "algorithms.algorithm": ("Algorithm", "download", "start"),
    "algorithms.combining": ("server_average",),
    "bounds.statement": ("Paper", "Scaling", "Source", "Statement"),
    "bounds.symbols": ("Glossary",),
    "nqm": ("fields",),
    "verify.engine.certificates.question": ("Induction",),
    "verify.engine.checks.applicability": ("applicability",),
    "verify.engine.checks.frequency": ("frequency",),
    "verify.engine.checks.order": ("order",),
    "verify.engine.checks.relation": ("agreement", "bound", "entailment", "identity", "inequality"),
    "verify.engine.checks.table": ("table",),
    "verify.engine.checks.vacuity": ("free_lunch", "placebos"),
    "verify.engine.model.claim": ("Budget", "Claim"),
    "verify.engine.model.question": ("Question",),
    "verify.engine.records.replay": ("rebuilt",),
    "verify.engine.model.scene": ("Box", "Branching", "Fact", "Proved", "Scene"),
    "verify.engine.verdict": ("Finding", "Verdict"),
    "verify.first_order.rounds": ("every_round",),
    "verify.first_order.scene": ("worst_case",),
    "verify.judged": ("Judged", "judge"),
    "verify.notes": ("Notes",),
    "verify.running": ("points", "run"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Algorithm",
    "Box",
    "Branching",
    "Budget",
    "Claim",
    "Fact",
    "Finding",
    "Glossary",
    "Induction",
    "Judged",
    "Notes",
    "Paper",
    "Proved",
    "Question",
    "Scaling",
    "Scene",
    "Source",
    "Statement",
    "Verdict",
    "agreement",
    "applicability",
    "bound",
    "download",
    "entailment",
    "every_round",
    "fields",
    "free_lunch",
    "frequency",
    "identity",
    "inequality",
    "judge",
    "order",
    "placebos",
    "points",
    "rebuilt",
    "run",
    "server_average",
    "start",
    "table",
    "worst_case",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'verify' has no attribute {name!r}")
    home = import_module(_HOME_OF[name])
    return getattr(home, name) if hasattr(home, name) else import_module(f"{home.__name__}.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
