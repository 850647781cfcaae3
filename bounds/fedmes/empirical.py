"""FedMeS, Section 5: what the text says of experiments, as sentences about means over seeds; the numbers of
its tables are in `bounds.fedmes.results`.
"""

from __future__ import annotations

from bounds.empirical import sentences
from bounds.fedmes.symbols import PAPER

_at = sentences(PAPER)

UNTOLD = {"fedavg": "FedAvg", "ditto": "Ditto", "fedrep": "FedRep", "fedagem": "FedAGEM"}
"""Method -> name of the baseline in the text, of those whose clients need not be told the task of an image."""
BASELINES = {**UNTOLD, "fedweit": "FedWeIT (told the task of an image)"}
"""All of Table 1."""
ALL = ", ".join(BASELINES.values())
NEED_NOT = f"compares with {', '.join(UNTOLD.values())} only, whose clients, as those of FedMeS, are not told the task of an image"
NO_LIP = "FedMeS-noLIP, without neighbours in its predictions"
SPLIT = "on 5 tasks of 2 classes, of which a client has one or two, instead of 4 domains of 10 classes"
KNOWN = f"{SPLIT}; clients are told the task, as Split EMNIST can be read"
KNOWN_FEW = f"{KNOWN}; a quarter of the images and of the memory, and 3 rounds for 10, where no method is near a ceiling"
MEAN = "Acc_ALL is the mean of A_{k,i} over all tasks i, instead of A_{k,T}"
ONCE_LEARNT = "forgetting counts from when a task was learnt, not from the first task"
BY_SIZE = {
    "fedavg.size": "compares with FedAvg only, whose mean is weighted by the clients' samples, as its description says",
    "size": "the means of all methods but FedWeIT, which has masks in it, are weighted by the clients' samples, that of FedMeS "
    "too, which is printed without",
}
"""Variants of the server's mean."""
RANK, ENDS = (
    "of all pairs of values, more rise than fall",
    "compares the largest value with the smallest only",
)

_table_1 = _at("Section 5.2 and Table 1", "188-208, 258")
_every_task = _at("Section 5.2, 'Catastrophic forgetting', and Figures 3, 5", "262, 272")
_every_client = _at("Section 5.2, 'Client drift', and Figures 4, 6", "270-272")
_neighbours = _at("Section 5.2, and Remark 2", "258, 142-144")
_uneven = _at("Section 5.3, 'Effect of memory size', and Figure 9", "278-282")
_memory = _at("Section 5.3, 'Effect of memory size', and Figure 8a", "278")


_one_by_one = {method: f"compares with {text} only" for method, text in BASELINES.items()}

COMPARISONS = (
    *_table_1(
        "best",
        f"FedMeS has a higher Acc_ALL than {ALL}",
        {
            "mean": MEAN,
            "untold.mean": f"{NEED_NOT}; {MEAN}",
            "noLIP": NO_LIP,
            "classes": SPLIT,
            "known": KNOWN,
            "classes.noLIP": f"{SPLIT}; {NO_LIP}",
            "known.noLIP": f"{KNOWN}; {NO_LIP}",
            "known.few": KNOWN_FEW,
            "untold": NEED_NOT,
            **_one_by_one,
            **BY_SIZE,
        },
    ),
    *_table_1(
        "forget",
        f"FedMeS has a lower forgetting rate than {ALL}",
        {
            "learnt": ONCE_LEARNT,
            "noLIP": NO_LIP,
            "classes": SPLIT,
            "known": KNOWN,
            "classes.noLIP": f"{SPLIT}; {NO_LIP}",
            "known.noLIP": f"{KNOWN}; {NO_LIP}",
            "known.few": KNOWN_FEW,
            "untold": NEED_NOT,
            **_one_by_one,
            **BY_SIZE,
        },
    ),
    *_every_task(
        "every-task",
        f"FedMeS has a higher Acc_Task than {ALL} after each task",
        {
            "second": "after each task from the second on, when there was something to remember",
            "noLIP": NO_LIP,
        },
    ),
    *_every_client(
        "every-client",
        f"each client of FedMeS has a higher Acc_Client than with {ALL}",
        {
            "most": "more than half of the clients have",
            "untold.most": f"{NEED_NOT}; more than half of the clients have",
        },
    ),
    *_every_client(
        "range",
        f"the final accuracies of a client on its tasks are closer together with FedMeS than with {ALL}, in the mean over "
        "clients",
    ),
)

OTHERS = (
    *_every_task(
        "limitation",
        "FedAvg and Ditto, which use nothing of earlier tasks, both have a higher forgetting rate than FedRep, FedAGEM and "
        "FedMeS",
    ),
    *_every_task(
        "fedrep",
        "FedRep, robust against heterogeneity, has a higher Acc_ALL than FedAvg and Ditto",
        {"classes": SPLIT},
    ),
    *_every_task(
        "fedrep.decay",
        "the Acc_Task of FedRep falls with every task",
        {
            "rank": "of all pairs of tasks, more fall than rise",
            "ends": "compares the last task with the first only",
        },
    ),
)

MEMORIES = (
    *_neighbours(
        "neighbours",
        "neighbours in the predictions of FedMeS raise its Acc_ALL",
        {
            "five": "by at least 5 % of it",
            "band": "by 5 % to 10 % of it",
            "points": "by 5 to 10 points",
            "classes": SPLIT,
            "small": "with the smallest memory, 2 samples of each task",
        },
    ),
    *_neighbours("neighbours.forget", "neighbours in the predictions of FedMeS lower its forgetting rate"),
    *_memory(
        "memory",
        "the Acc_ALL of FedMeS rises with the memory, at no step falling",
        {"rank": RANK, "ends": ENDS, "noLIP": NO_LIP},
    ),
    *_memory(
        "memory.saturates",
        "the Acc_ALL of FedMeS gains less when the memory doubles once more than when it grew fivefold before",
        {"point": "persists: it changes by at most one point when the memory doubles once more"},
    ),
    *_memory(
        "memory.efficient",
        "FedMeS with the smallest memory, 2 samples of each task, keeps 85 % of its Acc_ALL with five times as many, as "
        "48 % are of 55 %",
    ),
)

UNEVEN_MEMORIES = (
    *_uneven(
        "uneven.range",
        "with memories of different sizes, of which every two clients have the same, in equal steps from 1 to 4 samples of each "
        "task, the accuracies of the clients of FedMeS are further apart after each task than with 4 for all",
        {"mean": "in the mean over tasks"},
    ),
    *_uneven(
        "uneven.least",
        "with such memories the Acc_ALL of FedMeS is nearer to that with the smallest for all than to that with the largest",
    ),
    *_uneven("uneven.best", f"with such memories FedMeS has a higher Acc_ALL than {ALL}"),
)

STATEMENTS = (*COMPARISONS, *OTHERS, *MEMORIES, *UNEVEN_MEMORIES)
