"""`chickenfoot replay` in a terminal: the board as text, the keys, and the printed game."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import recorded
from rich.console import Console
from terminal import Terminal, needs_terminal, run

from chickenfoot_env import Rules
from chickenfoot_env.render.layout import lay_out
from experiments import game_file, keys
from experiments.replay import board, story
from experiments.replay.story import Story
from experiments.replay.terminal import Viewer

FOOT = """\
9-9
├─ 9-4 4-4
│  ├─ 4-1
│  ├─ 4-2 [2-7]
│  └─ (4)
├─ 9-2
├─ 9-0
└─ 9-7"""


def test_the_table_is_a_tree_of_arms() -> None:
    plays = [(9, 9), (9, 4), (9, 2), (9, 0), (9, 7), (4, 4), (4, 1), (4, 2)]
    lines = board.table(lay_out(plays))
    assert "\n".join(line.plain for line in lines) == FOOT.replace("4-2 [2-7]", "[4-2]")
    straight = lay_out([*plays, (4, 3), (2, 7)])
    text = "\n".join(line.plain for line in board.table(straight))
    assert "├─ 4-2 [2-7]" in text or "├─ 9-2 [2-7]" in text
    assert "4-3" in text and "(4)" not in text


def test_no_tile_is_in_brackets_where_none_was_laid() -> None:
    lines = board.table(lay_out([(9, 9), (9, 4)]), laid=False)
    assert "[" not in "".join(line.plain for line in lines)


@pytest.mark.parametrize("players", [2, 4, 9])
@pytest.mark.parametrize("width", [60, 80])
def test_every_board_keeps_to_its_columns(players: int, width: int) -> None:
    """And shows each tile on the table and in the hands once."""
    rules = Rules(players=players, max_pip=12, hand_size=5, rounds=(12,))
    names = [f"agent of {'long ' * seat}name {seat}" for seat in range(players)]
    told = Story.of(recorded.game(rules, ["random"] * players))
    viewer = Viewer(told, names)
    for viewer.at in range(0, len(told.steps), 7):
        text = viewer.screen(width).plain
        assert max(map(len, text.splitlines())) <= width
        shown = story.picture(told.steps[viewer.at], names)
        tiles = sorted(
            f"{min(t.attach, t.free)}-{max(t.attach, t.free)}" for t in shown.layout.tiles
        )
        held = sum(hand.count for hand in shown.hands)
        found = re.findall(r"(?<![\w-])(\d+)-(\d+)(?![\w-])", text.partition("\n\n")[2])
        assert len(found) == len(tiles) + held


def test_evidence_is_left_out_where_the_board_would_be_too_high() -> None:
    viewer = Viewer(Story.of(recorded.game()), recorded.NAMES)
    viewer.at = viewer.last - 1
    text = viewer.screen().plain
    height = len(text.splitlines())
    assert "at most" in text and viewer.screen(height=height).plain == text
    lower = viewer.screen(height=height - 1).plain
    assert len(lower.splitlines()) < height and "at most" not in lower


def test_colours_only_add_to_the_text() -> None:
    viewer = Viewer(Story.of(recorded.game()), recorded.NAMES)
    viewer.at = 12
    texts = []
    for colours in (True, False):
        console = Console(width=80, force_terminal=colours, no_color=not colours, highlight=False)
        with console.capture() as capture:
            console.print(viewer.screen(), soft_wrap=True)
        texts.append(capture.get())
    coloured, plain = texts
    assert "\x1b[" in coloured and "\x1b[" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_keys_lead_through_the_game() -> None:
    viewer = Viewer(Story.of(recorded.game()), recorded.NAMES)
    second = next(i for i, step in enumerate(Story.of(recorded.game()).steps) if step.round == 1)
    for key, at in (
        (keys.RIGHT, 1),
        (keys.RIGHT, 2),
        (keys.LEFT, 1),
        (keys.LEFT, 0),
        (keys.LEFT, 0),
        (keys.DOWN, second),
        (keys.RIGHT, second + 1),
        (keys.UP, second),
        (keys.UP, 0),
        (keys.END, viewer.last),
        (keys.RIGHT, viewer.last),
        (keys.DOWN, viewer.last),
        (keys.HOME, 0),
        ("x", 0),
    ):
        viewer.move(key)
        assert viewer.at == at, key
    viewer.move("\r", "7")
    assert viewer.at == 7
    viewer.move("\n", "99999")
    assert viewer.at == viewer.last


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl"
    game_file.write_game(path, recorded.game())
    return path


def test_without_a_terminal_the_whole_game_is_printed(file: Path) -> None:
    told = Story.of(recorded.game())
    text = run("replay", file).stdout
    assert "\x1b" not in text and max(map(len, text.splitlines())) <= 80
    for step in told.steps:
        if step.action is not None:
            assert story.tell(step, recorded.NAMES) in text
    assert text.count("boneyard:") == 4  # each round's first and last position


def test_without_a_terminal_a_seat_is_told_what_it_may_know(file: Path) -> None:
    text = run("replay", file, "--seat", "1").stdout
    told = Story.of(recorded.game())
    for step in told.steps:
        if step.drawn is not None and step.seat != 1 and not step.ends:
            assert story.tell(step, recorded.NAMES) not in text
    assert "? ? ?" in text


@needs_terminal
def test_a_game_is_stepped_through(file: Path) -> None:
    with Terminal("replay", file) as terminal:
        assert "0 of " in terminal.wait_for("q quit")
        terminal.send("\x1b[C")
        terminal.wait_for("1 of ")
        terminal.send("12\r")
        assert story.tell(Story.of(recorded.game()).steps[12], recorded.NAMES) in terminal.wait_for(
            "12 of "
        )
        terminal.send("\x1b[D")
        terminal.wait_for("11 of ")
        terminal.send(" ")
        terminal.wait_for("12 of ", "13 of ", "(auto)")
        terminal.send("q")
        assert terminal.end() == 0


@needs_terminal
@pytest.mark.parametrize(("key", "code"), [("\x04", 0), ("\x1b", 0), ("\x03", 130)])
def test_every_way_out_is_clean(file: Path, key: str, code: int) -> None:
    with Terminal("replay", file) as terminal:
        terminal.wait_for("q quit")
        terminal.send(key)
        assert terminal.end() == code
        assert "Traceback" not in terminal.text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--game", "2"], "there are games 1 to 1"),
        (["--seat", "3"], "--seat 3: this game has seats 0 to 2"),
        (["--values", "mcts"], "--values goes with --html"),
        (["--html", "page.html", "--values", "greedy"], "agent 'greedy' gives no values"),
        (["--html", "page.html", "--values", "own"], "no agent of the line-up"),
        (["--html", "page.html", "--values", "mtcs"], "no agent called 'mtcs'"),
    ],
)
def test_what_cannot_be_shown_is_one_line(
    file: Path, tmp_path: Path, options: list[str], said: str
) -> None:
    done = run("replay", file, *options, code=2, cwd=tmp_path)
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1 and said in done.stderr
    assert not (tmp_path / "page.html").exists()


def test_files_are_checked(file: Path) -> None:
    assert run("replay", file, "--check").stdout == "1 game, replayed to the end: all as recorded\n"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"seed":1}', '"seed":2}'), encoding="utf-8")
    assert "line 1: action " in run("replay", file, "--check", code=2).stderr
