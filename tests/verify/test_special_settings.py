"""Settings of SPECIAL's experiments against each other, counted by hand."""

from fractions import Fraction

from verify.scenes.special.tables import grid_points, images_again, rounds_again, rounds_needed


def test_rounds_that_are_run_are_tasks_times_rounds():
    rows = rounds_needed()
    assert len(rows) == 36
    assert rows["FedAvg on Digit-10"].parameters["run"] == 4 * 20
    assert rows["SPECIAL on DN4IL"].parameters["run"] == 6 * 30
    over = [name for name, row in rows.items() if row.parameters["needed"] > row.parameters["run"]]
    assert over == ["FedAvg on Digit-10"]


def test_places_that_give_a_number_twice():
    differing = [
        n for n, row in rounds_again().items() if row.parameters["entry"] != row.parameters["entry_again"]
    ]
    assert differing == ["PACS"]
    assert images_again()["Digit-10"].parameters["entry_again"] == 380_548 + 78_039


def test_a_chosen_lambda_that_was_not_tried():
    assert {name: row.parameters["off_grid"][()] for name, row in grid_points().items()} == {
        "Digit-10": 0,
        "VLCS": Fraction(1, 20),
        "PACS": 0,
        "DN4IL": 0,
    }
