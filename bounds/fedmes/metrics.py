"""FedMeS, Section 5.1: four average accuracies and the forgetting rate, as printed and as their words mean them."""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.fedmes.symbols import FEDMES, T, at
from bounds.relations import eq, ge, le

_count, _nonnegative, _real = FEDMES.count, FEDMES.nonnegative, FEDMES.real

# Of one client, after task t: from its accuracies a[t, i] on task i after task t
task = _count("task", "task after which is measured", "t")
A_kt = _nonnegative("A_kt", "mean accuracy on the first t tasks after task t", "A_{k,t}")
A_early = _nonnegative("A_early", "mean accuracy on the tasks i < t after task t")
kept = _nonnegative("kept", "sum of the accuracies on the tasks i < t after task t", r"\sum_{i<t}a_{t,i}^k")
missed = _nonnegative("missed", "what the accuracy on task t after task t lacks to 1", "1-a_{t,t}^k")
F_tk = _real("F_tk", "forgetting rate", "F_t^k")
F_chaudhry = _real("F_chaudhry", "mean of best earlier less present accuracy (Chaudhry et al., 2018)")
F_learnt = _real("F_learnt", "forgetting rate since each task was learnt: largest over j from i on")
never = _nonnegative(
    "never",
    "sum over the tasks i < t of what the best earlier accuracy lacks to 1",
    r"\sum_{i<t}(1-\max_{j<t}a_{j,i}^k)",
)
Forget = _real("Forget", "forgetting of C-FLAG after the last task", r"\mathrm{Forget}")
F_end = _real("F_end", "forgetting rate after the last task", "F_T^k")
risen = _nonnegative(
    "risen", "mean over the tasks before T of best earlier accuracy less that right after learning"
)

# Of all clients and tasks
Acc_Client = _nonnegative("Acc_Client", "mean of A_{k,t} over the tasks t", r"Acc\_Client_k")
A_end = _nonnegative("A_end", "mean accuracy of a client after all tasks", "A_{k,T}")
before = _nonnegative("before", "sum of A_{k,t} over the tasks t < T", r"\sum_{t<T}A_{k,t}")
before_lacks = _nonnegative("before_lacks", "what that sum lacks to T - 1")
end_lacks = _nonnegative("end_lacks", "what A_{k,T} lacks to 1", "1-A_{k,T}")
mean_client = _nonnegative("mean_client", "mean of Acc_Client over the clients")
mean_task = _nonnegative("mean_task", "mean of Acc_Task over the tasks")
Acc_ALL = _nonnegative("Acc_ALL", "printed mean over clients j and tasks i of A_{j,t}", r"Acc\_ALL")
Acc_ALL_mean = _nonnegative("Acc_ALL_mean", "mean over clients j and tasks i of A_{j,i}")
Acc_ALL_end = _nonnegative("Acc_ALL_end", "printed mean with t = T")
all_end = _nonnegative("all_end", "mean accuracy of all clients on all tasks after all tasks")

LATER = (ge(task, 2), ge(T, task))
SEVERAL_TASKS = (ge(T, 2),)
INCLUDED = eq(task * A_kt + missed, kept + 1)
PARTS = eq((task - 1) * F_tk + kept + never, task - 1)
ROOM = le((task - 1) * F_tk + task * A_kt, task)
MOST = le(F_tk, 1)
RISEN = eq(F_end, Forget + risen)
BEFORE = eq(T * Acc_Client, A_end + before)
BEFORE_LACKS = eq(before + before_lacks, T - 1)
END_LACKS = eq(A_end + end_lacks, 1)

_accuracy = at("Section 5.1, Average Accuracy", "220")
_forgetting = at("Section 5.1, Metrics", "220-222")
_final_accuracy = partial(_accuracy, conditions=SEVERAL_TASKS)
_later_forgetting = partial(_forgetting, conditions=LATER)

A = _accuracy(
    "A",
    "A_{k,t} averages the accuracies a_{t,i}, which are defined for i < t",
    eq(A_kt, A_early),
    conditions=LATER,
)
ACC_ALL = _accuracy(
    "acc_all",
    "Acc_ALL is one number: its printed sum, which leaves t open, is the same for every t as for T",
    eq(Acc_ALL, Acc_ALL_end),
)
ACCURACIES = (
    A,
    A.variant(
        "included",
        INCLUDED,
        says="A_{k,t} averages the accuracies on the earlier tasks and on task t",
        changes="a_{t,i} is defined for i <= t",
    ),
    _final_accuracy(
        "acc_client", "Acc_Client is the average accuracy after training all T tasks", eq(Acc_Client, A_end)
    ),
    _final_accuracy("acc_client.before", "Acc_Client averages what was measured after every task", BEFORE),
    _final_accuracy(
        "acc_client.before_lacks",
        "the accuracies before the last task and what they lack add up to T - 1",
        BEFORE_LACKS,
    ),
    _final_accuracy(
        "acc_client.end_lacks", "the accuracy after all tasks and what it lacks add up to 1", END_LACKS
    ),
    _final_accuracy(
        "acc_client.gap",
        "formula and words of Acc_Client differ by at most 1 - 1/T",
        le(T * sp.Abs(Acc_Client - A_end), T - 1),
        uses=("acc_client.before", "acc_client.before_lacks", "acc_client.end_lacks"),
    ),
    _accuracy(
        "acc_task",
        "Acc_Task over the tasks and Acc_Client over the clients have the same mean",
        eq(mean_task, mean_client),
    ),
    ACC_ALL,
    ACC_ALL.variant(
        "index",
        eq(Acc_ALL_mean, all_end),
        says="Acc_ALL is the average accuracy after the training of all tasks is completed",
        changes="A_{j,i} in place of A_{j,t}: i is the index of the sum",
    ),
    ACC_ALL.variant(
        "final",
        eq(Acc_ALL_end, all_end),
        says="Acc_ALL is the average accuracy after the training of all tasks is completed",
        changes="t = T, which leaves the sum over i without effect",
    ),
)

FORGET = _later_forgetting(
    "forget", "the forgetting rate is the forgetting measure of Chaudhry et al. (2018)", eq(F_tk, F_chaudhry)
)
FORGETTINGS = (
    FORGET,
    FORGET.variant(
        "learnt",
        eq(F_tk, F_learnt),
        says="the forgetting rate compares with accuracies on tasks that were learnt before",
        changes="takes the largest difference over j >= i only, where the accuracy on task i is that of a learnt task",
    ),
    _later_forgetting(
        "forget.parts", "the forgetting rate, what is kept and what was never reached share one whole", PARTS
    ),
    _later_forgetting("forget.most", "the forgetting rate is at most 1", MOST, uses=("forget.parts",)),
    _later_forgetting(
        "forget.acc",
        "who has a high accuracy cannot have forgotten much: (t - 1) F_t is at most t (1 - A_t)",
        ROOM,
        uses=("forget.parts", "A/included"),
    ),
    _later_forgetting(
        "forget.averaged",
        "the same with one slope for every t, so that it can be averaged over the tasks",
        le(F_tk, 1 + T / (T - 1) * (1 / task - A_kt)),
        uses=("forget.acc", "forget.most"),
    ),
    _forgetting(
        "forget.risen",
        "the forgetting rate is C-FLAG's forgetting and what the accuracies had risen after learning",
        RISEN,
        conditions=SEVERAL_TASKS,
    ),
    _forgetting(
        "forget.cflag",
        "the forgetting rate after the last task is at least the forgetting of C-FLAG",
        ge(F_end, Forget),
        conditions=SEVERAL_TASKS,
        uses=("forget.risen",),
    ),
)

STATEMENTS = (*ACCURACIES, *FORGETTINGS)
