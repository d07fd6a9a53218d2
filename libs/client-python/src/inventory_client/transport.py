"""Requests with the key over HTTP, and their retries. No error that leaves has the key."""

import json
import random
import re
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Protocol

import httpx2

from .answers import Success, present, read_answer, retry_after_of
from .errors import ConnectionFailedError, InventoryError, UnexpectedAnswerError
from .flows import Effect, Flow
from .retry_policy import retry_delay

deadline_default = 90.0
# Above every page: 2,000 assets, each with the longest known description.
_body_bytes_max = 256 * 2**20
# Above every error response of the service; what exceeds it is not read.
_refusal_bytes_max = 2**20
# The key of a read is kept for ten minutes; a repetition has a minute to arrive.
read_key_seconds = 9 * 60.0


@dataclass(frozen=True)
class Call:
    """One request of the interface."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    idempotency_key: str | None = None
    repeatable: float | None = None  # seconds in which it may be repeated; its deadline by default
    wait: float = 0  # added to the timeout of an attempt: how long the service may wait

    @property
    def name(self) -> str:
        """Without the query, which may identify the customer's data."""
        return f"{self.method} {self.path.partition('?')[0]}"


def paid_read(path: str, idempotency_key: str) -> Call:
    """A read that is charged once under its key: it is not repeated when that may be void."""
    return Call("GET", path, None, idempotency_key, read_key_seconds)


@dataclass(frozen=True)
class Environment:
    """Time, chance and keys of a client."""

    now: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random
    new_key: Callable[[], str] = lambda: str(uuid.uuid4())
    sleep: Callable[[float], object] | None = None


class Io(Protocol):
    """What a client does; an effect is a result, or an awaitable of one."""

    def send(self, request: httpx2.Request) -> Effect: ...
    def chunks(self, response: httpx2.Response) -> Any: ...
    def read(self, chunks: Any) -> Effect: ...
    def close(self, response: httpx2.Response, chunks: Any) -> Effect: ...
    def sleep(self, seconds: float) -> Effect: ...


class _Remaining(dict[str, float]):
    """Timeouts of a request whose steps end together."""

    def __init__(self, ends_at: float, now: Callable[[], float]) -> None:
        self._ends_at, self._now = ends_at, now

    def get(self, _step: str, _default: object = None) -> float:
        return max(0.001, self._ends_at - self._now())


class Transport:
    """The requests of one Credential to one origin."""

    def __init__(
        self, io: Io, url: str, api_key: str, try_timeout: float, environment: Environment
    ) -> None:
        self._url = _checked_url(url)
        # httpx2 quotes invalid header values in its errors.
        if not re.fullmatch(r"[\x21-\x7e]{1,512}", api_key):
            raise ValueError("api_key must be printable ASCII without blanks.")
        self._io, self._api_key, self._try_timeout = io, api_key, try_timeout
        self.environment = environment

    def sleep(self, seconds: float) -> Flow[None]:
        yield Effect((self.environment.sleep or self._io.sleep)(seconds))

    def call(
        self, call: Call, options: Mapping[str, Any], failures: list[InventoryError] | None = None
    ) -> Flow[Success]:
        """Calls one operation, with retries until its deadline. For idempotent calls only: reads,
        calls with an Idempotency-Key, and those without a further effect."""
        now, deadline = self.environment.now, options.get("deadline", deadline_default)
        ends_at = now() + min(deadline, call.repeatable or deadline)
        failed = [] if failures is None else failures
        while True:
            try:
                timeout = min(self._try_timeout + call.wait, ends_at - now())
                return (yield from self._attempt(call, now() + timeout))
            except InventoryError as error:
                if not error.retryable:
                    raise
                failed.append(error)
            chance = self.environment.chance()
            delay = retry_delay(len(failed), retry_after_of(failed[-1]), chance)
            if now() + delay >= ends_at:
                raise failed[-1]
            yield from self.sleep(delay)

    def _attempt(self, call: Call, ends_at: float) -> Flow[Success]:
        timeouts = _Remaining(ends_at, self.environment.now)
        body = yield from self._open(call, {"Accept": "application/json"}, timeouts)
        try:
            text = yield from body.text(ends_at)
        finally:
            yield from body.close()
        return read_answer(call.name, body.status, body.headers, text)

    def body(
        self, call: Call, headers: Mapping[str, str], media_type: str, silence_max: float
    ) -> "Flow[Body]":
        """A body that its caller reads as it comes, and closes. An error response is raised."""
        timeouts = httpx2.Timeout(silence_max).as_dict()
        body = yield from self._open(call, {"Accept": media_type, **headers}, timeouts)
        try:
            if not body.is_success:
                text = yield from body.text(self.environment.now() + self._try_timeout)
                read_answer(call.name, body.status, body.headers, text)
            found = body.headers.get("content-type", "").partition(";")[0].strip().lower()
            if body.status != 200 or found != media_type:
                raise UnexpectedAnswerError(f"{call.name}: the response is no {media_type}.")
        except BaseException:
            yield from body.close()
            raise
        return body

    def _open(
        self, call: Call, headers: Mapping[str, str], timeouts: Mapping[str, Any]
    ) -> "Flow[Body]":
        own = {"User-Agent": f"inventory-client-python/{version('inventory-client')}"}
        if call.idempotency_key is not None:
            own["Idempotency-Key"] = call.idempotency_key
        content = None
        if call.body is not None:
            own["Content-Type"] = "application/json"
            content = json.dumps(present(call.body)).encode()
        request = httpx2.Request(
            call.method,
            f"{self._url}{call.path}",
            headers={**own, **headers, "Accept-Encoding": "gzip", "X-API-Key": self._api_key},
            content=content,
            extensions={"timeout": timeouts},
        )
        response = yield from self.settled(call, lambda: self._io.send(request))
        return Body(self, self._io, call, response)

    def settled(self, call: Call, effect: Callable[[], Effect]) -> Flow[Any]:
        """Raises later: no error has one of the HTTP client, which has the key, as its context."""
        try:
            return (yield effect())
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            reason = f"{type(error).__name__}: {error}"
        raise ConnectionFailedError(f"{call.name}: {self.without_key(reason)}")

    def without_key(self, text: str) -> str:
        """The service never returns the key; a proxy might."""
        return text.replace(self._api_key, "[key]")


class Body:
    """The head of a response, and its body as it comes."""

    def __init__(self, transport: Transport, io: Io, call: Call, response: httpx2.Response) -> None:
        self._transport, self._io, self._call, self._response = transport, io, call, response
        self._chunks = io.chunks(response)
        self.status: int = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self.is_success: bool = response.is_success

    def read(self) -> Flow[bytes | None]:
        """The next bytes; None at their end."""
        return self._transport.settled(self._call, lambda: self._io.read(self._chunks))

    def text(self, ends_at: float) -> Flow[str]:
        content = bytearray()
        while (chunk := (yield from self.read())) is not None:
            if self._transport.environment.now() > ends_at:
                raise ConnectionFailedError(f"{self._call.name}: no complete response in time")
            content += chunk
            if self.is_success and len(content) > _body_bytes_max:
                raise UnexpectedAnswerError("The response is too large.")
            if not self.is_success and len(content) > _refusal_bytes_max:
                break
        text = content.decode("utf-8", "replace")
        return text if self.is_success else self._transport.without_key(text)

    def close(self) -> Flow[None]:
        yield self._io.close(self._response, self._chunks)


def _checked_url(text: str) -> str:
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError("base_url and events_url must be http or https addresses.")
    if url.userinfo or url.query or url.fragment:
        raise ValueError("base_url and events_url must have no user, query and fragment.")
    return text.rstrip("/")
