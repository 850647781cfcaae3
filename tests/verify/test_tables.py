"""Tables of all papers: rows compared with hand calculations, tables with an error, counterexamples that replay."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from pathlib import Path

import pytest

from bounds.cflag.tables import CLASS_INCREMENTAL, TASK_INCREMENTAL
from bounds.special.task_tables import BY_TASK, EXCERPT
from tests.verify.judging import premises_hold, witness_replays
from verify import (
    cfl_metrics,
    cflag_metrics,
    cflag_tables,
    fedmes_metrics,
    fedmes_tables,
    special_metrics,
    special_tables,
)
from verify.engine.checks.table import leading, row, table
from verify.engine.judge import judge
from verify.engine.links import with_final_verdicts
from verify.engine.model.claim import BUDGETS
from verify.engine.records.replay import replay
from verify.engine.topics import GROUPS, claims_of, selected, topics
from verify.engine.verdict import Verdict
from verify.report.wording import sentence
from verify.scenes.cfl.metrics import CURVES
from verify.scenes.cflag import tables as cflag_rows
from verify.scenes.fedmes.tables import possible, with_few_samples
from verify.scenes.special import tables as special_scenes

TABLES = [
    claim
    for topic in (special_tables, cfl_metrics, cflag_tables, fedmes_tables)
    for claim in topic.CLAIMS
    if claim.scene is not None and claim.scene.name != CURVES.name
]
BY_ID = {claim.statement.id: claim for claim in TABLES}
QUICK = BUDGETS["quick"]


# ------------------------------------------------------------------------------------------------------- the group


def test_the_group_holds_every_topic_of_metrics_and_tables():
    named = {topic for topic in topics() if topic.endswith(("_metrics", "_tables"))}
    chosen = selected(["tables"])
    assert len(chosen) == len(set(chosen))
    assert {id.split(".")[0] for id in chosen} == {"special", "cfl", "cflag", "fedmes"}
    assert {claim.statement.id for topic in named for claim in claims_of(topic)} <= set(chosen)
    assert "cfl.tab2" in chosen


def test_every_group_has_a_file_and_a_name_of_its_own():
    assert not GROUPS.keys() & set(topics())
    assert all((Path(special_tables.__file__).parent / f"{name}.py").is_file() for name in GROUPS)


# ------------------------------------------------------------------------------------------------------ every table


@pytest.mark.parametrize("claim", TABLES, ids=lambda claim: claim.statement.id)
def test_details_list_every_row_and_witnesses_replay(claim, monkeypatch):
    monkeypatch.setattr(
        "verify.engine.checks.table.certified", lambda *instance: []
    )  # certificates of numbers have their own tests
    record = judge(claim, "quick", 0)
    details = record["evidence"][0]["details"]["rows"]
    assert len(details) == record["evidence"][0]["trials"]
    failing = [name for name, row in details.items() if not row["holds"]]
    assert bool(failing) == (record["verdict"] in ("inconsistent", "refuted"))
    assert (record["verdict"] == "refuted") <= bool(record["changes"]), "what the source says is inconsistent"
    assert all(0 < share <= 1 for share in record["evidence"][0]["details"].get("power", {}).values())
    assert " at random " in sentence(record["reason"]) or record["verdict"] == "not judged"
    if failing:
        assert all(name in sentence(record["reason"]) for name in failing)
        witness_replays(record)


def test_rows_of_leaders_leave_out_other_experiments():
    scores = {("a", "x"): Fraction(3), ("a", "y"): Fraction(2), ("b", "y"): Fraction(9)}
    (name,) = found = leading(scores, [("a", "x")])
    assert name == "a: x against y"
    assert [found[name].parameters[column][()] for column in ("ahead", "behind")] == [3, 2]
    assert not leading(scores, [("b", "y")])


# --------------------------------------------------------------------------------------------------------- SPECIAL


def test_rows_hold_the_printed_numbers():
    (digits,) = (of for of in BY_TASK if of.number == 9)
    special = special_scenes.means(digits)["SPECIAL"]
    assert list(special.parameters["final"]) == [Fraction(n, 10_000) for n in (8618, 2457, 4797, 8977)]
    assert special.parameters["acc_printed"] == Fraction("0.6212")
    assert special_scenes.against_main(digits)["SPECIAL"].parameters["acc_main"] == Fraction("0.6212")
    assert special_scenes.worst_drops()["MFCL on VLCS"].parameters["bwt_printed"] == Fraction("-11.03")


def test_sides_of_a_row_are_the_recomputed_ones():
    row = judge(BY_ID["special.table2"], "quick", 0)["evidence"][0]["details"]["rows"]["SPECIAL"]
    # (0.7056 + 0.5385 + 0.4813 + 0.4715) / 4 = 0.549225, printed 0.5492
    assert row["lhs"][0] == pytest.approx(0.000025)
    assert row["rhs"][0] == pytest.approx(0.0001)


def test_a_wrong_entry_is_found_and_a_right_one_is_not():
    claim = BY_ID["special.table2"]
    assert table(special_scenes.means(EXCERPT))(claim, QUICK, 0).verdict is Verdict.PROVED
    wrong = dataclasses.replace(
        EXCERPT, acc={**EXCERPT.acc, "SPECIAL": EXCERPT.acc["SPECIAL"] + Fraction(2, 10_000)}
    )
    finding = table(special_scenes.means(wrong))(claim, QUICK, 0)
    assert finding.verdict is Verdict.INCONSISTENT
    assert [name for name, row in finding.details["rows"].items() if not row["holds"]] == ["SPECIAL"]


def test_times_are_counted():
    found = {name: row.parameters["faster"][()] for name, row in special_scenes.faster(()).items()}
    # FedAvg is faster than SPECIAL everywhere; on VLCS FedProx, FLwF-2T and SPECIAL-C are too
    assert found == {"Digit-10": 1, "VLCS": 4, "PACS": 1, "DN4IL": 1}


# ---------------------------------------------------------------------------------------------------------- C-FLAG


def changed(results, setting, key, metric, value):
    """Results with another value of one number."""
    table = results[setting]
    number = dataclasses.replace(getattr(table[key], metric), value=Fraction(value))
    result = dataclasses.replace(table[key], **{metric: number})
    return {**results, setting: {**table, key: result}}


def failing(word, rows):
    finding = table(rows)(BY_ID[f"cflag.{word}"], QUICK, 0)
    return [name for name, row in finding.details["rows"].items() if not row["holds"]]


def test_bold_is_checked_in_both_directions():
    assert failing("tab7.bold", cflag_rows.bold(CLASS_INCREMENTAL)) == []
    key = "Split-CIFAR10", "iCARL-FL"
    less = changed(CLASS_INCREMENTAL, "IID", key, "acc", "43.00")
    assert failing("tab7.bold", cflag_rows.bold(less)) == [
        "Acc on Split-CIFAR10, IID: iCARL-FL against LwF-FL"
    ]
    more = changed(CLASS_INCREMENTAL, "IID", ("Split-CIFAR10", "TARGET"), "forget", "7.65")
    assert failing("tab7.bold", cflag_rows.bold(more)) == [
        "Forget on Split-CIFAR10, IID: C-FLAG against TARGET"
    ]


@pytest.mark.parametrize(("forget", "fails"), [("13.40", False), ("13.42", True)])
def test_a_row_is_possible_up_to_its_room(forget, fails):
    # 5/4 of (100 - 89.28) is 13.40, and 13.41125 at the ends of the rounding intervals
    key = "Split-CIFAR10", "C-FLAG"
    rows = cflag_rows.possible(changed(TASK_INCREMENTAL, "IID", key, "forget", forget))
    assert failing("tab6.possible", rows) == ["C-FLAG on Split-CIFAR10, IID"] * fails


def test_number_of_beaten_baselines():
    found = {name: int(row.parameters["beaten"][()]) for name, row in cflag_rows.beaten().items()}
    assert found == {
        "Split-CIFAR10, non-IID": 3,
        "Split-CIFAR100, non-IID": 0,
        "Split-CIFAR10, IID": 5,
        "Split-CIFAR100, IID": 4,
    }


# ---------------------------------------------------------------------------------------------------------- FedMeS


@pytest.mark.parametrize(
    ("top", "bottom", "fails"),
    # With digits of 0.001: the least ratio of 0.530 to 0.475 is 0.5295/0.4755 = 1.1136, above 1.105
    [
        ("0.530", "0.475", True),
        ("0.110", "0.100", False),
        ("0.935", "0.891", False),
        ("0.930", "0.891", True),
    ],
)
def test_ratios_leave_room_for_rounding(top, bottom, fails):
    rows = {"row": row({}, {"top": top, "bottom": bottom, "digit": "0.001"})}
    assert table(rows)(BY_ID["fedmes.tab1.lip"], QUICK, 0).verdict is (
        Verdict.INCONSISTENT if fails else Verdict.PROVED
    )


def test_what_few_samples_reach_is_rounded_before_it_is_compared():
    judged = BY_ID["fedmes.fig9.least"]
    with_few = lambda ahead: {"FedWEIT": row({}, {"ahead": ahead, "behind": "0.421", "digit": "0.001"})}  # noqa: E731
    assert len(with_few_samples()) == 5
    assert table(with_few("0.48"))(judged, QUICK, 0).verdict is Verdict.PROVED
    assert table(with_few("0.426"))(judged, QUICK, 0).verdict is Verdict.INCONSISTENT


def test_an_impossible_row_has_no_matrix_of_accuracies():
    """Ditto on EMNIST: no final accuracies and best earlier ones give both printed numbers."""
    row = possible()["Ditto on EMNIST, 10 clients"].parameters
    least_acc = row["printed_acc"][()] - row["acc_digit"][()] / 2
    # The largest possible forgetting: every task was learnt perfectly, and the remaining accuracy is on the last task
    left = [Fraction(1)] + [(10 * least_acc - 1) / 9] * 9
    assert sum(left) / 10 == least_acc
    assert sum(1 - x for x in left[1:]) / 9 < row["printed_forget"][()] - row["forget_digit"][()] / 2


# --------------------------------------------------------------------------------------------- metrics as statements


@pytest.mark.parametrize(
    "claim",
    [c for topic in (special_metrics, cflag_metrics, fedmes_metrics) for c in topic.CLAIMS if c.premises],
    ids=lambda claim: claim.statement.id,
)
def test_premises_hold_in_the_scene(claim):
    premises_hold(claim)


@pytest.mark.parametrize("topic", [special_metrics, cflag_metrics, fedmes_metrics])
def test_bounds_between_metrics_are_proved(topic):
    records = [judge(claim, "quick", 0, topic.CLAIMS) for claim in topic.CLAIMS]
    records = with_final_verdicts(records)
    for claim, record in zip(topic.CLAIMS, records, strict=True):
        if claim.premises:
            assert record["verdict"] == "proved"
        if record["witness"] and record["verdict"] != "proved":
            assert replay(json.loads(json.dumps(record["witness"])))[1]
