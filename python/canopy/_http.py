"""An HTTP client for `canopy serve` with keep-alive connections, which repeats requests whose connection is lost."""

from __future__ import annotations

import http.client
import json
import os
import random
import ssl
import threading
import time
import urllib.parse
import uuid
import weakref
from collections.abc import Mapping
from typing import Any, NamedTuple

from . import _canopy

_LONGEST_PAUSE = 5.0
_MOST_REDIRECTS = 5


class Answer(NamedTuple):
    """An answer of the server."""

    status: int
    body: Any
    was_repeated: bool  #: an earlier attempt may have been served as well


class Problem(Exception):
    """An error of the server: a problem document of RFC 9457."""

    def __init__(self, status: int, document: Mapping[str, Any], was_repeated: bool):
        super().__init__(document.get("detail") or f"the server answered with status {status}")
        self.status = status
        self.code: str = document.get("code", "")
        self.errors: list[dict[str, str]] = document.get("errors", [])
        self.request_id: str = document.get("request_id", "")
        self.was_repeated = was_repeated


class _Origin(NamedTuple):
    """The origin of a server."""

    scheme: str
    host: str
    port: int | None
    prefix: str  # prefix of all paths

    @classmethod
    def of(cls, url: str) -> _Origin:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url = {url!r}: must begin with http:// or https://")
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError("url: must have neither user, query nor fragment; give the token as token=")
        return cls(parts.scheme, parts.hostname, parts.port, parts.path.rstrip("/"))

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = f":{self.port}" if self.port else ""
        return f"{self.scheme}://{host}{port}{self.prefix}"


class _Lost(Exception):
    """The connection was lost before an answer."""

    def __init__(self, cause: Exception, was_sent: bool, was_kept: bool = False):
        super().__init__(str(cause) or type(cause).__name__)
        self.was_sent = was_sent
        self.was_kept = was_kept  # an idle connection that the server may have closed


class _Kept(threading.local):
    """The connections of one thread."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.connections: dict[_Origin, http.client.HTTPConnection] = {}


class Wire:
    """Sends requests to a server, and to the servers that it redirects to. Thread-safe."""

    def __init__(self, url: str, token: str | None, timeout: float, retry_seconds: float, ca_file: str | None):
        self.first = _Origin.of(url)
        self._headers = {"User-Agent": f"canopy/{_canopy.version}"}
        if token is not None:
            if not token or not all("!" <= letter <= "~" for letter in token):
                raise ValueError("token: must be a token printed by `canopy token new`")
            self._headers["Authorization"] = f"Bearer {token}"
        self._timeout = timeout
        self._retry_seconds = retry_seconds
        self._tls = ssl.create_default_context(cafile=ca_file) if self.first.scheme == "https" or ca_file else None
        self._kept = _Kept()
        self._all: weakref.WeakSet[http.client.HTTPConnection] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._places: dict[str, _Origin] = {}  # servers of studies that another server holds

    def close(self) -> None:
        """Closes all connections; the next request opens a new one."""
        with self._lock:
            connections = list(self._all)
        for connection in connections:
            connection.close()

    def call(self, method: str, path: str, body: Any = None, *, study: str = "", is_repeatable: bool = True) -> Answer:
        """Sends a request until it is answered. Raises Problem if refused, StoreError if the server is unreachable.

        Every request has its own idempotency key, so that a retry has no second effect. A request that is not
        repeatable in spite of that is sent again only if the first attempt cannot have reached the server.
        """
        headers = dict(self._headers)
        text = None
        if body is not None:
            text = json.dumps(body, allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
        if method != "GET":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        deadline = time.monotonic() + self._retry_seconds
        pause, redirects, was_repeated = 0.05, 0, False
        with self._lock:
            origin = self._places.get(study, self.first)
        while True:
            wait, failure = pause, ""
            try:
                status, found, document = self._send(origin, method, path, text, headers, is_repeatable)
            except _Lost as lost:
                failure = f"{origin}: cannot be reached: {lost}"
                if lost.was_sent and not is_repeatable:
                    raise _canopy.StoreError(f"{origin}: the connection was lost before the answer: {lost}") from None
                was_repeated = was_repeated or lost.was_sent
                if lost.was_kept:
                    continue  # at once, with a new connection
                if origin != self.first:  # it may be down; the first server knows which server has the study now
                    origin = self._forget(study)
            else:
                if status == 307:
                    redirects += 1
                    if redirects <= _MOST_REDIRECTS:
                        origin = self._go_to(study, found.get("Location", ""))
                        continue
                    origin, redirects = self._forget(study), 0
                elif status in (429, 502, 503, 504):
                    wait = max(pause, _seconds(found.get("Retry-After")))
                elif status >= 400:
                    raise Problem(status, document if isinstance(document, dict) else {}, was_repeated)
                else:
                    return Answer(status, document, was_repeated)
            if time.monotonic() + wait > deadline:
                if failure:
                    raise _canopy.StoreError(failure)
                raise Problem(status, document if isinstance(document, dict) else {}, was_repeated)
            time.sleep(wait * random.uniform(1.0, 1.2))
            pause = min(2.0 * pause, _LONGEST_PAUSE)

    def _send(
        self, origin: _Origin, method: str, path: str, text: bytes | None, headers: dict[str, str], may_reuse: bool
    ) -> tuple[int, http.client.HTTPMessage, Any]:
        """Tries once."""
        connection = self._connection(origin)
        if not may_reuse:
            connection.close()
        was_kept = connection.sock is not None
        was_sent = False
        try:
            if not was_kept:
                connection.connect()
            was_sent = True
            connection.request(method, origin.prefix + path, text, headers)
            response = connection.getresponse()
            content = response.read()
            return response.status, response.headers, _document(response, content)
        except ssl.SSLCertVerificationError as error:
            connection.close()
            raise _canopy.StoreError(f"{origin}: its certificate cannot be trusted: {error.verify_message}") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise _Lost(error, was_sent, was_kept and not isinstance(error, TimeoutError)) from None
        except BaseException:  # e.g. Ctrl-C: the rest of this answer must not be read as the next one
            connection.close()
            raise

    def _connection(self, origin: _Origin) -> http.client.HTTPConnection:
        kept = self._kept
        if kept.process != os.getpid():  # do not use connections of the parent process
            kept.process, kept.connections = os.getpid(), {}
        connection = kept.connections.get(origin)
        if connection is None:
            if origin.scheme == "https":
                tls = self._tls or ssl.create_default_context()
                connection = http.client.HTTPSConnection(origin.host, origin.port, timeout=self._timeout, context=tls)
            else:
                connection = http.client.HTTPConnection(origin.host, origin.port, timeout=self._timeout)
            kept.connections[origin] = connection
            with self._lock:
                self._all.add(connection)
        return connection

    def _go_to(self, study: str, location: str) -> _Origin:
        parts = urllib.parse.urlsplit(location)
        if self.first.scheme == "https" and parts.scheme != "https":
            raise _canopy.StoreError(f"{self.first}: redirects to {location}, which would send the token unencrypted")
        try:
            origin = _Origin.of(f"{parts.scheme}://{parts.netloc}{parts.path.partition('/v1/')[0]}")
        except ValueError:
            raise _canopy.StoreError(f"{self.first}: redirects to {location!r}, which is not a valid address") from None
        with self._lock:
            self._places[study] = origin
        return origin

    def _forget(self, study: str) -> _Origin:
        with self._lock:
            self._places.pop(study, None)
        return self.first


def _document(response: http.client.HTTPResponse, content: bytes) -> Any:
    """Parses an answer. Raises ValueError if it is incomplete or not from a canopy server."""
    if response.status in (204, 307):
        return None
    if "Content-Length" not in response.headers or "json" not in (response.headers.get_content_type()):
        raise ValueError(f"the answer ({response.status}) is not that of a canopy server")
    return json.loads(content)


def _seconds(text: str | None) -> float:
    try:
        return min(float(text or 0.0), 60.0)
    except ValueError:
        return 0.0
