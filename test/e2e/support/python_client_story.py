"""What a customer does with the Python client, once with each of its two clients; prints what came of it."""

import asyncio
import json
import os

from inventory_client import AsyncInventoryClient, InventoryClient
from inventory_client.errors import NotFoundError

url, key = os.environ["INVENTORY_URL"], os.environ["INVENTORY_API_KEY"]
project_id, scope = os.environ["INVENTORY_PROJECT"], json.loads(os.environ["INVENTORY_SCOPE"])
unknown = "0197a4b0-0000-7000-8000-000000000001"


class Found(Exception):
    """What was waited for."""


def stop_at(cursor):
    raise Found(cursor)


def expecting(refresh_id):
    def on_event(event, _cursor):
        if event["data"].get("refresh_id") == refresh_id:
            raise Found(event["data"]["outcome"])

    return on_event


def read_sync():
    with InventoryClient(url, key) as client:
        try:
            client.follow_events(project_id, expecting(None), on_progress=stop_at)
        except Found as found:
            start = str(found)
        record = client.refresh_and_wait(scope).record
        assets = [asset["assetid"] for asset, _ in client.current_assets(scope)]
        exported = [asset["assetid"] for asset, _ in client.export(scope)]
        on_event = expecting(record["refresh_id"])
        try:
            client.follow_events(project_id, on_event, last_event_id=start)
        except Found as found:
            event = str(found)
        try:
            client.status(unknown)
        except NotFoundError as error:
            code = error.code
    return [record["outcome"], record["billing"]["credits_charged"], assets, exported, event, code]


async def read_async():
    async with AsyncInventoryClient(url, key) as client:
        try:
            await client.follow_events(project_id, expecting(None), on_progress=stop_at)
        except Found as found:
            start = str(found)
        record = (await client.refresh_and_wait(scope)).record
        assets = [asset["assetid"] async for asset, _ in client.current_assets(scope)]
        exported = [asset["assetid"] async for asset, _ in client.export(scope)]
        on_event = expecting(record["refresh_id"])
        try:
            await client.follow_events(project_id, on_event, last_event_id=start)
        except Found as found:
            event = str(found)
        try:
            await client.status(unknown)
        except NotFoundError as error:
            code = error.code
    return [record["outcome"], record["billing"]["credits_charged"], assets, exported, event, code]


names = ["outcome", "charged", "assets", "exported", "event", "code"]
print(json.dumps([dict(zip(names, one)) for one in (read_sync(), asyncio.run(read_async()))]))
