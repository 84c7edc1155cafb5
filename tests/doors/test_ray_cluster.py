"""A tournament on a real Ray cluster of two nodes: the results of this process alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="pip install 'chickenfoot[ray]'")

from ray.cluster_utils import Cluster

from chickenfoot_env.rules import Rules
from experiments import results
from experiments.tournament.runner import run
from experiments.tournament.spec import TournamentError, TournamentSpec

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning")

SMALL = Rules(players=3, max_pip=6, hand_size=5, rounds=(6, 5))
SPEC = TournamentSpec(("greedy", "random", "mcts:iterations=20"), SMALL, 40, 3)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """One node for the head alone, so that every task is played on one of the two others."""
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    for _ in range(2):
        nodes.add_node(num_cpus=1)
    nodes.wait_for_nodes()
    yield nodes
    nodes.shutdown()


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the tournament, played in this process."""
    path = tmp_path_factory.mktemp("here") / "r"
    run(SPEC, path)
    return results.load(path).digest


def test_a_cluster_has_the_same_results(tmp_path: Path, cluster: Any, here: str) -> None:
    run(SPEC, tmp_path / "r", ray=cluster.address)
    assert results.load(tmp_path / "r").digest == here


def test_an_agent_that_cannot_be_made_is_one_line(tmp_path: Path, cluster: Any) -> None:
    spec = TournamentSpec(("nobody", "random"), SMALL, 4, 3)
    with pytest.raises(ValueError, match=r"^no agent called 'nobody'; there are random, "):
        run(spec, tmp_path / "out" / "r", ray=cluster.address)
    assert list(tmp_path.iterdir()) == []


def test_a_lost_node_changes_nothing(tmp_path: Path, cluster: Any, here: str) -> None:
    """It is killed in the middle of the run, with the chunks that it plays."""
    victim = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    killed: list[int] = []

    def kill(done: int, _: int) -> None:
        if done == 5:
            killed.append(done)
            cluster.remove_node(victim, allow_graceful=False)

    run(SPEC, tmp_path / "r", ray=cluster.address, batch_size=3, progress=kill)
    assert killed == [5]
    assert results.load(tmp_path / "r").digest == here


def test_no_cluster_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match=r"^no Ray cluster at '127.0.0.1:1': ") as raised:
        run(SPEC, tmp_path / "out" / "r", ray="127.0.0.1:1")
    assert "\n" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []
