"""The command line as a user meets it."""

import json
from importlib import import_module
from pathlib import Path

import pytest

from bounds.papers import papers
from verify.commands.main import COMMANDS, main
from verify.engine.records.files import path_of, write_json
from verify.engine.search.mutants import mutants
from verify.engine.topics import claims, claims_of, index, topics

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "my_theorem.py"


@pytest.fixture
def run(tmp_path, capsys):
    def command(*arguments):
        try:
            status = main([*map(str, arguments)])
        except SystemExit as stop:
            status = stop.code
        out, err = capsys.readouterr()
        return status, out, err

    return command


def options(tmp_path):
    return "--jobs", 1, "--budget", "quick", "--out", tmp_path / "records"


def test_judging_prints_a_table_and_saves_records(run, tmp_path):
    status, out, err = run("special.lemC.8", *options(tmp_path), "--json", tmp_path / "all.json")
    assert status == 0
    assert "special.lemC.8" in out
    assert "[1/1]" in err
    records = json.loads((tmp_path / "all.json").read_text())
    assert records[0]["verdict"] == "proved"
    assert path_of(tmp_path / "records", "special.lemC.8").exists()


def test_an_interrupted_run_resumes(run, tmp_path):
    run("special.lemC.8", *options(tmp_path))
    _, _, err = run("special.lemC.8", "special.lemC.2", *options(tmp_path))
    assert "1 of 2 statements were judged before" in err
    _, _, err = run("special.lemC.8", *options(tmp_path), "--seed", 1)
    assert "judged before" not in err


def test_a_record_does_not_depend_on_what_else_was_judged(run, tmp_path):
    file = path_of(tmp_path / "records", "cfl.lemB.1")

    def alone():
        run("cfl.lemB.1", *options(tmp_path), "--json", tmp_path / "alone.json")
        return json.loads((tmp_path / "alone.json").read_text()), file.read_text()

    before = alone()
    run("cfl.lemB.1", "cfl.lemB.1.split", *options(tmp_path), "--json", tmp_path / "both.json")
    both = json.loads((tmp_path / "both.json").read_text())
    assert [record["verdict"] for record in both] == ["proved", "proved"]
    assert alone() == before
    assert before[0][0]["verdict"] == "proved"
    assert json.loads(before[1])["verdict"] == "unrefuted"  # found without the statements it cites


def test_every_command_has_a_help_of_its_own(run):
    whole = " ".join(run("-h")[1].split())
    for command, summary in COMMANDS.items():
        assert f"{command} {summary}" in whole
        status, out, _ = run(command, "-h")
        assert status == 0
        assert f"python -m verify {command}" in out


def test_every_command_is_a_file():
    folder = Path(import_module("verify.commands").__file__).parent
    named = {file.stem for file in folder.glob("*.py") if "def add_options(" in file.read_text()}
    assert named == COMMANDS.keys()


def test_a_record_that_somebody_changed_is_made_anew(run, tmp_path):
    run("special.lemC.8", "special.lemC.2", *options(tmp_path))
    file, other = (path_of(tmp_path / "records", f"special.lemC.{n}") for n in (8, 2))
    whole = file.read_text()
    for changed in (whole.replace("proved", "refuted"), whole[:-20], other.read_text(), "[]", ""):
        file.write_text(changed)
        _, _, err = run("special.lemC.8", *options(tmp_path))
        assert "judged before" not in err
        assert json.loads(file.read_text())["verdict"] == "proved"


def test_strict_turns_damage_into_a_status(run, tmp_path):
    assert run("special.l4", *options(tmp_path), "--strict")[0] == 1
    assert run("special.lemC.8", *options(tmp_path), "--strict")[0] == 0


def test_a_saved_witness_replays_from_its_file(run, tmp_path):
    run("special.lemC.4", *options(tmp_path))
    file = path_of(tmp_path / "records", "special.lemC.4")
    status, out, _ = run("replay", file)
    assert status == 0
    assert "the file says the same" in out
    record = json.loads(file.read_text())
    record["witness"]["lhs"] = [0.0, 0.0]
    write_json(file, record)
    status, out, _ = run("replay", file)
    assert status == 1
    assert "OTHERWISE" in out


def test_a_users_own_theorem_is_judged(run, tmp_path):
    status, out, _ = run("check", EXAMPLE, *options(tmp_path))
    assert status == 0
    assert "notes.thm1" in out
    file = path_of(tmp_path / "records", "notes.thm1/long")
    assert run("replay", file, "--theorem", EXAMPLE)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("special.thm9.99",), "no statement or topic matches 'special.thm9.99'"),
        (("replay", "nowhere.json"), "cannot read nowhere.json"),
        (("check", "nowhere.py"), "there is no file nowhere.py"),
        (("--seed", "-1"), "`seed` must be a whole number >= 0, got '-1'"),
        (("--jobs", "none"), "`jobs` must be a whole number >= 1"),
        (("--budget", "huge"), "invalid choice"),
        (("mutants", "special.eq99*"), "no statement or topic matches"),
    ],
)
def test_wrong_usage_ends_in_one_sentence_and_status_2(run, arguments, sentence):
    status, out, err = run(*arguments)
    assert status == 2
    assert sentence in err
    assert "Traceback" not in err
    assert not out


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "{}", '{"statement": "special.eq0"}', '{"statement": "special.lemC.4", "scene": "other"}'],
)
def test_a_broken_witness_file_ends_in_one_sentence(run, tmp_path, text):
    file = tmp_path / "witness.json"
    file.write_text(text)
    status, _, err = run("replay", file)
    assert status == 2
    assert err.startswith("verify: ")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("part", "name", "value", "sentence"),
    [
        ("shape", "N", 3, "must meet N <= M"),
        ("shape", "M", "two", "cannot be read"),
        ("parameters", "lam", "-1/2", "`lam` of the instance must lie in"),
        ("parameters", "lam", "nan", "cannot be read"),
        ("parameters", "sent", ["1"], "`sent` of the instance must have shape"),
        ("steps", "gamma_G", "-1", "step size `gamma_G` of the instance must be > 0"),
    ],
)
def test_bad_numbers_in_a_witness_end_in_one_sentence(run, tmp_path, part, name, value, sentence):
    run("special.eq27", *options(tmp_path))
    record = json.loads(path_of(tmp_path / "records", "special.eq27").read_text())
    record["witness"][part][name] = value
    write_json(tmp_path / "bad.json", record)
    status, _, err = run("replay", tmp_path / "bad.json")
    assert status == 2
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_an_error_in_a_users_file_ends_in_one_sentence(run, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("from nqm.noise import Rademacher\nRademacher(-1.0)\nCLAIMS = ()\n")
    status, _, err = run("check", file)
    assert status == 2
    assert "`sigma`" in err
    assert "Traceback" not in err


def test_what_takes_long_is_shown(run, tmp_path):
    status, _, err = run("special.lemC.8", "special.lemC.2", *options(tmp_path), "--profile")
    assert status == 0
    head, topic, _, *slowest = err.splitlines()[-5:]
    assert "s of work, by topic:" in head
    assert topic.endswith("100.0%  special_lemmas")
    seconds = [float(line.split()[0]) for line in slowest]
    assert seconds == sorted(seconds, reverse=True)
    assert {line.split()[-1] for line in slowest} == {"special.lemC.8", "special.lemC.2"}


def test_the_help_says_which_input_is_code(run):
    for command in COMMANDS:
        told = " ".join(run(command, "-h")[1].split())
        assert ("executed" in told) == (command in ("check", "replay", "report")), command
    assert "Only your own theorem files in Python are ever executed" in " ".join(run("-h")[1].split())


def test_names_in_files_lead_nowhere(run, tmp_path):
    """With any name in a record or a witness, only the requested files are written, and no other file is read."""
    run("special.eq27", *options(tmp_path))
    record = json.loads(path_of(tmp_path / "records", "special.eq27").read_text())
    for name in ("../../escaped", "/escaped", "a/../../escaped", "..", "C:\\escaped"):
        place = tmp_path / "other"
        write_json(place / "one.json", {**record, "id": name, "uses": [name]})
        before = sorted(tmp_path.rglob("*"))
        run("report", "--records", place, "--format", "markdown", "--out", tmp_path / "r.md")
        run("explain", name, "--records", place)
        assert {*tmp_path.rglob("*")} - {*before} <= {tmp_path / "r.md"}
    assert not [file for file in (tmp_path.parent, tmp_path, Path("/")) if (file / "escaped").exists()]


def test_listing_judges_nothing(run):
    status, out, _ = run("special_drift", "--list")
    assert status == 0
    assert "special.lem4.9" in out


def test_a_paper_can_be_listed_without_its_experiments(run):
    _, whole, _ = run("paper", "gem", "--list")
    assert run("paper", "gem", "--no-networks", "--list")[1] == whole
    _, out, _ = run("paper", "special", "--no-networks", "--list")
    assert "special.lem4.9" in out
    assert "networks_special" not in {index()[line.split()[0]].topic for line in out.splitlines()}


def test_every_topic_file_is_listed():
    files = {p.stem for p in (Path(__file__).resolve().parents[2] / "verify").glob("*.py")}
    first = tuple(f"{name}_" for name in (*papers(), "networks"))
    assert set(topics()) == {name for name in files if name.startswith(first)}


def test_every_claim_can_be_stated_without_judging():
    for topic in topics():
        for claim in claims_of(topic):
            assert claim.checks
            assert claim.statement.latex()
            assert claim.statement.text()
    assert len(claims()) == sum(len(claims_of(topic)) for topic in topics())


def test_mutants_differ_from_the_original_and_from_each_other():
    statement = claims()["special.lemC.8"].statement
    relations = [mutant.statement.relation for mutant in mutants(statement)]
    assert len(relations) >= 5
    assert len({str(r) for r in relations} | {str(statement.relation)}) == len(relations) + 1


def test_the_version_is_printed(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("fcl-theory 0.")
