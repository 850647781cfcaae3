"""Each tool runs in a process of its own, which ends with its time limit and cannot change libraries of the others."""

from __future__ import annotations

import importlib
import os
import resource
import time
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from tests.benchmarks.steps.rivals.problem import Question, Unstated

PACKAGE = "tests.benchmarks.steps.rivals"
STARTING = 60.0
"""Seconds for a tool to load."""
PATIENCE = 20.0
"""Seconds of waiting for each second of CPU time, on a busy machine."""
UNSTATED, MISSING, OPEN = "unstated", "missing", "open"


@dataclass
class Tool:
    """A tool with the module that asks it; `refutes` says whether it can name counterexamples."""

    name: str
    module: str
    refutes: bool
    process: BaseProcess | None = None
    pipe: Connection | None = None
    installed: bool = field(default=True)

    def answer(self, question: Question, seconds: float) -> tuple[str, float]:
        """Its answer within a number of seconds, and the CPU time it took."""
        if self.installed and self.process is None:
            self._start()
        if not self.installed or self.pipe is None:
            return MISSING, 0.0
        self.pipe.send((question, seconds))
        with suppress(EOFError):  # the tool ended its process, or the system did after its CPU time
            if self.pipe.poll(PATIENCE * seconds):
                found: tuple[str, float] = self.pipe.recv()
                return found
        self.stop()
        return OPEN, seconds

    def _start(self) -> None:
        context = get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other, f"{PACKAGE}.{self.module}"), daemon=True)
        self.process.start()
        self.installed = self.pipe.poll(STARTING) and self.pipe.recv() != MISSING

    def stop(self) -> None:
        """End the process; the next question starts it again."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
        self.process = self.pipe = None


def _serve(pipe: Connection, name: str) -> None:
    module = importlib.import_module(name)
    try:
        module.load()
    except ImportError:
        pipe.send(MISSING)
        return
    pipe.send("")
    while True:
        question, seconds = pipe.recv()
        start = _cpu_seconds()
        limit_cpu_time(time.process_time() + seconds)
        try:
            found = module.answer(question, seconds)
        except Unstated:
            found = UNSTATED
        pipe.send((found, _cpu_seconds() - start))


def limit_cpu_time(seconds: float) -> None:
    """End this process when its CPU time reaches a number of seconds; wall-clock time depends on other work."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(seconds), most))


def _cpu_seconds() -> float:
    """CPU time of this process and of the processes that it started."""
    return sum(os.times()[:4])


TOOLS = (
    Tool("Z3", "z3_solver", refutes=True),
    Tool("certo-math", "certo", refutes=True),
    Tool("triples", "sums_of_squares", refutes=False),
    Tool("Coq", "coq", refutes=False),
)
