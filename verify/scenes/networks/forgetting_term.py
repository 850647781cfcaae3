"""The forgetting term Gamma(t) of C-FLAG along runs: the increase of the past loss that the current task causes in a round.

Source: C-FLAG, Lemma 1 and Eq. (15), and Figure 4.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from algorithms.algorithm import Local, State
from algorithms.cflag import cflag
from algorithms.memory import ring
from algorithms.simulate import states
from nqm.fields import IntArray, dot, sq
from verify.engine.records.files import fingerprint
from verify.networks.experiments import cached_result, draws, world
from verify.networks.setting import Setting
from verify.networks.training.train import starts


@cache
def forgetting_terms(setting: Setting, capacity: int, smoothness: float) -> np.ndarray:
    """Gamma(t) of every round from the second task on, (rounds, run), with fixed and equal rates.

    Parameters
    ----------
    capacity : int
        Number of samples that a client can store.
    smoothness : float
        L.

    Raises
    ------
    ValueError
        If the setting does not fix the rate.
    """
    if setting.local_lr is None:
        raise ValueError("`setting.local_lr` must be a number, that of both rates, got None.")
    rate, asked = (
        setting.local_lr,
        (setting.plain(), capacity, smoothness, fingerprint("verify/scenes/networks")),
    )
    return cached_result(
        "forgetting", asked, lambda file: {"terms": _terms(setting, rate, capacity, smoothness)}
    )["terms"]


def _terms(setting: Setting, rate: float, capacity: int, smoothness: float) -> np.ndarray:
    here = world(setting)
    plain = cflag(rate, rate, here.n_clients, capacity, ring(here.n_tasks))

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        s, memory = local["summed"].mean(axis=-2), state["memory_grad"]
        term = smoothness / 2 * rate**2 * sq(s) - rate * (1 - smoothness * rate) * dot(memory, s)
        return {**plain.aggregate(state, local, clients), "Gamma": term}

    theta0 = starts(here.model, setting.seed, setting.seeds, here.device, setting.first)
    run = states(
        here, replace(plain, aggregate=aggregate), draws(setting), theta0, setting.rounds, here.n_tasks
    )
    return np.stack([state["Gamma"].cpu().numpy() for task, done, state in run if task and done])
