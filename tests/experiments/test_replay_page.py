"""The page of a recorded game: what is in it, and how it behaves in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import browser
import numpy as np
import pytest
import recorded

from chickenfoot_env import batch, view, worlds
from chickenfoot_env.game import tiles_of
from chickenfoot_env.notation import format_tile
from chickenfoot_env.rules import Rules
from experiments.replay import page, story, values
from experiments.replay.position import changes, position
from experiments.replay.story import Story

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("<b>ann</b>", "</script>", "cleo & co")


def data(text: str) -> Any:
    """The JSON value in a page."""
    found = re.search(r'id="data">(.*?)</script>', text)
    assert found is not None
    return json.loads(found[1])


def whole(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The full positions, as the page's script puts them together."""
    found: list[dict[str, Any]] = []
    for entry in entries:
        before = found[-1] if found else {"hands": {}}
        now = {**before, **entry, "hands": {**before["hands"], **entry.get("hands", {})}}
        for key in ("tiles", "ends"):
            if found and key in entry:
                place, gone, added = entry[key]
                now[key] = [*before[key]]
                now[key][place : place + gone] = added
        found.append(now)
    return found


def test_the_page_holds_every_position() -> None:
    game = recorded.game()
    told = Story.of(game)
    shown = whole(page.content(game)["steps"])
    assert len(shown) == len(told.steps)
    tables = story.layouts(told)
    for step, layout, entry in zip(told.steps, tables, shown, strict=True):
        full = json.loads(json.dumps(position(step, recorded.NAMES, layout=layout)))
        assert {key: entry[key] for key in full} == full
        assert len(entry["tiles"]) == len(step.plays)
        for seat in range(3):
            tiles = [format_tile(tile) for tile in tiles_of(step.game["held"][0, seat], 6)]
            assert entry["hands"][str(seat)]["tiles"] == tiles


def test_changes_are_what_differs() -> None:
    old = {"a": 1, "b": [1], "tiles": [[1], [2]], "hands": {"0": 1, "1": 2}}
    assert changes(old, old) == {}
    new = {"a": 1, "b": [2], "tiles": [[1], [3], [4]], "hands": {"0": 1, "1": 3}}
    wanted = {"b": [2], "tiles": [1, 1, [[3], [4]]], "hands": {"1": 3}}
    assert changes(old, new) == wanted


def test_choices_are_all_legal_actions_and_one_is_taken() -> None:
    game = recorded.game()
    for step, entry in zip(Story.of(game).steps, whole(page.content(game)["steps"]), strict=True):
        if step.to_act is None:
            assert entry["moves"] == []
            continue
        assert len(entry["moves"]) == batch.legal_mask(step.game).sum()
        assert sum(taken for *_, taken in entry["moves"]) == 1
        assert all(value is None for _, value, _ in entry["moves"])


def test_values_are_best_first() -> None:
    game = recorded.game()
    entries = whole(page.content(game, judge="flat_mc:worlds=4")["steps"])
    judged = 0
    for entry in entries:
        values = [value for _, value, _ in entry["moves"]]
        if len(values) > 1:
            assert values == sorted(values, reverse=True)
            judged += 1
    assert judged > 10


def test_each_agent_can_be_asked_about_its_own_choices() -> None:
    """The two copies of flat_mc give values, greedy has none to give."""
    names = ("flat_mc:worlds=2", "greedy", "flat_mc:worlds=2#2")
    game = recorded.game(labels=names)
    seats = {True: set(), False: set()}
    for entry in whole(page.content(game, judge="own")["steps"]):
        if len(entry["moves"]) > 1:
            seats[entry["moves"][0][1] is not None].add(entry["toAct"])
    assert seats == {True: {0, 2}, False: {1}}


def test_points_of_the_rounds_add_up() -> None:
    game = recorded.game()
    rounds = page.content(game)["rounds"]
    last = Story.of(game).steps[-1].game["points"][0, :3]
    assert (np.sum([each["points"] for each in rounds], axis=0) == last).all()
    assert [each["first"] for each in rounds] == [0, rounds[0]["last"] + 1]


def test_a_game_that_was_not_finished_can_be_shown() -> None:
    whole_game = recorded.game()
    told = Story(whole_game.rules, whole_game.seed, whole_game.draw_stride, whole_game.actions[:5])
    rounds = page.content(told.transcript(recorded.NAMES))["rounds"]
    assert len(rounds) == 1 and rounds[0]["points"] is None


def test_a_page_is_small() -> None:
    """A whole game of double-nine, with values."""
    game = recorded.game(Rules(players=4), ["heuristic"] * 4)
    assert len(page.html(game)) < 600_000


def test_names_are_text_and_not_markup() -> None:
    text = page.html(recorded.game(labels=NAMES))
    assert data(text)["names"] == list(NAMES)
    assert text.count("</script>") == 3 and "<b>ann" not in text


# What a seat may see


def test_the_page_of_a_seat_has_no_other_hand_and_no_seed() -> None:
    game = recorded.game(seed=987654321012345678)
    told = Story.of(game)
    for seat in range(3):
        text = page.html(game, seat, "flat_mc:worlds=2")
        assert str(game.seed) not in text and "seed" not in text.partition("<script")[2]
        for step, entry in zip(told.steps, whole(data(text)["steps"]), strict=True):
            others = {str(other) for other in range(3)} - {str(seat)}
            assert all(entry["hands"][other]["tiles"] is None for other in others)
            own = entry["hands"][str(seat)]["tiles"]
            on_table = [f"{min(tile[:2])}-{max(tile[:2])}" for tile in entry["tiles"]]
            assert {*re.findall(r"\d+-\d+", entry["told"])} <= {*own, *on_table}
            assert not entry["moves"] or step.to_act == seat


def test_the_page_of_a_seat_is_the_same_whatever_the_others_hold() -> None:
    """The hidden tiles are dealt anew as the seat's evidence allows."""
    some = Story.of(recorded.game()).steps[::4]
    differs = 0
    for step in some:
        for seat in range(3):
            seen = view.observe(step.game, np.array([seat]))
            if step.to_act is None:
                continue
            other = worlds.sample_worlds(seen, np.array([step.ply], np.uint64), 1)[0]
            dealt = story.Step(
                _turned(other, step, seat), step.plays, step.ply, step.action, step.seat, step.drawn
            )
            assert position(step, recorded.NAMES, seat) == position(dealt, recorded.NAMES, seat)
            differs += position(step, recorded.NAMES) != position(dealt, recorded.NAMES)
    assert differs > len(some)


@pytest.mark.parametrize("judge", ["oracle:iterations=2", "own"])
def test_the_page_of_a_seat_has_no_values_of_an_agent_that_sees_hidden_tiles(judge: str) -> None:
    game = recorded.game(labels=("oracle:iterations=2", "greedy", "flat_mc:worlds=2"))
    with pytest.raises(values.ValuesError, match="sees hidden tiles, which seat 0 did not"):
        page.content(game, 0, judge)
    page.content(game, None, judge)


def _turned(world: np.ndarray, step: story.Step, seat: int) -> np.ndarray:
    """The true game with the hands of a world, in which the observer is seat 0."""
    game = step.game.copy()
    for other in range(3):
        game["held"][0, (seat + other) % 3] = world["held"][0, other]
    return game


# In a browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.launched() as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of a page with all hands and values, and of one seat's page."""
    folder = tmp_path_factory.mktemp("pages")
    game = recorded.game(labels=NAMES)
    page.write(game, folder / "all.html", None, "flat_mc:worlds=2")
    page.write(game, folder / "seat.html", 1)
    return {name: (folder / f"{name}.html").as_uri() for name in ("all", "seat")}


def tiles_on(page: Page, place: str) -> list[str]:
    """The tiles face up in a part of the page."""
    found: list[str] = page.eval_on_selector_all(
        f"{place} .face title", "titles => titles.map(title => title.textContent)"
    )
    return found


def test_buttons_and_keys_lead_through_the_game(chromium: Browser, pages: dict[str, str]) -> None:
    told = Story.of(recorded.game())
    last = len(told.steps) - 1
    second = next(index for index, step in enumerate(told.steps) if step.round == 1)
    with browser.opened(chromium, pages["all"]) as shown:

        def is_at(index: int) -> None:
            browser.until(lambda: shown.text_content("#number") == f"{index} / {last}")
            step = told.steps[index]
            assert shown.text_content("#told") == story.tell(step, NAMES)
            on_table = [f"{min(play)}-{max(play)}" for play in step.plays]
            assert tiles_on(shown, "#table") == on_table
            for seat in range(3):
                hand = [format_tile(tile) for tile in tiles_of(step.game["held"][0, seat], 6)]
                assert tiles_on(shown, f'[data-seat="{seat}"]') == hand

        is_at(0)
        for click, index in (("#next", 1), ("#next", 2), ("#back", 1), ("#last", last)):
            shown.click(click)
            is_at(index)
        assert shown.is_disabled("#next") and not shown.is_disabled("#back")
        for key, index in (
            ("Home", 0),
            ("ArrowLeft", 0),
            ("ArrowRight", 1),
            ("ArrowDown", second),
            ("ArrowUp", 0),
            ("End", last),
            ("ArrowLeft", last - 1),
        ):
            shown.keyboard.press(key)
            is_at(index)
        shown.fill("#slider", "9")
        is_at(9)
        shown.click("#sheet button >> nth=1")
        is_at(second)


def test_it_plays_by_itself_until_it_is_stopped(chromium: Browser, pages: dict[str, str]) -> None:
    with browser.opened(chromium, pages["all"] + "#3") as shown:
        assert (shown.text_content("#number") or "").startswith("3 /")
        shown.keyboard.press(" ")
        assert shown.get_attribute("#play", "aria-pressed") == "true"
        browser.until(lambda: (shown.text_content("#number") or "").startswith("5 /"))
        shown.click("#play")
        assert shown.get_attribute("#play", "aria-pressed") == "false"


def test_choices_are_shown_with_their_values(chromium: Browser, pages: dict[str, str]) -> None:
    game = recorded.game(labels=NAMES)
    entries = whole(page.content(game, judge="flat_mc:worlds=2")["steps"])
    index = next(i for i, entry in enumerate(entries) if len(entry["moves"]) > 2)
    with browser.opened(chromium, f"{pages['all']}#{index}") as shown:
        rows = shown.locator("#moves tr")
        assert rows.count() == len(entries[index]["moves"])
        for row, (name, value, taken) in zip(rows.all(), entries[index]["moves"], strict=True):
            text = (row.text_content() or "").replace("−", "-")
            assert name in text and f"{value:+.1f}" in text
            assert ("taken" in text) == bool(taken)
        assert shown.text_content("#who") == NAMES[entries[index]["toAct"]]


def test_hands_can_be_turned_over(chromium: Browser, pages: dict[str, str]) -> None:
    with browser.opened(chromium, pages["all"]) as shown:
        shown.select_option("#eye", "1")
        assert [bool(tiles_on(shown, f'[data-seat="{seat}"]')) for seat in range(3)] == [
            False,
            True,
            False,
        ]
        shown.select_option("#eye", "")
        assert all(tiles_on(shown, f'[data-seat="{seat}"]') for seat in range(3))


def test_the_page_of_a_seat_shows_the_others_from_behind(
    chromium: Browser, pages: dict[str, str]
) -> None:
    with browser.opened(chromium, pages["seat"]) as shown:
        for _ in range(4):
            assert tiles_on(shown, '[data-seat="1"]')
            assert not tiles_on(shown, '[data-seat="0"]') and not tiles_on(shown, '[data-seat="2"]')
            shown.keyboard.press("ArrowRight")
        assert shown.text_content("#seen-by") == f"as {NAMES[1]} saw it"
        assert shown.is_hidden("#eye")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_sticks_out(
    chromium: Browser, pages: dict[str, str], width: int, scheme: str
) -> None:
    """On a phone as on a desk; the page follows the reader's choice of colours."""
    size = {"width": width, "height": 800}
    with browser.opened(
        chromium, pages["all"] + "#30", viewport=size, color_scheme=scheme
    ) as shown:
        assert shown.evaluate("document.documentElement.scrollWidth") == width
        colour = shown.evaluate("getComputedStyle(document.body).backgroundColor")
        bright = [int(part) > 127 for part in re.findall(r"\d+", colour)]
        assert all(bright) == (scheme == "light")
        table = shown.locator("#table").bounding_box()
        assert table is not None and table["height"] > 150
