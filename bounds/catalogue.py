"""Every statement of every paper, by id. A new file of statements is one more line in `_MODULES`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from bounds.statement import Statement

_MODULES = (
    "bounds.special",
    "bounds.special_lemmas",
    "bounds.special_drift",
    "bounds.special_problem",
    "bounds.special_algorithms",
    "bounds.special_lambda",
    "bounds.special_assumptions",
    "bounds.special_metrics",
    "bounds.special_results",
    "bounds.special_empirical",
    "bounds.special_bkt",
    "bounds.special_bkt_text",
    "bounds.special_rate",
    "bounds.special_rate_sampling",
    "bounds.special_rate_text",
    "bounds.cfl_correlated",
    "bounds.cfl_weights_statements",
    "bounds.cfl_weights_text",
    "bounds.cfl_convex",
    "bounds.cfl_steps",
    "bounds.cfl_rates",
    "bounds.cfl_lemmas",
    "bounds.cfl_problem",
    "bounds.cfl_nqm",
    "bounds.cfl_nonconvex",
    "bounds.cfl_metrics",
    "bounds.cflag_metrics",
    "bounds.cflag_results",
    "bounds.cfl_empirical",
    "bounds.cflag_empirical",
    "bounds.fedmes_metrics",
    "bounds.fedmes_results",
    "bounds.fedmes_empirical",
    "bounds.cfl_assumptions",
    "bounds.cfl_approximations",
    "bounds.cfl_algorithms",
    "bounds.cfl_tables",
    "bounds.fedmes_projection",
    "bounds.cflag_assumptions",
    "bounds.cflag_forgetting",
    "bounds.cflag_drift",
    "bounds.cflag_drift_lemmas",
    "bounds.cflag_drift_sums",
    "bounds.cflag_growth",
    "bounds.cflag_adaptive",
    "bounds.cflag_adaptive_cases",
    "bounds.cflag_adaptive_lemmas",
    "bounds.cflag_adaptive_algorithms",
    "bounds.fedmes_correction",
    "bounds.fedmes_personal",
    "bounds.fedmes_inference",
    "bounds.cflag_problem",
    "bounds.cflag_joint",
    "bounds.cflag_rate",
    "bounds.cflag_cumulative",
)


def paper_of(name: str) -> str:
    """Key of the paper that an id, a module or a topic belongs to.

    ``special.thm4.7``, ``special_bkt`` and ``networks_special`` all belong to special.
    """
    return re.split(r"[._]", name.removeprefix("bounds.").removeprefix("networks_"), maxsplit=1)[0]


@cache
def statements(paper: str = "") -> Mapping[str, Statement]:
    """Statements of one paper by id, or of all papers, in the order of the files.

    Raises
    ------
    ValueError
        If two statements share an id.
    """
    found: dict[str, Statement] = {}
    for name in _MODULES:
        if paper in ("", paper_of(name)):
            for statement in import_module(name).STATEMENTS:
                if statement.id in found:
                    raise ValueError(f"`id` must be unique, got {statement.id!r} twice")
                found[statement.id] = statement
    return found


def statement(id: str) -> Statement:
    """The statement with this id; reads the files of its paper only.

    Raises
    ------
    KeyError
        If there is none; the message suggests close ids.
    """
    from difflib import get_close_matches

    known = statements(paper_of(id))
    if id not in known:
        close = get_close_matches(id, known or statements(), n=3)
        hint = f"; did you mean {', '.join(close)}?" if close else ""
        raise KeyError(f"no statement has the id {id!r}{hint}")
    return known[id]
