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
from verify.scenes.networks.second_task import PAIRS, Pair
from verify.scenes.networks.special import (
    ALPHAS,
    CANDIDATES,
    CLASSES,
    CLIENT,
    CONCAVE,
    DOMAINS,
    EPOCH,
    EPOCHS,
    FIELD,
    FREE,
    GRID,
    LISTED,
    MORE,
    NO_IMAGES,
    OTHERS_UNDECAYED,
    OURS,
    PAPER,
    PEAKS,
    PRINTED,
    READ,
    ROUNDS,
    SELECTED,
    SMALL,
    SMALLER,
    SYSTEMS,
    TABLE_13,
    VALLEYS,
    ablation,
    best_inside,
    both,
    by_ranks,
    competitive,
    forgets_more,
    in_band,
    jointly,
    looks_strong,
    nowhere_below,
    opposed,
    part_of,
    placed,
    quickest,
    underfitting,
)


def _claim(id: str, law: Law, base: Setting = DOMAINS) -> Claim:
    return claim_of_law(f"special.emp.{id}", law, base)


def _id(id: str, *variants: str) -> str:
    return joined_names(id, joined_names(*variants), by="/")


def _trends(
    id: str, sweep: Sweep, metric: Metric, trends: Mapping[str, Trend], variant: str = ""
) -> tuple[Claim, ...]:
    return tuple(
        _claim(_id(id, variant, name), FIELD.along(sweep, metric, trend)) for name, trend in trends.items()
    )


def _of_lambda(blend: str, method: str) -> tuple[Claim, ...]:
    sweep = swept(method, "lam", GRID)
    return (
        *_trends("lam-bwt", sweep, special_bwt, RISES, blend),
        *_trends("lam-acc", sweep, acc, PEAKS, blend),
        _claim(_id("lam-joint", blend), best_inside(method, jointly)),
        _claim(_id("lam-joint", blend, "ranks"), best_inside(method, by_ranks)),
        _claim(_id("lam-band", blend), in_band(method, PRINTED[method])),
    )


def _of_client(grid: str, sweep: Sweep) -> tuple[Claim, ...]:
    return (
        *_trends("specialc-lam.digits", sweep, special_bwt, RISES, grid),
        *_trends("specialc-lam.digits.plasticity", sweep, mean_learnt, FALLS, grid),
        *_trends("specialc-lam.digits.balance", sweep, acc, {"": highest_inside}, grid),
    )


def _of_place(id: str, judge: Pair) -> tuple[Claim, ...]:
    base, _, word = id.partition("/")
    printed = {name: {"lam": PRINTED[name]} for name in (OURS, CLIENT)}
    laws = {
        "": placed(judge, {OURS: SELECTED[OURS], CLIENT: SELECTED[CLIENT]}, CANDIDATES),
        "second-task": placed(judge, {READ: SELECTED[READ], CLIENT: SELECTED[CLIENT]}, CANDIDATES),
        "printed": placed(judge, printed),
        "epoch": placed(judge, {OURS: printed[OURS], EPOCH: printed[CLIENT]}),
    }
    if base != "transfer":  # this sentence is not about SPECIAL-C
        free, listed = (dict.fromkeys((OURS, CLIENT), CANDIDATES[name]) for name in (CLIENT, OURS))
        laws |= {
            "smaller": placed(judge, {OURS: SMALLER[OURS], CLIENT: SELECTED[CLIENT]}, free),
            "listed": placed(judge, {OURS: SELECTED[OURS], CLIENT: LISTED}, listed),
        }
    return tuple(
        _claim(_id(f"server-vs-client.digits.{base}", name, word), law) for name, law in laws.items()
    )


def _of_rounds(variant: str, sweep: Sweep) -> tuple[Claim, ...]:
    return (
        *_trends("T", sweep, acc, RISES, variant),
        *_trends("T.bwt", sweep, special_bwt, VALLEYS, variant),
    )


Contests = Mapping[str, tuple[tuple[str, ...], Metric]]
_ABOVE: Contests = {"": (PAPER, both), "acc": (PAPER, acc), "bwt": (PAPER, special_bwt), "more": (MORE, both)}
_ABOVE_SYSTEMS: Contests = {
    "no-images": (NO_IMAGES, both),
    "no-images.acc": (NO_IMAGES, acc),
    "systems": (SYSTEMS, both),
    "systems.acc": (SYSTEMS, acc),
}


def _of_classes(variant: str, ours: str, contests: Contests = _ABOVE) -> tuple[Claim, ...]:
    return tuple(
        _claim(_id("cil.digits", variant, name), FIELD.above(ours, others, score), CLASSES)
        for name, (others, score) in contests.items()
    )


_epochs = ablation("epochs", EPOCHS)

CLAIMS = side_by_side(
    _of_classes("", OURS, _ABOVE_SYSTEMS),  # these runs take longest, so they start first
    (
        *_of_lambda("", OURS),
        _claim("lam-band/selected", in_band(OURS, SELECTED[OURS]["lam"])),
        _claim("bwt-relative", underfitting),
    ),
    (
        _claim("acc-best.digits", FIELD.above(OURS, PAPER, acc)),
        _claim("acc-best.digits/second-task", FIELD.above(READ, PAPER, acc)),
        _claim("acc-best.digits/decay-alone", OTHERS_UNDECAYED.above(OURS, PAPER, acc)),
        _claim("acc-best.digits/decay-alone.fedavg", OTHERS_UNDECAYED.above(OURS, ("fedavg",), acc)),
        _claim("acc-best.digits/smaller", FREE.above(OURS, PAPER, acc)),
        _claim("acc-best.digits/smaller.second-task", FREE.above(READ, PAPER, acc)),
        _claim("acc-best.digits.bwt", competitive(OURS)),
        _claim("acc-best.digits.bwt/second-task", competitive(READ)),
        _claim("fedavg", FIELD.compared(("fedavg", "flwf-2t", CLIENT), looks_strong)),
        _claim(
            "fedavg.drops",
            FIELD.compared(("fedavg", OURS), lambda found: forgets_more(found["fedavg"], found[OURS])),
        ),
        _claim("perdomain.digits", nowhere_below(OURS, "flwf-2t")),
        _claim("perdomain.digits/second-task", nowhere_below(READ, "flwf-2t")),
        _claim("cost.rounds.digits", quickest(PAPER)),
        _claim("cost.rounds.digits/fedavg", quickest(("fedavg",))),
        *(claim for id, judge in PAIRS.items() for claim in _of_place(id, judge)),
        _claim("acc-best.digits/more", FIELD.above(OURS, MORE, acc)),
        _claim("bwt-relative/methods", FIELD.compared((OURS, *MORE), opposed)),
    ),
    _of_lambda("second-task", READ),
    (*_of_client("", part_of(TABLE_13)), *_of_client("small", part_of(SMALL))),
    _of_client("epoch", swept(EPOCH, "lam", TABLE_13)),
    (*_of_classes("", OURS), *_of_classes("second-task", READ)),
    _of_rounds("", ablation("rounds", ROUNDS)),
    _of_rounds("printed", across(OURS, {"lam": PRINTED[OURS]}, "rounds", ROUNDS)),
    _trends("alpha", ablation("alpha", ALPHAS), acc, RISES),
    (
        *_trends("E", _epochs, acc, RISES),
        *_trends("E.diminishing", _epochs, acc, CONCAVE),
        *_trends("E.bwt", _epochs, special_bwt, FALLS),
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="networks_special"))
