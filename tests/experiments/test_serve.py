"""`chickenfoot serve`: what the browser is sent and may do, and a whole round played in one."""

from __future__ import annotations

import itertools
import json
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import browser
import numpy as np
import pytest
import recorded
from terminal import command, run
from web import Person, serving

import agents
from chickenfoot_env import batch, view
from chickenfoot_env.notation import format_tile
from chickenfoot_env.rules import Rules
from chickenfoot_env.transcript import Transcript
from experiments.playing.session import Session, SessionError
from experiments.replay.story import Story, tiles_of

pytest.importorskip("fastapi")
from experiments.playing import server

if TYPE_CHECKING:
    from playwright.sync_api import Page

SEED = 1234567890123


def table(**changes: Any) -> server.Table:
    seeds = itertools.count(SEED)
    options = {
        "rules": recorded.SMALL,
        "against": ("greedy", "mcts:iterations=8"),
        "seat": 1,
        "practice": False,
        "adviser": "flat_mc:worlds=2",
        "next_seed": lambda: next(seeds),
    }
    return server.Table(**{**options, **changes})


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Serves such a table until the test is over; the address."""
    with ExitStack() as stack:
        yield lambda **changes: stack.enter_context(serving(server.application(table(**changes))))


@pytest.fixture
def client(serve: Callable[..., str]) -> Callable[..., Person]:
    """Gives somebody who has loaded the page of such a table."""

    def load(**changes: Any) -> Person:
        person = Person(serve(**changes))
        assert person.get("/").status == 200
        return person

    return load


def play(person: Person, choices: int = 1000) -> dict[str, Any]:
    """Take the first choice, so many times or to the end; the last answer."""
    answer = person.get("/game").json()
    for _ in range(choices):
        if answer["over"]:
            break
        action = {"action": answer["choices"][0]["action"], "ply": answer["ply"]}
        answer = person.post("/game/choose", action).json()
    return answer


def as_played(actions: int) -> Session:
    """The session that the first browser of a table plays, after the first choices."""
    session = table().deal()
    session = Session.begin(recorded.SMALL, ("greedy", "mcts:iterations=8"), 1, SEED + 1)
    for _ in range(actions):
        session.choose(session.choices()[0])
    return session


def test_the_page_is_whole_and_the_cookie_is_for_the_server_alone(
    serve: Callable[..., str],
) -> None:
    answer = Person(serve()).get("/")
    assert "src=" not in answer.text and "http" not in answer.text.partition("<body")[2].replace(
        "http://www.w3.org/2000/svg", ""
    )
    cookie = answer.cookie.lower()
    assert "httponly" in cookie and "samesite=strict" in cookie


def test_nothing_hidden_is_sent(client: Callable[..., Person]) -> None:
    """At no time before a round is over; then all hands are, as they are counted."""
    person = client()
    over = 0
    answer = person.get("/game").json()
    while not answer["over"]:
        text = json.dumps(answer)
        assert str(SEED)[:9] not in text and "seed" not in text
        for step in answer["steps"]:
            open_hands = {seat for seat, hand in step["hands"].items() if hand["tiles"]}
            assert open_hands <= ({"0", "1", "2"} if step["over"] else {"1"})
            over += step["over"] == "round"
            if not step["told"].startswith("you") and " draws" in step["told"]:
                assert re.search(r" draws( and|$)", step["told"])
        action = {"action": answer["choices"][0]["action"], "ply": answer["ply"]}
        answer = person.post("/game/choose", action).json()
    assert over == 1


def test_a_browser_is_shown_its_own_hand_and_choices(client: Callable[..., Person]) -> None:
    person = client()
    session = as_played(0)
    answer = person.get("/game").json()
    held = tiles_of(session.now.game["held"][0, 1], 6)
    assert answer["steps"][-1]["hands"]["1"]["tiles"] == [format_tile(tile) for tile in held]
    assert [choice["action"] for choice in answer["choices"]] == session.choices()
    assert answer["names"] == ["mcts:iterations=8", "you", "greedy"]


def test_nothing_is_lost_when_the_page_is_loaded_again(client: Callable[..., Person]) -> None:
    person = client()
    for choices in (1, 3):
        answer = play(person, choices)
        assert not person.get("/").cookie
        assert person.get("/game").json() == answer


def test_each_browser_has_its_own_game(serve: Callable[..., str]) -> None:
    url = serve()
    one, other = Person(url), Person(url)
    one.get("/"), other.get("/")
    before = other.get("/game").json()
    play(one, 2)
    assert other.get("/game").json() == before
    assert one.get("/game").json()["ply"] != before["ply"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"action": 1}, 422),
        ({"action": "x", "ply": 0}, 422),
        ({"action": None, "ply": 0}, 422),
        ({"action": 10**30, "ply": 0}, 409),
        ({"action": -1, "ply": "now"}, 422),
        ({"action": -1}, 422),
        ([1, 2], 422),
    ],
)
def test_what_is_no_choice_changes_nothing(
    client: Callable[..., Person], body: Any, status: int
) -> None:
    person = client()
    before = person.get("/game").json()
    assert person.post("/game/choose", body).status == status
    for action in (-1, 0, 10**30, recorded.SMALL.pass_):
        if action not in [choice["action"] for choice in before["choices"]]:
            wrong = {"action": action, "ply": before["ply"]}
            assert person.post("/game/choose", wrong).status == 422
    assert person.get("/game").json() == before


def test_a_click_does_not_count_twice(client: Callable[..., Person]) -> None:
    person = client()
    answer = person.get("/game").json()
    action = {"action": answer["choices"][0]["action"], "ply": answer["ply"]}
    assert person.post("/game/choose", action).status == 200
    after = person.get("/game").json()
    again = person.post("/game/choose", action)
    assert again.status == 409 and "is not the one on the table" in again.json()["detail"]
    assert person.get("/game").json() == after


def test_choices_are_taken_back_in_practice_alone(client: Callable[..., Person]) -> None:
    strict, practice = client(), client(practice=True)
    for person, status in ((strict, 403), (practice, 200)):
        before = person.get("/game").json()
        after = play(person, 1)
        assert person.post("/game/undo", {"ply": after["ply"]}).status == status
        now = person.get("/game").json()
        assert (now["choices"] == before["choices"]) == (status == 200)
    assert practice.post("/game/undo", {"ply": now["ply"]}).status == 409
    assert practice.post("/game/undo", {"ply": -1}).status == 409


def test_hints_are_about_the_choices(client: Callable[..., Person]) -> None:
    person = client()
    answer = person.get("/game").json()
    found = person.get("/game/hints").json()
    wanted = sorted(choice["action"] for choice in answer["choices"])
    assert sorted(hint["action"] for hint in found) == wanted
    assert all(hint["reasons"] for hint in found)
    play(person)
    assert person.get("/game/hints").status == 409


def test_a_record_is_handed_out_when_the_game_is_over(client: Callable[..., Person]) -> None:
    person = client()
    for path in ("/game/record", "/game/replay"):
        assert person.get(path).status == 403
    answer = play(person)
    game = Transcript.from_json(person.get("/game/record").text)
    assert game.seed == SEED + 1 and game.line_up[1] == "human"
    last = Story.of(game).steps[-1]
    points = [answer["steps"][-1]["hands"][str(seat)]["points"] for seat in range(3)]
    assert points == last.game["points"][0, :3].tolist()
    assert sorted(answer["ranks"])[0] == 1
    assert "<svg" in person.get("/game/replay").text


def test_a_new_game_takes_the_place_of_the_old_one(client: Callable[..., Person]) -> None:
    person = client()
    before = play(person, 2)
    answer = person.post("/game/new", {}).json()
    assert answer["steps"][-1]["hands"] != before["steps"][-1]["hands"]
    assert person.get("/game").json() == answer


def test_without_a_game_there_is_nothing_to_see(serve: Callable[..., str]) -> None:
    stranger = Person(serve())
    for cookie in ("", f"{server.COOKIE}=made-up"):
        answer = stranger.get("/game", Cookie=cookie)
        assert answer.status == 404 and "load the page again" in answer.json()["detail"]


def test_old_games_are_forgotten_and_not_those_in_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_GAMES", 3)
    games = server.Games(table())
    keys = [games.begin(None) for _ in range(3)]
    games.of(keys[0])
    games.begin(None)
    assert [games.has(key) for key in keys] == [True, False, True]


def test_other_names_for_the_machine_are_refused(client: Callable[..., Person]) -> None:
    """So that no page elsewhere can have its name lead here."""
    person = client()
    assert person.get("/game", Host="chickenfoot.example").status == 400


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--against", "mtcs"], "no agent called 'mtcs'"),
        (["--seat", "9"], "seat 9: there are seats 0 to 3"),
        (["--hints", "random"], "agent 'random' gives no advice"),
        (["--port", "70000"], "cannot serve on 127.0.0.1, port 70000"),
        (["--host", "no.such.host.invalid"], "cannot serve on no.such.host.invalid"),
    ],
)
def test_what_cannot_be_served_is_one_line(options: list[str], said: str) -> None:
    done = run("serve", *options, code=2)
    assert len(done.stderr.splitlines()) == 1 and said in done.stderr


def test_a_port_that_is_taken_is_said_to_be() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SessionError, match=f"port {port}: "):
            server.listen("127.0.0.1", port)


def test_without_the_extra_one_line_says_how_to_get_it() -> None:
    code = (
        "import sys; sys.modules['fastapi'] = None; sys.argv = ['chickenfoot', 'serve']\n"
        "from experiments import cli; cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "chickenfoot: error: serving needs FastAPI and uvicorn: pip install 'chickenfoot[serve]'\n"
    )


# In a browser


@contextmanager
def served(*options: str) -> Iterator[str]:
    """The address of a server that runs."""
    process = subprocess.Popen(
        command("serve", "--port", "0", *options), stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"http://127\.0\.0\.1:\d+/", line)
    assert found is not None, line
    try:
        yield found[0]
    finally:
        process.terminate()
        process.wait()
        assert "Traceback" not in process.stderr.read()
        process.stderr.close()


def test_a_whole_round_is_played_in_a_browser() -> None:
    """By clicks on tiles and choices and by keys, loaded again on the way; no hand leaks."""
    table = ["--against", "greedy,random", "--rules", "max_pip=6,hand_size=5,rounds=6"]
    answers: list[dict[str, Any]] = []
    _compile("flat_mc:worlds=2")
    with (
        browser.launched() as chromium,
        served(*table, "--practice", "--hints", "flat_mc:worlds=2") as url,
        browser.opened(chromium, url, reduced_motion="reduce") as page,
    ):
        page.on("response", lambda answer: _keep(answers, answer))
        turns = _play_round(page)
        assert turns > 3
        assert page.locator("#ranks li").count() == 3
        assert page.locator('[data-seat="1"] .back').count() == 0  # all hands are open now
        page.click("text=Watch it again")
        page.wait_for_selector("#slider")
        assert page.locator("#table .face").count() > 0
    assert len(answers) > turns
    for answer in answers:
        for step in answer["steps"]:
            hidden = [step["hands"][seat]["tiles"] for seat in ("1", "2")]
            assert step["over"] or hidden == [None, None]


def _play_round(page: Page) -> int:
    """Play to the end, each turn in another way; how many turns there were."""
    advised, before = False, 0  # tiles on the table in the turn before
    for turn in itertools.count():
        page.wait_for_selector("#choices:not([hidden]), #result:not([hidden])")
        if page.is_visible("#result"):
            return turn
        tiles = page.locator("#table .face").count()
        if turn == 1:
            page.reload()
            page.wait_for_selector("#choices:not([hidden])")
            assert page.locator("#table .face").count() == tiles
        if turn > 1 and not advised and tiles > before and page.locator(".move").count() > 1:
            _ask_and_take_back(page, before)
            advised, tiles = True, before
        before = tiles
        _take_turn(page, turn)
    raise AssertionError


def _compile(adviser: str) -> None:
    """Keep an agent's machine code, so that its first hint is as quick as the others."""
    games = batch.deal(Rules(players=3, max_pip=6, hand_size=5), np.arange(20, dtype=np.uint64))
    batch.play_forced(games)
    views = view.observe(games, games["seat"].astype(np.int64))
    agents.make(adviser).values(views, np.zeros(len(views), np.uint64))


def _ask_and_take_back(page: Page, tiles: int) -> None:
    """A hint, for which there must be a choice; then the choice before it, and its tiles."""
    said = page.eval_on_selector("#hint", "hint => (hint.click(), hint.textContent)")
    assert said == "Thinking …"
    page.wait_for_selector("#judged:not([hidden])")
    browser.until(lambda: page.text_content("#hint") == "Hint")
    page.click("#undo")
    browser.until(lambda: page.locator("#table .face").count() == tiles)


def _take_turn(page: Page, turn: int) -> None:
    """Click a tile, press a number or click a choice."""
    before = page.text_content("#log")
    if turn % 3 == 0 and page.locator(".fits").count():
        tile = page.locator(".fits").first
        fitting = page.locator(".move", has_text=f"{tile.text_content()} on")
        is_asked = fitting.count() > 1
        tile.click()
        if is_asked:
            assert page.locator(".move").count() == fitting.count()
            fitting.first.click()
    elif turn % 3 == 1:
        page.keyboard.press("1")
    else:
        page.locator(".move").first.click()
    browser.until(lambda: page.text_content("#log") != before)


def _keep(answers: list[dict[str, Any]], response: Any) -> None:
    if response.url.rpartition("/game")[2] in ("", "/choose", "/undo"):
        answers.append(response.json())
