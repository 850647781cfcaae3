"""C-FLAG: sentences of its text that compare, praise or choose, each as a relation that can be computed."""

from __future__ import annotations

import sympy as sp

from bounds.cflag.drift_lemmas import QUARTER
from bounds.cflag.forgetting import RATE
from bounds.cflag.growth import MEMORY, Q, Z
from bounds.cflag.growth_runs import CONSTANT
from bounds.cflag.symbols import CFLAG, Dht, E, S, T, at, beta, c, gg, omega2
from bounds.relations import eq, ge, le
from bounds.statement import Scaling

_nonnegative, _real = CFLAG.nonnegative, CFLAG.real

adam_drift = _nonnegative(
    "adam_drift",
    "distance after the first local step of Adam, with its bias correction",
    r"\|\mathbf x_{t,1}^i-\mathbf x_t\|",
)
served = _real(
    "served",
    "by how much one data set D between C and P + C is at least as large as memory and current data, in the fall of its loss "
    "over the run, for all memories that may be drawn",
    r"\max_D\min_M(\Delta_D-\Delta_{M\cup C})",
)
reached = _real(
    "reached",
    "by how much the best data set D is, for the memories at hand",
    r"\max_D\Delta_D-\Delta_{M\cup C}",
)
listed = _nonnegative("listed", "times that a baseline is in a table")

_nccl = Scaling({"descent": Q / Z * Dht / T, "spread": Q * omega2}, {beta: c / sp.sqrt(T)}, sp.sqrt(T), (T,))
_chosen = (
    "the forgetting term is bounded with one D*, in expectation over the memories, so D* serves them all"
)

messages = CFLAG.count("messages", "times that the clients send to the server in T rounds")

STATEMENTS = (
    at("Introduction, contributions, against the text below Eq. (7)", "25, 72-76")(
        "communications",
        "T rounds are T communications, although a round begins with an additional one for the average gradients",
        eq(messages, T),
    ),
    at("Text below Theorem 5", "168")(
        "nccl",
        "with the rates of Lemma 4 the mean forgetting term grows no faster than sqrt(T), which NCCL's is said to do without "
        "further constraints on the rates",
        _nccl,
        conditions=RATE,
        assumes=MEMORY,
        uses=("lem4",),
        changes="our own question: the comparison says of NCCL what it does not say of C-FLAG",
    ),
    at("Appendix 4; Lemma 13", "1085, 727-771")(
        "adam",
        "the drift bound of Lemma 13 after the first local step, with Adam at the clients as in the experiments",
        le(adam_drift, 4 * beta * gg),
        conditions=(QUARTER,),
        changes="Adam in place of Eq. (4)",
    ),
    at("text after Eq. (5), and Appendix 4", "66, 1085")(
        "eq5.cost.drastic",
        "delayed gradients lower the cost of gradients drastically: to a tenth or less",
        le(10 * (S + E - 1), S * E),
        changes="a tenth is our variant of `drastically`",
    ),
    at("text after Eq. (5)", "66")(
        "eq5.cost.steps",
        "and a round takes no more gradients of samples than one at every local step",
        le(S + E - 1, E),
        changes="our own question: against minibatch steps as the baselines make them, not full gradients",
    ),
    at("Section 7, `Baselines`, Tables 2, 3 and 6", "228-254, 1091-1106")(
        "tab2.baselines",
        "every baseline that is listed for known tasks is in the tables of both settings",
        eq(listed, 1),
    ),
    best := at("Lemma 4, Eq. (166)", "887")(
        "eq166.best",
        "the fall of the loss on D* is at least that on memory and current data",
        ge(reached, 0),
        conditions=RATE,
    ),
    best.variant(
        "all-memories", ge(served, 0), says="the same for all memories that may be drawn", changes=_chosen
    ),
    at("Lemma 18, Eq. (181)", "967")(
        "eq181.best/all-memories",
        "the fall of the loss on D* is at least that on memory and current data, for all memories that may be drawn",
        ge(served, 0),
        conditions=CONSTANT,
        changes=_chosen,
    ),
)
