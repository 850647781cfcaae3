"""SPECIAL, Sections 2.2 and 5 and Appendix F: what its text says of experiments, as sentences about means over seeds; the numbers of
its tables are in `bounds.special.results`.
"""

from __future__ import annotations

from collections.abc import Mapping

from bounds.empirical import sentences
from bounds.special.symbols import PAPER
from bounds.statement import Statement

_at = sentences(PAPER)

SECOND_TASK = "the server blends from the second task on, as the text of Section 3 reads, not in the first"
DECAY_ALONE = (
    "clients' step sizes fade with the rounds in SPECIAL only, not in the methods that it is compared with"
)
SMALLER = (
    "lambda is selected from smaller values than the paper's candidates, of which the least would be selected"
)
RANK = "of all pairs of values, more rise than fall"
ENDS = "compares the largest value with the smallest only"
INSIDE = "asks only that some value between the ends is best"

_lambda = _at("Section 5, 'Influence of the proximal weight', and Figure 3", "272")
_band = _at("Section 5, 'Influence of the proximal weight'", "274")
_ablation = _at("Appendix F.4 and Figure 4", "886")
_main = _at("Section 5, main results", "243")
_place = _at("Section 5, 'Where the proximal term is applied matters', and Table 1", "245")
_figure_2 = _at("Section 2.2 and Figure 2", "60-63")
_sweep = _at("Appendix F.5 and Table 13", "907-909")


def _also(name: str, words: str, variants: Mapping[str, str]) -> dict[str, str]:
    """A further variant, by itself and together with each of some others."""
    return {name: words, **{f"{name}.{other}": f"{words}; {changes}" for other, changes in variants.items()}}


def _both(item: str, says: str, variants: Mapping[str, str]) -> tuple[Statement, ...]:
    """A sentence on lambda in both variants of where SPECIAL blends: Algorithm 1 in every task, the text from the second on."""
    return _lambda(item, says, {**variants, **_also("second-task", SECOND_TASK, variants)})


_rises = {"rank": RANK, "ends": ENDS}

LAMBDAS = (
    *_both("lam-bwt", "the BWT of SPECIAL rises with lambda, at no step falling", _rises),
    *_both(
        "lam-acc", "the ACC of SPECIAL rises with lambda up to a peak and falls after it", {"inside": INSIDE}
    ),
    *_both(
        "lam-joint",
        "ACC and BWT of SPECIAL are jointly best, by their sum, at a lambda between the ends",
        {"ranks": "by the sum of their ranks instead"},
    ),
    *_band(
        "lam-band",
        "lambda = 0.2 and 0.3 lose at most 0.6 points of ACC against the selected 0.25",
        {
            "selected": "around the lambda that is selected on these data, which is 0.05: against 0 and 0.1",
            "second-task": SECOND_TASK,
        },
    ),
)

_as_selected = "with the lambda that the paper selected, 0.25, not the one that is selected on these data"

ABLATIONS = (
    *_ablation(
        "T",
        "the ACC of SPECIAL rises with the rounds T per task, at no step falling",
        {**_rises, **_also("printed", _as_selected, _rises)},
    ),
    *_ablation(
        "T.bwt",
        "the BWT of SPECIAL falls with T down to a lowest value and rises after it",
        {"inside": INSIDE, **_also("printed", _as_selected, {"inside": INSIDE})},
    ),
    *_ablation("E", "the ACC of SPECIAL rises with the local epochs E, at no step falling", _rises),
    *_ablation(
        "E.diminishing",
        "an epoch more brings the ACC of SPECIAL less at every step of E",
        {"ends": "compares the last step with the first only"},
    ),
    *_ablation("E.bwt", "the BWT of SPECIAL falls with E, at no step rising", _rises),
    *_ablation(
        "alpha", "the ACC of SPECIAL rises with the Dirichlet parameter alpha, at no step falling", _rises
    ),
)

_tuned = {
    "second-task": SECOND_TASK,
    "printed": "lambda is 0.25 for SPECIAL and 0.2 for SPECIAL-C, as printed, not selected on these data",
    "epoch": "lambda is 0.25 for SPECIAL and 0.2 for SPECIAL-C, whose pull acts once an epoch, not in every minibatch",
}
_alike = {
    **_tuned,
    "smaller": "lambda of both is selected from the same values, 0.00003 to 1",
    "listed": "lambda of both is selected from the same values, the paper's candidates for SPECIAL",
}
_transfer = "higher at the end of task 2 than before it: a backward transfer"

PLACES = (
    *_place("server-vs-client.digits.acc", "SPECIAL-C has a lower ACC than SPECIAL", _alike),
    *_place("server-vs-client.digits.bwt", "SPECIAL-C has a higher BWT than SPECIAL", _alike),
    *_place(
        "server-vs-client.digits.trails",
        "SPECIAL-C has a lower ACC and a lower BWT than SPECIAL, as said of the less correlated domains",
        _alike,
    ),
    *_figure_2(
        "server-vs-client.digits.protects",
        "SPECIAL-C keeps more of task 1 than SPECIAL in the first 5 rounds of task 2",
        _alike,
    ),
    *_figure_2(
        "server-vs-client.digits.slower",
        "SPECIAL-C is less accurate on task 2 than SPECIAL in its first 10 rounds",
        _alike,
    ),
    *_figure_2(
        "server-vs-client.digits.new", "SPECIAL is more accurate than SPECIAL-C on task 2 at its end", _alike
    ),
    *_figure_2(
        "server-vs-client.digits.forgetting",
        "SPECIAL loses no more accuracy on task 1 than SPECIAL-C in the whole of task 2: no extra forgetting",
        _alike,
    ),
    *_figure_2(
        "server-vs-client.digits.union",
        "SPECIAL is more accurate than SPECIAL-C on both tasks together at the end of task 2",
        _alike,
    ),
    *_figure_2(
        "server-vs-client.digits.transfer",
        "the accuracy of SPECIAL on task 1 is higher at the end of task 2 than after 10 of its rounds",
        {
            **_tuned,
            "backward": _transfer,
            **{f"{name}.backward": f"{words}; {_transfer}" for name, words in _tuned.items()},
        },
    ),
)

_few = "lambda goes up to 0.2 only: in these runs it acts in every minibatch, not once per epoch"
_epoch = "the pull acts once an epoch, not in every minibatch"
_small_rises = {**_rises, **_also("small", _few, _rises), **_also("epoch", _epoch, _rises)}

CLIENT_SIDE = (
    *_sweep(
        "specialc-lam.digits",
        "the BWT of SPECIAL-C rises with lambda from 0 to 1, at no step falling",
        _small_rises,
    ),
    *_sweep(
        "specialc-lam.digits.plasticity",
        "the accuracy of SPECIAL-C on tasks just learnt falls with lambda, at no step rising",
        _small_rises,
    ),
    *_sweep(
        "specialc-lam.digits.balance",
        "the ACC of SPECIAL-C is highest at a lambda between the ends: where both effects are balanced",
        {"small": _few, "epoch": _epoch},
    ),
)

_more = "also against EWC and LwF in FedAvg, which the paper does not compare"

_parts = {"acc": "compares ACC only", "bwt": "compares BWT only", "more": _more}
_no_images = "also against FedCIL, MFCL and pFedDIL, which keep no images"
_systems = f"{_no_images}, and Re-Fed, which keeps some, in the place of SR-FDIL"
_of_table_14 = {
    **_also("no-images", _no_images, {"acc": _parts["acc"]}),
    **_also("systems", _systems, {"acc": _parts["acc"]}),
}
"""Whom Table 14 has beside the others."""

METHODS = (
    *_main(
        "acc-best.digits",
        "SPECIAL has a higher ACC than FedAvg, FedProx, FLwF-2T and SPECIAL-C, all with strengths selected by ACC",
        {
            "second-task": SECOND_TASK,
            "more": _more,
            "decay-alone": DECAY_ALONE,
            "decay-alone.fedavg": f"{DECAY_ALONE}; compares with FedAvg only",
            "smaller": SMALLER,
            "smaller.second-task": f"{SMALLER}; {SECOND_TASK}",
        },
    ),
    *_main(
        "acc-best.digits.bwt",
        "the BWT of SPECIAL is no lower than the median of FedAvg, FedProx, FLwF-2T and SPECIAL-C: it is competitive",
        {"second-task": SECOND_TASK},
    ),
    *_main(
        "bwt-relative",
        "SPECIAL with the largest lambda learns its tasks less well than FedAvg and has a less negative BWT",
        {"methods": "of all pairs of methods, those that learn less well more often have the higher BWT"},
    ),
    *_at("Section 5, 'Why FedAvg can look strong', and Table 8", "252")(
        "fedavg",
        "FedAvg has the ACC of some continual baseline (FLwF-2T, SPECIAL-C) or more, with a lower BWT and a lower worst "
        "drop than it",
    ),
    *_at("Section 5, 'Why FedAvg can look strong', and Table 8", "252")(
        "fedavg.drops", "FedAvg has a lower BWT and a lower worst drop than SPECIAL"
    ),
    *_at("Section 5, 'Per-task performance', and Table 2", "257")(
        "perdomain.digits",
        "SPECIAL ends no less accurate than FLwF-2T on every task",
        {"second-task": SECOND_TASK},
    ),
    *_at("Section 5, 'Computational complexity', and Table 3", "276, 259")(
        "cost.rounds.digits",
        "SPECIAL needs fewer rounds to the best accuracy on the current task, summed over tasks, than FedAvg, FedProx, "
        "FLwF-2T and SPECIAL-C",
        {"fedavg": "compares with FedAvg only"},
    ),
    *_at("Appendix F.6 and Table 14", "937")(
        "cil.digits",
        "SPECIAL has a higher ACC and a higher BWT than FedAvg, FedProx, FLwF-2T and SPECIAL-C, on 5 tasks of 2 classes",
        {**_parts, **_also("second-task", SECOND_TASK, _parts), **_of_table_14},
    ),
)

STATEMENTS = (*LAMBDAS, *ABLATIONS, *PLACES, *CLIENT_SIDE, *METHODS)
