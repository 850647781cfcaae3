"""`python -m verify sizes`: the number of statements proved at some sizes only, and the reasons."""

from verify.commands.main import main
from verify.engine.proof.limits import limiting, table
from verify.engine.verdict import because


def record(id, sizes, proof, facts=(), cites=(), verdict="proved"):
    return {
        "id": id,
        "verdict": verdict,
        "sizes": sizes,
        "proof": proof,
        "statement": {"relation": f"relation of {id}"},
        "evidence": [{"details": {"facts": dict(facts)}}],
        "cites": dict(cites),
    }


AT = [{"N": 1}, {"N": 2}]
OWN = record("a.own", AT, {"certificates": [], "sizes": AT})
DERIVED = record(
    "a.derived",
    AT,
    {"certificate": {}, "sizes": AT},
    {"x <= y": because("at-sizes", sizes=AT), "y <= z": because("fact-by-induction", sizes=None)},
    {"u = v": {"own_sizes": [{"d": 1}]}, "v = w": {"own": []}},
)
EVERYWHERE = record("b.all", None, {"certificate": {}, "sizes": None})
SEARCHED = record("b.searched", None, None, verdict="unrefuted")


def test_limits_are_facts_and_identities_at_sizes():
    assert limiting(OWN) == {"relation of a.own": "N <= 2"}
    assert limiting(DERIVED) == {"x <= y": "N <= 2", "u = v": "d = 1"}
    assert limiting(EVERYWHERE) == {}
    assert limiting(SEARCHED) == {}


def test_the_table_counts_statements_and_limits():
    lines = table([OWN, DERIVED, EVERYWHERE, SEARCHED])
    assert lines[:2] == ["3 proved, 2 of them at sizes only", "  a: 2"]
    assert {line.split()[-1] for line in lines[2:]} == {"a.own", "y", "v"}


def test_the_command_reads_stored_answers(capsys):
    assert main(["sizes", "special_drift"]) == 0
    assert "of them at sizes only" in capsys.readouterr().out
