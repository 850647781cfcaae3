"""FedMeS: does Table 1 agree with its metrics and with the text?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from bounds.fedmes.tables import ABLATION, METHOD, SETTINGS, TABLE_1, TASKS
from bounds.printed import Number, Result
from verify.commands.main import main
from verify.engine.checks.table import Column, leading, printed_in, row
from verify.scenes.fedmes.tables import STATE_OF_THE_ART, Rows, Setting, accuracies, largest, named, rates


def possible() -> Rows:
    """Accuracy and forgetting rate of every method."""
    return {
        f"{method} on {named(dataset, clients)}": row(
            {"T": TASKS[dataset]},
            {
                "printed_acc": result.acc.value,
                "printed_forget": result.forget.value,
                "acc_digit": result.acc.digit,
                "forget_digit": result.forget.digit,
            },
        )
        for (dataset, clients, method), result in TABLE_1.items()
    }


def against_baselines(score: Callable[[Result], Fraction]) -> Rows:
    """FedMeS beside every baseline; its own ablation is none."""
    scores = {
        (named(dataset, clients), method): score(result)
        for (dataset, clients, method), result in TABLE_1.items()
        if method != ABLATION
    }
    return leading(scores, [(named(*setting), METHOD) for setting in SETTINGS])


def compared(top: Mapping[Setting, Number], bottom: Mapping[Setting, Number]) -> Rows:
    """Two numbers of every setting."""
    return {
        named(*setting): row(
            {}, {"top": top[setting].value, "bottom": bottom[setting].value, "digit": top[setting].digit}
        )
        for setting in top
    }


def with_memory() -> Rows:
    """The 55% of the text, with 150 samples, beside the accuracy of Table 1."""
    acc = TABLE_1["CIFAR-100", 10, METHOD].acc
    columns: dict[str, Column] = {
        "top": "0.55",
        "bottom": acc.value,
        "digit": acc.digit,
        "deviation": acc.deviation,
    }
    return {"Split CIFAR-100, 10 clients": row({}, columns)}


NO_INFERENCE = compared(accuracies(METHOD, *TASKS), accuracies(ABLATION, *TASKS))
_claim = printed_in("fedmes")
CLAIMS = (
    _claim("tab1.possible", possible()),
    _claim("tab1.possible/mixed", possible()),
    _claim("tab1.possible/averaged", possible()),
    _claim("tab1.outperforms.acc", against_baselines(lambda result: result.acc.value)),
    _claim("tab1.outperforms.forget", against_baselines(lambda result: -result.forget.value)),
    _claim("tab1.outperforms.forget/ties", against_baselines(lambda result: -result.forget.value)),
    _claim(
        "tab1.fedweit.acc",
        largest(compared(accuracies(METHOD, "MiniImageNet"), accuracies(STATE_OF_THE_ART, "MiniImageNet"))),
    ),
    _claim("tab1.fedweit.forget", compared(rates(STATE_OF_THE_ART, "CORe50"), rates(METHOD, "CORe50"))),
    _claim("tab1.lip", NO_INFERENCE),
    _claim("tab1.lip/points", NO_INFERENCE),
    _claim("tab1.memory", with_memory()),
    _claim("tab1.memory/deviation", with_memory()),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_tables"))
