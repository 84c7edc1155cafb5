"""Browsers without a window, and servers in a thread, for the tests of what is served."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    text: str
    cookie: str

    def json(self) -> Any:
        return json.loads(self.text)


class Person:
    """Somebody with a browser, which keeps its cookies."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        jar = urllib.request.HTTPCookieProcessor(CookieJar())
        self._opener = urllib.request.build_opener(jar, urllib.request.ProxyHandler({}))

    def get(self, path: str, **headers: str) -> Answer:
        return self._ask(urllib.request.Request(self._url + path, headers=headers))

    def post(self, path: str, body: Any) -> Answer:
        data, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
        return self._ask(urllib.request.Request(self._url + path, data, headers))

    def _ask(self, request: urllib.request.Request) -> Answer:
        try:
            answer = self._opener.open(request, timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            cookie = answer.headers.get("Set-Cookie") or ""
            return Answer(answer.status, answer.read().decode(), cookie)


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """The address of a web application that runs meanwhile."""
    import uvicorn

    from experiments.playing import server

    with server.listen("127.0.0.1", 0) as at:
        running = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=running.run, args=([at],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{at.getsockname()[1]}/"
        finally:
            running.should_exit = True
            thread.join()
