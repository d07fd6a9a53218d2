"""The story of story.mts, by what openapi-python-client generates."""

import json
import os
from collections.abc import Iterator
from uuid import uuid4

from inventory import AuthenticatedClient
from inventory.api.events import list_events, stream_events
from inventory.api.inventories import read_current
from inventory.api.refreshes import read_refresh, request_refresh
from inventory.models.invalid_api_key_refusal import InvalidApiKeyRefusal
from inventory.models.list_events_response_200 import ListEventsResponse200
from inventory.models.read_current_response_200 import ReadCurrentResponse200
from inventory.models.read_refresh_response_200 import ReadRefreshResponse200
from inventory.models.read_refresh_response_401 import ReadRefreshResponse401
from inventory.models.refresh_completed_event_frame import RefreshCompletedEventFrame
from inventory.models.refresh_not_found_error import RefreshNotFoundError
from inventory.models.request_refresh_body import RequestRefreshBody
from inventory.models.request_refresh_response_202 import RequestRefreshResponse202
from inventory.models.stream_checkpoint_frame import StreamCheckpointFrame
from inventory.types import UNSET, Unset

url, key = os.environ["INVENTORY_URL"], os.environ["INVENTORY_API_KEY"]
project_id, scope = os.environ["INVENTORY_PROJECT"], json.loads(os.environ["INVENTORY_SCOPE"])
unknown = "0197a4b0-0000-7000-8000-000000000001"
kinds: dict[str, type[StreamCheckpointFrame] | type[RefreshCompletedEventFrame]] = {
    "checkpoint": StreamCheckpointFrame,
    "inventory.refresh.completed": RefreshCompletedEventFrame,
}


def client_with(secret: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=url, token=secret, prefix="", auth_header_name="X-API-Key")


client = client_with(key)


def frames() -> Iterator[StreamCheckpointFrame | RefreshCompletedEventFrame]:
    """The generated function returns a stream at its end: its request is sent by the client itself."""
    request = stream_events._get_kwargs(project_id)
    with client.get_httpx_client().stream(**request) as response:
        fields: dict[str, str] = {}
        for line in response.iter_lines():
            name, _, value = line.partition(": ")
            if line != "":
                fields[name] = value
                continue
            if fields.get("event") in kinds:
                frame = {**fields, "data": json.loads(fields["data"])}
                yield kinds[fields["event"]].from_dict(frame)
            fields = {}


def refresh_while_streaming() -> tuple[str, RefreshCompletedEventFrame]:
    refresh_id = ""
    for frame in frames():
        if isinstance(frame, StreamCheckpointFrame):
            body = RequestRefreshBody(max_credits=125)
            accepted = request_refresh.sync(
                **scope, client=client, body=body, idempotency_key=str(uuid4())
            )
            assert isinstance(accepted, RequestRefreshResponse202), accepted
            refresh_id = accepted.data.refresh_id
        elif frame.data.data.refresh_id == refresh_id:
            return refresh_id, frame
    raise AssertionError("the stream ended")


def assets_of_current() -> list[str]:
    ids: list[str] = []
    cursor: str | None | Unset = UNSET
    while cursor is not None:
        page = read_current.sync(**scope, client=client, cursor=cursor)
        assert isinstance(page, ReadCurrentResponse200), page
        ids += [asset.assetid for asset in page.data.assets]
        cursor = page.data.pagination.next_cursor
    return ids


refresh_id, frame = refresh_while_streaming()
events = list_events.sync(project_id, client=client)
assert isinstance(events, ListEventsResponse200), events
record = read_refresh.sync(refresh_id, client=client, wait=30)
assert isinstance(record, ReadRefreshResponse200), record
assets = assets_of_current()
lookup = read_current.sync(**scope, client=client, assetid=assets[:1])
assert isinstance(lookup, ReadCurrentResponse200), lookup
missing = read_refresh.sync(unknown, client=client)
assert isinstance(missing, RefreshNotFoundError), missing
keyless = read_refresh.sync(unknown, client=client_with("inv_unknown"))
assert isinstance(keyless, ReadRefreshResponse401), keyless
assert isinstance(keyless.error, InvalidApiKeyRefusal), keyless

print(
    json.dumps(
        {
            "outcome": record.data.outcome,
            "charged": record.data.billing.credits_charged,
            "assets": assets,
            "found": [asset.assetid for asset in lookup.data.assets],
            "spent": lookup.meta.credits_charged,
            "event": frame.data.data.outcome,
            "listed": [item.event.id == frame.data.id for item in events.data.items],
            "codes": [missing.error.code, keyless.error.code],
        }
    )
)
