"""SPECIAL: the settings of its main experiments, as reported (Section 5, Appendix F.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Experiment:
    """Reported hyper-parameters of one data set.

    Attributes
    ----------
    tasks : int
        Number of tasks K.
    rounds : int
        Rounds per task T, as Section 5 and Appendix F.2 say; Table 6 says 20 for PACS.
    lam : float
        Proximal coefficient lambda.
    images : int
        Number of images of all tasks (Table 6).
    clients, sampled, epochs, batch : int
        M, N, local epochs per round and local batch size. The theorems' E counts steps, not epochs.
    gamma_L : float
        Local learning rate at the start; it decays by 0.96 after each 5 epochs.
    """

    tasks: int
    rounds: int
    lam: float
    images: int
    clients: int = 8
    sampled: int = 4
    epochs: int = 5
    batch: int = 32
    gamma_L: float = 1e-3

    @property
    def local_steps(self) -> int:
        """Whole stochastic gradient steps of a client in a round, if the images are spread evenly: E of the theorems."""
        return self.epochs * self.images // (self.tasks * self.clients * self.batch)

    def at_task(self, task: int) -> dict[str, float]:
        """Values by symbol name while task `task` (from 1) is trained, at its last round; gamma_G = 1/task.

        Raises
        ------
        ValueError
            If there is no such task.
        """
        if not 1 <= task <= self.tasks:
            raise ValueError(f"`task` must be in 1..{self.tasks}, got {task}")
        return {
            "M": self.clients,
            "N": self.sampled,
            "K": task,
            "E": self.local_steps,
            "T": self.rounds,
            "t": self.rounds,
            "lam": self.lam,
            "gamma_L": self.gamma_L,
            "gamma_G": 1 / task,
        }


EXPERIMENTS: Mapping[str, Experiment] = {
    "Digit-10": Experiment(tasks=4, rounds=20, lam=0.25, images=110_000),
    "VLCS": Experiment(tasks=4, rounds=20, lam=0.40, images=7_500),
    "PACS": Experiment(tasks=4, rounds=30, lam=0.05, images=9_900),
    "DN4IL": Experiment(tasks=6, rounds=30, lam=0.10, images=30_000),
}
"""By data set, in the order of the paper."""


def at_last_task() -> dict[str, dict[str, float]]:
    """Every experiment while its last task is trained: values by symbol name, by data set."""
    return {name: experiment.at_task(experiment.tasks) for name, experiment in EXPERIMENTS.items()}


ROUNDS_IN_TABLE_6: Mapping[str, int] = {"Digit-10": 20, "VLCS": 20, "PACS": 20, "DN4IL": 30}
"""Rounds per task, line 816."""
IMAGES_IN_TEXT: Mapping[str, int] = {"Digit-10": 380_548 + 78_039, "VLCS": 7_486, "PACS": 9_991}
"""Images as Appendix F.1 counts them, lines 787-791; for DN4IL it gives no number."""
REFINED: Mapping[str, tuple[str, ...]] = {
    "Digit-10": ("0.25", "0.30", "0.35"),
    "VLCS": ("0.45", "0.50", "0.55"),
    "PACS": ("0.05", "0.10", "0.15"),
    "DN4IL": ("0.05", "0.10", "0.15"),
}
"""Values of lambda that Appendix F.2 tries around the two best of its first grid, line 799."""
