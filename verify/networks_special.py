"""SPECIAL, Sections 2.2 and 5, Appendix F: sentences of the text about experiments, tested on the built-in digits.

`verify.scenes.networks.special` describes the setting and its choices.
"""

from __future__ import annotations

from collections.abc import Mapping

from verify.commands.main import main
from verify.engine.model.claim import Claim
from verify.networks.sentences import (
    Law,
    Metric,
    Sweep,
    across,
    claim_of_law,
    joined_names,
    mean_learnt,
    side_by_side,
    swept,
)
from verify.networks.setting import Setting
from verify.networks.trends import FALLS, RISES, Trend, highest_inside
from verify.scenes.metrics import acc, special_bwt
from verify.scenes.networks import special as scenes
from verify.scenes.networks.second_task import PAIRS, Pair


def _claim(id: str, law: Law, base: Setting = scenes.DOMAINS) -> Claim:
    return claim_of_law(f"special.emp.{id}", law, base)


def _id(id: str, *variants: str) -> str:
    return joined_names(id, joined_names(*variants), by="/")


def _trends(
    id: str, sweep: Sweep, metric: Metric, trends: Mapping[str, Trend], variant: str = ""
) -> tuple[Claim, ...]:
    return tuple(
        _claim(_id(id, variant, name), scenes.FIELD.along(sweep, metric, trend))
        for name, trend in trends.items()
    )


def _of_lambda(blend: str, method: str) -> tuple[Claim, ...]:
    sweep = swept(method, "lam", scenes.GRID)
    return (
        *_trends("lam-bwt", sweep, special_bwt, RISES, blend),
        *_trends("lam-acc", sweep, acc, scenes.PEAKS, blend),
        _claim(_id("lam-joint", blend), scenes.best_inside(method, scenes.jointly)),
        _claim(_id("lam-joint", blend, "ranks"), scenes.best_inside(method, scenes.by_ranks)),
        _claim(_id("lam-band", blend), scenes.in_band(method, scenes.PRINTED[method])),
    )


def _of_client(grid: str, sweep: Sweep) -> tuple[Claim, ...]:
    return (
        *_trends("specialc-lam.digits", sweep, special_bwt, RISES, grid),
        *_trends("specialc-lam.digits.plasticity", sweep, mean_learnt, FALLS, grid),
        *_trends("specialc-lam.digits.balance", sweep, acc, {"": highest_inside}, grid),
    )


def _of_place(id: str, judge: Pair) -> tuple[Claim, ...]:
    base, _, word = id.partition("/")
    printed = {name: {"lam": scenes.PRINTED[name]} for name in (scenes.OURS, scenes.CLIENT)}
    laws = {
        "": scenes.placed(
            judge,
            {scenes.OURS: scenes.SELECTED[scenes.OURS], scenes.CLIENT: scenes.SELECTED[scenes.CLIENT]},
            scenes.CANDIDATES,
        ),
        "second-task": scenes.placed(
            judge,
            {scenes.READ: scenes.SELECTED[scenes.READ], scenes.CLIENT: scenes.SELECTED[scenes.CLIENT]},
            scenes.CANDIDATES,
        ),
        "printed": scenes.placed(judge, printed),
        "epoch": scenes.placed(
            judge, {scenes.OURS: printed[scenes.OURS], scenes.EPOCH: printed[scenes.CLIENT]}
        ),
    }
    if base != "transfer":  # this sentence is not about SPECIAL-C
        free, listed = (
            dict.fromkeys((scenes.OURS, scenes.CLIENT), scenes.CANDIDATES[name])
            for name in (scenes.CLIENT, scenes.OURS)
        )
        laws |= {
            "smaller": scenes.placed(
                judge,
                {scenes.OURS: scenes.SMALLER[scenes.OURS], scenes.CLIENT: scenes.SELECTED[scenes.CLIENT]},
                free,
            ),
            "listed": scenes.placed(
                judge, {scenes.OURS: scenes.SELECTED[scenes.OURS], scenes.CLIENT: scenes.LISTED}, listed
            ),
        }
    return tuple(
        _claim(_id(f"server-vs-client.digits.{base}", name, word), law) for name, law in laws.items()
    )


def _of_rounds(variant: str, sweep: Sweep) -> tuple[Claim, ...]:
    return (
        *_trends("T", sweep, acc, RISES, variant),
        *_trends("T.bwt", sweep, special_bwt, scenes.VALLEYS, variant),
    )


Contests = Mapping[str, tuple[tuple[str, ...], Metric]]
_ABOVE: Contests = {
    "": (scenes.PAPER, scenes.both),
    "acc": (scenes.PAPER, acc),
    "bwt": (scenes.PAPER, special_bwt),
    "more": (scenes.MORE, scenes.both),
}
_ABOVE_SYSTEMS: Contests = {
    "no-images": (scenes.NO_IMAGES, scenes.both),
    "no-images.acc": (scenes.NO_IMAGES, acc),
    "systems": (scenes.SYSTEMS, scenes.both),
    "systems.acc": (scenes.SYSTEMS, acc),
}


def _of_classes(variant: str, ours: str, contests: Contests = _ABOVE) -> tuple[Claim, ...]:
    return tuple(
        _claim(_id("cil.digits", variant, name), scenes.FIELD.above(ours, others, score), scenes.CLASSES)
        for name, (others, score) in contests.items()
    )


_epochs = scenes.ablation("epochs", scenes.EPOCHS)

CLAIMS = side_by_side(
    _of_classes("", scenes.OURS, _ABOVE_SYSTEMS),  # these runs take longest, so they start first
    (
        *_of_lambda("", scenes.OURS),
        _claim("lam-band/selected", scenes.in_band(scenes.OURS, scenes.SELECTED[scenes.OURS]["lam"])),
        _claim("bwt-relative", scenes.underfitting),
    ),
    (
        _claim("acc-best.digits", scenes.FIELD.above(scenes.OURS, scenes.PAPER, acc)),
        _claim("acc-best.digits/second-task", scenes.FIELD.above(scenes.READ, scenes.PAPER, acc)),
        _claim("acc-best.digits/decay-alone", scenes.OTHERS_UNDECAYED.above(scenes.OURS, scenes.PAPER, acc)),
        _claim(
            "acc-best.digits/decay-alone.fedavg", scenes.OTHERS_UNDECAYED.above(scenes.OURS, ("fedavg",), acc)
        ),
        _claim("acc-best.digits/smaller", scenes.FREE.above(scenes.OURS, scenes.PAPER, acc)),
        _claim("acc-best.digits/smaller.second-task", scenes.FREE.above(scenes.READ, scenes.PAPER, acc)),
        _claim("acc-best.digits.bwt", scenes.competitive(scenes.OURS)),
        _claim("acc-best.digits.bwt/second-task", scenes.competitive(scenes.READ)),
        _claim("fedavg", scenes.FIELD.compared(("fedavg", "flwf-2t", scenes.CLIENT), scenes.looks_strong)),
        _claim(
            "fedavg.drops",
            scenes.FIELD.compared(
                ("fedavg", scenes.OURS),
                lambda found: scenes.forgets_more(found["fedavg"], found[scenes.OURS]),
            ),
        ),
        _claim("perdomain.digits", scenes.nowhere_below(scenes.OURS, "flwf-2t")),
        _claim("perdomain.digits/second-task", scenes.nowhere_below(scenes.READ, "flwf-2t")),
        _claim("cost.rounds.digits", scenes.quickest(scenes.PAPER)),
        _claim("cost.rounds.digits/fedavg", scenes.quickest(("fedavg",))),
        *(claim for id, judge in PAIRS.items() for claim in _of_place(id, judge)),
        _claim("acc-best.digits/more", scenes.FIELD.above(scenes.OURS, scenes.MORE, acc)),
        _claim("bwt-relative/methods", scenes.FIELD.compared((scenes.OURS, *scenes.MORE), scenes.opposed)),
    ),
    _of_lambda("second-task", scenes.READ),
    (*_of_client("", scenes.part_of(scenes.TABLE_13)), *_of_client("small", scenes.part_of(scenes.SMALL))),
    _of_client("epoch", swept(scenes.EPOCH, "lam", scenes.TABLE_13)),
    (*_of_classes("", scenes.OURS), *_of_classes("second-task", scenes.READ)),
    _of_rounds("", scenes.ablation("rounds", scenes.ROUNDS)),
    _of_rounds("printed", across(scenes.OURS, {"lam": scenes.PRINTED[scenes.OURS]}, "rounds", scenes.ROUNDS)),
    _trends("alpha", scenes.ablation("alpha", scenes.ALPHAS), acc, RISES),
    (
        *_trends("E", _epochs, acc, RISES),
        *_trends("E.diminishing", _epochs, acc, scenes.CONCAVE),
        *_trends("E.bwt", _epochs, special_bwt, FALLS),
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="networks_special"))
