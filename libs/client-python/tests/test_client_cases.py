"""The cases that the client of each language holds: test/contract/client-cases."""

import asyncio
import dataclasses
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from case_server import CaseServer, Json

from inventory_client import AsyncInventoryClient, InventoryClient, verify_webhook
from inventory_client.errors import InventoryError, WebhookVerificationError
from inventory_client.transport import Environment

folder = Path(__file__).parents[3] / "test/contract/client-cases"
values: Json = json.loads((folder / "values.json").read_text())
# Elsewhere these are names of builtins.
classes = {
    "ConnectionFailedError": "ConnectionError",
    "PermissionDeniedError": "PermissionError",
    "ValueError": "TypeError",
}


def filled(value: Any) -> Any:
    """With the named values of `$name` and of `{name}` within a text."""
    if isinstance(value, dict):
        return {name: filled(one) for name, one in value.items()}
    if isinstance(value, list):
        return [filled(one) for one in value]
    if not isinstance(value, str):
        return value
    if value.startswith("$"):
        return filled(values[value[1:]])
    return re.sub(r"\{(\w+)\}", lambda name: str(values[name[1]]), value)


def cases_of(name: str) -> list[Json]:
    loaded: list[Json] = filled(json.loads((folder / f"{name}.json").read_text()))
    return loaded


cases = [
    pytest.param(case, id=f"{file.stem}: {case['title']}")
    for file in sorted(folder.glob("*.json"))
    if file.stem not in ("values", "webhooks")
    for case in cases_of(file.stem)
]


class Done(Exception):
    """Enough events were applied."""


class HandlerError(Exception):
    """The handler cannot apply the event."""


@pytest.fixture(scope="module")
def server() -> Iterator[CaseServer]:
    started = CaseServer()
    yield started
    started.stop()


def response_of(exchange: Json) -> Json:
    response = exchange["response"]
    headers = dict(response.get("headers", {}))
    if "retry_after" in response:
        headers["retry-after"] = str(response["retry_after"])
    meta = {"request_id": values["request_id"], **response.get("meta", {})}
    body: Json = {"success": True, "data": response.get("data"), "meta": meta}
    if "error" in response:
        code = response["error"]
        error = {"code": code, "message": f"It is {code}.", "request_id": values["request_id"]}
        if "detail" in response:
            error["detail"] = response["detail"]
        body = {"success": False, "error": error, "meta": meta}
    return {"text": json.dumps(body), **response, "headers": headers}


def shown(value: Any) -> Any:
    """A result or an error as the cases state them."""
    if isinstance(value, Exception):
        attributes = {name: shown(one) for name, one in vars(value).items()}
        name = type(value).__name__
        result = {"class": classes.get(name, name), **attributes}
        result["retryable"] = getattr(value, "retryable", None)
        if "retry_after" in result:
            result["retry_after_seconds"] = result.pop("retry_after")
        return result
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        if "retry_after" in fields:
            fields["retry_after_seconds"] = fields.pop("retry_after")
        return shown(fields)
    if hasattr(value, "_asdict"):
        return shown(value._asdict())
    if isinstance(value, Mapping):
        named = {name: shown(one) for name, one in value.items()}
        return {name: str(one) if name == "total_amount" else one for name, one in named.items()}
    return [shown(one) for one in value] if isinstance(value, list) else value


def matches(actual: Any, expected: Any) -> bool:
    """Objects may have more than is expected."""
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(
            name in actual and matches(actual[name], one) for name, one in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(actual, list)
            and len(actual) == len(expected)
            and all(matches(one, other) for one, other in zip(actual, expected))
        )
    return bool(actual == expected)


class Run:
    """One case, played by one client."""

    def __init__(self, case: Json, server: CaseServer) -> None:
        self.case, self.server = case, server
        self.now, self.keys = 0.0, 0
        self.waits: list[float] = []
        self.progress: list[Any] = []
        self.log: list[str] = []
        self.applied = 0
        self.items: list[Any] = []
        self.environment = Environment(
            now=lambda: self.now,
            chance=lambda: float(case.get("chance", 0)),
            new_key=self.new_key,
            sleep=self.sleep,
        )
        self.arguments = [*case.get("args", [])]
        self.options: Json = {**case.get("options", {})}
        if case["call"] == "follow_events":
            self.arguments.append(self.on_event)
            self.options["on_progress"] = self.on_cursor
            self.options["on_interruption"] = lambda one: self.log.append(
                f"interruption {classes.get(one.reason, one.reason)}"
            )
            if case.get("handles_gaps"):
                self.options["on_gap"] = lambda gap: self.log.append(f"gap {gap.reason}")
        elif "progress" in case:
            self.options["on_progress"] = self.progress.append
        server.plays([response_of(exchange) for exchange in case["exchanges"]])

    def new_key(self) -> str:
        self.keys += 1
        return f"key-{self.keys}"

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def on_event(self, event: Any, _cursor: str) -> None:
        if self.case.get("handler_fails"):
            raise HandlerError
        self.applied += 1
        self.log.append(f"event {event['id']}")

    def on_cursor(self, cursor: str) -> None:
        self.log.append(f"stored {cursor}")
        if self.applied >= self.case["enough"]:
            raise Done

    def play(self) -> Any:
        with InventoryClient(
            self.server.url, values["api_key"], environment=self.environment
        ) as client:
            result = getattr(client, self.case["call"])(*self.arguments, **self.options)
            if not inspect.isgenerator(result):
                return result
            for item in result:
                self.items.append(item)
            return self.items

    async def play_async(self) -> Any:
        async with AsyncInventoryClient(
            self.server.url, values["api_key"], environment=self.environment
        ) as client:
            result = getattr(client, self.case["call"])(*self.arguments, **self.options)
            if not inspect.isasyncgen(result):
                return await result
            async for item in result:
                self.items.append(item)
            return self.items

    def judge(self, result: Any, error: Exception | None) -> None:
        case = self.case
        if "error" in case:
            assert matches(shown(error), case["error"]), shown(error) or result
            assert values["api_key"] not in f"{error!r} {error} {vars(error)}"
            assert_no_http_error(error)
        else:
            if error is not None:
                raise error
            assert matches(shown(result), case["result"]), shown(result)
        assert self.waits == case.get("waits", [])
        assert matches(shown(self.progress), case.get("progress", []))
        assert self.log == case.get("log", [])
        if "yielded" in case:
            assert len(self.items) == case["yielded"]
        assert len(self.server.requests) == len(case["exchanges"])
        expected: Json = {}
        for actual, exchange in zip(self.server.requests, case["exchanges"]):
            expected = exchange if "request" in exchange else expected
            assert target_of(actual["request"]) == target_of(expected["request"])
            assert actual["body"] == expected.get("body")
            for name, value in expected.get("headers", {}).items():
                assert actual["headers"].get(name) == value


def target_of(request: str) -> tuple[str, list[tuple[str, str]]]:
    """Method and path, and the parameters, whose order is free."""
    parts = urlsplit(request)
    return parts.path, sorted(parse_qsl(parts.query, keep_blank_values=True))


def assert_no_http_error(error: BaseException | None) -> None:
    """An error of the HTTP client has the request, and so the key."""
    while error is not None:
        assert isinstance(error, (InventoryError, Done, HandlerError, ValueError, TypeError))
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize("case", cases)
def test_sync(case: Json, server: CaseServer) -> None:
    run = Run(case, server)
    result, error = None, None
    try:
        result = run.play()
    except Exception as raised:
        error = raised
    run.judge(result, error)


@pytest.mark.parametrize("case", cases)
def test_async(case: Json, server: CaseServer) -> None:
    run = Run(case, server)
    result, error = None, None
    try:
        result = asyncio.run(run.play_async())
    except Exception as raised:
        error = raised
    run.judge(result, error)


@pytest.mark.parametrize("case", cases_of("webhooks"), ids=lambda case: str(case["title"]))
def test_webhook(case: Json) -> None:
    def verify() -> Any:
        options = {"tolerance": case["tolerance"]} if "tolerance" in case else {}
        return verify_webhook(
            case["headers"], case["body"].encode(), case["secrets"], now=case["now"], **options
        )

    if "reason" not in case:
        assert verify() == json.loads(case["body"])
        return
    with pytest.raises(WebhookVerificationError) as raised:
        verify()
    assert raised.value.reason == case["reason"]
