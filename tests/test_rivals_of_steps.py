"""Questions to other tools: a relation arrives in another process as it was stated."""

from __future__ import annotations

from multiprocessing import Pipe

import sympy as sp

from tests.benchmarks.steps.rivals.problem import Question

x, a = sp.Symbol("x", real=True), sp.Symbol("a", positive=True)


def test_relations_are_not_evaluated_on_the_way_to_another_process() -> None:
    stated = Question(sp.Ge(sp.exp(x), 0, evaluate=False), (sp.Gt(a, 0, evaluate=False), x <= 1))
    there, here = Pipe()
    there.send(stated)
    found = here.recv()
    there.close()
    here.close()
    assert found == stated
    assert isinstance(found.relation, sp.Ge)
    assert found.conditions[0].lhs == a
