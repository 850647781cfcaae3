"""The graph of proofs: edges, the path to the first false step, headlines, and the layout of the picture."""

import itertools
import re

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.cases import judged, made
from verify.engine.checks.kinds import kinds
from verify.engine.run import run
from verify.report.entries import entries
from verify.report.graph import nodes_below, path_to_fault, proof_graph, resting, support
from verify.report.layout import layout
from verify.report.picture import outline, picture
from verify.report.theorems import by_weight, conclusions, fault, theorems


def test_what_a_node_rests_on_at_any_distance_goes_round_circles_and_along_no_reading():
    links = [
        ("a", "b", "used"),
        ("b", "c", "cited"),
        ("c", "a", "used"),
        ("a", "d", "variant"),
        ("e", "a", "used"),
    ]
    graph = nx.DiGraph((start, end, {"kind": kind}) for start, end, kind in links)
    assert nodes_below(graph, "a") == {"b", "c"}
    assert nodes_below(graph, "e") == {"a", "b", "c"}
    assert nodes_below(graph, "d") == set()


@st.composite
def proofs(draw):
    """Artificial entries whose proofs use only later ones, so that there is no cycle."""
    size = draw(st.integers(2, 9))
    names = [f"notes.s{place}" for place in range(size)]
    return [
        made(
            name,
            draw(st.sampled_from(["refuted", "gap", "unrefuted", "proved"])),
            draw(st.lists(st.sampled_from(names[place + 1 :]), unique=True, max_size=3)) if names[place + 1 :] else [],
        )
        for place, name in enumerate(names)
    ]  # fmt: skip


@given(proofs())
def test_the_way_to_a_fault_is_a_shortest_one(found):
    graph = proof_graph(found)
    proved = {entry.id for entry in found if entry.verdict == "proved"}
    for entry in found:
        open_ways = graph.edge_subgraph(
            [(a, b) for a, b in graph.edges if a == entry.id or a not in proved]
        ).copy()
        open_ways.add_node(entry.id)
        far = nx.single_source_shortest_path_length(open_ways, entry.id)
        broken = [
            far[other.id] for other in found if other.damaged and other.id in far and other is not entry
        ]
        path = path_to_fault(graph, entry.id)
        assert (path is None) == (not broken)
        if path:
            assert len(path) == min(broken) + 1
            assert path[0] == entry.id
            assert graph.nodes[path[-1]]["damaged"]
            assert all(graph.has_edge(a, b) for a, b in itertools.pairwise(path))


def test_what_is_proved_needs_no_step_of_its_printed_proof():
    found = [made("n.cor1", uses=["n.thm1"]), made("n.thm1", "proved", ["n.eq1"]), made("n.eq1", "refuted")]
    assert path_to_fault(proof_graph(found), "n.thm1") == ["n.thm1", "n.eq1"]
    assert path_to_fault(proof_graph(found), "n.cor1") is None


def test_among_equally_near_faults_the_first_of_the_proof_counts():
    found = [made("n.thm1", "unrefuted", ["n.b", "n.a"]), made("n.a", "gap"), made("n.b", "refuted")]
    assert path_to_fault(proof_graph(found), "n.thm1") == ["n.thm1", "n.b"]


def test_readings_are_no_steps_but_are_shown_beside():
    found = [made("n.a", "refuted"), made("n.a/corrected", "unrefuted"), made("n.a/worse", "refuted")]
    graph = proof_graph(found)
    assert resting(graph, "n.a") == []
    assert path_to_fault(graph, "n.a") is None
    assert graph.edges["n.a", "n.a/corrected"]["kind"] == "variant"
    assert set(support(graph, ["n.a"])) == {"n.a", "n.a/corrected", "n.a/worse"}


def test_what_the_machine_used_is_an_edge_that_nobody_typed(tmp_path):
    found = tuple(entries(run(["cfl.lemB.1", "cfl.lemB.1.split"], tmp_path, "default", 0)))
    graph = proof_graph(found)
    used = [(a, b) for a, b, kind in graph.edges(data="kind") if kind == "used"]
    typed = {(entry.id, id) for entry in found for id in entry.record["uses"]}
    assert used
    assert set(used) - typed
    for start, _ in used:
        assert any(
            "derived_from" in found.get("details", {}) for found in graph.nodes[start]["entry"].findings
        )


def test_the_lemma_of_the_drift_breaks_at_its_recursion_and_survives():
    found = judged()
    known = {entry.id: entry for entry in found}
    assert "special.lem4.9" in [theorem.id for theorem in theorems(found)]
    broken = fault(known["special.lem4.9"], proof_graph(found), known)
    assert broken is not None
    assert broken.step == "special.eq27"
    assert known["special.lem4.9"].stands
    assert "special.eq27/corrected" in [variant.id for variant in broken.instead]


def test_headlines_are_the_theorems_and_lemmas_only_where_there_are_none():
    found = [
        made("n.lem1"),
        made("n.thm2.b", uses=["n.lem1"]),
        made("n.thm2"),
        made("n.thm2/sharp"),
        made("n.thm21"),
    ]
    assert [theorem.id for theorem in theorems(found)] == ["n.thm2", "n.thm21"]
    first = theorems(found)[0]
    assert [part.id for part in first.parts] == ["n.thm2", "n.thm2.b"]
    named = {entry.id: entry for entry in found}
    assert [variant.id for variant in conclusions(first, proof_graph(found), named)] == ["n.thm2/sharp"]
    assert [theorem.id for theorem in theorems(found[:1])] == ["n.lem1"]
    assert [theorem.id for theorem in theorems([made("n.c1")])] == ["n.c1"]


def test_what_matters_comes_first():
    found = [
        made("n.x", "proved"),
        made("n.far", "refuted"),
        made("n.a", "refuted"),
        made("n.thm1", "unrefuted", ["n.a"]),
    ]
    order = by_weight(found, theorems(found), proof_graph(found))
    assert [entry.id for entry in order] == ["n.thm1", "n.a", "n.far", "n.x"]


def test_nodes_do_not_overlap_and_edges_reach_them():
    graph = support(proof_graph(judged()), ["special.lem4.9"])
    shown = picture(graph, [])
    assert {node.id for node in shown.nodes} == set(graph)
    for a, b in itertools.combinations(shown.nodes, 2):
        assert abs(a.y - b.y) >= 34 or abs(a.x - b.x) >= (a.face.width + b.face.width) / 2
    places = {node.id: node for node in shown.nodes}
    for edge in shown.edges:
        points = [tuple(map(float, pair.split(","))) for pair in re.findall(r"[\d.]+,[\d.]+", edge.curve)]
        for (x, y), end in ((points[0], edge.start), (points[-1], edge.end)):
            node = places[end]
            assert abs(x - node.x) <= node.face.width / 2 + 2
            assert abs(y - node.y) <= 19
            assert 0 <= x <= shown.width
            assert 0 <= y <= shown.height


def test_the_layout_runs_from_left_to_right():
    found = layout({"a": (50, 30), "b": (60, 30), "c": (50, 30)}, [("a", "b"), ("b", "c"), ("a", "c")])
    assert found.centres["a"][0] < found.centres["b"][0] < found.centres["c"][0]
    assert found.curves.keys() == {("a", "b"), ("b", "c"), ("a", "c")}


@pytest.mark.parametrize("shape", sorted({*(kind.outline for kind in kinds().values()), "note"}))
def test_every_shape_fits_its_box(shape):
    numbers = outline(shape, 100, 34)
    assert numbers.startswith("M")
    assert numbers.endswith("Z")
    assert max(abs(float(number)) for number in re.findall(r"-?[\d.]+", numbers)) <= 50


def test_an_edge_is_implied_if_a_longer_way_leads_there():
    found = [made("n.a", uses=["n.b", "n.c"]), made("n.b", uses=["n.c"]), made("n.c", uses=["n.a"])]
    shown = picture(proof_graph(found), [])
    assert [(edge.start, edge.end) for edge in shown.edges if edge.implied] == [("n.a", "n.c")]
