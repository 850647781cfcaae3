"""C-FLAG, Section 7 and the additional experiments: what the text says of experiments, as sentences about means over seeds; the numbers of
its tables are in `bounds.cflag.results`.
"""

from __future__ import annotations

from bounds.cflag.symbols import PAPER
from bounds.empirical import sentences
from bounds.statement import Statement

_at = sentences(PAPER)

TASKS = "with known tasks"
CLASSES = "with unknown tasks (class-incremental)"
IID, NON_IID = "IID shares", "non-IID shares"

BASELINES = {"fedavg": "Fine-FL", "ewc": "EWC-FL", "nccl": "NCCL-FL", "er": "Erg-FL", "fedtrack": "FedTrk"}
"""Method -> name of the baseline in the text."""
CASES = {
    "average": "C-FLAG has the adaptive rates of the average case, not of the worst case as in Algorithm 3",
    "fixed": "C-FLAG has fixed rates",
}
"""Variants of what C-FLAG is."""
FEW = "a quarter of the images and half of the rounds, where no method is near a ceiling"
BY_SIZE = "p_i of Eq. (1) is the client's share of the samples of the task, in the means of all methods"
"""A variant where shares are uneven: the text leaves the weights p_i open."""
ONE_RATE = "one learning rate for all methods (Table 5)"
OWN_STEP = (
    "each method has the learning rate that it selects by its own Acc, together with a second rate or a strength where it has one, "
    "among as many candidates as each other"
)
STEP = {"step": OWN_STEP}
"""A variant of what compares methods."""
HARDER = {"few": FEW, **{f"few.{case}": f"{FEW}; {words}" for case, words in CASES.items()}}
"""Variants in a harder setting."""
RANK, ENDS = (
    "of all pairs of values, more go this way than the other",
    "compares the last value with the first only",
)
TRENDS = {"rank": RANK, "ends": ENDS}

_main = _at("Section 7, 'Comparison with Benchmarks', and Tables 2, 3", "256-261")
_each = _at("Section 7, 'Comparison with Benchmarks', and Figure 2", "264")
_shares = _at("Section 7, 'Ablation Study', and Figure 3", "270-274")
_sampling = _at("Section 7, 'Ablation Study', and Figure 5, right", "279")
_memory = _at("Appendix, 'Varying Memory Sizes', and Figure 7", "1137-1147")
_clients = _at("Appendix, 'Varying Number of Clients', Table 8, and Figure 5, left", "1149-1156, 279")
_case = _at("Section 5 and Section 7, on Figure 4", "172-187, 274")
_incremental = _at("Appendix 4, on Table 7 and Figure 6", "1107-1135")


def _benchmarks(name: str, shares: str) -> tuple[Statement, ...]:
    """C-FLAG against the baselines with known tasks."""
    one_by_one = {method: f"compares with {text} only" for method, text in BASELINES.items()}
    sizes = {"size": BY_SIZE} if shares == NON_IID else {}
    compared = {**CASES, **one_by_one, **HARDER, **sizes, **STEP}
    return (
        *_main(
            f"best.{name}",
            f"{TASKS}, {shares} and {ONE_RATE}, C-FLAG has a higher Acc than {', '.join(BASELINES.values())}",
            compared,
        ),
        *_main(
            f"forget.{name}",
            f"{TASKS}, {shares} and {ONE_RATE}, C-FLAG has a lower Forget than {', '.join(BASELINES.values())}",
            compared,
        ),
        *_case(
            f"adaptive.{name}",
            f"{TASKS} and {shares}, adaptive rates give C-FLAG a lower Forget than fixed ones",
            {
                "average": CASES["average"],
                "acc": "compares Acc, which is to be higher",
                "acc.average": f"compares Acc, which is to be higher; {CASES['average']}",
                **sizes,
                **STEP,
            },
        ),
    )


COMPARISONS = (
    *_benchmarks("iid", IID),
    *_benchmarks("non-iid", NON_IID),
    *_each(
        "each-task",
        f"{TASKS}, {IID} and {ONE_RATE}, C-FLAG has a higher mean accuracy on the tasks so far than "
        f"{', '.join(BASELINES.values())} after each task from the second on",
        {**CASES, **STEP},
    ),
    *_shares(
        "heterogeneity",
        f"{TASKS} and {ONE_RATE}, C-FLAG has a higher Acc than EWC-FL and FedTrk for each Dirichlet parameter 0.1, 1 and 1e5",
        {**CASES, **STEP},
    ),
)

_smaller = "a round uses the next samples of its memory in turn, which are as likely as any others"

SWEEPS = (
    *_memory(
        "memory.non-iid",
        f"{TASKS} and {NON_IID}, the Acc of C-FLAG rises with the memory, at no step falling",
        TRENDS,
    ),
    *_memory(
        "memory.iid",
        f"{TASKS} and {IID}, the Acc of C-FLAG rises with the memory, at no step falling",
        TRENDS,
    ),
    *_memory(
        "memory.forget",
        f"{TASKS} and {NON_IID}, the Forget of C-FLAG falls with the memory, at no step rising",
        TRENDS,
    ),
    *_memory(
        "memory.evident",
        f"{TASKS}, from the smallest to the largest memory the Acc of C-FLAG gains more with {NON_IID} than with {IID}",
    ),
    *_memory(
        "memory.transference",
        f"{TASKS} and {NON_IID}, the Forget of C-FLAG is negative with the largest memory",
    ),
    *_sampling(
        "sampling",
        f"{TASKS} of 2 classes and {NON_IID}, the Acc of C-FLAG falls with the size of the memory sample, at no step rising",
        {name: f"{words}; {_smaller}" for name, words in TRENDS.items()},
        changes=_smaller,
    ),
    *_clients(
        "clients",
        f"{TASKS} and {IID}, the Acc of C-FLAG varies by at most 3.2 points between 5 and 25 clients, as in Table 8: it "
        "is robust",
        {
            "non-iid": f"{NON_IID}, and 5.9 points, as in Table 8 for 100 classes",
            "not-lower": "asks instead that it is not lower with 25 clients than with 5",
        },
    ),
    *_clients(
        "clients.forget",
        f"{TASKS} and {IID}, the Forget of C-FLAG falls with the number of clients, at no step rising",
        TRENDS,
    ),
    *_clients(
        "clients.forget.non-iid",
        f"{TASKS} and {NON_IID}, the Forget of C-FLAG falls with the number of clients, at no step rising",
        TRENDS,
    ),
)

VARIATION = _at("Section 7, 'Ablation Study', and Figure 4", "274-276")(
    "variation",
    f"{TASKS}, the forgetting term Gamma(t) of C-FLAG with fixed rates has a larger standard deviation over the rounds of "
    f"all tasks but the first with {IID} than with {NON_IID}",
    {"range": "its range instead", "relative": "its standard deviation relative to its mean absolute value"},
)

_figure = "compares with TARGET, iCARL-FL and LwF-FL only, as the text on Figure 6"

INCREMENTAL_CLASSES = (
    *_incremental(
        "classes.non-iid",
        f"{CLASSES}, {NON_IID} and {ONE_RATE}, C-FLAG has a higher Acc than Fine-FL, EWC-FL, LwF-FL, iCARL-FL, TARGET, NCCL-FL and FedTrk",
        {**CASES, "figure": _figure, **STEP, "figure.step": f"{_figure}; {OWN_STEP}"},
    ),
    *_incremental(
        "classes.iid",
        f"{CLASSES}, {IID} and {ONE_RATE}, C-FLAG has a higher Acc than Fine-FL, EWC-FL, TARGET, NCCL-FL and FedTrk, as in Table 7",
        {**CASES, **STEP},
    ),
    *_incremental(
        "classes.iid.forget",
        f"{CLASSES}, {IID} and {ONE_RATE}, C-FLAG has a lower Forget than Fine-FL, EWC-FL, LwF-FL, iCARL-FL, TARGET, NCCL-FL and FedTrk",
        {**CASES, **STEP},
    ),
    *_incremental(
        "classes.iid.above",
        f"{CLASSES}, {IID} and {ONE_RATE}, iCARL-FL and LwF-FL both have a higher Acc than C-FLAG, as in Table 7",
        STEP,
    ),
)

STATEMENTS = (*COMPARISONS, *SWEEPS, *VARIATION, *INCREMENTAL_CLASSES)
