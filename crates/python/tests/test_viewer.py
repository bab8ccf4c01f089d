"""The live page: spoken to as a browser does."""

from __future__ import annotations

import http.client
import json
import socket
import struct
import time
from urllib.parse import urlsplit

import numpy as np
import pytest

import stiction


class WebSocket:
    """As much of a web socket as a test needs."""

    def __init__(self, url: str) -> None:
        at = urlsplit(url)
        self._at = socket.create_connection((at.hostname, at.port), timeout=20)
        self._at.sendall(
            (
                f"GET /socket?{at.query} HTTP/1.1\r\nHost: {at.netloc}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                f"Origin: http://{at.netloc}\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            ).encode()
        )
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += self._read(1)
        assert answer.startswith(b"HTTP/1.1 101 "), answer

    def _read(self, n: int) -> bytes:
        data = b""
        while len(data) < n:
            more = self._at.recv(n - len(data))
            if not more:
                raise ConnectionError("closed")
            data += more
        return data

    def hear(self) -> tuple[int, bytes]:
        """The next message: 1 text, 2 binary; and what it says."""
        kind, length = self._read(2)
        if length == 126:
            length = struct.unpack(">H", self._read(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self._read(8))[0]
        return kind & 15, self._read(length)

    def until(self, wanted: str) -> bytes:
        """What the next message says that is binary, or a text with this word."""
        while True:
            kind, said = self.hear()
            if kind == 2 if wanted == "frame" else (kind == 1 and wanted.encode() in said):
                return said

    def say(self, **words: object) -> None:
        """Sends a command."""
        text = json.dumps(words).encode()
        self._at.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)


def time_of(frame: bytes) -> float:
    """The instant that a frame shows: its first number in double precision."""
    return float(struct.unpack_from("<d", frame, 0)[0])


def test_a_page_shows_what_is_stepped() -> None:
    simulation = stiction.Simulation(stiction.load("cube-slide"))
    viewer = simulation.viewer(live=True)
    assert viewer.url is not None and not viewer.closed and viewer.url in viewer._repr_html_().replace("&amp;", "&")
    at = urlsplit(viewer.url)
    connection = http.client.HTTPConnection(at.netloc, timeout=20)
    connection.request("GET", f"/?{at.query}")
    page = connection.getresponse()
    assert page.status == 200 and b"<html" in page.read().lower()
    connection.request("GET", "/?token=guessed")
    assert connection.getresponse().status == 403
    connection.close()
    simulation.step(steps=20)
    looks = WebSocket(viewer.url)
    scene = json.loads(looks.until("stiction_protocol"))
    assert "cube" in json.dumps(scene)
    assert time_of(looks.until("frame")) == 0, "nobody looked, so nothing was shown after the start"
    viewer.update()
    assert time_of(looks.until("frame")) == pytest.approx(simulation.time)
    time.sleep(0.05)
    simulation.step(steps=10)
    shown = time_of(looks.until("frame"))
    assert 20 * simulation.dt < shown <= simulation.time
    looks.say(do="reset")
    assert b"a program steps this simulation" in looks.until("refused")
    looks.say(do="pause")
    looks.until('"playing":false')
    before = simulation.q.copy()
    simulation.step(steps=5)
    assert not np.array_equal(simulation.q, before), "a page that holds its picture holds no step"
    viewer.close()
    assert viewer.closed and "closed" in viewer.html()
    with pytest.raises(OSError):
        while True:
            looks.hear()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((at.hostname, at.port), timeout=5)
    simulation.step()


def test_a_page_closes_with_its_viewer() -> None:
    simulation = stiction.Simulation(stiction.load("cube-slide"))
    first = simulation.viewer(live=True)
    second = simulation.viewer(live=True)
    assert first.closed and second.url is not None and second.url != first.url
    at = urlsplit(second.url)
    with pytest.raises(OSError, match=f"cannot listen at 127.0.0.1, port {at.port}"):
        stiction.Simulation(simulation.model).viewer(live=True, port=at.port or 0)
    del second
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((at.hostname, at.port), timeout=5)
    with pytest.raises(stiction.Error, match="host is `here`; expected an address"):
        simulation.viewer(host="here")


def test_without_a_port_a_page_holds_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/me")
    simulation = stiction.Simulation(stiction.load("cube-slide"))
    with simulation.viewer() as viewer:
        simulation.run(0.1)
        assert viewer.url is None and "JUPYTERHUB_SERVICE_PREFIX" in repr(viewer)
        page = viewer._repr_html_()
        assert page.startswith("<iframe srcdoc=") and len(page) > 10_000 and "src=\"http" not in page
    assert viewer.closed
    taken = socket.create_server(("127.0.0.1", 0))
    monkeypatch.delenv("JUPYTERHUB_SERVICE_PREFIX")
    elsewhere = simulation.viewer(port=taken.getsockname()[1])
    assert elsewhere.url is None and "cannot listen" in str(elsewhere.not_live_because)
    taken.close()
