"""Hyper-parameters that change with the task or the round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from algorithms.algorithm import Algorithm, Local, State
from algorithms.corrections import of_the_kind
from nqm.fields import IntArray


def scheduled(make: Callable[[int, int], Algorithm]) -> Algorithm:
    """The method whose round t of task i, both from 0, is played by ``make(i, t)``.

    All must keep the same entries in their states, which hold the numbers as ``"task"`` and ``"round"``. SPECIAL (Section 5,
    Appendix F.2) uses such schedules: the server's step size decays with the task as 1/(i + 1), and the clients' with the
    round as 0.96^t.
    """
    made = cache(make)
    first = made(0, 0)

    def now(state: State) -> Algorithm:
        return made(state["task"], state["round"])

    def begin_task(state: State, task: int) -> State:
        return {**made(task, 0).begin_task(state, task), "task": task, "round": 0}

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        return now(state).begin_round(state, clients, oracle)

    def local_step(state: State, local: Local, seen: Any) -> Local:
        return now(state).local_step(state, local, seen)

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        return {**now(state).aggregate(state, local, clients), "round": state["round"] + 1}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Any:
        return now(state).objective(world, state, task, clients)

    return replace(
        first,
        begin_task=begin_task,
        begin_round=begin_round,
        local_step=of_the_kind(first.local_step, local_step),
        aggregate=aggregate,
        objective=objective,
    )
