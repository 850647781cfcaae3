"""Hyper-parameters that change with the task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from algorithms.algorithm import Algorithm, Local, State
from nqm.fields import IntArray


def by_task(make: Callable[[int], Algorithm]) -> Algorithm:
    """The method whose task i, from 0, is played by ``make(i)``: all must keep the same entries in their states.

    The state holds the number of the task as ``"task"``. SPECIAL (Section 5) so decays its server's step size, 1/(i + 1).
    """
    made = cache(make)
    first = made(0)

    def begin_task(state: State, task: int) -> State:
        return {**made(task).begin_task(state, task), "task": task}

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        return made(state["task"]).begin_round(state, clients, oracle)

    def local_step(state: State, local: Local, seen: Any) -> Local:
        return made(state["task"]).local_step(state, local, seen)

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        return made(state["task"]).aggregate(state, local, clients)

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Any:
        return made(task).objective(world, state, task, clients)

    return replace(
        first,
        begin_task=begin_task,
        begin_round=begin_round,
        local_step=local_step,
        aggregate=aggregate,
        objective=objective,
    )
