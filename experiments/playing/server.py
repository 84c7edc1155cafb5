"""`chickenfoot serve`: a person at a browser against agents.

Each browser has a game of its own, told apart by a cookie, and is sent what its seat may see: its
view, and all hands once a round is over and they are counted. The record of a game, which holds its
seed, is handed out when the game is over.
"""

from __future__ import annotations

import secrets
import socket
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import uvicorn
from fastapi import Body, Cookie, FastAPI, HTTPException, Response
from fastapi.middleware.trustedhost import TrustedHostMiddleware
from fastapi.responses import HTMLResponse, PlainTextResponse

from chickenfoot_env import batch
from chickenfoot_env.rules import Rules
from chickenfoot_env.rules_text import describe
from chickenfoot_env.transcript import Transcript
from experiments.pages.template import render
from experiments.playing import hints
from experiments.playing.session import Session, SessionError
from experiments.replay import page, story
from experiments.replay.position import position

COOKIE: Final = "chickenfoot_game"
MOST_GAMES: Final = 200  # that are kept; the one not looked at for longest is forgotten first
LOCAL: Final = ("127.0.0.1", "localhost")


@dataclass(frozen=True)
class Table:
    """What every game that is served has in common.

    Attributes:
        rules: of the games.
        against: the agents, clockwise from the person's seat.
        seat: where the person sits.
        practice: whether choices may be taken back.
        adviser: the agent that hints come from.
        next_seed: the seed of the next game.
    """

    rules: Rules
    against: tuple[str, ...]
    seat: int
    practice: bool
    adviser: str
    next_seed: Callable[[], int]

    def deal(self) -> Session:
        """A new game.

        Raises:
            SessionError: if there is no such table.
            AgentError: for an agent that there is not.
        """
        return Session.begin(self.rules, self.against, self.seat, self.next_seed())


@dataclass
class Game:
    """A session that one browser plays; its lock is held while it is looked at or changed."""

    session: Session
    shown: int = 0  # the first step that the browser is sent
    lock: threading.Lock = field(default_factory=threading.Lock)


class Games:
    """The games of all browsers."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._lock = threading.Lock()

    def has(self, key: str | None) -> bool:
        """Whether there is a game of this key."""
        return key in self._games

    def of(self, key: str | None) -> Game:
        """The game of a browser.

        Raises:
            HTTPException: if it has none.
        """
        with self._lock:
            game = self._games.get(key or "")
            if game is None:
                raise HTTPException(404, "there is no such game any more; load the page again")
            self._games.move_to_end(key or "")
            return game

    def begin(self, key: str | None) -> str:
        """Deal a new game to a browser, in place of its old one; the key of it from now on."""
        session = self._table.deal()
        with self._lock:
            if key is None or key not in self._games:
                key = secrets.token_urlsafe(24)
            self._games[key] = Game(session)
            self._games.move_to_end(key)
            while len(self._games) > MOST_GAMES:
                self._games.popitem(last=False)
        return key


def application(table: Table, hosts: Sequence[str] = LOCAL) -> FastAPI:
    """The web application.

    Args:
        table: what is played.
        hosts: the names under which it may be asked, ("*",) for any.

    Raises:
        SessionError: if there is no such table.
        AgentError: for an agent that there is not.
    """
    table.deal()
    app = FastAPI(title="Chicken Foot", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    routes = _Routes(table, Games(table))
    app.add_api_route("/", routes.page, response_class=HTMLResponse)
    app.add_api_route("/game", routes.state)
    app.add_api_route("/game/new", routes.begin, methods=["POST"])
    app.add_api_route("/game/choose", routes.choose, methods=["POST"])
    app.add_api_route("/game/undo", routes.undo, methods=["POST"])
    app.add_api_route("/game/hints", routes.hints)
    app.add_api_route("/game/record", routes.record, response_class=PlainTextResponse)
    app.add_api_route("/game/replay", routes.replay, response_class=HTMLResponse)
    return app


class _Routes:
    """What is answered to each request; FastAPI reads the parameters off the signatures."""

    def __init__(self, table: Table, games: Games) -> None:
        self._table, self._games = table, games
        rules = table.rules
        self._page = render(
            "play.html.j2",
            scripts=["draw.js", "play.js"],
            max_pip=rules.max_pip,
            rules=describe(rules),
            practice=table.practice,
            adviser=table.adviser,
        )

    def page(self, key: str | None = Cookie(None, alias=COOKIE)) -> Response:
        """The page, and a new game for a browser that has none."""
        response = HTMLResponse(self._page)
        if not self._games.has(key):
            self._keep(response, self._games.begin(None))
        return response

    def begin(
        self, response: Response, key: str | None = Cookie(None, alias=COOKIE)
    ) -> dict[str, Any]:
        """A new game in place of the old one."""
        key = self._games.begin(key)
        self._keep(response, key)
        return self.state(key)

    def state(self, key: str | None = Cookie(None, alias=COOKIE)) -> dict[str, Any]:
        """What has happened since the last choice, and what may be chosen now."""
        game = self._games.of(key)
        with game.lock:
            return _told(game)

    def choose(
        self,
        action: int = Body(),
        ply: int = Body(),
        key: str | None = Cookie(None, alias=COOKIE),
    ) -> dict[str, Any]:
        """Take a choice; `ply` says in which position, so that no click counts twice."""
        game = self._games.of(key)
        with game.lock:
            self._check_ply(game, ply)
            first = len(game.session.story.steps)
            try:
                game.session.choose(action)
            except SessionError as error:
                raise HTTPException(422, str(error)) from None
            game.shown = first
            return _told(game)

    def undo(
        self, ply: int = Body(embed=True), key: str | None = Cookie(None, alias=COOKIE)
    ) -> dict[str, Any]:
        """Take the last choice back."""
        game = self._games.of(key)
        if not self._table.practice:
            raise HTTPException(403, "choices stand; with --practice they can be taken back")
        with game.lock:
            self._check_ply(game, ply)
            if not game.session.undo():
                raise HTTPException(409, "there is nothing to take back")
            game.shown = len(game.session.story.steps) - 1
            return _told(game)

    def hints(self, key: str | None = Cookie(None, alias=COOKIE)) -> list[dict[str, Any]]:
        """What is to be said of each choice."""
        game = self._games.of(key)
        with game.lock:
            session = game.session
            if session.is_over:
                raise HTTPException(409, "the game is over")
            rules = session.story.rules
            found = hints.hints(session.now, rules, session.names, self._table.adviser)
        return [
            {"action": hint.action, "value": hint.value, "reasons": hint.reasons} for hint in found
        ]

    def record(self, key: str | None = Cookie(None, alias=COOKIE)) -> str:
        """The record of a finished game, as chickenfoot replay reads it."""
        return self._finished(key).to_json() + "\n"

    def replay(self, key: str | None = Cookie(None, alias=COOKIE)) -> str:
        """The page of a finished game."""
        return page.html(self._finished(key))

    def _finished(self, key: str | None) -> Transcript:
        game = self._games.of(key)
        with game.lock:
            if not game.session.is_over:
                raise HTTPException(403, "the game is not over: its record would tell all hands")
            return game.session.transcript

    def _check_ply(self, game: Game, ply: int) -> None:
        now = len(game.session.story.actions)
        if ply != now:
            raise HTTPException(409, f"position {ply} is not the one on the table, {now}")

    def _keep(self, response: Response, key: str) -> None:
        response.set_cookie(COOKIE, key, httponly=True, samesite="strict", max_age=30 * 86400)


def _told(game: Game) -> dict[str, Any]:
    """All that the browser is sent of a game."""
    session = game.session
    rules, names = session.story.rules, session.names
    steps = []
    for step in session.story.steps[game.shown :]:
        shown = position(step, names, None if step.ends else session.seat)
        shown["told"] = story.tell(step, names, session.seat)
        steps.append({**shown, "over": step.ends})
    choices = [
        {
            "action": action,
            "name": story.name_action(action, rules),
            "tile": story.name_action(action, rules).split()[0] if action < rules.draw else None,
        }
        for action in session.choices()
    ]
    (ranks,) = batch.standings(session.story.game).tolist()
    return {
        "names": names,
        "seat": session.seat,
        "ply": len(session.story.actions),
        "steps": steps,
        "choices": choices,
        "over": session.is_over,
        "ranks": ranks if session.is_over else None,
    }


def listen(host: str, port: int) -> socket.socket:
    """A socket to serve on; port 0 is any that is free.

    Raises:
        SessionError: if it is taken, or there is no such address.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SessionError(f"cannot serve on {host}, port {port}: {reason}") from None


def serve(table: Table, at: socket.socket) -> None:
    """Serve until Ctrl-C."""
    host = at.getsockname()[0]
    hosts = LOCAL if host in LOCAL else ("*",)
    config = uvicorn.Config(application(table, hosts), log_level="warning")
    uvicorn.Server(config).run(sockets=[at])
