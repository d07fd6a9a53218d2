"""The two clients of one Credential; each ends with its `with`, or `async with`."""

import asyncio
import time
from typing import Any, Self, Unpack

import httpx2

from .account_calls import AccountCalls
from .api import ClientOptions
from .event_calls import EventCalls
from .export_calls import ExportCalls
from .flows import AsyncRunner, Effect, SyncRunner
from .page_calls import PageCalls
from .refresh_calls import RefreshCalls
from .transport import Io
from .watch_calls import WatchCalls

class _Calls(RefreshCalls, PageCalls, ExportCalls, WatchCalls, EventCalls, AccountCalls):
    """Every call of either client."""


class InventoryClient(SyncRunner, _Calls):
    """The client of one Credential, for threads. `http` is another HTTP client, as behind a proxy;
    its owner closes it."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        http: httpx2.Client | None = None,
        **options: Unpack[ClientOptions],
    ) -> None:
        self._http, self._is_own = http or httpx2.Client(), http is None
        super().__init__(_SyncIo(self._http), base_url, api_key, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections; calls are no longer possible."""
        if self._is_own:
            self._http.close()


class AsyncInventoryClient(AsyncRunner, _Calls):
    """The client of one Credential, for one event loop. Callbacks may be async."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        http: httpx2.AsyncClient | None = None,
        **options: Unpack[ClientOptions],
    ) -> None:
        self._http, self._is_own = http or httpx2.AsyncClient(), http is None
        super().__init__(_AsyncIo(self._http), base_url, api_key, **options)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections; calls are no longer possible."""
        if self._is_own:
            await self._http.aclose()


class _SyncIo(Io):
    def __init__(self, http: httpx2.Client) -> None:
        self._http = http

    def send(self, request: httpx2.Request) -> Effect:
        # A redirect would send the key to another address.
        return Effect(self._http.send(request, stream=True, auth=None, follow_redirects=False))

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
        self._http = http

    def send(self, request: httpx2.Request) -> Effect:
        return Effect(self._http.send(request, stream=True, auth=None, follow_redirects=False))

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
