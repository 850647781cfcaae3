"""SPECIAL: does Theorem 4.10 need its term K B^2, and what does it say of every single task?"""

from __future__ import annotations

from bounds.relations import ge, le
from bounds.special.rate import reach
from bounds.special.symbols import G0, SPECIAL, B, E, K, at, gamma_G, gamma_L, lam, min_grad2
from bounds.special.theorems import DRIFT, PSI, RATE, RATE_TERMS, SAMPLING, pref

each_grad2 = SPECIAL.nonnegative(
    "each_grad2",
    "smallest expected squared gradient norm of one task over the rounds",
    r"\min_{t\in[T]}\mathbb E\|\nabla f_i(\theta_K^t)\|^2",
)
then_grad2 = SPECIAL.nonnegative(
    "then_grad2", "the same of one task in the round in which that of all tasks is smallest"
)

_every = at(
    "Introduction, second contribution: 'holds simultaneously across all tasks'",
    "28, 159",
    conditions=RATE.conditions,
    assumes=tuple(RATE.assumes),
)
STATEMENTS = (
    RATE.variant(
        "without.K_B",
        le(min_grad2, RATE.rhs - pref * PSI["K_B"]),
        terms={name: term for name, term in RATE_TERMS.items() if name != "psi_K_B"},
        changes="leaves out the term K B^2: is it needed?",
        uses=(),
    ),
    at("Assumptions 4.1 and 4.2, Lemma 4.9", "163")(
        "thm4.10/flat",
        "a multiple of B^2 that does not grow with K is enough, in every run",
        le(min_grad2, 3 * (G0**2 + B**2 + reach**2)),
        terms={"start": 3 * G0**2, "current task": 3 * B**2, "reach": 3 * reach**2},
        conditions=(*SAMPLING, ge(K, 2), le(gamma_G, 1 / (K - 1))),
        assumes=("ass4.1", "ass4.2"),
        uses=("thm4.10/free.reach",),
        changes="not of the paper: what bounded gradients and smoothness give without the theorem",
    ),
    _every(
        "thm4.10.every-task",
        "the bound of Theorem 4.10 holds for every task by itself",
        le(each_grad2, RATE.rhs),
        terms=RATE_TERMS,
    ),
    at("Assumption 4.1", "112")(
        "thm4.10/free.each",
        "the gradient of a task has norm at most B, wherever the model is",
        le(each_grad2, B**2),
        conditions=SAMPLING,
        assumes=("ass4.1",),
        changes="not of the paper: what bounded gradients give without the theorem",
    ),
    _every(
        "thm4.10.every-task.at-once",
        "where the gradient of all tasks together is smallest, that of no task is larger",
        le(then_grad2, min_grad2),
        changes="our own question: one round for all tasks, which the bound on the gradient of their sum would need to speak of each",
    ),
    DRIFT.variant(
        "adamw",
        le(DRIFT.lhs, (gamma_G * gamma_L * E * B / lam) ** 2),
        says="with AdamW at the clients, as on the language tasks, the model stays within gamma_G gamma_L E B / lambda, too",
        changes="the local steps are AdamW's, the first of a run: the theorems are about plain ones",
        uses=(),
    ),
)
