"""The two clients of one Credential: `with InventoryClient(…)`, `async with AsyncInventoryClient(…)`."""

import asyncio
import time
from typing import Any, Self

import httpx2

from .account_calls import AccountCalls
from .event_calls import EventCalls
from .export_calls import ExportCalls
from .flows import AsyncRunner, Effect, SyncRunner
from .page_calls import PageCalls
from .refresh_calls import RefreshCalls
from .transport import Environment, Io, Transport
from .watch_calls import WatchCalls

# Longer than the service takes for any response.
try_timeout_default = 45.0


class _Calls(RefreshCalls, PageCalls, ExportCalls, WatchCalls, EventCalls, AccountCalls):
    """Every call of either client."""


class InventoryClient(SyncRunner, _Calls):
    """The client of one Credential, for threads.

    `events_url` is the address of the event stream where it has an origin of its own, `http` another
    HTTP client, for example behind a proxy, which its owner closes, `try_timeout` the seconds of one
    attempt.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        events_url: str | None = None,
        http: httpx2.Client | None = None,
        try_timeout: float = try_timeout_default,
        environment: Environment = Environment(),
    ) -> None:
        io = _SyncIo(http or httpx2.Client())
        transport = Transport(io, base_url, api_key, try_timeout, environment)
        stream = Transport(io, events_url or base_url, api_key, try_timeout, environment)
        super().__init__(transport, stream)
        self._own_http = None if http else io.http

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections; calls are no longer possible."""
        if self._own_http is not None:
            self._own_http.close()


class AsyncInventoryClient(AsyncRunner, _Calls):
    """The client of one Credential, for one event loop. Callbacks may be async; arguments are those of
    InventoryClient."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        events_url: str | None = None,
        http: httpx2.AsyncClient | None = None,
        try_timeout: float = try_timeout_default,
        environment: Environment = Environment(),
    ) -> None:
        io = _AsyncIo(http or httpx2.AsyncClient())
        transport = Transport(io, base_url, api_key, try_timeout, environment)
        stream = Transport(io, events_url or base_url, api_key, try_timeout, environment)
        super().__init__(transport, stream)
        self._own_http = None if http else io.http

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections; calls are no longer possible."""
        if self._own_http is not None:
            await self._own_http.aclose()


class _SyncIo(Io):
    def __init__(self, http: httpx2.Client) -> None:
        self.http = http

    def send(self, request: httpx2.Request) -> Effect:
        # A redirect would send the key to another address.
        return Effect(self.http.send(request, stream=True, auth=None, follow_redirects=False))

    def chunks(self, response: httpx2.Response) -> Any:
        return response.iter_bytes()

    def read(self, chunks: Any) -> Effect:
        return Effect(next(chunks, None))

    def close(self, response: httpx2.Response, chunks: Any) -> Effect:
        chunks.close()
        response.close()
        return Effect(None)

    def sleep(self, seconds: float) -> Effect:
        time.sleep(seconds)
        return Effect(None)


class _AsyncIo(Io):
    def __init__(self, http: httpx2.AsyncClient) -> None:
        self.http = http

    def send(self, request: httpx2.Request) -> Effect:
        return Effect(self.http.send(request, stream=True, auth=None, follow_redirects=False))

    def chunks(self, response: httpx2.Response) -> Any:
        return response.aiter_bytes()

    def read(self, chunks: Any) -> Effect:
        return Effect(anext(chunks, None))

    def close(self, response: httpx2.Response, chunks: Any) -> Effect:
        async def close() -> None:
            await chunks.aclose()
            await response.aclose()

        return Effect(close())

    def sleep(self, seconds: float) -> Effect:
        return Effect(asyncio.sleep(seconds))
