"""The loop that plays rounds: on every kind of array, for every algorithm, without randomness.

A world is anything that has ``n_clients`` and ``at(task, clients) -> oracle``, with ``oracle.grad(x)`` and
``oracle.stochastic_grad(x, u)`` for x of shape (..., n, d) and what was drawn for the step, u; without
`clients`, the oracle is that of all clients in order. Worlds of samples offer more, see `nqm.finite_sum`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, Local, Moment, State, is_vector, requests_of, stochastic_gradient
from algorithms.corrections import Affine
from algorithms.draws import Draws
from algorithms.hyperparameters import count
from nqm.fields import Array, IntArray, broadcast_to, is_tensor, like, put_into, room, stack, where


def play_round(
    world: Any, algorithm: Algorithm, state: State, task: int, participants: IntArray, noise: Array
) -> State:
    """State after one round.

    Parameters
    ----------
    world : World
        Gives the gradients.
    algorithm : Algorithm
        The method.
    state : State
        Server state, ``"theta"`` (..., run, d).
    task : int
        Task index, from 0.
    participants : (..., run, n) array of int
        Clients of the round.
    noise : (..., run, n, E, d) array
        Standardised noise of each local step, or indices of its minibatch; its shape says how many local
        steps there are.
    """
    state = state_before_local_work(world, algorithm, state, task)
    local = states_after_local_work(world, algorithm, state, task, participants, noise)
    return algorithm.aggregate(state, local, participants)


def state_before_local_work(world: Any, algorithm: Algorithm, state: State, task: int) -> State:
    """State after the exchange before local work, if the method has one."""
    if algorithm.prepare is None:
        return state
    return algorithm.prepare(state, algorithm.objective(world, state, task, np.arange(world.n_clients)))


def after_task(world: Any, algorithm: Algorithm, draws: Draws, state: State, task: int) -> State:
    """State after the method's `end_task`, if it has one."""
    if algorithm.end_task is None:
        return state
    return algorithm.end_task(world, state, task, None if draws.order is None else draws.order(task))


def between_rounds(
    world: Any, algorithm: Algorithm, draws: Draws, state: State, task: int, played: int, rounds: int
) -> State:
    """State after the method's `end_round` for the round `played` (from 0) of `rounds`, if it has one."""
    if algorithm.end_round is None:
        return state
    normals = None if draws.normals is None else draws.normals(task, played)
    return algorithm.end_round(world, state, Moment(task, rounds - played - 1, normals))


def local_path(
    world: Any, algorithm: Algorithm, state: State, task: int, participants: IntArray, noise: Array
) -> Iterator[Local]:
    """The local states after each local step, in order."""
    oracle = algorithm.objective(world, state, task, participants)
    local, idle = algorithm.begin_round(state, participants, oracle), resting(noise)
    for step in range(noise.shape[-2]):
        moved = algorithm.local_step(state, local, algorithm.query(oracle, local["x"], noise[..., step, :]))
        local = (
            moved
            if idle is None or not idle[..., step].any()
            else with_idle_unchanged(idle[..., step], local, moved)
        )
        yield local


def states_after_local_work(
    world: Any, algorithm: Algorithm, state: State, task: int, participants: IntArray, noise: Array
) -> Local:
    """The local states after the last step: the end of `local_path`.

    The local state of a slot is stored when the slot has made all its steps; later changes have no effect. The last slots
    are dropped as soon as they rest in all runs, so the work is smallest if slots are sorted by their number of steps.

    Raises
    ------
    ValueError
        If a slot rests before it works.
    """
    idle, oracle = resting(noise), algorithm.objective(world, state, task, participants)
    local = algorithm.begin_round(state, participants, oracle)
    if idle is not None and (idle[..., :-1] & ~idle[..., 1:]).any():
        raise ValueError(
            "`noise` must be below 0 in the last steps of a slot only, got a slot that works after them."
        )
    at_once = in_one_go(algorithm, oracle, state, local, noise)
    if at_once is not None:
        return at_once
    if idle is None:
        for step in range(noise.shape[-2]):
            local = algorithm.local_step(
                state, local, algorithm.query(oracle, local["x"], noise[..., step, :])
            )
        return local
    steps = (~idle).sum(axis=-1)
    aside = _with_made({}, local, steps, 0)
    for step in range(noise.shape[-2]):
        n_slots = np.flatnonzero((steps > step).any(axis=0))[-1] + 1
        if n_slots < noise.shape[-3]:
            participants, noise = participants[..., :n_slots], noise[..., :n_slots, :, :]
            oracle = algorithm.objective(world, state, task, participants)
            local = {name: first_slots(value, n_slots) for name, value in local.items()}
        local = algorithm.local_step(state, local, algorithm.query(oracle, local["x"], noise[..., step, :]))
        aside = _with_made(aside, local, steps, step + 1)
    ends = {
        name: held.reshape(*held.shape[:-2], *steps.shape, held.shape[-1]) for name, held in aside.items()
    }
    return {**local, **ends}


def in_one_go(algorithm: Algorithm, oracle: Any, state: State, local: Local, noise: Array) -> Local | None:
    """The local states after all steps, if the steps are affine and the oracle can make all steps of a round in one call.

    None otherwise. The models agree up to rounding with those of single steps.
    """
    step = algorithm.local_step
    if not isinstance(step, Affine) or algorithm.query is not stochastic_gradient:
        return None
    asked = requests_of(oracle, noise)
    if asked is None:
        return None
    first, *others = (partial(step.parts, state, {**local, **entries}) for entries in step.maps)
    turns = (others, step.turn(local, np.arange(noise.shape[-2]))) if others else ()
    x = asked.walk(local["x"], first, *turns)
    return None if x is None else {**local, "x": x}


def first_slots(value: Any, n_slots: int) -> Any:
    """An entry of the local state, restricted to the first slots; an entry without an axis of slots belongs to all of
    them.
    """
    if hasattr(value, "first_slots"):
        return value.first_slots(n_slots)
    return value[..., :n_slots, :] if getattr(value, "ndim", 0) > 1 else value


def _with_made(aside: Mapping[str, Array], local: Local, steps: IntArray, now: int) -> dict[str, Array]:
    """The stored local states, (..., run n, -) each, updated by the slots whose number of `steps` (run, n) is `now`; counts
    are (slots, 1).

    One array holds all slots. Separate arrays would fragment memory, so that the larger arrays of the next steps do not fit.
    """
    run, slot = np.nonzero(steps == now)
    if not run.size:
        return dict(aside)
    places, found = np.ravel_multi_index((run, slot), steps.shape), dict[str, Array]()
    for name, value in local.items():
        if getattr(value, "ndim", 0) > 1:
            n_slots = slot.max() + 1 if value.shape[-2] == 1 else value.shape[-2]
            of_all = broadcast_to(value, (*value.shape[:-3], len(steps), n_slots, value.shape[-1]))
            held = of_all[..., run, slot, :]
        elif isinstance(value, int) and not isinstance(value, bool):
            held = np.full((run.size, 1), value)
        else:
            continue
        before = aside[name] if aside else held[..., :1, :]
        shape = (*np.broadcast_shapes(before.shape[:-2], held.shape[:-2]), steps.size, held.shape[-1])
        found[name] = before if before.shape == shape else _widened(before, shape)
        put_into(found[name], held, places, axis=-2)
    return found


def _widened(before: Array, shape: tuple[int, ...]) -> Array:
    """An array with space for `shape` (..., run n, -), which begins with what there was before."""
    whole = room(before, shape)
    put_into(whole, before, np.arange(before.shape[-2]), axis=-2)
    return whole


def resting(noise: Array) -> IntArray | None:
    """Mask of the slots that rest in each step of a round, (..., n, E) of bool: those without drawn numbers; None if no slot
    rests.
    """
    if is_tensor(noise) or noise.dtype.kind not in "iu" or (noise[..., 0] >= 0).all():
        return None
    return np.asarray(noise[..., 0] < 0)


def with_idle_unchanged(idle: IntArray, before: Local, after: Local) -> Local:
    """The local states after a step that some slots skip; the vectors (..., n, -) and counts of these slots stay
    unchanged.
    """
    kept, still = dict(after), like(after["x"], idle[..., None].astype(int)) == 1
    for name, value in after.items():
        old = before[name]
        if value is old:
            continue
        if is_vector(value):
            kept[name] = where(still, old, value)
        elif isinstance(value, int | np.ndarray) and not isinstance(value, bool):
            kept[name] = np.where(idle[..., None], old, value)
    return kept


def states(
    world: Any,
    algorithm: Algorithm,
    draws: Draws,
    theta0: Array,
    rounds: int,
    tasks: int = 1,
    played_before: tuple[int, State] | None = None,
    play: Callable[..., State] = play_round,
) -> Iterator[tuple[int, int, State]]:
    """Play `tasks` tasks of `rounds` rounds each; yield (task, rounds played in it, state).

    The state at 0 rounds is the start of the task. Only one round is in memory at a time.

    Parameters
    ----------
    world : World
        Gives the gradients.
    algorithm : Algorithm
        The method.
    draws : Draws
        Participants and noise.
    theta0 : (d,) or (..., n_runs, d) array
        Start. Its kind decides the arithmetic, so it must be that of the world: a tensor for a world of
        tensors, Fractions for an exact one.
    rounds, tasks : int
        Rounds per task T, and tasks K.
    played_before : (int, State) or None
        Number of tasks that were played in an earlier call, and the state at their end: the run goes on from
        there, with the same models as if it had not stopped.
    play : (world, algorithm, state, task, participants, noise) -> State
        Plays a round: `play_round`, or an equivalent function.
    """
    count("rounds", rounds, at_least=1)
    count("tasks", tasks, at_least=1)
    dim = theta0.shape[-1]
    if draws.dim not in (None, dim):
        raise ValueError(f"`theta0` has {dim} parameters, but the draws have {draws.dim}.")
    every_run = np.broadcast_shapes(tuple(theta0.shape), (draws.n_runs, dim))
    first, state = played_before or (0, algorithm.init(broadcast_to(theta0, every_run)))
    for task in range(first, tasks):
        state = algorithm.begin_task(state, task)
        yield task, 0, state
        for played in range(rounds):
            drawn = draws.cast(theta0, draws.noise(task, played))
            state = play(world, algorithm, state, task, draws.participants(task, played), drawn)
            state = between_rounds(world, algorithm, draws, state, task, played, rounds)
            if played + 1 == rounds:
                state = after_task(world, algorithm, draws, state, task)
            yield task, played + 1, state


def trajectory(
    world: Any, algorithm: Algorithm, draws: Draws, theta0: Array, rounds: int, tasks: int = 1
) -> Array:
    """Server models of every run, the start of each task included.

    Parameters are those of `states`.

    Returns
    -------
    (..., tasks, rounds + 1, n_runs, d) array
        ``[..., i, t, run, :]`` is the model after `t` rounds of task `i`; the leading axes are sweeps of
        hyper-parameters and worlds.
    """
    models = [state["theta"] for _, _, state in states(world, algorithm, draws, theta0, rounds, tasks)]
    path = stack(models, axis=-3)
    *batch, _, n_runs, dim = path.shape
    return path.reshape(*batch, tasks, rounds + 1, n_runs, dim)
