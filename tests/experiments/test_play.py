"""A person against agents: the session, the hints, and `chickenfoot play` in a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import recorded
from terminal import Terminal, needs_terminal, run

import agents
from chickenfoot_env import batch, notation
from chickenfoot_env.rules import Rules
from experiments import game_file
from experiments.playing import hints
from experiments.playing.session import PERSON, Session, SessionError, legal
from experiments.replay import story
from experiments.replay.story import Step

AGAINST = ("greedy", "mcts:iterations=8")


def begin(seat: int = 0, seed: int = 5) -> Session:
    return Session.begin(recorded.SMALL, AGAINST, seat, seed)


def play_on(session: Session, choices: int = 1000) -> None:
    """Take the first choice, so many times or to the end."""
    for _ in range(choices):
        if session.is_over:
            return
        session.choose(session.choices()[0])


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_session_waits_for_its_person_alone(seat: int) -> None:
    """With a choice, or one tile to lay; the line-up goes round from the person's seat."""
    session = begin(seat)
    names = [PERSON, *AGAINST]
    asked = 0
    while not session.is_over:
        assert session.now.to_act == seat
        choices = session.choices()
        assert choices == legal(session.now)
        assert len(choices) > 1 or choices[0] < session.story.rules.draw
        session.choose(choices[-1])
        asked += 1
    assert asked > 5
    line_up = session.transcript.line_up
    assert [line_up[(seat + place) % 3] for place in range(3)] == names
    assert session.names[seat] == "you"
    assert session.choices() == []


def test_the_agents_do_what_they_do_from_their_views() -> None:
    session = begin()
    play_on(session)
    made = {seat: agents.make(name) for seat, name in ((1, "greedy"),)}
    for step, after in zip(session.story.steps, session.story.steps[1:], strict=False):
        if step.to_act in made and after.action is not None:
            seen = story.view.observe(step.game, np.array([step.to_act]))
            assert made[step.to_act].act(seen, np.zeros(1, np.uint64))[0] == after.action


def test_a_game_goes_on_as_it_would_have() -> None:
    """Written down and taken up again after any number of choices."""
    whole = begin()
    play_on(whole)
    for choices in (0, 1, 4, 8):
        session = begin()
        play_on(session, choices)
        line = session.transcript.to_json()
        assert json.loads(line)["over"] is False
        again = Session.resume(type(session.transcript).from_json(line))
        play_on(again)
        assert again.transcript == whole.transcript


def test_choices_can_be_taken_back_to_the_deal() -> None:
    session = begin()
    states = []
    for _ in range(9):
        states.append((session.story.actions[:], session.choices()))
        session.choose(session.choices()[-1])
    for actions, choices in reversed(states):
        assert session.undo()
        assert (session.story.actions, session.choices()) == (actions, choices)
    assert not session.undo()
    assert (session.story.actions, session.choices()) == states[0]


def test_only_a_choice_can_be_taken() -> None:
    session = begin()
    before = session.story.actions[:]
    for action in (-1, 0, session.story.rules.pass_, 10**6):
        if action not in session.choices():
            with pytest.raises(SessionError, match=rf"action {action}: allowed now are"):
                session.choose(action)
    assert session.story.actions == before


def test_sessions_that_there_cannot_be() -> None:
    with pytest.raises(SessionError, match="2 agents for 2 seats"):
        Session.begin(Rules(players=2), AGAINST, 0, 1)
    with pytest.raises(SessionError, match="seat 3: there are seats 0 to 2"):
        Session.begin(recorded.SMALL, AGAINST, 3, 1)
    with pytest.raises(SessionError, match="wanted is one seat of a human"):
        Session.resume(recorded.game())
    with pytest.raises(agents.AgentError, match="no agent called 'gredy'"):
        Session.begin(recorded.SMALL, ("gredy", "greedy"), 0, 1)


# Hints


def at(position: str, rules: Rules) -> Step:
    """A position, without the plays that led to it."""
    return Step(notation.parse_position(position, rules), (), 0, None, 0)


def test_hints_are_best_first_and_say_why() -> None:
    """The 0-0 would block the round, 13 to 11; after the 5-6 nobody can stop it from going out."""
    rules = Rules(players=2)
    step = at("OPEN | 0 5 | 0-0 5-6 / 5-8 | - | 0", rules)
    best, other = hints.hints(step, rules, ("you", "ann"), "mcts:iterations=200")
    assert story.name_action(best.action, rules) == "5-6 on the 5"
    assert best.value is not None and other.value is not None and best.value > other.value
    assert best.reasons == ("sheds 11 points", "you have nothing for the 6", "closes the last 5")
    assert other.reasons[0] == "sheds 50 points"
    assert other.reasons[1] == "then 3 toes on the 0 must follow, you have 0"


@pytest.mark.parametrize(
    ("position", "action", "told"),
    [
        ("OPEN | 3 | 3-4 / 1-2 | - | 0", "3-4@3", ["goes out"]),
        ("OPEN | 3 3 | 3-4 4-5 4-6 / 1-2 | 0-0 | 0", "3-4@3", ["sheds 7 points", "2 tiles more"]),
        ("OPEN | 3 3 | 3-4 1-5 / 1-2 | 0-0 | 0 drawn", "PASS", ["keeps all tiles"]),
    ],
)
def test_reasons(position: str, action: str, told: list[str]) -> None:
    rules = Rules(players=2)
    step = at(position, rules)
    said = list(hints.reasons(step, notation.parse_action(action, rules), rules, ("you", "ann")))
    for words in told:
        assert any(words in each for each in said)


def test_a_hint_tells_what_another_seat_lacks() -> None:
    rules = Rules(players=2)
    step = at("OPEN | 3 3 | 3-4 1-5 / 1-2 | 0-0 | 0", rules)
    action = notation.parse_action("3-4@3", rules)
    assert not any("ann" in each for each in hints.reasons(step, action, rules, ("you", "ann")))
    step.game["drawn_since"][0, 1, 4] = 0
    assert "no 4 with ann" in list(hints.reasons(step, action, rules, ("you", "ann")))


@pytest.mark.parametrize("changes", [{}, {"blank_half_points": 5, "double_blank_points": 25}])
def test_points_of_a_tile_are_those_of_the_game(changes: dict[str, int]) -> None:
    rules = Rules(players=2, rounds=(9,), **changes)
    games = notation.parse_position("OPEN | 3 | 3-4 / 0-0 0-5 1-2 | - | 0", rules)
    batch.step(games, np.array([notation.parse_action("3-4@3", rules)]))
    charged = sum(hints.points(tile, rules) for tile in ((0, 0), (0, 5), (1, 2)))
    assert games["points"][0, :2].tolist() == [0, charged]


@pytest.mark.parametrize("name", ["greedy", "oracle"])
def test_advisers_give_values_and_see_no_hidden_tiles(name: str) -> None:
    with pytest.raises(SessionError, match=f"agent '{name}' gives no advice"):
        hints.check_adviser(name)


# At the terminal

PLAY = ["play", "--against", "greedy,random", "--rules", "max_pip=6,hand_size=5,rounds=6"]
FIRST = "1\n" * 80


def test_a_game_is_played_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    text = run(*PLAY, "--seed", "3", "--save", file, text=FIRST).stdout
    game = game_file.read_game(file, 1)
    content = json.loads(game.to_json())
    assert content["over"] and content["line_up"] == [PERSON, "greedy", "random"]
    *_, last = game.replay()
    (ranks,) = batch.standings(last)
    for seat, name in enumerate(("you", "greedy", "random")):
        assert f"{ranks[seat]}. {name}: {content['points'][seat]} points" in text
    assert max(map(len, text.splitlines())) <= 100


def test_no_hidden_tile_is_shown_before_the_round_is_over(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    text = run(*PLAY, "--seed", "3", "--save", file, text="1\nh\nq\n").stdout
    (told, *_, now) = story.Story.of(game_file.read_game(file, 1)).steps
    for seat in (1, 2):
        for tile in story.tiles_of(now.game["held"][0, seat], 6):
            drawn = notation.format_tile(tile)
            assert drawn not in text
    assert "? ? ?" in text and told.to_act is not None


def test_hints_undo_and_saving(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    keys = f"h\n1\n1\nu\nu\nu\nu\nwhat\n99\n?\ns\ns {file}\ns {tmp_path}\nq\n"
    hinted = ["--practice", "--hints", "flat_mc:worlds=2"]
    text = run(*PLAY, "--seed", "4", *hinted, text=keys).stdout
    assert "says flat_mc:worlds=2" in text and "sheds " in text
    assert "there is nothing to take back" in text
    assert "'what' is none of 1 to " in text and "'99' is none of 1 to " in text
    assert "save it where? s FILE" in text and f"saved in {file}" in text
    assert f"cannot use {tmp_path}" in text and "undo your last choice" in text
    assert text.endswith(f"to go on: chickenfoot play --resume {file}\n")
    assert json.loads(file.read_text(encoding="utf-8"))["over"] is False


def test_a_saved_game_is_taken_up_again(tmp_path: Path) -> None:
    """And ends as one that was played in one go."""
    whole, file = tmp_path / "whole.jsonl", tmp_path / "game.jsonl"
    run(*PLAY, "--seed", "3", "--save", whole, text=FIRST)
    run(*PLAY, "--seed", "3", "--save", file, text="1\n1\nq\n")
    assert file.read_bytes() != whole.read_bytes()
    run("play", "--resume", file, text=FIRST)
    assert file.read_bytes() == whole.read_bytes()
    assert "1. " in run("play", "--resume", file).stdout


def test_choices_stand_without_practice() -> None:
    text = run(*PLAY, "--seed", "4", text="1\nu\n").stdout
    assert "choices stand; with --practice they can be taken back" in text
    assert text.endswith("the game is not saved\n")


@needs_terminal
@pytest.mark.parametrize(("keys", "code"), [("q\r", 0), ("\x04", 0), ("\x03", 130)])
def test_every_way_out_is_clean(tmp_path: Path, keys: str, code: int) -> None:
    file = tmp_path / "game.jsonl"
    with Terminal(*PLAY, "--seed", "3", "--save", file) as terminal:
        terminal.wait_for("> ")
        terminal.send("1\r")
        terminal.wait_for("you lay", "> ")
        terminal.send(keys)
        assert terminal.end() == code
        assert f"--resume {file}" in terminal.text.replace("\r\n", "")
        assert "Traceback" not in terminal.text
    assert len(game_file.read_game(file, 1).actions) > 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--against", "mtcs"], "no agent called 'mtcs'"),
        (["--seat", "4"], "seat 4: there are seats 0 to 3"),
        (["--seed", "-1"], "--seed -1: allowed are 0 to 2**64 - 1"),
        (["--hints", "greedy"], "agent 'greedy' gives no advice"),
        (["--rules", "toes=9"], "toes=9"),
        (["--resume", "missing.jsonl"], "cannot use missing.jsonl"),
        (["--save", "."], ". exists"),
    ],
)
def test_games_that_cannot_be_played_are_one_line(
    tmp_path: Path, options: list[str], said: str
) -> None:
    done = run("play", *options, code=2, cwd=tmp_path)
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1 and said in done.stderr


def test_a_record_without_a_person_cannot_be_resumed(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    game_file.write_game(file, recorded.game())
    assert "wanted is one seat of a human" in run("play", "--resume", file, code=2).stderr
