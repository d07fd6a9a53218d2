"""What is of Python alone: both styles, iterations that are left, callbacks, the key in logs."""

import asyncio
import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from case_server import CaseServer, Json

from inventory_client import AsyncInventoryClient, InventoryClient, verify_webhook
from inventory_client.errors import ConnectionFailedError, UnexpectedAnswerError
from inventory_client.errors import WebhookVerificationError
from inventory_client.frames import FrameParser
from inventory_client.wire import Scope

api_key = "inv_public_secretsecretsecret_check"
project_id = "prj_0197a4b0-0000-7000-8000-000000000002"
scope: Scope = {"platform_id": "76100000000000001", "app_id": 730, "context_id": 2}
checkpoint = 'event: checkpoint\nid: start\ndata: {"as_of":"2026-01-01T00:00:00.000Z"}\n\n'


@pytest.fixture
def server() -> Iterator[CaseServer]:
    started = CaseServer()
    yield started
    started.stop()


def export_of(rows: int) -> Json:
    line = json.dumps({"asset": {"assetid": "1"}, "description": None}) + "\n"
    head = {"x-revision-id": "r", "x-observation-id": "o", "x-export-rows": str(rows)}
    headers = {"content-type": "application/x-ndjson", **head}
    return {"headers": headers, "text": line * rows, "fault": "stalled"}


def page_of(cursor: str | None) -> Json:
    page = {
        "assets": [{"assetid": "1", "classid": "1", "instanceid": "0"}],
        "descriptions": [],
        "total_amount": 1,
        "pagination": {"has_more": cursor is not None, "next_cursor": cursor},
    }
    body = {"success": True, "data": page, "meta": {"request_id": "req_1"}}
    return {"headers": {}, "text": json.dumps(body)}


def stream_of(text: str) -> Json:
    return {"headers": {"content-type": "text/event-stream"}, "text": text, "fault": "stalled"}


def is_idle(http: httpx2.Client | httpx2.AsyncClient) -> bool:
    transport: Any = http._transport
    return len(transport._pool.connections) == 0


def test_leaving_a_loop_reads_no_further_page(server: CaseServer) -> None:
    server.plays([page_of("next"), page_of(None)])
    with InventoryClient(server.url, api_key) as client:
        for _ in client.current_assets(scope):
            break
    assert len(server.requests) == 1


def test_leaving_an_export_closes_its_connection(server: CaseServer) -> None:
    server.plays([export_of(9)])
    with httpx2.Client() as http:
        client = InventoryClient(server.url, api_key, http=http)
        for _ in client.export(scope):
            break
        assert is_idle(http)


def test_leaving_an_async_export_closes_its_connection(server: CaseServer) -> None:
    async def read() -> None:
        async with httpx2.AsyncClient() as http:
            client = AsyncInventoryClient(server.url, api_key, http=http)
            rows = client.export(scope)
            async for _ in rows:
                break
            await rows.aclose()
            assert is_idle(http)

    server.plays([export_of(9)])
    asyncio.run(read())


def test_async_callbacks_are_awaited_one_after_the_other(server: CaseServer) -> None:
    order: list[str] = []

    async def on_event(event: Any, cursor: str) -> None:
        await asyncio.sleep(0)
        order.append(event["id"])

    async def on_progress(cursor: str) -> None:
        await asyncio.sleep(0)
        order.append(cursor)
        if cursor == "c2":
            raise KeyError("enough")

    async def follow() -> None:
        async with AsyncInventoryClient(server.url, api_key) as client:
            await client.follow_events(project_id, on_event, on_progress=on_progress)

    server.plays([stream_of(checkpoint + event_frame(1) + event_frame(2))])
    with pytest.raises(KeyError):
        asyncio.run(follow())
    assert order == ["start", "evt_1", "c1", "evt_2", "c2"]


def event_frame(serial: int) -> str:
    event = {
        "id": f"evt_{serial}",
        "version": 1,
        "type": "added.later",
        "occurred_at": "2026-01-01T00:00:00.000Z",
        "project_id": project_id,
        "data": {},
    }
    return f"event: added.later\nid: c{serial}\ndata: {json.dumps(event)}\n\n"


def test_the_synchronous_client_does_not_lose_an_async_handler(server: CaseServer) -> None:
    async def on_event(event: Any, cursor: str) -> None:
        raise AssertionError("nobody awaits it")

    stored: list[str] = []
    server.plays([stream_of(checkpoint + event_frame(1))])
    with InventoryClient(server.url, api_key) as client, pytest.raises(TypeError):
        client.follow_events(project_id, on_event, on_progress=stored.append)
    assert stored == ["start"]


def test_a_task_that_is_cancelled_ends_its_call_and_its_connection(server: CaseServer) -> None:
    async def follow() -> None:
        started = asyncio.Event()
        async with httpx2.AsyncClient() as http:
            client = AsyncInventoryClient(server.url, api_key, http=http)

            async def read() -> None:
                await client.follow_events(
                    project_id, lambda *_: None, on_progress=lambda _: started.set()
                )

            task = asyncio.create_task(read())
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert is_idle(http)

    server.plays([stream_of(checkpoint)])
    asyncio.run(follow())


def test_silence_ends_an_attempt_and_a_connection(server: CaseServer) -> None:
    interruptions: list[str] = []

    def on_interruption(one: Any) -> None:
        interruptions.append(one.reason)
        raise KeyError("enough")

    server.plays([{"headers": {}, "text": "{", "fault": "stalled"}, stream_of(checkpoint)])
    with InventoryClient(server.url, api_key, try_timeout=0.1) as client:
        with pytest.raises(ConnectionFailedError):
            client.account(deadline=0.1)
        with pytest.raises(KeyError):
            client.follow_events(
                project_id, lambda *_: None, on_interruption=on_interruption, silence_max=0.1
            )
    assert interruptions == ["ConnectionFailedError"]


def test_the_key_is_in_no_log_and_no_representation(
    server: CaseServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.plays([page_of(None)])
    with InventoryClient(server.url, api_key) as client:
        client.current_page(scope)
        shown = repr(client) + repr(client._transport) + caplog.text
    assert "HTTP" in caplog.text
    assert api_key not in shown


def test_an_error_of_the_http_client_that_quotes_the_key_is_not_passed_on() -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError(f"refused: {request.headers['x-api-key']}", request=request)

    http = httpx2.Client(transport=httpx2.MockTransport(refuse))
    with pytest.raises(ConnectionFailedError) as raised:
        InventoryClient("http://service", api_key, http=http).account(deadline=0.1)
    assert "GET /v2/account: ConnectError: refused: [key]" in str(raised.value)
    assert raised.value.__context__ is None
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("url", ["ftp://a", "no address", "https://u:secret@a", "http://a?b=1"])
def test_an_address_with_more_than_a_place_is_refused(url: str) -> None:
    with pytest.raises(ValueError) as raised:
        InventoryClient(url, api_key)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("bad", ["", f"{api_key} ", f"{api_key}\n", f"{api_key}é"])
def test_a_malformed_key_is_refused_and_not_quoted(bad: str) -> None:
    with pytest.raises(ValueError) as raised:
        InventoryClient("http://service", bad)
    assert api_key not in str(raised.value)


def test_many_threads_share_a_client(server: CaseServer) -> None:
    server.plays([page_of(None)] * 20)
    with InventoryClient(server.url, api_key) as client, ThreadPoolExecutor(5) as pool:
        pages = pool.map(lambda _: client.current_page(scope).page["total_amount"], range(20))
        assert list(pages) == [1] * 20


frames = (
    ': x\n\nevent: checkpoint\nid: c0\ndata: {"a":\ndata:"ä😀"}\n\nid: c1\n\ndata: half'
)


@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_frames_are_the_same_however_their_bytes_are_cut(line_end: str, size: int) -> None:
    content = ("\ufeff" + frames.replace("\n", line_end)).encode()
    parser = FrameParser()
    read = [
        (frame.type, frame.id, frame.content())
        for at in range(0, len(content), size)
        for frame in parser.take(content[at : at + size])
    ]
    assert read == [("checkpoint", "c0", {"a": "ä😀"})]


@pytest.mark.parametrize("text", ["data: " + "x" * 300_000, ("data: " + "x" * 1000 + "\n") * 300])
def test_a_frame_without_end_is_refused(text: str) -> None:
    parser = FrameParser()
    with pytest.raises(UnexpectedAnswerError):
        for at in range(0, len(text), 4096):
            list(parser.take(text[at : at + 4096].encode()))


@pytest.mark.parametrize("text", ["\ud800", "v1,", "v1,=", " " * 100_000, "v1,é", "1e3", "-1"])
@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_hostile_headers_are_refused(name: str, text: str) -> None:
    valid = {"webhook-id": "evt_1", "webhook-timestamp": "1", "webhook-signature": "v1,AA=="}
    with pytest.raises(WebhookVerificationError):
        verify_webhook({**valid, name: text}, "\ud800", "whsec_AAAA", now=1)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_???", []])
def test_a_secret_that_is_none_is_refused(secret: str) -> None:
    with pytest.raises(ValueError):
        verify_webhook({}, b"", secret)
