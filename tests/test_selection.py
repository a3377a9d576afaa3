"""Which part of a graph is shown."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
from conftest import mention
from pyoxigraph import NamedNode, QueryTriples, Store

from kg.errors import QueryError
from kg.lookup import find_entity, find_paper
from kg.network import part_of, to_networkx
from kg.query import run
from kg.records import EntityType, Extraction, Paper, Relation, RelationType
from kg.selection import Selection, around, most_connected, of_triples

AsStore = Callable[..., Store]


@pytest.fixture
def star(as_store: AsStore) -> Store:
    """One task with four methods, one of which is part of another one; and a pair apart from them."""
    return as_store(
        *(says(method, RelationType.USED_FOR, "vision") for method in ("Anet", "Bnet", "Cnet", "Dnet")),
        says("Fnet", RelationType.PART_OF, "Anet"),
        says("Gnet", RelationType.COMPARED_WITH, "Hnet"),
    )


def says(head: str, relation: RelationType, tail: str) -> Extraction:
    text = f"{head} and {tail}."
    kind = EntityType.TASK if relation is RelationType.USED_FOR else EntityType.METHOD
    ends = (mention(text, head), mention(text, tail, kind))
    said = Relation(ends[0], relation, ends[1], 0, len(text))
    return Extraction(Paper(text, title=f"On {head}"), mentions=ends, relations=(said,))


def labels(selection: Selection) -> set[str]:
    return {facts["label"] for _, facts in selection.graph.nodes(data=True) if facts["type"] != "Paper"}


def test_a_small_graph_is_shown_whole(star: Store) -> None:
    selection = most_connected(star, top=8)
    assert selection.complete
    assert len(selection.graph) == 8 + 2
    assert (selection.entities, selection.papers, selection.matching) == (8, 6, 8)


def test_of_a_large_graph_the_most_connected_are_shown_and_none_alone(star: Store) -> None:
    selection = most_connected(star, top=3)
    assert labels(selection) == {"vision", "Anet", "Bnet"}
    assert not selection.complete
    assert sum(1 for _, kind in selection.graph.nodes(data="type") if kind == "Paper") == 1


def test_around_an_entity_is_what_relations_lead_to(star: Store) -> None:
    vision = find_entity(star, "vision")
    assert labels(around(star, vision)) == {"vision", "Anet", "Bnet", "Cnet", "Dnet"}
    assert labels(around(star, vision, depth=2)) == {"vision", "Anet", "Bnet", "Cnet", "Dnet", "Fnet"}


def test_around_an_entity_the_nearest_are_kept(star: Store) -> None:
    selection = around(star, find_entity(star, "Fnet"), depth=3, top=3)
    assert labels(selection) == {"Fnet", "Anet", "vision"}
    assert selection.matching == 6
    assert selection.what == "around “Fnet”, to depth 3"


def test_around_a_paper_is_what_it_names(star: Store) -> None:
    paper = find_paper(star, "On Gnet")
    selection = around(star, paper)
    assert labels(selection) == {"Gnet", "Hnet"}
    assert paper.value in selection.graph


def test_around_what_is_not_there_is_an_error(star: Store) -> None:
    with pytest.raises(QueryError, match="no entity or paper"):
        around(star, NamedNode("https://example.org/none"))


def test_a_query_chooses_the_entities_in_its_answer(star: Store) -> None:
    answer = run(star, "CONSTRUCT { ?a kg:comparedWith ?b } WHERE { ?a kg:comparedWith ?b }")
    assert isinstance(answer, QueryTriples)
    assert labels(of_triples(star, answer)) == {"Gnet", "Hnet"}


def test_a_query_that_names_nothing_of_the_graph_is_an_error(star: Store) -> None:
    with pytest.raises(QueryError, match="no entity and no paper"):
        of_triples(star, [])


def test_a_selection_has_an_order_of_its_own(star: Store) -> None:
    selection = most_connected(star, top=3)
    assert [*selection.graph] == sorted(selection.graph)
    assert nx.utils.graphs_equal(selection.graph, most_connected(star, top=3).graph)


def test_an_empty_graph_has_nothing_to_show() -> None:
    assert len(most_connected(Store()).graph) == 0


def test_a_part_read_by_itself_is_that_part_of_the_whole(seed_store: Store) -> None:
    whole = to_networkx(seed_store)
    some = sorted(whole)[::3]
    part = part_of(seed_store, [*some, "https://example.org/none"])
    assert [*part] == some
    assert {*part.nodes(data="papers")} == {*whole.subgraph(some).nodes(data="papers")}
    assert nx.utils.graphs_equal(part, nx.MultiDiGraph(whole.subgraph(some)))


def test_a_larger_graph_is_ranked_as_if_all_of_it_were_read(seed_store: Store) -> None:
    whole = to_networkx(seed_store, papers=False)
    joined = nx.Graph(whole)
    tried: set[str] = set()
    wanted: dict[str, None] = {}
    for node in sorted(whole, key=lambda node: (-len(joined[node]), -whole.nodes[node]["papers"], node)):
        tried.add(node)
        if partners := tried & {*joined[node]}:
            wanted |= dict.fromkeys([node, *sorted(partners)])
    for top in (10, 30, 90):
        chosen = {
            node for node, kind in most_connected(seed_store, top=top).graph.nodes(data="type") if kind != "Paper"
        }
        assert chosen == {*[*wanted][:top]}
